"""The kernels' machine code is kept for the next process; where it cannot be, or is broken, a fit goes on."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import r2n

FIT = """
import warnings
warnings.simplefilter("ignore")
from numba.core import event
from r2n import R2NClassifier
from r2n.datasets import example
from r2n.search import kernels

class Count(event.Listener):
    compiled = 0
    def on_start(self, started): self.compiled += 1
    def on_end(self, ended): pass

count = Count()
event.register("numba:compile", count)
X, y = example(4).sample(300, random_state=9)
rules = R2NClassifier(network=None, random_state=0, n_jobs=1, teacher=False).fit(X, y).rules_
print(count.compiled, rules)
"""


def fit(**place: str) -> tuple[int, str]:
    """How many functions were compiled, and the rules."""
    env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", **place}
    done = subprocess.run([sys.executable, "-c", FIT], env=env, capture_output=True, text=True, check=True)
    compiled, rules = done.stdout.split(" ", 1)
    return int(compiled), rules


@pytest.mark.slow
def test_what_is_kept_is_not_compiled_again_unless_it_is_broken(tmp_path: Path) -> None:
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    compiled, rules = fit(**place)
    assert compiled > 10
    assert fit(**place) == (0, rules)
    for ending, garbage in (("nbc", b"cut short"), ("nbi", b"cut short"), ("nbi", os.urandom(300)), ("nbi", b"")):
        for path in sorted(tmp_path.rglob(f"*.{ending}"))[:5]:
            path.write_bytes(path.read_bytes()[:100] if garbage == b"cut short" else garbage)
        compiled, again = fit(**place)
        assert (compiled > 0, again) == (True, rules)
        assert fit(**place) == (0, rules)


@pytest.mark.slow
def test_where_the_source_cannot_be_written_to_the_users_cache_keeps_it(tmp_path: Path) -> None:
    source = tmp_path / "source"
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(r2n.__file__).parent, source / "r2n", ignore=ignore)
    (source / "r2n" / "search" / "__pycache__").touch()  # a file: nobody can make the folder, not even root
    home = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONPATH": str(source)}
    _, rules = fit(**home)
    assert list((tmp_path / "cache").rglob("*.nbc"))
    assert fit(**home) == (0, rules)
    nowhere = {**home, "XDG_CACHE_HOME": os.devnull, "HOME": os.devnull}
    compiled, again = fit(**nowhere)
    assert (compiled > 10, again) == (True, rules)
