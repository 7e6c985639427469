"""Literals and rules as SQL conditions, which are NULL or false where the rule is false.

A missing value is NULL, or NaN, or one of the values that the schema says stand for it; here it becomes NULL, and
whatever reads it NULL. As nothing is negated but `IN`, a NULL never makes a condition true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING

from r2n.errors import ParameterError
from r2n.export._plain import Addend, addends, missing_codes
from r2n.export._sqlite import quoting, read_number
from r2n.export._sqlnumbers import as_double, number
from r2n.export._types import Type, keep_of_type, type_of
from r2n.rules import ClassRules, Filled, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet, column_of
from r2n.rules.terms import Terms
from r2n.table import Value
from r2n.table.cells import shown

if TYPE_CHECKING:
    from sqlglot import exp

# Few engines' texts hold it.
_UNWRITABLE = re.compile("\x00")

# To the others "x" and "X" are one column, quoted or not.
_TELL_CASE = ("postgres", "snowflake")

# To a parser each of `a OR b OR c …` is one level deeper.
_IN_A_ROW = 100

_DEEPEST = 950  # of the 1,000 levels that SQLite and DuckDB read; some are left to the query around it


@dataclass(frozen=True, slots=True)
class SQLWriter:
    """Writes the literals of some rules for one dialect.

    Cells and sums are texts to the rest of the expression: sqlglot takes an addition for a level of a tree, which it
    goes down by recursion, and copies trees where it puts them together.
    """

    rules: RuleSet | ClassRules
    dialect: str
    _types: dict[str, Type] = field(default_factory=dict, init=False, repr=False, compare=False)
    _cells: dict[str, exp.Expr] = field(default_factory=dict, init=False, repr=False, compare=False)

    def rule(self, rule: Rule) -> exp.Expr:
        """Write a conjunction."""
        from sqlglot import exp

        return _join(exp.and_, [*map(self.literal, rule.literals)]) if rule.literals else self.boolean(True)

    def any_of(self, rules: Sequence[Rule]) -> exp.Expr:
        """Write a disjunction."""
        from sqlglot import exp

        return _join(exp.or_, [*map(self.rule, rules)]) if rules else self.boolean(False)

    def boolean(self, value: bool) -> exp.Expr:
        """Write TRUE or FALSE; for SQLite 1 or 0, because a column may be called TRUE there."""
        from sqlglot import exp

        return exp.Literal.number(int(value)) if self.dialect == "sqlite" else exp.Boolean(this=value)

    def literal(self, literal: Literal) -> exp.Expr:
        """Write one condition."""
        from sqlglot import exp

        match literal:
            case Halfspace():
                return self._halfspace(literal)
            case Membership():
                return self._membership(literal)
            case Missing(name):
                return exp.Is(this=self._known(name), expression=exp.null())
            case Known(name):
                return exp.Not(this=exp.Is(this=self._known(name), expression=exp.null()))

    def _halfspace(self, literal: Halfspace) -> exp.Expr:
        from sqlglot import exp

        read = literal.comparison()
        total = self._sum(read.terms)
        # It is not less than any number; and points alone add up to a number.
        if read.operator in (">", ">=") and self._nan_is_largest and literal.numbers:
            total = self._without_nan(total)
        compare = {">": exp.GT, ">=": exp.GTE, "<": exp.LT, "<=": exp.LTE}[read.operator]
        return compare(this=total, expression=number(read.bound, self.dialect))

    def _sum(self, terms: Terms) -> exp.Expr:
        """Add up from left to right: the first coefficient is positive, the first term a double, so all sums are."""
        check_depth(len(terms))  # before the work
        (key, a), *others = addends(terms)
        first = self._term(key, a)
        written = [self._write(first if isinstance(key, str) else as_double(first))]
        written += (f"{'+' if a > 0.0 else '-'} {self._write(self._term(key, abs(a)))}" for key, a in others)
        return _as_text(" ".join(written), depth=len(written))

    def _term(self, key: Addend, a: float) -> exp.Expr:
        return self._points(key, a) if isinstance(key, Membership | Missing) else self._product(key, a)

    def _points(self, one: Membership | Missing, a: float) -> exp.Expr:
        """Write what a set adds to a sum, NULL where its column is missing; or what is added because a column is."""
        from sqlglot import exp

        points, none = exp.Case().when(self.literal(one), number(a, self.dialect)), exp.Literal.number(0)
        return points.else_(none) if isinstance(one, Missing) else points.when(self.literal(Known(one.column)), none)

    def _product(self, key: str | Filled, a: float) -> exp.Expr:
        from sqlglot import exp

        name = column_of(key)
        cell = self._number(name)
        if self._type(name) != "boolean":
            cell = self._without_codes(name, self._without_nan(cell) if isinstance(key, Filled) else cell)
        if isinstance(key, Filled):
            cell = exp.Coalesce(this=cell, expressions=[number(key.fill, self.dialect)])
        return cell if a == 1.0 else exp.Mul(this=number(a, self.dialect), expression=cell)

    def _membership(self, literal: Membership) -> exp.Expr:
        from sqlglot import exp

        name = literal.column
        values = [self._value(value) for value in keep_of_type(literal.values, self._type(name), name)]
        if not values:  # none that the column could hold
            return self.literal(Known(name)) if literal.negated else self.boolean(False)
        found = exp.In(this=self._known(name), expressions=values)
        return exp.Not(this=found) if literal.negated else found

    # -- cells ---------------------------------------------------------------------------------

    def _known(self, name: str) -> exp.Expr:
        """The cell, NULL if it is missing."""
        if self._type(name) == "number":
            return self._without_codes(name, self._without_nan(self._number(name)))
        return self._without_codes(name, self._column(name))

    def _number(self, name: str) -> exp.Expr:
        """The cell as a double."""
        if name not in self._cells:
            self._cells[name] = _as_text(self._write(self._read_number(name)))
        return self._cells[name].copy()

    def _read_number(self, name: str) -> exp.Expr:
        from sqlglot import exp

        cell = self._column(name)
        if self._type(name) == "boolean":  # compared with its codes before it is a number; few cast it to one at once
            return as_double(exp.cast(self._without_codes(name, cell), "int"))
        if self.dialect != "sqlite":
            return as_double(cell)
        codes = (code for code in missing_codes(self.rules, name) if isinstance(code, str))
        return read_number(cell, map(check_text, codes), self._said_type(name) == "boolean")

    def _column(self, name: str) -> exp.Expr:
        from sqlglot import exp

        if not name:
            raise ParameterError("a column has the empty name, which SQL cannot write. Rename it.")
        alike = [other for other in names_of(self.rules) if other != name and other.lower() == name.lower()]
        if alike and self.dialect not in _TELL_CASE:
            raise ParameterError(
                f"the columns {shown(name)} and {shown(alike[0])} differ only in case, "
                f"and {self.dialect} takes them for one. Rename one, and fit again."
            )
        return exp.column(exp.to_identifier(check_text(name), quoted=True))

    def _without_codes(self, name: str, cell: exp.Expr) -> exp.Expr:
        """Turn a value that stands for a missing one into NULL."""
        from sqlglot import exp

        codes = [self._value(code) for code in keep_of_type(missing_codes(self.rules, name), self._type(name), name)]
        return reduce(lambda kept, code: exp.Nullif(this=kept, expression=code), codes, cell)

    def _without_nan(self, total: exp.Expr) -> exp.Expr:
        from sqlglot import exp

        if self.dialect == "sqlite":  # a NaN is a NULL there
            return total
        if self._nan_is_largest:
            nan = exp.Literal.string("NaN")
            short = self.dialect in ("duckdb", "postgres")  # where it is known to be read as a number
            return exp.Nullif(this=total, expression=nan if short else as_double(nan))
        return exp.Case().when(exp.Not(this=exp.IsNan(this=total)), total.copy())

    @property
    def _nan_is_largest(self) -> bool:
        """Most engines hold that NaN equals NaN and is larger than all numbers; comparisons in BigQuery are false."""
        return self.dialect not in ("sqlite", "bigquery")

    def _type(self, name: str) -> Type:
        """Find a column's type as the dialect has it: a Boolean of SQLite is a number."""
        found = self._said_type(name)
        return "number" if found == "boolean" and self.dialect == "sqlite" else found

    def _said_type(self, name: str) -> Type:
        if name not in self._types:
            self._types[name] = type_of(self.rules, name)
        return self._types[name]

    def _write(self, expression: exp.Expr) -> str:
        return expression.sql(dialect=quoting(self.dialect))

    def _value(self, value: Value) -> exp.Expr:
        from sqlglot import exp

        match value:
            case bool():
                return self.boolean(value)
            case str():
                return exp.Literal.string(check_text(value))
            case _:
                return number(float(value), self.dialect)


def _join(join: Callable[..., exp.Expr], conditions: Sequence[exp.Expr]) -> exp.Expr:
    """Join any number of conditions by AND or OR: beyond a hundred, groups of them in brackets."""
    if len(conditions) <= _IN_A_ROW:
        return join(*conditions, copy=False)
    groups = [conditions[k : k + _IN_A_ROW] for k in range(0, len(conditions), _IN_A_ROW)]
    return _join(join, [_join(join, group) for group in groups])


def _as_text(text: str, depth: int = 1) -> exp.Expr:
    """An expression that is written already, of so many levels."""
    from sqlglot import exp

    made = exp.Var(this=text)
    made.meta["depth"] = depth
    return made


def depth_of(found: exp.Expr) -> int:
    """Count the expression's levels, without recursion, which ends at a thousand too."""
    level, depth, deepest = [found], 0, 0
    while level:
        deepest = max(deepest, *(depth + int(each.meta.get("depth", 1)) for each in level))
        level, depth = [inner for outer in level for inner in outer.iter_expressions()], depth + 1
    return deepest


def check_depth(depth: int) -> None:
    """Refuse an expression that is deeper than databases read."""
    if depth > _DEEPEST:
        raise ParameterError(
            f"the expression is {depth} levels deep, but databases read 1000, and each column of a sum is one. "
            f"Fit again with max_columns, or export to python, javascript or onnx."
        )


def names_of(rules: RuleSet | ClassRules) -> tuple[str, ...]:
    """The columns of the table, as far as they are known."""
    return rules.columns if rules.schema is None else rules.schema.names


def check_text(text: str) -> str:
    """Return a name or a text, refused if SQL cannot write it."""
    if _UNWRITABLE.search(text):
        raise ParameterError(f"{shown(text)} holds a character that SQL cannot write. Rename the column or category.")
    return text
