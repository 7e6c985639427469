"""The README's table, from results/evaluation.jsonl."""

import textwrap
from collections.abc import Iterator
from pathlib import Path

from benchmarks.protocol import EXPERIMENTS, METHODS, PRINTED
from benchmarks.records import grid
from benchmarks.results_page import NOT_RUN, counts_of, printed_words
from benchmarks.summary import Evaluation, Summary

README = Path(__file__).parent.parent / "README.md"
MARKS = ("<!-- table -->", "<!-- end of table -->")
OURS = {"known": "r2n", "real": "capped"}
TABLES = {"known": EXPERIMENTS["known"]["tables"], "real": PRINTED["Table 1, bottom"]["tables"]}


def write_table(evaluation: Evaluation) -> None:
    text = README.read_text(encoding="utf-8")
    README.write_text(with_table(text, evaluation), encoding="utf-8")


def with_table(readme: str, evaluation: Evaluation) -> str:
    """The README with its table made anew."""
    before, mark, rest = readme.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not (mark and end):
        raise ValueError(f"the README lacks the marks {MARKS[0]} and {MARKS[1]} that its table stands between")
    return "\n".join([before + mark, *readme_table(evaluation), end + after])


def readme_table(evaluation: Evaluation) -> Iterator[str]:
    """r2n, the paper's R2N, RIPPER, a tree and boosting; and what is to be said of them."""
    shown = ("ripper", "tree", "boosting")
    heads = ["", "r2n", "paper's R2N (printed)", *(METHODS[method]["title"] for method in shown)]
    rows = []
    for name, printed, tables in (
        ("known", PRINTED["Table 1, top"]["paper"], TABLES["known"]),
        ("real", PRINTED["Table 1, bottom"]["paper"], TABLES["real"]),
    ):
        for table, numbers in zip(tables, printed, strict=True):
            cells = [_small(evaluation.of(name, table, method)) for method in (OURS[name], *shown)]
            rows.append([table, cells[0], printed_words(numbers), *cells[1:]])
    yield from grid(heads, rows)
    yield from textwrap.wrap(_said_in_readme(evaluation), 119)


def _said_in_readme(evaluation: Evaluation) -> str:
    real = TABLES["real"]
    both = [[evaluation.of("real", table, method).accuracy for method in ("capped", "boosting")] for table in real]
    ahead = [theirs - mine for mine, theirs in both if mine is not None and theirs is not None and theirs > mine]
    seeds, folds = (
        len(evaluation.of("known", "example 1", "r2n").done),
        len(evaluation.of("real", "adult", "capped").done),
    )
    return (
        f"Means over {seeds} seeds, and on the real tables over {folds} folds, for r2n with at most as many rules as "
        "the paper's (`max_rules`) and at most four columns in a condition. RIPPER and the tree see one column at a "
        "time: where a boundary slopes they pay for it in rules. Boosting, which has no rules, is more accurate on "
        f"{len(ahead)} of the {len(real)} real tables, by up to {max(ahead, default=0.0):.3f}. "
        + _said_of_origins(evaluation)
    )


def _said_of_origins(evaluation: Evaluation) -> str:
    """How many learners made r2n's column; which, is in docs/results.md."""
    cells = [evaluation.of(name, table, OURS[name]) for name, tables in TABLES.items() for table in tables]
    origins = {cell.origin for cell in cells if cell.records}
    if len(origins) <= 1:
        return "r2n's figures are all of one revision on one machine, which docs/results.md names."
    return f"r2n's figures are of {len(origins)} revisions of it, each table of one; docs/results.md says which."


def _small(summary: Summary) -> str:
    if summary.accuracy is None:
        return summary.undone or NOT_RUN
    late = f" ({summary.undone})" if summary.undone else ""
    return f"{summary.accuracy:.4f}{counts_of(summary)}{late}"
