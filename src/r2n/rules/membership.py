"""Literals about a single column: sets of categories, missing, known."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.text import write_name, write_value
from r2n.table import Schema, Table, Value, as_value, value_key
from r2n.table.cells import NOT_UNICODE, CellError, distinct_values, is_unicode, shown, value_id

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]

NATURAL = 200  # characters of a name: numbers further on count as text, or a long name would become a million parts

_DIGITS = re.compile("([0-9]+)")


@lru_cache(maxsize=10_000)
def natural_key(name: str) -> tuple[Any, ...]:
    """The order of columns: numbers inside names count as numbers, and no two names are equal.

    >>> sorted(["x10", "x2", "age"], key=natural_key)
    ['age', 'x2', 'x10']
    """
    parts = _DIGITS.split(name[:NATURAL])  # text and digits take turns, so like is compared with like
    return tuple(_digits_key(part) if i % 2 else part for i, part in enumerate(parts)), name


def _digits_key(digits: str) -> tuple[int, str]:
    """Orders digits by their number without making it: Python refuses integers of 5,000 digits."""
    plain = digits.lstrip("0")
    return len(plain), plain


@dataclass(frozen=True, slots=True)
class _OneColumn:
    """What the literals about a single column have in common."""

    column: str

    def __post_init__(self) -> None:
        check_name(self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        return (self.column,)

    @property
    def size(self) -> int:
        """How much a reader must read."""
        return 1

    @property
    def n_terms(self) -> int:
        """How many terms it has: what `max_columns` limits."""
        return 1

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for it to be true."""
        return (self.column,)

    def text(self, schema: Schema | None = None) -> str:
        """As printed; no schema changes it."""
        return str(self)


@dataclass(frozen=True, slots=True)
class Membership(_OneColumn):
    """`column in {…}` or `column not in {…}`; both are false where the column is missing.

    A category never seen before is in no set, and `not in` any.

    >>> print(Membership("region", ("west", "north")))
    region in {north, west}
    >>> print(Membership("floor", (3, 1.0, 3), negated=True))
    floor not in {1, 3}
    """

    values: tuple[Value, ...]
    negated: bool = False
    _hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        check_name(self.column)
        if isinstance(self.values, str):
            raise ParameterError(f"values must be a collection of categories, not {self.values!r} itself.")
        values = sorted((_category(value) for value in self.values), key=value_key)
        if not values:
            raise ParameterError(
                f"a set of categories of {self.column!r} is empty. Give at least one; for a condition "
                f"that holds wherever the column is not missing, use Known({self.column!r})."
            )
        object.__setattr__(self, "values", distinct_values(values))
        object.__setattr__(self, "negated", bool(self.negated))

    def __hash__(self) -> int:
        if self._hash is None:  # computed once: the search looks literals up millions of times
            object.__setattr__(self, "_hash", hash((self.column, tuple(map(value_id, self.values)), self.negated)))
        return self._hash  # type: ignore[return-value]

    def __reduce__(self) -> tuple[type[Membership], tuple[str, tuple[Value, ...], bool]]:
        """Without the hash, which is another one in another process."""
        return Membership, (self.column, self.values, self.negated)

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        codes, seen = table.codes(self.column)
        wanted = frozenset(map(value_id, self.values))
        # The code of a missing value is -1, which picks the False at the end.
        truth = np.array([(value_id(value) in wanted) != self.negated for value in seen] + [False])
        return truth[codes]

    @property
    def size(self) -> int:
        """How much a reader must read: a set counts as many as it names."""
        return len(self.values)

    def counted(self, table: Table) -> Floats:
        """What it adds to a sum: 1 where it holds, 0 where it does not, NaN where the column is missing."""
        return np.where(table.known(self.column), self.evaluate(table), np.nan)

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among literals."""
        return 1, natural_key(self.column), self.negated, tuple(value_key(value) for value in self.values)

    def __str__(self) -> str:
        values = ", ".join(write_value(value) for value in self.values)
        return f"{write_name(self.column)} {'not in' if self.negated else 'in'} {{{values}}}"


@dataclass(frozen=True, slots=True)
class Missing(_OneColumn):
    """The column is missing.

    >>> print(Missing("income"))
    income is missing
    """

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for it to be true: none."""
        return ()

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        return ~table.known(self.column)

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among literals."""
        return 2, natural_key(self.column)

    def __str__(self) -> str:
        return f"{write_name(self.column)} is missing"


@dataclass(frozen=True, slots=True)
class Known(_OneColumn):
    """The column is not missing.

    >>> print(Known("income"))
    income is known
    """

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        return table.known(self.column)

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among literals."""
        return 3, natural_key(self.column)

    def __str__(self) -> str:
        return f"{write_name(self.column)} is known"


def check_name(name: object) -> None:
    if not isinstance(name, str):
        raise ParameterError(f"a column's name must be text, not {name!r}.")
    if not is_unicode(name):
        raise ParameterError(f"the column's name {shown(name)} {NOT_UNICODE}")


def _category(cell: object) -> Value:
    try:
        value = as_value(cell)
    except CellError as error:
        raise ParameterError(f"the category {shown(cell)} {error}") from None
    if value is None:
        raise ParameterError("a missing value is in no set of categories. Use Missing(column) instead.")
    if not is_unicode(value):
        raise ParameterError(f"the category {shown(value)} {NOT_UNICODE}")
    return value
