"""The clean-up: what goes, and that every change is counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from r2n.errors import ParameterError
from r2n.rewrite import Step, clean_up
from r2n.rules import RuleSet
from r2n.table import Table


def clean(text: str, drop_below: float = 0.025, **columns: list) -> tuple[str, list[int]]:
    cleaned = clean_up(RuleSet.parse(f"yes if {text} else no"), Table.read(columns), drop_below)
    return str(cleaned.rules), [step.changed_rows for step in cleaned.steps]


def test_coefficients_are_weighed_by_the_spread_of_their_column() -> None:
    """0.001·y is large where y is: the number alone says nothing."""
    text, _ = clean("x + 0.001·y > 1", x=[0.0, 1.0, 2.0], y=[0.0, 5000.0, 1000.0])
    assert text == "yes if x + 0.001·y > 1\nelse no"
    text, _ = clean("1000·x + y > 100", x=[0.0, 0.00001, 0.0], y=[0.0, 500.0, 100.0])
    assert text.startswith("yes if y > ")


def test_the_mean_of_what_goes_is_taken_over_by_the_threshold() -> None:
    text, changed = clean("x + 0.01·y > 1", x=[0.0, 1.0, 2.0, 3.0], y=[1.0, 2.0, 3.0, 2.0])
    assert text == "yes if x > 0.98\nelse no"
    assert changed == [0, 0]


def test_sets_are_weighed_as_columns_are() -> None:
    text, changed = clean("x + 0.01·(z in {a}) > 1.255", x=[0.0, 1.0, 2.0, 3.0], z=["a", "b", "a", "b"])
    assert (text, changed) == ("yes if x > 1.25\nelse no", [0, 0])
    text, _ = clean("x + 2·(z in {a}) > 1", x=[0.0, 1.0, 2.0, 3.0], z=["a", "b", "a", "b"])
    assert text == "yes if x + 2·(z in {a}) > 1\nelse no"
    # A set that holds in every row adds the same everywhere; one whose column is missing makes the sum false there.
    text, changed = clean("x + 2·(z not in {c}) > 3.5", x=[0.0, 1.0, 2.0, 3.0], z=["a", "b", "a", None])
    assert (text, changed) == ("yes if x > 1.5\nelse no", [1, 0])


def test_constant_columns_are_folded_exactly() -> None:
    text, changed = clean("x + 3·y > 1", x=[0.0, 1.0, 2.0], y=[0.5, 0.5, 0.5], drop_below=0.0)
    assert text == "yes if true\nelse no"
    assert changed == [0, 0]


def test_changed_rows_are_counted() -> None:
    """The row on which y decides is lost, and told."""
    columns = {"x": [0.0, 0.999, 1.001, 3.0], "y": [1.0, 5.0, -5.0, 2.0]}
    text, changed = clean("x + 0.01·y > 1", drop_below=0.05, **columns)
    assert text == "yes if x > 0.9925\nelse no"
    assert changed == [1, 0]


def test_a_missing_value_in_a_dropped_term_counts_as_a_change() -> None:
    _, changed = clean("x + 0.01·y > 1", x=[0.0, 1.0, 2.0, 3.0], y=[1.0, 2.0, 3.0, math.nan])
    assert changed == [1, 0]


def test_idle_literals_and_rules_go() -> None:
    text, changed = clean(
        "x > -100 and z = a or x > 100 and z = a or z = never or x > 1 and x < 0",
        x=[0.0, 1.0, 2.0], z=["a", "b", "a"],
    )  # fmt: skip
    assert text == "yes if z in {a}\nelse no"
    assert changed == [0, 0]


def test_a_rule_of_idle_literals_is_true() -> None:
    assert clean("x > -100", x=[0.0, 1.0])[0] == "yes if true\nelse no"
    assert clean("x > 100", x=[0.0, 1.0])[0] == "yes if false\nelse no"


def test_columns_without_a_value_or_with_huge_ones_are_no_problem() -> None:
    assert clean("x + y > 0", x=[1.0, 2.0], y=[math.nan, math.nan])[0] == "yes if false\nelse no"
    assert clean("x + y > 0", x=[1.0, -2.0], y=[1e308, -1e308])[0] == "yes if x + y > 0\nelse no"


def test_labels_stay_and_steps_are_named() -> None:
    cleaned = clean_up(RuleSet.parse("1 if x > 0 else 2"), Table.read({"x": [1.0, -1.0]}))
    assert (cleaned.rules.label, cleaned.rules.default) == (1, 2)
    assert cleaned.steps == (Step("drop small coefficients", 0), Step("drop idle literals", 0))


@pytest.mark.parametrize("drop_below", [-0.1, 1.0, math.nan])
def test_odd_limits_are_refused(drop_below: float) -> None:
    with pytest.raises(ParameterError, match="drop_below must be at least 0 and below 1, not"):
        clean_up(RuleSet(), Table.read({"x": [1.0]}), drop_below)


def test_counts_agree_with_predictions_on_random_rows() -> None:
    rng = np.random.default_rng(0)
    table = Table.read(rng.normal(size=(500, 3)))
    rules = RuleSet.parse("yes if x0 + 0.02·x1 > 0.3 and x2 > -9 or x1 - 0.01·x2 < -1 else no")
    cleaned = clean_up(rules, table)
    assert cleaned.rules.size == 2
    changed = np.count_nonzero(cleaned.rules.truth(table) != rules.truth(table))
    assert changed == sum(step.changed_rows for step in cleaned.steps) > 0
