"""Rules brought within the caps and what an expert said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from r2n.rules import Knowledge, Rule, RuleSet
from r2n.search.moves import Fitter
from r2n.search.plan import EXPLORED_ROWS, Caps
from r2n.search.problem import Labelled, Prices, Problem
from r2n.search.sample import draw_rows
from r2n.search.state import State, replace_literal


def kept_within(rules: RuleSet, rows: Labelled, caps: Caps, knowledge: Knowledge, price: float) -> RuleSet:
    """As they are if they keep to the caps and to what an expert said, else mended like the start of a descent."""
    assert rules.schema is not None
    few, prices = rows.take(draw_rows(np.arange(rows.n_rows), rows.truth, EXPLORED_ROWS, seed=0)), Prices.of(price)
    problem = Problem.of(few.table, rules.schema, few.truth, few.weight, prices, caps, knowledge)
    learned = problem.learned(rules.rules)
    if not problem.allows(learned):
        learned = keep_within_caps(problem, learned, Fitter.of(problem))
    return rules.with_rules((*knowledge.fixed, *learned))


def keep_within_caps(problem: Problem, start: Iterable[Rule], fit: Fitter) -> tuple[Rule, ...]:
    """The start as the caps and the expert's knowledge have it: literals fitted anew, else rules cut or dropped."""
    rules: tuple[Rule, ...] = problem.learned(start)
    while forbidden := [(rule, lit) for rule in rules for lit in rule.literals if not problem.permits(lit)]:
        rule, literal = forbidden[0]
        state = State.of(problem, rules)
        j, rest = state.rules.index(rule), replace_literal(rule, literal, None)
        found = fit.best_instead(literal, state.care_set(j, literal), rest.columns)
        # A rule that loses a condition without another in its place would say more than it did.
        rules = state.without_rule(j) if found is None else state.with_rule(j, replace_literal(rule, literal, found))
    state = State.of(problem, rules)
    while not problem.allows(state.rules):
        options = list(list_cuts(problem, state))
        if not options:  # the fixed rules alone are too many
            break
        j, less = min(options, key=lambda option: measure_error_with(state, *option))
        state = State.of(problem, state.without_rule(j) if less is None else state.with_rule(j, less), near=state)
    return state.rules


def list_cuts(problem: Problem, state: State) -> Iterator[tuple[int, Rule | None]]:
    """What to put in the place of which rule: less of one that must not be; else none, or less of what is too much."""
    wrong = [j for j, rule in enumerate(state.rules) if not problem.permits_rule(rule)]
    if wrong:
        yield from shorten_rule(wrong[0], state.rules[wrong[0]])
        return
    yield from ((j, None) for j in range(len(state.rules)))
    if problem.caps.size is not None and problem.size_of(state.rules) > problem.caps.size:
        for j, rule in enumerate(state.rules):
            if len(rule.literals) > 1:  # without the last one it would be true everywhere
                yield from shorten_rule(j, rule)


def shorten_rule(j: int, rule: Rule) -> Iterator[tuple[int, Rule]]:
    """The rule without each of its literals in turn."""
    yield from ((j, replace_literal(rule, literal, None)) for literal in rule.literals)


def measure_error_with(state: State, j: int, rule: Rule | None) -> float:
    """The error with another rule, or none, in the j-th place."""
    predicted = ~state.others_silent(j)
    return state.problem.error_of(predicted if rule is None else predicted | state.problem.fires(rule))
