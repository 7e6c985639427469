"""The harness: pages as their records make them, one declaration and one command line for all, CPU of all processes."""

import ast
import importlib
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.clock import cpu_seconds, take_turns, watch
from benchmarks.harness.command import main, parser_of, parser_with
from benchmarks.harness.pages import MARKS, Page, between_marks, render
from benchmarks.harness.stamp import BENCHMARKS, ROOT

MODULES = ("__main__", "export", "guard", "paper", "proofs", "refine", "risk", "speed", "tables")
DECLARED: dict[str, Benchmark] = {
    found.name: found
    for name in MODULES
    for found in vars(importlib.import_module(f"benchmarks.{name}")).values()
    if isinstance(found, Benchmark)
}
PAGES = {page.path: page for benchmark in DECLARED.values() for page in benchmark.pages}
FILES = sorted(BENCHMARKS.rglob("*.py"))


@pytest.mark.parametrize("page", PAGES.values(), ids=PAGES)
def test_a_page_is_the_one_that_its_records_make(page: Page) -> None:
    assert page.text() == (ROOT / page.path).read_text(encoding="utf-8")


def test_every_template_is_of_a_page() -> None:
    templates = {path.name for path in (BENCHMARKS / "templates").glob("*.md.j2")}
    assert templates == {page.template for page in PAGES.values()}
    assert len(PAGES) == 10


@pytest.mark.parametrize("path", PAGES)
def test_every_row_of_a_table_has_as_many_cells_as_its_head(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert tables
    for table in tables:
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in table.splitlines()}) == 1, table


def test_a_page_without_its_marks_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match=r"README\.md lacks the marks"):
        between_marks("# r2n", "table", "README.md")
    page = f"a\n{MARKS[0]}\nold\n{MARKS[1]}\nb"
    assert between_marks(page, "new\n", "p") == page.replace("old", "new")


def test_what_a_template_misses_is_an_error() -> None:
    with pytest.raises(Exception, match="'records' is undefined"):
        render("proofs.md.j2", {})


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(BENCHMARKS)))
def test_modules_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    functions = [n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.FunctionDef)]
    assert text.count("\n") <= 350
    assert [each.name for each in functions if (each.end_lineno or 0) - each.lineno >= 45] == []


def test_what_is_shared_is_done_in_one_place() -> None:
    """Command lines, clocks, files of records and r2n's learner each have one module."""
    places = {
        r"ArgumentParser\(": {"harness/command.py"},
        r"perf_counter\(|process_time\(|getrusage\(": {"harness/clock.py", "methods/brcg.py"},
        r"R2NClassifier\(": {"fits.py", "trees.py"},
        r"\.open\(": {"harness/records.py"},
        r"\.write_text\(": {"harness/pages.py"},
    }
    for pattern, expected in places.items():
        found = {p.relative_to(BENCHMARKS).as_posix() for p in FILES if re.search(pattern, p.read_text("utf-8"))}
        assert found == expected, pattern


@pytest.mark.parametrize("name", DECLARED)
def test_every_benchmark_has_the_same_options(name: str) -> None:
    chosen = parser_of(DECLARED[name]).parse_args(["--renew", "--again", "--jobs", "3", "--page"])
    assert (chosen.renew, chosen.again, chosen.jobs, chosen.page) == (True, True, 3, True)


def test_a_choice_with_a_percent_sign_is_shown_as_it_is() -> None:
    choice = Choice("--only", "cases", ("adult, 2% positives",))
    assert "adult, 2% positives" in parser_with("guard", None, [choice]).format_help()


def test_the_cases_that_are_declared_have_keys_of_their_own() -> None:
    for name, words in {"refine": ["stress", "--seeds", "0", "1"], "speed": [], "proofs": [], "export": []}.items():
        benchmark = DECLARED[name]
        cases = benchmark.cases(parser_of(benchmark).parse_args(words))
        keys = [benchmark.key_of(case.told) for case in cases]
        assert len(cases) >= 2
        assert len(set(keys)) == len(keys)


def test_a_part_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(DECLARED["refine"], [])
    assert "say what to run: known, stress, harder" in capsys.readouterr().err


def test_the_cpu_of_processes_counts_while_they_live_and_after() -> None:
    code = "import time\nwhile time.process_time() < 0.6: pass\nprint(flush=True)\ninput()"
    before = cpu_seconds()
    with watch() as spent:
        child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        child.stdout.readline()
    assert spent.cpu > 0.5
    child.communicate("\n")
    assert cpu_seconds() - before > 0.5


def test_turns_are_taken() -> None:
    called: list[Any] = []
    taken = take_turns({"a": lambda: called.append("a"), "b": lambda: time.sleep(0.01)}, 3)
    assert called == ["a"] * 3
    assert min(taken["b"]) >= 0.01
