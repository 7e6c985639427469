"""The schema: what was seen in each column, and the check that a later table has the same."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from r2n.errors import ModelFileError, SchemaError
from r2n.schema.reading import has_names, wrong_width
from r2n.schema.table import Table, no_such_column
from r2n.schema.values import NOT_UNICODE, CellError, Codes, Kind, Value, as_value, is_unicode, shown, value_id
from r2n.schema.views import NotNumericError
from r2n.schema.words import listed


@dataclass(frozen=True, slots=True)
class Column:
    """What was seen in one column: its range if it is numeric, its categories if it is categorical."""

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
        """Look at one column of a table, in which `missing_values` are missing already."""
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
        """What rules need that only ask whether it is missing: neither range nor categories, except of Booleans.

        >>> Column("mail", "categorical", categories=("a@b", "c@d"), missing=True).without_values().categories
        ()
        """
        types = {type(category) for category in self.categories}
        if bool in types and str not in types:
            return self
        kind: Kind = "numeric" if types and types <= {int, float} else self.kind  # exports ask for the column's type
        return self._or(Column(self.name, kind, missing=self.missing, missing_values=self.missing_values))

    def without_anything(self) -> Column:
        """Its name and kind: the rest is as if no row had been seen, so anything may come."""
        return self._or(Column(self.name, self.kind, missing=True))

    def _or(self, other: Column) -> Column:
        """This very object if they are equal: a pickle holds it once."""
        return self if self == other else other

    def to_json(self) -> dict[str, object]:
        """Plain data; an unknown bound is null."""
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
    def from_json(cls, item: object, whole: bool = True) -> Column:
        """The column that `to_json` described; anything odd is refused.

        Without `whole` it must not say whether its numbers were whole, as files of version 1 do not.
        """
        fields = {"name", "kind", "low", "high", "categories", "missing", "missing_values"}
        fields |= {"integer"} if whole else set()
        if not isinstance(item, Mapping) or set(item) != fields:
            raise ModelFileError(f"a column must be an object with exactly {sorted(fields)}, not {shown(item)}.")
        if not isinstance(item["name"], str) or item["kind"] not in ("numeric", "categorical"):
            raise ModelFileError(f"a column must have a name and be numeric or categorical, not {shown(item)}.")
        integer = item.get("integer", False)
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
    """The codes without those that mean another type: to Python False is 0, but 0 is no code in a column of Booleans.

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


def _value_or_none(cell: object) -> Value | None:
    """A cell as a value; None if it is missing, or cannot be one."""
    try:
        return as_value(cell)
    except CellError:
        return None


def _category(name: str, cell: object) -> Value:
    value = _value_or_none(cell)
    if value is None:
        raise ModelFileError(
            f"column {shown(name)}: a category must be text, a number or a Boolean, not {shown(cell)}."
        )
    return value


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in order, as they were at fit.

    >>> schema, table = Schema.learn({"age": [31, 58], "region": ["north", "west"]})
    >>> schema.numeric, schema.categorical
    (('age',), ('region',))
    >>> schema.column("region").categories
    ('north', 'west')
    """

    columns: tuple[Column, ...]

    def __post_init__(self) -> None:
        if len(self._by_name) < len(self.columns):
            raise SchemaError(f"column names are repeated: [{listed(self.names)}]. Rename them.")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of all columns."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The names of the numeric columns."""
        return tuple(column.name for column in self.columns if column.kind == "numeric")

    @cached_property
    def categorical(self) -> tuple[str, ...]:
        """The names of the categorical columns."""
        return tuple(column.name for column in self.columns if column.kind == "categorical")

    @cached_property
    def _by_name(self) -> dict[str, Column]:
        return {column.name: column for column in self.columns}

    def column(self, name: str) -> Column:
        """One column by its name."""
        if name not in self._by_name:
            raise SchemaError(no_such_column(name, self.names, "the schema"))
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def holds(self, name: str, value: Value) -> bool:
        """Whether a value is among the categories of a column."""
        return value_id(value) in self._ids(name)[0]

    def is_code(self, name: str, value: Value) -> bool:
        """Whether a value stands for a missing one in a column."""
        return value_id(value) in self._ids(name)[1]

    def _ids(self, name: str) -> tuple[frozenset[Hashable], frozenset[Hashable]]:
        if name not in self._known_ids:
            column = self.column(name)
            self._known_ids[name] = (
                frozenset(map(value_id, column.categories)),
                frozenset(map(value_id, column.missing_values)),
            )
        return self._known_ids[name]

    @cached_property
    def _known_ids(self) -> dict[str, tuple[frozenset[Hashable], frozenset[Hashable]]]:
        """What values of a column are looked up by, once they are asked for: there may be thousands."""
        return {}

    @classmethod
    def learn(cls, X: object, categorical: Collection[str] = (), missing_values: object = None) -> tuple[Schema, Table]:
        """Read every column of X: numbers are numeric, text and Booleans and `categorical` categorical.

        `missing_values` stand for missing ones, in every column, or by column in a dict.
        """
        table = Table.read(X)
        codes = _missing_codes(missing_values, table.names)
        table = table.with_missing(codes)
        chosen = {categorical} if isinstance(categorical, str) else set(categorical)
        for name in sorted(chosen - set(table.names), key=str):
            raise SchemaError("categorical: " + no_such_column(str(name), table.names, "the table"))
        kinds: dict[str, Kind] = {name: "categorical" if name in chosen else table.kind(name) for name in table.names}
        columns = tuple(Column.learn(table, name, kind, codes[name]) for name, kind in kinds.items())
        return cls(columns), table

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """The same columns under other names."""
        return Schema(tuple(replace(column, name=names[column.name]) for column in self.columns))

    def without(self, names: Collection[str]) -> Schema:
        """The other columns."""
        return Schema(tuple(column for column in self.columns if column.name not in names))

    def keep(self, read: Collection[str], asked: Collection[str] = ()) -> Schema:
        """All columns, but only of those `read` what they held; of those `asked` whether they are missing, just that.

        A model says no more of its training rows than its rules read. The names of the others stay: they give
        columns of an array their places.

        >>> schema, _ = Schema.learn({"age": [31, 58], "mail": ["a@b", "c@d"]})
        >>> schema.keep(["age"]).column("mail")
        Column(name='mail', kind='categorical', low=-inf, high=inf, categories=(), missing=True, missing_values=(), \
integer=False)
        """

        def kept(column: Column) -> Column:
            if column.name in read:
                return column
            return column.without_values() if column.name in asked else column.without_anything()

        return Schema(tuple(map(kept, self.columns)))

    def table(self, X: object, same_order: bool = False, only: Collection[str] | None = None) -> Table:
        """Read X as a table of this schema: frames and dicts by name, arrays by position.

        Extra columns are ignored, unless `same_order` asks for the very same names in the same
        order. With `only`, no other columns need be there: rules ask for those they read.
        """
        named = isinstance(X, Table) or has_names(X)
        table = Table.read(X) if named else Table.read(X, self.names)
        if not isinstance(X, Table):  # which was read by this schema, or means what it says
            table = table.with_missing({name: codes for name, codes in self._codes.items() if name in table.names})
        if same_order:
            self._check_same_names(table.names)
        asked, there = set(self.names if only is None else only), set(table.names)
        needed = [name for name in self.names if name in asked]
        absent = [name for name in needed if name not in there]
        if absent:
            raise SchemaError(
                f"columns that were there at fit are missing: [{listed(absent)}]. "
                f"The table has: [{listed(table.names)}]. Add them, or rename yours."
            )
        for name in needed:
            _check_kind(self.column(name), table)
        return table.checked({column.name: partial(_refuse_foreign, column) for column in self.columns})

    def table_by_position(self, X: object) -> Table:
        """Read X as a table of this schema, whatever its columns are called."""
        table = Table.read(X)
        if len(table.names) != len(self.columns):
            raise wrong_width(len(table.names), self.names)
        names = dict(zip(table.names, self.names, strict=True))
        return self.table(table.with_missing({own: self._codes[names[own]] for own in names}).renamed(names))

    @cached_property
    def _codes(self) -> dict[str, tuple[Value, ...]]:
        return {column.name: column.missing_values for column in self.columns}

    def _check_same_names(self, names: tuple[str, ...]) -> None:
        """The words are scikit-learn's, because its users (and its checks) know them."""
        if names == self.names:
            return
        unseen = sorted(set(names) - set(self.names))
        gone = sorted(set(self.names) - set(names))
        lines = ["The feature names should match those that were passed during fit."]
        if unseen:
            lines += ["Feature names unseen at fit time:", *(f"- {name}" for name in unseen)]
        if gone:
            lines += ["Feature names seen at fit time, yet now missing:", *(f"- {name}" for name in gone)]
        if not unseen and not gone:
            first = next(pair for pair in zip(self.names, names, strict=True) if pair[0] != pair[1])
            lines += ["Feature names must be in the same order as they were in fit.",
                      f"Where {first[0]!r} was expected, {first[1]!r} came."]  # fmt: skip
        raise SchemaError("\n".join(lines) + "\n")

    def to_json(self) -> list[dict[str, object]]:
        """Plain data for a model file."""
        return [column.to_json() for column in self.columns]

    @classmethod
    def from_json(cls, items: object, whole: bool = True) -> Schema:
        """The schema that `to_json` described; see `Column.from_json`.

        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> Schema.from_json(schema.to_json()) == schema
        True
        """
        if not isinstance(items, list):
            raise ModelFileError(f"columns must be a list, not {type(items).__name__}.")
        columns = tuple(Column.from_json(item, whole) for item in items)
        if len({column.name for column in columns}) < len(columns):
            raise ModelFileError("column names are repeated. The file was changed by hand; save it again.")
        return cls(columns)


def _missing_codes(given: object, names: tuple[str, ...]) -> dict[str, tuple[Value, ...]]:
    """For each column the values that stand for a missing one."""
    if given is None:
        return dict.fromkeys(names, ())
    by_column = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name in by_column:
        if not isinstance(name, str):
            raise SchemaError(f"missing_values names the column {name!r}. Write its name as text: {str(name)!r}.")
        if name not in names:
            raise SchemaError("missing_values: " + no_such_column(name, names, "the table"))
    return {name: _codes_of(by_column.get(name, ())) for name in names}


def _codes_of(given: object) -> tuple[Value, ...]:
    if isinstance(given, str | bytes | Iterator) or not isinstance(given, Iterable):
        came = f"a {type(given).__name__}" if isinstance(given, Iterator) else repr(given)
        raise SchemaError(f"missing_values must be a list such as [-7, -8], or a dict of such lists, not {came}.")
    codes = []
    for cell in given:
        value = _value_or_none(cell)
        if value is None and isinstance(cell, float | np.floating) and math.isinf(cell):
            raise SchemaError("missing_values: infinity stands for nothing. Replace it by NaN before, in the table.")
        if value is None:
            raise SchemaError(f"missing_values: {shown(cell)} is no text, number or Boolean, or missing itself.")
        codes.append(value)
    return tuple(codes)


def _check_kind(column: Column, table: Table) -> None:
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
        _refuse_foreign(column, *table.codes(name))


def _refuse_foreign(column: Column, codes: Codes, values: tuple[Value, ...]) -> None:
    """Numbers for text, text for numbers and the like: every row would silently be an unseen category.

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
    """What sort of category it is."""
    return "text" if isinstance(value, str) else "Booleans" if isinstance(value, bool) else "numbers"
