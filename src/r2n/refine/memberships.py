"""The best set of categories on some rows, in closed form: each category is in or out by its own sum of costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from r2n.refine.problem import Floats, Problem
from r2n.rules import Known, Literal, Membership, Missing


def membership_candidates(problem: Problem, rows: np.ndarray, cost: Floats) -> Iterator[Literal]:
    """For each categorical column its best set, as `in` or as `not in`, whichever is shorter; and missing or known."""
    for name in problem.schema.categorical:
        codes, values = problem.table.codes(name)
        sums = np.bincount(codes[rows] + 1, weights=cost, minlength=len(values) + 1)
        yield from _of_column(name, sums[1:].astype(np.float64), values)
    for column in problem.schema.columns:
        if column.missing:
            yield Missing(column.name)
            yield Known(column.name)


def _of_column(name: str, sums: Floats, values: tuple[object, ...]) -> Iterator[Literal]:
    wanted = sums < 0.0
    if wanted.any() and not wanted.all():
        chosen = [value for value, take in zip(values, wanted, strict=True) if take]
        others = [value for value, take in zip(values, sums > 0.0, strict=True) if take]
        if len(chosen) <= len(others) or not others:
            yield Membership(name, tuple(chosen))  # type: ignore[arg-type]
        else:
            yield Membership(name, tuple(others), negated=True)  # type: ignore[arg-type]
