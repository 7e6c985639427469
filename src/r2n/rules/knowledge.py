"""What an expert knows beforehand: literals to use, rules to start from or to keep, columns and signs to keep to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from r2n.rules.literals import Halfspace, Literal, sets_of
from r2n.rules.rule import Rule


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What an expert fixes before training.

    Parameters
    ----------
    literals : tuple of literals
        Literals that learned rules may use, besides those that are learned.
    start : tuple of Rule
        Rules that learning begins from.
    fixed : tuple of Rule
        Rules that stay as they are.
    excluded : frozenset of str
        Columns that no learned rule may read.
    apart : tuple of frozensets of str
        Groups of columns; no learned rule may read two of a group.
    signs : tuple of (str, int) pairs
        The sign, 1 or -1, that the coefficients of a column must have.

    Examples
    --------
    >>> from r2n.rules import parse_rule
    >>> knowledge = Knowledge(excluded=frozenset({"name"}), signs=(("debt", -1),))
    >>> knowledge.permits_rule(parse_rule("income - 2·debt > 5")), knowledge.permits_rule(parse_rule("debt > 5"))
    (True, False)
    """

    literals: tuple[Literal, ...] = ()  # to choose from, besides those that are learned
    start: tuple[Rule, ...] = ()  # a person's rules, to begin with
    fixed: tuple[Rule, ...] = ()  # rules that stay as they are
    excluded: frozenset[str] = frozenset()  # columns that no learned rule may read
    apart: tuple[frozenset[str], ...] = ()  # columns of which no rule may read two
    signs: tuple[tuple[str, int], ...] = ()  # the sign that a column's coefficients must have

    @property
    def steers(self) -> bool:
        """Whether it sets conditions that only the search can keep: fixed rules, groups or signs."""
        return bool(self.fixed or self.apart or self.signs)

    @property
    def columns(self) -> frozenset[str]:
        """The columns that the expert's literals and rules read."""
        literals = (literal for rule in (*self.start, *self.fixed) for literal in rule.literals)
        return frozenset(name for literal in (*self.literals, *literals) for name in literal.columns)

    def sign(self, column: str) -> int:
        """Return the sign that a column's coefficients must have.

        Parameters
        ----------
        column : str
            The column's name.

        Returns
        -------
        int
            The sign, 1 or -1; 0 if both are allowed.

        Examples
        --------
        >>> Knowledge(signs=(("debt", -1),)).sign("debt"), Knowledge().sign("debt")
        (-1, 0)
        """
        return dict(self.signs).get(column, 0)

    def apart_from(self, columns: Iterable[str]) -> frozenset[str]:
        """Find the columns that must not be read beside these.

        Parameters
        ----------
        columns : iterable of str
            The columns that a rule reads.

        Returns
        -------
        frozenset of str
            The other columns of their groups.

        Examples
        --------
        >>> sorted(Knowledge(apart=(frozenset({"age", "region"}),)).apart_from(["age"]))
        ['region']
        """
        here = set(columns)
        return frozenset(name for group in self.apart if group & here for name in group - here)

    def permits(self, literal: Literal) -> bool:
        """Check whether a learned rule may use a literal.

        Parameters
        ----------
        literal : literal
            The literal.

        Returns
        -------
        bool
            Whether it reads no excluded column, not two of a group, and keeps the signs.

        Examples
        --------
        >>> from r2n.rules import parse_literal
        >>> Knowledge(excluded=frozenset({"x"})).permits(parse_literal("x > 3"))
        False
        """
        if not (self.excluded or self.apart or self.signs) or literal in self.literals:
            return True
        if self.excluded & set(literal.columns) or not self._keeps_apart(literal.columns):
            return False
        return self.keeps_signs(literal)

    def keeps_signs(self, literal: Literal) -> bool:
        """Check whether a literal goes up and down with its columns as the signs demand.

        A set of numbers does neither.

        Parameters
        ----------
        literal : literal
            The literal.

        Returns
        -------
        bool
            Whether all signs are kept.

        Examples
        --------
        >>> from r2n.rules import parse_literal
        >>> Knowledge(signs=(("x", 1),)).keeps_signs(parse_literal("x > 3"))
        True
        >>> Knowledge(signs=(("x", 1),)).keeps_signs(parse_literal("x in {3, 4}"))
        False
        """
        if any(self.sign(one.column) != 0 for one in sets_of(literal)):
            return False
        return not isinstance(literal, Halfspace) or all(self.sign(name) * a >= 0 for name, a in literal.numbers)

    def permits_rule(self, rule: Rule) -> bool:
        """Check whether a rule may be learned.

        Parameters
        ----------
        rule : Rule
            The rule.

        Returns
        -------
        bool
            Whether all its literals are permitted, and it reads no two columns of a group.

        Examples
        --------
        >>> from r2n.rules import parse_rule
        >>> Knowledge(apart=(frozenset({"x", "y"}),)).permits_rule(parse_rule("x > 3 and y > 1"))
        False
        """
        return all(map(self.permits, rule.literals)) and self._keeps_apart(rule.columns)

    def _keeps_apart(self, columns: Iterable[str]) -> bool:
        here = set(columns)
        return all(len(group & here) < 2 for group in self.apart)


NOTHING = Knowledge()
