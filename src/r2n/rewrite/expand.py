"""Rewrite rules without sets and fills in sums: one rule for each case, the same on every row, to the last float.

`income + 2000·(status in {married}) > 7100` says: income > 5100 where the status is in the set, and income > 7100 where
it is known and is not. `income - 2·(debt if known else 40) > 5` says: income - 2·debt > 5, or income > 85 where debt is
missing. What proofs and plain languages know about halfspaces then serves for these too.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import product

from r2n.errors import ParameterError
from r2n.rewrite.simplify import drop_contradictions, intersect_sets
from r2n.rules.classes import Model
from r2n.rules.floats import largest_where
from r2n.rules.literals import Halfspace, Literal, Missing, has_cases
from r2n.rules.ruleset import Rule, RuleSet

MOST_CASES = 4096  # of one rule


def expanded(model: Model) -> Model:
    """Rewrite a model without sets and filled columns in sums; return it as it is if there are none.

    >>> print(expanded(RuleSet.parse("yes if income + 2000·(status in {married}) > 7100 else no")))
    yes if income > 5100 and status in {married}
        or income > 7100 and status not in {married}
    else no
    >>> print(expanded(RuleSet.parse("yes if income - 2·(debt if known else 40) > 5 else no")))
    yes if income - 2·debt > 5
        or income > 85 and debt is missing
    else no
    """
    if not any(map(has_cases, model.literals)):
        return model
    return model.with_branches(expand_rules(rules) for _, rules in model.branches).with_baseline(None)


def is_expandable(rule: Rule) -> bool:
    """Whether a rule has no more cases than can be looked at."""
    return 1 << _count_choices(rule) <= MOST_CASES


def _count_choices(rule: Rule) -> int:
    """Count the choices: each set holds or does not, each filled column is known or missing."""
    sums = [literal for literal in rule.literals if isinstance(literal, Halfspace)]
    return sum(len(literal.sets) for literal in sums) + len(_open_columns(rule))


def _open_columns(rule: Rule) -> tuple[str, ...]:
    """Find the filled columns that may be missing where the rule is true."""
    needed = {name for literal in rule.literals for name in literal.needed}
    filled = (name for each in rule.literals if isinstance(each, Halfspace) for name, _ in each.fills)
    return tuple(name for name in dict.fromkeys(filled) if name not in needed)


def expand_rules(rules: Iterable[Rule]) -> Iterator[Rule]:
    """Rewrite each rule as its cases."""
    for rule in rules:
        yield from expand_rule(rule)


@lru_cache(maxsize=200)  # proofs ask for the same rules again and again
def expand_rule(rule: Rule) -> tuple[Rule, ...]:
    """Rewrite a rule as rules that together are true exactly where it is; none if it never is.

    >>> from r2n.rules import parse_rule
    >>> print(*expand_rule(parse_rule("(a in {x}) + 2·(b not in {y}) > 2.5 and c > 1")), sep=" | ")
    c > 1 and a in {x} and b not in {y}
    """
    if not any(map(has_cases, rule.literals)):
        return (rule,)
    if not is_expandable(rule):
        raise ParameterError(
            f"a rule has {_count_choices(rule)} sets and filled columns in its sums, which is more cases than can be "
            "looked at. Fit again with a smaller max_columns or max_literals."
        )
    columns = _open_columns(rule)
    found: list[Rule] = []
    for gone in product((False, True), repeat=len(columns)):
        missing = [name for name, is_gone in zip(columns, gone, strict=True) if is_gone]
        cases = product(*(tuple(_cases(literal, missing)) for literal in rule.literals))
        found += (Rule((*map(Missing, missing), *(each for case in chosen for each in case))) for chosen in cases)
    return drop_contradictions(intersect_sets(RuleSet(tuple(found)))).rules


def _cases(literal: Literal, missing: Collection[str]) -> Iterator[tuple[Literal, ...]]:
    """Split a literal into conjunctions, one of which must hold, where exactly these filled columns are missing."""
    if not isinstance(literal, Halfspace) or not has_cases(literal):
        yield (literal,)
        return
    filled = [points for name, points in literal.fills if name in missing]
    numbers = tuple(term for term in literal.numbers if term[0] not in missing)  # those left are in their order
    for signs in product((True, False), repeat=len(literal.sets)):
        told = tuple(
            one if held else replace(one, negated=not one.negated)
            for (one, _), held in zip(literal.sets, signs, strict=True)
        )
        points = [a if held else 0.0 for (_, a), held in zip(literal.sets, signs, strict=True)]
        yield from ((*told, *rest) for rest in _solve_rest(numbers, (*filled, *points), literal.threshold))


def _solve_rest(
    numbers: tuple[tuple[str, float], ...], points: tuple[float, ...], threshold: float
) -> Iterator[tuple[Literal, ...]]:
    """Solve for the sum of the numbers alone, given the points that are added after them."""

    def total(start: float) -> float:
        for added in points:
            start += added
        return start

    if not numbers:
        if total(0.0) > threshold:
            yield ()
        return
    # Adding a number to floats keeps their order, so the sums that do not get beyond the threshold are all floats up to
    # some t. There is one: what may be added (MOST_POINTS each) does not lift the lowest of all floats.
    if total(sys.float_info.max) <= threshold:
        yield (Halfspace(numbers, sys.float_info.max),)
        return
    t = largest_where(lambda x: total(x) <= threshold)
    assert t is not None
    yield (Halfspace(numbers, t),)
