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


def write_file(path: Name, content: bytes) -> None:
    """Write a file; on failure the old one, if any, is untouched and nothing is left behind.

    Parameters
    ----------
    path : str or path
        Where to write. A link is followed to the file that it leads to. Who may read or write an old file stays as it
        was, at every moment.
    content : bytes
        The whole content.

    Raises
    ------
    OutputError
        If this is a pipe, a device, a stream of this process, or a link that leads nowhere.
    OSError
        If this is a folder, or in none, or if writing fails.
    """
    target = find_target(path)
    remove_leftovers(os.path.dirname(target))
    with _about(path), _draft(target) as (file, draft):
        _write_all(file, content)
        os.fsync(file)
        os.replace(draft, target)
    with _about(path, "was written, but the disk did not confirm it"):
        _sync_folder(os.path.dirname(target))


def check_writable(path: Name) -> None:
    """Find out whether `write_file` could write there, by writing a draft; raises what that would raise."""
    target = find_target(path)
    remove_leftovers(os.path.dirname(target))
    with _about(path), _draft(target) as (file, _):
        _write_all(file, bytes(TRIED_BYTES))


def find_target(path: Name) -> str:
    """The file that a path leads to, which may not be there yet; whatever cannot be replaced by a file is refused."""
    if _is_stream(path):
        raise OutputError(f"{path} is a stream of this process, which a file would replace. Give the name of a file.")
    target = os.path.realpath(path)
    if os.path.islink(path) and not os.path.exists(target):
        raise OutputError(f"{path} is a link to {os.readlink(path)}, which is not there. Give the name of a file.")
    if os.path.isdir(target):
        raise IsADirectoryError(errno.EISDIR, "is a folder. Give the name of a file", str(path))
    if os.path.exists(target) and not os.path.isfile(target):
        raise OutputError(f"{path} is a pipe or a device, which a file would replace. Give the name of a file.")
    if not os.path.isdir(os.path.dirname(target)):
        raise FileNotFoundError(errno.ENOENT, "cannot be written: its folder is not there. Make it first", str(path))
    return target


def remove_leftovers(folder: str) -> None:
    """Remove the drafts that a crash left in a folder. One that is being written is locked, and stays."""
    with contextlib.suppress(OSError):  # who may not look into the folder may still write there
        for name in filter(DRAFT.fullmatch, os.listdir(folder)):
            _remove_if_left(os.path.join(folder, name))


# -- drafts ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _draft(target: str) -> Iterator[tuple[int, str]]:
    """A new file beside the target, open and locked, and its name; gone at the end, unless it was renamed."""
    # Of what replaces a file nobody else reads a byte before it has the old file's mode.
    mode = 0o600 if os.path.exists(target) else 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
    while True:
        draft = os.path.join(os.path.dirname(target), f".r2n-{secrets.token_hex(8)}.draft")
        file = os.open(draft, flags, mode)
        try:
            _lock(file)
            if sys.platform == "win32" or os.fstat(file).st_nlink:  # else another process took it for a leftover
                _give_away(file, target)
                yield file, draft
                return
        finally:
            try:
                os.close(file)
            finally:
                with contextlib.suppress(FileNotFoundError):  # it was renamed
                    os.unlink(draft)


def _give_away(file: int, target: str) -> None:
    """Give the draft the owner, group and mode of the file that it replaces, as far as this user may."""
    if sys.platform == "win32" or not os.path.exists(target):
        return
    old, own = os.stat(target), os.fstat(file)
    mode = stat.S_IMODE(old.st_mode)
    if (old.st_uid, old.st_gid) != (own.st_uid, own.st_gid):
        try:
            os.fchown(file, old.st_uid, old.st_gid)
        except PermissionError:  # not ours to give: then only the group, which may be one of ours
            try:
                os.fchown(file, -1, old.st_gid)
            except PermissionError:
                mode &= ~stat.S_IRWXG  # what the old group might read, the new one may not
    os.fchmod(file, mode)


def _write_all(file: int, content: bytes) -> None:
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(file, rest) :]


def _sync_folder(folder: str) -> None:
    """Bring the new name to the disk."""
    if sys.platform == "win32":
        return  # folders cannot be opened there
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
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
