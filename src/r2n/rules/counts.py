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
    """One rule on some rows: how many it covers, and how many of these have its label."""

    covered: int
    positives: int


CountedRules: TypeAlias = tuple[tuple[Value, Rule, RuleCount], ...]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Rows, those predicted right, and each rule's own count; every row counts once, whatever it weighed.

    A rule is counted alone: the rows that it covers, whether others (or earlier classes) cover them too or not. So what
    was counted stays true of it when other rules are taken out or put in; `right` does not, see `right_of`.

    >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
    >>> base = Baseline.count(rules, {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}, ["no", "yes", "yes", "no"])
    >>> base.rows, base.right, base.of("yes", rules.rules[1])
    (4, 3, RuleCount(covered=2, positives=1))
    """

    rows: int
    right: int | None
    """By all rules together; None if that is not known of the rules that are left."""
    rules: CountedRules

    @classmethod
    def count(cls, rules: Model, X: object, y: Any) -> Baseline:
        """Of rules, on a table and its labels."""
        table = rules.table(X)
        labels = _labels(y, table.n_rows)
        counted = tuple(
            each
            for part in _parts(rules)
            for each in count_rules(part, part.fires(table), is_label(labels, part.label))
        )
        return cls(table.n_rows, int(np.sum(rules.predict(table).astype(object) == labels)), counted)

    def of(self, label: Value, rule: Rule) -> RuleCount | None:
        """What was counted of a rule; None if it was not there."""
        return next((counted for own, known, counted in self.rules if (own, known) == (label, rule)), None)

    def in_order_of(self, rules: Model) -> list[RuleCount | None]:
        """The same of each rule, in the order in which they are printed."""
        known = {
            owner_of(label, rule): counted for label, rule, counted in reversed(self.rules)
        }  # the first one counts
        return [known.get(owner_of(label, rule)) for label, branch in rules.branches for rule in branch]

    def right_of(self, rules: Model) -> int | None:
        """Rows that these rules predict right; None if they are not the very ones that were counted."""
        owners = {owner_of(label, rule) for label, branch in rules.branches for rule in branch}
        return self.right if owners == {owner_of(label, rule) for label, rule, _ in self.rules} else None

    def restrict_to(self, rules: Model) -> Baseline:
        """What is known of these very rules, each once and in their order: counts of other rules are left out.

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
