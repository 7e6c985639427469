"""The best set of categories on some rows, in closed form: each category is in or out by its own sum of costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Known, Literal, Membership, Missing
from r2n.search.plan import FEWEST_SURE_ROWS, SURE_VARIANCES
from r2n.search.problem import Bools, Floats, Problem


def propose_memberships(problem: Problem, rows: np.ndarray, cost: Floats, room: int | None = None) -> Iterator[Literal]:
    """For each categorical column its best sets, as `in` and as `not in`; and missing or known.

    A category is named only if that is worth the price of reading it, and no more than `room` of them are. Categories
    of few rows that do not agree are left undecided, as those never seen are: a column of names, one row each, would
    else fit any labels with a single literal.
    """
    weight, least = problem.counts[rows], problem.least_worth
    for name in problem.schema.categorical:
        codes, values = problem.table.codes(name)
        sums, unsure = weigh_categories(codes[rows], len(values), cost, weight)
        yield from _propose_for_column(name, np.where(unsure, 0.0, sums), values, least, room)
    for column in problem.schema.columns:
        if column.missing:
            yield Missing(column.name)
            yield Known(column.name)


def weigh_categories(codes: NDArray[np.int32], n: int, cost: Floats, weight: Floats) -> tuple[Floats, Bools]:
    """The sum of costs of each of n categories, and whether its rows are too few to be believed."""
    # Of a sum of w rows that each cost a or -a, the variance is w·a².
    sums, variance, counts = (
        np.bincount(codes + 1, weights=each, minlength=n + 1)[1:] for each in (cost, cost**2 / weight, weight)
    )
    return np.asarray(sums, dtype=np.float64), (counts < FEWEST_SURE_ROWS) & (sums**2 <= SURE_VARIANCES * variance)


def _propose_for_column(
    name: str, sums: Floats, values: tuple[object, ...], least: float, room: int | None
) -> Iterator[Literal]:
    """`in` the categories that gain by it or `not in` those that lose by it, whichever names fewer."""
    options = []
    for gain, negated in ((-sums, False), (sums, True)):
        order = np.argsort(-gain, kind="stable")[:room]
        named = np.sort(order[gain[order] > least])
        if 0 < len(named) < len(values):
            options.append((len(named), negated, named))
    if options:
        _, negated, named = min(options, key=lambda option: option[:2])
        yield Membership(name, tuple(values[k] for k in named), negated)
