"""Rules for several classes: one rule set for each, asked in turn."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.literals import Bools
from r2n.rules.ruleset import Readable, Rule, RuleSet, as_label, label_array, or_below
from r2n.rules.text import write_value
from r2n.schema import Schema, Value
from r2n.schema.values import distinct_values
from r2n.schema.words import listed

if TYPE_CHECKING:
    from r2n.rules.baseline import Baseline
    from r2n.rules.rounded import Rounded


@dataclass(frozen=True, slots=True)
class ClassRules(Readable):
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

    branches: tuple[tuple[Value, tuple[Rule, ...]], ...]
    default: Value
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
        if self.schema is not None:
            for name in self.columns:
                self.schema.column(name)

    # -- one rule set for each class -----------------------------------------------------------

    @property
    def labels(self) -> tuple[Value, ...]:
        """The classes that have rules, in the order in which they are asked."""
        return tuple(label for label, _ in self.branches)

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

    # -- counting ------------------------------------------------------------------------------

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all classes, in the order in which they are printed."""
        return tuple(rule for _, rules in self.branches for rule in rules)

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

    # -- reading and writing -------------------------------------------------------------------

    def with_schema(self, schema: Schema | None) -> ClassRules:
        """The same rules over this schema."""
        return replace(self, schema=schema)

    def renamed(self, names: Mapping[str, str]) -> ClassRules:
        """The same over columns of other names, and over the schema of these."""
        branches = tuple((label, tuple(rule.renamed(names) for rule in rules)) for label, rules in self.branches)
        schema = None if self.schema is None else self.schema.renamed(names)
        baseline = None if self.baseline is None else self.baseline.renamed(names)
        return replace(self, branches=branches, schema=schema, baseline=baseline)

    def with_baseline(self, baseline: Baseline | None) -> ClassRules:
        """With what was counted on the rows they were learned from."""
        return replace(self, baseline=baseline)

    def with_class(self, rules: RuleSet) -> ClassRules:
        """With other rules for one class."""
        if rules.label not in self.labels:
            raise ParameterError(f"there are no rules for {rules.label!r}, only for [{listed(self.labels)}].")
        changed = tuple((label, rules.rules if label == rules.label else old) for label, old in self.branches)
        return replace(self, branches=changed)

    # -- editing -------------------------------------------------------------------------------

    def without(self, *numbers: int) -> ClassRules:
        """Without some rules, which are numbered through all classes as they are printed, from 1.

        >>> print(ClassRules.parse("low if x < 1 or y < 1 else high if x > 3 or y > 3 else middle").without(1, 4))
        low if y < 1
        else high if x > 3
        else middle
        """
        from r2n.rules.editing import place_of  # editing needs the parser, which needs this class

        gone = {place_of(self, number) for number in numbers}
        place = count()  # of a rule among those of all classes
        kept = ((label, tuple(rule for rule in rules if next(place) not in gone)) for label, rules in self.branches)
        return replace(self, branches=tuple(kept))

    def with_rule(self, rule: Rule | str, label: object) -> ClassRules:
        """With one more rule for a class; as text it is checked against the schema.

        >>> print(ClassRules.parse("low if x < 1 else high if x > 3 else middle").with_rule("z = a", "high"))
        low if x < 1
        else high if x > 3
                  or z in {a}
        else middle
        """
        return self.with_class(self[label].with_rule(rule))

    def rounded(self, X: object, changes: int = 0) -> Rounded[ClassRules]:
        """With the shortest numbers that change at most so many predictions on these rows, and how many they change."""
        from r2n.rules.rounded import rounded  # it needs this class

        return rounded(self, X, changes)

    def text(self) -> str:
        """As printed: a chain of rule sets."""
        lines = []
        for k, (label, rules) in enumerate(self.branches):
            head = f"{'else ' if k else ''}{write_value(label)} if "
            lines.append(head + (or_below(head).join(rule.text(self.schema) for rule in rules) or "false"))
        return "\n".join([*lines, f"else {write_value(self.default)}"])

    def __str__(self) -> str:
        return self.text()

    @classmethod
    def parse(cls, text: str, schema: Schema | None = None) -> ClassRules:
        """The inverse of `str`; with a schema, what does not fit it is refused at its line and column."""
        from r2n.rules.parse import parse_class_rules  # the parser needs this class

        return parse_class_rules(text, schema)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, for `r2n.load`."""
        from r2n.rules.modelfile import save  # the file format needs this class

        save(self, path)
