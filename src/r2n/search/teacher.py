"""A teacher cleans the labels: what a strong model, that never saw a row, thinks of that row."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from r2n.runtime.threads import use_one_thread
from r2n.runtime.workers import side_by_side
from r2n.search import logistic
from r2n.search.plan import (
    BOOSTING_RATE,
    BOOSTING_ROUNDS,
    EVEN,
    EXTREMES,
    FEWEST_KNOWN,
    FEWEST_OF_A_CLASS,
    FEWEST_TAUGHT_ROWS,
    FITTED_RIDGE,
    FOLDS,
    MOST_HIDDEN,
    NOISY_ERROR,
    PREDICTED_ROWS,
    SMOOTHING_ROWS,
    TAUGHT_CATEGORIES,
    TAUGHT_ROWS,
    TAUGHT_STEPS,
    TEACHER_MIX,
)
from r2n.search.problem import Bools, Floats, Labelled
from r2n.search.threshold import weigh
from r2n.table import Column, Schema, Table, value_key


@dataclass(frozen=True)
class Features:
    """How rows are shown to gradient boosting: numbers as they are, categories by a place, missing as NaN."""

    columns: tuple[Column, ...]
    places: tuple[dict[object, float], ...]  # of the categories, for each column
    hollow: Bools  # columns hardly ever known are left out: boosting fails on one that it sees no value of

    @classmethod
    def of(cls, table: Table, schema: Schema) -> Features:
        """What is known of the columns of a table."""
        hollow = np.array([table.known(name).sum() < FEWEST_KNOWN for name in schema.names])
        return cls(schema.columns, tuple(_number_categories(table, column) for column in schema.columns), hollow)

    @property
    def categorical(self) -> Bools:
        """Which columns hold categories."""
        return np.array([column.kind == "categorical" for column in self.columns])

    def matrix(self, table: Table) -> Floats:
        """The rows as boosting reads them."""
        matrix = np.zeros((table.n_rows, len(self.columns)))
        for k, (column, places) in enumerate(zip(self.columns, self.places, strict=True)):
            if self.hollow[k]:
                continue
            if column.kind == "numeric":
                matrix[:, k] = table.numeric(column.name)
            else:
                codes, values = table.codes(column.name)
                matrix[:, k] = np.array([*(places.get(value_key(value), np.nan) for value in values), np.nan])[codes]
        return matrix


def _number_categories(table: Table, column: Column) -> dict[object, float]:
    """The most frequent categories, numbered: boosting takes at most 255, and learns nothing from rarer ones."""
    if column.kind == "numeric":
        return {}
    codes, values = table.codes(column.name)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    most = np.sort(np.argsort(-counts, kind="stable")[:TAUGHT_CATEGORIES])
    return {value_key(values[k]): float(place) for place, k in enumerate(most)}


def measure_hidden(table: Table, name: str) -> float:
    """The share of rows whose category a teacher is not shown, though others have it too."""
    codes, values = table.codes(name)
    counts = -np.sort(-np.bincount(codes[codes >= 0], minlength=len(values)))[TAUGHT_CATEGORIES:]
    return float(counts[counts > 1].sum() / len(codes))


@dataclass(frozen=True)
class Cleaned:
    """Labels as they came, or mixed with what a teacher thinks: of rows to fit to, and of others."""

    fit: Floats
    others: Floats
    taught: bool = False
    noisy: bool = False  # whether boosting, out of fold, errs on so much that this is known
    distilled: bool = False  # whether they are the opinion of a teacher that the user gave, and nothing else


def clean_labels(
    rows: Labelled,
    others: Labelled,
    schema: Schema,
    wanted: bool | None,
    seed: int,
    n_jobs: int | None = None,
    until: float = inf,
    threshold: float = EVEN,
) -> Cleaned:
    """Labels in {0, 1}, or mixed with a teacher's probabilities if that is wanted, or seems of use.

    No row is labelled by a teacher that saw it: rows to fit to are read out of fold, the others by the mean of all
    folds' teachers (very many by the last alone). Rows that judge are then judged with less noise, so that smaller
    differences count. What would take until after `until` is not begun, unless it is wanted.
    """
    plain = keep_labels(rows, others)
    positives = int(rows.truth.sum())
    smaller = min(positives, rows.n_rows - positives)
    if wanted is False or rows.n_rows < FEWEST_TAUGHT_ROWS or smaller < FEWEST_OF_A_CLASS:
        return plain
    features = Features.of(rows.table, schema)
    if wanted is None and any(measure_hidden(rows.table, name) > MOST_HIDDEN for name in schema.categorical):
        return plain
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(plain.fit, rows.truth)
    lessons = share_lessons(rows, others.table, folds, features, seed)
    opinions = hear_opinions(lessons, n_jobs, until if wanted is None else inf)
    if opinions is None:
        return plain
    opinion = gather_out_of_fold(opinions, lessons, rows)
    costs = weigh(rows, threshold).weight
    noisy = bool(np.average((opinion > threshold) != rows.truth, weights=costs) >= NOISY_ERROR)
    if wanted is None and not noisy:
        return plain
    lines = [lesson.logistic_opinion() for lesson in lessons]
    line = score_brier(gather_out_of_fold(lines, lessons, rows), rows)
    if score_brier(opinion, rows) >= line:  # then the two know more together than either, or boosting has little to say
        opinions = [boosted.mixed_with(plain_fit) for boosted, plain_fit in zip(opinions, lines, strict=True)]
        opinion = gather_out_of_fold(opinions, lessons, rows)
    fit = mix_labels(opinion, plain.fit)
    if turns_over_a_class(fit, rows, threshold) or (wanted is None and score_brier(opinion, rows) >= line):
        return replace(plain, noisy=noisy)
    heard = [each.others for each in opinions if len(each.others)] or [plain.others]
    of_others = np.mean(heard, axis=0)
    return Cleaned(fit, mix_labels(of_others, plain.others), taught=True, noisy=noisy)


def keep_labels(rows: Labelled, others: Labelled) -> Cleaned:
    """The labels as they came."""
    return Cleaned(rows.truth.astype(np.float64), others.truth.astype(np.float64))


def mix_labels(opinion: Floats, labels: Floats) -> Floats:
    """A teacher's probabilities and labels in {0, 1}, mixed."""
    return TEACHER_MIX * opinion + (1.0 - TEACHER_MIX) * labels


@dataclass(frozen=True, slots=True)
class Opinion:
    """What one fold's teacher thinks: of the rows of its own table that it has not seen, and of other rows."""

    unseen: Floats
    others: Floats

    def mixed_with(self, other: Opinion) -> Opinion:
        """The mean of both."""
        return Opinion((self.unseen + other.unseen) / 2, (self.others + other.others) / 2)


def gather_out_of_fold(opinions: Sequence[Opinion], lessons: Sequence[Lesson], rows: Labelled) -> Floats:
    """Each row's opinion by the teacher of the fold that did not see it."""
    opinion = np.empty(rows.n_rows)
    for lesson, heard in zip(lessons, opinions, strict=True):
        opinion[lesson.unseen] = heard.unseen
    return opinion


def score_brier(probability: Floats, rows: Labelled) -> float:
    """The mean squared distance of probabilities from the labels, by weight."""
    return float(np.average((probability - rows.truth) ** 2, weights=rows.weight))


def turns_over_a_class(target: Floats, rows: Labelled, threshold: float) -> bool:
    """Whether mixed labels put half of a class, by weight, on the other side of the threshold."""
    turned = rows.weight * ((target > threshold) != rows.truth)
    return any(turned[rows.truth == side].sum() >= rows.weight[rows.truth == side].sum() / 2 for side in (False, True))


def hear_opinions(lessons: Sequence[Lesson], n_jobs: int | None, until: float) -> list[Opinion] | None:
    """What the teacher of every lesson thinks; None if the first shows that all would take until after `until`."""
    began = time.monotonic()
    first = [lesson.opinion() for lesson in lessons[:1] if until < inf]
    if began + (time.monotonic() - began) * len(lessons) > until:
        return None
    return [*first, *side_by_side(Lesson.opinion, lessons[len(first) :], n_jobs)]


def share_lessons(
    rows: Labelled,
    others: Table,
    folds: Iterable[tuple[NDArray[np.intp], NDArray[np.intp]]],
    features: Features,
    seed: int,
) -> list[Lesson]:
    """A lesson for each fold. Of other rows all teachers are asked; of very many the last alone."""
    none = others.take(np.arange(0))
    shared = [others if k == FOLDS - 1 or others.n_rows <= PREDICTED_ROWS else none for k in range(FOLDS)]
    return [Lesson(rows, *fold, asked, features, seed) for fold, asked in zip(folds, shared, strict=True)]


@dataclass(frozen=True)
class Lesson:
    """Some rows to learn from, and others that the teacher is then asked about."""

    rows: Labelled
    known: NDArray[np.intp]
    unseen: NDArray[np.intp]
    others: Table
    features: Features
    seed: int

    def __getstate__(self) -> dict[str, Any]:
        """To another process go the columns it needs and no others."""
        asked = [column.name for column in self.features.columns if column.kind == "categorical"]
        rows = replace(self.rows, table=self.rows.table.detached(asked))
        return {**self.__dict__, "rows": rows, "others": self.others.detached(asked)}

    def opinion(self) -> Opinion:
        """What the teacher thinks of the rows it has not seen, some at a time: a matrix of all may be large."""
        with use_one_thread():  # folds go side by side instead
            teacher = self.taught()
            return Opinion(*(self._ask(teacher, table) for table in self._tables()))

    def _tables(self) -> tuple[Table, Table]:
        """The rows that are asked about."""
        return self.rows.table.take(self.unseen), self.others

    def _ask(self, teacher: Any, table: Table) -> Floats:
        """The teacher's probabilities."""
        pieces = np.array_split(np.arange(table.n_rows), max(-(-table.n_rows // PREDICTED_ROWS), 1))
        read = (self.features.matrix(table.take(piece)) for piece in pieces)
        return np.concatenate([teacher.predict_proba(matrix)[:, 1] if len(matrix) else [] for matrix in read])

    def logistic_opinion(self) -> Opinion:
        """What a plain logistic fit on the same rows thinks of those it has not seen."""
        known = self.rows.take(self.known)
        learned, *asked = (self.features.matrix(table) for table in (known.table, *self._tables()))
        return Opinion(*ask_line(learned, asked, self.features, known))

    def taught(self) -> Any:
        """The teacher, fitted to the rows that it may know."""
        rng = np.random.default_rng(self.seed)
        known = self.known
        few = known if len(known) <= TAUGHT_ROWS else np.sort(rng.choice(known, TAUGHT_ROWS, replace=False))
        equal = bool(np.all(self.rows.weight == self.rows.weight[0]))  # then boosting is six times as fast without
        weight = None if equal else self.rows.weight[few]
        matrix = self.features.matrix(self.rows.table.take(few))
        return make_boosting(self.features.categorical, self.seed).fit(matrix, self.rows.truth[few], weight)


def ask_line(learned: Floats, asked: Sequence[Floats], features: Features, known: Labelled) -> list[Floats]:
    """The probabilities of a logistic fit to known rows, in the rows of each matrix that is asked about."""
    truth, ends = known.truth.astype(np.float64), np.cumsum([len(matrix) for matrix in asked])[:-1]
    everything = np.concatenate(asked)
    for k in np.flatnonzero(features.categorical):
        learned[:, k], everything[:, k] = share_by_category(learned[:, k], everything[:, k], truth, known.weight)
    z, ask = standardise(learned, everything, known.weight)
    w = np.zeros(z.shape[1] + 1)
    logistic.step_newton(with_ones(z), truth, known.weight / known.weight.sum(), w, FITTED_RIDGE, TAUGHT_STEPS)
    opinion = np.empty(len(ask))
    logistic.predict(with_ones(ask), w, opinion)
    return np.split(opinion, ends)


def share_by_category(codes: Floats, asked: Floats, truth: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """The smoothed share of positives of each row's category; the overall share where it is missing."""
    overall, n = float(np.average(truth, weights=weight)), TAUGHT_CATEGORIES
    places = np.nan_to_num(codes, nan=n).astype(np.intp)
    positives, total = (np.bincount(places, weights=each, minlength=n + 1)[:n] for each in (weight * truth, weight))
    shares = np.append((positives + SMOOTHING_ROWS * overall) / (total + SMOOTHING_ROWS), overall)
    return shares[places], shares[np.nan_to_num(asked, nan=n).astype(np.intp)]


def standardise(learned: Floats, asked: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Both in deviations of what was learned from, the extremes cut off; what is missing at the mean."""
    low, high = np.nanquantile(learned, EXTREMES, axis=0)
    clipped, other = np.clip(learned, low, high), np.clip(asked, low, high)
    there = np.where(np.isnan(clipped), 0.0, weight[:, None])
    total = np.maximum(there.sum(axis=0), 1e-300)
    mean = np.nansum(there * clipped, axis=0) / total
    scale = np.sqrt(np.nansum(there * (clipped - mean) ** 2, axis=0) / total)
    unit = np.where(scale > 0.0, scale, 1.0)
    return np.nan_to_num((clipped - mean) / unit, nan=0.0), np.nan_to_num((other - mean) / unit, nan=0.0)


def with_ones(z: Floats) -> Floats:
    """Columns first, as a logistic fit reads them, and a last one of ones."""
    return np.ascontiguousarray(np.vstack([z.T, np.ones(len(z))]))


def make_boosting(categorical: Bools, seed: int) -> Any:
    """The teacher."""
    marked = categorical if categorical.any() else None
    return HistGradientBoostingClassifier(
        categorical_features=marked, max_iter=BOOSTING_ROUNDS, learning_rate=BOOSTING_RATE, random_state=seed
    )
