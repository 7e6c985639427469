"""The schema: what was seen in each column, and the check that a later table has the same."""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from r2n.errors import ModelFileError, SchemaError
from r2n.table.cells import Kind, Value, shown, value_id
from r2n.table.column import Column, check_kind, refuse_foreign, value_or_none
from r2n.table.names import listed
from r2n.table.read import has_names, wrong_width
from r2n.table.table import Table, no_such_column


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
            check_kind(self.column(name), table)
        return table.checked({column.name: partial(refuse_foreign, column) for column in self.columns})

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
        value = value_or_none(cell)
        if value is None and isinstance(cell, float | np.floating) and math.isinf(cell):
            raise SchemaError("missing_values: infinity stands for nothing. Replace it by NaN before, in the table.")
        if value is None:
            raise SchemaError(f"missing_values: {shown(cell)} is no text, number or Boolean, or missing itself.")
        codes.append(value)
    return tuple(codes)
