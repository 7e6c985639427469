"""Rules for several classes: one rule set for each, tried in order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.base import BaseRules, check_columns
from r2n.rules.label import as_label, label_array
from r2n.rules.membership import Bools
from r2n.rules.rule import Rule
from r2n.rules.ruleset import RuleSet
from r2n.table import Schema, Value
from r2n.table.cells import distinct_values
from r2n.table.names import listed

if TYPE_CHECKING:
    from r2n.rules.counts import Baseline


@dataclass(frozen=True, slots=True)
class ClassRules(BaseRules):
    """Rules for several classes: the first class with a true rule is predicted, the default if none has one.

    Parameters
    ----------
    branches : tuple of (label, rules) pairs
        The classes, in the order in which they are tried, each with its rules.
    default : str, int, float or bool
        The prediction where no rule is true.
    schema : Schema, optional
        The columns of the table that the rules were learned from.
    baseline : Baseline, optional
        Counts on the rows that the rules were learned from.

    Raises
    ------
    ParameterError
        If there is no class, or one is named twice.
    SchemaError
        If a rule reads a column that the schema does not have.

    Examples
    --------
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
        """Return the rule set of one class against all others."""
        for known, rules in self.branches:
            if known == label and isinstance(known, str) == isinstance(label, str):
                return self._against_others(known, rules)
        raise ParameterError(f"there are no rules for {label!r}, only for [{listed(self.labels)}].")

    def __iter__(self) -> Iterator[RuleSet]:
        """Yield the rule set of each class against all others."""
        return (self._against_others(label, rules) for label, rules in self.branches)

    def _against_others(self, label: Value, rules: tuple[Rule, ...]) -> RuleSet:
        return RuleSet(rules, label, f"not {label}", self.schema)

    def __len__(self) -> int:
        """Count the classes that have rules."""
        return len(self.branches)

    # -- evaluating ----------------------------------------------------------------------------

    def claims(self, X: object) -> Bools:
        """Find which classes have a true rule in which rows.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of bool
            One row for each row of X, one column for each class, in the order of `labels`.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> ClassRules.parse("low if x < 1 else high if x > 3 else middle").claims({"x": [0, 2, 4]}).tolist()
        [[True, False], [False, False], [False, True]]
        """
        table = self.table(X)
        claimed = np.zeros((table.n_rows, len(self)), dtype=np.bool_)
        for k, rules in enumerate(self):
            claimed[:, k] = rules.truth(table)
        return claimed

    def decided(self, X: object) -> NDArray[np.intp]:
        """Find which class decides each row.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of int
            The position of the class in `labels`; `len(labels)` where the default is predicted.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> ClassRules.parse("low if x < 1 else high if x > 3 else middle").decided({"x": [0, 2, 4]}).tolist()
        [0, 2, 1]
        """
        claimed = self.claims(X)
        return np.where(claimed.any(axis=1), claimed.argmax(axis=1), len(self))

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the first class that has a true rule, the default if none has one.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array
            One label for each row.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> ClassRules.parse("low if x < 1 else high if x > 3 else middle").predict({"x": [0, 2, 4]}).tolist()
        ['low', 'middle', 'high']
        """
        return label_array([*self.labels, self.default])[self.decided(X)]

    # -- editing -------------------------------------------------------------------------------

    def with_class(self, rules: RuleSet) -> ClassRules:
        """Replace the rules of one class.

        Parameters
        ----------
        rules : RuleSet
            The new rules; the label says of which class.

        Returns
        -------
        ClassRules
            The model with these rules.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> rules = ClassRules.parse("low if x < 1 else high if x > 3 else middle")
        >>> print(rules.with_class(RuleSet.parse("high if x > 5 else other")))
        low if x < 1
        else high if x > 5
        else middle
        """
        if rules.label not in self.labels:
            raise ParameterError(f"there are no rules for {rules.label!r}, only for [{listed(self.labels)}].")
        changed = tuple((label, rules.rules if label == rules.label else old) for label, old in self.branches)
        return replace(self, branches=changed)

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> ClassRules:
        """Replace all rules, branch by branch; labels, schema and baseline stay.

        Parameters
        ----------
        branches : iterable of iterables of Rule
            The new rules of each class, in the order of `labels`.

        Returns
        -------
        ClassRules
            The model with these rules.

        Examples
        --------
        >>> rules = ClassRules.parse("low if x < 1 else high if x > 3 else middle")
        >>> print(rules.with_branches([[], rules["high"].rules]))
        low if false
        else high if x > 3
        else middle
        """
        return replace(self, branches=tuple(zip(self.labels, map(tuple, branches), strict=True)))

    def with_rule(self, rule: Rule | str, label: object) -> ClassRules:
        """Add a rule to a class.

        Parameters
        ----------
        rule : Rule or str
            The rule, or its text, which is checked against the schema.
        label : str, int, float or bool
            The class.

        Returns
        -------
        ClassRules
            The model with one more rule.

        Raises
        ------
        ParameterError
            If there is no such class.
        ParseError
            If the text is no rule, or does not fit the schema; the error names line and column.

        Examples
        --------
        >>> print(ClassRules.parse("low if x < 1 else high if x > 3 else middle").with_rule("z = a", "high"))
        low if x < 1
        else high if x > 3
                  or z in {a}
        else middle
        """
        return self.with_class(self[label].with_rule(rule))


Model: TypeAlias = RuleSet | ClassRules
"""What rules are learned, saved, exported and explained as."""
