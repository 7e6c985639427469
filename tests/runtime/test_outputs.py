"""Files are written whole or not at all: every step of writing is made to fail in turn."""

import contextlib
import errno
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from r2n import RuleSet, load
from r2n.errors import OutputError
from r2n.runtime import outputs
from r2n.runtime.outputs import DRAFT, check_writable, remove_leftovers, write_file

STEPS = ("open", "fstat", "fchown", "fchmod", "write", "fsync", "replace", "close", "unlink")
FAILURES: list[Callable[[], BaseException]] = [
    lambda: OSError(errno.ENOSPC, "No space left on device"),
    lambda: OSError(errno.EIO, "Input/output error"),
    KeyboardInterrupt,
]


class Faulty:
    """The module `os`, in which one call fails: the k-th of those that matter."""

    def __init__(self, at: int, fail: Callable[[], object]) -> None:
        self.at, self.fail, self.calls = at, fail, 0

    def __getattr__(self, name: str) -> Any:
        real = getattr(os, name)
        return self._counted(name, real) if name in STEPS else real

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                if name == "write":  # what a full disk still took
                    real(given[0], bytes(given[1])[:3])
                elif name == "close":  # which closes whatever it says
                    real(*given)
                self.fail()
            return real(*given, **named)

        return call


def raising(failure: Callable[[], BaseException]) -> Callable[[], object]:
    def fail() -> None:
        raise failure()

    return fail


def faults(fail: Callable[[], object]) -> Iterator[Faulty]:
    """A fault in the first step, then in the second, …, until writing ends before the one that would fail."""
    for at in range(1, 100):
        faulty = Faulty(at, fail)
        yield faulty
        if faulty.calls < at:
            assert at > 8
            return
    raise AssertionError("writing has more than a hundred steps")


@pytest.mark.parametrize("old", [b"the old one", None], ids=["replaced", "new"])
@pytest.mark.parametrize("failure", FAILURES, ids=["full", "broken", "ctrl-c"])
def test_whatever_fails_the_file_is_the_old_or_the_new_one(
    failure: Callable[[], BaseException], old: bytes | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    for faulty in faults(raising(failure)):
        path.unlink(missing_ok=True)
        if old is not None:
            path.write_bytes(old)
        may_be = {old, b"the new one"}
        with monkeypatch.context() as patched, contextlib.suppress(OSError, KeyboardInterrupt):
            patched.setattr(outputs, "os", faulty)
            write_file(path, b"the new one")
            may_be = {b"the new one"}  # who is told that it was written finds it
        assert (path.read_bytes() if path.exists() else None) in may_be
        remove_leftovers(str(tmp_path))  # where removing the draft itself failed
        assert os.listdir(tmp_path) in (["out"], [])


def test_models_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    old, new = RuleSet.parse("yes if x > 1 else no"), RuleSet.parse("yes if x > 2 else no")
    for faulty in faults(raising(FAILURES[0])):
        old.save(path)
        with monkeypatch.context() as patched, contextlib.suppress(OSError):
            patched.setattr(outputs, "os", faulty)
            new.save(path)
        assert load(path) in (old, new)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:os.fork", "ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_process_that_dies_leaves_a_draft_that_the_next_one_removes(tmp_path: Path) -> None:
    path, left = tmp_path / "out", 0
    for at in range(1, 100):
        path.write_bytes(b"the old one")
        child = os.fork()
        if child == 0:
            faulty = Faulty(at, lambda: os._exit(3))
            outputs.os = faulty  # type: ignore[assignment, attr-defined]
            write_file(path, b"the new one")
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert path.read_bytes() in (b"the old one", b"the new one")
        left += len(os.listdir(tmp_path)) - 1
        check_writable(path)
        assert os.listdir(tmp_path) == ["out"]
        if os.waitstatus_to_exitcode(status) == 0:
            break
    assert left >= 3


def test_a_draft_that_is_being_written_is_not_taken_for_a_leftover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    began, go_on = threading.Event(), threading.Event()
    fsync = os.fsync

    def slow(file: int) -> None:
        began.set()
        assert go_on.wait(10)
        fsync(file)

    monkeypatch.setattr(os, "fsync", slow)
    writer = threading.Thread(target=write_file, args=(tmp_path / "out", b"whole"))
    writer.start()
    assert began.wait(10)
    (draft,) = os.listdir(tmp_path)
    assert DRAFT.fullmatch(draft)
    remove_leftovers(str(tmp_path))
    assert os.listdir(tmp_path) == [draft]
    go_on.set()
    writer.join()
    assert (tmp_path / "out").read_bytes() == b"whole"


def test_only_drafts_are_removed(tmp_path: Path) -> None:
    names = [".r2n-notes.draft", "r2n-0123456789abcdef.draft", ".r2n-0123456789abcdef.draft.txt"]
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / ".r2n-0123456789abcde0.draft").mkdir()
    (tmp_path / ".r2n-0123456789abcdef.draft").touch()
    remove_leftovers(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted([*names, ".r2n-0123456789abcde0.draft"])


# -- who may read ------------------------------------------------------------------------------------


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o644, 0o666, 0o400])
def test_a_draft_is_never_more_open_than_the_file_it_replaces(
    mode: int, umask: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(mode)
    seen: list[int] = []

    class Watching(Faulty):
        def __getattr__(self, name: str) -> Any:
            real = getattr(os, name)

            def call(*given: Any, **named: Any) -> Any:
                result = real(*given, **named)
                seen.extend(stat.S_IMODE(each.stat().st_mode) for each in tmp_path.iterdir())
                return result

            return call if name in STEPS else real

    before = os.umask(umask)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(outputs, "os", Watching(0, lambda: None))
            write_file(path, b"new")
    finally:
        os.umask(before)
    assert len(seen) > 5
    assert all(each & ~mode & 0o077 == 0 for each in seen)
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_new_file_has_the_usual_mode(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_file(tmp_path / "out", b"")
    assert len({(tmp_path / name).stat().st_mode for name in ("usual", "out")}) == 1


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files away")
def test_the_owner_and_the_group_stay(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    os.chown(path, 1234, 2345)
    path.chmod(0o640)
    write_file(path, b"new")
    found = path.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1234, 2345, 0o640)


def test_a_group_that_cannot_be_kept_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    path.chmod(0o640)

    class Other:
        """An old file of another user and group, which are not ours to give."""

        def __getattr__(self, name: str) -> Any:
            return {"stat": self.stat, "fchown": self.fchown}.get(name) or getattr(os, name)

        def stat(self, path: str) -> os.stat_result:
            found = list(os.stat(path))
            return os.stat_result([*found[:4], found[4] + 1, found[5] + 1, *found[6:]])

        def fchown(self, *_: int) -> None:
            raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(outputs, "os", Other())
    write_file(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


# -- where nothing is written ------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [check_writable, lambda path: write_file(path, b"new")], ids=["check", "write"])
def test_what_is_no_file_is_refused_and_stays(ask: Callable[[Path], None], tmp_path: Path) -> None:
    pipe, dangling, loop, folder = (tmp_path / name for name in ("pipe", "dangling", "loop", "folder"))
    os.mkfifo(pipe)
    dangling.symlink_to("nowhere")
    loop.symlink_to("loop")
    folder.mkdir()
    before = sorted(os.listdir(tmp_path))
    for path in (pipe, dangling, loop, Path("/dev/null"), Path("/dev/full")):
        with pytest.raises(OutputError):
            ask(path)
    with pytest.raises(IsADirectoryError):
        ask(folder)
    with pytest.raises(FileNotFoundError):
        ask(tmp_path / "nowhere" / "out")
    assert sorted(os.listdir(tmp_path)) == before


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("there/real")
    (tmp_path / "other").symlink_to("link")
    write_file(tmp_path / "other", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "there" / "real").read_bytes() == b"new"
    assert os.listdir(tmp_path / "there") == ["real"]


@pytest.mark.skipif(sys.platform != "linux", reason="/proc is Linux's")
def test_a_folder_in_which_nothing_can_be_made_is_found_out_before() -> None:
    with pytest.raises(OSError, match="could not be written") as caught:
        check_writable("/proc/self/out")
    assert caught.value.filename == "/proc/self/out"
    assert ".draft" not in str(caught.value)


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits")
def test_no_room_is_found_out_before(tmp_path: Path) -> None:
    code = (
        "import resource, signal, sys\n"
        "from r2n.runtime.outputs import check_writable\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n"
        "check_writable(sys.argv[1])"
    )
    words = [sys.executable, "-c", code, str(tmp_path / "out")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "OSError" in done.stderr
    assert "File too large" in done.stderr
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such paths")
@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_a_stream_of_this_process_is_not_replaced(name: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("first line\n")
    words = [
        sys.executable,
        "-c",
        "import sys; from r2n.runtime.outputs import write_file; write_file(sys.argv[1], b'new')",
    ]
    with log.open("a") as stream:
        done = subprocess.run([*words, name], stdout=stream, stderr=subprocess.PIPE, text=True, check=False)
    assert "is a stream of this process" in done.stderr
    assert log.read_text() == "first line\n"


def test_a_file_like_a_private_one_is_private(tmp_path: Path) -> None:
    private, new = tmp_path / "model.json", tmp_path / "model.partial.json"
    private.write_bytes(b"old")
    private.chmod(0o600)
    new.write_bytes(b"open to all")
    new.chmod(0o644)
    write_file(new, b"content", like=private)
    assert (new.read_bytes(), new.stat().st_mode & 0o777) == (b"content", 0o600)
    write_file(tmp_path / "other", b"content", like=tmp_path / "nothing there")
    assert (tmp_path / "other").read_bytes() == b"content"


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="only root mounts; only Linux lists it")
def test_a_file_that_is_mounted_by_itself_is_refused_before(tmp_path: Path) -> None:
    real, bound = tmp_path / "real", tmp_path / "bound here"
    for path in (real, bound):
        path.write_bytes(b"old")
    mounted = subprocess.run(["mount", "--bind", str(real), str(bound)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        with pytest.raises(OutputError, match="mounted by itself"):
            check_writable(bound)
    finally:
        subprocess.run(["umount", str(bound)], check=True)
    check_writable(bound)


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root can be other users in turn")
def test_another_users_file_in_a_sticky_folder_is_refused_before(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    (folder / "theirs").write_bytes(b"old")
    os.chown(folder / "theirs", 12345, 12345)
    (folder / "theirs").chmod(0o666)
    for parent in (tmp_path, *tmp_path.parents[:3]):  # pytest's own folders are closed to others
        parent.chmod(parent.stat().st_mode | 0o055)
    code = (
        "import os, sys; from r2n.runtime.outputs import check_writable as check; os.setuid(54321); check(sys.argv[1])"
    )
    words = [sys.executable, "-c", code, str(folder / "theirs")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "is another user's, in a folder where only they may replace it" in done.stderr, done.stderr
    fresh = subprocess.run([*words[:-1], str(folder / "new")], capture_output=True, text=True, check=False)
    assert fresh.returncode == 0, fresh.stderr
