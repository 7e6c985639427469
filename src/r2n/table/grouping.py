"""Groups of rows by a column's values, to compare how rules treat them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r2n.errors import ParameterError
from r2n.table.names import no_such_column
from r2n.table.table import Table

MOST_VALUES = 10  # of a column of numbers; of more, its quarters are the groups
MOST_GROUPS = 20  # of a column


@dataclass(frozen=True, slots=True)
class Grouping:
    """The groups of one column: their names, and which of them each row is in.

    Parameters
    ----------
    column : str
        The column.
    names : tuple of str
        What the groups are called.
    codes : array of int
        The group of each row, as a position in `names`.

    Examples
    --------
    >>> found = Grouping.of(Table.read({"sex": ["f", "m", None, "f"]}), "sex")
    >>> found.names, found.codes.tolist()
    (('f', 'm', 'missing'), [0, 1, 2, 0])
    """

    column: str
    names: tuple[str, ...]
    codes: NDArray[np.intp]

    @classmethod
    def of(cls, table: Table, column: str, kind: str | None = None) -> Grouping:
        """Group rows by the values of a column; numbers of more than ten values by their quarters.

        Parameters
        ----------
        table : Table
            The rows.
        column : str
            The column.
        kind : {'numeric', 'categorical'}, optional
            Whether it holds numbers or categories; by default as the table has it.

        Returns
        -------
        Grouping
            The groups that have rows. Rows without a value are a group of their own.

        Raises
        ------
        ParameterError
            If there is no such column, or it has too many categories.

        Examples
        --------
        >>> Grouping.of(Table.read({"age": [*range(20, 60)]}), "age").names
        ('up to 29.75', '29.75 to 39.5', '39.5 to 49.25', 'above 49.25')
        """
        if column not in table.names:
            raise ParameterError("groups: " + no_such_column(column, table.names, "the table"))
        if (kind or table.kind(column)) == "numeric":
            names, codes = _group_numbers(table.numeric(column))
        else:
            found, values = table.codes(column)
            names, codes = list(map(str, values)), found.astype(np.intp)
        there, codes = np.unique(np.where(codes < 0, len(names), codes), return_inverse=True)
        if len(there) > MOST_GROUPS:
            raise ParameterError(
                f"groups: column {column!r} has {len(there)} values, and no more than {MOST_GROUPS} groups can be "
                f"compared. Join its values into a few, in a column of their own, and name that."
            )
        return cls(column, tuple([*names, "missing"][k] for k in there), codes.reshape(-1))

    def take(self, rows: ArrayLike) -> Grouping:
        """Select some rows; the groups stay, also those without a row.

        Parameters
        ----------
        rows : array-like of int or bool
            Their positions, or a mask.

        Returns
        -------
        Grouping
            These rows.

        Examples
        --------
        >>> Grouping.of(Table.read({"sex": ["f", "m"]}), "sex").take([1]).codes.tolist()
        [1]
        """
        return replace(self, codes=self.codes[np.asarray(rows)])


def _group_numbers(column: NDArray[np.float64]) -> tuple[list[str], NDArray[np.intp]]:
    known = ~np.isnan(column)
    codes = np.full(len(column), -1, dtype=np.intp)
    values, codes[known] = np.unique(column[known], return_inverse=True)
    if len(values) <= MOST_VALUES:
        return [f"{value:.6g}" for value in values], codes
    cuts = np.unique(np.quantile(column[known], [0.25, 0.5, 0.75]))
    cuts = cuts[cuts < values[-1]] if cuts[0] < values[-1] else values[-2:-1]
    codes[known] = np.searchsorted(cuts, column[known], side="left")
    ends = [f"{cut:.6g}" for cut in cuts]
    between = [f"{low} to {high}" for low, high in pairwise(ends)]
    return [f"up to {ends[0]}", *between, f"above {ends[-1]}"], codes
