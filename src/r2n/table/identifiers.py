"""Columns of text that are no categories: dates, and texts that nearly all differ, such as names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np

from r2n.errors import SchemaError
from r2n.table.cells import DATE_ADVICE, Codes, Value
from r2n.table.table import Table

# Rules would learn a text by heart if it is nearly as often another one as there are rows. Few texts do no harm:
# a category is decided only if its rows agree beyond chance.
MOST_DIFFERENT, FEW = 0.5, 20

_YEAR, _MONTH, _DAY = r"\d{4}", r"(?:0?[1-9]|1[0-2])", r"(?:0?[1-9]|[12]\d|3[01])"
_NAMED = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DATES = (
    rf"{_YEAR}([-/.]){_MONTH}\1{_DAY}",
    rf"{_DAY}([-/.]){_MONTH}\2{_YEAR}",
    rf"{_MONTH}([-/.]){_DAY}\3{_YEAR}",
    rf"{_DAY}/{_MONTH}/\d\d|{_MONTH}/{_DAY}/\d\d",
    r"(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])",
    rf"{_DAY}[ -]?{_NAMED},?[ -]?{_YEAR}|{_NAMED} {_DAY},? {_YEAR}",
)
_TIME = r"(?:[T ]+\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?"
DATE = re.compile(rf"(?:{'|'.join(_DATES)}){_TIME}", re.IGNORECASE)
LOOKED_AT, MOST_NAMED = 1_000, 7  # texts of a column, columns in a message


def refuse_identifiers(table: Table, names: Iterable[str]) -> None:
    """Refuse those of the columns that hold dates or identifiers as text, all in one message.

    No text is shown: a message may go where the table may not.
    """
    problems = {name: problem for name in names if (problem := _problem(*table.codes(name)))}
    if not problems:
        return
    few = dict(list(problems.items())[:MOST_NAMED])
    said = "; ".join(f"column {_short(name)} holds {problem}" for name, problem in few.items())
    more = f"; and so do {len(problems) - len(few)} others" if len(problems) > len(few) else ""
    listed = ", ".join(map(_short, few))
    dates = f" {DATE_ADVICE}." if any("date" in problem for problem in few.values()) else ""
    raise SchemaError(
        f"{said}{more}. As categories they would be learned by heart. Leave them out: exclude=[{listed}], or --ignore "
        f"on the command line.{dates} If they are meant as categories, say so: categorical=[{listed}]."
    )


def _problem(codes: Codes, values: Sequence[Value]) -> str:
    """Say what a column of categories holds if they are none."""
    present = np.unique(codes[codes >= 0])
    texts = [text for place in present.tolist() if isinstance(text := values[place], str)]
    if not texts or len(texts) < len(present):
        return ""
    if are_dates(texts):
        return "dates as text"
    n_known = int(np.count_nonzero(codes >= 0))
    if len(texts) > max(FEW, MOST_DIFFERENT * n_known):
        return f"{len(texts):,} different texts in {n_known:,} rows, like names or identifiers"
    return ""


def are_dates(texts: Sequence[str]) -> bool:
    """Whether nearly all texts are dates.

    >>> are_dates(["2024-02-01 12:30", "1.2.2024", "3 Feb 2024"]), are_dates(["10.11.12", "2024-02", "north"])
    (True, False)
    """
    some = texts[:: -(-len(texts) // LOOKED_AT)]
    return sum(DATE.fullmatch(text.strip()) is not None for text in some) >= 0.9 * len(some)


def _short(name: str) -> str:
    return repr(name if len(name) <= 60 else f"{name[:40]}…")
