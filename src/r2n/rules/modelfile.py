"""Rule sets in files: plain JSON, exact to the last bit, written whole or not at all. See docs/modelfile.md."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable

from r2n.errors import ModelFileError
from r2n.rules import limits
from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules
from r2n.rules.document import CLASSES_FORMAT, FORMAT, LEVELS_FORMAT, VERSION, from_text
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.tally import RuleCount
from r2n.rules.terms import Filled
from r2n.runtime.outputs import write_file


def save(rules: AnyRules, path: str | os.PathLike[str], like: str | os.PathLike[str] | None = None) -> None:
    """Write rules to a model file, whole or not at all.

    If writing fails, an old file of that name stays as it was.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
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


def load(path: str | os.PathLike[str]) -> AnyRules:
    """Read the rules in a model file.

    Parameters
    ----------
    path : path
        A file that `RuleSet.save` or `ClassRules.save` wrote.

    Returns
    -------
    RuleSet, ClassRules or LevelRules
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


def to_text(rules: AnyRules) -> str:
    """Write the content of a model file: the rules, and of their training rows no more than these read."""
    rules = rules.without_unread()
    columns = None if rules.schema is None else rules.schema.to_json()
    content = {**_describe_model(rules), "columns": columns, "training": _describe_baseline(rules)}
    # ASCII escapes, so that no editor and no terminal in between can change a name.
    return json.dumps(content, ensure_ascii=True, allow_nan=False, indent=1) + "\n"


def _describe_model(rules: AnyRules) -> dict[str, object]:
    match rules:
        case RuleSet():
            head, tail = {"format": FORMAT, "version": VERSION}, {"rules": _describe_rules(rules.rules)}
            return {**head, "label": rules.label, "default": rules.default, **tail}
        case ClassRules():
            classes = [{"label": label, "rules": _describe_rules(own)} for label, own in rules.branches]
            return {"format": CLASSES_FORMAT, "version": VERSION, "classes": classes, "default": rules.default}
        case LevelRules():
            levels = [
                {"name": name, "share": share, "rules": _describe_rules(own)}
                for (name, own), share in zip(rules.branches, rules.shares, strict=False)
            ]
            ends = {"levels": levels, "lowest": {"name": rules.default, "share": rules.shares[-1]}}
            said = {"positive": rules.positive, "negative": rules.negative, "threshold": rules.threshold}
            return {"format": LEVELS_FORMAT, "version": VERSION, **ends, **said}


def _count_rules(rules: AnyRules) -> int:
    """Count rules and classes; a rule set is one class."""
    return rules.n_rules + len(rules.branches)


def _describe_rules(rules: Iterable[Rule]) -> list[list[dict[str, object]]]:
    return [[_describe(literal) for literal in rule.literals] for rule in rules]


def _describe_baseline(rules: AnyRules) -> dict[str, object] | None:
    """List counts in the order of the rules; null for a rule that was not there. Tallies are written as lists."""
    base = rules.baseline
    if base is None:
        return None
    decided = None if base.decided is None else [tallies for _, tallies in base.decided]
    rules_counted = [_describe_count(counted) for counted in base.in_order_of(rules)]
    counts = {"rows": base.rows, "weight": base.weight, "rules": rules_counted, "decided": decided}
    return counts if base.threshold == 0.5 else {**counts, "threshold": base.threshold}


def _describe_count(counted: RuleCount | None) -> tuple[object, ...] | None:
    """Three tallies; if rows were held out, a fourth entry has the counts on them."""
    return counted[:3] if counted is not None and counted.held_out is None else counted


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
