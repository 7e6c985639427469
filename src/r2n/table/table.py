"""A table of rows, read column by column and only when needed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r2n.errors import SchemaError
from r2n.table.cells import (
    AnyArray,
    Bools,
    CellError,
    Codes,
    Floats,
    Kind,
    NotANumberError,
    Value,
    encode,
    floats,
    holds_categories,
    shown,
)
from r2n.table.derived import CategoryCheck, Checked, InOne, NotNumericError, Renamed, RowsOf, WithMissing, numbers_of
from r2n.table.names import listed, near
from r2n.table.read import RawColumn, read_columns
from r2n.words import count


class Source(Protocol):
    """Where a table gets its columns from."""

    def kind(self, name: str) -> Kind:
        """Tell whether a column holds numbers or categories."""

    def floats(self, name: str) -> Floats:
        """Read a column as numbers, NaN where it is missing."""

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        """Read a column as positions in its sorted categories, -1 where it is missing, and these."""

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        """Split the rows into blocks of these columns; None if reading them at once is as quick."""


class Table:
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

    def __init__(
        self, source: Source, names: Iterable[str], n_rows: int, places: Sequence[int] | AnyArray | None = None
    ) -> None:
        self._source = source
        self.names = tuple(names)
        self.n_rows = n_rows
        self._places = range(n_rows) if places is None else places  # of its rows in the caller's table
        self._floats: dict[str, Floats] = {}
        self._codes: dict[str, tuple[Codes, tuple[Value, ...]]] = {}

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
        return cls(_RawSource(columns), columns, next(iter(columns.values())).n_rows)

    def numeric(self, name: str) -> Floats:
        """Read a column as numbers.

        Parameters
        ----------
        name : str
            The column's name.

        Returns
        -------
        array of float
            One number for each row; NaN where it is missing.

        Raises
        ------
        SchemaError
            If the column is not there, or holds text or infinite values.

        Examples
        --------
        >>> Table.read({"age": [31, None]}).numeric("age")
        array([31., nan])
        """
        if name not in self._floats:
            self._check(name)
            self._floats[name] = _read_only(_finite(name, self._source.floats(name), self._places))
        return self._floats[name]

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
        pieces = self.own_pieces(names)
        yield from [self] if pieces is None else pieces

    def own_pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        """Split the table into blocks of rows where that is quicker to read.

        Parameters
        ----------
        names : sequence of str
            The columns that will be read, as numbers.

        Returns
        -------
        iterator of Table or None
            The blocks; None where the table is read as a whole.

        Examples
        --------
        >>> Table.read({"age": [31, 58]}).own_pieces(["age"]) is None
        True
        """
        known = all(name in self._floats for name in names)
        return None if known or not set(names) <= set(self.names) else self._source.pieces(names)

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        """Read a column as categories.

        Parameters
        ----------
        name : str
            The column's name.

        Returns
        -------
        codes : array of int
            For each row, the position of its category among the values; -1 where it is missing.
        values : tuple of str, bool, int or float
            The distinct categories, sorted.

        Raises
        ------
        SchemaError
            If the column is not there, or holds what cannot be read.

        Examples
        --------
        >>> codes, values = Table.read({"region": ["west", None, "north"]}).codes("region")
        >>> codes.tolist(), values
        ([1, -1, 0], ('north', 'west'))
        """
        if name not in self._codes:
            self._check(name)
            codes, values = self._source.codes(name)
            self._codes[name] = _read_only(codes), values
        return self._codes[name]

    def known(self, name: str) -> Bools:
        """Find where a column is not missing.

        Parameters
        ----------
        name : str
            The column's name.

        Returns
        -------
        array of bool
            One value for each row.

        Raises
        ------
        SchemaError
            If the column is not there, or holds what cannot be read.

        Examples
        --------
        >>> Table.read({"age": [31, None]}).known("age")
        array([ True, False])
        """
        if self.kind(name) == "numeric":
            return ~np.isnan(self.numeric(name))
        return self.codes(name)[0] >= 0

    def kind(self, name: str) -> Kind:
        """Tell whether a column holds numbers or categories, by its own values.

        Parameters
        ----------
        name : str
            The column's name.

        Returns
        -------
        {'numeric', 'categorical'}
            Categorical if it holds text or Booleans.

        Raises
        ------
        SchemaError
            If the column is not there.

        Examples
        --------
        >>> table = Table.read({"age": [31, 58], "region": ["north", "west"]})
        >>> table.kind("age"), table.kind("region")
        ('numeric', 'categorical')
        """
        self._check(name)
        return self._source.kind(name)

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
            assert isinstance(self._source, _RawSource), "rows are taken alone before anything else is done"
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
        return Table(_Held(kinds, floats, codes), self.names, self.n_rows)

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
        stored = self._source.stored if isinstance(self._source, _RawSource) else lambda name: None
        return self.with_codes(codes, {name: numbers_of(codes[name], stored(name)) for name in codes})

    def with_codes(self, codes: Mapping[str, Collection[Value]], numbers: Mapping[str, Sequence[float]]) -> Table:
        """Treat more values as missing, given which stored numbers they are.

        Parameters
        ----------
        codes : mapping
            For each column the values that stand for a missing one.
        numbers : mapping
            For each column these values as floats, in the precision in which the column is stored.

        Returns
        -------
        Table
            The same rows with more missing values.

        Examples
        --------
        >>> Table.read({"age": [31, -9]}).with_codes({"age": [-9]}, {"age": [-9.0]}).numeric("age")
        array([31., nan])
        """
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

    def _check(self, name: str) -> None:
        if name not in self.names:
            raise SchemaError(no_such_column(name, self.names, "the table"))

    def __repr__(self) -> str:
        return f"<Table of {count(self.n_rows, 'row')}: {', '.join(self.names)}>"


class _RawSource:
    """Columns as they came from the caller; what cannot be read is reported with the column's name."""

    def __init__(self, columns: Mapping[str, RawColumn], rows: NDArray[np.intp] | None = None) -> None:
        self._columns = columns
        self._rows = rows  # those that are read, None for all
        self._kinds: dict[str, Kind] = {}

    def of(self, rows: NDArray[np.intp]) -> _RawSource:
        """Restrict the columns to some rows of the caller's."""
        return _RawSource(self._columns, rows)

    def kind(self, name: str) -> Kind:
        if name not in self._kinds:
            self._kinds[name] = self._look(name)
        return self._kinds[name]

    def stored(self, name: str) -> np.dtype[Any] | None:
        """As floats of which precision the caller has the column, if it is less than double."""
        return self._columns[name].stored

    def _look(self, name: str) -> Kind:
        kind = self._columns[name].kind
        if kind == "mixed":
            return "categorical" if holds_categories(self._load(name)) else "numeric"
        return kind

    def floats(self, name: str) -> Floats:
        try:
            return floats(self._load(name))
        except NotANumberError as error:
            raise NotNumericError(name, error.value, self._place(error.row)) from None
        except CellError as error:
            raise self._unreadable(name, error) from None

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        try:
            return encode(self._load(name))
        except CellError as error:
            raise self._unreadable(name, error) from None

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        """If they are columns of one matrix: its blocks."""
        columns = [self._columns[name] for name in names]
        matrix = columns[0].matrix if columns and self._rows is None else None
        if matrix is None or any(column.matrix is not matrix for column in columns):
            return None
        return _blocks(matrix, {name: column.place for name, column in zip(names, columns, strict=True)})

    def _load(self, name: str) -> AnyArray:
        try:
            loaded = self._columns[name].load()
        except SchemaError as error:
            raise SchemaError(f"column {name!r}: {error}") from None
        return loaded if self._rows is None else loaded[self._rows]

    def _place(self, row: int) -> int:
        """Where the caller has this row."""
        return row if self._rows is None else int(self._rows[row])

    def _unreadable(self, name: str, error: CellError) -> SchemaError:
        where = f"column {name!r}: the value {shown(error.value)} in row {self._place(error.row)}"
        return SchemaError(f"{where} {error}")


BLOCK = 2**15  # rows: small enough to stay in a processor's cache


def _blocks(matrix: AnyArray, places: Mapping[str, int]) -> Iterator[Table]:
    """Some columns of a matrix, block by block.

    Where rows lie one after the other, reading a single column loads them all. So some rows are read at a time, and
    of these all columns.
    """
    kinds: dict[str, Kind] = dict.fromkeys(places, "numeric")
    wanted = list(places.values())
    for start in range(0, len(matrix), BLOCK):
        block = np.empty((len(places), min(BLOCK, len(matrix) - start)))
        for first in range(0, block.shape[1], 1024):
            last = min(first + 1024, block.shape[1])
            block[:, first:last] = matrix[start + first : start + last, wanted].T
        held = _Held(kinds, dict(zip(places, block, strict=True)), {})
        yield Table(held, places, block.shape[1], range(start, start + block.shape[1]))


@dataclass(frozen=True, slots=True)
class _Held(InOne):
    """Columns that were read already."""

    kinds: Mapping[str, Kind]
    numbers: Mapping[str, Floats]
    categories: Mapping[str, tuple[Codes, tuple[Value, ...]]]

    def kind(self, name: str) -> Kind:
        return self.kinds[name]

    def floats(self, name: str) -> Floats:
        return self.numbers[name]

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        return self.categories[name]


def no_such_column(name: str, names: Sequence[str], where: str) -> str:
    """What to say when a column is asked for that is not there.

    >>> no_such_column("incom", ["age", "income"], "the table")
    "the table has no column 'incom'. Did you mean 'income'? Its columns are: 'age', 'income'."
    """
    meant = near(name, names)
    hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
    return f"{where} has no column {name!r}.{hint} Its columns are: {listed(names)}."


def _finite(name: str, column: Floats, places: Sequence[int] | AnyArray) -> Floats:
    infinite = np.isinf(column)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise SchemaError(
            f"column {name!r} holds {float(column[row])} (infinity) in row {places[row]}. "
            f"Replace infinite values by missing ones (NaN) or by a finite bound."
        )
    return column


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    """A view that refuses writing: the memory may be the caller's own."""
    view = array.view()
    view.flags.writeable = False
    return view
