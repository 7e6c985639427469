"""Ctrl-C: when it stops the work, and when it waits until a finished result is safe."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

WAITING = 2.0  # Ctrl-Cs, for people press it twice; the third stops at once


class Holder:
    """A handler of SIGINT that holds a number of Ctrl-Cs back before one raises KeyboardInterrupt."""

    def __init__(self, most: float) -> None:
        self.most = most
        self.waiting = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        """Count a Ctrl-C, which is raised later."""
        self.waiting += 1
        if self.waiting > self.most:
            self.raise_it()

    def raise_it(self) -> None:
        """Raise a waiting Ctrl-C. The next one waits again, while workers end or a result is stored."""
        self.waiting = 0
        self.most = max(self.most, WAITING)
        raise KeyboardInterrupt

    def take(self) -> bool:
        """Tell whether a Ctrl-C waits, and take it: from now on none does."""
        waiting, self.waiting = self.waiting, 0
        return waiting > 0

    @contextmanager
    def letting(self, most: float) -> Iterator[Holder]:
        """Hold this many Ctrl-Cs back inside the block; afterwards restore the old number and raise what exceeds it."""
        before, self.most = self.most, most
        try:
            if self.waiting > most:
                self.raise_it()
            yield self
        finally:
            self.most = before
        if self.waiting > before:
            self.raise_it()


@contextmanager
def hold_interrupts(most: float = WAITING) -> Iterator[Holder]:
    """Hold this many Ctrl-Cs back inside the block; one more raises KeyboardInterrupt at once.

    What still waits at the end is raised there, unless it was taken. A SIGINT handler that is not Python's own is left
    alone, and so is every thread but the main one, which alone receives signals.
    """
    holder = current_holder()
    if holder is not None:
        with holder.letting(most):
            yield holder
        return
    holder = Holder(most)
    if not in_main_thread() or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield holder
        return
    signal.signal(signal.SIGINT, holder)
    try:
        yield holder
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if holder.waiting:
        raise KeyboardInterrupt


@contextmanager
def allow_interrupts() -> Iterator[None]:
    """Let Ctrl-C raise KeyboardInterrupt inside the block, even if it is held outside; raise one that waits."""
    holder = current_holder()
    if holder is None:
        yield
        return
    with holder.letting(0.0):
        yield


def current_holder() -> Holder | None:
    """Return the holder of interrupts that is in charge, if any."""
    handler = signal.getsignal(signal.SIGINT)
    return handler if isinstance(handler, Holder) and in_main_thread() else None


def in_main_thread() -> bool:
    """Check whether this is the thread that Python sends signals to."""
    return threading.current_thread() is threading.main_thread()
