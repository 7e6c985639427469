"""What one column of a domain may hold: a range, whole numbers, categories, missing values; and its text."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from r2n.errors import ParameterError, ParseError
from r2n.rules.literals import Membership
from r2n.rules.text import write_number, write_value
from r2n.table import Column, Value
from r2n.table.cells import shown

_RANGE = re.compile(r"(?P<low>\S*?)\s*\.\.\s*(?P<high>\S*)")
_MORE = re.compile(r",\s*(?:…|\.\.\.)\s*(?=\}$)")


@dataclass(frozen=True, slots=True)
class Values:
    """What one column of a domain may hold; without arguments, anything.

    Parameters
    ----------
    low : float
        The least number.
    high : float
        The largest number.
    integer : bool
        Whether all numbers are whole.
    numeric : bool
        Whether the column holds numbers alone.
    categories : collection of str, bool, int or float
        The categories.
    other : bool
        Whether other values than `categories` may occur.
    never : collection of str, bool, int or float
        Values that do not occur, because they stand for a missing one.
    missing : bool
        Whether a value may be missing.

    Raises
    ------
    ParameterError
        If `low` is above `high`.

    Examples
    --------
    >>> print(Values(0, 10, integer=True))
    integer 0..10
    >>> print(Values(categories=("west", "north"), missing=False))
    {north, west, …} known
    """

    low: float = -math.inf
    high: float = math.inf
    integer: bool = False
    numeric: bool = False
    categories: tuple[Value, ...] = ()
    other: bool = True
    never: tuple[Value, ...] = ()
    missing: bool = True

    def __post_init__(self) -> None:
        low, high = float(self.low) + 0.0, float(self.high) + 0.0
        if not (low <= high and low < math.inf and high > -math.inf):
            raise ParameterError(f"a range goes from a number to one that is not smaller, not from {low} to {high}.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "numeric", self.numeric or self.integer or math.isfinite(low) or math.isfinite(high))
        object.__setattr__(self, "categories", _sort_values(self.categories))
        object.__setattr__(self, "never", _sort_values(self.never))

    @classmethod
    def of(cls, column: Column) -> Values:
        """Take over what was seen in a column of a table.

        Parameters
        ----------
        column : Column
            The column.

        Returns
        -------
        Values
            Its range or categories, and whether a value was missing.

        Examples
        --------
        >>> print(Values.of(Column("age", "numeric", low=18, high=90, integer=True)))
        integer 18..90 known
        """
        if column.kind == "categorical":
            other = not column.categories  # where none is known, any may come
            return cls(categories=column.categories, other=other, never=column.missing_values, missing=column.missing)
        return cls(column.low, column.high, column.integer, True, never=column.missing_values, missing=column.missing)

    @classmethod
    def read(cls, given: object) -> Values:
        """Read what a column may hold.

        Parameters
        ----------
        given : Values, tuple, range, set, list or str
            A pair (low, high) with None for no bound, a range of integers, a collection of categories, or text.

        Returns
        -------
        Values
            What was given, as an object.

        Raises
        ------
        ParameterError
            If it cannot be read.

        Examples
        --------
        >>> Values.read((0, None)) == Values.read("0..") == Values(low=0)
        True
        >>> Values.read(range(3)) == Values.read("integer 0..2")
        True
        >>> print(Values.read({"a", "b"}), Values.read("{a, b, …} known"), Values.read("any"), sep="; ")
        {a, b}; {a, b, …} known; any
        """
        match given:
            case Values():
                return given
            case str():
                return read_text(given)
            case range() if given and abs(given.step) == 1:
                ends = _end(given[0], 0.0), _end(given[-1], 0.0)
                return cls(min(ends), max(ends), integer=True)
            case (low, high) if isinstance(given, tuple):
                return cls(_end(low, -math.inf), _end(high, math.inf), numeric=True)
            case set() | frozenset() | list():
                return cls(categories=tuple(given), other=False)
        raise ParameterError(
            f"what a column may hold is a pair (low, high), a range of integers, a set of categories "
            f"or text such as 'integer 0..10', not {given!r}."
        )

    def allows(self, value: Value | None) -> bool:
        """Check whether a value may occur.

        Parameters
        ----------
        value : str, bool, int, float or None
            The value; None for a missing one.

        Returns
        -------
        bool
            Whether it may.

        Examples
        --------
        >>> Values(0, 10, integer=True).allows(3), Values(0, 10, integer=True).allows(3.5)
        (True, False)
        """
        if value is None:
            return self.missing
        if value in self.never or not (self.other or value in self.categories):
            return False
        if isinstance(value, str):
            return not self.numeric
        return self.low <= value <= self.high and not (self.integer and value != math.floor(value))

    @property
    def empty(self) -> bool:
        """Whether nothing may occur, not even a missing value."""
        if self.missing:
            return False
        if not self.other:
            return not any(self.allows(value) for value in self.categories)
        return self.integer and math.isfinite(self.low) and math.ceil(self.low) > self.high

    def common(self, other: Values) -> Values | None:
        """Find what two columns may both hold.

        Parameters
        ----------
        other : Values
            What the other column may hold.

        Returns
        -------
        Values or None
            What both allow; None if that is nothing.

        Examples
        --------
        >>> print(Values.read("integer 0..9").common(Values.read("3.. known")), Values(high=1).common(Values(low=2)))
        integer 3..9 known None
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return None
        closed = [each for each in (self, other) if not each.other]
        named = closed[0].categories if closed else dict.fromkeys((*self.categories, *other.categories))
        found = Values(
            low, high, self.integer or other.integer, self.numeric or other.numeric,
            tuple(value for value in named if self.allows(value) and other.allows(value)),
            not closed, (*self.never, *other.never), self.missing and other.missing,
        )  # fmt: skip
        return None if found.empty else found

    def read_by(self, column: Column) -> Values:
        """Treat the values that stand for a missing one in a column as missing.

        Parameters
        ----------
        column : Column
            The column, with its `missing_values`.

        Returns
        -------
        Values
            The same, where these values do not occur, but a missing one does if any of them could.

        Examples
        --------
        >>> print(Values(-9, 99, missing=False).read_by(Column("age", "numeric", missing_values=(-9,))))
        -9..99
        """
        codes = column.missing_values
        missing = self.missing or any(map(self.allows, codes))
        return replace(self, never=(*self.never, *codes), missing=missing)

    def __str__(self) -> str:
        words = ["integer"] if self.integer else []
        if self.categories or not self.other:
            shown = [*map(write_value, self.categories), *(["…"] if self.other else [])]
            words.append(f"{{{', '.join(shown)}}}")
        elif self.numeric:
            words.append(f"{_bound(self.low)}..{_bound(self.high)}")
        else:
            words.append("any")
        return " ".join(words if self.missing else [*words, "known"])


def _sort_values(values: Iterable[Value]) -> tuple[Value, ...]:
    # Canonical as a set of categories in a rule is; which cannot be empty.
    given = tuple(values)
    return Membership("", given).values if given else ()


def _end(given: object, unknown: float) -> float:
    """Read one end of a range."""
    if given is None:
        return unknown
    if isinstance(given, bool) or not isinstance(given, int | float | np.integer | np.floating):
        raise ParameterError(f"a range goes from a number to a number, with None for no bound; {given!r} is neither.")
    try:
        return float(given)
    except OverflowError:
        raise ParameterError(
            f"a range goes from a float to a float, or None for no bound, not {shown(given)}."
        ) from None


def _bound(bound: float) -> str:
    return write_number(bound) if math.isfinite(bound) else ""


def read_text(given: str) -> Values:
    """Read what a column may hold from text: `integer 0..10`, `..3.5 known`, `{a, b}`, `{a, …}`, `any`."""
    body = given.strip()
    known = body.endswith(" known") or body == "known"
    body = body.removesuffix("known").strip() if known else body
    integer = body.startswith("integer")
    body = body.removeprefix("integer").strip()
    if body.startswith("{") and body.endswith("}"):
        named = _MORE.sub("", body)
        return Values(categories=_categories(named), other=named != body, missing=not known)
    if body in ("", "any"):
        return Values(integer=integer, missing=not known)
    match = _RANGE.fullmatch(body)
    try:
        low, high = (float(part) if part else None for part in match.groups()) if match else (None, None)
    except ValueError:
        match = None
    if match is None:
        raise ParameterError(
            f"{given!r} does not say what a column may hold. Write 'integer 0..10', '{{a, b}}', 'any'."
        )
    read = Values.read((low, high))
    return replace(read, integer=integer, missing=not known)


def _categories(given: str) -> tuple[Value, ...]:
    """Read a set of categories as rules print it."""
    from r2n.rules.parse import parse_literal  # the parser knows how values are written

    if not given[1:-1].strip():
        return ()
    try:
        literal = parse_literal(f"x in {given}")
    except ParseError:
        raise ParameterError(f'{given} is no set as rules write them, such as {{a, "b c", 3}}.') from None
    return literal.values if isinstance(literal, Membership) else ()
