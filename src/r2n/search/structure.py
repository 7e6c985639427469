"""What tells rule sets apart for a reader: which columns each literal reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from r2n.rules import RuleSet
from r2n.search.front import Point

Structure: TypeAlias = frozenset[frozenset[str]]


def structure_of(rules: RuleSet) -> Structure:
    """The columns that each literal reads, whatever it asks of them and wherever it stands.

    >>> one, other = (RuleSet.parse(f"yes if {text} else no") for text in ("x - y > 3 and z < 1", "z > 2 or x + y < 5"))
    >>> structure_of(one) == structure_of(other)
    True
    """
    return frozenset(frozenset(literal.columns) for rule in rules.rules for literal in rule.literals)


def keep_best_of_each_structure(points: Iterable[Point]) -> tuple[Point, ...]:
    """Of each structure the point of the least training error; the first of equal ones."""
    best: dict[Structure, Point] = {}
    for point in points:
        structure = structure_of(point.rules)
        known = best.get(structure)
        if known is None or (point.train_error, point.size) < (known.train_error, known.size):
            best[structure] = point
    return tuple(best.values())
