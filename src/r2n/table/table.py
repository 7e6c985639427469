"""A table of rows, read column by column and only when needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from r2n.table.cells import Value
from r2n.table.derived import CategoryCheck, Checked, Renamed, RowsOf, WithMissing, numbers_of
from r2n.table.lazy import LazyColumns
from r2n.table.raw import Held, RawSource
from r2n.table.read import read_columns
from r2n.words import count


class Table(LazyColumns):
    """Rows, stored as columns of one length. A column is converted when first read, then kept, and never written to.

    `Table.read` makes one from any frame, dict or array.

    Parameters
    ----------
    source : Source
        Where the columns come from.
    names : iterable of str
        The names of the columns.
    n_rows : int
        The number of rows.
    places : sequence of int, optional
        The position of each row in the caller's table, for error messages.

    Examples
    --------
    >>> table = Table.read({"age": [31, None, 58], "region": ["north", "west", "north"]})
    >>> table.n_rows, table.names
    (3, ('age', 'region'))
    >>> table.numeric("age")
    array([31., nan, 58.])
    >>> codes, values = table.codes("region")
    >>> codes.tolist(), values
    ([0, 1, 0], ('north', 'west'))
    """

    @classmethod
    def read(cls, X: object, names: Sequence[str] | None = None) -> Table:
        """Read any table.

        Parameters
        ----------
        X : table
            A frame (pandas, polars, pyarrow), a dict of columns or a two-dimensional array.
        names : sequence of str, optional
            The names of an array's columns; by default x0, x1 and so on.

        Returns
        -------
        Table
            The rows.

        Raises
        ------
        SchemaError
            If X is no table.

        Examples
        --------
        >>> Table.read([[31, 1.5], [58, 0.5]]).names
        ('x0', 'x1')
        """
        if isinstance(X, Table):
            return X
        columns = read_columns(X, names)
        return cls(RawSource(columns), columns, next(iter(columns.values())).n_rows)

    def pieces(self, names: Sequence[str]) -> Iterator[Table]:
        """Yield the table in blocks of rows where that is quicker to read, else as a whole.

        Parameters
        ----------
        names : sequence of str
            The columns that will be read, as numbers.

        Yields
        ------
        Table
            Some rows of these columns, or this table.

        Examples
        --------
        >>> [piece.n_rows for piece in Table.read({"age": [31, 58]}).pieces(["age"])]
        [2]
        """
        blocks = self.blocks(names)
        if blocks is None:
            yield self
        else:
            yield from (Table(each._source, each.names, each.n_rows, each._places) for each in blocks)

    def take(self, rows: ArrayLike, alone: bool = False) -> Table:
        """Select some rows.

        Parameters
        ----------
        rows : array-like of int or bool
            Their positions, in the wanted order, or a mask.
        alone : bool
            Whether to read them as if the other rows had never been there, so that these have no say in the kind of a
            column. Only for a table as it was read.

        Returns
        -------
        Table
            These rows.

        Examples
        --------
        >>> Table.read({"age": [31, 45, 58]}).take([2, 0]).numeric("age")
        array([58., 31.])
        """
        positions = np.asarray(rows)
        if positions.dtype.kind == "b":
            positions = np.flatnonzero(positions)
        positions = positions.astype(np.intp, copy=False)
        if alone:
            assert isinstance(self._source, RawSource), "rows are taken alone before anything else is done"
            places = np.asarray(self._places, dtype=np.intp)[positions]
            return Table(self._source.of(places), self.names, len(positions), places)
        return Table(RowsOf(self, positions), self.names, len(positions))

    def detached(self, categorical: Iterable[str]) -> Table:
        """Copy the rows, without the larger table that they may be part of.

        Parameters
        ----------
        categorical : iterable of str
            Columns of numbers that will be read as categories, too.

        Returns
        -------
        Table
            The same rows.

        Examples
        --------
        >>> Table.read({"age": [31, 45, 58]}).take([2, 0]).detached([]).numeric("age")
        array([58., 31.])
        """
        kinds = {name: self.kind(name) for name in self.names}
        floats = {name: self.numeric(name) for name, kind in kinds.items() if kind == "numeric"}
        asked = set(categorical)
        codes = {name: self.codes(name) for name in self.names if kinds[name] != "numeric" or name in asked}
        return Table(Held(kinds, floats, codes), self.names, self.n_rows)

    def with_missing(self, codes: Mapping[str, Collection[Value]]) -> Table:
        """Treat more values as missing.

        Parameters
        ----------
        codes : mapping
            For each column the values that stand for a missing one.

        Returns
        -------
        Table
            The same rows with more missing values.

        Examples
        --------
        >>> Table.read({"age": [31, -9, 58]}).with_missing({"age": [-9]}).numeric("age")
        array([31., nan, 58.])
        """
        if not any(codes.values()):
            return self
        stored = self._source.stored if isinstance(self._source, RawSource) else lambda name: None
        numbers = {name: numbers_of(codes[name], stored(name)) for name in codes}
        return Table(WithMissing(self, codes, numbers), self.names, self.n_rows)

    def checked(self, checks: Mapping[str, CategoryCheck]) -> Table:
        """Check the categories of columns when they are read.

        Parameters
        ----------
        checks : mapping
            For each column a function of its codes and values that raises an error if something is wrong.

        Returns
        -------
        Table
            The same rows, with these checks.

        Examples
        --------
        >>> table = Table.read({"region": ["north", "west"]}).checked({"region": lambda codes, values: None})
        >>> table.codes("region")[1]
        ('north', 'west')
        """
        return Table(Checked(self, checks), self.names, self.n_rows)

    def renamed(self, names: Mapping[str, str]) -> Table:
        """Rename all columns.

        Parameters
        ----------
        names : mapping
            The new name of each column.

        Returns
        -------
        Table
            The same columns under other names.

        Examples
        --------
        >>> Table.read({"age": [31, 45]}).renamed({"age": "x0"}).numeric("x0")
        array([31., 45.])
        """
        return Table(Renamed(self, names), (names[name] for name in self.names), self.n_rows)

    def __repr__(self) -> str:
        return f"<Table of {count(self.n_rows, 'row')}: {', '.join(self.names)}>"
