"""The teacher: no row is judged by a model that saw it, and it is used only where labels are noisy."""

import time
from math import inf
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.search import Labelled
from r2n.search.plan import FOLDS, TEACHER_MIX
from r2n.search.teacher import Cleaned, Features, Lesson, clean_labels, score_brier, share_lessons
from r2n.table import Schema


def labels_of(
    flip: float, wanted: bool | None, n: int = 1_500, until: float = inf
) -> tuple[np.ndarray, np.ndarray, Cleaned]:
    known = example(4)
    X, y = known.sample(n, random_state=0, flip=flip)
    clean = known.rules.truth(X)
    schema, table = Schema.learn(X)
    half = n // 2
    rows = Labelled(table, y, np.ones(n))
    parts = rows.take(np.arange(half)), rows.take(np.arange(half, n))
    return y[:half], clean[:half], clean_labels(*parts, schema, wanted, seed=0, until=until)


def test_a_teacher_is_asked_only_where_the_labels_are_noisy() -> None:
    y, _, sharp = labels_of(flip=0.0, wanted=None, n=8_000)
    np.testing.assert_array_equal(sharp.fit, y)
    y, _, noisy = labels_of(flip=0.2, wanted=None, n=4_000)
    assert not np.array_equal(noisy.fit, y)
    y, _, refused = labels_of(flip=0.2, wanted=False)
    np.testing.assert_array_equal(refused.fit, y)
    y, _, forced = labels_of(flip=0.0, wanted=True)
    assert not np.array_equal(forced.fit, y)


def test_it_is_asked_only_where_there_is_time() -> None:
    y, _, late = labels_of(flip=0.1, wanted=None, until=time.monotonic())
    np.testing.assert_array_equal(late.fit, y)
    assert not late.taught
    _, _, unhurried = labels_of(flip=0.1, wanted=None)
    for wanted, until in ((None, time.monotonic() + 600), (True, time.monotonic())):
        _, _, timed = labels_of(flip=0.1, wanted=wanted, until=until)
        assert timed.taught
        np.testing.assert_array_equal(timed.fit, unhurried.fit)
        np.testing.assert_array_equal(timed.others, unhurried.others)


def test_its_opinion_is_nearer_to_the_truth_than_the_labels_are() -> None:
    y, clean, noisy = labels_of(flip=0.2, wanted=True, n=4_000)
    opinion = (noisy.fit - (1 - TEACHER_MIX) * y) / TEACHER_MIX
    assert np.mean((opinion > 0.5) == clean) > np.mean(y == clean) + 0.05
    assert ((noisy.fit >= 0) & (noisy.fit <= 1)).all()


def test_a_row_is_not_read_by_a_model_that_saw_its_label() -> None:
    """Labels at random: a model that had seen them would agree with them more often than chance."""
    rng = np.random.default_rng(0)
    X, y = rng.random((1_200, 3)), rng.random(1_200) < 0.5
    schema, table = Schema.learn(X)
    rows = Labelled(table, y, np.ones(1_200))
    mixed = clean_labels(rows.take(np.arange(600)), rows.take(np.arange(600, 1_200)), schema, True, seed=0)
    for target, label in ((mixed.fit, y[:600]), (mixed.others, y[600:])):
        opinion = (target - (1 - TEACHER_MIX) * label) / TEACHER_MIX
        assert np.mean((opinion > 0.5) == label) < 0.58


def test_it_reads_categories_and_missing_values() -> None:
    frame = pd.DataFrame({"x": [1.0, np.nan, 3.0] * 20, "k": ["a", None, "b"] * 20, "e": [np.nan] * 60})
    schema, table = Schema.learn(frame)
    features = Features.of(table, schema)
    assert features.categorical.tolist() == [False, True, False]
    matrix = features.matrix(table.take([0, 1, 2]))
    np.testing.assert_array_equal(np.isnan(matrix), [[False, False, False], [True, True, False], [False, False, False]])
    assert matrix[:, 1].tolist()[::2] == [0.0, 1.0]


def test_of_many_categories_it_reads_the_most_frequent() -> None:
    names = [f"c{k:03d}" for k in range(300)] + ["z"] * 50
    schema, table = Schema.learn({"k": names})
    matrix = Features.of(table, schema).matrix(table)
    assert np.isnan(matrix).sum() == 51
    assert not np.isnan(matrix[-1]).any()


@pytest.mark.parametrize(
    ("teacher", "n"),
    [(True, 800), *(pytest.param(teacher, 2_000, marks=pytest.mark.slow) for teacher in (None, True, False))],
)
def test_scores_are_on_the_labels_as_they_came(teacher: bool | None, n: int) -> None:
    X, y = example(5).sample(n, random_state=0, flip=0.15)
    model = R2NClassifier(teacher=teacher, price=1e-3, random_state=0).fit(X, y)
    best = model.front_[len(model.front_) - 1]
    assert 0.7 < best.train_score < 0.9
    assert 0.7 < best.held_out_score < 0.95


def test_many_rows_are_drawn_from_and_weights_are_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of no weight have labels that contradict: a teacher that read them would err."""
    rng = np.random.default_rng(0)
    X = rng.random((2_000, 2))
    schema, table = Schema.learn(X)
    weight = (rng.random(2_000) < 0.5) + 1e-9
    y = (X[:, 0] > 0.5) ^ (weight < 0.5)
    rows = Labelled(table, y, weight)
    monkeypatch.setattr("r2n.search.teacher.TAUGHT_ROWS", 400)
    mixed = clean_labels(rows, rows.take(np.arange(10)), schema, True, seed=0)
    opinion = (mixed.fit - (1 - TEACHER_MIX) * y) / TEACHER_MIX
    assert np.mean((opinion > 0.5) == (X[:, 0] > 0.5)) > 0.95


def test_it_is_not_asked_where_a_line_knows_more() -> None:
    """A sum of many columns, few rows: boosting is farther from the labels than a logistic fit."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000, 20))
    y = X.sum(axis=1) + rng.normal(scale=3.0, size=1_000) > 0
    schema, table = Schema.learn(X)
    rows = Labelled(table, y, np.ones(1_000))
    heard = clean_labels(rows, rows.take(np.arange(0)), schema, None, seed=0)
    assert (heard.taught, heard.noisy) == (False, True)
    np.testing.assert_array_equal(heard.fit, y)
    assert clean_labels(rows, rows.take(np.arange(0)), schema, True, seed=0).taught


def test_where_a_line_knows_more_than_boosting_the_two_are_asked_together() -> None:
    """A slope and a step, much noise: a line errs on the step, boosting on the slope."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_500, 10))
    score = X[:, :8].sum(axis=1) + 6.0 * ((X[:, 8] > 0) & (X[:, 9] > 0)) + rng.normal(scale=3.0, size=1_500)
    schema, table = Schema.learn(X)
    every = Labelled(table, score > np.median(score), np.ones(1_500))
    rows, judges = every.take(np.arange(1_000)), every.take(np.arange(1_000, 1_500))
    heard = clean_labels(rows, judges, schema, None, seed=0)
    assert heard.taught
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(rows.truth, rows.truth)
    lessons = share_lessons(rows, judges.table, folds, Features.of(rows.table, schema), 0)
    boosted, line = (
        np.mean([each.others for each in opinions], axis=0)
        for opinions in ([one.opinion() for one in lessons], [one.logistic_opinion() for one in lessons])
    )
    opinion = (heard.others - (1 - TEACHER_MIX) * judges.truth) / TEACHER_MIX
    np.testing.assert_allclose(opinion, (boosted + line) / 2, atol=1e-9)
    assert score_brier(opinion, judges) < min(score_brier(boosted, judges), score_brier(line, judges))


@pytest.mark.slow
@pytest.mark.parametrize("wanted", [None, True])
def test_it_never_turns_over_most_of_a_class(wanted: bool | None) -> None:
    """3 % of the rows, weighed as much as the others: boosting misses most of them out of fold."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 10))
    rare = np.argsort(-(X[:, 0] + rng.normal(scale=1.5, size=2_000)))[:60]
    y = np.isin(np.arange(2_000), rare)
    schema, table = Schema.learn(X)
    rows = Labelled(table, y, np.where(y, 2_000 / 120, 2_000 / 3_880))
    none = table.take(np.arange(0))
    lesson = Lesson(rows, np.arange(2_000)[::2], np.arange(2_000)[1::2], none, Features.of(table, schema), 0)
    missed = TEACHER_MIX * lesson.opinion().unseen + (1 - TEACHER_MIX) * y[1::2] < 0.5
    assert np.mean(missed[y[1::2]]) > 0.5  # boosting alone would
    heard = clean_labels(rows, rows.take(np.arange(0)), schema, wanted, seed=0)
    assert np.mean(heard.fit[y] < 0.5) < 0.5
    assert heard.taught == (wanted is True)  # a line is nearer to these labels, so unasked nobody teaches


def test_clean_labels_that_boosting_errs_on_are_fitted_as_they_are() -> None:
    """A slope in eight columns: boosting errs on more than 5 % of the rows, though no label is wrong."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_500, 8))
    y = X @ [1, -1, 1, -1, 1, -1, 1, -1] > 0.5
    quick: dict[str, Any] = {"max_columns": None, "network": NetworkSettings(restarts=2, epochs=60), "random_state": 0}
    model = R2NClassifier(**quick).fit(X[:1_000], y[:1_000])
    assert model.score(X[1_000:], y[1_000:]) > 0.985
