"""What a person may add to a model: a rule, or its text."""

from __future__ import annotations

from r2n.errors import ParameterError
from r2n.rules.check import literal_problem
from r2n.rules.literals import Literal
from r2n.rules.parse import parse_rule
from r2n.rules.rule import Rule
from r2n.table import Schema


def read_rule(rule: object, schema: Schema | None) -> Rule:
    """Read a rule, or its text, and check it against the schema if there is one."""
    if isinstance(rule, str):
        return parse_rule(rule, schema)
    if not isinstance(rule, Rule):
        raise ParameterError(f"a rule must be given as text such as 'age > 30 and region = west', not as {rule!r}.")
    if schema is not None:
        for literal in rule.literals:
            _check(literal, schema)
    return rule


def _check(literal: Literal, schema: Schema) -> None:
    """Check a literal that was made, not written: it has no line and column to point at."""
    problem = literal_problem(schema, literal)
    if problem is not None:
        raise ParameterError(f"in `{literal}`, {problem}")
