"""The second stage: descents from every start, at falling prices; pools of what they found; escapes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.search.clock import is_past
from r2n.search.columns import DesignMatrix
from r2n.search.descent import Move, Report, ignore_move
from r2n.search.front import Front, Point
from r2n.search.plan import COLUMNS_LEFT_TO_GAIN, LEAST_ROWS_SAVED, MOST_RULE_SHARE, SKETCHED_ROWS, Plan
from r2n.search.pool import find_best_subset
from r2n.search.problem import Floats, Labelled, Prices, Problem, Rules
from r2n.search.sample import draw_rows, measure_error
from r2n.search.structure import keep_best_of_each_structure
from r2n.search.tasks import Task, carry_out

Level: TypeAlias = tuple[Rules, ...]  # the ends at one price, the best first


@dataclass(frozen=True, slots=True)
class Explored:
    """What an exploration found, also if it was cut short."""

    points: tuple[Point, ...] = ()  # every rule set on the way; of a sketch on some of the rows, its front
    sketched: tuple[Point, ...] = ()  # the best of each structure in such a sketch, with their errors on its rows
    levels: tuple[Level, ...] = ()  # where the descents at each price ended
    sufficed: bool = False  # whether a point was good enough to stop
    interrupted: bool = False  # by the user's Ctrl-C

    @property
    def ends(self) -> Level:
        """Where the descents at the last price ended."""
        return self.levels[-1] if self.levels else ()


def explore(
    blank: RuleSet,
    rows: Labelled,
    target: Floats,
    starts: Iterable[Rules],
    plan: Plan,
    report: Report = ignore_move,
    rule: float = 0.0,
) -> Explored:
    """Sketch rules on some of the rows; then descend from the best of them on all rows, at each price but the first."""
    sketched = sketch(blank, rows, target, starts, plan, report, rule)
    if sketched.interrupted or not sketched.levels or rows.n_rows <= SKETCHED_ROWS or is_past(plan.clock.explore):
        return sketched
    journey = Journey(blank, plan, report)
    with plan.clock.catch_interrupt() as work, allow_interrupts():
        journey.settle(pose_problems(blank, rows, target, plan, rule), sketched.levels)
    levels = tuple(journey.levels) or sketched.levels
    points = (*sketched.points, *journey.points)
    return Explored(points, sketched.sketched, levels, interrupted=work.interrupted)


def sketch(
    blank: RuleSet,
    rows: Labelled,
    target: Floats,
    starts: Iterable[Rules],
    plan: Plan,
    report: Report = ignore_move,
    rule: float = 0.0,
    suffices: Callable[[Point], bool] | None = None,
) -> Explored:
    """Descend from every start at the first price, from the best ones on at lower prices, and recombine.

    At each price but the first (or the only one) the best ones try to escape from where they ended. A rule costs two
    columns, or `rule` if more.
    Exploring stops early, without a report of its last move, where a point suffices. All of it reads some of the rows:
    of more than `SKETCHED_ROWS` only the points of the front come back, with their errors on all rows; the best of each
    structure is in `sketched`.
    """
    journey = Journey(blank, plan, report, suffices)
    few = draw_rows(np.arange(rows.n_rows), rows.truth, SKETCHED_ROWS, plan.seed)
    with plan.clock.catch_interrupt() as work, allow_interrupts():
        problems = pose_problems(blank, rows.take(few), target[few], plan, rule)
        journey.travel(problems, DesignMatrix.of(problems[0]), drop_repeats(starts))
    points = journey.points
    sketched = keep_best_of_each_structure(points) if len(few) < rows.n_rows else ()
    if sketched:
        points = score_points(points, rows, target)
    return Explored(tuple(points), sketched, tuple(journey.levels), journey.sufficed, work.interrupted)


def score_points(points: Iterable[Point], rows: Labelled, target: Floats) -> list[Point]:
    """The front of these points, with their errors on these rows, under these labels."""
    return [replace(point, train_error=measure_error(point.rules, rows, target)) for point in Front.of(points)]


def pose_problems(blank: RuleSet, rows: Labelled, target: Floats, plan: Plan, rule: float) -> list[Problem]:
    """The same rows at the plan's first prices, as many as it goes through, of those that differ."""
    assert blank.schema is not None
    sure = measure_sureness(rows, target)
    most = MOST_RULE_SHARE * float(np.average(target, weights=rows.weight))
    least = LEAST_ROWS_SAVED / count_effective_rows(rows.weight) if rule else 0.0
    columns = [sure * max(price, least) for price in plan.prices]
    # A category costs the lowest price from the first: a set that is cut short at first is hard to complete later.
    prices = [Prices.of(column, min(rule * columns[-1], most), columns[-1]) for column in dict.fromkeys(columns)]
    first = Problem.of(rows.table, blank.schema, target, rows.weight, prices[0], plan.caps, plan.knowledge)
    return [first, *map(first.at, prices[1 : plan.depth])]


@dataclass
class Journey:
    """An exploration under way. What it has found so far outlives a Ctrl-C."""

    blank: RuleSet
    plan: Plan
    report: Report
    suffices: Callable[[Point], bool] | None = None
    points: list[Point] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    sufficed: bool = False

    def travel(self, problems: Sequence[Problem], design: DesignMatrix, starts: Sequence[Rules]) -> None:
        """Go through all prices; at all but the first, escape from where the best descents end."""
        self.visit(problems[0], starts)
        for number, problem in enumerate(problems):
            if self.is_over():
                return
            reached = self.descend([Task(problem, start) for start in starts], design)
            if self.is_over():
                return
            self.levels.append(self.recombine(problem, design, reached))
            if problem.error(self.levels[-1][0]) <= COLUMNS_LEFT_TO_GAIN * problems[-1].prices.column:
                return
            if (number > 0 or len(problems) == 1) and self.plan.escapes and not self.is_over():
                self.escape(problem, design)
            starts = self.levels[-1][: self.plan.continued]

    def settle(self, problems: Sequence[Problem], levels: Sequence[Level]) -> None:
        """Descend on other rows at every price but the first, from the best ends of the sketch that went as far.

        With fewer rows prices may be higher, and then fewer: the lowest prices begin where the last ones ended.
        """
        design = DesignMatrix.of(problems[0])
        for number, problem in list(enumerate(problems))[min(len(problems), 2) - 1 :]:
            ends = levels[min(number, len(levels) - 1)][: self.plan.continued]
            reached = self.descend([Task(problem, end, "sketch") for end in ends], design)
            if self.is_over():
                return
            self.levels.append(self.recombine(problem, design, reached))
            if problem.error(self.levels[-1][0]) <= COLUMNS_LEFT_TO_GAIN * problems[-1].prices.column:
                return

    def visit(self, problem: Problem, starts: Iterable[Rules]) -> None:
        """Offer the starts themselves, so that there is something to choose if time ends at once."""
        for start in ((), *starts):
            if not self.sufficed and (start == () or problem.allows(start)):
                rules = self.blank.with_rules((*self.plan.knowledge.fixed, *start))
                self.offer(Point(rules, problem.error(start)))

    def descend(self, tasks: Sequence[Task], design: DesignMatrix) -> list[Rules]:
        """Offer every point that tasks pass; return the best of each task."""
        best: dict[int, Move] = {}
        with closing(carry_out(tasks, design, self.plan.n_jobs, self.plan.clock.explore)) as moves:
            for i, move in moves:
                self.offer(Point(self.blank.with_rules(move.rules), move.error))
                if self.sufficed:
                    break
                self.report(move)
                if i not in best or move.objective < best[i].objective:
                    best[i] = move
        return [move.rules for move in best.values()]

    def recombine(self, problem: Problem, design: DesignMatrix, ends: Sequence[Rules]) -> Level:
        """The ends, best first, and among them what the best subset of all their rules leads to."""
        best = min(ends, key=problem.objective)
        subset = find_best_subset(problem, [rule for end in ends for rule in end], best)
        reached = self.descend([] if subset in ends else [Task(problem, subset, "subset")], design)
        return tuple(sorted(drop_repeats([*reached, *ends]), key=problem.objective))

    def escape(self, problem: Problem, design: DesignMatrix) -> None:
        """Escape from the best ends at this price, again and again."""
        seed, ends = self.plan.seed, self.levels[-1]
        tasks = [
            Task(problem, end, "end", self.plan.escapes, seed + i) for i, end in enumerate(ends[: self.plan.continued])
        ]
        reached = self.descend(tasks, design)
        if not self.is_over():
            self.levels[-1] = self.recombine(problem, design, [*reached, *ends])

    def offer(self, point: Point) -> None:
        """Keep a point, and note whether it suffices."""
        self.points.append(point)
        self.sufficed = self.suffices is not None and self.suffices(point)

    def is_over(self) -> bool:
        """Whether a point sufficed, or time has ended."""
        return self.sufficed or is_past(self.plan.clock.explore)


def count_effective_rows(weight: Floats) -> float:
    """How many rows of equal weight say as much: of a rare class that weighs as much as the other, about four each."""
    return float(weight.sum() ** 2 / np.sum(weight**2))


def measure_sureness(rows: Labelled, target: Floats) -> float:
    """Where a teacher is unsure a row costs little either way: prices shrink with what they buy."""
    return float(np.average(np.abs(1.0 - 2.0 * target), weights=rows.weight))


def drop_repeats(rule_sets: Iterable[Rules]) -> list[Rules]:
    """Without repeats, whatever the order of their rules."""
    return list({frozenset(rules): rules for rules in rule_sets}.values())
