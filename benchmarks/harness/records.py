"""Results as JSON lines, to which lines are only added, each with what is needed to believe it."""

import json
from collections.abc import Callable, Hashable, Iterable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.harness.stamp import BENCHMARKS, made_by, versions

Record = dict[str, Any]
RESULTS = BENCHMARKS / "results"


def append(name: str, record: Record) -> None:
    """Add one record, with what made it, to `results/NAME.jsonl`; a process that ran a fit may say that itself."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.jsonl"
    _drop_half_a_line(path)
    with path.open("a", encoding="utf-8") as file:
        whole = record | {"versions": versions(), "made_by": record.get("made_by") or made_by()}
        file.write(json.dumps(whole, ensure_ascii=False) + "\n")


def read(name: str) -> list[Record]:
    """All records of `results/NAME.jsonl`, oldest first; none if there is no such file."""
    return list(_lines(RESULTS / f"{name}.jsonl"))


def _lines(path: Path) -> Iterator[Record]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    whole = text.split("\n")[:-1]  # what follows the last \n was not written to its end
    for number, line in enumerate(whole, start=1):
        try:
            yield json.loads(line)
        except ValueError as error:
            raise SystemExit(f"{path}, line {number}, is no JSON ({error}). Mend it, or take it out.") from error


def _drop_half_a_line(path: Path) -> None:
    """What a run that was killed while writing left behind."""
    whole = path.read_bytes() if path.exists() else b""
    if whole and not whole.endswith(b"\n"):
        path.write_bytes(whole[: whole.rfind(b"\n") + 1])


def newest(records: Iterable[Record], key: Callable[[Record], Hashable]) -> list[Record]:
    """The last record of each key, in the order in which they were written."""
    found: dict[Hashable, Record] = {}
    for record in records:
        found.pop(key(record), None)
        found[key(record)] = record
    return list(found.values())
