"""Units: the only place that scales. A table becomes a matrix, and weights on it come back as sums over the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError, SchemaError
from r2n.table.cells import Floats
from r2n.table.table import Table

HOW = ("standard", "none")

# A column with a few wild values (a fill such as 1e20 among numbers around 1) has a deviation that is so many times its
# typical distance from the median. It is measured by that distance, or all its other values would fall together. The
# widest such ratio in the paper's real tables is 59.
WILD = 100.0
REACH = 100.0  # the network sees values of such a column as no farther than this; single precision ends near 1e38


@dataclass(frozen=True, slots=True)
class Scaling:
    """How numeric columns become a matrix: what is subtracted from each, and what it is divided by.

    Parameters
    ----------
    names : tuple of str
        The numeric columns.
    centre : tuple of float
        The number subtracted from each.
    scale : tuple of float
        The number that each is divided by.
    wild : tuple of bool
        Whether each column has a few values beyond all measure, which are clipped.
    mean : tuple of float
        The mean of each column over the rows where it is known; exactly 0 where it was centred on these.

    Examples
    --------
    >>> table = Table.read({"debt": [10.0, 30.0]})
    >>> scaling = Scaling.learn(table, ["debt"])
    >>> scaling.matrix(table).tolist()
    [[-1.0], [1.0]]
    >>> scaling.in_units([2.0], bias=1.0)  # 2·(debt - 20)/10 + 1 > 0 is 0.2·debt > 3
    ((('debt', 0.2),), 3.0)
    """

    names: tuple[str, ...]
    centre: tuple[float, ...]
    scale: tuple[float, ...]
    wild: tuple[bool, ...] = ()
    mean: tuple[float, ...] = ()  # over the rows where the column is known; exactly 0 where it was centred on these

    @classmethod
    def learn(cls, table: Table, names: Sequence[str], how: str = "standard", weight: Floats | None = None) -> Scaling:
        """Learn centre and spread of some columns.

        Parameters
        ----------
        table : Table
            The rows.
        names : sequence of str
            The numeric columns.
        how : {'standard', 'none'}
            By mean and standard deviation, or not at all.
        weight : array of float, optional
            The weight of each row; 1 by default.

        Returns
        -------
        Scaling
            The scaling.

        Raises
        ------
        ParameterError
            If `how` is none of these.
        SchemaError
            If a column holds numbers that cannot be scaled without loss.

        Examples
        --------
        >>> Scaling.learn(Table.read({"debt": [10.0, 30.0]}), ["debt"], how="none").scale
        (1.0,)
        """
        if how not in HOW:
            raise ParameterError(f"scaling must be one of {', '.join(HOW)}, not {how!r}.")
        learned = [_centre_and_scale(table.numeric(name), how, weight) for name in names]
        for name, one in zip(names, learned, strict=True):
            _check_range(name, table.numeric(name), *one)
        centres, scales, wild = zip(*learned, strict=True) if learned else ((), (), ())
        means = [
            0.0 if how == "standard" else _centre_and_scale(table.numeric(name), "standard", weight)[0]
            for name in names
        ]
        return cls(tuple(names), centres, scales, wild, tuple(means))

    def only(self, names: Sequence[str]) -> Scaling:
        """Select the scaling of some columns.

        Parameters
        ----------
        names : sequence of str
            The columns, in the wanted order.

        Returns
        -------
        Scaling
            How these columns are scaled.

        Examples
        --------
        >>> scaling = Scaling.learn(Table.read({"age": [31, 58], "debt": [1, 2]}), ["age", "debt"])
        >>> scaling.only(["debt"]).names
        ('debt',)
        """
        at = [self.names.index(name) for name in names]
        values = (self.centre, self.scale, self.wild, self.mean)
        centre, scale, wild, mean = (tuple(value[k] for k in at) for value in values)
        return Scaling(tuple(names), centre, scale, wild, mean)  # type: ignore[arg-type]

    def renamed(self, names: Mapping[str, str]) -> Scaling:
        """Rename all columns.

        Parameters
        ----------
        names : mapping
            The new name of each column.

        Returns
        -------
        Scaling
            The same scaling under other names.

        Examples
        --------
        >>> scaling = Scaling.learn(Table.read({"age": [31, 58]}), ["age"])
        >>> scaling.renamed({"age": "x0"}).names
        ('x0',)
        """
        return replace(self, names=tuple(names[name] for name in self.names))

    def matrix(self, table: Table) -> NDArray[np.float32]:
        """Scale the columns and put them side by side.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of float32
            The matrix; a missing value is 0, the centre, and a value beyond all measure is clipped.

        Examples
        --------
        >>> table = Table.read({"debt": [10.0, None, 30.0]})
        >>> Scaling.learn(table, ["debt"]).matrix(table).tolist()
        [[-1.0], [0.0], [1.0]]
        """
        matrix = np.empty((table.n_rows, len(self.names)), dtype=np.float32)
        for k, (name, centre, scale) in enumerate(zip(self.names, self.centre, self.scale, strict=True)):
            scaled = np.nan_to_num((table.numeric(name) - centre) / scale, nan=0.0)
            matrix[:, k] = np.clip(scaled, -REACH, REACH) if self.wild and self.wild[k] else scaled
        return matrix

    def missing(self, table: Table) -> NDArray[np.bool_]:
        """Find where the matrix stands in for a missing value.

        Parameters
        ----------
        table : Table
            The rows.

        Returns
        -------
        array of bool
            One column for each column of the matrix; no columns at all if nothing is missing.

        Examples
        --------
        >>> table = Table.read({"debt": [10.0, None, 30.0]})
        >>> Scaling.learn(table, ["debt"]).missing(table).tolist()
        [[False], [True], [False]]
        """
        known = [table.known(name) for name in self.names]
        if all(column.all() for column in known):
            return np.zeros((table.n_rows, 0), dtype=np.bool_)
        return ~np.column_stack(known)

    def in_units(self, weights: Sequence[float], bias: float) -> tuple[tuple[tuple[str, float], ...], float]:
        """Turn a linear condition on the matrix into one in the table's units.

        Σ w_k·(x_k - centre_k)/scale_k + bias > 0 becomes Σ a_k·x_k > c. Every number is the float nearest to the exact
        one: the sum for c is made in fractions and rounded once.

        Parameters
        ----------
        weights : sequence of float
            The weight of each column of the matrix.
        bias : float
            The number added to the sum.

        Returns
        -------
        terms : tuple of (str, float) pairs
            The columns with their coefficients, without those of weight 0.
        threshold : float
            The number that their sum must exceed.

        Examples
        --------
        >>> Scaling(("debt",), (20.0,), (10.0,)).in_units([2.0], bias=1.0)
        ((('debt', 0.2),), 3.0)
        """
        parts = zip(self.names, self.centre, self.scale, weights, strict=True)
        used = [(name, Fraction(centre), Fraction(scale), Fraction(w)) for name, centre, scale, w in parts if w != 0]
        terms = tuple((name, float(w / scale)) for name, _, scale, w in used)
        threshold = sum((w * centre / scale for _, centre, scale, w in used), Fraction(0)) - Fraction(bias)
        return terms, float(threshold)


def _check_range(name: str, column: Floats, centre: float, scale: float, wild: bool) -> None:
    """Refuse numbers that cannot be scaled, or (unless they are brought within reach) not in single precision."""
    known = column[~np.isnan(column)]
    if known.size == 0:
        return
    low, high = float(known.min()), float(known.max())
    with np.errstate(all="ignore"):
        scaled, unit = np.abs([(low - centre) / scale, (high - centre) / scale]), 1.0 / np.float64(scale)
    if not (scaled.max() < (1e100 if wild else 1e30) and unit < 1e290):  # also if either is not a number
        raise SchemaError(
            f"column {name!r} holds numbers from {low:g} to {high:g}, which cannot be scaled without loss. "
            f"Bring it to another unit, or clip its extremes."
        )


def _centre_and_scale(column: Floats, how: str, weight: Floats | None) -> tuple[float, float, bool]:
    """Find what to subtract, what to divide by, and whether wild values were left out of account."""
    there = ~np.isnan(column)
    known = column[there]
    if how == "none" or known.size == 0:
        return 0.0, 1.0, False
    # Sums of squares of numbers around 1e200 overflow; those of numbers around 1 do not. A power of
    # two takes them there and back without rounding.
    largest = float(np.ldexp(1.0, int(np.frexp(np.abs(known).max())[1]) - 1))
    if largest < np.finfo(np.float64).tiny:
        return 0.0, largest, False  # subnormal: refused, unless it is 0 throughout
    weights = np.ones(len(known)) if weight is None else weight[there]
    centre = float(np.average(known / largest, weights=weights))
    scale = float(np.sqrt(np.average((known / largest - centre) ** 2, weights=weights)))
    middle, typical = _middle_and_distance(known, weights)
    if scale * largest > WILD * typical > 0.0:
        return middle, typical, True
    # A spread that is only rounding error is a constant column, which no scale can spread.
    return centre * largest, scale * largest if scale > 1e-12 else largest, False


def _middle_and_distance(known: Floats, weight: Floats) -> tuple[float, float]:
    """Find the median, and the median distance from it of the values that differ from it; 0 if none does."""
    middle = _median(known, weight)
    with np.errstate(over="ignore"):
        distance = np.abs(known - middle)
    away = distance > 0.0
    return middle, _median(distance[away], weight[away]) if away.any() else 0.0


def _median(values: Floats, weight: Floats) -> float:
    """Find the value at half of the weight: one of the values."""
    order = np.argsort(values, kind="stable")
    upto = np.cumsum(weight[order])
    return float(values[order[np.searchsorted(upto, upto[-1] / 2)]])
