"""The page of what refinement recovers and reaches, from the results that benchmarks.refine wrote."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.origins import Legend, are_comparable, newest, of_newest_origin
from benchmarks.records import grid, read

PAGE = Path(__file__).parent.parent / "docs" / "refine.md"
MOST_RULES = {"magic": 6, "house": 5, "heloc": 3, "adult": 2}


Record = dict[str, Any]
Groups = dict[tuple[str, str], list[Record]]
CELL = ("task", "rule", "table", "seed", "fold", "rows", "limit", "n_jobs")


def page() -> str:
    """docs/refine.md, from the newest result of each cell."""
    return "\n".join(lines_of(grouped(read("refine"))))


def grouped(records: list[Record]) -> Groups:
    """The newest result of each cell, row by row of the page; of a row those of the newest one's origin."""
    groups: Groups = {group_of(record): [] for record in records}  # in the order of the oldest
    for record in newest(records, lambda r: tuple(r.get(cell) for cell in CELL)):
        groups[group_of(record)].append(record)
    return {group: of_newest_origin(found) for group, found in groups.items()}


def group_of(record: Record) -> tuple[str, str]:
    """What is shown in one row, or for fits that differ in rows and time only, in one table."""
    name = record.get("table") or record.get("rule", "")
    return record["task"], "harder" if name.startswith("harder") else name


def lines_of(groups: Groups) -> Iterator[str]:
    legend = Legend()
    for part in (known_lines, real_lines, teacher_lines, cost_lines):
        yield from part(groups, legend)
    yield from legend.lines()


def run_of(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("fold"), record.get("seed")


def mean(records: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([record[key] for record in records]))


def known_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "# What refinement recovers and reaches"
    yield ""
    yield "Made by `python -m benchmarks.refine`. Known rules: 8,000 rows to learn from unless said otherwise, 2,000"
    yield "clean rows to test on, one process. *Structure*: exactly the true number of rules and literals, and the true"
    yield "columns in each literal. *Of* names the learner and the machine that made a row (see below): of each row"
    yield "what its newest learner has run is shown. One run each, seconds from a machine that was not always idle."
    yield ""
    head = ("task", "rule", "of", "seeds", "structure", "mean accuracy", "least", "size / true size", "seconds, median")
    yield from grid(
        (*head, "most"),
        [
            (task, name, legend.mark(records), len(records), *recovered(records))
            for (task, name), records in groups.items()
            if "structure" in records[0] and "teacher" not in task
        ],
    )


def recovered(records: list[Record]) -> tuple[str, ...]:
    accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
    ratio = np.mean([r["size"] / r["true_size"] for r in records])
    return (
        str(sum(r["structure"] for r in records)),
        f"{np.mean(accuracy):.4f}",
        f"{min(accuracy):.4f}",
        f"{ratio:.2f}",
        f"{np.median(seconds):.1f}",
        f"{max(seconds):.1f}",
    )


def real_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "Real tables, 5-fold cross-validation, at most 4 columns in a literal, `max_rules` as given, two processes;"
    yield "Adult is its 30,162 complete rows, HELOC its 10,459 rows with special codes as numbers."
    yield ""
    head = ("table", "of", "effort", "max_rules", "folds", "accuracy", "deviation", "rules", "literals", "size")
    yield from grid(
        (*head, "seconds", "most"),
        [
            (name, legend.mark(records), effort, most, len(records), *reached(records))
            for name, most in MOST_RULES.items()
            for task, effort in (("real", "default"), ("thorough", "thorough"))
            if (records := groups.get((task, name)))
        ],
    )
    if not any(task == "thorough" for task, _ in groups):
        return
    yield "The same folds side by side: `thorough` against `default` on the folds that both ran."
    yield ""
    pairs = {name: (groups.get(("real", name), []), groups.get(("thorough", name), [])) for name in MOST_RULES}
    yield from compared_lines(("table", "of", "folds", "default", "thorough"), pairs, ("accuracy",), legend)


def reached(records: list[Record]) -> tuple[str, ...]:
    accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
    means = [mean(records, key) for key in ("n_rules", "literals_per_rule", "size")]
    scores = f"{np.mean(accuracy):.4f}", f"{np.std(accuracy):.4f}", *(f"{value:.1f}" for value in means)
    return *scores, f"{np.median(seconds):.0f}", f"{max(seconds):.0f}"


def teacher_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    if not any("no teacher" in task for task, _ in groups):
        return
    yield "## With and without a teacher"
    yield ""
    yield "Mean accuracy on clean or held-out rows, without a teacher (`teacher=False`) and with one: on real tables as"
    yield "by default, where it is asked if the labels are noisy; on known rules of 4,000 rows with `teacher=True`."
    yield ""
    pairs = {name: (groups.get(("no teacher", name), []), groups.get(("real", name), [])) for name in MOST_RULES}
    for flip in ("0%", "20%"):
        for k in range(1, 6):
            tasks = (f"{flip} flipped, no teacher", f"{flip} flipped, a teacher")
            found = [groups.get((task, f"example {k}"), []) for task in tasks]
            pairs[f"example {k}, {flip} flipped"] = found[0], found[1]
    head = ("table", "of", "runs", "without", "with", "size without", "with")
    yield from compared_lines(head, pairs, ("accuracy", "size"), legend)


def compared_lines(
    head: tuple[str, ...], pairs: dict[str, tuple[list[Record], list[Record]]], keys: tuple[str, ...], legend: Legend
) -> Iterator[str]:
    """Two ways side by side, on the runs that both have; those of two learners are not compared, and named."""
    rows, apart = [], []
    for name, (first, second) in pairs.items():
        both = {run_of(r) for r in first} & {run_of(r) for r in second}
        if not both:
            continue
        if not are_comparable(first, second):
            apart.append(name)
            continue
        shown = [[r for r in records if run_of(r) in both] for records in (first, second)]
        means = (f"{mean(records, key):{'.4f' if key == 'accuracy' else '.1f'}}" for key in keys for records in shown)
        rows.append((name, legend.mark([*first, *second]), len(both), *means))
    yield from grid(head, rows)
    if apart:
        yield f"Not compared, as the two were run by different learners: {'; '.join(apart)}."
        yield ""


def cost_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "## Rows, memory, and limits of time"
    yield ""
    yield "Ten columns, two rules, 5 % of the labels flipped, one process; *n log n* is what the seconds of the row"
    yield "above would grow to. Beyond 50,000 rows the network, and beyond 30,000 the search, read part of them; the"
    yield "last descent reads up to 300,000. *Peak* is memory beyond what was held before there was a table."
    yield ""
    measured = sorted(groups.get(("rows", ""), []), key=lambda r: r["rows"])
    yield from grid(
        ("rows", "of", "seconds", "n log n", "table, MB", "peak / table", "rules", "size"),
        [
            (
                f"{r['rows']:,}",
                legend.mark([r]),
                r["seconds"],
                "" if before is None else f"{before['seconds'] * growth(before['rows'], r['rows']):.0f}",
                *(r[key] for key in ("table_mb", "peak_over_table", "n_rules", "size")),
            )
            for before, r in zip([None, *measured][: len(measured)], measured, strict=True)
        ],
    )
    if ("limit", "") not in groups:
        return
    yield 'House, 22,784 rows, `effort="thorough"` until time is over:'
    yield ""
    yield from grid(
        ("time_limit", "of", "processes", "seconds taken", "accuracy on the rows fitted to"),
        [
            (f"{r['limit']:g}", legend.mark([r]), r["n_jobs"], r["seconds"], f"{r['score']:.4f}")
            for r in sorted(groups["limit", ""], key=lambda r: (r["limit"], r["n_jobs"]))
        ],
    )


def growth(n: int, m: int) -> float:
    return float(m * np.log(m) / (n * np.log(n)))
