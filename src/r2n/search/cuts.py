"""Exact scans: the best threshold, and the best value of one coefficient, under the 0/1 costs themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2n.search.problem import Floats


@dataclass(frozen=True, slots=True)
class Cut:
    """Where to cut, and the sum of costs of the rows above."""

    at: float
    cost: float


def find_best_cut(values: Floats, cost: Floats) -> Cut | None:
    """The threshold c that minimises the cost of the rows with value > c; None if no cut is better than none.

    Rows of equal value stand or fall together. The threshold is put halfway between two values; below all of them, by
    more than their rounding: one float of distance would be none in other units.

    >>> import numpy as np
    >>> find_best_cut(np.array([3.0, 1.0, 2.0, 2.0]), np.array([-1.0, 1.0, -1.0, 0.5]))
    Cut(at=1.5, cost=-1.5)
    """
    if len(values) == 0:
        return None
    order = np.argsort(values)
    return find_best_sorted_cut(values[order], cost[order])


def find_best_sorted_cut(values: Floats, cost: Floats) -> Cut | None:
    """The same for values that are in ascending order."""
    above = np.cumsum(cost[::-1])[::-1]  # above[i]: the cost of rows i, i + 1, …
    best = int(np.argmin(above))
    if best > 0 and values[best] == values[best - 1]:  # a cut cannot fall between equal values
        starts = np.append(0, np.flatnonzero(values[1:] > values[:-1]) + 1)
        best = int(starts[np.argmin(above[starts])])
    if above[best] >= 0.0:
        return None
    at = split_gap(values[best - 1], values[best]) if best > 0 else step_below(values[0], values[-1])
    return Cut(float(at), float(above[best]))


def step_below(low: float, high: float) -> float:
    """A number clearly below all of those from low to high."""
    return float(low - 1e-6 * max(high - low, abs(low), 1.0))


def find_best_coefficient(z: Floats, rest: Floats, cost: Floats, now: float) -> Cut | None:
    """The b that minimises the cost of the rows with b·z + rest > 0, and that cost; None if `now` is as good.

    Each row turns at b = -rest/z: it comes in there if z > 0, and goes out if z < 0. Values of b below the lowest
    turn are not tried.
    """
    moving = z != 0.0
    always = 0.0
    present = float(cost @ (now * z + rest > 0.0))
    if not moving.all():
        always = float(cost[~moving & (rest > 0.0)].sum())
        z, rest, cost = z[moving], rest[moving], cost[moving]
    if len(z) == 0:
        return None
    turns = -rest / z
    order = np.argsort(turns)
    turns, rising = turns[order], z > 0.0
    signed = np.where(rising, cost, -cost)
    start = always + float(cost @ ~rising)  # b at minus infinity: all rows with z < 0 are in
    after = start + np.cumsum(signed[order])
    best = int(np.argmin(after))
    if best + 1 < len(turns) and turns[best] == turns[best + 1]:  # rows that turn together
        ends = np.append(np.flatnonzero(turns[1:] > turns[:-1]), len(turns) - 1)
        best = int(ends[np.argmin(after[ends])])
    if after[best] >= present - 1e-12:
        return None
    at = split_gap(turns[best], turns[best + 1]) if best + 1 < len(turns) else turns[best] + max(1.0, abs(turns[best]))
    return Cut(float(at), float(after[best]))


def split_gap(low: float, high: float) -> float:
    """A number c with low <= c < high, in the middle if there is one."""
    middle = low + (high - low) / 2
    return float(middle) if low <= middle < high else float(low)
