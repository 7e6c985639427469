"""The progress bar: one reader of the training's records."""

from __future__ import annotations

import time
from types import TracebackType
from typing import Any, Protocol, Self


class EpochRecord(Protocol):
    """What the bar reads of a record."""

    @property
    def error(self) -> tuple[float, ...]: ...

    @property
    def n_rules(self) -> tuple[int, ...]: ...


class AcceptedMove(Protocol):
    """What the bar reads of a move of the refinement."""

    @property
    def error(self) -> float: ...

    @property
    def objective(self) -> float: ...

    @property
    def begins(self) -> bool: ...

    @property
    def size(self) -> int: ...


class _Display:
    """A line on standard error that is gone when the work is done; draws nothing if not shown."""

    def __init__(self, title: str, total: int | None, shown: bool) -> None:
        self._title, self._total, self._shown = title, total, shown
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._shown:
            from rich.console import Console  # rich is not loaded to fit in silence
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            left = TimeElapsedColumn() if self._total is None else TimeRemainingColumn()
            columns = (TextColumn(self._title), BarColumn(), TextColumn("{task.description}"), left)
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


class ProgressBar(_Display):
    """Epochs done, seconds left, and the least crisp error so far."""

    def __init__(self, epochs: int, shown: bool = True) -> None:
        super().__init__("training", epochs, shown)
        self._best = (float("inf"), 0)

    def update(self, record: EpochRecord) -> None:
        """One more epoch."""
        if self._bar is None:
            return
        self._best = min(self._best, *zip(record.error, record.n_rules, strict=True))
        error, n_rules = self._best
        self._bar.update(self._task, advance=1, description=f"best error {error:.3f} with {n_rules} rules")


class RefineBar(_Display):
    """Descents done of those planned, seconds left, and the error and size of the best rules so far."""

    def __init__(self, descents: int, shown: bool = True) -> None:
        super().__init__("refining", descents, shown)
        self._moves, self._best = 0, (float("inf"), 0.0, 0)

    def update(self, move: AcceptedMove) -> None:
        """One more accepted move."""
        if self._bar is None:
            return
        self._moves += 1
        self._best = min(self._best, (move.objective, move.error, move.size))
        _, error, size = self._best
        text = f"{self._moves} moves, best error {error:.3f} with size {size}"
        self._bar.update(self._task, advance=int(move.begins and self._moves > 1), description=text)


class ProofBar(_Display):
    """Questions asked so far and what is left to read; drawn only once it has taken a second."""

    def __init__(self, shown: bool = True) -> None:
        super().__init__("proving", None, shown)
        self._questions, self._begun = 0, time.monotonic()

    def __enter__(self) -> Self:
        return self

    def update(self, size: int) -> None:
        """One more question, while the rules have this size."""
        self._questions += 1
        if self._bar is None and self._shown and time.monotonic() - self._begun > 1.0:
            super().__enter__()
        if self._bar is not None:
            self._bar.update(self._task, description=f"{self._questions} questions, size {size}")
