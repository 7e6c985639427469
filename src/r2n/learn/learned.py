"""What was learned for one class: the rules, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r2n.learn.trained import ClassNetwork
from r2n.network import Record
from r2n.rewrite.cleanup import Step
from r2n.rules import RuleSet
from r2n.rules.base import keep_read_columns
from r2n.search import Front, Move, Point
from r2n.table import Schema, Value


@dataclass(frozen=True, slots=True)
class Learned:
    """The rules and how they came about."""

    rough: RuleSet  # before their numbers were made short
    rules: RuleSet
    steps: tuple[Step, ...] = ()
    history: tuple[Record, ...] = ()
    moves: tuple[Move, ...] = ()
    front: Front | None = None  # None without refinement; before its numbers were made short
    short: tuple[RuleSet, ...] = ()  # the rules of each point, with short numbers
    chosen: int | None = None
    interrupted: str = ""  # by the user's Ctrl-C: where
    taught: bool = False  # whether a teacher's opinion is in the labels
    network: ClassNetwork | None = None
    alternatives: tuple[Point, ...] = ()  # what else would do; before their numbers were made short
    short_alternatives: tuple[RuleSet, ...] = ()  # their rules, with short numbers
    held_out: NDArray[np.intp] | None = None  # the places of the rows that judged, if they were apart
    kept: bool = True  # whether every bound on a gap between groups is kept

    def with_schema(self, schema: Schema) -> Learned:
        """Put this schema into its rules and those of its front."""
        front = None if self.front is None else self.front.with_schema(schema)
        rough, rules = self.rough.with_schema(schema), self.rules.with_schema(schema)
        short = tuple(each.with_schema(schema) for each in self.short)
        others = tuple(replace(point, rules=point.rules.with_schema(schema)) for point in self.alternatives)
        brief = tuple(each.with_schema(schema) for each in self.short_alternatives)
        own = replace(self, rough=rough, rules=rules, front=front, short=short)
        return replace(own, alternatives=others, short_alternatives=brief)

    @property
    def candidates(self) -> tuple[RuleSet, ...]:
        """The rule sets that `pick` may take: of each point its own, of the chosen one those fitted to all rows.

        Those of the alternatives come after them.
        """
        if self.front is None:
            return (self.rules,)
        own = (self.rules if i == self.chosen else point.rules for i, point in enumerate(self.front))
        return (*own, *(point.rules for point in self.alternatives))


def forget_unread(learned: Mapping[Value, Learned], schema: Schema) -> tuple[dict[Value, Learned], Schema]:
    """Forget what is known of columns that no rule that can be picked reads; the schema that is left comes second."""
    rule_sets = [
        rules
        for one in learned.values()
        for rules in (one.rules, *(point.rules for point in (*(one.front or ()), *one.alternatives)))
    ]
    kept = keep_read_columns(schema, (literal for rules in rule_sets for literal in rules.literals))
    return {label: one.with_schema(kept) for label, one in learned.items()}, kept
