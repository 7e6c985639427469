"""The front: for every size the best rule set seen anywhere, and the choice among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from r2n.rules import RuleSet
from r2n.search.problem import Bools, Floats, Labelled
from r2n.table import Schema


@dataclass(frozen=True, slots=True)
class Point:
    """One rule set of the front."""

    rules: RuleSet
    train_error: float  # under the costs it was fitted to
    train_score: float = float("nan")  # accuracies, on true labels
    held_out_score: float = float("nan")

    @property
    def size(self) -> int:
        """How much its rules give to read."""
        return self.rules.size


@dataclass(frozen=True, slots=True)
class Front:
    """Points in ascending size, each with a lower training error than all smaller ones."""

    points: tuple[Point, ...] = ()

    @classmethod
    def of(cls, points: Iterable[Point]) -> Front:
        """Only those that no smaller (or equal) one matches."""
        kept: list[Point] = []
        for point in sorted(points, key=lambda p: (p.size, p.rules.n_rules, p.train_error, str(p.rules))):
            if not kept or point.train_error < kept[-1].train_error - 1e-12:
                if kept and kept[-1].size == point.size:
                    kept.pop()
                kept.append(point)
        return cls(tuple(kept))

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> Point:
        return self.points[i]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def scored(self, truths: Iterable[tuple[Bools, Bools]], fitted: Labelled, judges: Labelled | None) -> Front:
        """With accuracies on the rows fitted to and on those held out (if any), given each point's truth on both."""
        points = []
        for point, (here, there) in zip(self.points, truths, strict=True):
            score = float(np.average(here == fitted.truth, weights=fitted.weight))
            judged = np.nan if judges is None else np.average(there == judges.truth, weights=judges.weight)
            points.append(replace(point, train_score=score, held_out_score=float(judged)))
        return Front(tuple(points))

    @property
    def best(self) -> int:
        """The point of the highest score on the rows held out, the smallest of several; the last if none were."""
        scores = [point.held_out_score for point in self]
        return len(self) - 1 if np.isnan(scores).all() else int(np.nanargmax(scores))

    def with_rules(self, rule_sets: Iterable[RuleSet]) -> Front:
        """With these rules in the place of each point's own, which say the same."""
        return Front(tuple(replace(point, rules=own) for point, own in zip(self, rule_sets, strict=True)))

    def with_schema(self, schema: Schema) -> Front:
        """The same over a schema of more columns."""
        return Front(tuple(replace(point, rules=point.rules.with_schema(schema)) for point in self))


def find_first_as_good(wrong: np.ndarray, weight: Floats, best: int, most: float) -> int:
    """The first column (the smallest rule set) that the one at `best` does not beat by so many standard errors.

    `wrong` has a row for each row held out and a column for each rule set. What is compared are the same rows, so the
    error that counts is that of the difference, which is far smaller than that of either score.

    >>> import numpy as np
    >>> wrong = np.zeros((100, 3), bool); wrong[:40, 0] = True; wrong[:11, 1] = True; wrong[:10, 2] = True
    >>> find_first_as_good(wrong, np.ones(100), best=2, most=1.0)
    1
    """
    return int(find_as_good(wrong, weight, best, most)[0])


def find_as_good(wrong: np.ndarray, weight: Floats, best: int, most: float) -> np.ndarray:
    """All columns that the one at `best` does not beat by so many standard errors, `best` among them."""
    share = weight / weight.sum()
    errors = share @ wrong
    difference = wrong.astype(np.float64) - wrong[:, [best]]
    inflation = 1.0 - min(float(share @ share), 0.5)  # n - 1 in the place of n
    spread = np.sqrt((share**2) @ (difference - share @ difference) ** 2 / inflation)
    return np.flatnonzero(errors <= errors[best] + most * spread + 1e-12)
