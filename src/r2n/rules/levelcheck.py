"""What holds of every chain of risk levels, checked when one is made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from r2n.errors import ParameterError
from r2n.table.cells import shown

if TYPE_CHECKING:
    from r2n.rules.levels import LevelRules


def read_share(number: object, what: str) -> float:
    """Read a number from 0 to 1."""
    if isinstance(number, bool | np.bool_) or not isinstance(number, int | float | np.number) or not 0 <= number <= 1:
        raise ParameterError(f"{what} must be a number from 0 to 1, not {shown(number)}.")
    return float(number) + 0.0  # no minus zero


def check_names(names: Sequence[object]) -> None:
    """Refuse names of levels that are no texts, or not all different; and a chain of one level."""
    if len(names) < 2:
        raise ParameterError("risk levels need a level with rules, besides the lowest.")
    unnamed = [name for name in names if not isinstance(name, str)]
    if unnamed:
        raise ParameterError(f"a level's name must be text, not {shown(unnamed[0])}.")
    twice = [name for name, n in Counter(names).items() if n > 1]
    if twice:
        raise ParameterError(f"the level {shown(twice[0])} is named twice. Give each level a name of its own.")


def check_levels(rules: LevelRules) -> None:
    """Refuse shares, classes or a threshold that do not fit together."""
    if len(rules.shares) != len(rules.levels):
        raise ParameterError(
            f"{len(rules.levels)} levels need as many shares, not {len(rules.shares)}. Give one for each."
        )
    for name, above, share in zip(rules.levels[1:], rules.shares, rules.shares[1:], strict=False):
        if not share < above:
            raise ParameterError(
                f"the share of {shown(name)} is {share}, but that of the level above it {above}. Shares must fall."
            )
    if not 0.0 < rules.threshold < 1.0:
        raise ParameterError(f"the threshold must be above 0 and below 1, not {rules.threshold}.")
    if rules.positive == rules.negative:
        raise ParameterError(f"both classes are {shown(rules.positive)}. Give two that differ.")
