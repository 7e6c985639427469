"""How risk levels do on new rows, beside how they did on those they were counted on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from r2n.explain.shares import align, differ, percent, share
from r2n.rules import AnyRules, Baseline, LevelRules
from r2n.rules.leveltext import write_level, write_percent
from r2n.table import Table


@dataclass(frozen=True, slots=True)
class LevelDrift:
    """How many new rows a level has, and how many of them are positive, beside what it was in training.

    Parameters
    ----------
    level : str
        The level's name.
    promised : float
        Its share in the model.
    rows : tuple of two int
        The rows of the level, and all new rows.
    positives : tuple of two int
        The positive rows of the level, and its rows whose class is known.
    rows_then : tuple of two int
        The rows of the level in training, and all rows of training; zeros if unknown.
    positives_then : tuple of two int
        The positive rows of the level in training, and its rows.

    Examples
    --------
    >>> from r2n.explain import check
    >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
    >>> check(rules, {"x": [1, 4, 5]}, ["no", "yes", "no"]).levels[0].positives
    (1, 2)
    """

    level: str
    promised: float
    rows: tuple[int, int]
    positives: tuple[int, int]
    rows_then: tuple[int, int]
    positives_then: tuple[int, int]

    @property
    def coverage(self) -> tuple[float, float]:
        """The share of all rows that have this level, now and in training; NaN where unknown."""
        return share(*self.rows), share(*self.rows_then)

    @property
    def found(self) -> tuple[float, float]:
        """The share of the level's rows that are positive, now and in training; NaN where unknown."""
        return share(*self.positives), share(*self.positives_then)

    @property
    def drifts(self) -> bool:
        """Whether coverage or share differs from training by more than chance explains."""
        return differ(*self.rows, *self.rows_then) or differ(*self.positives, *self.positives_then)


def level_drifts(rules: AnyRules, table: Table, now: Baseline) -> tuple[LevelDrift, ...]:
    """Compare each level with training, on these new rows and their counts; nothing for rules without levels."""
    if not isinstance(rules, LevelRules):
        return ()
    column = rules.classes.index(rules.positive)
    then = rules.baseline if rules.baseline is not None and rules.baseline.fits(rules) else None
    of_level = np.bincount(rules.decided(table), minlength=len(rules.levels)).tolist()
    found, before = _tallies(now, column, rules), _tallies(then, column, rules)
    rows_then = then.rows if then is not None else 0
    return tuple(
        LevelDrift(name, promised, (of_level[k], now.rows), found[k], (before[k][1], rows_then), before[k])
        for k, (name, promised) in enumerate(zip(rules.levels, rules.shares, strict=True))
    )


def _tallies(base: Baseline | None, column: int, rules: LevelRules) -> list[tuple[int, int]]:
    """List for each level how many rows are positive, and how many rows there are; zeros if that is unknown."""
    if base is None or base.decided is None:
        return [(0, 0)] * len(rules.levels)
    return [(own[column].rows, sum(each.rows for each in own)) for _, own in base.decided]


def level_lines(levels: Sequence[LevelDrift]) -> list[str]:
    """Write a table of levels; nothing if there are none."""
    if not levels:
        return []
    head = ["level", "covers", "before", "share", "before", "says", ""]
    names = [write_level(each.level) for each in levels]
    width = max(map(len, [*names, head[0]]))
    rows = ([*_cells(each), f"{write_percent(each.promised)} %", ""] for each in levels)
    grid = [head, *([name.ljust(width), *row] for name, row in zip(names, rows, strict=True))]
    grid[0][0] = head[0].ljust(width)
    return align(grid, ["", *("!" if each.drifts else "" for each in levels)])


def _cells(level: LevelDrift) -> list[str]:
    known = [number for number in level.found if not math.isnan(number)]
    return [*map(percent, level.coverage), *(map(percent, level.found) if known else ("", ""))]
