"""The baseline that is written here: its parts against brute force."""

from itertools import chain, combinations

import numpy as np
import pandas as pd
import pytest

from benchmarks.methods.brcg import Brcg, Conjunction
from r2n.datasets import example


@pytest.mark.parametrize("seed", range(5))
def test_the_best_subset_is_the_best_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    table, positive = rng.random((60, 6)) < 0.4, rng.random(60) < 0.5
    model = Brcg(bins=2)
    pool = [Conjunction(frozenset({k}), table[:, k]) for k in range(6)]

    def objective(chosen: tuple[Conjunction, ...]) -> float:
        covered = np.any([rule.covers for rule in chosen], axis=0) if chosen else np.zeros(60, dtype=bool)
        return float(np.mean(covered != positive)) + sum(map(model.cost, chosen))

    found = model._best_subset(pool, positive, width=1_000)
    subsets = chain.from_iterable(combinations(pool, size) for size in range(7))
    assert objective(tuple(found)) == pytest.approx(min(map(objective, subsets)))


def test_pricing_finds_the_conjunction_of_the_lowest_reduced_cost() -> None:
    rng = np.random.default_rng(0)
    table, residual = rng.random((50, 5)) < 0.6, rng.normal(size=50) / 50
    model = Brcg(degree=5, width=100)
    found = model._priced(table.astype(np.float32), table, residual)
    sets = chain.from_iterable(combinations(range(5), size) for size in range(1, 6))
    costs = {chosen: residual[table[:, chosen].all(axis=1)].sum() + 0.001 + 0.001 * len(chosen) for chosen in sets}
    best = min(costs, key=lambda chosen: costs[chosen])
    reached = residual[found[0].covers].sum() + model.cost(found[0])
    assert reached == pytest.approx(costs[best], abs=1e-6)


def test_it_finds_a_rule_that_bins_can_say() -> None:
    numbers, y = example(1).sample(3_000, random_state=0)
    X = pd.DataFrame(numbers, columns=[f"x{k}" for k in range(5)])
    model = Brcg().fit(X[:2_000], y[:2_000])
    assert model.n_rules == 2
    assert model.literals_per_rule == 1.0
    assert np.mean(model.predict(X[2_000:]) == y[2_000:]) > 0.97


def test_without_time_single_literals_are_all_there_is_to_choose_from() -> None:
    numbers, y = example(5).sample(500, random_state=0)
    X = pd.DataFrame(numbers, columns=[f"x{k}" for k in range(5)])
    hurried, patient = (Brcg(bins=8, seconds=seconds).fit(X, y) for seconds in (-1.0, 100.0))
    assert set(hurried.rule_lengths()) <= {0, 1}
    assert max(patient.rule_lengths()) > 1
