"""Tables seen through others: some of their rows, under other names, with more missing values, with checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import SchemaError
from r2n.table.cells import Bools, Codes, Floats, Kind, Value, shown, value_id
from r2n.table.lazy import LazyColumns

CategoryCheck: TypeAlias = Callable[[Codes, tuple[Value, ...]], object]


class NotNumericError(SchemaError):
    """A column holds something else than numbers; `row` and `value` say where and what."""

    def __init__(self, name: str, value: object, row: int) -> None:
        super().__init__(
            f"column {name!r} holds {shown(value)} in row {row} where a number was expected. "
            f"Convert the column to numbers."
        )
        self.value = value
        self.row = row


class InOne:
    """A source whose rows are read all at once."""

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        return None


class RowsOf(InOne):
    """Some rows of another table: conversions are made, and kept, once for all subsets of it."""

    def __init__(self, table: LazyColumns, rows: NDArray[np.intp]) -> None:
        self._table = table
        self._rows = rows

    def kind(self, name: str) -> Kind:
        return self._table.kind(name)

    def floats(self, name: str) -> Floats:
        return self._table.numeric(name)[self._rows]

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        codes, values = self._table.codes(name)
        return codes[self._rows], values


def _with_values(codes: Codes, values: tuple[Value, ...], kept: Bools) -> tuple[Codes, tuple[Value, ...]]:
    """Keep only some values of a column; the others become missing."""
    if kept.all():
        return codes, values
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    moved = np.append(place, -1)[codes].astype(codes.dtype)  # -1, missing before, reads the last
    return moved, tuple(value for value, keep in zip(values, kept, strict=True) if keep)


class Renamed:
    """Another table's columns under other names."""

    def __init__(self, table: LazyColumns, names: Mapping[str, str]) -> None:
        self._table = table
        self._names = names
        self._own = {new: name for name, new in names.items()}

    def kind(self, name: str) -> Kind:
        return self._table.kind(self._own[name])

    def floats(self, name: str) -> Floats:
        return self._table.numeric(self._own[name])

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        return self._table.codes(self._own[name])

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        inside = self._table.blocks([self._own[name] for name in names])
        return None if inside is None else (LazyColumns(Renamed(b, self._names), names, b.n_rows) for b in inside)


class WithMissing:
    """Another table in which some values stand for missing ones."""

    def __init__(
        self, table: LazyColumns, codes: Mapping[str, Collection[Value]], numbers: Mapping[str, Sequence[float]]
    ) -> None:
        self._table = table
        self._codes = {name: {_code_key(value) for value in values} for name, values in codes.items()}
        self._given = codes
        self._numbers = numbers

    def kind(self, name: str) -> Kind:
        """Numbers that only a code such as "?" stands among are numbers."""
        kind = self._table.kind(name)
        if kind == "categorical" and self._codes.get(name):
            _, values = self._table.codes(name)
            kept = [value for value in values if _code_key(value) not in self._codes[name]]
            if 0 < len(kept) < len(values) and all(type(value) in (int, float) for value in kept):
                return "numeric"
        return kind

    def floats(self, name: str) -> Floats:
        if self._table.kind(name) == "categorical" and self._codes.get(name):
            codes, values = self.codes(name)
            texts = [k for k, value in enumerate(values) if isinstance(value, str)]
            if not texts:  # Booleans, or numbers that text stands among for missing ones
                return np.array([*map(float, values), np.nan])[codes]
            row = int(np.isin(codes, texts).argmax())
            raise NotNumericError(name, values[codes[row]], row)
        column, numbers = self._table.numeric(name), self._numbers.get(name, ())
        gone = np.isin(column, np.array(numbers, dtype=np.float64))
        return np.where(gone, np.nan, column) if gone.any() else column

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        codes, values = self._table.codes(name)
        kept = [_code_key(value) not in self._codes.get(name, ()) for value in values]
        return _with_values(codes, values, np.array(kept, dtype=np.bool_))

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        inside = self._table.blocks(names)
        if inside is None:
            return None
        return (LazyColumns(WithMissing(b, self._given, self._numbers), names, b.n_rows) for b in inside)


def numbers_of(codes: Collection[Value], stored: np.dtype[Any] | None) -> list[float]:
    """Take the numbers among them; in a column of less precision also as they are stored there: -9.9 is another one.

    >>> numbers_of(["?", -9.9, 5e-324], None), numbers_of([-9.9, 5e-324], np.dtype(np.float32))
    ([-9.9, 5e-324], [-9.9, 5e-324, -9.899999618530273])
    """
    numbers = [float(value) for value in codes if type(value) in (int, float)]
    with np.errstate(over="ignore"):
        near = [float(stored.type(number)) for number in numbers] if stored is not None else []
    return list(dict.fromkeys([*numbers, *filter(None, near)]))  # what is too small to be stored is not there


class Checked:
    """Another table, whose categories are checked when they are read: those of columns that no rule reads never are."""

    def __init__(self, table: LazyColumns, checks: Mapping[str, CategoryCheck]) -> None:
        self._table = table
        self._checks = checks

    def kind(self, name: str) -> Kind:
        return self._table.kind(name)

    def floats(self, name: str) -> Floats:
        return self._table.numeric(name)

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        codes, values = self._table.codes(name)
        if name in self._checks:
            self._checks[name](codes, values)
        return codes, values

    def blocks(self, names: Sequence[str]) -> Iterator[LazyColumns] | None:
        return self._table.blocks(names)


def _code_key(value: Value) -> tuple[bool, Hashable]:
    """0 and 0.0 are the same code, False is another."""
    return type(value) is bool, value_id(value)
