"""Engines that are started once for all tests of exports."""

from __future__ import annotations

import getpass
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.export.engines import BarePython, DuckDB, Node, PostgreSQL, SQLite, SQLiteTexts


@pytest.fixture(scope="session")
def duckdb_engine() -> DuckDB:
    return DuckDB()


@pytest.fixture(scope="session")
def sqlite_engine() -> SQLite:
    return SQLite()


@pytest.fixture(scope="session")
def text_engine() -> SQLiteTexts:
    return SQLiteTexts()


@pytest.fixture(scope="session")
def python_engine() -> Iterator[BarePython]:
    engine = BarePython()
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def node_engine() -> Iterator[Node]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    engine = Node(node)
    yield engine
    engine.close()


@pytest.fixture(scope="session")
def postgres_engine() -> Iterator[PostgreSQL]:
    programs = _postgres_programs()
    if programs is None:
        pytest.skip("the programs of a PostgreSQL server are not installed")
    # The server refuses to run as root, and its socket's path must be short.
    user = getpass.getuser() if os.getuid() else _other_user()
    folder = Path(tempfile.mkdtemp(prefix="r2n-"))
    as_user: dict[str, Any] = {"user": user} if os.getuid() == 0 else {}
    if as_user:
        os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    data = folder / "data"
    control = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-s"]
    settings = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
    try:
        words = [str(programs / "initdb"), "-D", str(data), "-A", "trust", "-E", "UTF8", "--locale=C", "-U", "r2n"]
        subprocess.run(words, check=True, capture_output=True, cwd=folder, **as_user)
        words = [*control, "-o", settings, "-l", str(folder / "log"), "start"]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, cwd=folder, **as_user)
        engine = PostgreSQL(programs / "psql", folder, "r2n")
        yield engine
        engine.close()
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=False, capture_output=True, cwd=folder, **as_user)
        shutil.rmtree(folder, ignore_errors=True)


def _postgres_programs() -> Path | None:
    """The folder of initdb, pg_ctl and psql: on the path, or where Debian puts them."""
    found = shutil.which("initdb")
    folders = [Path(found).parent, Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    whole = (folder for folder in folders if all((folder / each).exists() for each in ("initdb", "pg_ctl", "psql")))
    return next(whole, None)


def _other_user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
