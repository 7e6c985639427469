"""The one question to which proofs about rules come down: is there a row where these hold and those do not?

A tree of cases, each a box of what the columns may still hold (exact, see `states`) and some halfspaces over several
columns that are to be true or false. A case ends when the box or a linear program shows that nothing is left (proven,
see `certificates`), or when a point of it, tried out, is a row that answers the question. Otherwise it is split: along
a rule that is true in the point but must not be, or along a column.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.rules.certificates import HUGE, Demand, solve
from r2n.rules.domain import Domain, Row
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing
from r2n.rules.logic import contradicts, implies
from r2n.rules.ruleset import Rule
from r2n.rules.states import LARGEST, State, restrict, states_of, status
from r2n.schema import Table

Literals: TypeAlias = tuple[Literal, ...]

STEPS = 300  # cases that a question may take: a limit that is the same on every machine


@dataclass(frozen=True, slots=True)
class Answer:
    """A row (tried out, so it is one), or the proof that there is none, or neither."""

    row: Row | None = None
    impossible: bool = False

    @property
    def undecided(self) -> bool:
        """Whether the question stayed open."""
        return self.row is None and not self.impossible


def find_row(
    domain: Domain,
    true: Iterable[Literal] = (),
    false: Iterable[Rule | Literal] = (),
    steps: int = STEPS,
    time_limit: float = math.inf,
    proof_only: bool = False,
) -> Answer:
    """A row of the domain in which all of `true` are true and each of `false` is false.

    With `proof_only` it is given up as soon as it cannot be proven any more that there is none.

    >>> from r2n.rules import parse_literal, parse_rule
    >>> domain = Domain.read({"x": "0..10 known", "y": "0..10 known"})
    >>> far, near = parse_literal("x + y > 12"), parse_rule("x > 5 and y > 5")
    >>> answer = find_row(domain, [far], [near])
    >>> answer.row["x"] + answer.row["y"] > 12 and min(answer.row.values()) <= 5
    True
    >>> find_row(domain, [far], [parse_literal("x > 1.5")]).impossible
    True
    """
    question = _Question(
        Rule(tuple(true)).literals, tuple(each.literals if isinstance(each, Rule) else (each,) for each in false)
    )
    deadline, settled, cases = time.monotonic() + time_limit, True, question.cases(domain)
    for _ in range(steps):
        if not cases:
            return Answer(impossible=settled)
        found = _look_into(cases.pop())
        if isinstance(found, dict) and question.is_answered_by(found):
            return Answer(found)
        # A case with no row, no proof and no way to split it leaves the question open, if no other has a row.
        settled = settled and isinstance(found, list)
        if time.monotonic() > deadline or (proof_only and not settled):
            break
        cases += found if isinstance(found, list) else []
    return Answer()


@dataclass(frozen=True, slots=True)
class _Question:
    """All of `true`, and not one of `false`."""

    true: Literals
    false: tuple[Literals, ...]

    @property
    def literals(self) -> Literals:
        return tuple(dict.fromkeys((*self.true, *(literal for rule in self.false for literal in rule))))

    def cases(self, domain: Domain) -> list[Case]:
        """All rows of the domain where `true` are true, as one case; none if it is seen that there are none."""
        case: Case | None = Case(states_of(domain, self.literals), {}, self.false)
        for literal in self.true:
            case = case and case.where(literal, True)
        return [] if case is None or any(state.empty for state in case.states.values()) else [case]

    def is_answered_by(self, row: Row) -> bool:
        """Tried out, by the same code that predicts."""
        table = Table.read(cells(row)) if row else None
        true = {literal for literal in self.literals if table is not None and literal.evaluate(table)[0]}
        return true.issuperset(self.true) and not any(true.issuperset(rule) for rule in self.false)


def cells(row: Row) -> dict[str, NDArray[np.object_]]:
    """A row as a table of one row."""
    return {name: np.array([value, None], dtype=object)[:1] for name, value in row.items()}


@dataclass(frozen=True, slots=True)
class Case:
    """A part of all rows: a box, halfspaces that are true or false in it, rules that must still be made false."""

    states: Mapping[str, State]
    held: Mapping[Halfspace, bool]
    open: tuple[Literals, ...]

    def where(self, literal: Literal, truth: bool) -> Case | None:
        """The part where a literal over known columns is true, or false; None if it is seen that nothing is left."""
        if isinstance(literal, Halfspace) and literal.size > 1:
            case = self.with_states({name: self.states[name].must_be_known() for name in literal.columns})
            if case is None or case.says(literal) == (not truth):
                return None
            return replace(case, held={**case.held, literal: truth})
        (name,) = literal.columns
        return self.with_states({name: restrict(self.states[name], literal, truth)})

    def with_states(self, changed: Mapping[str, State]) -> Case | None:
        """With other states for some columns; None if one of them is empty."""
        if any(state.empty for state in changed.values()):
            return None
        return replace(self, states={**self.states, **changed})

    def says(self, literal: Literal) -> bool | None:
        """Whether a literal is true, or false, in all of this case; None if that is not seen."""
        known = status(literal, self.states)
        if known is not None or not isinstance(literal, Halfspace):
            return known
        for other, truth in self.held.items():
            if len(other.terms) != len(literal.terms) or other.terms[0][0] != literal.terms[0][0]:
                continue  # logic knows only of halfspaces over the same columns: a shortcut
            if truth and implies(other, literal):
                return True
            if contradicts(other, literal) if truth else implies(literal, other):
                return False
        return None

    def falsities(self, literal: Literal) -> Iterator[Case | None]:
        """The parts in which a literal is false: a column that it reads is missing, or it is false as it stands."""
        if not isinstance(literal, Halfspace) or literal.size == 1:
            yield self.where(literal, False)
            return
        case: Case | None = self
        for name in literal.columns:
            if case is not None and case.states[name].missing:
                yield case.with_states({name: case.states[name].must_be_missing()})
                case = case.with_states({name: case.states[name].must_be_known()})
        yield case and case.where(literal, False)


def _look_into(case: Case) -> Row | list[Case] | None:
    """A row to try, the cases that are left to look into, or None if nothing more can be done."""
    narrowed = _narrowed(case)
    if narrowed is None:
        return []
    case = narrowed
    demands = [Demand.of(literal, truth) for literal, truth in case.held.items()]
    outcome = solve(demands, case.states) if demands else None
    if outcome is not None and outcome.impossible:
        return []
    point = outcome.point if outcome is not None else {}
    row = _row_near(case, point)
    if row is not None and all(holds(literal, row) == truth for literal, truth in case.held.items()):
        violated = [rule for rule in case.open if all(holds(literal, row) for literal in rule)]
        return _along_rule(case, violated) if violated else row
    return _along_column(case, point) or (_along_rule(case, case.open) if case.open else None)


def _narrowed(case: Case) -> Case | None:
    """What follows at once: rules that are false are done with; the last open literal of a rule must be false."""
    while True:
        left: list[Literals] = []
        before = case
        for rule in case.open:
            says = [case.says(literal) for literal in rule]
            if False in says:
                continue
            unsure = tuple(literal for literal, known in zip(rule, says, strict=True) if known is None)
            if not unsure:
                return None
            parts = list(case.falsities(unsure[0])) if len(unsure) == 1 else []
            if len(parts) == 1:
                if parts[0] is None:
                    return None
                case = parts[0]
            else:
                left.append(unsure)
        case = replace(case, open=tuple(left))
        if case.states == before.states and case.held == before.held:
            break
    if any(status(literal, case.states) == (not truth) for literal, truth in case.held.items()):
        return None
    return case


def _row_near(case: Case, point: Mapping[str, float]) -> Row | None:
    """A row of the box, at the point where there is one; missing where it may be, which makes least true."""
    row: Row = {}
    for name, state in case.states.items():
        if state.missing:
            row[name] = None
        else:
            row[name] = state.value(point.get(name, 0.0))
            if row[name] is None:
                return None
    return row


def holds(literal: Literal, row: Row) -> bool:
    """Its truth in one row: what numpy computes as well, one number at a time.

    >>> holds(Halfspace.of({"x": 1, "y": -2}, 0), {"x": 3.0, "y": 1.0})
    True
    """
    match literal:
        case Halfspace(terms, threshold):
            total = -0.0  # to which adding the first product leaves every float as it is
            for name, a in terms:
                value = row[name]
                total += math.nan if value is None or isinstance(value, str) else a * float(value)
            return total > threshold
        case Membership(column, values, negated):
            return row[column] is not None and (row[column] in values) != negated
        case Missing(column):
            return row[column] is None
        case Known(column):
            return row[column] is not None


def _along_rule(case: Case, rules: Sequence[Literals]) -> list[Case]:
    """One of the rules is made false: by its first literal, or by its second while the first is true, and so on."""
    rule = min(rules, key=len)
    rest: Case | None = replace(case, open=tuple(other for other in case.open if other != rule))
    parts: list[Case | None] = []
    for literal in sorted(rule, key=lambda literal: literal.size):
        if rest is not None:
            parts += rest.falsities(literal)
            rest = rest.where(literal, True)
    return [part for part in reversed(parts) if part is not None]


def _along_column(case: Case, point: Mapping[str, float]) -> list[Case]:
    """A column of the halfspaces is cut in two or three where that makes more decidable; none if nowhere."""
    names = sorted({name for literal in case.held for name in literal.columns})
    for cuts in (_whole_cut, _sign_cut, _size_cut):
        for name in names:
            ranges = cuts(name, case, point)
            if ranges:
                parts = [case.with_states({name: case.states[name].within(low, high)}) for low, high in ranges]
                return [part for part in parts if part is not None]
    return []


Ranges: TypeAlias = list[tuple[float, float]]


def _whole_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Integers, or one of several numbers: below and above the point."""
    state = case.states[name]
    at = min(max(point.get(name, 0.0), state.low), state.high)
    if state.only is not None and state.low < state.high:
        below = max(float(value) for value in state.only if float(value) <= at and float(value) < state.high)
        return [(state.low, below), (math.nextafter(below, math.inf), state.high)]
    if not state.integer or not 0.0 < state.high - state.low < HUGE:
        return []
    below = min(float(math.floor(at)), state.high - 1.0)
    return [(state.low, below), (below + 1.0, state.high)]


def _sign_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Numbers without bounds: rounding errors are known only if the sign is."""
    state = case.states[name]
    if state.low < 0.0 < state.high and max(-state.low, state.high) > HUGE:
        return [(state.low, 0.0), (math.nextafter(0.0, 1.0), state.high)]
    return []


def _size_cut(name: str, case: Case, point: Mapping[str, float]) -> Ranges:
    """Numbers so large that a sum may overflow stand apart."""
    state = case.states[name]
    wild = [literal for literal in case.held if not Demand(literal.terms, 0.0).is_tame(case.states)]
    shares = [
        LARGEST / 8 / len(literal.terms) / abs(a) for literal in wild for other, a in literal.terms if other == name
    ]
    most = min(shares, default=math.inf)
    if most < max(-state.low, state.high) and state.low <= most and -most <= state.high:
        return [(-LARGEST, -math.nextafter(most, math.inf)), (math.nextafter(most, math.inf), LARGEST), (-most, most)]
    return []
