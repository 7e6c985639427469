"""What rule sets and rules for several classes have in common: branches, sizes, columns, privacy."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from html import escape
from typing import TYPE_CHECKING, Self

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.facade import Facade
from r2n.rules.literals import Halfspace, Literal, Membership
from r2n.rules.rule import Rule, sort_columns
from r2n.rules.text import write_value
from r2n.table import Schema, Table, Value
from r2n.words import count

if TYPE_CHECKING:
    from r2n.rules.counts import Baseline

MOST_INDENT = 80  # characters: every rule below a label of a thousand would else begin with a thousand blanks


class BaseRules(Facade):
    """Branches of rules, asked in turn: the first that holds gives its label, and if none does, the default stands.

    A rule set has one branch. Whoever reads a model asks for `branches`, `labels` and `default`, whatever its class.
    """

    __slots__ = ()

    @property
    def branches(self) -> tuple[tuple[Value, tuple[Rule, ...]], ...]:
        """The labels that have rules and these rules, in the order in which they are asked."""
        raise NotImplementedError

    @property
    def default(self) -> Value:
        """The label of rows where no rule holds."""
        raise NotImplementedError

    @property
    def schema(self) -> Schema | None:
        """The columns of the table they were learned from, if known."""
        raise NotImplementedError

    @property
    def baseline(self) -> Baseline | None:
        """What was counted on the rows they were learned from, if known."""
        raise NotImplementedError

    # -- reading -------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[Value, ...]:
        """The labels that have rules, in the order in which they are asked."""
        return tuple(label for label, _ in self.branches)

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules of all branches, in the order in which they are printed."""
        return tuple(rule for _, rules in self.branches for rule in rules)

    @property
    def n_rules(self) -> int:
        """How many rules."""
        return len(self.rules)

    @property
    def literals_per_rule(self) -> float:
        """The mean number of literals in a rule; 0 if there are no rules."""
        return sum(len(rule.literals) for rule in self.rules) / max(self.n_rules, 1)

    @property
    def size(self) -> int:
        """How much a reader must read in all: mentions of columns, of which a set counts as many as it names."""
        return sum(rule.size for rule in self.rules)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The distinct literals, in the order in which they are printed first."""
        return tuple(dict.fromkeys(literal for rule in self.rules for literal in rule.literals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any rule reads."""
        return sort_columns(literal for rule in self.rules for literal in rule.literals)

    def table(self, X: object) -> Table:
        """X as a table of the columns these rules read, checked against the schema if there is one."""
        if isinstance(X, Table) or self.schema is None:
            return Table.read(X)
        return self.schema.table(X, only=self.columns)

    # -- printing ------------------------------------------------------------------------------

    def text(self) -> str:
        """As printed: a chain of branches."""
        lines = []
        for k, (label, rules) in enumerate(self.branches):
            head = f"{'else ' if k else ''}{write_value(label)} if "
            lines.append(head + (_or_below(head).join(rule.text(self.schema) for rule in rules) or "false"))
        return "\n".join([*lines, f"else {write_value(self.default)}"])

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        """As a notebook shows them: the text as it is, and below it how much there is to read."""
        counted = f"{count(self.n_rules, 'rule')}, {self.literals_per_rule:.1f} literals each, size {self.size}"
        text = f'<pre style="margin: 0; white-space: pre-wrap">{escape(str(self))}</pre>'
        return f'<div class="r2n">{text}<p style="margin: 0.3em 0; font-size: smaller">{counted}</p></div>'

    # -- editing -------------------------------------------------------------------------------

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> Self:
        """Other rules for the same labels, branch by branch, over the same schema."""
        raise NotImplementedError

    def with_schema(self, schema: Schema | None) -> Self:
        """The same rules over this schema."""
        return replace(self, schema=schema)  # type: ignore[type-var]

    def with_baseline(self, baseline: Baseline | None) -> Self:
        """With what was counted on the rows they were learned from."""
        return replace(self, baseline=baseline)  # type: ignore[type-var]

    def without(self, *numbers: int) -> Self:
        """Leave out some rules.

        Parameters
        ----------
        *numbers : int
            Rules are numbered as they are printed, through all classes, from 1.

        Returns
        -------
        RuleSet or ClassRules
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
        """The position of a rule that is named by its number."""
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise ParameterError(f"a rule is named by its number as printed, from 1, not by {number!r}.")
        if not 1 <= number <= self.n_rules:
            there = f"are the rules 1 to {self.n_rules}" if self.n_rules else "is no rule"
            raise ParameterError(f"there is no rule {number}: there {there}, counted as printed.")
        return int(number) - 1

    # -- what is kept of the training rows -----------------------------------------------------

    def without_unread(self) -> Self:
        """The same rules, knowing nothing of columns that they do not read, nor of rules that were taken out.

        Files and pickles hold no more than that. Of a column of which the rules only ask whether it is missing, they
        know whether it was.
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
    """The schema, knowing only what these literals read."""
    found = tuple(literals)
    read = {name for each in found if isinstance(each, Halfspace | Membership) for name in each.columns}
    return schema.keep(read, {name for each in found for name in each.columns})


def _or_below(head: str) -> str:
    """What joins rules: a new line and an `or` that ends where the first line's head does, if that is not too long."""
    return "\n" + "or ".rjust(min(len(head), MOST_INDENT))
