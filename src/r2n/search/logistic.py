"""Compiled sums of sigmoids: logistic fits, whose directions are scanned along, and softened rules that are cooled."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.search import kernels
from r2n.search.compiled import compiled
from r2n.search.plan import FITTED_RIDGE, NEWTON_STEPS, SMALLER_STEPS

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Singles = NDArray[np.float32]

FARTHEST = 30.0  # in logits: beyond it a row is sure
LEAST = 1e-300  # that is divided by
LEAST_RIDGE, LAST_RIDGE, SMALL_STEP = 1e-10, 1e-9, 1e-2  # of all columns, of the ones, and where Newton's steps end


@compiled
def compute_exp(x: float) -> float:
    """E to the x, |x| cut at `FARTHEST`, by multiplications alone: a library's differs in the last bit by processor.

    It is the 64th power of a series for x/64; off by less than one part in 100,000. There is no branch and no table, so
    that a loop over it handles several rows at once.
    """
    x = x if x > -FARTHEST else -FARTHEST  # also if it is no number
    x = x if x < FARTHEST else FARTHEST
    r = x * (1.0 / 64.0)
    e = 1.0 + r * (1.0 + r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * (1 / 120 + r * (1 / 720 + r * (1 / 5040)))))))
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    e = e * e
    return e * e


@compiled
def multiply_add(first: Floats, second: Any) -> float:
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
    lower, whole, y = np.empty((d, d)), np.empty((d, d)), np.empty(d)
    for j in range(d):
        for i in range(j, d):
            s = matrix[i, j]
            for k in range(j):
                s -= lower[i, k] * lower[j, k]
            lower[i, j] = np.sqrt(s if s > 1e-14 else 1e-14) if i == j else s / lower[j, j]
    for c in range(d):
        for i in range(c, d):
            s = 1.0 if i == c else 0.0
            for k in range(c, i):
                s -= lower[i, k] * y[k]
            y[i] = s / lower[i, i]
        for i in range(d - 1, -1, -1):
            s = y[i] if i >= c else 0.0
            for k in range(i + 1, d):
                s -= lower[k, i] * whole[k, c]
            whole[i, c] = s / lower[i, i]
    return whole


@compiled
def predict(x: Floats, w: Floats, probability: Floats) -> None:
    """Each row's probability: 1/(1 + exp(-Σ w·x)), into the room for it."""
    for i in range(len(probability)):
        probability[i] = 0.0
    for k in range(len(w)):
        for i in range(len(probability)):
            probability[i] += w[k] * x[k, i]
    for i in range(len(probability)):
        probability[i] = 1.0 / (1.0 + compute_exp(-probability[i]))


def step_newton(x: Floats, truth: Floats, weight: Floats, w: Floats, ridge: float, steps: int) -> Floats:
    """Weighted logistic regression: so many steps of w, in place; the inverse curvature at the last is returned.

    x is (columns, rows), its last column all ones, on which there is hardly a ridge. There is at least one step.
    """
    d = len(x)
    gradient, step, inverted = np.empty(d), np.empty(d), np.empty((d, d))
    penalty = np.append(np.full(d - 1, ridge), LAST_RIDGE)
    for _ in range(steps):
        measure_slope(x, truth, weight, w, gradient, inverted)
        gradient += penalty * w
        inverted.flat[:: d + 1] += penalty + LEAST_RIDGE
        inverted = invert(inverted)
        kernels.add_into(step, gradient, inverted)
        w -= step
        if np.abs(step).max() < SMALL_STEP * max(1.0, np.abs(w).max()):
            break
    return inverted


@compiled
def measure_slope(x: Floats, truth: Floats, weight: Floats, w: Floats, gradient: Floats, hessian: Floats) -> None:
    """The first and the second derivatives of the weighted loss by each of w, into the room for them."""
    d, n = x.shape
    curved, scaled = np.empty(n), np.empty(n)
    predict(x, w, scaled)
    for i in range(n):
        p = scaled[i]
        flat = p * (1.0 - p)
        curved[i], scaled[i] = weight[i] * (flat if flat > 1e-6 else 1e-6), weight[i] * (p - truth[i])
    for j in range(d):
        gradient[j] = multiply_add(x[j], scaled)
    for j in range(d):
        for i in range(n):
            scaled[i] = curved[i] * x[j, i]
        for k in range(j + 1):
            hessian[j, k] = multiply_add(scaled, x[k])
            hessian[k, j] = hessian[j, k]


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
            rise = w[k] * w[k] / (inverted[k, k] if inverted[k, k] > 1e-300 else 1e-300)
            if rise < least:
                least, place = rise, k
    return place


def fit_sparse_directions(
    x: Floats,
    truth: Floats,
    weight: Floats,
    sign: NDArray[np.int8],
    apart: Bools,
    most: int,
) -> list[Floats]:
    """Logistic directions over ever fewer columns, from `most` down to two: (columns,) each.

    A column is left out by the curvature at the fit (optimal brain surgeon); from `most` columns on, each smaller
    direction is fitted again by a step or two. x is (columns + 1, rows), its last column all ones.
    """
    d, found = len(x) - 1, []
    kept, w = np.ones(d + 1, dtype=np.bool_), np.zeros(d + 1)
    inverted = step_newton(x, truth, weight, w, FITTED_RIDGE, NEWTON_STEPS)
    for left in range(d, 1, -1):
        if left <= most and is_allowed(w, kept[:-1], sign, apart):
            if left < d:
                own = w[kept]
                inner = step_newton(x[kept], truth, weight, own, FITTED_RIDGE, SMALLER_STEPS)
                w[kept], inverted[np.ix_(kept, kept)] = own, inner
            if is_allowed(w, kept[:-1], sign, apart):
                found.append(np.where(kept, w, 0.0)[:-1])
        k = find_weakest(w, inverted, kept, sign, apart)
        if k < 0:  # no numbers any more
            break
        leave_out(k, w, inverted)
        kept[k] = False
    return found


def is_allowed(w: Floats, kept: Bools, sign: NDArray[np.int8], apart: Bools) -> bool:
    """Whether the columns kept have the signs that they must have, and may be read together."""
    wrong = (kept & (w[:-1] * sign < 0.0)).any() or (apart.any() and apart[np.ix_(kept, kept)].any())
    return not wrong


def leave_out(k: int, w: Floats, inverted: Floats) -> None:
    """Set the k-th weight to 0 and the others to what is then best for the quadratic around w."""
    column = inverted[:, k].copy()
    w -= w[k] / max(column[k], LEAST) * column
    inverted -= np.multiply.outer(column, column) / column[k]
    w[k] = 0.0


# -- softened rules --------------------------------------------------------------------------------


@compiled
def cool(
    z: Singles,
    fixed: Bools,
    cost: Floats,
    batch: int,
    taus: Floats,
    owner: Any,
    used: Bools,
    w: Floats,
    rate: float,
) -> None:
    """Adam's steps down the slope of the expected cost, each on the next batch of rows at a temperature.

    w, which is set in place, is (literals, columns + 1), the threshold last; of each literal those that are `used`
    move, and the others stay 0. Its coefficients are kept at length one. The rest is as `measure_slope_of_cost` reads
    it.
    """
    n_literals, n_columns = w.shape
    slope, first, second = np.zeros(w.shape), np.zeros(w.shape), np.zeros(w.shape)
    p, fires, row = np.empty((n_literals, batch)), np.empty((len(fixed), batch)), np.empty((2, batch))
    kept, kept_squares = 1.0, 1.0
    for step in range(len(taus)):
        begin = min(step % ((len(cost) + batch - 1) // batch) * batch, len(cost) - batch)
        measure_slope_of_cost(z, fixed, cost, begin, taus[step], owner, used, w, slope, p, fires, row)
        kept, kept_squares = 0.9 * kept, 0.99 * kept_squares
        for k in range(n_literals):
            length = 0.0
            for t in range(n_columns):
                first[k, t] += 0.1 * (slope[k, t] - first[k, t])
                second[k, t] += 0.01 * (slope[k, t] * slope[k, t] - second[k, t])
                size = np.sqrt(second[k, t] / (1.0 - kept_squares)) + 1e-12
                w[k, t] -= rate * (first[k, t] / (1.0 - kept)) / size
                length += w[k, t] * w[k, t] if t < n_columns - 1 else 0.0
            length = np.sqrt(length) if length > 0.0 else 1.0
            for t in range(n_columns):
                w[k, t] /= length


@compiled
def measure_slope_of_cost(
    z: Singles,
    fixed: Bools,
    cost: Floats,
    begin: int,
    tau: float,
    owner: Any,
    used: Bools,
    w: Floats,
    slope: Floats,
    p: Floats,
    fires: Floats,
    row: Floats,
) -> None:
    """Of Σ cost·prediction over the rows from `begin` on by each of w, into the room for it.

    z is (columns + 1, rows), the last column -1. `fixed` (rules, rows) is what a rule's other literals say, and whether
    all is known that the rule reads. A literal's part in a row is its *soft care set*: what its rule's other literals
    leave, times what the other rules leave, times the slope of its own sigmoid.
    """
    silent, value = row[0], row[1]
    n = len(value)
    for j in range(len(fires)):
        for i in range(n):
            fires[j, i] = 1.0 if fixed[j, begin + i] else 0.0
    for k in range(len(w)):
        for i in range(n):
            value[i] = 0.0
        for t in range(len(z)):
            if used[k, t]:
                weight = -w[k, t] / tau
                for i in range(n):
                    value[i] += weight * z[t, begin + i]
        for i in range(n):
            p[k, i] = 1.0 / (1.0 + compute_exp(value[i]))
        for i in range(n):
            fires[owner[k], i] *= p[k, i]
    for i in range(n):
        silent[i] = 1.0
    for j in range(len(fires)):
        for i in range(n):
            fires[j, i] = fires[j, i] if fires[j, i] < 1.0 - 1e-6 else 1.0 - 1e-6
            silent[i] *= 1.0 - fires[j, i]
    for k in range(len(w)):
        for i in range(n):  # σ' = σ·(1 - σ): the σ is in `fires`
            rule = fires[owner[k], i]
            value[i] = cost[begin + i] * (silent[i] / (1.0 - rule)) * rule * (1.0 - p[k, i]) / tau
        for t in range(len(z)):
            if used[k, t]:
                slope[k, t] = multiply_add(value, z[t, begin : begin + n])
