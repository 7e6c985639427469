"""What fitted rules reach on the rows held out: agreement with a given teacher, and how groups are treated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.explain import Groups
from r2n.explain.fairness import count_groups
from r2n.learn.learned import Learned
from r2n.learn.rows import TrainingRows
from r2n.rules import AnyRules, LevelRules


@dataclass(frozen=True, slots=True)
class Reached:
    """Of one model; None where nothing was asked for."""

    fidelity: float | None = None
    groups: Groups | None = None


@dataclass(frozen=True)
class HeldOut:
    """The training rows that judged, and what models are measured by on them."""

    rows: TrainingRows
    places: NDArray[np.intp]
    cut: float = 0.5  # the threshold

    @classmethod
    def of(cls, rows: TrainingRows, learned: Iterable[Learned], cut: float) -> HeldOut:
        """The rows that were held out for any class; all of them where none were."""
        parts = [one.held_out for one in learned if one.held_out is not None]
        return cls(rows, np.unique(np.concatenate(parts)) if parts else np.arange(rows.table.n_rows), cut)

    @property
    def measures(self) -> bool:
        """Whether there is anything to measure."""
        return self.rows.opinion is not None or len(self.rows.groupings) > 0

    def measure(self, rules: AnyRules) -> Reached:
        """Measure a model."""
        rows, places = self.rows, self.places
        table, weight = rows.table.take(places), rows.own_weight[places]
        fidelity, groups = None, None
        if rows.opinion is not None:
            classes = np.array([*rows.labels.values], dtype=object)
            decided = classes[decide(rows.opinion[places], rows.labels.positive, self.cut)]
            alike = rules.predict(table).astype(object) == decided
            fidelity = float(np.average(alike, weights=weight))
        if rows.groupings:
            assert not isinstance(rules, LevelRules), "levels are measured by the class that they predict"
            labels = np.array([*rows.labels.values, None], dtype=object)[rows.labels.codes[places]]
            groups = count_groups(rules, table, labels, [each.take(places) for each in rows.groupings], weight)
        return Reached(fidelity, groups)


def decide(opinion: NDArray[np.float64], positive: int, cut: float = 0.5) -> NDArray[np.intp]:
    """Find the class that a teacher decides for: of two the positive one above the cut, of more the most probable.

    >>> decide(np.array([[0.5, 0.5], [0.4, 0.6]]), positive=1).tolist()
    [0, 1]
    """
    if opinion.shape[1] == 2:
        return np.where(opinion[:, positive] > cut, positive, 1 - positive)
    most: NDArray[np.intp] = opinion.argmax(axis=1)
    return most


def describe_gaps(
    groups: Groups | None, max_gap: Mapping[str, float] | None, kind: str, learned: Iterable[Learned]
) -> str:
    """Say what was reached where too few rows are held out to be sure of it; "" if every bound is kept."""
    if groups is None or max_gap is None or all(one.kept for one in learned):
        return ""
    gaps = {name: groups.gap(name, kind) for name in max_gap}
    told = ", ".join(
        f"{'unknown' if np.isnan(gap) else f'{gap:.3f}'} between groups of {name!r} (max_gap {max_gap[name]:g})"
        for name, gap in gaps.items()
    )
    return (
        f"max_gap cannot be promised: on so few rows held out no rules keep it with a margin for chance. Reached in "
        f"{kind}: {told}. Give more rows, join small groups in a column of their own, or raise max_gap."
    )
