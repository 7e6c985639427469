"""Sets of categories as columns of a sum: where to begin, and which categories are best in and out of one.

`income + 2000·(status in {married}) > 7100` asks for a set, for its coefficient and for the rest of the sum together.
Sets to begin with are cut from the categories in the order of what they cost; once a sum is there, each category is in
or out by its own rows, in closed form.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Membership
from r2n.search import rowsums
from r2n.search.memberships import find_doubtful, weigh_categories
from r2n.search.plan import SET_SHARES
from r2n.search.problem import Bools, Floats, Problem
from r2n.table import Value


@dataclass(frozen=True, eq=False)
class Counted:
    """A set as a column of 0 and 1 over some rows."""

    column: str
    values: tuple[Value, ...]
    codes: NDArray[np.int32]  # (rows,): places among the values, -1 where the column is missing
    weight: Floats  # (rows,)
    inside: Bools  # (values,)
    outside: Bools  # (values,); what is in neither is undecided, and counts 0
    origin: Membership | None = None  # the set of a literal that this one began as
    least: float = 0.0  # the cost that naming a category must save

    @classmethod
    def of(cls, origin: Membership, problem: Problem, rows: NDArray[np.intp]) -> Counted:
        """A set that a literal has."""
        codes, values = problem.table.codes(origin.column)
        named = frozenset(origin.values)
        inside = np.array([(value in named) != origin.negated for value in values], dtype=np.bool_)
        weight = problem.counts[rows]
        return cls(origin.column, values, codes[rows], weight, inside, ~inside, origin, problem.least_worth)

    @property
    def missing(self) -> Bools:
        """The rows in which the column is missing."""
        return self.codes < 0

    def ones(self) -> Floats:
        """1 where the row's category is inside, else 0."""
        return np.append(self.inside, False)[self.codes].astype(np.float64)  # the code -1 picks the last

    def take(self, rows: NDArray[np.intp]) -> Counted:
        """The same set over these rows alone."""
        return replace(self, codes=self.codes[rows], weight=self.weight[rows])

    def rechosen(self, rest: Floats, step: float, cost: Floats) -> Counted | None:
        """With each category in or out as is best for the rows with rest + step·(in the set) > 0; None if all is so."""
        every = rowsums.sum_changes_by_code(self.codes, len(self.values), cost, self.weight, rest, 0.0, step)
        sums, sure = every[0], ~find_doubtful(every)
        inside = np.where(sums == 0.0, self.inside, sums < 0.0) & sure
        outside = np.where(sums == 0.0, self.outside, sums > 0.0) & sure
        inside, outside = leave_out_weak(inside, outside, np.abs(sums) <= self.least)
        if not inside.any() or not outside.any() or np.array_equal(inside, self.inside):
            return None
        return replace(self, inside=inside, outside=outside, origin=None)

    def says_the_same_as(self, other: Counted) -> bool:
        """Whether the two tell the same categories apart, or would be written alike."""
        sides = (self.inside, self.outside)
        same = any(np.array_equal(other.inside, side) for side in sides)
        return self.column == other.column and (same or self.written == other.written)

    @property
    def written(self) -> Membership:
        """The set as it will stand in a sum."""
        return self.origin or self.membership()[0]

    def membership(self) -> tuple[Membership, bool]:
        """The shorter of the two sides, and whether it is the inside, which undecided categories are not in."""
        undecided = not (self.inside | self.outside).all()
        first = undecided or int(self.inside.sum()) <= int(self.outside.sum())
        named = self.inside if first else self.outside
        values = tuple(value for value, take in zip(self.values, named, strict=True) if take)
        return Membership(self.column, values), bool(first)


def propose_sets(
    problem: Problem, rows: NDArray[np.intp], cost: Floats, barred: Collection[str], most: int
) -> list[Counted]:
    """Sets of every categorical column, the best ones by themselves first."""
    weight, least = problem.counts[rows], problem.least_worth
    found: list[tuple[float, Counted]] = []
    nothing = np.zeros(0, dtype=np.bool_)
    for name in problem.schema.categorical:
        if name not in barred:
            codes, values = problem.table.codes(name)
            sums, doubtful, mass = weigh_categories(codes, rows, len(values), cost, problem.counts)
            blank = Counted(name, values, codes[rows], weight, nothing, nothing, None, least)
            found += _cut(blank, sums, np.flatnonzero(~doubtful & (mass > 0.0)), mass)
    found.sort(key=lambda pair: pair[0])
    return drop_repeated_sets((counted for _, counted in found), most)


def drop_repeated_sets(sets: Iterable[Counted], most: int) -> list[Counted]:
    """The first so many that differ as written: without weak categories, two cuts of a column may be one set."""
    kept: list[Counted] = []
    for counted in sets:
        if len(kept) == most:
            break
        if not any(counted.says_the_same_as(each) for each in kept):
            kept.append(counted)
    return kept


def _cut(blank: Counted, sums: Floats, sure: NDArray[np.intp], mass: Floats) -> Iterator[tuple[float, Counted]]:
    """The categories in the order of what a row of them costs, cut where that changes its sign and at some shares."""
    n = len(blank.values)
    order = sure[np.argsort(sums[sure] / mass[sure], kind="stable")]
    if len(order) < 2:
        return
    below, share = np.cumsum(sums[order]), np.cumsum(mass[order]) / mass[order].sum()
    cuts = {int(np.count_nonzero(sums[order] < 0.0)), *(int(np.searchsorted(share, each)) + 1 for each in SET_SHARES)}
    for cut in sorted(cuts):
        if 0 < cut < len(order):
            inside, outside = np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_)
            inside[order[:cut]], outside[order[cut:]] = True, True
            inside, outside = leave_out_weak(inside, outside, mass <= blank.least)
            if inside.any() and outside.any():
                yield float(below[cut - 1]), replace(blank, inside=inside, outside=outside)


def leave_out_weak(inside: Bools, outside: Bools, weak: Bools) -> tuple[Bools, Bools]:
    """The two sides with weak categories, which are not worth naming, on the side that is not named.

    >>> inside, outside = np.array([True, True, False, False, False]), np.array([False, False, True, True, True])
    >>> leave_out_weak(inside, outside, np.array([False, True, False, False, True]))[0].tolist()
    [True, False, False, False, False]
    """
    undecided = not (inside | outside).all()  # then the inside is named
    if undecided or np.count_nonzero(inside & ~weak) <= np.count_nonzero(outside & ~weak):
        return inside & ~weak, outside | (inside & weak)
    return inside | (outside & weak), outside & ~weak
