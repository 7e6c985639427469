"""Wide tables: the columns that tell the classes apart best, before anything dear looks at them."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np

from r2n.search.plan import (
    COLUMNS_BY_THEMSELVES,
    POOLED_ROWS,
    SCREENED_COLUMNS,
    SCREENING_RIDGE,
    SCREENING_ROWS,
)
from r2n.search.problem import Bools, Floats, Labelled
from r2n.table import Schema, Table


def screen_columns(rows: Labelled, schema: Schema, named: Collection[str], seed: int) -> Schema:
    """The columns worth a search: all of them, or of a wide table the best `SCREENED_COLUMNS`.

    A column counts by how well it tells the classes apart alone, or by its weight in a sum of all: where the boundary
    slopes, each column alone may say little. Columns that an expert has `named` stay.
    """
    if len(schema.names) <= SCREENED_COLUMNS:
        return schema
    rows = rows.take(draw_few_of_each_class(rows.truth, seed))
    share = balance(rows.truth, rows.weight)
    alone = np.array([measure_separation(rows.table, schema, name, share) for name in schema.names])
    names = np.array(schema.names, dtype=object)
    best_alone = pick_first(names, alone, COLUMNS_BY_THEMSELVES)
    kept = list(dict.fromkeys([*(name for name in schema.names if name in named), *best_alone]))
    weights = dict(zip(schema.numeric, np.abs(fit_ridge_weights(rows.table, schema.numeric, share)), strict=True))
    ordered = [*pick_first(np.array(schema.numeric, dtype=object), np.array(list(weights.values())), len(weights))]
    ordered += pick_first(names, alone, len(names))
    kept = list(dict.fromkeys([*kept, *ordered]))[: max(SCREENED_COLUMNS, len(named))]
    return schema.without(set(schema.names).difference(kept))


def pick_first(names: np.ndarray, worth: Floats, many: int) -> list[str]:
    """The names of the greatest worth, the earlier of equal ones first."""
    return [str(name) for name in names[np.argsort(-worth, kind="stable")[:many]]]


def draw_few_of_each_class(truth: Bools, seed: int) -> np.ndarray:
    """Rows to read: all, or of each class at most half of `SCREENING_ROWS`."""
    rng = np.random.default_rng(seed)
    sides = (rng.permutation(np.flatnonzero(truth == side))[: SCREENING_ROWS // 2] for side in (False, True))
    return np.sort(np.concatenate(list(sides)))


def balance(truth: Bools, weight: Floats) -> Floats:
    """Signed shares of the rows: positives add up to one, negatives to minus one."""
    signed = np.where(truth, weight, -weight)
    for side in (truth, ~truth):
        signed[side] /= max(weight[side].sum(), 1e-300)
    return signed


def measure_separation(table: Table, schema: Schema, name: str, share: Floats) -> float:
    """How far the classes are apart in one column, from 0 to 1, by a threshold or by categories."""
    if schema.column(name).kind != "numeric":
        codes, values = table.codes(name)
        counts = np.bincount(codes + 1, minlength=len(values) + 1)
        pooled = np.where(counts < POOLED_ROWS, 0, np.arange(1, len(counts) + 1))[codes + 1]
        return float(np.abs(np.bincount(pooled, weights=share)).sum() / 2)
    column = table.numeric(name)
    order = np.argsort(column, kind="stable")  # what is missing comes last
    upto = np.cumsum(share[order])
    last = np.append(column[order][1:] != column[order][:-1], True)  # of equal values; NaN differs from itself
    known = ~np.isnan(column[order])
    return float(np.abs(upto[last & known]).max(initial=0.0))


def fit_ridge_weights(table: Table, names: Iterable[str], share: Floats) -> Floats:
    """The weights of the columns, by their ranks, in the sum that tells the classes apart best, held small."""
    z = np.array([rank(table.numeric(name)) for name in names]).reshape(-1, table.n_rows)
    if not len(z):
        return np.zeros(0)
    target = np.sign(share)
    weighted = z * np.sqrt(np.abs(share))
    goal = target * np.sqrt(np.abs(share))
    gram = weighted.T @ weighted  # (n, n): rows are few, columns may be thousands
    gram[np.diag_indices_from(gram)] += SCREENING_RIDGE * np.trace(gram) / len(gram) + 1e-12
    return np.asarray(weighted @ np.linalg.solve(gram, goal))


def rank(column: Floats) -> Floats:
    """Each value's rank, from -1 to 1; 0 where it is missing. Wild values are one rank above the next."""
    known = ~np.isnan(column)
    out = np.zeros(len(column))
    values, codes = np.unique(column[known], return_inverse=True)
    if len(values) > 1:
        out[known] = 2.0 * codes / (len(values) - 1) - 1.0
        out[known] -= out[known].mean()
    return out
