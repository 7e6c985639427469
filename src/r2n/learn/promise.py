"""The threshold that keeps a promise of recall or precision on rows held out, and the trade-off beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from r2n.learn.levels import find_chances
from r2n.learn.options import Options
from r2n.learn.pipeline import learn_classes
from r2n.learn.rows import TrainingRows
from r2n.learn.tradeoff import Outcome, TradeOff
from r2n.search import Labelled
from r2n.search.plan import ENOUGH_JUDGED, PROMISE_FOLDS, PROMISE_STEPS

Floats = NDArray[np.float64]
ENDS = (1e-4, 1 - 1e-4)  # no threshold is nearer to certainty


@dataclass(frozen=True)
class Promise:
    """What is promised, and how a threshold is tried."""

    what: str  # "recall" or "precision"
    least: float
    rows: TrainingRows
    options: Options  # of one fit
    seed: int

    @property
    def truth(self) -> NDArray[np.bool_]:
        """Which rows are positive."""
        labels = self.rows.labels
        return np.asarray(labels.codes == labels.positive)

    def keeps(self, outcome: Outcome) -> bool:
        """Whether the lower bound of what was reached is as much as was promised."""
        return outcome.lower(self.what) >= self.least


def find_threshold(
    rows: TrainingRows, options: Options, rng: np.random.RandomState, began: float
) -> tuple[float, TradeOff]:
    """Find the threshold that flags the fewest rows with the promised recall, or the most with the precision.

    Thresholds are tried by fits to some rows, judged on the others: all rows in turn, or one part of them if that holds
    enough positives.
    """
    what = "recall" if options.min_precision is None else "precision"
    least = getattr(options, f"min_{what}")
    alone = replace(options, min_recall=None, min_precision=None, callback=None, progress=False)
    if options.time_limit is not None:
        alone = replace(alone, time_limit=options.time_limit / (2 + PROMISE_FOLDS * np.log2(PROMISE_STEPS)))
    promise = Promise(what, least, rows, alone, int(rng.randint(2**31 - 1)))
    labelled = Labelled(rows.table, promise.truth, rows.weight)
    chances = find_chances(labelled, rows.schema, options, rng)
    tried: dict[float, Outcome] = {}

    def keeps(threshold: float) -> bool:
        tried[threshold] = try_threshold(promise, threshold)
        return promise.keeps(tried[threshold])

    candidates = list_thresholds(what, least, chances, promise.truth, rows.weight)
    threshold = search_last(candidates, keeps)
    outcomes = tuple(tried[each] for each in sorted(tried, reverse=True))
    place = next(k for k, outcome in enumerate(outcomes) if outcome.threshold == threshold)
    return threshold, TradeOff(outcomes, place, what, least)


def search_last(candidates: Sequence[float], keeps: Callable[[float], bool]) -> float:
    """The last candidate that keeps a promise which each keeps more surely than the next one; else the first.

    >>> search_last([1.0, 2.0, 3.0, 4.0, 5.0], lambda candidate: candidate < 3.5)
    3.0
    >>> search_last([1.0, 2.0], lambda candidate: False)
    1.0
    """
    low, high = 0, len(candidates)  # all before `low` keep it, none from `high` on
    known: dict[int, bool] = {}
    while low < high:
        middle = (low + high) // 2
        known[middle] = keeps(candidates[middle])
        low, high = (middle + 1, high) if known[middle] else (low, middle)
    place = max(low - 1, 0)
    if place not in known:
        keeps(candidates[place])
    return candidates[place]


def list_thresholds(
    what: str, least: float, chances: Floats, truth: NDArray[np.bool_], weight: Floats
) -> tuple[float, ...]:
    """Thresholds that are expected to reach ever less of what is promised, from much more than it down to it."""
    order = np.argsort(-chances, kind="stable")
    positive, all_ = np.cumsum((weight * truth)[order]), np.cumsum(weight[order])
    reached = positive / positive[-1] if what == "recall" else positive / all_
    spare = (1.0 - least) * 2.0 ** np.linspace(-5.0, 1.0, PROMISE_STEPS)
    found = []
    for expected in 1.0 - np.minimum(spare, 1.0):
        there = np.flatnonzero(reached >= expected)
        if what == "recall":
            place = there[0]  # with all rows flagged, all positives are
        else:
            place = there[-1] if len(there) else 0
        found.append(float(np.clip(chances[order[place]] * (1 - 1e-9), *ENDS)))
    return tuple(dict.fromkeys(found))


def try_threshold(promise: Promise, threshold: float) -> Outcome:
    """Fit at this threshold to some rows, and count what it decides on the others."""
    truth, flagged, size = promise.truth, np.full(promise.rows.labels.codes.shape, False), 0
    judged = np.zeros(len(truth), dtype=np.bool_)
    parts = list(split_in_turn(truth, promise.seed))
    for train, judges in parts:
        own = replace(promise.options, threshold=threshold, miss_cost=None)
        learned = learn_classes(promise.rows.only(train), own, np.random.RandomState(promise.seed), time.monotonic())
        (one,) = learned.values()
        flagged[judges] = one.rules.truth(promise.rows.table.take(judges))
        judged[judges] = True
        size += one.rules.size
    return Outcome.count(threshold, flagged[judged], truth[judged], round(size / len(parts)))


def split_in_turn(truth: NDArray[np.bool_], seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows to fit to and rows to judge, until all have judged, or enough positives have."""
    judged = 0
    for train, judges in StratifiedKFold(PROMISE_FOLDS, shuffle=True, random_state=seed).split(truth, truth):
        yield train, judges
        judged += int(truth[judges].sum())
        if judged >= ENOUGH_JUDGED:
            return
