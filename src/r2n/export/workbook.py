"""A workbook that decides: rows on one sheet with live formulas, the rules in words on the other.

Each rule has a column that says whether it is true, so no formula grows with the number of rules. A blank cell is a
missing value. To decide on further rows, enter them below and fill the formulas down.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from io import BytesIO
from itertools import accumulate, repeat
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import numpy as np

from r2n.errors import ParameterError
from r2n.export._typed import cases
from r2n.export.excel import MOST_COLUMNS, MOST_ROWS, Sheet, check_formula, is_written, letters, ordered_columns, place
from r2n.rules import ClassRules, RuleSet
from r2n.rules.text import write_name
from r2n.table import Table, Value
from r2n.table.cells import shown

SUFFIX = ".xlsx"
HELP = {
    "rows": "a CSV or Parquet file whose rows are put into the workbook",
}

Cell = Value | None


def write(rules: RuleSet | ClassRules, *, rows: object = None) -> bytes:
    """An .xlsx file, with the given rows (any table that the rules can read) or a blank one to fill in."""
    from openpyxl import Workbook

    table = None if rows is None else rules.table(rows)
    n_rows = 1 if table is None else table.n_rows
    names = ordered_columns(rules)
    if n_rows >= MOST_ROWS or len(names) + rules.n_rules + 2 > MOST_COLUMNS:
        raise ParameterError(
            f"a sheet has room for {MOST_ROWS - 1} rows and {MOST_COLUMNS} columns, but {n_rows} rows of "
            f"{len(names)} columns and {rules.n_rules} rules came. Give fewer."
        )
    book = Workbook()
    book.calculation.fullCalcOnLoad = True
    _write_rows(book.active, rules, _columns(table, names), n_rows)
    _write_words(book.create_sheet("rules"), rules)
    return _save_bytes(book)


def _save_bytes(book: Any) -> bytes:
    """Return the file's bytes, always the same for a book: neither it nor the archive says when it was written."""
    from openpyxl.writer.excel import ExcelWriter

    book.properties.created = book.properties.modified = datetime(2000, 1, 1)
    draft, file = BytesIO(), BytesIO()
    ExcelWriter(book, ZipFile(draft, "w")).save()
    with ZipFile(draft) as dated, ZipFile(file, "w") as archive:
        for name in dated.namelist():
            archive.writestr(ZipInfo(name), dated.read(name), ZIP_DEFLATED)
    return file.getvalue()


def _columns(table: Table | None, names: tuple[str, ...]) -> list[list[Cell]]:
    """Read the cells column by column: numbers, texts, Booleans, or nothing."""
    return [[None] for _ in names] if table is None else [_cells(table, name) for name in names]


def _cells(table: Table, name: str) -> list[Cell]:
    if table.kind(name) == "numeric":
        return [None if np.isnan(number) else number for number in table.numeric(name).tolist()]
    codes, values = table.codes(name)
    for value in values:
        if isinstance(value, str) and not is_written(value):
            raise ParameterError(
                f"column {shown(name)} holds {shown(value)}, which no cell can hold, or be told from a blank one. "
                f"Rename it."
            )
    return [None if code < 0 else values[code] for code in codes]


# -- sheets -----------------------------------------------------------------------------------------


def _write_rows(sheet: Any, rules: RuleSet | ClassRules, columns: list[list[Cell]], n_rows: int) -> None:
    from openpyxl.styles import Font

    sheet.title = "rows"
    _put(sheet, 1, _heads(rules))
    for k in range(n_rows):
        _put(sheet, k + 2, [column[k] for column in columns])
        for place_, formula in enumerate(_formulas(rules, k + 2), start=len(columns) + 1):
            sheet.cell(k + 2, place_).value = formula
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    sheet.freeze_panes = "A2"


def _heads(rules: RuleSet | ClassRules) -> list[str]:
    """Write the heads, no two alike: a column of the table may be called `rule` too."""
    heads = [_head(name) for name in ordered_columns(rules)]
    for head in [*(f"rule {case.number}" for case in cases(rules)), "rule", "prediction"]:
        heads.append(next(name for name in accumulate(repeat(" (r2n)"), initial=head) if name not in heads))
    return heads


def _formulas(rules: RuleSet | ClassRules, row: int) -> Iterator[str]:
    """Write a row's formulas: the truth of each rule, the number of the first that is true, and the label."""
    sheet = Sheet(place(rules, f"A{row}"), rules.schema)
    advice = "Fit again with max_columns, or split the rule or its sets of categories."
    for case in cases(rules):
        yield check_formula(f"={sheet.rule(case.rule)}", f"the formula of rule {case.number}", advice)
    n, first = rules.n_rules, len(sheet.cells) + 1
    if n == 0:
        yield from ("=0", "=rules!$C$2")
        return
    number = f"{letters(first + n)}{row}"
    yield f"=IFERROR(MATCH(TRUE,{letters(first)}{row}:{letters(first + n - 1)}{row},0),0)"
    yield f"=IF({number}=0,rules!$C${n + 2},INDEX(rules!$C$2:$C${n + 1},{number}))"


def _write_words(sheet: Any, rules: RuleSet | ClassRules) -> None:
    from openpyxl.styles import Alignment, Font

    _put(sheet, 1, ["rule", "if", "prediction"])
    for case in cases(rules):
        _put(sheet, case.number + 1, [case.number, case.rule.text(rules.schema), case.label])
    _put(sheet, rules.n_rules + 2, [0, "otherwise", rules.default])
    for cell in sheet[1]:
        cell.font = Font(bold=True)
    for cell in sheet["B"]:
        cell.alignment = Alignment(wrap_text=True, vertical="top")
    sheet.column_dimensions["B"].width = 100
    sheet.freeze_panes = "A2"


def _put(sheet: Any, row: int, cells: Sequence[Cell]) -> None:
    """Put values into the cells of a row; a text that begins with = is a text, not a formula."""
    for k, value in enumerate(cells, start=1):
        if isinstance(value, str) and not is_written(value):
            raise ParameterError(f"{shown(value)} cannot be written into a cell, or told from a blank one. Rename it.")
        cell = sheet.cell(row, k)
        cell.value = _escape(value) if isinstance(value, str) else value
        if isinstance(value, str):
            cell.data_type = "s"


def _escape(text: str) -> str:
    """Escape a text as cells hold it: there `_x000D_` is a carriage return, and the underscore itself is `_x005F_`.

    Texts in formulas are read as they are.

    >>> _escape("a_x000D_b"), _escape("_x1_")
    ('a_x005F_x000D_b', '_x1_')
    """
    return re.sub("_(?=x[0-9A-Fa-f]{4}_)", "_x005F_", text)


def _head(name: str) -> str:
    """Write a column's name as it is, or quoted where a cell cannot hold it."""
    return name if is_written(name) else write_name(name)
