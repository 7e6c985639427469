"""Cells of a table: which are missing, which are numbers, which are categories.

Everything here sees one column as a one-dimensional numpy array and knows neither its name nor
its frame; what goes wrong is raised as a bare `CellError`, and the table adds the column's name.
"""

from __future__ import annotations

import datetime
import math
import sys
from collections.abc import Callable, Hashable, Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Kind: TypeAlias = Literal["numeric", "categorical"]
Value: TypeAlias = str | bool | int | float
Floats: TypeAlias = NDArray[np.float64]
Codes: TypeAlias = NDArray[np.int32]
Bools: TypeAlias = NDArray[np.bool_]
AnyArray: TypeAlias = NDArray[Any]

T = TypeVar("T")

DATE_ADVICE = "Convert dates to numbers, such as days since a fixed date"
TOO_LARGE = "is too large for a float. Rescale the column, or turn it into text."
NOT_UNICODE = (
    "is not valid Unicode: it holds half of a surrogate pair, which no file can hold. "
    "Read the text again in its own encoding, or replace what could not be read."
)
COMPLEX_ADVICE = "Complex data not supported. Pass the real and imaginary parts as two columns."

# Beyond this, neighbouring floats are more than 1 apart and an integer says more than is known.
EXACT_INTEGERS = 2.0**53

# pandas' own missing values, known by name so that pandas need not be imported.
_MISSING_TYPES = frozenset({"NAType", "NaTType"})

_DATE_TYPES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


def shown(value: object) -> str:
    """Write a value as an error message shows it: a long one cut.

    >>> shown("old"), shown(10**400), shown("a" * 100)
    ("'old'", 'of about 400 digits', "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    if isinstance(value, int) and value.bit_length() > 200:  # Python refuses to write the longest ones
        return f"of about {round(value.bit_length() * 0.30103)} digits"
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:40]}…"


class CellError(Exception):
    """A cell cannot be read; `row` and `value` say which, the message says why."""

    def __init__(self, problem: str, value: object = None, row: int = -1) -> None:
        super().__init__(problem)
        self.value = value
        self.row = row


class NotANumberError(CellError):
    """Text (or another category) stands where a number was expected."""


def as_value(cell: object) -> Value | None:
    """Read a cell as a plain Python value.

    Whole floats become integers, so a column of categories 1, 2, 3 keeps them when a missing value turns the column
    into floats.

    Parameters
    ----------
    cell : object
        A cell of any frame or array.

    Returns
    -------
    str, bool, int, float or None
        The value; None if the cell is missing.

    Raises
    ------
    CellError
        If the cell is a date, a complex or infinite number, or of any other type that is not read.

    Examples
    --------
    >>> as_value(np.float32(3)), as_value(np.str_("a")), as_value(np.bool_(True)), as_value(float("nan"))
    (3, 'a', True, None)
    """
    kind = type(cell)
    if kind is str or kind is bool or (kind is int and -EXACT_INTEGERS < cell < EXACT_INTEGERS):  # type: ignore[operator]
        return cell  # type: ignore[return-value]  # what is most common, at once
    if cell is None or kind.__name__ in _MISSING_TYPES:
        return None
    if isinstance(cell, str):
        return str(cell)
    if isinstance(cell, bool | np.bool_):
        return bool(cell)
    if isinstance(cell, int | np.integer) and not isinstance(cell, np.timedelta64):
        if abs(int(cell)) > sys.float_info.max:
            raise CellError(TOO_LARGE)
        return int(cell)
    if isinstance(cell, float | np.floating | Decimal | Fraction):
        return _plain_number(_nearest_float(cell))
    if isinstance(cell, np.datetime64 | np.timedelta64) and np.isnat(cell):
        return None
    raise CellError(_why_not(cell))


def _nearest_float(cell: float | np.floating[Any] | Decimal | Fraction) -> float:
    try:
        return float(cell)
    except OverflowError:
        raise CellError(TOO_LARGE) from None
    except ValueError:  # a decimal that signals
        return math.nan


def _why_not(cell: object) -> str:
    if isinstance(cell, _DATE_TYPES) or type(cell).__name__ == "Period":
        return f"is a date. {DATE_ADVICE}."
    if isinstance(cell, complex | np.complexfloating):
        return f"is complex. {COMPLEX_ADVICE}"
    return f"is of type {type(cell).__name__}. Only numbers, text, Booleans and missing values are read."


def _plain_number(number: float) -> int | float | None:
    if math.isnan(number):
        return None
    if math.isinf(number):
        raise CellError("is infinite. Replace infinite values by missing ones (NaN) or by a finite bound.")
    return int(number) if number.is_integer() and abs(number) <= EXACT_INTEGERS else number


def value_key(value: Value) -> tuple[str, Any]:
    """Return the place of a category among categories: by type, then by value.

    Parameters
    ----------
    value : str, bool, int or float
        The category.

    Returns
    -------
    tuple
        A key for `sorted`.

    Examples
    --------
    >>> sorted(["b", 2, True, "a", 1.5], key=value_key)
    [True, 1.5, 2, 'a', 'b']
    """
    return type(value).__name__, value


def value_id(value: Value) -> Hashable:
    """What equal values, and no others, have in common, fit to be looked up by.

    Python looks texts up by a secret hash but numbers by themselves, so that whoever writes a file can make 20,000
    numbers that all meet in one place: to look one up takes as long as to look at them all.

    >>> value_id(1) == value_id(True), value_id(2**60) == value_id(2.0**60), value_id(1) == value_id("1")
    (True, True, False)
    """
    if isinstance(value, str):
        return value
    whole = not isinstance(value, float) or value.is_integer()
    return (str(int(value)) if whole else repr(value),)


def distinct_values(values: Iterable[Value]) -> tuple[Value, ...]:
    """Keep the first of values that are equal.

    >>> distinct_values([1, True, "1", 2**60, 2.0**60])
    (1, '1', 1152921504606846976)
    """
    found: dict[Hashable, Value] = {}
    for value in values:
        found.setdefault(value_id(value), value)
    return tuple(found.values())


def is_unicode(value: object) -> bool:
    r"""Whether a value can be written down; only text with half of a surrogate pair in it cannot.

    >>> is_unicode("größe"), is_unicode("\ud83d"), is_unicode(3)
    (True, False, True)
    """
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_float(cell: object) -> float:
    """Read a cell as a number, NaN if it is missing."""
    value = as_value(cell)
    if value is None:
        return math.nan
    if isinstance(value, str):
        raise NotANumberError("is not a number")
    try:
        return float(value)
    except OverflowError:
        raise CellError(TOO_LARGE) from None


def floats(array: AnyArray) -> Floats:
    """Read a column as float64; a float64 column is returned without a copy.

    >>> floats(np.array([1, None, 2.5], dtype=object))
    array([1. , nan, 2.5])
    """
    if array.dtype.kind in "fiub":
        return array.astype(np.float64, copy=False)
    if set(map(type, array.tolist())) <= {float, int, type(None)}:  # what is most common, at once
        try:
            numbers = array.astype(np.float64)
        except OverflowError:
            numbers = np.array([np.inf])  # found below, with its row
        if not np.isinf(numbers).any():
            return numbers
    cells, positions = distinct(array)
    return np.array(_each(cells, positions, as_float), dtype=np.float64)[positions]


def encode(array: AnyArray) -> tuple[Codes, tuple[Value, ...]]:
    """Read a column as positions in its sorted distinct values, -1 where it is missing.

    >>> codes, values = encode(np.array(["b", None, "a", "b"], dtype=object))
    >>> codes.tolist(), values
    ([1, -1, 0, 1], ('a', 'b'))
    """
    cells, positions = distinct(array)
    read = _each(cells, positions, as_value)
    values = tuple(sorted({value for value in read if value is not None}, key=value_key))
    code_of: dict[Value | None, int] = {None: -1, **{value: code for code, value in enumerate(values)}}
    return np.array([code_of[value] for value in read], dtype=np.int32)[positions], values


def distinct(array: AnyArray) -> tuple[list[object], NDArray[np.intp]]:
    """Find the distinct cells, and for each row the position of its cell among them."""
    if array.dtype.kind in "fiub":
        # Never through a dict: every NaN of a float array becomes its own Python object there.
        cells, positions = np.unique(array, return_inverse=True)
        short = array.dtype.kind == "f" and array.dtype.itemsize < 8  # 0.1 in few bits is meant as 0.1 again
        return [float(str(cell)) for cell in cells] if short else cells.tolist(), positions.reshape(-1)
    rows: list[object] = array.tolist()
    try:
        index = {cell: position for position, cell in enumerate(dict.fromkeys(rows))}
    except TypeError:
        row = next(row for row, cell in enumerate(rows) if not _is_plain(cell))
        raise CellError(f"is of type {type(rows[row]).__name__}. Only plain values are read.",
                        rows[row], row) from None  # fmt: skip
    return list(index), np.fromiter(map(index.__getitem__, rows), dtype=np.intp, count=len(rows))


def _is_plain(cell: object) -> bool:
    """Whether the cell can be hashed."""
    try:
        hash(cell)
    except TypeError:
        return False
    return True


def holds_categories(array: AnyArray) -> bool:
    """Check whether a column of mixed Python objects holds any text or Boolean.

    >>> holds_categories(np.array([1, 2.5, None], dtype=object))
    False
    """
    return any(issubclass(kind, str | bool | np.bool_) for kind in set(map(type, array.tolist())))


def _each(cells: list[object], positions: NDArray[np.intp], read: Callable[[object], T]) -> list[T]:
    """Read every distinct cell; report what cannot be read with its first row."""
    return [_read_at(cell, index, positions, read) for index, cell in enumerate(cells)]


def _read_at(cell: object, index: int, positions: NDArray[np.intp], read: Callable[[object], T]) -> T:
    try:
        return read(cell)
    except CellError as error:
        raise type(error)(str(error), cell, int(np.argmax(positions == index))) from None
