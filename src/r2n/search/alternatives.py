"""What else would do: rule sets seen on the way that read other columns, and err no more than the chosen one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r2n.rules import RuleSet
from r2n.search.choose import Chosen
from r2n.search.clock import is_past
from r2n.search.explore import Explored
from r2n.search.front import Front, Point, find_as_good
from r2n.search.plan import ALTERNATIVE_ERRORS, MOST_ALTERNATIVES, TRIED_STRUCTURES, Plan
from r2n.search.sample import Sample
from r2n.search.shorten import with_short_numbers
from r2n.search.structure import keep_best_of_each_structure, structure_of
from r2n.search.teach import Taught
from r2n.search.threshold import lean, weigh
from r2n.table import Table


def find_alternatives(
    explored: Explored, chosen: Chosen, taught: Taught, sample: Sample, plan: Plan
) -> tuple[Point, ...]:
    """Find the best point of each other structure that the rows that judge do not tell from the chosen one.

    They are compared on the labels that the choice was made by. The best come first, and of equal ones the smallest.
    Nothing here is drawn, and nothing that is found has a say in the choice.
    """
    if is_past(plan.clock.finish):
        return ()
    judges, judged = lean(sample.judges, taught.labels_of(sample, sample.judges_at), plan.threshold)
    share = judges.weight / judges.weight.sum()
    wrong = np.abs(judged - chosen.point.rules.truth(judges.table))
    found: list[tuple[float, Point]] = []
    for point in list_candidates(explored, chosen.point):
        pair = np.column_stack([wrong, np.abs(judged - point.rules.truth(judges.table))])
        if 1 in find_as_good(pair, judges.weight, best=0, most=ALTERNATIVE_ERRORS):
            found.append((float(share @ pair[:, 1]), point))
    found.sort(key=lambda each: (each[0], each[1].size))
    best: list[Point] = []
    for _, point in found:  # a sketch and the search on all rows may have seen the same columns
        if structure_of(point.rules) not in map(structure_of, (other.rules for other in best)):
            best.append(point)
        if len(best) == MOST_ALTERNATIVES:
            break
    truths = [(point.rules.truth(sample.fitted.table), point.rules.truth(judges.table)) for point in best]
    held_out = None if sample.held_out is None else weigh(sample.held_out, plan.threshold)
    return Front(tuple(best)).scored(truths, weigh(sample.fitted, plan.threshold), held_out).points


def list_candidates(explored: Explored, chosen: Point) -> list[Point]:
    """Of each other structure the best point of the search on all rows, and the best of the sketches.

    They were fitted to other rows, or other labels, so their errors do not compare. Of each kind as many are taken.
    """
    here, found = structure_of(chosen.rules), []
    for points in (explored.points, explored.sketched):
        best = [point for point in keep_best_of_each_structure(points) if structure_of(point.rules) != here]
        found += sorted(best, key=lambda point: (point.train_error, point.size))[: TRIED_STRUCTURES // 2]
    return found


def shorten_alternatives(points: Sequence[Point], table: Table, plan: Plan) -> tuple[RuleSet, ...]:
    """The rules of each with short numbers; if time is short, those of the best."""
    short = [point.rules for point in points]
    for i, rules in enumerate(short):
        if not is_past(plan.clock.shorten):
            short[i] = with_short_numbers(rules, table, plan.knowledge, plan.caps.literals)
    return tuple(short)


def drop_alike(
    points: Sequence[Point], short: Sequence[RuleSet], rules: RuleSet
) -> tuple[tuple[Point, ...], tuple[RuleSet, ...]]:
    """Drop those that have the structure of these rules, or of a better one, now that all are finished."""
    seen, kept = {structure_of(rules)}, []
    for i, own in enumerate(short):
        structure = structure_of(own)
        if structure not in seen:
            seen.add(structure)
            kept.append(i)
    return tuple(points[i] for i in kept), tuple(short[i] for i in kept)
