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
    with (RESULTS / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(record | {"versions": versions}, ensure_ascii=False) + "\n")


def read(name: str) -> list[dict[str, Any]]:
    """All records of `results/NAME.jsonl`, oldest first."""
    lines = (RESULTS / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def grid(head: Sequence[object], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A table in Markdown, and an empty line."""
    yield f"| {' | '.join(map(str, head))} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(map(str, row))} |"
    yield ""
