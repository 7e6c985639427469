"""docs/results.md and the README's table, from results/evaluation.jsonl: nothing in them is typed."""

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.protocol import EXPERIMENTS, METHODS, PRINTED, Cell
from benchmarks.records import grid
from benchmarks.summary import Evaluation, Summary, share_alike
from r2n import RuleSet
from r2n.datasets import example

ROOT = Path(__file__).parent.parent
PAGE, README = ROOT / "docs" / "results.md", ROOT / "README.md"
KNOWN, REAL = EXPERIMENTS["known"], EXPERIMENTS["real"]
MARKS = ("<!-- table -->", "<!-- end of table -->")
VARIED = {"penalty": "the penalty λ", "rows": "rows to learn from", "noise": "labels turned over"}

INTRODUCTION = """# Results

Made by `python -m benchmarks` from the experiments of `benchmarks/protocol.toml`; the numbers behind every table and
figure are in `benchmarks/results/evaluation.jsonl`. *Printed* lines are what the paper prints. A cell reads
accuracy ± deviation · rules × literals in a rule.

What differs from the paper's protocol:

- Known rules are judged over several seeds, real tables by 5-fold cross-validation. The paper prints one split for R2N;
  its figures of the others on real tables are those of DR-Net's own paper.
- *The paper's settings* are those of its appendix C, but for two points without which they learn too little
  ([paper.md](paper.md)), and in which they are as in the authors' published code: penalties divided by J, OR as the
  clamped sum. On known rules they run at their full budget, 25 restarts of 10,000 epochs; on real tables with
  {restarts} restarts, which are stopped after {seconds:.0f} s.
- HELOC is shown with all its 10,459 rows, special codes as numbers, and with the 2,502 that have none; Adult is its
  30,162 complete rows.
- On Magic and HELOC, {opposite} learn the rules of the class that comes last in the alphabet
  (h, Good), as in DR-Net's paper. It is the rarer one; of the other they learn worse rules.
- DR-Net has nine thresholds a column on real tables, as in its own paper, and 40 on known rules. It starts from
  Glorot's weights, and the OR layer's gradient passes straight through. Of five variants tried (start, gradient,
  negated columns) that one is shown which came closest to the printed figures; as published, with the smaller
  weights of its code and soft gates, it got stuck near 0.86 on example 5 on some seeds.
- RIPPER is wittgenstein's, its rows counted as bits (the same rules in a fraction of the time). On raw columns it
  makes ten bins of a column by itself. BRCG begins no round after 100 s of computing.
- The MLP stops before its 10,000 epochs when ten bring nothing more. EBM has 2 bags instead of 14.
- Rules are counted as each learner gives them, conditions that others make idle included. A tree's rules are the
  paths to its positive leaves; FIGS adds trees up, and each leaf is counted as a rule.
"""
LIMITS = """Each table says on how many seeds or folds. A fit is stopped after 300 s ({limits}), which {late}. Two fits
ran side by side, sometimes beside other work: seconds tell an order of magnitude."""


def write_pages() -> None:
    """Both pages, and the figures."""
    from benchmarks.figures import draw_all

    evaluation = Evaluation()
    draw_all(evaluation)
    PAGE.write_text("\n".join(page(evaluation)), encoding="utf-8")
    text = README.read_text(encoding="utf-8")
    README.write_text(with_table(text, evaluation), encoding="utf-8")


def with_table(readme: str, evaluation: Evaluation) -> str:
    """The README with its table made anew."""
    before, mark, rest = readme.partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if not (mark and end):
        raise ValueError(f"the README lacks the marks {MARKS[0]} and {MARKS[1]} that its table stands between")
    return "\n".join([before + mark, *readme_table(evaluation), end + after])


def page(evaluation: Evaluation) -> Iterator[str]:
    """The lines of docs/results.md."""
    yield _introduction(evaluation)
    yield from _table_1(evaluation, "known", KNOWN, PRINTED["Table 1, top"], KNOWN["tables"])
    yield "How much there is to read (columns mentioned) · seconds a fit; for r2n also on how many seeds the rules"
    yield "found have exactly the true numbers of rules and literals, and the true columns in each literal:\n"
    true_sizes = ["*the true rules*", *(str(example(k).rules.size) for k in range(1, 6))]
    yield from grid(["method", *KNOWN["tables"]], [*_efforts(evaluation, "known"), true_sizes])
    bottom = PRINTED["Table 1, bottom"]
    yield from _table_1(evaluation, "real", REAL, bottom, bottom["tables"])
    yield "How much there is to read (columns mentioned) · seconds a fit:\n"
    yield from grid(["method", *REAL["tables"]], _efforts(evaluation, "real"))
    yield from _widest(evaluation)
    yield from _losses(evaluation)
    yield from _table_2(evaluation)
    yield from _figures(evaluation)
    yield from _appendix_e(evaluation)


def _introduction(evaluation: Evaluation) -> str:
    others = list(dict.fromkeys(METHODS[method]["title"].split(",")[0] for method in REAL["opposite"]["methods"]))
    differs = INTRODUCTION.format(
        restarts=REAL["settings"]["paper"]["restarts"],
        seconds=Cell("real", "magic", "paper", 0).paper_seconds,
        opposite=f"{', '.join(others[:-1])} and {others[-1]}",
    )
    slower = sorted({(each["limit"], each["title"]) for each in METHODS.values() if each["limit"] > 300})
    slower += [(limit, f"{METHODS[method]['title']}, on real tables") for method, limit in REAL["limits"].items()]
    late = evaluation.count("timed_out")
    said = LIMITS.format(
        limits="; ".join(f"{title}: {limit}" for limit, title in slower),
        late=f"happened {late} times and is said there" if late else "never happened",
    )
    return f"{differs}\n{textwrap.fill(said, 119)}\n"


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


def _efforts(evaluation: Evaluation, name: str) -> Iterator[list[str]]:
    stated = EXPERIMENTS[name]
    for method in stated["methods"]:
        yield [METHODS[method]["title"], *(_effort(evaluation.of(name, table, method)) for table in stated["tables"])]


def _effort(summary: Summary) -> str:
    seconds, size = summary.mean("seconds"), summary.mean("size")
    if seconds is None:
        return summary.undone or "not run"
    words = f"{'—' if size is None else format(size, '.1f')} · {seconds:.1f} s"
    found = [record["structure"] for record in summary.done if record.get("structure") is not None]
    return f"{words} · {sum(found)} of {len(found)}" if found else words


def _widest(evaluation: Evaluation) -> Iterator[str]:
    widest = [
        record["most_columns"]
        for table in REAL["tables"]
        for method in ("r2n", "capped")
        for record in evaluation.of("real", table, method).done
    ]
    if widest:
        yield f"No literal of r2n's reads more than {max(widest)} columns.\n"


def _losses(evaluation: Evaluation) -> Iterator[str]:
    """Who is more accurate than r2n's default or has less to read, and where it is longer than the paper's R2N."""
    yield "## Where r2n loses\n"
    parts = {
        "More accurate than r2n's default, on the mean of the same seeds or folds:": _ahead(evaluation, "accuracy"),
        "Fewer columns to read than in r2n's default, whatever the accuracy:": _ahead(evaluation, "size"),
        "Longer than what the paper prints for R2N:": _longer_than_printed(evaluation),
    }
    for words, lines in parts.items():
        yield f"{words}\n"
        yield from (f"- {line}" for line in list(lines) or ["none."])
        yield ""


def _ahead(evaluation: Evaluation, what: str) -> Iterator[str]:
    """Who is ahead of r2n's default, on what both have in common."""
    sign, digits = (1, 4) if what == "accuracy" else (-1, 1)
    for name, stated in (("known", KNOWN), ("real", REAL)):
        for table in stated["tables"]:
            ours = {record["repeat"]: record[what] for record in evaluation.of(name, table, "r2n").done}
            found = []
            for method in stated["methods"]:
                records = evaluation.of(name, table, method).done
                theirs = {r["repeat"]: r[what] for r in records if r[what] is not None}
                both = ours.keys() & theirs.keys()
                gap = sign * sum(theirs[k] - ours[k] for k in both) / max(len(both), 1)
                if gap > 0.0 and method not in ("r2n", "capped"):
                    found.append(f"{METHODS[method]['title']} by {gap:.{digits}f}")
            if found:
                yield f"{table}: {'; '.join(found)}"


def _longer_than_printed(evaluation: Evaluation) -> Iterator[str]:
    for name, part in (("known", "Table 1, top"), ("real", "Table 1, bottom")):
        tables = PRINTED[part].get("tables", EXPERIMENTS[name]["tables"])
        for table, (_, rules, literals) in zip(tables, PRINTED[part]["paper"], strict=True):
            for method in ("r2n", "capped"):
                summary = evaluation.of(name, table, method)
                if summary.accuracy is None:
                    continue
                for what, most in (("n_rules", rules), ("literals_per_rule", literals)):
                    mean = summary.mean(what)
                    if mean is not None and mean > most + 0.05:  # as printed, with one digit
                        words = "rules" if what == "n_rules" else "literals a rule"
                        yield f"{table}: {METHODS[method]['title']} has {mean:.1f} {words}, printed are {most:g}"


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
    yield "Made by `python -m benchmarks.toy`.\n"
    yield "![Regions that r2n and RIPPER find for the toy rule](toy.png)\n"
    yield "## Figure 3: penalty, rows, noise\n"
    counts = ", ".join(f"{EXPERIMENTS[name]['repeats']} over {words}" for name, words in VARIED.items())
    yield f"Means of several seeds ({counts}). Over noise the accuracy is,"
    yield "as in the paper, that on labels as noisy as those learned from: of an accuracy a on clean rows,"
    yield "(1 - 2·noise)·a + noise is to be expected there.\n"
    yield "![Accuracy and number of rules over the penalty, accuracy over rows and over noise](figure3.png)\n"
    yield "r2n on clean rows: mean accuracy · the least · on how many seeds the structure is exactly the true one. How"
    yield "far rules may grow in the last fit was settled while these seeds were looked at: with a tenth of the labels"
    yield "turned over, other seeds keep the structure less often.\n"
    for name in ("noise", "rows"):
        stated = EXPERIMENTS[name]
        (values,) = stated["vary"].values()
        rows = [
            [table, *(_steadiness(evaluation.of(name, table, "r2n", value)) for value in values)]
            for table in stated["tables"]
        ]
        yield from grid(
            [VARIED[name], *(f"{value:.0%}" if name == "noise" else f"{value:,}" for value in values)], rows
        )
    yield "## Accuracy over size\n"
    yield "Every point of r2n's fronts (mean over seeds or folds), and every other method as a point; those that are no"
    yield "rules as lines. What is far below the best stands at the lower edge, with its accuracy.\n"
    yield "![Accuracy over size for nine tables](fronts.png)\n"


def _steadiness(summary: Summary) -> str:
    if summary.accuracy is None:
        return summary.undone or "not run"
    found = [record["structure"] for record in summary.done]
    least = min(record["accuracy"] for record in summary.done)
    return f"{summary.accuracy:.4f} · {least:.4f} · {sum(found)} of {len(found)}"


def _appendix_e(evaluation: Evaluation) -> Iterator[str]:
    yield "## Appendix E: the rules found\n"
    for table, shown in PRINTED["Appendix E"].items():
        known = example(int(table.split()[1]))
        printed = RuleSet.parse(f"True if {shown} else False")
        X, y = known.sample(10_000, random_state=0)
        right = share_alike(printed.truth(X), y)
        yield f"**{table}**: the truth; r2n's (seed 0); the paper's, in our notation, right on {right:.4f} of 10,000 rows:\n"
        first = [record["rules"] for record in evaluation.of("known", table, "r2n").done if record["repeat"] == 0]
        for text in (str(known.rules), *(first or ["not run"]), str(printed)):
            yield f"```\n{text}\n```\n"


def readme_table(evaluation: Evaluation) -> Iterator[str]:
    """r2n, the paper's R2N, RIPPER, a tree and boosting; and what is to be said of them."""
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
    yield from grid(heads, rows)
    yield from textwrap.wrap(_said_in_readme(evaluation), 119)


def _said_in_readme(evaluation: Evaluation) -> str:
    real = PRINTED["Table 1, bottom"]["tables"]
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
        f"{len(ahead)} of the {len(real)} real tables, by up to {max(ahead, default=0.0):.3f}."
    )


def _small(summary: Summary) -> str:
    if summary.accuracy is None:
        return summary.undone or "not run"
    late = f" ({summary.undone})" if summary.undone else ""
    return f"{summary.accuracy:.4f}{_counts(summary)}{late}"
