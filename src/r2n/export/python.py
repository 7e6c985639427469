"""Python source that imports nothing: it runs wherever an interpreter does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from r2n.export._plain import Syntax, counted_columns, decisions, long_sums, missing_codes, summed_columns
from r2n.export._types import cells_of
from r2n.rules import ClassRules, Filled, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.table import Value

SUFFIX = ".py"

_HEAD = '''\
"""Rules written by r2n. A row is a mapping from columns to cells; None and NaN are missing values."""

'''

_BODY = '''

def predict(row):
    """The label of a row."""
    return LABELS[rule(row)]


def rule(row):
    """The number of the first rule that is true in a row, 0 if none is."""
    cell = {name: _cell(name, row[name]) for name in COLUMNS}
    number = {name: _number(name, cell[name]) for name in NUMBERS}
'''

_FOOT = '''

def _cell(name, cell):
    """A cell as text, number or Boolean; None if it is missing."""
    kind = type(cell).__name__
    if cell is None or kind in ("NAType", "NaTType") or cell != cell:
        return None
    if kind in ("bool", "bool_"):
        cell = bool(cell)
    elif hasattr(cell, "__index__"):
        cell = cell.__index__()
    elif not isinstance(cell, str):
        if not hasattr(cell, "__float__"):  # float() also reads bytes
            raise TypeError(f"column {name!r} holds {cell!r}: only numbers, text, Booleans and None are read")
        cell = float(cell)
        if cell - cell != 0.0:
            raise ValueError(f"column {name!r} holds {cell}: infinite values are not read, None is")
    held, codes = COLUMNS[name]
    if (type(cell) is bool, cell) in codes:
        return None
    text = isinstance(cell, str)
    if {"text": not text, "numbers": text, "Booleans": text or cell not in (0, 1)}.get(held):
        raise TypeError(f"column {name!r} held {held} at fit but holds {cell!r}: convert it to {held}")
    return cell


def _number(name, cell):
    """A cell as a float, NaN if it is missing: no comparison with NaN is true."""
    if isinstance(cell, str):
        raise TypeError(f"column {name!r} holds {cell!r} where a number was expected: convert it")
    return float("nan") if cell is None else float(cell)
'''


def write(rules: RuleSet | ClassRules) -> str:
    """A module with `predict(row)` and `rule(row)`.

    >>> source = write(RuleSet.parse("yes if income - 2.1·debt > 12.5 and region not in {west} else no"))
    >>> print(source[source.index("    if (") : source.index("    return 0")])
        if (
            number['income'] - 2.1 * number['debt'] > 12.5
            and cell['region'] not in {None, 'west'}
        ):
            return 1
    """
    asked = decisions(rules)
    labels = (rules.default, *(label for _, label in asked))
    columns = {name: (cells_of(rules, name), _codes(rules, name)) for name in rules.columns}
    constants = (
        f"LABELS = {labels!r}  # by the number of the rule that decides\n"
        f"COLUMNS = {columns!r}  # what each held at fit, and the values that stand for missing ones\n"
        f"NUMBERS = {summed_columns(rules)!r}\n"
    )
    names = long_sums(rules)
    sums = (f"    {name} = {step}\n" for literal, name in names.items() for step in _SYNTAX.steps(literal, name))
    branches = (_branch(rule, k, names) for k, (rule, _) in enumerate(asked, start=1))
    return "".join((_HEAD, constants, _BODY, *sums, *branches, "    return 0\n", _FOOT))


def _codes(rules: RuleSet | ClassRules, name: str) -> tuple[tuple[bool, Value], ...]:
    """0 and 0.0 are the same code, False is another."""
    return tuple((type(code) is bool, code) for code in missing_codes(rules, name))


def _branch(rule: Rule, number: int, names: Mapping[Halfspace, str]) -> str:
    condition = "\n        and ".join(_literal(literal, names) for literal in rule.literals) or "True"
    return f"    if (\n        {condition}\n    ):\n        return {number}\n"


def _literal(literal: Literal, names: Mapping[Halfspace, str] = MappingProxyType({})) -> str:
    match literal:
        case Halfspace():
            known = (f"{_literal(Known(name))} and " for name in counted_columns(literal))
            return "".join(known) + _SYNTAX.halfspace(literal, names.get(literal))
        case Membership(name, values, negated):
            # A missing value is outside of no set.
            listed = ", ".join(map(repr, (None, *values) if negated else values))
            return f"cell[{name!r}] {'not in' if negated else 'in'} {{{listed}}}"
        case Missing(name):
            return f"cell[{name!r}] is None"
        case Known(name):
            return f"cell[{name!r}] is not None"


def _number(name: str) -> str:
    return f"number[{name!r}]"


def _write_filled(key: Filled) -> str:
    return f"({key.fill!r} if {_literal(Missing(key.column))} else {_number(key.column)})"


def _points(one: Membership | Missing, a: float) -> str:
    """Floats, not whole numbers: those would be added up without rounding."""
    return f"({a!r} if {_literal(one)} else 0.0)"


_SYNTAX = Syntax(_number, _write_filled, _points)
