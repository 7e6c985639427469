"""Parallel work in other processes, through joblib. Lost work is done again, in the end in this process."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from math import inf
from traceback import walk_stack
from typing import TypeVar

from joblib import Parallel, delayed, effective_n_jobs
from joblib.parallel import BACKENDS, get_active_backend
from threadpoolctl import threadpool_limits

from r2n.errors import WorkersLost
from r2n.runtime.forks import usable_jobs
from r2n.runtime.interrupts import hold_interrupts, in_main_thread

Item = TypeVar("Item")
Result = TypeVar("Result")

MOST_POOLS = 3  # that may break: what is then missing is done in this process
SETTLING = 0.05  # seconds: joblib stumbles, aloud, if it must give up what it has only just been given
LOOK_EVERY = 1.0  # seconds: whether the parent is still there


def side_by_side(function: Callable[[Item], Result], items: Sequence[Item], n_jobs: int | None) -> Iterator[Result]:
    """Compute the function for every item, in parallel processes; results keep the items' order.

    A worker that dies takes nothing with it: what it has not handed back is given to new workers, at last done here.
    Whatever else goes wrong there (memory is short, nothing can be started or sent) is tried here at once, so that an
    error of the function itself is raised here too. An iterator that the function returns is gone through by the
    worker; here it is handed on as it is.
    """
    n_jobs = usable_jobs(n_jobs)
    done: dict[int, Result] = {}
    first = 0  # that was not handed on yet
    pools = MOST_POOLS
    while pools > 0:
        missing = [i for i in range(first, len(items)) if i not in done]
        try:
            if len(missing) < 2 or effective_n_jobs(n_jobs) == 1:
                break
            with closing(run_in_pool(function, items, missing, n_jobs)) as arriving:
                for i, result in arriving:
                    done[i] = result
                    while first in done:
                        yield done.pop(first)
                        first += 1
        except Exception as error:  # whatever it is: the work is repeated, and raises here if it must
            pools = pools - 1 if isinstance(error, BrokenExecutor) else 0
            report(error, again=pools > 0)
    for i in range(first, len(items)):
        yield done.pop(i) if i in done else function(items[i])


def report(error: Exception, again: bool) -> None:
    """Warn the caller of r2n."""
    what = f"{type(error).__name__}: {' '.join(str(error).split())}".split(". ")[0]
    where = "by new workers" if again else "in this process"
    words = (
        f"workers were lost ({what[:300]}). What they had not finished is done again {where}: the rules stay the same"
    )
    warnings.warn(f"{words}. If memory is short, lower n_jobs.", WorkersLost, stacklevel=outside())


def outside() -> int:
    """Find the stacklevel of r2n's caller, for a warning in the function that calls this."""
    frames = [frame.f_globals.get("__name__", "") for frame, _ in walk_stack(sys._getframe(1))]
    inside = [level for level, name in enumerate(frames, start=1) if name.split(".")[0] == "r2n"]
    return min(max(inside) + 1, len(frames))


@dataclass
class Stop:
    """Tells threads of this process to end; another process has a copy, which says nothing."""

    now: bool = False


class Ended(Exception):  # noqa: N818 - not an error
    """Raised inside the pool once the results are no longer wanted."""


def run_in_pool(
    function: Callable[[Item], Result], items: Sequence[Item], chosen: Sequence[int], n_jobs: int | None
) -> Generator[tuple[int, Result], None, None]:
    """Yield the chosen items' results with their numbers, as they arrive. Closing it ends busy workers."""
    stop = Stop()
    parent = os.getpid() if isinstance(get_active_backend()[0], BACKENDS["loky"]) else None
    calls = (delayed(carry_out_apart)(function, items[i], i, parent, stop) for i in chosen)
    # One thread here too: workers may be threads of this process, and each of them would set and reset the number.
    with threadpool_limits(limits=1), Parallel(n_jobs=n_jobs, return_as="generator_unordered") as parallel:
        arriving = None
        try:
            with hold_interrupts(inf), shield_children():
                arriving = parallel(calls)
            for each in arriving:  # noqa: UP028 - `yield from` would close it first, of which joblib warns
                yield each
            arriving = None
        finally:
            stop.now = True
            with hold_interrupts(inf), suppress(Ended):
                if arriving is not None:
                    time.sleep(SETTLING)
                    arriving.throw(Ended())  # kills busy workers


def carry_out_apart(
    function: Callable[[Item], Result], item: Item, number: int, parent: int | None, stop: Stop
) -> tuple[int, Result]:
    """Compute one item in a worker."""
    if parent is not None and parent != os.getpid():
        end_with(parent)
    result = function(item)
    return number, take_until_stopped(result, stop) if isinstance(result, Iterator) else result  # type: ignore[return-value]


def take_until_stopped(results: Iterator[Result], stop: Stop) -> list[Result]:
    """Collect results until they end or are no longer wanted."""
    return list(takewhile(lambda _: not stop.now, results))


@contextmanager
def shield_children() -> Iterator[None]:
    """Shield processes started inside the block from Ctrl-C: this process ends them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # it would unblock the signal when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@cache
def end_with(parent: int) -> None:
    """Make this worker end when its parent does, busy or idle, and not before: a Ctrl-C is the parent's to answer."""
    if in_main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_after, args=(parent,), daemon=True, name="r2n-parent").start()


def end_after(parent: int) -> None:
    """Wait until the parent ends, then end this process at once."""
    if sys.platform == "win32":  # where an orphan keeps its parent's number
        started = multiprocessing.parent_process()
        if started is None:
            return
        started.join()
    else:
        while os.getppid() == parent:
            time.sleep(LOOK_EVERY)
    os._exit(1)
