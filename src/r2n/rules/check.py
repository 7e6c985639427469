"""What a schema has to say about a column or a category that a person wrote: the problem, or None."""

from __future__ import annotations

import math
from itertools import chain

from r2n.rules.literals import Halfspace, Literal, sets_of
from r2n.rules.text import write_name, write_value
from r2n.table import Column, Schema, Value
from r2n.table.cells import shown
from r2n.table.names import near, no_such_column


def column_problem(schema: Schema, name: str, compared: bool = False) -> str | None:
    """Say why a literal cannot read this column, or (`compared`) not compare it with a number.

    >>> schema, _ = Schema.learn({"age": [31, 58], "region": ["north", "west"]})
    >>> column_problem(schema, "regoin")
    "the schema has no column 'regoin'. Did you mean 'region'? Its columns are: 'age', 'region'."
    >>> column_problem(schema, "region", compared=True)
    "column 'region' holds categories, which cannot be compared with a number. Write `region in {north}`."
    """
    if name not in schema:
        return no_such_column(name, schema.names, "the schema")
    column = schema.column(name)
    if not compared or column.kind == "numeric":
        return None
    example = f" Write `{write_name(name)} in {{{write_value(column.categories[0])}}}`." if column.categories else ""
    return f"column {name!r} holds categories, which cannot be compared with a number.{example}"


def ratio_problem(schema: Schema, name: str) -> str | None:
    """Say why no ratio can be over this column: below zero, the difference it stands for says another thing.

    >>> schema, _ = Schema.learn({"income": [-3.5, 40.0]})
    >>> ratio_problem(schema, "income")
    "column 'income' goes down to -3.5, where a ratio turns round. Write p - r·income > 0 for p/income > r."
    """
    column = schema.column(name)
    if not column.low < 0:
        return None
    read = write_name(name)
    if math.isinf(column.low):
        return f"nothing is known of the range of column {name!r}. Write p - r·{read} > 0 for p/{read} > r."
    words = f"column {name!r} goes down to {column.low:.4g}, where a ratio turns round."
    return f"{words} Write p - r·{read} > 0 for p/{read} > r."


def category_problem(schema: Schema, name: str, value: Value, unseen: bool = False) -> str | None:
    """Say why a value cannot be a category of this column of the schema; `unseen` ones may be allowed.

    >>> schema, _ = Schema.learn({"age": [31, 58], "region": ["north", "west"]})
    >>> category_problem(schema, "region", "nort")
    "column 'region' never held 'nort'. Did you mean 'north'? Its 2 categories are: 'north', 'west'."
    >>> category_problem(schema, "age", "old")
    "column 'age' holds numbers, and never 'old'. Compare it, as in `age > 44.5`."
    """
    column = schema.column(name)
    if schema.is_code(name, value):
        return f"in column {name!r}, {shown(value)} stands for a missing value. Write `{write_name(name)} is missing`."
    if column.kind == "numeric":
        if not isinstance(value, str):
            return None
        return f"column {name!r} holds numbers, and never {shown(value)}. Compare it, as in `{_comparison(column)}`."
    if unseen or not column.categories or schema.holds(name, value):
        return None
    return f"column {name!r} never held {shown(value)}.{_nearest(value, column.categories)}"


def literal_problem(schema: Schema, literal: Literal, unseen: bool = False) -> str | None:
    """Find the first problem of a literal, or None; `unseen` categories may be allowed."""
    compared = frozenset(literal.compared if isinstance(literal, Halfspace) else ())
    read = (column_problem(schema, name, name in compared) for name in literal.columns)
    named = ((one.column, value) for one in sets_of(literal) for value in one.values)
    held = (category_problem(schema, column, value, unseen) for column, value in named)
    return next(filter(None, chain(read, held)), None)


def _comparison(column: Column) -> str:
    middle = column.low / 2 + column.high / 2
    return f"{write_name(column.name)} > {middle if math.isfinite(middle) else 0:.4g}"


def _nearest(value: Value, categories: tuple[Value, ...]) -> str:
    texts = [category for category in categories if isinstance(category, str)]
    meant = near(str(value), texts)
    hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
    some = ", ".join(map(shown, categories[:10])) + (", …" if len(categories) > 10 else "")
    return f"{hint} Its {len(categories)} categories are: {some}."
