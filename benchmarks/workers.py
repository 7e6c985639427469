"""Cells run side by side, each in a process that is killed when its time is over."""

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any

from benchmarks.protocol import Cell

# One thread a fit: threads that wait for each other make fits that run side by side many times as slow.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read by the processes started below

CONTEXT = multiprocessing.get_context("spawn")  # a fork of a process that has started JAX hangs
Trial = Callable[[Cell], dict[str, Any]]


def run_all(cells: list[Cell], jobs: int, trial: Trial) -> Iterator[dict[str, Any]]:
    """The records of all cells, as they come."""
    waiting: SimpleQueue[Cell] = SimpleQueue()
    done: SimpleQueue[dict[str, Any] | BaseException] = SimpleQueue()
    for cell in cells:
        waiting.put(cell)
    for _ in range(jobs):
        Thread(target=_work_off, args=(waiting, done, trial), daemon=True).start()
    for _ in cells:
        found = done.get()
        if isinstance(found, BaseException):
            raise found
        yield found


def _work_off(waiting: "SimpleQueue[Cell]", done: "SimpleQueue[dict[str, Any] | BaseException]", trial: Trial) -> None:
    try:
        worker = Worker(trial)
        with suppress(Empty):
            while True:
                done.put(worker.run(waiting.get_nowait()))
        worker.stop()
    except BaseException as error:  # raised again where the records are waited for
        done.put(error)


class Worker:
    """A process that runs one cell after another; a new one is started after one had to be killed."""

    def __init__(self, trial: Trial) -> None:
        self.trial = trial
        self._start()

    def _start(self) -> None:
        self.here, there = CONTEXT.Pipe()
        self.process = CONTEXT.Process(target=_serve, args=(there, self.trial), daemon=True)
        self.process.start()
        there.close()  # so that the end of the process is noticed here

    def run(self, cell: Cell) -> dict[str, Any]:
        """Its record; if it took too long or failed, a record that says so."""
        try:
            self.here.send(cell)
            if self.here.poll(cell.limit):
                return asdict(cell) | self.here.recv()
            failure: dict[str, Any] = {"timed_out": cell.limit}
        except (EOFError, OSError):  # it ended, before or after it was told what to run
            self.process.join()
            failure = {"failed": f"the process ended with exit code {self.process.exitcode}"}
        self.stop()
        self._start()
        return asdict(cell) | {"settings": cell.settings} | failure

    def stop(self) -> None:
        self.process.kill()
        self.process.join()


def _serve(pipe: Connection, trial: Trial) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's, which ends this
    while True:
        cell = pipe.recv()
        try:
            pipe.send(trial(cell))
        except Exception as error:  # a cell that fails is a result, and shown as such
            traceback.print_exc()
            pipe.send({"failed": f"{type(error).__name__}: {error}"})


def _end_with_parent() -> None:
    """A run that is killed cannot stop its processes: they would go on beside the next one."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
