"""A halfspace as it is read: what is compared, how, and with what. Printing, explanations and exports read this."""

from __future__ import annotations

import math
from dataclasses import dataclass

from r2n.rules.terms import Terms
from r2n.rules.text import write_name, write_number, write_sum
from r2n.table import Schema


@dataclass(frozen=True, slots=True)
class Comparison:
    """A halfspace as data: what is compared, how, and with which bound.

    It is `terms operator bound`; with a ratio, `above/below operator bound`. Printing, explanations and exports read
    this.

    Parameters
    ----------
    terms : tuple of (key, coefficient) pairs
        The sum; with a ratio, the difference that the ratio stands for.
    operator : str
        One of `>`, `<`, `>=` and `<=`.
    bound : float
        The number that the sum, or the ratio, is compared with.
    ratio : tuple of two str, optional
        The column that is divided, and the column it is divided by.

    Examples
    --------
    >>> print(compare((("debt", -2.0), ("income", 1.0)), 12.5))
    2·debt - income < -12.5
    """

    terms: Terms
    operator: str
    bound: float
    ratio: tuple[str, str] | None = None

    def __str__(self) -> str:
        what = write_sum(self.terms) if self.ratio is None else "/".join(map(write_name, self.ratio))
        return f"{what} {self.operator} {write_number(self.bound)}"


def compare(terms: Terms, threshold: float, schema: Schema | None = None) -> Comparison:
    """Find how `Σ terms > threshold` is read: with a positive first coefficient and the shortest bound.

    This is exact in floats: the sum of the negated terms is the negated sum, and no float lies between two neighbours.
    A difference of two columns is read as a ratio only where the schema shows that both mean the same.

    Parameters
    ----------
    terms : tuple of (key, coefficient) pairs
        The sum.
    threshold : float
        The number that the sum must exceed.
    schema : Schema, optional
        What is known of the columns.

    Returns
    -------
    Comparison
        The terms, operator, bound, and the ratio if there is one.

    Examples
    --------
    >>> compare((("x", -1.0),), -0.25).operator
    '<'
    """
    flipped = terms[0][1] < 0.0
    shown = tuple((key, -a) for key, a in terms) if flipped else terms
    ratio = _ratio(terms, schema) if threshold == 0.0 and schema is not None else None
    if ratio is not None:
        above, below, operator, bound = ratio
        return Comparison(shown, operator, bound, (above, below))
    return Comparison(shown, *shortest_bound(threshold, flipped))


def shortest_bound(threshold: float, flipped: bool = False) -> tuple[str, float]:
    """Choose `> threshold`, or for the mirrored sum `< -threshold`; with `>=` (`<=`) where that is shorter.

    Between a float and the next one there is nothing, so v > c says the same as v >= next(c).

    >>> shortest_bound(12.5), shortest_bound(12.5, flipped=True), shortest_bound(0.29999999999999993)
    (('>', 12.5), ('<', -12.5), ('>=', 0.3))
    """
    above = math.nextafter(threshold, math.inf)
    sign, operator = (-1.0, "<") if flipped else (1.0, ">")
    strict, weak = sign * threshold + 0.0, sign * above + 0.0  # + 0.0: no minus zero
    if math.isfinite(above) and len(write_number(weak)) < len(write_number(strict)):
        return f"{operator}=", weak
    return operator, strict


def _ratio(terms: Terms, schema: Schema) -> tuple[str, str, str, float] | None:
    """p, q, the operator and r of p/q > r, for 1·p - r·q > 0, and of p/q < r for its mirror image."""
    match terms:
        case ((str(p), a), (str(q), b)):
            pairs = (((p, a), (q, b)), ((q, b), (p, a)))
        case _:
            return None
    for (above, a), (below, b) in pairs:
        # Any other coefficient of what is divided would not read back as the same floats.
        if abs(a) == 1.0 and (a > 0.0) != (b > 0.0) and _is_positive(schema, below):
            return above, below, ">" if a > 0.0 else "<", abs(b)
    return None


def _is_positive(schema: Schema, name: str) -> bool:
    return name in schema and schema.column(name).kind == "numeric" and schema.column(name).low > 0.0
