"""`r2n export`, driven as a process."""

import subprocess
import sys
from pathlib import Path

import duckdb
import openpyxl
import pytest

from r2n import RuleSet
from r2n.export import export, formats
from tests.cli.test_cli import run

RULES = RuleSet.parse('yes if income - 2.1·debt > 12.5 or region in {"größe"} else no')


@pytest.fixture
def model(tmp_path: Path) -> Path:
    RULES.save(tmp_path / "model.json")
    return tmp_path / "model.json"


def test_export_writes_to_the_terminal_and_to_a_file(model: Path, tmp_path: Path) -> None:
    said = run("export", model, "--to", "sql", "--dialect", "sqlite", "--form=rule").stdout
    assert said == export(RULES, "sql", dialect="sqlite", form="rule")
    done = run("export", model, "--to", "javascript", "--module", "esm", "-o", tmp_path / "rules.js")
    assert (tmp_path / "rules.js").read_text(encoding="utf-8") == export(RULES, "javascript", module="esm")
    assert done.stdout == ""
    assert "rules.js" in done.stderr


def test_cells_and_rows_are_read(model: Path, tmp_path: Path) -> None:
    said = run("export", model, "--to", "excel", "--cells", "income=B2, debt=[@debt],region=Where").stdout
    assert said == export(RULES, "excel", cells={"income": "B2", "debt": "[@debt]", "region": "Where"})
    (tmp_path / "rows.csv").write_text("income,debt,region\n20,1.5,west\n1,NA,größe\n", encoding="utf-8")
    run("export", model, "--to", "workbook", "--rows", tmp_path / "rows.csv", "-o", tmp_path / "rules.xlsx")
    rows = list(openpyxl.load_workbook(tmp_path / "rules.xlsx")["rows"].iter_rows(values_only=True))
    assert [row[:3] for row in rows] == [("debt", "income", "region"), (1.5, 20, "west"), (None, 1, "größe")]


def test_the_view_is_a_view(model: Path) -> None:
    statement = run(
        "export", model, "--to", "sql", "--form", "view", "--table", "main.people", "--view", "scored"
    ).stdout
    connection = duckdb.connect()
    connection.execute(
        "CREATE TABLE people AS SELECT 20 AS income, 1.5 AS debt, 'west' AS region UNION ALL SELECT 1, 1, 'größe'"
    )
    connection.execute(statement)
    assert connection.execute("SELECT prediction, rule FROM scored ORDER BY income").fetchall() == [
        ("yes", 2),
        ("yes", 1),
    ]


def test_the_python_export_runs_as_a_file_in_a_bare_interpreter(model: Path, tmp_path: Path) -> None:
    run("export", model, "--to", "python", "-o", tmp_path / "rules.py")
    with (tmp_path / "rules.py").open("a", encoding="utf-8") as file:
        file.write("\nprint(predict({'income': 20, 'debt': None, 'region': 'größe'}))\n")
    words = [sys.executable, "-I", "-S", str(tmp_path / "rules.py")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "yes\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--to", "sqll"), "there is no format 'sqll'. Did you mean 'sql'?"),
        (("--to", "sql", "--dialekt", "duckdb"), "Did you mean 'dialect'?"),
        (("--to", "sql", "--dialect"), "options of a format are written --name value, not --dialect"),
        (("--to", "sql", "--dialect", "duckdb", "--dialect=sqlite"), "the option --dialect is given more than once"),
        (("--to", "sql", "--dialect", "postgre"), "there is no dialect 'postgre'. Did you mean 'postgres'?"),
        (("--to", "excel", "--cells", "a b"), "cells must be written column=cell, column=cell"),
        (("--to", "excel", "--first", "XFD2"), "3 cells from XFD2 on do not fit"),
        (("--to", "workbook", "--rows", "nowhere.csv"), "there is no file nowhere.csv"),
        (("--to", "json", "-o", "nowhere/rules.json"), "cannot be written"),
    ],
)
def test_errors_are_one_message_and_exit_code_1(words: tuple[str, ...], message: str, model: Path) -> None:
    done = run("export", model, *words, ok=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stdout == ""


def test_the_help_names_the_formats() -> None:
    said = " ".join(run("export", "--help").stdout.split())
    assert all(name in said for name in formats())
