"""The progress bar: one reader of the training's records."""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from r2n.words import count


class EpochRecord(Protocol):
    """What the bar reads of a record."""

    @property
    def loss(self) -> tuple[float, ...]:
        """The mean loss of each restart."""

    @property
    def error(self) -> tuple[float, ...]:
        """The crisp error of each restart."""

    @property
    def n_rules(self) -> tuple[int, ...]:
        """The number of crisp rules of each restart."""


class AcceptedMove(Protocol):
    """What the bar reads of a move of the refinement."""

    @property
    def error(self) -> float:
        """The error after the move."""

    @property
    def objective(self) -> float:
        """The error and the price of the size."""

    @property
    def begins(self) -> bool:
        """Whether a descent begins here."""

    @property
    def size(self) -> int:
        """The size of the rules."""


@dataclass(frozen=True, slots=True)
class Part:
    """The class that is being learned, and when the work on the first class began."""

    place: int = 0
    of: int = 1
    began: float = 0.0

    def title(self, work: str) -> str:
        """Name the current work.

        >>> Part().title("training"), Part(1, 3).title("training")
        ('training', 'class 2 of 3: training')
        """
        return work if self.of == 1 else f"class {self.place + 1} of {self.of}: {work}"

    def share(self, done: float) -> float:
        """Turn the share done of this part into the share done of everything.

        >>> Part(1, 4).share(0.5)
        0.375
        """
        return (self.place + min(done, 1.0)) / self.of


WHOLE = Part()


def tell_time(seconds: float, share: float) -> str:
    """Tell the time taken and, once enough is done to tell, about how much it will be in all.

    >>> tell_time(35, 0.0), tell_time(35, 0.25), tell_time(3_700, 0.5)
    ('0:35', '0:35 of 2:20', '1:01:40 of 2:03:20')
    """
    return _clock(seconds) + (f" of {_clock(seconds / share)}" if share >= 0.02 else "")


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


class _Display:
    """A line on standard error that disappears when the work is done; it draws nothing if it is not shown."""

    def __init__(self, title: str, shown: bool, began: float | None = None, total: float | None = 1.0) -> None:
        self._title, self._shown, self._total = title, shown, total
        self._began = time.monotonic() if began is None else began
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Self:
        if self._shown:
            self._bar = _line(self._title, self._began)
            self._task = self._bar.add_task("", total=self._total)
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _draw(self, share: float, text: str) -> None:
        if self._bar is not None:
            self._bar.update(self._task, completed=share, description=text)


def _line(title: str, began: float) -> Any:
    """Compose title, bar, time and text. On a narrow terminal the text is cut, never the time."""
    from rich.console import Console  # rich is not loaded to fit in silence
    from rich.progress import BarColumn, Progress, ProgressColumn, Task
    from rich.table import Column
    from rich.text import Text

    class Time(ProgressColumn):
        max_refresh = 0.5

        def render(self, task: Task) -> Text:
            return Text(tell_time(time.monotonic() - began, task.completed))

    class News(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.description, no_wrap=True, overflow="ellipsis")

    columns = (title, BarColumn(12), Time(Column(no_wrap=True)), News(Column(overflow="ellipsis")))
    return Progress(*columns, console=Console(stderr=True), transient=True)


class ProgressBar(_Display):
    """Epochs done, the time, the least crisp error so far of rules that say something, and the loss.

    The empty rule set is left out: until the network is cold, rules err more than it does.
    """

    def __init__(self, epochs: int, shown: bool = True, part: Part | None = None, share: float = 1.0) -> None:
        """`share` is how much of the part's work training is."""
        self._part = part or Part(began=time.monotonic())
        super().__init__(self._part.title("training"), shown, self._part.began)
        self._epochs, self._done, self._share = epochs, 0, share
        self._best = (float("inf"), 0)

    def update(self, record: EpochRecord) -> None:
        """Count an epoch."""
        self._done += 1
        found = [pair for pair in zip(record.error, record.n_rules, strict=True) if pair[1]]
        self._best = min([self._best, *found])
        error, n_rules = self._best
        told = f"error {error:.3f}, {count(n_rules, 'rule')}" if n_rules else "no rules yet"
        self._draw(self._part.share(self._share * self._done / self._epochs), f"{told}, loss {min(record.loss):.3f}")


class RefineBar(_Display):
    """Descents done of those planned, the time, and the error and size of the best rules so far."""

    def __init__(self, descents: int, shown: bool = True, part: Part | None = None, share: float = 1.0) -> None:
        """`share` is how much of the part's work refining is; it comes last."""
        self._part = part or Part(began=time.monotonic())
        super().__init__(self._part.title("refining"), shown, self._part.began)
        self._descents, self._done, self._share = descents, 0, share
        self._moves, self._best = 0, (float("inf"), 0.0, 0)

    def update(self, move: AcceptedMove) -> None:
        """Count an accepted move."""
        self._moves += 1
        self._done += int(move.begins and self._moves > 1)
        self._best = min(self._best, (move.objective, move.error, move.size))
        _, error, size = self._best
        done = 1 - self._share + self._share * min(self._done / self._descents, 1.0)
        self._draw(self._part.share(done), f"error {error:.3f}, size {size}, {count(self._moves, 'move')}")


class RunsBar(_Display):
    """Fits done of those to be done, and the time."""

    def __init__(self, runs: int, shown: bool = True) -> None:
        super().__init__("resampling", shown)
        self._runs = runs

    def update(self, done: int) -> None:
        """Say how many are done."""
        self._draw(done / self._runs, f"{done} of {count(self._runs, 'resample')}")


class ProofBar(_Display):
    """Questions asked so far and what is left to read; drawn only once it has taken a second."""

    def __init__(self, shown: bool = True) -> None:
        super().__init__("proving", shown, total=None)  # how many questions there will be is not known
        self._questions = 0

    def __enter__(self) -> Self:
        return self

    def update(self, size: int) -> None:
        """Count a question, while the rules have this size."""
        self._questions += 1
        if self._bar is None and self._shown and time.monotonic() - self._began > 1.0:
            super().__enter__()
        self._draw(0.0, f"{count(self._questions, 'question')}, size {size}")
