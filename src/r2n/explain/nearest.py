"""The row of a case that is nearest to a given one: a linear program over the halfspaces of several columns.

What a column may hold besides (its range, bounds of its own, sets of categories) is exact, see `r2n.prove.box`; the
program decides only how far the columns move that are read together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from r2n.explain.row import table_of
from r2n.prove import Row
from r2n.prove.box import Box, Possible, status
from r2n.prove.branching import Case, look_into
from r2n.prove.farkas import Demand, solve
from r2n.rules import Halfspace
from r2n.rules.floats import round_to
from r2n.runtime.forks import with_own_threads
from r2n.table import Value

# How far beyond its bound, in spreads, a sum is moved: not at all at first, then as it takes for float sums to agree.
MARGINS = (0.0, 1e-9, 1e-7, 1e-5)
_DEAR = 1e-4  # that a margin may add to the way; if it adds more, the row is no longer the nearest
_CUTS = 6  # of one case, where it only touches its bounds
_PROOFS = 40  # cases that a proof may take that nothing is left
_FAR = 1e15  # spreads; a bound beyond it is none to the solver
_WHOLE = 1e-6  # from a whole number: the solver's tolerance
_ERROR = 1e-9  # spreads: about its error in any other number


class Undecidable(ArithmeticError):  # noqa: N818 - it says more without "Error"
    """Numbers so large, or so far apart, that the solver has no say."""


@dataclass(frozen=True)
class Start:
    """The row as it is, what counts as one step in each column that is compared, and where a missing number is put."""

    row: Row
    steps: Mapping[str, float]
    inside: Box = field(default_factory=dict)  # what they may become that are outside their domain

    def cost(self, row: Row) -> float:
        """Measure how far a row is: numbers in spreads; 1 for another category, or for a value where none was.

        Numbers of which only sets are asked are categories.
        """
        return sum(self._distance(name, value) for name, value in row.items())

    def _distance(self, name: str, value: Value | None) -> float:
        now = self.row[name]
        if name in self.steps and isinstance(now, float) and isinstance(value, int | float):
            return abs(float(value) - now) / self.steps[name]
        return 0.0 if value == now else 1.0

    def place(self, name: str, possible: Possible) -> float:
        """Return from where a number is moved: its value, or the middle of its range if it is missing."""
        now = self.row[name]
        if isinstance(now, float):
            return now
        middle = possible.low / 2 + possible.high / 2
        return middle if abs(middle) < _FAR else min(max(0.0, possible.low), possible.high)


@dataclass(frozen=True)
class Node:
    """A case, for each of its sums which of the margins is tried, what its rows cost at least, how often it was cut."""

    case: Case
    tried: Mapping[Halfspace, int]
    bound: float = 0.0
    cuts: int = 0

    def margin(self, literal: Halfspace) -> float:
        """Return how far beyond its bound a sum must be, in spreads."""
        return MARGINS[self.tried.get(literal, 0)]

    def with_wider_margins(self, literals: list[Halfspace]) -> Node | None:
        """Widen the margins of these literals; None if there are no wider ones."""
        tried = {**self.tried, **{literal: self.tried.get(literal, 0) + 1 for literal in literals}}
        return replace(self, tried=tried) if all(k < len(MARGINS) for k in tried.values()) else None

    def part(self, case: Case) -> Node:
        """Replace the case by a part of it; margins start from 0 again."""
        return replace(self, case=case, tried={})

    def is_too_dear(self, cost: float) -> bool:
        """Whether a margin took the row further off than it should."""
        return bool(self.tried) and cost > self.bound + _DEAR * (1.0 + self.bound)


def solve_relaxed(node: Node, start: Start) -> Row | None:
    """Find the nearest row, with whole numbers or not; None if the solver sees none. May raise `Undecidable`."""
    case = node.case
    together = sorted({name for literal in case.held for name in literal.columns})
    moved = _program(node, start, together) if together else {}
    if moved is None:
        return None
    return {
        name: moved[name] if name in moved else _nearest(possible, start, name) for name, possible in case.box.items()
    }


def _nearest(possible: Possible, start: Start, name: str) -> Value | None:
    now = start.row[name]
    if now is None:
        return None if possible.missing else possible.value(start.place(name, possible))
    if possible.numeric and isinstance(now, float):
        return possible.value(now)
    allowed = now not in possible.never and (possible.only is None or now in possible.only)
    return now if allowed else possible.value(now) if isinstance(now, float) else possible.value()


def _program(node: Node, start: Start, names: list[str]) -> Row | None:
    """Minimise Σ |u| over u = (x - x₀) / spread, within the ranges, with every sum beyond its bound by its margin."""
    from scipy.optimize import linprog  # only this needs it: loading and predicting do with numpy

    box, n = node.case.box, len(names)
    places = {name: start.place(name, box[name]) for name in names}
    steps = {name: start.steps.get(name, 1.0) for name in names}
    matrix, bound = _demands(node, places, steps, names)
    eye = np.eye(n)
    sizes = np.block([[eye, -eye], [-eye, -eye]])  # u - t ≤ 0, -u - t ≤ 0: t is at least |u|
    ranges = [
        (_end((box[name].low - places[name]) / steps[name]), _end((box[name].high - places[name]) / steps[name]))
        for name in names
    ]
    # A value that was missing may be put anywhere for the same price; near its place is as good as any.
    prices = [1.0 if start.row[name] is not None else 1e-6 for name in names]
    solver = partial(
        linprog,
        np.r_[np.zeros(n), prices],
        A_ub=np.vstack([np.hstack([-matrix, np.zeros_like(matrix)]), sizes]),
        b_ub=np.r_[-bound, np.zeros(2 * n)],
        bounds=[*ranges, *[(0.0, None)] * n],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    result = with_own_threads(solver)
    if result.status not in (0, 2):
        raise Undecidable(result.message)
    if result.status == 2:  # infeasible
        return None
    return {
        name: _put(box[name], places[name] + u * steps[name], u, places[name], steps[name])
        for name, u in zip(names, result.x[:n], strict=True)
    }


def _demands(
    node: Node, places: Mapping[str, float], steps: Mapping[str, float], names: list[str]
) -> tuple[np.ndarray, np.ndarray]:
    """Write the demands as rows Σ a·spread·u ≥ bound, each scaled to a largest coefficient of 1."""
    matrix, bound = np.zeros((len(node.case.held), len(names))), np.zeros(len(node.case.held))
    for k, (literal, truth) in enumerate(node.case.held.items()):
        sign = 1.0 if truth else -1.0
        for name, a in literal.numbers:
            matrix[k, names.index(name)] = sign * a * steps[name]
        size, now = np.abs(matrix[k]).max(), sum(a * places[name] for name, a in literal.numbers)
        with np.errstate(all="ignore"):
            matrix[k] /= size
            bound[k] = sign * (literal.threshold - now) / size + node.margin(literal)
    if not (np.isfinite(matrix).all() and (np.abs(bound) < _FAR).all()):
        raise Undecidable("numbers beyond what the solver can tell apart")
    return matrix, bound


def _end(bound: float) -> float | None:
    return bound if abs(bound) < _FAR else None


def _put(possible: Possible, number: float, moved: float, place: float, step: float) -> float:
    """Read where the program put a column: where it was if it did not move; whole but for the solver's error."""
    number = _at_an_end(possible, place if moved == 0.0 else float(number), step)
    return float(round(number)) if possible.integer and abs(number - round(number)) < _WHOLE else number


def _at_an_end(possible: Possible, number: float, step: float) -> float:
    """Keep a number in its range, and put it at an end if only the solver's error is between."""
    near = (end for end in (possible.low, possible.high) if abs(number - end) < _ERROR * step)
    return next(near, min(max(number, possible.low), possible.high))


def find_fractional(row: Row, case: Case) -> str | None:
    """Find a column whose number it may not hold."""
    for name in sorted({name for literal in case.held for name in literal.columns}):
        value, possible = row[name], case.box[name]
        if isinstance(value, float) and not may_hold(possible, value):
            return name
    return None


def may_hold(possible: Possible, value: float) -> bool:
    """Check whether the column may hold a number."""
    if not possible.low <= value <= possible.high:
        return False
    if possible.only is not None:
        return value in possible.only
    return value not in possible.never and not (possible.integer and value != math.floor(value))


def split(node: Node, name: str, value: float) -> list[Node]:
    """Split a case below and above a number that the column may not hold."""
    possible = node.case.box[name]
    if possible.integer and value != math.floor(value):
        ends = [(possible.low, math.floor(value)), (math.ceil(value), possible.high)]
    else:
        ends = [(possible.low, math.nextafter(value, -math.inf)), (math.nextafter(value, math.inf), possible.high)]
    parts = [node.case.with_columns({name: possible.within(*end)}) for end in ends]
    return [node.part(case) for case in parts if case is not None]


def split_strayed(node: Node, row: Row, start: Start) -> list[Node] | None:
    """Branch if a number left its place outside the domain without getting inside: leave it there, or force it inside.

    None if no number did; neither may be possible in the case, which then has no parts.
    """
    for name, inside in start.inside.items():
        value, now, possible = row[name], start.row[name], node.case.box[name]
        if not isinstance(value, float) or not isinstance(now, float) or value == now:
            continue
        gone = replace(possible, integer=inside.integer).within(inside.low, inside.high).apart_from(inside.never)
        if gone != possible and not may_hold(inside, value):
            parts = [node.case.with_columns({name: part}) for part in (possible.within(now, now), gone)]
            return [node.part(case) for case in parts if case is not None]
    return None


def find_misjudged(row: Row, case: Case) -> list[Halfspace]:
    """Find the sums that, computed in floats, are on the wrong side of their bound."""
    if not case.held:
        return []
    table = table_of(row)
    return [literal for literal, truth in case.held.items() if bool(literal.evaluate(table)[0]) != truth]


# -- cases that only touch their bounds ---------------------------------------------------------------


def is_refuted(case: Case) -> bool:
    """Prove that no row is in the case, or return False: the solver's word alone is no proof."""
    if any(status(literal, case.box) == (not truth) for literal, truth in case.held.items()):
        return True
    left = [replace(case, open=())]
    for _ in range(_PROOFS):
        if not left:
            return True
        found = look_into(left.pop())
        if not isinstance(found, list):
            return False
        left += found
    return False


def cut(node: Node) -> list[Node]:
    """Split a case below, at and above the point deepest inside it: at a corner, floats decide exactly."""
    held, box = node.case.held, node.case.box
    point = solve([Demand.of(literal, truth) for literal, truth in held.items()], box).point
    name = next((name for name in sorted(point) if box[name].low < box[name].high), None)
    if name is None or node.cuts == _CUTS:
        return []
    possible = box[name]
    at = possible.value(_at_an_end(possible, round_to(point[name], 12), max(1.0, abs(point[name]))))
    if at is None or isinstance(at, str):
        return []
    below, above = math.nextafter(at, -math.inf), math.nextafter(at, math.inf)
    ends = [(possible.low, below), (float(at), float(at)), (above, possible.high)]
    parts = [node.case.with_columns({name: possible.within(*end)}) for end in ends]
    return [replace(node.part(case), cuts=node.cuts + 1) for case in parts if case is not None]
