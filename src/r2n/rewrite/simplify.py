"""Rewrites that shorten a rule set and never change a prediction, on any row at all.

Each pass is a function from rule set to rule set, and right on its own: also where values are
missing, where categories were never seen, and for floats exactly on a boundary or one step beside.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations

from r2n.rewrite.logic import contradicts, implies
from r2n.rules.floats import largest_where
from r2n.rules.literals import Halfspace, Known, Literal, Membership
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import column_of, most_of, unfilled


def simplify(rules: RuleSet) -> RuleSet:
    """Apply all passes until nothing changes.

    >>> print(simplify(RuleSet.parse("yes if x > 3 and x > 5 or x > 6 and y = a else no")))
    yes if x > 5
    else no
    """
    while True:
        shorter = reduce(lambda current, rewrite: rewrite(current), PASSES, rules)
        # Every pass leaves fewer rules, literals, fills or odd coefficients, so this ends.
        if shorter == rules:
            return rules
        rules = shorter


def unit_bounds(rules: RuleSet) -> RuleSet:
    """Give each halfspace over one column the coefficient 1 or -1, and the exact threshold for it.

    >>> print(unit_bounds(RuleSet.parse("yes if 2·x > 3 or -4·y > 1 else no")))
    yes if x > 1.5
        or y < -0.25
    else no
    """
    return rules.with_rules(Rule(tuple(map(_unit_bound, rule.literals))) for rule in rules.rules)


def _unit_bound(literal: Literal) -> Literal:
    if not isinstance(literal, Halfspace) or literal.n_terms > 1:
        return literal
    ((key, a),) = literal.terms
    if isinstance(key, Membership):
        return _set_alone(literal, key, a)
    if abs(a) == 1.0 or most_of(key) < 1.0:
        return literal
    # fl(a·x) never falls as a·x grows, so the x with fl(|a|·x) <= c are all floats up to some t,
    # and for negative a the same holds of -x. Overflow to ±inf keeps that order. What is filled in is such an x too.
    t = largest_where(lambda x: abs(a) * x <= literal.threshold)
    return literal if t is None else Halfspace.of({key: 1.0 if a > 0.0 else -1.0}, t)


def _set_alone(literal: Halfspace, counted: Membership, a: float) -> Literal:
    """Turn a sum of one set into a literal of its own; keep it if it is never true."""
    match a > literal.threshold, literal.threshold < 0.0:
        case True, True:
            return Known(counted.column)
        case True, False:
            return counted
        case False, True:
            return replace(counted, negated=not counted.negated)
        case _:
            return literal


def drop_fills(rules: RuleSet) -> RuleSet:
    """Drop the fill of a column that must be known anyway for its rule to be true.

    >>> print(drop_fills(RuleSet.parse("a if x + (y if known else 3) > 5 and y < 9 or (z if known else 1) > 2 else b")))
    a if z > 2
      or x + y > 5 and y < 9
    else b
    """
    return rules.with_rules(_without_fills(rule) for rule in rules.rules)


def _without_fills(rule: Rule) -> Rule:
    literals = list(rule.literals)
    for k, literal in enumerate(literals):
        if isinstance(literal, Halfspace) and literal.fills:
            others = {name for i, other in enumerate(literals) if i != k for name in other.needed}
            known = others | set(literal.needed)
            if literal.n_terms == 1 and literal.fills[0][1] <= literal.threshold:
                known = set(literal.columns)
            terms = ((unfilled(key) if column_of(key) in known else key, a) for key, a in literal.terms)
            literals[k] = Halfspace(tuple(terms), literal.threshold)
    return Rule(tuple(literals))


def drop_implied(rules: RuleSet) -> RuleSet:
    """Drop each literal that another literal of its rule implies.

    >>> print(drop_implied(RuleSet.parse("yes if x > 3 and x > 5 and x is known else no")))
    yes if x > 5
    else no
    """
    return rules.with_rules(_without_implied(rule) for rule in rules.rules)


def _without_implied(rule: Rule) -> Rule:
    # No two different literals imply each other, so what implies a dropped one is never lost.
    return Rule(tuple(q for q in rule.literals if not any(p != q and implies(p, q) for p in rule.literals)))


def intersect_sets(rules: RuleSet) -> RuleSet:
    """Join the memberships of one column in one rule.

    >>> print(intersect_sets(RuleSet.parse("yes if x in {a, b, c} and x in {b, c, d} and x != c else no")))
    yes if x in {b}
    else no
    """
    return rules.with_rules(_with_sets_intersected(rule) for rule in rules.rules)


def _with_sets_intersected(rule: Rule) -> Rule:
    others = [literal for literal in rule.literals if not isinstance(literal, Membership)]
    joined: list[Literal] = []
    for sets in _sets_by_column(rule):
        common = _intersection(sets)
        # Nothing in common: the rule can never be true, which is for `drop_contradictions` to see.
        joined += sets if common is None else [common]
    return Rule((*others, *joined))


def _sets_by_column(rule: Rule) -> Iterable[list[Membership]]:
    by_column: dict[str, list[Membership]] = defaultdict(list)
    for literal in rule.literals:
        if isinstance(literal, Membership):
            by_column[literal.column].append(literal)
    return by_column.values()


def _intersection(sets: Sequence[Membership]) -> Membership | None:
    """`in A and in B`: in A∩B. `not in A and not in B`: not in A∪B. `in A and not in B`: in A-B."""
    column = sets[0].column
    excluded = {value for one in sets if one.negated for value in one.values}
    included = [frozenset(one.values) for one in sets if not one.negated]
    if not included:
        return Membership(column, tuple(excluded), negated=True)
    common = frozenset.intersection(*included) - excluded
    return Membership(column, tuple(common)) if common else None


def drop_contradictions(rules: RuleSet) -> RuleSet:
    """Drop rules that can never be true.

    >>> print(drop_contradictions(RuleSet.parse("yes if x > 3 and x < 2 or y is known else no")))
    yes if y is known
    else no
    """
    return rules.with_rules(rule for rule in rules.rules if not _is_impossible(rule))


def _is_impossible(rule: Rule) -> bool:
    # Sets are looked at together: three may have nothing in common though any two of them do.
    if any(_intersection(sets) is None for sets in _sets_by_column(rule)):
        return True
    return any(contradicts(p, q) for p, q in combinations(rule.literals, 2))


def drop_subsumed(rules: RuleSet) -> RuleSet:
    """Drop each rule that is true only where another rule is, too.

    >>> print(drop_subsumed(RuleSet.parse("yes if x > 3 or x > 5 and y in {a} else no")))
    yes if x > 3
    else no
    """
    kept = list(rules.rules)
    # Longest first, and only against those still there: of two that subsume each other, one stays.
    for rule in reversed(rules.rules):
        if any(other != rule and _subsumes(other, rule) for other in kept):
            kept.remove(rule)
    return rules.with_rules(kept)


def _subsumes(weak: Rule, strong: Rule) -> bool:
    return all(any(implies(p, q) for p in strong.literals) for q in weak.literals)


def unite_sets(rules: RuleSet) -> RuleSet:
    """Join rules that differ only in their membership of one column.

    >>> print(unite_sets(RuleSet.parse("yes if y > 1 and x in {a} or y > 1 and x in {b} else no")))
    yes if y > 1 and x in {a, b}
    else no
    >>> print(unite_sets(RuleSet.parse("yes if x in {a} or x not in {a} else no")))
    yes if x is known
    else no
    """
    groups: dict[tuple[Rule, str], list[tuple[Rule, Membership]]] = defaultdict(list)
    for rule in rules.rules:
        for literal in rule.literals:
            if isinstance(literal, Membership):
                rest = Rule(tuple(other for other in rule.literals if other != literal))
                groups[rest, literal.column].append((rule, literal))
    for (rest, _), members in groups.items():
        if len(members) > 1:
            united = Rule((*rest.literals, _union([literal for _, literal in members])))
            gone = {rule for rule, _ in members}
            # One group at a time: a rule may be in several, and must not be united twice.
            return rules.with_rules([*(rule for rule in rules.rules if rule not in gone), united])
    return rules


def _union(sets: Sequence[Membership]) -> Literal:
    """`in A or in B`: in A∪B. `not in A or not in B`: not in A∩B. `in A or not in B`: not in B-A."""
    column = sets[0].column
    included = frozenset(value for one in sets if not one.negated for value in one.values)
    excluded = [frozenset(one.values) for one in sets if one.negated]
    if not excluded:
        return Membership(column, tuple(included))
    left = frozenset.intersection(*excluded) - included
    # Excluding nothing is true wherever the column is known.
    return Membership(column, tuple(left), negated=True) if left else Known(column)


PASSES: tuple[Callable[[RuleSet], RuleSet], ...] = (
    unit_bounds,
    drop_fills,
    drop_implied,
    intersect_sets,
    drop_contradictions,
    drop_subsumed,
    unite_sets,
)
