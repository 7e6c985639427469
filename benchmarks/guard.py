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

import argparse
import resource
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold
from threadpoolctl import threadpool_limits

from benchmarks.origins import Origin, newest
from benchmarks.records import append, grid, made_by, read, versions
from benchmarks.refine import harder
from benchmarks.summary import share_alike
from benchmarks.trial import same_structure
from r2n import R2NClassifier, RuleSet
from r2n.datasets import KnownRule, example, load_table

SEED, FOLD_SEED = 101, 77
MOST_CPU = 600.0  # seconds, of all cases together
Record = Mapping[str, Any]


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
class Rows:
    """What a case learns from, and what it is judged on."""

    X: Any
    y: Any
    X_test: Any
    y_test: Any
    settings: Mapping[str, Any] = field(default_factory=dict)
    truth: RuleSet | None = None
    score: Callable[[ArrayLike, ArrayLike], float] = share_alike


@dataclass(frozen=True, slots=True)
class Case:
    """A name, how its rows are made, and how far its figures may fall."""

    name: str
    rows: Callable[[], Rows]
    tolerance: Tolerance


def known_rows(known: KnownRule, flip: float = 0.0) -> Rows:
    """8,000 rows to learn from, of which some labels are turned over, and 10,000 clean ones to judge by."""
    X, y = known.sample(8_000, random_state=SEED, flip=flip)
    clean, y_clean = known.sample(10_000, random_state=SEED + 1)
    return Rows(X, y, clean, y_clean, truth=known.rules)


def hard_rows(seed: int) -> Rows:
    """Five rules of three literals over ten columns."""
    known = harder(seed)
    X, X_test = (np.random.default_rng(seed + n).random((n, 10)) for n in (8_000, 10_000))
    return Rows(X, known.rules.truth(X), X_test, known.rules.truth(X_test), truth=known.rules)


def fold_rows(name: str, folds: int) -> Rows:
    """One fold of a real table to learn from, the others to judge by: cheap to learn, and judged by many rows."""
    table = load_table(name)
    table = table.complete() if name == "adult" else table
    parts = StratifiedKFold(folds, shuffle=True, random_state=FOLD_SEED).split(table.X, table.y)
    test, train = next(iter(parts))
    settings = {"positive": table.positive}
    return Rows(table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test], settings)


def rare_rows(name: str, n_rows: int = 6_000, share: float = 0.02) -> Rows:
    """A real table with most positives dropped; those, and all other rows, are judged by balanced accuracy."""
    table = load_table(name)
    table = table.complete() if name == "adult" else table
    order = np.random.default_rng(FOLD_SEED).permutation(len(table.y))
    is_positive = table.y[order] == table.positive
    wanted = round(share * n_rows)
    train = np.sort(np.r_[order[is_positive][:wanted], order[~is_positive][: n_rows - wanted]])
    test = np.setdiff1d(order, train)
    settings = {"positive": table.positive, "class_weight": "balanced"}
    judged = table.X.iloc[test], table.y[test]
    return Rows(table.X.iloc[train], table.y[train], *judged, settings, score=score_balanced)


def score_balanced(said: ArrayLike, true: ArrayLike) -> float:
    """The mean over the classes of the share of their rows that is right."""
    return float(balanced_accuracy_score(true, said))


def tolerate(accuracy: float) -> Tolerance:
    """Of a real table, where the size that is chosen differs much from one learner to the next."""
    return Tolerance(accuracy=accuracy, rules=2, size=0.5, columns=5)


# Two learners that are as good differ on about a twentieth of a real table's rows (a tenth of HELOC's), by chance:
# the difference of their accuracies has a standard error of √(0.05/rows), from 0.0015 (Adult, House) to 0.0045 (HELOC).
# Twice that is tolerated. For the rare class it is the 100 positives learned from that move most.
CASES = (
    *(Case(f"example {k}", partial(known_rows, example(k)), KNOWN) for k in range(1, 6)),
    *(Case(f"example {k}, 10% flipped", partial(known_rows, example(k), 0.1), NOISY) for k in (4, 5)),
    Case("five rules of three literals", partial(hard_rows, SEED), HARD),
    *(Case(f"{name}, 2% positives", partial(rare_rows, name), tolerate(0.02)) for name in ("adult", "house")),
    Case("magic", partial(fold_rows, "magic", 3), tolerate(0.005)),
    Case("house", partial(fold_rows, "house", 4), tolerate(0.004)),
    Case("heloc", partial(fold_rows, "heloc", 2), tolerate(0.009)),
    Case("adult", partial(fold_rows, "adult", 5), tolerate(0.004)),
)


def cpu_seconds() -> float:
    """Of this process, and of those it started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def run(case: Case) -> dict[str, Any]:
    """Fit once, and say what came."""
    rows = case.rows()
    start = cpu_seconds()
    with threadpool_limits(1):
        model = R2NClassifier(random_state=SEED, n_jobs=1, **rows.settings).fit(rows.X, rows.y)
    cpu = cpu_seconds() - start
    rules = model.rules_
    return {
        "case": case.name,
        "accuracy": rows.score(model.predict(rows.X_test), rows.y_test),
        "n_rules": rules.n_rules,
        "size": rules.size,
        "structure": None if rows.truth is None else same_structure(rules, rows.truth),
        "cpu": round(cpu, 1),
        "rules": str(rules),
    }


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
    names = [record.get("made_by", {}).get("processor") for record in (now, last)]
    return names[0] == names[1]


def row(now: Record, last: Record | None, fallen: list[str]) -> list[str]:
    """A line of what is printed: each figure, and the last recorded one in brackets."""
    formats = {"accuracy": ".4f", "n_rules": "d", "size": "d", "cpu": ".1f"}
    figures = [
        f"{now[name]:{form}}" + ("" if last is None else f" ({last[name]:{form}})") for name, form in formats.items()
    ]
    found = {True: "exact", False: "other", None: ""}[now["structure"]]
    return [now["case"], *figures, found, "; ".join(fallen)]


def last_records() -> dict[str, Record]:
    """Of each case the newest record."""
    return {record["case"]: record for record in newest(read("guard"), lambda r: r["case"])}


def main() -> None:
    names = [case.name for case in CASES]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--record", action="store_true", help="append the figures to results/guard.jsonl")
    parser.add_argument("--accept", action="store_true", help="with --record: record also what fell")
    parser.add_argument("--only", nargs="+", choices=names, metavar="CASE", help="; ".join(names))
    chosen = parser.parse_args()
    cases = [case for case in CASES if case.name in (chosen.only or names)]
    check_tables()
    raise SystemExit(guard(cases, chosen.record, chosen.accept))


def check_tables() -> None:
    """End at once where the real tables are not there."""
    for name in ("magic", "house", "heloc", "adult"):
        load_table(name)


def guard(cases: list[Case], record: bool, accept: bool = False) -> int:
    """Run the cases, print their figures beside the last ones, and say with 1 that one of them fell.

    Figures are recorded only if none fell, or if falls are accepted: else the next run would compare with the fall.
    """
    last, found, fallen = last_records(), [], []
    print("\n".join(grid(("case", "accuracy (last)", "rules", "size", "CPU s", "structure", "fell"), ())).rstrip())
    for case in cases:
        now = run(case) | {"made_by": made_by()}
        worse = list(falls(now, last.get(case.name), case.tolerance))
        found.append(now)
        fallen += [f"{case.name}: {words}" for words in worse]
        print(f"| {' | '.join(row(now, last.get(case.name), worse))} |", flush=True)
    for now in found if record and (accept or not fallen) else ():
        append("guard", now)
    cpu = sum(now["cpu"] for now in found)
    if cpu > MOST_CPU:
        fallen.append(f"all cases took {cpu:.0f} s of CPU, and may take {MOST_CPU:.0f}: make them smaller")
    if elsewhere(last, cases):
        print("\nThe last figures are of another processor, BLAS or package: some of the difference may be theirs.")
    print(f"\n{cpu:.0f} s of CPU.", *(f"\nFell: {words}" for words in fallen))
    return 1 if fallen else 0


def elsewhere(last: Mapping[str, Record], cases: list[Case]) -> bool:
    """Whether some of the last figures were made on another machine, or with other packages."""
    here = Origin.of({"made_by": made_by(), "versions": versions()})
    there = (Origin.of(dict(last[case.name])) for case in cases if case.name in last)
    return any((origin.machine, origin.packages) != (here.machine, here.packages) for origin in there)


if __name__ == "__main__":
    main()
