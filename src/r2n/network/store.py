"""Compiled programs in files, kept between processes.

Losing one costs a compilation and never a fit: whatever goes wrong with a file is logged, and the file is made anew.
"""

import logging
import os
import tempfile
import time
import zlib
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from platformdirs import user_cache_path

MOST_BYTES = 64 * 2**20  # about 900 programs of 70 kB
SECONDS_OF_A_DRAFT = 3600.0  # an older one was left by a process that died
DIGEST = sha256().digest_size

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Store:
    """A folder of entries, each written whole or not at all; those read longest ago go first where there are many.

    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.write("a", b"program")
    >>> store.read("a"), store.read("b")
    (b'program', None)
    """

    folder: Path
    most_bytes: int = MOST_BYTES

    def read(self, key: str) -> bytes | None:
        """Read what was written under this key; None if nothing was. An entry that is not whole is removed."""
        path = self._path(key)
        try:
            if not _is_own(self.folder):
                return None
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            log.debug("cannot read the compiled program %s: %s", path, error)
            return None
        digest, pack_pieces = content[:DIGEST], content[DIGEST:]
        if sha256(pack_pieces).digest() != digest:
            log.debug("the compiled program %s is not whole", path)
            self.remove(key)
            return None
        try:
            os.utime(path)  # it was read now
        except OSError as error:
            log.debug("cannot mark the compiled program %s as read: %s", path, error)
        return zlib.decompress(pack_pieces)

    def write(self, key: str, program: bytes) -> None:
        """Keep a program under this key, in place of what was there, and remove what is too much."""
        pack_pieces = zlib.compress(program)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_own(self.folder):
                self._replace(self._path(key), sha256(pack_pieces).digest() + pack_pieces)
                self._prune()
        except OSError as error:
            log.debug("cannot keep a compiled program in %s: %s", self.folder, error)

    def remove(self, key: str) -> None:
        """Forget what is kept under this key."""
        _unlink(self._path(key))

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.program"

    def _replace(self, path: Path, content: bytes) -> None:
        """Write a draft and rename it, so that nobody ever reads half of it."""
        handle, name = tempfile.mkstemp(prefix=".draft-", dir=self.folder)
        draft = Path(name)
        try:
            with open(handle, "wb") as file:
                file.write(content)
            draft.replace(path)
        except BaseException:
            _unlink(draft)
            raise

    def _prune(self) -> None:
        """Remove what was read longest ago, until the rest is small enough, and drafts that nobody writes any more."""
        total, now = 0, time.time()
        for used, size, path in sorted(_files(self.folder), reverse=True):
            total += size
            is_draft = path.name.startswith(".draft-")
            if total > self.most_bytes or (is_draft and now - used > SECONDS_OF_A_DRAFT):
                _unlink(path)


def user_store() -> Store | None:
    """Find the store in the user's cache folder; None for a user who has no home."""
    folder = user_cache_path("r2n") / "programs"
    return Store(folder) if folder.is_absolute() else None


def _files(folder: Path) -> list[tuple[float, int, Path]]:
    """List when each file was last used, its size and its path; other processes may remove some meanwhile."""
    found = []
    for path in folder.iterdir():
        try:
            stat = path.stat()
        except FileNotFoundError:
            continue
        found.append((stat.st_mtime, stat.st_size, path))
    return found


def _unlink(path: Path) -> None:
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        log.debug("cannot remove %s: %s", path, error)


def _is_own(folder: Path) -> bool:
    """Check that only this user may write to the folder: loading a program runs it."""
    stat = folder.stat()
    own = not hasattr(os, "geteuid") or (stat.st_uid == os.geteuid() and not stat.st_mode & 0o002)
    if not own:
        log.debug("%s is not used: it belongs to another user, or others may write to it", folder)
    return own
