"""What messages say about names: lists of them that stay short, and the ones that a mistyped one may mean."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

MOST_LISTED = 20  # of a list of names or values

_LONGEST = 60  # characters of a name that near ones are looked for
_TRIED, _COMPARED = 3_000, 30  # names that are looked at, and those of them that are compared in full
_CUTOFF = 0.6  # difflib's own: the share of characters that two names must have in common


def listed(values: Sequence[object] | Iterable[object], most: int = MOST_LISTED) -> str:
    """List names or values in an error message: the first ones, and how many more there are.

    >>> listed(["age", "income"]), listed(range(10), most=3)
    ("'age', 'income'", '0, 1, 2 and 7 more')
    """
    known = values if isinstance(values, Sequence) else list(values)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return ", ".join(map(_cut, known[:most])) + more


def _cut(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def near(word: str, words: Iterable[str], most: int = 3) -> list[str]:
    """Find the names that a mistyped one may mean, the nearest first; quick, however many and however long they are.

    >>> near("incom", ["age", "income", "outcome"])
    ['income']
    """
    if not 0 < len(word) <= _LONGEST:
        return []
    letters = Counter(word)
    # Two names of very different lengths have less in common than the cutoff asks for.
    alike = (each for each in words if _CUTOFF * (len(word) + len(each)) <= 2 * min(len(word), len(each)))
    tried = islice(dict.fromkeys(alike), _TRIED)
    ranked = sorted(tried, key=lambda each: -_common(letters, each))  # stable: in the order of the names
    return difflib.get_close_matches(word, ranked[:_COMPARED], n=most, cutoff=_CUTOFF)


def _common(letters: Counter[str], word: str) -> float:
    """Compute the share of letters in common, in whatever order: never below what the comparison in full gives."""
    shared = (letters & Counter(word)).total()
    return 2.0 * shared / (letters.total() + len(word))


def no_such_column(name: str, names: Sequence[str], where: str) -> str:
    """Say that a column is asked for that is not there, and which may be meant.

    >>> no_such_column("incom", ["age", "income"], "the table")
    "the table has no column 'incom'. Did you mean 'income'? Its columns are: 'age', 'income'."
    """
    meant = near(name, names)
    hint = f" Did you mean {' or '.join(map(repr, meant))}?" if meant else ""
    return f"{where} has no column {name!r}.{hint} Its columns are: {listed(names)}."
