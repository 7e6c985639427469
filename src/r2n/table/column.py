"""One column: what was seen in it, and the check that later rows hold the same sort of value."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from r2n.errors import ModelFileError, SchemaError
from r2n.table.cells import NOT_UNICODE, CellError, Codes, Kind, Value, as_value, is_unicode, shown
from r2n.table.derived import NotNumericError
from r2n.table.table import Table


@dataclass(frozen=True, slots=True)
class Column:
    """What is known of one column: its range if it is numeric, its categories if it is categorical.

    Parameters
    ----------
    name : str
        The column's name.
    kind : {'numeric', 'categorical'}
        Whether it holds numbers or categories.
    low : float
        The least number seen; minus infinity if none was.
    high : float
        The largest number seen; infinity if none was.
    categories : tuple of str, bool, int or float
        The categories seen, sorted.
    missing : bool
        Whether a value was missing.
    missing_values : tuple of str, bool, int or float
        Values that stand for a missing one, such as -9.
    integer : bool
        Whether all numbers were whole.

    Raises
    ------
    SchemaError
        If a name or category is no valid Unicode.

    Examples
    --------
    >>> Column.learn(Table.read({"age": [31, None, 58]}), "age", "numeric").high
    58.0
    """

    name: str
    kind: Kind
    low: float = -math.inf
    high: float = math.inf
    categories: tuple[Value, ...] = ()
    missing: bool = False
    missing_values: tuple[Value, ...] = ()  # that stand for a missing one
    integer: bool = False  # whether all its numbers were whole

    def __post_init__(self) -> None:
        if not is_unicode(self.name):
            raise SchemaError(f"the column's name {shown(self.name)} {NOT_UNICODE}")
        for value in (*self.categories, *self.missing_values):
            if not is_unicode(value):
                raise SchemaError(f"column {self.name!r}: the category {shown(value)} {NOT_UNICODE}")
        object.__setattr__(self, "missing_values", own_codes(self.kind, self.categories, self.missing_values))

    @classmethod
    def learn(cls, table: Table, name: str, kind: Kind, missing_values: Iterable[Value] = ()) -> Column:
        """Look at one column of a table.

        Parameters
        ----------
        table : Table
            The rows, in which `missing_values` are missing already.
        name : str
            The column's name.
        kind : {'numeric', 'categorical'}
            Whether to read numbers or categories.
        missing_values : iterable of str, bool, int or float
            Values that stand for a missing one.

        Returns
        -------
        Column
            What was seen.

        Raises
        ------
        SchemaError
            If the column is not there, or holds what cannot be read.

        Examples
        --------
        >>> Column.learn(Table.read({"region": ["west", "north"]}), "region", "categorical").categories
        ('north', 'west')
        """
        codes = tuple(missing_values)
        if kind == "categorical":
            places, values = table.codes(name)
            seen = np.bincount(places + 1, minlength=len(values) + 1)
            categories = tuple(value for value, times in zip(values, seen[1:], strict=True) if times)
            _refuse_broken_text(name, places, values)
            return cls(name, kind, categories=categories, missing=bool(seen[0]), missing_values=codes)
        column = table.numeric(name)
        known = column[~np.isnan(column)]
        missing = len(known) < len(column)
        if known.size == 0:
            return cls(name, kind, missing=missing, missing_values=codes)
        # + 0.0 turns a minus zero into a zero, which reads the same and prints better.
        low, high = float(known.min()) + 0.0, float(known.max()) + 0.0
        integer = bool((known == np.floor(known)).all())
        return cls(name, kind, low, high, missing=missing, missing_values=codes, integer=integer)

    def without_values(self) -> Column:
        """Forget range and categories, except of Booleans.

        What is left is enough for rules that only test whether the column is missing.

        Returns
        -------
        Column
            The name, the kind, and what is known of missing values.

        Examples
        --------
        >>> Column("mail", "categorical", categories=("a@b", "c@d"), missing=True).without_values().categories
        ()
        """
        types = {type(category) for category in self.categories}
        if bool in types and str not in types:
            return self
        kind: Kind = "numeric" if types and types <= {int, float} else self.kind  # exports ask for the column's type
        return self._or(Column(self.name, kind, missing=self.missing, missing_values=self.missing_values))

    def without_anything(self) -> Column:
        """Forget all except name and kind, as if no row had been seen.

        Returns
        -------
        Column
            The name and the kind; any value may occur.

        Examples
        --------
        >>> Column("age", "numeric", low=31.0, high=58.0).without_anything().missing
        True
        """
        return self._or(Column(self.name, self.kind, missing=True))

    def _or(self, other: Column) -> Column:
        """Return this very object if they are equal: a pickle holds it once."""
        return self if self == other else other

    def to_json(self) -> dict[str, object]:
        """Describe the column as plain data for a model file.

        Returns
        -------
        dict
            All fields; an unknown bound is None.

        Examples
        --------
        >>> Column("age", "numeric", low=31.0).to_json()["low"], Column("age", "numeric").to_json()["high"]
        (31.0, None)
        """
        return {
            "name": self.name,
            "kind": self.kind,
            "low": self.low if math.isfinite(self.low) else None,
            "high": self.high if math.isfinite(self.high) else None,
            "categories": list(self.categories),
            "missing": self.missing,
            "missing_values": list(self.missing_values),
            "integer": self.integer,
        }

    @classmethod
    def from_json(cls, item: object) -> Column:
        """Read the column that `to_json` described; refuse anything else.

        Parameters
        ----------
        item : object
            The data.

        Returns
        -------
        Column
            The column.

        Raises
        ------
        ModelFileError
            If the data is no column.

        Examples
        --------
        >>> column = Column("age", "numeric", low=31.0)
        >>> Column.from_json(column.to_json()) == column
        True
        """
        fields = {"name", "kind", "low", "high", "categories", "missing", "missing_values", "integer"}
        if not isinstance(item, Mapping) or set(item) != fields:
            raise ModelFileError(f"a column must be an object with exactly {sorted(fields)}, not {shown(item)}.")
        if not isinstance(item["name"], str) or item["kind"] not in ("numeric", "categorical"):
            raise ModelFileError(f"a column must have a name and be numeric or categorical, not {shown(item)}.")
        integer = item["integer"]
        lists = isinstance(item["categories"], list) and isinstance(item["missing_values"], list)
        if not isinstance(item["missing"], bool) or not isinstance(integer, bool) or not lists:
            raise ModelFileError(
                f"column {shown(item['name'])}: missing and integer must be true or false, "
                f"categories and missing_values lists."
            )
        low, high = _bound(item, "low", -math.inf), _bound(item, "high", math.inf)
        if low > high:
            raise ModelFileError(f"column {shown(item['name'])}: low is {low}, above high, which is {high}.")
        categories = tuple(_category(item["name"], value) for value in item["categories"])
        codes = tuple(_category(item["name"], value) for value in item["missing_values"])
        return cls(item["name"], item["kind"], low, high, categories, item["missing"], codes, integer)


def own_codes(kind: Kind, categories: Collection[Value], codes: Iterable[Value]) -> tuple[Value, ...]:
    """Drop the codes that mean another type: to Python False is 0, but 0 is no code in a column of Booleans.

    >>> own_codes("categorical", (False, True), (0, -9, "?")), own_codes("numeric", (), (False, -9))
    ((-9, '?'), (-9,))
    """
    types = {type(category) for category in categories} if kind == "categorical" else {float}
    if bool in types:
        return tuple(code for code in codes if type(code) is bool or code not in (False, True))
    return tuple(code for code in codes if type(code) is not bool or not types & {int, float})


def _bound(item: Mapping[str, Any], field: str, unknown: float) -> float:
    bound = item[field]
    if bound is None:
        return unknown
    # A Boolean is an int to Python; an int beyond the largest float compares as infinite does.
    if isinstance(bound, bool) or not isinstance(bound, int | float) or not abs(bound) <= sys.float_info.max:
        raise ModelFileError(
            f"column {shown(item['name'])}: {field} must be a finite number or null, not {shown(bound)}."
        )
    return float(bound)


def value_or_none(cell: object) -> Value | None:
    """Read a cell as a value; None if it is missing, or cannot be one."""
    try:
        return as_value(cell)
    except CellError:
        return None


def _category(name: str, cell: object) -> Value:
    value = value_or_none(cell)
    if value is None:
        raise ModelFileError(
            f"column {shown(name)}: a category must be text, a number or a Boolean, not {shown(cell)}."
        )
    return value


def check_kind(column: Column, table: Table) -> None:
    """Refuse a column whose values are of another kind than at fit, as far as its type tells."""
    name = column.name
    if column.kind == "numeric" and math.isinf(column.low) and math.isinf(column.high):
        return  # no value of it is known: any may come
    if column.kind == "numeric":
        try:
            # Numbers are known from the type alone; only objects and text have to be looked at.
            if table.kind(name) == "categorical":
                table.numeric(name)
        except NotNumericError as error:
            raise SchemaError(
                f"column {name!r} was numeric at fit but holds {shown(error.value)} in row {error.row}. "
                f"Convert it, or fit again with categorical=[{name!r}]."
            ) from None
        return
    sorts = {*map(_sort, column.categories)}
    if sorts == ({"text"} if table.kind(name) == "numeric" else {"numbers"}):
        refuse_foreign(column, *table.codes(name))


def refuse_foreign(column: Column, codes: Codes, values: tuple[Value, ...]) -> None:
    """Refuse numbers for text, text for numbers and the like: every row would silently be an unseen category.

    Asked for a column that is read as categories, when it is read. 0 and 1 may stand for False and True, and these for
    numbers. Exports that read cells of any type ask the same.
    """
    sorts = {*map(_sort, column.categories)}
    if not sorts or ("text" in sorts and len(sorts) > 1):
        return  # it held nothing, or what may be anything
    held = " and ".join(sorted(sorts))
    strange = [(_sort(value) == "text") != (held == "text") for value in values]
    if held == "Booleans":
        strange = [value not in (False, True) for value in values]
    foreign = np.array([*strange, False])[codes]
    if not foreign.any():
        return
    row = int(np.argmax(foreign))
    raise SchemaError(
        f"column {column.name!r} held {held} at fit (such as {shown(column.categories[0])}) "
        f"but holds {shown(values[codes[row]])} in row {row}. Convert it to {held}."
    )


def _refuse_broken_text(name: str, codes: Codes, values: tuple[Value, ...]) -> None:
    broken = np.array([*(not is_unicode(value) for value in values), False])[codes]
    if broken.any():
        row = int(np.argmax(broken))
        text = shown(values[codes[row]])
        raise SchemaError(f"column {name!r}: the text {text} in row {row} {NOT_UNICODE} Or leave the column out.")


def _sort(value: Value) -> str:
    """Tell what sort of category it is."""
    return "text" if isinstance(value, str) else "Booleans" if isinstance(value, bool) else "numbers"
