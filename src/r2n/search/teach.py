"""The first stage: the labels to fit to, as they came or cleaned by a teacher."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import inf

from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.search.descent import Report
from r2n.search.explore import Explored, explore
from r2n.search.front import Front, Point
from r2n.search.plan import ASKING_AGAIN, NOISY_ERROR, TEACHER_SHARE, TRIAL_SHARE, Plan
from r2n.search.problem import Labelled, Rules
from r2n.search.sample import Sample, measure_error
from r2n.search.teacher import Cleaned, clean_labels, keep_labels
from r2n.table import Schema


@dataclass(frozen=True, slots=True)
class Taught:
    """Labels to fit to and to judge by, and what was found on the way to them."""

    labels: Cleaned
    points: tuple[Point, ...] = ()  # of a first search on the labels as they came
    again: float = 0.0  # seconds that asking the teacher again will take
    interrupted: bool = False  # by the user's Ctrl-C


def teach(blank: RuleSet, sample: Sample, starts: Iterable[Rules], plan: Plan, report: Report) -> Taught:
    """Fit first rules to the labels as they came; if they err too much, let a teacher clean the labels."""
    assert blank.schema is not None
    plain = keep_labels(sample.fitted, sample.held_out)
    seconds = plan.clock.seconds_to_explore()
    trial = Explored()
    if plan.teacher is None and sample.held_out is not None and len(plan.prices) > 1:
        trial = try_labels(blank, sample, plain, starts, plan, report)
    if trial.interrupted or trial.sufficed:
        return Taught(plain, trial.points, interrupted=trial.interrupted)
    labels, began = plain, time.monotonic()
    soon = began + TEACHER_SHARE * seconds  # the rest is to search
    with plan.clock.catch_interrupt() as work, allow_interrupts():
        labels = ask_teacher(sample.fitted, sample.held_out, blank.schema, plan, plan.teacher, soon)
    if not labels.taught:
        return Taught(labels, trial.points, interrupted=work.interrupted)
    again = ASKING_AGAIN * (time.monotonic() - began)
    return Taught(labels, score_again(trial.points, sample.fitted, labels), again, work.interrupted)


def try_labels(
    blank: RuleSet, sample: Sample, labels: Cleaned, starts: Iterable[Rules], plan: Plan, report: Report
) -> Explored:
    """Explore at the highest price, until a point errs so little that the labels have hardly any noise.

    Boosting may err on clean labels, where boundaries slope in many columns: as a teacher it would blur them.
    """
    clock = plan.clock.explore_for(TRIAL_SHARE * plan.clock.seconds_to_explore())
    short = replace(plan, prices=plan.prices[:1], escapes=0, clock=clock)

    def suffices(point: Point) -> bool:
        return measure_error(point.rules, sample.judges, sample.judges.truth) < NOISY_ERROR

    return explore(blank, sample.fitted, labels.fit, starts, short, report, suffices=suffices)


def ask_teacher(
    rows: Labelled, judges: Labelled | None, schema: Schema, plan: Plan, wanted: bool | None, until: float = inf
) -> Cleaned:
    """Clean the labels of these rows. What rules must not use the teacher must not use either."""
    shown = schema.without(plan.knowledge.excluded)
    return clean_labels(rows, judges, shown, wanted, plan.seed, plan.n_jobs, until)


def score_again(points: Iterable[Point], rows: Labelled, labels: Cleaned) -> tuple[Point, ...]:
    """The front of these points, with their errors under the labels of a teacher."""
    front = Front.of(points)
    return tuple(replace(each, train_error=measure_error(each.rules, rows, labels.fit)) for each in front)
