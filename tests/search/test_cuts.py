"""The exact scans against brute force."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n.rules import RuleSet
from r2n.search.cuts import find_best_coefficient, find_best_cut, split_gap
from r2n.search.front import Front, Point, find_first_as_good
from r2n.search.plan import REACH

rows = st.lists(st.tuples(st.integers(-4, 4), st.integers(-3, 3)), min_size=1, max_size=12)


@given(rows)
def test_the_best_cut_is_the_best_of_all_cuts(pairs: list[tuple[int, int]]) -> None:
    values, cost = (np.array(part, dtype=float) for part in zip(*pairs, strict=True))
    every = [cost[values > c].sum() for c in np.r_[values - 0.5, values + 0.5]]
    found = find_best_cut(values, cost)
    if found is None:
        assert min(every) >= 0
    else:
        assert found.cost == pytest.approx(min(every))
        assert cost[values > found.at].sum() == pytest.approx(found.cost)


@pytest.mark.parametrize("values", [[3.0], [1.0, 2.0], [-1e-9, 1e-9], [1e12, 1e12 + 1], [-5.0, 1e6]])
def test_a_cut_below_all_rows_keeps_a_distance_that_other_units_keep(values: list[float]) -> None:
    found = find_best_cut(np.array(values), np.full(len(values), -1.0))
    assert found is not None
    low = min(values)
    assert low - found.at >= 0.9e-6 * max(abs(low), 1.0)
    assert low - found.at <= 1.1e-6 * max(abs(low), max(values) - low, 1.0)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-4, 4), st.integers(-3, 3)), min_size=1, max_size=10))
def test_the_best_coefficient_is_the_best_above_the_lowest_turn_within_reach(
    triples: list[tuple[int, int, int]],
) -> None:
    z, rest, cost = (np.array(part, dtype=float) for part in zip(*triples, strict=True))
    turns = np.unique(-rest[z != 0] / z[z != 0])
    turns = turns[(turns >= 0.3 - REACH) & (turns <= 0.3 + REACH)]
    between = (turns[1:] + turns[:-1]) / 2
    highest = [turns[-1] + 1e-9] if len(turns) else []
    every = [cost[b * z + rest > 0].sum() for b in [*between, *highest]]
    found = find_best_coefficient(z, rest, cost, now=0.3)
    present = cost[0.3 * z + rest > 0].sum()
    if found is None:
        assert all(other >= present - 1e-9 for other in every)
    else:
        assert found.cost < present
        assert abs(found.at - 0.3) <= REACH + 1e-5  # above the highest turn it keeps a distance
        assert found.cost == pytest.approx(min(every))
        assert cost[found.at * z + rest > 0].sum() == pytest.approx(found.cost)


@given(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300))
def test_halfway_lies_between(a: float, b: float) -> None:
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low <= split_gap(low, high) < high


def point(size: int, error: float) -> Point:
    names = " and ".join(f"x{k} > 0" for k in range(size)) or "false"
    return Point(RuleSet.parse(f"True if {names} else False"), error)


def test_the_front_keeps_the_best_of_each_size_and_no_worse_larger_one() -> None:
    front = Front.of([point(3, 0.2), point(1, 0.3), point(2, 0.3), point(3, 0.1), point(0, 0.5), point(4, 0.1)])
    assert [(p.size, p.train_error) for p in front] == [(0, 0.5), (1, 0.3), (3, 0.1)]


def test_one_standard_error_takes_the_smallest_that_is_as_good() -> None:
    rng = np.random.default_rng(0)
    noise = rng.random(1_000) < 0.1
    wrong = np.column_stack([noise | (np.arange(1_000) < 300), noise ^ (np.arange(1_000) < 1), noise])
    assert find_first_as_good(wrong, np.ones(len(wrong)), 2, 1.0) == 1
    assert find_first_as_good(wrong[:, ::-1], np.ones(len(wrong)), 0, 1.0) == 0


def test_the_best_point_is_the_smallest_of_the_highest_score_on_rows_held_out() -> None:
    front = Front.of([point(1, 0.3), point(3, 0.2), point(4, 0.1)])
    assert front.best == 2, "nothing was held out"
    scored = [replace(p, held_out_score=score) for p, score in zip(front, (0.7, 0.8, 0.8), strict=True)]
    assert Front(tuple(scored)).best == 1
