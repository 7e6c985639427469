"""Many starts, several prices, one front; the choice on rows held out; the chosen rules fitted to all rows."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.errors import Interrupted
from r2n.refine.descent import LEAST_GAIN, Move, descend
from r2n.refine.front import Front, Point, one_standard_error
from r2n.refine.halfspaces import Numbers
from r2n.refine.moves import Fitter
from r2n.refine.problem import Bools, Caps, Floats, Prices, Problem
from r2n.refine.recombine import best_subset
from r2n.refine.teacher import cleaned_labels
from r2n.rules import Rule, RuleSet
from r2n.rules.rounding import round_predictions
from r2n.rules.simplify import simplify
from r2n.schema import Table

Watch = Callable[[Move], object]


@dataclass(frozen=True, slots=True)
class Plan:
    """How much work is done: at which prices, and with how many of the starts at the lower ones."""

    prices: tuple[float, ...]
    continued: int  # the best starts go on to the next lower price, the others end there
    caps: Caps
    teacher: bool | None = None  # None: where the labels are noisy
    seed: int = 0  # of the teacher's folds


@dataclass(frozen=True, slots=True)
class Refined:
    """The front, which of its points was chosen, and that point's rules fitted to all rows."""

    front: Front
    chosen: int
    rules: RuleSet


def refine(
    blank: RuleSet,
    table: Table,
    truth: Bools,
    parts: tuple[NDArray[np.intp], NDArray[np.intp]],
    starts: Iterable[tuple[Rule, ...]],
    plan: Plan,
    watch: Watch = lambda move: None,
) -> Refined:
    """Refine every start on the rows to fit to, choose on the rows held out, fit the choice to all rows."""
    assert blank.schema is not None, "refinement needs to know the columns"
    train, held_out, schema = *parts, blank.schema
    fit_table, judge_table = table.take(train), table.take(held_out)
    points: list[Point] = []
    interrupted = False
    labels = cleaned_labels(fit_table, schema, truth[train], judge_table, truth[held_out], plan.teacher, plan.seed)
    try:
        points.extend(explore(blank, fit_table, labels.fit, starts, plan, watch))  # keeps what came before a Ctrl-C
    except KeyboardInterrupt:
        if not points:
            raise  # there is no best so far
        interrupted = True
        warnings.warn("interrupted while refining; the rules are the best found until then.", Interrupted, stacklevel=4)
    front = Front.of(points)
    truths = [(point.rules.truth(fit_table), point.rules.truth(judge_table)) for point in front]
    front = front.scored(truths, truth[train], truth[held_out], np.ones(len(train)))
    wrong = np.column_stack([np.abs(labels.judge - said) for _, said in truths])
    chosen = one_standard_error(wrong)
    if interrupted:
        return Refined(front, chosen, with_short_numbers(front[chosen].rules, table))
    again = cleaned_labels(table, schema, truth, judge_table, truth[held_out], plan.teacher, plan.seed)
    return Refined(front, chosen, finish(front[chosen], table, again.fit, plan.caps, watch))


def explore(
    blank: RuleSet, table: Table, target: Floats, starts: Iterable[tuple[Rule, ...]], plan: Plan, watch: Watch
) -> Iterator[Point]:
    """Descents from every start at the first price, from the best ones on at lower prices, and recombinations."""
    assert blank.schema is not None
    weight: Floats = np.ones(table.n_rows)
    # Where a teacher is unsure a row costs little either way: prices shrink with what they buy.
    prices = [price * float(np.mean(np.abs(1.0 - 2.0 * target))) for price in plan.prices]
    problems = [Problem.of(table, blank.schema, target, weight, Prices.of(price), plan.caps) for price in prices]
    numbers = Numbers.of(problems[0])
    ends: Sequence[tuple[Rule, ...]] = list(dict.fromkeys(starts))

    def run(problem: Problem, start: tuple[Rule, ...]) -> Generator[Point, None, tuple[Rule, ...]]:
        end = start
        for move in descend(problem, start, Fitter(problem, numbers)):
            watch(move)
            yield Point(blank.with_rules(move.rules), move.error, problem.prices.column)
            end = move.rules
        return end

    for problem in problems:
        reached = []
        for start in ends:
            reached.append((yield from run(problem, start)))  # noqa: PERF401 - a comprehension cannot yield from
        best = min(reached, key=problem.objective)
        mixed = yield from run(problem, best_subset(problem, [rule for end in reached for rule in end], best))
        ends = sorted(dict.fromkeys([mixed, *reached]), key=problem.objective)[: plan.continued]
        if problem.error(ends[0]) <= LEAST_GAIN:
            return  # nothing is left to gain at a lower price


def finish(point: Point, table: Table, target: Floats, caps: Caps, watch: Watch) -> RuleSet:
    """A point's rules, refined on all rows at the price they were found at, with short numbers."""
    assert point.rules.schema is not None
    within = Caps(caps.columns, caps.literals, max(point.rules.n_rules, 1))
    problem = Problem.of(table, point.rules.schema, target, np.ones(table.n_rows), Prices.of(point.price), within)
    rules = point.rules.rules
    for move in descend(problem, rules, Fitter.of(problem)):
        watch(move)
        rules = move.rules
    return with_short_numbers(point.rules.with_rules(rules), table)


def with_short_numbers(rules: RuleSet, table: Table) -> RuleSet:
    """The same on every row of the table, as short as can be."""
    return simplify(round_predictions(simplify(rules), table))
