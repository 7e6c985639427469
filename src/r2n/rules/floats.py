"""Exact work with floats: the last one where a condition holds, the shortest one in a gap."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from fractions import Fraction


def largest_where(holds: Callable[[float], bool]) -> float | None:
    """Find the largest finite float where `holds`, which must hold up to some float and fail beyond.

    None if it holds nowhere or everywhere. Exact, by bisection over all 2⁶⁴ floats in 64 steps.

    >>> largest_where(lambda x: 0.1 * x <= 0.3)
    2.9999999999999996
    """
    low, high = _rank(-sys.float_info.max), _rank(sys.float_info.max)
    if not holds(_unrank(low)) or holds(_unrank(high)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(_unrank(middle)) else (low, middle)
    return _unrank(low)


def _rank(number: float) -> int:
    """Compute a float's place among all floats: its bits, read as an integer, grow with its size."""
    bits: int = struct.unpack("<q", struct.pack("<d", abs(number)))[0]
    return bits if number >= 0.0 else -bits


def _unrank(rank: int) -> float:
    size: float = struct.unpack("<d", struct.pack("<q", abs(rank)))[0]
    return size if rank >= 0 else -size


def shortest_between(low: float, high: float) -> float:
    """Find the decimal with the fewest significant digits in [low, high).

    0 comes before all others; of equally short decimals, the one nearest to the middle is taken.

    Parameters
    ----------
    low : float
        The least number allowed.
    high : float
        The first number that is too large.

    Returns
    -------
    float
        The shortest number.

    Examples
    --------
    >>> shortest_between(0.4871, 0.5113), shortest_between(-1, 3), shortest_between(117.2, 119.9)
    (0.5, 0.0, 119.0)
    >>> shortest_between(0.1, math.nextafter(0.1, 1)), shortest_between(0.3, 0.4), shortest_between(-0.6, -0.599)
    (0.1, 0.3, -0.6)
    """
    if low <= 0.0 < high:
        return 0.0
    # A multiple of 10^k with k as large as possible has the fewest digits: were there a shorter one
    # with a smaller k, a power of ten would lie between the two, and be shorter than both.
    exponent = math.floor(math.log10(max(abs(low), abs(high)))) + 1
    for k in range(exponent, exponent - 25, -1):
        found = _first_multiple(low, Fraction(10) ** k)
        if found < high:
            middle = round_to(low / 2 + high / 2, count_digits(found))
            return middle if low <= middle < high else found
    return low


def _first_multiple(low: float, unit: Fraction) -> float:
    """Find the smallest multiple of `unit` whose float is not below `low`; it may itself be a little, as 0.1 is."""
    below = math.floor(Fraction(low) / unit)
    first = _as_float(below * unit)
    return first if first >= low else _as_float((below + 1) * unit)


def _as_float(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.inf


def round_to(number: float, digits: int) -> float:
    """Round to the nearest decimal with this many significant digits.

    >>> round_to(0.123456, 2), round_to(-98765.0, 1)
    (0.12, -100000.0)
    """
    return float(f"{number:.{digits - 1}e}")


def count_digits(number: float) -> int:
    """Count the significant digits it takes to write this float exactly; none for 0.

    >>> count_digits(0.25), count_digits(-1200.0), count_digits(0.0)
    (2, 2, 0)
    """
    mantissa = repr(abs(number)).partition("e")[0]
    return len(mantissa.replace(".", "").strip("0"))
