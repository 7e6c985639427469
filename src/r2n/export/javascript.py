"""JavaScript source: two plain functions, for a browser, node or a database that runs it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType

from r2n.errors import ParameterError
from r2n.export._plain import Syntax, counted_columns, decisions, long_sums, missing_codes, summed_columns
from r2n.export._types import cells_of, double
from r2n.rules import ClassRules, Filled, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.rules.text import write_number
from r2n.table import Value
from r2n.table.cells import shown

SUFFIX = ".js"
HELP = {
    "module": "esm, commonjs or none: how the functions are exported",
}

MODULES = {"none": "", "esm": "\nexport { predict, rule };\n", "commonjs": "\nmodule.exports = { predict, rule };\n"}

_HEAD = """\
// Rules written by r2n. A row is an object with a property for each column; null and NaN are missing values.
"""

_READING = """\
  const cells = new Map(columns.map(([name, held, codes]) => [name, read(name, held, codes)]));
  const cell = (name) => cells.get(name);
  const numbers = new Map(summed.map((name) => [name, readNumber(name)]));
  const number = (name) => numbers.get(name);

  // A cell as text or number; null if it is missing.
  function read(name, held, codes) {
    let value = row[name];
    if (typeof value === "bigint") value = Number(value);
    if (value === null || Number.isNaN(value) || codes.includes(value)) return null;
    const isText = typeof value === "string";
    if (!isText && typeof value !== "boolean" && !Number.isFinite(value)) {
      throw new TypeError(`column ${JSON.stringify(name)} holds ${String(value)}, no text, finite number or Boolean`);
    }
    const other = { text: !isText, numbers: isText, Booleans: isText || ![0, 1].includes(Number(value)) };
    if (other[held]) {
      const found = `${JSON.stringify(name)} held ${held} at fit but holds ${JSON.stringify(value)}`;
      throw new TypeError(`column ${found}: convert it to ${held}`);
    }
    return typeof value === "boolean" ? Number(value) : value;
  }

  // A cell as a number, NaN if it is missing: no comparison with NaN is true.
  function readNumber(name) {
    if (typeof cell(name) === "string") {
      throw new TypeError(`column ${JSON.stringify(name)} holds text where a number was expected: convert it`);
    }
    return cell(name) === null ? NaN : cell(name);
  }
"""


def write(rules: RuleSet | ClassRules, *, module: str = "none") -> str:
    """The functions `predict(row)` and `rule(row)`, exported as the kind of `module` asks: esm, commonjs or none.

    >>> source = write(RuleSet.parse("yes if income - 2.1·debt > 12.5 and region not in {west} else no"))
    >>> print(source[source.index("  if (number") : source.index("  return 0")])
      if (number("income") - 2.1 * number("debt") > 12.5
        && ![null, "west"].includes(cell("region"))) return 1;
    """
    if module not in MODULES:
        raise ParameterError(f"module must be one of {', '.join(MODULES)}, not {shown(module)}.")
    asked = decisions(rules)
    labels = ", ".join(_value(label, "a label") for label in (rules.default, *(label for _, label in asked)))
    columns = ", ".join(
        f"[{_text(name)}, {_text(cells_of(rules, name))}, [{_codes(rules, name)}]]" for name in rules.columns
    )
    summed = ", ".join(map(_text, summed_columns(rules)))
    names = long_sums(rules)
    sums = (line for literal, name in names.items() for line in _sum(literal, name))
    branches = (_branch(rule, k, names) for k, (rule, _) in enumerate(asked, start=1))
    return "".join(
        (
            f"{_HEAD}\n",
            "// The label of a row.\n",
            f"function predict(row) {{\n  return [{labels}][rule(row)];\n}}\n\n",
            "// The number of the first rule that is true in a row, 0 if none is.\n",
            "function rule(row) {\n",
            f"  const columns = [{columns}]; // what each held at fit, and the values that stand for missing ones\n",
            f"  const summed = [{summed}];\n",
            f"{_READING}\n",
            *sums,
            *branches,
            "  return 0;\n}\n",
            MODULES[module],
        )
    )


def _sum(literal: Halfspace, name: str) -> list[str]:
    first, *others = _SYNTAX.steps(literal, name)
    return [f"  let {name} = {first};\n", *(f"  {name} = {step};\n" for step in others)]


def _branch(rule: Rule, number: int, names: Mapping[Halfspace, str]) -> str:
    condition = "\n    && ".join(_literal(literal, names) for literal in rule.literals) or "true"
    return f"  if ({condition}) return {number};\n"


def _literal(literal: Literal, names: Mapping[Halfspace, str] = MappingProxyType({})) -> str:
    match literal:
        case Halfspace():
            known = (f"{_literal(Known(name))} && " for name in counted_columns(literal))
            return "".join(known) + _SYNTAX.halfspace(literal, names.get(literal))
        case Membership(name, values, negated):
            listed = [_category(value, name) for value in values]
            # A missing value is outside of no set.
            return f"{'!' if negated else ''}[{', '.join(['null'] * negated + listed)}].includes(cell({_text(name)}))"
        case Missing(name):
            return f"cell({_text(name)}) === null"
        case Known(name):
            return f"cell({_text(name)}) !== null"


def _number(name: str) -> str:
    return f"number({_text(name)})"


def _write_filled(key: Filled) -> str:
    return f"({_literal(Missing(key.column))} ? {write_number(key.fill)} : {_number(key.column)})"


def _points(one: Membership | Missing, a: float) -> str:
    return f"({_literal(one)} ? {write_number(a)} : 0)"


_SYNTAX = Syntax(_number, _write_filled, _points)


def _codes(rules: RuleSet | ClassRules, name: str) -> str:
    return ", ".join(_value(code, f"a missing value of column {shown(name)}") for code in missing_codes(rules, name))


def _category(value: Value, name: str) -> str:
    """Write a category, a Boolean as a number: rules do not tell 1 from true, and cells are read likewise."""
    return _value(int(value) if isinstance(value, bool) else value, f"a category of column {shown(name)}")


def _value(value: Value, what: str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case _:
            return write_number(double(value, what))


def _text(text: str) -> str:
    """Write a text that nothing can end early: neither a quote, nor a line's end, nor a script's end in HTML."""
    return json.dumps(text, ensure_ascii=not text.isprintable()).replace("<", "\\u003c")
