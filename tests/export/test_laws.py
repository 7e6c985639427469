"""Every export, run, decides as the rules do: on random rows, on every boundary and one float beside it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.export.engines import BarePython, DuckDB, Node, PostgreSQL, SQLite, Transpiled
from tests.export.worlds import Shipped, shipped

# Engines live as long as the session, whatever examples they are asked.
laws = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def assert_agrees(engine: Any, world: Shipped) -> None:
    assert engine.decide(world.rules, world.columns, world.types) == world.expected


@laws
@given(world=shipped())
def test_duckdb_decides_as_the_rules_do(duckdb_engine: DuckDB, world: Shipped) -> None:
    assert_agrees(duckdb_engine, world)


@laws
@given(world=shipped())
def test_sqlite_decides_as_the_rules_do(sqlite_engine: SQLite, world: Shipped) -> None:
    assert_agrees(sqlite_engine, world)


@laws
@given(world=shipped())
def test_python_decides_as_the_rules_do(python_engine: BarePython, world: Shipped) -> None:
    assert_agrees(python_engine, world)


@laws
@given(world=shipped())
def test_javascript_decides_as_the_rules_do(node_engine: Node, world: Shipped) -> None:
    assert_agrees(node_engine, world)


@laws
@given(world=shipped(extremes=False))
def test_postgresql_decides_as_the_rules_do(postgres_engine: PostgreSQL, world: Shipped) -> None:
    """Where a product or a sum leaves the range of doubles, PostgreSQL stops with an error; so not there."""
    assert_agrees(postgres_engine, world)


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "spark"])
@settings(parent=laws, max_examples=100)
@given(world=shipped(extremes=False, nan=False))
def test_other_dialects_read_back_decide_as_the_rules_do(dialect: str, world: Shipped) -> None:
    assert_agrees(Transpiled(dialect), world)
