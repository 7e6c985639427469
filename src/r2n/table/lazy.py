"""Columns that are read when they are first asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from r2n.errors import SchemaError
from r2n.table.cells import AnyArray, Bools, Codes, Floats, Kind, Value
from r2n.table.names import no_such_column


class Source(Protocol):
    """Where a table gets its columns from."""

    def kind(self, name: str) -> Kind:
        """Tell whether a column holds numbers or categories."""

    def floats(self, name: str) -> Floats:
        """Read a column as numbers, NaN where it is missing."""

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        """Read a column as positions in its sorted categories, -1 where it is missing, and these."""

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        """Split the rows into blocks of these columns; None if reading them at once is as quick."""


class LazyColumns:
    """Columns of one length. Each is converted when it is first read, then kept, and never written to."""

    def __init__(
        self, source: Source, names: Iterable[str], n_rows: int, places: Sequence[int] | AnyArray | None = None
    ) -> None:
        self._source = source
        self.names = tuple(names)
        self.n_rows = n_rows
        self._places = range(n_rows) if places is None else places  # of its rows in the caller's table
        self._floats: dict[str, Floats] = {}
        self._codes: dict[str, tuple[Codes, tuple[Value, ...]]] = {}

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
        >>> from r2n.table import Table
        >>> Table.read({"age": [31, None]}).numeric("age")
        array([31., nan])
        """
        if name not in self._floats:
            self._check(name)
            self._floats[name] = _read_only(_finite(name, self._source.floats(name), self._places))
        return self._floats[name]

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
        >>> from r2n.table import Table
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
        >>> from r2n.table import Table
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
        >>> from r2n.table import Table
        >>> table = Table.read({"age": [31, 58], "region": ["north", "west"]})
        >>> table.kind("age"), table.kind("region")
        ('numeric', 'categorical')
        """
        self._check(name)
        return self._source.kind(name)

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        """Split the table into blocks of rows where that is quicker to read.

        Parameters
        ----------
        names : sequence of str
            The columns that will be read, as numbers.

        Returns
        -------
        iterator of LazyColumns or None
            The blocks; None where the rows are read as a whole.

        Examples
        --------
        >>> from r2n.table import Table
        >>> Table.read({"age": [31, 58]}).blocks(["age"]) is None
        True
        """
        known = all(name in self._floats for name in names)
        return None if known or not set(names) <= set(self.names) else self._source.blocks(names)

    def _check(self, name: str) -> None:
        if name not in self.names:
            raise SchemaError(no_such_column(name, self.names, "the table"))


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
    """Make a view that refuses writing: the memory may be the caller's own."""
    view = array.view()
    view.flags.writeable = False
    return view
