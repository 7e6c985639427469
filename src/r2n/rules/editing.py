"""Which rule is meant by a number, and what a person may put in."""

from __future__ import annotations

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.checks import literal_problem
from r2n.rules.literals import Literal
from r2n.rules.parse import parse_rule
from r2n.rules.ruleset import Readable, Rule
from r2n.schema import Schema


def place_of(rules: Readable, number: int) -> int:
    """The position of a rule that is named by its number."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        raise ParameterError(f"a rule is named by its number as printed, from 1, not by {number!r}.")
    if not 1 <= number <= rules.n_rules:
        there = f"are the rules 1 to {rules.n_rules}" if rules.n_rules else "is no rule"
        raise ParameterError(f"there is no rule {number}: there {there}, counted as printed.")
    return int(number) - 1


def read_rule(rule: object, schema: Schema | None) -> Rule:
    """A rule, or its text, checked against the schema if there is one."""
    if isinstance(rule, str):
        return parse_rule(rule, schema)
    if not isinstance(rule, Rule):
        raise ParameterError(f"a rule must be given as text such as 'age > 30 and region = west', not as {rule!r}.")
    if schema is not None:
        for literal in rule.literals:
            _check(literal, schema)
    return rule


def _check(literal: Literal, schema: Schema) -> None:
    """A literal that was made, not written, has no line and column to point at."""
    problem = literal_problem(schema, literal)
    if problem is not None:
        raise ParameterError(f"in `{literal}`, {problem}")
