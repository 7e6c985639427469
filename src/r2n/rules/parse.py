"""Text to rules: the inverse of `str`, and a little more generous."""

from __future__ import annotations

from typing import TypeVar

from r2n.rules.classes import ClassRules
from r2n.rules.grammar import Parser
from r2n.rules.levelgrammar import LevelParser
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Literal
from r2n.rules.rule import Rule
from r2n.rules.ruleset import RuleSet
from r2n.table import Schema

M = TypeVar("M", RuleSet, ClassRules, LevelRules)


def parse_model(kind: type[M], text: str, schema: Schema | None = None) -> M:
    """Read a model of this class from its text."""
    if issubclass(kind, LevelRules):
        return LevelParser(text, schema).levels()
    parser = Parser(text, schema)
    return parser.ruleset() if issubclass(kind, RuleSet) else parser.class_rules()


def parse_ruleset(text: str, schema: Schema | None = None, unseen: bool = False) -> RuleSet:
    """Read a rule set from its text.

    Parameters
    ----------
    text : str
        The rules as they are printed.
    schema : Schema, optional
        The columns that the rules may read.
    unseen : bool
        Whether the text may name categories that the schema does not have.

    Returns
    -------
    RuleSet
        The rules.

    Raises
    ------
    ParseError
        If the text is no rule set, or does not fit the schema; the error names line and column.

    Examples
    --------
    >>> print(parse_ruleset("yes if 0.5 < x1, or x0 = a AND x1 <= 3 else no"))
    yes if x1 > 0.5
        or x1 <= 3 and x0 in {a}
    else no
    """
    return Parser(text, schema, unseen).ruleset()


def parse_class_rules(text: str, schema: Schema | None = None) -> ClassRules:
    """Read rules for several classes from their text.

    Parameters
    ----------
    text : str
        The rules as they are printed.
    schema : Schema, optional
        The columns that the rules may read.

    Returns
    -------
    ClassRules
        The rules.

    Raises
    ------
    ParseError
        If the text is no such rules, or does not fit the schema; the error names line and column.

    Examples
    --------
    >>> print(parse_class_rules("low if x < 1 else high if x > 3 else middle"))
    low if x < 1
    else high if x > 3
    else middle
    """
    return Parser(text, schema).class_rules()


def parse_rule(text: str, schema: Schema | None = None, unseen: bool = False) -> Rule:
    """Read a rule from its text.

    Parameters
    ----------
    text : str
        The rule as it is printed.
    schema : Schema, optional
        The columns that the rule may read.
    unseen : bool
        Whether the text may name categories that the schema does not have.

    Returns
    -------
    Rule
        The rule.

    Raises
    ------
    ParseError
        If the text is no rule, or does not fit the schema; the error names line and column.

    Examples
    --------
    >>> print(parse_rule("x0 is known and x1 != 3"))
    x1 not in {3} and x0 is known
    """
    parser = Parser(text, schema, unseen)
    return parser.single(parser.rule())


def parse_literal(text: str, schema: Schema | None = None, unseen: bool = False) -> Literal:
    """Read a literal from its text.

    Parameters
    ----------
    text : str
        The literal as it is printed.
    schema : Schema, optional
        The columns that the literal may read.
    unseen : bool
        Whether the text may name categories that the schema does not have.

    Returns
    -------
    Halfspace, Membership, Missing or Known
        The literal.

    Raises
    ------
    ParseError
        If the text is no literal, or does not fit the schema; the error names line and column.

    Examples
    --------
    >>> print(parse_literal('2*"hours per week" - age >= 3'))
    age - 2·"hours per week" <= -3
    """
    parser = Parser(text, schema, unseen)
    literal = parser.condition()
    if literal is None:
        parser.fail_at(0, "a literal was expected, but `true` is a rule without any.")
    return parser.alone(literal)
