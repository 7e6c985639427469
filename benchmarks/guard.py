"""Whether a change of the learner costs anything: a few fits with fixed seeds, beside what was recorded last.

    python -m benchmarks.guard             # under ten minutes of CPU; ends with 1 if a figure fell
    python -m benchmarks.guard --record    # and appends the figures to results/guard.jsonl, if none fell
    python -m benchmarks.guard --record --accept   # also those that fell: say why in the commit
    python -m benchmarks.guard --only "example 1" magic

Run it before a change of the learner lands, and commit its record with the change. Its seeds (SEED = 101 and
FOLD_SEED = 77) are in no figure of the docs: those have the seeds 0 to 9, and folds of the seeds 0 to 2. So
constants of the learner may be looked at with the guard, and the docs still show what was not looked at.

Needs the real tables (see r2n.datasets). One process, one thread.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from benchmarks.fits import described, fit, rules_of, same_structure, score_balanced, share_alike, time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.command import parser_with
from benchmarks.harness.origins import Origin
from benchmarks.harness.records import Record, append
from benchmarks.harness.stamp import made_by, versions
from benchmarks.harness.workers import run_all
from benchmarks.splits import Split, folds_of, known_rule, real_table, sample_apart, sample_uniform
from r2n.datasets import RealTable

Rows = NDArray[np.intp]
SEED, FOLD_SEED = 101, 77
MOST_CPU = 600.0  # seconds, of all cases together


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a figure may fall behind the last recorded one."""

    accuracy: float
    rules: int
    size: float  # share of the last size, or columns, whichever is more
    columns: int
    cpu: float = 0.5  # share of the last seconds, and five besides: the machine has its moods
    exact: bool = False  # whether a structure that was found must be found again


# Labels without noise: the rule is there to be found. Flipped labels move cuts by a row or two of 8,000.
KNOWN = Tolerance(accuracy=0.003, rules=0, size=0.0, columns=0, exact=True)
NOISY = Tolerance(accuracy=0.003, rules=1, size=0.0, columns=2)
HARD = Tolerance(accuracy=0.003, rules=1, size=0.1, columns=4)


@dataclass(frozen=True, slots=True)
class Guarded:
    """A name, how its rows are made, and how far its figures may fall."""

    name: str
    rows: Callable[[], Split]
    tolerance: Tolerance
    score: Callable[[ArrayLike, ArrayLike], float] = share_alike


def known_rows(name: str, flip: float = 0.0) -> Split:
    """8,000 rows to learn from, of which some labels are turned over, and 10,000 clean ones to judge by."""
    return sample_apart(known_rule(name), 8_000, 10_000, (SEED, SEED + 1), flip)


def hard_rows(seed: int) -> Split:
    """Five rules of three literals over ten columns."""
    return sample_uniform(known_rule(f"harder {seed}"), 8_000, 10_000, seed)


def fold_rows(name: str, folds: int) -> Split:
    """One fold of a real table to learn from, the others to judge by: cheap to learn, and judged by many rows."""
    table = real_table(name)
    test, train = folds_of(table, folds, seed=FOLD_SEED)[0]
    return _split_of(table, train, test)


def rare_rows(name: str, n_rows: int = 6_000, share: float = 0.02) -> Split:
    """A real table with most positives dropped; those, and all other rows, are judged by balanced accuracy."""
    table = real_table(name)
    order = np.random.default_rng(FOLD_SEED).permutation(len(table.y))
    is_positive = table.y[order] == table.positive
    wanted = round(share * n_rows)
    train = np.sort(np.r_[order[is_positive][:wanted], order[~is_positive][: n_rows - wanted]])
    return _split_of(table, train, np.setdiff1d(order, train), class_weight="balanced")


def _split_of(table: RealTable, train: Rows, test: Rows, **settings: Any) -> Split:
    settings = {"positive": table.positive, **settings}
    return Split(table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test], settings=settings)


def tolerate(accuracy: float) -> Tolerance:
    """Of a real table, where the size that is chosen differs much from one learner to the next."""
    return Tolerance(accuracy=accuracy, rules=2, size=0.5, columns=5)


# Two learners that are as good differ on about a twentieth of a real table's rows (a tenth of HELOC's), by chance:
# the difference of their accuracies has a standard error of √(0.05/rows), from 0.0015 (Adult, House) to 0.0045 (HELOC).
# Twice that is tolerated. For the rare class it is the 100 positives learned from that move most.
GUARDED = (
    *(Guarded(f"example {k}", partial(known_rows, f"example {k}"), KNOWN) for k in range(1, 6)),
    *(Guarded(f"example {k}, 10% flipped", partial(known_rows, f"example {k}", 0.1), NOISY) for k in (4, 5)),
    Guarded("five rules of three literals", partial(hard_rows, SEED), HARD),
    *(
        Guarded(f"{name}, 2% positives", partial(rare_rows, name), tolerate(0.02), score_balanced)
        for name in ("adult", "house")
    ),
    Guarded("magic", partial(fold_rows, "magic", 3), tolerate(0.005)),
    Guarded("house", partial(fold_rows, "house", 4), tolerate(0.004)),
    Guarded("heloc", partial(fold_rows, "heloc", 2), tolerate(0.009)),
    Guarded("adult", partial(fold_rows, "adult", 5), tolerate(0.004)),
)


def run(guarded: Guarded) -> Record:
    """Fit once, by one process and one thread, and say what came."""
    rows = guarded.rows()
    model, spent = fit(rows.X, rows.y, random_state=SEED, n_jobs=1, **rows.settings)
    return {
        "accuracy": guarded.score(model.predict(rows.X_test), rows.y_test),
        "structure": None if rows.truth is None else same_structure(rules_of(model), rows.truth),
        **described(rules_of(model)),
        **time_of(spent, 1),
    }


def cases(chosen: Namespace) -> list[Case]:
    return [case_of(each) for each in GUARDED if each.name in (chosen.only or NAMES)]


def case_of(guarded: Guarded) -> Case:
    return Case({"case": guarded.name}, partial(run, guarded))


NAMES = tuple(each.name for each in GUARDED)
GUARD = Benchmark(name="guard", about=__doc__, key=("case",), cases=cases)


# -- what counts as a fall -----------------------------------------------------------------------------


def falls(now: Record, last: Record | None, tolerance: Tolerance) -> Iterator[str]:
    """What is worse than the last record by more than is tolerated, in words; an answer without rules always is."""
    if now["n_rules"] == 0:
        yield "there is no rule"
    if last is None:
        return
    if now["accuracy"] < last["accuracy"] - tolerance.accuracy:
        yield f"accuracy {now['accuracy']:.4f} is more than {tolerance.accuracy:g} below {last['accuracy']:.4f}"
    if now["accuracy"] <= last["accuracy"] + tolerance.accuracy:  # else more to read bought accuracy
        yield from _longer(now, last, tolerance)
    if tolerance.exact and last["structure"] and not now["structure"]:
        yield "the true rules and columns were found, and are not now"
    if _same_processor(now, last) and now["cpu"] > (1.0 + tolerance.cpu) * last["cpu"] + 5.0:
        yield f"{now['cpu']:.1f} s of CPU are more than {tolerance.cpu:.0%} and 5 s above {last['cpu']:.1f} s"


def _longer(now: Record, last: Record, tolerance: Tolerance) -> Iterator[str]:
    if now["n_rules"] > last["n_rules"] + tolerance.rules:
        yield f"{now['n_rules']} rules are more than {tolerance.rules} above {last['n_rules']}"
    room = max(tolerance.columns, tolerance.size * last["size"])
    if now["size"] > last["size"] + room:
        yield f"size {now['size']} is more than {room:g} above {last['size']}"


def _same_processor(now: Record, last: Record) -> bool:
    """Seconds of two machines say nothing about the code."""
    names = {record.get("made_by", {}).get("processor") for record in (now, last)}
    return len(names) == 1


def row(now: Record, last: Record | None, fallen: list[str]) -> list[str]:
    """A line of what is printed: each figure, and the last recorded one in brackets."""
    formats = {"accuracy": ".4f", "n_rules": "d", "size": "d", "cpu": ".1f"}
    figures = [
        f"{now[name]:{form}}" + ("" if last is None else f" ({last[name]:{form}})") for name, form in formats.items()
    ]
    found = {True: "exact", False: "other", None: ""}[now["structure"]]
    return [now["case"], *figures, found, "; ".join(fallen)]


# -- the command ---------------------------------------------------------------------------------------


def main() -> None:
    choices = (
        Choice("--record", "append the figures to results/guard.jsonl", of=bool),
        Choice("--accept", "with --record: record also what fell", of=bool),
        Choice("--only", "cases", NAMES),
    )
    chosen = parser_with("guard", __doc__, choices).parse_args()
    for name in ("magic", "house", "heloc", "adult"):  # end at once where the real tables are not there
        real_table(name)
    raise SystemExit(guard(cases(chosen), chosen.record, chosen.accept))


def guard(wanted: Sequence[Case], record: bool, accept: bool = False) -> int:
    """Run the cases, print their figures beside the last ones, and say with 1 that one of them fell.

    Figures are recorded only if none fell, or if falls are accepted: else the next run would compare with the fall.
    """
    last = {each["case"]: each for each in GUARD.newest()}
    tolerances = {each.name: each.tolerance for each in GUARDED}
    found, fallen = [], []
    print("| case | accuracy (last) | rules | size | CPU s | structure | fell |\n|---|---|---|---|---|---|---|")
    with closing(run_all(wanted, 1)) as records:
        for now in records:
            name = now["case"]
            if "failed" in now:
                raise SystemExit(f"{name}: {now['failed']}")
            worse = list(falls(now, last.get(name), tolerances[name]))
            found.append(now)
            fallen += [f"{name}: {words}" for words in worse]
            print(f"| {' | '.join(row(now, last.get(name), worse))} |", flush=True)
    for now in found if record and (accept or not fallen) else ():
        append(GUARD.name, now)
    cpu = sum(now["cpu"] for now in found)
    if cpu > MOST_CPU:
        fallen.append(f"all cases took {cpu:.0f} s of CPU, and may take {MOST_CPU:.0f}: make them smaller")
    if any(is_elsewhere(last[now["case"]]) for now in found if now["case"] in last):
        print("\nThe last figures are of another processor, BLAS or package: some of the difference may be theirs.")
    print(f"\n{cpu:.0f} s of CPU.", *(f"\nFell: {words}" for words in fallen))
    return 1 if fallen else 0


def is_elsewhere(record: Record) -> bool:
    """Whether a figure was made on another machine, or with other packages."""
    here, there = Origin.of({"made_by": made_by(), "versions": versions()}), Origin.of(record)
    return (there.machine, there.packages) != (here.machine, here.packages)


if __name__ == "__main__":
    main()
