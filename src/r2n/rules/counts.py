"""What was counted on the rows that rules were learned from: the one source of coverage, drift and probabilities."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import Model
from r2n.rules.label import is_label, places_of
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.tally import (
    CountedRules,
    Decided,
    Floats,
    RuleCount,
    Tally,
    count_decided,
    count_rules,
    first_claim,
    owner_of,
)  # fmt: skip
from r2n.table import Value
from r2n.table.cells import shown, value_id
from r2n.table.names import listed
from r2n.words import name_rows

__all__ = ["MOST_WEIGHT", "Baseline", "RuleCount", "Tally", "count_again"]

MOST_WEIGHT = 1e100  # of all rows together: no sum over rules overflows


@dataclass(frozen=True, slots=True)
class Baseline:
    """Counts of rules on the rows they were learned from: to compare later rows with, and to estimate probabilities.

    A rule is counted on all rows where it is true, also where other rules or earlier classes are. So its coverage and
    precision stay known when other rules come or go. What all rules do together does not, see `fits`.

    Parameters
    ----------
    rows : int
        The number of rows.
    weight : float
        The sum of their weights.
    rules : tuple of (label, rule, count)
        The count of each rule.
    decided : tuple of (label, tallies) or None
        For each label in the order in which it is tried, and then for the default: how many of the rows that it decides
        have each class, in the order of `rules.classes`. None if rules were changed since.
    classes : tuple or None
        The classes of `decided` if they are not the labels that decide, as of risk levels; else None.
    threshold : float
        The probability from which the rules call a row theirs: probabilities stay on the side of it that is predicted.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
    >>> base = Baseline.count(rules, {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}, ["no", "yes", "yes", "no"])
    >>> base.rows, base.right, base.of("yes", rules.rules[1]).covered.rows
    (4, 3, 2)
    """

    rows: int
    weight: float
    rules: CountedRules
    decided: Decided | None
    classes: tuple[Value, ...] | None = None
    threshold: float = 0.5

    @classmethod
    def count(cls, rules: AnyRules, X: object, y: Any, sample_weight: Any = None) -> Baseline:
        """Count rules on a table with labels. Rows of weight 0 are left out.

        Parameters
        ----------
        rules : RuleSet, ClassRules or LevelRules
            The rules.
        X : table
            A frame, a dict of columns or a two-dimensional array.
        y : array-like
            The label of each row. It may be one that the rules do not predict.
        sample_weight : array-like, optional
            The weight of each row: 2 counts as two rows.

        Returns
        -------
        Baseline
            The counts.

        Raises
        ------
        ParameterError
            If there is not one label, or one weight of at least 0, for each row.

        Examples
        --------
        >>> Baseline.count(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4]}, ["no", "yes"]).right
        2
        """
        table = rules.table(X)
        labels, weight = _labels(y, table.n_rows), _weights(sample_weight, table.n_rows)
        if not weight.all():
            some = np.flatnonzero(weight)
            table, labels, weight = table.take(some), labels[some], weight[some]
        counted: CountedRules = ()
        claims = []
        for part, target in zip(_parts(rules.chain), rules.targets, strict=True):
            fired = part.fires(table)
            claims.append(fired.any(axis=1))
            counted += count_rules(part, fired, is_label(labels, target), weight)
        codes = np.full(table.n_rows, -1, dtype=np.intp)
        for k, label in enumerate(rules.classes):
            codes[is_label(labels, label)] = k
        deciders = (*rules.labels, rules.default)
        first = first_claim(np.column_stack(claims))
        decided = count_decided(deciders, first, codes, weight, n_classes=len(rules.classes))
        return cls(table.n_rows, float(weight.sum()), counted, decided, other_classes(rules))

    @property
    def right(self) -> int | None:
        """How many rows all rules together predict right; None if rules were changed since, and of risk levels."""
        if self.decided is None or self.classes is not None:
            return None
        place = places_of(label for label, _ in self.decided)
        return sum(tallies[place[value_id(label)]].rows for label, tallies in self.decided)

    def right_by(self, rules: AnyRules) -> int | None:
        """Count the rows that a model predicts right.

        Parameters
        ----------
        rules : RuleSet, ClassRules or LevelRules
            The model.

        Returns
        -------
        int or None
            How many of the rows; None if these are not the counts of its rules.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> Baseline.count(rules, {"x": [1, 4]}, ["yes", "yes"]).right_by(rules)
        1
        """
        if self.decided is None or not self.fits(rules):
            return None
        places = [places_of(rules.classes)[value_id(answer)] for answer in rules.answers]
        return sum(tallies[place].rows for place, (_, tallies) in zip(places, self.decided, strict=True))

    def of(self, label: Value, rule: Rule) -> RuleCount | None:
        """Find the count of one rule.

        Parameters
        ----------
        label : str, int, float or bool
            The label that the rule gives.
        rule : Rule
            The rule.

        Returns
        -------
        RuleCount or None
            The count; None if the rule was not there.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> base = Baseline.count(rules, {"x": [1, 4]}, ["no", "yes"])
        >>> base.of("yes", rules.rules[0]).positives.rows, base.of("no", rules.rules[0])
        (1, None)
        """
        return next((counted for own, known, counted in self.rules if (own, known) == (label, rule)), None)

    def in_order_of(self, rules: AnyRules) -> list[RuleCount | None]:
        """Find the count of each rule of a model.

        Parameters
        ----------
        rules : RuleSet, ClassRules or LevelRules
            The model.

        Returns
        -------
        list of RuleCount or None
            One entry for each rule, in printed order; None for a rule that was not there.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> base = Baseline.count(rules, {"x": [1, 4]}, ["no", "yes"])
        >>> [each is None for each in base.in_order_of(rules.with_rule("x < 0"))]
        [False, True]
        """
        known = {
            owner_of(label, rule): counted for label, rule, counted in reversed(self.rules)
        }  # the first one counts
        return [known.get(owner_of(label, rule)) for label, branch in rules.branches for rule in branch]

    def fits(self, rules: AnyRules) -> bool:
        """Check whether these are counts of exactly these rules, with their labels tried in the same order.

        Parameters
        ----------
        rules : RuleSet, ClassRules or LevelRules
            The model.

        Returns
        -------
        bool
            Whether what the rules do together is known.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> base = Baseline.count(rules, {"x": [1, 4]}, ["no", "yes"])
        >>> base.fits(rules), base.fits(rules.without(1))
        (True, False)
        """
        if self.decided is None or self.classes != other_classes(rules):
            return False
        deciders = [value_id(label) for label, _ in self.decided]
        owners = {owner_of(label, rule) for label, branch in rules.branches for rule in branch}
        return deciders == [*map(value_id, rules.labels), value_id(rules.default)] and owners == {
            owner_of(label, rule) for label, rule, _ in self.rules
        }

    def restrict_to(self, rules: AnyRules) -> Baseline:
        """Leave out the counts of rules that a model does not have, and what then is no longer true.

        Parameters
        ----------
        rules : RuleSet, ClassRules or LevelRules
            The model.

        Returns
        -------
        Baseline
            The counts of its rules, in printed order.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
        >>> base = Baseline.count(rules, {"x": [1, 4], "z": ["b", "a"]}, ["no", "yes"]).restrict_to(rules.without(1))
        >>> [str(rule) for _, rule, _ in base.rules], base.right
        (['z in {a}'], None)
        """
        owners = ((label, rule) for label, branch in rules.branches for rule in branch)
        counts = zip(owners, self.in_order_of(rules), strict=True)
        kept = tuple((*owner, counted) for owner, counted in counts if counted is not None)
        if self.fits(rules):
            return replace(self, rules=kept)
        apart = tuple((label, rule, counted._replace(alone=None)) for label, rule, counted in kept)
        return replace(self, rules=apart, decided=None)


def count_again(rules: AnyRules, X: object, y: Any, sample_weight: Any) -> Baseline:
    """Count, but refuse labels that the rules do not predict: probabilities would leave them out."""
    found = _objects(y)
    known = np.zeros(found.shape, dtype=np.bool_)
    for label in rules.classes:
        known |= is_label(found, label)
    if not known.all():
        raise ParameterError(
            f"y holds {shown(found[~known][0])}, but the rules predict only [{listed(rules.classes)}]. "
            f"Leave out such rows, or write the labels as the rules do."
        )
    return Baseline.count(rules, X, y, sample_weight)


# -- what is given -----------------------------------------------------------------------------------


def other_classes(rules: AnyRules) -> tuple[Value, ...] | None:
    """The classes of a model whose labels are none; else None."""
    return None if rules.chain is rules else rules.classes


def _parts(rules: Model) -> Iterator[RuleSet]:
    """The rule set, or that of each class."""
    yield from [rules] if isinstance(rules, RuleSet) else rules


def _labels(y: Any, n_rows: int) -> NDArray[np.object_]:
    labels = _objects(y)
    if labels.shape != (n_rows,):
        raise ParameterError(f"y must have one label for each of the {n_rows} rows, not shape {labels.shape}.")
    return labels


def _objects(y: Any) -> NDArray[np.object_]:
    """Labels as objects, so that comparing numbers with a text label gives False and not an error.

    A missing value of pandas gives neither when it is compared, so it stands as None.
    """
    labels = np.asarray(y, dtype=object)
    missing = np.array([type(each).__name__ == "NAType" for each in labels.ravel().tolist()], dtype=np.bool_)
    if missing.any():
        labels = labels.copy()  # it may be the caller's own
        labels[missing.reshape(labels.shape)] = None
    return labels


def read_sample_weight(sample_weight: Any, n_rows: int) -> Floats:
    """Read one number for each row: 1 if none are given, or one for all."""
    if sample_weight is None:
        return np.ones(n_rows)
    if np.asarray(sample_weight).dtype.kind in "Mm":
        raise ParameterError("sample_weight holds dates. Give one number a row.")
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"sample_weight must hold numbers: {error}. Give one number a row.") from None
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.shape != (n_rows,):
        raise ParameterError(
            f"sample_weight.shape == {weight.shape}, expected ({n_rows},). Give one number for each row."
        )
    return weight


def _weights(sample_weight: Any, n_rows: int) -> Floats:
    weight = read_sample_weight(sample_weight, n_rows)
    bad = ~((weight >= 0) & (weight <= MOST_WEIGHT))
    if bad.any():
        rows = np.flatnonzero(bad).tolist()
        raise ParameterError(
            f"sample_weight holds {weight[rows[0]]} in {name_rows(rows)}. Give numbers from 0 to {MOST_WEIGHT:g}."
        )
    if weight.sum() > MOST_WEIGHT:
        raise ParameterError(f"sample_weight adds up to {weight.sum():g}, more than {MOST_WEIGHT:g}. Divide it.")
    return weight
