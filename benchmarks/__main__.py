"""The paper's evaluation, and ours besides: every cell of protocol.toml.

    python -m benchmarks                  # all that is not yet in results/evaluation.jsonl: goes on where it stopped
    python -m benchmarks --quick          # a part of everything, at most ten minutes on two cores
    python -m benchmarks --only known --methods r2n tree
    python -m benchmarks --only real --methods r2n --tables adult house --renew   # what another learner made, anew
    python -m benchmarks --page           # docs/results.md, its figures and the README's table, from the results

Needs the extra `bench`, and the real tables (see r2n.datasets).
"""

import argparse
import sys
import time
from importlib.util import find_spec
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.origins import Origin
from benchmarks.protocol import EXPERIMENTS, METHODS, Cell, cells, is_done, key_of
from benchmarks.records import append, forget, made_by, read, versions
from benchmarks.trial import run
from benchmarks.workers import run_all


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="few seeds, the faster methods")
    parser.add_argument("--only", nargs="+", choices=EXPERIMENTS, metavar="EXPERIMENT", help=", ".join(EXPERIMENTS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, metavar="METHOD", help=", ".join(METHODS))
    parser.add_argument("--tables", nargs="+", choices=TABLES, metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--jobs", type=int, default=2, help="fits side by side, 2 unless told")
    parser.add_argument("--again", action="store_true", help="forget what has been run of these, and run it anew")
    parser.add_argument(
        "--renew", action="store_true", help="run anew what another source of the method, or another machine, made"
    )
    parser.add_argument("--page", action="store_true", help="run nothing; write the pages from the results")
    chosen = parser.parse_args()
    if chosen.jobs < 1:
        parser.error(f"--jobs {chosen.jobs}: at least one fit must run at a time")
    if chosen.quick and chosen.page:
        parser.error("--page writes the pages of the whole evaluation: leave --quick out")
    wanted = [] if chosen.page else cells(chosen.quick, chosen.only, chosen.methods, chosen.tables)
    check(wanted, drawing=not chosen.quick)
    if not chosen.page:
        name = "quick" if chosen.quick else "evaluation"
        evaluate(name, wanted, chosen.jobs, chosen.again, chosen.renew)
    if not chosen.quick:
        from benchmarks.readme_page import write_table
        from benchmarks.results_page import write_page
        from benchmarks.summary import Evaluation

        evaluation = Evaluation()
        write_page(evaluation)
        write_table(evaluation)


TABLES = tuple(dict.fromkeys(table for stated in EXPERIMENTS.values() for table in stated["tables"]))
PACKAGES = {"ripper": "wittgenstein", "ripper-raw": "wittgenstein", "figs": "imodels", "ebm": "interpret"}


def check(wanted: list[Cell], drawing: bool) -> None:
    """Stop before the first fit if a package or a table is not there."""
    from r2n.datasets import load_table
    from r2n.errors import DataUnavailable

    methods = {cell.method.removeprefix("literals ") for cell in wanted}
    needed = {PACKAGES[method] for method in methods & PACKAGES.keys()} | ({"matplotlib"} if drawing else set())
    missing = sorted(name for name in needed if find_spec(name) is None)
    if missing:
        raise SystemExit(f"{', '.join(missing)} cannot be imported. Install what is compared: pip install '.[bench]'")
    try:
        for name in {cell.table.removesuffix(", complete") for cell in wanted if cell.experiment == "real"}:
            load_table(name)
    except DataUnavailable as error:
        raise SystemExit(str(error)) from error


def is_of_this(cell: Cell, record: dict[str, Any]) -> bool:
    """Whether a record was made by the learner that is imported here, on such a machine."""
    here = {"method": cell.method, "made_by": made_by(), "versions": versions()}
    return Origin.of(record) == Origin.of(here)


def evaluate(name: str, wanted: list[Cell], jobs: int, again: bool, renew: bool = False) -> None:
    """Run the cells that `results/NAME.jsonl` lacks, and say what came."""
    if again:
        keys = {cell.key for cell in wanted}
        forget(name, lambda record: key_of(record) in keys)
    newest = {key_of(record): record for record in read(name)}
    done = {cell for cell in wanted if is_done(cell, newest.get(cell.key))}
    done = {cell for cell in done if is_of_this(cell, newest[cell.key])} if renew else done
    left = [cell for cell in wanted if cell not in done]
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{len(wanted)} cells, {len(wanted) - len(left)} of them run before")
    start = time.perf_counter()
    with _bar(console) as bar:
        task = bar.add_task("fits", total=len(left))
        for number, record in enumerate(run_all(left, jobs, run), start=1):
            append(name, record)
            bar.console.print(f"{number}/{len(left)} {said_of(record)}")
            bar.advance(task)
    console.print(f"{len(left)} fits in {time.perf_counter() - start:.0f} s, in results/{name}.jsonl")


def said_of(record: dict[str, Any]) -> str:
    """One line for a record."""
    cell = Cell(*key_of(record))
    if "failed" in record:
        return f"{cell}: failed, {record['failed']}"
    if "timed_out" in record:
        return f"{cell}: stopped after {record['timed_out']:.0f} s"
    counts = "" if record["n_rules"] is None else f", {record['n_rules']} rules, size {record['size']}"
    return f"{cell}: {record['accuracy']:.4f}{counts}, {record['seconds']:.1f} s"


def _bar(console: Console) -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    return Progress(*columns, console=console, disable=not sys.stdout.isatty())


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        raise SystemExit("stopped; the same command goes on from here (without --again)") from None
