"""How names, categories and numbers are written, so that they read back as exactly what they were."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable

from r2n.table import Value

RESERVED = frozenset(("and", "or", "if", "else", "in", "not", "is", "missing", "known", "true", "false", "inf", "nan"))

# A letter of any alphabet or an underscore, then letters, digits, underscores.
WORD = r"[^\W\d]\w*"


def is_bare(name: str) -> bool:
    """Check whether a name can stand without quotes.

    >>> [is_bare(name) for name in ("income", "größe_2", "hours per week", "2nd", "IF")]
    [True, True, False, False, False]
    """
    return re.fullmatch(WORD, name) is not None and name.lower() not in RESERVED


def write_name(name: str) -> str:
    r"""Write a column's name, quoted as in JSON where it must be.

    >>> print(write_name("income"), write_name("hours per week"), write_name("not"), write_name("a\nb"))
    income "hours per week" "not" "a\nb"
    """
    if is_bare(name):
        return name
    # What a screen cannot show is escaped; anything else stays readable in its own alphabet.
    return json.dumps(name, ensure_ascii=not name.isprintable())


def write_value(value: Value) -> str:
    """Write a category or label so that its type survives.

    >>> print(write_value("north"), write_value("3"), write_value(3), write_value("True"), write_value(True))
    north "3" 3 "True" True
    """
    return write_name(value) if isinstance(value, str) else repr(value)


def write_number(number: float) -> str:
    """Write the shortest text that reads back as exactly this float.

    >>> print(write_number(3.0), write_number(-0.1), write_number(1e22), write_number(2.5e-7))
    3 -0.1 1e22 2.5e-7
    """
    mantissa, exponent = split_number(number)
    return mantissa if exponent is None else f"{mantissa}e{exponent}"


def split_number(number: float) -> tuple[str, int | None]:
    """Split the shortest text of a float into its digits and its power of ten; None if it is written without one.

    >>> split_number(-0.1), split_number(2.5e-7)
    (('-0.1', None), ('2.5', -7))
    """
    mantissa, e, exponent = repr(number + 0.0).partition("e")  # + 0.0: no minus zero
    return mantissa.removesuffix(".0"), int(exponent) if e else None


def write_sum(terms: Iterable[tuple[object, float]]) -> str:
    """Write a sum of columns, or of sets in brackets, with their coefficients.

    >>> print(write_sum((("income", 1.0), ("debt", -2.1), ("age", 0.5))))
    income - 2.1·debt + 0.5·age
    """
    return join_signed((a < 0.0, _write_term(key, abs(a))) for key, a in terms)


def join_signed(parts: Iterable[tuple[bool, str]], gap: str = " ") -> str:
    """Join parts of a sum, each with whether it is subtracted; the first has no plus sign.

    >>> join_signed([(True, "x"), (False, "2·y"), (True, "z")]), join_signed([(False, "A1"), (True, "B1")], gap="")
    ('-x + 2·y - z', 'A1-B1')
    """
    (negative, first), *others = parts
    signed = (f"{gap}{'-' if minus else '+'}{gap}{part}" for minus, part in others)
    return "".join(["-" if negative else "", first, *signed])


def _write_term(key: object, coefficient: float) -> str:
    what = write_name(key) if isinstance(key, str) else f"({key})"
    return what if coefficient == 1.0 else f"{write_number(coefficient)}·{what}"
