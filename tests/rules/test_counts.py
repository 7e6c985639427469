"""Counts of rules on rows with labels, the probabilities that come of them, and rules as data."""

from __future__ import annotations

import math
import pickle
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.rules import Baseline, ClassRules, RuleSet, Tally, load, rename_columns
from r2n.rules.document import from_text
from r2n.rules.interval import wilson
from r2n.rules.modelfile import to_text
from tests.strategies import World, class_worlds, worlds

RULES = RuleSet.parse("yes if x > 3 or z in {a} else no")
CLASSES = ClassRules.parse("b if x > 3 or z in {a} else a if x > 1 or z in {b} else c")
X = {"x": [1, 4, 5, 2, None, 0], "z": ["a", "a", "b", "b", "c", "c"]}
YES, LETTERS = ["no", "yes", "yes", "no", "no", "yes"], ["a", "b", "b", "a", "c", "a"]


def weighted(world: World, seed: int) -> tuple[list[Any], np.ndarray]:
    """Labels that the rules know, and whole weights, some of them 0."""
    rng, n_rows = random.Random(seed), world.table.n_rows
    return [rng.choice(world.rules.classes) for _ in range(n_rows)], np.array([rng.randrange(4) for _ in range(n_rows)])


def tally(weights: list[int]) -> Tally:
    return Tally(sum(w > 0 for w in weights), float(sum(weights)))


# -- laws --------------------------------------------------------------------------------------------


@given(worlds() | class_worlds(), st.integers(0, 10**6))
def test_counts_are_what_counting_row_by_row_gives(world: World, seed: int) -> None:
    rules, table = world.rules, world.table
    y, weight = weighted(world, seed)
    base = rules.counted(table, y, weight).baseline
    assert base is not None
    rows = range(table.n_rows)
    assert (base.rows, base.weight) == tally(weight.tolist())
    fired = {(label, rule): rule.evaluate(table) for label, own in rules.branches for rule in own}
    for label, own in rules.branches:
        for rule in own:
            found = base.of(label, rule)
            assert found is not None
            covered = [i for i in rows if fired[label, rule][i]]
            assert found.covered == tally([weight[i] for i in covered])
            assert found.positives == tally([weight[i] for i in covered if y[i] == label])
            others = [fired[label, other] for other in own if other != rule]
            assert found.alone == tally([weight[i] for i in covered if not any(other[i] for other in others)])
    said = rules.predict(table).tolist()
    assert base.right == sum(bool(weight[i]) and said[i] == y[i] for i in rows)
    deciders = [
        next((k for k, (label, own) in enumerate(rules.branches) if any(fired[label, r][i] for r in own)), -1)
        for i in rows
    ]
    assert base.decided is not None
    for k, (label, tallies) in enumerate(base.decided):
        place = -1 if k == len(rules.labels) else k
        assert label == (*rules.labels, rules.default)[k]
        for cls, counted in zip(rules.classes, tallies, strict=True):
            assert counted == tally([weight[i] for i in rows if deciders[i] == place and y[i] == cls])


@given(worlds() | class_worlds(), st.integers(0, 10**6))
def test_probabilities_are_those_of_every_copy_and_agree_with_predictions(world: World, seed: int) -> None:
    y, weight = weighted(world, seed)
    rules = world.rules.counted(world.table, y, weight)
    found = rules.predict_proba(world.table)
    assert found.shape == (world.table.n_rows, len(rules.classes))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert [rules.classes[k] for k in found.argmax(axis=1)] == rules.predict(world.table).tolist()
    assert np.all((found == found.max(axis=1, keepdims=True)).sum(axis=1) == 1)
    for copy in (from_text(to_text(rules)), pickle.loads(pickle.dumps(rules))):
        assert copy.baseline == rules.baseline
        np.testing.assert_array_equal(copy.predict_proba(world.table), found)


@given(worlds() | class_worlds(), st.integers(0, 10**6))
def test_a_row_of_weight_two_is_two_rows_and_one_of_none_is_none(world: World, seed: int) -> None:
    y, weight = weighted(world, seed)
    again = np.repeat(np.arange(world.table.n_rows), weight)
    by_weight = world.rules.counted(world.table, y, weight)
    by_rows = world.rules.counted(world.table.take(again), [y[i] for i in again])
    np.testing.assert_array_equal(by_weight.predict_proba(world.table), by_rows.predict_proba(world.table))


def test_the_probability_is_a_smoothed_share_of_rows_like_this_one() -> None:
    found = RULES.counted(X, YES).predict_proba(X)[:, 1]
    both, a, x, silent = (3 + 1) / (4 + 2), (1 + 1) / (2 + 2), (2 + 1) / (2 + 2), (1 + 1) / (3 + 2)
    assert found.tolist() == [np.nextafter(a, 1), both, x, silent, silent, silent]
    without_rule = RuleSet.parse("yes if x > 4 else no").counted(X, YES).predict_proba({"x": [0]})
    assert without_rule[0, 1] == (2 + 1) / (5 + 2), "of five rows without a rule two are yes"
    shares = CLASSES.counted(X, LETTERS).predict_proba(X)
    np.testing.assert_allclose(shares[:3], [[2 / 6, 3 / 6, 1 / 6]] * 3)
    np.testing.assert_allclose(shares[3], [0.5, 0.25, 0.25])
    np.testing.assert_allclose(shares[4:], [[2 / 5, 1 / 5, 2 / 5]] * 2)
    assert (shares[4:, 2] > shares[4:, 0]).all(), "a tie goes to the prediction"


def test_new_names_change_no_probability() -> None:
    for rules, y in ((RULES, YES), (CLASSES, LETTERS)):
        counted = rules.counted(X, y)
        other = rename_columns(counted, {"x": "z", "z": "x"})
        swapped = {"x": X["z"], "z": X["x"]}
        np.testing.assert_array_equal(other.predict_proba(swapped), counted.predict_proba(X))


def test_counts_take_no_part_in_equality() -> None:
    assert RULES.counted(X, YES) == RULES
    assert hash(CLASSES.counted(X, LETTERS)) == hash(CLASSES)


def test_columns_are_the_classes_sorted() -> None:
    assert RuleSet.parse("no if x > 3 else yes").classes == ("no", "yes")
    assert ClassRules.parse("z if x > 3 else 10 if x > 2 else 9 if x > 1 else z").classes == (9, 10, "z")
    rules = RuleSet.parse("no if x > 3 else yes").counted({"x": [4, 4, 4, 1]}, ["no", "no", "no", "yes"])
    assert rules.predict_proba({"x": [4]}).tolist() == [[0.8, pytest.approx(0.2)]]


# -- counts that do not fit, and bad input -----------------------------------------------------------


def test_rules_without_counts_say_how_to_get_them(tmp_path: Path) -> None:
    for rules in (RULES, CLASSES):
        rules.save(tmp_path / "m.json")
        for each in (rules, load(tmp_path / "m.json")):
            with pytest.raises(ParameterError, match=r"carry no counts of rows.*Count them .*: rules\.counted\(X, y\)"):
                each.predict_proba(X)


def test_rules_that_were_changed_say_that_their_counts_are_of_others() -> None:
    two, three = RULES.counted(X, YES), CLASSES.counted(X, LETTERS)
    swapped = ClassRules(three.branches[::-1], three.default, None, three.baseline)
    other_default = ClassRules(three.branches, "a", None, three.baseline)
    other_label = RuleSet(two.rules, "maybe", "no", None, two.baseline)
    edited = [two.without(1), two.with_rule("x < 0"), three.without(2), three.with_rule("x < 0", "a")]
    for rules in (*edited, swapped, other_default, other_label):
        for each in (rules, pickle.loads(pickle.dumps(rules)), from_text(to_text(rules))):
            with pytest.raises(ParameterError, match=r"changed since they were counted.*rules\.counted\(X, y\)"):
                each.predict_proba(X)
            assert not each.baseline.fits(each)
    assert two.without(1).with_rule(RULES.rules[0]).predict_proba(X).tolist() == two.predict_proba(X).tolist()


def test_a_rule_that_stays_keeps_its_count_but_not_what_it_covers_alone() -> None:
    left = RULES.counted(X, YES).without(1).without_unread().baseline
    assert left is not None
    ((_, _, counted),) = left.rules
    assert (counted.covered.rows, counted.alone, left.decided, left.right) == (2, None, None, None)


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (YES[:5], None, "y must have one label for each of the 6 rows, not shape (5,)."),
        (["maybe", *YES[1:]], None, "y holds 'maybe', but the rules predict only ['no', 'yes']."),
        (pd.Series([None, *YES[1:]], dtype="string"), None, "y holds None, but the rules predict only"),
        (YES, np.array(["2020-01-01"] * 6, dtype="M8[D]"), "sample_weight holds dates. Give one number a row."),
        ([None, *YES[1:]], None, "y holds None, but the rules predict only ['no', 'yes']."),
        ([1] * 6, None, "y holds 1, but the rules predict only ['no', 'yes']."),
        (YES, [1] * 5, "sample_weight.shape == (5,), expected (6,). Give one number for each row."),
        (YES, [1, 1, -1, 1, 1, 1], "sample_weight holds -1.0 in row 2. Give numbers from 0"),
        (YES, [1, math.nan, 1, 1, 1, 1], "sample_weight holds nan in row 1."),
        (YES, [1, math.inf, 1, 1, 1, 1], "sample_weight holds inf in row 1."),
        (YES, [9e99] * 6, "sample_weight adds up to 5.4e+100, more than 1e+100. Divide it."),
        (YES, ["many"] * 6, "sample_weight must hold numbers:"),
    ],
)
def test_odd_labels_and_weights_are_refused(y: Any, weight: Any, message: str) -> None:
    with pytest.raises(ParameterError) as error:
        RULES.counted(X, y, weight)
    assert message in str(error.value)


def test_one_weight_is_for_all_rows() -> None:
    assert RULES.counted(X, YES, 2.0).baseline == RULES.counted(X, YES, [2.0] * 6).baseline


def test_no_rows_at_all_leave_even_chances() -> None:
    empty = RULES.counted(X, YES, [0] * 6)
    assert empty.baseline is not None
    assert (empty.baseline.rows, empty.baseline.weight, empty.baseline.right) == (0, 0.0, 0)
    np.testing.assert_allclose(empty.predict_proba(X), 0.5)
    assert empty.predict_proba(X).argmax(axis=1).tolist() == (RULES.predict(X) == "yes").astype(int).tolist()
    assert empty.to_frame()["coverage"].isna().all()


def test_labels_that_rules_do_not_predict_are_never_right() -> None:
    base = Baseline.count(RULES, X, ["other"] * 6)
    assert (base.rows, base.right) == (6, 0)


# -- rules as data -----------------------------------------------------------------------------------


def test_a_frame_has_a_row_for_each_literal() -> None:
    rules = ClassRules.parse("b if x - 2·y > 3 and z in {a} else a if true else c")
    rows = {"x": [9, 9, 0, 0], "y": [0, 0, 0, 0], "z": ["a", "a", "a", "b"]}
    frame = rules.counted(rows, ["b", "c", "a", "a"], [3, 1, 2, 2]).to_frame()
    assert isinstance(frame, pd.DataFrame)
    unseen = ["held_out_precision", "held_out_low", "held_out_high"]
    said = frame.drop(columns=["precision_low", "precision_high", *unseen]).to_dict("list")
    assert said == {
        "rule": [1, 1, 2],
        "label": ["b", "b", "a"],
        "literal": ["x - 2·y > 3", "z in {a}", "true"],
        "columns": [["x", "y"], ["z"], []],
        "coverage": [0.5, 0.5, 1.0],
        "precision": [0.75, 0.75, 0.5],
        "alone": [4.0, 4.0, 8.0],
    }
    low, high = frame["precision_low"].tolist(), frame["precision_high"].tolist()
    assert [*zip(low, high, strict=True)] == [wilson(1.5, 2), wilson(1.5, 2), wilson(2, 4)], "as many rows, not weights"
    polars = rules.counted(rows, ["b", "c", "a", "a"], [3, 1, 2, 2]).to_frame("polars")
    assert isinstance(polars, pl.DataFrame)
    assert polars.drop(unseen).to_dict(as_series=False) == {**said, "precision_low": low, "precision_high": high}
    assert polars.select(pl.col(unseen).is_null().all()).row(0) == (True, True, True)
    assert frame[unseen].isna().all(axis=None), "counted on other rows than those of a fit"


@given(worlds() | class_worlds())
def test_frames_say_what_the_counts_say(world: World) -> None:
    rules = world.rules.counted(world.table, world.rules.predict(world.table))
    frame, polars = rules.to_frame(), rules.to_frame("polars")
    assert len(frame) == len(polars) == sum(max(len(rule.literals), 1) for rule in rules.rules)
    assert set(frame["rule"]) == set(range(1, rules.n_rules + 1))
    np.testing.assert_array_equal(frame["coverage"], polars["coverage"].to_numpy().astype(float))
    for number, rule in enumerate(rules.rules, start=1):
        own = frame[frame["rule"] == number]
        assert " and ".join(own["literal"]) == str(rule)
        assert own["coverage"].iloc[0] == rule.evaluate(world.table).mean()
    assert polars.schema["columns"] == pl.List(pl.String)


def test_what_was_not_counted_is_unknown() -> None:
    for rules in (RULES, RULES.counted(X, YES).without(1).with_rule("x > 4")):
        frame, polars = rules.to_frame(), rules.to_frame("polars")
        new = frame["literal"] != "z in {a}" if rules.baseline else slice(None)
        assert frame.loc[new, ["coverage", "precision", "alone"]].isna().all(axis=None)
        assert polars["coverage"].null_count() == frame["coverage"].isna().sum()
        assert frame["alone"].isna().all(), "other rules came and went"
    never = RuleSet.parse("yes if x > 99 else no").counted(X, YES).to_frame()
    assert (never["coverage"][0], never["alone"][0]) == (0.0, 0.0)
    assert math.isnan(never["precision"][0])
    assert len(RuleSet.parse("yes if false else no").to_frame("polars")) == 0


def test_labels_of_several_types_are_written() -> None:
    rules = ClassRules.parse('"1" if x > 3 else 1 if x > 2 else c')
    assert rules.to_frame()["label"].tolist() == rules.to_frame("polars")["label"].to_list() == ['"1"', "1"]
    long = RuleSet(RULES.rules, 2**70, 0)
    assert long.to_frame("polars")["label"].to_list() == [str(2**70)] * 2


def test_a_library_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ParameterError, match="a frame of pandas or polars, not of 'numpy'"):
        RULES.to_frame("numpy")
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(ParameterError, match=r"polars is not installed\. Install it, or ask for pandas\."):
        RULES.to_frame("polars")
    assert len(RULES.to_frame()) == 2
