"""A teacher that the user gives: its probabilities take the labels' place, and nothing of it stays."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.tree import DecisionTreeClassifier

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.errors import ParameterError
from r2n.search import teach

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}
TRUE = RuleSet.parse("True if a > 0.3 and b < 0.6 else False")


def rows(n: int = 1_500, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table; a teacher's probabilities, by a rule; and labels that a third of the rows have wrong."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 3)), columns=["a", "b", "c"])
    truth = TRUE.truth(X)
    return X, np.where(truth, 0.9, 0.2), np.where(rng.random(n) < 1 / 3, ~truth, truth)


class Asked:
    """A classifier that keeps what it was asked, and says what it was told to."""

    def __init__(self, classes: Any, said: np.ndarray) -> None:
        self.classes_, self.said = np.array(classes), said
        self.asked: list[Any] = []

    def predict_proba(self, X: Any) -> np.ndarray:
        self.asked.append(X)
        return self.said


def test_the_rules_say_what_the_teacher_does_not_what_the_labels_do() -> None:
    X, p, y = rows()
    model = R2NClassifier(**QUICK, teacher=p).fit(X, y)
    assert np.mean(model.predict(X) == TRUE.truth(X)) > 0.995
    assert model.fidelity_ == pytest.approx(np.mean(model.predict(X) == TRUE.truth(X)), abs=0.01)
    assert model.teacher_used_ == (True,)
    assert 0.6 < model.front_[-1].held_out_score < 0.73  # on true labels, a third of which are wrong
    assert R2NClassifier(**QUICK).fit(X, y).fidelity_ is None


def test_the_network_learns_from_the_teacher_too() -> None:
    X, p, y = rows()
    short = NetworkSettings(epochs=60, restarts=1, gamma=0.9)
    model = R2NClassifier(network=short, effort="quick", teacher=p, random_state=0).fit(X, y)
    assert min(record.error[0] for record in model.history_) < 0.1  # against the labels a third would be wrong


def test_nothing_is_asked_of_boosting(monkeypatch: pytest.MonkeyPatch) -> None:
    X, p, y = rows()
    monkeypatch.setattr(teach, "clean_labels", None)
    R2NClassifier(**QUICK, teacher=p).fit(X, y)


@pytest.mark.parametrize("given", ["array", "columns", "list", "series", "classifier"])
def test_every_form_gives_the_same_rules(given: str) -> None:
    X, p, y = rows()
    both = np.column_stack([1 - p, p])
    teacher: Any = {
        "array": p, "columns": both, "list": p.tolist(), "series": pd.Series(p, index=range(5, 5 + len(p))),
        "classifier": Asked([False, True], both),
    }[given]  # fmt: skip
    model = R2NClassifier(**QUICK, teacher=teacher).fit(X, y)
    assert model.rules_ == R2NClassifier(**QUICK, teacher=p).fit(X, y).rules_
    if given == "classifier":
        assert len(teacher.asked) == 1
        assert teacher.asked[0] is X  # exactly as it was given


def test_the_positive_class_and_the_order_of_classes_stay_aligned() -> None:
    X, p, y = rows()
    labels = np.where(y, "yes", "no")
    usual = R2NClassifier(**QUICK, teacher=p).fit(X, labels)
    turned = R2NClassifier(**QUICK, teacher=1 - p, positive="no").fit(X, labels)
    classifier = Asked(["yes", "no"], np.column_stack([p, 1 - p]))  # not sorted
    assert R2NClassifier(**QUICK, teacher=classifier).fit(X, labels).rules_ == usual.rules_
    assert R2NClassifier(**QUICK, teacher=classifier, positive="no").fit(X, labels).rules_ == turned.rules_
    assert np.mean(turned.predict(X) == usual.predict(X)) > 0.99


def test_rows_and_labels_that_are_dropped_stay_aligned() -> None:
    X, p, y = rows()
    labels = np.where(y, "yes", "no").astype(object)
    more = pd.concat([X.iloc[:40] + 50.0, X], ignore_index=True)
    weight = np.r_[np.zeros(40), np.ones(len(X))]
    every = np.r_[np.full(40, "gone", dtype=object), labels]
    usual = R2NClassifier(**QUICK, teacher=p).fit(X, labels)
    one = R2NClassifier(**QUICK, teacher=np.r_[np.full(40, np.nan), p]).fit(more, every, weight)
    # Of the class that is dropped nothing is left: the others share what it had.
    half = np.column_stack([np.full(len(p), 0.5), (1 - p) / 2, p / 2])
    columns = np.r_[np.full((40, 3), np.nan), half]
    several = R2NClassifier(**QUICK, teacher=columns).fit(more, every, weight)
    knows_more = Asked(["gone", "no", "yes"], half)
    assert one.rules_ == several.rules_ == usual.rules_
    assert R2NClassifier(**QUICK, teacher=knows_more).fit(X, labels).rules_ == usual.rules_


def test_several_classes_are_distilled() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((1_500, 2)), columns=["a", "b"])
    true = np.where(X["a"] > 0.6, "high", np.where(X["b"] > 0.5, "middle", "low"))
    y = np.where(rng.random(len(X)) < 0.3, rng.choice(["high", "low", "middle"], len(X)), true)
    teacher = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, true)
    model = R2NClassifier(**QUICK, teacher=teacher).fit(X, y)
    assert model.teacher_used_ == ("high", "low", "middle")
    assert (model.fidelity_ or 0.0) > 0.97
    assert np.mean(model.predict(X) == true) > 0.97
    assert model.pick(0).fidelity_ is None


def test_each_point_of_the_front_has_its_fidelity() -> None:
    X, p, y = rows()
    model = R2NClassifier(**QUICK, teacher=p).fit(X, y)
    found = [model.pick(i).fidelity_ or 0.0 for i in range(len(model.front_))]
    assert found[0] < max(found)
    assert found[model.chosen_[0]] == model.fidelity_
    assert found[model.chosen_[0]] >= max(found) - 0.02


@pytest.mark.slow
def test_a_frozen_classifier_survives_cross_validation() -> None:
    X, _, y = rows(600)
    tree = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, TRUE.truth(X))
    model = R2NClassifier(**QUICK, teacher=FrozenEstimator(tree))
    assert cross_val_score(model, X, TRUE.truth(X), cv=2).min() > 0.9
    search = GridSearchCV(model, {"max_rules": [1, 2]}, cv=2).fit(X, y)
    assert search.best_estimator_.fidelity_ > 0.95
    with pytest.raises(ParameterError, match=r"not fitted: it has no classes_.*FrozenEstimator"):
        clone(R2NClassifier(**QUICK, teacher=tree)).fit(X, y)
    plain = GridSearchCV(R2NClassifier(**QUICK), {"teacher": [None, False]}, cv=2).fit(X, y)
    assert plain.best_params_["teacher"] in (None, False)


def test_predicting_needs_no_teacher_and_nothing_but_the_parameter_holds_it() -> None:
    X, p, y = rows(600)
    said = np.column_stack([1 - p, p])
    model = R2NClassifier(**QUICK, teacher=Asked([False, True], said)).fit(X, y)
    assert model.get_params()["teacher"] is model.teacher
    fitted = {name: value for name, value in vars(model).items() if name.endswith("_") or name.startswith("_")}
    assert said[:50].tobytes() not in pickle.dumps(fitted)
    assert b"Asked" not in pickle.dumps(fitted)
    expected = model.predict_proba(X)
    model.teacher = None
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(X), expected)


@pytest.mark.parametrize(
    ("teacher", "words"),
    [
        ("boosting", "teacher must be None, True, False, a fitted classifier"),
        (0.5, "teacher must be None, True, False, a fitted classifier"),
        (DecisionTreeClassifier, "teacher must be None, True, False, a fitted classifier"),
        (DecisionTreeClassifier(), "teacher, a DecisionTreeClassifier, is not fitted"),
        (np.full(7, 0.5), "teacher has probabilities of 7 rows, but X has 60 rows"),
        (np.full((60, 3), 1 / 3), r"teacher gives probabilities of shape \(60, 3\), expected \(60, 2\) or \(60,\)"),
        (np.full((60, 2, 1), 0.5), "teacher gives probabilities of shape"),
        (np.r_[1.5, np.full(59, 0.5)], "teacher gives 1.5 in row 0. Probabilities are from 0 to 1"),
        (np.r_[np.full(59, 0.5), np.nan], "teacher gives nan in row 59"),
        (np.full((60, 2), 0.7), "the probabilities in row 0 add up to 1.4"),
        (["often"] * 60, "teacher must hold probabilities"),
        (Asked(["a", "b"], np.full((60, 2), 0.5)), r"teacher knows the classes \['a', 'b'\], but y holds 'no'"),
        (Asked(["no", "yes"], np.full((9, 2), 0.5)), "teacher has probabilities of 9 rows"),
        (Asked(["no", "yes"], np.full(60, 0.5)), r"teacher gives probabilities of shape \(60,\), expected \(60, 2\)"),
    ],
)
def test_what_cannot_teach_is_refused_before_any_work(teacher: Any, words: str) -> None:
    X = pd.DataFrame({"a": np.arange(60.0)})
    model = R2NClassifier(**QUICK, teacher=teacher)
    with pytest.raises(ParameterError, match=words):
        model.fit(X, ["no", "yes"] * 30)
    assert not hasattr(model, "rules_")


def test_a_teacher_that_takes_another_table_says_so() -> None:
    X, _, y = rows(600)
    teacher = HistGradientBoostingClassifier(max_iter=2).fit(X[["a", "b"]], y)
    with pytest.raises(ParameterError, match="teacher, a HistGradientBoostingClassifier, cannot be asked about X"):
        R2NClassifier(**QUICK, teacher=teacher).fit(X, y)


def test_one_probability_a_row_says_too_little_of_three_classes() -> None:
    X, p, _ = rows(600)
    with pytest.raises(ParameterError, match="one probability a row, but y holds 3 classes"):
        R2NClassifier(**QUICK, teacher=p).fit(X, ["a", "b", "c"] * 200)


def test_without_a_search_nothing_is_distilled() -> None:
    X, p, y = rows(600)
    with pytest.raises(ParameterError, match="teacher is distilled by refinement"):
        R2NClassifier(effort="none", teacher=p).fit(X, y)
