"""How SQLite reads a number out of a cell, whatever type its column has.

SQLite keeps text in columns of any type, compares it as larger than every number, and casts it to 0 where it is none.
`.import` of a CSV file makes every column one of text.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from r2n.export._sqlnumbers import as_double
from r2n.table.files import MISSING

if TYPE_CHECKING:
    from sqlglot import exp
    from sqlglot.dialects.dialect import Dialect


@cache
def quoting(dialect: str) -> str | type[Dialect]:
    """Quote names as `name`: "name" would be a text to SQLite where there is no such column, and hide the mistake."""
    if dialect != "sqlite":
        return dialect
    from sqlglot.dialects.sqlite import SQLite

    class Backquoted(SQLite):
        class Tokenizer(SQLite.Tokenizer):
            IDENTIFIERS = ["`"]  # noqa: RUF012 - as sqlglot declares it

    return Backquoted


def read_number(cell: exp.Expr, codes: Iterable[str] = (), boolean: bool = False) -> exp.Expr:
    """Read the cell as a double: text that is a number is that number, text that stands for a missing value is NULL.

    Other text ends the query with a message: it would be decided as the default, and nobody would see it. The texts
    that are missing are those of a CSV file, and the column's own `codes`. Of a `boolean` column, the words are read.

    >>> from sqlglot import exp
    >>> print(read_number(exp.column("age")).sql("sqlite", pretty=True))
    CASE
      WHEN age <= CAST(9e999 AS REAL)
      THEN CAST(age AS REAL)
      WHEN NOT TRIM(age) IN ('', 'NA', 'NaN', 'nan', 'null', 'NULL')
      THEN JSON_EXTRACT('{}', 'column age holds ' || age || ', which is no number')
    END
    """
    from sqlglot import exp

    codes = tuple(codes)
    found = exp.Case()
    numeric = [code for code in codes if _is_number(code)]
    if numeric:  # "-9" stands for a missing value where it is a text, -9 is a number
        is_text = exp.EQ(this=exp.func("TYPEOF", cell.copy()), expression=exp.Literal.string("text"))
        found = found.when(exp.and_(is_text, _is_any(cell, numeric)), exp.null())
    # A cast has a type of its own to SQLite, so that it compares text that is a number as one.
    infinity = as_double(exp.Literal.number("9e999"))
    found = found.when(exp.LTE(this=cell.copy(), expression=infinity), as_double(cell.copy()))
    if boolean:
        for word, number in (("true", 1), ("false", 0)):
            lower = exp.func("LOWER", exp.func("TRIM", cell.copy()))
            found = found.when(exp.EQ(this=lower, expression=exp.Literal.string(word)), exp.Literal.number(number))
    return found.when(exp.not_(_is_any(cell, dict.fromkeys((*MISSING, *codes)))), _fail(cell))


def _is_any(cell: exp.Expr, texts: Iterable[str]) -> exp.Expr:
    from sqlglot import exp

    return exp.In(this=exp.func("TRIM", cell.copy()), expressions=[exp.Literal.string(text) for text in texts])


def _fail(cell: exp.Expr) -> exp.Expr:
    """Write what ends the query: SQLite has no call that raises, but names a path in JSON that it cannot read."""
    from sqlglot import exp

    words = [f"column {cell.name} holds ", cell.copy(), ", which is no number"]
    parts = [exp.Literal.string(word) if isinstance(word, str) else word for word in words]
    message = exp.DPipe(this=exp.DPipe(this=parts[0], expression=parts[1]), expression=parts[2])
    return exp.Anonymous(this="JSON_EXTRACT", expressions=[exp.Literal.string("{}"), message])


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
