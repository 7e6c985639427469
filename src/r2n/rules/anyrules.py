"""Every kind of model, and two of them side by side."""

from __future__ import annotations

from typing import TypeAlias

from r2n.rules.classes import ClassRules, Model
from r2n.rules.levels import LevelRules
from r2n.rules.ruleset import RuleSet

AnyRules: TypeAlias = RuleSet | ClassRules | LevelRules
"""Every kind of model."""


def comparable(before: AnyRules, after: AnyRules, by_place: bool = False) -> tuple[Model, Model]:
    """Make models whose labels can be compared: of two chains of levels their levels, else what class they predict.

    With `by_place`, levels of one name in different places are not the same.

    >>> levels = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
    >>> print(comparable(levels, RuleSet.parse("yes if x > 4 else no"))[0])
    yes if x > 3
    else no
    """
    if isinstance(before, LevelRules) and isinstance(after, LevelRules):
        alike = not by_place or before.levels == after.levels
        return (before.chain, after.chain) if alike else (_numbered(before).chain, _numbered(after).chain)
    first, second = (model.view("label") if isinstance(model, LevelRules) else model for model in (before, after))
    return first, second


def _numbered(rules: LevelRules) -> LevelRules:
    return rules.with_names([f"{place} {name}" for place, name in enumerate(rules.levels, start=1)])
