"""What a miss costs beside a false alarm: rows and labels, weighed for the probability from which a row is positive."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from r2n.search.plan import EVEN
from r2n.search.problem import Floats, Labelled


def lean(rows: Labelled, target: Floats, threshold: float) -> tuple[Labelled, Floats]:
    """Weigh rows and their labels in {0, 1}, or probabilities p, so that calling a row positive costs w·2(t - p).

    With weight w' = 2w·(p(1 - t) + (1 - p)t) and label p' = p(1 - t) / (p(1 - t) + (1 - p)t), the cost of a search that
    counts errors, w'(1 - 2p'), is that. A missed positive costs 2(1 - t), a false alarm 2t.

    >>> from r2n.table import Table
    >>> rows = Labelled(Table.read({"x": [1, 2]}), np.array([True, False]), np.ones(2))
    >>> weighed, target = lean(rows, np.array([0.5, 0.0]), threshold=0.25)
    >>> weighed.weight.tolist(), target.tolist()
    ([1.0, 0.5], [0.75, 0.0])
    """
    if threshold == EVEN:
        return rows, target
    for_, against = 2.0 * (1.0 - threshold) * target, 2.0 * threshold * (1.0 - target)
    return replace(rows, weight=rows.weight * (for_ + against)), for_ / (for_ + against)


def weigh(rows: Labelled, threshold: float) -> Labelled:
    """Weigh rows by what an error in them costs: a positive 2(1 - t), any other row 2t."""
    return lean(rows, rows.truth.astype(np.float64), threshold)[0]
