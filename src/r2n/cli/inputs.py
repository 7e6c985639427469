"""Cells as text: what a cell of a file, or a word of a command line, means to a model."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from r2n.rules import AnyRules, Halfspace, sets_of
from r2n.rules.text import write_value
from r2n.table import Column, Value
from r2n.table.cells import distinct_values, value_id
from r2n.table.files import MISSING, Cells, read_table

if TYPE_CHECKING:
    import pandas as pd

Read: TypeAlias = Callable[[str], Value | None]


def read_rows(rules: AnyRules, path: Path, target: str | None = None) -> pd.DataFrame:
    """Read a table from a file, as the model's schema says; the cells of a CSV as `reader` reads them.

    The target, if it is no column of the model, holds labels of the rules.
    """
    columns = rules.schema.columns if rules.schema is not None else ()
    codes = {each.name: [code for code in each.missing_values if isinstance(code, str)] for each in columns}
    values = {name: values_of(rules, name) for name in columns_of(rules)}
    cells = {name: _cells(known, reader(rules, name)) for name, known in values.items() if known}
    if target is not None and target not in values:
        labels = labels_of(rules)
        cells[target] = _cells(labels, _reader(labels))
    return read_table(path, codes, cells)


def reader(rules: AnyRules, name: str) -> Read:
    """Make what reads a column's texts: as categories, as numbers, as nothing where they stand for a missing value.

    >>> from r2n import RuleSet
    >>> rules = RuleSet.parse('yes if c in {NA, 1} and x > 2 else no')
    >>> [reader(rules, "c")(text) for text in ("NA", "null", "1.0", "7", "b")]
    ['NA', None, 1, 7.0, 'b']
    """
    column = _column(rules, name)
    return _reader(values_of(rules, name), () if column is None else column.missing_values)


def _reader(values: Collection[Value], codes: Collection[Value] = ()) -> Read:
    known, code = _finder(values), _finder(codes)
    # Among texts a number that was never seen is a text too. Elsewhere it is the number.
    texts = bool(values) and all(isinstance(value, str) for value in values)

    def read(text: str) -> Value | None:
        found = known(text)
        if found is not None:
            return found
        if text in MISSING or code(text) is not None:
            return None
        number = None if texts else _number(text)
        return text if number is None else number

    return read


def _cells(values: Iterable[Value], read: Read) -> Cells:
    return Cells(read, frozenset(value for value in values if isinstance(value, str) and value.startswith(" ")))


# -- what is known of a column -----------------------------------------------------------------------


def columns_of(rules: AnyRules) -> tuple[str, ...]:
    """The columns of the table learned from, or those that the rules read."""
    return rules.columns if rules.schema is None else rules.schema.names


def labels_of(rules: AnyRules) -> list[Value]:
    """The labels that are predicted, the default last."""
    return list(distinct_values([*rules.targets, *rules.answers, *rules.classes]))


def values_of(rules: AnyRules, name: str) -> tuple[Value, ...]:
    """The categories that the schema or the rules name in a column; none if it holds numbers."""
    column = _column(rules, name)
    literals = [each for each in rules.literals if name in each.columns]
    compared = any(isinstance(each, Halfspace) and name in each.compared for each in literals)
    if compared if column is None else column.kind == "numeric":
        return ()
    named = (value for each in literals for one in sets_of(each) if one.column == name for value in one.values)
    return (*(() if column is None else column.categories), *named)


def _column(rules: AnyRules, name: str) -> Column | None:
    return None if rules.schema is None else rules.schema.column(name)


# -- values by how they are written ------------------------------------------------------------------


def find_label(labels: Iterable[Value], text: str) -> Value:
    """Find the label (or category) that is written so; the text itself if none is.

    >>> find_label([0.0, 1.0], "1"), find_label([True, False], "true"), find_label([1, "1"], '"1"')
    (1.0, True, '1')
    """
    found = _finder(labels)(text)
    return text if found is None else found


def _finder(values: Iterable[Value]) -> Read:
    """Make what finds the value that is written so, None if none is. There may be thousands: each is looked at once."""
    known = list(values)
    written = {str(value): value for value in known} | {write_value(value): value for value in known}
    truths = {str(value).lower(): value for value in known if isinstance(value, bool)}
    numbers = {value_id(value): value for value in known if not isinstance(value, str | bool)}

    def find(text: str) -> Value | None:
        if text in written:
            return written[text]
        number = _number(text)
        return truths.get(text.lower()) if number is None else numbers.get(value_id(number))

    return find


def _number(text: str) -> float | None:
    """Read a text as a number, None if it is none; one with underscores is none, because only Python reads it."""
    try:
        number = math.nan if "_" in text else float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
