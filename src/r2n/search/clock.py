"""Until when each stage of a search may work, and how it meets a Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from math import inf


@dataclass(slots=True)
class WorkUnderWay:
    """Work under way, and whether the user cut it short."""

    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Clock:
    """The deadlines of a search, on time.monotonic's clock; inf is none. Its stages let it meet their Ctrl-C."""

    explore: float = inf
    finish: float = inf
    shorten: float = inf  # the numbers of points that were not chosen

    @classmethod
    def of(cls, began: float, seconds: float | None, explore: float, finish: float) -> Clock:
        """Of a fit that may take so many seconds: deadlines at these shares of them, and the last at their end."""
        if seconds is None:
            return cls()
        return cls(*(began + share * seconds for share in (explore, finish, 1.0)))

    def seconds_to_explore(self) -> float:
        """How long exploring may still take."""
        return self.explore - time.monotonic()

    def explore_for(self, seconds: float) -> Clock:
        """The same clock, but exploring ends after so many seconds from now."""
        return replace(self, explore=time.monotonic() + seconds)

    @staticmethod
    @contextmanager
    def catch_interrupt() -> Iterator[WorkUnderWay]:
        """Note a Ctrl-C that ends the work inside. What the work has stored until then stays.

        Use it as `with clock.catch_interrupt() as work, allow_interrupts():`. Outside of that a Ctrl-C waits, and ends
        the next such work before it begins.
        """
        work = WorkUnderWay()
        try:
            yield work
        except KeyboardInterrupt:
            work.interrupted = True


def is_past(deadline: float) -> bool:
    """Whether this moment of time.monotonic's clock is over."""
    return time.monotonic() > deadline
