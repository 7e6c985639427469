"""The first stage: the labels to fit to, as they came or cleaned by a teacher."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.search.descent import Report
from r2n.search.explore import Explored, score_points, sketch
from r2n.search.front import Point
from r2n.search.plan import NOISY_ERROR, TEACHER_SHARE, TRIAL_SHARE, Plan
from r2n.search.problem import Floats, Rules
from r2n.search.sample import Places, Sample, measure_error
from r2n.search.teacher import Cleaned, clean_labels, keep_labels
from r2n.search.threshold import lean, weigh


@dataclass(frozen=True, slots=True)
class Taught:
    """Labels to fit to and to judge by, and what was found on the way to them."""

    labels: Cleaned
    points: tuple[Point, ...] = ()  # of a first search on the labels as they came
    ends: tuple[Rules, ...] = ()  # where its descents ended
    interrupted: bool = False  # by the user's Ctrl-C
    sketched: tuple[Point, ...] = ()  # the best of each structure that the first search saw

    @property
    def doubtful(self) -> bool:
        """Whether the labels carry errors of boosting, which true labels may show."""
        return self.labels.taught and not self.labels.distilled

    def labels_of(self, sample: Sample, places: Places) -> Floats:
        """The labels of these of all rows."""
        labels = sample.every.truth.astype(np.float64)
        labels[sample.fitted_at], labels[sample.others_at] = self.labels.fit, self.labels.others
        return labels[places]


def teach(blank: RuleSet, sample: Sample, starts: Iterable[Rules], plan: Plan, report: Report) -> Taught:
    """Fit first rules to the labels as they came; if they err too much, let a teacher clean the labels.

    A teacher that the user gave is all there is to fit to.
    """
    assert blank.schema is not None
    if (opinion := sample.every.opinion) is not None:
        return Taught(Cleaned(opinion[sample.fitted_at], opinion[sample.others_at], taught=True, distilled=True))
    others = sample.every.take(sample.others_at)
    plain = keep_labels(sample.fitted, others)
    seconds = plan.clock.seconds_to_explore()
    trial = Explored()
    if plan.teacher is None and sample.held_out is not None and len(plan.prices) > 1:
        trial = try_labels(blank, sample, plain, starts, plan, report)
    if trial.interrupted or trial.sufficed:
        return Taught(plain, trial.points, trial.ends, trial.interrupted, trial.sketched)
    labels = plain
    soon = time.monotonic() + TEACHER_SHARE * seconds  # the rest is to search
    # What rules must not use the teacher must not use either.
    shown = blank.schema.without(plan.knowledge.excluded)
    with plan.clock.catch_interrupt() as work, allow_interrupts():
        labels = clean_labels(sample.fitted, others, shown, plan.teacher, plan.seed, plan.n_jobs, soon, plan.threshold)
    points, sketched = trial.points, trial.sketched
    if labels.taught:
        rescored = score_points(points, *lean(sample.fitted, labels.fit, plan.threshold))
        points, sketched = tuple(rescored), (*points, *sketched)
    return Taught(labels, points, trial.ends, work.interrupted, sketched)


def take_labels(target: Floats, sample: Sample) -> Taught:
    """Take labels that somebody has cleaned: one of each row, of all rows."""
    return Taught(Cleaned(target[sample.fitted_at], target[sample.others_at], taught=True, noisy=True))


def try_labels(
    blank: RuleSet, sample: Sample, labels: Cleaned, starts: Iterable[Rules], plan: Plan, report: Report
) -> Explored:
    """Explore at the highest price, until a point errs so little that the labels have hardly any noise.

    Boosting may err on clean labels, where boundaries slope in many columns: as a teacher it would blur them.
    """
    clock = plan.clock.explore_for(TRIAL_SHARE * plan.clock.seconds_to_explore())
    short = replace(plan, prices=plan.prices[:1], escapes=0, clock=clock)

    judges = weigh(sample.judges, plan.threshold)

    def suffices(point: Point) -> bool:
        return measure_error(point.rules, judges, judges.truth) < NOISY_ERROR

    rows, target = lean(sample.fitted, labels.fit, plan.threshold)
    return sketch(blank, rows, target, starts, short, report, suffices=suffices)
