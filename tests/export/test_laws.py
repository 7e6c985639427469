"""Every export, run, decides as the rules do: on random rows, on every boundary and one float beside it."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from tests.export.engines import BarePython, DuckDB, Node, PostgreSQL, SQLite, Transpiled
from tests.export.worlds import Shipped, shipped

# Engines live as long as the session, whatever examples they are asked.
laws = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])


def assert_agrees(world: Shipped, *engines: Any) -> None:
    for engine in engines:
        decided = engine.decide(world.rules, world.columns, world.types)
        assert decided == world.expected, type(engine).__name__


@laws
@given(world=shipped())
def test_duckdb_sqlite_and_python_decide_as_the_rules_do(
    duckdb_engine: DuckDB, sqlite_engine: SQLite, python_engine: BarePython, world: Shipped
) -> None:
    assert_agrees(world, duckdb_engine, sqlite_engine, python_engine)


@laws
@given(world=shipped())
def test_javascript_decides_as_the_rules_do(node_engine: Node, world: Shipped) -> None:
    assert_agrees(world, node_engine)


@laws
@given(world=shipped(extremes=False))
def test_postgresql_decides_as_the_rules_do(postgres_engine: PostgreSQL, world: Shipped) -> None:
    """Where a product or a sum leaves the range of doubles, PostgreSQL stops with an error; so not there."""
    assert_agrees(world, postgres_engine)


OTHERS = tuple(map(Transpiled, ("snowflake", "bigquery", "spark")))


@settings(laws, max_examples=40)
@given(world=shipped(extremes=False, nan=False))
def test_other_dialects_read_back_decide_as_the_rules_do(world: Shipped) -> None:
    """Without NaN, which BigQuery compares otherwise than DuckDB, where its SQL is run."""
    assert_agrees(world, *OTHERS)
