"""The rows that can come: for each column its range, its categories, and whether it may be missing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from r2n.errors import ParameterError, ParseError
from r2n.rules.literals import Halfspace, Literal, Membership, natural_key
from r2n.rules.text import write_name, write_number, write_value
from r2n.table import Column, Schema, Value
from r2n.table.cells import shown
from r2n.table.table import no_such_column

Row: TypeAlias = dict[str, Value | None]

_RANGE = re.compile(r"(?P<low>\S*?)\s*\.\.\s*(?P<high>\S*)")
_MORE = re.compile(r",\s*(?:…|\.\.\.)\s*(?=\}$)")


@dataclass(frozen=True, slots=True)
class Values:
    """What one column may hold; without arguments: anything.

    >>> print(Values(0, 10, integer=True))
    integer 0..10
    >>> print(Values(categories=("west", "north"), missing=False))
    {north, west, …} known
    """

    low: float = -math.inf
    high: float = math.inf
    integer: bool = False
    numeric: bool = False
    categories: tuple[Value, ...] = ()
    other: bool = True
    """Whether values beyond `categories` may come."""
    never: tuple[Value, ...] = ()
    """Values that do not come, because they stand for a missing one."""
    missing: bool = True

    def __post_init__(self) -> None:
        low, high = float(self.low) + 0.0, float(self.high) + 0.0
        if not (low <= high and low < math.inf and high > -math.inf):
            raise ParameterError(f"a range goes from a number to one that is not smaller, not from {low} to {high}.")
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        object.__setattr__(self, "numeric", self.numeric or self.integer or math.isfinite(low) or math.isfinite(high))
        object.__setattr__(self, "categories", _sorted(self.categories))
        object.__setattr__(self, "never", _sorted(self.never))

    @classmethod
    def of(cls, column: Column) -> Values:
        """What was seen in a column of a table."""
        if column.kind == "categorical":
            other = not column.categories  # where none is known, any may come
            return cls(categories=column.categories, other=other, never=column.missing_values, missing=column.missing)
        return cls(column.low, column.high, column.integer, True, never=column.missing_values, missing=column.missing)

    @classmethod
    def read(cls, said: object) -> Values:
        """From a pair (None where there is no bound), a `range` of integers, a collection of categories, or text.

        >>> Values.read((0, None)) == Values.read("0..") == Values(low=0)
        True
        >>> Values.read(range(3)) == Values.read("integer 0..2")
        True
        >>> print(Values.read({"a", "b"}), Values.read("{a, b, …} known"), Values.read("any"), sep="; ")
        {a, b}; {a, b, …} known; any
        """
        match said:
            case Values():
                return said
            case str():
                return _read_text(said)
            case range() if said and abs(said.step) == 1:
                ends = _end(said[0], 0.0), _end(said[-1], 0.0)
                return cls(min(ends), max(ends), integer=True)
            case (low, high) if isinstance(said, tuple):
                return cls(_end(low, -math.inf), _end(high, math.inf), numeric=True)
            case set() | frozenset() | list():
                return cls(categories=tuple(said), other=False)
        raise ParameterError(
            f"what a column may hold is a pair (low, high), a range of integers, a set of categories "
            f"or text such as 'integer 0..10', not {said!r}."
        )

    def allows(self, value: Value | None) -> bool:
        """Whether this may come."""
        if value is None:
            return self.missing
        if value in self.never or not (self.other or value in self.categories):
            return False
        if isinstance(value, str):
            return not self.numeric
        return self.low <= value <= self.high and not (self.integer and value != math.floor(value))

    @property
    def empty(self) -> bool:
        """Whether nothing may come, not even a missing value."""
        if self.missing:
            return False
        if not self.other:
            return not any(self.allows(value) for value in self.categories)
        return self.integer and math.isfinite(self.low) and math.ceil(self.low) > self.high

    def common(self, other: Values) -> Values | None:
        """What both allow; None if that is nothing.

        >>> print(Values.read("integer 0..9").common(Values.read("3.. known")), Values(high=1).common(Values(low=2)))
        integer 3..9 known None
        """
        low, high = max(self.low, other.low), min(self.high, other.high)
        if low > high:
            return None
        closed = [each for each in (self, other) if not each.other]
        named = closed[0].categories if closed else dict.fromkeys((*self.categories, *other.categories))
        found = Values(
            low, high, self.integer or other.integer, self.numeric or other.numeric,
            tuple(value for value in named if self.allows(value) and other.allows(value)),
            not closed, (*self.never, *other.never), self.missing and other.missing,
        )  # fmt: skip
        return None if found.empty else found

    def read_by(self, column: Column) -> Values:
        """The same where a column's codes for a missing value are read as one."""
        codes = column.missing_values
        missing = self.missing or any(map(self.allows, codes))
        return replace(self, never=(*self.never, *codes), missing=missing)

    def __str__(self) -> str:
        words = ["integer"] if self.integer else []
        if self.categories or not self.other:
            shown = [*map(write_value, self.categories), *(["…"] if self.other else [])]
            words.append(f"{{{', '.join(shown)}}}")
        elif self.numeric:
            words.append(f"{_bound(self.low)}..{_bound(self.high)}")
        else:
            words.append("any")
        return " ".join(words if self.missing else [*words, "known"])


@dataclass(frozen=True)
class Domain:
    """What each column may hold; a column that is not named may hold anything.

    >>> domain = Domain.read({"age": range(18, 100), "income": (0, None), "region": {"north", "west"}})
    >>> print(domain)
    age: integer 18..99
    income: 0..
    region: {north, west}
    >>> {"age": 20.5, "income": 3, "region": "north"} in domain, {"age": None, "income": 0, "region": "west"} in domain
    (False, True)
    """

    columns: tuple[tuple[str, Values], ...] = ()

    def __post_init__(self) -> None:
        pairs = self.columns.items() if isinstance(self.columns, Mapping) else self.columns
        ordered = sorted(((str(name), values) for name, values in pairs), key=lambda pair: natural_key(pair[0]))
        for k, (name, values) in enumerate(ordered):
            if k and name == ordered[k - 1][0]:
                raise ParameterError(f"domain: column {name!r} comes twice. Say once what it may hold.")
            if values.empty:
                raise ParameterError(f"domain: nothing is left that column {name!r} could hold: {values}.")
        object.__setattr__(self, "columns", tuple(ordered))
        object.__setattr__(self, "_by_name", dict(ordered))

    @classmethod
    def of(cls, schema: Schema) -> Domain:
        """What was seen in a table: its ranges, whole numbers where all were whole, its categories.

        >>> schema, _ = Schema.learn({"age": [31, 58], "region": ["north", None]})
        >>> print(Domain.of(schema))
        age: integer 31..58 known
        region: {north}
        """
        return cls(tuple((column.name, Values.of(column)) for column in schema.columns))

    @classmethod
    def beyond(cls, schema: Schema | None) -> Domain:
        """Any row that can be asked about: numbers where numbers were, but outside what was seen too.

        >>> schema, _ = Schema.learn({"age": [31, 58], "region": ["north", None]})
        >>> print(Domain.beyond(schema))
        age: ..
        region: {north, …}
        """
        columns = () if schema is None else schema.columns
        return cls(
            tuple((c.name, Values(numeric=c.kind == "numeric", categories=c.categories).read_by(c)) for c in columns)
        )

    @classmethod
    def unbounded(cls, columns: Iterable[str] = ()) -> Domain:
        """Any row there can be: every float, every category, missing values."""
        return cls(tuple((name, Values()) for name in columns))

    @classmethod
    def read(cls, said: object) -> Domain:
        """From what is said of each column, see `Values.read`; or from text, see `parse`."""
        match said:
            case Domain():
                return said
            case str():
                return cls.parse(said)
            case Mapping():
                return cls(tuple((name, Values.read(values)) for name, values in said.items()))
        raise ParameterError(f"a domain is a dict of what each column may hold, or text, not {said!r}.")

    @classmethod
    def parse(cls, text: str) -> Domain:
        """From text: a line for each column, as printed.

        >>> print(Domain.parse('age: integer 18..99 known\\n"hours per week": 0..'))
        age: integer 18..99 known
        "hours per week": 0..
        """
        return cls(tuple(_read_line(line) for line in text.splitlines() if line.strip()))

    def __getitem__(self, name: str) -> Values:
        found: Values = self.__dict__["_by_name"].get(name, _ANYTHING)
        return found

    def __contains__(self, row: object) -> bool:
        return isinstance(row, Mapping) and all(self[name].allows(value) for name, value in row.items())

    def with_columns(self, columns: Mapping[str, Values]) -> Domain:
        """With other values for some columns."""
        return Domain(tuple({**self.__dict__["_by_name"], **columns}.items()))

    def without_missing(self, columns: Collection[str]) -> Domain:
        """With these columns never missing."""
        return self.with_columns({name: replace(self[name], missing=False) for name in columns})

    def reading(self, literals: Iterable[Literal]) -> Domain:
        """With numbers alone in the columns that a halfspace reads: in others it cannot be asked at all."""
        names = {name for literal in literals if isinstance(literal, Halfspace) for name in literal.compared}
        for name in names:
            held = self[name]
            if not held.other and held.categories and all(isinstance(value, str) for value in held.categories):
                raise ParameterError(
                    f"domain: column {name!r} is compared with numbers, but {held} are none. Say which numbers come."
                )
        return self.with_columns({name: replace(self[name], numeric=True) for name in names})

    def read_by(self, schema: Schema | None) -> Domain:
        """The same rows as rules of this schema read them: codes for a missing value are missing.

        >>> schema, _ = Schema.learn({"age": [31, -9]}, missing_values=[-9])
        >>> print(Domain.parse("age: -9..99 known").read_by(schema))
        age: -9..99
        """
        columns = () if schema is None else schema.columns
        return self.with_columns({c.name: self[c.name].read_by(c) for c in columns if c.missing_values})

    def check(self, columns: Collection[str], schemas: Collection[Schema | None]) -> None:
        """Refuse columns that nobody knows: a domain that is misspelt would say nothing."""
        named = [name for name, _ in self.columns]
        known = dict.fromkeys([*columns, *(name for schema in schemas if schema is not None for name in schema.names)])
        # Without a schema only those are known that are read, and a domain may well say more; but not of nothing else.
        strict = any(schema is not None for schema in schemas)
        unread = [name for name in columns if name not in named]
        for name in named:
            alike = name.casefold() in map(str.casefold, unread)
            if name not in known and (strict or alike or len(unread) == len(columns) > 0):
                raise ParameterError("domain: " + no_such_column(name, tuple(known), "the model"))

    def __str__(self) -> str:
        return "\n".join(f"{write_name(name)}: {values}" for name, values in self.columns)


def _sorted(values: Iterable[Value]) -> tuple[Value, ...]:
    # Canonical as a set of categories in a rule is; which cannot be empty.
    given = tuple(values)
    return Membership("", given).values if given else ()


_ANYTHING = Values()


def _end(said: object, unknown: float) -> float:
    """One end of a range as it was said."""
    if said is None:
        return unknown
    if isinstance(said, bool) or not isinstance(said, int | float | np.integer | np.floating):
        raise ParameterError(f"a range goes from a number to a number, with None for no bound; {said!r} is neither.")
    try:
        return float(said)
    except OverflowError:
        raise ParameterError(
            f"a range goes from a float to a float, or None for no bound, not {shown(said)}."
        ) from None


def _bound(bound: float) -> str:
    return write_number(bound) if math.isfinite(bound) else ""


_LINE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^":]*?)\s*:(.*)')


def _read_line(line: str) -> tuple[str, Values]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ParameterError(f"a line about a column is its name, a colon and what it may hold, not {line!r}.")
    name, said = match.groups()
    try:
        return json.loads(name) if name.startswith('"') else name, _read_text(said)
    except json.JSONDecodeError:
        raise ParameterError(
            f"{name} is no name in quotes as JSON writes them, with a backslash before each."
        ) from None


def _read_text(said: str) -> Values:
    """`integer 0..10`, `..3.5 known`, `{a, b}`, `{a, …}`, `any`."""
    body = said.strip()
    known = body.endswith(" known") or body == "known"
    body = body.removesuffix("known").strip() if known else body
    integer = body.startswith("integer")
    body = body.removeprefix("integer").strip()
    if body.startswith("{") and body.endswith("}"):
        named = _MORE.sub("", body)
        return Values(categories=_categories(named), other=named != body, missing=not known)
    if body in ("", "any"):
        return Values(integer=integer, missing=not known)
    match = _RANGE.fullmatch(body)
    try:
        low, high = (float(part) if part else None for part in match.groups()) if match else (None, None)
    except ValueError:
        match = None
    if match is None:
        raise ParameterError(f"{said!r} does not say what a column may hold. Write 'integer 0..10', '{{a, b}}', 'any'.")
    read = Values.read((low, high))
    return replace(read, integer=integer, missing=not known)


def _categories(said: str) -> tuple[Value, ...]:
    """A set of categories as it is printed in a rule."""
    from r2n.rules.parse import parse_literal  # the parser knows how values are written

    if not said[1:-1].strip():
        return ()
    try:
        literal = parse_literal(f"x in {said}")
    except ParseError:
        raise ParameterError(f'{said} is no set as rules write them, such as {{a, "b c", 3}}.') from None
    return literal.values if isinstance(literal, Membership) else ()
