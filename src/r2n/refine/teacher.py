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


def features(table: Table, schema: Schema) -> tuple[Floats, Bools]:
    """A matrix for gradient boosting, and which of its columns are categories (by code, missing as NaN).

    A column that is hardly ever known is left empty: boosting fails on one that it sees no value of.
    """
    matrix = np.empty((table.n_rows, len(schema.columns)))
    categorical = np.zeros(len(schema.columns), dtype=np.bool_)
    for k, column in enumerate(schema.columns):
        if column.kind == "numeric":
            matrix[:, k] = table.numeric(column.name)
        else:
            matrix[:, k] = ranked(table, column)
            categorical[k] = True
    matrix[:, np.sum(~np.isnan(matrix), axis=0) < FEWEST_KNOWN] = 0.0
    return matrix, categorical


def ranked(table: Table, column: Column) -> Floats:
    """Categories by their place in the schema; of many only the most frequent, since boosting takes at most 255."""
    codes, values = table.codes(column.name)
    places = {value_key(value): float(place) for place, value in enumerate(column.categories[:MOST_CATEGORIES])}
    if len(column.categories) > MOST_CATEGORIES:
        counts = np.bincount(codes[codes >= 0], minlength=len(values))
        most = np.argsort(-counts, kind="stable")[:MOST_CATEGORIES]
        places = {value_key(values[k]): float(place) for place, k in enumerate(most)}
    return np.array([*(places.get(value_key(value), np.nan) for value in values), np.nan])[codes]


SHARE = 0.7  # of the teacher's opinion in the label
NOISY = 0.05  # a teacher that errs less has little to clean, and blurs boundaries that are sharp
FEWEST_ROWS, FEWEST_OF_A_CLASS, FEWEST_KNOWN = 500, 30, 30
MOST_CATEGORIES = 250
MOST_ROWS = 100_000  # that a teacher learns from
FOLDS = 3


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
    matrix, categorical = features(rows.table, schema)
    rng = np.random.default_rng(seed)

    equal = bool(np.all(rows.weight == rows.weight[0]))  # then boosting is six times as fast without weights

    def teacher(known: NDArray[np.intp]) -> Any:
        drawn = known if len(known) <= MOST_ROWS else np.sort(rng.choice(known, MOST_ROWS, replace=False))
        weight = None if equal else rows.weight[drawn]
        return boosting(categorical, seed).fit(matrix[drawn], rows.truth[drawn], weight)

    opinion = np.empty(rows.n_rows)
    for known, unseen in StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(matrix, rows.truth):
        opinion[unseen] = teacher(known).predict_proba(matrix[unseen])[:, 1]
    if wanted is None and np.average((opinion > 0.5) != rows.truth, weights=rows.weight) < NOISY:
        return plain
    if judges is None:
        mixed = SHARE * opinion + (1.0 - SHARE) * plain.fit
        return Cleaned(mixed, mixed)
    judged = teacher(np.arange(rows.n_rows)).predict_proba(features(judges.table, schema)[0])[:, 1]
    return Cleaned(*(SHARE * p + (1.0 - SHARE) * label for p, label in ((opinion, plain.fit), (judged, plain.judge))))


def boosting(categorical: Bools, seed: int) -> Any:
    """The teacher."""
    marked = categorical if categorical.any() else None
    return HistGradientBoostingClassifier(categorical_features=marked, max_iter=100, random_state=seed)
