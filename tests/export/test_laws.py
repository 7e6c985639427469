"""Every export, run, decides as the rules do: on random rows, on every boundary and one float beside it."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import assume

from r2n import RuleSet
from r2n.table import Column, Schema
from tests.export.engines import BarePython, DuckDB, Node, PostgreSQL, SQLite, SQLiteTexts, Transpiled
from tests.export.laws import law
from tests.export.worlds import Shipped, shipped


def assert_agrees(world: Shipped, *engines: Any) -> None:
    for engine in engines:
        decided = engine.decide(world.rules, world.columns, world.types)
        assert decided == world.expected, type(engine).__name__


@law(world=shipped())
def test_duckdb_sqlite_and_python_decide_as_the_rules_do(
    duckdb_engine: DuckDB, sqlite_engine: SQLite, python_engine: BarePython, world: Shipped
) -> None:
    assert_agrees(world, duckdb_engine, sqlite_engine, python_engine)


@law(world=shipped(extremes=False))
def test_sqlite_decides_over_columns_of_text_as_the_rules_do(text_engine: SQLiteTexts, world: Shipped) -> None:
    """What SQLite reads as another number than Python, which is a float beside it, is left out."""
    numbers = [name for name, kind in world.types.items() if kind in ("number", "integer")]
    exact = [
        all(text_engine.reads(cell) for cell in row) for row in zip(*(world.columns[n] for n in numbers), strict=True)
    ]
    assume(any(exact))
    columns = {name: list(itertools.compress(cells, exact)) for name, cells in world.columns.items()}
    assert_agrees(Shipped(world.rules, columns, world.types), text_engine)


@law(world=shipped())
def test_javascript_decides_as_the_rules_do(node_engine: Node, world: Shipped) -> None:
    assert_agrees(world, node_engine)


@law(world=shipped(extremes=False))
def test_postgresql_decides_as_the_rules_do(postgres_engine: PostgreSQL, world: Shipped) -> None:
    """Where a product or a sum leaves the range of doubles, PostgreSQL stops with an error; so not there."""
    assert_agrees(world, postgres_engine)


OTHERS = tuple(map(Transpiled, ("snowflake", "bigquery", "spark")))


@law(40, world=shipped(extremes=False, nan=False))
def test_other_dialects_read_back_decide_as_the_rules_do(world: Shipped) -> None:
    """Without NaN, which BigQuery compares otherwise than DuckDB, where its SQL is run."""
    assert_agrees(world, *OTHERS)


PLAIN = Shipped(
    RuleSet.parse("a if x + y - z > 0.5 or x > 3 and y is known or z not in {7} and y < -1 else b").with_schema(
        Schema(tuple(Column(name, "numeric", missing_values=(-9,)) for name in "xyz"))
    ),
    # A sum in another order, a NaN that is taken for the largest number, a -9 that is taken for a number.
    {
        "x": [1.0, -1e16, 5.0, math.nan, 5.0, 0.0],
        "y": [1e16, 1.0, -9.0, 0.0, math.nan, -2.0],
        "z": [1e16, -1e16, 9.0, 7.0, 7.0, -9.0],
    },
    dict.fromkeys("xyz", "number"),
)


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres", "python", "node"])
def test_order_nan_and_codes_by_hand(name: str, request: pytest.FixtureRequest) -> None:
    assert PLAIN.expected == [("b", 0)] * 6
    assert_agrees(PLAIN, request.getfixturevalue(f"{name}_engine"))
