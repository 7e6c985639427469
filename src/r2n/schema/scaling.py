"""Units: the only place that scales. A table becomes a matrix, and weights on it come back as sums over the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError, SchemaError
from r2n.schema.table import Table
from r2n.schema.values import Floats

HOW = ("standard", "range", "none")


@dataclass(frozen=True, slots=True)
class Scaling:
    """Numeric columns and, for each, the number subtracted and the number divided by.

    >>> table = Table.read({"debt": [10.0, 30.0]})
    >>> scaling = Scaling.learn(table, ["debt"])
    >>> scaling.matrix(table).tolist()
    [[-1.0], [1.0]]

    Weights on the matrix are brought back to the table's units: 2·(debt - 20)/10 + 1 > 0 is
    0.2·debt > 3.

    >>> scaling.in_units([2.0], bias=1.0)
    ((('debt', 0.2),), 3.0)
    """

    names: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]

    @classmethod
    def learn(cls, table: Table, names: Sequence[str], how: str = "standard", weight: Floats | None = None) -> Scaling:
        """Centre and spread of the named columns: `standard`, `range` (to 0 … 1), or `none`; rows may have weights."""
        if how not in HOW:
            raise ParameterError(f"scaling must be one of {', '.join(HOW)}, not {how!r}.")
        pairs = [_centre_and_scale(table.numeric(name), how, weight) for name in names]
        for name, pair in zip(names, pairs, strict=True):
            _check_range(name, table.numeric(name), *pair)
        return cls(tuple(names), tuple(c for c, _ in pairs), tuple(s for _, s in pairs))

    def matrix(self, table: Table) -> NDArray[np.float32]:
        """The columns side by side, scaled; a missing value sits at the centre."""
        matrix = np.empty((table.n_rows, len(self.names)), dtype=np.float32)
        for k, (name, centre, scale) in enumerate(zip(self.names, self.centre, self.scale, strict=True)):
            matrix[:, k] = np.nan_to_num((table.numeric(name) - centre) / scale, nan=0.0)
        return matrix

    def means(self, table: Table, weight: Floats | None = None) -> Floats:
        """Of the matrix's columns, over the rows where they are known; exactly 0 where they were centred on these."""
        columns = [_centre_and_scale(table.numeric(name), "standard", weight)[0] for name in self.names]
        means: Floats = (np.array(columns) - np.array(self.centre)) / np.array(self.scale)
        return means

    def missing(self, table: Table) -> NDArray[np.bool_]:
        """Where the matrix stands in for a missing value; without columns if it nowhere does."""
        known = [table.known(name) for name in self.names]
        if all(column.all() for column in known):
            return np.zeros((table.n_rows, 0), dtype=np.bool_)
        return ~np.column_stack(known)

    def in_units(self, weights: Sequence[float], bias: float) -> tuple[tuple[tuple[str, float], ...], float]:
        """Σ w_k (x_k - centre_k)/scale_k + bias > 0 as Σ a_k·x_k > c: the terms and c.

        Every number is the float nearest to the exact one: the sum for c is made in fractions and
        rounded once. Columns of weight 0 are left out.
        """
        parts = zip(self.names, self.centre, self.scale, weights, strict=True)
        used = [(name, Fraction(centre), Fraction(scale), Fraction(w)) for name, centre, scale, w in parts if w != 0]
        terms = tuple((name, float(w / scale)) for name, _, scale, w in used)
        threshold = sum((w * centre / scale for _, centre, scale, w in used), Fraction(0)) - Fraction(bias)
        return terms, float(threshold)


def _check_range(name: str, column: Floats, centre: float, scale: float) -> None:
    """Refuse numbers that cannot be scaled, or whose scaled values do not fit the network's single precision."""
    known = column[~np.isnan(column)]
    if known.size == 0:
        return
    low, high = float(known.min()), float(known.max())
    with np.errstate(all="ignore"):
        scaled, unit = np.abs([(low - centre) / scale, (high - centre) / scale]), 1.0 / np.float64(scale)
    if not (scaled.max() < 1e30 and unit < 1e290):  # also if either is not a number
        raise SchemaError(
            f"column {name!r} holds numbers from {low:g} to {high:g}, which cannot be scaled without loss. "
            f"Bring it to another unit, or clip its extremes."
        )


def _centre_and_scale(column: Floats, how: str, weight: Floats | None) -> tuple[float, float]:
    there = ~np.isnan(column)
    known = column[there]
    if how == "none" or known.size == 0:
        return 0.0, 1.0
    # Sums of squares of numbers around 1e200 overflow; those of numbers around 1 do not. A power of
    # two takes them there and back without rounding.
    largest = float(np.ldexp(1.0, int(np.frexp(np.abs(known).max())[1]) - 1))
    if largest < np.finfo(np.float64).tiny:
        return 0.0, largest  # subnormal: refused, unless it is 0 throughout
    known = known / largest
    if how == "standard":
        centre = float(np.average(known, weights=None if weight is None else weight[there]))
        spread = np.average((known - centre) ** 2, weights=None if weight is None else weight[there])
        scale = float(np.sqrt(spread))
    else:
        centre, scale = float(known.min()), float(np.ptp(known))
    # A spread that is only rounding error is a constant column, which no scale can spread.
    return centre * largest, scale * largest if scale > 1e-12 else largest
