"""Rule sets in files: plain JSON, exact to the last bit, written whole or not at all. See docs/modelfile.md."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, NoReturn

from r2n.errors import ModelFileError, ParameterError, SchemaError
from r2n.rules import limits
from r2n.rules.classes import ClassRules
from r2n.rules.counts import Baseline, RuleCount, owner_of
from r2n.rules.literals import Filled, Halfspace, Key, Known, Literal, Membership, Missing
from r2n.rules.ruleset import Rule, RuleSet
from r2n.runtime.outputs import write_file
from r2n.table import Schema, Value
from r2n.table.cells import shown

FORMAT, CLASSES_FORMAT = "r2n rule set", "r2n rules for several classes"
# Version 1 has no `training` and no `integer` columns, version 2 no sets in sums, version 3 no filled columns. What is
# written is the first version that can say it.
VERSION, SETS_VERSION, PLAIN_VERSION = 4, 3, 2

_FIELDS = {
    FORMAT: frozenset({"format", "version", "label", "default", "rules", "columns"}),
    CLASSES_FORMAT: frozenset({"format", "version", "classes", "default", "columns"}),
}


def save(rules: RuleSet | ClassRules, path: str | os.PathLike[str], like: str | os.PathLike[str] | None = None) -> None:
    """Write rules to a model file, whole or not at all.

    If writing fails, an old file of that name stays as it was.

    Parameters
    ----------
    rules : RuleSet or ClassRules
        The rules.
    path : path
        Where to write them.
    like : path, optional
        A file whose permissions the new one gets; by default those of the file that it replaces.

    Raises
    ------
    ModelFileError
        If the rules are more than a model file may hold.
    OutputError
        If no file can be written there.

    Examples
    --------
    >>> import tempfile
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(rules, f"{folder}/model.json")
    ...     load(f"{folder}/model.json") == rules
    True
    """
    text = to_text(rules)
    too_much = limits.excess(text) or limits.excess_of_rules(_count_rules(rules))
    if too_much is not None:
        raise ModelFileError(
            f"the rules and their columns take {too_much} are read back. "
            f"Leave out columns with many categories, such as names."
        )
    write_file(path, text.encode("ascii"), like)


def load(path: str | os.PathLike[str]) -> RuleSet | ClassRules:
    """Read the rules in a model file.

    Parameters
    ----------
    path : path
        A file that `RuleSet.save` or `ClassRules.save` wrote.

    Returns
    -------
    RuleSet or ClassRules
        The rules, equal to those that were saved.

    Raises
    ------
    ModelFileError
        If the file is anything else than a model file; the error names the file.
    OSError
        If the file cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     RuleSet.parse("yes if x > 3 else no").save(f"{folder}/model.json")
    ...     print(load(f"{folder}/model.json"))
    yes if x > 3
    else no
    """
    with open(path, "rb") as file:
        data = file.read(limits.MOST_BYTES + 1)
    if len(data) > limits.MOST_BYTES:
        raise ModelFileError(f"{path}: larger than {limits.MOST_BYTES:,} bytes. Give a file written by RuleSet.save.")
    try:
        return from_text(data.decode("utf-8-sig"))  # some editors put a mark before the text
    except UnicodeDecodeError:
        raise ModelFileError(f"{path}: not a text in UTF-8. Give a file written by RuleSet.save.") from None
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None


def to_text(rules: RuleSet | ClassRules) -> str:
    """The content of a model file: the rules, and of their training rows no more than these read."""
    rules = rules.without_unread()
    columns = None if rules.schema is None else rules.schema.to_json()
    literals = (literal for rule in rules.rules for literal in rule.literals)
    version = max(map(_version, literals), default=PLAIN_VERSION)
    if isinstance(rules, ClassRules):
        classes = [{"label": label, "rules": _describe_rules(each)} for label, each in rules.branches]
        content = {"format": CLASSES_FORMAT, "version": version, "classes": classes, "default": rules.default}
    else:
        content = {"format": FORMAT, "version": version, "label": rules.label, "default": rules.default}
        content["rules"] = _describe_rules(rules.rules)
    content |= {"columns": columns, "training": _describe_baseline(rules)}
    # ASCII escapes, so that no editor and no terminal in between can change a name.
    return json.dumps(content, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def from_text(text: str) -> RuleSet | ClassRules:
    """The rules that `to_text` wrote.

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


def _read(document: Any) -> RuleSet | ClassRules:
    _check_format(document)
    columns, whole = document["columns"], document["version"] > 1
    default = _value(document["default"])
    try:
        schema = None if columns is None else Schema.from_json(columns, whole)
        single = document["format"] == FORMAT
        branches = _branches(
            [{field: document[field] for field in ("label", "rules")}] if single else document["classes"]
        )
        counts = _baseline(document.get("training"), branches)
        if single:
            return RuleSet(*branches[0][::-1], default, schema, counts).without_unread()
        return ClassRules(branches, default, schema, counts).without_unread()
    except (ParameterError, SchemaError) as error:
        raise ModelFileError(str(error)) from None


def _branches(items: object) -> tuple[tuple[Value, tuple[Rule, ...]], ...]:
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ModelFileError("classes must be a list of objects.")
    for item in items:
        _check_fields(item, {"label", "rules"}, "a class")
    n_rules = sum(len(item["rules"]) for item in items if isinstance(item["rules"], list))
    _refuse(limits.excess_of_rules(len(items) + n_rules))
    return tuple((_value(item["label"]), _rules(item["rules"])) for item in items)


def _baseline(item: object, branches: Sequence[tuple[Value, tuple[Rule, ...]]]) -> Baseline | None:
    if item is None:
        return None
    if not isinstance(item, dict):
        raise ModelFileError(f"training must be an object or null, not {shown(item)}.")
    _check_fields(item, {"rows", "right", "rules"}, "training")
    owners = [(label, rule) for label, rules in branches for rule in rules]
    if not isinstance(item["rules"], list) or len(item["rules"]) != len(owners):
        raise ModelFileError(f"training must have counts, or null, for each of the {len(owners)} rules.")
    rows = _count(item["rows"], 2**53)
    known: dict[Hashable, tuple[Value, Rule, RuleCount]] = {}
    for owner, counts in zip(owners, item["rules"], strict=True):
        counted = None if counts is None else _read_rule_count(counts, rows)
        if counted is not None and known.setdefault(owner_of(*owner), (*owner, counted))[2] != counted:
            raise ModelFileError("a rule stands twice, with different counts. Keep one of them.")
    right = None if item["right"] is None else _count(item["right"], rows)
    return Baseline(rows, right, tuple(known.values()))


def _read_rule_count(counts: object, rows: int) -> RuleCount:
    match counts:
        case [covered, positives]:
            return RuleCount(_count(covered, rows), _count(positives, _count(covered, rows)))
        case _:
            raise ModelFileError(f"the counts of a rule must be two numbers, not {shown(counts)}.")


def _count(number: object, most: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
        raise ModelFileError(f"a count must be a whole number from 0 to {most}, not {shown(number)}.")
    return number


def _rules(items: object) -> tuple[Rule, ...]:
    if not isinstance(items, list) or not all(isinstance(rule, list) for rule in items):
        raise ModelFileError("rules must be a list of lists of literals.")
    return tuple(Rule(tuple(_literal(item) for item in rule)) for rule in items)


def _count_rules(rules: RuleSet | ClassRules) -> int:
    """Rules and classes; a rule set is one class."""
    return rules.n_rules + (1 if isinstance(rules, RuleSet) else len(rules))


def _describe_rules(rules: Iterable[Rule]) -> list[list[dict[str, object]]]:
    return [[_describe(literal) for literal in rule.literals] for rule in rules]


def _describe_baseline(rules: RuleSet | ClassRules) -> dict[str, object] | None:
    """Counts in the order of the rules; null for a rule that was not there."""
    if rules.baseline is None:
        return None
    counted = rules.baseline.in_order_of(rules)
    return {
        "rows": rules.baseline.rows,
        "right": rules.baseline.right_of(rules),
        "rules": [None if each is None else list(each) for each in counted],
    }


def _version(literal: Literal) -> int:
    """The first version that can say it."""
    if not isinstance(literal, Halfspace):
        return PLAIN_VERSION
    return VERSION if literal.fills else SETS_VERSION if literal.sets else PLAIN_VERSION


def _describe(literal: Literal | Filled) -> dict[str, object]:
    match literal:
        case Filled(column, fill):
            return {"kind": "filled", "column": column, "fill": fill}
        case Halfspace(terms, threshold):
            pairs = [[key if isinstance(key, str) else _describe(key), coefficient] for key, coefficient in terms]
            return {"kind": "halfspace", "terms": pairs, "threshold": threshold}
        case Membership(column, values, negated):
            return {"kind": "membership", "column": column, "values": list(values), "negated": negated}
        case Missing(column):
            return {"kind": "missing", "column": column}
        case Known(column):
            return {"kind": "known", "column": column}


# -- reading, strictly ------------------------------------------------------------------------------


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
    if type(version) is not int or not 1 <= version <= VERSION:
        newer = type(version) is int and version > VERSION
        raise ModelFileError(
            f"has version {shown(version)} of the format, but this r2n reads versions 1 to {VERSION}. "
            + ("Install a newer r2n, or save the rules with this one." if newer else "Save the rules again.")
        )
    _check_fields(document, _FIELDS[document["format"]] | ({"training"} if version > 1 else set()), "a rule set")


def _check_fields(item: Mapping[str, Any], fields: frozenset[str] | set[str], what: str) -> None:
    if set(item) != set(fields):
        found = ", ".join(map(shown, sorted(item)[:10])) + (", …" if len(item) > 10 else "")
        raise ModelFileError(f"{what} must have exactly the fields {sorted(fields)}, not {found or 'none'}.")


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
    _check_fields(item, {"kind", "terms", "threshold"}, "a halfspace")
    if not isinstance(item["terms"], list):
        raise ModelFileError(f"the terms of a halfspace must be a list, not {shown(item['terms'])}.")
    return Halfspace.of([_term(term) for term in item["terms"]], _number(item["threshold"]))


def _term(term: object) -> tuple[Key, float]:
    match term:
        case [dict() as item, coefficient] if item.get("kind") == "membership":
            return _membership(item), _number(coefficient)
        case [dict() as item, coefficient] if item.get("kind") == "filled":
            return Filled(_column(item, {"kind", "column", "fill"}), _number(item["fill"])), _number(coefficient)
        case [name, coefficient]:
            return _name(name), _number(coefficient)
        case _:
            raise ModelFileError(f"a term of a halfspace must be a column and a number, not {shown(term)}.")


def _membership(item: dict[str, Any]) -> Membership:
    column = _column(item, {"kind", "column", "values", "negated"})
    if not isinstance(item["values"], list) or not isinstance(item["negated"], bool):
        raise ModelFileError(f"membership of {shown(column)}: values must be a list, negated true or false.")
    return Membership(column, tuple(_value(value) for value in item["values"]), item["negated"])


def _column(item: dict[str, Any], fields: set[str]) -> str:
    _check_fields(item, fields, f"a literal of kind {item['kind']!r}")
    return _name(item["column"])


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise ModelFileError(f"a column's name must be text, not {shown(name)}.")
    return name


def _number(number: object) -> float:
    # A Boolean is an int to Python, but not a number here.
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise ModelFileError(f"a number was expected, not {shown(number)}.")
    try:
        read = float(number)
    except OverflowError:
        read = math.inf
    if not math.isfinite(read):
        raise ModelFileError("a number is too large for a float.")
    return read


def _value(value: object) -> Value:
    if not isinstance(value, str | bool | int | float):
        raise ModelFileError(f"a category or label must be text, a number or a Boolean, not {shown(value)}.")
    return value
