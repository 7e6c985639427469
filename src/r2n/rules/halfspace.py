"""Halfspaces: the literals that compare a sum of columns with a threshold."""

from __future__ import annotations

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.comparison import Comparison, compare
from r2n.rules.membership import Bools, Floats, Membership
from r2n.rules.terms import (
    Filled,
    Key,
    Terms,
    check_finite,
    check_key,
    column_of,
    order_of,
    show_key,
    term_order,
    unfilled,
)
from r2n.table import Schema, Table


@dataclass(frozen=True, slots=True)
class Halfspace:
    """The literal Σ a_k·x_k > threshold: true where a sum of columns is strictly above a threshold.

    The sum is *defined* as the float64 sum of its products from left to right. It is never rescaled, because that would
    change the floats and with them the meaning. It adds numbers first, then what filled columns count where they are
    missing, then sets of categories, which count 1 where they hold and 0 where they do not. So fills and sets only move
    the threshold. The sum is missing, and the literal false, where a column is missing that is not filled.

    Parameters
    ----------
    terms : tuple of (key, coefficient) pairs, or dict
        The sum, in any order. A key is a column's name, a `Filled` column, or a `Membership`, whose truth is counted.
    threshold : float
        The number that the sum must exceed.

    Raises
    ------
    ParameterError
        If no coefficient is other than 0, a number is not finite, or a key comes twice.

    Examples
    --------
    >>> print(Halfspace.of({"debt": -2.1, "income": 1}, 12.5))
    income - 2.1·debt > 12.5
    >>> print(Halfspace.of({"x10": 0.5, "x2": 1}, 0.5))
    x2 + 0.5·x10 > 0.5
    >>> print(Halfspace.of({Membership("status", ("married",)): 2000, "income": 1}, 7100))
    income + 2000·(status in {married}) > 7100
    """

    terms: Terms
    threshold: float
    _hash: int | None = field(default=None, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        pairs = self.terms.items() if isinstance(self.terms, Mapping) else self.terms
        terms = [(key, _coefficient(key, a)) for key, a in pairs]
        for key, a in terms:
            check_key(key, a)
        twice = _find_repeated(unfilled(key) for key, _ in terms)
        if twice is not None:
            what = "the set" if isinstance(twice, Membership) else "column"
            alike = len({key for key, _ in terms if unfilled(key) == twice}) == 1
            advice = "Add its coefficients up." if alike else "Say once what it counts as where it is missing."
            raise ParameterError(f"{what} {show_key(twice)} comes twice in a sum. {advice}")
        kept = sorted(((key, a) for key, a in terms if a != 0.0), key=term_order)
        if not kept:
            raise ParameterError("a halfspace needs at least one column with a coefficient other than 0.")
        object.__setattr__(self, "terms", tuple(kept))
        object.__setattr__(self, "threshold", check_finite(self.threshold, "the threshold"))

    def __hash__(self) -> int:
        # By the bytes of its numbers: whoever writes a file can choose floats that Python would give the same hash.
        # Computed once: the search looks literals up millions of times.
        if self._hash is None:
            numbers = array("d", [self.threshold, *(a for _, a in self.terms)])
            object.__setattr__(self, "_hash", hash((tuple(key for key, _ in self.terms), numbers.tobytes())))
        return self._hash  # type: ignore[return-value]

    def __reduce__(self) -> tuple[type[Halfspace], tuple[Terms, float]]:
        """Without the hash, which is another one in another process."""
        return Halfspace, (self.terms, self.threshold)

    @classmethod
    def of(cls, terms: Mapping[Any, float] | Iterable[tuple[Key, float]], threshold: float) -> Halfspace:
        """Make a halfspace from a dict or from pairs, in any order.

        Parameters
        ----------
        terms : dict or iterable of (key, coefficient) pairs
            The sum.
        threshold : float
            The number that the sum must exceed.

        Returns
        -------
        Halfspace
            The literal.

        Raises
        ------
        ParameterError
            If no coefficient is other than 0, a number is not finite, or a key comes twice.

        Examples
        --------
        >>> print(Halfspace.of({"age": 1}, 30))
        age > 30
        """
        return cls(tuple(terms.items() if isinstance(terms, Mapping) else terms), threshold)

    @property
    def numbers(self) -> tuple[tuple[str, float], ...]:
        """The columns of numbers, filled or not, with their coefficients; they come first in the sum."""
        return tuple((column_of(key), a) for key, a in self.terms if not isinstance(key, Membership))

    @property
    def fills(self) -> tuple[tuple[str, float], ...]:
        """The filled columns, with what each adds where it is missing."""
        return tuple((key.column, a * key.fill) for key, a in self.terms if isinstance(key, Filled))

    @property
    def sets(self) -> tuple[tuple[Membership, float], ...]:
        """The sets of categories, with their coefficients; they come last in the sum."""
        return tuple((key, a) for key, a in self.terms if isinstance(key, Membership))

    @property
    def compared(self) -> tuple[str, ...]:
        """The columns whose numbers it adds up."""
        return tuple(name for name, _ in self.numbers)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        return tuple(dict.fromkeys(column_of(key) for key, _ in self.terms))

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for the literal to be true: all except filled ones."""
        return tuple(dict.fromkeys(column_of(key) for key, _ in self.terms if not isinstance(key, Filled)))

    @property
    def size(self) -> int:
        """How many columns and categories the literal names."""
        return sum(key.size if isinstance(key, Membership) else 1 for key, _ in self.terms)

    @property
    def n_terms(self) -> int:
        """The number of terms in the sum; `max_columns` limits it."""
        return len(self.terms)

    def with_key(self, place: int, key: Key) -> Halfspace:
        """Replace the key of one term; its coefficient stays.

        Parameters
        ----------
        place : int
            The position of the term.
        key : str, Filled or Membership
            The new key.

        Returns
        -------
        Halfspace
            The changed literal.

        Examples
        --------
        >>> print(Halfspace.of({"x": 1, "y": -2}, 5).with_key(1, Filled("y", 40)))
        x - 2·(y if known else 40) > 5
        """
        a = self.terms[place][1]
        return Halfspace((*self.terms[:place], (key, a), *self.terms[place + 1 :]), self.threshold)

    @property
    def mirrored(self) -> Terms:
        """The terms with opposite signs: in floats, too, their sum is exactly the negated sum."""
        return tuple((key, -a) for key, a in self.terms)

    def values(self, table: Table) -> Floats:
        """Compute the sum for each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of float
            The sums; NaN where a column is missing that is not filled.

        Raises
        ------
        SchemaError
            If a column is not there, or does not hold numbers.

        Examples
        --------
        >>> Halfspace.of({"x": 1, "y": -2}, 5).values(Table.read({"x": [9, 1, None], "y": [1, 2, 3]}))
        array([ 7., -3., nan])
        """
        # One ufunc for each operation, never a dot product: that may fuse or reorder, and
        # every export computes exactly this. inf - inf is NaN, which is false, like missing.
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            total, *others = self._addends(table)
            for product in others:
                total = np.add(total, product)
        return total

    def _addends(self, table: Table) -> Iterator[Floats]:
        """Yield what is added up, in this order. A filled column counts 0 among the numbers where it is missing."""
        for key, a in self.terms:
            if isinstance(key, Filled):
                yield _product(a, np.where(table.known(key.column), table.numeric(key.column), 0.0))
            elif isinstance(key, str):
                yield _product(a, table.numeric(key))
        for name, points in self.fills:
            yield np.where(table.known(name), 0.0, points)
        for one, a in self.sets:
            yield _product(a, one.counted(table))

    def evaluate(self, table: Table) -> Bools:
        """Evaluate the literal on each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            True where the sum is above the threshold.

        Raises
        ------
        SchemaError
            If a column is not there, or does not hold numbers.

        Examples
        --------
        >>> Halfspace.of({"x": 1, "y": -2}, 5).evaluate(Table.read({"x": [9, 1, None], "y": [1, 2, 3]}))
        array([ True, False, False])
        """
        truth: Bools = self.values(table) > self.threshold
        return truth

    def sort_key(self) -> tuple[Any, ...]:
        """Return the literal's place among literals.

        Returns
        -------
        tuple
            A key for `sorted`.

        Examples
        --------
        >>> print(*sorted([Halfspace.of({"y": 1}, 0), Halfspace.of({"x": 1}, 9)], key=Halfspace.sort_key), sep=", ")
        x > 9, y > 0
        """
        keys = tuple(order_of(key) for key, _ in self.terms)
        fills = tuple((column_of(key), key.fill) for key, _ in self.terms if isinstance(key, Filled))
        # Larger coefficients first: a lower bound is read before an upper one.
        return 0, keys, tuple(-a for _, a in self.terms), self.threshold, fills

    def comparison(self, schema: Schema | None = None) -> Comparison:
        """Find how the literal is read: terms, operator, bound and ratio.

        Parameters
        ----------
        schema : Schema, optional
            What is known of the columns: where a divisor is always positive, a difference is read as a ratio.

        Returns
        -------
        Comparison
            The comparison, as data.

        Examples
        --------
        >>> found = Halfspace.of({"x": -1}, -0.25).comparison()
        >>> found.terms, found.operator, found.bound
        ((('x', 1.0),), '<', 0.25)
        """
        return compare(self.terms, self.threshold, schema)

    def text(self, schema: Schema | None = None) -> str:
        """Write the literal as it is printed.

        Parameters
        ----------
        schema : Schema, optional
            What is known of the columns: where a divisor is always positive, a difference is written as a ratio.

        Returns
        -------
        str
            The text, which reads back as the same literal.

        Examples
        --------
        >>> Halfspace.of({"x": -1}, -0.25).text()
        'x < 0.25'
        """
        return str(self.comparison(schema))

    def __str__(self) -> str:
        return self.text()


def _coefficient(key: object, a: object) -> float:
    if type(a) is float and math.isfinite(a):  # the words for what it is not take longer than the look
        return a + 0.0
    return check_finite(a, f"the coefficient of {show_key(key)}")


def _find_repeated(keys: Iterable[Key]) -> Key | None:
    """Find the first that was there before."""
    seen: set[Key] = set()
    for key in keys:
        if key in seen:
            return key
        seen.add(key)
    return None


def _product(a: float, column: Floats) -> Floats:
    """Multiply; a coefficient of 1 changes nothing and costs nothing."""
    return column if a == 1.0 else np.multiply(column, a)
