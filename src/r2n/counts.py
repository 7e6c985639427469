"""The training rows behind a model's probabilities."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.rules import RuleSet
from r2n.schema import Table

Bools = NDArray[np.bool_]


@dataclass(frozen=True)
class Counts:
    """Training rows behind the probabilities: of each rule, and of the rows on which none fired."""

    positives: NDArray[np.float64]
    covered: NDArray[np.float64]
    silent_positives: float
    silent: float

    @classmethod
    def of(cls, rules: RuleSet, table: Table, truth: Bools) -> Counts:
        fired = rules.fires(table)
        silent = ~fired.any(axis=1)
        positives, covered = (fired & truth[:, None]).sum(axis=0), fired.sum(axis=0)
        silents = float(np.sum(truth & silent)), float(np.sum(silent))
        return cls(positives.astype(np.float64), covered.astype(np.float64), *silents)

    def probability(self, fired: Bools) -> NDArray[np.float64]:
        """Smoothed by one row of each class, and held on the side of one half that the rules are on."""
        share = (fired @ self.positives + 1) / (fired @ self.covered + 2)
        silent = (self.silent_positives + 1) / (self.silent + 2)
        above, below = np.nextafter(0.5, 1), np.nextafter(0.5, 0)
        return np.where(fired.any(axis=1), np.maximum(share, above), min(silent, below))
