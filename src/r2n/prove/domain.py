"""The rows that can occur: what each column may hold."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from r2n.errors import ParameterError
from r2n.prove.values import Values, read_text
from r2n.rules.literals import Halfspace, Literal
from r2n.rules.names import natural_key
from r2n.rules.text import write_name
from r2n.table import Schema, Value
from r2n.table.names import no_such_column

Row: TypeAlias = dict[str, Value | None]

_ANYTHING = Values()
_LINE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[^":]*?)\s*:(.*)')


@dataclass(frozen=True)
class Domain:
    """The rows that can occur: what each column may hold. A column that is not named may hold anything.

    Parameters
    ----------
    columns : dict or tuple of (str, Values) pairs
        What each column may hold.

    Raises
    ------
    ParameterError
        If a column is named twice, or could hold nothing.

    Examples
    --------
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
        """Take over what was seen in a table: ranges, whole numbers where all were whole, categories.

        Parameters
        ----------
        schema : Schema
            The columns of the table.

        Returns
        -------
        Domain
            Rows like those of the table.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, 58], "region": ["north", None]})
        >>> print(Domain.of(schema))
        age: integer 31..58 known
        region: {north}
        """
        return cls(tuple((column.name, Values.of(column)) for column in schema.columns))

    @classmethod
    def beyond(cls, schema: Schema | None) -> Domain:
        """Allow any row that rules of this schema can be asked about.

        Numbers occur where numbers were, also outside the range seen.

        Parameters
        ----------
        schema : Schema or None
            The columns; None if nothing is known of them.

        Returns
        -------
        Domain
            All such rows.

        Examples
        --------
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
    def read(cls, given: object) -> Domain:
        """Read a domain from a dict or from text.

        Parameters
        ----------
        given : Domain, dict or str
            For each column what `Values.read` reads; or text, see `parse`.

        Returns
        -------
        Domain
            What was given, as an object.

        Raises
        ------
        ParameterError
            If it cannot be read.

        Examples
        --------
        >>> print(Domain.read({"age": (0, None)}))
        age: 0..
        """
        match given:
            case Domain():
                return given
            case str():
                return cls.parse(given)
            case Mapping():
                return cls(tuple((name, Values.read(values)) for name, values in given.items()))
        raise ParameterError(f"a domain is a dict of what each column may hold, or text, not {given!r}.")

    @classmethod
    def parse(cls, text: str) -> Domain:
        r"""Read a domain from text, a line for each column, as printed.

        Parameters
        ----------
        text : str
            The lines.

        Returns
        -------
        Domain
            What the text says.

        Raises
        ------
        ParameterError
            If a line cannot be read.

        Examples
        --------
        >>> print(Domain.parse('age: integer 18..99 known\n"hours per week": 0..'))
        age: integer 18..99 known
        "hours per week": 0..
        """
        return cls(tuple(_read_line(line) for line in text.splitlines() if line.strip()))

    def __getitem__(self, name: str) -> Values:
        """What a column may hold."""
        found: Values = self.__dict__["_by_name"].get(name, _ANYTHING)
        return found

    def __contains__(self, row: object) -> bool:
        """Whether a row, given as a dict, can occur."""
        return isinstance(row, Mapping) and all(self[name].allows(value) for name, value in row.items())

    def with_columns(self, columns: Mapping[str, Values]) -> Domain:
        """Replace what some columns may hold.

        Parameters
        ----------
        columns : mapping
            The new values of these columns.

        Returns
        -------
        Domain
            The changed domain.

        Examples
        --------
        >>> print(Domain.parse("age: 0..99").with_columns({"debt": Values(0, 5)}))
        age: 0..99
        debt: 0..5
        """
        return Domain(tuple({**self.__dict__["_by_name"], **columns}.items()))

    def reading(self, literals: Iterable[Literal]) -> Domain:
        """Restrict the columns that halfspaces compare to numbers.

        With other values such rules cannot be evaluated at all.

        Parameters
        ----------
        literals : iterable of literals
            The literals.

        Returns
        -------
        Domain
            The narrower domain.

        Raises
        ------
        ParameterError
            If such a column holds only text.

        Examples
        --------
        >>> from r2n.rules import parse_literal
        >>> print(Domain.parse("age: any").reading([parse_literal("age > 30")]))
        age: ..
        """
        names = {name for literal in literals if isinstance(literal, Halfspace) for name in literal.compared}
        for name in names:
            held = self[name]
            if not held.other and held.categories and all(isinstance(value, str) for value in held.categories):
                raise ParameterError(
                    f"domain: column {name!r} is compared with numbers, but {held} are none. Say which numbers come."
                )
        return self.with_columns({name: replace(self[name], numeric=True) for name in names})

    def read_by(self, schema: Schema | None) -> Domain:
        """Treat the values that stand for a missing one in a schema as missing.

        Parameters
        ----------
        schema : Schema or None
            The schema of the rules; None if nothing is known of the columns.

        Returns
        -------
        Domain
            The rows as rules of this schema read them.

        Examples
        --------
        >>> schema, _ = Schema.learn({"age": [31, -9]}, missing_values=[-9])
        >>> print(Domain.parse("age: -9..99 known").read_by(schema))
        age: -9..99
        """
        columns = () if schema is None else schema.columns
        return self.with_columns({c.name: self[c.name].read_by(c) for c in columns if c.missing_values})

    def check(self, columns: Collection[str], schemas: Collection[Schema | None]) -> None:
        """Refuse column names that neither the rules nor their schemas know: a misspelt name would restrict nothing.

        Parameters
        ----------
        columns : collection of str
            The columns that the rules read.
        schemas : collection of Schema or None
            What is known of the columns.

        Raises
        ------
        ParameterError
            If there is such a name.

        Examples
        --------
        >>> Domain.parse("age: 0..99").check(["agee"], [None])
        Traceback (most recent call last):
        r2n.errors.ParameterError: domain: the model has no column 'age'. Did you mean 'agee'? Its columns are: 'agee'.
        """
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


def _read_line(line: str) -> tuple[str, Values]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ParameterError(f"a line about a column is its name, a colon and what it may hold, not {line!r}.")
    name, said = match.groups()
    try:
        return json.loads(name) if name.startswith('"') else name, read_text(said)
    except json.JSONDecodeError:
        raise ParameterError(
            f"{name} is no name in quotes as JSON writes them, with a backslash before each."
        ) from None
