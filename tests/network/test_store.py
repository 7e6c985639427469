"""Compiled programs are kept between processes, and whatever is wrong with the files costs at most a compilation."""

import logging
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.stages import Lowered

from r2n.network import engine, store
from r2n.network.engine import compile_or_load, program_key
from r2n.network.store import DIGEST, Store

FIT = """
from r2n import NetworkSettings, R2NClassifier
import numpy as np
X = np.random.default_rng(0).random((300, 2))
short = NetworkSettings(restarts=1, epochs=3)
print(R2NClassifier(network=short, effort="quick", random_state=0).fit(X, X[:, 0] > 0.5).rules_)
"""


def fit_in(cache: Path, *flags: str) -> str:
    """The rules that a new interpreter finds with this cache folder, having said nothing else."""
    home = {"XDG_CACHE_HOME": str(cache), "HOME": str(cache)}
    words = [sys.executable, *flags, "-c", FIT]
    done = subprocess.run(words, env=os.environ | home, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.slow
def test_a_half_written_program_is_mended_without_a_word(tmp_path: Path) -> None:
    rules = fit_in(tmp_path, "-W", "error")
    (entry,) = (tmp_path / "r2n" / "programs").iterdir()
    whole = entry.stat().st_size
    half(entry)
    assert fit_in(tmp_path, "-W", "error") == rules
    assert entry.stat().st_size > 0.9 * whole
    kept = entry.stat().st_ino
    assert fit_in(tmp_path, "-W", "error") == rules
    assert entry.stat().st_ino == kept  # the third fit found it


@pytest.fixture
def lowered() -> Lowered:
    return jax.jit(lambda x: jnp.sin(x) * 2).lower(jax.ShapeDtypeStruct((3,), np.float32))


def run(lowered: Lowered, store: Store | None) -> list[float]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return np.asarray(compile_or_load(lowered, store, "1")(np.zeros(3, np.float32))).tolist()


def compilations(monkeypatch: pytest.MonkeyPatch) -> list[Lowered]:
    """Those that are made from now on."""
    made: list[Lowered] = []
    compile_ = Lowered.compile
    monkeypatch.setattr(Lowered, "compile", lambda self, *args: made.append(self) or compile_(self, *args))
    return made


def test_what_was_compiled_once_is_loaded(tmp_path: Path, lowered: Lowered, monkeypatch: pytest.MonkeyPatch) -> None:
    made = compilations(monkeypatch)
    kept = Store(tmp_path)
    assert run(lowered, kept) == run(lowered, kept) == [0.0] * 3
    assert len(made) == 1
    assert run(lowered, None) == [0.0] * 3
    assert len(made) == 2


@pytest.mark.parametrize("damage", ["half", "empty", "other bytes", "whole, but no program"])
def test_a_damaged_entry_is_written_anew(
    tmp_path: Path, lowered: Lowered, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    kept = Store(tmp_path)
    run(lowered, kept)
    (path,) = tmp_path.iterdir()
    if damage == "half":
        half(path)
    elif damage == "whole, but no program":
        kept.write(program_key(lowered, "1"), b"nonsense")
    else:
        path.write_bytes(b"" if damage == "empty" else b"x" * 1000)
    made = compilations(monkeypatch)
    for _ in range(3):
        assert run(lowered, kept) == [0.0] * 3
    assert len(made) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_a_program_is_known_by_its_text_versions_threads_and_processor(
    lowered: Lowered, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = jax.jit(jnp.cos).lower(jax.ShapeDtypeStruct((3,), np.float32))
    keys = {program_key(lowered, "1"), program_key(lowered, "2"), program_key(other, "1")}
    monkeypatch.setattr(engine, "processor", lambda: ("another",))
    keys.add(program_key(lowered, "1"))
    monkeypatch.setenv("XLA_FLAGS", "--another")
    keys.add(program_key(lowered, "1"))
    monkeypatch.setattr(engine, "version", lambda package: f"another {package}")
    keys.add(program_key(lowered, "1"))
    assert len(keys) == 6


def test_the_folder_has_a_bound_and_what_was_read_longest_ago_goes_first(tmp_path: Path) -> None:
    entry = DIGEST + 1011  # zlib adds 11 bytes to a thousand that it cannot pack
    kept = Store(tmp_path, most_bytes=3 * (entry + 20))
    rng = np.random.default_rng(0)
    for k, key in enumerate("abc"):
        kept.write(key, rng.bytes(1000))
        os.utime(tmp_path / f"{key}.program", (k, k))
    assert kept.read("a") is not None  # a is now the newest
    kept.write("d", rng.bytes(1000))
    assert {path.stem for path in tmp_path.iterdir()} == {"a", "c", "d"}
    (tmp_path / "jit_run-cache").write_bytes(bytes(5 * entry))  # of an earlier version; it counts too
    os.utime(tmp_path / "jit_run-cache", (9, 9))
    kept.write("e", rng.bytes(1000))
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= kept.most_bytes


def test_drafts_of_processes_that_died_are_removed_and_new_ones_left_alone(tmp_path: Path) -> None:
    for name, used in ((".draft-old", 1), (".draft-new", None)):
        (tmp_path / name).write_bytes(b"half")
        os.utime(tmp_path / name, None if used is None else (used, used))
    Store(tmp_path).write("a", b"program")
    assert {path.name for path in tmp_path.iterdir()} == {"a.program", ".draft-new"}


def test_every_step_of_writing_may_fail(tmp_path: Path, lowered: Lowered, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk, a folder that cannot be made, read or written: the program is compiled, and that is all."""
    full = OSError(28, "No space left on device")

    def fail(*_: object, **__: object) -> None:
        raise full

    places = [(Path, name) for name in ("mkdir", "replace", "iterdir", "read_bytes", "stat")]
    for owner, name in [*places, (tempfile, "mkstemp"), (os, "utime"), (Path, "unlink")]:
        folder = tmp_path / name
        Store(folder).write("another", b"kept before")
        with monkeypatch.context() as patch:
            patch.setattr(owner, name, fail)
            assert run(lowered, Store(folder)) == [0.0] * 3
            assert run(lowered, Store(folder)) == [0.0] * 3
        drafts = [path for path in folder.iterdir() if path.name.startswith(".draft-")]
        assert drafts == []
        assert run(lowered, Store(folder)) == [0.0] * 3


def test_a_file_where_the_folder_should_be(tmp_path: Path, lowered: Lowered) -> None:
    (tmp_path / "programs").write_bytes(b"")
    assert run(lowered, Store(tmp_path / "programs")) == [0.0] * 3


def test_what_others_may_write_is_not_run(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = Store(tmp_path)
    kept.write("a", b"program")
    tmp_path.chmod(0o777)
    with caplog.at_level(logging.DEBUG, logger="r2n"):
        assert kept.read("a") is None
    assert "others may write to it" in caplog.text


def test_without_a_home_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "user_cache_path", lambda name: Path("~") / name)
    assert store.user_store() is None


WRITE_OFTEN = """
import sys
from pathlib import Path
import numpy as np
from r2n.network.store import Store
folder, worker = sys.argv[1:]
kept, rng = Store(Path(folder), most_bytes=20_000), np.random.default_rng(int(worker))
entries = []
for _ in range(100):
    key = str(rng.integers(5))
    kept.write(key, key.encode() * 20_000 + rng.bytes(5_000))
    entries.append(kept.read(key))
assert {len(entry) for entry in entries if entry is not None} == {25_000}
"""


def test_processes_may_write_the_same_entries_at_once(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WRITE_OFTEN, str(tmp_path), str(k)]) for k in range(2)]
    assert [worker.wait(300) for worker in workers] == [0, 0]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".draft-")]
