"""Literals: birth, order, text, truth."""

from __future__ import annotations

import math
import os
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

from r2n.errors import ParameterError
from r2n.rewrite import contradicts, implies
from r2n.rules import Halfspace, Known, Literal, Membership, Missing, parse_literal, parse_rule, rename_columns, sets_of
from r2n.table import Column, Schema, Table

NAN = math.nan
A, B = Membership("z", ("a",)), Membership("z", ("b",), negated=True)

# -- birth ------------------------------------------------------------------------------------------


def test_halfspaces_are_canonical_at_birth() -> None:
    literal = Halfspace.of({"x10": 2, "x2": np.float32(1), "gone": -0.0}, -0.0)
    assert literal == Halfspace((("x2", 1.0), ("x10", 2.0)), 0.0)
    assert literal.columns == ("x2", "x10")
    assert literal.size == 2
    assert math.copysign(1.0, literal.threshold) == 1.0
    assert all(type(a) is float for _, a in literal.terms)


def test_sets_come_last_and_count_as_many_as_they_name() -> None:
    literal = Halfspace.of({B: 1, A: 3, "x": 2, "y": -1}, 0)
    assert literal.terms == (("y", -1.0), ("x", 2.0), (B, 1.0), (A, 3.0))
    assert (literal.numbers, literal.sets) == (literal.terms[:2], literal.terms[2:])
    assert (literal.compared, literal.columns, literal.size) == (("y", "x"), ("y", "x", "z"), 4)
    assert literal == Halfspace.of({"y": -1, A: 3, B: 1, "x": 2, Membership("w", (1,)): 0}, 0)
    alone = Halfspace.of({Membership("x", (1, 2)): 1, "x": 2}, 0)
    assert (alone.compared, alone.columns, alone.size, alone.n_terms) == (("x",), ("x",), 3, 2)
    assert (sets_of(literal), sets_of(A), sets_of(Known("z"))) == ((B, A), (A,), ())


def test_sets_are_renamed_with_their_columns() -> None:
    swap = {"x": "z", "z": "x"}
    literal = Halfspace.of({"x": 1, A: 2, B: 3}, 0)
    assert str(rename_columns(literal, swap)) == "z + 2·(x in {a}) + 3·(x not in {b}) > 0"
    assert rename_columns(rename_columns(literal, swap), swap) == literal


def test_halfspaces_take_mappings_and_pairs() -> None:
    assert Halfspace({"x": 1}, 2) == Halfspace.of([("x", 1)], 2) == Halfspace.of({"x": 1}, 2)


@pytest.mark.parametrize(
    ("terms", "threshold", "message"),
    [
        ([], 0, "a halfspace needs at least one column with a coefficient other than 0."),
        ([("x", 0.0)], 0, "a halfspace needs at least one column with a coefficient other than 0."),
        ([("x", 1), ("x", 2)], 0, "column 'x' comes twice in a sum. Add its coefficients up."),
        ([("x", math.inf)], 0, "the coefficient of 'x' must be finite, not inf."),
        ([("x", -(10**400))], 0, f"the coefficient of 'x' must be finite, not -{10**400}."),
        ([("x", True)], 0, "the coefficient of 'x' must be a number, not True."),
        ([("x", "1")], 0, "the coefficient of 'x' must be a number, not '1'."),
        ([("x", 1)], NAN, "the threshold must be finite, not nan."),
        ([(3, 1)], 0, "a column's name must be text, not 3."),
        ([(Missing("x"), 1)], 0, "a column's name must be text, not Missing(column='x')."),
        ([(A, 1), ("x", 1), (Membership("z", ["a", "a"]), 2)], 0,
         "the set `z in {a}` comes twice in a sum. Add its coefficients up."),
        ([(A, math.nan)], 0, "the coefficient of `z in {a}` must be finite, not nan."),
        ([(B, "1")], 0, "the coefficient of `z not in {b}` must be a number, not '1'."),
        ([(A, 1.0000000000000002e100)], 0,
         "the coefficient of `z in {a}` must be from -1e+100 to 1e+100, not 1.0000000000000002e+100."),
        ([("x", 1e200), (A, -1e101)], 0, "the coefficient of `z in {a}` must be from -1e+100 to 1e+100, not -1e+101."),
    ],
)  # fmt: skip
def test_halfspaces_without_meaning_are_refused(terms: list, threshold: float, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        Halfspace.of(terms, threshold)
    assert str(error.value) == message
    assert isinstance(error.value, ValueError)


def test_memberships_are_canonical_at_birth() -> None:
    literal = Membership("z", ["b", np.str_("a"), 2.0, "b", np.int64(2), 0.5])
    assert literal.values == (0.5, 2, "a", "b")
    assert [type(value) for value in literal.values] == [float, int, str, str]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((), "a set of categories of 'z' is empty. Give at least one; for a condition that holds wherever "
             "the column is not missing, use Known('z')."),
        ("ab", "values must be a collection of categories, not 'ab' itself."),
        ((None,), "a missing value is in no set of categories. Use Missing(column) instead."),
        ((NAN,), "a missing value is in no set of categories. Use Missing(column) instead."),
        ((math.inf,), "the category inf is infinite. Replace infinite values by missing ones (NaN) or by a "
                      "finite bound."),
        ((b"a",), "the category b'a' is of type bytes. Only numbers, text, Booleans and missing values are "
                  "read."),
    ],
)  # fmt: skip
def test_memberships_without_meaning_are_refused(values: tuple, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        Membership("z", values)
    assert str(error.value) == message


@pytest.mark.parametrize("make", [Missing, Known, lambda name: Membership(name, ("a",))])
def test_names_are_text(make: type) -> None:
    with pytest.raises(ParameterError, match="a column's name must be text, not 3"):
        make(3)


def test_literals_are_frozen_and_hashable() -> None:
    literal = Halfspace.of({"x": 1}, 0)
    with pytest.raises(FrozenInstanceError):
        literal.threshold = 3.0  # type: ignore[misc]
    assert len({literal, Halfspace.of({"x": 1}, 0), Missing("x"), Known("x")}) == 3


# -- text -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("literal", "text"),
    [
        (Halfspace.of({"x0": 1, "x1": 0.5}, 0.5), "x0 + 0.5·x1 > 0.5"),
        (Halfspace.of({"x4": -1}, -0.25), "x4 < 0.25"),
        (Halfspace.of({"x0": -1, "x1": 2}, 3), "x0 - 2·x1 < -3"),
        (Halfspace.of({"x0": 3, "x1": -1}, 0), "x1 - 3·x0 < 0"),
        (Halfspace.of({"x": 1}, math.nextafter(40.0, 0)), "x >= 40"),
        (Halfspace.of({"x": -1}, math.nextafter(-40.0, -50)), "x <= 40"),
        (Halfspace.of({"x": 1}, -5e-324), "x >= 0"),
        (Halfspace.of({"x": -1}, 0), "x < 0"),
        (Halfspace.of({"x": 1}, 1.7976931348623157e308), "x > 1.7976931348623157e308"),
        (Halfspace.of({"x": 1e22}, 1e-7), "1e22·x > 1e-7"),
        (Halfspace.of({"a > b": 1, "hours per week": -1}, 1), '"a > b" - "hours per week" > 1'),
        (Halfspace.of({"income": 1, Membership("status", ("married",)): 2000}, 7100),
         "income + 2000·(status in {married}) > 7100"),
        (Halfspace.of({"x": -1, A: 2, B: -1}, -3), "x + (z not in {b}) - 2·(z in {a}) < 3"),
        (Halfspace.of({A: 1, B: 0.5}, 1), "(z in {a}) + 0.5·(z not in {b}) > 1"),
        (Halfspace.of({A: -1}, 0), "(z in {a}) < 0"),
        (Halfspace.of({A: -2}, math.nextafter(-3, -4)), "2·(z in {a}) <= 3"),
        (Halfspace.of({Membership("a (b)", ("(", ")", 1)): 1, "()": 1}, 1), '"()" + ("a (b)" in {1, "(", ")"}) > 1'),
        (Membership("größe", ("ü", "a b")), 'größe in {"a b", ü}'),
        (Membership("z", ("3", 3, "true", True, 2.5, "a\nb"), negated=True),
         'z not in {True, 2.5, 3, "3", "a\\nb", "true"}'),
        (Missing("is"), '"is" is missing'),
        (Known("\U0001f600"), '"\U0001f600" is known'),
    ],
    ids=str,
)  # fmt: skip
def test_text(literal: Literal, text: str) -> None:
    assert str(literal) == text
    assert parse_literal(text) == literal


def schema(**lows: float) -> Schema:
    return Schema(tuple(Column(name, "numeric", low, 10.0) for name, low in lows.items()))


@pytest.mark.parametrize(
    ("terms", "lows", "text"),
    [
        ({"p": 1, "q": -0.5}, {"p": -1, "q": 0.1}, "p/q > 0.5"),
        ({"p": -1, "q": 0.5}, {"p": -1, "q": 0.1}, "p/q < 0.5"),
        ({"p": -0.5, "q": 1}, {"p": 0.1, "q": -1}, "q/p > 0.5"),
        ({"p": 1, "q": -1}, {"p": 0.1, "q": 0.1}, "p/q > 1"),
        ({"p": 1, "q": -0.5}, {"p": 1, "q": 0}, "p - 0.5·q > 0"),  # q may be 0
        ({"p": 1, "q": 0.5}, {"p": 1, "q": 1}, "p + 0.5·q > 0"),  # a negative ratio says less
        ({"p": 2, "q": -1}, {"p": 1, "q": 1}, "q/p < 2"),
        ({"p": 2, "q": -3}, {"p": 1, "q": 1}, "2·p - 3·q > 0"),  # no unit: would not read back
        ({"p": 1, "q": -0.5}, {"p": 1}, "p - 0.5·q > 0"),  # q is not in the schema
    ],
)
def test_ratios_are_printed_only_where_they_say_the_same(terms: dict, lows: dict, text: str) -> None:
    literal = Halfspace.of(terms, 0)
    assert literal.text(schema(**lows)) == text
    assert parse_literal(text) == literal
    assert "/" not in str(literal)


def test_no_ratio_with_a_threshold_or_over_categories() -> None:
    assert Halfspace.of({"p": 1, "q": -1}, 1).text(schema(p=1, q=1)) == "p - q > 1"
    categorical = Schema((Column("p", "numeric"), Column("q", "categorical", 1.0, 2.0)))
    assert Halfspace.of({"p": 1, "q": -1}, 0).text(categorical) == "p - q > 0"
    assert Halfspace.of({"p": 1, Membership("q", (1,)): -2}, 0).text(schema(p=1, q=1)) == "p - 2·(q in {1}) > 0"


# -- truth ------------------------------------------------------------------------------------------


def truth(literal: Literal, **columns: list) -> list[bool]:
    return literal.evaluate(Table.read(columns)).tolist()


def test_halfspaces_compare_strictly_and_are_false_on_missing() -> None:
    above = math.nextafter(2, 3)
    assert truth(Halfspace.of({"x": 1}, 2), x=[1, 2, above, NAN]) == [False, False, True, False]
    assert truth(Halfspace.of({"x": -1}, -2), x=[1, 2, NAN]) == [True, False, False]
    assert truth(Halfspace.of({"x": 1, "y": 1}, 0), x=[1, NAN], y=[NAN, 1]) == [False, False]


def test_sums_go_from_left_to_right() -> None:
    """1e16 + 1 - 1e16 is 0 from the left, and 1 in any other order."""
    table = Table.read({"a": [1e16], "b": [1.0], "c": [-1e16]})
    assert Halfspace.of({"c": 1, "b": 1, "a": 1}, 0).values(table).tolist() == [0.0]


def test_sets_count_one_or_nothing_and_are_no_numbers_where_they_are_missing() -> None:
    literal = parse_literal("x + 2·(z in {a}) - (z not in {a, b}) > 3")
    assert truth(literal, x=[1.5, 1, 3.5, 3.5, 4.5, 9, NAN], z=["a", "a", "b", "c", "never seen", None, "a"]) == [
        True, False, True, False, True, False, False]  # fmt: skip
    table = Table.read({"x": [1.5, 9.0], "z": ["a", None]})
    assert literal.values(table).tolist()[0] == 3.5  # type: ignore[operator]
    assert math.isnan(literal.values(table)[1])  # type: ignore[operator]
    for text in ("(z in {a}) > -1", "(z not in {a}) > -1", "-(z in {a}) > -2", "(z not in {a}) < 2"):
        assert truth(parse_literal(text), z=["a", "b", None]) == [True, True, False]


def test_sets_are_added_after_all_numbers() -> None:
    literal = parse_literal("1e16·(a in {x}) - b > 0.5")  # not 1e16 - b first, and not in the order of names
    assert truth(literal, a=["x", "y"], b=[1e16, -1.0]) == [False, True]
    assert truth(parse_literal("b + 0.1·(a in {x}) + 0.2·(c in {x}) > 0.6"), a=["x"], b=[0.3], c=["x"]) == [
        0.3 + 0.1 + 0.2 > 0.6
    ]


def test_overflow_is_not_a_warning() -> None:
    assert truth(Halfspace.of({"x": 1e300}, 0), x=[1e300, -1e300]) == [True, False]
    # inf - inf is not a number, and not more than anything
    assert truth(Halfspace.of({"x": 1e300, "y": 1e300}, 0), x=[1e300], y=[-1e300]) == [False]


def test_memberships() -> None:
    column = ["a", "b", "unseen", None]
    assert truth(Membership("z", ("a",)), z=column) == [True, False, False, False]
    assert truth(Membership("z", ("a",), negated=True), z=column) == [False, True, True, False]
    assert truth(Membership("z", ("not there",)), z=column) == [False] * 4


def test_memberships_of_numbers_and_booleans() -> None:
    assert truth(Membership("n", (1, 3)), n=[1.0, 2.0, 3.0, NAN]) == [True, False, True, False]
    assert truth(Membership("n", ("1",)), n=[1, 2]) == [False, False]
    assert truth(Membership("flag", (True,)), flag=[True, False]) == [True, False]


def test_missing_and_known() -> None:
    for column in ([1.0, NAN], ["a", None]):
        assert truth(Missing("c"), c=column) == [False, True]
        assert truth(Known("c"), c=column) == [True, False]


# -- logic ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ("x > 3", "x > 3", True),
        ("x > 4", "x > 3", True),
        ("x > 3", "x > 4", False),
        ("x < 3", "x < 4", True),
        ("x + y > 3", "x > 3", False),
        ("z in {a}", "z in {a, b}", True),
        ("z in {a, b}", "z in {a}", False),
        ("z in {a}", "z not in {b}", True),
        ("z in {a}", "z not in {a, b}", False),
        ("z not in {a, b}", "z not in {a}", True),
        ("z not in {a}", "z not in {a, b}", False),
        ("z not in {a}", "z in {b}", False),
        ("z not in {a, b}", "z in {a}", False),
        ("z in {a}", "w in {a}", False),
        ("x + y > 0", "y is known", True),
        ("z not in {a}", "z is known", True),
        ("z is missing", "z is known", False),
        ("z is known", "z in {a}", False),
        ("x + 2·(z in {a}) > 4", "x + 2·(z in {a}) > 3", True),
        ("x + 2·(z in {a}) > 3", "x + 2·(z in {b}) > 3", False),
        ("x + 2·(z not in {a}) > 3", "z is known", True),
    ],
)
def test_implies(p: str, q: str, expected: bool) -> None:
    assert implies(parse_literal(p), parse_literal(q)) is expected


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ("x > 3", "x < 3", True),
        ("x > 3", "x <= 3", True),
        ("x >= 3", "x <= 3", False),
        ("x > 3", "x < 4", False),
        ("x - y > 1", "x - y < 0", True),
        ("x > 3", "x > 4", False),
        ("z in {a}", "z in {b}", True),
        ("z in {a, c}", "z in {b, c}", False),
        ("z in {a}", "z not in {a, b}", True),
        ("z in {a, c}", "z not in {a, b}", False),
        ("z not in {a}", "z not in {b}", False),
        ("z in {a}", "w in {b}", False),
        ("x is missing", "x + y > 1", True),
        ("x is missing", "x is known", True),
        ("x is missing", "y > 1", False),
        ("x is missing", "x is missing", False),
        ("x + 2·(z in {a}) > 3", "x + 2·(z in {a}) <= 3", True),
        ("x + 2·(z in {a}) > 3", "x + 2·(z not in {a}) <= 3", False),
        ("x + 2·(z not in {a}) > 3", "z is missing", True),
    ],
)
def test_contradicts(p: str, q: str, expected: bool) -> None:
    assert contradicts(parse_literal(p), parse_literal(q)) is expected
    assert contradicts(parse_literal(q), parse_literal(p)) is expected


def test_a_literal_from_another_process_is_found_where_its_equals_are() -> None:
    """Hashes are kept once computed, and those of texts differ from process to process."""
    code = (
        "import pickle, sys\n"
        "from r2n.rules import parse_rule\n"
        "rule = parse_rule('x + 2·(c in {a, b}) - (y if known else 3) > 1 and c not in {d} and z is missing')\n"
        "hash(rule)\n"
        "sys.stdout.buffer.write(pickle.dumps(rule))"
    )
    env = {**os.environ, "PYTHONHASHSEED": "12345"}
    sent = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env).stdout
    here = parse_rule("x + 2·(c in {a, b}) - (y if known else 3) > 1 and c not in {d} and z is missing")
    there = pickle.loads(sent)
    assert there == here
    assert set(there.literals) == set(here.literals)
    assert {here: 1}[there] == 1
