"""The descent: moves that strictly improve the objective, until none does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from r2n.rules import Rule
from r2n.search.moves import MOVES, Fitter, Groups
from r2n.search.problem import Problem
from r2n.search.state import State, replaced

LEAST_GAIN = 1e-9  # below this an improvement may be rounding


@dataclass(frozen=True, slots=True)
class Move:
    """An accepted move: what it was, and where it led."""

    name: str
    rules: tuple[Rule, ...]
    objective: float
    error: float
    begins: bool = False  # the start of a descent, named by where it comes from
    size: int = 0  # of its rules

    def without_rules(self) -> Move:
        """What a model remembers of it: rules on the way may read what the model does not."""
        return replace(self, rules=())


def descend(
    problem: Problem,
    start: Iterable[Rule],
    fit: Fitter | None = None,
    deadline: float | None = None,
    origin: str = "start",
) -> Iterator[Move]:
    """The start, brought within the caps, then every accepted move; the last is the end of the descent.

    The objective falls with every move, and there are finitely many truth vectors on the rows: it ends.
    """
    fit = fit or Fitter.of(problem)
    state = State.of(problem, within_caps(problem, start, fit))
    yield told(origin, state, begins=True)
    while not passed(deadline):
        for move in MOVES:
            better = first_better(move, state, fit, deadline)
            if better is not None:
                state = better
                yield told(move.__name__, state)
                break
        else:
            return


def told(name: str, state: State, begins: bool = False) -> Move:
    """The move that led to a state, with the fixed rules, which are read and priced like all."""
    fixed = state.problem.knowledge.fixed
    objective = state.objective + state.problem.prices.of_rules(fixed)
    rules = (*fixed, *state.rules)
    return Move(name, rules, objective, state.error, begins, sum(rule.size for rule in rules))


def passed(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() > deadline


def first_better(
    move: Callable[[State, Fitter], Groups], state: State, fit: Fitter, deadline: float | None
) -> State | None:
    """The best candidate of the first group that has one which improves."""
    for group in move(state, fit):
        best, at_most = None, state.objective - LEAST_GAIN
        for rules in group:
            if state.problem.allows(rules, state.rules):
                candidate = State.of(state.problem, rules, near=state)
                if candidate.objective < at_most:
                    best, at_most = candidate, candidate.objective
            if passed(deadline):
                return best
        if best is not None:
            return best
    return None


def within_caps(problem: Problem, start: Iterable[Rule], fit: Fitter) -> tuple[Rule, ...]:
    """The start as the caps and the expert's knowledge have it: literals fitted anew, else rules cut or dropped."""
    rules: tuple[Rule, ...] = problem.learned(start)
    while forbidden := [(rule, lit) for rule in rules for lit in rule.literals if not problem.permits(lit)]:
        rule, literal = forbidden[0]
        state = State.of(problem, rules)
        j, rest = state.rules.index(rule), replaced(rule, literal, None)
        found = fit.best_instead(literal, state.care_set(j, literal), rest.columns)
        # A rule that loses a condition without another in its place would say more than it did.
        rules = state.without_rule(j) if found is None else state.with_rule(j, replaced(rule, literal, found))
    state = State.of(problem, rules)
    while not problem.allows(state.rules):
        options = list(cuts(problem, state))
        if not options:  # the fixed rules alone are too many
            break
        j, less = min(options, key=lambda option: error_with(state, *option))
        state = State.of(problem, state.without_rule(j) if less is None else state.with_rule(j, less), near=state)
    return state.rules


def cuts(problem: Problem, state: State) -> Iterator[tuple[int, Rule | None]]:
    """What to put in the place of which rule: less of one that must not be; else none, or less of what is too much."""
    wrong = [j for j, rule in enumerate(state.rules) if not problem.permits_rule(rule)]
    if wrong:
        yield from shorter(wrong[0], state.rules[wrong[0]])
        return
    yield from ((j, None) for j in range(len(state.rules)))
    if problem.caps.size is not None and problem.size_of(state.rules) > problem.caps.size:
        for j, rule in enumerate(state.rules):
            if len(rule.literals) > 1:  # without the last one it would be true everywhere
                yield from shorter(j, rule)


def shorter(j: int, rule: Rule) -> Iterator[tuple[int, Rule]]:
    """The rule without each of its literals in turn."""
    yield from ((j, replaced(rule, literal, None)) for literal in rule.literals)


def error_with(state: State, j: int, rule: Rule | None) -> float:
    """The error with another rule, or none, in the j-th place."""
    predicted = ~state.others_silent(j)
    return state.problem.error_of(predicted if rule is None else predicted | state.problem.fires(rule))
