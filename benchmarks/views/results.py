"""docs/results.md, from results/evaluation.jsonl: no figure in it is typed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.fits import share_alike
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record
from benchmarks.methods.sloping import SECONDS
from benchmarks.protocol import EXPERIMENTS, METHODS, PRINTED, Cell
from benchmarks.splits import known_rule
from benchmarks.views.summary import Evaluation, Summary, by_origin
from r2n import RuleSet

KNOWN, REAL, UNSEEN = (EXPERIMENTS[name] for name in ("known", "real", "unseen"))
PARTS = {"known": "Table 1, top", "real": "Table 1, bottom"}
PRINTED_IN = PARTS | {"unseen": "Table 1, bottom"}
VARIED = {"penalty": "the penalty λ", "rows": "rows to learn from", "noise": "labels turned over"}


@dataclass(frozen=True, slots=True)
class Row:
    """Cells of one origin side by side."""

    title: str
    cells: tuple[Summary, ...]

    @property
    def records(self) -> list[Record]:
        return [record for cell in self.cells for record in cell.records]

    @property
    def repeats(self) -> str:
        """How many seeds or folds the cells have: a number, or from the fewest to the most."""
        counts = sorted({len(cell.done) for cell in self.cells if cell.records}) or [0]
        return "–".join(map(str, counts[:: max(len(counts) - 1, 1)]))


@dataclass(frozen=True, slots=True)
class Shown:
    """The rules of an example: the true ones, r2n's, and those that the paper prints."""

    name: str
    truth: RuleSet
    printed: RuleSet
    first: str | None  # r2n's, of seed 0
    records: tuple[Record, ...]
    right: float  # share of rows on which the printed ones are


def rows_of(title: str, summaries: list[Summary]) -> list[Row]:
    """A row; if its cells are of several origins, a row for each."""
    return [Row(title, tuple(cells)) for cells in by_origin(summaries)]


def view_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """What docs/results.md shows."""

    def rows(name: str, method: str) -> list[Row]:
        summaries = [evaluation.of(name, table, method) for table in EXPERIMENTS[name]["tables"]]
        return rows_of(METHODS[method]["title"], summaries)

    return {
        "experiments": EXPERIMENTS,
        "real": REAL,
        "unseen": UNSEEN,
        "stopped_after": Cell("real", "magic", "paper", 0).paper_seconds,
        "contree_seconds": SECONDS,
        "opposite": list(dict.fromkeys(METHODS[each]["title"].split(",")[0] for each in REAL["opposite"]["methods"])),
        "limits": list(limits()),
        "late": evaluation.count("timed_out"),
        "rows": rows,
        "printed_of": printed_of,
        "printed_rules": PRINTED["Table 2"],
        "true_sizes": [known_rule(table).rules.size for table in KNOWN["tables"]],
        "widest": widest(evaluation),
        "losses": losses(evaluation),
        "curves": list(curves(evaluation)),
        "varied": VARIED,
        "values_of": lambda name: [f"{value:.0%}" if name == "noise" else f"{value:,}" for value in values_of(name)],
        "steady": lambda name: list(steady(evaluation, name)),
        "appendix": list(appendix(evaluation)),
        "left_out": evaluation.left_out,
    }


def limits() -> Iterator[tuple[str, int]]:
    """Who may take more than 300 s, or less than elsewhere."""
    yield from sorted(
        {(each["title"], each["limit"]) for each in METHODS.values() if each["limit"] > 300},
        key=lambda each: (each[1], each[0]),
    )
    yield from ((f"{METHODS[method]['title']}, on real tables", limit) for method, limit in REAL["limits"].items())


def printed_of(name: str) -> dict[str, dict[str, list[float]]]:
    """What the paper prints of an experiment: of each method, by table."""
    printed = dict(PRINTED[PRINTED_IN[name]])
    tables = printed.pop("tables", EXPERIMENTS[name]["tables"])
    return {method: dict(zip(tables, numbers, strict=True)) for method, numbers in printed.items()}


def widest(evaluation: Evaluation) -> int | None:
    """How many columns the widest literal of r2n's reads on real tables."""
    found = [
        record["most_columns"]
        for table in REAL["tables"]
        for method in ("r2n", "capped")
        for record in evaluation.of("real", table, method).done
    ]
    return max(found, default=None)


# -- where r2n loses -----------------------------------------------------------------------------------


def losses(evaluation: Evaluation) -> dict[str, list[str]]:
    """Who is more accurate than r2n's default or has less to read, and where it is longer than the paper's R2N."""
    return {
        "More accurate than r2n's default, on the mean of the same seeds or folds:": [*ahead(evaluation, "accuracy")],
        "Fewer columns to read than in r2n's default, whatever the accuracy:": [*ahead(evaluation, "size")],
        "Longer than what the paper prints for R2N:": [*longer_than_printed(evaluation)],
    }


def ahead(evaluation: Evaluation, what: str) -> Iterator[str]:
    """Who is ahead of r2n's default, on what both have in common."""
    sign, digits = (1, 4) if what == "accuracy" else (-1, 1)
    for name, stated, where in (("known", KNOWN, ""), ("real", REAL, ""), ("unseen", UNSEEN, ", unseen folds")):
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
                yield f"{table}{where if table not in UNSEEN['once'] else ''}: {'; '.join(found)}"


def longer_than_printed(evaluation: Evaluation) -> Iterator[str]:
    words = {"n_rules": "rules", "literals_per_rule": "literals a rule"}
    for name in PARTS:
        for table, (_, rules, literals) in printed_of(name)["paper"].items():
            for method in ("r2n", "capped"):
                summary = evaluation.of(name, table, method)
                for what, most in (("n_rules", rules), ("literals_per_rule", literals)):
                    mean = summary.mean(what)
                    if mean is not None and mean > most + 0.05:  # as printed, with one digit
                        yield f"{table}: {METHODS[method]['title']} has {mean:.1f} {words[what]}, printed are {most:g}"


# -- figure 3 and appendix E ---------------------------------------------------------------------------


def values_of(name: str) -> list[float]:
    """The values that an experiment varies."""
    (values,) = EXPERIMENTS[name]["vary"].values()
    return list(values)


def curves(evaluation: Evaluation) -> Iterator[tuple[str, list[Row]]]:
    """Of what the curves of figure 3 are: a curve of two origins has two rows."""
    for name, words in VARIED.items():
        stated = EXPERIMENTS[name]
        for method in stated["methods"]:
            points = [
                evaluation.of(name, table, method, value) for table in stated["tables"] for value in values_of(name)
            ]
            yield words, rows_of(METHODS[method]["title"], points)


def steady(evaluation: Evaluation, name: str) -> Iterator[Row]:
    """r2n on each table of an experiment, over what it varies."""
    for table in EXPERIMENTS[name]["tables"]:
        yield from rows_of(table, [evaluation.of(name, table, "r2n", value) for value in values_of(name)])


def appendix(evaluation: Evaluation) -> Iterator[Shown]:
    for table, shown in PRINTED["Appendix E"].items():
        known, printed = known_rule(table), RuleSet.parse(f"True if {shown} else False")
        X, y = known.sample(10_000, random_state=0)
        summary = evaluation.of("known", table, "r2n")
        first = next((record["rules"] for record in summary.done if record["repeat"] == 0), None)
        yield Shown(table, known.rules, printed, first, summary.records, share_alike(printed.truth(X), y))


def draw() -> None:
    """The page's figures."""
    from benchmarks.views.figures import draw_all

    draw_all(Evaluation())


RESULTS = Page("docs/results.md", "results.md.j2", lambda: view_of(Evaluation()), draw=draw)
