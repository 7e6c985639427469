"""Risk levels explained: a row's level, the nearest lower one, and how levels do on new rows."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from r2n import LevelRules
from r2n.errors import ParameterError
from r2n.explain import check, explain, smallest_change
from tests.strategies import World, level_worlds

RULES = LevelRules.parse("""
very high 71.2 % if age > 60 and bp > 140
                 or chol > 300
high 42 % or else if age > 50
low 6 % else
yes from 50 %, else no""")
ROW = {"age": 70, "bp": 150, "chol": 100}


def test_an_explanation_says_what_the_level_means() -> None:
    found = explain(RULES, ROW)
    assert str(found).splitlines()[:2] == ['prediction: "very high" (yes in 71.2 %, so yes)', "rule 2 holds"]
    assert (found.prediction, found.note) == ("very high", "yes in 71.2 %, so yes")
    low = explain(RULES, {**ROW, "age": 20})
    assert str(low).startswith("prediction: low (yes in 6 %, so no), the default: no rule holds")
    assert low.asked == ("very high", "high")
    assert explain(RULES.chain, ROW).note == ""


def test_the_smallest_change_leads_to_a_lower_level() -> None:
    spread = {"age": 10, "bp": 10, "chol": 50}
    change = smallest_change(RULES, ROW, spread=spread)
    assert (change.label, change.changes) == ("high", {"age": (70, 60)})
    assert smallest_change(RULES, ROW, "low", spread=spread).changes == {"age": (70, 50)}
    up = smallest_change(RULES, {**ROW, "age": 55}, spread=spread)  # 0.5 spreads down, 0.5 up
    assert (up.label, up.changes) == ("low", {"age": (55, 50)})
    assert smallest_change(RULES, {**ROW, "age": 59}, spread=spread).label == "low"  # up were nearer
    assert smallest_change(RULES, {**ROW, "age": 40}, spread=spread).label == "high"  # there is no lower one
    with pytest.raises(ParameterError, match="one of the labels"):
        smallest_change(RULES, ROW, "yes")


@settings(max_examples=30)
@given(level_worlds())
def test_a_change_is_to_a_lower_level_and_the_explanation_names_the_level(world: World) -> None:
    rules: Any = world.rules
    row = {
        name: (None if math.isnan(x) else x)
        for name in ("x", "y", "x10")
        if not math.isinf(x := float(world.table.numeric(name)[0]))
    }
    codes = {name: world.table.codes(name) for name in ("z", "w")}
    row |= {name: (*values, None)[found[0]] for name, (found, values) in codes.items()}
    now = rules.decided(world.table)[0]
    assert explain(rules, row).prediction == rules.levels[now]
    change = smallest_change(rules, row, steps=20)
    if change.label is not None:
        then = rules.levels.index(change.label)
        assert then > now or now == len(rules.levels) - 1


def test_check_compares_every_level() -> None:
    rng = np.random.default_rng(0)
    rows = {"age": rng.uniform(20, 90, 600), "bp": rng.uniform(90, 180, 600), "chol": rng.uniform(100, 320, 600)}
    chance = RULES.predict_proba(rows)[:, 1]
    y = np.where(rng.random(600) < chance, "yes", "no")
    counted = RULES.counted(rows, y)
    same = check(counted, rows, y)
    assert not any(level.drifts for level in same.levels)
    assert same.accuracy == same.accuracy_then == np.mean(RULES.predict(rows) == y)
    assert dict(same.predictions)["high"] == np.sum(RULES.predict_level(rows) == "high")
    worse = check(counted, rows, np.where(RULES.predict_level(rows) == "high", "yes", y))
    assert [level.drifts for level in worse.levels] == [False, True, False]
    assert str(worse).splitlines()[1].split() == ["level", "covers", "before", "share", "before", "says"]
    assert "standard errors: rule 3, level high" in str(worse)
    assert worse.levels[1].found[0] == 1.0
    unlabelled = check(RULES, rows)
    assert [level.rows for level in unlabelled.levels] == [level.rows for level in same.levels]
    assert math.isnan(unlabelled.levels[0].found[0])
    assert "42 %" in str(unlabelled)
