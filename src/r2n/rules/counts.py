"""What was counted on the rows that rules were learned from, to compare later rows with."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.classes import Model
from r2n.rules.label import is_label
from r2n.rules.ruleset import Rule, RuleSet
from r2n.table import Value
from r2n.table.cells import value_id


class RuleCount(NamedTuple):
    """The count of one rule on some rows.

    Parameters
    ----------
    covered : int
        The rows where the rule is true.
    positives : int
        The covered rows that have the rule's label.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> Baseline.count(rules, {"x": [1, 4, 5]}, ["no", "yes", "no"]).in_order_of(rules)
    [RuleCount(covered=2, positives=1)]
    """

    covered: int
    positives: int


CountedRules: TypeAlias = tuple[tuple[Value, Rule, RuleCount], ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Counts of rules on the rows they were learned from, to compare later rows with.

    Every row counts once, whatever its weight. A rule is counted alone: on all rows where it is true, also where other
    rules or earlier classes are. So its count stays true when other rules come or go; `right` does not, see `right_of`.

    Parameters
    ----------
    rows : int
        The number of rows.
    right : int or None
        The rows that all rules together predict right; None if that is not known of the rules that are left.
    rules : tuple of (label, rule, count)
        The count of each rule.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
    >>> base = Baseline.count(rules, {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}, ["no", "yes", "yes", "no"])
    >>> base.rows, base.right, base.of("yes", rules.rules[1])
    (4, 3, RuleCount(covered=2, positives=1))
    """

    rows: int
    right: int | None
    rules: CountedRules

    @classmethod
    def count(cls, rules: Model, X: object, y: Any) -> Baseline:
        """Count rules on a table with labels.

        Parameters
        ----------
        rules : RuleSet or ClassRules
            The rules.
        X : table
            A frame, a dict of columns or a two-dimensional array.
        y : array-like
            The label of each row.

        Returns
        -------
        Baseline
            The counts.

        Raises
        ------
        ParameterError
            If there is not one label for each row.

        Examples
        --------
        >>> Baseline.count(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4]}, ["no", "yes"]).right
        2
        """
        table = rules.table(X)
        labels = _labels(y, table.n_rows)
        counted = tuple(
            each
            for part in _parts(rules)
            for each in count_rules(part, part.fires(table), is_label(labels, part.label))
        )
        return cls(table.n_rows, int(np.sum(rules.predict(table).astype(object) == labels)), counted)

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
        >>> base.of("yes", rules.rules[0]), base.of("no", rules.rules[0])
        (RuleCount(covered=1, positives=1), None)
        """
        return next((counted for own, known, counted in self.rules if (own, known) == (label, rule)), None)

    def in_order_of(self, rules: Model) -> list[RuleCount | None]:
        """Find the count of each rule of a model.

        Parameters
        ----------
        rules : RuleSet or ClassRules
            The model.

        Returns
        -------
        list of RuleCount or None
            One entry for each rule, in printed order; None for a rule that was not there.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> base = Baseline.count(rules, {"x": [1, 4]}, ["no", "yes"])
        >>> base.in_order_of(rules.with_rule("x < 0"))
        [RuleCount(covered=1, positives=1), None]
        """
        known = {
            owner_of(label, rule): counted for label, rule, counted in reversed(self.rules)
        }  # the first one counts
        return [known.get(owner_of(label, rule)) for label, branch in rules.branches for rule in branch]

    def right_of(self, rules: Model) -> int | None:
        """Return how many rows a model predicts right, if that was counted.

        Parameters
        ----------
        rules : RuleSet or ClassRules
            The model.

        Returns
        -------
        int or None
            The number of rows; None if these are not exactly the rules that were counted.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> base = Baseline.count(rules, {"x": [1, 4]}, ["no", "yes"])
        >>> base.right_of(rules), base.right_of(rules.without(1))
        (2, None)
        """
        owners = {owner_of(label, rule) for label, branch in rules.branches for rule in branch}
        return self.right if owners == {owner_of(label, rule) for label, rule, _ in self.rules} else None

    def restrict_to(self, rules: Model) -> Baseline:
        """Leave out the counts of rules that a model does not have.

        Parameters
        ----------
        rules : RuleSet or ClassRules
            The model.

        Returns
        -------
        Baseline
            The counts of its rules, in printed order.

        Examples
        --------
        >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
        >>> base = Baseline.count(rules, {"x": [1, 4], "z": ["b", "a"]}, ["no", "yes"])
        >>> [str(rule) for _, rule, _ in base.restrict_to(rules.without(1)).rules]
        ['z in {a}']
        """
        owners = ((label, rule) for label, branch in rules.branches for rule in branch)
        counts = zip(owners, self.in_order_of(rules), strict=True)
        kept = tuple((*owner, counted) for owner, counted in counts if counted is not None)
        return Baseline(self.rows, self.right_of(rules), kept)


def owner_of(label: Value, rule: Rule) -> Hashable:
    """What tells a rule of a label from all others."""
    return value_id(label), rule


def count_rules(rules: RuleSet, fired: NDArray[np.bool_], truth: NDArray[np.bool_]) -> CountedRules:
    """Each rule's own count, given which rules are true in which rows, and which rows have the label."""
    covered, positives = fired.sum(axis=0), fired[truth].sum(axis=0)
    return tuple(
        (rules.label, rule, RuleCount(int(covered[j]), int(positives[j]))) for j, rule in enumerate(rules.rules)
    )


def _parts(rules: Model) -> Iterator[RuleSet]:
    """The rule set, or that of each class."""
    yield from [rules] if isinstance(rules, RuleSet) else rules


def _labels(y: Any, n_rows: int) -> NDArray[np.object_]:
    # As objects, so that comparing numbers with a text label gives False and not an error.
    labels = np.asarray(y, dtype=object)
    if labels.shape != (n_rows,):
        raise ParameterError(f"y must have one label for each of the {n_rows} rows, not shape {labels.shape}.")
    return labels
