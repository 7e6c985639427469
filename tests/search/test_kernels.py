"""Each kernel against a plain definition of what it computes."""

import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from r2n.search import kernels, logistic, rowsums
from r2n.search.cuts import GRAIN
from r2n.search.plan import FITTED_RIDGE, NEWTON_STEPS
from r2n.search.problem import make_exact

# A coarse grain, so that few rows fill bins, stand between them and hide in them.
GRAINS = st.sampled_from([GRAIN, (1, 4, 3), (2, 2, 1), (3, 8, 2)])
FEW = st.sampled_from([1, 2, 3, 7, 30, 80])
whole = st.integers(-3, 3).map(float)
ties = st.integers(-5, 5).map(float)
plain = st.floats(-10.0, 10.0)
huge = st.floats(-1e200, 1e200) | st.sampled_from([1e200, -1e200, 1e-200, -1e-200, 0.0, -0.0])
anything = st.floats(allow_nan=True, allow_infinity=True)


def columns_of(*kinds: st.SearchStrategy[float], sizes: st.SearchStrategy[int] = FEW) -> st.SearchStrategy[np.ndarray]:
    """Several rows of as many numbers, each row of one kind."""
    return sizes.flatmap(lambda n: st.tuples(*(arrays(np.float64, n, elements=kind) for kind in kinds))).map(np.array)


def true_cost(values: np.ndarray, at: float, cost: np.ndarray) -> float:
    return float(cost[values > at].sum())


def best_of_all_cuts(values: np.ndarray, cost: np.ndarray) -> float:
    """The lowest cost of the rows from any value on."""
    return min(float(cost[values >= value].sum()) for value in values)


def room(n: int) -> np.ndarray:
    return np.empty(n, dtype=np.int32)


# -- thresholds ------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(st.sampled_from([ties, plain, huge]).flatmap(lambda kind: columns_of(kind, whole)), GRAINS)
def test_the_threshold_is_the_best_of_all_and_its_cost_is_true(rows: np.ndarray, grain: tuple[int, int, int]) -> None:
    values, cost = rows
    at, total = kernels.find_threshold(values, cost, room(len(values)), grain)
    assert total == best_of_all_cuts(values, cost) == true_cost(values, at, cost)


@given(columns_of(plain, whole, sizes=st.integers(500, 3_000)), st.integers(0, 20))
@settings(max_examples=20, deadline=None)
def test_of_many_rows_too(rows: np.ndarray, coarse: int) -> None:
    values, cost = np.round(rows[0], 4) + np.arange(rows.shape[1]) % (coarse + 1), rows[1]
    at, total = kernels.find_threshold(values, cost, room(len(values)), GRAIN)
    above = np.append(cost[np.argsort(-values, kind="stable")].cumsum(), 0.0)
    ends = np.append(np.diff(-np.sort(-values)) != 0.0, True)
    assert total == above[:-1][ends].min() == true_cost(values, at, cost)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@given(columns_of(ties), GRAINS)
def test_where_all_costs_have_one_sign_it_is_below_all_or_takes_only_the_highest(
    sign: float, rows: np.ndarray, grain: tuple[int, int, int]
) -> None:
    (values,) = rows
    at, total = kernels.find_threshold(values, np.full(len(values), sign), room(len(values)), grain)
    assert total == (np.sum(values == values.max()) if sign > 0 else -len(values))
    assert (at < values.min()) if sign < 0 or len(set(values)) == 1 else at < values.max()


def test_without_rows_there_is_nothing_to_gain() -> None:
    assert kernels.find_threshold(np.empty(0), np.empty(0), room(0), GRAIN) == (0.0, 0.0)


@settings(max_examples=200)
@given(columns_of(anything, whole), GRAINS)
def test_values_that_are_no_finite_numbers_break_nothing(rows: np.ndarray, grain: tuple[int, int, int]) -> None:
    values, cost = rows
    before = values.copy()
    kernels.find_threshold(values, cost, room(len(values)), grain)
    sums = np.empty(grain[1])
    kernels.find_rough_threshold(values, cost, room(len(values)), sums)
    np.testing.assert_array_equal(values, before)


@given(columns_of(anything, ties, sizes=st.integers(0, 200)))
def test_pairs_are_sorted_together(rows: np.ndarray) -> None:
    keys, beside = rows[0][~np.isnan(rows[0])], np.arange(float(np.sum(~np.isnan(rows[0]))))
    before = keys.copy()
    kernels.sort_pairs(keys, beside)
    np.testing.assert_array_equal(keys, np.sort(before))
    np.testing.assert_array_equal(keys, before[beside.astype(int)])


@given(huge, huge)
def test_a_step_below_is_below_and_a_gap_is_split(one: float, other: float) -> None:
    low, high = min(one, other), max(one, other)
    assert kernels.step_below(low, high) < low
    assert low == high or low <= kernels.split_gap(low, high) < high


@settings(max_examples=200)
@given(st.sampled_from([ties, plain, huge]).flatmap(lambda kind: columns_of(kind, whole)), st.integers(1, 64))
def test_the_rough_threshold_counts_what_is_in_the_bins_from_there_on(rows: np.ndarray, n_bins: int) -> None:
    """Rows at the very edge of a bin are in it, and need not be above it: else the cost is true. No threshold is better
    than the exact one."""
    values, cost = rows
    at, total = kernels.find_rough_threshold(values, cost, room(len(values)), np.empty(n_bins))
    near = np.abs(values - at) <= 1e-9 * (np.ptp(values) / 2 + 1e-300) if np.isfinite(np.ptp(values)) else values == at
    assert near.any() or total == true_cost(values, at, cost)
    assert total >= best_of_all_cuts(values, cost)
    assert at < values.max() or total == 0.0 or near.any()


# -- coefficients ----------------------------------------------------------------------------------


@settings(max_examples=300)
@given(columns_of(ties, ties, whole), ties, st.sampled_from([0.1, 1.0, 5.0]), GRAINS)
def test_turns_are_where_rows_come_and_go(
    rows: np.ndarray, now: float, reach: float, grain: tuple[int, int, int]
) -> None:
    z, rest, cost = rows
    here, where = np.empty((2, len(z) + 1)), room(len(z))
    n_turns, start = kernels.find_turns(z, rest, 0.0, 0.0, cost, now, reach, here)
    with np.errstate(all="ignore"):
        turns = -rest / z
    inside = (z != 0) & (turns >= now - reach) & (turns <= now + reach)
    np.testing.assert_array_equal(here[0, :n_turns], -turns[inside])
    low = min([now - reach, *turns[inside]]) - 1e-6
    before = np.where(inside, z < 0, low * z + rest > 0)
    assert start == cost[before].sum()
    if n_turns:
        turn, gain = kernels.find_threshold(here[0, :n_turns], here[1, :n_turns], where, grain)
        assert abs(-turn - now) <= reach * (1 + 2e-6) + 1e-5 + 2e-6 * abs(now)
        assert start + gain == cost[-turn * z + rest > 0].sum()
        distinct = np.unique(turns[inside])
        middles = [*(distinct[1:] + distinct[:-1]) / 2, distinct[-1] + 1e-9]
        assert start + gain == min(cost[b * z + rest > 0].sum() for b in middles)


@given(columns_of(ties, ties, whole), ties.filter(bool), ties)
def test_the_rest_is_what_the_others_leave(rows: np.ndarray, part: float, at: float) -> None:
    z, others, cost = rows
    one, other = np.empty((2, len(z) + 1)), np.empty((2, len(z) + 1))
    first = kernels.find_turns(z, others + part * z, part, at, cost, part, 1.0, one)
    assert first == kernels.find_turns(z, others - at, 0.0, 0.0, cost, part, 1.0, other)
    np.testing.assert_array_equal(one[:, : first[0]], other[:, : first[0]])


@settings(max_examples=200)
@given(columns_of(anything, anything, whole), anything, st.sampled_from([0.03, 1.0]))
def test_turns_that_are_no_numbers_break_nothing(rows: np.ndarray, now: float, reach: float) -> None:
    z, rest, cost = rows
    n_turns, _ = kernels.find_turns(z, rest, 0.0, 0.0, cost, now, reach, np.empty((2, len(z) + 1)))
    assert 0 <= n_turns <= len(z)
    turns, bins, sums = np.empty(len(z)), room(len(z)), np.empty(16)
    kernels.find_rough_coefficient(z, rest, now, 0.0, cost, reach, turns, bins, sums)
    assert ((bins >= 0) & (bins < 16)).all()


@settings(max_examples=200)
@given(columns_of(plain, plain, whole), ties, plain, st.integers(3, 64))
def test_the_rough_coefficient_is_within_reach_and_its_cost_is_that_of_the_bins(
    rows: np.ndarray, part: float, at: float, n_bins: int
) -> None:
    z, value, cost = rows
    turns, bins, sums = np.empty(len(z)), room(len(z)), np.empty(n_bins)
    b, total = kernels.find_rough_coefficient(z, value, part, at, cost, 1.0, turns, bins, sums)
    assert abs(b - part) <= 1.0 + 1e-9
    with np.errstate(all="ignore"):
        away = np.abs(turns - b) > 1e-6 * (1.0 + np.abs(turns))  # else a row turns at the very edge
    if (away | (z == 0)).all():
        moved = np.where(z == 0.0, value > at, (z > 0) == (b > turns))
        assert total == cost[moved].sum()


# -- sums of columns -------------------------------------------------------------------------------


def matrices(kind: st.SearchStrategy[float]) -> st.SearchStrategy[np.ndarray]:
    """Some columns and costs, (columns + 1, rows), the costs last."""
    return (
        st.tuples(st.integers(1, 4), FEW)
        .flatmap(
            lambda shape: st.tuples(
                arrays(np.float64, shape, elements=kind), arrays(np.float64, (1, shape[1]), elements=whole)
            )
        )
        .map(np.vstack)
    )


@given(matrices(plain), st.data())
def test_sums_are_made_term_by_term(rows: np.ndarray, data: st.DataObject) -> None:
    z = np.ascontiguousarray(rows[:-1])
    b, value = data.draw(arrays(np.float64, len(z), elements=plain)), np.empty(z.shape[1])
    kernels.add_into(value, b, z)
    expected = np.zeros(z.shape[1])
    for one, column in zip(b, z, strict=True):
        expected = expected + one * column
    np.testing.assert_array_equal(value, expected)


@settings(max_examples=200)
@given(st.sampled_from([ties, plain, huge]).flatmap(matrices), st.data(), st.sampled_from([1, 3]), GRAINS)
def test_polishing_never_makes_a_direction_worse_and_keeps_signs(
    rows: np.ndarray, data: st.DataObject, sweeps: int, grain: tuple[int, int, int]
) -> None:
    z, cost = np.ascontiguousarray(rows[:-1]), rows[-1].copy()
    b = data.draw(arrays(np.float64, len(z), elements=st.sampled_from([-1.0, -0.5, 0.25, 1.0])))
    sign = (np.sign(b) * data.draw(arrays(np.int8, len(z), elements=st.integers(0, 1)))).astype(np.int8)
    value = np.empty(z.shape[1])
    kernels.add_into(value, b, z)
    _, before = kernels.find_threshold(value, cost, room(len(value)), grain)
    polished = b.copy()
    at, total = kernels.polish_exactly(z, cost, polished, sign, sweeps, 1.0, grain)
    kernels.add_into(value, polished, z)
    assert total == true_cost(value, at, cost) <= before
    assert (polished != 0.0).all()
    assert (polished * sign >= 0.0).all()
    assert len(b) > 1 or polished == b


@settings(max_examples=200)
@given(st.sampled_from([ties, plain, huge]).flatmap(matrices), st.data(), st.sampled_from([0.03, 1.0]))
def test_sweeping_roughly_keeps_signs(rows: np.ndarray, data: st.DataObject, reach: float) -> None:
    z, cost = np.ascontiguousarray(rows[:-1]), rows[-1].copy()
    b = data.draw(arrays(np.float64, len(z), elements=st.sampled_from([-1.0, -0.5, 0.25, 1.0])))
    sign = (np.sign(b) * data.draw(arrays(np.int8, len(z), elements=st.integers(0, 1)))).astype(np.int8)
    swept = b.copy()
    kernels.sweep_roughly(z, cost, swept, sign, 3, reach, 32)
    assert (swept != 0.0).all()
    assert (swept * sign >= 0.0).all()
    assert (np.abs(swept - b) <= 3 * reach + 1e-9).all()


def test_sweeping_over_no_rows_changes_nothing() -> None:
    b = np.ones(2)
    kernels.sweep_roughly(np.empty((2, 0)), np.empty(0), b, np.zeros(2, dtype=np.int8), 3, 1.0, 16)
    assert b.tolist() == [1.0, 1.0]
    assert kernels.polish_exactly(np.empty((2, 0)), np.empty(0), b, np.zeros(2, dtype=np.int8), 3, 1.0, GRAIN)[1] == 0.0


# -- sums over rows --------------------------------------------------------------------------------

counted = st.integers(0, 80).flatmap(
    lambda n: st.tuples(
        arrays(np.float64, n, elements=whole),
        arrays(np.int16, n, elements=st.integers(0, 3)),
        arrays(np.bool_, n),
        arrays(np.bool_, n),
    )
)


@given(counted)
def test_sums_of_costs(rows: tuple[np.ndarray, ...]) -> None:
    cost, count, old, new = rows
    count = (count + old).astype(np.int16)
    assert rowsums.sum_where(cost, old) == cost[old].sum()
    assert rowsums.sum_positive(cost, count) == cost[count > 0].sum()
    assert rowsums.sum_changed(cost, count, old, new) == cost[count - old + new > 0].sum()
    for at in (-1.0, 0.0, 2.0):
        assert kernels.sum_above(cost, at, cost) == cost[cost > at].sum()


@given(counted, st.data())
def test_sums_by_category(rows: tuple[np.ndarray, ...], data: st.DataObject) -> None:
    every, _, taken, _ = rows
    codes = data.draw(arrays(np.int32, len(every), elements=st.integers(-1, 4)))
    weight, index = np.abs(every) + 1.0, np.flatnonzero(taken)
    cost = every[index]
    sums = rowsums.sum_by_code(codes, index, 5, cost, weight)
    step, at = data.draw(ties), data.draw(ties)
    changed = every * ((every + step > at).astype(int) - (every > at))
    changes = rowsums.sum_changes_by_code(codes, 5, every, weight, every, at, step)
    for k in range(5):
        own, all_ = codes[index] == k, codes == k
        parts = (cost, cost**2 / weight[index], weight[index], np.abs(cost))
        np.testing.assert_allclose(sums[:, k], [part[own].sum() for part in parts])
        parts = (changed, changed**2 / weight, weight, 0 * weight)
        np.testing.assert_allclose(changes[:, k], [part[all_].sum() for part in parts])


@given(st.integers(0, 4), st.integers(0, 40), st.data())
def test_columns_are_scanned_between_bins(d: int, n: int, data: st.DataObject) -> None:
    codes = data.draw(arrays(np.int16, (d, n), elements=st.integers(-1, 5)))
    index = np.flatnonzero(data.draw(arrays(np.bool_, n)))
    cost = data.draw(arrays(np.float64, len(index), elements=whole))
    up, down = rowsums.scan_columns(codes, index, cost, 6)
    for k in range(d):
        own, known = codes[k, index], codes[k, index] >= 0
        above = [cost[own > bin_].sum() for bin_ in range(-1, 6)]
        below = [cost[known & (own <= bin_)].sum() for bin_ in range(6)]
        assert (up[k], down[k]) == ((min(above), min(below)) if known.any() else (np.inf, np.inf))


# -- logistic fits ---------------------------------------------------------------------------------


@given(st.floats(-30.0, 30.0))
def test_the_exponential_is_as_the_librarys(x: float) -> None:
    assert logistic.compute_exp(x) == pytest.approx(math.exp(x), rel=1e-5)


@given(anything)
def test_beyond_thirty_it_stays(x: float) -> None:
    low, high = logistic.compute_exp(-30.0), logistic.compute_exp(30.0)
    assert low <= logistic.compute_exp(x) <= high
    assert abs(x) <= 30.0 or logistic.compute_exp(x) == (high if x > 0 else low)


@given(columns_of(plain, plain, sizes=st.integers(0, 40)))
def test_products_are_summed(rows: np.ndarray) -> None:
    assert logistic.multiply_add(*rows) == pytest.approx(float(rows[0] @ rows[1]), abs=1e-9)


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_a_positive_definite_matrix_is_inverted(d: int, seed: int) -> None:
    half = np.random.default_rng(seed).normal(size=(d, 2 * d + 2))
    matrix = half @ half.T + 0.1 * np.eye(d)
    np.testing.assert_allclose(logistic.invert(matrix) @ matrix, np.eye(d), atol=1e-8)


def some_rows(seed: int, d: int, n: int = 300) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Columns and a last one of ones, labels with noise, and weights."""
    rng = np.random.default_rng(seed)
    x = np.vstack([rng.normal(size=(d, n)), np.ones(n)])
    truth = (rng.normal(size=d) @ x[:-1] + rng.logistic(size=n) > 0.3).astype(float)
    weight = rng.random(n) + 0.1
    return x, truth, weight / weight.sum()


@given(st.integers(1, 6), st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_newtons_steps_lead_to_the_weighted_logistic_fit(d: int, seed: int) -> None:
    from scipy.optimize import minimize

    x, truth, weight = some_rows(seed, d)
    assume(0 < truth.sum() < len(truth))
    w = np.zeros(d + 1)
    inverted = logistic.step_newton(x, truth, weight, w, FITTED_RIDGE, 60)

    def loss(w: np.ndarray) -> float:
        return float(weight @ (np.logaddexp(0.0, w @ x) - truth * (w @ x)) + FITTED_RIDGE / 2 * w[:-1] @ w[:-1])

    best = minimize(loss, np.zeros(d + 1), method="BFGS", options={"gtol": 1e-9})
    assert loss(w) <= best.fun + 1e-5
    p = 1 / (1 + np.exp(-(w @ x)))
    probability = np.empty(x.shape[1])
    logistic.predict(x, w, probability)
    np.testing.assert_allclose(probability, p, rtol=1e-8)
    curvature = (x * (weight * p * (1 - p))) @ x.T + np.diag([*np.full(d, FITTED_RIDGE), 1e-9])
    np.testing.assert_allclose(inverted @ curvature, np.eye(d + 1), atol=0.1)  # at the place before the last step


@given(st.integers(2, 7), st.integers(2, 8), st.integers(0, 10**6), st.data())
@settings(max_examples=40, deadline=None)
def test_sparse_directions_have_fewer_and_fewer_columns_that_may_stand_together(
    d: int, most: int, seed: int, data: st.DataObject
) -> None:
    x, truth, weight = some_rows(seed, d)
    sign = data.draw(arrays(np.int8, d, elements=st.integers(-1, 1)))
    apart = np.zeros((d, d), dtype=np.bool_)
    if data.draw(st.booleans()):
        apart[0, 1] = apart[1, 0] = True
    found = logistic.fit_sparse_directions(x, truth, weight, sign, apart, min(most, d))
    sizes = [np.count_nonzero(b) for b in found]
    assert sizes == sorted(set(sizes), reverse=True)
    assert all(2 <= size <= most for size in sizes)
    for b in found:
        assert (b * sign >= 0.0).all()
        assert not (apart.any() and b[0] and b[1])
    if not sign.any() and not apart.any():
        assert sizes == list(range(min(most, d), 1, -1))


@pytest.mark.parametrize("kind", ["constant", "zero", "equal", "opposite", "huge", "tiny", "labels", "alike", "few"])
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value", "ignore:divide by zero")
def test_degenerate_columns_break_nothing(kind: str) -> None:
    x, truth, weight = some_rows(0, 4)
    x[1] = {
        "constant": np.full_like(truth, 3.0),
        "zero": 0.0 * truth,
        "equal": x[0],
        "opposite": -x[0],
        "huge": 1e200 * x[1],
        "tiny": 1e-200 * x[1],
        "labels": 2.0 * truth - 1.0,
        "alike": x[0] + 1e-13 * x[1],
        "few": x[1],
    }[kind]
    n = 2 if kind == "few" else len(truth)
    x, truth, weight = np.ascontiguousarray(x[:, :n]), truth[:n], weight[:n]
    nothing = np.zeros(4, dtype=np.int8), np.zeros((4, 4), dtype=np.bool_)
    for b in logistic.fit_sparse_directions(x, truth, weight, *nothing, 4):
        assert b.shape == (4,)
        assert 2 <= np.count_nonzero(b) <= 4
    if kind != "huge":
        w = np.zeros(5)
        assert np.isfinite(logistic.step_newton(x, truth, weight, w, FITTED_RIDGE, NEWTON_STEPS)).all()
        assert np.isfinite(w).all()


def test_leaving_a_column_out_moves_the_others_to_the_best_without_it() -> None:
    rng = np.random.default_rng(0)
    half = rng.normal(size=(4, 9))
    hessian, w = half @ half.T, rng.normal(size=4)
    before, inverted = w.copy(), np.linalg.inv(hessian)
    logistic.leave_out(1, w, inverted)
    others = [0, 2, 3]
    moved = before[others] + np.linalg.solve(hessian[np.ix_(others, others)], hessian[others, 1] * before[1])
    np.testing.assert_allclose(w[others], moved)
    assert w[1] == 0.0
    np.testing.assert_allclose(
        inverted[np.ix_(others, others)], np.linalg.inv(hessian[np.ix_(others, others)]), atol=1e-9
    )


# -- exactness -------------------------------------------------------------------------------------


@given(
    st.integers(1, 400), st.integers(0, 10**6), st.sampled_from([1.0, 10.0, 1000.0]), st.sampled_from([1e-9, 1, 1e9])
)
def test_sums_of_exact_costs_are_the_same_in_any_order(n: int, seed: int, boost: int, unit: float) -> None:
    rng = np.random.default_rng(seed)
    weight = unit * rng.random(n)
    cost = make_exact(weight * rng.uniform(-1.0, 1.0, n), weight)
    cost = np.where(cost < 0, boost * cost, cost)
    exact = math.fsum(cost)
    every = np.ones(n, dtype=np.bool_)
    for order in (np.arange(n), np.arange(n)[::-1], rng.permutation(n), np.argsort(cost)):
        shuffled = np.ascontiguousarray(cost[order])
        assert rowsums.sum_where(shuffled, every) == shuffled.sum() == shuffled.cumsum()[-1] == sum(shuffled) == exact
        assert float(shuffled @ every) == exact


# -- as compiled -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_no_kernel_reads_or_writes_out_of_bounds(tmp_path: Path) -> None:
    if os.environ.get("NUMBA_BOUNDSCHECK"):
        return  # this is that run
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", __file__]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, env=checked, capture_output=True, text=True, cwd=root, check=False)
    assert done.returncode == 0, done.stdout[-3_000:]


COMPILE_ALL = """
import warnings
warnings.simplefilter("ignore")
import numpy as np, pandas as pd
from r2n import R2NClassifier
from r2n.datasets import example
from r2n.search import kernels, logistic, rowsums
X, y = example(4).sample(1_000, random_state=0, flip=0.1)
X = pd.DataFrame(X).add_prefix("x").assign(k=np.where(X[:, 0] > 0.5, "a", "b"))
X.loc[::7, "x1"] = np.nan
for teacher in (True, False):
    R2NClassifier(network=None, teacher=teacher, random_state=0, n_jobs=1, effort="thorough").fit(X, y)
for module in (kernels, logistic, rowsums):
    for name, each in vars(module).items():
        if hasattr(each, "signatures"):
            print(name, len(each.signatures))
"""


@pytest.mark.slow
def test_each_kernel_is_compiled_once(tmp_path: Path) -> None:
    fresh = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", COMPILE_ALL], env=fresh, capture_output=True, text=True, check=True)
    counts = dict(line.split() for line in done.stdout.splitlines())
    assert len(counts) > 20
    assert counts.pop("multiply_add") == "2"  # by numbers of 64 bits and, where rules cool, of 32
    assert set(counts.values()) == {"1"}, counts
