"""What each column may still hold during a search for a row: exact, to the last float."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

from r2n.prove.domain import Domain
from r2n.prove.values import Values
from r2n.rules.floats import largest_where
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing
from r2n.table import Value

LARGEST = sys.float_info.max
EXACT = 2.0**53  # from here on, two integers may be one float

_NOTHING: frozenset[Value] = frozenset()


@dataclass(frozen=True, slots=True)
class Possible:
    """The values that a column may still have, `low` and `high` included; `only` these if given, `never` those."""

    numeric: bool
    low: float = -LARGEST
    high: float = LARGEST
    integer: bool = False
    only: frozenset[Value] | None = None
    never: frozenset[Value] = _NOTHING
    missing: bool = True
    named: tuple[Value, ...] = ()  # examples of what comes, if more may come

    @classmethod
    def of(cls, values: Values) -> Possible:
        """Start from all that the domain allows."""
        only = None if values.other else frozenset(values.categories)
        low, high = max(values.low, -LARGEST), min(values.high, LARGEST)
        never, named = frozenset(values.never), values.categories
        return cls(values.numeric, low, high, values.integer, only, never, values.missing, named)._tighten()

    @property
    def known(self) -> bool:
        """Whether the column may have a value at all."""
        return self.low <= self.high if self.numeric else self.only is None or bool(self.only)

    @property
    def empty(self) -> bool:
        """Whether nothing is left."""
        return not self.missing and not self.known

    def must_be_known(self) -> Possible:
        """Rule out a missing value."""
        return replace(self, missing=False)

    def must_be_missing(self) -> Possible:
        """Allow nothing but a missing value."""
        return replace(self, low=math.inf, high=-math.inf, only=_NOTHING)

    def within(self, low: float, high: float) -> Possible:
        """Allow, besides a missing value, only this range."""
        return replace(self, low=max(self.low, low), high=min(self.high, high))._tighten()

    def among(self, values: frozenset[Value]) -> Possible:
        """Allow, besides a missing value, only these."""
        return replace(self, only=values if self.only is None else self.only & values)._tighten()

    def apart_from(self, values: frozenset[Value]) -> Possible:
        """Rule out these values."""
        return replace(self, never=self.never | values)._tighten()

    def _tighten(self) -> Possible:
        """Move the bounds to values that the column may have."""
        if self.only is not None:
            left = frozenset(value for value in self.only - self.never if not self.numeric or self._in_range(value))
            floats = [float(value) for value in left] if self.numeric else []
            low, high = (min(floats, default=math.inf), max(floats, default=-math.inf)) if self.numeric else (0.0, 0.0)
            return replace(self, only=left, never=_NOTHING, low=low, high=high)
        if not self.numeric:
            return self
        low, high = self._first(self.low, math.inf), self._first(self.high, -math.inf)
        return self if (low, high) == (self.low, self.high) else replace(self, low=low, high=high)

    def _in_range(self, value: Value) -> bool:
        return (
            not isinstance(value, str)
            and abs(value) <= LARGEST
            and self.low <= float(value) <= self.high
            and not (self.integer and value != math.floor(value))
        )

    def _first(self, bound: float, to: float) -> float:
        """Find the first value from a bound on; beyond 2⁵³ an excluded integer may be the float of another one."""
        if self.integer and math.isfinite(bound):
            bound = float(math.ceil(bound) if to > 0.0 else math.floor(bound))
        while abs(bound) < EXACT and bound in self.never:
            bound = bound + math.copysign(1.0, to) if self.integer else math.nextafter(bound, to)
        return bound

    def value(self, wish: float = 0.0) -> Value | None:
        """Pick a value that the column may have, near a wish; None if none is left, or none is easily found."""
        if self.only is not None:
            return min(self.only, key=lambda value: (_distance(value, wish), str(value)), default=None)
        if not self.numeric:
            return next((value for value in self.named if value not in self.never), _make_unseen(self.never))
        if self.low > self.high:
            return None
        wish = min(max(wish, self.low), self.high)
        wish = float(round(wish)) if self.integer else wish
        return next((near for near in self._near(wish) if near not in self.never and self._in_range(near)), None)

    def any_value(self) -> Value | None:
        """Pick a missing value if it may be missing, else some value."""
        return None if self.missing else self.value()

    def _near(self, wish: float) -> list[float]:
        if self.integer:
            return [wish + sign * step for step in range(len(self.never) + 2) for sign in (1.0, -1.0)]
        return [wish, math.nextafter(wish, math.inf), math.nextafter(wish, -math.inf), self.low, self.high]


def _distance(value: Value, wish: float) -> float:
    return 0.0 if isinstance(value, str) else abs(float(value) - wish)


def _make_unseen(never: frozenset[Value]) -> Value:
    """Make a category of the same type that is none of these."""
    numbers = [value for value in never if not isinstance(value, str)]
    if numbers:
        return next(k for k in range(len(never) + 1) if k not in never)
    return next(name for name in ("other", *(f"other {k}" for k in range(len(never)))) if name not in never)


Box: TypeAlias = Mapping[str, Possible]


def box_of(domain: Domain, literals: Collection[Literal]) -> dict[str, Possible]:
    """Collect what the columns that these literals read may hold at first."""
    domain = domain.reading(literals)
    names = dict.fromkeys(name for literal in literals for name in literal.columns)
    return {name: Possible.of(domain[name]) for name in names}


@lru_cache(maxsize=100_000)
def restrict(possible: Possible, literal: Literal, truth: bool) -> Possible:
    """Restrict a column to where a literal about it alone is true, or false: exactly."""
    match literal:
        case Known() | Missing():
            return possible.must_be_known() if truth == isinstance(literal, Known) else possible.must_be_missing()
        case Membership(_, values, negated):
            named = frozenset(values)
            left = possible.among(named) if truth != negated else possible.apart_from(named)
        case Halfspace():
            low, high = _true_between(literal)
            if not truth:  # one of the two is a bound of all floats
                low, high = (-LARGEST, _below(low)) if high == LARGEST else (math.nextafter(high, math.inf), LARGEST)
            left = possible.within(low, high)
    return left.must_be_known() if truth else left


def _below(number: float) -> float:
    return math.nextafter(number, -math.inf)


@lru_cache(maxsize=10_000)
def _true_between(literal: Halfspace) -> tuple[float, float]:
    """Find the first and last float where a halfspace of one column is true; fl(a·x) never falls as a·x grows."""
    ((_, a),) = literal.numbers
    if abs(a) * -LARGEST > literal.threshold:  # true everywhere
        return -LARGEST, LARGEST
    t = largest_where(lambda x: abs(a) * x <= literal.threshold)
    first = math.inf if t is None else math.nextafter(t, math.inf)
    return (first, LARGEST) if a > 0.0 else (-LARGEST, -first)


def sum_between(literal: Halfspace, box: Box) -> tuple[float, float]:
    """Bound the float sum from both sides: float products and sums never fall as a term grows.

    A NaN (inf - inf) is among them only if the least is -inf or the largest is inf, or both are NaN.
    """
    low = high = -0.0
    for name, a in literal.numbers:
        ends = a * box[name].low, a * box[name].high
        low, high = low + min(ends), high + max(ends)
    return low, high


def status(literal: Literal, box: Box) -> bool | None:
    """Tell whether it is true, or false, on all that is left; None if that is open."""
    if isinstance(literal, Halfspace) and literal.n_terms > 1:
        if not all(box[name].known for name in literal.columns):
            return False
        low, high = sum_between(literal, box)
        if high <= literal.threshold:
            return False
        certain = low > literal.threshold and not any(box[name].missing for name in literal.columns)
        return True if certain else None
    return _status(box[literal.columns[0]], literal)


@lru_cache(maxsize=100_000)
def _status(possible: Possible, literal: Literal) -> bool | None:
    if restrict(possible, literal, True).empty:
        return False
    return True if restrict(possible, literal, False).empty else None
