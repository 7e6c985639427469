"""The last stage: the chosen rules refined on all rows, and the numbers of every point made short."""

from __future__ import annotations

from dataclasses import dataclass

from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.search.alternatives import drop_alike, shorten_alternatives
from r2n.search.choose import Chosen, find_smallest_as_good
from r2n.search.clock import is_past
from r2n.search.descent import Report, descend
from r2n.search.explore import measure_sureness
from r2n.search.front import Front, Point
from r2n.search.gap import keeps_bounds
from r2n.search.moves import Fitter
from r2n.search.plan import GROWTH_ERRORS, GROWTH_PART, Caps, Plan
from r2n.search.problem import Floats, Labelled, Prices, Problem
from r2n.search.sample import Sample
from r2n.search.shorten import drop_matched, shorten_points, with_short_numbers
from r2n.search.teach import Taught
from r2n.search.threshold import lean, weigh


@dataclass(frozen=True, slots=True)
class Refined:
    """The front, which of its points was chosen, and that point's rules fitted to all rows."""

    front: Front
    chosen: int
    rough: RuleSet  # before their numbers were made short
    rules: RuleSet
    short: tuple[RuleSet, ...]  # the rules of each point with short numbers; those chosen are not fitted to all rows
    interrupted: bool = False  # by the user's Ctrl-C; the rules are the best found until then
    taught: bool = False  # whether a teacher's opinion is in the labels
    alternatives: tuple[Point, ...] = ()  # that read other columns, and do as well on the rows held out
    short_alternatives: tuple[RuleSet, ...] = ()  # their rules with short numbers
    kept: bool = True  # whether every bound on a gap between groups is kept on the rows held out


@dataclass(frozen=True, slots=True)
class Fitted:
    """Rules fitted to all rows, and whether the user's Ctrl-C cut that short."""

    rules: RuleSet
    interrupted: bool = False


def finish(
    chosen: Chosen,
    taught: Taught,
    interrupted: bool,
    sample: Sample,
    plan: Plan,
    report: Report,
    others: tuple[Point, ...] = (),
) -> Refined:
    """Refine the chosen rules on all rows, unless exploring was interrupted; then shorten all numbers.

    A Ctrl-C keeps what was done before it.
    """
    table, fitted = sample.every.table, Fitted(chosen.point.rules)
    if not interrupted and not is_past(plan.clock.finish):
        fitted = fit_to_all_rows(chosen, taught, sample, plan, report)
    rules, short = fitted.rules, tuple(point.rules for point in chosen.front)
    brief = tuple(point.rules for point in others)
    with plan.clock.catch_interrupt() as shortening, allow_interrupts():
        rules = with_short_numbers(rules, table, plan.knowledge, plan.caps.literals)
        short = shorten_points(chosen.front, chosen.place, table, plan)
        brief = shorten_alternatives(others, table, plan)
    front, place, short = drop_matched(chosen.front, chosen.place, short)
    cut = interrupted or fitted.interrupted or shortening.interrupted
    return Refined(
        front, place, fitted.rules, rules, short, cut, taught.labels.taught, *drop_alike(others, brief, rules)
    )


def fit_to_all_rows(chosen: Chosen, taught: Taught, sample: Sample, plan: Plan, report: Report) -> Fitted:
    """The chosen rules, grown. After a teacher, growth must be significant on true labels, unless limits were given."""
    point, caps = chosen.point, plan.caps
    most = chosen.worthwhile if caps.size is None else caps.size
    rows, target = lean(sample.finished, taught.labels_of(sample, sample.finished_at), plan.threshold)
    grown = refit(point, most, rows, target, plan, report)
    doubted = taught.doubtful and not caps.user_set_limits() and grown.rules.size > point.size
    if doubted and not grown.interrupted and not is_past(plan.clock.finish):
        small = refit(point, point.size, rows, target, plan, report)
        candidates = (small.rules, grown.rules)
        judges = weigh(sample.finished, plan.threshold)
        grown = Fitted(candidates[find_smallest_as_good(candidates, judges, GROWTH_ERRORS)], small.interrupted)
    if sample.every.bounds and not all(keeps_bounds(grown.rules, each) for each in (sample.judges, sample.finished)):
        return Fitted(point.rules, grown.interrupted)
    return grown


def refit(point: Point, most: int, rows: Labelled, target: Floats, plan: Plan, report: Report) -> Fitted:
    """Refine a point's rules on all rows at the lowest price.

    That they are worth their size was seen on rows held out: at a higher price they could be lost again. They may
    grow by a quarter, for more rows carry a little more, but not beyond the `most` that was worthwhile on the rows
    held out: what is larger fits the noise of the labels, and a constant stays one.
    """
    assert point.rules.schema is not None
    limits = limit_growth(point, most, plan.caps)
    prices = Prices.of(plan.prices[-1] * measure_sureness(rows, target))
    problem = Problem.of(rows.table, point.rules.schema, target, rows.weight, prices, limits, plan.knowledge)
    rules = point.rules.rules
    with plan.clock.catch_interrupt() as work, allow_interrupts():
        for move in descend(problem, rules, Fitter.of(problem), plan.clock.finish, "all rows"):
            rules = move.rules
            report(move)
    return Fitted(point.rules.with_rules(rules), work.interrupted)


def limit_growth(point: Point, most: int, caps: Caps) -> Caps:
    """The caps for a point that may grow a little, but not in rules."""
    columns = sum(literal.n_terms for rule in point.rules.rules for literal in rule.literals)
    named = point.size - columns  # besides the first of each set: more rows decide more categories
    size = min(columns + columns // GROWTH_PART, max(most - named, columns)) + named + named // GROWTH_PART
    size = size if caps.size is None else min(size, caps.size)
    return Caps(caps.columns, caps.literals, max(point.rules.n_rules, 1), size)
