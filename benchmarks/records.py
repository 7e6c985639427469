"""Results as JSON lines, with what is needed to believe them."""

import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PACKAGES = (
    "r2n",
    "jax",
    "numpy",
    "scikit-learn",
    "scipy",
    "pandas",
    "optax",
    "wittgenstein",
    "imodels",
    "interpret-core",
)


@cache
def versions() -> dict[str, str]:
    """Of Python, of the packages that are installed, and of this code (with a plus if it was changed since)."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    head = _git("rev-parse", "--short", "HEAD")
    changed = _git("status", "--porcelain", "--", "src", "benchmarks", ":!benchmarks/results")
    return found | ({"revision": head + ("+" if changed else "")} if head else {})


def _git(*words: str) -> str:
    """What git answers; nothing where there is none, or where this is no clone."""
    if shutil.which("git") is None:
        return ""
    told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip()


def append(name: str, record: dict[str, Any]) -> None:
    """Add one record, with the versions that made it, to `results/NAME.jsonl`."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    _drop_half_a_line(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record | {"versions": versions()}, ensure_ascii=False) + "\n")


def read(name: str) -> list[dict[str, Any]]:
    """All records of `results/NAME.jsonl`, oldest first; none if there is no such file."""
    return [record for _, record in _lines(RESULTS / f"{name}.jsonl")]


def forget(name: str, gone: Callable[[dict[str, Any]], bool]) -> None:
    """Take records out of `results/NAME.jsonl`; the others stay as they are."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    kept = "".join(line for line, record in _lines(path) if not gone(record))
    path.with_suffix(".new").write_text(kept, encoding="utf-8")
    path.with_suffix(".new").replace(path)


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Whole lines and what they say."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, line in enumerate(
        text.split("\n")[:-1], start=1
    ):  # what follows the last \n was not written to its end
        try:
            yield f"{line}\n", json.loads(line)
        except ValueError as error:
            raise SystemExit(f"{path}, line {number}, is no JSON ({error}). Mend it, or take it out.") from error


def _drop_half_a_line(path: Path) -> None:
    """What a run that was killed while writing left behind."""
    whole = path.read_bytes() if path.exists() else b""
    if whole and not whole.endswith(b"\n"):
        path.write_bytes(whole[: whole.rfind(b"\n") + 1])


def grid(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table in Markdown, and an empty line."""
    yield f"| {' | '.join(map(str, head))} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
