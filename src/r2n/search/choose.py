"""The third stage: which point of the front to take, by the rows held out, or after a teacher by all rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from r2n.rules import RuleSet
from r2n.search.front import Front, Point, find_first_as_good
from r2n.search.plan import FITTED_ERRORS, PLAIN_ERRORS, WORTH, WORTH_WITHIN_LIMITS, Caps, Plan
from r2n.search.problem import Floats, Labelled
from r2n.search.sample import Sample
from r2n.search.teach import Taught
from r2n.search.threshold import lean, weigh


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


def choose(points: Iterable[Point], taught: Taught, sample: Sample, plan: Plan) -> Chosen:
    """Make the front of all points, score it on true labels, and take one of its points."""
    front = Front.of(points)
    truths = [(point.rules.truth(sample.fitted.table), point.rules.truth(sample.judges.table)) for point in front]
    held_out = None if sample.held_out is None else weigh(sample.held_out, plan.threshold)
    front = front.scored(truths, weigh(sample.fitted, plan.threshold), held_out)
    if plan.score is not None:
        scores = [plan.score(point.rules, sample.fitted, sample.judges) for point in front]
        return Chosen(front, int(np.argmax(scores)))
    labels = taught.labels_of(sample, sample.judges_at)
    if taught.labels.distilled:
        labels = (labels > plan.threshold).astype(np.float64)  # what counts is to agree with what the teacher decides
    judges, judged = lean(sample.judges, labels, plan.threshold)
    wrong = np.column_stack([np.abs(judged - said) for _, said in truths])
    if taught.doubtful:
        fitted, _ = lean(sample.fitted, taught.labels.fit, plan.threshold)
        return Chosen(front, choose_taught(front, wrong, fitted.weight, judges.weight if sample.apart else None, plan))
    return Chosen(front, choose_plain(front, wrong, judges.weight, sample.apart, plan.caps))


def choose_taught(front: Front, wrong: Floats, fitted: Floats, held_out: Floats | None, plan: Plan) -> int:
    """By the error on all rows, as a teacher has them who saw none of those it labels, and a price of each column.

    Rows fitted to have a say because there are many: choices by few rows held out differ from split to split. `wrong`
    says by how much each row held out is decided wrongly by each point; `fitted` and `held_out` are the rows' weights.
    """
    price = plan.prices[-1] * (WORTH_WITHIN_LIMITS if plan.caps.user_set_limits() else WORTH)
    errors = np.array([point.train_error for point in front])
    if held_out is not None:
        errors = (fitted.sum() * errors + held_out @ wrong) / (fitted.sum() + held_out.sum())
    return int(np.argmin(errors + price * np.array([point.size for point in front])))


def choose_plain(front: Front, wrong: Floats, weight: Floats, apart: bool, caps: Caps) -> int:
    """Within limits set by the user, the best on the rows held out; else the smallest that is as good."""
    best = int(np.argmin(weight @ wrong))
    if caps.user_set_limits():
        return best
    return find_first_as_good(wrong, weight, best, PLAIN_ERRORS if apart else FITTED_ERRORS)


def find_smallest_as_good(candidates: Sequence[RuleSet], rows: Labelled, errors: float) -> int:
    """The first of ever larger rule sets that the last does not beat by so many standard errors.

    They are compared on true labels: soft labels may carry the teacher's error. Its curves are steps, and a column that
    matters nowhere can follow them. The true labels are not mainly what the rules were fitted to, so they can tell.
    """
    wrong = np.column_stack([rules.truth(rows.table) != rows.truth for rules in candidates])
    return find_first_as_good(wrong, rows.weight, len(candidates) - 1, errors)
