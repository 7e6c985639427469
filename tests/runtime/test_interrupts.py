"""A Ctrl-C at any moment: the best so far with a warning, or KeyboardInterrupt if there is none; no worker stays."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import Interrupted
from r2n.learn.interruption import NOT_BEGUN, describe_interruption
from r2n.learn.learned import Learned
from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts, hold_interrupts
from r2n.search import Move

QUICK: dict[str, Any] = {"effort": "quick", "network": NetworkSettings(restarts=1, epochs=20), "random_state": 0}


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def three_classes() -> tuple[Any, Any]:
    X = np.arange(90.0)[:, None]
    return X, np.repeat(["a", "b", "c"], 30)


# -- holding ------------------------------------------------------------------------------------


def test_two_wait_and_the_third_raises() -> None:
    with hold_interrupts() as ctrl_c:
        press()
        assert ctrl_c.take()
        assert not ctrl_c.take()
        press()
        press()
        with pytest.raises(KeyboardInterrupt):
            press()
        assert not ctrl_c.take()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_waits_is_raised_at_the_end_or_where_it_may_be() -> None:
    def held() -> None:
        with hold_interrupts():
            press()
            seen.append("after")

    seen: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        held()
    assert seen == ["after"]
    with hold_interrupts() as ctrl_c:
        press()
        with pytest.raises(KeyboardInterrupt), allow_interrupts():
            seen.append("not reached")
        with pytest.raises(KeyboardInterrupt), allow_interrupts():
            press()
        assert not ctrl_c.take()
    assert seen == ["after"]


def test_workers_are_ended_in_peace() -> None:
    """After the Ctrl-C that ends the work, more of them wait until what it started has been cleaned up."""
    seen: list[str] = []

    def work() -> None:
        with allow_interrupts():
            try:
                press()
            finally:
                with hold_interrupts(inf):
                    for _ in range(5):
                        press()
                    seen.append("cleaned up")

    with hold_interrupts(), pytest.raises(KeyboardInterrupt):
        work()
    assert seen == ["cleaned up"]


def test_other_handlers_and_threads_are_left_alone() -> None:
    def own(number: int, frame: object) -> None:
        seen.append(number)

    seen: list[int] = []
    before = signal.signal(signal.SIGINT, own)
    try:
        with hold_interrupts() as ctrl_c, allow_interrupts():
            press()
        assert seen == [signal.SIGINT]
        assert not ctrl_c.take()
    finally:
        signal.signal(signal.SIGINT, before)

    def in_thread() -> None:
        with hold_interrupts(), allow_interrupts():
            handlers.append(signal.getsignal(signal.SIGINT))

    handlers: list[object] = []
    thread = threading.Thread(target=in_thread)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


# -- fitting ------------------------------------------------------------------------------------


def pressing(monkeypatch: pytest.MonkeyPatch, target: str, when: int = 1) -> None:
    """Press Ctrl-C as the target is called for the so manieth time."""
    module, name = target.rsplit(".", 1)
    real: Callable[..., Any] = getattr(import_module(module), name)
    calls: list[int] = []

    def pressed(*args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) == when:
            press()
        return real(*args, **kwargs)

    monkeypatch.setattr(target, pressed)


STAGES = [
    ("r2n.learn.network.extract", "interrupted before refining"),
    ("r2n.learn.pipeline.choose_restart", "interrupted before refining"),
    ("r2n.search.sample.draw_rows", "interrupted before refining"),
    ("r2n.search.explore.carry_out", "interrupted while refining"),
    ("r2n.search.choose.choose_plain", "interrupted while refining"),
    ("r2n.search.finish.refit", "interrupted while refining"),
    ("r2n.search.finish.with_short_numbers", "interrupted while refining"),
    ("r2n.search.shorten.round_predictions", "interrupted while refining"),
    ("r2n.estimator.learning.forget_unread", "interrupted when all rules were found"),
]


@pytest.mark.parametrize(("stage", "words"), STAGES)
def test_at_every_stage_the_best_so_far_is_kept(monkeypatch: pytest.MonkeyPatch, stage: str, words: str) -> None:
    X, y = example(4).sample(500, random_state=0)
    pressing(monkeypatch, stage)
    with pytest.warns(Interrupted, match=words) as caught:
        model = R2NClassifier(**QUICK).fit(X, y)
    assert caught[0].filename == __file__
    assert model.score(X, y) > 0.5
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("effort", ["none", "quick"])
def test_a_ctrl_c_before_anything_was_found_is_raised(monkeypatch: pytest.MonkeyPatch, effort: str) -> None:
    X, y = example(4).sample(500, random_state=0)
    pressing(monkeypatch, "r2n.learn.network.train_network")
    model = R2NClassifier(**{**QUICK, "effort": effort})
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert not hasattr(model, "rules_")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize(
    ("stage", "when", "words"),
    [
        ("r2n.learn.pipeline.learn_class", 2, r"between classes; finished: 'a'; without rules: 'b', 'c'\."),
        ("r2n.learn.network.train_network", 3, r"between classes; finished: 'a', 'b'; without rules: 'c'\."),
        ("r2n.learn.pipeline.screen_columns", 2, r"between classes; finished: 'a'; without rules: 'b', 'c'\."),
        ("r2n.search.choose.choose_plain", 2, r"while refining \(class 'b', .*\); finished: 'a'; without rules: 'c'\."),
        ("r2n.learn.picks.group_rows", 1, r"interrupted when all rules were found; none is missing\."),
    ],
)
def test_classes_that_are_done_are_kept(monkeypatch: pytest.MonkeyPatch, stage: str, when: int, words: str) -> None:
    X, y = three_classes()
    whole = R2NClassifier(**QUICK).fit(X, y)
    pressing(monkeypatch, stage, when)
    with pytest.warns(Interrupted, match=words) as caught:
        model = R2NClassifier(**QUICK).fit(X, y)
    assert len(caught) == 1
    assert model.rules_["a"].rules == whole.rules_["a"].rules  # type: ignore[index]
    assert model.predict_proba(X).shape == (90, 3)
    assert model.score(X, y) >= 0.6
    assert RuleSet.parse(str(model.rules_["a"])).label == "a"  # type: ignore[index]


def test_twice_in_a_row_keeps_the_best_and_three_times_stops_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = example(4).sample(500, random_state=0)
    pressing(monkeypatch, "r2n.search.explore.carry_out")
    pressing(monkeypatch, "r2n.search.choose.choose_plain")
    with pytest.warns(Interrupted, match="interrupted while refining"):
        model = R2NClassifier(**QUICK).fit(X, y)
    assert model.score(X, y) > 0.5
    monkeypatch.setattr("r2n.learn.picks.count_rules", lambda *_: [press() for _ in range(3)])
    with pytest.raises(KeyboardInterrupt):
        R2NClassifier(**QUICK).fit(X, y)


def test_many_classes_make_no_long_message() -> None:
    blank = RuleSet(())
    learned = {f"class {k}": Learned(blank, blank, interrupted=NOT_BEGUN if k else "") for k in range(999)}
    words = describe_interruption(learned, late=False)
    assert len(words) < 300
    assert words.endswith("'class 10', ….")


def test_ctrl_c_while_others_work_ends_them() -> None:
    pressed: list[bool] = []

    def impatient(event: object) -> None:
        if isinstance(event, Move) and not pressed:
            pressed.append(True)
            press()

    X, y = example(4).sample(500, random_state=0)
    few: dict[str, Any] = {"network": NetworkSettings(restarts=2, epochs=20), "random_state": 0}
    with pytest.warns(Interrupted, match="interrupted while refining"):
        model = R2NClassifier(**few, n_jobs=2, callback=impatient).fit(X, y)
    assert model.score(X, y) > 0.5
    assert len(model.moves_) == 1


# -- at random times, from outside ---------------------------------------------------------------

FIT = """
import signal, sys, warnings
import numpy as np
from r2n import NetworkSettings, R2NClassifier
from r2n.errors import Interrupted

rng = np.random.default_rng(0)
X = rng.random((600, 4))
y = np.array(["a", "b", "c"])[(X[:, 0] > 0.5).astype(int) + (X[:, 1] + X[:, 2] > 1.2)]
seen = []
short = NetworkSettings(restarts=2, epochs=40, gamma=0.85)
m = R2NClassifier(network=short, effort=sys.argv[1], n_jobs=2, random_state=0, callback=seen.append)
print("begun", flush=True)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    try:
        m.fit(X, y)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print("nothing" if not seen else f"lost {len(seen)}", flush=True)
    else:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        assert m.predict_proba(X).shape == (600, 3)
        print("interrupted" if any(issubclass(w.category, Interrupted) for w in caught) else "done", flush=True)
"""


def state_and_parent(pid: int) -> tuple[str, int]:
    """A process's state, Z if it is no more, and its parent."""
    try:
        state, parent = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[:2]
    except OSError:
        return "Z", 0
    return state, int(parent)


def children_of(pid: int) -> list[int]:
    """Running processes that it started, and theirs."""
    every = [int(path.name) for path in Path("/proc").glob("[0-9]*")]
    own = [each for each in every if state_and_parent(each)[1] == pid and is_running(each)]
    return [found for each in own for found in (each, *children_of(each))]


def is_running(pid: int) -> bool:
    return state_and_parent(pid)[0] != "Z"


# What comes while JAX's hook of the garbage collector runs is lost there, and Python prints it.
SWALLOWED = re.compile(r"Exception ignored in: <function _xla_gc_callback.*?KeyboardInterrupt: ?\n", re.DOTALL)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
@pytest.mark.parametrize("effort", ["quick", "default"])
@pytest.mark.parametrize("seed", range(10))
def test_ctrl_c_at_any_time_has_one_of_two_outcomes(effort: str, seed: int) -> None:
    rng = random.Random(seed)
    command = [sys.executable, "-c", FIT, effort]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, start_new_session=True, **pipes) as fit:
        assert fit.stdout.readline() == "begun\n"
        time.sleep(rng.uniform(0.0, 15.0))
        started = children_of(fit.pid)
        for _ in range(rng.choice([1, 1, 2])):
            if fit.poll() is None:
                os.killpg(fit.pid, signal.SIGINT)  # as a terminal does: the workers get it too
            time.sleep(rng.uniform(0.0, 0.5))
        started += children_of(fit.pid)
        out, err = fit.communicate(timeout=60)
    assert out.strip() in {"nothing", "interrupted", "done"}
    assert "Traceback" not in SWALLOWED.sub("", err)
    time.sleep(1.5)
    assert not any(map(is_running, started))
