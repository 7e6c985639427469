"""PMML 4.4: a RuleSetModel of which the first rule that is true decides.

A halfspace of several columns is a derived field (the sum, from left to right, of two numbers at a time), compared
with its threshold. A predicate that reads a missing value is UNKNOWN in PMML, also `isNotIn`, and a rule that is
UNKNOWN does not fire: the meaning is ours.
"""

from __future__ import annotations

from functools import reduce
from itertools import chain, count, groupby
from typing import TypeAlias

from r2n.errors import ParameterError
from r2n.export._typed import Field, NumberedRule, Typed, assign_types, cases, free_name, output_names
from r2n.export._xml import Element, document, element
from r2n.rules import ClassRules, Halfspace, Known, Literal, Membership, Missing, RuleSet
from r2n.table import Value

SUFFIX = ".pmml"
HELP = {
    "prediction": "the name of the output that is the label",
    "rule": "the name of the output that is the rule's number",
}

Sum: TypeAlias = tuple[tuple[str, float], ...]

# A sum beyond all floats is infinite, or no number (inf - inf), and compared as such.
_AS_IS = {"invalidValueTreatment": "asIs"}

_LARGEST = 2**31 - 1  # what evaluators take for an integer
_LONGEST = 500  # terms of a sum: each is nested in the next, and readers of XML and of PMML go only so deep
_TYPES = {"number": "double", "integer": "integer", "text": "string", "mixed": "string", "boolean": "boolean"}


def write(rules: RuleSet | ClassRules, *, prediction: str = "prediction", rule: str = "rule") -> str:
    """A PMML document; it gives the label, called `prediction`, and the number of the rule that gave it.

    >>> print(write(RuleSet.parse("yes if x > 3 else no")).split("<RuleSet ")[1].rstrip())
    defaultScore="no" defaultConfidence="1">
       <RuleSelectionMethod criterion="firstHit" />
       <SimpleRule id="1" score="yes">
        <Extension extender="r2n" name="rule" value="x &gt; 3" />
        <SimplePredicate field="x" operator="greaterThan" value="3.0" />
       </SimpleRule>
      </RuleSet>
     </RuleSetModel>
    </PMML>
    """
    found = assign_types(rules, _LARGEST)
    if "" in found.fields:
        raise ParameterError("a column has an empty name, which PMML has no place for. Rename it.")
    target, rule = output_names(prediction, rule, found.fields)
    header = element("Header", {"description": "Classification rules"}, element("Application", {"name": "r2n"}))
    words = {case.number: case.rule.text(rules.schema) for case in cases(rules)}
    model = _model(found, target, rule, words)
    root = {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"}
    return document(element("PMML", root, header, _dictionary(found, target), model))


def _dictionary(found: Typed, target: str) -> Element:
    fields = [_data_field(field) for field in found.fields.values()]
    labels = dict.fromkeys([*(case.label for case in found.cases), found.default])
    values = [element("Value", {"value": _text(label)}) for label in labels]
    kind = {"name": target, "optype": "categorical", "dataType": _TYPES[found.label_type]}
    return element("DataDictionary", {"numberOfFields": str(len(fields) + 1)}, *fields,
                   element("DataField", kind, *values))  # fmt: skip


def _data_field(field: Field) -> Element:
    optype = "continuous" if field.type == "number" else "categorical"
    codes = [element("Value", {"value": _text(code), "property": "missing"}) for code in field.codes]
    return element("DataField", {"name": field.name, "optype": optype, "dataType": _TYPES[field.type]}, *codes)


def _model(found: Typed, target: str, rule: str, words: dict[int, str]) -> Element:
    taken = {*found.fields, target, rule}
    sums = _name_sums(found, taken)
    derived = [element("LocalTransformations", {}, *(_derive(s, name) for s, name in sums.items()))] if sums else []
    default = {"defaultScore": _text(found.default), "defaultConfidence": "1"}  # without it JPMML gives no default
    ruleset = element("RuleSet", default, element("RuleSelectionMethod", {"criterion": "firstHit"}),
                      *(_simple_rule(group, sums, words) for group in _by_number(found)))  # fmt: skip
    output = _output(free_name(f"output {target}", taken), _TYPES[found.label_type], rule)
    kind = {"modelName": "r2n", "functionName": "classification"}
    return element("RuleSetModel", kind, _mining_schema(found, target), output, *derived, ruleset)


def _mining_schema(found: Typed, target: str) -> Element:
    # A category never seen is a value like any other: it is `not in` any set.
    use = {"usageType": "active", "invalidValueTreatment": "asIs"}
    inputs = [element("MiningField", {"name": name, **use}) for name in found.fields]
    return element("MiningSchema", {}, *inputs, element("MiningField", {"name": target, "usageType": "target"}))


def _output(label: str, label_type: str, rule: str) -> Element:
    """Write the label once more, for engines that show nothing but outputs, and the number of the rule that gave it."""
    said = {"name": label, "optype": "categorical", "dataType": label_type, "feature": "predictedValue"}
    number = {"name": rule, "optype": "categorical", "dataType": "string", "feature": "entityId"}
    return element("Output", {}, element("OutputField", said), element("OutputField", number))


_OPERATORS = {">": "greaterThan", ">=": "greaterOrEqual", "<": "lessThan", "<=": "lessOrEqual"}

# -- sums -------------------------------------------------------------------------------------------


def _is_plain(literal: Halfspace) -> bool:
    """Whether it compares a column as it is: x > c, or -x > c, which is x < -c."""
    return len(literal.terms) == 1 and abs(literal.terms[0][1]) == 1.0


def _mirror(literal: Halfspace) -> Sum:
    return tuple((name, -a) for name, a in literal.numbers)


def _name_sums(found: Typed, taken: set[str]) -> dict[Sum, str]:
    """Name each sum that must be derived."""
    literals = [literal for case in found.cases for literal in case.rule.literals]
    sums = dict.fromkeys(_mirror(s) for s in literals if isinstance(s, Halfspace) and not _is_plain(s))
    free = (name for name in chain(["sum"], (f"sum {k}" for k in count(2))) if name not in taken)
    return dict(zip(sums, free, strict=False))


def _derive(terms: Sum, name: str) -> Element:
    if len(terms) > _LONGEST:
        raise ParameterError(
            f"a sum has {len(terms)} columns, but PMML nests sums, and at most {_LONGEST} are written. "
            f"Fit again with max_columns, or export to python or onnx."
        )
    products = [_product(column, a) for column, a in terms]
    total = reduce(lambda left, right: element("Apply", {"function": "+", **_AS_IS}, left, right), products)
    return element("DerivedField", {"name": name, "optype": "continuous", "dataType": "double"}, total)


def _product(column: str, a: float) -> Element:
    reference = element("FieldRef", {"field": column})
    if a == 1.0:
        return reference
    constant = element("Constant", {"dataType": "double"}, text=repr(a))
    return element("Apply", {"function": "*", **_AS_IS}, constant, reference)


# -- rules ------------------------------------------------------------------------------------------


def _by_number(found: Typed) -> list[list[NumberedRule]]:
    """Split a rule into its cases: more than one if it counts sets, or fills columns, in its sums."""
    return [list(group) for _, group in groupby(found.cases, key=lambda case: case.number)]


def _simple_rule(group: list[NumberedRule], sums: dict[Sum, str], words: dict[int, str]) -> Element:
    number, label = group[0].number, group[0].label
    either = [_join("and", [_predicate(literal, sums) for literal in case.rule.literals]) for case in group]
    printed = element("Extension", {"extender": "r2n", "name": "rule", "value": words[number]})
    return element("SimpleRule", {"id": str(number), "score": _text(label)}, printed, _join("or", either))


def _join(operator: str, predicates: list[Element]) -> Element:
    """Join predicates into one; True if there are none, as in an empty rule."""
    match predicates:
        case []:
            return element("True")
        case [whole]:
            return whole
        case _:
            return element("CompoundPredicate", {"booleanOperator": operator}, *predicates)


def _predicate(literal: Literal, sums: dict[Sum, str]) -> Element:
    match literal:
        case Halfspace(((str(column), 1.0 | -1.0),), _):
            read = literal.comparison()
            return _compare(column, _OPERATORS[read.operator], read.bound)
        case Halfspace(_, threshold):
            # The mirror image, because a sum that is no number (inf - inf) is above every number to
            # engines that follow Java's order, and must not be true.
            return _compare(sums[_mirror(literal)], "lessThan", -threshold)
        case Membership(column, values, negated):
            return _membership(column, values, negated)
        case Missing(column):
            return element("SimplePredicate", {"field": column, "operator": "isMissing"})
        case Known(column):
            return element("SimplePredicate", {"field": column, "operator": "isNotMissing"})


def _compare(field: str, operator: str, number: float) -> Element:
    return element("SimplePredicate", {"field": field, "operator": operator, "value": repr(number + 0.0)})


def _membership(column: str, values: tuple[Value, ...], negated: bool) -> Element:
    if any(isinstance(value, str) and ('"' in value or "\\" in value) for value in values):
        return _one_by_one(column, values, negated)
    kind = "string" if isinstance(values[0], str | bool) else "real"
    words = " ".join(_array_item(value) for value in values)
    array = element("Array", {"type": kind, "n": str(len(values))}, text=words)
    operator = "isNotIn" if negated else "isIn"
    return element("SimpleSetPredicate", {"field": column, "booleanOperator": operator}, array)


def _one_by_one(column: str, values: tuple[Value, ...], negated: bool) -> Element:
    """Compare with one value after the other: engines differ in how they read quotes and backslashes in arrays."""
    operator, join = ("notEqual", "and") if negated else ("equal", "or")
    each = [element("SimplePredicate", {"field": column, "operator": operator, "value": _text(v)}) for v in values]
    return _join(join, each)


def _array_item(value: Value) -> str:
    return f'"{value}"' if isinstance(value, str) else _text(value)


def _text(value: Value) -> str:
    """Write a value in its shortest form that reads back exactly."""
    return str(value).lower() if isinstance(value, bool) else str(value)
