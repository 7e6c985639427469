"""A formula for Excel (and LibreOffice, and Google Sheets) that gives the label; a blank cell is a missing value.

Texts are compared with EXACT, because `=` takes no account of case; sums are computed only where every cell they read
holds a number. Excel computes with 15 digits, so a row that lies on a boundary may fall on the other side of it.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import reduce

from r2n.errors import ParameterError
from r2n.export._plain import Addend, addends, counted_columns
from r2n.rules import ClassRules, Filled, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.rules.text import join_signed, split_number
from r2n.table import Schema, Value
from r2n.table.cells import shown

SUFFIX = ".txt"
HELP = {
    "first": "the cell of the first column; the others stand to its right",
    "cells": "column=cell, column=cell: where each column is, instead",
}

MOST_ROWS, MOST_COLUMNS = 1_048_576, 16_384
LONGEST, DEEPEST, MOST_ARGUMENTS, LONGEST_TEXT = 8192, 64, 255, 255  # what Excel reads


def write(rules: RuleSet | ClassRules, *, first: str = "A2", cells: Mapping[str, str] | None = None) -> str:
    """One formula for one row, to be filled down; columns stand side by side, from the cell `first` on.

    Their order is that of the table they were learned from, or of `rules.columns` if that is not known. With `cells`
    each column is where that says: {"income": "B2"}, or a name, or {"income": "[@income]"} in a table.

    >>> print(write(RuleSet.parse("yes if income - 2.1·debt > 12.5 and region in {north} else no")), end="")
    =IF(AND(IF(COUNT(B2,A2)=2,B2-2.1*A2>12.5,FALSE),AND(ISTEXT(C2),EXACT(C2,"north"))),"yes","no")
    """
    if not isinstance(cells, Mapping | None):
        raise ParameterError(f"cells must be a mapping such as {{'income': 'B2'}}, not {shown(cells)}.")
    sheet = Sheet(place(rules, first) if cells is None else cells, rules.schema)
    formula = constant(rules.default)
    for label, branch in reversed(rules.branches):
        formula = f"IF({_join('OR', map(sheet.rule, branch), 'FALSE')},{constant(label)},{formula})"
    return check_formula(f"={formula}", "the formula", "Export a workbook, which has a column for each rule.") + "\n"


def place(rules: RuleSet | ClassRules, first: str) -> dict[str, str]:
    """Place the columns that are read in cells side by side.

    >>> place(RuleSet.parse("yes if x - y > 0 else no"), "Z9")
    {'x': 'Z9', 'y': 'AA9'}
    """
    found = re.fullmatch("([A-Z]{1,3})([1-9][0-9]{0,6})", first) if isinstance(first, str) else None
    if found is None:
        raise ParameterError(f"first must be a cell such as 'A2', not {shown(first)}.")
    start = reduce(lambda number, letter: 26 * number + ord(letter) - 64, found[1], 0)
    names = ordered_columns(rules)
    if start + len(names) - 1 > MOST_COLUMNS or int(found[2]) > MOST_ROWS:
        raise ParameterError(
            f"{len(names)} cells from {first} on do not fit: a sheet ends at {letters(MOST_COLUMNS)}{MOST_ROWS}. "
            f"Begin at another."
        )
    return {name: f"{letters(start + k)}{found[2]}" for k, name in enumerate(names)}


def read_cells(text: str) -> dict[str, str]:
    """Read `cells` from one line; a part that holds a comma is quoted as in a CSV file.

    >>> read_cells('income=B2, "debt, total=[@debt]"')
    {'income': 'B2', 'debt, total': '[@debt]'}
    """
    pairs = [part.rpartition("=") for part in next(csv.reader([text], skipinitialspace=True), [])]
    if not pairs or not all(name and cell for name, _, cell in pairs):
        raise ParameterError(f"cells must be written column=cell, column=cell, such as income=B2, not {shown(text)}.")
    cells = {name.strip(): cell.strip() for name, _, cell in pairs}
    if len(cells) < len(pairs):
        raise ParameterError(f"cells names a column more than once in {shown(text)}. Give each one cell.")
    return cells


READ = {"cells": read_cells}


def letters(number: int) -> str:
    """Write what a sheet calls its column of this number.

    >>> [letters(number) for number in (1, 26, 27, 702, 703)]
    ['A', 'Z', 'AA', 'ZZ', 'AAA']
    """
    more, last = divmod(number - 1, 26)
    return (letters(more) if more else "") + chr(65 + last)


def ordered_columns(rules: RuleSet | ClassRules) -> tuple[str, ...]:
    """List the columns that are read, as they stand in the table."""
    if rules.schema is None:
        return rules.columns
    read = set(rules.columns)
    return tuple(name for name in rules.schema.names if name in read)


@dataclass(frozen=True, slots=True)
class Sheet:
    """Where each column is, and which values of it stand for a missing one."""

    cells: Mapping[str, str]
    schema: Schema | None = None

    def rule(self, rule: Rule) -> str:
        """Write a conjunction; TRUE if it is empty."""
        return _join("AND", map(self.literal, rule.literals), "TRUE")

    def literal(self, literal: Literal) -> str:
        """Write what is TRUE or FALSE, whatever the cells hold (except for errors, which stay errors)."""
        match literal:
            case Halfspace():
                return self._halfspace(literal)
            case Membership(column, values, negated):
                found = _is_any(self.cell(column), values)
                extra = self._no_code(column)
                if negated:
                    return _join("AND", [f'{self.cell(column)}<>""', *extra, f"NOT({found})"])
                return _join("AND", [*extra, found])
            case Missing(column):
                return f"NOT({self._is_known(column)})" if self._no_code(column) else f'{self.cell(column)}=""'
            case Known(column):
                return self._is_known(column)

    def cell(self, column: str) -> str:
        """Where a column is."""
        if column not in self.cells:
            raise ParameterError(
                f"cells does not say where column {shown(column)} is. Add it, such as {{{shown(column)}: 'B2'}}."
            )
        return self.cells[column]

    def _halfspace(self, literal: Halfspace) -> str:
        read = literal.comparison()
        total = join_signed(((a < 0.0, self._term(key, abs(a))) for key, a in addends(read.terms)), gap="")
        plain = tuple(key for key, _ in read.terms if isinstance(key, str))
        guard = _join("AND", [*self._are_numbers(plain), *map(self._is_known, counted_columns(literal))])
        decided = f"{total}{read.operator}{number(read.bound)}"
        return f"IF({guard},{decided},FALSE)" if guard else decided

    def _are_numbers(self, columns: tuple[str, ...]) -> list[str]:
        counted = [f"COUNT({','.join(map(self.cell, columns))})={len(columns)}"] if columns else []
        return [*counted, *(code for name in columns for code in self._no_code(name))]

    def _term(self, key: Addend, a: float) -> str:
        match key:
            case str() | Filled():
                cell = self.cell(key) if isinstance(key, str) else self._write_filled(key)
                return cell if a == 1.0 else f"{number(a)}*{cell}"
            case Missing(column):
                return f"IF({self._is_number(column)},0,{number(a)})"
            case Membership(column, values, negated):
                held, other = ("0", number(a)) if negated else (number(a), "0")
                return f"IF({_is_any(self.cell(column), values)},{held},{other})"

    def _write_filled(self, key: Filled) -> str:
        return f"IF({self._is_number(key.column)},{self.cell(key.column)},{number(key.fill)})"

    def _is_number(self, column: str) -> str:
        """Test whether a cell holds a number: to a sum, any other is missing."""
        return _join("AND", self._are_numbers((column,)))

    def _is_known(self, column: str) -> str:
        return _join("AND", [f'{self.cell(column)}<>""', *self._no_code(column)])

    def _no_code(self, column: str) -> list[str]:
        """Test that the cell holds none of the values that stand for a missing one, if there are such."""
        codes = () if self.schema is None else self.schema.column(column).missing_values
        return [f"NOT({_is_any(self.cell(column), codes)})"] if codes else []


def _is_any(cell: str, values: Iterable[Value]) -> str:
    """Test whether a cell holds one of these; 1 and TRUE are one category."""
    texts = [f"EXACT({cell},{text(value)})" for value in values if isinstance(value, str)]
    numbers = [f"{cell}={one}" for value in values if not isinstance(value, str) for one in _spellings(value)]
    parts = []
    if texts:  # EXACT takes the number 3 for the text "3"
        parts.append(f"AND(ISTEXT({cell}),{_join('OR', texts)})")
    if numbers:  # a blank cell equals 0
        parts.append(f'AND({cell}<>"",{_join("OR", numbers)})')
    return _join("OR", parts)


def _spellings(value: float) -> list[str]:
    return [number(value), constant(value == 1)] if value in (0, 1) else [number(value)]


def _join(function: str, items: Iterable[str], none: str = "") -> str:
    """Join any number of items by AND or OR: beyond 255, groups of them."""
    parts = list(items)
    if len(parts) <= 1:
        return parts[0] if parts else none
    if len(parts) <= MOST_ARGUMENTS:
        return f"{function}({','.join(parts)})"
    groups = [parts[k : k + MOST_ARGUMENTS] for k in range(0, len(parts), MOST_ARGUMENTS)]
    return _join(function, [_join(function, group) for group in groups])


# -- constants --------------------------------------------------------------------------------------


def constant(value: Value) -> str:
    """Write a label in a formula.

    >>> print(constant('the "new" one'), constant(True), constant(1e22))
    "the ""new"" one" TRUE 1E+22
    """
    if isinstance(value, bool):
        return str(value).upper()
    return text(value) if isinstance(value, str) else number(value)


def number(value: float) -> str:
    """Write a number in a formula; refuse what Excel has no number for."""
    try:
        size = abs(float(value))
    except OverflowError:
        size = float("inf")
    if size != 0.0 and not 2.2250738585072014e-308 <= size <= 9.99999999999999e307:
        raise ParameterError(f"{shown(value)} is beyond the numbers of Excel, which end at 1E+308 and 2.3E-308.")
    mantissa, exponent = split_number(float(value))
    return mantissa if exponent is None else f"{mantissa}E{exponent:+d}"


def text(value: str) -> str:
    """Write a text in a formula: in pieces, because Excel reads none of more than 255 characters."""
    if not is_written(value):
        raise ParameterError(f"{shown(value)} cannot be told from a blank cell, or written into one. Rename it.")
    pieces = [value[k : k + LONGEST_TEXT] for k in range(0, len(value), LONGEST_TEXT)]
    quoted = ['"' + piece.replace('"', '""') + '"' for piece in pieces]
    return quoted[0] if len(quoted) == 1 else f"({'&'.join(quoted)})"


def is_written(value: str) -> bool:
    """Whether a cell can hold this text, and be told from a blank one."""
    return 0 < len(value) <= 32767 and re.search("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", value) is None


def check_formula(formula: str, what: str, advice: str) -> str:
    """Return the formula; refuse one that is too long or too deeply nested for Excel."""
    if len(formula) > LONGEST:
        raise ParameterError(f"{what} has {len(formula)} characters, but Excel reads at most {LONGEST}. {advice}")
    if _depth(formula) > DEEPEST:
        raise ParameterError(f"{what} is nested {_depth(formula)} deep, but Excel reads at most {DEEPEST}. {advice}")
    return formula


def _depth(formula: str) -> int:
    """Count how deeply parentheses are nested, those in texts aside."""
    depth = deepest = 0
    for char in re.sub('"[^"]*"', "", formula):
        depth += (char == "(") - (char == ")")
        deepest = max(deepest, depth)
    return deepest
