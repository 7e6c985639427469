"""Several classes: in which order their rule sets are tried, and which class gets the rows that none claims."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


def order_classes(claims: Bools, codes: Codes, weight: Floats) -> list[int]:
    """Put the most precise rule set first, then swap neighbours as long as that lowers the training error.

    `claims` has a column for each class.
    """
    n_classes = claims.shape[1]
    right = claims & (codes[:, None] == np.arange(n_classes))
    precision = (weight @ right) / np.maximum(weight @ claims, 1e-300)
    order = sorted(range(n_classes), key=lambda k: -precision[k])
    improved = True
    while improved:
        improved = False
        for i in range(n_classes - 1):
            first, second = order[i], order[i + 1]
            # Only rows that both claim, and none before them, change hands.
            both = claims[:, first] & claims[:, second] & ~claims[:, order[:i]].any(axis=1)
            if weight[both & (codes == second)].sum() > weight[both & (codes == first)].sum() + 1e-12:
                order[i], order[i + 1] = second, first
                improved = True
    return order


def find_default(claims: Bools, codes: Codes, weight: Floats) -> int:
    """Find the most frequent class among the rows that no class claims, or among all rows if there are none."""
    silent = ~claims.any(axis=1)
    counted = silent if silent.any() else np.ones(len(codes), dtype=np.bool_)
    return int(np.argmax(np.bincount(codes[counted], weights=weight[counted], minlength=claims.shape[1])))
