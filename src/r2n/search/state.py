"""A rule set under refinement, with what every move needs to know of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from r2n.rules import Literal, Rule
from r2n.search import rowsums
from r2n.search.problem import Bools, Problem


@dataclass(frozen=True)
class State:
    """Rules, where each fires, and how many fire in each row. Literals' truths are kept by the problem."""

    problem: Problem
    rules: tuple[Rule, ...]
    fired: tuple[Bools, ...]  # (n,) for each rule
    count: np.ndarray  # (n,)
    objective: float

    @classmethod
    def of(cls, problem: Problem, rules: Iterable[Rule], near: State | None = None) -> State:
        """Given the state of nearly the same rules, only the rules that differ are looked at."""
        rules = tuple(dict.fromkeys(rules))
        known = dict(zip(near.rules, near.fired, strict=True)) if near is not None else {}
        fired = tuple(known[rule] if rule in known else problem.fires(rule) for rule in rules)
        count = near.count.copy() if near is not None else np.zeros(problem.n_rows, dtype=np.int16)
        for rule in known.keys() - set(rules):
            count -= known[rule]
        for rule, truth in zip(rules, fired, strict=True):
            if rule not in known:
                count += truth
        error = (problem.floor + rowsums.sum_positive(problem.cost, count)) / problem.total
        return cls(problem, rules, fired, count, error + problem.price_of(rules))

    def objective_of(self, rules: Iterable[Rule]) -> float:
        """The objective of nearly the same rules; where one is changed, added or dropped, in one pass over the rows."""
        rules = tuple(dict.fromkeys(rules))
        gone = [j for j, rule in enumerate(self.rules) if rule not in rules]
        come = [rule for rule in rules if rule not in self.rules]
        if len(gone) > 1 or len(come) > 1:
            return State.of(self.problem, rules, near=self).objective
        none = np.zeros(self.problem.n_rows, dtype=np.bool_)
        old, new = (self.fired[gone[0]] if gone else none), (self.problem.fires(come[0]) if come else none)
        cost = rowsums.sum_changed(self.problem.cost, self.count, old, new)
        return (self.problem.floor + cost) / self.problem.total + self.problem.price_of(rules)

    @property
    def error(self) -> float:
        """The weighted error of its rules."""
        return self.objective - self.problem.price_of(self.rules)

    @property
    def size(self) -> int:
        """How much its rules give to read."""
        return sum(rule.size for rule in self.rules)

    def others_silent(self, j: int) -> Bools:
        """Rows in which no rule but the j-th fires: there the prediction is that rule."""
        silent: Bools = (self.count - self.fired[j]) == 0
        return silent

    def care_set(self, j: int, literal: Literal) -> Bools:
        """Rows in which the prediction *is* this literal of the j-th rule.

        The rule set is monotone in each literal, so these are all rows that changing it can change.
        """
        rest = Rule(tuple(other for other in self.rules[j].literals if other != literal))
        return self.others_silent(j) & self.problem.fires(rest)

    def with_rule(self, j: int, rule: Rule) -> tuple[Rule, ...]:
        """The rules with another one in the j-th place."""
        return (*self.rules[:j], rule, *self.rules[j + 1 :])

    def without_rule(self, j: int) -> tuple[Rule, ...]:
        """The rules without the one in the j-th place."""
        return (*self.rules[:j], *self.rules[j + 1 :])


def replace_literal(rule: Rule, old: Literal, new: Literal | None) -> Rule:
    """The rule with a literal replaced, or dropped."""
    others = tuple(literal for literal in rule.literals if literal != old)
    return Rule(others if new is None else (*others, new))
