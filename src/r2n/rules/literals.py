"""Literals: conditions on a row, frozen and canonical at birth.

A literal that reads a missing value is false, unless it says what to count there (`Filled`). Nothing is negated:
`not in`, `is missing` and `is known` are literals of their own, and a rule set is monotone in its literals.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.text import write_bound, write_name, write_number, write_sum, write_value
from r2n.schema import Schema, Table, Value, as_value, value_key
from r2n.schema.values import CellError, shown

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
Key: TypeAlias = "str | Filled | Membership"  # what a coefficient belongs to: a column, or a set, which is 1 or 0
Terms: TypeAlias = "tuple[tuple[Key, float], ...]"

MOST_POINTS = 1e100  # that a set or a fill adds: beyond it a sum would swallow numbers, and cases fall together


@lru_cache(maxsize=10_000)
def natural_key(name: str) -> tuple[Any, ...]:
    """The order of columns: numbers inside names count as numbers, and no two names are equal.

    >>> sorted(["x10", "x2", "age"], key=natural_key)
    ['age', 'x2', 'x10']
    """
    parts = re.split("([0-9]+)", name)  # text and digits take turns, so like is compared with like
    return tuple(_digits_key(part) if i % 2 else part for i, part in enumerate(parts)), name


def _digits_key(digits: str) -> tuple[int, str]:
    """Orders digits by their number without making it: Python refuses integers of 5,000 digits."""
    plain = digits.lstrip("0")
    return len(plain), plain


@dataclass(frozen=True, slots=True)
class Filled:
    """A column of numbers in a sum, and what it counts as where it is missing: such a sum need not be false there.

    >>> print(Halfspace.of({"income": 1, Filled("debt", 40): -2.1}, 12.5))
    income - 2.1·(debt if known else 40) > 12.5
    """

    column: str
    fill: float

    def __post_init__(self) -> None:
        _check_name(self.column)
        object.__setattr__(self, "fill", _number(self.fill, f"what {self.column!r} counts as where it is missing"))

    def renamed(self, names: Mapping[str, str]) -> Filled:
        """The same over a column of another name."""
        return Filled(names[self.column], self.fill)

    def __str__(self) -> str:
        return f"{write_name(self.column)} if known else {write_number(self.fill)}"


@dataclass(frozen=True, slots=True)
class Halfspace:
    """Σ a_k·x_k > threshold, strictly, in the table's own units.

    Its value is *defined* as the sum of the products from left to right, in float64. It is never
    rescaled, because that would change the floats and with them the meaning. A set of categories may stand in the
    place of a column: it counts 1 where it holds and 0 where it does not, after all numbers. Where a column is missing
    that has a value for this (`Filled`), its product is added after those of all columns that are known, before sets:
    so what is filled in, like what sets add, moves the threshold and nothing else.

    >>> print(Halfspace.of({"debt": -2.1, "income": 1}, 12.5))
    income - 2.1·debt > 12.5
    >>> print(Halfspace.of({"x10": 0.5, "x2": 1}, 0.5))
    x2 + 0.5·x10 > 0.5
    >>> print(Halfspace.of({Membership("status", ("married",)): 2000, "income": 1}, 7100))
    income + 2000·(status in {married}) > 7100
    """

    terms: Terms
    threshold: float

    def __post_init__(self) -> None:
        pairs = self.terms.items() if isinstance(self.terms, Mapping) else self.terms
        terms = [(key, _number(a, f"the coefficient of {_shown(key)}")) for key, a in pairs]
        for key, a in terms:
            _check_key(key, a)
        keys = [unfilled(key) for key, _ in terms]
        if len(set(keys)) < len(keys):
            twice = next(key for k, key in enumerate(keys) if key in keys[:k])
            what = "the set" if isinstance(twice, Membership) else "column"
            alike = len({key for key, _ in terms if unfilled(key) == twice}) == 1
            advice = "Add its coefficients up." if alike else "Say once what it counts as where it is missing."
            raise ParameterError(f"{what} {_shown(twice)} comes twice in a sum. {advice}")
        kept = sorted(((key, a) for key, a in terms if a != 0.0), key=_term_key)
        if not kept:
            raise ParameterError("a halfspace needs at least one column with a coefficient other than 0.")
        object.__setattr__(self, "terms", tuple(kept))
        object.__setattr__(self, "threshold", _number(self.threshold, "the threshold"))

    @classmethod
    def of(cls, terms: Mapping[Any, float] | Iterable[tuple[Key, float]], threshold: float) -> Halfspace:
        """From a mapping or pairs, in any order."""
        return cls(tuple(terms.items() if isinstance(terms, Mapping) else terms), threshold)

    @property
    def numbers(self) -> tuple[tuple[str, float], ...]:
        """The columns of numbers, filled or not, which come first."""
        return tuple((column_of(key), a) for key, a in self.terms if not isinstance(key, Membership))

    @property
    def fills(self) -> tuple[tuple[str, float], ...]:
        """The columns that are filled, and what each adds where it is missing."""
        return tuple((key.column, a * key.fill) for key, a in self.terms if isinstance(key, Filled))

    @property
    def sets(self) -> tuple[tuple[Membership, float], ...]:
        """The terms that are sets of categories, which come last."""
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
        """The columns that must be known for it to be true: all but those that are filled."""
        return tuple(dict.fromkeys(column_of(key) for key, _ in self.terms if not isinstance(key, Filled)))

    @property
    def size(self) -> int:
        """How many columns a reader must read; a set counts as one."""
        return len(self.terms)

    def renamed(self, names: Mapping[str, str]) -> Halfspace:
        """The same over columns of other names."""
        terms = ((names[key] if isinstance(key, str) else key.renamed(names), a) for key, a in self.terms)
        return Halfspace(tuple(terms), self.threshold)

    def with_key(self, place: int, key: Key) -> Halfspace:
        """With another key in one of its terms, the same coefficient before it."""
        a = self.terms[place][1]
        return Halfspace((*self.terms[:place], (key, a), *self.terms[place + 1 :]), self.threshold)

    @property
    def mirrored(self) -> Terms:
        """The terms of the opposite direction: their sum is, in floats too, exactly minus this one's."""
        return tuple((key, -a) for key, a in self.terms)

    def values(self, table: Table) -> Floats:
        """The sum for each row; NaN where a column is missing that is not filled."""
        # One ufunc for each operation, never a dot product: that may fuse or reorder, and
        # every export computes exactly this. inf - inf is NaN, which is false, like missing.
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            total, *others = self._addends(table)
            for product in others:
                total = np.add(total, product)
        return total

    def _addends(self, table: Table) -> Iterator[Floats]:
        """What is added up, in this order. A filled column counts 0 among the numbers where it is missing."""
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
        """Its truth in each row."""
        truth: Bools = self.values(table) > self.threshold
        return truth

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among literals."""
        keys = tuple(_order(key) for key, _ in self.terms)
        fills = tuple((column_of(key), key.fill) for key, _ in self.terms if isinstance(key, Filled))
        # Larger coefficients first: a lower bound is read before an upper one.
        return 0, keys, tuple(-a for _, a in self.terms), self.threshold, fills

    def text(self, schema: Schema | None = None) -> str:
        """As printed; as a ratio where the schema shows that this says the same."""
        ratio = self._ratio(schema)
        if ratio is not None:
            return ratio
        flipped = self.terms[0][1] < 0.0
        return f"{write_sum(self.mirrored if flipped else self.terms)} {write_bound(self.threshold, flipped)}"

    def _ratio(self, schema: Schema | None) -> str | None:
        if schema is None or self.threshold != 0.0:
            return None
        match self.terms:
            case ((str(), _) as first, (str(), _) as second):
                return _write_ratio(first, second, schema) or _write_ratio(second, first, schema)
            case _:
                return None

    def __str__(self) -> str:
        return self.text()


@dataclass(frozen=True, slots=True)
class _OneColumn:
    """What the literals about a single column have in common."""

    column: str

    def __post_init__(self) -> None:
        _check_name(self.column)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        return (self.column,)

    @property
    def size(self) -> int:
        """How many columns a reader must read."""
        return 1

    @property
    def needed(self) -> tuple[str, ...]:
        """The columns that must be known for it to be true."""
        return (self.column,)

    def renamed(self, names: Mapping[str, str]) -> Self:
        """The same over a column of another name."""
        return replace(self, column=names[self.column])

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

    def __post_init__(self) -> None:
        _check_name(self.column)
        if isinstance(self.values, str):
            raise ParameterError(f"values must be a collection of categories, not {self.values!r} itself.")
        values = sorted((_category(value) for value in self.values), key=value_key)
        if not values:
            raise ParameterError(
                f"a set of categories of {self.column!r} is empty. Give at least one; for a condition "
                f"that holds wherever the column is not missing, use Known({self.column!r})."
            )
        object.__setattr__(self, "values", tuple(dict.fromkeys(values)))
        object.__setattr__(self, "negated", bool(self.negated))

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        codes, seen = table.codes(self.column)
        wanted = frozenset(self.values)
        # The code of a missing value is -1, which picks the False at the end.
        truth = np.array([(value in wanted) != self.negated for value in seen] + [False])
        return truth[codes]

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


Literal: TypeAlias = Halfspace | Membership | Missing | Known


def has_cases(literal: Literal) -> bool:
    """Whether a literal has a set in its sum, or a column that is filled."""
    return isinstance(literal, Halfspace) and bool(literal.sets or literal.fills)


def sets_of(literal: Literal) -> tuple[Membership, ...]:
    """The sets that a literal asks for: itself, or those that its sum counts."""
    match literal:
        case Membership():
            return (literal,)
        case Halfspace():
            return tuple(counted for counted, _ in literal.sets)
        case _:
            return ()


def _product(a: float, column: Floats) -> Floats:
    """Nothing is to be done for 1, which leaves every float as it is."""
    return column if a == 1.0 else np.multiply(column, a)


def term_values(key: Key, table: Table) -> Floats:
    """What a term's coefficient is multiplied with, row by row; NaN where it is missing."""
    match key:
        case str():
            return table.numeric(key)
        case Filled():
            return np.where(table.known(key.column), table.numeric(key.column), key.fill)
        case Membership():
            return key.counted(table)


class OfColumn(Protocol):
    """What is about a single column."""

    @property
    def column(self) -> str:
        """Its name."""


def column_of(key: str | OfColumn) -> str:
    """The column that a term reads."""
    return key if isinstance(key, str) else key.column


def unfilled(key: Key) -> Key:
    """A column as it is where it is known."""
    return key.column if isinstance(key, Filled) else key


def most_of(key: Key) -> float:
    """The largest coefficient that a term may have."""
    match key:
        case Membership():
            return MOST_POINTS
        case Filled(_, fill) if fill != 0.0:
            return min(MOST_POINTS / abs(fill), sys.float_info.max)
        case _:
            return sys.float_info.max


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise ParameterError(f"a column's name must be text, not {name!r}.")


def _check_key(key: object, a: float) -> None:
    if not isinstance(key, Membership | Filled):
        _check_name(key)
    elif abs(a) > most_of(key):
        most = f"from -{most_of(key):g} to {most_of(key):g}"
        raise ParameterError(f"the coefficient of {_shown(key)} must be {most}, not {a!r}.")


def _shown(key: object) -> str:
    return f"`{key}`" if isinstance(key, Membership | Filled) else repr(key)


def _order(key: Key) -> tuple[Any, ...]:
    """Numbers before sets, then by name: a filled column stands where it would stand without its fill."""
    return (1, key.sort_key()) if isinstance(key, Membership) else (0, natural_key(column_of(key)))


def _term_key(term: tuple[Key, float]) -> tuple[Any, ...]:
    """Columns that stand alone come first, as one would write it: `income - 2.1·debt`, not the reverse; sets last."""
    key, a = term
    return isinstance(key, Membership), abs(a) != 1.0, _order(key)


def _number(number: object, what: str) -> float:
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.integer | np.floating):
        raise ParameterError(f"{what} must be a number, not {number!r}.")
    try:
        read = float(number)
    except OverflowError:  # an integer beyond all floats
        read = math.inf
    if not math.isfinite(read):
        raise ParameterError(f"{what} must be finite, not {number!r}.")
    return read + 0.0  # no minus zero


def _category(cell: object) -> Value:
    try:
        value = as_value(cell)
    except CellError as error:
        raise ParameterError(f"the category {shown(cell)} {error}") from None
    if value is None:
        raise ParameterError("a missing value is in no set of categories. Use Missing(column) instead.")
    return value


def _write_ratio(above: tuple[str, float], below: tuple[str, float], schema: Schema) -> str | None:
    """p/q > r for 1·p - r·q > 0, and p/q < r for its mirror image; None if that is not what it says."""
    (p, a), (q, b) = above, below
    # Any other coefficient of p would not read back as the same floats.
    if abs(a) != 1.0 or (a > 0.0) == (b > 0.0) or not _is_positive(schema, q):
        return None
    return f"{write_name(p)}/{write_name(q)} {'>' if a > 0.0 else '<'} {write_number(abs(b))}"


def _is_positive(schema: Schema, name: str) -> bool:
    return name in schema and schema.column(name).kind == "numeric" and schema.column(name).low > 0.0
