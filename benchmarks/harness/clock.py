"""What work takes: seconds, and the CPU of all processes that had a part in it."""

import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

PROCESSES = Path("/proc")


@dataclass
class Spent:
    """By the work within `watch`, once that is over."""

    seconds: float = 0.0
    cpu: float = 0.0


@contextmanager
def watch() -> Iterator[Spent]:
    """Time what is done within."""
    spent, start, cpu = Spent(), time.perf_counter(), cpu_seconds()
    yield spent
    spent.seconds, spent.cpu = time.perf_counter() - start, cpu_seconds() - cpu


def cpu_seconds() -> float:
    """Of this process, of those it waited for, and of those it started that still live, with theirs."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime + _of_the_living()


def _of_the_living() -> float:
    """Of all living descendants: workers of a fit stay until the next one. Nothing where there is no /proc."""
    spent, children = {}, defaultdict(list)
    for status in PROCESSES.glob("[0-9]*/stat"):
        try:
            fields = status.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
            continue
        pid = int(status.parent.name)
        children[int(fields[1])].append(pid)
        spent[pid] = sum(map(int, fields[11:15]))  # its own, and what it waited for, in ticks
    total, waiting = 0, list(children[os.getpid()])
    while waiting:
        pid = waiting.pop()
        total += spent[pid]
        waiting += children[pid]
    return total / os.sysconf("SC_CLK_TCK")


def take_turns(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """The seconds of each call. They take turns, so that all see the same machine."""
    taken: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            taken[name].append(time.perf_counter() - start)
    return taken


def peak_memory() -> int:
    """The most memory this process has held, in bytes. (`getrusage` also counts what its parent held.)"""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))
