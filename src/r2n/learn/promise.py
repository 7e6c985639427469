"""The threshold that keeps a promise of recall or precision on rows held out, and the trade-off beside it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from r2n.errors import ParameterError
from r2n.learn.learned import Learned
from r2n.learn.levels import Ladder, climb_down
from r2n.learn.options import Options
from r2n.learn.rows import TrainingRows
from r2n.learn.tradeoff import OperatingPoint, TradeOff
from r2n.search.plan import ENOUGH_JUDGED, FEWEST_FLAGGED, FEWEST_PROMISED, PROMISE_FOLDS, PROMISE_STEPS

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

ENDS = (1e-4, 1 - 1e-4)  # no threshold is nearer to certainty


@dataclass(frozen=True)
class Promise:
    """What is promised, and the fits that try a threshold: each to some rows, judged on others."""

    what: str  # "recall" or "precision"
    least: float
    rows: TrainingRows
    trials: tuple[tuple[Ladder, Places], ...]

    def keeps(self, outcome: OperatingPoint) -> bool:
        """Whether the lower bound of what was reached is as much as was promised, or nothing was called positive."""
        silent = self.what == "precision" and outcome.flagged == 0.0
        return silent or outcome.lower(self.what) >= self.least


@dataclass(frozen=True, slots=True)
class Kept:
    """The rules at the threshold that keeps a promise, if one does, and what every threshold reached."""

    threshold: float
    learned: Learned
    trade_off: TradeOff


def learn_promised(rows: TrainingRows, options: Options, rng: np.random.RandomState, began: float) -> Kept:
    """Fit at the threshold that flags the fewest rows with the promised recall, or the most with the precision.

    Thresholds are tried by fits to some rows, judged on the others: all rows in turn, or one part of them if that holds
    enough positives.
    """
    what = "recall" if options.min_precision is None else "precision"
    fewest = int(min(np.bincount(rows.labels.codes, minlength=2)))
    if fewest < FEWEST_PROMISED:
        few = f"min_{what} needs at least {FEWEST_PROMISED} rows of each class, and there are {fewest} of one."
        raise ParameterError(f"{few} Give more rows, or a threshold.")
    least = getattr(options, f"min_{what}")
    quiet = replace(options, callback=None, progress=False)
    if options.time_limit is not None:
        quiet = replace(quiet, time_limit=options.time_limit / (2 + PROMISE_FOLDS * np.log2(PROMISE_STEPS)))
    ladder = Ladder.of(rows, replace(options, time_limit=quiet.time_limit), rng)
    trials = split_in_turn(ladder.rows.truth, int(rng.randint(2**31 - 1)))
    promise = Promise(
        what, least, rows, tuple((Ladder.of(rows.only(train), quiet, rng), judges) for train, judges in trials)
    )
    tried: dict[float, OperatingPoint] = {}

    def keeps(threshold: float) -> bool:
        tried[threshold] = try_threshold(promise, threshold)
        return promise.keeps(tried[threshold])

    threshold = search_last(list_thresholds(what, least, ladder.chances, ladder.rows.truth, rows.weight), keeps)
    outcomes = tuple(tried[each] for each in sorted(tried, reverse=True))
    place = next(k for k, outcome in enumerate(outcomes) if outcome.threshold == threshold)
    learned = ladder.name(climb_down(ladder, (threshold,), began)[threshold])
    apart = not np.array_equal(*ladder.parts)
    learned = replace(learned, held_out=ladder.parts[1] if apart else None)
    return Kept(threshold, learned, TradeOff(outcomes, place, what, least))


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
    """Thresholds that are expected to reach ever less of what is promised: from much more than that to less."""
    order = np.argsort(-chances, kind="stable")
    positive, all_ = np.cumsum((weight * truth)[order]), np.cumsum(weight[order])
    spare = (1.0 - least) * 2.0 ** np.linspace(-5.0, 1.0, PROMISE_STEPS)  # up to twice what may be missing
    if what == "recall":
        places = np.searchsorted(positive / positive[-1], 1.0 - np.minimum(spare, 1.0))
    else:
        enough = np.flatnonzero(positive / all_ >= 1.0 - min(2.0 * (1.0 - least), 1.0))
        most = max(int(enough[-1]) if len(enough) else 0, FEWEST_FLAGGED)
        places = np.geomspace(FEWEST_FLAGGED, most, PROMISE_STEPS).astype(np.intp)
    cuts = chances[order[np.minimum(places, len(order) - 1)]] * (1 - 1e-9)
    return tuple(dict.fromkeys(np.clip(cuts, *ENDS).tolist()))


def try_threshold(promise: Promise, threshold: float) -> OperatingPoint:
    """Fit at this threshold to some rows, and count what it decides on the others."""
    flagged, truth, size = [], [], 0
    for ladder, judges in promise.trials:
        one = climb_down(ladder, (threshold,), time.monotonic())[threshold]
        if one.interrupted:
            raise KeyboardInterrupt  # rules that were cut short tell nothing of a threshold
        rules = ladder.name(one).rules
        flagged.append(rules.truth(promise.rows.table.take(judges)))
        truth.append(promise.rows.labels.codes[judges] == promise.rows.labels.positive)
        size += rules.size
    return OperatingPoint.count(
        threshold, np.concatenate(flagged), np.concatenate(truth), round(size / len(promise.trials))
    )


def split_in_turn(truth: NDArray[np.bool_], seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows to fit to and rows to judge, until all have judged, or enough positives have."""
    judged = 0
    for train, judges in StratifiedKFold(PROMISE_FOLDS, shuffle=True, random_state=seed).split(truth, truth):
        yield train, judges
        judged += int(truth[judges].sum())
        if judged >= ENOUGH_JUDGED:
            return
