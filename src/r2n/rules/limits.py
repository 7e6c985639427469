"""How large a model file may be: what it becomes in memory is many times as large as its text."""

from __future__ import annotations

MOST_BYTES = 2**26
MOST_PIECES = 2_000_000  # values, lists and objects
MOST_RULES = 100_000  # rules and classes


def excess(text: str) -> str | None:
    """Say what a file holds too much of, judged by its text alone, before parsing; None if nothing.

    >>> excess("[1, 2]"), excess("[" + "[]," * 2_000_000 + "[]]")
    (None, '4,000,002 values, but only 2,000,000')
    """
    if len(text) > MOST_BYTES:
        return f"{len(text):,} bytes, but only {MOST_BYTES:,}"
    # Each but the first follows a comma, or stands first behind a bracket. Those inside of names count too.
    pieces = sum(map(text.count, ",[{"))
    return f"{pieces:,} values, but only {MOST_PIECES:,}" if pieces > MOST_PIECES else None


def excess_of_rules(n_rules: int) -> str | None:
    """Say that there are more rules and classes than are read; None if there are not.

    >>> excess_of_rules(300_000)
    '300,000 rules and classes, but only 100,000'
    """
    return f"{n_rules:,} rules and classes, but only {MOST_RULES:,}" if n_rules > MOST_RULES else None
