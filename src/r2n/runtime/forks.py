"""What a process made by `os.fork` lacks: its parent's threads.

A library that started threads before the fork waits for them for ever in the child. Here is noted, at each fork, which
libraries did, so that a child works around them; a process that was not forked notices nothing of all this.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

Result = TypeVar("Result")


@dataclass(slots=True)
class Lost:
    """Libraries that a fork copied into this process without their threads."""

    forked: bool = False
    jax: bool = False
    joblib: bool = False

    def note(self) -> None:
        """Note what was running; call this first in a forked child."""
        self.forked = True
        self.jax = jax_has_started()
        self.joblib = self.joblib or _attribute("joblib.externals.loky.reusable_executor", "_executor") is not None


def jax_has_started() -> bool:
    """Whether XLA runs: JAX starts it when it is first used. Where JAX does not tell, whether JAX is imported."""
    # There is no public way to ask without starting it; `_backends` is read without JAX's lock, which the fork may
    # have caught closed.
    return "jax" in sys.modules and bool(_attribute("jax._src.xla_bridge", "_backends", unknown=True))


def _attribute(module: str, name: str, unknown: Any = None) -> Any:
    """Read a private attribute of a module that may not be loaded, or may have changed."""
    return getattr(sys.modules.get(module), name, unknown)


def _has_xla_threads() -> bool:
    """Whether a thread of XLA's runs in this process; where threads cannot be listed, yes."""
    tasks = Path("/proc/self/task")
    if not tasks.exists():
        return True
    return any("XLA" in _name(task) for task in tasks.iterdir())


def _name(task: Path) -> str:
    try:
        return (task / "comm").read_text(encoding="utf-8", errors="replace")
    except OSError:  # it has ended meanwhile
        return ""


# A parent that used JAX without r2n has left no note.
LOST = Lost(jax=jax_has_started() and not _has_xla_threads())

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=LOST.note)


def usable_jobs(n_jobs: int | None) -> int | None:
    """Return the number of processes to use: one if joblib's workers belong to the parent."""
    return 1 if LOST.joblib else n_jobs


def with_own_threads(work: Callable[[], Result]) -> Result:
    """Do the work; in a forked child, do it in a new thread.

    HiGHS keeps helpers for each thread that calls it, where there are four processors or more. Those of the main thread
    stayed in the parent; for a new thread it starts new ones.
    """
    if not LOST.forked:
        return work()
    with ThreadPoolExecutor(1) as one:
        return one.submit(work).result()
