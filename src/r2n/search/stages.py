"""A search from starts to rules: teach, explore, choose, finish."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from r2n.rules import RuleSet
from r2n.search.alternatives import find_alternatives
from r2n.search.choose import choose
from r2n.search.descent import Report, ignore_move
from r2n.search.explore import Explored, drop_repeats, explore
from r2n.search.finish import Refined, finish
from r2n.search.gap import explore_within_bounds
from r2n.search.plan import GAP_ROUNDS, TAUGHT_STARTS, Plan
from r2n.search.problem import Floats, Labelled, Rules
from r2n.search.sample import Sample
from r2n.search.teach import Taught, take_labels, teach
from r2n.search.threshold import lean


def refine(
    blank: RuleSet,
    rows: Labelled,
    parts: tuple[NDArray[np.intp], NDArray[np.intp]],
    starts: Iterable[Rules],
    plan: Plan,
    report: Report = ignore_move,
    target: Floats | None = None,
) -> Refined:
    """Refine every start on the rows to fit to, choose on the rows held out, fit the choice to all rows.

    A `target` gives each row's label, or its probability, which no teacher then cleans.

    After a Ctrl-C the stages that are left only settle what has been found. It is raised where nothing has been.
    """
    sample, starts = Sample.draw(rows, parts, plan.seed), drop_repeats(starts)
    taught = teach(blank, sample, starts, plan, report) if target is None else take_labels(target, sample)
    if rows.bounds:
        return refine_within_bounds(blank, sample, taught, starts, plan, report)
    explored = explore_taught(blank, sample, taught, starts, plan, report)
    if not explored.points:
        raise KeyboardInterrupt
    chosen = choose(explored.points, taught, sample, plan)
    others = find_alternatives(explored, chosen, taught, sample, plan)
    return finish(chosen, taught, explored.interrupted, sample, plan, report, others)


def refine_within_bounds(
    blank: RuleSet, sample: Sample, taught: Taught, starts: Iterable[Rules], plan: Plan, report: Report
) -> Refined:
    """Choose among the points that keep the bounds on gaps between groups, and fit to the labels with their price."""
    clock, seconds = plan.clock, plan.clock.seconds_to_explore() / (1 + GAP_ROUNDS)

    def again(own: Taught, starts: Iterable[Rules]) -> Explored:
        short = plan if seconds == inf else replace(plan, clock=clock.explore_for(seconds))
        return explore_taught(blank, sample, own, starts, short, report)

    bounded = explore_within_bounds(again, taught, starts, sample)
    if not bounded.points:
        raise KeyboardInterrupt
    chosen = choose(bounded.points, taught, sample, plan)
    done = finish(chosen, bounded.labels_of(chosen.point), bounded.interrupted, sample, plan, report)
    return replace(done, kept=bounded.kept)


def explore_taught(
    blank: RuleSet, sample: Sample, taught: Taught, starts: Iterable[Rules], plan: Plan, report: Report
) -> Explored:
    """Explore on the labels that were taught, beside the points found on the way to them."""
    if taught.interrupted:
        return Explored(taught.points, taught.sketched, interrupted=True)
    rule = plan.rule if taught.labels.noisy or taught.doubtful else 0.0
    if taught.doubtful and not plan.caps.user_set_limits():
        plan = replace(plan, depth=max(len(plan.prices) - 1, 1))  # larger rules would not be chosen
    # Where a first search ended is nearer to where this one will than where that began.
    ends = taught.ends[:TAUGHT_STARTS] if taught.labels.taught else taught.ends
    rows, target = lean(sample.fitted, taught.labels.fit, plan.threshold)
    found = explore(blank, rows, target, ends or starts, plan, report, rule)
    return replace(found, points=(*taught.points, *found.points), sketched=(*taught.sketched, *found.sketched))
