"""The search's hot loops, compiled: exact scans, sums over rows, and directions to scan along.

Every loop adds in one fixed order, with plain multiplications and additions: no fused operations, no library
calls, no reordering. Costs are multiples of one power of two (see `whole_costs`), so sums of them are exact and the
same in any order. So a kernel returns the same bits on every processor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numpy.typing import NDArray

from r2n.search.plan import FEWEST_BINS, MOST_BINS, NEAR, REACH, ROWS_IN_A_BIN

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile at the first call, and keep the machine code beside the source or in the user's cache."""
    return cast(Function, njit(cache=True, nogil=True, error_model="numpy")(function))


FARTHEST = 30.0  # in logits: beyond it a row is sure
_POWERS = np.ldexp(1.0, np.arange(-64, 65))  # of two


# -- thresholds ------------------------------------------------------------------------------------


@compiled
def step_below(low: float, high: float) -> float:
    """A number clearly below all of those from low to high."""
    return low - 1e-6 * max(high - low, abs(low), 1.0)


@compiled
def split_gap(low: float, high: float) -> float:
    """A number c with low <= c < high, in the middle if there is one."""
    middle = low + (high - low) / 2.0
    return middle if low <= middle < high else low


@compiled
def find_threshold(values: Floats, cost: Floats, exact: bool) -> tuple[float, float]:
    """The threshold c that minimises the cost of the rows with value > c, and that cost; 0.0, 0.0 without rows.

    Exact without sorting all rows: a histogram gives the cost above every bin, and only bins that can hide a better
    threshold (all their negative costs above it, none of the positive ones) are sorted. If it need not be exact, only
    thresholds between bins are looked at.
    """
    return find_threshold_in(values, cost, np.empty(len(values), dtype=np.int16), exact)


@compiled
def find_threshold_in(values: Floats, cost: Floats, where: Any, exact: bool) -> tuple[float, float]:
    """The same, with room for each row's bin, which a loop asks for once."""
    n = len(values)
    if n == 0:
        return 0.0, 0.0
    low, high, total = values[0], values[0], 0.0
    for i in range(n):
        low, high, total = min(low, values[i]), max(high, values[i]), total + cost[i]
    if low == high:
        return step_below(low, high), total
    n_bins = min(max(n // ROWS_IN_A_BIN, FEWEST_BINS), MOST_BINS)
    step = n_bins / (high - low)
    if not 0.0 < step < 1e300:
        n_bins, step = 1, 0.0
    bins = np.zeros((4, n_bins))
    sums, gains, least, most = bins[0], bins[1], bins[2], bins[3]
    least[:] = np.inf
    most[:] = -np.inf
    for i in range(n):
        value = values[i]
        k = min(int((value - low) * step), n_bins - 1)
        where[i] = k
        sums[k] += cost[i]
        gains[k] += min(cost[i], 0.0)
        least[k] = min(least[k], value)
        most[k] = max(most[k], value)
    best, at = total, step_below(low, high)
    prefix, last = 0.0, most[0]
    for k in range(1, n_bins):  # between bins
        prefix += sums[k - 1]
        if least[k] <= most[k]:
            if total - prefix < best:
                best, at = total - prefix, split_gap(last, least[k])
            last = most[k]
    if not exact:
        return at, best
    hiding, n_hidden, above = np.zeros(n_bins, dtype=np.bool_), 0, 0.0
    for k in range(n_bins - 1, -1, -1):
        hiding[k] = above + gains[k] < best and least[k] < most[k]
        above += sums[k]
    for i in range(n):
        n_hidden += hiding[where[i]]
    if n_hidden == 0:
        return at, best
    found, own = np.empty(n_hidden + 1), np.empty(n_hidden + 1)
    place = 0
    for i in range(n):
        found[place], own[place] = values[i], cost[i]
        place += int(hiding[where[i]])
    found, own = found[:n_hidden], own[:n_hidden]
    order = np.argsort(found)
    i, above, k = n_hidden - 1, 0.0, n_bins - 1
    while i >= 0:  # from the top, bin by bin
        here = min(int((found[order[i]] - low) * step), n_bins - 1)
        while k > here:
            above += sums[k]
            k -= 1
        run, j = above, i
        while j >= 0 and min(int((found[order[j]] - low) * step), n_bins - 1) == here:
            run += own[order[j]]
            lower = j - 1 >= 0 and found[order[j - 1]] < found[order[j]]
            if lower and min(int((found[order[j - 1]] - low) * step), n_bins - 1) == here:
                middle = split_gap(found[order[j - 1]], found[order[j]])
                if run < best or (run == best and middle < at):
                    best, at = run, middle
            j -= 1
        i = j
    return at, best


@compiled
def sum_above(values: Floats, at: float, cost: Floats) -> float:
    """The cost of the rows with value > at."""
    total = 0.0
    for i in range(len(values)):
        total += cost[i] * int(values[i] > at)
    return total


@compiled
def scan_columns(codes: Any, rows: Any, cost: Floats, n_bins: int) -> tuple[Floats, Floats]:
    """For every column the lowest cost of a threshold between bins, of `z > c` and of `z < c`: (columns,) each.

    `codes` (columns, all rows) are the bins of the values, -1 where they are missing; the costs are of these rows.
    """
    up, down = np.full(len(codes), np.inf), np.full(len(codes), np.inf)
    sums = np.empty(n_bins)
    for k in range(len(codes)):
        sums[:] = 0.0
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
                up[k], down[k] = min(up[k], total - under), min(down[k], under)
    return up, down


# -- coefficients ----------------------------------------------------------------------------------


@compiled
def find_coefficient(z: Floats, rest: Floats, cost: Floats, now: float, exact: bool) -> tuple[float, float]:
    """The b within `REACH` of `now` that minimises the cost of the rows with b·z + rest > 0, and that cost.

    Each row turns at b = -rest/z: it comes in there if z > 0, and goes out if z < 0. So -turn takes the place of a
    value and b that of a threshold. Between turns nothing changes.
    """
    n = len(z)
    room = np.empty((2, n + 1))
    return find_coefficient_in(z, rest, 0.0, 0.0, cost, now, room, np.empty(n, dtype=np.int16), exact)


@compiled
def find_coefficient_in(
    z: Floats,
    value: Floats,
    part: float,
    at: float,
    cost: Floats,
    now: float,
    room: Floats,
    where: Any,
    exact: bool,
) -> tuple[float, float]:
    """The same where the rest of the sum is value - part·z - at, with room for turns, signed costs and bins."""
    start, place, turns, signed = 0.0, 0, room[0], room[1]
    lowest, highest = now - REACH, now + REACH
    for i in range(len(z)):  # without branches, which no processor could guess
        rest = value[i] - part * z[i] - at
        turn = -rest / z[i]  # infinite or no number where z is 0
        inside = (lowest < turn) & (turn <= highest) & (z[i] != 0.0)
        turns[place], signed[place] = -turn, cost[i] * (int(z[i] > 0.0) - int(z[i] < 0.0))
        place += int(inside)
        start += cost[i] * int((inside & (z[i] < 0.0)) | ((not inside) & (lowest * z[i] + rest > 0.0)))
    if place == 0:
        return now, start
    b, gain = find_threshold_in(turns[:place], signed[:place], where, exact)
    return -b, start + gain


@compiled
def add_up(b: Floats, z: Floats) -> Floats:
    """Σ b_k·z_k, term by term: equal rows have equal sums, to the last bit."""
    value = np.empty(z.shape[1])
    add_into(value, b, z)
    return value


@compiled
def add_into(value: Floats, b: Floats, z: Floats) -> None:
    """The same, where there is room for the sums."""
    value[:] = 0.0
    for k in range(len(b)):
        for i in range(z.shape[1]):
            value[i] += b[k] * z[k, i]


@compiled
def sort_values(values: Floats, low: float, step: float, n_bins: int, bins: Any) -> None:
    """The bin of each value, from 0 to n_bins - 1, the first also for what is below or no number."""
    for i in range(len(values)):
        place = (values[i] - low) * step
        place = place if place > 0.0 else 0.0
        bins[i] = int(min(place, n_bins - 1.0))


@compiled
def find_rough_threshold(value: Floats, cost: Floats, bins: Any, sums: Floats) -> tuple[float, float]:
    """A threshold at the edge of a bin, of as many bins as there is room for, and the cost of the bins above it."""
    low, high, n_bins = value[0], value[0], len(sums)
    for i in range(len(value)):
        low, high = min(low, value[i]), max(high, value[i])
    step = n_bins / (high - low)
    if not 0.0 < step < 1e300:
        return step_below(low, high), sum_above(value, step_below(low, high), cost)
    sort_values(value, low, step, n_bins, bins)
    sums[:] = 0.0
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
    sums[:] = 0.0
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
def sweep_roughly(z: Floats, cost: Floats, b: Floats, sign: Any, sweeps: int, reach: float) -> None:
    """Scan the threshold and each coefficient at the edges of bins, and set what lowers the cost, again and again."""
    n = z.shape[1]
    value, moved, turns, bins, sums = np.empty(n), np.empty(n), np.empty(n), np.empty(n, dtype=np.int32), np.empty(1024)
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


@compiled
def polish(z: Floats, cost: Floats, b: Floats, sign: Any, sweeps: int, most: int) -> tuple[Floats, float, float]:
    """A direction after rough scans, on about `most` rows, then near by on all; at last its threshold, exactly.

    Coefficients keep the signs that they must have.
    """
    n, b = z.shape[1], b.copy()
    if len(b) > 1:
        step = max(n // most, 1)
        few, own = np.empty((len(b), (n + step - 1) // step)), np.empty((n + step - 1) // step)
        for i in range(len(own)):
            own[i] = cost[i * step]
            for k in range(len(b)):
                few[k, i] = z[k, i * step]
        sweep_roughly(few, own, b, sign, sweeps, REACH)
        sweep_roughly(z, cost, b, sign, 1, NEAR)
    at, best = find_threshold(add_up(b, z), cost, True)
    return b, at, best


@compiled
def polish_exactly(z: Floats, cost: Floats, b: Floats, sign: Any, sweeps: int) -> tuple[Floats, float, float]:
    """A direction after exact scans of its threshold and of each coefficient in turn."""
    n, b = z.shape[1], b.copy()
    value, moved, room, where = np.empty(n), np.empty(n), np.empty((2, n + 1)), np.empty(n, dtype=np.int16)
    add_into(value, b, z)
    at, best = find_threshold_in(value, cost, where, True)
    for _ in range(sweeps):
        before = best
        for k in range(len(b) if len(b) > 1 else 0):
            old = b[k]
            better, total = find_coefficient_in(z[k], value, old, at, cost, old, room, where, True)
            if total < best and better * sign[k] >= 0.0 and better != 0.0:
                b[k] = better
                add_into(moved, b, z)
                true_cost = sum_above(moved, at, cost)
                if true_cost < best:
                    best, value, moved = true_cost, moved, value
                else:
                    b[k] = old
        other, total = find_threshold_in(value, cost, where, True)
        if total < best:
            at, best = other, total
        if best >= before:
            break
    return b, at, best


# -- sums over rows --------------------------------------------------------------------------------


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


# -- directions ------------------------------------------------------------------------------------


@compiled
def compute_exp(x: float) -> float:
    """e to the x, |x| cut at `FARTHEST`, from plain arithmetic: a library's differs in the last bit by processor."""
    if not -FARTHEST <= x <= FARTHEST:  # also if it is no number
        x = FARTHEST if x > 0.0 else -FARTHEST
    k = np.floor(x * 1.4426950408889634 + 0.5)
    r = x - k * 0.6931471805599453
    series = 1.0 + r * (1.0 + r * (0.5 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r / 5040))))))
    return float(series * _POWERS[int(k) + 64])


@compiled
def multiply_add(first: Floats, second: Floats) -> float:
    """Σ first·second, in four sums that are added last."""
    n = len(first)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for i in range(0, n - 3, 4):
        s0 += first[i] * second[i]
        s1 += first[i + 1] * second[i + 1]
        s2 += first[i + 2] * second[i + 2]
        s3 += first[i + 3] * second[i + 3]
    for i in range(n - n % 4, n):
        s0 += first[i] * second[i]
    return (s0 + s1) + (s2 + s3)


@compiled
def invert(matrix: Floats) -> Floats:
    """Of a positive definite matrix, by Cholesky's factors."""
    d = len(matrix)
    lower = np.zeros((d, d))
    for j in range(d):
        for i in range(j, d):
            s = matrix[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(max(s, 1e-14)) if i == j else s / lower[j, j]
    whole = np.zeros((d, d))
    for c in range(d):
        y = np.zeros(d)
        for i in range(c, d):
            s = 1.0 if i == c else 0.0
            for k in range(c, i):
                s -= lower[i, k] * y[k]
            y[i] = s / lower[i, i]
        for i in range(d - 1, -1, -1):
            s = y[i]
            for k in range(i + 1, d):
                s -= lower[k, i] * whole[k, c]
            whole[i, c] = s / lower[i, i]
    return whole


@compiled
def step_newton(x: Floats, truth: Floats, weight: Floats, w: Floats, ridge: float, steps: int) -> tuple[Floats, Floats]:
    """Weighted logistic regression: the weights after so many steps from w, and the inverse curvature at the last.

    x is (columns, rows), its last column all ones.
    """
    d, n = x.shape
    w = w.copy()
    inverted = np.zeros((d, d))
    p, curved, scaled = np.empty(n), np.empty(n), np.empty(n)
    for _ in range(steps):
        value = add_up(w, x)
        for i in range(n):
            p[i] = 1.0 / (1.0 + compute_exp(-value[i]))
            curved[i] = weight[i] * max(p[i] * (1.0 - p[i]), 1e-6)
            scaled[i] = weight[i] * (p[i] - truth[i])
        gradient, hessian = np.empty(d), np.empty((d, d))
        for j in range(d):
            penalty = ridge if j < d - 1 else 1e-9
            gradient[j] = multiply_add(x[j], scaled) + penalty * w[j]
        for j in range(d):
            for i in range(n):
                scaled[i] = curved[i] * x[j, i]
            for k in range(j + 1):
                hessian[j, k] = multiply_add(scaled, x[k])
                hessian[k, j] = hessian[j, k]
            hessian[j, j] += (ridge if j < d - 1 else 1e-9) + 1e-10
        inverted = invert(hessian)
        largest, moved = 0.0, 0.0
        for j in range(d):
            step = 0.0
            for k in range(d):
                step += inverted[j, k] * gradient[k]
            w[j] -= step
            moved, largest = max(moved, abs(step)), max(largest, abs(w[j]))
        if moved < 1e-2 * max(1.0, largest):
            break
    return w, inverted


@compiled
def find_weakest(w: Floats, inverted: Floats, kept: Bools, sign: Any, apart: Bools) -> int:
    """The place to leave out next: a wrong sign first, then the weaker of two kept apart, then what matters least.

    What a column matters is how much the quadratic around w rises without it, the others moving as they may.
    """
    d, least, place = len(sign), np.inf, -1
    for k in range(d):  # a wrong sign: the strongest of them
        if kept[k] and w[k] * sign[k] < 0.0 and -abs(w[k]) < least:
            least, place = -abs(w[k]), k
    if place >= 0:
        return place
    for k in range(d):
        for j in range(d):
            if kept[k] and kept[j] and apart[k, j] and abs(w[k]) <= abs(w[j]) and abs(w[k]) < least:
                least, place = abs(w[k]), k
    if place >= 0:
        return place
    for k in range(d):
        if kept[k]:
            rise = w[k] * w[k] / max(inverted[k, k], 1e-300)
            if rise < least:
                least, place = rise, k
    return place


@compiled
def fit_sparse_directions(
    x: Floats, truth: Floats, weight: Floats, sign: Any, apart: Bools, most: int, ridge: float, steps: int
) -> tuple[Floats, Any]:
    """Logistic directions over ever fewer columns, from `most` down to two: (found, columns) and how many there are.

    A column is left out by the curvature at the fit (optimal brain surgeon); from `most` columns on, each smaller
    direction is fitted again by a step or two. x is (columns + 1, rows), its last column all ones.
    """
    d = len(x) - 1
    found, n_found = np.zeros((max(most - 1, 1), d)), 0
    kept, left = np.ones(d, dtype=np.bool_), d
    w, inverted = step_newton(x, truth, weight, np.zeros(d + 1), ridge, steps)
    while left >= 2:
        wrong = False
        for k in range(d):
            if kept[k]:
                wrong = wrong or w[k] * sign[k] < 0.0
                for j in range(d):
                    wrong = wrong or (kept[j] and apart[k, j])
        if left <= most and not wrong:
            places = np.append(np.flatnonzero(kept), d)
            small = np.empty((len(places), x.shape[1]))
            own = np.empty(len(places))
            for k in range(len(places)):
                small[k], own[k] = x[places[k]], w[places[k]]
            if left < d:
                fitted, inner = step_newton(small, truth, weight, own, ridge, 2)
                for k in range(len(places)):
                    w[places[k]] = fitted[k]
                    for j in range(len(places)):
                        inverted[places[k], places[j]] = inner[k, j]
            for k in range(d):
                if kept[k] and w[k] * sign[k] < 0.0:
                    wrong = True
            if not wrong:
                if n_found < len(found):
                    found[n_found] = np.where(kept, w[:d], 0.0)
                    n_found += 1
                if left == 2:
                    break
        k = find_weakest(w, inverted, kept, sign, apart)
        if k < 0:  # no numbers any more
            break
        ratio = w[k] / max(inverted[k, k], 1e-300)
        column = inverted[:, k].copy()
        for j in range(d + 1):
            w[j] -= ratio * column[j]
        for i in range(d + 1):
            for j in range(d + 1):
                inverted[i, j] -= column[i] * column[j] / column[k]
        kept[k], w[k], left = False, 0.0, left - 1
    return found, n_found
