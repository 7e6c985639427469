"""A benchmark: a name, its cases, what tells their records apart, and its pages."""

from argparse import Namespace
from collections.abc import Callable, Generator, Hashable, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from benchmarks.harness.case import Case, said_of
from benchmarks.harness.origins import Origin
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record, append, newest, read
from benchmarks.harness.stamp import made_by, versions
from benchmarks.harness.workers import run_all


@dataclass(frozen=True)
class Choice:
    """What the command line may choose among: `--name` words, or without the dashes a first word."""

    name: str
    help: str
    among: Sequence[Any] = ()
    of: type = str
    default: Any = None
    many: bool = True

    @property
    def is_needed(self) -> bool:
        """Whether there is no default: a first word that is one."""
        return not self.name.startswith("-") and not self.many


@dataclass(frozen=True)
class Benchmark:
    """Declared once; `harness.command` runs it."""

    name: str  # of results/NAME.jsonl
    about: str | None  # the help
    key: tuple[str, ...]  # the fields that tell a record from others; of each key the newest counts
    cases: Callable[[Namespace], list[Case]]
    choices: tuple[Choice, ...] = ()
    pages: tuple[Page, ...] = ()
    jobs: int = 1  # cases side by side, unless told
    keeps_failures: bool = False  # whether a case that fails is a result, and the others are run
    is_done: Callable[[Case, Record], bool] = lambda case, record: True
    usual: Record = field(default_factory=dict)  # what fields of the key are in records that lack them

    def key_of(self, record: Record) -> tuple[Hashable, ...]:
        """What tells the record from others."""
        return tuple(record.get(name, self.usual.get(name)) for name in self.key)

    def newest(self) -> list[Record]:
        """The newest record of each case."""
        return newest(read(self.name), self.key_of)

    def missing(self, wanted: Sequence[Case], again: bool = False, renew: bool = False) -> list[Case]:
        """The cases that are to be run: without a record, or with one that failed or is of other settings.

        With `renew` also those that another learner or machine ran, with `again` all.
        """
        found = {self.key_of(record): record for record in self.newest()}

        def is_there(case: Case) -> bool:
            record = found.get(self.key_of(case.told))
            if again or record is None or "failed" in record or not self.is_done(case, record):
                return False
            return not renew or is_made_here(record)

        return [case for case in wanted if not is_there(case)]

    def run(self, cases: Sequence[Case], jobs: int | None = None) -> Generator[Record, None, None]:
        """Run these cases, and add their records to the file as they come."""
        with closing(run_all(cases, jobs or self.jobs)) as records:
            for record in records:
                if "failed" in record and not self.keeps_failures:
                    raise SystemExit(said_of(record))
                append(self.name, record)
                yield record


def is_made_here(record: Record) -> bool:
    """Whether a record was made by the learner that is imported here, on such a machine."""
    here = {"made_by": made_by(), "versions": versions(), "method": record.get("method", "r2n")}
    return Origin.of(record) == Origin.of(here)
