"""Pooling: the rules of all starts together, and the best subset of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from r2n.refine.problem import Problem
from r2n.rules import Rule


def best_subset(problem: Problem, pool: Iterable[Rule], start: Iterable[Rule] = ()) -> tuple[Rule, ...]:
    """The subset of the pool with the lowest objective that adding, dropping and swapping single rules reaches."""
    rules = tuple(dict.fromkeys(pool))
    if not rules:
        return tuple(start)
    fired = np.array([problem.fires(rule) for rule in rules])
    price = np.array([problem.prices.of_rules([rule]) for rule in rules])
    most = problem.caps.rules or len(rules)
    chosen = {rules.index(rule) for rule in start if rule in rules}

    def objective(members: Iterable[int]) -> float:
        members = list(members)
        covered = fired[members].any(axis=0) if members else np.zeros(problem.n_rows, dtype=bool)
        return float(problem.cost[covered].sum() + price[members].sum())

    best = objective(chosen)
    while True:
        options = [chosen - {i} for i in chosen]
        count = fired[sorted(chosen)].sum(axis=0, dtype=np.int16) if chosen else np.zeros(problem.n_rows, np.int16)
        bases = [chosen] if len(chosen) < most else []
        bases += [chosen - {i} for i in chosen]
        for base in bases:
            silent = count - (fired[next(iter(chosen - base))] if base != chosen else 0) == 0
            gain = (fired[:, silent] @ problem.cost[silent]) + price
            gain[sorted(base)] = np.inf
            options.append(base | {int(np.argmin(gain))})
        values = [objective(option) for option in options]
        if not values or min(values) >= best - 1e-12:
            return tuple(rules[i] for i in sorted(chosen))
        chosen, best = options[int(np.argmin(values))], min(values)
