"""Rename columns in rules, schemas and knowledge: once before learning, once after."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from r2n.rules.base import BaseRules
from r2n.rules.counts import Baseline
from r2n.rules.knowledge import Knowledge
from r2n.rules.literals import Halfspace, Known, Membership, Missing
from r2n.rules.rule import Rule
from r2n.rules.terms import Filled
from r2n.table import Scaling, Schema

T = TypeVar("T")


def rename_columns(value: T, names: Mapping[str, str]) -> T:
    """Rename the columns that rules, or parts of rules, read.

    New names may change the order in which terms, literals and rules are printed. A sum of three or more terms is then
    added up in that order, so its last bits may differ.

    Parameters
    ----------
    value : column name, literal, Rule, model, Knowledge, Schema, Scaling, Baseline, tuple or None
        What reads or describes columns. A tuple is renamed item by item; None stays None.
    names : mapping
        The new name of each column.

    Returns
    -------
    same type
        The same object over columns of other names.

    Raises
    ------
    TypeError
        If the value is of another type.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> print(rename_columns(RuleSet.parse("yes if x - 2·y > 3 or y is missing else no"), {"x": "income", "y": "debt"}))
    yes if income - 2·debt > 3
        or debt is missing
    else no
    """
    renamed: Any = _rename(value, names)
    return renamed  # type: ignore[no-any-return]


def _rename(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case None:
            return None
        case str():
            return names[value]
        case tuple():
            return tuple(_rename(each, names) for each in value)
        case Filled() | Membership() | Missing() | Known():
            return replace(value, column=names[value.column])
        case Halfspace(terms, threshold):
            return Halfspace(tuple((_rename(key, names), a) for key, a in terms), threshold)
        case Rule(literals):
            return Rule(_rename(literals, names))
        case BaseRules():
            return _rename_model(value, names)
        case Schema() | Scaling():
            return value.renamed(names)
        case Baseline():
            return replace(value, rules=tuple((label, _rename(rule, names), n) for label, rule, n in value.rules))
        case Knowledge():
            return _rename_knowledge(value, names)
    raise TypeError(f"nothing in {type(value).__name__} can be renamed: it holds no columns.")


def _rename_model(model: Any, names: Mapping[str, str]) -> Any:
    """Rename rules and schema at once, for rules must fit their schema."""
    bare = model.with_schema(None).with_baseline(None)
    rules = bare.with_branches(_rename(branch, names) for _, branch in model.branches)
    return rules.with_schema(_rename(model.schema, names)).with_baseline(_rename(model.baseline, names))


def _rename_knowledge(knowledge: Knowledge, names: Mapping[str, str]) -> Knowledge:
    return Knowledge(
        literals=_rename(knowledge.literals, names),
        start=_rename(knowledge.start, names),
        fixed=_rename(knowledge.fixed, names),
        excluded=frozenset(names[name] for name in knowledge.excluded),
        apart=tuple(frozenset(names[name] for name in group) for group in knowledge.apart),
        signs=tuple((names[name], sign) for name, sign in knowledge.signs),
    )
