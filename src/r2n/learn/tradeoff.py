"""What each threshold reaches on rows held out: recall, precision, rows flagged and size, as a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from r2n.rules.interval import wilson

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """What rules fitted to a threshold decide on rows that they were not fitted to.

    Parameters
    ----------
    threshold : float
        The probability from which they call a row positive.
    hits, false_alarms, misses, rest : int
        Positives flagged, others flagged, positives not flagged, others not flagged.
    size : int
        How much there is to read.

    Examples
    --------
    >>> outcome = OperatingPoint(0.2, hits=90, false_alarms=60, misses=10, rest=840, size=4)
    >>> outcome.recall, outcome.precision, outcome.flagged
    (0.9, 0.6, 0.15)
    """

    threshold: float
    hits: int
    false_alarms: int
    misses: int
    rest: int
    size: int

    @classmethod
    def count(cls, threshold: float, flagged: NDArray[np.bool_], truth: NDArray[np.bool_], size: int) -> OperatingPoint:
        """Count rows.

        Parameters
        ----------
        threshold : float
            The threshold.
        flagged : array of bool
            Which rows are called positive.
        truth : array of bool
            Which rows are.
        size : int
            How much there is to read.

        Returns
        -------
        OperatingPoint
            The counts.

        Examples
        --------
        >>> OperatingPoint.count(0.5, np.array([True, True, False]), np.array([True, False, True]), 2).misses
        1
        """
        hits, false_alarms = int(np.sum(flagged & truth)), int(np.sum(flagged & ~truth))
        misses, rest = int(np.sum(~flagged & truth)), int(np.sum(~flagged & ~truth))
        return cls(threshold, hits, false_alarms, misses, rest, size)

    @property
    def recall(self) -> float:
        """The share of positives that are flagged; NaN without positives."""
        return self.hits / positives if (positives := self.hits + self.misses) else float("nan")

    @property
    def precision(self) -> float:
        """The share of flagged rows that are positive; NaN if none is flagged."""
        return self.hits / flagged if (flagged := self.hits + self.false_alarms) else float("nan")

    @property
    def flagged(self) -> float:
        """The share of all rows that are flagged."""
        return (self.hits + self.false_alarms) / (self.hits + self.false_alarms + self.misses + self.rest)

    def lower(self, what: str) -> float:
        """Give the lower end of the 95 % interval of recall or precision.

        Parameters
        ----------
        what : str
            `recall` or `precision`.

        Returns
        -------
        float
            The lower end; 0 if there are no rows that could say.

        Examples
        --------
        >>> round(OperatingPoint(0.2, 90, 60, 10, 840, 4).lower("recall"), 3)
        0.826
        """
        return wilson(self.hits, self.hits + (self.misses if what == "recall" else self.false_alarms))[0]


@dataclass(frozen=True, slots=True, repr=False)
class TradeOff(Sequence[OperatingPoint]):
    """What each threshold reaches on rows held out, the highest threshold first: `m.trade_off_`.

    Parameters
    ----------
    outcomes : tuple of OperatingPoint
        One for each threshold.
    chosen : int or None
        The place of the one that the model has; None if it has all, as levels do.
    what : str
        `recall` or `precision`, if one of them was promised.
    least : float
        What was promised of it.

    Examples
    --------
    >>> TradeOff((OperatingPoint(0.2, 90, 60, 10, 840, 4),), 0, "recall", 0.8)
    threshold  recall  precision  flagged  size
        0.200   0.900      0.600    0.150     4  ←
    recall of at least 0.8: 0.900 on rows held out, at least 0.826 with 95 % confidence
    """

    outcomes: tuple[OperatingPoint, ...]
    chosen: int | None = None
    what: str = ""
    least: float = 0.0

    @overload
    def __getitem__(self, i: int) -> OperatingPoint: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[OperatingPoint, ...]: ...
    def __getitem__(self, i: int | slice) -> OperatingPoint | tuple[OperatingPoint, ...]:
        return self.outcomes[i]

    def __len__(self) -> int:
        return len(self.outcomes)

    def __iter__(self) -> Iterator[OperatingPoint]:
        return iter(self.outcomes)

    @property
    def kept(self) -> bool:
        """Whether the promise is kept; True if there was none."""
        return self.chosen is None or not self.what or self[self.chosen].lower(self.what) >= self.least

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame of it.

        Returns
        -------
        DataFrame
            One line for each threshold.

        Examples
        --------
        >>> TradeOff((OperatingPoint(0.2, 90, 60, 10, 840, 4),)).frame()["recall"].tolist()
        [0.9]
        """
        import pandas as pd

        names = ("threshold", "recall", "precision", "flagged", "size")
        return pd.DataFrame({name: [getattr(each, name) for each in self] for name in names})

    def plot(self, ax: Any = None) -> Any:
        """Draw recall, precision and flagged share over the thresholds.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        matplotlib axes
            What was drawn on.

        Examples
        --------
        >>> axes = TradeOff((OperatingPoint(0.2, 90, 60, 10, 840, 4),)).plot()
        >>> axes.get_xlabel()
        'threshold'
        """
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1] if ax is None else ax
        at = [each.threshold for each in self]
        for name, style in (("recall", "o-"), ("precision", "s--"), ("flagged", "^:")):
            ax.plot(at, [getattr(each, name) for each in self], style, label=name)
        if self.chosen is not None:
            ax.axvline(self[self.chosen].threshold, color="0.6", zorder=0)
        if self.what:
            ax.axhline(self.least, color="0.6", linestyle="--", zorder=0)
        ax.set(xlabel="threshold", ylabel="share of rows held out", ylim=(-0.02, 1.02))
        ax.legend()
        return ax

    def __repr__(self) -> str:
        lines = ["threshold  recall  precision  flagged  size"]
        for k, each in enumerate(self):
            figures = (
                f"{each.threshold:9.3f}  {each.recall:6.3f}  {each.precision:9.3f}  {each.flagged:7.3f}  {each.size:4d}"
            )
            lines.append(figures + ("  ←" if k == self.chosen else ""))
        if self.chosen is not None and self.what:
            own = self[self.chosen]
            reached = f"{getattr(own, self.what):.3f} on rows held out, at least {own.lower(self.what):.3f}"
            lines.append(f"{self.what} of at least {self.least:g}: {reached} with 95 % confidence")
        return "\n".join(lines)
