"""Results as JSON lines, with what is needed to believe them."""

import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PACKAGES = ("r2n", "jax", "numpy", "scikit-learn")


def append(name: str, record: dict[str, Any]) -> None:
    """Add one record, with the versions that made it, to `results/NAME.jsonl`."""
    RESULTS.mkdir(exist_ok=True)
    versions = {package: version(package) for package in PACKAGES} | {"python": platform.python_version()}
    path = RESULTS / f"{name}.jsonl"
    _drop_half_a_line(path)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record | {"versions": versions}, ensure_ascii=False) + "\n")


def read(name: str) -> list[dict[str, Any]]:
    """All records of `results/NAME.jsonl`, oldest first; none if there is no such file."""
    path = RESULTS / f"{name}.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


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
