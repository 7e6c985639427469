"""The page of what refinement recovers and reaches, from the results that benchmarks.refine wrote."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.records import read

PAGE = Path(__file__).parent.parent / "docs" / "refine.md"
MOST_RULES = {"magic": 6, "house": 5, "heloc": 3, "adult": 2}


def page() -> str:
    """docs/refine.md, from the newest result of each cell."""
    cells = ("task", "rule", "table", "seed", "fold", "rows", "limit", "n_jobs")
    newest = {tuple(r.get(cell) for cell in cells): r for r in read("refine")}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in newest.values():
        name = record.get("table") or record.get("rule", "")
        groups[record["task"], "harder" if name.startswith("harder") else name].append(record)
    return "\n".join([*known_lines(groups), *real_lines(groups), *teacher_lines(groups), *cost_lines(groups), ""])


Groups = dict[tuple[str, str], list[dict[str, Any]]]


def run_of(record: dict[str, Any]) -> tuple[Any, Any]:
    return record.get("fold"), record.get("seed")


def mean(records: list[dict[str, Any]], key: str) -> float:
    return float(np.mean([record[key] for record in records]))


def known_lines(groups: Groups) -> Iterator[str]:
    yield "# What refinement recovers and reaches"
    yield ""
    yield "Made by `python -m benchmarks.refine`. Known rules: 8,000 rows to learn from unless said otherwise, 2,000"
    yield "clean rows to test on, one process. *Structure*: exactly the true number of rules and literals, and the true"
    yield "columns in each literal. The newest run of each cell is shown; cells may come from different revisions,"
    yield "one run each, and seconds from a machine that was not always idle."
    yield ""
    yield "| task | rule | seeds | structure | mean accuracy | least | size / true size | seconds, median | most |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for (task, name), records in groups.items():
        if "structure" in records[0] and "teacher" not in task:
            accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
            ratio = np.mean([r["size"] / r["true_size"] for r in records])
            yield (
                f"| {task} | {name} | {len(records)} | {sum(r['structure'] for r in records)} "
                f"| {np.mean(accuracy):.4f} | {min(accuracy):.4f} | {ratio:.2f} | {np.median(seconds):.1f} "
                f"| {max(seconds):.1f} |"
            )


def real_lines(groups: Groups) -> Iterator[str]:
    yield ""
    yield "Real tables, 5-fold cross-validation, at most 4 columns in a literal, `max_rules` as given, two processes;"
    yield "Adult is its 30,162 complete rows, HELOC its 10,459 rows with special codes as numbers."
    yield ""
    yield "| table | effort | max_rules | folds | accuracy | deviation | rules | literals | size | seconds | most |"
    yield "|---|---|---|---|---|---|---|---|---|---|---|"
    for name, most in MOST_RULES.items():
        for task, effort in (("real", "default"), ("thorough", "thorough")):
            if records := groups.get((task, name)):
                accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
                means = [mean(records, key) for key in ("n_rules", "literals_per_rule", "size")]
                yield (
                    f"| {name} | {effort} | {most} | {len(records)} | {np.mean(accuracy):.4f} "
                    f"| {np.std(accuracy):.4f} | {means[0]:.1f} | {means[1]:.1f} | {means[2]:.1f} "
                    f"| {np.median(seconds):.0f} | {max(seconds):.0f} |"
                )
    if not any(task == "thorough" for task, _ in groups):
        return
    yield ""
    yield "The same folds side by side: `thorough` against `default` on the folds that both ran."
    yield ""
    yield "| table | folds | default | thorough |"
    yield "|---|---|---|---|"
    for name in MOST_RULES:
        thorough = {r["fold"]: r["accuracy"] for r in groups.get(("thorough", name), [])}
        default = [r["accuracy"] for r in groups.get(("real", name), []) if r["fold"] in thorough]
        if default:
            yield f"| {name} | {len(default)} | {np.mean(default):.4f} | {np.mean(list(thorough.values())):.4f} |"


def teacher_lines(groups: Groups) -> Iterator[str]:
    if not any("no teacher" in task for task, _ in groups):
        return
    yield ""
    yield "## With and without a teacher"
    yield ""
    yield "Mean accuracy on clean or held-out rows. By default a teacher is asked where gradient boosting errs on more"
    yield "than 5 % of the rows: on all four real tables, and on known rules with flipped labels, here of 4,000 rows."
    yield ""
    yield "| table | runs | without | with | size without | with |"
    yield "|---|---|---|---|---|---|"
    pairs = {(name, ""): ("no teacher", "real") for name in MOST_RULES}
    for flip in ("0%", "20%"):
        for k in range(1, 6):
            pairs[f"example {k}", f", {flip} flipped"] = (f"{flip} flipped, no teacher", f"{flip} flipped, a teacher")
    for (name, words), tasks in pairs.items():
        without, taught = (groups.get((task, name), []) for task in tasks)
        both = {run_of(r) for r in without} & {run_of(r) for r in taught}
        without, taught = ([r for r in records if run_of(r) in both] for records in (without, taught))
        if both:
            yield (
                f"| {name}{words} | {len(without)} | {mean(without, 'accuracy'):.4f} | {mean(taught, 'accuracy'):.4f} "
                f"| {mean(without, 'size'):.1f} | {mean(taught, 'size'):.1f} |"
            )


def cost_lines(groups: Groups) -> Iterator[str]:
    yield ""
    yield "## Rows, memory, and limits of time"
    yield ""
    yield "Ten columns, two rules, 5 % of the labels flipped, one process; *n log n* is what the seconds of the row"
    yield "above would grow to. Beyond 50,000 rows the network, and beyond 30,000 the search, read part of them; the"
    yield "last descent reads up to 300,000. *Peak* is memory beyond what was held before there was a table."
    yield ""
    yield "| rows | seconds | n log n | table, MB | peak / table | rules | size |"
    yield "|---|---|---|---|---|---|---|"
    before: dict[str, Any] | None = None
    for r in sorted(groups.get(("rows", ""), []), key=lambda r: r["rows"]):
        grown = "" if before is None else f"{before['seconds'] * growth(before['rows'], r['rows']):.0f}"
        yield (
            f"| {r['rows']:,} | {r['seconds']} | {grown} | {r['table_mb']} | {r['peak_over_table']} | {r['n_rules']} "
            f"| {r['size']} |"
        )
        before = r
    if ("limit", "") not in groups:
        return
    yield ""
    yield 'House, 22,784 rows, `effort="thorough"` until time is over:'
    yield ""
    yield "| time_limit | processes | seconds taken | accuracy on the rows fitted to |"
    yield "|---|---|---|---|"
    for r in sorted(groups.get(("limit", ""), []), key=lambda r: (r["limit"], r["n_jobs"])):
        yield f"| {r['limit']:g} | {r['n_jobs']} | {r['seconds']} | {r['score']:.4f} |"


def growth(n: int, m: int) -> float:
    return float(m * np.log(m) / (n * np.log(n)))
