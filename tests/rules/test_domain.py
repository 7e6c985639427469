"""Domains: said, printed, read back, and asked for what they hold."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from r2n.errors import ParameterError, ParseError
from r2n.rules import Domain, Values, parse_literal
from r2n.schema import Schema
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


def test_files_of_older_versions_do_not_say_what_was_whole() -> None:
    schema, _ = Schema.learn({"n": [1, 2]})
    (column,) = schema.to_json()
    assert column.pop("integer") is True
    assert Domain.of(Schema.from_json([column]))["n"] == Values(1, 2, missing=False)


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
    domain = Domain.unbounded(["x", "z"]).without_missing(["x"])
    assert (domain["x"].missing, domain["z"].missing) == (False, True)
    assert domain.reading([parse_literal("x + y > 1")])["y"].numeric
    assert Domain.read({"x": range(3, 0, -1)}) == Domain.read({"x": "integer 1..3"})
    assert Domain.read({"x": "integer"})["x"] == Values(integer=True)


@pytest.mark.parametrize(
    "said",
    [3, None, "3", "a..b", "1...2", "{a", "{}", (3, 1), (None,), ("a", "b"), (True, 2), range(0), range(0, 9, 2),
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
