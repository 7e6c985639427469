"""`missing_values`: which values of a column stand for a missing one."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from r2n.errors import SchemaError
from r2n.table.cells import Value, shown
from r2n.table.column import value_or_none
from r2n.table.names import no_such_column


def read_missing_values(given: object, names: tuple[str, ...]) -> dict[str, tuple[Value, ...]]:
    """Read which values stand for a missing one, for each column."""
    if given is None:
        return dict.fromkeys(names, ())
    by_column = given if isinstance(given, Mapping) else dict.fromkeys(names, given)
    for name in by_column:
        if not isinstance(name, str):
            raise SchemaError(f"missing_values names the column {name!r}. Write its name as text: {str(name)!r}.")
        if name not in names:
            raise SchemaError("missing_values: " + no_such_column(name, names, "the table"))
    return {name: _codes_of(by_column.get(name, ())) for name in names}


def _codes_of(given: object) -> tuple[Value, ...]:
    if isinstance(given, str | bytes | Iterator) or not isinstance(given, Iterable):
        came = f"a {type(given).__name__}" if isinstance(given, Iterator) else repr(given)
        raise SchemaError(f"missing_values must be a list such as [-7, -8], or a dict of such lists, not {came}.")
    codes = []
    for cell in given:
        value = value_or_none(cell)
        if value is None and isinstance(cell, float | np.floating) and math.isinf(cell):
            raise SchemaError("missing_values: infinity stands for nothing. Replace it by NaN before, in the table.")
        if value is None:
            raise SchemaError(f"missing_values: {shown(cell)} is no text, number or Boolean, or missing itself.")
        codes.append(value)
    return tuple(codes)
