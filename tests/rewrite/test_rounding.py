"""Rounding: short numbers, the same truth."""

from __future__ import annotations

import math
import sys
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.rewrite import round_predictions
from r2n.rewrite.rounding import _CLOSE, _ratios, _turn
from r2n.rewrite.shorten import reading_length
from r2n.rules import ClassRules, Filled, Halfspace, Rule, RuleSet, rename_columns, shortest_between
from r2n.rules.floats import largest_where
from r2n.table import Schema, Table
from tests.strategies import World, class_worlds, worlds


def rounded(text: str, **columns: list | np.ndarray) -> str:
    rules = RuleSet.parse(f"yes if {text} else no")
    table = Table.read(columns)
    found = round_predictions(rules, table)
    assert_array_equal(found.truth(table), rules.truth(table))
    return str(found).removeprefix("yes if ").removesuffix("\nelse no")


def test_a_single_column_gets_the_shortest_threshold() -> None:
    assert rounded("x > 38.17264", x=[30.0, 38.0, 42.0]) == "x > 40"
    assert rounded("x < 38.17264", x=[30.0, 38.0, 39.0]) == "x < 39"
    assert rounded("1.337·x > 2.1", x=[1.0, 2.0]) in {"x > 1", "x > 1.5", "x > 2"}
    assert rounded("x > 0.0123", x=[-1.0, 3.0]) == "x > 0"


def test_the_truth_about_a_sum_is_recovered() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0, 10, size=(2, 1000))
    found = rounded("0.49973·x - 1.00021·y > 0.98127", x=x, y=y)
    assert found in {"x - 2·y > 2", "0.5·x - y > 1"} or len(found) < len("0.49973·x - 1.00021·y > 0.98127")


def test_margins_decide_how_many_digits_are_needed() -> None:
    grid = np.array([[x, y] for x in range(-9, 10) for y in range(-9, 10)], dtype=float)
    table = {"x": grid[:, 0], "y": grid[:, 1]}
    assert rounded("0.7071·x - 1.4142·y > 0.1", **table) == "x - 2·y > 0"
    assert rounded("0.333333·x + 0.666667·y > 1.1666667", **table) in {"x + 2·y > 3", "0.5·x + y > 1.5"}


def test_numbers_that_are_short_already_stay() -> None:
    grid = np.array([[x, y] for x in range(-9, 10) for y in range(-9, 10)], dtype=float)
    assert rounded("2·x + 3·y > 7", x=grid[:, 0], y=grid[:, 1]) == "2·x + 3·y > 7"


def test_what_sets_add_is_rounded_too() -> None:
    x, z = np.tile(np.arange(0.0, 100.0), 2), np.array(["a"] * 100 + ["b"] * 100)
    assert rounded("1.0003·x + 20.1337·(z in {a}) > 70.4", x=x, z=z) == "x + 20·(z in {a}) > 70"
    assert rounded("x - 19.8·(z not in {a}) > 50.31", x=x, z=z) == "x - 20·(z not in {a}) > 50"
    assert rounded("0.37·(z in {a}) > 0.11", z=["a", "b", None]) == "(z in {a}) > 0"


def test_the_unit_is_a_number_not_a_set() -> None:
    """In units of the set one digit would do: 0.07·x + (z in {a}) > 3.55."""
    x, z = np.tile(np.arange(0.0, 100.0), 2), np.array(["a"] * 100 + ["b"] * 100)
    assert rounded("0.07003·x + 1.0001·(z in {a}) > 3.5501", x=x, z=z) == "x + 14·(z in {a}) > 50"


def test_a_number_is_no_unit_where_a_set_would_count_too_much() -> None:
    """In units of x the set would count 1e300, which no sum may."""
    assert rounded("1e-300·x + (z in {a}) > 0.6", x=[1.0, 2.0], z=["a", "b"]) == "1e-300·x + (z in {a}) > 0.6"


def test_what_the_rows_cannot_decide_stays() -> None:
    assert rounded("x > 38.17264", x=[40.0, 50.0]) == "x > 38.17264"
    assert rounded("x > 38.17264", x=[10.0, 20.0]) == "x > 38.17264"
    assert rounded("x > 38.17264", x=[40.0, math.nan]) == "x > 38.17264"
    assert rounded("z in {a} and w is missing", z=["a", "b"], w=[1.0, 2.0]) == "z in {a} and w is missing"


def test_rows_with_missing_values_stay_false() -> None:
    assert rounded("x + 1.0001·y > 2.9", x=[1.0, 2.0, math.nan], y=[1.0, 2.0, 9.0]) in {"x + y > 3", "x + y > 2"}


def test_every_row_counts_not_only_those_near_the_boundary() -> None:
    """Near the boundary y is 0, so that any coefficient of y will do; the last row alone tells."""
    near = np.linspace(0.001, 0.2, 300)
    x, y = np.r_[near, -near, -103.0], np.r_[np.zeros(600), 100.0]
    assert rounded("x + 1.04·y > 0", x=x, y=y) == "y + 0.96·x > 0"
    assert rounded("x + 1.0412345·y > 0.00012345", x=x, y=y) == "y + 0.96·x > 0"


def test_neighbouring_floats_are_told_apart() -> None:
    x = [0.1, math.nextafter(0.1, 1)]
    assert rounded("x > 0.1", x=x) == "x > 0.1"
    assert rounded("7·x > 0.7000000000000001", x=x) == "x > 0.1"


def test_extreme_numbers_are_no_problem() -> None:
    assert rounded("1e300·x + 1e-300·y > 5", x=[1e300, -1e300, 0.0], y=[1.0, 2.0, 3.0])
    assert rounded("1e-320·x > 0", x=[1e300, -1e300, 0.0])


def test_literals_that_become_equal_are_one() -> None:
    table = Table.read({"x": [1.0, 3.0]})
    rules = RuleSet.parse("yes if x > 1.7 and x > 2.3 else no")
    assert round_predictions(rules, table).rules == (Rule((Halfspace.of({"x": 1}, 2),)),)


def test_many_rows_take_few_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong candidates must fall on the few rows that matter, not on all of them."""
    rng = np.random.default_rng(1)
    data = rng.normal(size=(20_000, 4))
    passes: list[int] = []
    original = Halfspace.values
    monkeypatch.setattr(Halfspace, "values", lambda self, table: passes.append(table.n_rows) or original(self, table))
    rules = RuleSet((Rule((Halfspace.of({f"x{i}": a for i, a in enumerate(rng.normal(size=4))}, 0.123456),)),))
    round_predictions(rules, Table.read(data))
    assert sum(n == 20_000 for n in passes) <= 12


@pytest.mark.parametrize(
    ("low", "high", "shortest"),
    [
        (0.4871, 0.5113, 0.5),
        (-0.1, 0.1, 0.0),
        (0.0, 1.0, 0.0),
        (-1.0, 0.0, -0.5),
        (95.0, 105.0, 100.0),
        (8.0, 95.0, 50.0),
        (3.0, 4.0, 3.0),
        (0.1, 0.2, 0.1),
        (0.3, 0.4, 0.3),
        (-0.6, -0.599, -0.6),
        (math.nextafter(0.1, 1.0), 0.2, 0.15),
        (-sys.float_info.max, 0.0, -9e307),
        (3.1, 4.0, 3.5),
        (math.nextafter(3.0, 4.0), 4.0, 3.5),
        (-12.4, -12.1, -12.2),
        (1e-300, 1.0, 0.5),
        (5e-324, 1e-323, 5e-324),
        (1.7e308, 1.75e308, 1.7e308),
    ],
)
def test_shortest_between(low: float, high: float, shortest: float) -> None:
    assert shortest_between(low, high) == shortest


def test_largest_where_at_the_ends() -> None:
    assert largest_where(lambda x: True) is None
    assert largest_where(lambda x: False) is None
    assert largest_where(lambda x: x < 0) == -5e-324
    assert largest_where(lambda x: x <= 0) == 0.0


@given(st.integers(0, 10**6))
def test_no_row_hangs_on_the_order_in_which_terms_are_added(seed: int) -> None:
    """Under other names the terms of a sum come in another order."""
    rng = np.random.default_rng(seed)
    columns = {name: rng.integers(0, 12, 200).astype(float) for name in "abcd"}
    table = Table.read(columns)
    literal = Halfspace.of(dict(zip("abcd", rng.normal(size=4).round(1) + 0.05, strict=True)), 1.0 + rng.random())
    rounded = round_predictions(RuleSet((Rule((literal,)),)), table)
    for names in permutations("abcd"):
        renamed = dict(zip("abcd", names, strict=True))
        assert_array_equal(rename_columns(rounded, renamed).truth(table.renamed(renamed)), rounded.truth(table))


# -- by hand ----------------------------------------------------------------------------------------


def by_hand(text: str, changes: int = 0, schema: Schema | None = None, **columns: list | np.ndarray) -> str:
    rules = RuleSet.parse(f"yes if {text} else no", schema)
    found, changed = rules.rounded(columns, changes)
    assert changed == np.sum(found.predict(columns) != rules.predict(columns)) <= changes
    return str(found).removeprefix("yes if ").removesuffix("\nelse no")


GRID = np.array([[x, y] for x in range(-9, 10) for y in range(-9, 10)], dtype=float)
PLANE = {"x": GRID[:, 0], "y": GRID[:, 1]}


def test_a_common_factor_is_taken_out() -> None:
    assert by_hand("2·x + 4·y > 6", **PLANE) == "x + 2·y > 3"
    assert by_hand("12·x - 18·y > 30", **PLANE) == "2·x - 3·y > 5"
    assert by_hand("0.0021·x + 0.0049·y > 0.0078", **PLANE) == "3·x + 7·y > 11"


def test_sets_in_sums_are_rounded_by_hand() -> None:
    table = {"x": np.tile(np.arange(100.0), 2), "z": np.array(["a"] * 100 + ["b"] * 100)}
    assert by_hand("0.0021·x + 0.0419·(z in {a}) > 0.1478", **table) == "x + 20·(z in {a}) > 70"
    schema, _ = Schema.learn(table | {"x": table["x"] + 1})
    assert "/" not in by_hand("x - 19.83·(z in {a}) > 0.31", schema=schema, **table)


def test_of_equally_short_numbers_the_one_nearest_to_what_it_was() -> None:
    assert by_hand("x > 0.4983", x=[0.31, 0.4, 0.59]) == "x > 0.5"
    assert by_hand("x < 0.4983", x=[-3.0, 0.4, 0.59]) == "x < 0.5"
    assert by_hand("x > 0.4983", x=[-3.0, -2.0, 90.0]) == "x > 0.5"
    assert by_hand("x > 118.173", x=[113.2, 118.9]) == "x > 118"
    assert by_hand("x > 0.5", x=[-3.0, 7.0]) == "x > 0.5"


def test_ratios_where_they_read_better() -> None:
    rng = np.random.default_rng(0)
    debt, income = rng.uniform(100, 900, 400), rng.uniform(500, 3000, 400)
    schema, _ = Schema.learn({"debt": debt, "income": income})
    keep = np.abs(debt / income - 0.4) > 0.01
    table = {"debt": debt[keep], "income": income[keep]}
    assert by_hand("debt - 0.3992·income > 1.37", schema=schema, **table) == "debt/income > 0.4"
    assert by_hand("0.3992·income - debt > 1.37", schema=schema, **table) == "debt/income < 0.4"
    assert by_hand("debt - 0.3992·income > 1.37", **table) == "debt - 0.4·income > 0"


def test_no_ratio_tells_another_story() -> None:
    """Where the rows leave much room, a ratio could say 0.6 of what was 1.5, and lose the threshold besides."""
    assert by_hand("6·x - 4·y > 10", x=[1.0, 2.0, 5.0], y=[1.0, 2.0, 1.0]) != "y - 0.6·x < 0"
    table = Table.read({"x": [1.0, 2.0, 5.0], "y": [1.0, 2.0, 4.0]})
    for terms in ({"x": 6, "y": -4}, {"x": 6, "y": -6.6}, {"x": 6, "y": -40}):
        literal = Halfspace.of(terms, 0)
        ratios = list(_ratios(literal, table, np.array([False, False, True]), 0))
        assert all(_turn(literal, ratio) < _CLOSE for ratio in ratios)
        assert bool(ratios) == (terms["y"] == -6.6)


def test_some_rows_may_change_where_that_saves_reading() -> None:
    x = [1.0, 4.7, 4.9, 8.0]
    assert by_hand("x > 4.81", x=x) == "x > 4.8"
    assert by_hand("x > 4.81", changes=1, x=x) == "x > 5"
    assert by_hand("x > 4.81 or y > 7.3", changes=1, x=x, y=[7.2, 7.2, 7.2, 7.4]) == "x > 5\n    or y > 7.3"


def test_what_no_row_decides_is_kept_true_to_the_rows() -> None:
    """Where y is large the first literal decides nothing, but it is still a bound between 0.2491 and 0.2498."""
    table = {"x": [0.1, 0.2491, 0.2498, 0.6], "y": [0.9, 0.9, 0.9, 0.9]}
    assert by_hand("x > 0.249712 or y > 0.5", **table) == "x > 0.2497\n    or y > 0.5"
    table["y"][0] = 0.0
    assert by_hand("x > 0.249712 or y > 0.5", **table) == "x > 0.2\n    or y > 0.5"
    assert by_hand("x > 38.17264", x=[40.0, 50.0]) == "x > 38.17264"  # nothing is on the other side


def test_several_classes() -> None:
    rules = ClassRules.parse("a if x > 4.9871 else b if x > 2.0173 and y < 3.333 else a")
    table = {"x": [1.0, 2.0, 2.1, 4.5, 5.2, 6.0], "y": [1.0, 2.0, 3.0, 3.5, 1.0, 9.0]}
    found, changed = rules.rounded(table)
    assert_array_equal(found.predict(table), rules.predict(table))
    assert changed == 0
    assert str(found) == "a if x > 5\nelse b if x > 2 and y < 3.3\nelse a"
    rules = ClassRules.parse("a if x > 4.81 else b if y > 0.5 else c")
    found, _ = rules.rounded({"x": [1.0, 4.7, 4.9, 8.0], "y": [0.0, 1.0, 1.0, 1.0]})
    assert str(found) == "a if x > 4.8\nelse b if y > 0.5\nelse c"  # the row at 4.7 is b's


@pytest.mark.parametrize("changes", [-1, 0.5, True, "1", None])
def test_rows_to_change_are_a_number(changes: object) -> None:
    with pytest.raises(ParameterError, match="changes must be a number of rows, 0 or more"):
        RuleSet.parse("yes if x > 1 else no").rounded({"x": [1]}, changes)


@settings(max_examples=200)
@given(worlds(), st.integers(0, 3))
def test_rounding_by_hand_keeps_its_word(world: World, changes: int) -> None:
    found, changed = world.rules.rounded(world.table, changes)
    assert changed == np.sum(found.truth(world.table) != world.rules.truth(world.table)) <= changes
    free, none = world.rules.rounded(world.table)
    assert none == 0
    assert_array_equal(free.predict(world.table), world.rules.predict(world.table))
    assert sum(map(_reading, found.rules)) <= sum(map(_reading, world.rules.rules))


def _reading(rule: Rule) -> int:
    sums = [literal for literal in rule.literals if isinstance(literal, Halfspace)]
    return sum(reading_length(each) + (each.size == 1 and each.threshold == 0.0) for each in sums)


@settings(max_examples=150)
@given(class_worlds(), st.integers(0, 2))
def test_rounding_of_several_classes_keeps_its_word(world: World, changes: int) -> None:
    found, changed = world.rules.rounded(world.table, changes)
    assert changed == np.sum(found.predict(world.table) != world.rules.predict(world.table)) <= changes


# -- what missing values count as -------------------------------------------------------------------


def test_fills_are_short_too() -> None:
    assert rounded(
        "x + 1.0001·(y if known else 2.8713) > 10.02", x=[1, 4, 6, 2, 9.0], y=[3, 9, math.nan, 1, math.nan]
    ) == ("x + (y if known else 3) > 10")
    assert rounded("(y if known else 2.8713) > 1.5", y=[0.0, 1, 2, 7, math.nan]) == "(y if known else 3) > 1"


def test_a_fill_is_a_value_that_the_column_has_somewhere_in_the_table() -> None:
    """Among the rows that the second rule decides, y is always missing."""
    table = Table.read({"x": [1.0, 2, 3, 4, 7, 8], "y": [None, None, None, None, 1.0, 4]})
    rules = RuleSet.parse("yes if x > 5 or x + (y if known else 2.871312345) > 5.5 else no")
    assert round_predictions(rules, table) == RuleSet.parse("yes if x > 5 or x + (y if known else 3) > 5 else no")


def test_a_fill_that_no_row_has_is_short_too() -> None:
    for debt in ([None, None, 10.0, 20], [None] * 4):
        X = {"income": [50.0, 120, 50, 10], "debt": np.array(debt, dtype=float)}
        short, changed = RuleSet.parse("yes if income - 2·(debt if known else 40.1234) > 5 else no").rounded(X)
        assert changed == 0
        assert "(debt if known else 40)" in str(short)


def test_no_fill_lets_a_row_hang_on_the_order_of_a_sum() -> None:
    """With 0 for d, 0.7 + 0.6 + 0.1 would be on the bound in one order and beside it in another."""
    rng = np.random.default_rng(0)
    names = {"a": "c", "b": "b", "c": "a", "d": "d"}
    for _ in range(300):
        cells = {name: rng.integers(1, 10, 8) / 10 for name in "abc"}
        table = Table.read({**cells, "d": np.where(np.arange(8) < 4, rng.integers(0, 10, 8) / 10, np.nan)})
        terms = {"a": 1, "b": 1, "c": 1, Filled("d", float(rng.random())): 1}
        rules = RuleSet((Rule((Halfspace.of(terms, float(rng.integers(10, 25)) / 10 + 0.0001),)),))
        short = round_predictions(rules, table)
        assert np.array_equal(rename_columns(short, names).truth(table.renamed(names)), rules.truth(table))


def test_rounding_by_hand_leaves_fills_that_whole_numbers_would_lift_too_far() -> None:
    rules = RuleSet.parse("yes if 1e-150·(x if known else 1e200) + 2e-150·y > 2e50 else no")
    X = {"x": [1e200, 3e200, None, 0.0, 2.0], "y": [1e200, 1e200, 1e200, 0.0, 1.0]}
    short, changed = rules.rounded(X)
    assert changed == 0
    assert short.predict(X).tolist() == rules.predict(X).tolist()
