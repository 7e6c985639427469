"""Which type a column has where columns have types, as in a database, and what a column of that type can hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias

from r2n.errors import ParameterError
from r2n.export._plain import schema_column
from r2n.rules import ClassRules, Halfspace, RuleSet, sets_of
from r2n.table import Value
from r2n.table.cells import shown

Type: TypeAlias = Literal["number", "boolean", "text", "unknown"]


def type_of(rules: RuleSet | ClassRules, name: str) -> Type:
    """Find the type of a column: by the schema, or else by what the rules ask of it.

    >>> rules = RuleSet.parse("yes if x > 3 and z in {a} and f in {True} and m is missing else no")
    >>> [type_of(rules, name) for name in rules.columns]
    ['boolean', 'unknown', 'number', 'text']
    """
    column = schema_column(rules, name)
    if column is not None and column.kind == "numeric":
        return "number"
    seen = column.categories if column is not None and column.categories else _tested_values(rules, name)
    found = type_of_values(seen)
    if found == "unknown" and column is not None:
        return "text"  # a column of categories, of which none was kept: those of numbers and Booleans tell theirs
    if found == "mixed":
        raise ParameterError(
            f"column {shown(name)} holds text and numbers ({', '.join(map(shown, seen[:4]))}), "
            f"but the target gives every column one type. Turn it into text, and fit again."
        )
    if found == "text" and any(isinstance(each, Halfspace) and name in each.compared for each in rules.literals):
        raise ParameterError(f"column {shown(name)} is compared as a number, but holds text. Change one or the other.")
    return found


def type_of_values(values: Iterable[Value]) -> Type | Literal["mixed"]:
    """Find the type that values share.

    >>> type_of_values([1, 2.5]), type_of_values([True, False]), type_of_values([1, True]), type_of_values(["1", 1])
    ('number', 'boolean', 'number', 'mixed')
    """
    kinds = {type(value) for value in values}
    if not kinds:
        return "unknown"
    if kinds in ({str}, {bool}):
        return "text" if kinds == {str} else "boolean"
    return "mixed" if str in kinds else "number"


def cells_of(rules: RuleSet | ClassRules, name: str) -> str:
    """Say of what kind a column's cells must be, as at fit; "anything" if that is not known, or mixed.

    >>> from r2n.table import Schema
    >>> schema, _ = Schema.learn({"x": [1, 2], "z": ["a", "b"], "f": [True, False]})
    >>> rules = RuleSet.parse("yes if x in {1} or z in {a} or f in {True} else no")
    >>> [cells_of(rules.with_schema(schema), name) for name in schema.names], cells_of(rules, "x")
    (['numbers', 'text', 'Booleans'], 'anything')
    """
    column = schema_column(rules, name)
    if column is None:
        return "anything"
    found = "number" if column.kind == "numeric" else type_of_values(column.categories)
    return {"number": "numbers", "text": "text", "boolean": "Booleans"}.get(found, "anything")


def _tested_values(rules: RuleSet | ClassRules, name: str) -> tuple[Value, ...]:
    """Values like those that the rules compare the column with."""
    sums: list[Value] = [0.5 for each in rules.literals if isinstance(each, Halfspace) and name in each.compared]
    sets = [one.values for each in rules.literals for one in sets_of(each) if one.column == name]
    return (*sums, *(value for values in sets for value in values))


def keep_of_type(values: Iterable[Value], type_: Type, name: str) -> tuple[Value, ...]:
    """Keep the values that a column of this type can hold; the others are in none of its rows.

    >>> keep_of_type(("a", True, 2.0), "number", "x"), keep_of_type(("a", True, 2), "boolean", "x")
    ((1.0, 2.0), (True,))
    >>> keep_of_type(("a", 1), "text", "x")
    ('a',)
    """
    if type_ == "text":
        return tuple(value for value in values if isinstance(value, str))
    numbers = [double(value, f"a category of column {shown(name)}") for value in values if not isinstance(value, str)]
    if type_ == "boolean":
        return tuple(bool(number) for number in numbers if number in (0.0, 1.0))
    return tuple(numbers)


def double(value: float, what: str) -> float:
    """Turn a number into a double; refuse one that no double equals: its neighbours would become the same."""
    try:
        number = float(value)
    except OverflowError:
        number = float("inf")
    if number != value:
        raise ParameterError(
            f"{what}, {shown(value)}, has too many digits for a number of the target. Turn it into text, and fit again."
        )
    return number
