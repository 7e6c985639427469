"""Files that are written whole or not at all: models, predictions, exports.

A file is written as a draft beside the place where it is to stand, brought to the disk, and then renamed. So a reader
sees the old file or the new one, never a half, whatever fails in between.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator

from r2n.errors import OutputError

if sys.platform != "win32":
    import fcntl

# Nobody else's files are called so: what is left of them after a crash is removed.
DRAFT = re.compile(r"\.r2n-[0-9a-f]{16}\.draft")
TRIED_BYTES = 4096  # what is written to find out whether there is room at all
STREAMS = re.compile(r"/dev/fd|/proc/[^/]+/(task/[^/]+/)?fd")

Name = str | os.PathLike[str]


def write_file(path: Name, content: bytes, like: Name | None = None) -> None:
    """Write a file; on failure the old one, if any, is untouched and nothing is left behind.

    Parameters
    ----------
    path : str or path
        Where to write. A link is followed to the file that it leads to. Who may read or write an old file stays as it
        was, at every moment.
    content : bytes
        The whole content.
    like : str or path, optional
        A file whose mode and owner the new one gets, if it is there; by default that of the old file.

    Raises
    ------
    OutputError
        If this is a pipe, a device, a stream of this process, or a link that leads nowhere.
    OSError
        If this is a folder, or in none, or if writing fails.
    """
    target = find_target(path)
    remove_leftovers(os.path.dirname(target))
    with _about(path), _draft(target, target if like is None else os.path.realpath(like)) as (file, draft):
        _write_all(file, content)
        os.fsync(file)
        os.replace(draft, target)
    with _about(path, "was written, but the disk did not confirm it"):
        _sync_folder(os.path.dirname(target))


def check_writable(path: Name) -> None:
    """Find out whether `write_file` could write there, by writing a draft; raises what that would raise."""
    target = find_target(path)
    remove_leftovers(os.path.dirname(target))
    with _about(path), _draft(target, target) as (file, _):
        _write_all(file, bytes(TRIED_BYTES))


def find_target(path: Name) -> str:
    """Find the file that a path leads to, which need not exist; refuse what no file can replace."""
    if _is_stream(path):
        raise OutputError(f"{path} is a stream of this process, which a file would replace. Give the name of a file.")
    target = os.path.realpath(path)
    if os.path.islink(path) and not os.path.exists(target):
        raise OutputError(f"{path} is a link to {os.readlink(path)}, which is not there. Give the name of a file.")
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "is a folder. Give the name of a file", str(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise OutputError(f"{path} is a pipe or a device, which a file would replace. Give the name of a file.")
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, "cannot be written: its folder is not there. Make it first", str(path))
    if _is_mounted(target):
        raise OutputError(f"{path} is mounted by itself, so nothing can replace it. Mount its folder, or name another.")
    if _is_others_in_sticky(target, folder):
        raise OutputError(f"{path} is another user's, in a folder where only they may replace it. Name another file.")
    return target


def _is_mounted(target: str) -> bool:
    """Whether a file is a mount point, which no rename replaces."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
            places = {line.split(" ")[4] for line in lines}
    except OSError:
        return False  # a system without this list; then the last step tells
    escaped = target.replace("\\", r"\134").replace(" ", r"\040").replace("\t", r"\011").replace("\n", r"\012")
    return escaped in places


def _is_others_in_sticky(target: str, folder: str) -> bool:
    if sys.platform == "win32" or os.geteuid() == 0 or not os.path.exists(target):
        return False
    place, old = os.stat(folder), os.stat(target)
    return bool(place.st_mode & stat.S_ISVTX) and os.geteuid() not in (place.st_uid, old.st_uid)


def remove_leftovers(folder: str) -> None:
    """Remove drafts that a crash left in a folder. A draft that is being written is locked, and stays."""
    with contextlib.suppress(OSError):  # who may not look into the folder may still write there
        for name in filter(DRAFT.fullmatch, os.listdir(folder)):
            _remove_if_left(os.path.join(folder, name))


# -- drafts ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _draft(target: str, like: str) -> Iterator[tuple[int, str]]:
    """Open a new locked file beside the target, with another file's mode; remove it later unless it was renamed."""
    # Of what replaces a file nobody else reads a byte before it has that file's mode.
    mode = 0o600 if os.path.exists(like) else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        draft = os.path.join(os.path.dirname(target), f".r2n-{secrets.token_hex(8)}.draft")
        file = os.open(draft, flags, mode)
        try:
            _lock(file)
            if sys.platform == "win32" or os.fstat(file).st_nlink:  # else another process took it for a leftover
                _give_away(file, like)
                yield file, draft
                return
        finally:
            try:
                os.close(file)
            finally:
                with contextlib.suppress(FileNotFoundError):  # it was renamed
                    os.unlink(draft)


def _give_away(file: int, like: str) -> None:
    """Give the draft the owner, group and mode of another file, as far as this user may."""
    if sys.platform == "win32" or not os.path.exists(like):
        return
    old, own = os.stat(like), os.fstat(file)
    mode = stat.S_IMODE(old.st_mode)
    if (old.st_uid, old.st_gid) != (own.st_uid, own.st_gid):
        try:
            os.fchown(file, old.st_uid, old.st_gid)
        except PermissionError:  # not ours to give: then only the group, which may be one of ours
            try:
                os.fchown(file, -1, old.st_gid)
            except PermissionError:
                # What the old group might do, the new one may only if anybody may.
                mode &= ~stat.S_IRWXG | ((mode & stat.S_IRWXO) << 3)
    os.fchmod(file, mode)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_folder(folder: str) -> None:
    """Make the disk store the new name."""
    if sys.platform == "win32":
        return  # folders cannot be opened there
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except PermissionError:
        return  # who may write to a folder need not be allowed to read it
    try:
        os.fsync(place)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some file systems do not know this for folders
            raise
    finally:
        os.close(place)


def _lock(file: int, wait: bool = True) -> None:
    if sys.platform != "win32":
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError:
            if not wait:
                raise
            # The file system has no locks. Then nobody can lock the draft to remove it either.


def _remove_if_left(draft: str) -> None:
    with contextlib.suppress(OSError):  # in use, or another user's: not ours to remove
        if stat.S_ISREG(os.lstat(draft).st_mode):
            file = os.open(draft, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
            try:
                _lock(file, wait=False)
                if sys.platform != "win32":
                    os.unlink(draft)
            finally:
                os.close(file)
            if sys.platform == "win32":
                os.unlink(draft)  # refused while another process has it open


# -- words -------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _about(path: Name, what: str = "could not be written") -> Iterator[None]:
    """Let an error name the file that the caller named, not its draft."""
    try:
        yield
    except OSError as error:
        words = f"{what} ({error.strerror or error}). Make room, or name a file in another folder"
        raise OSError(error.errno, words, str(path)) from error


def _is_stream(path: Name) -> bool:
    """Whether a path goes through this process's open files: /dev/stdout may lead to a log that others append to."""
    here = os.fspath(path)
    for _ in range(40):  # links to links, as many as a system follows
        folder = os.path.realpath(os.path.dirname(here) or ".")
        if STREAMS.fullmatch(folder):
            return True
        if not os.path.islink(here):
            return False
        here = os.path.join(folder, os.readlink(here))
    return False
