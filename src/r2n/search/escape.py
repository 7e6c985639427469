"""Escapes: ways out of where a descent ended, each another place to descend from."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from r2n.rules import Rule
from r2n.search.anneal import Schedule, anneal
from r2n.search.columns import DesignMatrix
from r2n.search.problem import Problem, Rules
from r2n.search.state import replace_literal

Escape = Callable[[Problem, Rules, DesignMatrix, np.random.Generator], Rules]


def cool_again(problem: Problem, rules: Rules, design: DesignMatrix, rng: np.random.Generator) -> Rules:
    """All halfspaces softened and cooled together; each may come to read any column, unless the size has a limit."""
    return anneal(problem, rules, design, rng, Schedule(opens=problem.caps.size is None))


def drop_two(problem: Problem, rules: Rules, design: DesignMatrix, rng: np.random.Generator) -> Rules:
    """Without two literals, drawn at random."""
    for _ in range(2):
        places = [(j, literal) for j, rule in enumerate(rules) for literal in rule.literals]
        if len(places) > 1:
            j, literal = places[rng.integers(len(places))]
            shorter = replace_literal(rules[j], literal, None)
            rules = (*rules[:j], *([shorter] if shorter.literals else []), *rules[j + 1 :])
    return rules


def split_one(problem: Problem, rules: Rules, design: DesignMatrix, rng: np.random.Generator) -> Rules:
    """With one rule in two, at the middle of a column on the rows where it fires; another rule goes if need be."""
    if not rules or not design.names:
        return rules
    j, k = int(rng.integers(len(rules))), int(rng.integers(len(design.names)))
    fired = problem.fires(rules[j]) & ~design.missing[k]
    if not fired.any():
        return rules
    middle = float(np.median(design.z[k][fired]))
    halves = [design.halfspace([k], np.array([sign]), sign * middle) for sign in (1.0, -1.0)]
    pair = [Rule((*rules[j].literals, half)) for half in halves]
    return _drop_the_least(problem, [rule for i, rule in enumerate(rules) if i != j], pair)


def _drop_the_least(problem: Problem, others: Sequence[Rule], pair: Sequence[Rule]) -> Rules:
    """All of them, without the rule among the others that matters least if there are too many."""
    if problem.caps.rules is None or len(others) + len(pair) <= problem.caps.rules or not others:
        return (*others, *pair)
    return min(((*others[:i], *others[i + 1 :], *pair) for i in range(len(others))), key=problem.error)


# Mostly cooling again; the others change what it cannot: which literals there are.
CYCLE: tuple[Escape, ...] = (cool_again, drop_two, cool_again, split_one)
