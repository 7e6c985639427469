"""Which rows each stage of a search reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.rules import RuleSet
from r2n.search.plan import EXPLORED_ROWS, FINISHED_ROWS
from r2n.search.problem import Bools, Labelled


@dataclass(frozen=True)
class Sample:
    """All rows, those that rules are fitted to while exploring, and those that judge them."""

    every: Labelled
    fitted: Labelled
    judges: Labelled
    apart: bool  # whether the judges are held out; else they are those fitted to
    seed: int

    @classmethod
    def draw(cls, rows: Labelled, parts: tuple[NDArray[np.intp], NDArray[np.intp]], seed: int) -> Sample:
        train, held_out = parts
        fitted = rows.take(draw_rows(train, rows.truth, EXPLORED_ROWS, seed))
        return cls(rows, fitted, rows.take(held_out), not np.array_equal(train, held_out), seed)

    @property
    def held_out(self) -> Labelled | None:
        """The rows that judge; None if they are those fitted to."""
        return self.judges if self.apart else None

    @cached_property
    def finished(self) -> Labelled:
        """The rows that the chosen rules are fitted to at last. Drawn when asked for: they may be many."""
        every = self.every
        return every.take(draw_rows(np.arange(every.n_rows), every.truth, FINISHED_ROWS, self.seed))


def draw_rows(rows: NDArray[np.intp], truth: Bools, most: int, seed: int) -> NDArray[np.intp]:
    """All of them, or so many, of each class its share."""
    if len(rows) <= most:
        return rows
    rng, share = np.random.default_rng(seed), most / len(rows)
    classes = [rng.permutation(rows[truth[rows] == side]) for side in (False, True)]
    return np.sort(np.concatenate([each[: int(np.ceil(share * len(each)))] for each in classes]))


def measure_error(rules: RuleSet, rows: Labelled, target: NDArray[Any]) -> float:
    """The weighted error under these labels, or under mixed ones."""
    return float(np.average(np.abs(target - rules.truth(rows.table).astype(np.float64)), weights=rows.weight))
