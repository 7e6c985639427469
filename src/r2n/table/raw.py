"""Where a table's columns come from first: the caller's data, or columns that were read already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import SchemaError
from r2n.table.cells import (
    AnyArray,
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
from r2n.table.derived import InOne, NotNumericError
from r2n.table.lazy import LazyColumns
from r2n.table.read import RawColumn


class RawSource:
    """Columns as they came from the caller; what cannot be read is reported with the column's name."""

    def __init__(self, columns: Mapping[str, RawColumn], rows: NDArray[np.intp] | None = None) -> None:
        self._columns = columns
        self._rows = rows  # those that are read, None for all
        self._kinds: dict[str, Kind] = {}

    def of(self, rows: NDArray[np.intp]) -> RawSource:
        """Restrict the columns to some rows of the caller's."""
        return RawSource(self._columns, rows)

    def kind(self, name: str) -> Kind:
        if name not in self._kinds:
            self._kinds[name] = self._look(name)
        return self._kinds[name]

    def stored(self, name: str) -> np.dtype[Any] | None:
        """Tell as floats of which precision the caller has the column, if it is less than double."""
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

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        """If they are columns of one matrix: its blocks."""
        columns = [self._columns[name] for name in names]
        matrix = columns[0].matrix if columns and self._rows is None else None
        if matrix is None or any(column.matrix is not matrix for column in columns):
            return None
        return _split_matrix(matrix, {name: column.place for name, column in zip(names, columns, strict=True)})

    def _load(self, name: str) -> AnyArray:
        try:
            loaded = self._columns[name].load()
        except SchemaError as error:
            raise SchemaError(f"column {name!r}: {error}") from None
        return loaded if self._rows is None else loaded[self._rows]

    def _place(self, row: int) -> int:
        """Find where the caller has this row."""
        return row if self._rows is None else int(self._rows[row])

    def _unreadable(self, name: str, error: CellError) -> SchemaError:
        where = f"column {name!r}: the value {shown(error.value)} in row {self._place(error.row)}"
        return SchemaError(f"{where} {error}")


BLOCK = 2**15  # rows: small enough to stay in a processor's cache


def _split_matrix(matrix: AnyArray, places: Mapping[str, int]) -> Iterator[LazyColumns]:
    """Split some columns of a matrix off, block by block.

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
        held = Held(kinds, dict(zip(places, block, strict=True)), {})
        yield LazyColumns(held, places, block.shape[1], range(start, start + block.shape[1]))


@dataclass(frozen=True, slots=True)
class Held(InOne):
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
