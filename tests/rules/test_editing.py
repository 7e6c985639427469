"""Editing: rules taken out, put in, and written by hand, checked against the schema."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n import R2NClassifier
from r2n.errors import ParameterError, ParseError
from r2n.rules import ClassRules, Halfspace, Membership, Rule, RuleSet, parse_literal, parse_rule
from r2n.table import Schema
from tests.strategies import World, rules, small_literals, worlds

SCHEMA, _ = Schema.learn(
    {
        "age": [31, 58, 40],
        "income": [12.5, 30.0, -9.0],
        "region": ["north", "west", "?"],
        "smokes": [True, False, None],
        "floor": [1, 2, 3],
    },
    categorical=["floor"],
    missing_values={"region": ["?"], "income": [-9]},
)
RULES = RuleSet.parse("yes if age > 30 or income - 2·age > 1 or region in {west} and age > 20 else no", SCHEMA)
CLASSES = ClassRules.parse("a if age > 50 or income > 20 else b if region in {west} else c", SCHEMA)


# -- rules by number --------------------------------------------------------------------------------


def test_rules_are_numbered_as_printed() -> None:
    for number, line in enumerate(str(RULES).splitlines()[:-1], start=1):
        gone = line.removeprefix("yes if ").removeprefix("    or ")
        assert parse_rule(gone) not in RULES.without(number).rules
        assert RULES.without(number).with_rule(gone) == RULES
    assert RULES.without(3, 1).rules == RULES.rules[1:2]
    assert RULES.without() == RULES
    assert RULES.without(np.int64(2), 2).n_rules == 2
    assert RULES.without(1, 2, 3).rules == ()
    assert RULES.without(1).schema is SCHEMA


def test_rules_of_classes_are_numbered_through() -> None:
    assert str(CLASSES.without(3)) == "a if age > 50\n  or income > 20\nelse b if false\nelse c"
    assert str(CLASSES.without(1)) == "a if income > 20\nelse b if region in {west}\nelse c"
    assert ClassRules.parse(str(CLASSES.without(1, 2, 3))) == CLASSES.without(1, 2, 3)


def test_a_rule_that_two_classes_share_is_taken_from_one() -> None:
    shared = ClassRules.parse("a if x > 1 else b if x > 1 or y > 1 else c")
    assert str(shared.without(2)) == "a if x > 1\nelse b if y > 1\nelse c"


@pytest.mark.parametrize("number", [0, -1, 4, True, 1.0, "1", None])
def test_numbers_of_no_rule_are_refused(number: object) -> None:
    for found in (RULES, CLASSES):
        with pytest.raises(ParameterError, match=r"there is no rule|named by its number"):
            found.without(number)
    with pytest.raises(ParameterError, match="there is no rule 1: there is no rule, counted"):
        RuleSet().without(1)


@given(worlds(), st.data())
def test_taking_a_rule_out_takes_its_rows_and_putting_it_back_brings_them(world: World, data: st.DataObject) -> None:
    if world.rules.n_rules == 0:
        return
    number = data.draw(st.integers(1, world.rules.n_rules))
    left = world.rules.without(number)
    fired = world.rules.fires(world.table)
    assert_array_equal(left.truth(world.table), np.delete(fired, number - 1, axis=1).any(axis=1))
    rule = world.rules.rules[number - 1]
    assert left.with_rule(rule) == left.with_rule(str(rule)) == world.rules  # type: ignore[call-arg]


# -- rules by text ----------------------------------------------------------------------------------


def test_a_rule_more() -> None:
    more = RULES.with_rule("region != north and floor = 2")
    assert set(more.rules) - set(RULES.rules) == {parse_rule("region not in {north} and floor in {2}")}
    assert more.schema is SCHEMA
    assert RULES.with_rule("age > 30") == RULES
    counting = "age + 5·(region in {north}) > 40 and income - (age not in {31}) > 3"
    assert parse_rule(counting) in RULES.with_rule(counting).rules
    assert RULES.with_rule("true").rules[0] == Rule()
    assert str(CLASSES.with_rule("smokes = true", "b")).count("or smokes in {True}") == 1
    assert RuleSet.parse("yes if false else no").with_rule("anything > 1").n_rules == 1  # no schema, no check


@pytest.mark.parametrize(
    ("text", "column", "problem"),
    [
        ("age > 30 and incom > 3", 14, "the schema has no column 'incom'. Did you mean 'income'? Its columns are"),
        ("age > 30 and income/ag > 3", 21, "the schema has no column 'ag'. Did you mean 'age'?"),
        ("aeg is missing", 1, "the schema has no column 'aeg'. Did you mean 'age'?"),
        (
            "2·region > 3",
            3,
            "column 'region' holds categories, which cannot be compared with a number. Write `region in",
        ),
        (
            "age + floor > 3",
            7,
            "column 'floor' holds categories, which cannot be compared with a number. Write `floor in",
        ),
        ("region/age > 3", 1, "column 'region' holds categories"),
        ("3 < smokes", 5, "column 'smokes' holds categories"),
        ("region in {north, wets}", 19, "column 'region' never held 'wets'. Did you mean 'west'? Its 2 categories are"),
        ("region = 3", 10, "column 'region' never held 3."),
        ('region = "?"', 10, "in column 'region', '?' stands for a missing value. Write `region is missing`."),
        ("income != -9", 11, "in column 'income', -9 stands for a missing value."),
        ("floor not in {2, 9}", 18, "column 'floor' never held 9. Its 3 categories are: 1, 2, 3."),
        ("age = old", 7, "column 'age' holds numbers, and never 'old'. Compare it, as in `age > 44.5`."),
        ("smokes = yes", 10, "column 'smokes' never held 'yes'."),
        ("age + 2·(regoin in {north}) > 3", 10, "the schema has no column 'regoin'. Did you mean 'region'?"),
        ("age + 2·(region in {north, wets}) > 3", 28, "column 'region' never held 'wets'. Did you mean 'west'?"),
        ("age + 2·(floor not in {9}) > 3", 24, "column 'floor' never held 9. Its 3 categories are: 1, 2, 3."),
        ("age - (income in {-9}) > 3", 19, "in column 'income', -9 stands for a missing value."),
        ("(age in {old}) > 0", 10, "column 'age' holds numbers, and never 'old'."),
        ("region + (region in {north}) > 3", 1, "column 'region' holds categories, which cannot be compared"),
        ("age > 30 or age < 2", 10, "expected the end of a single rule (give several one by one), not 'or'."),
        ("age >", 6, "expected the threshold, a number, not the end."),
    ],
)
def test_errors_point_at_the_place(text: str, column: int, problem: str) -> None:
    for edit in (RULES.with_rule, lambda text: CLASSES.with_rule(text, "b"), lambda text: parse_rule(text, SCHEMA)):
        with pytest.raises(ParseError) as error:
            edit(text)
        assert (error.value.line, error.value.column) == (1, column)
        assert error.value.problem.startswith(problem)


def test_lines_count_in_a_whole_text() -> None:
    text = "yes if age > 30\n    or income > 3 and region in {wets}\nelse no"
    with pytest.raises(ParseError) as error:
        RuleSet.parse(text, schema=SCHEMA)
    assert (error.value.line, error.value.column) == (2, 34)
    with pytest.raises(ParseError) as error:
        ClassRules.parse("a if age > 30\nelse b if ages > 3\nelse c", schema=SCHEMA)
    assert (error.value.line, error.value.column) == (2, 11)
    with pytest.raises(ParseError, match="column 7: column 'region' holds"):
        parse_literal("age - region > 3", SCHEMA)


def test_rules_that_were_made_are_checked_too() -> None:
    with pytest.raises(ParameterError, match=r"in `region > 1`, column 'region' holds categories"):
        RULES.with_rule(Rule((Halfspace.of({"region": 1}, 1),)))
    with pytest.raises(ParameterError, match=r"never held 'wets'. Did you mean 'west'"):
        RULES.with_rule(Rule((Membership("region", ("wets",)),)))
    for terms, message in [
        ({"age": 1, Membership("region", ("wets",)): 2}, r"never held 'wets'. Did you mean 'west'"),
        ({"age": 1, Membership("regoin", ("west",)): 2}, "the schema has no column 'regoin'"),
        ({"region": 1, Membership("region", ("west",)): 2}, "column 'region' holds categories, which cannot"),
    ]:
        with pytest.raises(ParameterError, match=message):
            RULES.with_rule(Rule((Halfspace.of(terms, 1),)))
    with pytest.raises(ParameterError, match="a rule must be given as text"):
        RULES.with_rule(parse_literal("age > 1"))
    with pytest.raises(ParameterError, match=r"there are no rules for 'd', only for \['a', 'b'\]"):
        CLASSES.with_rule("age > 1", "d")


def test_text_out_edited_and_in_again() -> None:
    edited = str(RULES).replace("age > 30", "age > 35")
    again = RuleSet.parse(edited, schema=RULES.schema)
    assert again.schema is SCHEMA
    assert again == RULES.without(1).with_rule("age > 35")


@given(rules(small_literals))
def test_without_a_schema_any_rule_goes_in(rule: Rule) -> None:
    assert rule in RuleSet().with_rule(str(rule)).rules


# -- and refitted around ----------------------------------------------------------------------------


def test_learn_edit_and_learn_around_what_was_edited() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.random(600).round(3), "y": rng.random(600).round(3), "z": rng.choice(["a", "b"], 600)})
    y = np.where((X["x"] > 0.7) | ((X["y"] < 0.4) & (X["z"] == "a")), "yes", "no")
    m = R2NClassifier(effort="quick", positive="yes", random_state=0).fit(X, y)
    number = next(k for k, rule in enumerate(m.rules_.rules, start=1) if rule.columns == ("x",))
    policy = m.rules_.without(number).with_rule("x > 0.9 and y is known")  # type: ignore[call-arg]
    edited = RuleSet.parse(str(policy), schema=m.rules_.schema)
    assert edited == policy
    fixed = edited.with_rules([rule for rule in edited.rules if "x" in rule.columns])
    again = R2NClassifier(effort="quick", positive="yes", fixed=fixed, start=edited, random_state=0).fit(X, y)
    assert set(fixed.rules) <= set(again.rules_.rules)
    assert again.score(X, y) > max(0.97, np.mean(edited.predict(X) == y))
