"""The columns of a table by name: what they are called, and what was seen in each."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

from r2n.errors import SchemaError
from r2n.table.cells import Value, value_id
from r2n.table.column import Column
from r2n.table.names import listed, no_such_column


@dataclass(frozen=True)
class Columns:
    """Columns in order, each with a name of its own."""

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
        """Find a column by its name.

        Parameters
        ----------
        name : str
            The name.

        Returns
        -------
        Column
            The column.

        Raises
        ------
        SchemaError
            If there is no such column.

        Examples
        --------
        >>> from r2n.table import Schema
        >>> schema, _ = Schema.learn({"age": [31, 58]})
        >>> schema.column("age").low
        31.0
        """
        if name not in self._by_name:
            raise SchemaError(no_such_column(name, self.names, "the schema"))
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def holds(self, name: str, value: Value) -> bool:
        """Check whether a value is among the categories of a column.

        Parameters
        ----------
        name : str
            The column's name.
        value : str, bool, int or float
            The value.

        Returns
        -------
        bool
            Whether it was seen.

        Examples
        --------
        >>> from r2n.table import Schema
        >>> schema, _ = Schema.learn({"region": ["north", "west"]})
        >>> schema.holds("region", "west"), schema.holds("region", "south")
        (True, False)
        """
        return value_id(value) in self._ids(name)[0]

    def is_code(self, name: str, value: Value) -> bool:
        """Check whether a value stands for a missing one in a column.

        Parameters
        ----------
        name : str
            The column's name.
        value : str, bool, int or float
            The value.

        Returns
        -------
        bool
            Whether it is one of the column's `missing_values`.

        Examples
        --------
        >>> from r2n.table import Schema
        >>> schema, _ = Schema.learn({"age": [31, -9]}, missing_values=[-9])
        >>> schema.is_code("age", -9)
        True
        """
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
