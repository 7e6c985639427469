"""The search again on resampled rows: what counts as the same condition, and what a model knows of its rows."""

from __future__ import annotations

import copy
import gc
import pickle
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import ConstantRules, Interrupted, ParameterError, SchemaError
from r2n.learn.stability import Stability, draw_resample, likeness_of
from r2n.rules import ClassRules, RuleSet, parse_literal
from r2n.runtime.progress import RunsBar
from tests.runtime.test_interrupts import press, pressing
from tests.strategies import World, class_worlds, worlds

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}


def noisy_table(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["z"] = rng.choice(["p", "q", "r"], n)
    score = X.b + X.c * (X.z == "p") + 0.4 * rng.normal(size=n)
    return X, np.array(["low", "mid", "top"])[np.digitize(score, [-0.4, 0.6])]


# -- what counts as the same -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("x > 3", "x > 4", True),
        ("x > 3", "x < 4", False),
        ("x - 2·y > 3", "y - 5·x < 0", True),
        ("x - 2·y > 3", "x + 2·y > 3", False),
        ("x - 2·y > 3", "x > 3", False),
        ("x - 2·y > 3", "x - 2·(y if known else 4) > 3", True),
        ("x + 2·(z in {a}) > 3", "x - 2·(z not in {b}) > 3", True),
        ("x + 2·(z in {a}) > 3", "x + 2·(w in {a}) > 3", False),
        ("z in {a}", "z in {a, b}", True),
        ("z in {a}", "w in {a}", False),
        ("z in {a}", "z is missing", False),
        ("z is known", "z is missing", False),
        ("z is known", "z is known", True),
    ],
)
def test_a_condition_comes_back_by_its_columns(one: str, other: str, same: bool) -> None:
    assert (likeness_of(parse_literal(one)) == likeness_of(parse_literal(other))) == same


@given(worlds() | class_worlds(), st.integers(1, 4))
def test_in_copies_of_itself_every_condition_comes_back(world: World, n: int) -> None:
    found = Stability.of(world.rules, [world.rules] * n)
    assert [each.times for each in found.conditions] == [n] * sum(len(rule.literals) for rule in world.rules.rules)
    assert found.missed == ()
    none = Stability.of(world.rules, [world.rules.with_branches([()] * len(world.rules.branches))] * n)
    assert not any(each.times for each in none.conditions)
    other = Stability.of(world.rules.with_branches([()] * len(world.rules.branches)), [world.rules] * n)
    assert {(each.label, likeness_of(parse_literal(each.literal))) for each in other.missed} == {
        (label, likeness_of(parse_literal(literal.text())))
        for label, branch in world.rules.branches for rule in branch for literal in rule.literals
    }  # fmt: skip


def test_the_table_has_every_condition_and_then_what_is_missed() -> None:
    rules = ClassRules.parse("a if x > 3 and z in {p} else b if x > 5 or y - x > 1 else c")
    others = [
        ClassRules.parse("b if x > 4 and z is missing else a if x > 1 and x > 2 else c"),
        ClassRules.parse("a if x > 3 else b if z is missing and x < 3 else c"),
        ClassRules.parse("a if true else b if y - 2·x > 0 or z is missing else c"),
    ]
    found = Stability.of(rules, others)
    assert repr(found).splitlines() == [
        "3 resamples of the rows",
        "rule  times  share  condition",
        "   1      2   67 %  a: x > 3",
        "   1      0    0 %  a: z in {p}",
        "   2      1   33 %  b: x > 5",
        "   3      1   33 %  b: x - y < -1",
        "not in the rules, but in at least half of the resamples, such as",
        "          3  100 %  b: z is missing",
    ]
    frame = found.frame()
    assert frame["rule"].tolist() == [1, 1, 2, 3, pd.NA]
    assert frame["columns"].tolist() == [["x"], ["z"], ["x"], ["x", "y"], ["z"]]
    assert frame["share"].tolist() == [2 / 3, 0.0, 1 / 3, 1 / 3, 1.0]
    empty = Stability.of(RuleSet.parse("yes if false else no"), [RuleSet.parse("yes if false else no")])
    assert "the rules have no condition" in repr(empty)
    assert len(empty.frame()) == 0


@given(st.integers(0, 10**6))
def test_a_resample_has_the_rows_of_each_class(seed: int) -> None:
    rng = np.random.default_rng(seed)
    codes, weight = rng.integers(0, 4, 50), rng.integers(0, 3, 50).astype(float)
    times = draw_resample(codes, weight, np.random.RandomState(seed))
    assert not times[weight == 0].any()
    for k in range(4):
        assert times[codes == k].sum() == np.sum((codes == k) & (weight > 0))


# -- fitting again -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_known_rules_come_back_in_every_resample() -> None:
    X, y = example(2).sample(1_000, random_state=0)
    model = R2NClassifier(**QUICK).fit(X, y)
    found = model.stability(n=3)
    assert found.resamples == 3
    assert [each.times for each in found.conditions] == [3] * len(model.rules_.literals)
    assert [each.literal for each in found.conditions] == [
        literal.text(model.rules_.schema) for rule in model.rules_.rules for literal in rule.literals
    ]


@pytest.mark.parametrize("three", [False, True])
def test_it_is_what_fitting_to_the_drawn_rows_gives(three: bool) -> None:
    """A row that is drawn twice is the row twice; the model and its randomness stay as they are."""
    X, y = noisy_table(150)
    y = y if three else np.where(y == "low", "low", "other")
    model = R2NClassifier(**QUICK).fit(X, y)
    before = (str(model.rules_), model.chosen_, repr(model.get_params()))
    found = model.stability(n=2)
    assert repr(model.stability(n=2)) == repr(found), "the same seed, the same table"
    assert (str(model.rules_), model.chosen_, repr(model.get_params())) == before
    rng = np.random.RandomState(0)
    codes = np.unique(y, return_inverse=True)[1]
    others = []
    for _ in range(2):
        times, seed = draw_resample(codes, np.ones(len(y)), rng), int(rng.randint(2**31 - 1))
        others.append(R2NClassifier(**{**QUICK, "random_state": seed}).fit(X, y, times).rules_)
    assert repr(found) == repr(Stability.of(model.rules_, others))
    assert any(each.times > 0 for each in found.conditions)


@pytest.mark.slow
def test_side_by_side_it_finds_the_same() -> None:
    X, y = noisy_table(150)
    y = np.where(y == "low", "low", "other")
    model = R2NClassifier(**QUICK).fit(X, y)
    alone = repr(model.stability(n=2))
    assert repr(model.set_params(n_jobs=2).stability(n=2)) == alone
    with joblib.parallel_config("threading"):
        assert repr(model.stability(n=2)) == alone


def test_weights_are_those_of_the_fit() -> None:
    X, y = noisy_table()
    weight = np.where(np.arange(300) < 150, 0.0, 1.0)
    part = R2NClassifier(**QUICK).fit(X[150:], y[150:])
    whole = R2NClassifier(**QUICK).fit(X, y, weight)
    assert whole.rules_ == part.rules_
    found = whole.stability(n=1)
    assert found.frame().equals(whole.stability(1, X, y, weight).frame())
    assert not found.frame().equals(whole.stability(1, X, y).frame())


def test_texts_that_repeat_only_in_the_whole_table_stay_categories() -> None:
    """In a resample nearly every text may be another, and would be refused as a name."""
    X = pd.DataFrame({"x": np.arange(120.0), "word": [f"word {i // 2}" for i in range(120)]})
    y = X["x"].to_numpy() > 60
    model = R2NClassifier(**QUICK, categorical=["word"]).fit(X, y)
    assert model.set_params(categorical=None).stability(n=2).resamples == 2


def test_networks_are_trained_again() -> None:
    X, y = noisy_table(200)
    short = NetworkSettings(restarts=1, epochs=5)
    y = np.where(y == "low", "low", "other")  # a name holds it
    model = R2NClassifier(network=short, effort="none", random_state=0).fit(X, y)
    assert model.stability(n=2).resamples == 2


def test_after_a_pick_the_conditions_are_those_picked() -> None:
    X, y = noisy_table()
    y = np.where(y == "low", "low", "other")  # a name holds it
    model = R2NClassifier(**QUICK).fit(X, y)
    picked = model.pick(0)
    assert len(picked.stability(n=2).conditions) == sum(len(rule.literals) for rule in picked.rules_.rules)


def test_a_constant_model_may_lack_what_resamples_have() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.random(200) < 0.2
    with pytest.warns(ConstantRules):
        model = R2NClassifier(**QUICK).fit(X, y)
    found = model.stability(n=3)  # without the warnings of the single fits
    assert found.conditions == ()
    assert "the rules have no condition" in repr(found)


def test_a_class_of_two_rows_is_in_every_resample() -> None:
    X = np.arange(60.0)[:, None]
    y = np.array(["a"] * 30 + ["b"] * 28 + ["c"] * 2)
    assert R2NClassifier(**QUICK).fit(X, y).stability(n=4).resamples == 4


def test_progress_is_shown_where_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    X, y = example(1).sample(300, random_state=0)
    model = R2NClassifier(**QUICK).fit(X, y)
    model.stability(n=1)
    assert capsys.readouterr().err == ""
    shares: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunsBar, "_draw", lambda _, share, text: shares.append(share))
        model.stability(n=2)
    assert shares == [0.5, 1.0]


# -- what a model knows of its rows ------------------------------------------------------------------


def test_a_model_keeps_no_rows() -> None:
    X, y = noisy_table(100)
    model = R2NClassifier(**QUICK).fit(X, y)
    assert model.stability(n=1).resamples == 1
    again, deep = pickle.loads(pickle.dumps(model)), copy.deepcopy(model)
    for each in (again, deep):
        with pytest.raises(ParameterError, match=r"are gone, for a model keeps none\. Give them again: m\.stability\("):
            each.stability(n=1)
        assert repr(each.stability(1, X, y)) == repr(model.stability(n=1))
    assert copy.copy(model).stability(n=1).resamples == 1
    X2 = X.copy()
    del X
    gc.collect()
    with pytest.raises(ParameterError, match="the rows that the model was fitted to are gone"):
        model.stability(n=1)
    assert model.stability(1, X2, y).resamples == 1


@pytest.mark.parametrize("kind", ["lists", "dicts", "weights gone"])
def test_what_cannot_be_held_weakly_is_not_held(kind: str) -> None:
    X, y = noisy_table(100)
    weight = np.ones(100)
    match kind:
        case "lists":
            model = R2NClassifier(**QUICK).fit(X, y.tolist())
        case "dicts":
            model = R2NClassifier(**QUICK).fit(X.to_dict("list"), y)
        case _:
            model = R2NClassifier(**QUICK).fit(X, y, weight)
            del weight
    with pytest.raises(ParameterError, match="with sample_weight if there was one"):
        model.stability(n=1)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas, lambda X: pl.from_pandas(X).to_arrow()])
def test_frames_of_every_kind_are_found_again(make: Any) -> None:
    X, y = noisy_table(100)
    frame = make(X)
    assert R2NClassifier(**QUICK).fit(frame, y).stability(n=1).resamples == 1


# -- bad input and Ctrl-C ----------------------------------------------------------------------------


@pytest.mark.parametrize("n", [0, -1, 1.5, True, "many", None])
def test_odd_numbers_of_resamples_are_refused(n: Any) -> None:
    X, y = noisy_table(100)
    with pytest.raises(ParameterError, match="n must be a whole number of at least 1, not"):
        R2NClassifier(**QUICK).fit(X, y).stability(n=n)
    with pytest.raises(NotFittedError):
        R2NClassifier().stability()


def test_other_rows_than_those_of_the_fit_are_refused() -> None:
    X, y = noisy_table(100)
    model = R2NClassifier(**QUICK).fit(X, y)
    for odd in ({"X": X}, {"y": y}, {"sample_weight": np.ones(100)}, {"y": y, "sample_weight": np.ones(100)}):
        with pytest.raises(ParameterError, match="takes X and y together, and sample_weight with them"):
            model.stability(**odd)
    for other in (X.drop(columns="c"), X.assign(d=1.0), X.rename(columns={"c": "d"})):
        with pytest.raises(SchemaError, match=r"X has other columns than at fit, such as '[cd]'"):
            model.stability(1, other, y)
    with pytest.raises(SchemaError, match=r"y holds other classes than at fit: \['low', 'mid'\], not"):
        model.stability(1, X, np.where(y == "top", "mid", y))
    with pytest.raises(SchemaError, match="the table has 100 rows but y has 99 labels"):
        model.stability(1, X, y[1:])
    with pytest.raises(ParameterError, match=r"sample_weight.shape == \(3,\), expected \(100,\)"):
        model.stability(1, X, y, np.ones(3))


@pytest.mark.slow
def test_a_ctrl_c_ends_with_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy_table(200)
    y = np.where(y == "low", "low", "other")  # a name holds it
    model = R2NClassifier(**QUICK).fit(X, y)
    whole = [model.stability(n=k) for k in (1, 2)]
    for stage, done in (
        ("r2n.search.explore.carry_out", 1),  # within the second fit, which has something: it does not count
        ("r2n.learn.pipeline.screen_columns", 1),  # before it has anything
        ("r2n.learn.picks.count_rules", 2),  # once all of its rules were found
    ):
        with monkeypatch.context() as patch:
            calls_of_a_fit = count_calls(model, stage)
            pressing(patch, stage, calls_of_a_fit + 1)
            with pytest.warns(Interrupted, match=f"interrupted after {done} of 5 resamples") as caught:
                found = model.stability(n=5)
        assert caught[0].filename == __file__
        assert repr(found) == repr(whole[done - 1])
    with monkeypatch.context() as patch:
        pressing(patch, "r2n.learn.pipeline.screen_columns")
        with pytest.raises(KeyboardInterrupt):
            model.stability(n=5)
    assert model.stability(n=1).resamples == 1


def count_calls(model: R2NClassifier, target: str) -> int:
    """How often the first of the resamples calls it."""
    from importlib import import_module

    module, name = target.rsplit(".", 1)
    real, calls = getattr(import_module(module), name), []

    def counted(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        return real(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(target, counted)
        model.stability(n=1)
    return len(calls)


def test_a_ctrl_c_while_others_work_ends_them(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = noisy_table(200)
    y = np.where(y == "low", "low", "other")  # a name holds it
    model = R2NClassifier(**QUICK, n_jobs=2).fit(X, y)
    real = RunsBar.update

    def impatient(bar: Any, done: int) -> None:
        real(bar, done)
        press()

    monkeypatch.setattr(RunsBar, "update", impatient)
    with pytest.warns(Interrupted, match="interrupted after 1 of 6 resamples"):
        found = model.stability(n=6)
    assert found.resamples == 1
