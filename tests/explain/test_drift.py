"""Rules on new rows beside what they were in training."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.explain import check
from r2n.rules import Baseline, ClassRules, RuleCount, RuleSet, Tally, load, rename_columns
from r2n.table import Schema
from tests.strategies import World, class_worlds, worlds

RULES = RuleSet.parse("yes if x > 3 or z in {a} else no")
X = {"x": [1, 4, 5, 2] * 50, "z": ["a", "b", "b", "b"] * 50}
Y = ["no", "yes", "yes", "no"] * 50


@given(worlds() | class_worlds(), st.randoms(use_true_random=False))
def test_nothing_drifts_on_the_same_rows(world: World, random: object) -> None:
    rules, labels = world.rules, world.rules.predict(world.table).tolist()
    y = [labels[random.randrange(len(labels))] for _ in labels]  # type: ignore[attr-defined]
    then = Baseline.count(rules, world.table, y)
    found = check(rules.with_baseline(then), world.table, y)
    assert found.drifting == ()
    assert (
        found.accuracy
        == found.accuracy_then
        == pytest.approx(np.mean([a == b for a, b in zip(labels, y, strict=True)]))
    )
    assert sum(n for _, n in found.predictions) == world.table.n_rows
    for drift in found.rules:
        assert drift.now == drift.then == then.of(drift.label, drift.rule)
        assert drift.now.covered.rows == drift.rule.evaluate(world.table).sum()
    assert str(found).count("\n") >= 1


def test_drift_is_more_than_chance() -> None:
    rules = RULES.with_baseline(Baseline.count(RULES, X, Y))
    few = check(rules, {"x": [1, 4, 5, 4], "z": ["b"] * 4}, ["no", "yes", "no", "yes"])
    assert few.drifting == ()  # four rows prove nothing
    many = check(rules, {"x": [1, 4, 5, 4] * 50, "z": ["b"] * 200}, ["no", "yes", "no", "yes"] * 50)
    first, second = many.rules
    assert (first.coverage, first.precision) == ((0.75, 0.5), (pytest.approx(2 / 3), 1.0))
    assert (first.coverage_drifts, first.precision_drifts) == (True, True)
    assert (second.coverage_drifts, second.precision_drifts) == (True, False)
    assert math.isnan(second.precision[0])
    assert many.accuracy == 0.75


def test_a_rule_that_covered_all_or_nothing() -> None:
    rules = RuleSet.parse("yes if x > 3 else no")
    none = rules.with_baseline(Baseline.count(rules, {"x": [1] * 100}, ["no"] * 100))
    assert check(none, {"x": [1] * 100}, ["no"] * 100).drifting == ()
    assert len(check(none, {"x": [5] * 100}, ["yes"] * 100).drifting) == 1


def test_new_rules_have_nothing_to_compare_with() -> None:
    rules = RULES.with_baseline(Baseline.count(RULES, X, Y)).with_rule("x < 0")
    found = check(rules, X, Y)
    assert [drift.then for drift in found.rules if str(drift.rule) == "x < 0"] == [None]
    assert found.drifting == ()
    assert check(RuleSet.parse("yes if false else no"), X).rules == ()
    assert "there are no rules" in str(check(RuleSet.parse("yes if false else no"), X))


def test_the_accuracy_of_other_rules_is_not_shown(tmp_path: Path) -> None:
    rules = RULES.with_baseline(Baseline.count(RULES, X, Y))
    edited = [rules.without(1), rules.with_rule("x < 0"), rules.without(1).with_rule("x > 3.5"),
              RULES.with_rule("x > 9").with_baseline(Baseline.count(RULES.with_rule("x > 9"), X, Y)).simplified(),
              RuleSet.parse("yes if x > 3.0001 else no").with_baseline(rules.baseline).rounded(X).rules]  # fmt: skip
    for number, each in enumerate(edited):
        each.save(tmp_path / f"{number}.json")
        for found in (each, load(tmp_path / f"{number}.json")):
            assert found.baseline is not None
            assert found.baseline.rows == 200
            assert str(check(found, X, Y)).count("in training") == 0
    for same in (rules, rules.without(1).with_rule("x > 3"), rename_columns(rules, {"x": "z", "z": "x"})):
        table = X if same.columns == RULES.columns and "z in {a}" in str(same) else {"x": X["z"], "z": X["x"]}
        assert "accuracy 0.7500, 0.7500 in training" in str(check(same, table, Y))


def test_rules_are_printed_as_elsewhere() -> None:
    schema, _ = Schema.learn({"x": [1.0, 2.0], "y": [3.0, 4.0]})
    rules = RuleSet.parse("yes if x/y > 0.5 else no", schema)
    assert str(check(rules, {"x": [1], "y": [1]})).endswith("  x/y > 0.5")


def test_what_was_before_is_not_shown_alone() -> None:
    rules = RULES.with_baseline(Baseline.count(RULES, X, Y))
    assert str(check(rules, X)).splitlines()[1] == "rule  covers  before"
    assert str(check(RULES, X, Y)).splitlines()[1] == "rule  covers  precision"
    nothing = {"x": [0], "z": ["b"]}
    assert str(check(rules, nothing, ["no"])).splitlines()[1] == "rule  covers  before"


def test_classes_are_counted_each_alone() -> None:
    rules = ClassRules.parse("a if x > 3 else b if x > 1 else c")
    then = Baseline.count(rules, {"x": [0, 2, 4, 5]}, ["c", "b", "a", "b"])
    assert then.rules[1][2] == RuleCount(Tally(3, 3.0), Tally(2, 2.0), Tally(3, 3.0))
    assert (then.right, then.of("c", rules.rules[0]), then.of("a", rules.rules[1])) == (3, None, None)
    assert rename_columns(then, {"x": "y"}).of("a", rename_columns(rules, {"x": "y"}).rules[0]).covered.rows == 2


def test_labels_must_be_one_for_each_row() -> None:
    with pytest.raises(ParameterError, match="y must have one label for each of the 200 rows"):
        check(RULES, X, ["yes"])
