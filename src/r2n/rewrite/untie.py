"""Take sets and fills out of sums where that changes nothing on the rows at hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy as np

from r2n.rules.literals import Halfspace, Literal, Membership
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Filled
from r2n.table import Table


def untied(rules: RuleSet, table: Table, most: int | None = None, given: Collection[Literal] = ()) -> RuleSet:
    """Take a set out of its sum if it is the same wherever its rule is true; no prediction changes on these rows.

    A column is no longer filled where that decides nothing. Rules get no more than `most` literals, and those given
    stay as they are.

    >>> rules = RuleSet.parse("yes if gain - 100000·(status in {married}) < -96880 else no")
    >>> table = Table.read({"gain": [0.0, 5000, 0, 5000], "status": ["single", "single", "married", "married"]})
    >>> print(untied(rules, table))
    yes if gain < 3120 and status in {married}
    else no
    """
    return rules.with_rules(_untie_rule(rule, table, most, given) for rule in rules.rules)


def with_shorter_sets(rules: RuleSet, given: Collection[Literal] = ()) -> RuleSet:
    """Write each set as `in` or `not in`, whichever names fewer of the known categories.

    No prediction changes on rows of known categories. Literals that are given stay as they are.

    >>> from r2n.table import Schema
    >>> schema, _ = Schema.learn(Table.read({"floor": ["a", "b", "c", "a"]}))
    >>> print(with_shorter_sets(RuleSet.parse("yes if floor in {a, b} else no").with_schema(schema)))
    yes if floor not in {c}
    else no
    """
    schema = rules.schema
    if schema is None:
        return rules

    def shorter(literal: Literal) -> Literal:
        if not isinstance(literal, Membership) or literal in given:
            return literal
        named = frozenset(literal.values)
        others = tuple(value for value in schema.column(literal.column).categories if value not in named)
        if not 0 < len(others) < len(named):
            return literal
        return Membership(literal.column, others, not literal.negated)

    return rules.with_rules(Rule(tuple(map(shorter, rule.literals))) for rule in rules.rules)


def _untie_rule(rule: Rule, table: Table, most: int | None, given: Collection[Literal]) -> Rule:
    truth = rule.evaluate(table)
    if not truth.any():
        return rule  # these rows say nothing about it
    fired = table.take(np.flatnonzero(truth))
    while True:
        ways = _without_one(rule, fired, given)
        options = (option for option in ways if most is None or len(option.literals) <= most)
        better = next((option for option in options if np.array_equal(option.evaluate(table), truth)), None)
        if better is None:
            return rule
        rule = better  # with a set or a fill less in a sum, so this ends


def _without_one(rule: Rule, fired: Table, given: Collection[Literal]) -> Iterator[Rule]:
    """Yield the rule with one set out of its sum, and without it, for each set that does not vary where the rule holds.

    And the rule with one column no longer filled.
    """
    for literal in rule.literals:
        if not isinstance(literal, Halfspace) or literal in given:
            continue
        rest_of_it = tuple(other for other in rule.literals if other != literal)
        for k, (key, _) in enumerate(literal.terms):
            if isinstance(key, Filled):
                yield Rule((*rest_of_it, literal.with_key(k, key.column)))
        for one, a in literal.sets:
            held = one.evaluate(fired)
            if held.all() or not held.any():
                apart = one if held.all() else replace(one, negated=not one.negated)
                left = tuple(term for term in literal.terms if term[0] != one)
                threshold = literal.threshold - (a if held.all() else 0.0)
                rest: tuple[Literal, ...] = (Halfspace(left, threshold),) if left else ()
                others = (*rest_of_it, *rest)
                yield Rule(others)  # the rest of the rule may say it already
                yield Rule((*others, apart))
