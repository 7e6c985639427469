"""The command line of every benchmark."""

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace, RawDescriptionHelpFormatter
from collections.abc import Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case, said_of
from benchmarks.harness.clock import watch

SHARED = """
What has been run is not run again: the same command goes on where it stopped.
"""


def main(benchmark: Benchmark, words: Sequence[str] | None = None) -> None:
    """Run what is missing of a benchmark, and write its pages."""
    parser = parser_of(benchmark)
    chosen = parser.parse_args(words)
    for choice in benchmark.choices:
        if choice.is_needed and not chosen.page and getattr(chosen, choice.name) is None:
            parser.error(f"say {choice.help}: {', '.join(choice.among)}; or --page")
    execute(benchmark, chosen)


def execute(benchmark: Benchmark, chosen: Namespace) -> None:
    """What the command line chose."""
    try:
        if not chosen.page:
            evaluate(benchmark, benchmark.cases(chosen), chosen.jobs, chosen.again, chosen.renew)
        for page in benchmark.pages:
            page.write()
    except KeyboardInterrupt:
        raise SystemExit("stopped; the same command goes on from here (with --again it starts anew)") from None


def parser_of(benchmark: Benchmark) -> ArgumentParser:
    """Of a benchmark's own choices, and of those that all have."""
    parser = parser_with(benchmark.name, f"{benchmark.about}{SHARED}", benchmark.choices)
    words = f"cases side by side, {benchmark.jobs} unless told"
    parser.add_argument("--jobs", type=at_least_one, default=benchmark.jobs, help=words)
    parser.add_argument("--renew", action="store_true", help="run anew what another learner or machine ran")
    parser.add_argument("--again", action="store_true", help="run all of it anew, whoever ran it")
    parser.add_argument("--page", action="store_true", help="run nothing; write the pages from the records")
    return parser


def parser_with(name: str, about: str | None, choices: Sequence[Choice]) -> ArgumentParser:
    """Of these choices alone."""
    module = "benchmarks" if name == "evaluation" else f"benchmarks.{name}"
    parser = ArgumentParser(f"python -m {module}", description=about, formatter_class=RawDescriptionHelpFormatter)
    for choice in choices:
        parser.add_argument(choice.name, **_argument_of(choice))
    return parser


def _argument_of(choice: Choice) -> dict[str, Any]:
    if choice.of is bool:
        return {"action": "store_true", "help": choice.help}
    first = not choice.name.startswith("-")
    told: dict[str, Any] = {"type": partial(word_of, choice), "default": choice.default, "help": choice.help}
    if choice.many or first:
        told["nargs"] = {(True, True): "*", (True, False): "?", (False, True): "+"}[first, choice.many]
    if choice.among:
        words = ", ".join(map(str, choice.among))
        words = words.replace("%", "%%")  # argparse would put something in its place
        told |= {"help": f"{choice.help}: {words}", "metavar": choice.name.strip("-").removesuffix("s").upper()}
    return told


def word_of(choice: Choice, word: str) -> Any:
    """What a word means, which must be among those of the choice. (argparse's `choices` refuse to be left out.)"""
    try:
        value = choice.of(word)
    except ValueError:
        raise ArgumentTypeError(f"{word!r} is no {choice.of.__name__}") from None
    if choice.among and value not in choice.among:
        raise ArgumentTypeError(f"{word!r} is none of {', '.join(map(str, choice.among))}")
    return value


def at_least_one(word: str) -> int:
    """A number of jobs."""
    number = int(word)
    if number < 1:
        raise ArgumentTypeError(f"{word}: at least one case must run at a time")
    return number


def evaluate(benchmark: Benchmark, wanted: list[Case], jobs: int, again: bool = False, renew: bool = False) -> None:
    """Run the cases that `results/NAME.jsonl` lacks, and say what came."""
    left = benchmark.missing(wanted, again, renew)
    console = Console(highlight=False, soft_wrap=True)
    console.print(f"{len(wanted)} cases, {len(wanted) - len(left)} of them run before")
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    bars = Progress(*columns, console=console, disable=not sys.stdout.isatty())
    with watch() as spent, bars as bar, ExitStack() as stack:
        task = bar.add_task("cases", total=len(left))
        records = stack.enter_context(closing(benchmark.run(left, jobs)))
        for number, record in enumerate(records, start=1):
            bar.console.print(f"{number}/{len(left)} {said_of(record)}", markup=False)
            bar.advance(task)
    console.print(f"{len(left)} cases in {spent.seconds:.0f} s, in results/{benchmark.name}.jsonl")
