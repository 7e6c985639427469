"""What a person may change in risk levels: their rules, names and shares, and the threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Self, TypeVar

from r2n.errors import ParameterError
from r2n.rules.base import BaseRules
from r2n.rules.rule import Rule
from r2n.table.cells import shown
from r2n.table.names import listed

L = TypeVar("L", bound="LevelEditing")


class LevelEditing(BaseRules):
    """The methods of `LevelRules` that return a model with something changed."""

    __slots__ = ()

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of all levels, highest chance first."""
        raise NotImplementedError

    def with_branches(self, branches: Iterable[Iterable[Rule]]) -> Self:
        """Replace all rules, level by level; everything else stays.

        Parameters
        ----------
        branches : iterable of iterables of Rule
            The new rules of each level but the lowest. A level may have none.

        Returns
        -------
        LevelRules
            The levels with these rules.

        Examples
        --------
        >>> from r2n import LevelRules
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> print(rules.with_branches([[]]))
        high 60 % if false
        low   5 % else
        yes from 50 %, else no
        """
        return _replaced(self, branches=tuple(zip(self.labels, map(tuple, branches), strict=True)))

    def with_rule(self, rule: Rule | str, level: str) -> Self:
        """Add a rule to a level.

        Parameters
        ----------
        rule : Rule or str
            The rule, or its text, which is checked against the schema.
        level : str
            The name of a level other than the lowest.

        Returns
        -------
        LevelRules
            The levels with one more rule.

        Raises
        ------
        ParameterError
            If there is no such level, or it is the lowest.
        ParseError
            If the text is no rule, or does not fit the schema; the error names line and column.

        Examples
        --------
        >>> from r2n import LevelRules
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> print(rules.with_rule("y < 1", "high"))
        high 60 % if x > 3
                  or y < 1
        low   5 % else
        yes from 50 %, else no
        """
        if level not in self.labels:
            raise ParameterError(f"there are no rules for {shown(level)}, only for [{listed(self.labels)}].")
        added = self._read_rule(rule, self.schema)
        return self.with_branches((*own, added) if name == level else own for name, own in self.branches)

    def with_names(self, names: Sequence[str]) -> Self:
        """Rename the levels.

        Parameters
        ----------
        names : sequence of str
            The new names of all levels, highest chance first.

        Returns
        -------
        LevelRules
            The same levels under these names.

        Raises
        ------
        ParameterError
            If there is not one name for each level, or they are not texts that differ.

        Examples
        --------
        >>> from r2n import LevelRules
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> print(rules.with_names(["call today", "wait"]))
        call today 60 % if x > 3
        wait        5 % else
        yes from 50 %, else no
        """
        if isinstance(names, str) or len(names) != len(self.levels):
            raise ParameterError(
                f"names must be a list of {len(self.levels)} texts, one for each level, not {names!r}."
            )
        new = dict(zip(self.levels, names, strict=True))
        base: Any = self.baseline
        if base is not None:
            decided = None if base.decided is None else tuple((new[name], own) for name, own in base.decided)
            counts = tuple((new[name], rule, counted) for name, rule, counted in base.rules if name in new)
            base = replace(base, rules=counts, decided=decided)
        branches = tuple((new[str(name)], own) for name, own in self.branches)
        return _replaced(self, branches=branches, default=names[-1], baseline=base)

    def with_shares(self, shares: Iterable[float]) -> Self:
        """Replace the chances of the levels.

        Parameters
        ----------
        shares : iterable of float
            The chance of the positive class in each level, the lowest level's last. They fall from level to level.

        Returns
        -------
        LevelRules
            The same rules with these shares.

        Raises
        ------
        ParameterError
            If there is not one share for each level, or they do not fall.

        Examples
        --------
        >>> from r2n import LevelRules
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> print(rules.with_shares([0.7, 0.04]))
        high 70 % if x > 3
        low   4 % else
        yes from 50 %, else no
        """
        return _replaced(self, shares=tuple(shares))

    def with_threshold(self, threshold: float) -> Self:
        """Replace the chance from which a row is predicted positive.

        Parameters
        ----------
        threshold : float
            The new threshold, above 0 and below 1.

        Returns
        -------
        LevelRules
            The same levels with this threshold.

        Raises
        ------
        ParameterError
            If it is no number above 0 and below 1.

        Examples
        --------
        >>> from r2n import LevelRules
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> rules.with_threshold(0.8).predict({"x": [4, 2]}).tolist()
        ['no', 'no']
        """
        return _replaced(self, threshold=threshold)


def _replaced(rules: L, **changes: Any) -> L:
    """Return a copy with these fields changed: only `LevelRules`, which has them, is made."""
    return replace(rules, **changes)  # type: ignore[type-var]
