"""A bound on the gap between groups: what the gap is on some rows, and what it adds to the label of each row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Bound:
    """By how much the shares of predicted rows may differ at most between groups of rows."""

    codes: NDArray[np.intp]  # the group of each row
    weight: Floats  # of each row in its group's share; 0 where it does not count
    n_groups: int
    most: float

    def take(self, rows: NDArray[np.intp]) -> Bound:
        """The same bound on these rows alone."""
        return Bound(self.codes[rows], self.weight[rows], self.n_groups, self.most)

    @property
    def totals(self) -> Floats:
        """The weight of each group."""
        return self._sum(self.weight)

    def shares(self, said: NDArray[np.bool_]) -> Floats:
        """The share of each group that is predicted; NaN of a group without rows.

        >>> bound = Bound(np.array([0, 0, 1, 1]), np.ones(4), n_groups=2, most=0.1)
        >>> bound.shares(np.array([True, True, True, False])).tolist()
        [1.0, 0.5]
        """
        totals = self.totals
        shares: Floats = self._sum(self.weight * said) / np.where(totals > 0, totals, np.nan)
        return shares

    def gap(self, said: NDArray[np.bool_], errors: float = 0.0) -> float:
        """The largest difference of two groups' shares, with so many standard errors of it on top.

        A row of either kind is added to each group where its error is estimated: no share of few rows is certain.
        """
        shares = self.shares(said)
        rows = self.totals**2 / np.maximum(self._sum(self.weight**2), 1e-300)  # of equal weight that say as much
        smooth = (np.nan_to_num(shares) * rows + 1.0) / (rows + 2.0)
        variance = smooth * (1.0 - smooth) / (rows + 2.0)
        apart = np.nan_to_num(np.abs(shares[:, None] - shares)) + errors * np.sqrt(variance[:, None] + variance)
        np.fill_diagonal(apart, 0.0)
        return float(apart.max(initial=0.0))

    def excess(self, said: NDArray[np.bool_], most: float) -> Floats:
        """By how much each group's share lies outside a band of this width around the middle of all shares.

        >>> bound = Bound(np.array([0, 0, 1, 1]), np.ones(4), n_groups=2, most=0.1)
        >>> bound.excess(np.array([True, True, True, False]), most=0.2).round(3).tolist()
        [0.15, -0.15]
        """
        shares = self.shares(said)
        if np.isnan(shares).all():
            return np.zeros(self.n_groups)
        middle = (np.nanmin(shares) + np.nanmax(shares)) / 2
        outside: Floats = np.nan_to_num(shares - np.clip(shares, middle - most / 2, middle + most / 2))
        return outside

    def shift(self, prices: Floats, weight: Floats) -> Floats:
        """What is added to the labels of rows of these weights, so that a group's share costs its price in error."""
        totals = self.totals
        each = prices * weight.sum() / np.where(totals > 0, totals, np.inf)
        shifted: Floats = -each[self.codes] * self.weight / (2.0 * weight)
        return shifted

    def _sum(self, values: Floats) -> Floats:
        sums: Floats = np.bincount(self.codes, weights=values, minlength=self.n_groups).astype(np.float64)
        return sums
