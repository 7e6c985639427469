"""What every target language is told: who decides what, in which order, and what stands for a missing value."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable

from r2n.rules import ClassRules, Halfspace, Key, Membership, Rule, RuleSet
from r2n.rules.literals import Terms
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


def comparison(literal: Halfspace) -> tuple[Terms, str, float]:
    """The terms, the operator and the bound of a halfspace as it is printed: its first coefficient is positive.

    Exact in floats: the mirrored sum is minus the sum, and between two neighbouring floats there is nothing.

    >>> comparison(Halfspace.of({"x": -1, "y": 2.5}, 0.29999999999999993))
    ((('x', 1.0), ('y', -2.5)), '<=', -0.3)
    """
    flipped = literal.terms[0][1] < 0.0
    operator, bound = write_bound(literal.threshold, flipped).split()
    return literal.mirrored if flipped else literal.terms, operator, float(bound)


def counted_columns(literal: Halfspace) -> tuple[str, ...]:
    """The columns of which a sum counts sets: where one of them is missing, it is not true.

    >>> from r2n.rules import parse_rule
    >>> counted_columns(parse_rule("x + 2·(z in {a}) - 3·(w not in {b}) + (z in {c}) > 1").literals[0])
    ('z', 'w')
    """
    return tuple(dict.fromkeys(one.column for one, _ in literal.sets))


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
    return tuple(dict.fromkeys(name for literal in sums for name in literal.compared))


def advice(name: str, known: Iterable[str], what: str) -> str:
    """What was probably meant, and what there is.

    >>> advice("postgre", ["sqlite", "postgres"], "The dialects")
    " Did you mean 'postgres'? The dialects are: postgres, sqlite."
    """
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{hint} {what} are: {', '.join(names) or 'none'}."


def write_halfspace(literal: Halfspace, cell: Callable[[str], str], points: Callable[[Membership, float], str]) -> str:
    """A halfspace as most languages write it, from left to right.

    Given how they write a cell, and a set's points: so many where it holds, else 0. Their product with 1 or 0 is exact,
    and so is the sum without it.

    >>> literal = Halfspace.of({"x": 1, "y": -2.5, Membership("z", ("a",)): -3}, 1e-7)
    >>> write_halfspace(literal, "number({})".format, "({} ? {} : 0)".format)
    'number(x) - 2.5 * number(y) - (z in {a} ? 3.0 : 0) > 1e-7'
    """

    def term(key: Key, a: float) -> str:
        if isinstance(key, Membership):
            return points(key, a)
        return cell(key) if a == 1.0 else f"{write_number(a)} * {cell(key)}"

    terms, operator, bound = comparison(literal)
    total = "".join(f" {'-' if a < 0.0 else '+'} {term(key, abs(a))}" for key, a in terms)
    return f"{total.removeprefix(' + ')} {operator} {write_number(bound)}"
