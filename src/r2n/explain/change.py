"""The smallest change of a row that gives it another label.

Best first: of all cases that are left, the one whose nearest row is nearest is looked into. If in that row a rule holds
that must not, the case is split by which of its literals fails; if a whole number is not whole, it is split there.
So the first row with which nothing is wrong is the nearest of all. It is tried out before it is given back. Where the
solver sees no row, that is proven, or the case is cut further: it may touch its bounds at a corner.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from r2n.errors import ParameterError
from r2n.explain.nearest import (
    Node,
    Start,
    Undecidable,
    cut,
    fractional,
    is_refuted,
    may_hold,
    misjudged,
    relaxed,
    split,
    strayed,
)
from r2n.explain.row import Rules, exact, one_row, predicted, require_column, shown, spreads, table_of, values_in
from r2n.prove import Domain, Row
from r2n.prove.box import State, states_of
from r2n.prove.branching import Case
from r2n.prove.search import check_limits
from r2n.rewrite import expanded
from r2n.rules import Literal, Rule, shortest_between
from r2n.rules.text import write_name
from r2n.table import Value

STEPS = 2000  # cases that may be looked into: a limit that is the same on every machine
SLACK = 1e-3  # spreads that a number may go further to be short


@dataclass(frozen=True, slots=True)
class Change:
    """The nearest row with another label: `print` it, or read its parts. Without a `row`, none was found."""

    before: Row
    row: Row | None
    label: Value | None
    cost: float
    proven: bool
    """Whether nothing nearer (or, without a row, nothing at all) can be; else the search was too long to finish."""

    @property
    def changes(self) -> dict[str, tuple[Value | None, Value | None]]:
        """By column: the value as it is, and as it would have to be."""
        after = self.row or {}
        return {name: (self.before[name], value) for name, value in after.items() if value != self.before[name]}

    def __str__(self) -> str:
        if self.row is None:
            none = "no change of these columns gives another label"
            return none if self.proven else "no change was found, but there may be one"
        doubt = "" if self.proven else "; there may be a smaller one"
        cost = f"{self.cost:.3g}"
        lines = [f"for {shown(self.label)}, change ({cost} {'spread' if cost == '1' else 'spreads'}{doubt})"]
        width = max((len(write_name(name)) for name in self.changes), default=0)
        for name, (now, then) in self.changes.items():
            lines.append(f"    {write_name(name).ljust(width)}  {exact(now)} → {exact(then)}")
        return "\n".join(lines)


def smallest_change(
    rules: Rules,
    row: object,
    to: Value | None = None,
    *,
    fixed: Collection[str] = (),
    domain: Domain | Mapping[str, object] | None = None,
    spread: object = None,
    slack: float = SLACK,
    steps: int = STEPS,
) -> Change:
    """The smallest change of a row after which the rules say `to`, or anything else than now.

    It is measured in spreads, summed over the columns: `spread` is a dict of numbers, or a table whose standard
    deviations are taken; by default the ranges in the rules' schema. Another category is one step, and so is a value
    where none was; nothing known becomes missing.

    Columns stay in the ranges and categories of the schema, whole numbers whole. `domain` says otherwise, column by
    column, as in `{"age": (31, None)}`; columns in `fixed` do not change. Numbers may go `slack` spreads further to be
    short.

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
    table = one_row(rules, row)
    goals = _goals(rules, predicted(rules, table), to)
    row, allowed = values_in(rules, table), states_of(_domain(rules, domain), rules.literals)
    start = Start(
        row, spreads(rules, spread), {name: allowed[name] for name in row if _is_outside(allowed[name], row[name])}
    )
    states = _states(rules, row, allowed, fixed)
    told = expanded(rules)  # the search is over numbers: what sets and fills add to sums is told case by case
    roots = [root for goal in goals for root in _roots(told, goal, states)]
    found, proven = _search(roots, start, steps, lambda row: predicted(rules, row) in goals)
    if found is None:
        return Change(start.row, None, None, math.inf, proven)
    tidy = _tidied(rules, found, start, {**states, **start.inside}, slack)
    return Change(start.row, tidy, predicted(rules, tidy), start.cost(tidy), proven)


# -- what is asked for -------------------------------------------------------------------------------


def _check_slack(slack: object) -> None:
    if isinstance(slack, bool) or not isinstance(slack, int | float | np.number) or not 0.0 <= slack < math.inf:
        raise ParameterError(f"slack must be a number of spreads, 0 or more, not {slack!r}.")


def _goals(rules: Rules, now: Value, to: Value | None) -> list[Value]:
    labels = list(dict.fromkeys([*rules.labels, rules.default]))
    if to is None:
        return [label for label in labels if label != now]
    if to not in labels:
        raise ParameterError(f"to must be one of the labels {labels}, not {to!r}.")
    if to == now:
        raise ParameterError(f"the rules say {to!r} of this row already. Ask for another label.")
    return [to]


def _domain(rules: Rules, said: Domain | Mapping[str, object] | None) -> Domain:
    base = Domain() if rules.schema is None else Domain.of(rules.schema)
    if said is None:
        return base
    own = Domain.read(said)
    for name, _ in own.columns:
        require_column(rules, name, "domain")
    return base.with_columns(dict(own.columns)).read_by(rules.schema)


def _is_outside(allowed: State, value: Value | None) -> bool:
    """Whether a number is none that the domain allows."""
    return allowed.numeric and allowed.only is None and isinstance(value, float) and not may_hold(allowed, value)


def _states(rules: Rules, row: Row, allowed: Mapping[str, State], fixed: Collection[str]) -> dict[str, State]:
    """What each column may become: what it is always, and otherwise what the domain allows.

    Of a number that is outside, also what lies between: the search finds out whether it stays or goes inside.
    """
    if isinstance(fixed, str):
        raise ParameterError(f"fixed must be a list of columns, not {fixed!r}.")
    for name in fixed:
        require_column(rules, name, "fixed")
    return {name: _state(allowed[name], value, name in fixed) for name, value in row.items()}


def _state(state: State, value: Value | None, fixed: bool) -> State:
    if value is None:
        free = replace(state, missing=True)
        return free.must_be_missing() if fixed else free
    free = replace(state, missing=False, never=state.never - {value})
    if free.only is not None:
        free = replace(free, only=free.only | {value})
    if free.numeric and isinstance(value, float):
        whole = free.integer and value == math.floor(value)
        free = replace(free, low=min(free.low, value), high=max(free.high, value), integer=whole)
        return free.within(value, value) if fixed else free
    return free.among(frozenset([value])) if fixed else free


def _roots(rules: Rules, goal: Value, states: Mapping[str, State]) -> Iterator[Case]:
    """All rows of a label: where a rule of it is true and none that is asked before, or none of the other labels."""
    before: list[tuple[Literal, ...]] = []
    for label, branch in rules.branches:
        if label == goal:
            for rule in branch:
                yield from _where_true(Case(states, {}, tuple(before)), rule)
        else:
            before += [rule.literals for rule in branch]
    if rules.default == goal:
        yield Case(states, {}, tuple(before))


def _where_true(case: Case, rule: Rule) -> Iterator[Case]:
    left: Case | None = case
    for literal in rule.literals:
        left = left and left.where(literal, True)
    if left is not None:
        yield left


# -- the search --------------------------------------------------------------------------------------


def _search(roots: list[Case], start: Start, steps: int, wanted: Callable[[Row], bool]) -> tuple[Row | None, bool]:
    """The nearest row of any case that, tried out, is as wanted; and whether it is certain that none is nearer."""
    queue = _Queue(start)
    for root in roots:
        queue.put(Node(root, {}))
    for _ in range(steps):
        if not queue.left:
            return None, queue.certain
        _, _, node, row = heapq.heappop(queue.left)
        children = cut(node) if row is None else _children(node, row, start)
        if row is not None and children is None and wanted(row):
            return row, queue.certain
        # A row that is not what it should be, or a case that cannot be cut further, leaves open what is there.
        blind = not children if row is None else children is None
        queue.certain = queue.certain and not blind
        for child in children or ():
            queue.put(child)
    return None, False


class _Queue:
    """Cases by how near their nearest row is; none comes twice."""

    def __init__(self, start: Start) -> None:
        self.left: list[tuple[float, int, Node, Row | None]] = []
        self.certain = True
        self._start, self._ticket = start, count()
        self._seen: set[object] = set()

    def put(self, node: Node) -> None:
        """One more case, unless it is known, or there is nothing in it; without a row if it must be cut first."""
        case = node.case
        key = *(frozenset(each.items()) for each in (case.states, case.held, node.tried)), frozenset(case.open)
        if key in self._seen:
            return
        self._seen.add(key)
        try:
            row = relaxed(node, self._start)
        except Undecidable:
            self.certain = False
            return
        if row is None and is_refuted(case):
            return
        if row is not None and any(value is None and not case.states[name].missing for name, value in row.items()):
            self.certain = False  # the column may hold something, but it is hard to say what
            return
        self._push(node, row)

    def _push(self, node: Node, row: Row | None) -> None:
        cost = node.bound if row is None else max(self._start.cost(row), node.bound)
        if row is None or node.is_too_dear(cost):
            cost, row = node.bound, None
        elif not node.tried:
            node = replace(node, bound=cost)
        heapq.heappush(self.left, (cost, next(self._ticket), node, row))


def _children(node: Node, row: Row, start: Start) -> list[Node] | None:
    """The cases that a row leads to; None if nothing is wrong with it."""
    gone = strayed(node, row, start)
    if gone is not None:
        return gone
    name = fractional(row, node.case)
    if name is not None:
        value = row[name]
        assert isinstance(value, float)
        return split(node, name, value)
    wrong = misjudged(row, node.case)
    if wrong:
        wider = node.with_wider_margins(wrong)
        return cut(node) or None if wider is None else [wider]
    table = table_of(row) if row else None
    broken = [rule for rule in node.case.open if table is None or Rule(rule).evaluate(table)[0]]
    if not broken:
        return None
    return list(_failing(node, min(broken, key=len)))


def _failing(node: Node, rule: tuple[Literal, ...]) -> Iterator[Node]:
    """The rule is made false by one of its literals."""
    rest = replace(node.case, open=tuple(other for other in node.case.open if other != rule))
    for literal in rule:
        for part in rest.falsities(literal):
            if part is not None:
                yield node.part(part)


# -- short numbers -----------------------------------------------------------------------------------


def _tidied(rules: Rules, row: Row, start: Start, states: Mapping[str, State], slack: float) -> Row:
    """Numbers that had to move go a little further, to a short one, where the label stays what it is."""
    label = predicted(rules, row)
    for name, value in row.items():
        short = _short(value, start.row[name], slack * start.steps.get(name, 1.0))
        if short is not None and not states[name].integer and may_hold(states[name], short):
            tidy = {**row, name: short}
            row = tidy if predicted(rules, tidy) == label else row
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
