"""The descent: moves that strictly improve the objective, until none does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from math import inf

from r2n.rules import Rule
from r2n.search.clock import is_past
from r2n.search.limits import keep_within_caps
from r2n.search.moves import MOVES, Fitter, Groups
from r2n.search.problem import Problem
from r2n.search.state import State

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


Report = Callable[[Move], object]


def ignore_move(move: Move) -> None:
    """Report to nobody."""


def descend(
    problem: Problem,
    start: Iterable[Rule],
    fit: Fitter | None = None,
    deadline: float = inf,
    origin: str = "start",
) -> Iterator[Move]:
    """The start, brought within the caps, then every accepted move; the last is the end of the descent.

    The objective falls with every move, and there are finitely many truth vectors on the rows: it ends.
    """
    fit = fit or Fitter.of(problem)
    state = State.of(problem, keep_within_caps(problem, start, fit))
    yield describe_move(origin, state, begins=True)
    while not is_past(deadline):
        for move in MOVES:
            better = find_first_better(move, state, fit, deadline)
            if better is not None:
                state = better
                yield describe_move(move.__name__, state)
                break
        else:
            return


def describe_move(name: str, state: State, begins: bool = False) -> Move:
    """The move that led to a state, with the fixed rules, which are read and priced like all."""
    fixed = state.problem.knowledge.fixed
    objective = state.objective + state.problem.prices.of_rules(fixed)
    rules = (*fixed, *state.rules)
    return Move(name, rules, objective, state.error, begins, sum(rule.size for rule in rules))


def find_first_better(
    move: Callable[[State, Fitter], Groups], state: State, fit: Fitter, deadline: float
) -> State | None:
    """The best candidate of the first group that has one which improves."""
    for group in move(state, fit):
        best, at_most = None, state.objective - LEAST_GAIN
        for rules in group:
            if state.problem.allows(rules, state.rules):
                candidate = State.of(state.problem, rules, near=state)
                if candidate.objective < at_most:
                    best, at_most = candidate, candidate.objective
            if is_past(deadline):
                return best
        if best is not None:
            return best
    return None
