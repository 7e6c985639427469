"""Numbers in SQL, written so that every engine reads exactly the double that is meant."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from r2n.rules.floats import count_digits
from r2n.rules.text import write_number

if TYPE_CHECKING:
    from sqlglot import exp

# SQLite reads decimals with floats of its own: never further off than this share of the number.
_SQLITE_ERROR = Fraction(1, 2**60)
_CHUNK = 62  # 2^62 is the largest power of two that is an integer to SQLite


def number(value: float, dialect: str) -> exp.Expr:
    """Write a double as a literal.

    >>> [number(value, "duckdb").sql() for value in (3.0, -2.1, 1e-7, 0.12345678901234568)]
    ['3', '-2.1', '1e-7', '0.12345678901234568e0']
    """
    from sqlglot import exp

    if value < 0.0:
        return exp.Neg(this=number(-value, dialect))
    if dialect == "sqlite" and not _sqlite_reads(value):
        return exp.Paren(this=_powers_of_two(value))
    text = write_number(value)
    # Without an exponent it is a DECIMAL first, which up to 15 digits becomes the right double everywhere.
    plain = "e" in text or count_digits(value) <= 15
    return exp.Literal.number(text if plain else f"{text}e0")


def as_double(value: exp.Expr) -> exp.Expr:
    """Cast to double, without sqlglot's look at how the type is called: that takes longer than all the rest."""
    from sqlglot import exp

    return exp.Cast(this=value, to=exp.DataType(this=exp.DataType.Type.DOUBLE))


def _sqlite_reads(value: float) -> bool:
    """Whether every version of SQLite, on any machine, reads the shortest decimal as this double.

    SQLite divides (or multiplies) the digits by a power of ten: in floats of 53 or of 64 bits, or in pairs of floats.
    Up to 15 digits and 22 powers the first is right; the others are, unless the decimal is all but halfway between
    two doubles.
    """
    if value.is_integer() and value <= 1e15:
        return True
    if count_digits(value) > 15 or not 1e-7 <= value <= 1e15:
        return False
    exact = Fraction(write_number(value))
    neighbours = (math.nextafter(value, to) for to in (0.0, math.inf))
    halfway = [(Fraction(value) + Fraction(near)) / 2 for near in neighbours]
    return all(abs(exact - middle) > _SQLITE_ERROR * exact for middle in halfway)


def _powers_of_two(value: float) -> exp.Expr:
    """Write a double as an integer times, or divided by, powers of two: no step rounds.

    >>> number(8.2993093, "sqlite").sql("sqlite")
    '(CAST(4672095783864061 AS REAL) / 562949953421312)'
    """
    from sqlglot import exp

    mantissa, exponent = int(math.frexp(value)[0] * 2**53), math.frexp(value)[1] - 53
    while mantissa % 2 == 0:
        mantissa, exponent = mantissa // 2, exponent + 1
    chunks = [_CHUNK] * (abs(exponent) // _CHUNK) + [abs(exponent) % _CHUNK]
    operator = "*" if exponent > 0 else "/"
    # As text: of each division of a tree sqlglot asks what types it has.
    return exp.Var(this=f"CAST({mantissa} AS REAL)" + "".join(f" {operator} {2**step}" for step in chunks if step))
