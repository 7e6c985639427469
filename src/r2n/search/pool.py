"""Pooling: the rules of all starts together, and the best subset of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TypeAlias

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

from r2n.rules import Rule
from r2n.runtime.forks import with_own_threads
from r2n.search.plan import MOST_CELLS, SOLVER_NODES
from r2n.search.problem import Bools, Floats, Problem

Limit: TypeAlias = tuple[Floats, float]  # what each rule counts, and how much all that are chosen may count at most


def find_best_subset(problem: Problem, pool: Iterable[Rule], start: Iterable[Rule] = ()) -> tuple[Rule, ...]:
    """The subset of the pool with the lowest objective: by integer programming where the pool is small, else local."""
    rules, start = problem.learned(dict.fromkeys(pool)), problem.learned(start)
    if not rules:
        return start
    fired = np.array([problem.fires(rule) for rule in rules])
    price = problem.total * np.array([problem.prices.of_rules([rule]) for rule in rules])
    limits = list_limits(problem, rules)
    found = search_locally(problem, fired, price, limits, {rules.index(rule) for rule in start if rule in rules})
    exact = solve_exactly(problem.cost, fired, price, limits)
    subsets = [tuple(rules[i] for i in sorted(chosen)) for chosen in (found, exact) if chosen is not None]
    return min(subsets, key=problem.objective)


def list_limits(problem: Problem, rules: Sequence[Rule]) -> list[Limit]:
    """How many rules may be chosen beside the fixed ones, and how large they may be together."""
    caps, fixed = problem.caps, problem.knowledge.fixed
    limits: list[Limit] = [(np.ones(len(rules)), len(rules) if caps.rules is None else max(caps.rules - len(fixed), 0))]
    if caps.size is not None:
        limits.append((np.array([float(rule.size) for rule in rules]), max(caps.size - problem.size_of(()), 0)))
    return limits


def solve_exactly(cost: Floats, fired: Bools, price: Floats, limits: Sequence[Limit]) -> set[int] | None:
    """The best subset by integer programming; None if there are too many cells, or no solution in so many nodes.

    Rows in which the same rules fire are one cell. x says which rules are taken, y which cells they cover:
    y ≤ Σ x where covering pays, y ≥ x for each rule of the cell where it costs.
    """
    packed, cell = np.unique(np.packbits(fired, axis=0), axis=1, return_inverse=True)
    if packed.shape[1] > MOST_CELLS:
        return None
    n_rules, n_cells = len(fired), packed.shape[1]
    of_cell = np.unpackbits(packed, axis=0, count=n_rules).astype(bool)  # (rules, cells)
    cell_cost = np.bincount(cell.ravel(), weights=cost, minlength=n_cells)
    gains, costs = np.flatnonzero(cell_cost < 0), np.flatnonzero(cell_cost > 0)
    rows: list[np.ndarray] = []
    columns: list[np.ndarray] = []
    values: list[np.ndarray] = []
    rule, at = np.nonzero(of_cell[:, gains])  # y_g - Σ x ≤ 0
    rows += [np.arange(len(gains)), at]
    columns += [n_rules + gains, rule]
    values += [np.ones(len(gains)), -np.ones(len(rule))]
    rule, at = np.nonzero(of_cell[:, costs])  # x - y_g ≤ 0
    rows += [len(gains) + np.arange(len(rule))] * 2
    columns += [rule, n_rules + costs[at]]
    values += [np.ones(len(rule)), -np.ones(len(rule))]
    n_rows = len(gains) + len(rule)
    for k, (counted, _) in enumerate(limits):  # Σ counted·x ≤ most
        rows.append(np.full(n_rules, n_rows + k))
        columns.append(np.arange(n_rules))
        values.append(counted)
    places = (np.concatenate(rows).astype(np.int32), np.concatenate(columns).astype(np.int32))  # HiGHS takes no others
    entries = (np.concatenate(values), places)
    matrix = coo_array(entries, shape=(n_rows + len(limits), n_rules + n_cells)).tocsc()
    upper = np.append(np.zeros(n_rows), [most for _, most in limits])
    scale = 1.0 / max(float(np.abs(cell_cost).max()), 1e-300)  # the solver's tolerances are absolute
    solver = partial(
        milp,
        np.r_[price, cell_cost] * scale,
        integrality=np.r_[np.ones(n_rules), np.zeros(n_cells)],
        bounds=Bounds(0.0, 1.0),
        constraints=LinearConstraint(matrix, -np.inf, upper),
        options={"node_limit": SOLVER_NODES},
    )
    solved = with_own_threads(solver)
    return None if solved.x is None else set(np.flatnonzero(solved.x[:n_rules] > 0.5).tolist())


def search_locally(problem: Problem, fired: Bools, price: Floats, limits: Sequence[Limit], start: set[int]) -> set[int]:
    """What adding, dropping and swapping single rules reaches."""
    chosen = set(start)

    def objective(members: Iterable[int]) -> float:
        members = list(members)
        covered = fired[members].any(axis=0) if members else np.zeros(problem.n_rows, dtype=bool)
        return float(problem.cost[covered].sum() + price[members].sum())

    best = objective(chosen)
    while True:
        options = [chosen - {i} for i in chosen]
        count = fired[sorted(chosen)].sum(axis=0, dtype=np.int16) if chosen else np.zeros(problem.n_rows, np.int16)
        for base in [chosen, *(chosen - {i} for i in chosen)]:
            silent = count - (fired[next(iter(chosen - base))] if base != chosen else 0) == 0
            gain = (fired[:, silent] @ problem.cost[silent]) + price
            gain[sorted(base)] = np.inf
            for counted, most in limits:
                gain[counted > most - counted[sorted(base)].sum()] = np.inf
            if np.isfinite(gain).any():
                options.append(base | {int(np.argmin(gain))})
        values = [objective(option) for option in options]
        if not values or min(values) >= best - 1e-12 * problem.total:
            return chosen
        chosen, best = options[int(np.argmin(values))], min(values)
