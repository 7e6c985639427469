"""Linear programs with proof: the solver only proposes weights, exact arithmetic checks them.

Sums must not fall below their bounds. If a weighted sum of these demands cannot be met by any point of the box, then
no point meets them all (Farkas). The weights come from HiGHS, in floats; the check is in fractions, so rounding of
the solver never decides. What a halfspace computes is a *float* sum, so each demand is loosened first by all that its
roundings can make of it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np

from r2n.prove.box import LARGEST, Box
from r2n.rules.literals import Halfspace
from r2n.runtime.forks import with_own_threads

HUGE = 1e30  # a bound beyond this is none to the solver

_ROUNDING = Fraction(1, 2**53)  # the largest relative error of one operation
_UNDERFLOW = Fraction(1, 2**1074)  # the largest error of a product next to zero

Sum: TypeAlias = dict[str, Fraction]


@dataclass(frozen=True, slots=True)
class Demand:
    """Σ a_k·x_k, the float sum, is not below `bound`."""

    terms: tuple[tuple[str, float], ...]
    bound: float

    @classmethod
    def of(cls, literal: Halfspace, truth: bool) -> Demand:
        """Make the demand that a halfspace is true, or false on known values."""
        if truth:
            return cls(literal.numbers, literal.threshold)
        return cls(tuple((name, -a) for name, a in literal.numbers), -literal.threshold)

    def is_tame(self, box: Box) -> bool:
        """Whether no part of the sum can overflow: then its rounding errors are known, and it is never NaN."""
        return sum(abs(a) * _reach(box, name) for name, a in self.terms) < LARGEST / 4

    def loosen(self, box: Box) -> tuple[Sum, Fraction]:
        """Loosen the demand: every float row of the box that meets it meets the loosened one in exact numbers."""
        # n roundings at most touch a term: the product's, and one for each addition.
        share = (len(self.terms) + 1) * _ROUNDING
        slack = len(self.terms) * _UNDERFLOW
        loose: Sum = {}
        for name, a in self.terms:
            sign = _sign(box, name)
            loose[name] = Fraction(a) + sign * share * abs(Fraction(a))
            if sign == 0:
                slack += share * abs(Fraction(a)) * Fraction(_reach(box, name))
        return loose, Fraction(self.bound) - slack


@dataclass(frozen=True, slots=True)
class Outcome:
    """A point that may meet all demands, as deep inside as there is; or the proof that there is none."""

    point: Mapping[str, float]
    impossible: bool


def solve(demands: Sequence[Demand], box: Box) -> Outcome:
    """Look for a point of the box that meets all demands by as much as possible."""
    names = sorted({name for demand in demands for name, _ in demand.terms})
    scales = {name: _scale(name, demands, box) for name in names}
    found = _deepest(demands, box, scales)
    if found is None:
        return Outcome({}, False)
    point, depth, weights = found
    return Outcome(point, depth < 0.0 and all(map(math.isfinite, weights)) and _refutes(weights, demands, box))


def _deepest(
    demands: Sequence[Demand], box: Box, scales: Mapping[str, float]
) -> tuple[dict[str, float], float, list[float]] | None:
    """Find the deepest point, by how much it meets the demands (negative: fails), and the weight of each demand."""
    from scipy.optimize import linprog  # only proofs need it: loading and predicting do with numpy

    place = {name: k for k, name in enumerate(scales)}
    matrix = np.zeros((len(demands), len(place) + 1))
    bounds = np.array([demand.bound for demand in demands])
    for row, demand in zip(matrix, demands, strict=True):
        for name, a in demand.terms:
            row[place[name]] = a * scales[name]
    sizes = np.maximum(np.abs(matrix).max(axis=1), np.abs(bounds))
    if not (np.isfinite(sizes).all() and (sizes > 0.0).all()):
        return None
    matrix /= sizes[:, None]
    matrix[:, -1] = -1.0  # Σ a·x - depth ≥ bound
    ranges = [(_finite(box[name].low / scale), _finite(box[name].high / scale)) for name, scale in scales.items()]
    goal = np.append(np.zeros(len(place)), -1.0)
    limits = {"A_ub": -matrix, "b_ub": -bounds / sizes, "bounds": [*ranges, (None, 1.0)]}
    result = with_own_threads(lambda: linprog(goal, **limits, method="highs"))
    if result.status != 0:
        return None
    point = {name: float(z * scale) for z, (name, scale) in zip(result.x[:-1], scales.items(), strict=True)}
    with np.errstate(over="ignore"):  # next to the smallest floats
        weights = -result.ineqlin.marginals / sizes
    return point, float(result.x[-1]), weights.tolist()


def _finite(bound: float) -> float | None:
    return bound if abs(bound) < HUGE else None


def _scale(name: str, demands: Sequence[Demand], box: Box) -> float:
    """Estimate the size of a column's numbers, as a power of two."""
    ends = [abs(end) for end in (box[name].low, box[name].high) if 0.0 < abs(end) < HUGE]
    turns = [abs(demand.bound / a) for demand in demands for other, a in demand.terms if other == name]
    size = max([*ends, *(turn for turn in turns if 1 / HUGE < turn < HUGE)], default=1.0)
    return 2.0 ** math.frexp(size)[1]


# -- the proof ------------------------------------------------------------------------------------------


def _refutes(weights: Sequence[float], demands: Sequence[Demand], box: Box) -> bool:
    """Whether the weighted sum of the loosened demands asks for more than any point of the box gives."""
    largest = max(weights)
    used = [
        (Fraction(weight), *demand.loosen(box))
        for weight, demand in zip(weights, demands, strict=True)
        if weight > 1e-9 * largest and demand.is_tame(box)
    ]
    sums, bounds = [row for _, row, _ in used], [bound for _, _, bound in used]
    chosen = [weight for weight, _, _ in used]
    # A tiny rest of a column without bounds would outweigh everything: there it has to cancel exactly.
    endless = [name for name, a in _total(chosen, sums).items() if abs(_worst(name, a, box)) > HUGE]
    return _is_short(chosen, sums, bounds, box) or (
        bool(endless) and _is_short(_cancel(chosen, sums, endless), sums, bounds, box)
    )


def _is_short(weights: Sequence[Fraction], sums: Sequence[Sum], bounds: Sequence[Fraction], box: Box) -> bool:
    """Whether what is demanded, so weighted, is more than there is."""
    if not weights:
        return False
    most = sum(a * Fraction(_worst(name, a, box)) for name, a in _total(weights, sums).items())
    return bool(most < sum(weight * bound for weight, bound in zip(weights, bounds, strict=True)))


def _worst(name: str, a: Fraction, box: Box) -> float:
    """Find the value at which a column with this coefficient adds most."""
    return 0.0 if a == 0 else box[name].high if a > 0 else box[name].low


def _total(weights: Sequence[Fraction], sums: Sequence[Sum]) -> Sum:
    total: Sum = {}
    for weight, row in zip(weights, sums, strict=True):
        for name, a in row.items():
            total[name] = total.get(name, Fraction(0)) + weight * a
    return total


def _cancel(weights: list[Fraction], sums: Sequence[Sum], names: Sequence[str]) -> list[Fraction]:
    """Adjust weights so that the named columns cancel exactly; return none if some would be negative."""
    pivots: dict[int, list[Fraction]] = {}
    for name in names:
        row = [each.get(name, Fraction(0)) for each in sums]
        for at, pivot in pivots.items():
            row = [a - row[at] * p for a, p in zip(row, pivot, strict=True)]
        at_new = next((k for k, a in enumerate(row) if a != 0), None)
        if at_new is None:
            continue
        row = [a / row[at_new] for a in row]
        pivots = {at: [a - pivot[at_new] * b for a, b in zip(pivot, row, strict=True)] for at, pivot in pivots.items()}
        pivots[at_new] = row
    free = [k for k in range(len(weights)) if k not in pivots]
    exact = [
        weight if k not in pivots else -sum((pivots[k][j] * weights[j] for j in free), Fraction(0))
        for k, weight in enumerate(weights)
    ]
    return exact if all(weight >= 0 for weight in exact) and any(exact) else []


def _reach(box: Box, name: str) -> float:
    return max(abs(box[name].low), abs(box[name].high))


def _sign(box: Box, name: str) -> int:
    """Of all that the column may hold; 0 if it may hold numbers of both signs."""
    return int(box[name].low >= 0.0) - int(box[name].high <= 0.0)
