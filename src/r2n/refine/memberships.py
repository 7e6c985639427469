"""The best set of categories on some rows, in closed form: each category is in or out by its own sum of costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from r2n.refine.problem import Bools, Floats, Problem
from r2n.rules import Known, Literal, Membership, Missing

FEW, SURE = 30, 2.0  # a category of fewer rows is decided only if its sum's square is so many times the variance


def membership_candidates(problem: Problem, rows: np.ndarray, cost: Floats) -> Iterator[Literal]:
    """For each categorical column its best set, as `in` or as `not in`, whichever is shorter; and missing or known.

    Categories of few rows that do not agree are left undecided, as those never seen are: a column of names, one row
    each, would else fit any labels with a single literal.
    """
    weight = problem.counts[rows]
    for name in problem.schema.categorical:
        codes, values = problem.table.codes(name)
        sums, unsure = weighed(codes[rows], len(values), cost, weight)
        yield from _of_column(name, np.where(unsure, 0.0, sums), values)
    for column in problem.schema.columns:
        if column.missing:
            yield Missing(column.name)
            yield Known(column.name)


def weighed(codes: NDArray[np.int32], n: int, cost: Floats, weight: Floats) -> tuple[Floats, Bools]:
    """The sum of costs of each of n categories, and whether its rows are too few to be believed."""
    # Of a sum of w rows that each cost a or -a, the variance is w·a².
    sums, variance, counts = (
        np.bincount(codes + 1, weights=each, minlength=n + 1)[1:] for each in (cost, cost**2 / weight, weight)
    )
    return np.asarray(sums, dtype=np.float64), (counts < FEW) & (sums**2 <= SURE * variance)


def _of_column(name: str, sums: Floats, values: tuple[object, ...]) -> Iterator[Literal]:
    wanted, unwanted = sums < 0.0, sums > 0.0
    if wanted.any() and not wanted.all():
        chosen = [value for value, take in zip(values, wanted, strict=True) if take]
        others = [value for value, take in zip(values, unwanted, strict=True) if take]
        if len(chosen) <= len(others) or not others:
            yield Membership(name, tuple(chosen))  # type: ignore[arg-type]
        else:
            yield Membership(name, tuple(others), negated=True)  # type: ignore[arg-type]
