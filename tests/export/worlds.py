"""Rules over columns that have types, and rows that probe them: what a database, or another language, could hold."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from hypothesis import strategies as st

from r2n.rules import (
    ClassRules,
    Filled,
    Halfspace,
    Key,
    Known,
    Literal,
    Membership,
    Missing,
    Rule,
    RuleSet,
    column_of,
    rename_columns,
    sets_of,
)
from r2n.rules.terms import MOST_POINTS
from r2n.table import Column, Schema, Value
from tests.strategies import filled_sums

# Names and texts that end a quote, a line or a statement somewhere, or are words of a language.
NAMES = (
    "x", "income", "hours per week", 'say "hi"', "it's", "a-b", "select", "größe", "年齢", "e\u0301", "a\nb", "\t", " ",
    "0", "back\\slash", "\\", "\\'", '\\"', "`", "a`b", "]", "#", "--", "/*", "; DROP TABLE rows_; --",
    "'); DROP TABLE rows_;--", "{x}", "{{x}}", "${x}", "%s", "?", ":x", "$1", "@x", "</script>", "\u2028", "\r\n",
    "__proto__", "constructor", "toString", "__import__('os')", "None", "null", "NaN", "true", "😀", "x" * 60,
    "a__SQLGLOT__LBREAK__b", "a__SQLGLOT__LB__b",
)  # fmt: skip
TEXTS = ("a", "b", "", " ", "a ", "A", "3", "1", "True", "true", "nan", "NaN", "NULL", "None", "null", "?", *NAMES[3:])
TYPES = {"x": "number", "y": "number", "i": "integer", "z": "text", "f": "boolean"}
LARGEST = 1.7976931348623157e308

ordinary = (
    st.sampled_from([0.0, 1.0, -1.0, 0.1, 0.3, 2.1, 8.2993093, 1e-5, 1e-7, 1e22, 123456789.12345679])
    | st.integers(-5, 5).map(float)
    | st.floats(-1e6, 1e6).filter(lambda x: x == 0.0 or abs(x) > 1e-6)
)
extreme = (
    ordinary
    | st.sampled_from([5e-324, -5e-324, LARGEST, -LARGEST, 1e300, -1e300, 1e-320, 2.2250738585072014e-308])
    | st.floats(allow_nan=False, allow_infinity=False)
)
integers = st.integers(-5, 5) | st.integers(-(2**53), 2**53)


@dataclass(frozen=True)
class Shipped:
    """Rules to ship, and the table to run them on."""

    rules: RuleSet | ClassRules
    columns: dict[str, list[Any]]
    types: dict[str, str]

    @cached_property
    def expected(self) -> list[tuple[Any, int]]:
        """For each row the label and the number of the first rule that is true, by the rules themselves."""
        branches = self.rules.branches if isinstance(self.rules, ClassRules) else (("", self.rules.rules),)
        table = self.rules.table(self.columns)
        truth = [rule.evaluate(table) for _, found in branches for rule in found]
        fired = np.array([np.zeros(table.n_rows, dtype=bool), *truth])
        labels = self.rules.predict(self.columns).tolist()
        return list(zip(labels, fired.argmax(axis=0).tolist(), strict=True))


@st.composite
def shipped(draw: st.DrawFn, extremes: bool = True, nan: bool = True) -> Shipped:
    """Rules with odd names, with or without a schema, for one class or several, and rows on and beside boundaries."""
    numbers = extreme if extremes else ordinary
    names = dict(zip(TYPES, draw(st.permutations(NAMES)), strict=False))
    codes: dict[str, tuple[Value, ...]] = draw(
        st.fixed_dictionaries(
            {
                "x": _few(numbers | st.booleans()),
                "i": _few(integers),
                "z": _few(st.sampled_from(TEXTS)),
                "f": _few(st.sampled_from([0, 1, True, False])),  # numbers are no codes among Booleans
                "y": st.just(()),
            }
        )
    )
    with_schema = draw(st.booleans())
    rules = draw(_rules(_literals(numbers, with_schema, extremes)))
    if with_schema:
        rules = rules.with_schema(Schema(tuple(_column(name, codes.get(name, ())) for name in TYPES)))
    columns = draw(_tables(rules, numbers, codes if with_schema else {}, nan))
    if not extremes:  # the float beside 0 is one
        columns = {name: [0.0 if _is_tiny(cell) else cell for cell in cells] for name, cells in columns.items()}
    renamed = {names[name]: cells for name, cells in columns.items()}
    return Shipped(rename_columns(rules, names), renamed, {names[name]: kind for name, kind in TYPES.items()})


def _is_tiny(cell: Any) -> bool:
    return isinstance(cell, float) and 0.0 < abs(cell) < 1e-100


def _few(values: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.just(()) | st.lists(values, max_size=2, unique=True).map(tuple)


def _column(name: str, codes: tuple[Value, ...]) -> Column:
    match TYPES[name]:
        case "text":
            return Column(name, "categorical", categories=("a", "b"), missing_values=codes)
        case "boolean":
            seen = tuple(value for value in (False, True) if not any(code is value for code in codes))
            return Column(name, "categorical", categories=seen or (False,), missing_values=codes)
        case _:
            return Column(name, "numeric", missing_values=codes)


def _literals(numbers: st.SearchStrategy[float], with_schema: bool, extremes: bool) -> st.SearchStrategy[Literal]:
    """Without a schema, what a column holds is known from the literals alone: Missing and Known come with another."""
    summed = st.sampled_from(["x", "y", "i", *["f"] * with_schema])
    weights = (st.sampled_from([1.0, -1.0, 2.0, -0.3, 0.1, 1e3]) | numbers).filter(bool)
    columns = st.dictionaries(summed, weights, min_size=1, max_size=3)
    sets = (
        _sets("z", st.sampled_from(TEXTS))
        | _sets("i", st.integers(-5, 5) | st.just(2.5))
        | _sets("x", numbers)
        | _sets("f", st.booleans())
    )
    if with_schema:  # sets may hold what the column cannot
        sets |= _sets("z", st.sampled_from(["a", "3", 3, True])) | _sets("f", st.sampled_from([True, 1, 0, 2, "True"]))
        sets |= _sets("i", st.sampled_from([1, "1", True, "a"])) | _sets("x", st.booleans())
    plain = st.builds(Halfspace.of, columns, numbers) | counting(columns, sets, weights, numbers)
    sums = plain | filled_sums(plain, numbers, beside=extremes)
    asked = st.sampled_from(list(TYPES) if with_schema else ["z", "f"])
    about = st.builds(Missing, asked) | st.builds(Known, asked)
    # Chosen in two steps: a union of unions is flat, and would seldom give a sum.
    return st.sampled_from([sums, sums, sets, about]).flatmap(lambda kind: kind)  # type: ignore[return-value]


def counting(
    columns: st.SearchStrategy[dict[str, float]],
    sets: st.SearchStrategy[Membership],
    weights: st.SearchStrategy[float],
    thresholds: st.SearchStrategy[float],
) -> st.SearchStrategy[Halfspace]:
    """Sums that count one or two sets, beside numbers or alone."""
    points = weights.filter(lambda a: abs(a) <= MOST_POINTS)
    counted = st.dictionaries(sets, points, min_size=1, max_size=2)
    # What sets add is worth knowing where it matters: a threshold that a sum of points is near to, or equal to.
    near = st.sampled_from([0.5, 1.0, -1.0, 1.5, 0.1, -0.3, 2.1]) | thresholds
    return st.builds(lambda some, more, c: Halfspace.of({**some, **more}, c), columns | st.just({}), counted, near)


def _sets(name: str, values: st.SearchStrategy[Any]) -> st.SearchStrategy[Membership]:
    return st.builds(Membership, st.just(name), st.lists(values, min_size=1, max_size=4).map(tuple), st.booleans())


@st.composite
def _rules(draw: st.DrawFn, literals: st.SearchStrategy[Literal]) -> RuleSet | ClassRules:
    # Most rules have one literal: in a long one, or behind many others, a literal that errs is seldom seen.
    conjunction = st.lists(literals, min_size=1, max_size=1) | st.lists(literals, max_size=3)
    conjunctions = st.lists(conjunction.map(lambda found: Rule(tuple(found))), min_size=1, max_size=3).map(tuple)
    kind = st.sampled_from([st.sampled_from(TEXTS), st.integers(-5, 5), st.booleans(), st.floats(-9, 9)])
    labels = draw(draw(kind).flatmap(lambda first: st.just([first])))
    more = draw(
        st.lists(_like(labels[0]), min_size=1, max_size=3, unique=True).filter(lambda found: labels[0] not in found)
    )
    if len(more) == 1 and draw(st.booleans()):
        return RuleSet(draw(conjunctions), labels[0], more[0])
    return ClassRules(tuple((label, draw(conjunctions)) for label in (labels[0], *more[1:])), more[0])


def _like(value: Value) -> st.SearchStrategy[Any]:
    match value:
        case bool():
            return st.just(not value)
        case int():
            return st.integers(-20, 20)
        case float():
            return st.floats(-20, 20)
        case _:
            return st.sampled_from(TEXTS)


@st.composite
def _tables(
    draw: st.DrawFn,
    rules: RuleSet | ClassRules,
    numbers: st.SearchStrategy[float],
    codes: dict[str, tuple[Value, ...]],
    nan: bool,
) -> dict[str, list[Any]]:
    sums = [literal for literal in rules.literals if isinstance(literal, Halfspace)]
    sets = [one for literal in rules.literals for one in sets_of(literal)]
    near = [value for each in sums for value in _beside(each.threshold)] + [0.0]
    missing: list[Any] = [None, math.nan] if nan else [None]

    def cells(name: str) -> st.SearchStrategy[Any]:
        kind = {"number": float, "integer": int, "text": str, "boolean": bool}[TYPES[name]]
        listed = [value for each in sets if each.column == name for value in each.values]
        special = [kind(value) for value in [*listed, *codes.get(name, ())] if isinstance(value, str) == (kind is str)]
        match TYPES[name]:
            case "number":
                telling = st.sampled_from([*missing, *special, *special, *near])
                return st.booleans().flatmap(lambda told: telling if told else numbers)
            case "integer":
                return st.sampled_from([None, *special, *special]) | integers
            case "text":
                return st.sampled_from([None, *special, *special]) | st.sampled_from(TEXTS)
            case _:
                return st.sampled_from([None, True, False])

    rows = draw(st.lists(st.fixed_dictionaries({name: cells(name) for name in TYPES}), min_size=2, max_size=6))
    rows += [row for start in rows[:3] for literal in sums for row in _on_boundary(start, literal)]
    return {name: [row[name] for row in rows] for name in TYPES}


def _beside(number: float) -> list[float]:
    found = (number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf))
    return [each for each in found if math.isfinite(each)]


def _on_boundary(row: dict[str, Any], literal: Halfspace) -> list[dict[str, Any]]:
    """The row with one column of floats moved to where the sum is about the threshold."""
    free = [(name, a) for name, a in literal.numbers if TYPES[name] == "number"]
    if not free or any(row[name] is None for name in literal.needed if name != free[-1][0]):
        return []
    moved, a = free[-1]
    with np.errstate(all="ignore"):
        others = [(key, b) for key, b in literal.terms if isinstance(key, Membership) or column_of(key) != moved]
        rest = float(sum(np.float64(b) * _counted(key, row) for key, b in others))
        solution = float((np.float64(literal.threshold) - rest) / np.float64(a))
    return [{**row, moved: near} for near in _beside(solution)]


def _counted(key: Key, row: dict[str, Any]) -> Any:
    match key:
        case str():
            return row[key]
        case Filled(column, fill):
            return fill if row[column] is None else row[column]
        case Membership(column, values, negated):
            return (row[column] in values) != negated
