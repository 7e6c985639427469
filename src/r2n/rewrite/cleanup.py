"""The clean-up after decoding a network: small coefficients and idle literals go.

Unlike `simplify` it looks at rows, and may change some: each step says how many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.literals import Halfspace, Literal
from r2n.rules.membership import Floats
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Key, term_values
from r2n.table import Table


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the clean-up, and the number of rows whose prediction it changed."""

    name: str
    changed_rows: int


@dataclass(frozen=True, slots=True)
class CleanedRules:
    """The cleaned rules, and the steps that led to them."""

    rules: RuleSet
    steps: tuple[Step, ...]


def clean_up(rules: RuleSet, table: Table, drop_below: float = 0.025) -> CleanedRules:
    """Drop small coefficients, then literals and rules that do nothing on these rows.

    >>> rules = RuleSet.parse("yes if x + 0.001·y > 1 and x > -100 or x > 50 else no")
    >>> cleaned = clean_up(rules, Table.read({"x": [0.0, 1, 2, 3], "y": [1.0, 2, 3, 2]}))
    >>> print(cleaned.rules)
    yes if x > 0.998
    else no
    >>> cleaned.steps
    (Step(name='drop small coefficients', changed_rows=0), Step(name='drop idle literals', changed_rows=0))
    """
    if not 0.0 <= drop_below < 1.0:
        raise ParameterError(f"drop_below must be at least 0 and below 1, not {drop_below!r}.")
    lighter = _without_small_coefficients(rules, table, drop_below)
    busy = _without_idle_literals(lighter, table)
    return CleanedRules(
        busy,
        (
            Step("drop small coefficients", _count_changes(rules, lighter, table)),
            Step("drop idle literals", _count_changes(lighter, busy, table)),
        ),
    )


def _count_changes(before: RuleSet, after: RuleSet, table: Table) -> int:
    return int(np.count_nonzero(before.truth(table) != after.truth(table)))


def _without_small_coefficients(rules: RuleSet, table: Table, drop_below: float) -> RuleSet:
    halfspaces = [literal for literal in rules.literals if isinstance(literal, Halfspace)]
    keys = {key for literal in halfspaces for key, _ in literal.terms}
    moments = {key: _mean_and_std(term_values(key, table)) for key in keys}
    lighter: dict[Literal, Literal] = {literal: _fold_small(literal, moments, drop_below) for literal in halfspaces}
    return rules.with_rules(
        Rule(tuple(lighter.get(literal, literal) for literal in rule.literals)) for rule in rules.rules
    )


def _mean_and_std(values: Floats) -> tuple[float, float]:
    """Compute mean and standard deviation of the known values; both are NaN if there are none."""
    known = values[~np.isnan(values)]
    if known.size == 0:
        return np.nan, np.nan
    if known.min() == known.max():
        return float(known[0]), 0.0  # exactly: the float mean of equal numbers may differ from them
    with np.errstate(over="ignore", invalid="ignore"):
        return float(known.mean()), float(known.std())


def _fold_small(literal: Halfspace, moments: Mapping[Key, tuple[float, float]], drop_below: float) -> Halfspace:
    """Replace terms that hardly move the sum by their mean, which goes into the threshold."""
    weights = {key: abs(a) * moments[key][1] for key, a in literal.terms}
    largest = max(weights.values())
    # A sum that is constant, or reads a column without a single value, is idle as a whole.
    if not all(np.isfinite(weight) for weight in weights.values()) or largest == 0.0:
        return literal
    small = {key for key, weight in weights.items() if weight < drop_below * largest or weight == 0.0}
    shift = sum(a * moments[key][0] for key, a in literal.terms if key in small)
    if not small or not np.isfinite(literal.threshold - shift):
        return literal
    kept = [(key, a) for key, a in literal.terms if key not in small]
    return Halfspace.of(kept, literal.threshold - shift)


def _without_idle_literals(rules: RuleSet, table: Table) -> RuleSet:
    """Drop always-true literals and never-firing rules."""
    always = {literal for literal in rules.literals if literal.evaluate(table).all()}
    fired = np.logical_or.reduce(rules.fires(table), axis=0)
    return rules.with_rules(
        Rule(tuple(literal for literal in rule.literals if literal not in always))
        for rule, fires in zip(rules.rules, fired, strict=True)
        if fires
    )
