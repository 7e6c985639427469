"""Which rows each stage of a search reads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.rules import RuleSet
from r2n.search.plan import EXPLORED_ROWS, FINISHED_ROWS
from r2n.search.problem import Bools, Floats, Labelled

Places = NDArray[np.intp]


@dataclass(frozen=True)
class Sample:
    """All rows, those that rules are fitted to while exploring, and those that judge them; rows by their places."""

    every: Labelled
    fitted_at: Places
    judges_at: Places
    apart: bool  # whether the judges are held out; else they are those that could be fitted to
    seed: int

    @classmethod
    def draw(cls, rows: Labelled, parts: tuple[Places, Places], seed: int) -> Sample:
        """Draw what is too much: `parts` are the rows that may be fitted to, and those that judge."""
        train, held_out = parts
        apart = not np.array_equal(train, held_out)
        return cls(rows, draw_rows(train, rows.truth, EXPLORED_ROWS, seed), held_out, apart, seed)

    @cached_property
    def fitted(self) -> Labelled:
        """The rows that rules are fitted to."""
        return self.every.take(self.fitted_at)

    @cached_property
    def judges(self) -> Labelled:
        """The rows that judge."""
        return self.every.take(self.judges_at)

    @property
    def held_out(self) -> Labelled | None:
        """The rows that judge; None if they could be fitted to."""
        return self.judges if self.apart else None

    @cached_property
    def finished_at(self) -> Places:
        """The places of the rows that the chosen rules are fitted to at last."""
        return draw_rows(np.arange(self.every.n_rows), self.every.truth, FINISHED_ROWS, self.seed)

    @cached_property
    def finished(self) -> Labelled:
        """Those rows. Taken when asked for: they may be many."""
        return self.every.take(self.finished_at)

    @cached_property
    def others_at(self) -> Places:
        """The places of rows that judge or are fitted to at last, without those fitted to while exploring."""
        wanted = np.zeros(self.every.n_rows, dtype=np.bool_)
        wanted[self.judges_at] = True
        wanted[self.finished_at] = True
        wanted[self.fitted_at] = False
        return np.flatnonzero(wanted)


def draw_rows(rows: Places, truth: Bools, most: int, seed: int) -> Places:
    """All of them, or so many, of each class its share."""
    if len(rows) <= most:
        return rows
    rng, share = np.random.default_rng(seed), most / len(rows)
    classes = [rng.permutation(rows[truth[rows] == side]) for side in (False, True)]
    return np.sort(np.concatenate([each[: int(np.ceil(share * len(each)))] for each in classes]))


def measure_error(rules: RuleSet, rows: Labelled, target: NDArray[Any]) -> float:
    """The weighted error under these labels, or under mixed ones."""
    return float(np.average(measure_wrong(rules.truth(rows.table), target), weights=rows.weight))


def measure_wrong(said: Bools, target: NDArray[Any]) -> Floats:
    """By how much each row is decided wrongly under these labels; where a bound shifts them, it may be less than 0."""
    return np.where(said, 1.0 - target, target)
