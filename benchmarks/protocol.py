"""The experiments of protocol.toml, as cells: one fit each."""

import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.harness.case import Case
from benchmarks.harness.records import Record

PROTOCOL: dict[str, Any] = tomllib.loads((Path(__file__).parent / "protocol.toml").read_text(encoding="utf-8"))
METHODS: dict[str, Any] = PROTOCOL["methods"]
EXPERIMENTS: dict[str, Any] = PROTOCOL["experiments"]
PRINTED: dict[str, Any] = PROTOCOL["printed"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One fit: a method on a table, from a seed or on a fold."""

    experiment: str
    table: str
    method: str
    repeat: int  # the seed, or the fold
    value: float | None = None  # of what the experiment varies

    @property
    def limit(self) -> float:
        """Seconds after which it is stopped."""
        stated = EXPERIMENTS[self.experiment].get("limits", {})
        return float(stated.get(self.method, METHODS[self.method]["limit"]))

    @property
    def paper_seconds(self) -> float:
        """After which the paper's settings end by themselves with the best so far."""
        return 0.9 * self.limit

    @property
    def settings(self) -> Record:
        """What the experiment states for this method; `opposite` where its rules are for the table's other class."""
        stated = EXPERIMENTS[self.experiment]
        other = stated.get("opposite", {"methods": (), "tables": ()})
        is_other = self.method in other["methods"] and self.table in other["tables"]
        own: Record = stated.get("settings", {}).get(self.method, {})
        return own | ({"opposite": True} if is_other else {})

    @property
    def key(self) -> tuple[Any, ...]:
        return tuple(asdict(self).values())

    @property
    def told(self) -> Record:
        """What its record says of it."""
        return asdict(self) | {"settings": self.settings}


def key_of(record: Record) -> tuple[Any, ...]:
    """The key of the cell that a record is of."""
    return tuple(record[name] for name in Cell.__slots__)


def is_done(case: Case, record: Record) -> bool:
    """Whether a cell need not be run again: not if it had less time, or had other settings."""
    had = record.get("timed_out", case.limit)
    return (had is None or case.limit is None or had >= case.limit) and is_current(record)


def is_current(record: Record) -> bool:
    """Whether the settings stated for a record's method are still those that it had."""
    return bool(record.get("settings", {}) == Cell(*key_of(record)).settings)


def cells(
    quick: bool = False,
    experiments: list[str] | None = None,
    methods: list[str] | None = None,
    tables: list[str] | None = None,
) -> list[Cell]:
    """All cells, the first repeat of everything first: a run that is stopped has a little of all."""
    found = [cell for name in experiments or EXPERIMENTS for cell in _cells_of(name, quick)]
    wanted = [cell for cell in found if methods is None or cell.method in methods]
    wanted = [cell for cell in wanted if tables is None or cell.table in tables]
    return sorted(wanted, key=lambda cell: cell.repeat)


def _cells_of(name: str, quick: bool) -> Iterator[Cell]:
    stated = EXPERIMENTS[name] | (EXPERIMENTS[name]["quick"] if quick else {})
    for method in stated["methods"]:
        for table in stated["tables"]:
            repeats = _repeats_of(stated, method, table)
            for value in next(iter(stated.get("vary", {}).values()), [None]):
                yield from (Cell(name, table, method, repeat, value) for repeat in range(repeats))


def _repeats_of(stated: Record, method: str, table: str) -> int:
    """Seeds or folds: what the experiment states if it says so of every method, else no more than the method's."""
    if table in stated.get("once", ()):
        return 1
    return int(stated.get("repeats") or min(METHODS[method]["repeats"], stated.get("folds", 10)))
