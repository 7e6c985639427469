"""What refinement works on: a table, what a positive prediction costs in each row, and what size costs."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.rules import NOTHING, Halfspace, Knowledge, Literal, Rule, RuleSet, sets_of
from r2n.search import rowsums
from r2n.search.bounds import Bound
from r2n.search.plan import CACHED_BYTES, PLAIN_RULE, Caps
from r2n.table import Schema, Table

Bools: TypeAlias = NDArray[np.bool_]
Floats: TypeAlias = NDArray[np.float64]
COST_BITS = 42  # of a float's 53: what is left is room for costs that count many times

Rules: TypeAlias = tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Prices:
    """What is to be read costs: in units of error, per rule, literal, column mentioned, and further category named."""

    rule: float
    literal: float
    column: float
    category: float

    @classmethod
    def of(cls, price: float, rule: float = 0.0, category: float | None = None) -> Prices:
        """By a column's price: a rule costs two besides its literals, or more, a literal one besides its columns.

        A category that a set names besides its first costs a column, or less.
        """
        return cls(max(PLAIN_RULE * price, rule), price, price, price if category is None else category)

    def of_literal(self, literal: Literal) -> float:
        """A set in a sum is a condition too: else `and` would be written as a sum with a large coefficient.

        A set costs a column for its first category, and the price of a category for each further one. What a column is
        filled with costs nothing: the two are read as one column.
        """
        conditions = 1 + len(literal.sets) if isinstance(literal, Halfspace) else 1
        further = literal.size - literal.n_terms
        return self.literal * conditions + self.column * literal.n_terms + self.category * further

    def of_sum(self, n_columns: int) -> float:
        """The same for a sum of so many columns, with no set among them."""
        return self.literal + self.column * n_columns

    def of_rules(self, rules: Iterable[Rule]) -> float:
        """What these rules cost to read."""
        return sum(self.rule + sum(self.of_literal(literal) for literal in rule.literals) for rule in rules)


@dataclass(frozen=True)
class Labelled:
    """Rows, whether each is of the rules' class, and what each weighs; and what else the user asks of the rules."""

    table: Table
    truth: Bools
    weight: Floats
    opinion: Floats | None = None  # the probability of the rules' class, by a teacher that the user gave
    bounds: tuple[Bound, ...] = ()  # on gaps between groups

    def take(self, rows: NDArray[np.intp]) -> Labelled:
        """These rows alone."""
        opinion = None if self.opinion is None else self.opinion[rows]
        bounds = tuple(bound.take(rows) for bound in self.bounds)
        return Labelled(self.table.take(rows), self.truth[rows], self.weight[rows], opinion, bounds)

    def as_taught(self, threshold: float) -> Labelled:
        """With the decisions of the user's teacher for labels, if there is one and it decides for both."""
        decided = None if self.opinion is None else self.opinion > threshold
        return self if decided is None or decided.all() or not decided.any() else replace(self, truth=decided)

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return self.table.n_rows


@dataclass(frozen=True)
class Problem:
    """Rows, and in `cost` what it adds to the weight in error to predict the label there rather than the default.

    With y in {0, 1} and weights w, the weight in error of a rule set is Σ w·y + Σ_{rows predicted} w·(1 - 2y): a
    constant and a sum of signed costs over the rows that the rule set is true in. A teacher's probability takes the
    place of y without further change. The sum is divided by Σ w last: sums of whole weights are then exact, in any
    order. Equal rows are one row of all their weight, and rows are put in the order of their values: a row of weight
    two is the row twice, wherever it stands, and that to the last bit.
    """

    table: Table
    schema: Schema
    cost: Floats
    weight: Floats
    floor: float  # the weight in error of the empty rule set
    total: float  # the weight of all rows
    prices: Prices
    caps: Caps
    knowledge: Knowledge = NOTHING
    _truths: dict[Literal, Bools] = field(default_factory=dict, compare=False, repr=False)
    _prices: dict[Rule, float] = field(default_factory=dict, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """To another process goes no cache, and of the table only these rows."""
        table = self.table.detached((*self.schema.categorical, *list_named_columns(self.knowledge)))
        return {**self.__dict__, "_truths": {}, "_prices": {}, "table": table}

    @classmethod
    def of(
        cls,
        table: Table,
        schema: Schema,
        y: NDArray[Any],
        weight: Floats,
        prices: Prices,
        caps: Caps,
        knowledge: Knowledge = NOTHING,
    ) -> Problem:
        """From labels in {0, 1}, or probabilities, and weights. Rows in which a fixed rule is true are settled."""
        named = list_named_columns(knowledge)
        rows, kind = find_different_rows(chain(iterate_columns(table, schema, named), [np.asarray(y)]))
        table, weight, target = table.take(rows), sum_by_kind(kind, weight), np.asarray(y, dtype=np.float64)[rows]
        cost, gain = make_exact(weight * (1.0 - 2.0 * target), weight), make_exact(weight * target, weight)
        floor = float(gain.sum())
        settled = RuleSet(knowledge.fixed).truth(table) if knowledge.fixed else np.zeros(len(cost), dtype=np.bool_)
        floor += float(cost[settled].sum())
        cost[settled] = 0.0
        return cls(table, schema, cost, weight, floor, float(weight.sum()), prices, caps, knowledge)

    def at(self, prices: Prices) -> Problem:
        """The same rows, where size costs more or less."""
        return replace(self, prices=prices, _prices={})

    @property
    def n_rows(self) -> int:
        """How many different rows there are."""
        return self.table.n_rows

    @property
    def counts(self) -> Floats:
        """How many rows each row stands for: whole weights are counts, shares (of different rows) are not."""
        return self.weight / min(1.0, self.total / self.n_rows)

    @property
    def least_worth(self) -> float:
        """The weight in error that naming one more category must save."""
        return self.prices.category * self.total

    def truth(self, literal: Literal) -> Bools:
        """The literal's truth in each row, computed once."""
        if literal not in self._truths:
            if len(self._truths) * self.n_rows > CACHED_BYTES:  # literals that were tried and left
                self._truths.clear()
            self._truths[literal] = literal.evaluate(self.table)
        return self._truths[literal]

    def fires(self, rule: Rule) -> Bools:
        """Where a rule is true."""
        truth = np.ones(self.n_rows, dtype=np.bool_)
        for literal in rule.literals:
            truth &= self.truth(literal)
        return truth

    def error(self, rules: Iterable[Rule]) -> float:
        """The weighted error of a rule set."""
        fired = np.zeros(self.n_rows, dtype=np.bool_)
        for rule in rules:
            fired |= self.fires(rule)
        return self.error_of(fired)

    def error_of(self, predicted: Bools) -> float:
        """The weighted error of predicting the label in these rows."""
        return (self.floor + rowsums.sum_where(self.cost, predicted)) / self.total

    def price_of(self, rules: Iterable[Rule]) -> float:
        """What it costs to read these rules; each rule's price is computed once."""
        total, known = 0.0, self._prices
        for rule in rules:
            price = known.get(rule)
            if price is None:
                price = known[rule] = self.prices.of_rules((rule,))
            total += price
        return total

    def objective(self, rules: Iterable[Rule]) -> float:
        """Error plus the price of reading."""
        rules = tuple(rules)
        return self.error(rules) + self.price_of(rules)

    def learned(self, rules: Iterable[Rule]) -> tuple[Rule, ...]:
        """Without the rules that are fixed: those that moves and escapes may change."""
        return tuple(rule for rule in rules if rule not in self.knowledge.fixed)

    def permits(self, literal: Literal) -> bool:
        """Whether rules may use the literal. An expert's own may have any number of columns."""
        few = self.caps.columns is None or literal.n_terms <= self.caps.columns or literal in self.knowledge.literals
        return few and self.knowledge.permits(literal)

    def permits_rule(self, rule: Rule) -> bool:
        """Whether the rule is short enough, and of permitted literals that may stand together."""
        few = self.caps.literals is None or len(rule.literals) <= self.caps.literals
        return few and all(map(self.permits, rule.literals)) and self.knowledge.permits_rule(rule)

    def allows(self, rules: Iterable[Rule], permitted: Iterable[Rule] = ()) -> bool:
        """Whether caps and knowledge are kept. Fixed rules count, and need no permission; nor do those that have it."""
        learned = set(rules).difference(self.knowledge.fixed)
        few = self.caps.rules is None or len(learned) + len(self.knowledge.fixed) <= self.caps.rules
        short = self.caps.size is None or self.size_of(learned) <= self.caps.size
        return few and short and all(map(self.permits_rule, learned.difference(permitted)))

    def room(self, beside: Iterable[Rule]) -> int | None:
        """How many columns a literal may read beside these rules and the fixed ones; None if any number."""
        return None if self.caps.size is None else self.caps.size - self.size_of(beside)

    def size_of(self, learned: Iterable[Rule]) -> int:
        """How much these rules and the fixed ones give to read."""
        return sum(rule.size for rule in (*learned, *self.knowledge.fixed))


def make_exact(cost: Floats, weight: Floats) -> Floats:
    """The costs rounded to multiples of a power of two so small that it matters nowhere: their sums are exact.

    So sums are the same in any order, on any processor. There is room for costs that count some hundred times.

    >>> cost = make_exact(np.array([0.1, 0.2, -0.3]), np.ones(3))
    >>> float(cost[0] + cost[1] + cost[2]) == float(cost[2] + cost[1] + cost[0])
    True
    """
    unit = float(np.ldexp(1.0, int(np.frexp(max(float(weight.sum()), 1e-290))[1]) - COST_BITS))
    rounded: Floats = np.rint(cost / unit) * unit
    return rounded


def list_named_columns(knowledge: Knowledge) -> frozenset[str]:
    """The columns whose categories an expert names; they may be numbers."""
    rules = (*knowledge.start, *knowledge.fixed)
    literals = (*knowledge.literals, *(literal for rule in rules for literal in rule.literals))
    return frozenset(one.column for literal in literals for one in sets_of(literal))


def iterate_columns(table: Table, schema: Schema, named: Collection[str]) -> Iterator[NDArray[Any]]:
    """Each column as what tells its values apart; as categories, long whole numbers differ that are one as floats."""
    for column in schema.columns:
        if column.kind == "numeric":
            yield table.numeric(column.name)
        if column.kind != "numeric" or column.name in named:
            yield table.codes(column.name)[0]


def find_different_rows(columns: Iterable[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """One row of each kind of equal rows, in the order of their values, and for each row its kind.

    The order is that of the first columns, of as many as tell all rows apart.

    >>> rows, kind = find_different_rows([np.array([0.5, 0.2, 0.5, np.nan, np.nan]), np.array([1, 1, 1, 2, 2])])
    >>> rows.tolist(), kind.tolist()
    ([1, 0, 3], [1, 0, 1, 2, 2])
    """
    kind = np.zeros(1, dtype=np.intp)
    for column in columns:
        values, codes = np.unique(column, return_inverse=True)
        kind = np.unique(kind * len(values) + codes, return_inverse=True)[1]
        if kind.max(initial=-1) + 1 == len(kind):  # in most tables after a column or two
            break
    return np.unique(kind, return_index=True)[1], kind


def sum_by_kind(kind: NDArray[np.intp], weight: Floats) -> Floats:
    """The weight of each kind, rounded once: ten rows of 0.1 weigh what one of 10·0.1 does, in any order."""
    counts, sorted_weight = np.bincount(kind), weight[np.argsort(kind, kind="stable")]
    ends = np.cumsum(counts)
    sums: Floats = sorted_weight[ends - counts]
    for k in np.flatnonzero(counts > 1):
        sums[k] = math.fsum(sorted_weight[ends[k] - counts[k] : ends[k]])
    return sums
