"""The moves: small changes of a rule set. Each yields candidates; the descent takes the best that improves.

Because a rule set is monotone in each literal, a literal decides exactly the rows of its care set, and fitting it
there is fitting it for the whole rule set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from r2n.refine.halfspaces import Numbers, halfspace_candidates
from r2n.refine.memberships import membership_candidates
from r2n.refine.problem import Bools, Floats, Problem
from r2n.refine.state import State, replaced
from r2n.rules import Halfspace, Literal, Rule

Candidates = Iterator[tuple[Rule, ...]]
BOOSTS = (1.0, 3.0, 10.0)  # how much more a covered positive counts when a new rule is looked for


@dataclass(frozen=True)
class Fitter:
    """Fits literals to rows and costs, and remembers which fits led nowhere."""

    problem: Problem
    numbers: Numbers
    _seen: set[tuple[object, ...]] = field(default_factory=set, repr=False)

    @classmethod
    def of(cls, problem: Problem) -> Fitter:
        return cls(problem, Numbers.of(problem))

    def literals(self, rows: Bools, cost: Floats, start: Literal | None = None) -> Iterator[Literal]:
        """Good literals to be true in the rows of negative cost and false in the others."""
        index = np.flatnonzero(rows)
        here = cost[index]
        most = self.problem.caps.columns or len(self.numbers.names)
        halfspace = start if isinstance(start, Halfspace) and len(start.terms) <= most else None
        yield from halfspace_candidates(self.numbers, index, here, most, halfspace)
        yield from membership_candidates(self.problem, index, here)

    def best(self, rows: Bools, cost: Floats) -> Literal | None:
        """The literal of the lowest cost on these rows, its price included."""
        index = np.flatnonzero(rows)

        def total(literal: Literal) -> float:
            return float(cost[index][self.problem.truth(literal)[index]].sum()) + self.problem.prices.of_literal(
                literal
            )

        return min(self.literals(rows, cost), key=total, default=None)

    def is_new(self, *question: object) -> bool:
        """Whether this was not asked before: the same fit on the same rows gives the same answer."""
        if question in self._seen:
            return False
        self._seen.add(question)
        return True


def drop_rule(state: State, fit: Fitter) -> Candidates:
    """Without one of the rules."""
    for j in range(len(state.rules)):
        yield state.without_rule(j)


def drop_literal(state: State, fit: Fitter) -> Candidates:
    """Without one literal of one rule."""
    for j, rule in enumerate(state.rules):
        for literal in rule.literals:
            yield state.with_rule(j, replaced(rule, literal, None))


def add_known_literal(state: State, fit: Fitter) -> Candidates:
    """With a literal of another rule in this one too."""
    known = {literal for rule in state.rules for literal in rule.literals}
    for j, rule in enumerate(state.rules):
        for literal in sorted(known - set(rule.literals), key=lambda literal: literal.sort_key()):
            yield state.with_rule(j, Rule((*rule.literals, literal)))


def refit_literal(state: State, fit: Fitter) -> Candidates:
    """With one literal fitted anew on its care set, with as many columns or fewer."""
    for j, rule in enumerate(state.rules):
        for literal in rule.literals:
            care = state.care_set(j, literal)
            if fit.is_new("refit", literal, care.tobytes()):
                for other in fit.literals(care, state.problem.cost, start=literal):
                    yield state.with_rule(j, replaced(rule, literal, other))


def grow_literal(state: State, fit: Fitter) -> Candidates:
    """With one more literal in a rule: it decides the rows in which that rule alone fires."""
    for j, rule in enumerate(state.rules):
        alone = state.fired[j] & state.others_silent(j)
        if fit.is_new("grow", alone.tobytes()):
            for literal in fit.literals(alone, state.problem.cost):
                yield state.with_rule(j, Rule((*rule.literals, literal)))


def grow_rule(state: State, fit: Fitter) -> Candidates:
    """With one more rule: it decides the rows in which none fires."""
    silent = state.count == 0
    if not fit.is_new("rule", silent.tobytes()):
        return
    cost = state.problem.cost
    for boost in BOOSTS:
        seed = fit.best(silent, np.where(cost < 0, boost * cost, cost))
        if seed is not None:
            for rule in grown(Rule((seed,)), silent, fit):
                yield (*state.rules, rule)


def grown(rule: Rule, rows: Bools, fit: Fitter, most: int = 3) -> Iterator[Rule]:
    """The rule, and longer ones, each by the literal that is best on the rows it still covers."""
    yield rule
    while len(rule.literals) < most:
        literal = fit.best(rows & fit.problem.fires(rule), fit.problem.cost)
        longer = None if literal is None else Rule((*rule.literals, literal))
        if longer is None or longer == rule:
            return
        rule = longer
        yield rule


def merge_rules(state: State, fit: Fitter) -> Candidates:
    """With one new rule in the place of two, fitted on the rows that no other decides."""
    if len(state.rules) > 6:
        return
    for i, j in combinations(range(len(state.rules)), 2):
        rest = tuple(rule for k, rule in enumerate(state.rules) if k not in (i, j))
        open_rows = (state.count - state.fired[i] - state.fired[j]) == 0
        common = set(state.rules[i].literals) & set(state.rules[j].literals)
        shared = Rule(tuple(common))
        open_rows = open_rows & state.problem.fires(shared)
        if fit.is_new("merge", open_rows.tobytes()):
            literal = fit.best(open_rows, state.problem.cost)
            if literal is not None:
                for rule in grown(Rule((*shared.literals, literal)), open_rows, fit):
                    yield (*rest, rule)


MOVES: tuple[Callable[[State, Fitter], Candidates], ...] = (
    drop_rule,
    drop_literal,
    add_known_literal,
    refit_literal,
    grow_literal,
    grow_rule,
    merge_rules,
)
