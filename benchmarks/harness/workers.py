"""Cases run side by side, each in a process that is killed when its time is over."""

import multiprocessing
import os
import signal
import traceback
from collections.abc import Callable, Generator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, wait
from queue import Empty, SimpleQueue
from threading import Thread

from benchmarks.harness.case import Case
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import made_by

# One thread a fit: threads that wait for each other make fits that run side by side many times as slow.
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")  # read by the processes started below

CONTEXT = multiprocessing.get_context("spawn")  # a fork of a process that has started JAX hangs
Work = Callable[[], Record]


def run_all(cases: Sequence[Case], jobs: int) -> Generator[Record, None, None]:
    """The records of all cases, as they come."""
    waiting: SimpleQueue[Case] = SimpleQueue()
    done: SimpleQueue[Record | BaseException] = SimpleQueue()
    for case in cases:
        waiting.put(case)
    workers = [Worker() for _ in range(min(jobs, len(cases)))]
    try:
        for worker in workers:
            Thread(target=_work_off, args=(worker, waiting, done), daemon=True).start()
        for _ in cases:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        for worker in workers:
            worker.close()


def _work_off(worker: "Worker", waiting: "SimpleQueue[Case]", done: "SimpleQueue[Record | BaseException]") -> None:
    try:
        with suppress(Empty):
            while True:
                done.put(worker.run(waiting.get_nowait()))
    except BaseException as error:  # raised again where the records are waited for
        done.put(error)


class Worker:
    """A process that runs one case after another; a new one is started after one had to be killed."""

    def __init__(self) -> None:
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._used = False
        self.here, there = CONTEXT.Pipe()
        # No daemon: those may not start processes, as fits with `n_jobs` do.
        self.process = CONTEXT.Process(target=_serve, args=(there,))
        self.process.start()
        there.close()  # so that the end of the process is noticed here

    def run(self, case: Case) -> Record:
        """Its record; if it took too long or failed, a record that says so."""
        if case.alone and self._used:
            self._restart()
        self._used = True
        try:
            self.here.send(case.work)
            if self.here.poll(case.limit):
                found: Record = self.here.recv()
                return case.told | found
            failure: Record = {"timed_out": case.limit}
        except (EOFError, OSError):  # it ended, before or after it was told what to run
            self.process.join()
            failure = {"failed": f"the process ended with exit code {self.process.exitcode}"}
        self._restart()
        return case.told | failure

    def _restart(self) -> None:
        self.stop()
        if not self._closed:
            self._start()

    def stop(self) -> None:
        """End it, and the processes that it started: they are of its group."""
        assert self.process.pid is not None
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()  # also if it was too young to have a group
        self.process.join()

    def close(self) -> None:
        """End it for good."""
        self._closed = True
        self.stop()


def _serve(pipe: Connection) -> None:
    os.setpgid(0, 0)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C is the parent's, which ends this
    Thread(target=_end_with_parent, daemon=True).start()
    while True:
        work: Work = pipe.recv()
        try:
            pipe.send({"made_by": made_by()} | work())  # work that was done elsewhere says itself by whom
        except Exception as error:  # a case that fails is a result, and shown as such
            traceback.print_exc()
            pipe.send({"failed": f"{type(error).__name__}: {error}"})


def _end_with_parent() -> None:
    """A run that is killed cannot stop its processes: they would go on beside the next one."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os.killpg(0, signal.SIGKILL)
