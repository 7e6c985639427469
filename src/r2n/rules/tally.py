"""Rows counted by rule and by class, and the weights of these rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.rules.label import sort_classes
from r2n.rules.ruleset import Rule, RuleSet
from r2n.table import Value
from r2n.table.cells import value_id

Bools: TypeAlias = NDArray[np.bool_]
Codes: TypeAlias = NDArray[np.intp]
Floats: TypeAlias = NDArray[np.float64]


class Tally(NamedTuple):
    """A number of rows, and the sum of their weights.

    Parameters
    ----------
    rows : int
        The number of rows.
    weight : float
        The sum of their weights.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no").counted({"x": [4, 5]}, ["yes", "no"], [2, 1])
    >>> rules.baseline.rules[0][2].positives
    Tally(rows=1, weight=2.0)
    """

    rows: int
    weight: float


class HeldOutCount(NamedTuple):
    """The count of one rule on the rows that were held out from the search and chose among its results.

    Parameters
    ----------
    rows : Tally
        All rows held out; of several classes each holds out its own.
    covered : Tally
        Those of them where the rule is true.
    positives : Tally
        The covered rows that have the rule's label.

    Examples
    --------
    >>> HeldOutCount(Tally(100, 100.0), Tally(20, 20.0), Tally(19, 19.0)).covered.rows
    20
    """

    rows: Tally
    covered: Tally
    positives: Tally


class RuleCount(NamedTuple):
    """The count of one rule on some rows.

    Parameters
    ----------
    covered : Tally
        The rows where the rule is true.
    positives : Tally
        The covered rows that have the rule's label.
    alone : Tally or None
        The covered rows where no other rule of its label is true; None if rules were changed since.
    held_out : HeldOutCount or None
        The same on those of the rows that were held out; None if none were.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> rules.counted({"x": [1, 4, 5]}, ["no", "yes", "no"]).baseline.rules[0][2].covered
    Tally(rows=2, weight=2.0)
    """

    covered: Tally
    positives: Tally
    alone: Tally | None
    held_out: HeldOutCount | None = None


CountedRules: TypeAlias = tuple[tuple[Value, Rule, RuleCount], ...]
Decided: TypeAlias = tuple[tuple[Value, tuple[Tally, ...]], ...]


def owner_of(label: Value, rule: Rule) -> Hashable:
    """Return what tells a rule of a label from all others."""
    return value_id(label), rule


def count_rules(
    rules: RuleSet, fired: Bools, truth: Bools, weight: Floats, held_out: Codes | None = None
) -> CountedRules:
    """Count each rule, given which rules are true in which rows, and which rows have the label.

    Rows that were held out are given by their places.
    """
    alone = fired & (fired.sum(axis=1) == 1)[:, None]
    covered, positives = _tally_rules(fired, weight), _tally_rules(fired & truth[:, None], weight)
    seen: Sequence[HeldOutCount | None] = [None] * rules.n_rules
    if held_out is not None:
        seen = _count_held_out(fired[held_out], truth[held_out], weight[held_out])
    counts = map(RuleCount, covered, positives, _tally_rules(alone, weight), seen)
    return tuple((rules.label, rule, counted) for rule, counted in zip(rules.rules, counts, strict=True))


def _count_held_out(fired: Bools, truth: Bools, weight: Floats) -> list[HeldOutCount]:
    everyone = Tally(len(weight), float(weight.sum()))
    parts = zip(_tally_rules(fired, weight), _tally_rules(fired & truth[:, None], weight), strict=True)
    return [HeldOutCount(everyone, covered, positives) for covered, positives in parts]


def _tally_rules(fired: Bools, weight: Floats) -> list[Tally]:
    """Tally the rows in which each rule is true."""
    return [Tally(int(n), float(w)) for n, w in zip(fired.sum(axis=0), weight @ fired, strict=True)]


def first_claim(claims: Bools) -> Codes:
    """Find the first column that is true in each row; the number of columns where none is."""
    first: Codes = np.where(claims.any(axis=1), claims.argmax(axis=1), claims.shape[1])
    return first


def count_decided(
    deciders: Sequence[Value],
    decided: Codes,
    codes: Codes,
    weight: Floats,
    number: Codes | None = None,
    n_classes: int | None = None,
) -> Decided:
    """Count the rows of each class that each label, and the default, decides; each stands for `number` rows.

    `codes` are positions among the classes; rows of no class have -1, and are left out. The classes are the labels,
    unless there are `n_classes` others.
    """
    known, n_classes = codes >= 0, len(sort_classes(deciders)) if n_classes is None else n_classes
    cells = (decided * n_classes + codes)[known]
    rows, weights = (
        np.bincount(cells, weights=counts, minlength=len(deciders) * n_classes).reshape(len(deciders), n_classes)
        for counts in (None if number is None else number[known], weight[known])
    )
    return tuple(
        (label, tuple(Tally(int(n), float(w)) for n, w in zip(rows[k], weights[k], strict=True)))
        for k, label in enumerate(deciders)
    )
