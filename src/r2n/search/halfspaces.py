"""The best halfspace on some rows: sparse directions first, then exact scans under the 0/1 costs.

Fitting a literal is a weighted classification: rows of negative cost should be above the threshold, rows of
positive cost below, and the size of the cost is the weight. Directions come from a logistic fit, its columns are
dropped one by one, and each direction is finished by exact scans over its threshold and its coefficients; also with
columns filled where they are missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from r2n.rules import Filled, Halfspace, column_of, unfilled
from r2n.search.columns import DesignMatrix
from r2n.search.cuts import find_best_sorted_cut
from r2n.search.plan import (
    BEST_SINGLES,
    FAR,
    FITTED_COLUMNS,
    FITTED_RIDGE,
    FITTED_ROWS,
    NEWTON_STEPS,
    SQUEEZED,
    WORTH_FILLING,
)
from r2n.search.problem import Floats
from r2n.search.scans import NOT_FILLED, Direction, scan_exactly
from r2n.search.sets import Counted


def propose_halfspaces(
    design: DesignMatrix,
    rows: np.ndarray,
    cost: Floats,
    most_columns: int,
    start: Halfspace | None = None,
    barred: Collection[str] = (),
    sets: Sequence[Counted] = (),
    own: Sequence[Counted] = (),
) -> Iterator[Halfspace]:
    """Good halfspaces for these rows, of one column up to `most_columns`; `start` is improved besides.

    Columns that are barred are left out, and the signs that columns must have are kept. A sum may count `sets`; those
    that `start` has are its `own`.
    """
    if len(rows) == 0 or not (design.names or sets) or not (cost < 0).any():
        return
    singles = [each for each in cut_single_columns(design, rows, cost) if design.names[each.columns[0]] not in barred]
    singles.sort(key=lambda found: found.cost)
    for single in singles[:BEST_SINGLES]:
        yield design.halfspace(single.columns, single.b, single.threshold)
        yield from fill_columns(design, rows, cost, single.columns, single.b)
    if most_columns < 2 or len(design.names) + len(sets) < 2:
        return
    open_columns = [k for k, name in enumerate(design.names) if name not in barred]
    screened = (list(dict.fromkeys(found.columns[0] for found in singles)) or open_columns)[:FITTED_COLUMNS]
    if sets or own:
        index = design.index
        beside = [index[name] for name in (start.compared if start is not None else ()) if index[name] not in screened]
        design = design.among(rows, [*screened, *beside], [*sets, *own])
        rows, first = np.arange(len(rows)), len(screened) + len(beside)
        screened = [*range(len(screened)), *range(first, first + len(sets))]
    for columns, b in fit_directions(design, rows, cost, screened, most_columns):
        yield from scan_direction(design, rows, cost, columns, b)
        yield from fill_columns(design, rows, cost, columns, b)
    if start is not None:
        yield from improve(design, rows, cost, start)


def improve(design: DesignMatrix, rows: np.ndarray, cost: Floats, start: Halfspace) -> Iterator[Halfspace]:
    """The halfspace of the same columns that exact scans lead to from this one; none if they lead nowhere."""
    index = design.index
    columns = tuple(index[unfilled(key)] for key, _ in start.terms)
    b = np.array([a for _, a in start.terms]) * design.scale[list(columns)]
    keys = enumerate(key for key, _ in start.terms)
    fills = {k: design.inside(columns[k], key.fill) for k, key in keys if isinstance(key, Filled)}
    yield from scan_direction(design, rows, cost, columns, b, fills)


def scan_direction(
    design: DesignMatrix,
    rows: np.ndarray,
    cost: Floats,
    columns: Sequence[int],
    b: Floats,
    fills: Mapping[int, float] = NOT_FILLED,
) -> Iterator[Halfspace]:
    """The halfspace that exact scans make of a direction; none if there is no cut."""
    found = scan_exactly(design, rows, cost, columns, b, fills)
    if found is not None:
        yield design.halfspace(found.columns, found.b, found.threshold, found.sets, found.fills)


def fill_columns(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, columns: Sequence[int], b: Floats
) -> Iterator[Halfspace]:
    """The same with a column filled where it is missing, or two: those that bring most rows in.

    They begin at their means, as the direction was found.
    """
    missing = design.missing[np.asarray(columns)[:, None], rows]
    if not missing.any():
        return
    fillable = np.array([not isinstance(design.names[column], Counted) for column in columns])
    weight, many = np.abs(cost), missing.sum(axis=0)
    alone, paired = missing & (many == 1), missing & (many == 2)
    one = fillable * (alone @ weight)  # what filling each column brings in
    two = np.add.outer(one, one) + (paired * weight) @ paired.T  # and each pair, also where both are missing
    two[~np.logical_and.outer(fillable, fillable) | np.eye(len(columns), dtype=np.bool_)] = 0.0
    worth = WORTH_FILLING * weight.sum()
    if one.max() > worth:
        yield from scan_direction(design, rows, cost, columns, b, {int(np.argmax(one)): 0.0})
    if two.max() > one.max() + worth:
        pair = np.unravel_index(int(np.argmax(two)), two.shape)
        yield from scan_direction(design, rows, cost, columns, b, {int(k): 0.0 for k in pair})


def cut_single_columns(design: DesignMatrix, rows: np.ndarray, cost: Floats) -> Iterator[Direction]:
    """The best threshold of every column in both directions."""
    few = 8 * len(rows) < design.z.shape[1]  # then sorting them is quicker than looking for them in sorted columns
    wanted = np.zeros(design.z.shape[1])
    wanted[rows] = cost
    here = np.zeros(design.z.shape[1], dtype=np.bool_)
    here[rows] = True
    for k, order in enumerate(design.order):
        known = rows[~design.missing[k][rows]] if few else order
        mine = known[np.argsort(design.z[k][known])] if few else known[here[known]]
        if len(mine):
            values, costs = design.z[k][mine], wanted[mine]
            up, down = find_best_sorted_cut(values, costs), find_best_sorted_cut(-values[::-1], costs[::-1])
            for sign, cut in ((1.0, up), (-1.0, down)):
                if cut is not None and sign * design.sign[k] >= 0:
                    yield Direction((k,), np.array([sign]), cut.at, cut.cost)


def fit_directions(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, screened: Sequence[int], most_columns: int
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """Logistic directions over ever fewer columns: all at first, then the weakest goes, again and again."""
    columns = list(screened)
    read = design.sample(rows, FITTED_ROWS)  # a direction need not be exact: the scans that finish it read all rows
    rows, cost = rows[read], cost[read]
    if not (cost < 0).any():
        return
    if len(columns) < 2:
        return
    z, unit = bring_within_reach(design, columns, rows)
    b, intercept = fit_logistic(z, cost)
    while len(columns) > 1:
        wrong = find_unwanted(design, columns, b)
        if wrong:
            kept = [k for k in range(len(columns)) if k not in wrong]
            if len(kept) < 2:
                return
            columns, z, unit = [columns[k] for k in kept], z[kept], unit[kept]
            b, intercept = fit_logistic(z, cost, (b[kept], intercept))
            continue
        keep = min(len(columns) - 1, max(most_columns, len(columns) // 2)) if len(columns) > most_columns else None
        if keep is None:
            yield tuple(columns), b / unit
            keep = len(columns) - 1
        if keep < 2:
            return
        strongest = np.sort(np.argsort(-np.abs(b), kind="stable")[:keep])
        columns, z, unit = [columns[k] for k in strongest], z[strongest], unit[strongest]
        b, intercept = fit_logistic(z, cost, (b[strongest], intercept))


def bring_within_reach(design: DesignMatrix, columns: Sequence[int], rows: np.ndarray) -> tuple[Floats, Floats]:
    """These columns to fit a direction to, and the unit of each, in units of z.

    A few wild values (a 999999 that nobody declared) squeeze all others of a column into one place. Such a column is
    measured by its middle half, and cut off where that is far away; the scans that follow see it as it is.
    """
    own = np.asarray(columns)
    z, unit = design.z[own[:, None], rows], np.ones(len(own))
    for k in np.flatnonzero((design.spread[own] < SQUEEZED) | design.wild[own]):
        unit[k] = design.spread[own[k]]
        z[k] = np.clip((z[k] - design.middle[own[k]]) / unit[k], -FAR, FAR)
        z[k][design.missing[own[k]][rows]] = 0.0  # what is missing is in the middle here, for the mean is not
    return z, unit


def find_unwanted(design: DesignMatrix, columns: Sequence[int], b: Floats) -> set[int]:
    """Places of columns with a sign they must not have; if there are none, the weaker ones of those kept apart."""
    wrong = {k for k, column in enumerate(columns) if b[k] * design.sign[column] < 0}
    if not wrong:
        read = [column_of(design.names[column]) for column in columns]
        for group in design.apart:
            members = sorted((k for k, name in enumerate(read) if name in group), key=lambda k: -abs(b[k]))
            wrong |= {k for k in members if read[k] != read[members[0]]}
    return wrong


def fit_logistic(
    z: Floats, cost: Floats, start: tuple[Floats, float] | None = None, ridge: float = FITTED_RIDGE
) -> tuple[Floats, float]:
    """Weighted logistic regression by Newton's method: the direction and the intercept."""
    d, n = z.shape
    x = np.vstack([z, np.ones(n)])
    target, weight = (cost < 0).astype(np.float64), np.abs(cost)
    weight = weight / weight.sum() if weight.sum() > 0 else weight
    w = np.zeros(d + 1) if start is None else np.append(*start)
    penalty = np.r_[np.full(d, ridge), 1e-9]
    for _ in range(NEWTON_STEPS):
        p = 1.0 / (1.0 + np.exp(-np.clip(w @ x, -30, 30)))
        gradient = x @ (weight * (p - target)) + penalty * w
        curvature = weight * np.maximum(p * (1 - p), 1e-6)
        hessian = (x * curvature) @ x.T
        hessian[np.diag_indices(d + 1)] += penalty + 1e-10
        step = np.linalg.solve(hessian, gradient)
        w = w - step
        if np.abs(step).max() < 1e-2 * max(1.0, np.abs(w).max()):
            break
    return w[:-1], float(w[-1])
