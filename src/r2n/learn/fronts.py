"""The fronts of all classes that have rules, as one table: `pick` takes its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from r2n.search import Front, Point

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class Fronts(Sequence[Point]):
    """The best rule set found for each size, and for each class that has rules: one row each.

    Rows of one class stand together, in ascending size. Two classes have one front, that of the class which the rules
    describe. Row `i` is `front[i]`, with `rules`, `size`, `train_score` and `held_out_score`; its class is
    `front[i].rules.label`.

    Parameters
    ----------
    fronts : tuple of Front
        One for each class that has rules; without points if a Ctrl-C came before any were found.

    Examples
    --------
    >>> from r2n import R2NClassifier
    >>> from r2n.datasets import example
    >>> X, y = example(4).sample(500, random_state=0)
    >>> front = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y).front_
    >>> sizes = [point.size for point in front]
    >>> sizes == sorted(sizes), len(front.frame()) == len(front)
    (True, True)
    """

    fronts: tuple[Front, ...]

    @classmethod
    def of(cls, fronts: Iterable[Front | None]) -> Fronts:
        """Put fronts together.

        Parameters
        ----------
        fronts : iterable of Front or None
            One for each class; None, for a class without a front, adds no rows.

        Returns
        -------
        Fronts
            All rows.

        Examples
        --------
        >>> len(Fronts.of([None]))
        0
        """
        return cls(tuple(Front() if front is None else front for front in fronts))

    def __len__(self) -> int:
        return sum(map(len, self.fronts))

    def __iter__(self) -> Iterator[Point]:
        return (point for front in self.fronts for point in front)

    @overload
    def __getitem__(self, i: int) -> Point: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, i: int | slice) -> Point | tuple[Point, ...]:
        return tuple(self)[i]

    def row(self, k: int, i: int) -> int:
        """Find the row of a point.

        Parameters
        ----------
        k : int
            The position of its class among those that have rules.
        i : int
            Its position in the front of that class.

        Returns
        -------
        int
            The row.

        Examples
        --------
        >>> from r2n.rules import RuleSet
        >>> from r2n.search import Front, Point
        >>> one = Front((Point(RuleSet(), 0.5),))
        >>> Fronts((one, one)).row(1, 0)
        1
        """
        return sum(map(len, self.fronts[:k])) + i

    def place(self, row: int) -> tuple[int, int]:
        """Find which point a row is; the reverse of `row`.

        Parameters
        ----------
        row : int
            The row.

        Returns
        -------
        k : int
            The position of its class among those that have rules.
        i : int
            Its position in the front of that class.

        Raises
        ------
        IndexError
            If there is no such row.

        Examples
        --------
        >>> from r2n.rules import RuleSet
        >>> from r2n.search import Front, Point
        >>> one = Front((Point(RuleSet(), 0.5),))
        >>> Fronts((one, one)).place(1)
        (1, 0)
        """
        return [(k, i) for k, front in enumerate(self.fronts) for i in range(len(front))][row]

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame of the front.

        Returns
        -------
        DataFrame
            One line for each row, with its label, size, number of rules, literals per rule, both scores and the rules
            as text.

        Examples
        --------
        >>> Fronts.of([None]).frame().columns[:2].tolist()
        ['label', 'size']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "label": [p.rules.label for p in self],
                "size": [p.size for p in self],
                "n_rules": [p.rules.n_rules for p in self],
                "literals_per_rule": [p.rules.literals_per_rule for p in self],
                "train_score": [p.train_score for p in self],
                "held_out_score": [p.held_out_score for p in self],
                "rules": [str(p.rules) for p in self],
            }
        )

    def __repr__(self) -> str:
        several = len(self.fronts) > 1
        lines = ["  i  size  rules  literals   train  held out" + "  label" * several]
        for i, p in enumerate(self):
            literals = sum(len(rule.literals) for rule in p.rules.rules)
            counts = f"{i:3d}  {p.size:4d}  {p.rules.n_rules:5d}  {literals:8d}"
            label = f"    {p.rules.label}" if several else ""
            lines.append(f"{counts}  {p.train_score:.4f}    {p.held_out_score:.4f}{label}")
        return "\n".join(lines)
