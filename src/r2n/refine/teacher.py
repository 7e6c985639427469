"""A teacher cleans the labels: what a strong model, that never saw a row, thinks of that row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold

from r2n.refine.problem import Bools, Floats, Labelled
from r2n.schema import Column, Schema, Table, value_key


@dataclass(frozen=True)
class Features:
    """How rows are shown to gradient boosting: numbers as they are, categories by a place, missing as NaN."""

    columns: tuple[Column, ...]
    places: tuple[dict[object, float], ...]  # of the categories, for each column
    hollow: Bools  # columns hardly ever known are left out: boosting fails on one that it sees no value of

    @classmethod
    def of(cls, table: Table, schema: Schema) -> Features:
        hollow = np.array([table.known(name).sum() < FEWEST_KNOWN for name in schema.names])
        return cls(schema.columns, tuple(_places(table, column) for column in schema.columns), hollow)

    @property
    def categorical(self) -> Bools:
        return np.array([column.kind == "categorical" for column in self.columns])

    def matrix(self, table: Table) -> Floats:
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


def _places(table: Table, column: Column) -> dict[object, float]:
    """The most frequent categories, numbered: boosting takes at most 255, and learns nothing from rarer ones."""
    if column.kind == "numeric":
        return {}
    codes, values = table.codes(column.name)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    most = np.sort(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES])
    return {value_key(values[k]): float(place) for place, k in enumerate(most)}


SHARE = 0.7  # of the teacher's opinion in the label
NOISY = 0.05  # a teacher that errs less has little to clean, and blurs boundaries that are sharp
FEWEST_ROWS, FEWEST_OF_A_CLASS, FEWEST_KNOWN = 500, 30, 30
MOST_CATEGORIES = 250
MOST_ROWS = 100_000  # that a teacher learns from
FOLDS = 5
PIECE = 50_000


@dataclass(frozen=True)
class Cleaned:
    """Labels to fit to and labels to judge by: as they came, or mixed with what a teacher thinks."""

    fit: Floats
    judge: Floats


def cleaned_labels(rows: Labelled, judges: Labelled | None, schema: Schema, wanted: bool | None, seed: int) -> Cleaned:
    """Labels in {0, 1}, or mixed with a teacher's probabilities if that is wanted, or seems of use.

    No row is judged by a teacher that saw it: rows to fit to are read out of fold, rows that judge by a teacher of
    all rows to fit to. That makes the judgement less noisy, so that smaller differences count. Without rows of their
    own to judge (None), those fitted to judge.
    """
    fit = rows.truth.astype(np.float64)
    plain = Cleaned(fit, fit if judges is None else judges.truth.astype(np.float64))
    positives = int(rows.truth.sum())
    if wanted is False or rows.n_rows < FEWEST_ROWS or min(positives, rows.n_rows - positives) < FEWEST_OF_A_CLASS:
        return plain
    rng, features = np.random.default_rng(seed), Features.of(rows.table, schema)
    equal = bool(np.all(rows.weight == rows.weight[0]))  # then boosting is six times as fast without weights

    def teacher(known: NDArray[np.intp]) -> Any:
        few = known if len(known) <= MOST_ROWS else np.sort(rng.choice(known, MOST_ROWS, replace=False))
        weight = None if equal else rows.weight[few]
        model = boosting(features.categorical, seed)
        return model.fit(features.matrix(rows.table.take(few)), rows.truth[few], weight)

    opinion = np.empty(rows.n_rows)
    for known, unseen in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(opinion, rows.truth):
        opinion[unseen] = asked(teacher(known), rows.table.take(unseen), features)
    if wanted is None and np.average((opinion > 0.5) != rows.truth, weights=rows.weight) < NOISY:
        return plain
    fit = SHARE * opinion + (1.0 - SHARE) * plain.fit
    if judges is None:
        return Cleaned(fit, fit)
    judged = asked(teacher(np.arange(rows.n_rows)), judges.table, features)
    return Cleaned(fit, SHARE * judged + (1.0 - SHARE) * plain.judge)


def asked(teacher: Any, table: Table, features: Features) -> Floats:
    """What a teacher thinks of each row, some rows at a time: a matrix of all would be as large as the table."""
    pieces = (np.arange(start, min(start + PIECE, table.n_rows)) for start in range(0, table.n_rows, PIECE))
    return np.concatenate([teacher.predict_proba(features.matrix(table.take(piece)))[:, 1] for piece in pieces])


def boosting(categorical: Bools, seed: int) -> Any:
    """The teacher."""
    marked = categorical if categorical.any() else None
    return HistGradientBoostingClassifier(categorical_features=marked, max_iter=100, random_state=seed)
