"""The records of an evaluation, cell by cell."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.origins import Origin, of_newest_origin, one_origin
from benchmarks.harness.records import Record, newest, read
from benchmarks.protocol import is_current, key_of


@dataclass(frozen=True, slots=True)
class Summary:
    """What the repeats of one method on one table came to."""

    records: tuple[Record, ...]

    @property
    def origin(self) -> Origin:
        """The one learner and machine of these; two are refused."""
        return one_origin(self.records)

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

    @property
    def structures(self) -> str:
        """How many have exactly the true structure, of those whose truth is known."""
        found = [record["structure"] for record in self.done if record.get("structure") is not None]
        return f"{sum(found)} of {len(found)}" if found else ""

    def mean(self, name: str) -> float | None:
        """Of a number, over those that have it; None if none has."""
        values = [record[name] for record in self.done if record.get(name) is not None]
        return float(np.mean(values)) if values else None

    @property
    def deviation(self) -> float:
        return float(np.std([record["accuracy"] for record in self.done]))

    @property
    def accuracy(self) -> float | None:
        return self.mean("accuracy")


class Evaluation:
    """All that was measured, by experiment, table, method and the value varied.

    Of a cell the newest record counts, and of its repeats those that are of the newest one's origin.
    """

    def __init__(self, name: str = "evaluation") -> None:
        groups: dict[tuple[Any, ...], list[Record]] = defaultdict(list)
        for record in newest((record for record in read(name) if is_current(record)), key_of):
            experiment, table, method, _, value = key_of(record)
            groups[experiment, table, method, value].append(record)
        self._groups = {key: Summary(tuple(of_newest_origin(records))) for key, records in groups.items()}
        self.left_out = sum(map(len, groups.values())) - sum(len(each.records) for each in self._groups.values())

    def of(self, experiment: str, table: str, method: str, value: float | None = None) -> Summary:
        return self._groups.get((experiment, table, method, value), Summary(()))

    def count(self, word: str) -> int:
        """How many of the newest records have this word in them."""
        return sum(word in record for summary in self._groups.values() for record in summary.records)


def by_origin(summaries: Sequence[Summary]) -> list[list[Summary]]:
    """The cells of a row, once for each origin among them: cells of another are empty there."""
    origins = list(dict.fromkeys(summary.origin for summary in summaries if summary.records))
    if not origins:
        return [list(summaries)]
    return [
        [each if each.records and each.origin == origin else Summary(()) for each in summaries] for origin in origins
    ]


def mean_front(records: tuple[Record, ...]) -> tuple[list[int], list[float]]:
    """For each size the mean over repeats of the largest rule set no larger; from where all repeats have one."""
    fronts = [sorted((point["size"], point["accuracy"]) for point in record["front"]) for record in records]
    fronts = [front for front in fronts if front]
    if not fronts:
        return [], []
    first = max(front[0][0] for front in fronts)
    sizes = sorted({size for front in fronts for size, _ in front if size >= max(first, 1)})
    means = [
        float(np.mean([[accuracy for s, accuracy in front if s <= size][-1] for front in fronts])) for size in sizes
    ]
    return sizes, means
