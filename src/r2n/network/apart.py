"""Training in a fresh process, for processes in which JAX cannot run.

A child that is forked after JAX has started has none of JAX's threads, and JAX would wait for them for ever. A new
interpreter then trains the network, and sends what it found after each chunk; all else goes on here.
"""

import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.spawn import get_executable
from typing import IO, Any, Protocol

from r2n.errors import EngineUnavailable
from r2n.forks import LOST
from r2n.network.batches import Rows
from r2n.network.model import Network
from r2n.network.training import Index, Kept, Record, Settings, Training

SERVE = "import sys; sys.path[:] = {path!r}; from r2n.network.apart import serve; serve()"
ADVICE = (
    "This process was forked after JAX had started, so the network is trained in a process of its own, "
    "which {problem}. Start processes by multiprocessing's 'spawn' or 'forkserver', or use JAX in the children only."
)


class Trainer(Protocol):
    """An iterator over records that can be left at any time; `best` is what it found so far."""

    def __iter__(self) -> Iterator[Record]: ...

    def best(self) -> list[Kept]: ...


def start_training(network: Network, settings: Settings, rows: Rows, train: Index, judge: Index, seed: int) -> Trainer:
    """Training in this process, or apart from it where JAX would wait for the parent's threads."""
    kind = TrainingApart if LOST.jax else Training
    return kind(network, settings, rows, train, judge, seed)


class TrainingApart:
    """What `Training` does, done by another process. The records and the weights are the same."""

    def __init__(self, network: Network, settings: Settings, rows: Rows, train: Index, judge: Index, seed: int) -> None:
        self._work = (network, settings, rows, train, judge, seed)
        self._best: list[Kept] = []

    def __iter__(self) -> Iterator[Record]:
        process = _start_interpreter()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield from self._heard(process.stdin, process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError) as error:
            process.kill()
            problem = f"ended early (exit code {process.wait()})"
            raise EngineUnavailable(ADVICE.format(problem=problem)) from error
        finally:
            process.kill()  # it may be in the middle of work that nobody waits for any more
            process.wait()
            process.stdout.close()
            with suppress(BrokenPipeError):  # what it did not read is lost
                process.stdin.close()

    def _heard(self, work: IO[bytes], found: IO[bytes]) -> Iterator[Record]:
        """Hand the work over; yield records as they come, each chunk's after the weights that belong to them."""
        _send(work, self._work)
        while (chunk := pickle.load(found)) is not None:
            records, self._best = chunk
            yield from records

    def best(self) -> list[Kept]:
        """The kept epoch of every restart, in the restarts' order."""
        return self._best


def _start_interpreter() -> "subprocess.Popen[bytes]":
    """A new interpreter that finds the same packages."""
    executable = get_executable() or sys.executable
    path = [os.path.abspath(entry) for entry in sys.path]
    try:
        words = [os.fsdecode(executable), "-c", SERVE.format(path=path)]
        return subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    except OSError as error:
        raise EngineUnavailable(ADVICE.format(problem=f"could not be started ({error})")) from error


def serve() -> None:
    """Train as standard input says, and write to standard output; ends when nobody reads that any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is for the process that asked
    work, found = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what anything prints goes where it can be read, not between the records
    training = Training(*pickle.load(work))
    try:
        for records in training.chunks():
            _send(found, (records, training.best()))
        _send(found, None)
    except BrokenPipeError:
        os._exit(0)  # the asker has what it wanted, or has died


def _send(file: IO[bytes], value: Any) -> None:
    pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
    file.flush()
