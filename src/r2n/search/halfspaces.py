"""The best halfspace on some rows: sparse directions first, then exact scans under the 0/1 costs.

Fitting a literal is a weighted classification: rows of negative cost should be above the threshold, rows of
positive cost below, and the size of the cost is the weight. Directions come from a logistic fit, its columns are
dropped one by one, and each direction is finished by exact scans over its threshold and its coefficients; also with
columns filled where they are missing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Filled, Halfspace, column_of, unfilled
from r2n.search import logistic, rowsums
from r2n.search.columns import DesignMatrix
from r2n.search.plan import (
    BEST_SINGLES,
    COLUMN_BINS,
    FAR,
    FITTED_COLUMNS,
    FITTED_ROWS,
    SQUEEZED,
    WORTH_FILLING,
)
from r2n.search.problem import Bools, Floats
from r2n.search.scans import NOT_FILLED, Direction, scan_exactly
from r2n.search.sets import Counted


@dataclass(frozen=True, slots=True)
class Scanned:
    """A direction that scans have finished. Its halfspace is made when asked for: most cost too much to be."""

    design: DesignMatrix
    direction: Direction

    @property
    def cost(self) -> float:
        """The cost of the rows it is true in."""
        return self.direction.cost

    @property
    def n_terms(self) -> int:
        """How many columns and sets it reads."""
        return len(self.direction.columns)

    def counts_sets(self) -> bool:
        """Whether a set is among what it reads."""
        return any(isinstance(self.design.names[column], Counted) for column in self.direction.columns)

    def halfspace(self) -> Halfspace:
        """The halfspace."""
        found = self.direction
        return self.design.halfspace(found.columns, found.b, found.threshold, found.sets, found.fills)


def propose_halfspaces(
    design: DesignMatrix,
    rows: np.ndarray,
    cost: Floats,
    most_columns: int,
    start: Halfspace | None = None,
    barred: Collection[str] = (),
    sets: Sequence[Counted] = (),
    own: Sequence[Counted] = (),
) -> Iterator[Scanned]:
    """Good halfspaces for these rows, of one column up to `most_columns`; `start` is improved too.

    Columns that are barred are left out, and the signs that columns must have are kept. A sum may count `sets`; those
    that `start` has are its `own`.
    """
    if len(rows) == 0 or not (design.names or sets) or not (cost < 0).any():
        return
    singles = sorted(each for each in cut_single_columns(design, rows, cost) if design.names[each[1]] not in barred)
    for _, column, sign in singles[:BEST_SINGLES]:
        yield from scan_direction(design, rows, cost, (column,), np.array([sign]))
        yield from fill_columns(design, rows, cost, (column,), np.array([sign]))
    if most_columns < 2 or len(design.names) + len(sets) < 2:
        return
    open_columns = [k for k, name in enumerate(design.names) if name not in barred]
    screened = (list(dict.fromkeys(column for _, column, _ in singles)) or open_columns)[:FITTED_COLUMNS]
    if sets or own:
        index = design.index
        beside = [index[name] for name in (start.compared if start is not None else ()) if index[name] not in screened]
        design = design.among(rows, [*screened, *beside], [*sets, *own])
        rows, first = np.arange(len(rows)), len(screened) + len(beside)
        screened = [*range(len(screened)), *range(first, first + len(sets))]
    yield from scan_directions(design, rows, cost, list(fit_directions(design, rows, cost, screened, most_columns)))
    if start is not None:
        yield from improve(design, rows, cost, start)


def scan_directions(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, directions: Sequence[tuple[tuple[int, ...], Floats]]
) -> Iterator[Scanned]:
    """The halfspaces that rough scans make of directions, that exact ones make of the best of them, and filled ones."""
    found = [scan_exactly(design, rows, cost, columns, b, rough=True) for columns, b in directions]
    cuts = [cut for cut in found if cut is not None]
    for cut in cuts:
        yield Scanned(design, cut)
    if cuts:
        best = min(cuts, key=lambda cut: cut.cost)
        if not best.sets:
            yield from scan_direction(design, rows, cost, best.columns, best.b)
        filled = list(fill_columns(design, rows, cost, best.columns, best.b))
        yield from filled
        for cut in cuts if filled else ():  # where filling pays, fewer columns may do
            if cut is not best:
                yield from fill_columns(design, rows, cost, cut.columns, cut.b)


def improve(design: DesignMatrix, rows: np.ndarray, cost: Floats, start: Halfspace) -> Iterator[Scanned]:
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
) -> Iterator[Scanned]:
    """What exact scans make of a direction; none if there is no cut."""
    found = scan_exactly(design, rows, cost, columns, b, fills)
    if found is not None:
        yield Scanned(design, found)


def fill_columns(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, columns: Sequence[int], b: Floats
) -> Iterator[Scanned]:
    """The same with a column filled where it is missing, or two: those that bring most rows in.

    They begin at their means, as the direction was found.
    """
    own = np.asarray(columns)
    if not design.missing_anywhere[own].any():
        return
    missing = design.missing[own[:, None], rows]
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


def cut_single_columns(design: DesignMatrix, rows: np.ndarray, cost: Floats) -> Iterator[tuple[float, int, float]]:
    """For every column and either direction the cost of its best threshold between bins: (cost, column, direction)."""
    up, down = rowsums.scan_columns(design.codes, rows, cost, COLUMN_BINS)
    for k in range(len(up)):
        for sign, total in ((1.0, up[k]), (-1.0, down[k])):
            if total < np.inf and sign * design.sign[k] >= 0:
                yield float(total), k, sign


def fit_directions(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, screened: Sequence[int], most_columns: int
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """Logistic directions over ever fewer columns, from `most_columns` down to two."""
    columns = np.array(screened, dtype=np.intp)
    read = design.sample(rows, FITTED_ROWS)  # a direction need not be exact: the scans that finish it read all rows
    rows, cost = rows[read], cost[read]
    if not (cost < 0).any() or len(columns) < 2:
        return
    z, unit = bring_within_reach(design, columns, rows)
    weight = np.abs(cost)
    x, truth = np.vstack([z, np.ones(len(rows))]), (cost < 0).astype(np.float64)
    sign, apart, most = design.sign[columns], find_apart(design, columns), min(most_columns, len(columns))
    for b in logistic.fit_sparse_directions(x, truth, weight / weight.sum(), sign, apart, most):
        used = np.flatnonzero(b)
        if len(used) > 1:
            yield tuple(columns[used].tolist()), b[used] / unit[used]


def find_apart(design: DesignMatrix, columns: NDArray[np.intp]) -> Bools:
    """Which of these columns no literal may read together: (columns, columns)."""
    apart = np.zeros((len(columns), len(columns)), dtype=np.bool_)
    if design.apart:
        read = np.array([column_of(design.names[column]) for column in columns], dtype=object)
        for group in design.apart:
            member = np.array([name in group for name in read])
            apart |= member[:, None] & member & (read[:, None] != read)
    return apart


def bring_within_reach(design: DesignMatrix, columns: NDArray[np.intp], rows: np.ndarray) -> tuple[Floats, Floats]:
    """These columns to fit a direction to, and the unit of each, in units of z.

    A few wild values (a 999999 that nobody declared) squeeze all others of a column into one place. Such a column is
    measured by its middle half, and cut off where that is far away; the scans that follow see it as it is.
    """
    own = columns
    z, unit = design.z[own[:, None], rows], np.ones(len(own))
    for k in np.flatnonzero((design.spread[own] < SQUEEZED) | design.wild[own]):
        unit[k] = design.spread[own[k]]
        z[k] = np.clip((z[k] - design.middle[own[k]]) / unit[k], -FAR, FAR)
        z[k][design.missing[own[k]][rows]] = 0.0  # what is missing is in the middle here, for the mean is not
    return z, unit
