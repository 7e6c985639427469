"""The search for the nearest row with another label: best first.

Of all cases that are left, the one whose nearest row is nearest comes next. If a rule that must be false is true in
that row, the case is split by which of the rule's literals fails; if a number must be whole and is not, the case is
split there. So the first row that breaks no demand is the nearest of all. It is tried on the rules before it is
returned. Where the solver sees no row, a proof confirms it, or the case is cut further: it may touch its bounds at a
corner.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count

from r2n.explain.nearest import (
    Node,
    Start,
    Undecidable,
    cut,
    find_fractional,
    find_misjudged,
    is_refuted,
    solve_relaxed,
    split,
    split_strayed,
)
from r2n.explain.row import Rules, table_of
from r2n.prove import Row
from r2n.prove.box import Box
from r2n.prove.branching import Case
from r2n.rules import Literal, Rule
from r2n.table import Value


def find_nearest_row(
    roots: list[Case], start: Start, steps: int, wanted: Callable[[Row], bool]
) -> tuple[Row | None, bool]:
    """Find the nearest wanted row of any case, and say whether it is certain that none is nearer."""
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
        """Add a case, unless it is known or there is nothing in it; without a row if it must be cut first."""
        case = node.case
        key = *(frozenset(each.items()) for each in (case.box, case.held, node.tried)), frozenset(case.open)
        if key in self._seen:
            return
        self._seen.add(key)
        try:
            row = solve_relaxed(node, self._start)
        except Undecidable:
            self.certain = False
            return
        if row is None and is_refuted(case):
            return
        if row is not None and any(value is None and not case.box[name].missing for name, value in row.items()):
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
    """Split a case by what is wrong with its row; None if nothing is."""
    gone = split_strayed(node, row, start)
    if gone is not None:
        return gone
    name = find_fractional(row, node.case)
    if name is not None:
        value = row[name]
        assert isinstance(value, float)
        return split(node, name, value)
    wrong = find_misjudged(row, node.case)
    if wrong:
        wider = node.with_wider_margins(wrong)
        return cut(node) or None if wider is None else [wider]
    table = table_of(row) if row else None
    broken = [rule for rule in node.case.open if table is None or Rule(rule).evaluate(table)[0]]
    if not broken:
        return None
    return list(_failing(node, min(broken, key=len)))


def _failing(node: Node, rule: tuple[Literal, ...]) -> Iterator[Node]:
    """Yield the parts where one of the rule's literals makes it false."""
    rest = replace(node.case, open=tuple(other for other in node.case.open if other != rule))
    for literal in rule:
        for part in rest.falsities(literal):
            if part is not None:
                yield node.part(part)


def cases_of_label(rules: Rules, goal: Value, box: Box) -> Iterator[Case]:
    """Yield the cases of a label: a rule of it is true and none that is asked before, or none of the other labels."""
    before: list[tuple[Literal, ...]] = []
    for label, branch in rules.branches:
        if label == goal:
            for rule in branch:
                yield from _where_true(Case(box, {}, tuple(before)), rule)
        else:
            before += [rule.literals for rule in branch]
    if rules.default == goal:
        yield Case(box, {}, tuple(before))


def _where_true(case: Case, rule: Rule) -> Iterator[Case]:
    left: Case | None = case
    for literal in rule.literals:
        left = left and left.where(literal, True)
    if left is not None:
        yield left
