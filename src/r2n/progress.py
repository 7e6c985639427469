"""The progress bar: one reader of the training's records."""

from __future__ import annotations

from types import TracebackType
from typing import Any, Protocol, Self


class EpochRecord(Protocol):
    """What the bar reads of a record."""

    @property
    def error(self) -> tuple[float, ...]: ...

    @property
    def n_rules(self) -> tuple[int, ...]: ...


class ProgressBar:
    """Epochs done, seconds left, and the least crisp error so far, on standard error. Draws nothing if not shown."""

    def __init__(self, epochs: int, shown: bool = True) -> None:
        self._epochs, self._shown = epochs, shown
        self._bar: Any = None
        self._task: Any = None
        self._best = (float("inf"), 0)

    def __enter__(self) -> Self:
        if self._shown:
            from rich.console import Console  # rich is not loaded to fit in silence
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            columns = (TextColumn("training"), BarColumn(), TextColumn("{task.description}"), TimeRemainingColumn())
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._task = self._bar.add_task("", total=self._epochs)
            self._bar.start()
        return self

    def update(self, record: EpochRecord) -> None:
        """One more epoch."""
        if self._bar is None:
            return
        self._best = min(self._best, *zip(record.error, record.n_rules, strict=True))
        error, n_rules = self._best
        self._bar.update(self._task, advance=1, description=f"best error {error:.3f} with {n_rules} rules")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
