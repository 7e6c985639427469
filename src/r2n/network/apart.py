"""Training in a fresh process, for processes in which JAX cannot run.

A child that is forked after JAX has started has none of JAX's threads, and JAX would wait for them for ever. A new
interpreter then trains the network, and sends what it found after each chunk; all else goes on here.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.spawn import get_executable
from typing import Protocol

from r2n.errors import EngineUnavailable
from r2n.network.batches import Rows
from r2n.network.model import Network
from r2n.network.record import Record
from r2n.network.training import BestEpoch, Index, Settings, Training
from r2n.runtime.forks import LOST

SERVE = "import sys; sys.path[:] = {path!r}; from r2n.network.apart import serve; serve({handle})"
ADVICE = (
    "This process was forked after JAX had started, so the network is trained in a process of its own, "
    "which {problem}. Start processes by multiprocessing's 'spawn' or 'forkserver', or use JAX in the children only."
)


class Trainer(Protocol):
    """An iterator over records that can be left at any time; `best` is what it found so far."""

    def __iter__(self) -> Iterator[Record]: ...

    def best(self) -> list[BestEpoch]:
        """Return what was kept of each restart so far."""


def start_training(network: Network, settings: Settings, rows: Rows, train: Index, judge: Index, seed: int) -> Trainer:
    """Start training in this process, or apart from it where JAX would wait for the parent's threads."""
    kind = TrainingApart if LOST.jax else Training
    return kind(network, settings, rows, train, judge, seed)


class TrainingApart:
    """What `Training` does, done by another process. The records and the weights are the same."""

    def __init__(self, network: Network, settings: Settings, rows: Rows, train: Index, judge: Index, seed: int) -> None:
        self._work = (network, settings, rows, train, judge, seed)
        self._best: list[BestEpoch] = []

    def __iter__(self) -> Iterator[Record]:
        here, there = Pipe()
        with here:
            with there:
                process = _start_interpreter(there)
            try:
                yield from self._receive(here)
            except (EOFError, ConnectionError) as error:
                process.kill()
                problem = f"ended early (exit code {process.wait()})"
                raise EngineUnavailable(ADVICE.format(problem=problem)) from error
            finally:
                process.kill()  # it may be in the middle of work that nobody waits for any more
                process.wait()

    def _receive(self, other: Connection) -> Iterator[Record]:
        """Hand the work over; yield records as they come, each chunk's after the weights that belong to them."""
        other.send(self._work)
        while (chunk := other.recv()) is not None:
            records, self._best = chunk
            yield from records

    def best(self) -> list[BestEpoch]:
        """Return the best epoch of every restart, in the restarts' order."""
        return self._best


def _start_interpreter(there: Connection) -> "subprocess.Popen[bytes]":
    """Start an interpreter that finds the same packages and has this end of the connection."""
    executable = get_executable() or sys.executable
    path = [os.path.abspath(entry) for entry in sys.path]
    handle = there.fileno()
    words = [os.fsdecode(executable), "-c", SERVE.format(path=path, handle=handle)]
    try:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, pass_fds=[handle])
    except OSError as error:
        raise EngineUnavailable(ADVICE.format(problem=f"could not be started ({error})")) from error


def serve(handle: int) -> None:
    """Train as the process at the other end says, and send it what was found, until it no longer listens."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the process that asked
    asker = Connection(handle)
    try:
        training = Training(*asker.recv())
        for records in training.chunks():
            asker.send((records, training.best()))
        asker.send(None)
    except (EOFError, ConnectionError):
        return  # it has what it wanted, or has died
