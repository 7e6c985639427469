"""The rule sets that a model can be given, with what was counted of each on the training rows, which are then gone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.learn.counts import ClassCounts, Counts
from r2n.learn.order import ordered, unclaimed_class
from r2n.rules import Baseline, ClassRules, RuleSet
from r2n.rules.counts import CountedRules, count_rules
from r2n.table import Schema, Table

Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Picks:
    """Of two classes: the rule sets to pick from, each with its counts."""

    options: tuple[tuple[RuleSet, Counts], ...]

    @classmethod
    def count(cls, rule_sets: Sequence[RuleSet], table: Table, truth: Bools, weight: Floats) -> Picks:
        """Count every rule set on the training rows; it keeps only what its rules read."""
        options = []
        for rules in rule_sets:
            fired = rules.fires(table)
            right = int(np.sum(fired.any(axis=1) == truth))
            counted = rules.with_baseline(Baseline(table.n_rows, right, count_rules(rules, fired, truth)))
            options.append((counted.without_unread(), Counts.of(fired, truth, weight)))
        return cls(tuple(options))

    def model(self, chosen: Sequence[int]) -> tuple[RuleSet, Counts]:
        """The rules of a model, and what its probabilities are counted from. One place is chosen, of one rule set."""
        (place,) = chosen
        return self.options[place]


@dataclass(frozen=True)
class ClassPicks:
    """Of several classes: the rule sets to pick from for each, and the training rows by what these say.

    Rows of one class on which no two rule sets can be told apart are one group. From the groups follows what any
    combination of rule sets would have been in training: in which order the classes are asked, who gets what none
    claims, how often that is right.
    """

    options: tuple[tuple[RuleSet, ...], ...]
    schema: Schema | None
    said: Bools  # (groups, rule sets of all classes one after the other)
    codes: Codes  # (groups,): the class
    weight: Floats  # (groups,)
    number: Codes  # (groups,): of rows

    @classmethod
    def count(cls, options: Sequence[Sequence[RuleSet]], table: Table, codes: Codes, weight: Floats) -> ClassPicks:
        """Count every rule set of every class on the training rows; their schema, one for all, is kept as it is."""
        every = [(k, rules) for k, own in enumerate(options) for rules in own]
        bits = np.zeros((table.n_rows, 1 + len(every) // 8), dtype=np.uint8)
        kept: list[list[RuleSet]] = [[] for _ in options]
        for place, (k, rules) in enumerate(every):
            fired, truth = rules.fires(table), codes == k
            bits[:, place // 8] |= np.left_shift(fired.any(axis=1), place % 8, dtype=np.uint8)
            counted = rules.with_baseline(Baseline(table.n_rows, None, count_rules(rules, fired, truth)))
            kept[k].append(counted.without_unread())
        first, group = grouped(bits, codes)
        said = np.unpackbits(bits[first], axis=1, count=len(every), bitorder="little").astype(np.bool_)
        weights: Floats = np.bincount(group, weights=weight).astype(np.float64)
        return cls(tuple(map(tuple, kept)), every[0][1].schema, said, codes[first], weights, np.bincount(group))

    def model(self, chosen: Sequence[int]) -> tuple[ClassRules, ClassCounts]:
        """One rule set of each class as one model: the order in which they are asked, and the default, come with it."""
        starts = np.cumsum([0, *map(len, self.options)])[:-1]
        claims = self.said[:, starts + np.asarray(chosen, dtype=np.intp)]
        order = ordered(claims, self.codes, self.weight)
        winners = np.array([*order, unclaimed_class(claims, self.codes, self.weight)])
        asked = claims[:, order]
        decided = np.where(asked.any(axis=1), asked.argmax(axis=1), len(order))
        picked = [own[i] for own, i in zip(self.options, chosen, strict=True)]
        labels = [rules.label for rules in picked]
        counted = tuple(each for k in order for each in _counts_of(picked[k]))
        right = int(self.number[winners[decided] == self.codes].sum())
        rules = ClassRules(
            tuple((labels[k], picked[k].rules) for k in order),
            labels[winners[-1]],
            self.schema,
            Baseline(int(self.number.sum()), right, counted),
        )
        return rules.without_unread(), ClassCounts.of(decided, winners, self.codes, self.weight)


def _counts_of(rules: RuleSet) -> CountedRules:
    assert rules.baseline is not None, "every option was counted"
    return rules.baseline.rules


def grouped(bits: NDArray[np.uint8], codes: Codes) -> tuple[Codes, Codes]:
    """Equal rows of equal class as groups: one row of each, and to which group each row belongs.

    >>> first, group = grouped(np.array([[3], [1], [3], [3]], dtype=np.uint8), np.array([0, 0, 0, 1]))
    >>> first.tolist(), group.tolist()
    ([1, 0, 3], [1, 0, 1, 2])
    """
    rows = np.column_stack([codes.astype(">i8").view(np.uint8).reshape(len(codes), 8), bits])
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    return first, group.reshape(-1)
