"""The probabilities of a fitted model, of its rules, and of the rules in its file are one, to the last bit."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r2n import R2NClassifier, RuleSet, load
from r2n.errors import ParameterError

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "teacher": False, "random_state": 0}


def noisy_table(n_rows: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n_rows, 2)), columns=["a", "b"])
    X["z"] = rng.choice(["p", "q", "r"], n_rows)
    score = X.b + X.a * (X.z == "p") + 0.5 * rng.normal(size=n_rows)
    X.loc[::7, "a"], X.loc[::11, "z"] = np.nan, None
    return X, np.digitize(score, [-0.4, 0.6])


TWO = {
    "texts": lambda y: np.where(y > 0, "yes", "no"),
    "Booleans": lambda y: y > 0,
    "numbers": lambda y: np.where(y > 0, 10, 9),
    "floats": lambda y: np.where(y > 0, 1.0, -1.0),
}
THREE = {
    "three texts": lambda y: np.array(["top", "mid", "low"])[y],
    "three numbers": lambda y: np.array([100, 20, 3])[y],
}
WEIGHTS: dict[str, tuple[Any, Any]] = {
    "none": (None, None),
    "fractions": (lambda n: np.random.default_rng(2).random(n) * 3, None),
    "some zero": (lambda n: np.arange(n) % 3, None),
    "balanced": (None, "balanced"),
    "both": (lambda n: 0.1 + np.arange(n) % 5, "balanced"),
}


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("labels", [*TWO, *THREE])
def test_they_are_the_same_wherever_they_are_asked(labels: str, weights: str, tmp_path: Path) -> None:
    X, codes = noisy_table()
    y = {**TWO, **THREE}[labels](codes)
    make, class_weight = WEIGHTS[weights]
    sample_weight = None if make is None else make(len(y))
    model = R2NClassifier(**QUICK, class_weight=class_weight).fit(X, y, sample_weight)
    for each in [model, model.pick(0), model.pick(-1), pickle.loads(pickle.dumps(model.pick(1)))]:
        assert list(each.rules_.classes) == each.classes_.tolist()
        each.rules_.save(tmp_path / "model.json")
        loaded = load(tmp_path / "model.json")
        found = each.predict_proba(X)
        assert found.shape == (len(y), len(model.classes_))
        np.testing.assert_array_equal(loaded.predict_proba(X), found)
        np.testing.assert_array_equal(loaded.predict_proba(X.to_dict("list")), found)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(each.rules_)).predict_proba(X), found)
        np.testing.assert_array_equal(each.classes_[found.argmax(axis=1)], each.predict(X))
        if class_weight is None and weights != "fractions":
            np.testing.assert_allclose(each.rules_.counted(X, y, sample_weight).predict_proba(X), found, rtol=1e-12)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_columns_stay_whichever_class_has_the_rules(positive: str, tmp_path: Path) -> None:
    X, codes = noisy_table()
    y = np.where(codes > 0, "yes", "no")
    model = R2NClassifier(**QUICK, positive=positive).fit(X, y)
    model.rules_.save(tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").predict_proba(X), model.predict_proba(X))
    assert (model.predict_proba(X)[:, 1] > 0.5).tolist() == (model.predict(X) == "yes").tolist()


def test_an_edited_model_has_no_probabilities_until_it_is_counted() -> None:
    X, codes = noisy_table()
    model = R2NClassifier(**QUICK).fit(X, codes > 0)
    assert isinstance(model.rules_, RuleSet)
    edited = model.rules_.with_rule("a > 2.5")
    with pytest.raises(ParameterError, match="changed since they were counted"):
        edited.predict_proba(X)
    found = edited.counted(X, codes > 0).predict_proba(X)
    assert ((found[:, 1] > 0.5) == edited.predict(X)).all()
