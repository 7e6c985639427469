"""A model over the rows of a table: which rows each literal decides, and what it must say there to keep the labels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Halfspace, Literal
from r2n.rules.membership import Bools
from r2n.rules.ruleset import Rule, RuleSet
from r2n.table import Table

R = TypeVar("R", RuleSet, ClassRules, LevelRules)


class Place(NamedTuple):
    """The place of a literal: its branch, its rule, its number in the rule."""

    branch: int
    rule: int
    literal: int


@dataclass(frozen=True)
class Care:
    """The rows that a literal decides, its wanted truth there, and the number of rows that stay wrong in any case."""

    rows: NDArray[np.intp]
    want: Bools
    lost: int


@dataclass(frozen=True)
class Chain:
    """A model as lists of literals in fixed places, with the rows whose labels should stay."""

    labels: tuple[int, ...]  # of the branches, then of the default; equal labels have equal numbers
    branches: tuple[tuple[tuple[Literal, ...], ...], ...]
    table: Table
    decided: NDArray[np.intp]

    @classmethod
    def of(cls, rules: AnyRules, table: Table) -> Chain:
        """Take over the rules of a model and remember how they decide the rows."""
        names = [*rules.labels, rules.default]
        branches = tuple(tuple(rule.literals for rule in each) for _, each in rules.branches)
        chain = cls(tuple(map(names.index, names)), branches, table, np.empty(0, dtype=np.intp))
        return replace(chain, decided=chain.decide(0))

    def put_into(self, rules: R) -> R:
        """Put these literals into the rules."""
        return rules.with_branches(map(Rule, each) for each in self.branches)

    @property
    def changed(self) -> int:
        """The number of rows whose label has changed."""
        return int(np.count_nonzero(self.decide(0) != self.decided))

    def decide(self, first: int) -> NDArray[np.intp]:
        """Decide the rows by the branches from a given one on."""
        decision = np.full(self.table.n_rows, self.labels[-1], dtype=np.intp)
        for k in reversed(range(first, len(self.branches))):
            decision[self._claims(k)] = self.labels[k]
        return decision

    def _claims(self, branch: int, but: int | None = None) -> Bools:
        """Find the rows where any rule of a branch is true, if wanted without one of the rules."""
        claimed = np.zeros(self.table.n_rows, dtype=np.bool_)
        for j, literals in enumerate(self.branches[branch]):
            if j != but:
                claimed |= Rule(literals).evaluate(self.table)
        return claimed

    def places(self) -> Iterator[tuple[Place, Halfspace]]:
        """Yield all halfspaces with their places."""
        for k, branch in enumerate(self.branches):
            for j, literals in enumerate(branch):
                for i, literal in enumerate(literals):
                    if isinstance(literal, Halfspace):
                        yield Place(k, j, i), literal

    def care(self, place: Place) -> Care:
        """Find the rows whose label depends on this literal."""
        k, j, i = place
        rest = Rule(tuple(literal for n, literal in enumerate(self.branches[k][j]) if n != i))
        here = rest.evaluate(self.table) & ~self._claims(k, but=j)
        for earlier in range(k):
            here &= ~self._claims(earlier)
        own, other = self.labels[k], self.decide(k + 1)
        matters = here & (other != own) & ((self.decided == own) | (self.decided == other))
        lost = np.count_nonzero((self.decide(0) != self.decided) & ~matters)
        return Care(np.flatnonzero(matters), self.decided[matters] == own, int(lost))

    def with_literal(self, place: Place, literal: Halfspace) -> Chain:
        """Replace one literal."""
        k, j, i = place
        rule = (*self.branches[k][j][:i], literal, *self.branches[k][j][i + 1 :])
        branch = (*self.branches[k][:j], rule, *self.branches[k][j + 1 :])
        return replace(self, branches=(*self.branches[:k], branch, *self.branches[k + 1 :]))
