"""Softened rules, cooled again: all coefficients and thresholds of a rule set move together.

The descent changes one literal at a time. Here every halfspace is softened to a sigmoid, σ((Σ b_k·z_k - c)/τ), a rule
is the product of its literals, the rule set 1 - Π(1 - rule), and its expected cost goes down the gradient while τ
cools. The columns of each literal stay, or others may come in. What comes out is rarely better at once: it is another
place to descend from.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Halfspace, Literal, Rule
from r2n.search import logistic
from r2n.search.columns import DesignMatrix
from r2n.search.plan import ANNEAL_COLD, ANNEAL_HOT, ANNEAL_RATE, ANNEAL_ROWS, ANNEAL_STEPS, OPENED_COLUMNS
from r2n.search.problem import Bools, Floats, Problem


@dataclass(frozen=True, slots=True)
class Schedule:
    """From which temperature to which, in how many steps of which size; in units of a column's middle half."""

    hot: float = ANNEAL_HOT
    cold: float = ANNEAL_COLD
    rate: float = ANNEAL_RATE
    steps: int = ANNEAL_STEPS
    opens: bool = False  # whether a literal may come to read other columns: see Soft.open_columns

    @property
    def temperatures(self) -> Floats:
        """Of each step. Rounded: the last bit of a power differs by processor."""
        return np.array([round(self.hot * (self.cold / self.hot) ** (k / self.steps), 12) for k in range(self.steps)])


@dataclass(frozen=True)
class Soft:
    """The halfspaces of a rule set as one matrix; its other literals stay as they are."""

    b: Floats  # (literals, columns + 1): coefficients and, against a last column of -1, the threshold; of length one
    used: Bools  # (literals, columns + 1)
    owner: NDArray[np.intp]  # (literals,): the rule each is in
    fixed: tuple[tuple[Literal, ...], ...]  # for each rule its literals that are no halfspaces

    @classmethod
    def of(cls, rules: Sequence[Rule], design: DesignMatrix) -> Soft:
        """The halfspaces of these rules."""
        index = design.index
        unit, origin = design.scale * design.spread, design.centre + design.scale * design.middle
        rows, owner = [], []
        for j, rule in enumerate(rules):
            for literal in rule.literals:
                if isinstance(literal, Halfspace):
                    columns, a = [index[key] for key, _ in literal.terms], np.array([a for _, a in literal.terms])
                    row = np.zeros(len(index) + 1)
                    row[columns] = a * unit[columns]
                    row[-1] = literal.threshold - float(np.sum(a * origin[columns]))
                    rows.append(row)
                    owner.append(j)
        b = np.array(rows).reshape(len(rows), len(index) + 1)
        used = b != 0.0
        used[:, -1] = True
        others = (tuple(each for each in rule.literals if not isinstance(each, Halfspace)) for rule in rules)
        return cls(normalise(b), used, np.array(owner, dtype=np.intp), tuple(others))

    def open_columns(self, problem: Problem, design: DesignMatrix) -> Bools:
        """Which columns each literal may read: its own, and others known everywhere of which no expert said anything.

        Of more than `OPENED_COLUMNS` those that other literals read come first, then those that go most with the costs.
        """
        tied = problem.knowledge.excluded.union(*problem.knowledge.apart)
        plain = np.array([isinstance(name, str) and name not in tied for name in design.names])
        free = np.flatnonzero(plain & ~design.missing_anywhere & (design.sign == 0))
        is_read: Bools = np.asarray(self.used[:, :-1].any(axis=0))
        strength = [np.inf if is_read[k] else abs(logistic.multiply_add(problem.cost, design.z[k])) for k in free]
        opened = np.zeros(self.used.shape[1], dtype=np.bool_)
        opened[free[np.argsort(-np.array(strength), kind="stable")[:OPENED_COLUMNS]]] = True
        return np.asarray(self.used | opened)

    def hardened(self, b: Floats, design: DesignMatrix) -> tuple[Rule, ...]:
        """Rules again, with these coefficients and thresholds."""
        literals: list[list[Literal]] = [list(fixed) for fixed in self.fixed]
        for row, used, j in zip(b, self.used, self.owner, strict=True):
            columns = np.flatnonzero(used[:-1])
            inside = row[columns] / design.spread[columns]
            at = float(row[-1] + np.sum(inside * design.middle[columns]))
            literals[j].append(design.halfspace(columns.tolist(), inside, at))
        return tuple(Rule(tuple(each)) for each in literals)


def normalise(b: Floats) -> Floats:
    """Coefficients of length one: what a temperature means must not depend on how a halfspace is written."""
    length = np.sqrt(np.sum(b[:, :-1] ** 2, axis=1, keepdims=True))
    return np.asarray(b / np.where(length > 0, length, 1.0))


def anneal(
    problem: Problem, rules: Sequence[Rule], design: DesignMatrix, rng: np.random.Generator, schedule: Schedule
) -> tuple[Rule, ...]:
    """The rules after their halfspaces were softened and cooled together."""
    design = design.with_terms(problem, (literal for rule in rules for literal in rule.literals))
    soft = Soft.of(rules, design)
    if len(soft.b) == 0:
        return tuple(rules)
    fires = np.array([problem.fires(Rule(literals)) for literals in soft.fixed])
    for reads, j in zip(soft.used, soft.owner, strict=True):
        fires[j] &= ~design.missing[np.flatnonzero(reads[:-1])].any(axis=0)
    used = soft.open_columns(problem, design) if schedule.opens else soft.used
    columns = np.flatnonzero(used[:, :-1].any(axis=0))  # of a wide table, most are in no literal
    order, inside = rng.permutation(problem.n_rows), np.append(columns, -1)
    w = np.ascontiguousarray(soft.b[:, inside])
    logistic.cool(
        design.middled(order, columns),
        np.ascontiguousarray(fires[:, order]),
        problem.cost[order] * (problem.n_rows / problem.total),
        min(ANNEAL_ROWS, problem.n_rows),
        schedule.temperatures,
        soft.owner,
        np.ascontiguousarray(used[:, inside]),
        w,
        schedule.rate,
    )
    whole = soft.b.copy()
    whole[:, inside] = w
    return replace(soft, used=used).hardened(whole, design)
