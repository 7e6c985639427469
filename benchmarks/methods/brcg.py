"""BRCG, light edition: Boolean rules by column generation, after Dash, Günlük and Wei (2018).

A linear program weighs conjunctions of binarised literals; its duals price new ones, which a beam search finds; of all
that were found, another beam search keeps the best few.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.optimize import linprog

from benchmarks.methods.baselines import RuleCounts, RuleLengths
from benchmarks.methods.binarise import QuantileBins

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]
Singles = NDArray[np.float32]


@dataclass(frozen=True)
class Conjunction:
    """Some columns of the binarised table, and the rows in which all are true."""

    literals: frozenset[int]
    covers: Bools = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Child:
    """A conjunction that the beam may go on from."""

    value: float  # its reduced cost
    bound: float  # below which no longer one can come
    parent: Conjunction
    literal: int

    @property
    def promise(self) -> float:
        return (self.value + self.bound) / 2


class Brcg(RuleCounts):
    """Boolean rules by column generation on 40 equi-quantile bins."""

    def __init__(
        self,
        bins: int = 40,
        per_rule: float = 0.001,
        per_literal: float = 0.001,
        rounds: int = 100,
        columns_a_round: int = 10,
        degree: int = 10,
        width: int = 5,
        seconds: float = 100.0,
    ) -> None:
        self.bins, self.per_rule, self.per_literal = bins, per_rule, per_literal
        self.rounds, self.columns_a_round, self.degree, self.width = rounds, columns_a_round, degree, width
        self.seconds = seconds  # after which no further round begins, as in the published implementation

    def fit(self, X: pd.DataFrame, y: NDArray[np.bool_]) -> Self:
        self.binariser_ = QuantileBins(self.bins).fit(X)
        frame = self.binariser_.transform(X)
        self.literals_ = list(frame.columns)
        table, positive = frame.to_numpy(), np.asarray(y, dtype=np.bool_)
        pool = self._generated(table, positive)
        self.rules_ = self._best_subset(pool, positive)
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        table = self.binariser_.transform(X).to_numpy()
        covered = [table[:, sorted(rule.literals)].all(axis=1) for rule in self.rules_]
        return np.any(covered, axis=0) if covered else np.zeros(len(X), dtype=np.bool_)

    def rule_lengths(self) -> RuleLengths:
        return [len(rule.literals) for rule in self.rules_]

    def cost(self, rule: Conjunction) -> float:
        """What a conjunction costs; the empty one is free."""
        return self.per_rule + self.per_literal * len(rule.literals) if rule.literals else 0.0

    # -- generating conjunctions -----------------------------------------------------------------

    def _generated(self, table: Bools, positive: Bools) -> list[Conjunction]:
        """The empty conjunction, every literal, and what prices below zero, round by round."""
        n = len(table)
        pool = [Conjunction(frozenset(), np.ones(n, dtype=np.bool_))]
        pool += [Conjunction(frozenset({k}), table[:, k]) for k in range(table.shape[1])]
        known = {rule.literals for rule in pool}
        single = table.astype(np.float32)
        until = time.process_time() + self.seconds  # what runs beside it takes no rounds away
        for _ in range(self.rounds):
            if time.process_time() > until:
                break
            residual = np.where(positive, -self._duals(pool, positive), 1.0 / n)
            found = [rule for rule in self._priced(single, table, residual) if rule.literals not in known]
            if not found:
                break
            pool += found
            known |= {rule.literals for rule in found}
        return pool

    def _duals(self, pool: list[Conjunction], positive: Bools) -> Floats:
        """μ of the restricted master, for every row (0 where it is negative).

        Solved in its dual form, Σ μ to the most, 0 ≤ μ ≤ 1/n, and for each conjunction the μ it covers at most the
        share of negatives it covers and its cost: there are far fewer conjunctions than rows.
        """
        n = len(positive)
        inside = np.array([rule.covers[positive] for rule in pool], dtype=np.float64)
        most = np.array([rule.covers[~positive].sum() / n + self.cost(rule) for rule in pool])
        solved = linprog(-np.ones(inside.shape[1]), A_ub=inside, b_ub=most, bounds=(0.0, 1.0 / n), method="highs")
        duals = np.zeros(n)
        duals[positive] = solved.x
        return duals

    def _priced(self, single: Singles, table: Bools, residual: Floats) -> list[Conjunction]:
        """The conjunctions of the lowest reduced cost that a beam search finds, all of them below zero."""
        r = residual.astype(np.float32)
        gains = np.minimum(r, 0.0)
        beam = [Conjunction(frozenset(), np.ones(len(table), dtype=np.bool_))]
        best: dict[frozenset[int], Child] = {}
        for degree in range(1, self.degree + 1):
            cost = self.per_rule + self.per_literal * degree
            children: dict[frozenset[int], Child] = {}
            for parent in beam:
                for child in self._children(parent, single, r, gains, cost):
                    children.setdefault(parent.literals | {child.literal}, child)
            least = min((child.value for child in best.values()), default=0.0)
            best |= {literals: child for literals, child in children.items() if child.value < -1e-6}
            going = [child for child in children.values() if child.bound < least - 1e-6]
            going.sort(key=lambda child: child.promise)
            beam = [_made(child, table) for child in going[: self.width]]
            if not beam:
                break
        chosen = sorted(best.values(), key=lambda child: child.value)[: self.columns_a_round]
        return [_made(child, table) for child in chosen]

    def _children(
        self, parent: Conjunction, single: Singles, r: Singles, gains: Singles, cost: float
    ) -> Iterator[Child]:
        """With one literal more; not with those that the rows it covers all fulfil, or none does."""
        rows = parent.covers
        inside = single[rows]
        value, bound, count = r[rows] @ inside, gains[rows] @ inside, inside.sum(axis=0)
        for k in np.flatnonzero((count > 0) & (count < rows.sum())):
            yield Child(float(value[k]) + cost, float(bound[k]) + cost, parent, int(k))

    # -- choosing among them ---------------------------------------------------------------------

    def _best_subset(
        self, pool: list[Conjunction], positive: Bools, degree: int = 100, width: int = 10
    ) -> list[Conjunction]:
        """The conjunctions whose union errs least, their cost included: the same beam search, over unions.

        More conjunctions only cover more rows: the negatives that are covered, and the cost, bound what can be reached.
        """
        n = len(positive)
        covers = np.array([rule.covers for rule in pool], dtype=np.float32)  # (rules, rows)
        costs = np.array([self.cost(rule) for rule in pool])
        best = start = Union(float(positive.mean()), 0.0, frozenset(), np.zeros(n, dtype=np.bool_))
        beam = [start]
        for _ in range(degree):
            children: dict[frozenset[int], Union] = {}
            for union in beam:
                gained, lost = (covers[:, ~union.covered & side].sum(axis=1) / n for side in (positive, ~positive))
                for k in np.flatnonzero(gained > 0):
                    value, bound = union.value - gained[k] + lost[k] + costs[k], union.bound + lost[k] + costs[k]
                    if bound < best.value - 1e-9:
                        chosen = union.chosen | {int(k)}
                        children.setdefault(chosen, Union(float(value), float(bound), chosen, union.covered))
            going = sorted(children.values(), key=lambda union: union.promise)[:width]
            beam = [replace(union, covered=np.any([pool[k].covers for k in union.chosen], axis=0)) for union in going]
            best = min([best, *children.values()], key=lambda union: union.value)
            if not beam:
                break
        return [pool[k] for k in sorted(best.chosen)]


@dataclass(frozen=True, slots=True)
class Union:
    """Some conjunctions of the pool: what they cost, what more of them may come down to, and where one is true."""

    value: float
    bound: float
    chosen: frozenset[int]
    covered: Bools

    @property
    def promise(self) -> float:
        return (self.value + self.bound) / 2


def _made(child: Child, table: Bools) -> Conjunction:
    return Conjunction(child.parent.literals | {child.literal}, child.parent.covers & table[:, child.literal])
