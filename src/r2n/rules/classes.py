"""Rules for several classes: one rule set for each, asked in turn."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.base import BaseRules, check_columns
from r2n.rules.label import as_label, label_array
from r2n.rules.literals import Bools
from r2n.rules.rule import Rule
from r2n.rules.ruleset import RuleSet
from r2n.table import Schema, Value
from r2n.table.cells import distinct_values
from r2n.table.names import listed

if TYPE_CHECKING:
    from r2n.rules.counts import Baseline


@dataclass(frozen=True, slots=True)
class ClassRules(BaseRules):
    """The first rule set that is true names the class; where none is, the default does.

    >>> rules = ClassRules.parse('''
    ... small if length < 2
    ... else large if width > 1.7
    ...            or length > 5
    ... else middle if length > 2
    ... else large''')
    >>> rules.predict({"length": [1, 3, 6, 2], "width": [0, 0, 0, 0]}).tolist()
    ['small', 'middle', 'large', 'large']
    >>> print(rules["large"])
    large if length > 5
          or width > 1.7
    else "not large"
    >>> rules.n_rules, rules.size
    (4, 4)
    """

    # `field()`: else dataclasses would take the base class's properties of these names for default values.
    branches: tuple[tuple[Value, tuple[Rule, ...]], ...] = field()
    default: Value = field()
    schema: Schema | None = field(default=None, compare=False, repr=False)
    baseline: Baseline | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        branches = tuple((as_label(label), RuleSet(rules).rules) for label, rules in self.branches)
        labels = [label for label, _ in branches]
        if not branches:
            raise ParameterError("rules for several classes need at least one class.")
        if len(distinct_values(labels)) < len(labels):
            raise ParameterError(f"a class is named twice in [{listed(labels)}]. Join its rules with `or`.")
        object.__setattr__(self, "branches", branches)
        object.__setattr__(self, "default", as_label(self.default))
        check_columns(self)

    # -- one rule set for each class -----------------------------------------------------------

    def __getitem__(self, label: object) -> RuleSet:
        """The rule set of one class against all others."""
        for known, rules in self.branches:
            if known == label and isinstance(known, str) == isinstance(label, str):
                return self._against_others(known, rules)
        raise ParameterError(f"there are no rules for {label!r}, only for [{listed(self.labels)}].")

    def __iter__(self) -> Iterator[RuleSet]:
        return (self._against_others(label, rules) for label, rules in self.branches)

    def _against_others(self, label: Value, rules: tuple[Rule, ...]) -> RuleSet:
        return RuleSet(rules, label, f"not {label}", self.schema)

    def __len__(self) -> int:
        return len(self.branches)

    # -- evaluating ----------------------------------------------------------------------------

    def claims(self, X: object) -> Bools:
        """Which classes claim which rows: one column for each class, in the order of `labels`."""
        table = self.table(X)
        claimed = np.zeros((table.n_rows, len(self)), dtype=np.bool_)
        for k, rules in enumerate(self):
            claimed[:, k] = rules.truth(table)
        return claimed

    def decided(self, X: object) -> NDArray[np.intp]:
        """For each row the position in `labels` of the class that it gets, or `len(labels)` for the default."""
        claimed = self.claims(X)
        return np.where(claimed.any(axis=1), claimed.argmax(axis=1), len(self))

    def predict(self, X: object) -> NDArray[Any]:
        """The first class that claims the row, or the default."""
        return label_array([*self.labels, self.default])[self.decided(X)]

    # -- editing -------------------------------------------------------------------------------

    def with_class(self, rules: RuleSet) -> ClassRules:
        """With other rules for one class."""
        if rules.label not in self.labels:
            raise ParameterError(f"there are no rules for {rules.label!r}, only for [{listed(self.labels)}].")
        changed = tuple((label, rules.rules if label == rules.label else old) for label, old in self.branches)
        return replace(self, branches=changed)

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> ClassRules:
        """Other rules for the same labels, branch by branch, over the same schema."""
        return replace(self, branches=tuple(zip(self.labels, map(tuple, branches), strict=True)))

    def with_rule(self, rule: Rule | str, label: object) -> ClassRules:
        """With one more rule for a class; as text it is checked against the schema.

        >>> print(ClassRules.parse("low if x < 1 else high if x > 3 else middle").with_rule("z = a", "high"))
        low if x < 1
        else high if x > 3
                  or z in {a}
        else middle
        """
        return self.with_class(self[label].with_rule(rule))


Model: TypeAlias = RuleSet | ClassRules
"""What rules are learned, saved, exported and explained as."""
