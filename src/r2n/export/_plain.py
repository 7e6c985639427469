"""What every format needs to know: the order of decisions, the terms of sums, the codes of missing values."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TypeAlias

from r2n.errors import ParameterError
from r2n.rules import ClassRules, Filled, Halfspace, Membership, Missing, Rule, RuleSet
from r2n.rules.terms import Terms
from r2n.rules.text import write_number
from r2n.table import Column, Value
from r2n.table.cells import shown
from r2n.table.names import near

IN_A_ROW = 100  # what a parser reads at once: to many, each addition is a level deeper

_LONE = re.compile("[\ud800-\udfff]")

Addend: TypeAlias = str | Filled | Missing | Membership  # the last two count 1 where they hold


def decisions(rules: RuleSet | ClassRules) -> tuple[tuple[Rule, Value], ...]:
    """List the rules in the order they are asked in, each with the label it gives: the first that is true decides.

    >>> rules = ClassRules.parse("a if x > 3 or x < 1 else b if y > 2 else c")
    >>> [(str(rule), label) for rule, label in decisions(rules)]
    [('x > 3', 'a'), ('x < 1', 'a'), ('y > 2', 'b')]
    """
    return tuple((rule, label) for label, found in rules.branches for rule in found)


def addends(terms: Terms) -> tuple[tuple[Addend, float], ...]:
    r"""List what is added up, from left to right, to the same float as the sum: fills come after what is known.

    So a filled column counts 0 where it is missing, and its points come after all numbers; if it is the last number,
    or one of two, they may stand in its place.

    >>> print(*addends(Halfspace.of({"x": 1, Filled("y", 40): -2, Membership("z", ("a",)): 3}, 5).terms), sep="\n")
    ('x', 1.0)
    (Filled(column='y', fill=40.0), -2.0)
    (Membership(column='z', values=('a',), negated=False), 3.0)
    >>> print(*addends(Halfspace.of({"u": 1, "x": 1, Filled("v", 40): 1}, 5).terms), sep="\n")
    ('u', 1.0)
    (Filled(column='v', fill=0.0), 1.0)
    ('x', 1.0)
    (Missing(column='v'), 40.0)
    """
    numbers = [(key, a) for key, a in terms if not isinstance(key, Membership)]
    sets = [(key, a) for key, a in terms if isinstance(key, Membership)]
    filled = [k for k, (key, _) in enumerate(numbers) if isinstance(key, Filled)]
    if len(filled) == 1 and (len(numbers) <= 2 or filled[0] == len(numbers) - 1):
        return (*numbers, *sets)
    points = [(Missing(key.column), a * key.fill) for key, a in numbers if isinstance(key, Filled)]
    zeroed = [(replace(key, fill=0.0) if isinstance(key, Filled) else key, a) for key, a in numbers]
    return (*zeroed, *((key, a) for key, a in points if a != 0.0), *sets)


def counted_columns(literal: Halfspace) -> tuple[str, ...]:
    """List the columns of which a sum counts sets: where one of them is missing, it is not true.

    >>> from r2n.rules import parse_rule
    >>> counted_columns(parse_rule("x + 2·(z in {a}) - 3·(w not in {b}) + (z in {c}) > 1").literals[0])
    ('z', 'w')
    """
    return tuple(dict.fromkeys(one.column for one, _ in literal.sets))


def schema_column(rules: RuleSet | ClassRules, name: str) -> Column | None:
    """What was seen in a column, if that is known."""
    return None if rules.schema is None else rules.schema.column(name)


def missing_codes(rules: RuleSet | ClassRules, name: str) -> tuple[Value, ...]:
    """The values of a column that stand for a missing one."""
    column = schema_column(rules, name)
    return () if column is None else column.missing_values


def summed_columns(rules: RuleSet | ClassRules) -> tuple[str, ...]:
    """The columns that are read as numbers."""
    sums = (literal for literal in rules.literals if isinstance(literal, Halfspace))
    return tuple(dict.fromkeys(name for literal in sums for name in literal.compared))


def check_texts(options: Iterable[object]) -> None:
    r"""Refuse text of options that no file can hold; rules and their schemas have none.

    >>> check_texts(["title", 3])
    >>> check_texts(["n\ud800"])
    Traceback (most recent call last):
    r2n.errors.ParameterError: 'n\ud800' has a lone half of a UTF-16 pair, which no file can hold. Rename it.
    """
    for text in options:
        if isinstance(text, str) and _LONE.search(text):
            raise ParameterError(f"{shown(text)} has a lone half of a UTF-16 pair, which no file can hold. Rename it.")


def advice(name: str, known: Iterable[str], what: str) -> str:
    """Say what was probably meant, and what there is.

    >>> advice("postgre", ["sqlite", "postgres"], "The dialects")
    " Did you mean 'postgres'? The dialects are: postgres, sqlite."
    """
    names = sorted(known)
    meant = near(name, names, most=1)
    hint = f" Did you mean {meant[0]!r}?" if meant else ""
    return f"{hint} {what} are: {', '.join(names) or 'none'}."


@dataclass(frozen=True, slots=True)
class Syntax:
    """How most languages write sums: from left to right, given how they write what is added up.

    That is a cell, a cell that is filled, and points: so many where a condition holds, else 0. Their product with 1
    or 0 is exact, and so is the sum without it.
    """

    cell: Callable[[str], str]
    filled: Callable[[Filled], str]
    points: Callable[[Membership | Missing, float], str]

    def halfspace(self, literal: Halfspace, total: str | None = None) -> str:
        """Write the comparison, of the sum itself or of what it is called.

        >>> syntax = Syntax("number({})".format, "({})".format, "({} ? {} : 0)".format)
        >>> syntax.halfspace(Halfspace.of({"x": 1, "y": -2.5, Membership("z", ("a",)): -3}, 1e-7))
        'number(x) - 2.5 * number(y) - (z in {a} ? 3.0 : 0) > 1e-7'
        """
        read = literal.comparison()
        return f"{total or ' '.join(self._write_addends(literal))} {read.operator} {write_number(read.bound)}"

    def steps(self, literal: Halfspace, name: str) -> list[str]:
        """Write the sum in steps, what its name is set to in turn: no interpreter reads thousands of terms at once.

        >>> syntax = Syntax("{}".format, "({})".format, "({} ? {} : 0)".format)
        >>> syntax.steps(Halfspace.of({f"x{k}": 1 for k in range(201)}, 0), "total")[2]
        'total + x200'
        """
        parts = self._write_addends(literal)
        chunks = [" ".join(parts[k : k + IN_A_ROW]) for k in range(0, len(parts), IN_A_ROW)]
        return [chunks[0], *(f"{name} {chunk}" for chunk in chunks[1:])]

    def _write_addends(self, literal: Halfspace) -> list[str]:
        """Write what is added up, each with its sign; the first is positive and has none."""
        terms = literal.comparison().terms
        first, *others = [(a < 0.0, self._term(key, abs(a))) for key, a in addends(terms)]
        return [first[1], *(f"{'-' if negative else '+'} {term}" for negative, term in others)]

    def _term(self, key: Addend, a: float) -> str:
        if isinstance(key, Membership | Missing):
            return self.points(key, a)
        number = self.filled(key) if isinstance(key, Filled) else self.cell(key)
        return number if a == 1.0 else f"{write_number(a)} * {number}"


def long_sums(rules: RuleSet | ClassRules) -> dict[Halfspace, str]:
    """Name the sums that are too long to be read at once.

    >>> long_sums(RuleSet((Rule((Halfspace.of({f"x{k}": 1 for k in range(101)}, 0),)),))).values()
    dict_values(['sum_1'])
    """
    sums = (literal for literal in rules.literals if isinstance(literal, Halfspace))
    long = (literal for literal in sums if len(addends(literal.terms)) > IN_A_ROW)
    return {literal: f"sum_{k}" for k, literal in enumerate(long, start=1)}
