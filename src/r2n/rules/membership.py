"""Literals about a single column: sets of categories, missing, known."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.names import check_name, natural_key
from r2n.rules.text import write_name, write_value
from r2n.table import Schema, Table, Value, as_value, value_key
from r2n.table.cells import NOT_UNICODE, CellError, distinct_values, is_unicode, shown, value_id

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _OneColumn:
    """What the literals about a single column share."""

    column: str

    def __post_init__(self) -> None:
        check_name(self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that the literal reads, as a tuple."""
        return (self.column,)

    @property
    def size(self) -> int:
        """How many columns and categories the literal names."""
        return 1

    @property
    def n_terms(self) -> int:
        """The number of terms; `max_columns` limits it."""
        return 1

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for the literal to be true."""
        return (self.column,)

    def text(self, schema: Schema | None = None) -> str:
        """Write the literal as it is printed.

        Parameters
        ----------
        schema : Schema, optional
            Accepted as other literals accept it; it changes nothing.

        Returns
        -------
        str
            The text, which reads back as the same literal.

        Examples
        --------
        >>> Known("income").text()
        'income is known'
        """
        return str(self)


@dataclass(frozen=True, slots=True)
class Membership(_OneColumn):
    """The literal `column in {…}`, or `column not in {…}`.

    Both are false where the column is missing. A category that was never seen is in no set, and `not in` every set.

    Parameters
    ----------
    column : str
        The column's name.
    values : collection of str, int, float or bool
        The categories, in any order; the literal keeps them sorted and without repeats.
    negated : bool
        Whether it is `not in`.

    Raises
    ------
    ParameterError
        If there is no category, one is missing, or one is no category at all.

    Examples
    --------
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
        """Evaluate the literal on each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            True where the literal holds.

        Examples
        --------
        >>> Membership("z", ("a",), negated=True).evaluate(Table.read({"z": ["a", "b", None]}))
        array([False,  True, False])
        """
        codes, seen = table.codes(self.column)
        wanted = frozenset(map(value_id, self.values))
        # The code of a missing value is -1, which picks the False at the end.
        truth = np.array([(value_id(value) in wanted) != self.negated for value in seen] + [False])
        return truth[codes]

    @property
    def size(self) -> int:
        """The number of categories that it names."""
        return len(self.values)

    def counted(self, table: Table) -> Floats:
        """Compute what the set adds to a sum, before its coefficient.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of float
            The count: 1 where the literal holds, 0 where it does not, NaN where the column is missing.

        Examples
        --------
        >>> Membership("z", ("a",)).counted(Table.read({"z": ["a", "b", None]}))
        array([ 1.,  0., nan])
        """
        return np.where(table.known(self.column), self.evaluate(table), np.nan)

    def sort_key(self) -> tuple[Any, ...]:
        """Return the literal's place among literals.

        Returns
        -------
        tuple
            A key for `sorted`.

        Examples
        --------
        >>> print(*sorted([Membership("z", ("b",)), Membership("z", ("a",))], key=Membership.sort_key), sep=", ")
        z in {a}, z in {b}
        """
        return 1, natural_key(self.column), self.negated, tuple(value_key(value) for value in self.values)

    def __str__(self) -> str:
        values = ", ".join(write_value(value) for value in self.values)
        return f"{write_name(self.column)} {'not in' if self.negated else 'in'} {{{values}}}"


@dataclass(frozen=True, slots=True)
class Missing(_OneColumn):
    """The literal `column is missing`.

    Parameters
    ----------
    column : str
        The column's name.

    Examples
    --------
    >>> print(Missing("income"))
    income is missing
    """

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for the literal to be true: none."""
        return ()

    def evaluate(self, table: Table) -> Bools:
        """Evaluate the literal on each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            True where the column is missing.

        Examples
        --------
        >>> Missing("z").evaluate(Table.read({"z": ["a", None]}))
        array([False,  True])
        """
        return ~table.known(self.column)

    def sort_key(self) -> tuple[Any, ...]:
        """Return the literal's place among literals.

        Returns
        -------
        tuple
            A key for `sorted`.

        Examples
        --------
        >>> print(*sorted([Missing("z"), Missing("x")], key=Missing.sort_key), sep=", ")
        x is missing, z is missing
        """
        return 2, natural_key(self.column)

    def __str__(self) -> str:
        return f"{write_name(self.column)} is missing"


@dataclass(frozen=True, slots=True)
class Known(_OneColumn):
    """The literal `column is known`: true where the column is not missing.

    Parameters
    ----------
    column : str
        The column's name.

    Examples
    --------
    >>> print(Known("income"))
    income is known
    """

    def evaluate(self, table: Table) -> Bools:
        """Evaluate the literal on each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            True where the column is not missing.

        Examples
        --------
        >>> Known("z").evaluate(Table.read({"z": ["a", None]}))
        array([ True, False])
        """
        return table.known(self.column)

    def sort_key(self) -> tuple[Any, ...]:
        """Return the literal's place among literals.

        Returns
        -------
        tuple
            A key for `sorted`.

        Examples
        --------
        >>> print(*sorted([Known("z"), Known("x")], key=Known.sort_key), sep=", ")
        x is known, z is known
        """
        return 3, natural_key(self.column)

    def __str__(self) -> str:
        return f"{write_name(self.column)} is known"


def _category(cell: object) -> Value:
    value = read_value(cell, "category")
    if value is None:
        raise ParameterError("a missing value is in no set of categories. Use Missing(column) instead.")
    return value


def read_value(cell: object, what: str) -> Value | None:
    """Read a category or label as a plain value, None if it is missing; refuse what cannot be written down."""
    try:
        value = as_value(cell)
    except CellError as error:
        raise ParameterError(f"the {what} {shown(cell)} {error}") from None
    if value is not None and not is_unicode(value):
        raise ParameterError(f"the {what} {shown(value)} {NOT_UNICODE}")
    return value
