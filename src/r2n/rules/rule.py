"""A rule: a conjunction of literals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.literals import Literal
from r2n.rules.membership import Bools
from r2n.rules.names import natural_key
from r2n.table import Schema, Table

P = TypeVar("P", "Literal", "Rule")


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: true where all of its literals are true.

    `Rule()` has no literals and is true everywhere.

    Parameters
    ----------
    literals : tuple of literals
        The conditions, in any order; the rule keeps them sorted and without repeats.

    Raises
    ------
    ParameterError
        If something else than a literal is given.

    Examples
    --------
    >>> from r2n.rules import Halfspace, Membership
    >>> print(Rule((Membership("region", ("west",)), Halfspace.of({"savings": 1}, 40))))
    savings > 40 and region in {west}
    """

    literals: tuple[Literal, ...] = ()

    def __post_init__(self) -> None:
        for literal in self.literals:
            if not isinstance(literal, Literal):
                raise ParameterError(f"a rule is made of literals, not of {literal!r}. Read text with parse_rule.")
        object.__setattr__(self, "literals", sort_once(self.literals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        return sort_columns(self.literals)

    @property
    def size(self) -> int:
        """How many columns and categories the rule names, each time it names them."""
        return sum(literal.size for literal in self.literals)

    def evaluate(self, table: Table) -> Bools:
        """Evaluate the rule on each row.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            True where every literal is true.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> parse_rule("x > 3 and z = a").evaluate(Table.read({"x": [4, 5, 2], "z": ["a", "b", "a"]}))
        array([ True, False, False])
        """
        truth = np.ones(table.n_rows, dtype=np.bool_)
        for literal in self.literals:
            truth &= literal.evaluate(table)
        return truth

    def sort_key(self) -> tuple[Any, ...]:
        """Return the rule's place among rules: rules with few literals come first.

        Returns
        -------
        tuple
            A key for `sorted`.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> print(*sorted(map(parse_rule, ["x > 3 and y > 1", "z = a"]), key=Rule.sort_key), sep=" | ")
        z in {a} | x > 3 and y > 1
        """
        return len(self.literals), tuple(literal.sort_key() for literal in self.literals)

    def text(self, schema: Schema | None = None) -> str:
        """Write the rule as it is printed.

        Parameters
        ----------
        schema : Schema, optional
            What is known of the columns: where a divisor is always positive, a difference is written as a ratio.

        Returns
        -------
        str
            The literals, joined by `and`; `true` if there are none.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> schema, _ = Schema.learn({"income": [20, 30], "debt": [1, 9]})
        >>> rule = parse_rule("income - 2·debt > 0")
        >>> rule.text(), rule.text(schema)
        ('income - 2·debt > 0', 'income/debt > 2')
        """
        return " and ".join(literal.text(schema) for literal in self.literals) or "true"

    def __str__(self) -> str:
        return self.text()


def sort_once(parts: Iterable[P]) -> tuple[P, ...]:
    """Sort literals, or rules, and keep each once."""
    found = tuple(parts)
    return found if len(found) < 2 else tuple(dict.fromkeys(sorted(found, key=lambda part: part.sort_key())))


def sort_columns(literals: Iterable[Literal]) -> tuple[str, ...]:
    """Sort the columns that literals read in the order of columns."""
    return tuple(sorted({name for literal in literals for name in literal.columns}, key=natural_key))
