"""The terms of a sum: what a coefficient may stand before."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.membership import Floats, Membership
from r2n.rules.names import check_name, natural_key
from r2n.rules.text import write_name, write_number
from r2n.table import Table

Key: TypeAlias = "str | Filled | Membership"  # what a coefficient belongs to: a column, or a set, which is 1 or 0
Terms: TypeAlias = "tuple[tuple[Key, float], ...]"

MOST_POINTS = 1e100  # that a set or a fill adds: larger coefficients absorb the other terms in float64


@dataclass(frozen=True, slots=True)
class Filled:
    """A column of numbers in a sum, with the value it counts as where it is missing.

    Parameters
    ----------
    column : str
        The column's name.
    fill : float
        What the column counts as where it is missing.

    Raises
    ------
    ParameterError
        If the fill is not a finite number.

    Examples
    --------
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
    """Compute what a term's coefficient is multiplied by.

    Parameters
    ----------
    key : str, Filled or Membership
        A column's name, a filled column, or a counted set.
    table : Table
        The rows.

    Returns
    -------
    array of float
        One number for each row; NaN where it is missing.

    Examples
    --------
    >>> term_values(Filled("debt", 40), Table.read({"debt": [5, None]}))
    array([ 5., 40.])
    """
    match key:
        case str():
            return table.numeric(key)
        case Filled():
            return np.where(table.known(key.column), table.numeric(key.column), key.fill)
        case Membership():
            return key.counted(table)


class OfColumn(Protocol):
    """Anything that is about a single column."""

    @property
    def column(self) -> str:
        """The column's name."""


def column_of(key: str | OfColumn) -> str:
    """Find the column that a term reads.

    Parameters
    ----------
    key : str, Filled or Membership
        A column's name, a filled column, or a counted set.

    Returns
    -------
    str
        The column's name.

    Examples
    --------
    >>> column_of("debt"), column_of(Filled("debt", 40))
    ('debt', 'debt')
    """
    return key if isinstance(key, str) else key.column


def unfilled(key: Key) -> Key:
    """Drop the fill of a term.

    Parameters
    ----------
    key : str, Filled or Membership
        A column's name, a filled column, or a counted set.

    Returns
    -------
    str or Membership
        The column of a filled column; any other key as it is.

    Examples
    --------
    >>> unfilled(Filled("debt", 40)), unfilled("debt")
    ('debt', 'debt')
    """
    return key.column if isinstance(key, Filled) else key


def most_of(key: Key) -> float:
    """Return the largest coefficient that a term may have."""
    match key:
        case Membership():
            return MOST_POINTS
        case Filled(_, fill) if fill != 0.0:
            return min(MOST_POINTS / abs(fill), sys.float_info.max)
        case _:
            return sys.float_info.max


def check_key(key: object, a: float) -> None:
    """Refuse a key that is none, or a coefficient too large for it."""
    if not isinstance(key, Membership | Filled):
        check_name(key)
    elif abs(a) > most_of(key):
        most = f"from -{most_of(key):g} to {most_of(key):g}"
        raise ParameterError(f"the coefficient of {show_key(key)} must be {most}, not {a!r}.")


def show_key(key: object) -> str:
    """Write a key for an error message."""
    return f"`{key}`" if isinstance(key, Membership | Filled) else repr(key)


def order_of(key: Key) -> tuple[Any, ...]:
    """Return a key's place in a sum: numbers before sets, then by name, with or without a fill."""
    return (1, key.sort_key()) if isinstance(key, Membership) else (0, natural_key(column_of(key)))


def term_order(term: tuple[Key, float]) -> tuple[Any, ...]:
    """Return a term's place in a sum: `income - 2.1·debt`, with coefficients of ±1 first and sets last."""
    key, a = term
    return isinstance(key, Membership), abs(a) != 1.0, order_of(key)


def check_finite(number: object, what: str) -> float:
    """Return a number as a float; refuse what is no finite number."""
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.integer | np.floating):
        raise ParameterError(f"{what} must be a number, not {number!r}.")
    try:
        read = float(number)
    except OverflowError:  # an integer beyond all floats
        read = math.inf
    if not math.isfinite(read):
        raise ParameterError(f"{what} must be finite, not {number!r}.")
    return read + 0.0  # no minus zero
