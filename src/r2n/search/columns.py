"""The columns that sums are made of, standardised once for all fits: numbers, and beside them sets and filled ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Filled, Halfspace, Key, Knowledge, Literal, Membership, column_of
from r2n.search.plan import COLUMN_BINS
from r2n.search.problem import Bools, Floats, Problem
from r2n.search.sets import Counted
from r2n.table import Scaling

LARGEST = 1e30  # what single precision can still multiply by a coefficient


@dataclass(frozen=True)
class DesignMatrix:
    """The numeric columns of a problem's table, standardised once; beside them may stand sets and filled columns."""

    names: tuple[str | Filled | Counted, ...]
    z: Floats  # (d, n): columns first, so that one is contiguous; missing values at 0
    missing: Bools  # (d, n)
    centre: Floats
    scale: Floats
    middle: Floats  # (d,) of z: the median
    spread: Floats  # (d,) of z: how far its middle half reaches, or more where that is a single value
    low: Floats  # (d,), in the table's units: the least known value
    high: Floats  # (d,): the largest
    wild: Bools  # (d,): whether a few values are beyond all measure, see Scaling
    codes: NDArray[np.int16]  # (d, n): each value's bin among `COLUMN_BINS` of about as many rows, -1 where missing
    sign: NDArray[np.int8]  # (d,): that a column's coefficients must have, 0 for either
    apart: tuple[frozenset[str], ...]  # groups of columns of which no literal may read two
    lot: NDArray[np.int32]  # (n,): each row's place in a shuffled order of the different rows

    @classmethod
    def of(cls, problem: Problem) -> DesignMatrix:
        """The numeric columns of a problem's rows."""
        scaling = Scaling.learn(problem.table, problem.schema.numeric, weight=problem.weight)
        names, n_rows = scaling.names, problem.n_rows
        centre, scale = np.array(scaling.centre), np.array(scaling.scale)
        z = np.empty((len(names), n_rows))
        for k, name in enumerate(names):
            z[k] = (problem.table.numeric(name) - centre[k]) / scale[k]
        missing = np.isnan(z)
        z[missing] = 0.0
        orders = tuple(sort_rows(row, gone) for row, gone in zip(z, missing, strict=True))
        middle, spread = find_middles(z, orders, problem.counts)
        sign = np.array([problem.knowledge.sign(name) for name in names], dtype=np.int8)
        lot = shuffle_by_value([*z, *(problem.table.codes(name)[0] for name in problem.schema.categorical)], n_rows)
        ends = [find_ends(problem.table.numeric(name)) for name in names]
        low, high = np.array(ends).reshape(len(names), 2).T
        apart = problem.knowledge.apart
        wild = np.array(scaling.wild, dtype=np.bool_)
        codes = np.array([sort_into_bins(row, order) for row, order in zip(z, orders, strict=True)], dtype=np.int16)
        codes = codes.reshape(len(names), n_rows)
        return cls(names, z, missing, centre, scale, middle, spread, low, high, wild, codes, sign, apart, lot)

    @cached_property
    def missing_anywhere(self) -> Bools:
        """Which columns miss a value in some row."""
        return np.asarray(self.missing.any(axis=1))

    def among(self, rows: np.ndarray, columns: Sequence[int], sets: Sequence[Counted]) -> DesignMatrix:
        """These columns on these rows alone, and sets, which are over the same rows, beside them."""
        ones, weights = [each.ones() for each in sets], [np.where(each.missing, 0.0, each.weight) for each in sets]
        known = [max(float(weight.sum()), 1e-300) for weight in weights]
        share = np.array([float(weight @ one) / all_ for weight, one, all_ in zip(weights, ones, known, strict=True)])
        spread = np.sqrt(share * (1.0 - share))
        scale = np.where(spread > 0.0, spread, 1.0)
        chosen, n, s = np.array(columns, dtype=np.intp), len(rows), len(sets)
        here = np.ix_(chosen, rows)
        z = np.vstack([self.z[here], (np.reshape(ones, (s, n)) - share[:, None]) / scale[:, None]])
        gone = np.reshape([each.missing for each in sets], (s, n)).astype(np.bool_)
        missing = np.vstack([self.missing[here], gone])
        z[missing] = 0.0
        names = (*(self.names[k] for k in chosen), *sets)
        return DesignMatrix(
            names,
            z,
            missing,
            np.append(self.centre[chosen], share),
            np.append(self.scale[chosen], scale),
            np.append(self.middle[chosen], np.zeros(s)),
            np.append(self.spread[chosen], np.ones(s)),
            np.append(self.low[chosen], np.zeros(s)),
            np.append(self.high[chosen], np.zeros(s)),
            np.append(self.wild[chosen], np.zeros(s, dtype=np.bool_)),
            np.zeros((0, n), dtype=np.int16),
            np.append(self.sign[chosen], np.zeros(s, dtype=np.int8)),
            self.apart,
            self.lot[rows],
        )

    def with_terms(self, problem: Problem, literals: Iterable[Literal]) -> DesignMatrix:
        """With the sets and the filled columns of these literals beside the columns; as it is if there are none."""
        keys = dict.fromkeys(key for each in literals if isinstance(each, Halfspace) for key, _ in each.terms)
        wanted = [key for key in keys if isinstance(key, Membership)]
        filled = [key for key in keys if isinstance(key, Filled)]
        if not wanted and not filled:
            return self
        rows = np.arange(problem.n_rows)
        sets = [Counted.of(one, problem, rows) for one in wanted]
        return self.among(rows, range(len(self.names)), sets)._with_filled(filled)

    def _with_filled(self, keys: Sequence[Filled]) -> DesignMatrix:
        """With these columns once more, filled where they are missing."""
        index = self.index
        own = np.array([index[key.column] for key in keys], dtype=np.intp)
        fills = [self.inside(k, key.fill) for k, key in zip(own, keys, strict=True)]
        z = np.where(self.missing[own], np.reshape(fills, (len(keys), 1)), self.z[own])
        return replace(
            self,
            names=(*self.names, *keys),
            z=np.vstack([self.z, z]),
            missing=np.vstack([self.missing, np.zeros_like(self.missing[own])]),
            centre=np.append(self.centre, self.centre[own]),
            scale=np.append(self.scale, self.scale[own]),
            middle=np.append(self.middle, self.middle[own]),
            spread=np.append(self.spread, self.spread[own]),
            low=np.append(self.low, self.low[own]),
            high=np.append(self.high, self.high[own]),
            wild=np.append(self.wild, self.wild[own]),
            sign=np.append(self.sign, self.sign[own]),
        )

    def inside(self, column: int, value: float) -> float:
        """A value of a column in the units of z; the nearest that it is known to hold."""
        held = min(max(value, self.low[column]), self.high[column])
        return float((held - self.centre[column]) / self.scale[column])

    def outside(self, column: int, z: float) -> float:
        """The same in the table's units."""
        value = float(self.centre[column] + self.scale[column] * z)
        return float(min(max(value, self.low[column]), self.high[column]))  # rounding may have left the range

    @property
    def index(self) -> dict[Key, int]:
        """The place of each column, and of each set and filled column that a literal has."""
        places = ((name.origin if isinstance(name, Counted) else name, k) for k, name in enumerate(self.names))
        return {key: k for key, k in places if key is not None}

    def halfspace(
        self,
        columns: Sequence[int],
        b: Floats,
        threshold: float,
        sets: Mapping[int, Counted] | None = None,
        fills: Mapping[int, float] | None = None,
    ) -> Halfspace:
        """Σ b_k·z_k > threshold in the table's units; sets that changed, and fills, are given by their place in it."""
        a = b / self.scale[list(columns)]
        threshold += float(np.sum(a * self.centre[list(columns)]))
        terms: list[tuple[Key, float]] = []
        for k, column in enumerate(columns):
            key: str | Filled | Counted | Membership = (sets or {}).get(k, self.names[column])
            coefficient = float(a[k])
            if fills and k in fills:
                key = Filled(column_of(key), self.outside(column, fills[k]))
            elif isinstance(key, Filled):
                key = Filled(key.column, self.outside(column, self.inside(column, key.fill)))
            elif isinstance(key, Counted) and key.origin is not None:
                key = key.origin
            elif isinstance(key, Counted):
                key, inside = key.membership()
                if not inside:  # a·(in S) is a - a·(in the others)
                    threshold, coefficient = threshold - coefficient, -coefficient
            terms.append((key, coefficient))
        return Halfspace.of(terms, threshold)

    def strongest(self, literal: Halfspace, most: int | None, knowledge: Knowledge) -> Halfspace | None:
        """The halfspace of its permitted columns alone, at most so many; the others at their means."""
        index = self.index
        terms = [
            (key, a)
            for key, a in sorted(literal.terms, key=lambda term: -abs(term[1]) * self.scale[index[term[0]]])
            if column_of(key) not in knowledge.excluded and knowledge.sign(column_of(key)) * a >= 0
        ]
        kept: list[tuple[Key, float]] = []
        for key, a in terms[: len(terms) if most is None else most]:
            if not knowledge.apart_from(column_of(other) for other, _ in kept) & {column_of(key)}:
                kept.append((key, a))
        if not kept:
            return None
        dropped = set(literal.terms) - set(kept)
        return Halfspace.of(kept, literal.threshold - float(sum(a * self.centre[index[key]] for key, a in dropped)))

    def sample(self, rows: np.ndarray, most: int) -> Bools:
        """Which of these rows to read where `most` different ones will do: equal ones together, whatever the label."""
        lot = self.lot[rows]
        here = np.zeros(int(lot.max(initial=-1)) + 1, dtype=np.bool_)
        here[lot] = True
        different = np.flatnonzero(here)
        return lot < different[most] if len(different) > most else np.ones(len(rows), dtype=np.bool_)

    def middled(self, rows: np.ndarray, columns: np.ndarray) -> NDArray[np.float32]:
        """These rows and columns in units of a column's middle half, and a last column of -1, (columns + 1, rows)."""
        out = np.full((len(columns) + 1, len(rows)), -1.0, dtype=np.float32)
        middled = (self.z[columns[:, None], rows] - self.middle[columns, None]) / self.spread[columns, None]
        out[:-1] = np.clip(middled, -LARGEST, LARGEST)
        return out


def shuffle_by_value(columns: Iterable[np.ndarray], n_rows: int) -> NDArray[np.int32]:
    """Each row's place in an order of the different rows that their values decide, but that looks like chance.

    >>> shuffle_by_value([np.array([0.5, 0.2, 0.5]), np.array([1, 1, 1])], 3)[[0, 2]].tolist() in ([0, 0], [1, 1])
    True
    """
    mixed = np.zeros(n_rows, dtype=np.uint64)
    for column in columns:  # after each a round of splitmix64's finaliser, which spreads every bit over all
        value = np.ascontiguousarray(column, dtype=np.float64) + 0.0  # -0.0 is 0.0
        mixed ^= value.view(np.uint64) + np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return np.unique(mixed, return_inverse=True)[1].astype(np.int32)


def find_ends(values: Floats) -> tuple[float, float]:
    """The least and the largest of those that are known; 0 if none is."""
    known = values[~np.isnan(values)]
    return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)


def sort_rows(z: Floats, missing: Bools) -> NDArray[np.int32]:
    """The rows in ascending order, without those that are missing."""
    order = np.argsort(z, kind="stable").astype(np.int32)
    return order[~missing[order]]


def sort_into_bins(z: Floats, order: NDArray[np.int32]) -> NDArray[np.int16]:
    """The bin of each row's value: equal values in one bin, about as many rows in each; -1 for rows without a place.

    >>> sort_into_bins(np.array([0.5, 0.1, 0.5, 0.0]), np.array([1, 0, 2], dtype=np.int32)).tolist()
    [1, 0, 1, -1]
    """
    codes = np.full(len(z), -1, dtype=np.int16)
    if len(order):
        values = z[order]
        first = np.flatnonzero(np.append(True, values[1:] > values[:-1]))  # of each value
        group = np.arange(len(first))
        if len(first) > COLUMN_BINS:
            group = np.unique(first * COLUMN_BINS // len(order), return_inverse=True)[1]
        codes[order] = np.repeat(group, np.diff(np.append(first, len(order))))
    return codes


def find_middles(z: Floats, orders: Sequence[np.ndarray], counts: Floats) -> tuple[Floats, Floats]:
    """Each column's median, and the width of its middle half (if that is none: of its middle 80 % or more).

    A row that counts twice is there twice.
    """
    middle, spread = np.zeros(len(z)), np.ones(len(z))
    for k, order in enumerate(orders):
        if len(order):
            upto = np.cumsum(counts[order])
            places = np.floor(np.array([0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0]) * (upto[-1] - 1.0))
            at = z[k][order[np.minimum(np.searchsorted(upto, places, side="right"), len(order) - 1)]]
            middle[k] = at[3]
            spread[k] = next((width for width in (at[4] - at[2], at[5] - at[1], at[6] - at[0]) if width > 0), 1.0)
    return middle, spread
