"""Cases, the parts of all rows, and how the search handles one: narrow, solve, try a row, split.

A case is a box of what the columns may still hold (exact, see `box.py`), and some halfspaces over several columns that
are to be true or false in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from r2n.prove.box import LARGEST, Box, restrict, status
from r2n.prove.domain import Row
from r2n.prove.farkas import HUGE, Demand, solve
from r2n.rewrite.logic import contradicts, implies
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing, has_cases

Literals: TypeAlias = tuple[Literal, ...]
Ranges: TypeAlias = list[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Case:
    """A part of all rows: a box, halfspaces that are true or false in it, rules that must still be made false."""

    box: Box
    held: Mapping[Halfspace, bool]
    open: tuple[Literals, ...]

    def where(self, literal: Literal, truth: bool) -> Case | None:
        """Restrict the case to where a literal over known columns is true, or false; None if nothing is left."""
        assert not has_cases(literal), "sums are told case by case before proofs look at them"
        if isinstance(literal, Halfspace) and literal.n_terms > 1:
            case = self.with_columns({name: self.box[name].must_be_known() for name in literal.columns})
            if case is None or case.says(literal) == (not truth):
                return None
            return replace(case, held={**case.held, literal: truth})
        (name,) = literal.columns
        return self.with_columns({name: restrict(self.box[name], literal, truth)})

    def with_columns(self, changed: Box) -> Case | None:
        """Replace what some columns may hold; None if nothing is left of one."""
        if any(possible.empty for possible in changed.values()):
            return None
        return replace(self, box={**self.box, **changed})

    def says(self, literal: Literal) -> bool | None:
        """Tell whether a literal is true, or false, in all of this case; None if that is not seen."""
        known = status(literal, self.box)
        if known is not None or not isinstance(literal, Halfspace):
            return known
        for other, truth in self.held.items():
            if len(other.terms) != literal.n_terms or other.terms[0][0] != literal.terms[0][0]:
                continue  # logic knows only of halfspaces over the same columns: a shortcut
            if truth and implies(other, literal):
                return True
            if contradicts(other, literal) if truth else implies(literal, other):
                return False
        return None

    def unsure(self, rule: Literals) -> Literals | None:
        """List the literals of a rule that are not seen to be true; None if the rule is seen to be false."""
        left = []
        for literal in rule:
            known = self.says(literal)
            if known is False:
                return None
            if known is None:
                left.append(literal)
        return tuple(left)

    def falsities(self, literal: Literal) -> Iterator[Case | None]:
        """Yield the parts where a literal is false: a column of it is missing, or its value falls short."""
        if not isinstance(literal, Halfspace) or literal.n_terms == 1:
            yield self.where(literal, False)
            return
        case: Case | None = self
        for name in literal.columns:
            if case is not None and case.box[name].missing:
                yield case.with_columns({name: case.box[name].must_be_missing()})
                case = case.with_columns({name: case.box[name].must_be_known()})
        yield case and case.where(literal, False)


def look_into(case: Case) -> Row | list[Case] | None:
    """Handle a case: return a row to try, smaller cases, or None if the case can be neither solved nor split."""
    narrowed = _narrow(case)
    if narrowed is None:
        return []
    case = narrowed
    demands = [Demand.of(literal, truth) for literal, truth in case.held.items()]
    outcome = solve(demands, case.box) if demands else None
    if outcome is not None and outcome.impossible:
        return []
    point = outcome.point if outcome is not None else {}
    row = _row_near(case, point)
    if row is not None and all(holds(literal, row) == truth for literal, truth in case.held.items()):
        violated = [rule for rule in case.open if all(holds(literal, row) for literal in rule)]
        return _along_rule(case, violated) if violated else row
    return _along_column(case, point) or (_along_rule(case, case.open) if case.open else None)


def _narrow(case: Case) -> Case | None:
    """Draw easy conclusions: drop false rules; make the last undecided literal of a rule false."""
    while True:
        left: list[Literals] = []
        before = case
        for rule in case.open:
            unsure = case.unsure(rule)
            if unsure is None:
                continue
            if not unsure:
                return None
            parts = list(case.falsities(unsure[0])) if len(unsure) == 1 else []
            if len(parts) != 1:
                left.append(unsure)
            elif parts[0] is None:
                return None
            else:
                case = parts[0]
        case = replace(case, open=tuple(left))
        if case.box == before.box and case.held == before.held:
            break
    if any(status(literal, case.box) == (not truth) for literal, truth in case.held.items()):
        return None
    return case


def _row_near(case: Case, point: Mapping[str, float]) -> Row | None:
    """Make a row of the box, at the point if there is one; missing where allowed, so that few literals are true."""
    row: Row = {}
    for name, possible in case.box.items():
        if possible.missing:
            row[name] = None
        else:
            row[name] = possible.value(point.get(name, 0.0))
            if row[name] is None:
                return None
    return row


def holds(literal: Literal, row: Row) -> bool:
    """Evaluate a literal on one row, as numpy does on many.

    >>> holds(Halfspace.of({"x": 1, "y": -2}, 0), {"x": 3.0, "y": 1.0})
    True
    """
    match literal:
        case Halfspace():
            total = -0.0  # to which adding the first product leaves every float as it is
            for product in _addends(literal, row):  # not sum(), which is free to be more exact than this
                total += product
            return total > literal.threshold
        case Membership(column, values, negated):
            return row[column] is not None and (row[column] in values) != negated
        case Missing(column):
            return row[column] is None
        case Known(column):
            return row[column] is not None


def _addends(literal: Halfspace, row: Row) -> Iterator[float]:
    """Yield the products of a sum in its order; NaN for what is missing and not filled."""
    fills = dict(literal.fills)
    for name, a in literal.numbers:
        value = row[name]
        gone = 0.0 if name in fills and value is None else math.nan
        yield gone if value is None or isinstance(value, str) else a * float(value)
    yield from (points for name, points in literal.fills if row[name] is None)
    yield from (math.nan if row[one.column] is None else a * holds(one, row) for one, a in literal.sets)


def _along_rule(case: Case, rules: Sequence[Literals]) -> list[Case]:
    """Split by which literal makes a rule false: the first, or the second while the first is true, and so on."""
    rule = min(rules, key=len)
    rest: Case | None = replace(case, open=tuple(other for other in case.open if other != rule))
    parts: list[Case | None] = []
    for literal in sorted(rule, key=lambda literal: literal.size):
        if rest is not None:
            parts += rest.falsities(literal)
            rest = rest.where(literal, True)
    return [part for part in reversed(parts) if part is not None]


def _along_column(case: Case, point: Mapping[str, float]) -> list[Case]:
    """Split a column of the halfspaces in two or three where that helps; return nothing if it helps nowhere."""
    names = sorted({name for literal in case.held for name in literal.columns})
    for cuts in (_whole_cut, _sign_cut, _size_cut):
        for name in names:
            ranges = cuts(name, case, point)
            if ranges:
                parts = [case.with_columns({name: case.box[name].within(low, high)}) for low, high in ranges]
                return [part for part in parts if part is not None]
    return []


def _whole_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Cut integers, or one of several numbers, below and above the point."""
    possible = case.box[name]
    at = min(max(point.get(name, 0.0), possible.low), possible.high)
    if possible.only is not None and possible.low < possible.high:
        below = max(float(value) for value in possible.only if float(value) <= at and float(value) < possible.high)
        return [(possible.low, below), (math.nextafter(below, math.inf), possible.high)]
    if not possible.integer or not 0.0 < possible.high - possible.low < HUGE:
        return []
    below = min(float(math.floor(at)), possible.high - 1.0)
    return [(possible.low, below), (below + 1.0, possible.high)]


def _sign_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Split a column of unbounded numbers by sign: rounding errors are known only if it is."""
    possible = case.box[name]
    if possible.low < 0.0 < possible.high and max(-possible.low, possible.high) > HUGE:
        return [(possible.low, 0.0), (math.nextafter(0.0, 1.0), possible.high)]
    return []


def _size_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Split off numbers so large that a sum may overflow."""
    possible = case.box[name]
    wild = [literal for literal in case.held if not Demand(literal.numbers, 0.0).is_tame(case.box)]
    shares = [
        LARGEST / 8 / literal.n_terms / abs(a) for literal in wild for other, a in literal.numbers if other == name
    ]
    most = min(shares, default=math.inf)
    if most < max(-possible.low, possible.high) and possible.low <= most and -most <= possible.high:
        return [(-LARGEST, -math.nextafter(most, math.inf)), (math.nextafter(most, math.inf), LARGEST), (-most, most)]
    return []
