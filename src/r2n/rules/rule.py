"""A rule: a conjunction of literals."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.literals import Bools, Literal, natural_key
from r2n.table import Schema, Table

P = TypeVar("P", "Literal", "Rule")


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of literals; `Rule()` is true everywhere.

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
        """How much a reader must read: mentions of columns, of which a set counts as many as it names."""
        return sum(literal.size for literal in self.literals)

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        truth = np.ones(table.n_rows, dtype=np.bool_)
        for literal in self.literals:
            truth &= literal.evaluate(table)
        return truth

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among rules: short ones first."""
        return len(self.literals), tuple(literal.sort_key() for literal in self.literals)

    def text(self, schema: Schema | None = None) -> str:
        """As printed; with ratios where the schema allows them."""
        return " and ".join(literal.text(schema) for literal in self.literals) or "true"

    def __str__(self) -> str:
        return self.text()


def sort_once(parts: Iterable[P]) -> tuple[P, ...]:
    """Literals, or rules, in their order, each once."""
    found = tuple(parts)
    return found if len(found) < 2 else tuple(dict.fromkeys(sorted(found, key=lambda part: part.sort_key())))


def sort_columns(literals: Iterable[Literal]) -> tuple[str, ...]:
    """The columns that literals read, in the order of columns."""
    return tuple(sorted({name for literal in literals for name in literal.columns}, key=natural_key))
