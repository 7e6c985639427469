"""The progress bar: what it says while it learns, and how it fits a narrow terminal."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import time
from types import SimpleNamespace
from typing import Self

import numpy as np
import pytest

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.prove.diff import RowDiff
from r2n.runtime.progress import Part, ProgressBar, RefineBar, tell_time


def record(loss: float, *found: tuple[float, int]) -> SimpleNamespace:
    return SimpleNamespace(
        loss=(loss,) * len(found), error=tuple(e for e, _ in found), n_rules=tuple(n for _, n in found)
    )


class Drawn(list[tuple[float, str]]):
    """What a bar would have drawn."""

    def update(self, task: object, completed: float, description: str) -> None:
        self.append((completed, description))


def test_the_empty_rule_set_is_no_news() -> None:
    bar = ProgressBar(4, shown=False)
    bar._bar = seen = Drawn()
    for each in (
        record(0.71, (0.45, 0), (0.45, 0)),
        record(0.64, (0.45, 0), (0.61, 2)),
        record(0.52, (0.45, 0), (0.38, 1)),
        record(0.49, (0.45, 0), (0.41, 3)),
    ):
        bar.update(each)
    assert [text for _, text in seen] == [
        "no rules yet, loss 0.710",
        "error 0.610, 2 rules, loss 0.640",
        "error 0.380, 1 rule, loss 0.520",
        "error 0.380, 1 rule, loss 0.490",
    ]
    assert [share for share, _ in seen] == [0.25, 0.5, 0.75, 1.0]


def test_one_bar_goes_through_all_classes() -> None:
    shares = []
    for k in range(3):
        part = Part(k, 3, time.monotonic())
        training, refining = ProgressBar(2, False, part, 0.5), RefineBar(2, False, part, 0.5)
        assert training._title == f"class {k + 1} of 3: training"
        training._bar = refining._bar = seen = Drawn()
        for _ in range(2):
            training.update(record(0.5, (0.4, 1)))
        for begins in (True, False, True):
            refining.update(SimpleNamespace(begins=begins, objective=0.2, error=0.1, size=1))
        assert seen[2][1] == "error 0.100, size 1, 1 move"
        shares += [share for share, _ in seen]
    assert shares == sorted(shares)
    assert shares[0] == pytest.approx(1 / 12)
    assert shares[-1] == pytest.approx(11 / 12)


def test_the_estimator_tells_the_bar_which_class_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    from r2n.learn import network as learn

    titles = []

    class Watched(ProgressBar):
        def __enter__(self) -> Self:
            titles.append(self._title)
            return self

    monkeypatch.setattr(learn, "ProgressBar", Watched)
    X = np.random.default_rng(0).random((60, 1))
    model = R2NClassifier(network=NetworkSettings(epochs=1, restarts=1), effort="none", random_state=0)
    model.fit(X, np.digitize(X[:, 0], [0.3, 0.6]))
    assert titles == [f"class {k} of 3: training" for k in (1, 2, 3)]


def test_the_time_grows_from_the_first_class_on() -> None:
    assert tell_time(35, 0.01) == "0:35"
    assert tell_time(35, 0.5) == "0:35 of 1:10"


CODE = """
import time
from types import SimpleNamespace
from typing import Self
from r2n.runtime.progress import Part, ProgressBar
part = Part(11, 26, time.monotonic() - 3_700)
with ProgressBar(100, True, part, 0.5) as bar:
    for k in range(50):
        bar.update(SimpleNamespace(loss=(0.123,), error=(0.25,), n_rules=(1,)))
    time.sleep(0.3)
"""


@pytest.mark.parametrize(("width", "news"), [(60, "erro"), (80, "error 0.250, 1 rule, l"), (120, "loss 0.123")])
def test_the_time_is_never_cut(width: int, news: str) -> None:
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    environment |= {"TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-c", CODE], stderr=far, stdout=far, env=environment)
    os.close(far)
    said = b""
    while True:
        try:
            said += os.read(near, 10_000)
        except OSError:  # the other end is closed
            break
    os.close(near)
    assert process.wait() == 0
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said.decode()).replace("\r", "\n").splitlines()
    told = [line for line in lines if news in line]
    assert told
    assert all(re.match(r"class 12 of 26: training \S+ +1:01:4\d of 2:22:\d\d ", line) for line in told), told
    assert all(len(line.rstrip()) <= width for line in told)


def test_one_thing_is_not_many() -> None:
    assert "1 rule, 1.0 literals each, size 1<" in RuleSet.parse("yes if x > 1 else no")._repr_html_()
    assert "2 rules, " in RuleSet.parse("yes if x > 1 or y > 2 else no")._repr_html_()
    one = RowDiff.between(np.array(["a", "b"]), np.array(["a", "a"]))
    assert str(one) == "1 of 2 rows is decided differently: 1 b → a\nrow 1"
