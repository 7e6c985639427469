"""DMN 1.3: a decision table of which the first line that is true decides (hit policy FIRST), in FEEL.

Each input of the table is a column or a sum of columns, each line a rule. A missing value is null: no comparison with
null is true, and `not in` excludes null too. Numbers of FEEL are decimals, not floats: rows within
rounding errors of a boundary may be decided otherwise than here.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from decimal import Decimal

from r2n.errors import ParameterError
from r2n.export._typed import Field, Typed, assign_types, free_name, output_names
from r2n.export._xml import Element, document, element, is_xml
from r2n.rules import ClassRules, Halfspace, Known, Literal, Membership, Missing, RuleSet
from r2n.rules.text import join_signed, write_name, write_number
from r2n.table import Value

SUFFIX = ".dmn"
HELP = {
    "prediction": "the name of the output that is the label",
    "rule": "the name of the output that is the rule's number",
}

_TYPES = {"number": "number", "integer": "number", "text": "string", "mixed": "string", "boolean": "boolean"}

_MOST_CELLS = 200_000  # every rule has a cell for every sum that any rule asks of

# Words that FEEL reads otherwise than as a name.
_WORDS = frozenset(
    ("and", "between", "context", "date", "else", "every", "external", "false", "for", "function", "if", "in",
     "instance", "not", "null", "of", "or", "return", "satisfies", "some", "then", "time", "true")
)  # fmt: skip


def write(rules: RuleSet | ClassRules, *, prediction: str = "prediction", rule: str = "rule") -> str:
    """A decision called `decision`, with the outputs `prediction` (the label) and `rule` (its number, 0 if none).

    A column keeps its name if that is a plain word; else it is called `column_1` …, and its name is the label.
    """
    found = assign_types(rules)
    names = _variables(tuple(found.fields))
    prediction, rule = prediction.replace(" ", "_"), rule.replace(" ", "_")
    label, number = output_names(prediction, rule, set(names.values()), gap="_")
    outputs = {label: _TYPES[found.label_type], number: "number"}
    inputs = [_input_data(field, names[field.name]) for field in found.fields.values()]
    name = _free("decision", names.values())
    needs = [_requirement(k, variable) for k, variable in enumerate(names.values(), start=1)]
    decision = element("decision", {"id": "decide", "name": name}, element("variable", {"id": "decided", "name": name}),
                       *needs, _table(found, names, outputs))  # fmt: skip
    space = {"xmlns": "https://www.omg.org/spec/DMN/20191111/MODEL/", "namespace": "https://r2n.invalid/rules"}
    return document(element("definitions", {**space, "id": "rules", "name": "rules"}, *inputs, decision))


def _variables(columns: tuple[str, ...]) -> dict[str, str]:
    """Give each column a name of FEEL: its own, or another that no column has."""
    return {
        column: column if _is_plain(column) else _free(f"column_{k}", columns) for k, column in enumerate(columns, 1)
    }


def _is_plain(name: str) -> bool:
    return re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", name) is not None and name.lower() not in _WORDS


def _free(name: str, taken: Iterable[str]) -> str:
    return free_name(name, set(taken), gap="_")


def _requirement(k: int, name: str) -> Element:
    return element("informationRequirement", {"id": f"needs_{k}"}, element("requiredInput", {"href": f"#input_{name}"}))


def _input_data(field: Field, name: str) -> Element:
    label = field.name if field.name and is_xml(field.name) else write_name(field.name)
    variable = element("variable", {"id": f"variable_{name}", "name": name, "typeRef": _TYPES[field.type]})
    return element("inputData", {"id": f"input_{name}", "name": name, "label": label}, variable)


# -- the table --------------------------------------------------------------------------------------


def _table(found: Typed, names: dict[str, str], outputs: dict[str, str]) -> Element:
    lines = [[test for literal in case.rule.literals for test in _tests(literal, found.fields, names)]
             for case in found.cases]  # fmt: skip
    # A rule that reads an input twice (x > 1 and x < 3) needs that input twice.
    inputs: Counter[str] = Counter()
    for line in lines:
        inputs |= Counter(expression for expression, _ in line)
    heads = list(inputs.elements())
    if len(heads) * len(lines) > _MOST_CELLS:
        raise ParameterError(
            f"the decision table would have {len(lines):,} lines under {len(heads):,} inputs, but at most "
            f"{_MOST_CELLS:,} cells are written. Fit again with max_rules, or export to python, javascript or pmml."
        )
    kinds = {names[field.name]: _TYPES[field.type] for field in found.fields.values()}
    clauses = [_clause(k, head, kinds.get(head, "number")) for k, head in enumerate(heads, start=1)]
    results = [element("output", {"id": f"output_{k}", "name": name, "label": name, "typeRef": kind})
               for k, (name, kind) in enumerate(outputs.items(), start=1)]  # fmt: skip
    pairs = zip(found.cases, lines, strict=True)
    ruled = [_line(k, _spread(line, heads), case.label, case.number) for k, (case, line) in enumerate(pairs, start=1)]
    otherwise = _line(0, ["-"] * len(heads), found.default, 0)
    return element("decisionTable", {"id": "table", "hitPolicy": "FIRST"}, *clauses, *results, *ruled, otherwise)


def _clause(k: int, expression: str, kind: str) -> Element:
    inner = element("inputExpression", {"id": f"expression_{k}", "typeRef": kind}, _text(expression))
    return element("input", {"id": f"clause_{k}", "label": expression}, inner)


def _line(line: int, tests: list[str], label: Value, number: int) -> Element:
    """Write a line of the table; a rule has several if its sums count sets."""
    entries = [element("inputEntry", {"id": f"entry_{line}_{k}"}, _text(test)) for k, test in enumerate(tests, 1)]
    results = [element("outputEntry", {"id": f"result_{line}_{k}"}, _text(_constant(result)))
               for k, result in enumerate((label, number), start=1)]  # fmt: skip
    return element("rule", {"id": f"rule_{line}"}, *entries, *results)


def _spread(line: list[tuple[str, str]], heads: list[str]) -> list[str]:
    """Put the tests of a rule under their inputs, `-` where it has none."""
    left: dict[str, list[str]] = defaultdict(list)
    for head, test in reversed(line):
        left[head].append(test)
    return [left[head].pop() if left[head] else "-" for head in heads]


def _text(text: str) -> Element:
    return element("text", {}, text=text)


# -- literals, as inputs and tests of them ----------------------------------------------------------


def _tests(literal: Literal, fields: dict[str, Field], names: dict[str, str]) -> list[tuple[str, str]]:
    """Yield pairs of an expression and what is asked of it; codes for missing values are excluded like null itself."""
    match literal:
        case Halfspace():
            coded = [name for name in literal.columns if fields[name].codes]
            return [_comparison(literal, names), *((names[name], _none_of(fields[name].codes)) for name in coded)]
        case Membership(column, values, negated):
            codes = fields[column].codes
            if negated:
                return [(names[column], _none_of((*values, *codes)))]
            return [(names[column], _any_of(values)), *([(names[column], _none_of(codes))] if codes else [])]
        case Missing(column):
            return [(names[column], _any_of(fields[column].codes, "null"))]
        case Known(column):
            return [(names[column], _none_of(fields[column].codes))]


def _comparison(literal: Halfspace, names: dict[str, str]) -> tuple[str, str]:
    read = literal.comparison()
    columns = ((names[key], a) for key, a in read.terms if isinstance(key, str))  # sums are cases of numbers alone here
    total = join_signed((a < 0.0, _product(name, abs(a))) for name, a in columns)
    return total, f"{read.operator} {_number(read.bound)}"


def _product(name: str, a: float) -> str:
    return name if a == 1.0 else f"{_number(a)} * {name}"


def _any_of(values: Iterable[Value], *more: str) -> str:
    return ", ".join([*dict.fromkeys(map(_constant, values)), *more])


def _none_of(values: Iterable[Value]) -> str:
    return f"not({_any_of(values, 'null')})"


def _constant(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else _number(value)


def _number(number: float) -> str:
    """Write a number without an exponent, which FEEL has not."""
    return f"{Decimal(write_number(number) if isinstance(number, float) else number):f}"
