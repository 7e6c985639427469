"""What else would do, for all classes that have rules, as one table: `pick(alternative=i)` takes its rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import NDArray

from r2n.learn.learned import Learned
from r2n.rules import RuleSet
from r2n.table import Table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Alternative:
    """A rule set that reads other columns than the model's, and does as well on the rows that chose.

    Parameters
    ----------
    rules : RuleSet
        Its rules, with short numbers.
    train_score : float
        The accuracy on the rows that it was fitted to.
    held_out_score : float
        The accuracy on the rows held out; NaN if none were.
    row : int or None
        A row of the table given to `fit`, the first of which is 0, that it decides otherwise than the model's rules for
        its class. None if it decides every row alike.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x - 2·y > 3 and z in {a} else no")
    >>> Alternative(rules, 0.9, 0.88, 17).size
    3
    """

    rules: RuleSet
    train_score: float
    held_out_score: float
    row: int | None

    @property
    def size(self) -> int:
        """How much its rules give to read."""
        return self.rules.size


@dataclass(frozen=True, slots=True, repr=False)
class Alternatives(Sequence[Alternative]):
    """The rule sets that would do as well as the model's, and read other columns: one row each.

    Of all rule sets that the search came by, these err no more than the chosen one on the rows that chose, or by less
    than one standard error of the difference. Each has another set of columns in some literal. Rows of one class stand
    together, the best first; there are at most 20 of a class. Like other rows of the front they were not fitted to the
    rows held out.

    Parameters
    ----------
    classes : tuple of tuples of Alternative
        Those of each class that has rules.

    Examples
    --------
    >>> from r2n import R2NClassifier
    >>> from r2n.datasets import example
    >>> X, y = example(4).sample(500, random_state=0)
    >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
    >>> len(m.alternatives_) == len(m.alternatives_.frame()) <= 20
    True
    """

    classes: tuple[tuple[Alternative, ...], ...] = ()

    @classmethod
    def of(cls, learned: Iterable[Learned], table: Table, numbers: NDArray[np.intp]) -> Alternatives:
        """Compare those of each class with its rules on the training rows.

        Parameters
        ----------
        learned : iterable of Learned
            What was learned for each class that has rules.
        table : Table
            The training rows.
        numbers : array of int
            The number of each in the table that was given.

        Returns
        -------
        Alternatives
            All rows.

        Examples
        --------
        >>> len(Alternatives.of([], Table.read({"x": [1]}), np.arange(1)))
        0
        """
        return cls(tuple(tuple(_compare(one, table, numbers)) for one in learned))

    def __len__(self) -> int:
        return sum(map(len, self.classes))

    def __iter__(self) -> Iterator[Alternative]:
        return (each for own in self.classes for each in own)

    @overload
    def __getitem__(self, i: int) -> Alternative: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Alternative, ...]: ...
    def __getitem__(self, i: int | slice) -> Alternative | tuple[Alternative, ...]:
        return tuple(self)[i]

    def place(self, row: int) -> tuple[int, int]:
        """Find which alternative a row is.

        Parameters
        ----------
        row : int
            The row.

        Returns
        -------
        k : int
            The position of its class among those that have rules.
        i : int
            Its position among those of that class.

        Raises
        ------
        IndexError
            If there is no such row.

        Examples
        --------
        >>> one = Alternative(RuleSet(), 0.5, 0.5, None)
        >>> Alternatives(((), (one, one))).place(1)
        (1, 1)
        """
        return [(k, i) for k, own in enumerate(self.classes) for i in range(len(own))][row]

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame of the alternatives.

        Returns
        -------
        DataFrame
            One line for each, with its label, size, number of rules, literals per rule, both scores, the number of a
            training row that it decides otherwise, and the rules as text.

        Examples
        --------
        >>> Alternatives().frame().columns[:2].tolist()
        ['label', 'size']
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "label": [each.rules.label for each in self],
                "size": [each.size for each in self],
                "n_rules": [each.rules.n_rules for each in self],
                "literals_per_rule": [each.rules.literals_per_rule for each in self],
                "train_score": [each.train_score for each in self],
                "held_out_score": [each.held_out_score for each in self],
                "row": pd.array([each.row for each in self], dtype="Int64"),
                "rules": [str(each.rules) for each in self],
            }
        )

    def __repr__(self) -> str:
        if not len(self):
            return "no other rule set that was seen does as well"
        several = len(self.classes) > 1
        lines = ["  i  size  rules   train  held out  differs in row" + "  label" * several + "  columns"]
        for i, each in enumerate(self):
            row = "none" if each.row is None else str(each.row)
            counts = f"{i:3d}  {each.size:4d}  {each.rules.n_rules:5d}  {each.train_score:.4f}"
            label = f"  {each.rules.label!s:>5}" if several else ""
            columns = ", ".join(each.rules.columns) or "none"
            lines.append(f"{counts}    {each.held_out_score:.4f}  {row:>14}{label}  {columns}")
        return "\n".join(lines)


def _compare(one: Learned, table: Table, numbers: NDArray[np.intp]) -> Iterator[Alternative]:
    chosen = one.rules.truth(table) if one.alternatives else None
    for point in one.alternatives:
        other = np.flatnonzero(point.rules.truth(table) != chosen)
        row = int(numbers[other[0]]) if len(other) else None
        yield Alternative(point.rules, point.train_score, point.held_out_score, row)
