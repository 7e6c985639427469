"""One thing to run: what tells its record from others, and the work that gives the rest of it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.harness.records import Record


@dataclass(frozen=True)
class Case:
    """One fit, or one measurement. Its record is what is told here and what the work returns."""

    told: Record
    work: Callable[[], Record]  # sent to another process: a module's function, or a `partial` of one
    limit: float | None = None  # seconds after which it is stopped
    alone: bool = False  # whether it needs a process in which nothing was run before

    def __str__(self) -> str:
        return _words(self.told)


UNSAID = ("made_by", "rules", "front", "settings", "failed", "timed_out")


def said_of(record: Record) -> str:
    """One line for a record: its numbers, or why there are none."""
    if "failed" in record:
        return f"{named(record)}: failed, {record['failed']}"
    if "timed_out" in record:
        return f"{named(record)}: stopped after {record['timed_out']:.0f} s"
    return named(record)


def named(record: Record) -> str:
    """Its fields in short: words as they are, numbers with their names."""
    return _words({name: _short(value) for name, value in record.items() if name not in UNSAID})


def _words(fields: Record) -> str:
    shown = {name: value for name, value in fields.items() if value is not None and not isinstance(value, dict)}
    return ", ".join(value if isinstance(value, str) else f"{name} {value}" for name, value in shown.items())


def _short(value: Any) -> Any:
    return round(value, 4) if isinstance(value, float) else value
