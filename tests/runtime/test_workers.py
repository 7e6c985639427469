"""Work side by side: whatever happens to the workers, the results are those of one process, and no worker stays."""

import os
import signal
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from joblib import parallel_config
from joblib.externals.loky import reusable_executor
from threadpoolctl import threadpool_info

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import WorkersLost
from r2n.runtime.workers import LOOK_EVERY, MOST_POOLS, side_by_side
from r2n.search import Move

posix = pytest.mark.skipif(os.name != "posix", reason="kills processes by signals")
FEW: dict[str, Any] = {"network": NetworkSettings(restarts=2, epochs=40, gamma=0.85), "random_state": 0}


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not (status.exists() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z")


def wait_until(true: Callable[[], bool], seconds: float) -> bool:
    until = time.monotonic() + seconds
    while not true() and time.monotonic() < until:
        time.sleep(0.05)
    return true()


@posix
def test_what_a_dead_worker_had_is_done_again(tmp_path: Path) -> None:
    here, mark = os.getpid(), tmp_path / "died"

    def square(k: int) -> int:
        if k == 2 and os.getpid() != here and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return k * k

    with pytest.warns(WorkersLost, match=r"TerminatedWorkerError.*again by new workers") as caught:
        assert list(side_by_side(square, range(6), n_jobs=2)) == [0, 1, 4, 9, 16, 25]
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert mark.exists()


@posix
def test_what_kills_every_worker_is_done_here() -> None:
    here = os.getpid()

    def square(k: int) -> int:
        if k == 2 and os.getpid() != here:
            os.kill(os.getpid(), signal.SIGKILL)
        return k * k

    with pytest.warns(WorkersLost) as caught:
        assert list(side_by_side(square, range(4), n_jobs=2)) == [0, 1, 4, 9]
    assert 1 <= len(caught) <= MOST_POOLS
    assert len(str(caught[-1].message)) < 500


def test_what_fails_in_a_worker_alone_is_done_here_at_once() -> None:
    here = os.getpid()

    def square(k: int) -> int:
        if k == 2 and os.getpid() != here:
            raise MemoryError
        return k * k

    with pytest.warns(WorkersLost, match=r"MemoryError.*in this process") as caught:
        assert list(side_by_side(square, range(4), n_jobs=2)) == [0, 1, 4, 9]
    assert len(caught) == 1


def test_what_cannot_be_sent_is_done_here() -> None:
    locks = [threading.Lock() for _ in range(3)]
    with pytest.warns(WorkersLost, match=r"pickle.*in this process"):
        assert list(side_by_side(lambda lock: lock.locked(), locks, n_jobs=2)) == [False] * 3


def test_what_cannot_be_sent_back_is_done_here() -> None:
    with pytest.warns(WorkersLost, match="in this process"):
        assert len(list(side_by_side(lambda k: threading.Lock(), range(3), n_jobs=2))) == 3


def test_an_error_of_the_work_itself_is_raised() -> None:
    def failing(k: int) -> int:
        raise ValueError(f"no {k}")

    with pytest.warns(WorkersLost, match="ValueError"), pytest.raises(ValueError, match="no 0"):
        list(side_by_side(failing, range(3), n_jobs=2))


def test_where_no_process_can_be_started_this_one_works(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    X, y = example(4).sample(600, random_state=0)
    alone = R2NClassifier(**FEW).fit(X, y)
    if reusable_executor._executor is not None:
        reusable_executor._executor.shutdown(kill_workers=True)
    monkeypatch.setattr("joblib.externals.loky.backend.synchronize.SemLock.__init__", full)
    with pytest.warns(WorkersLost, match=r"No space left on device.*in this process"):
        model = R2NClassifier(**FEW, n_jobs=2).fit(X, y)
    assert model.rules_ == alone.rules_
    assert model.moves_ == alone.moves_


def test_iterators_are_gone_through_by_workers_and_lazy_here() -> None:
    seen = []

    def count(k: int) -> Iterator[int]:
        for i in range(k):
            seen.append(i)
            yield i

    apart = list(side_by_side(count, range(4), n_jobs=2))
    assert apart == [[], [0], [0, 1], [0, 1, 2]]
    assert not seen
    first = next(side_by_side(count, [3], n_jobs=2))
    assert (next(first), seen) == (0, [0])


@pytest.mark.parametrize("backend", ["threading", "multiprocessing", "sequential"])
def test_other_backends_give_the_same_rules(backend: str) -> None:
    X, y = example(4).sample(600, random_state=0)
    alone = R2NClassifier(**FEW).fit(X, y)
    before = [(each["filepath"], each["num_threads"]) for each in threadpool_info()]
    with parallel_config(backend=backend), warnings.catch_warnings():
        warnings.simplefilter("ignore", WorkersLost)  # multiprocessing hands nothing back as it comes
        model = R2NClassifier(**FEW, n_jobs=2).fit(X, y)
    assert model.moves_ == alone.moves_
    assert model.rules_ == alone.rules_
    assert [(each["filepath"], each["num_threads"]) for each in threadpool_info()] == before


def dying_once(mark: Path) -> Callable[..., Iterator[Any]]:
    """side_by_side, but the first worker that begins dies."""
    here = os.getpid()

    def fatal(function: Callable[[Any], Any], items: Any, n_jobs: int | None) -> Iterator[Any]:
        def run(item: Any) -> Any:
            if os.getpid() != here and not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
            return function(item)

        return side_by_side(run, items, n_jobs)

    return fatal


@pytest.mark.slow
@posix
def test_a_fit_whose_workers_die_gives_the_same_rules(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    X, y = example(4).sample(700, random_state=0, flip=0.1)
    alone = R2NClassifier(**FEW, n_jobs=1).fit(X, y)
    marks = [tmp_path / "tasks", tmp_path / "teacher"]
    for mark in marks:
        monkeypatch.setattr(f"r2n.search.{mark.name}.side_by_side", dying_once(mark))
    with pytest.warns(WorkersLost) as caught:
        model = R2NClassifier(**FEW, n_jobs=2).fit(X, y)
    assert {warning.filename for warning in caught} == {__file__}
    assert all(mark.exists() for mark in marks)
    assert model.moves_ == alone.moves_
    assert str(model.rules_) == str(alone.rules_)
    assert str(model.front_) == str(alone.front_)


@pytest.mark.slow
def test_an_error_in_a_callback_comes_through() -> None:
    def fail(event: object) -> None:
        if isinstance(event, Move):
            raise LookupError("the caller's own")

    X, y = example(4).sample(600, random_state=0)
    with pytest.raises(LookupError, match="the caller's own"):
        R2NClassifier(**FEW, n_jobs=2, callback=fail).fit(X, y)


@posix
def test_workers_end_when_nobody_waits_for_them(tmp_path: Path) -> None:
    def work(k: int) -> int:
        (tmp_path / str(os.getpid())).touch()
        time.sleep(60 if k else 1)
        return k

    def fail_on_the_first() -> None:
        for _ in side_by_side(work, range(4), n_jobs=2):
            raise LookupError("the caller's own")

    with pytest.raises(LookupError, match="the caller's own"):
        fail_on_the_first()
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert len(pids) == 2
    assert wait_until(lambda: not any(map(is_alive, pids)), 5.0)


def test_threads_end_when_nobody_waits_for_them() -> None:
    ended = threading.Event()

    def count(k: int) -> Iterator[int]:
        try:
            for i in range(1_000 if k else 1):
                yield i
                time.sleep(0.01)
        finally:
            if k:
                ended.set()

    with parallel_config(backend="threading"):
        arriving = side_by_side(count, range(2), n_jobs=2)
        next(arriving)
        arriving.close()  # type: ignore[attr-defined]
    assert ended.wait(3.0)


ORPHANS = """
import os, sys, time
from pathlib import Path
from r2n.runtime.workers import side_by_side
folder = Path(sys.argv[1])
def work(k):
    (folder / str(os.getpid())).touch()
    time.sleep({seconds})
    return k
for k in side_by_side(work, range(2), n_jobs=2):
    pass
(folder / "done").touch()
time.sleep(60)
"""


@posix
@pytest.mark.parametrize("seconds", [60, 0.3], ids=["busy", "idle"])
def test_workers_end_with_their_parent(tmp_path: Path, seconds: float) -> None:
    parent = subprocess.Popen([sys.executable, "-c", ORPHANS.format(seconds=seconds), str(tmp_path)])
    ready = tmp_path / "done"

    def pids() -> list[int]:
        return [int(path.name) for path in tmp_path.iterdir() if path.name.isdigit()]

    try:
        assert wait_until(lambda: len(pids()) == 2 or ready.exists(), 60.0)
        assert wait_until(lambda: seconds == 60 or ready.exists(), 30.0)
        assert all(map(is_alive, pids()))
    finally:
        parent.kill()
        parent.wait()
    assert wait_until(lambda: not any(map(is_alive, pids())), LOOK_EVERY + 4.0)


def test_results_are_numbers_of_rows_not_of_arrival() -> None:
    def slow_first(k: int) -> float:
        time.sleep(0.3 if k == 0 else 0.0)
        return float(np.sqrt(k))

    assert list(side_by_side(slow_first, range(5), n_jobs=2)) == [float(np.sqrt(k)) for k in range(5)]
