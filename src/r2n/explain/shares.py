"""Two shares of rows, now and in training: how they are printed, and whether they differ by more than chance."""

from __future__ import annotations

import math

FAR = 3.0  # standard errors: by chance, one share of 370 is further off


def share(part: float, whole: float) -> float:
    """Divide; NaN if there is nothing to divide by."""
    return part / whole if whole > 0 else math.nan


def differ(a: int, n: int, b: int, m: int) -> bool:
    """Whether a of n and b of m differ by more than chance explains.

    A row of either kind is added to both, or one error in three rows would prove that a rule got worse.

    >>> differ(9, 10, 5, 10), differ(90, 100, 50, 100)
    (False, True)
    """
    p, q = (a + 1) / (n + 2), (b + 1) / (m + 2)
    error = math.sqrt(p * (1.0 - p) / (n + 2) + q * (1.0 - q) / (m + 2))
    return n > 0 and m > 0 and abs(p - q) > FAR * error


def percent(number: float) -> str:
    """Write a share; nothing if it is unknown.

    >>> percent(0.125), percent(math.nan)
    ('12.5 %', '')
    """
    return "" if math.isnan(number) else f"{100 * number:.1f} %"


def align(grid: list[list[str]], texts: list[str]) -> list[str]:
    """Write rows of cells below a head, each with a text behind it.

    What nobody counted is not shown, and what was before not without what is now: cells come in pairs, after the first.
    """
    first, *shares = zip(*grid, strict=True)
    pairs = [shares[k : k + 2] for k in range(0, len(shares), 2) if any(shares[k][1:])]
    columns = [first, *(column for pair in pairs for column in pair if any(column[1:]))]
    padded = [[cell.rjust(max(map(len, column))) for cell in column] for column in columns]
    return ["  ".join([*row, text]).rstrip() for *row, text in zip(*padded, texts, strict=True)]
