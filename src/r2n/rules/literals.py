"""Literals: conditions on a row, frozen and canonical at birth.

A literal that reads a missing value is false, unless it says what to count there (`Filled`). Nothing is negated:
`not in`, `is missing` and `is known` are literals of their own, and a rule set is monotone in its literals.
"""

from __future__ import annotations

from typing import TypeAlias

from r2n.rules.halfspace import Halfspace
from r2n.rules.membership import Known, Membership, Missing

__all__ = ["Halfspace", "Known", "Literal", "Membership", "Missing", "has_cases", "sets_of"]

Literal: TypeAlias = Halfspace | Membership | Missing | Known


def has_cases(literal: Literal) -> bool:
    """Whether a literal has a set in its sum, or a column that is filled."""
    return isinstance(literal, Halfspace) and bool(literal.sets or literal.fills)


def sets_of(literal: Literal) -> tuple[Membership, ...]:
    """Find the sets of categories that a literal asks for.

    Parameters
    ----------
    literal : literal
        Any literal.

    Returns
    -------
    tuple of Membership
        The literal itself if it is a set, the sets that its sum counts, or nothing.

    Examples
    --------
    >>> sets_of(Known("x")), len(sets_of(Halfspace.of({Membership("z", ("a",)): 2, "x": 1}, 5)))
    ((), 1)
    """
    match literal:
        case Membership():
            return (literal,)
        case Halfspace():
            return tuple(counted for counted, _ in literal.sets)
        case _:
            return ()
