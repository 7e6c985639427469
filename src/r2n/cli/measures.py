"""The table below the rules of `r2n show`: how many rows each covers, and how sure its precision is."""

from __future__ import annotations

import math

from r2n.rules import AnyRules
from r2n.rules.measures import RuleMeasures, measure_rules
from r2n.rules.text import write_value

NOTE = "precision with its 95 % interval"
HELD_OUT = "; rows held out chose the size of the rules, and the last fit read them too, so theirs is a little too good"


def write_measures(rules: AnyRules) -> str:
    """Write a line for each rule; nothing if no rule was counted.

    >>> from r2n.rules import RuleSet
    >>> rules = RuleSet.parse("yes if x > 3 else no").counted({"x": [1, 4, 5]}, ["no", "yes", "yes"])
    >>> print(write_measures(rules))
    rule  covers            precision
       1  66.7 %  1.000 (0.342–1.000)  x > 3
    precision with its 95 % interval
    """
    measured = measure_rules(rules)
    if all(math.isnan(each.coverage) for each in measured):
        return ""
    seen = any(not math.isnan(each.held_out_coverage) for each in measured)
    head = ["rule", "covers", "precision", *(["held out: covers", "precision"] if seen else [])]
    grid = [head, *([str(k), *_cells(each, seen)] for k, each in enumerate(measured, start=1))]
    widths = [max(map(len, column)) for column in zip(*grid, strict=True)]
    several = len(rules.labels) > 1
    owners = [(label, rule) for label, branch in rules.branches for rule in branch]
    texts = ["", *(f"{write_value(k)}: " * several + rule.text(rules.schema) for k, rule in owners)]
    lines = []
    for row, text in zip(grid, texts, strict=True):
        lines.append("  ".join([*(cell.rjust(width) for cell, width in zip(row, widths, strict=True)), text]).rstrip())
    return "\n".join([*lines, NOTE + HELD_OUT * seen])


def _cells(each: RuleMeasures, seen: bool) -> list[str]:
    cells = [_percent(each.coverage), _interval(each.precision, each.precision_low, each.precision_high)]
    if seen:
        held_out = _interval(each.held_out_precision, each.held_out_low, each.held_out_high)
        cells += [_percent(each.held_out_coverage), held_out]
    return cells


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f} %"


def _interval(share: float, low: float, high: float) -> str:
    """A share with its interval; nothing where no row is covered."""
    return "" if math.isnan(share) else f"{share:.3f} ({low:.3f}–{high:.3f})"
