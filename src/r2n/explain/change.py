"""The smallest change of a row that gives it another label."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np

from r2n.errors import ParameterError
from r2n.explain.bestfirst import cases_of_label, find_nearest_row
from r2n.explain.nearest import Start, may_hold
from r2n.explain.reachable import allow_changes, is_outside, read_domain
from r2n.explain.row import (
    Rules,
    one_row,
    predict_row,
    spreads,
    values_in,
    write_exact,
    write_short,
)
from r2n.prove import Domain, Row
from r2n.prove.box import Box, box_of
from r2n.prove.search import check_limits
from r2n.rewrite import expanded
from r2n.rules import AnyRules, LevelRules, shortest_between
from r2n.rules.text import write_name
from r2n.table import Value

STEPS = 2000  # cases the search may look into: the same limit on every machine
SLACK = 1e-3  # spreads that a number may go further to be short


@dataclass(frozen=True, slots=True)
class Change:
    """The nearest row with another label: `print` it, or read its parts.

    Parameters
    ----------
    before : dict
        The row as it is.
    row : dict or None
        The changed row; None if none was found.
    label : str, int, float, bool or None
        The label of the changed row.
    cost : float
        How far the changed row is, in spreads; infinity if there is none.
    proven : bool
        Whether it is proven that no nearer row (or, without a row, no row at all) has such a label.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> change = smallest_change(RuleSet.parse("yes if x > 3 else no"), {"x": 1})
    >>> change.label, change.proven
    ('yes', True)
    """

    before: Row
    row: Row | None
    label: Value | None
    cost: float
    proven: bool

    @property
    def changes(self) -> dict[str, tuple[Value | None, Value | None]]:
        """For each changed column, the value as it is and the value it would need."""
        after = self.row or {}
        return {name: (self.before[name], value) for name, value in after.items() if value != self.before[name]}

    def __str__(self) -> str:
        if self.row is None:
            none = "no change of these columns gives another label"
            return none if self.proven else "no change was found, but there may be one"
        doubt = "" if self.proven else "; there may be a smaller one"
        cost = f"{self.cost:.3g}"
        lines = [f"for {write_short(self.label)}, change ({cost} {'spread' if cost == '1' else 'spreads'}{doubt})"]
        width = max((len(write_name(name)) for name in self.changes), default=0)
        for name, (now, then) in self.changes.items():
            lines.append(f"    {write_name(name).ljust(width)}  {write_exact(now)} → {write_exact(then)}")
        return "\n".join(lines)


def smallest_change(
    rules: AnyRules,
    row: object,
    to: Value | None = None,
    *,
    fixed: Collection[str] = (),
    domain: Domain | Mapping[str, object] | None = None,
    spread: object = None,
    slack: float = SLACK,
    steps: int = STEPS,
) -> Change:
    """Find the smallest change of a row after which the rules give another label.

    The length of a change is the sum over the columns of how far each moves, in spreads. Another category counts 1, and
    so does a value where none was; a known value never becomes missing.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules. Of risk levels, the labels are the names of the levels.
    row : dict, series or table of one row
        The row.
    to : str, int, float or bool, optional
        The wanted label; by default any label other than now, and of risk levels any lower one, if there is one.
    fixed : collection of str
        Columns that must not change.
    domain : Domain or dict, optional
        What columns may hold, such as `{"age": (31, None)}`; other columns stay in the ranges and categories of the
        schema.
    spread : dict or table, optional
        One spread of each column: numbers, or a table whose standard deviations are taken; by default the ranges in the
        schema.
    slack : float
        How many spreads a number may move further to be shorter.
    steps : int
        The number of cases that the search may look into.

    Returns
    -------
    Change
        The changed row, its label and its distance; `print` shows them.

    Raises
    ------
    ParameterError
        If a parameter cannot be read, or the row has the wanted label already.
    SchemaError
        If the row has no value for a column that the rules read.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> rules = RuleSet.parse("yes if income - 2·debt > 12.5 and region in {north, west} or savings > 40 else no")
    >>> row = {"income": 20, "debt": 5, "region": "south", "savings": 10}
    >>> print(smallest_change(rules, row, spread={"income": 10, "debt": 2, "savings": 5}))
    for yes, change (1.25 spreads)
        income  20 → 22.51
        region  south → north
    >>> print(smallest_change(rules, row, fixed=["debt", "region"], domain={"savings": range(100)}))
    for yes, change (31 spreads)
        savings  10 → 41
    """
    _check_slack(slack)
    check_limits(steps)
    falling, rules = isinstance(rules, LevelRules), rules.chain
    table = one_row(rules, row)
    goals = _goals(rules, predict_row(rules, table), to, falling)
    row, allowed = values_in(rules, table), box_of(read_domain(rules, domain), rules.literals)
    start = Start(
        row, spreads(rules, spread), {name: allowed[name] for name in row if is_outside(allowed[name], row[name])}
    )
    box = allow_changes(rules, row, allowed, fixed)
    plain = expanded(rules)  # the search is over numbers alone: sets and fills in sums become cases of their own
    roots = [root for goal in goals for root in cases_of_label(plain, goal, box)]
    found, proven = find_nearest_row(roots, start, steps, lambda row: predict_row(rules, row) in goals)
    if found is None:
        return Change(start.row, None, None, math.inf, proven)
    tidy = _shorten_numbers(rules, found, start, {**box, **start.inside}, slack)
    return Change(start.row, tidy, predict_row(rules, tidy), start.cost(tidy), proven)


# -- what is asked for -------------------------------------------------------------------------------


def _check_slack(slack: object) -> None:
    if isinstance(slack, bool) or not isinstance(slack, int | float | np.number) or not 0.0 <= slack < math.inf:
        raise ParameterError(f"slack must be a number of spreads, 0 or more, not {slack!r}.")


def _goals(rules: Rules, now: Value, to: Value | None, falling: bool) -> list[Value]:
    labels = list(dict.fromkeys([*rules.labels, rules.default]))
    if to is None:
        lower = labels[labels.index(now) + 1 :] if falling else []
        return lower or [label for label in labels if label != now]
    if to not in labels:
        raise ParameterError(f"to must be one of the labels {labels}, not {to!r}.")
    if to == now:
        raise ParameterError(f"the rules say {to!r} of this row already. Ask for another label.")
    return [to]


# -- short numbers -----------------------------------------------------------------------------------


def _shorten_numbers(rules: Rules, row: Row, start: Start, box: Box, slack: float) -> Row:
    """Move each number that had to move a little further, to a shorter one, if the label stays what it is."""
    label = predict_row(rules, row)
    for name, value in row.items():
        short = _short(value, start.row[name], slack * start.steps.get(name, 1.0))
        if short is not None and not box[name].integer and may_hold(box[name], short):
            tidy = {**row, name: short}
            row = tidy if predict_row(rules, tidy) == label else row
    return row


def _short(value: Value | None, now: Value | None, room: float) -> float | None:
    if not isinstance(value, float) or value == now or room <= 0.0:
        return None
    if now is None and value + room > value - room:
        return shortest_between(value - room, value + room)  # to where none was it is as far either way
    if not isinstance(now, float):
        return None
    if value > now:
        return shortest_between(value, value + room) if value + room > value else None
    return 0.0 - shortest_between(-value, -value + room) if value - room < value else None
