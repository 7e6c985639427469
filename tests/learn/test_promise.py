"""A promised recall or precision, what each threshold reaches, and scorers that choose."""

import warnings
from dataclasses import replace
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import precision_score, recall_score, roc_auc_score

from r2n import NetworkSettings, R2NClassifier
from r2n.errors import BrokenPromise, ParameterError
from r2n.learn import levels
from r2n.learn.promise import list_thresholds, search_last, split_in_turn
from r2n.learn.tradeoff import OperatingPoint, TradeOff

QUICK = {"network": None, "effort": "quick", "random_state": 0}


def risky(n: int = 3_000, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """One yes in six, whose chance grows with `risk`."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"risk": rng.random(n), "idle": rng.random(n)})
    return frame, np.where(rng.random(n) < 0.6 * frame.risk**3, "yes", "no")


@pytest.fixture(scope="module")
def model() -> R2NClassifier:
    return R2NClassifier(min_recall=0.8, **QUICK).fit(*risky())


def test_a_promised_recall_is_reached_on_new_rows_without_flagging_all(model: R2NClassifier) -> None:
    X, y = risky(20_000, seed=1)
    flagged = model.predict(X)
    assert recall_score(y, flagged, pos_label="yes") >= 0.8
    best = np.mean(X.risk > np.quantile(X.risk[y == "yes"], 0.2))  # what who knows the truth flags
    assert np.mean(flagged == "yes") < best + 0.2


def test_what_was_tried_is_told(model: R2NClassifier) -> None:
    traded = model.trade_off_
    assert traded.chosen is not None
    chosen = traded[traded.chosen]
    assert traded.kept
    assert chosen.lower("recall") >= 0.8
    assert [each.threshold for each in traded] == sorted((each.threshold for each in traded), reverse=True)
    assert all(each.lower("recall") < 0.8 for each in traded if each.threshold > chosen.threshold)
    assert traded.frame().shape == (len(traded), 5)
    assert f"{chosen.recall:.3f} on rows held out" in repr(traded)
    assert repr(traded).count("←") == 1
    assert model.rules_.baseline is not None
    assert model.rules_.baseline.threshold == chosen.threshold


def test_a_promised_precision_is_reached() -> None:
    m = R2NClassifier(min_precision=0.3, **QUICK).fit(*risky())
    X, y = risky(20_000, seed=2)
    flagged = m.predict(X)
    assert precision_score(y, flagged, pos_label="yes") >= 0.3
    assert recall_score(y, flagged, pos_label="yes") > 0.3


def test_what_cannot_be_promised_is_said() -> None:
    X, y = risky(600)
    with pytest.warns(BrokenPromise, match="no threshold that was tried keeps"):
        m = R2NClassifier(min_precision=0.99, **QUICK).fit(X[["idle"]], y)
    assert not m.trade_off_.kept


def test_an_ordinary_fit_has_no_trade_off(model: R2NClassifier) -> None:
    other = clone(model).set_params(min_recall=None)
    assert not hasattr(other.fit(*risky(500)), "trade_off_")


def test_the_trade_off_of_levels_has_a_row_for_each() -> None:
    m = R2NClassifier(levels=4, **QUICK).fit(*risky())
    recalls = [each.recall for each in m.trade_off_]
    assert len(recalls) == len(m.rules_.levels) - 1
    assert recalls == sorted(recalls)
    assert m.trade_off_.chosen is None


def test_it_can_be_drawn(model: R2NClassifier) -> None:
    mpl.use("Agg")
    axes = model.trade_off_.plot()
    assert [line.get_label() for line in axes.get_lines()[:3]] == ["recall", "precision", "flagged"]
    assert axes.get_lines()[0].get_ydata().tolist() == [each.recall for each in model.trade_off_]
    mpl.pyplot.close(axes.figure)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"min_recall": 1.0}, "between 0 and 1"),
        ({"min_recall": 0.9, "min_precision": 0.9}, "min_recall and min_precision each say"),
        ({"min_recall": 0.9, "threshold": 0.2}, "threshold and min_recall each say"),
        ({"min_recall": 0.9, "levels": 3}, "but levels are several"),
        ({"scoring": "roc_auc", "levels": 3}, "but levels are several"),
        ({"scoring": "no such scorer"}, "scikit-learn scorer"),
        ({"scoring": "adjusted_rand"}, "scikit-learn scorer|cannot score"),
        ({"min_recall": 0.9, "effort": "none", "network": NetworkSettings()}, "kept by the search"),
    ],
)
def test_what_has_no_meaning_is_refused(settings: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        R2NClassifier(**{**QUICK, **settings}).fit(*risky(200))


def test_several_classes_cannot_be_promised() -> None:
    X, _ = risky(90)
    with pytest.raises(ParameterError, match="min_recall is for two classes, but y holds 3"):
        R2NClassifier(min_recall=0.9).fit(X, np.arange(90) % 3)


# -- the parts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("last", range(14))
def test_the_last_candidate_that_keeps_is_found(last: int) -> None:
    tried: list[float] = []

    def keeps(candidate: float) -> bool:
        tried.append(candidate)
        return candidate < last

    assert search_last(list(map(float, range(13))), keeps) == float(max(last - 1, 0))
    assert len(tried) == len(set(tried)) <= 5


@pytest.mark.parametrize("what", ["recall", "precision"])
def test_thresholds_promise_ever_less(what: str) -> None:
    rng = np.random.default_rng(0)
    chances = rng.random(2_000) ** 2
    truth = rng.random(2_000) < chances
    found = list_thresholds(what, 0.8, chances, truth, np.ones(2_000))
    assert list(found) == sorted(found, reverse=what == "precision")
    flagged = chances > found[-1]
    reached = truth[flagged].mean() if what == "precision" else flagged[truth].mean()
    assert reached == pytest.approx(0.6, abs=0.02)  # half of what is promised may be missing: down to 1 - 2·0.2


def test_rows_judge_in_turn_until_enough_positives_have() -> None:
    few, many = np.arange(1_000) % 10 == 0, np.arange(20_000) % 2 == 0
    assert sorted(np.concatenate([judges for _, judges in split_in_turn(few, 0)]).tolist()) == list(range(1_000))
    assert len(list(split_in_turn(many, 0))) == 1


def test_outcomes_count_rows() -> None:
    truth, flagged = np.array([1, 1, 0, 0, 0], dtype=bool), np.array([1, 0, 1, 0, 0], dtype=bool)
    outcome = OperatingPoint.count(0.3, flagged, truth, 4)
    assert (outcome.hits, outcome.false_alarms, outcome.misses, outcome.rest) == (1, 1, 1, 2)
    assert (outcome.recall, outcome.precision, outcome.flagged) == (0.5, 0.5, 0.4)
    assert np.isnan(OperatingPoint(0.3, 0, 0, 0, 5, 0).recall)
    assert OperatingPoint(0.3, 0, 0, 0, 5, 0).lower("recall") == 0.0
    assert TradeOff((outcome,)).kept


# -- scorers -------------------------------------------------------------------------------------------


def test_a_scorer_chooses_its_best_point_of_the_front() -> None:
    X, y = risky(2_000)

    def size(rules, table, labels) -> float:  # type: ignore[no-untyped-def]
        assert set(labels) == {0, 1} == set(rules.classes_)
        assert len(rules.predict(table)) == len(labels) == len(rules.predict_proba(table))
        return -abs(rules.rules.size - 2)

    kept = {**QUICK, "teacher": False}
    m = R2NClassifier(scoring=size, **kept).fit(X, y)
    sizes = [point.size for point in m.front_]
    assert sizes[m.chosen_[0]] == min(sizes, key=lambda own: abs(own - 2))


def test_a_scorer_of_ranks_ranks_better_than_a_constant() -> None:
    X, y = risky(2_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = R2NClassifier(**QUICK).fit(X, y)
    m = R2NClassifier(scoring="roc_auc", **QUICK).fit(X, y)
    fresh, truth = risky(5_000, seed=3)
    ours, theirs = (roc_auc_score(truth == "yes", each.predict_proba(fresh)[:, 1]) for each in (m, plain))
    assert ours >= theirs


def test_a_scorer_chooses_for_each_of_several_classes() -> None:
    X, _ = risky(600)
    y = np.digitize(X.risk, [0.3, 0.7])
    m = R2NClassifier(scoring="balanced_accuracy", **QUICK).fit(X, y)
    assert m.score(X, y) > 0.9
    assert len(m.chosen_) == 3


def test_a_ctrl_c_while_thresholds_are_tried_ends_the_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    learn = levels.learn_level

    def cut_short(*given: Any) -> Any:
        return replace(learn(*given), interrupted="interrupted while refining")

    monkeypatch.setattr(levels, "learn_level", cut_short)
    with pytest.raises(KeyboardInterrupt):
        R2NClassifier(min_recall=0.8, **QUICK).fit(*risky(500))


@pytest.mark.parametrize("positives", [1, 2, 6])
@pytest.mark.parametrize("promised", ["min_recall", "min_precision"])
@pytest.mark.parametrize("taught", [False, True])
def test_too_few_rows_of_a_class_can_promise_nothing(positives: int, promised: str, taught: bool) -> None:
    X, _ = risky(200)
    y = np.where(X.risk.rank() > len(X) - positives, "yes", "no")
    teacher = X.risk.to_numpy() if taught else None
    with pytest.raises(ParameterError, match=f"{promised} needs at least 7 rows of each class, and there are"):
        R2NClassifier(teacher=teacher, **{promised: 0.5}, **QUICK).fit(X, y)


def test_seven_rows_of_a_class_are_enough_to_try() -> None:
    X, _ = risky(200)
    y = np.where(X.risk.rank() > len(X) - 7, "yes", "no")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BrokenPromise)
        assert len(R2NClassifier(min_recall=0.5, **QUICK).fit(X, y).trade_off_)


def test_only_the_rules_that_were_fitted_to_a_promise_tell_of_it(model: R2NClassifier) -> None:
    others = [model.pick(i) for i in range(len(model.front_)) if i not in model.chosen_]
    assert others
    assert not any(hasattr(each, "trade_off_") for each in others)
    assert model.pick(*model.chosen_).trade_off_ == model.trade_off_
    X, y = risky(500, seed=4)
    changed = model.update(X, y)
    for name in ("trade_off_", "alternatives_", "front_"):
        assert hasattr(model, name)
        assert not hasattr(changed, name)
    with pytest.raises(ParameterError, match="are gone"):
        changed.stability(n=1)
    assert not hasattr(changed.set_params(min_recall=None).fit(X, y), "updated_")
