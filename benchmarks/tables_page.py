"""The page of tables as they are: docs/tables.md, from results/tables.jsonl."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from benchmarks.origins import Legend, are_comparable, newest, of_newest_origin
from benchmarks.records import grid, read

COMPLETE, IMPUTED = PREPARED = ("complete rows", "imputed, one-hot")
AS_IT_IS, AS_NUMBERS = "as it is", "codes as numbers"
WAYS = (AS_IT_IS, *PREPARED, AS_NUMBERS)
SIZES = (5, 10, 15, 20, 25, 30)
CELL = ("task", "table", "way", "by", "fold", "layout", "categories")
NOT_COMPARED = "of another learner"

Groups = dict[str, list[dict[str, Any]]]
Ways = Mapping[tuple[str, str], list[dict[str, Any]]]  # the records of a table's default fits, by way


def cell_of(record: dict[str, Any]) -> tuple[str, str, int, int]:
    """Which rows a fit of one way of a table read."""
    return record["table"], record["way"], record.get("seed", 0), record["fold"]


def page() -> str:
    groups: Groups = defaultdict(list)
    for record in newest(read("tables"), lambda r: (*map(r.get, CELL), r.get("seed", 0))):
        groups[record["task"]].append(record)
    legend = Legend()
    lines = [
        "# Tables as they are",
        "",
        "Made by `python -m benchmarks.tables`. *Of* names the learner and the machine",
    ]
    lines += ["that made a row (see below).", ""]
    parts = (native_lines, frame_lines, category_lines, predict_lines)
    return "\n".join([*lines, *(line for part in parts for line in part(groups, legend)), *legend.lines()])


def by_way(records: list[dict[str, Any]]) -> Ways:
    """The folds of each way of a table that its newest learner has run."""
    ways: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for record in sorted(records, key=lambda r: (r["table"], WAYS.index(r["way"]))):
        ways[record["table"], record["way"]].append(record)
    return {names: of_newest_origin(found) for names, found in ways.items()}


def native_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "## Missing values and categories, as such or prepared away"
    yield ""
    yield "Default settings, the same folds. *As it is*: the table with its missing values (for HELOC,"
    yield "`missing_values=[-7, -8, -9]`) and categories. *Complete rows*: learned from the rows in which nothing is"
    yield "missing, tested on all. *Imputed, one-hot*: means for missing numbers, the most frequent category for others"
    yield "that are missing, a column of 0 and 1 for each category. *Codes as numbers*: HELOC, nothing declared. Its"
    yield "three codes say why a value is not there, and rules may cut between them; declared, they are one."
    yield ""
    ways = by_way(groups["native"])
    head = ("table", "way", "of", "folds", "rows learned from", "accuracy", "deviation", "rules", "size", "to as it is")
    rows = [
        (*names, legend.mark(records), *summary(records), ahead(records, ways.get((names[0], AS_IT_IS), [])))
        for names, records in ways.items()
    ]
    yield from grid(head, rows)
    yield "The last column: by how much a way is ahead of the table as it is, fold by fold, and the standard error of"
    yield "that (folds of several seeds share rows, so it is rather too small)."
    yield ""
    for name in dict.fromkeys(table for table, _ in ways):
        first = next((r for r in ways.get((name, AS_IT_IS), ()) if (r.get("seed", 0), r["fold"]) == (0, 0)), None)
        if first is not None:
            yield from (f"What {name} as it is gave in the first fold:", "", "```", first["rules"], "```", "")
    yield from no_larger_lines(groups, ways, legend)
    compared = [(names, records, ways[names[0], AS_IT_IS]) for names, records in ways.items() if beside(names, ways)]
    yield "At equal size: the accuracy of the largest rule set of the front that is no larger (fitted without the rows"
    yield "held out), and by how much it is above or below that of the table as it is. Learned from HELOC's complete"
    yield "rows, a fifth of all, rules say little about the others."
    yield ""
    rows = [(*names, legend.mark(both[0]), *by_size(*both)) for names, *both in compared if are_comparable(*both)]
    yield from grid(("table", "way", "of", *(f"{most} columns" for most in SIZES)), rows)


def no_larger_lines(groups: Groups, ways: Ways, legend: Legend) -> Iterator[str]:
    yield "Which size is chosen differs much from fold to fold, in every way. So that nothing is compared with larger"
    yield "rules: the table as it is once more, in each fold with `max_size` at the size of the other way's rules,"
    yield "and that way once more with the same `max_size`. Differences are those of the same folds, with their"
    yield "standard errors; *larger*: in how many folds the rules of the table as it is are the larger ones."
    yield ""
    head: tuple[str, ...] = ("table", "way", "of", "folds", "accuracy", "size", "with its `max_size`", "size")
    head += ("as it is", "size", "larger", "to the way", "to the way with `max_size`")
    within: dict[tuple[str, str], dict[str, list[dict[str, Any]]]] = defaultdict(lambda: defaultdict(list))
    for record in groups["no larger"]:
        within[record["table"], record["way"]][record["by"]].append(record)
    three = {
        names: (ways.get(names, []), of_newest_origin(each[names[1]]), of_newest_origin(each[AS_IT_IS]))
        for names, each in within.items()
        if each[names[1]] and each[AS_IT_IS]
    }
    one = {names: each for names, each in three.items() if are_comparable(*each)}
    yield from grid(head, [(*names, legend.mark(each[0]), *matched(*each)) for names, each in one.items()])
    if apart := [", ".join(names) for names in three if names not in one]:
        yield f"Not compared, as they were run by different learners: {'; '.join(apart)}."
        yield ""


def beside(names: tuple[str, str], ways: Mapping[tuple[str, str], object]) -> bool:
    """Whether there is the table as it is to compare with."""
    return (names[0], AS_IT_IS) in ways


def summary(records: list[dict[str, Any]]) -> tuple[str, ...]:
    accuracy = [r["accuracy"] for r in records]
    rows, n_rules, size = (np.mean([r[key] for r in records]) for key in ("rows", "n_rules", "size"))
    scores = f"{np.mean(accuracy):.4f}", f"{np.std(accuracy):.4f}"
    return str(len(records)), f"{rows:,.0f}", *scores, f"{n_rules:.1f}", f"{size:.1f}"


def by_size(records: list[dict[str, Any]], as_it_is: list[dict[str, Any]]) -> Iterator[str]:
    """The mean accuracy of a way for each size, and how far it is from the table as it is, in the same folds."""
    folds = {(r.get("seed", 0), r["fold"]) for r in records}
    same = [r for r in as_it_is if (r.get("seed", 0), r["fold"]) in folds]
    for most in SIZES:
        mine, native = (np.mean([up_to(r["front"], most)[1] for r in each]) for each in (records, same))
        yield f"{mine:.4f}" if records is as_it_is else f"{mine:.4f} ({mine - native:+.4f})"


def ahead(records: list[dict[str, Any]], as_it_is: list[dict[str, Any]]) -> str:
    """The mean difference of accuracies on the same folds, and its standard error."""
    native = {(r.get("seed", 0), r["fold"]): r["accuracy"] for r in as_it_is}
    pairs = [(r["accuracy"], native.get((r.get("seed", 0), r["fold"]))) for r in records]
    found = np.array([mine - other for mine, other in pairs if other is not None])
    if records is as_it_is or len(found) == 0:
        return ""
    if not are_comparable(records, as_it_is):
        return NOT_COMPARED
    return with_error(found)


def with_error(differences: np.ndarray) -> str:
    """Their mean and its standard error."""
    return f"{differences.mean():+.4f} ± {differences.std() / np.sqrt(len(differences)):.4f}"


def matched(plain: list[dict[str, Any]], within: list[dict[str, Any]], as_it_is: list[dict[str, Any]]) -> Iterator[str]:
    """A way's rules, those of the same size at most, and those of the table as it is that are no larger either."""
    mine, others = {cell_of(r): r for r in as_it_is}, [{cell_of(r): r for r in each} for each in (plain, within)]
    cells = [cell for cell in mine if all(cell in each for each in others)]
    yield str(len(cells))
    for each in (*others, mine):
        accuracy, size = (np.mean([each[cell][key] for cell in cells]) for key in ("accuracy", "size"))
        yield from (f"{accuracy:.4f}", f"{size:.1f}")
    yield str(sum(mine[cell]["size"] > others[0][cell]["size"] for cell in cells))
    for each in others:
        yield with_error(np.array([mine[cell]["accuracy"] - each[cell]["accuracy"] for cell in cells]))


def up_to(front: list[tuple[int, float]], most: float) -> tuple[int, float]:
    """The size and the accuracy of the largest point that is no larger."""
    return max(point for point in front if point[0] <= most)


def frame_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "## Kinds of frames"
    yield ""
    yield "Fitted without any preparation from pandas, numpy, polars and pyarrow; in which of them the rules, and the"
    yield "predictions, are those from pandas."
    yield ""
    head = (
        "table",
        "of",
        "rows",
        "columns",
        "classes",
        "the same rules",
        "the same predictions",
        "accuracy on these rows",
    )
    rows = (
        (
            r["table"],
            legend.mark([r]),
            f"{r['rows']:,}",
            r["columns"],
            r["classes"],
            ", ".join(r["same_rules"]),
            ", ".join(r["same_predictions"]),
            f"{r['accuracy']:.4f}",
        )
        for r in sorted(groups["frames"], key=lambda r: (-r["rows"], r["table"]))
    )
    yield from grid(head, rows)


def category_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "## Many categories"
    yield ""
    yield "20,000 rows of five numbers and a column of so many categories, of which a third is in a rule; accuracy on"
    yield "20,000 other rows, one process. With 5,000 categories there are four rows of each, one of them in the rule's"
    yield "reach: categories that so few rows speak for are left out."
    yield ""
    rows = (
        (f"{r['categories']:,}", legend.mark([r]), f"{r['accuracy']:.4f}", r["n_rules"], r["size"], r["seconds"])
        for r in sorted(groups["categories"], key=lambda r: r["categories"])
    )
    yield from grid(("categories", "of", "accuracy", "rules", "size", "seconds"), rows)


def predict_lines(groups: Groups, legend: Legend) -> Iterator[str]:
    yield "## Predicting"
    yield ""
    yield "A million rows of 20 columns, five rules with 12 literals over 18 columns, beside"
    yield "`DecisionTreeClassifier(max_leaf_nodes=8)`, in turn, the median of seven."
    yield ""
    rows = (
        (r["layout"], legend.mark([r]), f"{r['r2n']:.3f}", f"{r['tree']:.3f}", r["ratio"]) for r in groups["predict"]
    )
    yield from grid(("rows", "of", "r2n, seconds", "tree, seconds", "ratio"), rows)
