"""Many starts, several prices, one front; the choice on rows held out; the chosen rules fitted to all rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.rewrite.shorten import round_predictions
from r2n.rewrite.simplify import simplify
from r2n.rewrite.untie import untied, with_shorter_sets
from r2n.rules import NOTHING, Knowledge, Rule, RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.search.columns import Numbers
from r2n.search.descent import Move, descend, passed, within_caps
from r2n.search.front import Front, Point, first_as_good, one_standard_error
from r2n.search.moves import Fitter
from r2n.search.pool import best_subset
from r2n.search.problem import Bools, Caps, Floats, Labelled, Prices, Problem
from r2n.search.tasks import Task, carry_out
from r2n.search.teacher import NOISY, cleaned_labels, plain_labels
from r2n.table import Table

Watch = Callable[[Move], object]
Rules = tuple[Rule, ...]

# Of more rows a part is drawn: which columns matter shows in fewer than how far their coefficients reach.
EXPLORED_ROWS, FINISHED_ROWS = 30_000, 300_000

LEAST_ROWS = 0.5  # what a column must save at least where labels are noisy: below that it follows single rows
# With a teacher: standard errors by which a larger point must beat a smaller one, and by which rules that grew on
# all rows must beat those that did not. docs/decisions.md, "Choice", names the splits that the first was chosen on.
CHOICE_ERRORS, GROWTH_ERRORS = 1.0, 2.0
RULE_SHARE = 0.1  # of what there is to gain: no rule costs more, or a rare class would have none


@dataclass(frozen=True, slots=True)
class Plan:
    """How much work is done, by how many processes, and until when."""

    prices: tuple[float, ...]  # of a column
    continued: int  # the best starts go on to the next lower price, the others end there
    caps: Caps
    knowledge: Knowledge = NOTHING
    rule: float = 2.0  # what a rule costs besides its literals, in columns, where the labels are noisy
    escapes: int = 0  # from each end at the lowest price
    teacher: bool | None = None  # None: where the labels are noisy
    seed: int = 0  # of the teacher's folds, the rows drawn and the escapes
    n_jobs: int | None = None
    explore_until: float | None = None  # on time.monotonic's clock
    finish_until: float | None = None
    shorten_until: float | None = None  # the numbers of points that were not chosen

    def descents(self, n_starts: int) -> int:
        """The most descents that refining so many starts takes: what progress is measured by."""
        lower = (len(self.prices) - 1) * (self.continued + 1)
        return n_starts + 1 + lower + (self.continued * self.escapes + 1 if self.escapes else 0) + 1


@dataclass(frozen=True, slots=True)
class Refined:
    """The front, which of its points was chosen, and that point's rules fitted to all rows."""

    front: Front
    chosen: int
    rough: RuleSet  # before their numbers were made short
    rules: RuleSet
    short: tuple[RuleSet, ...]  # the rules of each point with short numbers; those chosen are not fitted to all rows
    interrupted: bool = False  # by the user's Ctrl-C; the rules are the best found until then
    taught: bool = False  # whether a teacher's opinion was mixed into the labels


def refine(
    blank: RuleSet,
    rows: Labelled,
    parts: tuple[NDArray[np.intp], NDArray[np.intp]],
    starts: Iterable[Rules],
    plan: Plan,
    watch: Watch = lambda move: None,
) -> Refined:
    """Refine every start on the rows to fit to, choose on the rows held out, fit the choice to all rows."""
    assert blank.schema is not None, "refinement needs to know the columns"
    train, held_out = parts
    shown = blank.schema.without(plan.knowledge.excluded)  # what must not be used a teacher must not use either
    apart = not np.array_equal(train, held_out)  # else the rows that choose are those fitted to
    fitted, judges = rows.take(drawn(train, rows.truth, EXPLORED_ROWS, plan.seed)), rows.take(held_out)
    starts = distinct(starts)
    points: list[Point] = []
    labels, asking, interrupted = plain_labels(fitted, judges if apart else None), 0.0, False
    began = time.monotonic()
    left = None if plan.explore_until is None else plan.explore_until - began
    try:
        trial = replace(plan, prices=plan.prices[:1], escapes=0, explore_until=share_of(left, began, 1 / 3))
        if plan.teacher is None and apart and len(plan.prices) > 1:
            first_rules = explore(blank, fitted, labels.fit, starts, trial, watch)
            with allow_interrupts():  # what came before a Ctrl-C is kept
                points.extend(until_sufficient(first_rules, judges))
        if not (points and suffices(points[-1], judges)):
            began = time.monotonic()
            soon = share_of(left, began, 1 / 4)  # the rest is to search
            labels = cleaned_labels(
                fitted, judges if apart else None, shown, plan.teacher, plan.seed, plan.n_jobs, soon
            )
        if labels.taught:
            asking = 1.5 * (time.monotonic() - began)
            points = [replace(each, train_error=error_of(each, fitted, labels.fit)) for each in Front.of(points)]
        dear = plan.rule if labels.noisy or labels.taught else 0.0
        with allow_interrupts():
            points.extend(explore(blank, fitted, labels.fit, starts, plan, watch, dear))
    except KeyboardInterrupt:
        if not points:
            raise  # there is no best so far
        interrupted = True
    again_by = None if plan.finish_until is None else plan.finish_until - asking
    front = Front.of(points)
    truths = [(point.rules.truth(fitted.table), point.rules.truth(judges.table)) for point in front]
    front = front.scored(truths, fitted, judges if apart else None)
    wrong = np.column_stack([np.abs(labels.judge - said) for _, said in truths])
    many = rows.take(drawn(np.arange(rows.n_rows), rows.truth, FINISHED_ROWS, plan.seed))
    chosen = choice(front, wrong, judges, many, labels.taught, plan.caps)
    worthwhile = max(front[front.best].size, front[chosen].size)
    most = worthwhile if plan.caps.size is None else plan.caps.size
    doubted = labels.taught and not asked(plan.caps)  # what grows must show, unless so much may be read
    rules = rough = front[chosen].rules
    try:
        if not interrupted and not passed(again_by):  # there is time, also to ask the teacher again
            again = cleaned_labels(many, None, shown, labels.taught, plan.seed, plan.n_jobs)
            rules, interrupted = finish(front[chosen], most, many, again.fit, plan, watch)
            if doubted and rules.size > front[chosen].size and not interrupted and not passed(plan.finish_until):
                small, interrupted = finish(front[chosen], front[chosen].size, many, again.fit, plan, watch)
                rules = (small, rules)[smallest_as_good((small, rules), many, GROWTH_ERRORS)]
        rough = rules
        with allow_interrupts():
            rules = with_short_numbers(rough, rows.table, plan.knowledge, plan.caps.literals)
            short = shorten_points(front, chosen, rows.table, plan)
    except KeyboardInterrupt:
        interrupted, short = True, tuple(point.rules for point in front)
    front, chosen, short = without_matched(front, chosen, short)
    return Refined(front, chosen, rough, rules, short, interrupted, labels.taught)


def shorten_points(front: Front, chosen: int, table: Table, plan: Plan) -> tuple[RuleSet, ...]:
    """The rules of every point with short numbers; if time is short, those near the one chosen."""
    short = [point.rules for point in front]
    for i in sorted(range(len(short)), key=lambda i: abs(i - chosen)):
        if not passed(plan.shorten_until):
            short[i] = with_short_numbers(short[i], table, plan.knowledge, plan.caps.literals)
    return tuple(short)


def without_matched(front: Front, chosen: int, short: Sequence[RuleSet]) -> tuple[Front, int, tuple[RuleSet, ...]]:
    """Without points that a later one, which errs less, matches in size now that it is short; the choice stays."""
    sizes = [rules.size for rules in short]
    kept = [i for i, size in enumerate(sizes) if i == chosen or size < min(sizes[i + 1 :], default=size + 1)]
    return Front(tuple(front[i] for i in kept)), kept.index(chosen), tuple(short[i] for i in kept)


def until_sufficient(points: Iterable[Point], judges: Labelled) -> Iterator[Point]:
    """The points up to the first that suffices."""
    for point in points:
        yield point
        if suffices(point, judges):
            return


def suffices(point: Point, judges: Labelled) -> bool:
    """Whether rules err so little on the rows held out that the labels have hardly any noise for a teacher to clean.

    Boosting may err on clean labels, where boundaries slope in many columns: as a teacher it would blur them.
    """
    return error_of(point, judges, judges.truth) < NOISY


def error_of(point: Point, rows: Labelled, target: NDArray[Any]) -> float:
    """The weighted error under these labels, or under mixed ones."""
    return float(np.average(np.abs(target - point.rules.truth(rows.table).astype(np.float64)), weights=rows.weight))


def share_of(seconds: float | None, began: float, share: float) -> float | None:
    """When a share of the time that is left will have passed; None if there is no limit."""
    return None if seconds is None else began + share * seconds


def choice(front: Front, wrong: Floats, judges: Labelled, many: Labelled, taught: bool, caps: Caps) -> int:
    """The point to take: of what someone said may be read, the best on the rows held out, else the smallest as good.

    `wrong` says by how much each row held out (as a teacher has it) is decided wrongly by each point.
    """
    if asked(caps):
        return int(np.argmin(judges.weight @ wrong))
    chosen = min(one_standard_error(wrong, judges.weight), front.best)  # a teacher errs: true labels have a say too
    if taught:
        # A constant was already beaten by a standard error on held-out rows: do not go back to it.
        first = 1 if chosen > 0 and front[0].size == 0 else 0
        chosen = first + smallest_as_good(
            [point.rules for point in front.points[first : chosen + 1]], many, CHOICE_ERRORS
        )
        chosen = fewest_rules(front, first, chosen, wrong, judges.weight)
    return chosen


def asked(caps: Caps) -> bool:
    """Whether someone has said how many rules, or columns in all, may be read."""
    return caps.rules is not None or caps.size is not None


def smallest_as_good(candidates: Sequence[RuleSet], rows: Labelled, errors: float) -> int:
    """The first of ever larger rule sets that the last does not beat by so many standard errors, by the true labels.

    What a teacher's labels speak for may be the teacher's own error: its curves are steps, and a column that matters
    nowhere can follow them. The true labels are not mainly what the rules were fitted to, so they can tell.
    """
    wrong = np.column_stack([rules.truth(rows.table) != rows.truth for rules in candidates])
    return first_as_good(wrong, rows.weight, len(candidates) - 1, errors)


def fewest_rules(front: Front, first: int, chosen: int, wrong: Floats, weight: Floats) -> int:
    """The largest point of the fewest rules that the one chosen does not beat by `CHOICE_ERRORS`.

    Points before the first are not asked. What a rule more brings must show in rows that nothing was fitted to, as
    they are judged.
    """
    last = {front[i].rules.n_rules: i for i in range(first, chosen + 1)}
    fewer = [last[n] for n in sorted(last) if n < front[chosen].rules.n_rules]
    return (*fewer, chosen)[first_as_good(wrong[:, [*fewer, chosen]], weight, len(fewer), CHOICE_ERRORS)]


def drawn(rows: NDArray[np.intp], truth: Bools, most: int, seed: int) -> NDArray[np.intp]:
    """All of them, or so many, of each class its share."""
    if len(rows) <= most:
        return rows
    rng, share = np.random.default_rng(seed), most / len(rows)
    classes = [rng.permutation(rows[truth[rows] == side]) for side in (False, True)]
    return np.sort(np.concatenate([each[: int(np.ceil(share * len(each)))] for each in classes]))


def explore(
    blank: RuleSet, rows: Labelled, target: Floats, starts: Iterable[Rules], plan: Plan, watch: Watch, rule: float = 0.0
) -> Iterator[Point]:
    """Descents from every start at the first price, from the best ones on at lower prices, and recombinations.

    At the lowest price the best ones try to escape from where they ended. A rule costs two columns, or `rule` if more.
    """
    assert blank.schema is not None
    sure, most = sureness(rows, target), RULE_SHARE * float(np.average(target, weights=rows.weight))
    least = LEAST_ROWS / effective_rows(rows.weight) if rule else 0.0
    columns = [sure * max(price, least) for price in plan.prices]
    # A category costs the lowest price from the first: a set that is cut short at first is hard to complete later.
    prices = [Prices.of(column, min(rule * column, most), columns[-1]) for column in dict.fromkeys(columns)]
    first = Problem.of(rows.table, blank.schema, target, rows.weight, prices[0], plan.caps, plan.knowledge)
    problems = [first, *map(first.at, prices[1:])]
    numbers = Numbers.of(problems[0])
    seen: list[Rules] = []  # the end of every task at the present price

    def run(tasks: Sequence[Task]) -> Generator[Point, None, list[Rules]]:
        """The points that tasks pass; returns the best of each task."""
        best: dict[int, Move] = {}
        for i, move in carry_out(tasks, numbers, plan.n_jobs, plan.explore_until):
            yield Point(blank.with_rules(move.rules), move.error)
            watch(move)
            if i not in best or move.objective < best[i].objective:
                best[i] = move
        return [move.rules for move in best.values()]

    def mixed(problem: Problem, ends: Sequence[Rules]) -> Generator[Point, None, list[Rules]]:
        """The ends, best first, and among them what the best subset of all their rules leads to."""
        best = min(ends, key=problem.objective)
        subset = best_subset(problem, [rule for end in ends for rule in end], best)
        new = [] if subset in ends else [Task(problem, subset, "subset")]
        reached = yield from run(new)
        return sorted(distinct([*reached, *ends]), key=problem.objective)

    ends = distinct(starts)
    for start in [(), *ends]:  # so that there is something to choose if time ends at once
        if start == () or problems[0].allows(start):
            yield Point(blank.with_rules((*plan.knowledge.fixed, *start)), problems[0].error(start))
    for problem in problems:
        reached = yield from run([Task(problem, start) for start in ends])
        if passed(plan.explore_until):
            return
        seen = yield from mixed(problem, reached)
        ends = seen[: plan.continued]
        if problem.error(ends[0]) <= 4 * problems[-1].prices.column:
            return  # all that is left to gain is less than two literals of one column cost
    if plan.escapes:
        tasks = [Task(problems[-1], end, "end", plan.escapes, plan.seed + i) for i, end in enumerate(ends)]
        reached = yield from run(tasks)
        if not passed(plan.explore_until):
            yield from mixed(problems[-1], [*reached, *seen])


def effective_rows(weight: Floats) -> float:
    """How many rows of equal weight say as much: of a rare class that weighs as much as the other, about four each."""
    return float(weight.sum() ** 2 / np.sum(weight**2))


def sureness(rows: Labelled, target: Floats) -> float:
    """Where a teacher is unsure a row costs little either way: prices shrink with what they buy."""
    return float(np.average(np.abs(1.0 - 2.0 * target), weights=rows.weight))


def distinct(rule_sets: Iterable[Rules]) -> list[Rules]:
    """Without repeats, whatever the order of their rules."""
    return list({frozenset(rules): rules for rules in rule_sets}.values())


def finish(point: Point, most: int, rows: Labelled, target: Floats, plan: Plan, watch: Watch) -> tuple[RuleSet, bool]:
    """A point's rules, refined on all rows at the lowest price; and whether the user interrupted it.

    That they are worth their size was seen on rows held out: at a higher price they could be lost again. They may
    grow by a quarter, for more rows carry a little more, but not beyond the `most` that was worthwhile on the rows
    held out: what is larger fits the noise of the labels, and a constant stays one.
    """
    assert point.rules.schema is not None
    columns = sum(literal.n_terms for rule in point.rules.rules for literal in rule.literals)
    named = point.size - columns  # besides the first of each set: more rows decide more categories
    size = min(columns + columns // 4, max(most - named, columns)) + named + named // 4
    size = size if plan.caps.size is None else min(size, plan.caps.size)
    within = Caps(plan.caps.columns, plan.caps.literals, max(point.rules.n_rules, 1), size)
    prices = Prices.of(plan.prices[-1] * sureness(rows, target))
    problem = Problem.of(rows.table, point.rules.schema, target, rows.weight, prices, within, plan.knowledge)
    rules, interrupted = point.rules.rules, False
    try:
        with allow_interrupts():
            for move in descend(problem, rules, Fitter.of(problem), plan.finish_until, "all rows"):
                rules = move.rules
                watch(move)
    except KeyboardInterrupt:
        interrupted = True
    return point.rules.with_rules(rules), interrupted


def kept_within(rules: RuleSet, rows: Labelled, caps: Caps, knowledge: Knowledge, price: float) -> RuleSet:
    """As they are if they keep to the caps and to what an expert said, else mended like the start of a descent."""
    assert rules.schema is not None
    few, prices = rows.take(drawn(np.arange(rows.n_rows), rows.truth, EXPLORED_ROWS, seed=0)), Prices.of(price)
    problem = Problem.of(few.table, rules.schema, few.truth, few.weight, prices, caps, knowledge)
    learned = problem.learned(rules.rules)
    if not problem.allows(learned):
        learned = within_caps(problem, learned, Fitter.of(problem))
    return rules.with_rules((*knowledge.fixed, *learned))


def with_short_numbers(
    rules: RuleSet, table: Table, knowledge: Knowledge = NOTHING, most_literals: int | None = None
) -> RuleSet:
    """The same on every row of the table, as short as can be; what an expert gave stays, and what is forbidden."""
    learned = simplify(rules.with_rules(set(rules.rules) - set(knowledge.fixed)))
    given = frozenset(knowledge.literals)
    plain = with_shorter_sets(untied(learned, table, most_literals, given), given)
    short = simplify(round_predictions(plain, table, given))
    kept = short if all(map(knowledge.permits_rule, short.rules)) else learned
    return rules.with_rules((*knowledge.fixed, *kept.rules))
