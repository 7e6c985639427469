"""What every target language is told: who decides what, in which order, and what stands for a missing value."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from r2n.rules import ClassRules, Halfspace, Rule, RuleSet
from r2n.rules.text import write_bound, write_number
from r2n.schema import Column, Value


def decisions(rules: RuleSet | ClassRules) -> tuple[tuple[Rule, Value], ...]:
    """The rules in the order in which they are asked, each with the label it gives: the first that is true decides.

    >>> rules = ClassRules.parse("a if x > 3 or x < 1 else b if y > 2 else c")
    >>> [(str(rule), label) for rule, label in decisions(rules)]
    [('x > 3', 'a'), ('x < 1', 'a'), ('y > 2', 'b')]
    """
    branches = rules.branches if isinstance(rules, ClassRules) else ((rules.label, rules.rules),)
    return tuple((rule, label) for label, found in branches for rule in found)


def comparison(literal: Halfspace) -> tuple[tuple[tuple[str, float], ...], str, float]:
    """The terms, the operator and the bound of a halfspace as it is printed: its first coefficient is positive.

    Exact in floats: the mirrored sum is minus the sum, and between two neighbouring floats there is nothing.

    >>> comparison(Halfspace.of({"x": -1, "y": 2.5}, 0.29999999999999993))
    ((('x', 1.0), ('y', -2.5)), '<=', -0.3)
    """
    flipped = literal.terms[0][1] < 0.0
    operator, bound = write_bound(literal.threshold, flipped).split()
    return literal.mirrored if flipped else literal.terms, operator, float(bound)


def column_of(rules: RuleSet | ClassRules, name: str) -> Column | None:
    """What was seen in a column, if that is known."""
    return None if rules.schema is None else rules.schema.column(name)


def missing_codes(rules: RuleSet | ClassRules, name: str) -> tuple[Value, ...]:
    """The values of a column that stand for a missing one."""
    column = column_of(rules, name)
    return () if column is None else column.missing_values


def summed_columns(rules: RuleSet | ClassRules) -> tuple[str, ...]:
    """The columns that are read as numbers."""
    sums = (literal for literal in rules.literals if isinstance(literal, Halfspace))
    return tuple(dict.fromkeys(name for literal in sums for name in literal.columns))


def advice(name: str, known: Iterable[str], what: str) -> str:
    """What was probably meant, and what there is.

    >>> advice("postgre", ["sqlite", "postgres"], "The dialects")
    " Did you mean 'postgres'? The dialects are: postgres, sqlite."
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{hint} {what} are: {', '.join(names) or 'none'}."


def write_halfspace(literal: Halfspace, cell: Callable[[str], str]) -> str:
    """A halfspace as most languages write it, from left to right, given how they write a cell.

    >>> write_halfspace(Halfspace.of({"x": 1, "y": -2.5}, 1e-7), "number({})".format)
    'number(x) - 2.5 * number(y) > 1e-7'
    """
    terms, operator, bound = comparison(literal)
    products = ((a, cell(name) if abs(a) == 1.0 else f"{write_number(abs(a))} * {cell(name)}") for name, a in terms)
    total = "".join(f" {'-' if a < 0.0 else '+'} {product}" for a, product in products)
    return f"{total.removeprefix(' + ')} {operator} {write_number(bound)}"
