"""The third stage: which point of the front to take, by the rows held out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from r2n.rules import RuleSet
from r2n.search.front import Front, Point, find_first_as_good
from r2n.search.plan import FITTED_ERRORS, PLAIN_ERRORS, RULE_ERRORS, TAUGHT_ERRORS, TRUE_ERRORS, Caps
from r2n.search.problem import Floats, Labelled
from r2n.search.sample import Sample
from r2n.search.teach import Taught


@dataclass(frozen=True, slots=True)
class Chosen:
    """The front, and which of its points was taken."""

    front: Front
    place: int

    @property
    def point(self) -> Point:
        """The point that was taken."""
        return self.front[self.place]

    @property
    def worthwhile(self) -> int:
        """The size up to which larger rules were better on the rows held out."""
        return max(self.front[self.front.best].size, self.point.size)


def choose(points: Iterable[Point], taught: Taught, sample: Sample, caps: Caps) -> Chosen:
    """Make the front of all points, score it on true labels, and take one of its points."""
    front = Front.of(points)
    truths = [(point.rules.truth(sample.fitted.table), point.rules.truth(sample.judges.table)) for point in front]
    front = front.scored(truths, sample.fitted, sample.held_out)
    judged = taught.labels_of(sample, sample.judges_at)
    wrong = np.column_stack([np.abs(judged - said) for _, said in truths])
    return Chosen(front, choose_point(front, wrong, sample, taught.labels.taught, caps))


def choose_point(front: Front, wrong: Floats, sample: Sample, taught: bool, caps: Caps) -> int:
    """Within limits set by the user, the best on the rows held out; else the smallest that is as good.

    `wrong` says by how much each row held out (as a teacher has it) is decided wrongly by each point.
    """
    weight = sample.judges.weight
    if caps.user_set_limits():
        return int(np.argmin(weight @ wrong))
    best, errors = int(np.argmin(weight @ wrong)), TAUGHT_ERRORS if taught else PLAIN_ERRORS
    errors = errors if sample.apart else FITTED_ERRORS
    chosen = min(find_first_as_good(wrong, weight, best, errors), front.best)  # a teacher errs: true labels count too
    if taught:
        # A constant was already beaten by a standard error on held-out rows: do not go back to it.
        first = 1 if chosen > 0 and front[0].size == 0 else 0
        candidates = [point.rules for point in front.points[first : chosen + 1]]
        chosen = first + find_smallest_as_good(candidates, sample.finished, TRUE_ERRORS)
        chosen = choose_fewest_rules(front, first, chosen, wrong, weight)
    return chosen


def find_smallest_as_good(candidates: Sequence[RuleSet], rows: Labelled, errors: float) -> int:
    """The first of ever larger rule sets that the last does not beat by so many standard errors.

    They are compared on true labels: soft labels may carry the teacher's error. Its curves are steps, and a column that
    matters nowhere can follow them. The true labels are not mainly what the rules were fitted to, so they can tell.
    """
    wrong = np.column_stack([rules.truth(rows.table) != rows.truth for rules in candidates])
    return find_first_as_good(wrong, rows.weight, len(candidates) - 1, errors)


def choose_fewest_rules(front: Front, first: int, chosen: int, wrong: Floats, weight: Floats) -> int:
    """The largest point of the fewest rules that the one chosen does not beat by `RULE_ERRORS`.

    Points before the first are not candidates. What a rule more brings must show in rows that nothing was fitted to, as
    they are judged.
    """
    last = {front[i].rules.n_rules: i for i in range(first, chosen + 1)}
    fewer = [last[n] for n in sorted(last) if n < front[chosen].rules.n_rules]
    return (*fewer, chosen)[find_first_as_good(wrong[:, [*fewer, chosen]], weight, len(fewer), RULE_ERRORS)]
