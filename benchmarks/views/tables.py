"""docs/tables.md: tables as they are, from results/tables.jsonl."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.origins import are_comparable, of_newest_origin
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record, newest, read

COMPLETE, IMPUTED = PREPARED = ("complete rows", "imputed, one-hot")
AS_IT_IS, AS_NUMBERS = "as it is", "codes as numbers"
WAYS = (AS_IT_IS, *PREPARED, AS_NUMBERS)
SIZES = (5, 10, 15, 20, 25, 30)
KEY = ("task", "table", "way", "by", "fold", "layout", "categories", "seed")
USUAL: Record = {"seed": 0}

Names = tuple[str, str]  # a table, and a way


@dataclass(frozen=True, slots=True)
class Difference:
    """Of accuracies on the same folds, from the table as it is."""

    mean: float
    error: float


@dataclass(frozen=True, slots=True)
class Way:
    """A way of a table: its folds, and those of the table as it is."""

    table: str
    name: str
    records: list[Record]
    as_it_is: list[Record]

    @property
    def is_comparable(self) -> bool:
        return are_comparable(self.records, self.as_it_is)

    @property
    def ahead(self) -> Difference | None:
        """By how much it is ahead of the table as it is, on the folds that both have; None for that itself."""
        pairs = pairs_of(self.records, self.as_it_is)
        return difference(pairs) if pairs and self.name != AS_IT_IS else None


@dataclass(frozen=True, slots=True)
class Matched:
    """The same folds three times: a way, that way with its own size as a limit, and the table as it is so limited."""

    table: str
    way: str
    three: tuple[list[Record], list[Record], list[Record]]

    @property
    def records(self) -> list[Record]:
        return [record for each in self.three for record in each]

    @property
    def larger(self) -> int:
        """In how many folds the rules of the table as it is are larger than the way's."""
        return sum(mine["size"] > other["size"] for other, mine in zip(self.three[0], self.three[2], strict=True))

    @property
    def differences(self) -> list[Difference]:
        """Of the table as it is, to the way and to the way with the limit."""
        return [difference(pairs_of(self.three[2], other)) for other in self.three[:2]]


def cell_of(record: Record) -> tuple[str, str, int, int]:
    """Which rows a fit of one way of a table read."""
    return record["table"], record["way"], *fold_of(record)


def fold_of(record: Record) -> tuple[int, int]:
    return record.get("seed", 0), record["fold"]


def view() -> Mapping[str, Any]:
    """What docs/tables.md shows."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in newest(read("tables"), lambda r: tuple(r.get(name, USUAL.get(name)) for name in KEY)):
        groups[record["task"]].append(record)
    folds = by_way(groups["native"])
    ways = [Way(*names, records, folds.get((names[0], AS_IT_IS), [])) for names, records in folds.items()]
    matched, apart = match(groups["no larger"], folds)
    return {
        "ways": ways,
        "first_rules": dict(first_rules(ways)),
        "matched": matched,
        "apart": apart,
        "sizes": SIZES,
        "compared": [way for way in ways if way.is_comparable],
        "by_size": by_size,
        "frames": sorted(groups["frames"], key=lambda r: (-r["rows"], r["table"])),
        "categories": sorted(groups["categories"], key=lambda r: r["categories"]),
        "predict": groups["predict"],
    }


def by_way(records: Sequence[Record]) -> dict[Names, list[Record]]:
    """The folds of each way of a table that its newest learner has run."""
    ways: dict[Names, list[Record]] = defaultdict(list)
    for record in sorted(records, key=lambda r: (r["table"], WAYS.index(r["way"]))):
        ways[record["table"], record["way"]].append(record)
    return {names: of_newest_origin(found) for names, found in ways.items()}


def first_rules(ways: Sequence[Way]) -> Iterator[tuple[str, str]]:
    """What each table as it is gave in the first fold."""
    for way in ways:
        for record in way.records if way.name == AS_IT_IS else ():
            if fold_of(record) == (0, 0):
                yield way.table, record["rules"]


def match(records: Sequence[Record], plain: Mapping[Names, list[Record]]) -> tuple[list[Matched], list[str]]:
    """Each way beside the table as it is with no larger rules; and the names of those that two learners ran."""
    within: dict[Names, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
    for record in records:
        within[record["table"], record["way"]][record["by"]].append(record)
    found, apart = [], []
    for (table, way), each in within.items():
        if each[way] and each[AS_IT_IS]:
            three = plain.get((table, way), []), of_newest_origin(each[way]), of_newest_origin(each[AS_IT_IS])
            if are_comparable(*three):
                found.append(Matched(table, way, on_common_folds(*three)))
            else:
                apart.append(f"{table}, {way}")
    return found, apart


def on_common_folds(
    plain: list[Record], within: list[Record], as_it_is: list[Record]
) -> tuple[list[Record], list[Record], list[Record]]:
    """Those of the folds that all three have, in one order."""
    first, second, third = ({cell_of(r): r for r in each} for each in (plain, within, as_it_is))
    cells = [cell for cell in third if cell in first and cell in second]
    return [first[cell] for cell in cells], [second[cell] for cell in cells], [third[cell] for cell in cells]


def pairs_of(records: Sequence[Record], others: Sequence[Record]) -> list[tuple[float, float]]:
    """The accuracies on the folds that both have."""
    theirs = {fold_of(r): r["accuracy"] for r in others}
    return [(r["accuracy"], theirs[fold_of(r)]) for r in records if fold_of(r) in theirs]


def difference(pairs: Sequence[tuple[float, float]]) -> Difference:
    """The mean difference of pairs, and its standard error."""
    found = np.array([mine - other for mine, other in pairs])
    return Difference(float(found.mean()), float(found.std() / np.sqrt(len(found))))


def by_size(way: Way) -> list[tuple[float, float]]:
    """For each size the mean accuracy of a way, and of the table as it is in the same folds."""
    folds = {fold_of(r) for r in way.records}
    same = [r for r in way.as_it_is if fold_of(r) in folds]

    def mean(records: Sequence[Record], most: int) -> float:
        return float(np.mean([up_to(r["front"], most)[1] for r in records]))

    return [(mean(way.records, most), mean(same, most)) for most in SIZES]


def up_to(front: Sequence[tuple[int, float]], most: float) -> tuple[int, float]:
    """The size and the accuracy of the largest point that is no larger."""
    return max(point for point in front if point[0] <= most)


PAGE = Page("docs/tables.md", "tables.md.j2", view)
