"""Explanations say exactly what is evaluated."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from r2n.errors import ParameterError, SchemaError
from r2n.explain import explain
from r2n.explain.row import one_row, spreads
from r2n.rules import ClassRules, Halfspace, RuleSet
from r2n.table import Schema
from tests.strategies import World, class_worlds, worlds

RULES = RuleSet.parse(
    "yes if income - 2·debt > 12.5 and region in {north, west} or savings < 40 and age is known else no"
)
ROW = {"income": 20.0, "debt": 5.0, "region": "west", "savings": 60.0, "age": None}
CLASSES = ClassRules.parse("low if x < 1 or y < 0 else high if x > 3 else middle if y > 9 else high")


def test_a_row_of_the_default() -> None:
    assert str(explain(RULES, ROW)) == (
        "prediction: no, the default: no rule holds\n"
        "rule 1 is nearest of those that do not hold\n"
        "    fails  income - 2·debt > 12.5: it is 10, 2.5 short\n"
        "    holds  region in {north, west}: it is west"
    )


def test_what_is_nearest_depends_on_the_spreads() -> None:
    assert explain(RULES, ROW | {"age": 3}).nearest.number == 1
    assert explain(RULES, ROW | {"age": 3}, spread={"savings": 100.0}).nearest.number == 2
    table = {"income": [0, 1], "debt": [0, 1], "region": ["a", "b"], "savings": [0, 1000], "age": [1, 2]}
    assert explain(RULES, ROW | {"age": 3}, spread=table).nearest.number == 2


def test_a_row_of_the_label() -> None:
    found = explain(RULES, ROW | {"debt": 3, "savings": 39.5, "age": 30})
    assert [rule.number for rule in found.deciding] == [1, 2]
    assert found.nearest is None
    assert str(found) == (
        "prediction: yes\n"
        "rule 1 holds\n"
        "    holds  income - 2·debt > 12.5: it is 14, 1.5 beyond\n"
        "    holds  region in {north, west}: it is west\n"
        "rule 2 holds\n"
        "    holds  savings < 40: it is 39.5, 0.5 beyond\n"
        "    holds  age is known: it is 30"
    )


def test_bounds_and_missing_values() -> None:
    text = str(explain(RULES, ROW | {"savings": 40, "age": 1, "income": None}))
    assert "fails  savings < 40: it is 40, on the bound" in text
    missing = explain(RULES, ROW | {"income": math.nan}).rules[0].literals[0]
    assert (missing.holds, missing.value, missing.distance) == (False, None, 1.0)
    assert str(missing) == "fails  income - 2·debt > 12.5: it is missing"


def test_ratios_are_shown_as_ratios() -> None:
    schema, _ = Schema.learn({"debt": [1.0, 900.0], "income": [100.0, 3000.0], "a b": [1.0, 2.0]})
    rules = RuleSet.parse('yes if debt/income < 0.4 and "a b"/debt > 2 else no', schema)
    text = str(explain(rules, {"debt": 500, "income": 1000, "a b": 2000}))
    assert "fails  debt/income < 0.4: it is 0.5, 0.1 short" in text
    assert 'holds  "a b"/debt > 2: it is 4, 2 beyond' in text


def test_a_ratio_with_a_negative_divisor_is_shown_as_the_difference() -> None:
    schema, _ = Schema.learn({"x": [1.0, 9.0], "y": [1.0, 3.0]})
    rules = RuleSet.parse("yes if x/y < 0.5 else no", schema)
    assert "fails  x - 0.5·y < 0: it is 3, 3 short" in str(explain(rules, {"x": 1, "y": -4}))
    assert "fails  x - 0.5·y < 0: it is 1, 1 short" in str(explain(rules, {"x": 1, "y": 0}))
    assert "fails  x/y < 0.5: it is missing" in str(explain(rules, {"x": None, "y": 2}))


COUNTING = RuleSet.parse("yes if income + 2000·(status in {married}) - 500·(region not in {north}) > 7100 else no")


@pytest.mark.parametrize(
    ("income", "status", "region", "said"),
    [
        (6000, "married", "north", "holds  {}: it is 8000, 900 beyond"),
        (6000, "married", "west", "holds  {}: it is 7500, 400 beyond"),
        (5100, "married", "north", "fails  {}: it is 7100, on the bound"),
        (6000, "single", "west", "fails  {}: it is 5500, 1600 short"),
        (6000, "never seen", "north", "fails  {}: it is 6000, 1100 short"),
        (9000, None, "north", "fails  {}: it is missing"),
        (9000, "married", None, "fails  {}: it is missing"),
    ],
)
def test_sums_that_count_sets_show_the_whole_sum(income: int, status: str, region: str, said: str) -> None:
    literal = COUNTING.literals[0]
    found = explain(COUNTING, {"income": income, "status": status, "region": region})
    assert str(found.rules[0].literals[0]) == said.format(literal)


@pytest.mark.parametrize(
    ("text", "row", "distance"),
    [
        ("x + 5·(z in {a}) > 8", {"x": 4, "z": "b"}, 1.0),  # the set holds in one step, and then it is enough
        ("x + 5·(z in {a}) > 8", {"x": 2, "z": "b"}, 6.0),  # not enough
        ("x + 5·(z in {a}) > 8", {"x": 7.5, "z": "b"}, 0.5),  # the number is nearer
        ("x + 5·(z in {a}) > 9", {"x": 2, "z": "a"}, 2.0),  # it holds already
        ("x - 5·(z in {a}) > 3", {"x": 6, "z": "a"}, 1.0),  # it takes away
        ("x - 5·(z in {a}) > 9", {"x": 6, "z": "b"}, 3.0),  # it would take away
        ("x + 5·(z not in {a}) > 9", {"x": 6, "z": "a"}, 1.0),
        ("(z in {a}) + 2·(w in {a}) > 2.5", {"z": "b", "w": "b"}, 2.0),
        ("(z in {a}) + 2·(w in {a}) > 1.5", {"z": "b", "w": "b"}, 1.0),
        ("(z in {a}) > 3", {"z": "b"}, math.inf),  # it never holds
        ("x + 5·(z in {a}) > 8", {"x": 4, "z": None}, 1.0),
    ],
)
def test_another_category_is_one_step_if_it_helps(text: str, row: dict, distance: float) -> None:
    assert explain(RuleSet.parse(f"yes if {text} else no"), row).rules[0].distance == distance


def test_margins_are_from_the_bound_that_is_printed() -> None:
    at_least, at_most = RuleSet.parse("yes if x >= 3 else no"), RuleSet.parse("yes if x <= -3 else no")
    assert "holds  x >= 3: it is 3, on the bound" in str(explain(at_least, {"x": 3}))
    assert "holds  x <= -3: it is -3, on the bound" in str(explain(at_most, {"x": -3}))
    short = explain(at_least, {"x": math.nextafter(3, 0)})
    assert "fails  x >= 3: it is 2.9999999999999996, 4.44089e-16 short" in str(short)
    assert "holds  x <= -3: it is -4, 1 beyond" in str(explain(at_most, {"x": -4}))
    assert short.nearest is not None


def test_several_classes_say_who_was_asked_before() -> None:
    found = explain(CLASSES, {"x": 5, "y": 2})
    assert (found.prediction, found.asked, found.by_default) == ("high", ("low",), False)
    assert str(found) == (
        "prediction: high\n"
        "asked before, without a rule that holds: low\n"
        "rule 3 holds\n"
        "    holds  x > 3: it is 5, 2 beyond\n"
        "rule 2 (low) is nearest of those that do not hold\n"
        "    fails  y < 0: it is 2, 2 short"
    )
    assert explain(CLASSES, {"x": 0, "y": 2}).asked == ()
    default = explain(CLASSES, {"x": 2, "y": 2})
    assert (default.prediction, default.by_default, default.deciding) == ("high", True, ())
    assert default.asked == ("low", "high", "middle")


@given(worlds() | class_worlds())
def test_an_explanation_is_what_is_evaluated(world: World) -> None:
    predictions = world.rules.predict(world.table).tolist()
    for place in range(min(world.table.n_rows, 4)):
        row = world.table.take([place])
        found = explain(world.rules, row)
        assert found.prediction == predictions[place]
        assert found.by_default == (not any(rule.evaluate(row)[0] for rule in world.rules.rules))
        assert [rule.holds for rule in found.rules] == [bool(rule.evaluate(row)[0]) for rule in world.rules.rules]
        for rule in found.rules:
            assert rule.holds == (rule.distance == 0.0) or any(each.distance < 1e-300 for each in rule.literals)
            for each in rule.literals:
                if isinstance(each.literal, Halfspace) and math.isfinite(each.margin) and each.margin != 0.0:
                    assert (each.margin > 0.0) == each.holds
        assert str(found).startswith("prediction: ")


# -- rows in every form, and none ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "row",
    [
        ROW,
        pd.Series(ROW),
        pd.DataFrame([ROW]),
        {name: [value] for name, value in ROW.items()},
        {name: np.array([value], dtype=object) for name, value in ROW.items()},
        ROW | {"more": "anything"},
    ],
)
def test_a_row_comes_in_many_forms(row: object) -> None:
    assert str(explain(RULES, row)) == str(explain(RULES, ROW))


def test_codes_of_missing_values_are_missing() -> None:
    schema, _ = Schema.learn({"x": [1, -9, 3], "z": ["a", "?", "b"]}, missing_values=[-9, "?"])
    rules = RuleSet.parse("yes if x is missing and z is missing else no", schema)
    assert explain(rules, {"x": -9, "z": "?"}).prediction == "yes"


def test_what_is_no_row_is_refused() -> None:
    with pytest.raises(ParameterError, match="one row is explained at a time, but 2 came"):
        explain(RULES, pd.DataFrame([ROW, ROW]))
    with pytest.raises(SchemaError, match="the row has no value for 'age', 'savings'"):
        explain(RULES, {"income": 1, "debt": 2, "region": "a"})
    schema, _ = Schema.learn(pd.DataFrame([ROW, ROW | {"age": 3.0}]))
    with pytest.raises(SchemaError, match="columns that were there at fit are missing"):
        explain(RULES.with_schema(schema), {"income": 1})
    with pytest.raises(SchemaError, match="column 'income' was numeric at fit but holds 'much' in row 0"):
        explain(RULES.with_schema(schema), ROW | {"income": "much"})
    with pytest.raises(ParameterError, match="the spread of 'income' must be a number above 0, not 0"):
        explain(RULES, ROW, spread={"income": 0})


def test_rules_without_columns_explain_every_row() -> None:
    assert str(explain(RuleSet.parse("yes if true else no"), {"x": 1})) == (
        "prediction: yes\nrule 1 holds\n    true everywhere"
    )
    assert str(explain(RuleSet.parse("yes if false else no"), {"x": 1})) == (
        "prediction: no, the default: no rule holds"
    )


def test_spreads_come_from_the_schema_a_table_or_the_caller() -> None:
    schema, table = Schema.learn({"x": [1.0, 3.0, 5.0], "y": [2.0, 2.0, 2.0]})
    rules = RuleSet.parse("yes if x + y > 3 else no", schema)
    assert spreads(rules) == {"x": 4.0, "y": 1.0}
    assert spreads(rules, table) == {"x": pytest.approx(np.std([1, 3, 5])), "y": 1.0}
    assert spreads(rules, {"y": 7}) == {"x": 4.0, "y": 7.0}
    assert one_row(rules, {"x": 1, "y": 2}).n_rows == 1


def test_tiny_coefficients_and_spreads_are_not_divided_by() -> None:
    """Their product is too small for a float."""
    rules = RuleSet.parse("yes if 1e-300·x > 5 else no")
    assert "5 short" in str(explain(rules, {"x": 1.0}, spread={"x": 1e-100}))


def test_what_was_filled_in_is_said() -> None:
    rules = RuleSet.parse('yes if income - 2·("debt (k)" if known else 40) > 5 else no')
    told = explain(rules, {"income": 20, "debt (k)": None})
    assert str(told).splitlines()[-1].strip() == (
        'fails  income - 2·("debt (k)" if known else 40) > 5: it is -60, 65 short (filled: "debt (k)")'
    )
    (reason,) = told.rules[0].literals
    assert reason.filled == ("debt (k)",)
    assert not explain(rules, {"income": 20, "debt (k)": 1}).rules[0].literals[0].filled
    nothing = explain(rules, {"income": None, "debt (k)": None})  # the income is not filled, so neither is the sum
    assert str(nothing).splitlines()[-1].endswith("it is missing")
    assert not nothing.rules[0].literals[0].filled
