"""docs/network.md: the network alone, the search alone, both. Its sentences are computed too."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.harness.origins import are_comparable
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record
from benchmarks.protocol import EXPERIMENTS, METHODS
from benchmarks.views.summary import Evaluation, Summary
from benchmarks.views.tables import Difference, difference

WAYS = ("network", "search", "r2n")
WHERE = ("known", "harder", "unseen")
TOLD_APART = 2.0  # standard errors


@dataclass(frozen=True, slots=True)
class Compared:
    """A table, and what each way came to on the seeds or folds that all three have."""

    table: str
    network: Summary
    search: Summary
    both: Summary

    @property
    def ways(self) -> tuple[Summary, Summary, Summary]:
        return self.network, self.search, self.both

    @property
    def records(self) -> list[Record]:
        return [record for way in self.ways for record in way.records]

    @property
    def gain(self) -> Difference:
        """By how much both are more accurate than the search alone."""
        return difference(
            [(b["accuracy"], s["accuracy"]) for b, s in zip(self.both.done, self.search.done, strict=True)]
        )

    @property
    def behind(self) -> float:
        """By how much the network alone is less accurate than both."""
        pairs = zip(self.both.done, self.network.done, strict=True)
        return difference([(both["accuracy"], alone["accuracy"]) for both, alone in pairs]).mean

    @property
    def sign(self) -> int:
        """1 if both are more accurate than the search alone, -1 if less, 0 if that may be chance."""
        return int(np.sign(self.gain.mean)) if abs(self.gain.mean) > TOLD_APART * self.gain.error else 0

    def ratio(self, of: str, way: str, other: str) -> float:
        """Of the means of a number: one way's over another's."""
        first, second = (getattr(self, name).mean(of) for name in (way, other))
        return float(first / second) if second else float("nan")


def compare(evaluation: Evaluation) -> tuple[list[Compared], list[str]]:
    """The tables that all three ways have run with one learner; and the names of the others."""
    found, missing = [], []
    for name in WHERE:
        for table in EXPERIMENTS[name]["tables"]:
            if table in EXPERIMENTS[name].get("once", ()):
                continue
            ways = [evaluation.of(name, table, way) for way in WAYS]
            runs = set.intersection(*({record["repeat"] for record in way.done} for way in ways))
            if runs and are_comparable(*(way.records for way in ways)):
                found.append(Compared(table, *(on_runs(way, runs) for way in ways)))
            else:
                missing.append(table)
    return found, missing


def on_runs(summary: Summary, runs: set[int]) -> Summary:
    """Of these seeds or folds, in their order."""
    kept = [record for record in summary.done if record["repeat"] in runs]
    return Summary(tuple(sorted(kept, key=lambda record: record["repeat"])))


def listed(compared: Sequence[Compared], sign: int) -> str:
    """Tables on which both are told apart from the search alone in this direction, each with its difference."""
    return "; ".join(f"{one.table} ({one.gain.mean:+.4f})" for one in compared if one.sign == sign) or "no table"


def ranged(compared: Sequence[Compared], of: str, way: str, other: str, form: str) -> str:
    """The median ratio of a number over the tables, and its ends."""
    ratios = {one.table: one.ratio(of, way, other) for one in compared}
    low, high = (choose(ratios, key=ratios.__getitem__) for choose in (min, max))
    middle = float(np.median(list(ratios.values())))
    return f"{middle:{form}} (from {ratios[low]:{form}} on {low} to {ratios[high]:{form}} on {high})"


def sentences(compared: Sequence[Compared]) -> Iterator[str]:
    """What the records say of the network's part."""
    if not compared:
        return
    behind = [one.behind for one in compared]
    yield (
        f"The network alone is behind both by {np.median(behind):.4f}, the median over the tables, and by up to "
        f"{max(behind):.4f}."
    )
    even = sum(one.sign == 0 for one in compared)
    yield (
        f"Both are more accurate than the search alone on: {listed(compared, 1)}. They are less accurate on: "
        f"{listed(compared, -1)}. On {even} of {len(compared)} tables the two are not told apart."
    )
    yield (
        f"The network alone takes {ranged(compared, 'cpu', 'network', 'both', '.0%')} of the CPU that both take, the "
        f"median over the tables; both take {ranged(compared, 'cpu', 'both', 'search', '.2f')} times what the search "
        f"alone takes, and have {ranged(compared, 'size', 'both', 'search', '.2f')} times as much to read."
    )
    yield verdict(compared)


def verdict(compared: Sequence[Compared]) -> str:
    """Whether the network's contribution is plain to see."""
    n = len(compared)
    better, worse = (sum(one.sign == sign for one in compared) for sign in (1, -1))
    cheaper = sum(one.ratio("cpu", "both", "search") < 1.0 for one in compared)
    shown = [f"in accuracy on {better} of {n} tables"] if better > worse else []
    shown += [f"in CPU on {cheaper} of {n}"] if 2 * cheaper > n else []
    if shown:
        return f"So the network's contribution shows {' and '.join(shown)}."
    accurate = "about as accurate" if better == worse else "rather the more accurate one"
    return (
        "So on these tables the network's contribution is not plain to see: the search alone (`network=None`) is "
        f"{accurate}, and takes no more CPU on {n - cheaper} of {n}."
    )


def view_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """What docs/network.md shows."""
    compared, missing = compare(evaluation)
    return {
        "compared": compared,
        "missing": missing,
        "titles": [METHODS[way]["title"].removeprefix("r2n, ") for way in WAYS[:2]],
        "sentences": list(sentences(compared)),
        "fold_seed": EXPERIMENTS["unseen"]["fold_seed"],
    }


NETWORK = Page("docs/network.md", "network.md.j2", lambda: view_of(Evaluation()))
