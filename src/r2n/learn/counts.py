"""The training rows behind a model's probabilities. Rows are counted by their weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Counts:
    """Training rows behind the probabilities: of each rule, and of the rows on which none fired."""

    positives: Floats
    covered: Floats
    silent_positives: float
    silent: float

    @classmethod
    def of(cls, fired: Bools, truth: Bools, weight: Floats) -> Counts:
        """Count from `fired`, which rules are true in which training rows, and `truth`, which rows have the label."""
        silent = ~fired.any(axis=1)
        silents = float(weight[truth & silent].sum()), float(weight[silent].sum())
        return cls((weight * truth) @ fired, weight @ fired, *silents)

    def probability(self, fired: Bools) -> Floats:
        """Estimate the label's probability: smoothed by one row of each class, above one half where a rule fires."""
        share = (fired @ self.positives + 1) / (fired @ self.covered + 2)
        silent = (self.silent_positives + 1) / (self.silent + 2)
        above, below = np.nextafter(0.5, 1), np.nextafter(0.5, 0)
        return np.where(fired.any(axis=1), np.maximum(share, above), min(silent, below))


@dataclass(frozen=True)
class ClassCounts:
    """The shares of the classes for each class in the order in which they are tried, and for the default.

    They are the shares among the training rows that this class's rules decided, smoothed by one row of each class. The
    predicted class has the largest share, so that no probability contradicts a prediction.
    """

    shares: Floats  # (deciders, classes)

    @classmethod
    def of(cls, decided: Codes, winners: Codes, codes: Codes, weight: Floats) -> ClassCounts:
        """Count from which rules decided each row, the classes that they predict, and the rows' own classes."""
        shares = [smooth_shares(codes, weight, decided == k, int(winner)) for k, winner in enumerate(winners)]
        return cls(np.array(shares))


def smooth_shares(codes: Codes, weight: Floats, rows: Bools, winner: int) -> Floats:
    """Share some rows out among the classes, smoothed; the winner's is the largest."""
    n_classes = int(codes.max()) + 1
    counts = 1.0 + np.bincount(codes[rows], weights=weight[rows], minlength=n_classes)
    counts[winner] = counts.max()
    shares = counts / counts.sum()
    if np.argmax(shares) != winner or np.sum(shares == shares[winner]) > 1:
        shares[winner] = np.nextafter(shares[winner], 1.0)
    return np.asarray(shares)
