"""What was counted of each rule, as shares with 95 % intervals: on training rows and on rows held out."""

from __future__ import annotations

import math
from typing import NamedTuple

from r2n.rules.anyrules import AnyRules
from r2n.rules.interval import wilson
from r2n.rules.tally import Tally


class RuleMeasures(NamedTuple):
    """Shares of rows by weight, NaN where nothing was counted; intervals are for as many rows as were counted."""

    coverage: float = math.nan
    precision: float = math.nan
    precision_low: float = math.nan
    precision_high: float = math.nan
    held_out_coverage: float = math.nan
    held_out_precision: float = math.nan
    held_out_low: float = math.nan
    held_out_high: float = math.nan


def measure_rules(rules: AnyRules) -> list[RuleMeasures]:
    """Measure each rule of a model, in printed order, by the counts that the model carries.

    >>> from r2n.rules import RuleSet
    >>> rules = RuleSet.parse("yes if x > 3 else no").counted({"x": [1, 4, 5]}, ["no", "yes", "yes"])
    >>> [round(share, 3) for share in measure_rules(rules)[0][:4]]
    [0.667, 1.0, 0.342, 1.0]
    """
    base = rules.baseline
    if base is None:
        return [RuleMeasures() for _ in rules.rules]
    found = []
    for counted in base.in_order_of(rules):
        if counted is None:
            found.append(RuleMeasures())
            continue
        shares = _measure(Tally(base.rows, base.weight), counted.covered, counted.positives)
        seen = counted.held_out
        found.append(RuleMeasures(*shares, *(() if seen is None else _measure(*seen))))
    return found


def _measure(rows: Tally, covered: Tally, positives: Tally) -> tuple[float, float, float, float]:
    """Compute coverage, precision and its interval: for as many rows as there were, not as much as they weigh."""
    coverage, precision = _share(covered, rows), _share(positives, covered)
    right = 0.0 if math.isnan(precision) else precision * covered.rows
    low, high = wilson(right, covered.rows)
    # Rounding, or weights that were added in another order, must not show a share outside of its interval.
    return coverage, precision, min(low, precision), max(high, precision)


def _share(part: Tally, whole: Tally) -> float:
    return min(part.weight / whole.weight, 1.0) if whole.weight > 0 else math.nan
