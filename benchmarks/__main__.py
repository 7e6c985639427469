"""The paper's evaluation, and ours besides: every cell of protocol.toml.

    python -m benchmarks                  # all that is not yet in results/evaluation.jsonl: goes on where it stopped
    python -m benchmarks --quick          # a part of everything, at most ten minutes on two cores
    python -m benchmarks --only known --methods r2n tree
    python -m benchmarks --only real --methods r2n --tables adult house --renew   # what another learner made, anew
    python -m benchmarks --only known harder unseen --methods network search r2n --renew   # docs/network.md anew
    python -m benchmarks --page           # docs/results.md, its figures, docs/network.md and the README's table

Needs the extra `bench`, and the real tables (see r2n.datasets).
"""

from argparse import Namespace
from dataclasses import replace
from functools import partial
from importlib.util import find_spec

from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.command import execute, parser_of
from benchmarks.protocol import EXPERIMENTS, METHODS, Cell, cells, is_done
from benchmarks.splits import adult_test_file
from benchmarks.trial import run
from benchmarks.views.network import NETWORK
from benchmarks.views.readme import README
from benchmarks.views.results import RESULTS

TABLES = tuple(dict.fromkeys(table for stated in EXPERIMENTS.values() for table in stated["tables"]))
PACKAGES = {
    "ripper": "wittgenstein",
    "ripper-raw": "wittgenstein",
    "figs": "imodels",
    "ebm": "interpret",
    "oblique-3": "obliquetree",
    "oblique-4": "obliquetree",
    "ydf": "ydf",
    "contree": "pycontree",
}


def cases(chosen: Namespace) -> list[Case]:
    """The cells that are chosen, each with what runs it; all that they need must be there."""
    wanted = cells(chosen.quick, chosen.only, chosen.methods, chosen.tables)
    check(wanted, drawing=not chosen.quick)
    return [case_of(cell) for cell in wanted]


def case_of(cell: Cell) -> Case:
    """A cell, to be run."""
    return Case(cell.told, partial(run, cell), cell.limit)


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
        real = {cell.table for cell in wanted if "folds" in EXPERIMENTS[cell.experiment]}
        for name in {table.partition(",")[0] for table in real}:
            load_table(name)
        if "adult, test" in real:
            adult_test_file()
    except DataUnavailable as error:
        raise SystemExit(str(error)) from error


EVALUATION = Benchmark(
    name="evaluation",
    about=__doc__,
    key=tuple(Cell.__slots__),
    cases=cases,
    choices=(
        Choice("--quick", "few seeds, the faster methods", of=bool),
        Choice("--only", "experiments", tuple(EXPERIMENTS)),
        Choice("--methods", "methods", tuple(METHODS)),
        Choice("--tables", "tables", TABLES),
    ),
    pages=(RESULTS, README, NETWORK),
    jobs=2,
    keeps_failures=True,
    is_done=is_done,
)


def main() -> None:
    parser = parser_of(EVALUATION)
    chosen = parser.parse_args()
    if chosen.quick and chosen.page:
        parser.error("--page writes the pages of the whole evaluation: leave --quick out")
    execute(replace(EVALUATION, name="quick", pages=()) if chosen.quick else EVALUATION, chosen)


if __name__ == "__main__":
    main()
