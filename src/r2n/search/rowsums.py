"""Compiled sums of costs over rows: those that fire, those in each category, those beyond each bin's edge."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.search.compiled import compiled

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


@compiled
def sum_where(cost: Floats, rows: Bools) -> float:
    """The cost of these rows."""
    n = len(cost)
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        first += cost[i] * int(rows[i])
        second += cost[i + 1] * int(rows[i + 1])
        third += cost[i + 2] * int(rows[i + 2])
        fourth += cost[i + 3] * int(rows[i + 3])
    for i in range(n - n % 4, n):
        first += cost[i] * int(rows[i])
    return (first + second) + (third + fourth)


@compiled
def sum_positive(cost: Floats, count: Any) -> float:
    """The cost of the rows that a count is positive in."""
    n = len(cost)
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        first += cost[i] * int(count[i] > 0)
        second += cost[i + 1] * int(count[i + 1] > 0)
        third += cost[i + 2] * int(count[i + 2] > 0)
        fourth += cost[i + 3] * int(count[i + 3] > 0)
    for i in range(n - n % 4, n):
        first += cost[i] * int(count[i] > 0)
    return (first + second) + (third + fourth)


@compiled
def sum_changed(cost: Floats, count: Any, old: Bools, new: Bools) -> float:
    """The cost of the rows that some rule fires in once `new` is in the place of `old`."""
    first, second = 0.0, 0.0
    n = len(cost)
    for i in range(0, n - 1, 2):
        first += cost[i] * int(count[i] - int(old[i]) + int(new[i]) > 0)
        second += cost[i + 1] * int(count[i + 1] - int(old[i + 1]) + int(new[i + 1]) > 0)
    if n % 2:
        first += cost[n - 1] * int(count[n - 1] - int(old[n - 1]) + int(new[n - 1]) > 0)
    return first + second


@compiled
def sum_by_code(codes: Any, rows: Any, n: int, cost: Floats, weight: Floats) -> Floats:
    """For each of n codes the sums of cost, of cost²/weight, of weight and of |cost|: (4, n).

    Codes below 0 count nowhere. Codes and weights are of all rows, the costs of these rows.
    """
    sums = np.zeros((4, n))
    for i in range(len(rows)):
        k, w = codes[rows[i]], weight[rows[i]]
        if k >= 0:
            sums[0, k] += cost[i]
            sums[1, k] += cost[i] * cost[i] / w
            sums[2, k] += w
            sums[3, k] += abs(cost[i])
    return sums


@compiled
def sum_changes_by_code(
    codes: Any, n: int, cost: Floats, weight: Floats, value: Floats, at: float, step: float
) -> Floats:
    """The same where the cost is what adding `step` to a row's value changes: coming above `at` or going below it."""
    sums = np.zeros((4, n))
    for i in range(len(codes)):
        k = codes[i]
        if k >= 0:
            change = cost[i] * (int(value[i] + step > at) - int(value[i] > at))
            sums[0, k] += change
            sums[1, k] += change * change / weight[i]
            sums[2, k] += weight[i]
    return sums


@compiled
def scan_columns(codes: Any, rows: Any, cost: Floats, n_bins: int) -> tuple[Floats, Floats]:
    """For every column the lowest cost of a threshold between bins, of `z > c` and of `z < c`: (columns,) each.

    `codes` (columns, all rows) are the bins of the values, -1 where they are missing; the costs are of these rows.
    """
    up, down, sums = np.empty(len(codes)), np.empty(len(codes)), np.empty(n_bins)
    for k in range(len(codes)):
        for code in range(n_bins):
            sums[code] = 0.0
        up[k], down[k] = np.inf, np.inf
        total, any_known = 0.0, False
        for i in range(len(rows)):
            code = codes[k, rows[i]]
            if code >= 0:
                sums[code] += cost[i]
                total += cost[i]
                any_known = True
        if any_known:
            under = 0.0
            up[k], down[k] = total, total
            for code in range(n_bins):
                under += sums[code]
                up[k] = total - under if total - under < up[k] else up[k]
                down[k] = under if under < down[k] else down[k]
    return up, down
