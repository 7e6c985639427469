"""A table of rows, read column by column and only when needed."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r2n.errors import SchemaError
from r2n.schema.reading import RawColumn, read_columns
from r2n.schema.values import (
    AnyArray,
    Bools,
    CellError,
    Codes,
    Floats,
    NotANumberError,
    Value,
    encode,
    floats,
    holds_categories,
    shown,
)

Kind: TypeAlias = Literal["numeric", "categorical"]
Check: TypeAlias = Callable[[Codes, tuple[Value, ...]], object]


class NotNumericError(SchemaError):
    """A column holds something else than numbers; `row` and `value` say where and what."""

    def __init__(self, name: str, value: object, row: int) -> None:
        super().__init__(
            f"column {name!r} holds {shown(value)} in row {row} where a number was expected. "
            f"Convert the column to numbers."
        )
        self.value = value
        self.row = row


class Source(Protocol):
    """Where a table gets its columns from."""

    def kind(self, name: str) -> Kind: ...
    def floats(self, name: str) -> Floats: ...
    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]: ...
    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None: ...


class Table:
    """Columns by name, all of one length. Converted when first asked for, then kept; never written to.

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
        """Any table: a frame, a dict of columns, or a two-dimensional array with columns x0, x1, …"""
        if isinstance(X, Table):
            return X
        columns = read_columns(X, names)
        return cls(_RawSource(columns), columns, next(iter(columns.values())).n_rows)

    def numeric(self, name: str) -> Floats:
        """The column as float64, NaN where it is missing; infinite values are refused."""
        if name not in self._floats:
            self._check(name)
            self._floats[name] = _read_only(_finite(name, self._source.floats(name), self._places))
        return self._floats[name]

    def pieces(self, names: Sequence[str]) -> Iterator[Table]:
        """This table, or the named columns as numbers, some rows at a time, where they are quicker to read so."""
        pieces = self._pieces(names)
        yield from [self] if pieces is None else pieces

    def _pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        known = all(name in self._floats for name in names)
        return None if known or not set(names) <= set(self.names) else self._source.pieces(names)

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        """The column as positions in its sorted distinct values (-1 where it is missing), and these."""
        if name not in self._codes:
            self._check(name)
            codes, values = self._source.codes(name)
            self._codes[name] = _read_only(codes), values
        return self._codes[name]

    def known(self, name: str) -> Bools:
        """Where the column is not missing."""
        if self.kind(name) == "numeric":
            return ~np.isnan(self.numeric(name))
        return self.codes(name)[0] >= 0

    def kind(self, name: str) -> Kind:
        """What the column is by its own look: text and Booleans are categorical, numbers numeric."""
        self._check(name)
        return self._source.kind(name)

    def take(self, rows: ArrayLike, alone: bool = False) -> Table:
        """The given rows (positions, or a Boolean mask), in the given order; alone, without the others' categories.

        >>> Table.read({"age": [31, 45, 58]}).take([2, 0]).numeric("age")
        array([58., 31.])
        """
        positions = np.asarray(rows)
        if positions.dtype.kind == "b":
            positions = np.flatnonzero(positions)
        positions = positions.astype(np.intp, copy=False)
        if alone and isinstance(self._source, _RawSource):  # read without the others: they decide no column's kind
            places = np.asarray(self._places, dtype=np.intp)[positions]
            return Table(self._source.of(places), self.names, len(positions), places)
        return Table(_RowsOf(self, positions, alone), self.names, len(positions))

    def detached(self, categorical: Iterable[str]) -> Table:
        """The same rows, without the larger table that they may be part of; numbers may be asked for as categories."""
        kinds = {name: self.kind(name) for name in self.names}
        floats = {name: self.numeric(name) for name, kind in kinds.items() if kind == "numeric"}
        asked = set(categorical)
        codes = {name: self.codes(name) for name in self.names if kinds[name] != "numeric" or name in asked}
        return Table(_Held(kinds, floats, codes), self.names, self.n_rows)

    def with_missing(self, codes: Mapping[str, Collection[Value]]) -> Table:
        """With more missing values: in each column named, these stand for none.

        >>> Table.read({"age": [31, -9, 58]}).with_missing({"age": [-9]}).numeric("age")
        array([31., nan, 58.])
        """
        return Table(_WithMissing(self, codes), self.names, self.n_rows) if any(codes.values()) else self

    def checked(self, checks: Mapping[str, Check]) -> Table:
        """The same, with a look at the categories of these columns when they are read: a check raises what is wrong."""
        return Table(_Checked(self, checks), self.names, self.n_rows)

    def renamed(self, names: Mapping[str, str]) -> Table:
        """The same columns under other names.

        >>> Table.read({"age": [31, 45]}).renamed({"age": "x0"}).numeric("x0")
        array([31., 45.])
        """
        return Table(_Renamed(self, names), (names[name] for name in self.names), self.n_rows)

    def _check(self, name: str) -> None:
        if name not in self.names:
            raise SchemaError(no_such_column(name, self.names, "the table"))

    def __repr__(self) -> str:
        return f"<Table of {self.n_rows} rows: {', '.join(self.names)}>"


class _InOne:
    """A source whose rows are read all at once."""

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        return None


class _RawSource:
    """Columns as they came from the caller; what cannot be read is reported with the column's name."""

    def __init__(self, columns: Mapping[str, RawColumn], rows: NDArray[np.intp] | None = None) -> None:
        self._columns = columns
        self._rows = rows  # those that are read, None for all
        self._kinds: dict[str, Kind] = {}

    def of(self, rows: NDArray[np.intp]) -> _RawSource:
        """The same, of these rows of the caller's alone."""
        return _RawSource(self._columns, rows)

    def kind(self, name: str) -> Kind:
        if name not in self._kinds:
            self._kinds[name] = self._look(name)
        return self._kinds[name]

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


class _RowsOf(_InOne):
    """Some rows of another table: conversions are made, and kept, once for all subsets of it."""

    def __init__(self, table: Table, rows: NDArray[np.intp], alone: bool) -> None:
        self._table = table
        self._rows = rows
        self._alone = alone

    def kind(self, name: str) -> Kind:
        return self._table.kind(name)

    def floats(self, name: str) -> Floats:
        return self._table.numeric(name)[self._rows]

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        codes, values = self._table.codes(name)
        codes = codes[self._rows]
        return _with_values(codes, values, np.isin(np.arange(len(values)), codes)) if self._alone else (codes, values)


def _with_values(codes: Codes, values: tuple[Value, ...], kept: Bools) -> tuple[Codes, tuple[Value, ...]]:
    """The column where only some values are kept; the others are missing."""
    if kept.all():
        return codes, values
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    moved = np.append(place, -1)[codes].astype(codes.dtype)  # -1, missing before, reads the last
    return moved, tuple(value for value, keep in zip(values, kept, strict=True) if keep)


class _Renamed:
    """Another table's columns under other names."""

    def __init__(self, table: Table, names: Mapping[str, str]) -> None:
        self._table = table
        self._names = names
        self._own = {new: name for name, new in names.items()}

    def kind(self, name: str) -> Kind:
        return self._table.kind(self._own[name])

    def floats(self, name: str) -> Floats:
        return self._table.numeric(self._own[name])

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        return self._table.codes(self._own[name])

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        inside = self._table.pieces([self._own[name] for name in names])
        return (piece.renamed({own: self._names[own] for own in piece.names}) for piece in inside)


@dataclass(frozen=True, slots=True)
class _Held(_InOne):
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


class _WithMissing:
    """Another table in which some values stand for missing ones."""

    def __init__(self, table: Table, codes: Mapping[str, Collection[Value]]) -> None:
        self._table = table
        self._codes = {name: {_code_key(value) for value in values} for name, values in codes.items()}
        self._given = codes
        self._numbers = {name: _as_stored(values) for name, values in codes.items()}

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
        gone = np.zeros(len(column), dtype=np.bool_)
        for number in numbers:
            gone |= column == number
        return np.where(gone, np.nan, column) if gone.any() else column

    def codes(self, name: str) -> tuple[Codes, tuple[Value, ...]]:
        codes, values = self._table.codes(name)
        kept = [_code_key(value) not in self._codes.get(name, ()) for value in values]
        return _with_values(codes, values, np.array(kept, dtype=np.bool_))

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        inside = self._table._pieces(names)
        wanted = {name: self._given[name] for name in names if name in self._given}
        return None if inside is None else (piece.with_missing(wanted) for piece in inside)


def _as_stored(values: Collection[Value]) -> list[float]:
    """The numbers among them, as they are and as columns of less precision have them: -9.9 is another one there."""
    numbers = [float(value) for value in values if type(value) in (int, float)]
    with np.errstate(over="ignore"):
        return list(dict.fromkeys(float(kind(n)) for kind in (np.float64, np.float32, np.float16) for n in numbers))


class _Checked:
    """Another table, whose categories are checked when they are read: those of columns that no rule reads never are."""

    def __init__(self, table: Table, checks: Mapping[str, Check]) -> None:
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

    def pieces(self, names: Sequence[str]) -> Iterator[Table] | None:
        return self._table._pieces(names)


def _code_key(value: Value) -> tuple[bool, Value]:
    """0 and 0.0 are the same code, False is another."""
    return type(value) is bool, value


def no_such_column(name: str, names: Sequence[str], where: str) -> str:
    """What to say when a column is asked for that is not there.

    >>> no_such_column("incom", ["age", "income"], "the table")
    "the table has no column 'incom'. Did you mean 'income'? Its columns are: 'age', 'income'."
    """
    near = difflib.get_close_matches(name, names, n=3)
    hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
    return f"{where} has no column {name!r}.{hint} Its columns are: {', '.join(map(repr, names))}."


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
