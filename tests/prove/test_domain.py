"""Domains: said, printed, read back, and asked for what they hold."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given

from r2n.errors import ParameterError, ParseError
from r2n.prove import Domain, Values
from r2n.rules import RuleSet, parse_literal
from r2n.table import Schema
from tests.strategies import domains


@given(domains())
def test_what_is_printed_reads_back(domain: Domain) -> None:
    assert Domain.parse(str(domain)) == domain


@pytest.mark.parametrize("name", ["x", "hours per week", 'say "hi"', "a: b", "", "if", "年齢"])
def test_any_name_reads_back(name: str) -> None:
    domain = Domain.read({name: (0, 1)})
    assert Domain.parse(str(domain)) == domain


def test_from_a_table() -> None:
    columns = {"n": [1, 2, None], "f": [0.5, 2.0, 1.0], "z": ["a", "b", None], "b": [True, False, True]}
    schema, _ = Schema.learn(columns, missing_values={"f": [1.0]})
    domain = Domain.of(schema)
    assert domain["n"] == Values(1, 2, integer=True)
    assert domain["f"] == Values(0.5, 2.0, never=(1,))
    assert domain["z"] == Values(categories=("a", "b"), other=False)
    assert domain["b"] == Values(categories=(False, True), other=False, missing=False)
    assert domain["elsewhere"] == Values()
    assert Domain.of(Schema.from_json(schema.to_json())) == domain


def test_what_is_in_it() -> None:
    domain = Domain.read({"n": range(1, 4), "z": {"a"}, "x": "0.. known"})
    assert all({"n": n} in domain for n in (1, 2.0, 3, None))
    assert not any({"n": n} in domain for n in (0, 4, 1.5, "1"))
    assert {"z": "a"} in domain
    assert {"z": "b"} not in domain
    assert {"x": None} not in domain
    assert {"anything": "else"} in domain
    assert "n" not in domain


def test_ways_to_change_it() -> None:
    domain = Domain.parse("x: known\nz: any")
    assert (domain["x"].missing, domain["z"].missing) == (False, True)
    assert domain.reading([parse_literal("x + y > 1")])["y"].numeric
    assert Domain.read({"x": range(3, 0, -1)}) == Domain.read({"x": "integer 1..3"})
    assert Domain.read({"x": "integer"})["x"] == Values(integer=True)


@pytest.mark.parametrize(
    "said",
    [3, None, "3", "a..b", "1...2", "{a", (3, 1), (None,), ("a", "b"), (True, 2), range(0), range(0, 9, 2),
     (math.nan, 1), (math.inf, math.inf), {"a": 1}, (1, 2, 3), [[1]]],
    ids=str,
)  # fmt: skip
def test_odd_values_are_refused(said: object) -> None:
    with pytest.raises((ParameterError, ParseError)):
        Values.read(said)


@pytest.mark.parametrize("text", ["x", "x 0..1", ": 0..1 : 2"])
def test_odd_lines_are_refused(text: str) -> None:
    with pytest.raises(ParameterError):
        Domain.parse(text)


# -- mistakes that would prove anything -------------------------------------------------------------


def test_a_column_is_named_once() -> None:
    with pytest.raises(ParameterError, match=r"column 'x' comes twice\. Say once"):
        Domain.parse("x: 0..1\ny: 3..4\nx: 5..6")
    with pytest.raises(ParameterError, match="column '3' comes twice"):
        Domain.read({3: (0, 1), "3": (0, 2)})


@pytest.mark.parametrize("said", ["integer 0.5..0.6 known", Values(other=False, missing=False),
                                  Values(categories=("a",), other=False, never=("a",), missing=False)])  # fmt: skip
def test_a_column_can_hold_something(said: object) -> None:
    with pytest.raises(ParameterError, match="nothing is left that column 'n' could hold"):
        Domain.read({"n": said})
    assert {"n": None} in Domain.read({"n": "integer 0.5..0.6"})  # which is always missing


ONE, OTHER = RuleSet.parse("yes if x > 3 else no"), RuleSet.parse("yes if x > 4 else no")


@pytest.mark.parametrize("said", [{"x": {"a", "b"}}, {"x": "{a, b} known"}])
def test_texts_are_not_compared_with_numbers(said: dict[str, object]) -> None:
    for ask in (lambda: ONE.equivalent(OTHER, said), lambda: ONE.simplified(said)):
        with pytest.raises(ParameterError, match=r"'x' is compared with numbers, but \{a, b\}.* Say which"):
            ask()
    assert not ONE.equivalent(OTHER, {"x": {1, "a", 4}})


def test_columns_that_nobody_knows_are_named() -> None:
    schema, _ = Schema.learn({"x": [1, 2], "region": ["a", "b"]})
    for one, other, said in [
        (ONE, OTHER, {"X": (0, 2)}),
        (ONE, OTHER, {"ex": (0, 2)}),
        (ONE.with_rule("y > 1"), OTHER, {"x": (0, 2), "Y": (0, 1)}),
        (ONE.with_schema(schema), OTHER, {"x": (0, 2), "regoin": {"a"}}),
        (ONE, OTHER.with_schema(schema), {"x": (0, 2), "regoin": {"a"}}),
    ]:
        with pytest.raises(ParameterError, match=r"domain: the model has no column '(X|ex|Y|regoin)'"):
            one.equivalent(other, said)
    with pytest.raises(ParameterError, match=r"no column 'regoin'\. Did you mean 'region'"):
        ONE.with_schema(schema).simplified({"regoin": {"a"}})
    assert ONE.with_schema(schema).equivalent(OTHER, {"x": (5, 9), "region": {"a"}})
    assert ONE.equivalent(OTHER, {"x": (5, 9), "more": (0, 1)})  # a domain of more rules than these
    assert RuleSet().equivalent(RuleSet(), {"x": (5, 9)})


def test_a_domain_is_given_as_it_is_said() -> None:
    said = {"x": range(5, 9)}
    for domain in (said, "x: integer 5..8", Domain.read(said)):
        assert ONE.equivalent(OTHER, domain)
        assert str(RuleSet.parse("yes if x > 4 or x < 2 else no").simplified(domain)) == "yes if x > 4\nelse no"
    for odd in (3, ["x"], None):
        with pytest.raises(ParameterError, match="a domain is a dict of what each column may hold"):
            Domain.read(odd)


def test_a_long_range_is_not_walked_through() -> None:
    assert Domain.read({"x": range(10**15)}) == Domain.parse("x: integer 0..999999999999999")
    assert Domain.read({"x": range(5, 2, -1)}) == Domain.parse("x: integer 3..5")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"x": (0, 10**400)}, "a range goes from a float to a float, or None for no bound, not of about 400 digits."),
        ({"x": range(10**400)}, "a range goes from a float to a float, or None for no bound, not of about 400 digits."),
        ({"x": "0..5known"}, "'0..5known' does not say what a column may hold."),
        ({"x": "{,}"}, '{,} is no set as rules write them, such as {a, "b c", 3}.'),
        ('"a\\q": 0..1', '"a\\q" is no name in quotes as JSON writes them'),
    ],
)
def test_what_cannot_be_a_domain_is_refused(said: object, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)):
        Domain.parse(said) if isinstance(said, str) else Domain.read(said)


def test_nothing_but_missing_reads_back() -> None:
    domain = Domain.read({"x": set()})
    assert Domain.parse(str(domain)) == domain
    assert not domain["x"].allows("a")
