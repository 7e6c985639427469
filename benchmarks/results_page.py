"""docs/results.md and the README's table, from results/evaluation.jsonl: nothing in them is typed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.protocol import EXPERIMENTS, METHODS, PRINTED, Cell
from benchmarks.records import grid
from benchmarks.summary import Evaluation, Summary
from r2n import RuleSet
from r2n.datasets import example

ROOT = Path(__file__).parent.parent
PAGE, README = ROOT / "docs" / "results.md", ROOT / "README.md"
KNOWN, REAL = EXPERIMENTS["known"], EXPERIMENTS["real"]

INTRODUCTION = """# Results

Made by `python -m benchmarks` from the experiments of `benchmarks/protocol.toml`; the numbers behind every table and
figure are in `benchmarks/results/evaluation.jsonl`. *Printed* lines are what the paper prints. A cell reads
accuracy · rules × literals in a rule.

What differs from the paper's protocol: known rules are judged over several seeds, real tables by 5-fold cross-
validation (the paper prints one split for R2N, and for the others figures of DR-Net's own paper). The paper's
settings run with the penalties divided by J, as in the authors' published code: as printed they end in a
constant ([paper.md](paper.md)). On real tables they are stopped after {seconds:.0f} s, and the best epoch until
then is taken. HELOC is shown with its special codes as numbers, and with only the rows that have none; Adult is
its 30,162 complete rows. FIGS adds up trees: each leaf is counted as a rule. EBM has 2 bags instead of 14. The
MLP stops before its 10,000 epochs when ten bring nothing more. RIPPER is wittgenstein's, its rows counted as bits
(the same rules in a fraction of the time). DR-Net learns from real tables as in its own paper: nine thresholds a
column, and of Magic and HELOC the rules of the other class (h, Good). BRCG begins no round after 100 s. DR-Net,
BRCG, EBM and the paper's settings run on three seeds or folds ({counts}). Fits ran side by side with other work:
seconds tell an order of magnitude.
"""


def write_pages() -> None:
    """Both pages, and the figures."""
    from benchmarks.figures import draw_all

    evaluation = Evaluation()
    draw_all(evaluation)
    PAGE.write_text("\n".join(page(evaluation)), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    marks = r"(<!-- table -->\n).*?(<!-- end of table -->)"
    small = "\n".join(readme_table(evaluation))
    README.write_text(re.sub(marks, rf"\g<1>{small}\g<2>", text, flags=re.DOTALL), encoding="utf-8")


def page(evaluation: Evaluation) -> Iterator[str]:
    """The lines of docs/results.md."""
    limits = sorted({(each["limit"], each["title"]) for each in METHODS.values() if each["limit"] > 300})
    counts = "; ".join(f"{title}: at most {limit} s a fit" for limit, title in limits)
    yield INTRODUCTION.format(counts=counts, seconds=Cell("real", "magic", "paper", 0).paper_seconds)
    yield from _table_1(evaluation, "known", KNOWN, PRINTED["Table 1, top"], KNOWN["tables"])
    yield from _structures(evaluation)
    bottom = PRINTED["Table 1, bottom"]
    yield from _table_1(evaluation, "real", REAL, bottom, bottom["tables"])
    yield from _sizes(evaluation)
    yield from _losses(evaluation)
    yield from _table_2(evaluation)
    yield from _figures(evaluation)
    yield from _appendix_e(evaluation)


def _table_1(
    evaluation: Evaluation, name: str, stated: dict[str, Any], printed: dict[str, Any], printed_tables: list[str]
) -> Iterator[str]:
    yield f"## {stated['title']}\n"
    tables = stated["tables"]
    rows = []
    for method in stated["methods"]:
        summaries = [evaluation.of(name, table, method) for table in tables]
        rows.append([METHODS[method]["title"], _repeats(summaries), *map(_cell, summaries)])
        if method in printed:
            by_table = dict(zip(printed_tables, printed[method], strict=True))
            rows.append(["*printed*", "", *(_printed(by_table.get(table)) for table in tables)])
    yield from grid(["method", "seeds" if name == "known" else "folds", *tables], rows)


def _repeats(summaries: list[Summary]) -> str:
    counts = sorted({len(summary.done) for summary in summaries})
    return "–".join(map(str, counts[:: max(len(counts) - 1, 1)]))


def _cell(summary: Summary) -> str:
    if summary.accuracy is None:
        return summary.undone or "not run"
    words = f"{summary.accuracy:.4f} ± {summary.deviation:.4f}{_counts(summary)}"
    return f"{words} ({summary.undone})" if summary.undone else words


def _counts(summary: Summary) -> str:
    rules, literals = summary.mean("n_rules"), summary.mean("literals_per_rule")
    return "" if rules is None or literals is None else f" · {rules:.1f} × {literals:.1f}"


def _printed(numbers: list[float] | None) -> str:
    match numbers:
        case None:
            return ""
        case [accuracy]:
            return f"{accuracy:.2f}"
        case [accuracy, rules, literals]:
            return f"{accuracy:.2f} · {rules:g} × {literals:.1f}"
        case _:
            raise ValueError(
                f"protocol.toml prints {numbers!r}; an accuracy, or accuracy, rules and literals, is meant"
            )


def _structures(evaluation: Evaluation) -> Iterator[str]:
    yield "How much there is to read (columns mentioned) · seconds a fit; for r2n also on how many seeds the rules"
    yield "found have exactly the true numbers of rules and literals, and the true columns in each literal:\n"
    rows = []
    for method in KNOWN["methods"]:
        summaries = [evaluation.of("known", table, method) for table in KNOWN["tables"]]
        rows.append([METHODS[method]["title"], *map(_effort, summaries)])
    rows.append(["*the true rules*", *(str(example(k).rules.size) for k in range(1, 6))])
    yield from grid(["method", *KNOWN["tables"]], rows)


def _effort(summary: Summary) -> str:
    seconds, size = summary.mean("seconds"), summary.mean("size")
    if seconds is None:
        return summary.undone or "not run"
    words = f"{'—' if size is None else format(size, '.1f')} · {seconds:.1f} s"
    found = [record["structure"] for record in summary.done if record.get("structure") is not None]
    return f"{words} · {sum(found)} of {len(found)}" if found else words


def _sizes(evaluation: Evaluation) -> Iterator[str]:
    yield "How much there is to read (columns mentioned) · seconds a fit:\n"
    rows = []
    for method in REAL["methods"]:
        summaries = [evaluation.of("real", table, method) for table in REAL["tables"]]
        rows.append([METHODS[method]["title"], *map(_effort, summaries)])
    yield from grid(["method", *REAL["tables"]], rows)
    widest = [
        record["most_columns"]
        for table in REAL["tables"]
        for method in ("r2n", "capped")
        for record in evaluation.of("real", table, method).done
    ]
    if widest:
        yield f"No literal of r2n's reads more than {max(widest)} columns.\n"


def _losses(evaluation: Evaluation) -> Iterator[str]:
    """Who is more accurate than r2n where, on the same seeds or folds."""
    yield "## Where r2n loses\n"
    yield "More accurate than r2n's default, on the mean of the same seeds or folds:\n"
    lost = list(_beaten(evaluation))
    yield from (f"- {line}" for line in lost or ["none of those that ran."])
    yield ""


def _beaten(evaluation: Evaluation) -> Iterator[str]:
    for name, stated in (("known", KNOWN), ("real", REAL)):
        for table in stated["tables"]:
            ours = {record["repeat"]: record["accuracy"] for record in evaluation.of(name, table, "r2n").done}
            for method in stated["methods"]:
                theirs = {r["repeat"]: r["accuracy"] for r in evaluation.of(name, table, method).done}
                both = sorted(ours.keys() & theirs.keys())
                gap = sum(theirs[k] - ours[k] for k in both) / max(len(both), 1)
                if gap > 0.0 and method not in ("r2n", "capped"):
                    yield f"{table}: {METHODS[method]['title']} by {gap:.4f} ({len(both)} in common)"


def _table_2(evaluation: Evaluation) -> Iterator[str]:
    stated = EXPERIMENTS["literals"]
    yield f"## {stated['title']}\n"
    yield "The same learner on 40 quantile bins (the tree and FIGS: on the columns) and on the literals that r2n"
    yield "learned from the same rows (`transform`); 8,000 rows, 2,000 others to test on.\n"
    rows: list[list[str]] = []
    for method in stated["methods"]:
        alone = method.removeprefix("literals ")
        for experiment, used in (("known", alone), ("literals", method)):
            summaries = [evaluation.of(experiment, table, used) for table in stated["tables"]]
            rows.append([METHODS[used]["title"], _repeats(summaries), *map(_cell, summaries)])
        if alone == "ripper":
            for word in ("bins", "literals"):
                counts = (f"{count} rules" for count in PRINTED["Table 2"][word])
                rows.append([f"*printed, on {word}*", "", *counts])
    yield from grid(["method", "seeds", *stated["tables"]], rows)


def _figures(evaluation: Evaluation) -> Iterator[str]:
    yield "## Figure 2: the toy rule\n"
    yield "![Regions that r2n and RIPPER find for the toy rule](toy.png)\n"
    yield "## Figure 3: penalty, rows, noise\n"
    if evaluation.has("penalty"):
        yield "Accuracy is on rows whose labels no noise has touched; the dashed line is the best possible when test"
        yield "labels are as noisy as those learned from, which is how the paper measures.\n"
        yield "![Accuracy and number of rules over the penalty, accuracy over rows and over noise](figure3.png)\n"
    else:
        yield "Not run yet.\n"
    yield "## Accuracy over size\n"
    yield "Every point of r2n's fronts (mean over seeds or folds), and every other method as a point; those that are no"
    yield "rules as lines. What is far below the best is not shown.\n"
    yield "![Accuracy over size for nine tables](fronts.png)\n"


def _appendix_e(evaluation: Evaluation) -> Iterator[str]:
    yield "## Appendix E: the rules found\n"
    for table, shown in PRINTED["Appendix E"].items():
        yield f"**{table}**, the truth, r2n's (seed 0), and the paper's as printed there:\n"
        first = [record["rules"] for record in evaluation.of("known", table, "r2n").done if record["repeat"] == 0]
        true = str(example(int(table.split()[1])).rules)
        printed = str(RuleSet.parse(f"True if {shown} else False"))
        for text in (true, *(first or ["not run"]), printed):
            yield f"```\n{text}\n```\n"


def readme_table(evaluation: Evaluation) -> Iterator[str]:
    """r2n, the paper's R2N, RIPPER and a tree."""
    shown = ("ripper", "tree", "boosting")
    heads = ["", "r2n", "paper's R2N (printed)", *(METHODS[method]["title"] for method in shown)]
    rows = []
    for name, printed, tables in (
        ("known", PRINTED["Table 1, top"]["paper"], KNOWN["tables"]),
        ("real", PRINTED["Table 1, bottom"]["paper"], PRINTED["Table 1, bottom"]["tables"]),
    ):
        for table, numbers in zip(tables, printed, strict=True):
            ours = "r2n" if name == "known" else "capped"
            cells = [_small(evaluation.of(name, table, method)) for method in (ours, *shown)]
            rows.append([table, cells[0], _printed(numbers), *cells[1:]])
    yield from list(grid(heads, rows))[:-1]
    yield ""


def _small(summary: Summary) -> str:
    if summary.accuracy is None:
        return summary.undone or "not run"
    return f"{summary.accuracy:.4f}{_counts(summary)}"
