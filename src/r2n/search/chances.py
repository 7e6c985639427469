"""How likely each row is positive, by models that never saw it; and where to cut such chances into levels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import StratifiedKFold

from r2n.search.plan import FOLDS, LEAST_CLASS_SHARE, LEAST_LEVEL_ROWS, LEAST_LEVEL_SHARE, LEVEL_BINS
from r2n.search.problem import Floats, Labelled
from r2n.search.teacher import Features, gather_out_of_fold, hear_opinions, score_brier, share_lessons
from r2n.table import Schema


def estimate_chances(rows: Labelled, schema: Schema, seed: int, n_jobs: int | None) -> Floats:
    """Estimate each row's chance out of fold: by boosting, a logistic fit or their mean, whichever is nearest."""
    features = Features.of(rows.table, schema)
    folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(rows.truth, rows.truth)
    lessons = share_lessons(rows, rows.table.take(np.arange(0)), folds, features, seed)
    boosted = hear_opinions(lessons, n_jobs, np.inf)
    assert boosted is not None, "without a time limit all are heard"
    lines = [lesson.logistic_opinion() for lesson in lessons]
    both = [one.mixed_with(other) for one, other in zip(boosted, lines, strict=True)]
    chances = [gather_out_of_fold(opinions, lessons, rows) for opinions in (boosted, lines, both)]
    return min(chances, key=lambda each: score_brier(each, rows))


def cut_chances(chances: Floats, weight: Floats, n_levels: int) -> tuple[float, ...]:
    """Cut rows by their chance into levels whose mean chances lose the least log loss: the cuts, highest first.

    A step function that gives each row the mean chance p of its level has the expected log loss
    -Σ w·(p·log p + (1 - p)·log(1 - p)), the least of which dynamic programming finds over cuts between bins of equal
    weight. There are fewer cuts where chances have fewer values, or few rows. A class that is expected in less than a
    quarter of the rows counts as a quarter: else a rare one would have no say in where the many other rows are cut.

    >>> chances = np.repeat([0.1, 0.5, 0.9], 40)
    >>> cut_chances(chances, np.ones(120), 3)
    (0.7, 0.3)
    """
    order = np.argsort(chances, kind="stable")
    raised = raise_rare_class(float(np.average(chances, weights=weight)))
    p, w = raised.apply(chances[order], weight[order])
    steps = np.flatnonzero(np.diff(p) > 0) + 1  # rows of one chance stay together
    wanted = np.searchsorted(np.cumsum(w), np.arange(1, LEVEL_BINS) * (w.sum() / LEVEL_BINS))
    ends = np.unique(steps[np.searchsorted(steps, wanted[wanted <= steps.max(initial=0)])]) if len(steps) else steps
    if len(steps) < LEVEL_BINS:
        ends = steps
    edges = np.r_[0, ends, len(p)]
    total, positive = (np.r_[0.0, np.cumsum(each)][edges] for each in (w, w * p))
    least = max(LEAST_LEVEL_SHARE, LEAST_LEVEL_ROWS / len(p)) * w.sum()
    loss = _loss_between(total, positive, least)
    places = _best_places(loss, n_levels)
    cuts = np.array([(p[edges[k] - 1] + p[edges[k]]) / 2 for k in reversed(places)])
    return tuple(raised.undo(cuts).tolist())


@dataclass(frozen=True, slots=True)
class Raised:
    """How much more the rows of each class count."""

    positive: float
    negative: float

    def apply(self, chances: Floats, weight: Floats) -> tuple[Floats, Floats]:
        """The chances among rows that count so, and what these weigh."""
        if self.positive == self.negative:
            return chances, weight
        for_, against = self.positive * chances, self.negative * (1.0 - chances)
        return for_ / (for_ + against), weight * (for_ + against)

    def undo(self, chances: Floats) -> Floats:
        """The chances among rows that all count alike."""
        return Raised(1.0 / self.positive, 1.0 / self.negative).apply(chances, chances)[0]


def raise_rare_class(share: float) -> Raised:
    """Raise a class of less than `LEAST_CLASS_SHARE` to it.

    >>> raise_rare_class(0.3)
    Raised(positive=1.0, negative=1.0)
    """
    raised = float(np.clip(share, LEAST_CLASS_SHARE, 1.0 - LEAST_CLASS_SHARE))
    if raised == share or not 0.0 < share < 1.0:
        return Raised(1.0, 1.0)
    return Raised(raised / share, (1.0 - raised) / (1.0 - share))


def _loss_between(total: Floats, positive: Floats, least: float) -> Floats:
    """The log loss of one level over bins i … j - 1, for all i < j; infinite where that is too few rows."""
    n, k = total[None, :] - total[:, None], positive[None, :] - positive[:, None]
    share = np.clip(k / np.where(n > 0, n, 1.0), 1e-12, 1 - 1e-12)
    loss: Floats = -(k * np.log(share) + (n - k) * np.log1p(-share))
    loss[n < least * (1 - 1e-9)] = np.inf
    return loss


def _best_places(loss: Floats, n_levels: int) -> tuple[int, ...]:
    """The inner edges of the levels with the least loss in all; of fewer levels where there is no room for so many."""
    best, come = [loss[0]], []
    for _ in range(n_levels - 1):
        through = best[-1][:, None] + loss
        come.append(np.argmin(through, axis=0))
        best.append(np.min(through, axis=0))
    level = max(k for k, each in enumerate(best) if np.isfinite(each[-1]) or k == 0)
    places, end = [], loss.shape[0] - 1
    for k in range(level - 1, -1, -1):
        end = int(come[k][end])
        places.append(end)
    return tuple(reversed(places))
