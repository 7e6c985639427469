"""Rules and rule sets: birth, counting, text, predicting from any kind of table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest

from r2n.errors import ParameterError, SchemaError
from r2n.rules import ClassRules, Halfspace, Known, Membership, Rule, RuleSet
from r2n.table import Schema, Table

TEXT = """\
yes if savings > 40
    or debt - 0.5·income < -6 and region in {north, west}
else no"""

COLUMNS = {
    "income": [20.0, 20.0, math.nan, 20.0],
    "debt": [1.0, 9.0, 1.0, 1.0],
    "region": ["west", "north", "north", None],
    "savings": [0.0, 41.0, 0.0, 40.0],
    "unused": [1, 2, 3, 4],
}
EXPECTED = ["yes", "yes", "no", "no"]


@pytest.fixture
def rules() -> RuleSet:
    return RuleSet.parse(TEXT)


# -- birth and counting -----------------------------------------------------------------------------


def test_text_is_the_layout_that_is_documented(rules: RuleSet) -> None:
    assert str(rules) == TEXT


def test_rules_align_under_long_and_quoted_labels() -> None:
    text = '"will not pay" if x > 1\n               or y > 2\nelse 0'
    assert str(RuleSet.parse(text)) == text


def test_empty_rules() -> None:
    assert str(RuleSet(label="yes", default="no")) == "yes if false\nelse no"
    assert str(RuleSet((Rule(),), "yes", "no")) == "yes if true\nelse no"
    table = Table.read({"x": [1, 2]})
    assert RuleSet().truth(table).tolist() == [False, False]
    assert RuleSet((Rule(),)).truth(table).tolist() == [True, True]
    assert RuleSet().fires(table).shape == (2, 0)


def test_counts(rules: RuleSet) -> None:
    assert (rules.n_rules, rules.literals_per_rule, rules.size) == (2, 1.5, 5)
    assert rules.columns == ("debt", "income", "region", "savings")
    assert [str(literal) for literal in rules.literals] == [
        "savings > 40", "debt - 0.5·income < -6", "region in {north, west}",
    ]  # fmt: skip
    assert RuleSet().literals_per_rule == 0.0


def test_shared_literals_are_counted_each_time_they_are_read() -> None:
    rules = RuleSet.parse("yes if x + y > 1 and z = a or x + y > 1 and z = b else no")
    assert rules.size == 6
    assert len(rules.literals) == 3


def test_rules_are_sorted_without_repeats() -> None:
    a, b = Halfspace.of({"x2": 1}, 0), Halfspace.of({"x10": 1}, 0)
    assert Rule((b, a, b)).literals == (a, b)
    assert RuleSet((Rule((a, b)), Rule((b,)), Rule((a,)), Rule((b, a)))).rules == (
        Rule((a,)), Rule((b,)), Rule((a, b)),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("label", "default", "message"),
    [
        ("yes", "yes", "the label and the default are both 'yes'. Give two that differ."),
        (1, True, "the label and the default are both 1. Give two that differ."),
        (None, 1, "a label must be text, a number or a Boolean, not a missing value."),
        ([1], 1, "the label [1] is of type list. Only numbers, text, Booleans and missing values are read."),
    ],
)
def test_labels_without_meaning_are_refused(label: object, default: object, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        RuleSet((), label, default)
    assert str(error.value) == message


def test_rules_are_made_of_literals_and_rule_sets_of_rules() -> None:
    with pytest.raises(ParameterError, match="a rule is made of literals, not of 'x > 1'"):
        Rule(("x > 1",))
    with pytest.raises(ParameterError, match="a rule set is made of rules, not of Known"):
        RuleSet((Known("x"),))


def test_schema_is_no_part_of_equality(rules: RuleSet) -> None:
    schema, _ = Schema.learn(COLUMNS)
    assert rules.with_schema(schema) == rules
    assert hash(rules.with_schema(schema)) == hash(rules)
    assert "schema" not in repr(rules)


def test_a_column_that_the_schema_lacks_is_refused(rules: RuleSet) -> None:
    schema, _ = Schema.learn({"income": [1], "debts": [2], "region": ["a"], "savings": [1]})
    with pytest.raises(SchemaError, match=r"the schema has no column 'debt'\. Did you mean 'debts'\?"):
        rules.with_schema(schema)


def test_schema_makes_ratios() -> None:
    rules = RuleSet.parse("yes if p - 0.5·q > 0 else no")
    schema, _ = Schema.learn({"p": [1, 2], "q": [0.5, 3]})
    assert str(rules.with_schema(schema)) == "yes if p/q > 0.5\nelse no"


# -- predicting -------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [dict, pd.DataFrame, pl.DataFrame, lambda c: pl.DataFrame(c).to_arrow(), Table.read])
@pytest.mark.parametrize("with_schema", [False, True])
def test_predict_from_any_table(rules: RuleSet, make: type, with_schema: bool) -> None:
    if with_schema:
        rules = rules.with_schema(Schema.learn(COLUMNS)[0])
    predicted = rules.predict(make(COLUMNS))
    assert predicted.tolist() == EXPECTED
    assert predicted.dtype.kind == "U"


def test_arrays_are_read_by_position() -> None:
    rules = RuleSet.parse("yes if x1 > 2 else no")
    array = np.array([[9.0, 1.0], [0.0, 3.0]])
    assert rules.truth(array).tolist() == [False, True]
    schema, _ = Schema.learn({"first": [1, 2], "second": [1, 2]})
    named = RuleSet.parse("yes if second > 2 else no").with_schema(schema)
    assert named.truth(array).tolist() == [False, True]
    assert named.truth(array.tolist()).tolist() == [False, True]
    with pytest.raises(SchemaError, match="X has 3 features, but r2n is expecting 2 features as input"):
        named.truth(np.zeros((1, 3)))


def test_only_the_columns_that_are_read_need_be_there(rules: RuleSet) -> None:
    frame = pd.DataFrame(COLUMNS)
    rules = rules.with_schema(Schema.learn(frame)[0])
    assert rules.predict(frame.drop(columns="unused")).tolist() == EXPECTED
    with pytest.raises(SchemaError, match=r"columns that were there at fit are missing: \['savings'\]"):
        rules.predict(frame.drop(columns="savings"))


def test_the_callers_frame_is_untouched(rules: RuleSet) -> None:
    frame = pd.DataFrame(COLUMNS)
    before = frame.copy(deep=True)
    rules.with_schema(Schema.learn(frame)[0]).predict(frame)
    pd.testing.assert_frame_equal(frame, before)


def test_fires_has_a_column_for_each_rule(rules: RuleSet) -> None:
    assert rules.fires(COLUMNS).tolist() == [[False, True], [True, False], [False, False], [False, False]]


@pytest.mark.parametrize(
    ("label", "default", "kind"),
    [("yes", "no", "U"), (1, 0, "i"), (True, False, "b"), (1.0, 0.0, "f"), ("yes", False, "O"), (2**70, 0, "O")],
)
def test_labels_come_back_as_they_were(label: object, default: object, kind: str) -> None:
    predicted = RuleSet((Rule((Known("x"),)),), label, default).predict({"x": [1.0, math.nan]})
    assert predicted.tolist() == [label, default]
    assert [type(value) for value in predicted.tolist()] == [type(label), type(default)]
    assert predicted.dtype.kind == kind


@pytest.mark.parametrize("name", ["hours per week", "a > b", "x-1", "if", "größe (cm)", "a\nb", 'say "hi"', ""])
def test_odd_column_names(name: str) -> None:
    """Names with spaces or operators break other rule learners."""
    frame = pd.DataFrame({name: [1.0, 3.0], "z": ["a b", "c"]})
    rules = RuleSet((Rule((Halfspace.of({name: 1}, 2), Membership("z", ("c",)))),), "yes", "no")
    again = RuleSet.parse(str(rules)).with_schema(Schema.learn(frame)[0])
    assert again == rules
    assert again.predict(frame).tolist() == ["no", "yes"]
    assert list(frame.columns) == [name, "z"]


def test_a_literal_shared_by_rules_is_evaluated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    original = Halfspace.evaluate
    monkeypatch.setattr(Halfspace, "evaluate", lambda self, t: seen.append(str(self)) or original(self, t))
    RuleSet.parse("yes if x > 1 and z = a or x > 1 and z = b else no").truth({"x": [1], "z": ["a"]})
    assert seen == ["x > 1"]


@pytest.mark.parametrize("labels", [("\0", "no"), ("a\0", "a"), ("yes", False), (1, 0), (True, "\0")])
def test_labels_come_back_as_they_are(labels: tuple) -> None:
    rules = RuleSet.parse("yes if x > 1 else no")
    found = RuleSet(rules.rules, *labels).predict({"x": [2, 0]}).tolist()
    assert found == list(labels)
    assert [type(label) for label in found] == [type(label) for label in labels]
    assert ClassRules(((labels[0], rules.rules),), labels[1]).predict({"x": [2, 0]}).tolist() == list(labels)
