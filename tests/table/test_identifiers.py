"""Texts that are dates or identifiers are no categories, unless the user says so."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from r2n import NetworkSettings, R2NClassifier
from r2n.errors import SchemaError
from r2n.table import Table
from r2n.table.identifiers import are_dates, refuse_identifiers
from tests.cli.test_cli import run

N = 200
X = np.random.default_rng(0).random(N)
DAYS = pd.date_range("2023-01-01", periods=N // 4).strftime("%Y-%m-%d").tolist() * 4
FRAME = pd.DataFrame(
    {"x": X, "name": [f"person {k}" for k in range(N)], "day": DAYS, "region": ["north", "west"] * (N // 2)}
)
Y = X > 0.4
QUICK: dict[str, Any] = {"network": NetworkSettings(restarts=1, epochs=5), "effort": "none", "random_state": 0}


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME), FRAME.astype({"name": "category"})])
def test_all_such_columns_are_named_with_advice_and_without_their_texts(frame: object) -> None:
    with pytest.raises(SchemaError) as caught:
        R2NClassifier(**QUICK).fit(frame, Y)
    said = str(caught.value)
    assert "column 'name' holds 200 different texts in 200 rows, like names or identifiers" in said
    assert "column 'day' holds dates as text" in said
    assert "exclude=['name', 'day']" in said
    assert "--ignore" in said
    assert "categorical=['name', 'day']" in said
    assert "person" not in said
    assert "2023" not in said
    assert "region" not in said


@pytest.mark.parametrize("wish", ["exclude", "categorical"])
def test_what_the_user_says_is_done(wish: str) -> None:
    model = R2NClassifier(**QUICK, **{wish: ["name", "day"]}).fit(FRAME, Y)
    assert model.rules_.columns in ((), ("x",))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_command_line_says_so_before_training(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{kind}"
    table = FRAME.assign(y=Y)
    table.to_csv(path, index=False) if kind == "csv" else table.to_parquet(path)
    said = run("fit", path, "--target", "y", "--ignore", "day", ok=False).stderr
    assert said.startswith("error: column 'name' holds 160 different texts in 160 rows")


@pytest.mark.parametrize(
    "texts",
    [
        ["2024-02-01", "2024-12-31"],
        ["2024/2/1", "1999/12/31"],
        ["01.02.2024", "31.12.1999"],
        ["12/31/2024", "1/2/2024"],
        ["12/31/24", "1/2/24"],
        ["2024-02-01T12:30:05.123Z", "2024-02-01 12:30", "2024-02-01 9:30 PM"],
        ["2024-02-01T12:30:05+01:00"],
        ["20240201", "19991231"],
        ["3 Feb 2024", "03-Feb-2024", "February 3, 2024", "3. Feb 2024".replace(".", "")],
        [*["2024-02-01"] * 19, "unknown"],
    ],
)
def test_dates_are_known(texts: list[str]) -> None:
    assert are_dates(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["north", "west"],
        ["1.2.3", "10.11.12"],  # versions
        ["192.168.0.1", "10.0.0.7"],
        ["2024-02", "2024-03"],  # months may be categories
        ["2024", "1999"],
        ["555-12-3456"],
        ["12345678", "99999999"],
        ["2024-13-01", "2024-00-01"],
        ["12:30", "9:15"],
        ["may", "june"],
        ["2024-02-01", "north"],
        ["1-2"],
        ["10-20", "20-30"],
        [""],
    ],
)
def test_other_texts_are_no_dates(texts: list[str]) -> None:
    assert not are_dates(texts)


@pytest.mark.parametrize(
    "cells",
    [
        [f"c{k % 100}" for k in range(200)],  # each twice
        [f"c{k}" for k in range(20)],  # few
        [f"c{k}" if k < 20 else None for k in range(200)],
        list(range(200)),  # numbers
        [True, False] * 100,
    ],
)
def test_categories_are_categories(cells: list[object]) -> None:
    table = Table.read({"c": cells})
    refuse_identifiers(table, table.names)


def test_rows_without_a_value_do_not_hide_identifiers() -> None:
    table = Table.read({"c": [f"c{k}" if k < 30 else None for k in range(200)]})
    with pytest.raises(SchemaError, match="30 different texts in 30 rows"):
        refuse_identifiers(table, table.names)


def test_very_many_columns_are_not_all_named() -> None:
    table = Table.read({f"{'long name ' * 50}{k}": [f"c{i}" for i in range(50)] for k in range(200)})
    with pytest.raises(SchemaError, match="and so do 193 others") as caught:
        refuse_identifiers(table, table.names)
    assert len(str(caught.value)) < 2_000


def test_very_many_texts_are_told_at_once() -> None:
    texts = ["1" * 5_000 + "-" * k for k in range(2_000)]
    assert not are_dates(texts)
