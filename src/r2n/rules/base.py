"""What rule sets, rules for several classes and risk levels have in common: branches, sizes, columns, privacy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from html import escape
from typing import TYPE_CHECKING, Self

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.facade import Facade
from r2n.rules.label import sort_classes
from r2n.rules.literals import Halfspace, Literal, Membership
from r2n.rules.rule import Rule, sort_columns
from r2n.rules.text import write_value
from r2n.table import Schema, Table, Value
from r2n.words import count

if TYPE_CHECKING:
    from r2n.rules.classes import Model
    from r2n.rules.counts import Baseline

MOST_INDENT = 80  # characters: every rule below a label of a thousand would else begin with a thousand blanks


class BaseRules(Facade):
    """What rule sets, rules for several classes and risk levels share: branches of rules, tried in turn.

    The first branch with a true rule gives its label; if no rule is true, it is the default. A rule set has one branch.
    Code that takes any model reads `branches`, `labels` and `default`; or its `chain`, which predicts these labels.
    """

    __slots__ = ()

    @property
    def branches(self) -> tuple[tuple[Value, tuple[Rule, ...]], ...]:
        """The labels that have rules, with these rules, in the order in which they are tried."""
        raise NotImplementedError

    @property
    def default(self) -> Value:
        """The label of rows where no rule is true."""
        raise NotImplementedError

    @property
    def schema(self) -> Schema | None:
        """The columns of the table that the rules were learned from, if known."""
        raise NotImplementedError

    @property
    def baseline(self) -> Baseline | None:
        """Counts on the rows that the rules were learned from, if known."""
        raise NotImplementedError

    @property
    def chain(self) -> Model:
        """The rules as a model that predicts what its branches are called: what proofs and explanations read."""
        return self  # type: ignore[return-value]

    # -- reading -------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[Value, ...]:
        """The labels that have rules, in the order in which they are tried."""
        return tuple(label for label, _ in self.branches)

    @property
    def targets(self) -> tuple[Value, ...]:
        """For each branch, the class of which its rules are to find the rows."""
        return self.labels

    @property
    def answers(self) -> tuple[Value, ...]:
        """For each branch, and then for where no rule is true, the class that is predicted."""
        return (*self.labels, self.default)

    @property
    def classes(self) -> tuple[Value, ...]:
        """All labels that can be predicted, sorted: the columns of `predict_proba`."""
        return sort_classes((*self.labels, self.default))

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all branches, in the order in which they are printed."""
        return tuple(rule for _, rules in self.branches for rule in rules)

    @property
    def n_rules(self) -> int:
        """The number of rules."""
        return len(self.rules)

    @property
    def literals_per_rule(self) -> float:
        """The mean number of literals in a rule; 0 if there are no rules."""
        return sum(len(rule.literals) for rule in self.rules) / max(self.n_rules, 1)

    @property
    def size(self) -> int:
        """How much there is to read: each column and category counts every time a rule names it."""
        return sum(rule.size for rule in self.rules)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The distinct literals, in the order in which they are first printed."""
        return tuple(dict.fromkeys(literal for rule in self.rules for literal in rule.literals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any rule reads."""
        return sort_columns(literal for rule in self.rules for literal in rule.literals)

    def table(self, X: object) -> Table:
        """Read X as a table with the columns that these rules read.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        Table
            The rows, checked against the schema if there is one.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> RuleSet.parse("yes if x > 3 else no").table({"x": [4, 5]})
        <Table of 2 rows: x>
        """
        if isinstance(X, Table) or self.schema is None:
            return Table.read(X)
        return self.schema.table(X, only=self.columns)

    # -- printing ------------------------------------------------------------------------------

    def text(self) -> str:
        r"""Write the rules as they are printed.

        Returns
        -------
        str
            One line for each rule, and one for the default.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> RuleSet.parse("yes if x > 3 else no").text()
        'yes if x > 3\nelse no'
        """
        lines = []
        for k, (label, rules) in enumerate(self.branches):
            head = f"{'else ' if k else ''}{write_value(label)} if "
            lines.append(head + (or_below(head).join(rule.text(self.schema) for rule in rules) or "false"))
        return "\n".join([*lines, f"else {write_value(self.default)}"])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """Show the rules in a notebook, and below them how much there is to read."""
        counted = f"{count(self.n_rules, 'rule')}, {self.literals_per_rule:.1f} literals each, size {self.size}"
        text = f'<pre style="margin: 0; white-space: pre-wrap">{escape(str(self))}</pre>'
        return f'<div class="r2n">{text}<p style="margin: 0.3em 0; font-size: smaller">{counted}</p></div>'

    # -- editing -------------------------------------------------------------------------------

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> Self:
        """Replace all rules, branch by branch; labels, schema and baseline stay.

        Parameters
        ----------
        branches : iterable of iterables of Rule
            The new rules of each branch.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The model with these rules.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> print(RuleSet.parse("yes if x > 3 else no").with_branches([[]]))
        yes if false
        else no
        """
        raise NotImplementedError

    def with_schema(self, schema: Schema | None) -> Self:
        """Replace the schema.

        Parameters
        ----------
        schema : Schema or None
            The columns that the rules may read; None if nothing is known of them.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The same rules over this schema.

        Raises
        ------
        SchemaError
            If a rule reads a column that the schema does not have.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> schema, _ = Schema.learn({"x": [1, 9], "y": [1, 3]})
        >>> print(RuleSet.parse("yes if x - 2·y > 0 else no").with_schema(schema))
        yes if x/y > 2
        else no
        """
        return replace(self, schema=schema)  # type: ignore[type-var]

    def with_baseline(self, baseline: Baseline | None) -> Self:
        """Replace the counts on training rows.

        Parameters
        ----------
        baseline : Baseline or None
            The counts; None if none are known.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The same rules with these counts.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> from r2n.rules import Baseline
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> rules.with_baseline(Baseline.count(rules, {"x": [4, 2]}, ["yes", "no"])).baseline.right
        2
        """
        return replace(self, baseline=baseline)  # type: ignore[type-var]

    def without(self, *numbers: int) -> Self:
        """Leave out some rules.

        Parameters
        ----------
        *numbers : int
            The numbers of these rules: rules count from 1, as printed, through all classes.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The other rules.

        Raises
        ------
        ParameterError
            If there is no rule of this number.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> print(RuleSet.parse("yes if x > 3 or z in {a} or y > 1 and z is known else no").without(2))
        yes if x > 3
            or y > 1 and z is known
        else no
        """
        gone = {self._place_of(number) for number in numbers}
        places = iter(range(self.n_rules))
        return self.with_branches([rule for rule in rules if next(places) not in gone] for _, rules in self.branches)

    def _place_of(self, number: int) -> int:
        """Find the position of a rule that is named by its number."""
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise ParameterError(f"a rule is named by its number as printed, from 1, not by {number!r}.")
        if not 1 <= number <= self.n_rules:
            there = f"are the rules 1 to {self.n_rules}" if self.n_rules else "is no rule"
            raise ParameterError(f"there is no rule {number}: there {there}, counted as printed.")
        return int(number) - 1

    # -- what is kept of the training rows -----------------------------------------------------

    def without_unread(self) -> Self:
        """Forget what the rules do not read.

        The schema forgets ranges and categories of columns that no rule reads. The baseline forgets rules that were
        taken out, and then also what all rules did together. If the rules only test whether a column is missing, the
        schema keeps whether it ever was. Model files and pickles hold no more than that.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The same rules.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> schema, _ = Schema.learn({"x": [1, 9], "mail": ["a@b", "c@d"]})
        >>> rules = RuleSet.parse("yes if x > 3 else no", schema)
        >>> rules.without_unread().schema.column("mail").categories
        ()
        """
        schema = None if self.schema is None else keep_read_columns(self.schema, self.literals)
        baseline = None if self.baseline is None else self.baseline.restrict_to(self)  # type: ignore[arg-type]
        return replace(self, schema=schema, baseline=baseline)  # type: ignore[type-var]

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        kept = self.without_unread()
        return type(self), tuple(getattr(kept, each.name) for each in fields(kept))  # type: ignore[arg-type]


def check_columns(rules: BaseRules) -> None:
    """Refuse rules that read a column which their schema has not, with what it has."""
    if rules.schema is not None:
        for name in rules.columns:
            rules.schema.column(name)


def keep_read_columns(schema: Schema, literals: Iterable[Literal]) -> Schema:
    """Restrict the schema to what these literals read."""
    found = tuple(literals)
    read = {name for each in found if isinstance(each, Halfspace | Membership) for name in each.columns}
    return schema.keep(read, {name for each in found for name in each.columns})


def or_below(head: str) -> str:
    """Write what joins rules: a new line and an `or` that ends where the first line's head does, if not too long."""
    return "\n" + "or ".rjust(min(len(head), MOST_INDENT))
