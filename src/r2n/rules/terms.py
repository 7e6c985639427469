"""The terms of a sum: what a coefficient may stand before."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.membership import Floats, Membership, check_name, natural_key
from r2n.rules.text import write_name, write_number
from r2n.table import Table

Key: TypeAlias = "str | Filled | Membership"  # what a coefficient belongs to: a column, or a set, which is 1 or 0
Terms: TypeAlias = "tuple[tuple[Key, float], ...]"

MOST_POINTS = 1e100  # that a set or a fill adds: beyond it a sum would swallow numbers, and cases fall together


@dataclass(frozen=True, slots=True)
class Filled:
    """A column of numbers in a sum, and what it counts as where it is missing: such a sum need not be false there.

    >>> print(Filled("debt", 40))
    debt if known else 40
    """

    column: str
    fill: float

    def __post_init__(self) -> None:
        check_name(self.column)
        object.__setattr__(self, "fill", check_finite(self.fill, f"what {self.column!r} counts as where it is missing"))

    def __hash__(self) -> int:
        return hash((self.column, self.fill.hex()))  # see Halfspace.__hash__

    def __str__(self) -> str:
        return f"{write_name(self.column)} if known else {write_number(self.fill)}"


def term_values(key: Key, table: Table) -> Floats:
    """What a term's coefficient is multiplied with, row by row; NaN where it is missing."""
    match key:
        case str():
            return table.numeric(key)
        case Filled():
            return np.where(table.known(key.column), table.numeric(key.column), key.fill)
        case Membership():
            return key.counted(table)


class OfColumn(Protocol):
    """What is about a single column."""

    @property
    def column(self) -> str:
        """Its name."""


def column_of(key: str | OfColumn) -> str:
    """The column that a term reads."""
    return key if isinstance(key, str) else key.column


def unfilled(key: Key) -> Key:
    """A column as it is where it is known."""
    return key.column if isinstance(key, Filled) else key


def most_of(key: Key) -> float:
    """The largest coefficient that a term may have."""
    match key:
        case Membership():
            return MOST_POINTS
        case Filled(_, fill) if fill != 0.0:
            return min(MOST_POINTS / abs(fill), sys.float_info.max)
        case _:
            return sys.float_info.max


def check_key(key: object, a: float) -> None:
    if not isinstance(key, Membership | Filled):
        check_name(key)
    elif abs(a) > most_of(key):
        most = f"from -{most_of(key):g} to {most_of(key):g}"
        raise ParameterError(f"the coefficient of {show_key(key)} must be {most}, not {a!r}.")


def show_key(key: object) -> str:
    return f"`{key}`" if isinstance(key, Membership | Filled) else repr(key)


def order_of(key: Key) -> tuple[Any, ...]:
    """Numbers before sets, then by name: a filled column stands where it would stand without its fill."""
    return (1, key.sort_key()) if isinstance(key, Membership) else (0, natural_key(column_of(key)))


def term_order(term: tuple[Key, float]) -> tuple[Any, ...]:
    """Columns that stand alone come first, as one would write it: `income - 2.1·debt`, not the reverse; sets last."""
    key, a = term
    return isinstance(key, Membership), abs(a) != 1.0, order_of(key)


def check_finite(number: object, what: str) -> float:
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.integer | np.floating):
        raise ParameterError(f"{what} must be a number, not {number!r}.")
    try:
        read = float(number)
    except OverflowError:  # an integer beyond all floats
        read = math.inf
    if not math.isfinite(read):
        raise ParameterError(f"{what} must be finite, not {number!r}.")
    return read + 0.0  # no minus zero
