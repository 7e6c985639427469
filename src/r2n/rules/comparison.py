"""A halfspace as it is read: what is compared, how, and with what. Printing, explanations and exports read this."""

from __future__ import annotations

import math
from dataclasses import dataclass

from r2n.rules.terms import Terms
from r2n.rules.text import write_name, write_number, write_sum
from r2n.table import Schema


@dataclass(frozen=True, slots=True)
class Comparison:
    """`terms operator bound`; as a ratio, `above/below operator bound`.

    >>> print(compare((("debt", -2.0), ("income", 1.0)), 12.5))
    2·debt - income < -12.5
    """

    terms: Terms
    operator: str
    """One of `>`, `<`, `>=` and `<=`."""
    bound: float
    """Of the sum; of the quotient, if there is a ratio."""
    ratio: tuple[str, str] | None = None
    """The column that is divided, and the one it is divided by; the terms are then those of the difference."""

    def __str__(self) -> str:
        what = write_sum(self.terms) if self.ratio is None else "/".join(map(write_name, self.ratio))
        return f"{what} {self.operator} {write_number(self.bound)}"


def compare(terms: Terms, threshold: float, schema: Schema | None = None) -> Comparison:
    """How `Σ terms > threshold` is read: its first coefficient positive, its bound as short as can be.

    Exact in floats: the mirrored sum is minus the sum, and between two neighbouring floats there is nothing. A
    difference of two columns is read as a ratio only where the schema shows that this says the same.
    """
    flipped = terms[0][1] < 0.0
    shown = tuple((key, -a) for key, a in terms) if flipped else terms
    ratio = _ratio(terms, schema) if threshold == 0.0 and schema is not None else None
    if ratio is not None:
        above, below, operator, bound = ratio
        return Comparison(shown, operator, bound, (above, below))
    return Comparison(shown, *shortest_bound(threshold, flipped))


def shortest_bound(threshold: float, flipped: bool = False) -> tuple[str, float]:
    """`> threshold`, or for the mirrored sum `< -threshold`; with `>=` (`<=`) where that is shorter.

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
