"""The records of an evaluation, cell by cell."""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.protocol import key_of
from benchmarks.records import read

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the repeats of one method on one table came to."""

    records: tuple[Record, ...]

    @property
    def done(self) -> tuple[Record, ...]:
        """Those that ended in time."""
        return tuple(record for record in self.records if "accuracy" in record)

    @property
    def undone(self) -> str:
        """What is to be said of those that did not."""
        late = [record["timed_out"] for record in self.records if "timed_out" in record]
        failed = sum("failed" in record for record in self.records)
        said = [f"{len(late)} over {max(late):.0f} s"] if late else []
        return "; ".join(said + ([f"{failed} failed"] if failed else []))

    def mean(self, name: str) -> float | None:
        """Of a number that all have; None if they have not."""
        values = [record[name] for record in self.done if record.get(name) is not None]
        return float(np.mean(values)) if values else None

    @property
    def deviation(self) -> float:
        return float(np.std([record["accuracy"] for record in self.done]))

    @property
    def accuracy(self) -> float | None:
        return self.mean("accuracy")


class Evaluation:
    """All that was measured, by experiment, table, method and the value varied; of a cell the newest record."""

    def __init__(self, name: str = "evaluation") -> None:
        newest = {key_of(record): record for record in read(name)}
        groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
        for (experiment, table, method, _, value), record in newest.items():
            groups[experiment, table, method, value].append(record)
        self._groups = {key: Summary(tuple(records)) for key, records in groups.items()}

    def of(self, experiment: str, table: str, method: str, value: float | None = None) -> Summary:
        return self._groups.get((experiment, table, method, value), Summary(()))

    def has(self, experiment: str) -> bool:
        """Whether any cell of an experiment was run."""
        return any(key[0] == experiment for key in self._groups)
