"""A rule set: a disjunction of rules for one label."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.base import BaseRules, check_columns
from r2n.rules.label import as_label, label_array
from r2n.rules.literals import sets_of
from r2n.rules.membership import Bools
from r2n.rules.rule import Rule, sort_once
from r2n.table import Schema, Value

if TYPE_CHECKING:
    from r2n.rules.counts import Baseline

__all__ = ["Rule", "RuleSet"]


@dataclass(frozen=True, slots=True)
class RuleSet(BaseRules):
    """Rules for one label: predict `label` where any rule is true, `default` elsewhere.

    Parameters
    ----------
    rules : iterable of Rule
        The rules, in any order; the rule set keeps them sorted and without repeats.
    label : str, int, float or bool
        The prediction where a rule is true.
    default : str, int, float or bool
        The prediction elsewhere.
    schema : Schema, optional
        The columns of the table that the rules were learned from.
    baseline : Baseline, optional
        Counts on the rows that the rules were learned from.

    Raises
    ------
    ParameterError
        If the label and the default are equal, or something else than a rule is given.
    SchemaError
        If a rule reads a column that the schema does not have.

    Examples
    --------
    >>> rules = RuleSet.parse('''
    ... yes if income - 2.1·debt > 12.5 and region in {north, west}
    ...     or savings > 40
    ... else no''')
    >>> rules.n_rules, rules.literals_per_rule, rules.size
    (2, 1.5, 5)
    >>> rules.predict({"income": [20], "debt": [1], "region": ["west"], "savings": [0]})
    array(['yes'], dtype='<U3')
    """

    rules: tuple[Rule, ...] = ()
    label: Value = True
    default: Value = False
    schema: Schema | None = field(default=None, compare=False, repr=False)
    baseline: Baseline | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for rule in self.rules:
            if not isinstance(rule, Rule):
                raise ParameterError(f"a rule set is made of rules, not of {rule!r}. Wrap literals: Rule((…,)).")
        object.__setattr__(self, "rules", sort_once(self.rules))
        object.__setattr__(self, "label", as_label(self.label))
        object.__setattr__(self, "default", as_label(self.default))
        if self.label == self.default:
            raise ParameterError(f"the label and the default are both {self.label!r}. Give two that differ.")
        check_columns(self)

    @property
    def branches(self) -> tuple[tuple[Value, tuple[Rule, ...]], ...]:
        """The label with its rules, as the only (label, rules) pair of this model."""
        return ((self.label, self.rules),)

    # -- evaluating ----------------------------------------------------------------------------

    def fires(self, X: object) -> Bools:
        """Find which rules are true in which rows.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of bool
            One row for each row of X, one column for each rule.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> RuleSet.parse("yes if x > 3 or y > 1 else no").fires({"x": [4, 4, 0], "y": [2, 0, 0]}).tolist()
        [[True, True], [True, False], [False, False]]
        """
        table = self.table(X)
        fired = np.ones((table.n_rows, self.n_rules), dtype=np.bool_, order="F")  # it is written rule by rule
        numbers = not any(sets_of(literal) for literal in self.literals)
        done = 0
        for piece in table.pieces(self.columns) if numbers else [table]:
            # Rules share literals: each is evaluated once.
            truth = {literal: literal.evaluate(piece) for literal in self.literals}
            here = fired[done : done + piece.n_rows]
            for j, rule in enumerate(self.rules):
                for literal in rule.literals:
                    here[:, j] &= truth[literal]
            done += piece.n_rows
        return fired

    def truth(self, X: object) -> Bools:
        """Find the rows where any rule is true.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of bool
            One value for each row.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> RuleSet.parse("yes if x > 3 or y > 1 else no").truth({"x": [4, 0], "y": [0, 0]})
        array([ True, False])
        """
        truth: Bools = np.logical_or.reduce(self.fires(X), axis=1)
        return truth

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the label where any rule is true, the default elsewhere.

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
        >>> RuleSet.parse("yes if x > 3 else no").predict({"x": [4, 2, None]}).tolist()
        ['yes', 'no', 'no']
        """
        return label_array([self.default, self.label])[self.truth(X).astype(np.intp)]

    # -- editing -------------------------------------------------------------------------------

    def with_rules(self, rules: Iterable[Rule]) -> RuleSet:
        """Replace all rules; labels, schema and baseline stay.

        Parameters
        ----------
        rules : iterable of Rule
            The new rules.

        Returns
        -------
        RuleSet
            A rule set with these rules.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> print(RuleSet.parse("yes if x > 3 else no").with_rules([parse_rule("y < 1")]))
        yes if y < 1
        else no
        """
        return replace(self, rules=tuple(rules))

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> RuleSet:
        """Replace all rules, given as the list of this model's only branch.

        Parameters
        ----------
        branches : iterable of iterables of Rule
            The new rules: one branch.

        Returns
        -------
        RuleSet
            A rule set with these rules.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> print(RuleSet.parse("yes if x > 3 else no").with_branches([[parse_rule("y < 1")]]))
        yes if y < 1
        else no
        """
        (rules,) = branches
        return self.with_rules(rules)

    def with_rule(self, rule: Rule | str) -> RuleSet:
        """Add a rule.

        Parameters
        ----------
        rule : Rule or str
            The rule, or its text, which is checked against the schema.

        Returns
        -------
        RuleSet
            The rules with one more.

        Raises
        ------
        ParseError
            If the text is no rule, or does not fit the schema; the error names line and column.

        Examples
        --------
        >>> print(RuleSet.parse("yes if x > 3 else no").with_rule("y < 2 and z = a"))
        yes if x > 3
            or y < 2 and z in {a}
        else no
        """
        return self.with_rules((*self.rules, self._read_rule(rule, self.schema)))
