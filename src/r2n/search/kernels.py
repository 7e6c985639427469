"""Compiled scans: the best threshold of a sum, the best value of a coefficient, and both in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.search.compiled import compiled

Floats = NDArray[np.float64]

# -- thresholds ------------------------------------------------------------------------------------


@compiled
def step_below(low: float, high: float) -> float:
    """A number clearly below all of those from low to high."""
    size = high - low if high - low > abs(low) else abs(low)
    return low - 1e-6 * (size if size > 1.0 else 1.0)


@compiled
def split_gap(low: float, high: float) -> float:
    """A number c with low <= c < high, in the middle if there is one."""
    middle = low + (high - low) / 2.0
    return middle if low <= middle < high else low


@compiled
def sum_above(values: Floats, at: float, cost: Floats) -> float:
    """The cost of the rows with value > at."""
    total = 0.0
    for i in range(len(values)):
        total += cost[i] * int(values[i] > at)
    return total


@compiled
def find_threshold(values: Floats, cost: Floats, where: Any, grain: tuple[int, int, int]) -> tuple[float, float]:
    """The threshold c that minimises the cost of the rows with value > c, and that cost; 0.0, 0.0 without rows.

    Exact without sorting all rows: a histogram gives the cost above every bin, and only bins that can hide a better
    threshold (all their negative costs above it, none of the positive ones) are sorted. The grain is the fewest bins,
    the most, and how many rows there are to one; in `where` is room for each row's bin. Values must be finite.
    """
    n = len(values)
    if n == 0:
        return 0.0, 0.0
    low, high, total = values[0], values[0], 0.0
    for i in range(n):
        low, high = (values[i] if values[i] < low else low), (values[i] if values[i] > high else high)
        total += cost[i]
    if low == high:
        return step_below(low, high), total
    n_bins = grain[0] if n < grain[0] * grain[2] else (n // grain[2] if n < grain[1] * grain[2] else grain[1])
    step = n_bins / (high - low)
    if not 0.0 < step < 1e300:
        n_bins, step = 1, 0.0
    bins = np.empty((4, n_bins))
    fill_bins(values, cost, low, step, bins, where)
    at, best = scan_edges(bins, total, step_below(low, high))
    return scan_inside(values, cost, bins, where, at, best)


@compiled
def fill_bins(values: Floats, cost: Floats, low: float, step: float, bins: Floats, where: Any) -> None:
    """Of each bin the costs, the negative costs, the least value and the largest; and where each row is."""
    sums, gains, least, most = bins[0], bins[1], bins[2], bins[3]
    for k in range(len(sums)):
        sums[k], gains[k], least[k], most[k] = 0.0, 0.0, np.inf, -np.inf
    last = len(sums) - 1
    for i in range(len(values)):
        value = values[i]
        place = (value - low) * step
        k = int(place) if 0.0 <= place < last else (last if place >= last else 0)  # also if it is no number
        where[i] = k
        sums[k] += cost[i]
        gains[k] += cost[i] if cost[i] < 0.0 else 0.0
        least[k], most[k] = (value if value < least[k] else least[k]), (value if value > most[k] else most[k])


@compiled
def scan_edges(bins: Floats, total: float, below: float) -> tuple[float, float]:
    """The best threshold below all rows, or between bins, and its cost."""
    sums, least, most = bins[0], bins[2], bins[3]
    at, best, under, last = below, total, 0.0, most[0]
    for k in range(1, len(sums)):
        under += sums[k - 1]
        if least[k] <= most[k]:
            if total - under < best:
                at, best = split_gap(last, least[k]), total - under
            last = most[k]
    return at, best


@compiled
def scan_inside(values: Floats, cost: Floats, bins: Floats, where: Any, at: float, best: float) -> tuple[float, float]:
    """The same where the bins that can hide a better threshold are looked into."""
    sums, above, least, most = bins[0], bins[1], bins[2], bins[3]
    n_bins, over, n_open = len(sums), 0.0, 0
    ends = np.empty(n_bins, dtype=np.int32)
    for k in range(n_bins - 1, -1, -1):
        ends[k] = 0 if over + above[k] < best and least[k] < most[k] else -1
        n_open += ends[k] + 1
        above[k], over = over, over + sums[k]  # from here on, the cost above the bin
    if n_open == 0:
        return at, best
    for i in range(len(values)):
        ends[where[i]] += int(ends[where[i]] >= 0)
    place = 0
    for k in range(n_bins):
        if ends[k] >= 0:
            ends[k], place = place, place + ends[k]
    found, own, start = np.empty(place), np.empty(place), 0
    for i in range(len(values)):
        k = where[i]
        if ends[k] >= 0:
            found[ends[k]], own[ends[k]] = values[i], cost[i]
            ends[k] += 1
    for k in range(n_bins):
        if ends[k] >= 0:
            sort_pairs(found[start : ends[k]], own[start : ends[k]])
            run = above[k]
            for j in range(ends[k] - 1, start, -1):
                run += own[j]
                if found[j - 1] < found[j] and run <= best:
                    middle = split_gap(found[j - 1], found[j])
                    if run < best or middle < at:
                        at, best = middle, run
            start = ends[k]
    return at, best


@compiled
def sort_pairs(keys: Floats, beside: Floats) -> None:
    """Sort the keys, and what is beside each of them with it: by Shell's method."""
    gap, n = 1, len(keys)
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            key, other, j = keys[i], beside[i], i
            while j >= gap and keys[j - gap] > key:
                keys[j], beside[j] = keys[j - gap], beside[j - gap]
                j -= gap
            keys[j], beside[j] = key, other
        gap //= 3


# -- coefficients ----------------------------------------------------------------------------------


@compiled
def find_turns(
    z: Floats, value: Floats, part: float, at: float, cost: Floats, now: float, reach: float, room: Floats
) -> tuple[int, float]:
    """Where rows with b·z + rest > 0 come and go as b grows, within `reach` of `now`; how many, and the cost before.

    The rest is value - part·z - at. Each row turns at b = -rest/z: it comes in there if z > 0, and goes out if z < 0.
    So -turn takes the place of a value and b that of a threshold; between turns nothing changes. There is room for the
    negative turns, and for what each row then costs, (2, rows + 1).
    """
    start, place, turns, signed = 0.0, 0, room[0], room[1]
    lowest, highest = now - reach, now + reach
    for i in range(len(z)):  # without branches, which no processor could guess
        rest = value[i] - part * z[i] - at
        turn = -rest / z[i]  # infinite or no number where z is 0
        rises, falls = z[i] > 0.0, z[i] < 0.0
        turns[place], signed[place] = -turn, cost[i] * (int(rises) - int(falls))
        place += int((rises | falls) & (lowest <= turn) & (turn <= highest))
        start += cost[i] * int((falls & (turn >= lowest)) | (rises & (turn < lowest)) | ((z[i] == 0.0) & (rest > 0.0)))
    return place, start


@compiled
def add_into(value: Floats, b: Floats, z: Floats) -> None:
    """Σ b_k·z_k, term by term: equal rows have equal sums, to the last bit."""
    for i in range(len(value)):
        value[i] = 0.0
    for k in range(len(b)):
        for i in range(len(value)):
            value[i] += b[k] * z[k, i]


@compiled
def polish_exactly(
    z: Floats, cost: Floats, b: Floats, sign: Any, sweeps: int, reach: float, grain: tuple[int, int, int]
) -> tuple[float, float]:
    """Scan the threshold and each coefficient in turn, exactly, and set what lowers the cost: threshold and cost.

    Coefficients keep the signs that they must have, and none becomes 0.
    """
    n = len(cost)
    value, moved, room, where = np.empty(n), np.empty(n), np.empty((2, n + 1)), np.empty(n, dtype=np.int32)
    add_into(value, b, z)
    at, best = find_threshold(value, cost, where, grain)
    for _ in range(sweeps):
        before = best
        for k in range(len(b) if len(b) > 1 else 0):
            old = b[k]
            n_turns, start = find_turns(z[k], value, old, at, cost, old, reach, room)
            turn, gain = find_threshold(room[0][:n_turns], room[1][:n_turns], where, grain)
            if n_turns > 0 and start + gain < best and -turn * sign[k] >= 0.0 and turn != 0.0:
                b[k] = -turn
                add_into(moved, b, z)
                true_cost = sum_above(moved, at, cost)
                if true_cost < best:
                    best, value, moved = true_cost, moved, value
                else:
                    b[k] = old
        other, total = find_threshold(value, cost, where, grain)
        if total < best:
            at, best = other, total
        if best >= before:
            break
    return at, best


# -- rough scans -----------------------------------------------------------------------------------


@compiled
def sort_values(values: Floats, low: float, step: float, n_bins: int, bins: Any) -> None:
    """The bin of each value, from 0 to n_bins - 1, the first also for what is below or no number."""
    last = n_bins - 1.0
    for i in range(len(values)):
        place = (values[i] - low) * step
        place = place if place > 0.0 else 0.0
        bins[i] = int(place if place < last else last)


@compiled
def find_rough_threshold(value: Floats, cost: Floats, bins: Any, sums: Floats) -> tuple[float, float]:
    """A threshold at the edge of a bin, of as many bins as there is room for, and the cost of the bins above it."""
    low, high, n_bins = value[0], value[0], len(sums)
    for i in range(len(value)):
        low, high = (value[i] if value[i] < low else low), (value[i] if value[i] > high else high)
    step = n_bins / (high - low)
    if not 0.0 < step < 1e300:
        return step_below(low, high), sum_above(value, step_below(low, high), cost)
    sort_values(value, low, step, n_bins, bins)
    for k in range(n_bins):
        sums[k] = 0.0
    for i in range(len(value)):
        sums[bins[i]] += cost[i]
    above, best, at = 0.0, np.inf, low
    for k in range(n_bins - 1, -1, -1):
        above += sums[k]
        if above <= best:
            best, at = above, (low + k / step if k > 0 else step_below(low, high))
    return at, best


@compiled
def find_rough_coefficient(
    z: Floats, value: Floats, part: float, at: float, cost: Floats, reach: float, turns: Floats, bins: Any, sums: Floats
) -> tuple[float, float]:
    """The b at the edge of a bin within `reach` of `part` that minimises the cost of the rows with b·z + rest > 0.

    The rest is value - part·z - at. Each row turns at b = -rest/z: it comes in there if z > 0, goes out if z < 0.
    """
    n_bins, start = len(sums), 0.0
    lowest, step = part - reach, (len(sums) - 2) / (2.0 * reach)
    for i in range(len(z)):  # infinite or no number where z is 0
        turns[i] = (part * z[i] + at - value[i]) / z[i]
    sort_values(turns, lowest - 1.0 / step, step, n_bins, bins)  # the first and the last bin are what is out of reach
    for k in range(n_bins):
        sums[k] = 0.0
    for i in range(len(z)):
        falls = int(z[i] < 0.0)
        sums[bins[i]] += cost[i] * (int(z[i] > 0.0) - falls)
        start += cost[i] * (falls + int((z[i] == 0.0) & (value[i] > at)))
    best, b = np.inf, part
    for k in range(n_bins - 1):
        start += sums[k]
        if start < best:
            best, b = start, lowest + k / step
    return b, best


@compiled
def sweep_roughly(z: Floats, cost: Floats, b: Floats, sign: Any, sweeps: int, reach: float, n_bins: int) -> None:
    """Scan the threshold and each coefficient at the edges of bins, and set what lowers the cost, again and again.

    Coefficients keep the signs that they must have, and none becomes 0.
    """
    n = len(cost)
    if n == 0:
        return
    value, moved, turns = np.empty(n), np.empty(n), np.empty(n)
    bins, sums = np.empty(n, dtype=np.int32), np.empty(n_bins)
    add_into(value, b, z)
    for _ in range(sweeps):
        at, best = find_rough_threshold(value, cost, bins, sums)
        before = best
        for k in range(len(b)):
            old = b[k]
            better, total = find_rough_coefficient(z[k], value, old, at, cost, reach, turns, bins, sums)
            if total < best and better * sign[k] >= 0.0 and better != 0.0:
                b[k] = better
                add_into(moved, b, z)
                true_cost = sum_above(moved, at, cost)
                if true_cost < best:
                    best, value, moved = true_cost, moved, value
                else:
                    b[k] = old
        if best >= before:
            break
