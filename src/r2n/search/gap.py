"""Between exploring and choosing, where the gap between groups is bounded: explore again, with a price on the gap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from r2n.rules import RuleSet
from r2n.search.explore import Explored
from r2n.search.front import Point
from r2n.search.plan import GAP_AIM, GAP_ERRORS, GAP_ROUNDS, GAP_STEP, TAUGHT_STARTS
from r2n.search.problem import Floats, Labelled, Rules
from r2n.search.sample import Sample, measure_error
from r2n.search.teach import Taught

Again = Callable[[Taught, Iterable[Rules]], Explored]


@dataclass(frozen=True, slots=True)
class Bounded:
    """The points that keep every bound, if need be without a margin; and the labels that each was fitted to."""

    points: tuple[Point, ...]
    labels: tuple[Taught, ...]
    kept: bool
    interrupted: bool = False

    def labels_of(self, point: Point) -> Taught:
        """The labels that the rules of this point were fitted to."""
        return next(own for each, own in zip(self.points, self.labels, strict=True) if each.rules == point.rules)


def explore_within_bounds(again: Again, taught: Taught, starts: Iterable[Rules], sample: Sample) -> Bounded:
    """Explore with no price on the gap, then at prices that rise until the best rules keep every bound.

    A group that is predicted too often pays for it, another is paid: a Lagrange multiplier for each group, in units
    of error. The points of all rounds are kept, for a bound that one round overshoots another may just keep.
    """
    prices = [np.zeros(bound.n_groups) for bound in sample.every.bounds]
    found: dict[RuleSet, tuple[Point, Taught]] = {}
    interrupted = False
    for _ in range(1 + GAP_ROUNDS):
        own = shift_labels(taught, prices, sample)
        explored = again(own, starts)
        for point in explored.points:
            error = measure_error(point.rules, sample.fitted, taught.labels.fit)
            found.setdefault(point.rules, (replace(point, train_error=error), own))
        interrupted = explored.interrupted
        if interrupted or not explored.ends:
            break
        best = next(iter(found)).with_rules(explored.ends[0])
        if keeps_bounds(best, sample.judges):
            break
        prices = [price + step for price, step in zip(prices, list_steps(best, sample), strict=True)]
        starts = explored.ends[:TAUGHT_STARTS]
    return keep_bounded(list(found.values()), sample, interrupted)


def list_steps(rules: RuleSet, sample: Sample) -> Iterator[Floats]:
    """How much each bound's prices rise: by how far the groups are outside of what rows held out would let pass."""
    every, judges = sample.every, sample.judges
    here, there = rules.truth(every.table), rules.truth(judges.table)
    for bound, judged in zip(every.bounds, judges.bounds, strict=True):
        margin = judged.gap(there, GAP_ERRORS) - judged.gap(there)
        aim = GAP_AIM * max(bound.most - margin, 0.0)
        excess = bound.excess(here, aim)
        yield GAP_STEP * (excess if excess.any() else judged.excess(there, aim))


def shift_labels(taught: Taught, prices: Sequence[Floats], sample: Sample) -> Taught:
    """The labels with these prices on the shares of the groups."""
    every = sample.every
    shift = sum((bound.shift(p, every.weight) for bound, p in zip(every.bounds, prices, strict=True)), np.zeros(1))
    if not shift.any():
        return taught
    labels = taught.labels
    fit, others = labels.fit + shift[sample.fitted_at], labels.others + shift[sample.others_at]
    return replace(taught, labels=replace(labels, fit=fit, others=others), points=(), ends=())


def keeps_bounds(rules: RuleSet, rows: Labelled, errors: float = GAP_ERRORS) -> bool:
    """Whether every gap on these rows is within its bound, with a margin for what chance adds on other rows."""
    said = rules.truth(rows.table)
    return all(bound.gap(said, errors) <= bound.most for bound in rows.bounds)


def keep_bounded(found: Sequence[tuple[Point, Taught]], sample: Sample, interrupted: bool) -> Bounded:
    """The points that keep all bounds on the rows held out; where so few rows can promise nothing, without a margin.

    Without one the two constants keep every bound, so there always is a point.
    """
    sure = [each for each in found if keeps_bounds(each[0].rules, sample.judges)]
    within = sure or [each for each in found if keeps_bounds(each[0].rules, sample.judges, errors=0.0)]
    points, labels = zip(*within, strict=True) if within else ((), ())
    return Bounded(points, labels, bool(sure), interrupted)
