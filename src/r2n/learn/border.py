"""The border between a table's names and learning, where columns go by position: one step in, one step out.

Terms, literals and rules are put in order by the names of their columns. What these are called would so have a say in
which rules are found; positions have none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from r2n.learn.learned import Learned
from r2n.learn.options import Options
from r2n.network import Record
from r2n.rules import RuleSet, rename_columns
from r2n.search import Front, Move, with_short_numbers
from r2n.table import Schema, Table


@dataclass(frozen=True, slots=True)
class Border:
    """Each column's position as a name, and its name by position."""

    inward: Mapping[str, str]
    outward: Mapping[str, str]

    @classmethod
    def of(cls, names: Sequence[str]) -> Border:
        """Number the columns in their order.

        >>> Border.of(["age", "debt"]).inward
        {'age': 'x0', 'debt': 'x1'}
        """
        inward = {name: f"x{k}" for k, name in enumerate(names)}
        return cls(inward, {place: name for name, place in inward.items()})

    def enter(self, options: Options) -> Options:
        """Put an expert's knowledge in positions; the callback still gets names."""
        knowledge = rename_columns(options.knowledge, self.inward)
        callback = None if options.callback is None else self._translate(options.callback)
        return replace(options, knowledge=knowledge, callback=callback)

    def _translate(self, callback: Callable[[Record | Move], object]) -> Callable[[Record | Move], object]:
        return lambda event: callback(self._move(event) if isinstance(event, Move) else event)

    def _move(self, move: Move) -> Move:
        return replace(move, rules=rename_columns(move.rules, self.outward))

    def leave(self, learned: Learned, table: Table, schema: Schema, options: Options) -> Learned:
        """Put what was learned in names, which `table`, `schema` and `options` know.

        Names put the terms of a sum in another order. That may change the sum's last bit, and so the prediction of a
        row whose sum lies at a short threshold. The numbers of such rules are made short once more.
        """

        def name(short: RuleSet, rough: RuleSet) -> RuleSet:
            rules = rename_columns(short, self.outward)
            if short == rough or np.array_equal(rules.truth(table), rename_columns(rough, self.outward).truth(table)):
                return rules
            rough = rename_columns(rough, self.outward)
            return with_short_numbers(rough, table, options.knowledge, options.max_literals)

        front, short = learned.front, learned.short
        if front is not None:
            short = tuple(name(own, point.rules) for own, point in zip(short, front, strict=True))
            front = Front(tuple(replace(point, rules=own) for point, own in zip(front, short, strict=True)))
        pairs = zip(learned.alternatives, learned.short_alternatives, strict=True)
        others = tuple(replace(point, rules=name(own, point.rules)) for point, own in pairs)
        return replace(
            learned,
            rough=rename_columns(learned.rough, self.outward),
            rules=name(learned.rules, learned.rough),
            moves=tuple(map(self._move, learned.moves)),
            front=front,
            short=short,
            alternatives=others,
            short_alternatives=tuple(point.rules for point in others),
            network=None if learned.network is None else learned.network.renamed(self.outward, schema),
        )
