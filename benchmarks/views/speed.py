"""docs/speed.md: what things cost, and an earlier commit beside the present checkout, from results/speed.jsonl."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.origins import of_newest_origin
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record, newest, read
from benchmarks.protocol import EXPERIMENTS, METHODS
from benchmarks.views.refine import growth

PARTS = ("import", "step", "compilation", "fit", "beside", "seeds", "demo", "rows")
KEY = ("what", "restarts", "rows", "columns", "table", "repeat", "tree")
D, M, J, BATCH = 5, 10, 25, 100  # the paper's size
OLDER, PRESENT = "861ae0a", "present"
REAL = ("magic", "house", "heloc", "adult")
BESIDE = ("boosting", "figs", "ebm", "ripper", "oblique-3", "oblique-4", "ydf")
STEADY, STEADY_FOLDS = "heloc", EXPERIMENTS["unseen"]["fold_seed"]


@dataclass(frozen=True, slots=True)
class Beside:
    """A table, and its fits at the earlier commit and now, each pair of one run."""

    table: str
    records: list[Record]

    def mean(self, tree: str, name: str) -> float:
        return float(np.mean([record[tree][name] for record in self.records]))

    @property
    def ratio(self) -> float:
        """Of CPU seconds, now over then."""
        return self.mean(PRESENT, "cpu") / self.mean("older", "cpu")

    def structures(self, tree: str) -> str:
        """How many have the true structure, of known rules."""
        found = [record[tree]["structure"] for record in self.records if "structure" in record[tree]]
        return f" · {sum(found)} of {len(found)}" if found else ""


@dataclass(frozen=True, slots=True)
class Spread:
    """One learner on one split, from several seeds."""

    tree: str
    records: list[Record]

    @property
    def deviation(self) -> float:
        return float(np.std([record["accuracy"] for record in self.records]))


def view_of(records: Sequence[Record]) -> Mapping[str, Any]:
    """What docs/speed.md shows, of the newest records."""
    found: dict[str, list[Record]] = {what: [] for what in PARTS}
    for record in newest(records, lambda record: tuple(map(record.get, KEY))):
        found[record["what"]].append(record)
    beside, spreads = list(beside_of(found["beside"])), list(spreads_of(found["seeds"]))
    return {
        "imports": found["import"][:1],
        "steps": found["step"],
        "compilation": found["compilation"][:1],
        "fits": found["fit"],
        "beside": beside,
        "beside_words": list(beside_words(beside)),
        "real": [one for one in beside if one.table in REAL],
        "others": {name: METHODS[name]["title"] for name in BESIDE},
        "spreads": spreads,
        "spread_words": list(spread_words(spreads)),
        "steady_folds": STEADY_FOLDS,
        "demo": found["demo"],
        "rows": list(costs(sorted(found["rows"], key=lambda record: record["rows"]))),
        "older": OLDER,
        "d": D,
        "m": M,
        "j": J,
        "batch": BATCH,
    }


def beside_of(records: Sequence[Record]) -> Iterator[Beside]:
    """Table by table, the real ones first; of each the runs of its newest learner."""
    groups: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        groups[record["table"]].append(record)
    for table in sorted(groups, key=lambda table: (table not in REAL, REAL.index(table) if table in REAL else table)):
        yield Beside(table, of_newest_origin(groups[table]))


def beside_words(beside: Sequence[Beside]) -> Iterator[str]:
    """What came of all tables of a kind: ratios, accuracy and size."""
    for words, kind in (("real tables", True), ("known rules", False)):
        chosen = [one for one in beside if (one.table in REAL) is kind]
        if chosen:
            accuracy, size = (
                [float(np.mean([one.mean(tree, name) for one in chosen])) for tree in ("older", PRESENT)]
                for name in ("accuracy", "size")
            )
            most = max(chosen, key=lambda one: one.ratio)
            yield (
                f"On the {words} a fit takes at most {most.ratio:.2f} of the CPU that it took ({most.table}); the mean "
                f"accuracy was {accuracy[0]:.4f} and is {accuracy[1]:.4f}, the mean size was {size[0]:.1f} and is "
                f"{size[1]:.1f}."
            )


def spreads_of(records: Sequence[Record]) -> Iterator[Spread]:
    """The earlier commit, then the present checkout."""
    for tree in (OLDER, PRESENT):
        chosen = [record for record in records if record["tree"] == tree]
        if chosen:
            yield Spread(tree, of_newest_origin(chosen))


def spread_words(spreads: Sequence[Spread]) -> Iterator[str]:
    """How the deviations compare, where both are there."""
    if len(spreads) == 2 and spreads[0].deviation > 0:
        yield (
            f"The deviation over seeds is {spreads[1].deviation / spreads[0].deviation:.2f} of what it was at "
            f"{spreads[0].tree}."
        )


def costs(measured: Sequence[Record]) -> Iterator[tuple[Record, float | None]]:
    """A fit, and the CPU seconds that the one before it would grow to with n log n."""
    for before, record in zip([None, *measured], measured, strict=False):
        cpu = None if before is None else before[PRESENT]["cpu"] * growth(before["rows"], record["rows"])
        yield record, cpu


PAGE = Page("docs/speed.md", "speed.md.j2", lambda: view_of(read("speed")))
