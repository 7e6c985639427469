"""A forked child has none of its parent's threads: nothing in it may wait for them."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from r2n.errors import EngineUnavailable
from r2n.network import Cooling, Halfspaces, Network, Penalties, Rows, Settings, Training, apart
from r2n.network.apart import TrainingApart, start_training
from r2n.runtime import forks

HUNG = 300  # seconds; a child that waits for a thread waits for ever

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks here")

COMMON = """
import multiprocessing, os, sys, warnings
warnings.simplefilter("ignore")  # JAX warns of forks

def noisy_rows():
    import numpy as np
    from r2n.datasets import example
    X, y = example(1).sample(600, random_state=0)
    return X, y ^ (np.random.default_rng(0).random(600) < 0.15)

def fitted(**options):
    from r2n import NetworkSettings, R2NClassifier
    small = {"network": NetworkSettings(restarts=1, epochs=8, gamma=0.6), "effort": "quick", "random_state": 0}
    return str(R2NClassifier(**small | options).fit(*noisy_rows()).rules_)

def in_a_child(work):
    read, write = os.pipe()
    if os.fork() == 0:
        try:
            os.write(write, str(work()).encode())
        finally:
            os._exit(0)
    os.close(write)
    os.wait()
    with os.fdopen(read) as answer:
        return answer.read()
"""


def output_of(script: str) -> str:
    words = [sys.executable, "-c", COMMON + script]
    done = subprocess.run(words, capture_output=True, text=True, timeout=HUNG, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_after_a_fit_in_the_parent_a_forked_child_fits_the_same_rules() -> None:
    said = output_of("""
mine = fitted()
print(in_a_child(fitted) == mine != "")
def worker(_):
    return fitted()
with multiprocessing.get_context("fork").Pool(1) as pool:  # a worker that may have no children of multiprocessing's
    print(pool.map(worker, [0]) == [mine])
""")
    assert said.split() == ["True"] * 2


@pytest.mark.slow
def test_what_needs_no_network_starts_no_process_in_a_forked_child() -> None:
    said = output_of("""
from r2n import NetworkSettings, R2NClassifier
X, y = noisy_rows()
model = R2NClassifier(network=NetworkSettings(restarts=1, epochs=5), effort="quick", random_state=0).fit(X, y)
import subprocess
subprocess.Popen = None
print(in_a_child(lambda: model.predict(X).tolist() == model.predict(X).tolist()))
print(in_a_child(lambda: R2NClassifier(time_limit=1, random_state=0).fit(X, y).rules_.n_rules > 0))
""")
    assert said.split() == ["True", "True"]


@pytest.mark.slow
def test_a_parent_that_only_imported_leaves_jax_to_the_child() -> None:
    said = output_of("""
from r2n import R2NClassifier
from r2n.runtime.forks import LOST
print(in_a_child(lambda: bool(fitted()) and not LOST.jax))
""")
    assert said.split() == ["True"]


@pytest.mark.slow
def test_a_parent_that_used_jax_and_knew_nothing_of_r2n() -> None:
    said = output_of("""
import jax.numpy
jax.numpy.ones(3).sum().block_until_ready()
assert "r2n" not in sys.modules
print(bool(in_a_child(fitted)))
""")
    assert said.split() == ["True"]


@pytest.mark.slow
def test_joblibs_workers_and_the_teachers_threads_stay_with_the_parent() -> None:
    said = output_of("""
options = {"teacher": True, "n_jobs": 2, "effort": "quick", "time_limit": None}
mine = fitted(**options)
print(in_a_child(lambda: fitted(**options)) == mine != "")
""")
    assert said.split() == ["True"]


def test_in_a_forked_child_the_solver_gets_a_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS waits for ever for helpers of the main thread that stayed in the parent, where there are 4 processors."""
    assert forks.with_own_threads(threading.get_ident) == threading.get_ident()
    monkeypatch.setattr(forks.LOST, "forked", True)
    assert forks.with_own_threads(threading.get_ident) != threading.get_ident()
    with pytest.raises(ZeroDivisionError):
        forks.with_own_threads(lambda: 1 // 0)


def test_every_call_of_the_solver_is_made_with_its_own_threads() -> None:
    texts = [path.read_text(encoding="utf-8") for path in Path(forks.__file__).parents[1].rglob("*.py")]
    calling = [text for text in texts if re.search(r"import .*\b(milp|linprog)\b", text)]
    assert len(calling) >= 3
    assert all("= with_own_threads(" in text for text in calling)


# -- the network, apart ------------------------------------------------------------------------------------------------

NETWORK = Network(Halfspaces(3, 4), n_given=0, n_rules=5)
SETTINGS = Settings(Penalties(1e-3, 1e-3, 1e-3), Cooling(1.0, 0.9, 1e-3), 1e-2, 32, epochs=40, restarts=2)


def work() -> tuple:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(20_000, 3)).astype("f4")
    nothing = np.zeros((len(x), 0), dtype=bool)
    rows = Rows(x, nothing, nothing, (x[:, 0] > 0).astype("f4"), np.ones(len(x), "f4"))
    return NETWORK, SETTINGS, rows, np.arange(len(x)), np.arange(500), 7


def test_apart_the_network_learns_what_it_learns_here(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(start_training(*work()), Training)
    monkeypatch.setattr(forks.LOST, "jax", True)
    here, there = Training(*work()), start_training(*work())
    assert isinstance(there, TrainingApart)
    assert list(here) == list(there)
    for mine, other in zip(here.best(), there.best(), strict=True):
        assert (mine.score, mine.temperature) == (other.score, other.temperature)
        np.testing.assert_array_equal(mine.params.u, other.params.u)


def test_left_early_the_other_process_ends_and_the_best_so_far_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    started = []
    start = apart._start_interpreter
    monkeypatch.setattr(apart, "_start_interpreter", lambda there: started.append(start(there)) or started[-1])
    training = TrainingApart(*work())
    for record in training:
        assert record.epoch == 0
        break
    assert started[0].wait(10) is not None
    assert len(training.best()) == 2


def test_where_no_process_can_be_had_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    for executable, problem in {"/no/such/python": "could not be started", "/bin/false": "ended early"}.items():
        monkeypatch.setattr(apart, "get_executable", lambda executable=executable: executable)
        with pytest.raises(EngineUnavailable, match=rf"{problem} .*'spawn' or 'forkserver'"):
            list(TrainingApart(*work()))
