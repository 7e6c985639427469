"""The one question behind every proof: whether there is a row where some literals are true and some rules are false.

The search goes through a tree of cases. Each is a box of what the columns may still hold (exact, see `box.py`) and some
halfspaces over several columns that must be true or false. A case ends when the box or a linear program shows that
nothing is left (proven, see `farkas.py`), or when a point of it, tried out, is a row that answers the question.
Otherwise it is split: along a rule that is true in the point but must not be, or along a column.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.prove.box import box_of
from r2n.prove.branching import Case, Literals, holds, look_into
from r2n.prove.domain import Domain, Row
from r2n.rewrite.expand import expand_rule, expand_rules, is_expandable
from r2n.rules.literals import Literal
from r2n.rules.ruleset import Rule
from r2n.table import Table
from r2n.table.cells import shown

__all__ = ["STEPS", "Answer", "Case", "cells", "check_limits", "find_row", "holds"]

STEPS = 300  # cases that a question may take: a limit that is the same on every machine


def check_limits(steps: object, time_limit: object = 0.0) -> None:
    """Refuse numbers that are no limits."""
    if isinstance(steps, bool) or not isinstance(steps, int | np.integer) or steps < 0:
        raise ParameterError(f"steps must be a whole number, 0 or more, not {shown(steps)}.")
    numeric = isinstance(time_limit, int | float | np.number) and not isinstance(time_limit, bool)
    if not numeric or not time_limit >= 0.0:  # type: ignore[operator]
        raise ParameterError(f"time_limit must be a number of seconds, 0 or more, not {shown(time_limit)}.")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question: a row, or the proof that there is none, or neither.

    Parameters
    ----------
    row : dict, optional
        A row that was tried out.
    impossible : bool
        Whether it is proven that there is none.

    Examples
    --------
    >>> Answer().undecided, Answer(impossible=True).undecided
    (True, False)
    """

    row: Row | None = None
    impossible: bool = False

    @property
    def undecided(self) -> bool:
        """Whether neither a row nor a proof was found."""
        return self.row is None and not self.impossible


def find_row(
    domain: Domain,
    true: Iterable[Literal] = (),
    false: Iterable[Rule | Literal] = (),
    steps: int = STEPS,
    time_limit: float = math.inf,
    proof_only: bool = False,
) -> Answer:
    """Look for a row of the domain where some literals are true and some rules are false.

    Parameters
    ----------
    domain : Domain
        The rows that can occur.
    true : iterable of literals
        Literals that must all be true.
    false : iterable of Rule or literals
        Rules that must all be false.
    steps : int
        The number of cases that the search may look into.
    time_limit : float
        The seconds that the search may take.
    proof_only : bool
        Whether to give up as soon as a proof is out of reach.

    Returns
    -------
    Answer
        A row, or the proof that there is none, or neither.

    Examples
    --------
    >>> from r2n.rules import parse_literal, parse_rule
    >>> domain = Domain.read({"x": "0..10 known", "y": "0..10 known"})
    >>> far, near = parse_literal("x + y > 12"), parse_rule("x > 5 and y > 5")
    >>> answer = find_row(domain, [far], [near])
    >>> answer.row["x"] + answer.row["y"] > 12 and min(answer.row.values()) <= 5
    True
    >>> find_row(domain, [far], [parse_literal("x > 1.5")]).impossible
    True
    """
    question = _Question(
        Rule(tuple(true)).literals, tuple(each.literals if isinstance(each, Rule) else (each,) for each in false)
    )
    if not question.is_expandable:
        return Answer()
    deadline, settled, cases = time.monotonic() + time_limit, True, question.cases(domain)
    for _ in range(steps):
        if not cases:
            return Answer(impossible=settled)
        if time.monotonic() > deadline:
            break
        found = look_into(cases.pop())
        if isinstance(found, dict) and question.is_answered_by(found):
            return Answer(found)
        # A case with no row, no proof and no way to split it leaves the question open, if no other has a row.
        settled = settled and isinstance(found, list)
        if proof_only and not settled:
            break
        cases += found if isinstance(found, list) else []
    return Answer()


@dataclass(frozen=True, slots=True)
class _Question:
    """A question: all of `true`, and none of `false`."""

    true: Literals
    false: tuple[Literals, ...]

    @property
    def literals(self) -> Literals:
        return tuple(dict.fromkeys((*self.true, *(literal for rule in self.false for literal in rule))))

    @property
    def is_expandable(self) -> bool:
        """Whether sets and fills in sums make no more cases than can be looked at."""
        return all(map(is_expandable, map(Rule, (self.true, *self.false))))

    def cases(self, domain: Domain) -> list[Case]:
        """Make the first cases: the rows where `true` are true, one case for each way that sets and fills turn out."""
        false = tuple(rule.literals for rule in expand_rules(map(Rule, self.false)))
        true = [rule.literals for rule in expand_rule(Rule(self.true))]
        box = box_of(domain, (*self.literals, *(literal for rule in (*true, *false) for literal in rule)))
        found = [_where_all(Case(box, {}, false), literals) for literals in true]
        return [case for case in found if case is not None]

    def is_answered_by(self, row: Row) -> bool:
        """Try the row, by the same code that predicts."""
        table = Table.read(cells(row)) if row else None
        true = {literal for literal in self.literals if table is not None and literal.evaluate(table)[0]}
        return true.issuperset(self.true) and not any(true.issuperset(rule) for rule in self.false)


def _where_all(case: Case, literals: Literals) -> Case | None:
    """Restrict a case to where all these are true; None if nothing is left."""
    left: Case | None = case
    for literal in literals:
        left = left and left.where(literal, True)
    return None if left is None or any(possible.empty for possible in left.box.values()) else left


def cells(row: Row) -> dict[str, NDArray[np.object_]]:
    """Turn a row into a table of one row."""
    return {name: np.array([value, None], dtype=object)[:1] for name, value in row.items()}
