"""What one literal says about another: exact, on every row, but not all there is to know."""

from __future__ import annotations

import math

from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing


def implies(p: Literal, q: Literal) -> bool:
    """Whether q is true wherever p is. Never wrong; False may mean that it is not known.

    >>> implies(Halfspace.of({"age": 1}, 40), Halfspace.of({"age": 1}, 30))
    True
    >>> implies(Membership("region", ("west",)), Known("region"))
    True
    """
    if p == q:
        return True
    if isinstance(q, Known):
        return q.column in p.needed
    if isinstance(p, Halfspace) and isinstance(q, Halfspace):
        return p.terms == q.terms and p.threshold >= q.threshold
    if isinstance(p, Membership) and isinstance(q, Membership):
        return p.column == q.column and _set_implies(p, q)
    return False


def contradicts(p: Literal, q: Literal) -> bool:
    """Whether p and q are never both true. Never wrong; False may mean that it is not known.

    >>> contradicts(Halfspace.of({"age": 1}, 40), Halfspace.of({"age": -1}, -30))
    True
    >>> contradicts(Missing("age"), Halfspace.of({"age": 1, "income": 2}, 0))
    True
    """
    if isinstance(p, Missing) or isinstance(q, Missing):
        return _missing_contradicts(p, q) or _missing_contradicts(q, p)
    if isinstance(p, Halfspace) and isinstance(q, Halfspace):
        # v > c and -v > d leave a float v only if one lies strictly between c and -d.
        return q.terms == p.mirrored and -q.threshold <= math.nextafter(p.threshold, math.inf)
    if isinstance(p, Membership) and isinstance(q, Membership):
        return p.column == q.column and _sets_contradict(p, q)
    return False


def _missing_contradicts(p: Literal, q: Literal) -> bool:
    return isinstance(p, Missing) and p.column in q.needed


def _set_implies(p: Membership, q: Membership) -> bool:
    ours, theirs = frozenset(p.values), frozenset(q.values)
    if p.negated:
        # `not in` never implies `in`: there may be a category that nobody has seen.
        return q.negated and theirs <= ours
    return ours.isdisjoint(theirs) if q.negated else ours <= theirs


def _sets_contradict(p: Membership, q: Membership) -> bool:
    ours, theirs = frozenset(p.values), frozenset(q.values)
    if p.negated and q.negated:
        return False
    if p.negated or q.negated:
        return theirs <= ours if p.negated else ours <= theirs
    return ours.isdisjoint(theirs)
