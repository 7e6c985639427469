"""The content of a model file, read strictly: what is not exactly a model is refused. See docs/modelfile.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from r2n.errors import ModelFileError, ParameterError, SchemaError
from r2n.rules import limits
from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Filled, Key
from r2n.rules.training import check_fields, read_baseline, read_number
from r2n.table import Schema, Value
from r2n.table.cells import shown

FORMAT, CLASSES_FORMAT, LEVELS_FORMAT = "r2n rule set", "r2n rules for several classes", "r2n risk levels"
VERSION = 1

Branches: TypeAlias = tuple[tuple[Value, tuple[Rule, ...]], ...]

_FIELDS = {
    FORMAT: frozenset({"format", "version", "label", "default", "rules", "columns", "training"}),
    CLASSES_FORMAT: frozenset({"format", "version", "classes", "default", "columns", "training"}),
    LEVELS_FORMAT: frozenset(
        {"format", "version", "levels", "lowest", "positive", "negative", "threshold", "columns", "training"}
    ),
}
_AGAIN = "Fit the rules again with this r2n, or read the file with the one that wrote it."


def from_text(text: str) -> AnyRules:
    """Read the content of a model file.

    >>> from r2n.rules.modelfile import to_text
    >>> rules = RuleSet.parse("yes if x0/x1 > 0.1 or region is missing else no")
    >>> from_text(to_text(rules)) == rules
    True
    """
    _refuse(limits.excess(text))
    try:
        return _read(_read_json(text))
    except RecursionError:
        raise ModelFileError("nested too deeply to be a rule set.") from None


def _refuse(too_much: str | None) -> None:
    if too_much is not None:
        raise ModelFileError(f"holds {too_much} are read. Give a file written by RuleSet.save.")


def _read(document: Any) -> AnyRules:
    _check_format(document)
    columns = document["columns"]
    readers = {FORMAT: _read_ruleset, CLASSES_FORMAT: _read_classes, LEVELS_FORMAT: _read_levels}
    try:
        schema = None if columns is None else Schema.from_json(columns)
        rules, branches = readers[document["format"]](document)
        rules = rules.with_schema(schema)
        return rules.with_baseline(read_baseline(document["training"], rules, branches)).without_unread()
    except (ParameterError, SchemaError) as error:
        raise ModelFileError(str(error)) from None


def _read_ruleset(document: dict[str, Any]) -> tuple[AnyRules, Branches]:
    branches = _branches([{field: document[field] for field in ("label", "rules")}], "classes", "label")
    return RuleSet(*branches[0][::-1], _value(document["default"])), branches


def _read_classes(document: dict[str, Any]) -> tuple[AnyRules, Branches]:
    branches = _branches(document["classes"], "classes", "label")
    return ClassRules(branches, _value(document["default"])), branches


def _read_levels(document: dict[str, Any]) -> tuple[AnyRules, Branches]:
    levels, lowest = document["levels"], document["lowest"]
    branches = _branches(levels, "levels", "name", "share")
    if not isinstance(lowest, dict):
        raise ModelFileError(f"lowest must be an object, not {shown(lowest)}.")
    check_fields(lowest, {"name", "share"}, "lowest")
    shares = tuple(read_number(level["share"]) for level in [*levels, lowest])
    positive, negative = _value(document["positive"]), _value(document["negative"])
    named: Any = branches  # that they are texts is checked where a name is
    threshold = read_number(document["threshold"])
    return LevelRules(named, lowest["name"], shares, positive, negative, threshold), branches


def _branches(items: object, what: str, name: str, *others: str) -> Branches:
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ModelFileError(f"{what} must be a list of objects.")
    for item in items:
        check_fields(item, {name, "rules", *others}, f"each of the {what}")
    n_rules = sum(len(item["rules"]) for item in items if isinstance(item["rules"], list))
    _refuse(limits.excess_of_rules(len(items) + n_rules))
    return tuple((_value(item[name]), _rules(item["rules"])) for item in items)


def _rules(items: object) -> tuple[Rule, ...]:
    if not isinstance(items, list) or not all(isinstance(rule, list) for rule in items):
        raise ModelFileError("rules must be a list of lists of literals.")
    return tuple(Rule(tuple(_literal(item) for item in rule)) for rule in items)


def _read_json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_without_repeats)
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"not complete JSON ({error}). The file may be half-written; save the rules again."
        ) from None
    except ModelFileError:
        raise
    except ValueError as error:  # a number with too many digits
        raise ModelFileError(f"not a rule set: {error}.") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ModelFileError(f"holds {name}, but every number of a rule must be finite.")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ModelFileError("a field is given twice. The file was changed by hand; save the rules again.")
    return found


def _check_format(document: Any) -> None:
    if not isinstance(document, dict) or document.get("format") not in list(_FIELDS):
        raise ModelFileError("not an r2n rule set. Give a file written by RuleSet.save.")
    version = document.get("version")
    if type(version) is not int or version != VERSION:
        raise ModelFileError(
            f"has version {shown(version)} of the format, but this r2n reads version {VERSION} alone. {_AGAIN}"
        )
    if "training" not in document:
        raise ModelFileError(f"has no training, as files of earlier versions. {_AGAIN}")
    check_fields(document, _FIELDS[document["format"]], "a rule set")


def _literal(item: object) -> Literal:
    if not isinstance(item, dict):
        raise ModelFileError(f"a literal must be an object, not {shown(item)}.")
    readers: dict[str, Callable[[dict[str, Any]], Literal]] = {
        "halfspace": _halfspace,
        "membership": _membership,
        "missing": lambda item: Missing(_column(item, {"kind", "column"})),
        "known": lambda item: Known(_column(item, {"kind", "column"})),
    }
    kind = item.get("kind")
    if not isinstance(kind, str) or kind not in readers:
        raise ModelFileError(f"a literal has the unknown kind {shown(kind)}; known are {sorted(readers)}.")
    return readers[kind](item)


def _halfspace(item: dict[str, Any]) -> Halfspace:
    check_fields(item, {"kind", "terms", "threshold"}, "a halfspace")
    if not isinstance(item["terms"], list):
        raise ModelFileError(f"the terms of a halfspace must be a list, not {shown(item['terms'])}.")
    return Halfspace.of([_term(term) for term in item["terms"]], read_number(item["threshold"]))


def _term(term: object) -> tuple[Key, float]:
    match term:
        case [dict() as item, coefficient] if item.get("kind") == "membership":
            return _membership(item), read_number(coefficient)
        case [dict() as item, coefficient] if item.get("kind") == "filled":
            return Filled(_column(item, {"kind", "column", "fill"}), read_number(item["fill"])), read_number(
                coefficient
            )
        case [name, coefficient]:
            return _name(name), read_number(coefficient)
        case _:
            raise ModelFileError(f"a term of a halfspace must be a column and a number, not {shown(term)}.")


def _membership(item: dict[str, Any]) -> Membership:
    column = _column(item, {"kind", "column", "values", "negated"})
    if not isinstance(item["values"], list) or not isinstance(item["negated"], bool):
        raise ModelFileError(f"membership of {shown(column)}: values must be a list, negated true or false.")
    return Membership(column, tuple(_value(value) for value in item["values"]), item["negated"])


def _column(item: dict[str, Any], fields: set[str]) -> str:
    check_fields(item, fields, f"a literal of kind {item['kind']!r}")
    return _name(item["column"])


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise ModelFileError(f"a column's name must be text, not {shown(name)}.")
    return name


def _value(value: object) -> Value:
    if not isinstance(value, str | bool | int | float):
        raise ModelFileError(f"a category or label must be text, a number or a Boolean, not {shown(value)}.")
    return value
