"""Numbers and lists in messages."""

from __future__ import annotations

from collections.abc import Sequence

MOST_ROWS = 20  # that a message names


def count(number: int, noun: str) -> str:
    """Write a number of things.

    >>> count(1, "rule"), count(0, "rule"), count(1_200, "row")
    ('1 rule', '0 rules', '1,200 rows')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def name_rows(rows: Sequence[int]) -> str:
    """List the numbers of rows, the first of which is 0; of very many only some.

    >>> name_rows([4]), name_rows([4, 9, 12]), name_rows(range(900))[-23:]
    ('row 4', 'rows 4, 9 and 12', '17, 18, 19 and 880 more')
    """
    named = [str(row) for row in rows[:MOST_ROWS]]
    last = f"{len(rows) - MOST_ROWS:,} more" if len(rows) > MOST_ROWS else named.pop()
    return f"rows {', '.join(named)} and {last}" if named else f"row {last}"
