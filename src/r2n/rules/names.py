"""The names of columns: what may be one, and which comes first."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from r2n.errors import ParameterError
from r2n.table.cells import NOT_UNICODE, is_unicode, shown

NATURAL = 200  # characters of a name: numbers further on count as text, or a long name would become a million parts

_DIGITS = re.compile("([0-9]+)")


@lru_cache(maxsize=10_000)
def natural_key(name: str) -> tuple[Any, ...]:
    """Return the place of a column's name among names: digits inside names count as numbers.

    Parameters
    ----------
    name : str
        The name.

    Returns
    -------
    tuple
        A key for `sorted`; different names have different keys.

    Examples
    --------
    >>> sorted(["x10", "x2", "age"], key=natural_key)
    ['age', 'x2', 'x10']
    """
    parts = _DIGITS.split(name[:NATURAL])  # text and digits take turns, so like is compared with like
    return tuple(_digits_key(part) if i % 2 else part for i, part in enumerate(parts)), name


def _digits_key(digits: str) -> tuple[int, str]:
    """Order digits by their number without making it: Python refuses integers of 5,000 digits."""
    plain = digits.lstrip("0")
    return len(plain), plain


def check_name(name: object) -> None:
    """Refuse what cannot be a column's name."""
    if not isinstance(name, str):
        raise ParameterError(f"a column's name must be text, not {name!r}.")
    if not is_unicode(name):
        raise ParameterError(f"the column's name {shown(name)} {NOT_UNICODE}")
