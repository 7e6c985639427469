"""One row as rules read it, and how far apart two values of a column are."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from r2n.errors import ParameterError, SchemaError
from r2n.prove import Row
from r2n.rules import ClassRules, Halfspace, RuleSet
from r2n.rules.text import write_number, write_value
from r2n.table import Table, Value
from r2n.table.names import no_such_column

Rules = RuleSet | ClassRules


def one_row(rules: Rules, row: object) -> Table:
    """Read a row (a dict or a series of values, or a table of one row) as a table of the columns that the rules read.

    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> one_row(rules, {"x": 4, "y": 0}).numeric("x")
    array([4.])
    """
    if not isinstance(row, Mapping | Table) and hasattr(row, "to_dict") and getattr(row, "ndim", 2) == 1:
        row = row.to_dict()  # a pandas Series
    if isinstance(row, Mapping) and not any(_holds_rows(value) for value in row.values()):
        row = {name: _cell(value) for name, value in row.items()}
    table = rules.table(row)
    if table.n_rows != 1:
        raise ParameterError(f"one row is explained at a time, but {table.n_rows} came. Give one of them.")
    absent = [name for name in rules.columns if name not in table.names]
    if absent:
        raise SchemaError(
            f"the row has no value for {', '.join(map(repr, absent))}. Give one, or None if it is missing."
        )
    return table


def _holds_rows(value: object) -> bool:
    return isinstance(value, list | tuple) or getattr(value, "ndim", 0) > 0


def _cell(value: object) -> np.ndarray[Any, np.dtype[np.object_]]:
    return np.array([value, None], dtype=object)[:1]


def values_in(rules: Rules, table: Table) -> Row:
    """The values of a row: numbers as floats where they are compared, categories as they are, None where missing."""
    compared = {name for literal in rules.literals if isinstance(literal, Halfspace) for name in literal.compared}
    return {name: _value(rules, table, name, name in compared) for name in rules.columns}


def _value(rules: Rules, table: Table, name: str, compared: bool) -> Value | None:
    numeric = table.kind(name) if rules.schema is None else rules.schema.column(name).kind
    if compared or numeric == "numeric":
        number = float(table.numeric(name)[0])
        return None if math.isnan(number) else number
    codes, values = table.codes(name)
    return values[codes[0]] if codes[0] >= 0 else None


def table_of(row: Row) -> Table:
    """Turn a row into a table."""
    return Table.read(_cells(row))


def _cells(row: Row) -> dict[str, np.ndarray[Any, np.dtype[np.object_]]]:
    return {name: _cell(value) for name, value in row.items()}


def predict_row(rules: Rules, row: Row | Table) -> Value:
    """Predict one row; rules without columns predict the same for every row."""
    # Not as a table, in which the codes of missing values would mean what they say.
    asked = row if isinstance(row, Table) else _cells(row) or Table.read({"": [0.0]})
    label: Value = rules.predict(asked).tolist()[0]
    return label


def require_column(rules: Rules, name: object, what: str) -> None:
    """Refuse a column that the rules cannot know."""
    known = rules.columns if rules.schema is None else rules.schema.names
    if name not in known:
        raise ParameterError(f"{what}: " + no_such_column(str(name), known, "the model"))


def spreads(rules: Rules, given: object = None) -> dict[str, float]:
    """Find one spread of each compared column: the given number, a table's standard deviation, or the schema's range.

    >>> spreads(RuleSet.parse("yes if x + y > 3 else no"), {"x": 2.0})
    {'x': 2.0, 'y': 1.0}
    """
    names = sorted({name for each in rules.literals if isinstance(each, Halfspace) for name in each.compared})
    found = {name: _range(rules, name) for name in names}
    if isinstance(given, Mapping) and not any(_holds_rows(value) for value in given.values()):
        for name in given:
            require_column(rules, name, "spread")
        read = {str(name): _positive(str(name), spread) for name, spread in given.items()}
        found |= {name: spread for name, spread in read.items() if name in found}
    elif given is not None:
        table = rules.table(given)
        found |= {name: _deviation(table, name) for name in names}
    return found


def _range(rules: Rules, name: str) -> float:
    if rules.schema is None:
        return 1.0
    spread = rules.schema.column(name).high - rules.schema.column(name).low
    return spread if 0.0 < spread < math.inf else 1.0


def _deviation(table: Table, name: str) -> float:
    known = table.numeric(name)[table.known(name)]
    spread = float(known.std()) if known.size else 0.0
    return spread if 0.0 < spread < math.inf else 1.0


def _positive(name: str, spread: object) -> float:
    if isinstance(spread, bool) or not isinstance(spread, int | float | np.number) or not 0.0 < spread < math.inf:
        raise ParameterError(f"the spread of {name!r} must be a number above 0, not {spread!r}.")
    return float(spread)


def write_short(value: Value | None) -> str:
    """Write a value for a person: numbers short, a missing value by name."""
    if value is None:
        return "missing"
    if not isinstance(value, float):
        return write_value(value)
    return f"{value:.0f}" if 1e6 <= abs(value) < 1e15 and value.is_integer() else f"{value:.6g}"


def write_exact(value: Value | None) -> str:
    """Write a value to the last digit, so that it reads back exactly."""
    return write_number(value) if isinstance(value, float) else write_short(value)
