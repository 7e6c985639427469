"""The rule sets that `pick` can take, counted on the training rows, which a model does not keep."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.learn.order import find_default, order_classes
from r2n.rules import Baseline, ClassRules, RuleSet
from r2n.rules.tally import CountedRules, count_decided, count_rules, first_claim
from r2n.table import Schema, Table

Bools = NDArray[np.bool_]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Picks:
    """Two classes: the rule sets to pick from, each with its counts."""

    options: tuple[RuleSet, ...]

    @classmethod
    def count(
        cls,
        rule_sets: Sequence[RuleSet],
        table: Table,
        truth: Bools,
        weight: Floats,
        held_out: Codes | None = None,
        threshold: float = 0.5,
    ) -> Picks:
        """Count every rule set on the training rows. Of the schema each keeps what its rules read."""
        fired = ((rules, rules.fires(table)) for rules in rule_sets)
        return cls(tuple(_count_alone(rules, own, truth, weight, held_out, threshold) for rules, own in fired))

    def model(self, chosen: Sequence[int]) -> RuleSet:
        """Return the rule set in the one chosen place."""
        (place,) = chosen
        return self.options[place]


@dataclass(frozen=True)
class ClassPicks:
    """Several classes: the rule sets of each to pick from, and groups of training rows.

    A group holds the rows of one class on which the same rule sets are true. For any combination of rule sets the
    groups suffice to find the order of the classes, the default class and the training accuracy.
    """

    options: tuple[tuple[RuleSet, ...], ...]
    schema: Schema | None
    said: Bools  # (groups, rule sets of all classes one after the other)
    codes: Codes  # (groups,): the class
    weight: Floats  # (groups,)
    number: Codes  # (groups,): of rows

    @classmethod
    def count(
        cls,
        options: Sequence[Sequence[RuleSet]],
        table: Table,
        codes: Codes,
        weight: Floats,
        held_out: Sequence[Codes | None] | None = None,
    ) -> ClassPicks:
        """Count every rule set of every class on the training rows, and on those that the class held out.

        All have one schema, which is kept.
        """
        seen = [None] * len(options) if held_out is None else held_out
        every = [(k, rules) for k, own in enumerate(options) for rules in own]
        bits = np.zeros((table.n_rows, 1 + len(every) // 8), dtype=np.uint8)
        kept: list[list[RuleSet]] = [[] for _ in options]
        for place, (k, rules) in enumerate(every):
            fired, truth = rules.fires(table), codes == k
            bits[:, place // 8] |= np.left_shift(fired.any(axis=1), place % 8, dtype=np.uint8)
            kept[k].append(_count_alone(rules, fired, truth, weight, seen[k]))
        first, group = group_rows(bits, codes)
        said = np.unpackbits(bits[first], axis=1, count=len(every), bitorder="little").astype(np.bool_)
        weights: Floats = np.bincount(group, weights=weight).astype(np.float64)
        return cls(tuple(map(tuple, kept)), every[0][1].schema, said, codes[first], weights, np.bincount(group))

    def model(self, chosen: Sequence[int]) -> ClassRules:
        """Join one rule set of each class into a model: find their order and the default class."""
        starts = np.cumsum([0, *map(len, self.options)])[:-1]
        claims = self.said[:, starts + np.asarray(chosen, dtype=np.intp)]
        order = order_classes(claims, self.codes, self.weight)
        winners = [*order, find_default(claims, self.codes, self.weight)]
        picked = [own[i] for own, i in zip(self.options, chosen, strict=True)]
        labels = [rules.label for rules in picked]
        counted = tuple(each for k in order for each in _read_counts(picked[k]))
        deciders = [labels[k] for k in winners]
        decided = count_decided(deciders, first_claim(claims[:, order]), self.codes, self.weight, self.number)
        base = Baseline(int(self.number.sum()), float(self.weight.sum()), counted, decided)
        branches = tuple((labels[k], picked[k].rules) for k in order)
        return ClassRules(branches, deciders[-1], self.schema, base).without_unread()


def _count_alone(
    rules: RuleSet, fired: Bools, truth: Bools, weight: Floats, held_out: Codes | None, threshold: float = 0.5
) -> RuleSet:
    """Count a rule set that is asked alone. Of the schema it keeps what its rules read."""
    codes = np.where(truth, *(rules.classes.index(label) for label in (rules.label, rules.default)))
    decided = first_claim(fired.any(axis=1).reshape(-1, 1))
    together = count_decided((rules.label, rules.default), decided, codes, weight)
    counts = count_rules(rules, fired, truth, weight, held_out)
    base = Baseline(len(weight), float(weight.sum()), counts, together, threshold=threshold)
    return rules.with_baseline(base).without_unread()


def _read_counts(rules: RuleSet) -> CountedRules:
    assert rules.baseline is not None, "every option was counted"
    return rules.baseline.rules


def group_rows(bits: NDArray[np.uint8], codes: Codes) -> tuple[Codes, Codes]:
    """Group equal rows of one class: return one row of each group, and the group of each row.

    >>> first, group = group_rows(np.array([[3], [1], [3], [3]], dtype=np.uint8), np.array([0, 0, 0, 1]))
    >>> first.tolist(), group.tolist()
    ([1, 0, 3], [1, 0, 1, 2])
    """
    rows = np.column_stack([codes.astype(">i8").view(np.uint8).reshape(len(codes), 8), bits])
    whole = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.shape[1]))).reshape(-1)
    _, first, group = np.unique(whole, return_index=True, return_inverse=True)
    return first, group.reshape(-1)
