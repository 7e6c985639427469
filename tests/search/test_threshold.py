"""What a miss costs: the law that a threshold is a weight of classes, and what it does to rules and probabilities."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import R2NClassifier, load
from r2n.datasets import example
from r2n.errors import ModelFileError, ParameterError
from r2n.search import EVEN, Caps, Labelled, Prices, Problem, weigh
from r2n.search.threshold import lean
from r2n.table import Schema

thresholds = st.floats(0.01, 0.99)


def some_rows(n: int = 12) -> tuple[Schema, Labelled]:
    rng = np.random.default_rng(0)
    schema, table = Schema.learn({"x": rng.random(n)})
    return schema, Labelled(table, rng.random(n) < 0.4, rng.integers(1, 4, n).astype(float))


@given(thresholds, st.lists(st.floats(0, 1), min_size=12, max_size=12))
def test_calling_a_row_positive_costs_twice_its_weight_times_how_far_it_lies_below_the_threshold(
    threshold: float, target: list[float]
) -> None:
    _, rows = some_rows()
    p = np.array(target)
    weighed, labels = lean(rows, p, threshold)
    assert weighed.weight * (1 - 2 * labels) == pytest.approx(2 * rows.weight * (threshold - p), abs=1e-12)
    assert ((labels >= 0) & (labels <= 1)).all()


def test_at_one_half_nothing_changes() -> None:
    _, rows = some_rows()
    target = np.linspace(0, 1, 12)
    assert lean(rows, target, EVEN) == (rows, target)


@given(thresholds)
def test_the_class_weights_that_say_the_same_give_the_same_costs(threshold: float) -> None:
    schema, rows = some_rows()
    by_class = np.where(rows.truth, 2.0 * (1.0 - threshold), 2.0 * threshold)
    truth = rows.truth.astype(float)
    problems = [
        Problem.of(rows.table, schema, truth, weight, Prices.of(1e-3), Caps())
        for weight in (weigh(rows, threshold).weight, rows.weight * by_class)
    ]
    assert np.array_equal(problems[0].cost, problems[1].cost)
    assert (problems[0].floor, problems[0].total) == (problems[1].floor, problems[1].total)


def risky(n: int = 3_000, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The chance of a yes is x, so a threshold t is met by the rule x > t."""
    x = np.random.default_rng(seed).random((n, 2))
    return x, np.where(np.random.default_rng(seed + 1).random(n) < x[:, 0], "yes", "no")


@pytest.mark.parametrize("threshold", [0.1, 0.3, 0.8])
@pytest.mark.parametrize("teacher", [False, True])
def test_rules_say_yes_from_the_threshold_on(threshold: float, teacher: bool) -> None:
    X, y = risky()
    m = R2NClassifier(network=None, threshold=threshold, teacher=teacher, random_state=0).fit(X, y)
    fresh, _ = risky(seed=7)
    flagged = m.predict(fresh) == "yes"
    assert np.mean(flagged == (fresh[:, 0] > threshold)) > 0.93
    positives = m.predict_proba(fresh)[:, 1]
    assert np.array_equal(positives > threshold, flagged)
    assert positives[flagged].mean() == pytest.approx((1 + threshold) / 2, abs=0.08)  # honest, not pushed past one half


def test_a_miss_that_costs_four_false_alarms_is_a_threshold_of_a_fifth() -> None:
    X, y = risky(800)
    kept = {"network": None, "effort": "quick", "random_state": 0}
    assert R2NClassifier(miss_cost=4, **kept).fit(X, y).rules_ == R2NClassifier(threshold=0.2, **kept).fit(X, y).rules_


@pytest.mark.parametrize("settings", [{"threshold": 0.5}, {"miss_cost": 1}])
@pytest.mark.parametrize("teacher", [None, True])
def test_one_half_is_the_learner_without_a_threshold(settings: dict[str, float], teacher: bool | None) -> None:
    X, y = example(4).sample(600, random_state=0, flip=0.02)
    one, other = (
        R2NClassifier(network=None, teacher=teacher, random_state=0, **own).fit(X, y) for own in ({}, settings)
    )
    assert one.rules_ == other.rules_
    assert one.front_ == other.front_
    assert np.array_equal(one.predict_proba(X), other.predict_proba(X))


def test_the_network_alone_weighs_a_miss_too() -> None:
    X, y = risky(1_500)
    low, high = (
        R2NClassifier(effort="none", threshold=threshold, random_state=0).fit(X, y).predict(X)
        for threshold in (0.2, 0.8)
    )
    assert np.mean(low == "yes") > np.mean(high == "yes") + 0.3


def test_the_model_file_keeps_the_threshold(tmp_path) -> None:  # type: ignore[no-untyped-def]
    X, y = risky(800)
    m = R2NClassifier(network=None, effort="quick", threshold=0.2, random_state=0).fit(X, y)
    m.rules_.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert np.array_equal(again.predict_proba({"x0": X[:, 0], "x1": X[:, 1]}), m.predict_proba(X))
    text = (tmp_path / "model.json").read_text()
    assert '"threshold": 0.2' in text
    for bad in ("0", "1.5", '"a"'):
        (tmp_path / "bad.json").write_text(text.replace('"threshold": 0.2', f'"threshold": {bad}'))
        with pytest.raises(ModelFileError):
            load(tmp_path / "bad.json")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"threshold": 0.2, "miss_cost": 4}, "say the same"),
        ({"threshold": 0}, "between 0 and 1"),
        ({"threshold": "low"}, "between 0 and 1"),
        ({"miss_cost": 0}, "miss_cost must be"),
    ],
)
def test_what_has_no_meaning_is_refused(settings: dict[str, object], words: str) -> None:
    X, y = risky(100)
    with pytest.raises(ParameterError, match=words):
        R2NClassifier(**settings).fit(X, y)


@pytest.mark.parametrize("name", ["threshold", "miss_cost"])
def test_several_classes_have_no_threshold(name: str) -> None:
    X, _ = risky(90)
    with pytest.raises(ParameterError, match=f"{name} is for two classes, but y holds 3"):
        R2NClassifier(**{name: 0.2}).fit(X, np.arange(90) % 3)
