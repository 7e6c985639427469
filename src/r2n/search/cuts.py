"""Exact scans: the best threshold, and the best value of one coefficient, under the 0/1 costs themselves."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from r2n.search import kernels
from r2n.search.plan import FEWEST_BINS, MOST_BINS, REACH, ROWS_IN_A_BIN
from r2n.search.problem import Floats

GRAIN = (FEWEST_BINS, MOST_BINS, ROWS_IN_A_BIN)  # of exact scans


@dataclass(frozen=True, slots=True)
class Cut:
    """Where to cut, and the sum of costs of the rows above."""

    at: float
    cost: float


def find_best_cut(values: Floats, cost: Floats) -> Cut | None:
    """The threshold c that minimises the cost of the rows with value > c; None if no cut is better than none.

    Rows of equal value stand or fall together. The threshold is put halfway between two values; below all of them, by
    more than their rounding: one float of distance would be none in other units.

    >>> find_best_cut(np.array([3.0, 1.0, 2.0, 2.0]), np.array([-1.0, 1.0, -1.0, 0.5]))
    Cut(at=1.5, cost=-1.5)
    """
    at, total = kernels.find_threshold(values, cost, np.empty(len(values), dtype=np.int32), GRAIN)
    return Cut(at, total) if total < 0.0 else None


def find_best_coefficient(z: Floats, rest: Floats, cost: Floats, now: float) -> Cut | None:
    """The b within `REACH` of `now` that minimises the cost of the rows with b·z + rest > 0.

    None if `now` is as good. What is below the lowest b within reach where a row turns is not looked at.
    """
    present = kernels.sum_above(now * z + rest, 0.0, cost)
    room, where = np.empty((2, len(z) + 1)), np.empty(len(z), dtype=np.int32)
    n_turns, start = kernels.find_turns(z, rest, 0.0, 0.0, cost, now, REACH, room)
    turn, gain = kernels.find_threshold(room[0, :n_turns], room[1, :n_turns], where, GRAIN)
    return Cut(-turn, start + gain) if n_turns and start + gain < present else None


def split_gap(low: float, high: float) -> float:
    """A number c with low <= c < high, in the middle if there is one."""
    return float(kernels.split_gap(low, high))
