"""SQLite over columns of text, as `.import` makes them of a CSV file: compared as numbers, or the query ends."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from r2n import RuleSet
from r2n.cli.inputs import read_rows
from r2n.export import export
from r2n.table import Column, Schema

SCHEMA = Schema(
    (
        Column("age", "numeric", low=17.0, high=90.0, missing_values=(-9, "?", "-8")),
        Column("debt", "numeric", low=0.0, high=9.0),
        Column("code", "categorical", categories=(1, 2, 3)),
        Column("member", "categorical", categories=(False, True)),
        Column("region", "categorical", categories=("north", "1")),
    )
)
RULES = RuleSet.parse(
    'yes if age - 2·debt > 30 or code in {1, 2} and member in {True} or region in {"1"} or age is missing else no'
).with_schema(SCHEMA)
CSV = """age,debt,code,member,region
40,1,3,False,north
30,1,3,False,north
20,1,1,True,north
20,1,2.0,true,north
20,1,2,FALSE,north
 20 ,1.5,3,TRUE,1
-9,1,3,False,north
?,1,3,False,north
-8,1,3,False,north
,1,3,False,north
NA,1,3,False,north
4e1,+1,3,False,north
40,,3,False,north
"""


def decide(rules: RuleSet, columns: dict[str, list[Any]], declared: str = "TEXT") -> list[str]:
    connection = sqlite3.connect(":memory:")
    connection.execute(f"CREATE TABLE t ({', '.join(f'`{name}` {declared}' for name in columns)})")
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO t VALUES ({marks})", zip(*columns.values(), strict=True))
    return [label for (label,) in connection.execute(f"SELECT {export(rules, 'sql', dialect='sqlite')} FROM t")]


def expected(path: Path) -> list[str]:
    path.write_text(CSV)
    return RULES.predict(read_rows(RULES, path)).tolist()


@pytest.mark.parametrize("declared", ["TEXT", "", "NUMERIC", "REAL", "VARCHAR(20)"])
def test_a_csv_file_of_texts_is_decided_as_r2n_decides_it(declared: str, tmp_path: Path) -> None:
    names, *rows = (line.split(",") for line in CSV.splitlines())
    columns = {name: [row[k] for row in rows] for k, name in enumerate(names)}
    if declared in ("NUMERIC", "REAL"):  # there -8 is a number, not the text that stands for a missing value
        columns = {name: [cell for k, cell in enumerate(cells) if k != 8] for name, cells in columns.items()}
        wanted = [label for k, label in enumerate(expected(tmp_path / "rows.csv")) if k != 8]
    else:
        wanted = expected(tmp_path / "rows.csv")
    assert set(wanted) == {"yes", "no"}
    assert decide(RULES, columns, declared) == wanted


def test_what_the_shell_imports_is_decided_as_r2n_decides_it(tmp_path: Path) -> None:
    shell = shutil.which("sqlite3")
    if shell is None:
        pytest.skip("the shell of SQLite is not installed")
    path = tmp_path / "rows.csv"
    wanted = expected(path)
    query = f".mode csv\n.import '{path}' people\nSELECT {export(RULES, 'sql', dialect='sqlite')} FROM people;\n"
    said = subprocess.run([shell, ":memory:"], input=query, capture_output=True, text=True, check=True)
    assert said.stderr == ""
    assert said.stdout.split() == wanted


@pytest.mark.parametrize("declared", ["TEXT", "", "REAL"])
@pytest.mark.parametrize("cell", ["abc", "12abc", "1,5", "0x10", "inf", "1_000", b"12"])
@pytest.mark.parametrize(
    "literal", ["x > 3", "x < 3", "x in {1}", "x not in {1}", "x + 2·y > 3", "(x if known else 3) > 2"]
)
def test_text_that_is_no_number_ends_the_query(declared: str, cell: object, literal: str) -> None:
    rules = RuleSet.parse(f"yes if {literal} else no")
    with pytest.raises(sqlite3.OperationalError, match=r"column x holds .*, which is no number"):
        decide(rules, {"x": [5, cell], "y": [1, 1]}, declared)


def test_words_that_are_no_booleans_end_the_query() -> None:
    rules = RuleSet.parse("yes if f in {True} else no")
    assert decide(rules, {"f": ["True", "false", "1", "0", "", None, True]}) == [
        "yes",
        "no",
        "yes",
        "no",
        "no",
        "no",
        "yes",
    ]
    with pytest.raises(sqlite3.OperationalError, match="column f holds maybe"):
        decide(rules, {"f": ["maybe"]})


def test_blanks_are_missing_and_not_0() -> None:
    rules = RuleSet.parse("yes if x < 5 or x is missing and y > 1 else no")
    assert decide(rules, {"x": ["", "  ", "3", None, "9"], "y": ["0", "2", "0", "2", "2"]}) == [
        "no",
        "yes",
        "yes",
        "yes",
        "no",
    ]
