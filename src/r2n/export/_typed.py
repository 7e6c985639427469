"""Rules as typed targets see them: one type for each column, cases in turn, one type for all labels.

PMML, ONNX and DMN give every column a type. What a column of that type cannot hold is taken out of the sets here,
once, so that each format writes only what can be.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from r2n.errors import ParameterError
from r2n.export._plain import decisions, missing_codes, summed_columns
from r2n.export._types import Type, keep_of_type, type_of
from r2n.rewrite.expand import expand_rule
from r2n.rules import ClassRules, Known, Literal, Membership, Rule, RuleSet
from r2n.rules.text import write_value
from r2n.table import Value

LabelType: TypeAlias = OneOf["integer", "number", "text", "boolean", "mixed"]


@dataclass(frozen=True, slots=True)
class Field:
    """A column: its type, and the values of that type that stand for a missing one."""

    name: str
    type: Type
    codes: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class NumberedRule:
    """A rule, its number in printed order from 1 on, and the label it gives."""

    number: int
    rule: Rule
    label: Value


@dataclass(frozen=True, slots=True)
class Typed:
    """Cases, asked in turn, over typed columns; where none is true, the default.

    A rule whose sums count sets or fill columns may be several cases of the same number, one after the other.
    """

    cases: tuple[NumberedRule, ...]
    fields: dict[str, Field]
    default: Value
    label_type: LabelType


def cases(rules: RuleSet | ClassRules) -> tuple[NumberedRule, ...]:
    """List every rule with its number and label, in the order in which they are asked.

    >>> [(case.number, case.label) for case in cases(ClassRules.parse("a if x > 1 or y > 1 else b if z > 1 else c"))]
    [(1, 'a'), (2, 'a'), (3, 'b')]
    """
    return tuple(NumberedRule(number, rule, label) for number, (rule, label) in enumerate(decisions(rules), start=1))


def assign_types(rules: RuleSet | ClassRules, largest: int = 2**63 - 1, keeps_sums: bool = False) -> Typed:
    """Put the rules over typed columns, and drop those that can never be true; rules keep their numbers.

    Labels that are whole numbers are written as text if one is beyond `largest`, the target's largest integer. Sums
    that count sets or fill columns stay as they are if the target `keeps_sums`; to others they are told case by case.
    """
    summed = set(summed_columns(rules))
    fields = {name: _field(rules, name, name in summed) for name in rules.columns}
    kind = _label_type([*rules.labels, rules.default], largest)
    kept = []
    for case in cases(rules):
        for rule in (case.rule,) if keeps_sums else expand_rule(case.rule):
            literals = [_retype(literal, fields) for literal in rule.literals]
            if None not in literals:
                told = Rule(tuple(literal for literal in literals if literal is not None))
                kept.append(NumberedRule(case.number, told, _as_label(case.label, kind)))
    return Typed(tuple(kept), fields, _as_label(rules.default, kind), kind)


def _label_type(labels: list[Value], largest: int) -> LabelType:
    """The one type of all labels; "mixed" if they have several."""
    kinds = {type(label) for label in labels}
    if kinds == {int} and max(abs(int(label)) for label in labels) <= largest:
        return "integer"
    names: dict[type, LabelType] = {bool: "boolean", float: "number", str: "text"}
    return names.get(kinds.pop(), "mixed") if len(kinds) == 1 else "mixed"


def _as_label(label: Value, kind: LabelType) -> Value:
    """Write a label; as text if labels have several types, which keeps them apart: 3 and "3" with its quotes."""
    return write_value(label) if kind == "mixed" else label


def _field(rules: RuleSet | ClassRules, name: str, summed: bool) -> Field:
    """Make a column's field; of numbers where it is summed up (Booleans too), or where nothing is known."""
    found = "number" if summed else type_of(rules, name)
    kind: Type = "number" if found == "unknown" else found
    return Field(name, kind, keep_of_type(missing_codes(rules, name), kind, name))


def _retype(literal: Literal, fields: dict[str, Field]) -> Literal | None:
    """Keep of a literal only the categories that its column can hold; None if it is never true."""
    if not isinstance(literal, Membership):
        return literal
    values = keep_of_type(literal.values, fields[literal.column].type, literal.column)
    if values:
        return Membership(literal.column, values, literal.negated)
    return Known(literal.column) if literal.negated else None


def output_names(prediction: str, rule: str, taken: Collection[str], gap: str = " ") -> tuple[str, str]:
    """Name the label's and the rule number's output: as is wanted, or with a number if that is taken.

    >>> output_names("prediction", "rule", {"x", "rule"}), output_names("p", "p", {"x"})
    (('prediction', 'rule 2'), ('p', 'p 2'))
    """
    if not prediction or not rule:
        raise ParameterError("prediction and rule must be names, not empty. Name both, or leave them out.")
    label = free_name(prediction, taken, gap)
    return label, free_name(rule, {*taken, label}, gap)


def free_name(wanted: str, taken: Collection[str], gap: str = " ") -> str:
    """Find a free name: the wanted one, or the same with a number if it is taken.

    >>> free_name("sum", {"x"}), free_name("sum", {"sum", "sum 2"})
    ('sum', 'sum 3')
    """
    names = (wanted if k == 1 else f"{wanted}{gap}{k}" for k in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
