"""Bounds on the gap between groups, on rows held out."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import R2NClassifier
from r2n.errors import GapNotKept, ParameterError
from r2n.search.bounds import Bound

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}


def biased(n: int = 6_000, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """One group has more income, and so more positives; a second column goes with the group."""
    rng = np.random.default_rng(seed)
    m = rng.random(n) < 0.6
    X = pd.DataFrame(
        {
            "income": rng.normal(size=n) + 0.8 * m,
            "skill": rng.normal(size=n),
            "height": rng.normal(size=n) + 2.0 * m,
            "sex": np.where(m, "m", "f"),
        }
    )
    chance = 1 / (1 + np.exp(-3 * (X["income"] + X["skill"] - 0.7)))
    return X, np.where(rng.random(n) < chance, "yes", "no")


def gap_of(model: R2NClassifier, X: pd.DataFrame, y: np.ndarray | None = None) -> float:
    among = np.ones(len(X), dtype=bool) if y is None else y == "yes"
    said = (model.predict(X) == "yes")[among]
    m = (X["sex"] == "m").to_numpy()[among]
    return abs(float(said[m].mean() - said[~m].mean()))


@pytest.fixture(scope="module")
def plain() -> R2NClassifier:
    X, y = biased()
    return R2NClassifier(**QUICK, teacher=False, groups=["sex"]).fit(X, y)


@pytest.mark.parametrize("teacher", [False, True])
def test_the_gap_in_selection_is_kept_on_rows_never_seen(plain: R2NClassifier, teacher: bool) -> None:
    X, y = biased()
    others, true = biased(seed=1)
    assert gap_of(plain, others) > 0.2
    model = R2NClassifier(**QUICK, teacher=teacher, max_gap={"sex": 0.1}).fit(X, y)
    assert model.groups_.gap("sex") <= 0.1
    assert gap_of(model, others) <= 0.1
    assert model.score(others, true) > plain.score(others, true) - 0.06
    assert model.rules_.size > 0


def test_every_point_of_the_front_keeps_it() -> None:
    X, y = biased()
    model = R2NClassifier(**QUICK, teacher=False, max_gap={"sex": 0.1}).fit(X, y)
    assert len(model.front_) > 1
    for i in range(len(model.front_)):
        assert model.pick(i).groups_.gap("sex") <= 0.1


def test_the_gap_in_recall_is_kept_and_the_column_may_be_excluded() -> None:
    X, y = biased(12_000)
    others, true = biased(12_000, seed=1)
    usual = {**QUICK, "teacher": False, "exclude": ["sex"]}
    assert gap_of(R2NClassifier(**usual).fit(X, y), others, true) > 0.07
    model = R2NClassifier(**usual, max_gap={"sex": 0.06}, gap="recall").fit(X, y)
    assert model.groups_.gap("sex", "recall") <= 0.06
    assert gap_of(model, others, true) <= 0.06
    assert "sex" not in model.rules_.columns


def test_looking_at_groups_changes_no_rule_and_keeps_no_row(plain: R2NClassifier) -> None:
    X, y = biased()
    usual = R2NClassifier(**QUICK, teacher=False).fit(X, y)
    assert usual.rules_ == plain.rules_
    assert usual.groups_ is None
    held_out = [each.rows for each in plain.groups_.shares]
    assert sum(held_out) == round(0.2 * len(X))
    assert len(pickle.dumps(plain)) < len(pickle.dumps(usual)) + 20_000


def test_the_same_seed_gives_the_same_rules() -> None:
    X, y = biased(2_000)
    given = {**QUICK, "max_gap": {"sex": 0.15}}
    assert R2NClassifier(**given).fit(X, y).rules_ == R2NClassifier(**given).fit(X, y).rules_


def test_where_few_rows_promise_nothing_what_was_reached_is_told() -> None:
    X, y = biased(600)
    X["group"] = np.where(np.arange(600) % 30 == 0, "few", "many")
    with pytest.warns(GapNotKept, match=r"Reached in selection: 0\.\d+ between groups of 'group' \(max_gap 0\.3\)"):
        model = R2NClassifier(**QUICK, teacher=False, max_gap={"group": 0.3}).fit(X, y)
    assert model.groups_.gap("group") <= 0.3
    assert model.rules_.size > 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"max_gap": {"sex": 0.0}}, "max_gap must be None or a dict of columns"),
        ({"max_gap": {"sex": 0.1}, "gap": "precision"}, "gap must be one of 'selection', 'recall'"),
        ({"max_gap": {"sexx": 0.1}}, "column 'sexx'"),
        ({"groups": "sex"}, "groups must be None or a collection of column names"),
        ({"groups": ["name"]}, "column 'name' has 300 values"),
        ({"max_gap": {"one": 0.1}}, "column 'one' has one group only"),
        ({"max_gap": {"sex": 0.1}, "effort": "none"}, "max_gap is kept by refinement"),
    ],
)
def test_what_no_bound_can_mean_is_refused(given: dict[str, Any], words: str) -> None:
    X, y = biased(300)
    X = X.assign(name=[f"n{i}" for i in range(300)], one="a")
    with pytest.raises(ParameterError, match=words):
        R2NClassifier(**{"effort": "quick", "exclude": ["name"], **given}).fit(X, y)


def test_of_several_classes_groups_are_shown_and_not_bounded() -> None:
    X, _ = biased(600)
    y = np.array(["low", "middle", "high"])[np.digitize(X["income"], [-0.2, 0.9])]
    with pytest.raises(ParameterError, match="max_gap is for two classes, but y holds 3"):
        R2NClassifier(**QUICK, max_gap={"sex": 0.1}).fit(X, y)
    model = R2NClassifier(**QUICK, groups=["sex"]).fit(X, y)
    assert {each.label for each in model.groups_.shares} == {"low", "middle", "high"}


def test_weights_of_classes_are_none_of_rows() -> None:
    """A gap is between shares of people, whatever a miss costs."""
    X, y = biased(2_000)
    model = R2NClassifier(**QUICK, class_weight={"yes": 5, "no": 1}, groups=["sex"], validation_fraction=0).fit(X, y)
    assert model.groups_.gap("sex") == pytest.approx(gap_of(model, X))


# -- the price on the gap ------------------------------------------------------------------------------

rates = st.floats(-2, 2).map(lambda price: round(price, 3))


@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.integers(1, 5), st.integers(0, 3)), min_size=3), rates)
def test_shifted_labels_cost_what_the_shares_cost(rows: list[tuple[int, bool, int, int]], price: float) -> None:
    """Σ w·(1 - 2y) over the predicted rows rises by the prices of the groups' shares, in units of error."""
    codes, said, weight, own = (np.array(each) for each in zip(*rows, strict=True))
    said, bound = said.astype(bool), Bound(codes.astype(np.intp), own.astype(float), 3, most=0.1)
    prices = np.array([price, -price, price / 2])
    shift = bound.shift(prices, weight.astype(float))
    added = float(np.sum(-2.0 * weight[said] * shift[said])) / weight.sum()
    assert added == pytest.approx(float(prices @ np.nan_to_num(bound.shares(said))))


def test_few_rows_promise_little() -> None:
    said = np.array([True, False] * 3)
    few, many = (Bound(np.tile([0, 0, 1], 2 * n), np.ones(6 * n), 2, 0.1) for n in (1, 100))
    assert few.gap(said) == many.gap(np.tile(said, 100))
    assert few.gap(said, 2.0) > many.gap(np.tile(said, 100), 2.0) > many.gap(np.tile(said, 100))
    never = np.zeros(6, dtype=bool)
    assert few.gap(never) == 0.0
    assert few.gap(never, 2.0) > 0.1  # nobody of few was selected: that is not certain
