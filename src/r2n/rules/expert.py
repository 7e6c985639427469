"""What an expert gives as parameters, read and checked against the columns of the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from r2n.errors import ParameterError, ParseError
from r2n.rules.check import literal_problem
from r2n.rules.knowledge import Knowledge
from r2n.rules.literals import Literal
from r2n.rules.parse import parse_literal, parse_rule, parse_ruleset
from r2n.rules.ruleset import Rule, RuleSet
from r2n.table import Schema
from r2n.table.names import no_such_column


def read_knowledge(
    schema: Schema,
    empty: RuleSet | None,
    literals: Any = None,
    start: Any = None,
    fixed: Any = None,
    exclude: Any = None,
    apart: Any = None,
    monotone: Any = None,
) -> Knowledge:
    """Read the estimator's parameters of these names, checked against the columns and against each other.

    Parameters
    ----------
    schema : Schema
        The columns of the table.
    empty : RuleSet or None
        A rule set with the two labels; None if there are more classes, for which start, fixed and monotone mean
        nothing.
    literals : list of str or literals, optional
        Literals that learned rules may use.
    start : RuleSet, str or list, optional
        Rules that learning begins from.
    fixed : RuleSet, str or list, optional
        Rules that stay as they are.
    exclude : list of str, optional
        Columns that no learned rule may read.
    apart : list of groups of str, optional
        Columns of which no learned rule may read two.
    monotone : dict, optional
        The sign, 1 or -1, of columns.

    Returns
    -------
    Knowledge
        What was given, as objects.

    Raises
    ------
    ParameterError
        If a value cannot be read, names no column of the table, or contradicts another one.
    ParseError
        If a text is no literal, or no rule.

    Examples
    --------
    >>> schema, _ = Schema.learn({"income": [20, 30], "debt": [1, 9]})
    >>> read_knowledge(schema, RuleSet(), monotone={"debt": -1}).sign("debt")
    -1
    """
    if empty is None:
        for name, value in (("start", start), ("fixed", fixed), ("monotone", monotone)):
            if value is not None:
                raise ParameterError(f"{name} is for two classes, but y holds more. Leave it out.")
    found = Knowledge(
        literals=_literals(literals, schema),
        start=_rules("start", start, schema, empty),
        fixed=_rules("fixed", fixed, schema, empty),
        excluded=frozenset(_names("exclude", exclude, schema)),
        apart=_groups(apart, schema),
        signs=_signs(monotone, schema),
    )
    rest = Knowledge(excluded=found.excluded, apart=found.apart, signs=found.signs)
    for literal in found.literals:
        if not rest.permits(literal):
            hidden = rest.excluded & set(literal.columns)
            what = "exclude" if hidden else "apart" if rest.keeps_signs(literal) else "monotone"
            raise ParameterError(f"literals: `{literal.text(schema)}` goes against {what}. Change one of them.")
    for literal in (literal for rule in found.fixed for literal in rule.literals):
        if not rest.keeps_signs(literal):
            raise ParameterError(f"fixed: `{literal.text(schema)}` goes against monotone. Change one of them.")
    if found.excluded == set(schema.names):
        raise ParameterError("exclude names every column, which leaves none to learn from.")
    return found


def doubts(knowledge: Knowledge, schema: Schema) -> Iterator[str]:
    """Find what an expert may have mistyped: categories that no row has.

    Parameters
    ----------
    knowledge : Knowledge
        What the expert gave.
    schema : Schema
        The columns of the table.

    Yields
    ------
    str
        A sentence about each such category.

    Examples
    --------
    >>> schema, _ = Schema.learn({"region": ["north", "west"]})
    >>> (doubt,) = doubts(Knowledge(literals=(parse_literal("region in {nort}"),)), schema)
    >>> doubt.partition(" Did")[0]
    "literals: in `region in {nort}`, column 'region' never held 'nort'."
    """
    written = {"literals": [Rule(knowledge.literals)], "start": knowledge.start, "fixed": knowledge.fixed}
    for what, rules in written.items():
        for literal in (literal for rule in rules for literal in rule.literals):
            if problem := literal_problem(schema, literal):
                yield f"{what}: in `{literal}`, {problem}"


def _literals(texts: Any, schema: Schema) -> tuple[Literal, ...]:
    if texts is None:
        return ()
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise ParameterError(f"literals must be a list of texts such as 'age > 30', not {texts!r}.")
    return tuple(_check("literals", _parse("literals", text, parse_literal, schema), schema) for text in texts)


def _rules(what: str, given: Any, schema: Schema, empty: RuleSet | None) -> tuple[Rule, ...]:
    """Read a rule set, its text, or a list of rules or of their texts."""
    if given is None or empty is None:
        return ()
    if isinstance(given, str):
        given = _parse(what, given, parse_ruleset, schema)
    if isinstance(given, RuleSet):
        if (given.label, given.default) != (empty.label, empty.default):
            raise ParameterError(
                f"{what} has rules for {given.label!r} (else {given.default!r}), but these are to describe "
                f"{empty.label!r} (else {empty.default!r}). Change its labels, or `positive`."
            )
        given = given.rules
    if not isinstance(given, Iterable):
        raise ParameterError(f"{what} must be a RuleSet, its text, or a list of rules, not {given!r}.")
    read = (rule if isinstance(rule, Rule) else _parse(what, rule, parse_rule, schema) for rule in given)
    rules = tuple(dict.fromkeys(rule if isinstance(rule, Rule) else Rule((rule,)) for rule in read))
    for rule in rules:
        for literal in rule.literals:
            _check(what, literal, schema)
    return rules


def _parse(what: str, text: Any, parse: Any, schema: Schema) -> Any:
    """Parse a text, which must be about this table: errors point at the place."""
    if not isinstance(text, str):
        if isinstance(text, Literal):
            return text
        raise ParameterError(f"{what} must be given as text, not as {text!r}.")
    try:
        return parse(text, schema, unseen=True)
    except ParseError as error:
        raise ParseError(f"{what}: {error.problem}", error.line, error.column, error.source) from None


def _check(what: str, literal: Literal, schema: Schema) -> Literal:
    """Return the literal if it is about this table; categories that are not in it may be in other rows."""
    problem = literal_problem(schema, literal, unseen=True)
    if problem is not None:
        raise ParameterError(f"{what}: in `{literal}`, {problem}")
    return literal


def _names(what: str, names: Any, schema: Schema) -> tuple[str, ...]:
    if names is None:
        return ()
    if isinstance(names, str) or not isinstance(names, Collection) or not all(isinstance(n, str) for n in names):
        numbered = isinstance(names, Collection) and any(isinstance(name, int) for name in names)
        hint = " Write a column's number as text: '0', or 'x0' in a table without names." if numbered else ""
        wanted = "name columns" if what == "monotone" else "be a list of column names"
        raise ParameterError(f"{what} must {wanted}, not {names!r}.{hint}")
    for name in names:
        if name not in schema:
            raise ParameterError(f"{what}: " + no_such_column(name, schema.names, "the table"))
    return tuple(names)


def _groups(groups: Any, schema: Schema) -> tuple[frozenset[str], ...]:
    if groups is None:
        return ()
    if isinstance(groups, str) or not isinstance(groups, Collection) or any(isinstance(each, str) for each in groups):
        raise ParameterError(f"apart must be a list of groups such as [('age', 'region')], not {groups!r}.")
    read = tuple(frozenset(_names("apart", group, schema)) for group in groups)
    for group in read:
        if len(group) < 2:
            raise ParameterError(f"apart: a group needs at least two columns, not {sorted(group)}.")
    return read


def _signs(monotone: Any, schema: Schema) -> tuple[tuple[str, int], ...]:
    if monotone is None:
        return ()
    if not isinstance(monotone, Mapping):
        raise ParameterError(f"monotone must be a dict such as {{'debt': -1}}, not {monotone!r}.")
    _names("monotone", list(monotone), schema)
    for name, sign in monotone.items():
        if isinstance(sign, bool) or not isinstance(sign, int | float | np.number) or sign not in (1, -1):
            raise ParameterError(f"monotone: the sign of {name!r} must be 1 or -1, not {sign!r}.")
        if schema.column(name).kind != "numeric":
            raise ParameterError(f"monotone: {name!r} holds categories, which have no order. Leave it out.")
    return tuple(sorted((name, int(sign)) for name, sign in monotone.items()))
