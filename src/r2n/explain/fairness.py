"""How rules treat groups of rows: selection rate, recall and precision of each, and the largest gaps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules
from r2n.rules.counts import read_sample_weight
from r2n.rules.interval import wilson
from r2n.rules.label import is_label
from r2n.rules.levels import LevelRules
from r2n.rules.ruleset import RuleSet
from r2n.rules.text import write_name, write_value
from r2n.table import Table, Value
from r2n.table.grouping import Grouping

if TYPE_CHECKING:
    import pandas as pd

Estimate = tuple[float, float, float]  # a share, and the ends of its 95 % interval
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

KINDS = ("selection", "recall", "precision")
UNKNOWN = (math.nan, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class GroupShares:
    """How rules treat one group; every share comes with its 95 % Wilson interval, as (share, low, high).

    Parameters
    ----------
    column : str
        The column that makes the groups.
    group : str
        The group: a value, a range of numbers, or "missing".
    label : str, int, float or bool
        The label that is looked at.
    rows : int
        The number of rows of the group.
    selection : tuple of float
        The share of its rows that get the label.
    recall : tuple of float
        The share of its rows of this class that get the label; NaN where none is of this class, or labels are unknown.
    precision : tuple of float
        The share of its rows with the label that are of this class; NaN likewise.

    Examples
    --------
    >>> found = groups(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4], "sex": ["f", "f"]}, ["yes", "yes"], "sex")
    >>> found.shares[0].recall[0], found.shares[0].precision[0]
    (0.5, 1.0)
    """

    column: str
    group: str
    label: Value
    rows: int
    selection: Estimate
    recall: Estimate
    precision: Estimate


@dataclass(frozen=True, slots=True)
class Groups:
    """How rules treat groups of rows: `print` it, make a `frame`, or ask for a `gap`.

    Parameters
    ----------
    shares : tuple of GroupShares
        One entry for each label and group.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> found = groups(rules, {"x": [1, 4, 5, 6], "sex": ["f", "f", "m", "m"]}, ["yes", "yes", "yes", "no"], "sex")
    >>> found.gap("sex"), found.gap("sex", "recall")
    (0.5, 0.5)
    """

    shares: tuple[GroupShares, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that make groups."""
        return tuple(dict.fromkeys(each.column for each in self.shares))

    def gap(self, column: str, kind: str = "selection") -> float:
        """Find the largest difference between two groups of a column.

        Parameters
        ----------
        column : str
            The column.
        kind : {'selection', 'recall', 'precision'}
            The share that is compared.

        Returns
        -------
        float
            The difference; with several classes, that of the class where it is largest. NaN if fewer than two groups
            have such a share.

        Raises
        ------
        ParameterError
            If there is no such column or share.

        Examples
        --------
        >>> found = groups(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4], "sex": ["f", "m"]}, None, "sex")
        >>> found.gap("sex")
        1.0
        """
        if column not in self.columns or kind not in KINDS:
            raise ParameterError(
                f"there is no gap in {kind!r} between groups of {column!r}. "
                f"Name one of {', '.join(KINDS)} and of the columns {', '.join(self.columns)}."
            )
        gaps = [gap for gap in self._gaps(column, kind) if not math.isnan(gap)]
        return max(gaps, default=math.nan)

    def _gaps(self, column: str, kind: str) -> Iterator[float]:
        for label in dict.fromkeys(each.label for each in self.shares):
            own = [each for each in self.shares if each.column == column and each.label == label]
            known = [share for each in own if not math.isnan(share := getattr(each, kind)[0])]
            yield max(known) - min(known) if len(known) > 1 else math.nan

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame.

        Returns
        -------
        DataFrame
            One line for each label and group, with its rows, each share and both ends of its interval.

        Examples
        --------
        >>> found = groups(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4], "sex": ["f", "m"]}, None, "sex")
        >>> found.frame()[["group", "rows", "selection"]].values.tolist()
        [['f', 1, 0.0], ['m', 1, 1.0]]
        """
        import pandas as pd

        lines = [
            {"column": each.column, "group": each.group, "label": each.label, "rows": each.rows}
            | {
                name: value
                for kind in KINDS
                for name, value in zip((kind, f"{kind}_low", f"{kind}_high"), getattr(each, kind), strict=True)
            }
            for each in self.shares
        ]
        return pd.DataFrame(lines)

    def __str__(self) -> str:
        several = len({each.label for each in self.shares}) > 1
        kinds = [kind for kind in KINDS if not all(math.isnan(getattr(each, kind)[0]) for each in self.shares)]
        lines = []
        for column in self.columns:
            own = [each for each in self.shares if each.column == column]
            grid = [[write_name(column), *(["label"] if several else []), "rows", *kinds]]
            grid += [_cells(each, several, kinds) for each in own]
            grid.append(
                ["largest gap", *([""] if several else []), "", *map(_percent, self._shown_gaps(column, kinds))]
            )
            columns = [_align(column, left=k == 0) for k, column in enumerate(zip(*grid, strict=True))]
            lines += ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        return "\n".join(lines)

    def _shown_gaps(self, column: str, kinds: Iterable[str]) -> list[float]:
        return [self.gap(column, kind) for kind in kinds]


def groups(rules: AnyRules, X: object, y: Any, by: str | Sequence[str], sample_weight: Any = None) -> Groups:
    """Compare how rules treat groups of rows.

    Parameters
    ----------
    rules : RuleSet or ClassRules
        The rules.
    X : table
        The rows: a frame, a dict of columns or a two-dimensional array. The rules need not read the columns `by`.
    y : array-like or None
        The label of each row; None if they are unknown.
    by : str or sequence of str
        The columns whose values make the groups. Numbers of more than ten values are cut at their quartiles; rows
        without a value are a group.
    sample_weight : array-like, optional
        The weight of each row in the shares. Intervals are as wide as the number of rows makes them.

    Returns
    -------
    Groups
        For each group the share of rows that get the label, recall and precision, each with its interval. With several
        classes there is an entry for each of them.

    Raises
    ------
    ParameterError
        If there is no such column, it has more than 20 groups, or there is not one label for each row.
    SchemaError
        If a column that the rules read is not there, or holds other values than at fit.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> X = {"x": [1, 4, 5, 6], "sex": ["f", "f", "m", "m"]}
    >>> print(groups(rules, X, ["yes", "yes", "yes", "no"], by="sex"))
    sex          rows            selection               recall            precision
    f               2   50.0 % (9.5–90.5)    50.0 % (9.5–90.5)   100.0 % (20.7–100.0)
    m               2  100.0 % (34.2–100.0)  100.0 % (20.7–100.0)   50.0 % (9.5–90.5)
    largest gap                     50.0 %               50.0 %               50.0 %
    """
    names = (by,) if isinstance(by, str) else tuple(by)
    rules = rules.view("label") if isinstance(rules, LevelRules) else rules
    table, whole = rules.table(X), Table.read(X)
    if not names:
        raise ParameterError("by names no column. Name those whose values make the groups.")
    labels = None if y is None else np.asarray(y, dtype=object)
    if labels is not None and labels.shape != (table.n_rows,):
        raise ParameterError(f"y must have one label for each of the {table.n_rows} rows, not shape {labels.shape}.")
    weight = read_sample_weight(sample_weight, table.n_rows)
    return count_groups(rules, table, labels, [Grouping.of(whole, name) for name in names], weight)


def count_groups(
    rules: RuleSet | ClassRules,
    table: Table,
    labels: NDArray[np.object_] | None,
    groupings: Iterable[Grouping],
    weight: Floats,
) -> Groups:
    """Compare how rules treat groups that are already known."""
    said = rules.predict(table)
    looked_at = [rules.label] if isinstance(rules, RuleSet) else list(rules.classes)
    return Groups(
        tuple(
            _count_one(
                grouping.column,
                name,
                label,
                is_label(said, label)[rows],
                None if labels is None else is_label(labels, label)[rows],
                weight[rows],
            )
            for grouping in groupings
            for label in looked_at
            for k, name in enumerate(grouping.names)
            for rows in [np.flatnonzero(grouping.codes == k)]
        )
    )


def _count_one(column: str, group: str, label: Value, said: Bools, true: Bools | None, weight: Floats) -> GroupShares:
    recall = precision = UNKNOWN
    if true is not None:
        recall, precision = _estimate(said, true, weight), _estimate(true, said, weight)
    return GroupShares(
        column, group, label, len(said), _estimate(said, np.ones(len(said), dtype=np.bool_), weight), recall, precision
    )


def _estimate(right: Bools, among: Bools, weight: Floats) -> Estimate:
    """The share of these rows that is right, by weight, and its interval, by their number."""
    total, n = float(weight[among].sum()), int(np.count_nonzero(among & (weight > 0)))
    if total <= 0.0:
        return UNKNOWN
    share = float(weight[among & right].sum()) / total
    return (share, *wilson(min(share, 1.0) * n, n))


def _cells(each: GroupShares, several: bool, kinds: Iterable[str]) -> list[str]:
    named = [write_value(each.label)] if several else []
    return [each.group, *named, f"{each.rows:,}", *(_interval(getattr(each, kind)) for kind in kinds)]


def _interval(share: Estimate) -> str:
    value, low, high = share
    return "" if math.isnan(value) else f"{_percent(value)} ({100 * low:.1f}–{100 * high:.1f})"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f} %"


def _align(cells: Sequence[str], left: bool) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) if left else cell.rjust(width) for cell in cells]
