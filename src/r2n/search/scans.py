"""A direction finished by exact scans under the 0/1 costs: its threshold, coefficients, fills and sets in turn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

import numpy as np

from r2n.search import kernels
from r2n.search.columns import DesignMatrix
from r2n.search.cuts import GRAIN, Cut, find_best_coefficient, find_best_cut, split_gap
from r2n.search.plan import MOST_BINS, NEAR, REACH, SWEEPS, SWEPT_ROWS
from r2n.search.problem import Bools, Floats
from r2n.search.sets import Counted

NOT_FILLED: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Direction:
    """Σ b_k·z_k > threshold over some columns, and the cost of the rows it is true in."""

    columns: tuple[int, ...]
    b: Floats
    threshold: float
    cost: float
    sets: Mapping[int, Counted] = field(default_factory=dict)  # by their place among the columns
    fills: Mapping[int, float] = field(default_factory=dict)  # likewise, in units of z: what a missing value counts as


def scan_exactly(
    design: DesignMatrix,
    rows: np.ndarray,
    cost: Floats,
    columns: Sequence[int],
    b: Floats,
    fills: Mapping[int, float] = NOT_FILLED,
    rough: bool = False,
) -> Direction | None:
    """Exact scans until nothing gets better; None if there is no cut. Columns with a fill need not be known.

    Sums of plain columns may be scanned roughly first, where the best of several is to be scanned exactly after.
    """
    norm = float(np.abs(b).max())
    if not np.isfinite(norm) or norm == 0.0:
        return None
    if not fills and not any(isinstance(design.names[column], Counted) for column in columns):
        return polish(design, rows, cost, tuple(columns), b / norm, rough)
    scan = Scan.of(design, rows, cost, tuple(columns), b / norm, fills)
    if scan is None:
        return None
    for _ in range(SWEEPS):
        before = scan.cut.cost
        scan.coefficients()
        scan.fill()
        scan.choose_sets()
        scan.threshold()
        if scan.cut.cost >= before - 1e-12:
            break
    return Direction(scan.columns, scan.b, scan.cut.at, scan.cut.cost, scan.sets, scan.fills)


def polish(
    design: DesignMatrix, rows: np.ndarray, cost: Floats, columns: tuple[int, ...], b: Floats, rough: bool
) -> Direction | None:
    """The same for a sum of plain columns, all of it compiled; `b` is changed in place."""
    chosen = np.array(columns, dtype=np.intp)
    if design.missing_anywhere[chosen].any():
        known = ~design.missing[chosen[:, None], rows].any(axis=0)
        rows, cost = rows[known], cost[known]  # elsewhere the literal is false, whatever it is
    if len(rows) == 0:
        return None
    z, sign = np.ascontiguousarray(design.z[chosen[:, None], rows]), design.sign[chosen]
    if not rough:
        at, total = kernels.polish_exactly(z, cost, b, sign, SWEEPS, REACH, GRAIN)
        return Direction(columns, b, at, total) if total < 0.0 else None
    if len(b) > 1:
        few = slice(None, None, max(len(rows) // SWEPT_ROWS, 1))
        z_few, cost_few = np.ascontiguousarray(z[:, few]), np.ascontiguousarray(cost[few])
        kernels.sweep_roughly(z_few, cost_few, b, sign, SWEEPS, REACH, MOST_BINS)
        kernels.sweep_roughly(z, cost, b, sign, 1, NEAR, MOST_BINS)
    cut = find_best_cut(add_terms(b, z), cost)
    return None if cut is None else Direction(columns, b, cut.at, cut.cost)


@dataclass
class Scan:
    """A sum under way, over the rows where it has a value: each method makes one kind of its numbers better."""

    design: DesignMatrix
    columns: tuple[int, ...]
    cost: Floats
    z: Floats  # (columns, rows)
    b: Floats
    fills: dict[int, float]  # by their place among the columns, as are:
    gaps: dict[int, Bools]  # where each filled column is missing
    sets: dict[int, Counted]
    value: Floats
    cut: Cut

    @classmethod
    def of(
        cls,
        design: DesignMatrix,
        rows: np.ndarray,
        cost: Floats,
        columns: tuple[int, ...],
        b: Floats,
        fills: Mapping[int, float],
    ) -> Self | None:
        """Begin at a direction, with the best cut along it; None if there is no cut."""
        strict = np.array([column for k, column in enumerate(columns) if k not in fills], dtype=np.intp)
        known = ~design.missing[strict[:, None], rows].any(axis=0)
        rows, cost = rows[known], cost[known]  # elsewhere the literal is false, whatever it is
        z = design.z[np.asarray(columns)[:, None], rows]
        gaps = {k: design.missing[columns[k]][rows] for k in fills}
        for k, gap in gaps.items():
            z[k][gap] = fills[k]
        named = {k: design.names[column] for k, column in enumerate(columns)}
        sets = {k: name.take(rows) for k, name in named.items() if isinstance(name, Counted)}
        value = add_terms(b, z)
        cut = find_best_cut(value, cost)
        return None if cut is None else cls(design, columns, cost, z, b, dict(fills), gaps, sets, value, cut)

    def threshold(self) -> None:
        """Cut where that is best now."""
        if self.sets:
            self.value = add_terms(self.b, self.z)  # equal rows stay so to the last bit: no cut may fall between them
        again = find_best_cut(self.value, self.cost)
        if again is not None and again.cost < self.cut.cost:
            self.cut = again

    def coefficients(self) -> None:
        """Choose each coefficient anew, the others kept."""
        for k, column in enumerate(self.columns):
            rest = self.value - self.b[k] * self.z[k] - self.cut.at
            better = find_best_coefficient(self.z[k], rest, self.cost, self.b[k])
            if better is not None and better.at * self.design.sign[column] >= 0:
                self.value = self.value + (better.at - self.b[k]) * self.z[k]
                self.b = self.b.copy()
                self.b[k] = better.at

    def fill(self) -> None:
        """What missing values count as."""
        for k, gap in self.gaps.items():
            b, now, cost = float(self.b[k]), self.fills[k], self.cost[gap]
            rest = self.value[gap] - self.cut.at - b * now
            ends = (float(end[self.columns[k]]) for end in (self.design.low, self.design.high))
            other = find_best_fill(rest, cost, b, *(self.design.inside(self.columns[k], end) for end in ends))
            if float(cost @ (rest + b * other > 0.0)) < float(cost @ (rest + b * now > 0.0)) - 1e-12:
                self.fills[k] = other
                self.z[k][gap] = other
                self.value = add_terms(self.b, self.z)

    def choose_sets(self) -> None:
        """Choose the categories of each set anew, the others kept."""
        for k, counted in self.sets.items():
            centre, scale = self.design.centre[self.columns[k]], self.design.scale[self.columns[k]]
            step = float(self.b[k] / scale)
            without = self.value - step * counted.ones()
            other = counted.rechosen(without - self.cut.at, step, self.cost)
            if other is not None and not any(other.says_the_same_as(each) for each in self.sets.values()):
                changed = without + step * other.ones()
                if float(self.cost @ (changed > self.cut.at)) < float(self.cost @ (self.value > self.cut.at)):
                    self.value, self.sets[k] = changed, other
                    self.z[k] = (other.ones() - centre) / scale


def find_best_fill(rest: Floats, cost: Floats, b: float, low: float, high: float) -> float:
    """The x from `low` to `high` that minimises the cost of the rows with rest + b·x > 0: a threshold of rest at -b·x.

    >>> find_best_fill(np.array([-1.0, -3.0]), np.array([-1.0, 2.0]), 1.0, 0.0, 5.0)
    2.0
    """
    if b == 0.0:
        return low
    least, most = sorted((-b * low, -b * high))
    is_open = (rest > least) & (rest <= most)  # the others are true, or false, whatever x is
    values = rest[is_open]
    if len(values) == 0:
        return low
    cut, lowest, highest = find_best_cut(values, cost[is_open]), float(values.min()), float(values.max())
    at = split_gap(highest, most) if cut is None else max(cut.at, lowest)  # none of them, or some
    if cut is not None and cut.at < lowest:
        at = split_gap(least, lowest)  # all of them
    return float(np.clip(-at / b, low, high))


def add_terms(b: Floats, z: Floats) -> Floats:
    """Σ b_k·z_k, term by term: a matrix product may differ in the last bit between equal rows."""
    value = np.empty(z.shape[1])
    kernels.add_into(value, b, np.ascontiguousarray(z))
    return value
