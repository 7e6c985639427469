"""The schema: what was seen in each column, and the check that a later table has the same."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

from r2n.errors import ModelFileError, SchemaError
from r2n.table.cells import Kind, Value
from r2n.table.column import Column, check_kind, refuse_foreign
from r2n.table.columns import Columns
from r2n.table.missing import read_missing_values
from r2n.table.names import listed, no_such_column
from r2n.table.read import has_names, wrong_width
from r2n.table.table import Table


@dataclass(frozen=True)
class Schema(Columns):
    """The columns of a table, in order, as they were at fit.

    Parameters
    ----------
    columns : tuple of Column
        The columns.

    Raises
    ------
    SchemaError
        If two columns have the same name.

    Examples
    --------
    >>> schema, table = Schema.learn({"age": [31, 58], "region": ["north", "west"]})
    >>> schema.numeric, schema.categorical
    (('age',), ('region',))
    >>> schema.column("region").categories
    ('north', 'west')
    """

    @classmethod
    def learn(cls, X: object, categorical: Collection[str] = (), missing_values: object = None) -> tuple[Schema, Table]:
        """Read every column of a table.

        Numbers make a column numeric; text and Booleans make it categorical.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.
        categorical : collection of str
            Columns of numbers to read as categories.
        missing_values : list or dict, optional
            Values that stand for a missing one: in every column, or by column.

        Returns
        -------
        schema : Schema
            What was seen in each column.
        table : Table
            The rows.

        Raises
        ------
        SchemaError
            If a column cannot be read, or a name is of no column.

        Examples
        --------
        >>> schema, table = Schema.learn({"age": [31, -9], "floor": [1, 2]}, categorical=["floor"], missing_values=[-9])
        >>> schema.column("age").missing, schema.column("floor").categories, table.n_rows
        (True, (1, 2), 2)
        """
        table = Table.read(X)
        codes = read_missing_values(missing_values, table.names)
        table = table.with_missing(codes)
        chosen = {categorical} if isinstance(categorical, str) else set(categorical)
        for name in sorted(chosen - set(table.names), key=str):
            raise SchemaError("categorical: " + no_such_column(str(name), table.names, "the table"))
        kinds: dict[str, Kind] = {name: "categorical" if name in chosen else table.kind(name) for name in table.names}
        columns = tuple(Column.learn(table, name, kind, codes[name]) for name, kind in kinds.items())
        return cls(columns), table

    def renamed(self, names: Mapping[str, str]) -> Schema:
        """Rename all columns.

        Parameters
        ----------
        names : mapping
            The new name of each column.

        Returns
        -------
        Schema
            The same columns under other names.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> schema.renamed({"age": "x0"}).names
        ('x0',)
        """
        return Schema(tuple(replace(column, name=names[column.name]) for column in self.columns))

    def without(self, names: Collection[str]) -> Schema:
        """Leave out some columns.

        Parameters
        ----------
        names : collection of str
            Their names.

        Returns
        -------
        Schema
            The other columns.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58], "debt": [1, 2]})
        >>> schema.without(["age"]).names
        ('debt',)
        """
        return Schema(tuple(column for column in self.columns if column.name not in names))

    def keep(self, read: Collection[str], asked: Collection[str] = ()) -> Schema:
        """Forget what is known of columns that no rule reads.

        A model says no more of its training rows than its rules read. All names stay: they give columns of an array
        their places.

        Parameters
        ----------
        read : collection of str
            Columns whose values rules read; they stay as they are.
        asked : collection of str
            Columns of which rules only test whether they are missing; no more than that stays.

        Returns
        -------
        Schema
            All columns, most of them without ranges and categories.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58], "mail": ["a@b", "c@d"]})
        >>> kept = schema.keep(["age"])
        >>> kept.column("age").low, kept.column("mail").categories
        (31.0, ())
        """

        def kept(column: Column) -> Column:
            if column.name in read:
                return column
            return column.without_values() if column.name in asked else column.without_anything()

        return Schema(tuple(map(kept, self.columns)))

    def table(self, X: object, same_order: bool = False, only: Collection[str] | None = None) -> Table:
        """Read a table that has this schema: frames and dicts by name, arrays by position.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.
        same_order : bool
            Whether the table must have exactly these names in this order; otherwise extra columns are ignored.
        only : collection of str, optional
            The columns that must be there; by default all.

        Returns
        -------
        Table
            The rows; values that stand for a missing one are missing.

        Raises
        ------
        SchemaError
            If a column is not there, or holds other values than at fit.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58], "debt": [1, 2]})
        >>> schema.table({"debt": [3], "age": [40], "more": [0]}).numeric("age")
        array([40.])
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
        """Read a table that has this schema, whatever its columns are called.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array, with as many columns as the schema.

        Returns
        -------
        Table
            The rows, under the schema's names.

        Raises
        ------
        SchemaError
            If the number of columns differs, or a column holds other values than at fit.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> schema.table_by_position({"years": [40]}).numeric("age")
        array([40.])
        """
        table = Table.read(X)
        if len(table.names) != len(self.columns):
            raise wrong_width(len(table.names), self.names)
        names = dict(zip(table.names, self.names, strict=True))
        return self.table(table.with_missing({own: self._codes[names[own]] for own in names}).renamed(names))

    @cached_property
    def _codes(self) -> dict[str, tuple[Value, ...]]:
        return {column.name: column.missing_values for column in self.columns}

    def _check_same_names(self, names: tuple[str, ...]) -> None:
        """Refuse other names in scikit-learn's words, which its users (and its checks) know."""
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
        """Describe the schema as plain data for a model file.

        Returns
        -------
        list of dict
            One entry for each column.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> [column["name"] for column in schema.to_json()]
        ['age']
        """
        return [column.to_json() for column in self.columns]

    @classmethod
    def from_json(cls, items: object) -> Schema:
        """Read the schema that `to_json` described; refuse anything else.

        Parameters
        ----------
        items : object
            The data.

        Returns
        -------
        Schema
            The schema.

        Raises
        ------
        ModelFileError
            If the data is no schema.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> Schema.from_json(schema.to_json()) == schema
        True
        """
        if not isinstance(items, list):
            raise ModelFileError(f"columns must be a list, not {type(items).__name__}.")
        columns = tuple(Column.from_json(item) for item in items)
        if len({column.name for column in columns}) < len(columns):
            raise ModelFileError("column names are repeated. The file was changed by hand; save it again.")
        return cls(columns)
