"""The moves: small changes of a rule set. Each yields groups of candidates, one group for each place it may change.

The descent takes the best of the first group that improves. Because a rule set is monotone in each literal, a literal
decides exactly the rows of its care set, and fitting it there is fitting it for the whole rule set.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import combinations, count

import numpy as np

from r2n.rules import Halfspace, Literal, Rule, sets_of
from r2n.search import rowsums
from r2n.search.columns import DesignMatrix
from r2n.search.halfspaces import Scanned, improve, propose_halfspaces
from r2n.search.memberships import propose_memberships
from r2n.search.plan import BOOSTS, GROWN_LITERALS, MERGED_RULES, MOST_SETS, TRIED
from r2n.search.problem import Bools, Floats, Problem
from r2n.search.sets import Counted, propose_sets
from r2n.search.state import State, replace_literal

Candidates = Iterable[tuple[Rule, ...]]
Groups = Iterator[Candidates]


@dataclass(frozen=True)
class Fitter:
    """Fits literals to rows and costs, and remembers which fits led nowhere."""

    problem: Problem
    design: DesignMatrix
    _seen: set[tuple[object, ...]] = field(default_factory=set, repr=False)
    _fitted: dict[Literal, int] = field(default_factory=dict, repr=False)  # when each literal was last fitted
    _turns: Iterator[int] = field(default_factory=count, repr=False)

    @classmethod
    def of(cls, problem: Problem) -> Fitter:
        """For a problem, over its own columns."""
        return cls(problem, DesignMatrix.of(problem))

    def literals(
        self,
        rows: Bools,
        cost: Floats,
        start: Literal | None = None,
        beside: Iterable[str] = (),
        room: int | None = None,
        many: int = TRIED,
    ) -> list[tuple[float, Literal]]:
        """At most so many literals to be true in the rows of negative cost and false in the others.

        Each with what it costs, best first. They are for a rule that reads the columns `beside`, read at most `room`
        columns where that is given, and may be of those that an expert gave.
        """
        knowledge, prices, total = self.problem.knowledge, self.problem.prices, self.problem.total
        barred = knowledge.excluded | knowledge.apart_from(beside)
        offers: list[tuple[float, Scanned | Literal]] = []
        index = np.flatnonzero(rows)
        here = cost[index]
        for scanned in self._scan(index, here, start, barred, room):
            if scanned.counts_sets():
                offers.append((scanned.cost / total + prices.of_literal(scanned.halfspace()), scanned))
            else:
                offers.append((scanned.cost / total + prices.of_sum(scanned.n_terms), scanned))
        others = propose_memberships(self.problem, index, here, room) if room is None or room >= 1 else ()
        offers += [(self._objective(literal, rows, cost), literal) for literal in (*others, *knowledge.literals)]
        found: list[tuple[float, Literal]] = []
        for objective, offer in sorted(offers, key=lambda each: each[0]):
            literal = offer.halfspace() if isinstance(offer, Scanned) else offer
            fits = room is None or literal.size <= room  # an expert's may be longer
            is_new = all(literal != other for _, other in found)  # a rough and an exact scan may agree
            if fits and is_new and self.problem.permits(literal) and not barred & set(literal.columns):
                self._note(literal)
                found.append((objective, literal))
            if len(found) == many:
                break
        return found

    def _scan(
        self, index: np.ndarray, here: Floats, start: Literal | None, barred: Collection[str], room: int | None
    ) -> Iterator[Scanned]:
        """Halfspaces for the rows at these places, of these costs."""
        problem = self.problem
        most = problem.caps.columns or len(self.design.names) + MOST_SETS
        if room is not None:
            most = min(most, room)
        if most < 1:
            return
        halfspace = start if isinstance(start, Halfspace) and start.n_terms <= most else None
        sets = propose_sets(problem, index, here, barred, most=MOST_SETS) if most > 1 else []
        counted = sets_of(halfspace) if halfspace is not None else ()
        own = [Counted.of(one, problem, index) for one in counted]
        yield from propose_halfspaces(self.design, index, here, most, halfspace, barred, sets, own)

    def best(self, rows: Bools, cost: Floats, beside: Iterable[str] = (), room: int | None = None) -> Literal | None:
        """The literal of the lowest cost on these rows, its price included."""
        ranked = self.literals(rows, cost, beside=beside, room=room, many=1)
        return ranked[0][1] if ranked else None

    def best_instead(self, literal: Literal, rows: Bools, beside: Iterable[str]) -> Literal | None:
        """The best permitted literal for the place of one that is not: another, or what is strongest in it."""
        options = [found for _, found in self.literals(rows, self.problem.cost, beside=beside, many=1)]
        if isinstance(literal, Halfspace):
            design = self.design.with_terms(self.problem, [literal])
            shorter = design.strongest(literal, self.problem.caps.columns, self.problem.knowledge)
            index = np.flatnonzero(rows)
            if shorter is not None:
                better = improve(design, index, self.problem.cost[index], shorter)
                options += [shorter, *(scanned.halfspace() for scanned in better)]
        permitted = [option for option in options if self.problem.permits(option)]
        return min(permitted, key=lambda option: self._objective(option, rows, self.problem.cost), default=None)

    def _objective(self, literal: Literal, rows: Bools, cost: Floats) -> float:
        """What a literal costs on these rows, its price included."""
        weight = rowsums.sum_where(cost, rows & self.problem.truth(literal))
        return weight / self.problem.total + self.problem.prices.of_literal(literal)

    def is_new(self, question: object, rows: Bools, room: int | None) -> bool:
        """Whether this was not asked before: the same fit on the same rows, in the same room, gives the same answer."""
        key = (question, room, blake2b(np.packbits(rows).tobytes(), digest_size=16).digest())
        if key in self._seen:
            return False
        self._seen.add(key)
        if isinstance(question, Literal):
            self._note(question)
        return True

    def _note(self, literal: Literal) -> None:
        """Remember that a literal was fitted now."""
        self._fitted[literal] = next(self._turns)

    def longest_unfitted(self, rules: Iterable[Rule]) -> list[tuple[int, Literal]]:
        """Every literal and its rule's place, those first that were fitted longest ago."""
        places = [(j, literal) for j, rule in enumerate(rules) for literal in rule.literals]
        return sorted(places, key=lambda place: self._fitted.get(place[1], -1))


def drop_rule(state: State, fit: Fitter) -> Groups:
    """Without one of the rules."""
    yield (state.without_rule(j) for j in range(len(state.rules)))


def drop_literal(state: State, fit: Fitter) -> Groups:
    """Without one literal of one rule."""
    for j, rule in enumerate(state.rules):
        yield (state.with_rule(j, replace_literal(rule, literal, None)) for literal in rule.literals)


def add_known_literal(state: State, fit: Fitter) -> Groups:
    """With a literal of another rule in this one too."""
    known = {literal for rule in state.rules for literal in rule.literals}
    for j, rule in enumerate(state.rules):
        others = sorted(known - set(rule.literals), key=lambda literal: literal.sort_key())
        yield (state.with_rule(j, Rule((*rule.literals, literal))) for literal in others)


def refit_literal(state: State, fit: Fitter) -> Groups:
    """With one literal fitted anew on its care set; the longest unfitted come first."""
    for j, literal in fit.longest_unfitted(state.rules):
        care, rest = state.care_set(j, literal), replace_literal(state.rules[j], literal, None)
        room = state.problem.room(state.with_rule(j, rest))
        if fit.is_new(literal, care, room):
            others = fit.literals(care, state.problem.cost, literal, rest.columns, room)
            yield (state.with_rule(j, replace_literal(state.rules[j], literal, other)) for _, other in others)


def grow_literal(state: State, fit: Fitter) -> Groups:
    """With one more literal in a rule: it decides the rows in which that rule alone fires."""
    room = state.problem.room(state.rules)
    for j, rule in enumerate(state.rules):
        alone = state.fired[j] & state.others_silent(j)
        if fit.is_new("grow", alone, room):
            literals = fit.literals(alone, state.problem.cost, beside=rule.columns, room=room)
            yield (state.with_rule(j, Rule((*rule.literals, literal))) for _, literal in literals)


def grow_rule(state: State, fit: Fitter) -> Groups:
    """With one more rule: it decides the rows in which none fires."""
    silent, most = state.count == 0, state.problem.caps.rules
    full = most is not None and len(state.rules) + len(state.problem.knowledge.fixed) >= most
    room = state.problem.room(state.rules)
    if not full and fit.is_new("rule", silent, room):
        boosts = [*BOOSTS, *boost_rare(state.problem.cost[silent])]
        yield ((*state.rules, rule) for boost in boosts for rule in seed_rules(silent, boost, fit, room))


def boost_rare(cost: Floats) -> Iterator[float]:
    """The boost that makes up for positives too rare for the others to bring out."""
    gain, loss = -float(cost[cost < 0].sum()), float(cost[cost > 0].sum())
    if gain > 0 and loss > 2 * BOOSTS[-1] * gain:
        yield float(round(loss / gain))  # whole: sums of costs stay exact


def seed_rules(rows: Bools, boost: float, fit: Fitter, room: int | None = None) -> Iterator[Rule]:
    """Rules for these rows, from a first literal for which a covered positive counts `boost` times."""
    cost = fit.problem.cost
    seed = fit.best(rows, np.where(cost < 0, boost * cost, cost), room=room)
    if seed is not None:
        yield from lengthen(Rule((seed,)), rows, fit, room)


def lengthen(
    rule: Rule, rows: Bools, fit: Fitter, room: int | None = None, most: int = GROWN_LITERALS
) -> Iterator[Rule]:
    """The rule, and longer ones, each by the literal that is best on the rows it still covers."""
    yield rule
    while len(rule.literals) < most:
        left = None if room is None else room - rule.size
        literal = fit.best(rows & fit.problem.fires(rule), fit.problem.cost, rule.columns, left)
        longer = None if literal is None else Rule((*rule.literals, literal))
        if longer is None or longer == rule:
            return
        rule = longer
        yield rule


def merge_rules(state: State, fit: Fitter) -> Groups:
    """With one rule in the place of two: what they share, and a literal fitted on the rows that no other decides."""
    if len(state.rules) > MERGED_RULES:
        return
    for i, j in combinations(range(len(state.rules)), 2):
        rest = tuple(rule for k, rule in enumerate(state.rules) if k not in (i, j))
        shared = tuple(set(state.rules[i].literals) & set(state.rules[j].literals))
        others_silent = (state.count - state.fired[i] - state.fired[j]) == 0
        open_rows = others_silent & state.problem.fires(Rule(shared))
        room = state.problem.room((*rest, Rule(shared)))
        if fit.is_new("merge", open_rows, room):
            literals = fit.literals(open_rows, state.problem.cost, beside=Rule(shared).columns, room=room)
            yield ((*rest, Rule((*shared, literal))) for _, literal in literals)


MOVES: tuple[Callable[[State, Fitter], Groups], ...] = (
    drop_rule,
    drop_literal,
    add_known_literal,
    refit_literal,
    grow_literal,
    grow_rule,
    merge_rules,
)
