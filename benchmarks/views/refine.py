"""docs/refine.md: what refinement recovers and reaches, from results/refine.jsonl."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.origins import are_comparable, of_newest_origin
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record, newest, read

KEY = ("task", "rule", "table", "seed", "fold", "rows", "limit", "n_jobs")
MOST_RULES = {"magic": 6, "house": 5, "heloc": 3, "adult": 2}
Groups = dict[tuple[str, str], list[Record]]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two ways of the same name side by side, on the runs that both have."""

    name: str
    first: list[Record]
    second: list[Record]


def grouped(records: list[Record]) -> Groups:
    """The newest result of each case, row by row of the page; of a row those of the newest one's origin."""
    groups: Groups = {group_of(record): [] for record in records}  # in the order of the oldest
    for record in newest(records, lambda record: tuple(map(record.get, KEY))):
        groups[group_of(record)].append(record)
    return {group: of_newest_origin(found) for group, found in groups.items()}


def group_of(record: Record) -> tuple[str, str]:
    """What is shown in one row, or for fits that differ in rows and time only, in one table."""
    name = record.get("table") or record.get("rule", "")
    return record["task"], "harder" if name.startswith("harder") else name


def view_of(groups: Groups) -> Mapping[str, Any]:
    """What docs/refine.md shows."""
    thorough = {name: (groups.get(("real", name), []), groups.get(("thorough", name), [])) for name in MOST_RULES}
    recovered = {group: found for group, found in groups.items() if "structure" in found[0]}
    return {
        "groups": groups,
        "recovered": {group: found for group, found in recovered.items() if "teacher" not in group[0]},
        "size_ratio": lambda records: float(np.mean([r["size"] / r["true_size"] for r in records])),
        "most_rules": MOST_RULES,
        "thorough": compare(thorough),
        "has_thorough": any(task == "thorough" for task, _ in groups),
        "taught": compare(taught(groups)),
        "has_taught": any("no teacher" in task for task, _ in groups),
        "rows": list(costs(sorted(groups.get(("rows", ""), []), key=lambda r: r["rows"]))),
        "limits": sorted(groups.get(("limit", ""), []), key=lambda r: (r["limit"], r["n_jobs"])),
    }


def taught(groups: Groups) -> dict[str, tuple[list[Record], list[Record]]]:
    """Without a teacher, and with one."""
    pairs = {name: (groups.get(("no teacher", name), []), groups.get(("real", name), [])) for name in MOST_RULES}
    for flip in ("0%", "20%"):
        for k in range(1, 6):
            tasks = (f"{flip} flipped, no teacher", f"{flip} flipped, a teacher")
            first, second = (groups.get((task, f"example {k}"), []) for task in tasks)
            pairs[f"example {k}, {flip} flipped"] = first, second
    return pairs


def compare(pairs: Mapping[str, tuple[list[Record], list[Record]]]) -> tuple[list[Pair], list[str]]:
    """On the runs that both have; and the names of those that two learners ran, which are not compared."""
    found, apart = [], []
    for name, (first, second) in pairs.items():
        both = {run_of(r) for r in first} & {run_of(r) for r in second}
        if both and are_comparable(first, second):
            shown = ([r for r in records if run_of(r) in both] for records in (first, second))
            found.append(Pair(name, *shown))
        elif both:
            apart.append(name)
    return found, apart


def run_of(record: Record) -> tuple[Any, Any]:
    return record.get("fold"), record.get("seed")


def costs(measured: list[Record]) -> Iterator[tuple[Record, float | None]]:
    """A fit, and the seconds that the one before it would grow to."""
    for before, record in zip([None, *measured], measured, strict=False):
        yield record, None if before is None else before["seconds"] * growth(before["rows"], record["rows"])


def growth(n: int, m: int) -> float:
    """How much n log n grows from n to m."""
    return float(m * np.log(m) / (n * np.log(n)))


PAGE = Page("docs/refine.md", "refine.md.j2", lambda: view_of(grouped(read("refine"))))
