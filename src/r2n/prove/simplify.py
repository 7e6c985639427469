"""Proven simplification: what changes no prediction on any row of a domain goes.

Beyond the rewrites of `simplify`, which look at two literals at a time, every literal and every rule is questioned: is
there a row that would be decided differently without it? Only what is proven to matter nowhere goes; where the question
stays open it is kept.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial, reduce
from typing import TypeVar, cast

from r2n.prove.box import box_of
from r2n.prove.domain import Domain, Row
from r2n.prove.search import STEPS, check_limits, find_row, holds
from r2n.rewrite.simplify import simplify
from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules, Model
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Halfspace, Literal, Missing
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import column_of
from r2n.runtime.progress import ProofBar

Rules = TypeVar("Rules", RuleSet, ClassRules, LevelRules)


def prove_simpler(
    rules: Rules,
    domain: Domain | Mapping[str, object] | None = None,
    time_limit: float = 8.0,
    progress: bool = False,
    steps: int = STEPS,
) -> Rules:
    """Leave out what is proven to change no prediction on the domain.

    Each class or level is looked at only where no earlier one has a true rule. A level stays, even without rules.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules.
    domain : Domain or dict, optional
        The rows that can occur; by default any row at all.
    time_limit : float
        The seconds that proofs may take; what is not proven by then stays.
    progress : bool
        Whether to show a progress bar on standard error.
    steps : int
        The number of cases that one question may take.

    Returns
    -------
    RuleSet, ClassRules or LevelRules
        The shorter rules.

    Raises
    ------
    ParameterError
        If the domain or a limit cannot be read.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 and y > 4 and x + y > 5 or x > 3 and y < 5 else no")
    >>> print(prove_simpler(rules, Domain.read({"x": "0..9", "y": "0..9 known"})))
    yes if x > 3
    else no
    >>> print(prove_simpler(rules))
    yes if x > 3 and y > 4
        or x > 3 and y < 5
    else no
    >>> classes = ClassRules.parse("low if x < 2 else high if x > 1 and y > 2 else middle if z > 1 else middle")
    >>> print(prove_simpler(classes, {"x": "0..9 known"}))
    low if x < 2
    else high if y > 2
    else middle
    """
    check_limits(steps, time_limit)
    chosen, deadline = _domain(rules, domain), time.monotonic() + time_limit
    with ProofBar(progress) as bar:
        asked = partial(bar.update, rules.size)
        shorter = _shortest_model(
            rules.chain, lambda literals, passed: Prover(chosen, literals, deadline, steps, asked, passed)
        )
    if isinstance(rules, LevelRules):
        return rules.with_branches(own for _, own in shorter.branches)
    return cast(Rules, shorter)  # of a chain that is its own


def _shortest_model(rules: Model, prover: Callable[[tuple[Literal, ...], tuple[Rule, ...]], Prover]) -> Model:
    return (
        _shortest(rules, prover(rules.literals, ())) if isinstance(rules, RuleSet) else _shortest_chain(rules, prover)
    )


def _shortest_chain(rules: ClassRules, prover: Callable[[tuple[Literal, ...], tuple[Rule, ...]], Prover]) -> ClassRules:
    """Shorten class by class, each where no earlier class has a true rule."""
    rules = _without_last(rules)
    passed: tuple[Rule, ...] = ()
    for label in rules.labels:
        literals = RuleSet((*passed, *rules[label].rules)).literals
        rules = rules.with_class(_shortest(rules[label], prover(literals, passed)))
        passed += rules[label].rules
    return rules


def _without_last(rules: ClassRules) -> ClassRules:
    """Drop the last class if it is also the default, which decides the same; one class stays."""
    *others, (label, _) = rules.branches
    if others and label == rules.default and type(label) is type(rules.default):
        return _without_last(replace(rules, branches=tuple(others)))
    return rules


def _domain(rules: AnyRules, said: Domain | Mapping[str, object] | None) -> Domain:
    if said is None:
        return Domain.beyond(rules.schema)
    domain = Domain.read(said)
    domain.check(rules.columns, [rules.schema])
    return domain.read_by(rules.schema)


def _shortest(rules: RuleSet, prover: Prover) -> RuleSet:
    while True:
        shorter = reduce(lambda current, prove: prove(current, prover), PROOFS, simplify(rules))
        # Every pass leaves fewer rules, literals or fills, or the same, so this ends.
        if shorter == rules:
            return rules
        rules = shorter


class Prover:
    """Asks questions about one domain, and keeps the rows that answered one: they may answer others, too.

    Parameters
    ----------
    domain : Domain
        The rows that can occur.
    literals : sequence of literals
        All literals that questions may be about.
    deadline : float
        The time, by `time.monotonic`, after which no question is answered.
    steps : int
        The number of cases that one question may take.
    asked : callable
        Called once for each question, for a progress bar.
    passed : tuple of Rule
        Rules of earlier classes; rows where one of them is true do not count.

    Examples
    --------
    >>> from r2n.rules import parse_literal
    >>> literals = [parse_literal("x > 3"), parse_literal("x < 2")]
    >>> Prover(Domain(), literals).is_impossible(literals, [])
    True
    """

    def __init__(
        self,
        domain: Domain,
        literals: Sequence[Literal],
        deadline: float = math.inf,
        steps: int = STEPS,
        asked: Callable[[], None] = lambda: None,
        passed: tuple[Rule, ...] = (),
    ) -> None:
        self._domain = domain.reading(literals)
        self._box = box_of(self._domain, literals)
        self._deadline, self._steps, self._asked, self._passed = deadline, steps, asked, passed
        self._rows: list[Row] = []
        self._truths: dict[Literal, int] = {}  # in which rows: bit k for row k
        self._open: set[tuple[tuple[Literal, ...], tuple[Rule, ...]]] = set()

    def is_impossible(self, true: Iterable[Literal], false: Iterable[Rule]) -> bool:
        """Check whether it is proven that no row has all of `true` and none of `false`.

        Parameters
        ----------
        true : iterable of literals
            Literals that must all be true.
        false : iterable of Rule
            Rules that must all be false.

        Returns
        -------
        bool
            Whether there is such a proof.

        Examples
        --------
        >>> from r2n.rules import parse_literal
        >>> literal = parse_literal("x > 3")
        >>> Prover(Domain(), [literal]).is_impossible([literal], [])
        False
        """
        literals, rules = Rule(tuple(true)).literals, tuple(false)
        if self._passed and self._is_impossible(literals, (*rules, *self._passed)):
            return True
        # The plain question is the stronger one, but has fewer cases: it may be the one that is decided.
        return self._is_impossible(literals, rules)

    def _is_impossible(self, *question: *tuple[tuple[Literal, ...], tuple[Rule, ...]]) -> bool:
        if question in self._open or self._known(*question) or time.monotonic() > self._deadline:
            return False
        self._asked()
        left = self._deadline - time.monotonic()
        answer = find_row(self._domain, *question, self._steps, left, proof_only=True)
        if answer.row is not None:
            self._keep(answer.row)
        elif not answer.impossible:
            self._open.add(question)
        return answer.impossible

    def _keep(self, row: Row) -> None:
        whole: Row = {name: possible.any_value() for name, possible in self._box.items()} | row
        for literal in self._truths:
            self._truths[literal] |= holds(literal, whole) << len(self._rows)
        self._rows.append(whole)

    def _known(self, true: tuple[Literal, ...], false: tuple[Rule, ...]) -> bool:
        """Check whether a row that was found before is one."""
        return bool(self._where(true) & ~reduce(int.__or__, (self._where(rule.literals) for rule in false), 0))

    def _where(self, literals: Iterable[Literal]) -> int:
        return reduce(int.__and__, map(self._truth, literals), (1 << len(self._rows)) - 1)

    def _truth(self, literal: Literal) -> int:
        if literal not in self._truths:
            self._truths[literal] = sum(holds(literal, row) << k for k, row in enumerate(self._rows))
        return self._truths[literal]


# -- the passes -----------------------------------------------------------------------------------------


def drop_never_true(rules: RuleSet, prover: Prover) -> RuleSet:
    """Drop each rule that no row of the domain makes true.

    >>> rules = RuleSet.parse("yes if x > 3 and y > 3 and x + y < 5 or y > 7 else no")
    >>> print(drop_never_true(rules, Prover(Domain(), rules.literals)))
    yes if y > 7
    else no
    """
    return rules.with_rules(rule for rule in rules.rules if not prover.is_impossible(rule.literals, ()))


def drop_covered(rules: RuleSet, prover: Prover) -> RuleSet:
    """Drop each rule that the others together cover.

    >>> rules = RuleSet.parse("yes if x + y > 4 or x <= 2 and y < 1 or x > 2 and y > 2 else no")
    >>> print(drop_covered(rules, Prover(Domain(), rules.literals)))
    yes if x + y > 4
        or x <= 2 and y < 1
    else no
    """
    kept = list(rules.rules)
    for rule in reversed(rules.rules):  # long ones first
        others = [other for other in kept if other != rule]
        if prover.is_impossible(rule.literals, others):
            kept = others
    return rules.with_rules(kept)


def drop_idle(rules: RuleSet, prover: Prover) -> RuleSet:
    """Drop a literal if, wherever it alone makes its rule false, another rule is true.

    That is so, above all, if the rest of its rule implies it.

    >>> rules = RuleSet.parse("yes if x > 3 and y > 3 and x + y > 5 or x > 3 and y <= 3 else no")
    >>> print(drop_idle(rules, Prover(Domain(), rules.literals)))
    yes if x > 3 and y > 3
        or x > 3 and y <= 3
    else no
    """
    current = list(rules.rules)
    for rule in rules.rules:
        others = [other for other in current if other != rule]
        current = [*others, _without_idle(rule, others, prover)]
    return rules.with_rules(current)


def _without_idle(rule: Rule, others: Sequence[Rule], prover: Prover) -> Rule:
    for literal in sorted(rule.literals, key=lambda literal: -literal.size):
        rest = Rule(tuple(other for other in rule.literals if other != literal))
        missed = Rule((literal,))
        # With the other rules there are fewer rows to ask about, but more to do: the plain question may be the one
        # that is decided.
        if prover.is_impossible(rest.literals, (missed, *others)) or prover.is_impossible(rest.literals, (missed,)):
            rule = rest
    return rule


def drop_idle_fills(rules: RuleSet, prover: Prover) -> RuleSet:
    """Drop the fill of a column if, wherever it is missing, its rule is false or another rule is true.

    >>> rules = RuleSet.parse("yes if x - 2·(y if known else 40) > 5 else no")
    >>> print(drop_idle_fills(rules, Prover(Domain.read({"y": "0..100 known"}), rules.literals)))
    yes if x - 2·y > 5
    else no
    """
    current = list(rules.rules)
    for rule in rules.rules:
        others = [other for other in current if other != rule]
        current = [*others, _without_idle_fills(rule, others, prover)]
    return rules.with_rules(current)


def _without_idle_fills(rule: Rule, others: Sequence[Rule], prover: Prover) -> Rule:
    for literal in rule.literals:
        if isinstance(literal, Halfspace):
            plain = literal
            for name, _ in literal.fills:
                if prover.is_impossible((*rule.literals, Missing(name)), others):
                    place = next(k for k, (key, _) in enumerate(plain.terms) if column_of(key) == name)
                    plain = plain.with_key(place, name)
            rule = Rule(tuple(plain if other == literal else other for other in rule.literals))
    return rule


PROOFS: tuple[Callable[[RuleSet, Prover], RuleSet], ...] = (drop_never_true, drop_covered, drop_idle, drop_idle_fills)
