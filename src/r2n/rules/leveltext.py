"""How risk levels are printed: names and shares in columns, each level's rules beside them."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING

from r2n.rules.base import MOST_INDENT, or_below
from r2n.rules.text import is_bare, split_number, write_name, write_value

if TYPE_CHECKING:
    from r2n.rules.levels import LevelRules

_SMALLEST = -6  # the first digit of a percentage that is not written with a power of ten: 0.000001


def write_levels(rules: LevelRules) -> str:
    """Write a line for each rule, one for the lowest level, and one that says from which chance a row is positive.

    >>> from r2n.rules import LevelRules
    >>> rules = LevelRules.parse("high 40 % if x > 3 or y > 1 low 5.5 % else yes from 30 %, else no")
    >>> print(write_levels(rules))
    high  40 % if x > 3
               or y > 1
    low  5.5 % else
    yes from 30 %, else no
    """
    heads = _heads(rules)
    lines = []
    for k, (head, (_, own)) in enumerate(zip(heads, rules.branches, strict=False)):
        start = f"{head}{'or else if' if k else 'if'} "
        lines.append(start + (or_below(start).join(rule.text(rules.schema) for rule in own) or "false"))
    return "\n".join([*lines, f"{heads[-1]}else", write_threshold(rules)])


def write_threshold(rules: LevelRules) -> str:
    """Write which class is predicted from which share on."""
    positive, negative = write_value(rules.positive), write_value(rules.negative)
    return f"{positive} from {write_percent(rules.threshold)} %, else {negative}"


def _heads(rules: LevelRules) -> list[str]:
    """Write what stands before the rules of each level, all of one width: its name, its chance, its interval."""
    names = _aligned([write_level(name) for name in rules.levels], left=True)
    shares = _aligned([f"{write_percent(share)} %" for share in rules.shares])
    if rules.intervals is None:
        return [f"{name} {share} " for name, share in zip(names, shares, strict=True)]
    intervals = _aligned(
        [f"({low:.0f}–{high:.0f} %)" for low, high in ((100 * a, 100 * b) for a, b in rules.intervals)]
    )
    return [f"{name} {share} {interval} " for name, share, interval in zip(names, shares, intervals, strict=True)]


def _aligned(texts: list[str], left: bool = False) -> list[str]:
    """Fill up with blanks to the width of the widest, if that is not too wide."""
    width = min(max(map(len, texts)), MOST_INDENT)
    return [text.ljust(width) if left else text.rjust(width) for text in texts]


def write_level(name: str) -> str:
    """Write the name of a level: words that mean nothing in the language stand as they are, all else in quotes.

    >>> print(write_level("very high"), write_level("level 1"), write_level("or else"))
    very high "level 1" "or else"
    """
    return name if all(map(is_bare, name.split(" "))) else write_name(name)


def write_percent(share: float) -> str:
    """Write a share as the shortest percentage that reads back as exactly this float: the point is moved, no more.

    >>> print(write_percent(0.712), write_percent(0.07), write_percent(1.0), write_percent(5e-324))
    71.2 7 100 5e-322
    """
    mantissa, exponent = split_number(share)
    number = Decimal(f"{mantissa}e{(exponent or 0) + 2}")  # exact, whatever the caller's context of decimals
    return f"{number:f}" if number.adjusted() >= _SMALLEST or not number else f"{number:e}"
