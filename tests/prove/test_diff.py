"""Differences: what came, what went, what changed, and where it shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from r2n.errors import SchemaError
from r2n.prove import diff
from r2n.rules import ClassRules, RuleSet, parse_rule
from tests.strategies import World, rule_sets, worlds


def test_nothing_changed() -> None:
    rules = RuleSet.parse("yes if x > 3 or y > 7 else no")
    assert not rules.diff(rules)
    assert str(rules.diff(rules)) == "the same rules"
    assert str(rules.diff(rules, {"x": [1, 5], "y": [1, 1]})) == (
        "the same rules\nnone of 2 rows is decided differently"
    )


def test_the_nearest_rules_are_paired() -> None:
    before = RuleSet.parse("yes if x > 3 and y > 1 or x > 3 and z in {a} or w < 0 else no")
    after = RuleSet.parse("yes if x > 3 and y > 2 or x > 3 and z in {a, b} or v > 9 else no")
    found = before.diff(after)
    assert set(found.changed) == {
        (parse_rule("x > 3 and y > 1"), parse_rule("x > 3 and y > 2")),
        (parse_rule("x > 3 and z in {a}"), parse_rule("x > 3 and z in {a, b}")),
    }
    assert found.went == (parse_rule("w < 0"),)
    assert found.came == (parse_rule("v > 9"),)
    assert found


def test_a_threshold_is_nearer_than_another_direction() -> None:
    before = RuleSet.parse("yes if x - 2·y > 3 else no")
    after = RuleSet.parse("yes if x - 2·y > 4 or 2·y - x > 1 else no")
    assert before.diff(after).changed == ((parse_rule("x - 2·y > 3"), parse_rule("x - 2·y > 4")),)


def test_another_set_in_a_sum_is_a_change() -> None:
    before = RuleSet.parse("yes if x + 2·(z in {a}) > 3 or y > 1 else no")
    for text in ("x + 2·(z in {a}) > 4", "x + 2·(z in {a, b}) > 3", "x + 5·(z in {a}) > 3", "x - (z not in {a}) > 1"):
        after = RuleSet.parse(f"yes if {text} or y > 1 else no")
        assert before.diff(after).changed == ((parse_rule("x + 2·(z in {a}) > 3"), parse_rule(text)),)
    found = before.diff(RuleSet.parse("yes if x > 3 or y > 1 else no"), {"x": [2, 4], "y": [0, 0], "z": ["a", None]})
    assert str(found) == (
        "yes: 0 went, 0 came, 1 changed, 1 stayed\n  ~ x + 2·(z in {a}) > 3\n  → x > 3\n"
        "2 of 2 rows are decided differently: 1 yes → no, 1 no → yes\nrows 0, 1"
    )


def test_rows_that_are_decided_differently() -> None:
    before, after = RuleSet.parse("yes if x > 3 else no"), RuleSet.parse("yes if x < 5 else no")
    rows = before.diff(after, {"x": [1, 4, 6, None, 9]}).rows
    assert rows is not None
    assert rows.rows.tolist() == [0, 2, 4]
    assert rows.before.tolist() == ["no", "yes", "yes"]
    assert rows.after.tolist() == ["yes", "no", "no"]
    assert str(rows) == "3 of 5 rows are decided differently: 2 yes → no, 1 no → yes\nrows 0, 2, 4"
    many = before.diff(after, {"x": np.arange(100.0)}).rows
    assert str(many).endswith("rows 0, 1, 2, 3, 5, 6, 7, 8, 9, 10, …")


def test_classes_and_labels() -> None:
    before = ClassRules.parse("a if x > 3 else b if y > 1 else c")
    after = ClassRules.parse("b if y > 1 else a if x > 4 else d")
    assert str(diff(before, after)) == (
        "a: 0 went, 0 came, 1 changed, 0 stayed\n  ~ x > 3\n  → x > 4\nlabels, the default last: a, b, c → b, a, d"
    )
    one = RuleSet.parse("a if x > 3 else c")
    assert [each.label for each in diff(before, one).classes if each] == ["b"]
    assert diff(one, RuleSet.parse("a if x > 3 else b"))


def test_a_table_must_have_the_columns_of_both() -> None:
    with pytest.raises(SchemaError, match="no column 'y'"):
        RuleSet.parse("a if x > 3 else b").diff(RuleSet.parse("a if y > 3 else b"), {"x": [1]})


@given(rule_sets(), rule_sets())
def test_what_went_and_came_leads_from_one_to_the_other(before: RuleSet, after: RuleSet) -> None:
    after = RuleSet(after.rules, before.label, before.default)
    found = before.diff(after)
    old, new = [pair[0] for pair in found.changed], [pair[1] for pair in found.changed]
    left = [rule for rule in before.rules if rule not in (*found.went, *old)]
    assert before.with_rules([*left, *found.came, *new]) == after
    assert len(left) == found.classes[0].stayed
    assert bool(found) == (before != after)
    assert str(found)


@given(worlds(), worlds())
def test_rows_are_those_whose_predictions_differ(one: World, two: World) -> None:
    other = one.rules.with_rules(two.rules.rules)
    rows = one.rules.diff(other, one.table).rows
    assert rows is not None
    assert rows.rows.tolist() == np.flatnonzero(one.rules.truth(one.table) != other.truth(one.table)).tolist()
