"""Exports of risk levels, run: the name, the number, the share and the class of every row."""

from __future__ import annotations

import dataclasses
from typing import Any

import duckdb
import numpy as np
import pytest
from hypothesis import strategies as st

from r2n import LevelRules, RuleSet, load
from r2n.errors import ParameterError
from r2n.export import describe, export, formats
from r2n.rules.levels import VIEWS
from tests.cli.test_cli import run
from tests.export import test_onnx, test_pmml
from tests.export.engines import BarePython, DuckDB, Node, SQLite
from tests.export.laws import law
from tests.export.test_pmml import java  # noqa: F401
from tests.export.typed_worlds import ORDINARY, TypedWorld, typed_worlds
from tests.export.worlds import Shipped, shipped
from tests.strategies import level_names, level_shares

RULES = LevelRules.parse("""
very high 71.2 % if age > 60 and bp > 140
                 or chol > 300
high 42 % or else if age > 50
low 6 % else
yes from 50 %, else no""")
ROWS = {"age": [70.0, 55.0, 30.0], "bp": [150.0, 120.0, 120.0], "chol": [200.0, 200.0, 200.0]}


@st.composite
def leveled(draw: st.DrawFn, worlds: st.SearchStrategy[Any]) -> tuple[LevelRules, Any]:
    """Levels with the rules of a world, and the world in which they predict one of their values."""
    world = draw(worlds)
    n = len(world.rules.branches)
    shares = sorted(draw(st.lists(level_shares, min_size=n + 1, max_size=n + 1, unique=True)), reverse=True)
    *names, last = draw(st.lists(level_names, min_size=n + 1, max_size=n + 1, unique=True))
    branches = tuple((name, rules) for name, (_, rules) in zip(names, world.rules.branches, strict=True))
    threshold = draw(st.sampled_from([0.5, 0.1, 0.9]))
    levels = LevelRules(branches, last, tuple(shares), "yes", "no", threshold, world.rules.schema)
    return levels, dataclasses.replace(world, rules=levels.view(draw(st.sampled_from(VIEWS))))


@law(world=leveled(shipped()))
def test_databases_and_python_decide_as_the_levels_do(
    duckdb_engine: DuckDB, sqlite_engine: SQLite, python_engine: BarePython, world: tuple[LevelRules, Shipped]
) -> None:
    _agrees(*world, duckdb_engine, sqlite_engine, python_engine)


@law(world=leveled(shipped()))
def test_javascript_decides_as_the_levels_do(node_engine: Node, world: tuple[LevelRules, Shipped]) -> None:
    _agrees(*world, node_engine)


def _agrees(levels: LevelRules, world: Shipped, *engines: Any) -> None:
    level = levels.decided(world.columns)
    known: dict[type, list[Any]] = {
        str: [*levels.levels],
        int: [*range(1, len(levels.levels) + 1)],
        float: [*levels.shares],
    }
    expected = [label for label, _ in world.expected]
    if not isinstance(world.rules, RuleSet):
        assert expected == [known[type(expected[0])][k] for k in level]
    for engine in engines:
        found = engine.decide(world.rules, world.columns, world.types)
        assert found == world.expected, type(engine).__name__


@law(world=leveled(typed_worlds()))
def test_onnx_says_what_the_levels_say(world: tuple[LevelRules, TypedWorld]) -> None:
    test_onnx.agrees(world[1])


@law(40, world=leveled(typed_worlds(ORDINARY)))
def test_pmml_says_what_the_levels_say(java: Any, world: tuple[LevelRules, TypedWorld]) -> None:  # noqa: F811
    test_pmml.agrees(java, world[1])


@pytest.mark.parametrize("to", [name for name in formats() if name != "json"])
def test_every_format_writes_every_value(to: str) -> None:
    assert export(RULES, to) == export(RULES, to, value="level") == export(RULES.view("level"), to)
    for value in VIEWS:
        assert export(RULES, to, value=value) == export(RULES.view(value), to)
    assert "value" in describe(to)[1]
    with pytest.raises(ParameterError, match="level, number, share, label, not 'chance'"):
        export(RULES, to, value="chance")
    with pytest.raises(ParameterError, match="these have none"):
        export(RULES.at(0.5), to, value="level")


def test_the_model_file_holds_the_levels(tmp_path: Any) -> None:
    (tmp_path / "model.json").write_text(str(export(RULES, "json")))
    assert load(tmp_path / "model.json") == RULES
    assert "value" not in describe("json")[1]
    with pytest.raises(ParameterError, match="a model file holds the levels themselves"):
        export(RULES, "json", value="share")


EXPECTED = [("very high", 1, 0.712), ("high", 2, 0.42), ("low", 3, 0.06)]


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_sql_gives_all_values_at_once(dialect: str) -> None:
    engine = DuckDB() if dialect == "duckdb" else SQLite()
    engine.connection.execute("CREATE TABLE people (age DOUBLE, bp DOUBLE, chol DOUBLE)")
    engine.connection.executemany("INSERT INTO people VALUES (?, ?, ?)", list(zip(*ROWS.values(), strict=True)))
    said = export(RULES, "sql", dialect=dialect, value="all")
    found = engine.connection.execute(f"SELECT {said} FROM people ORDER BY age DESC")
    assert [column[0] for column in found.description] == ["level", "number", "share"]
    assert found.fetchall() == EXPECTED
    engine.connection.execute(str(export(RULES, "sql", dialect=dialect, value="all", form="view", table="people")))
    found = engine.connection.execute("SELECT level, number, share, rule FROM predictions ORDER BY age DESC")
    assert [row[:3] for row in found.fetchall()] == EXPECTED


def test_sql_refuses_what_has_no_place_for_all_values() -> None:
    for options in ({"form": "rule"}, {"form": "view", "table": "people", "prediction": "p"}):
        with pytest.raises(ParameterError, match="each under its own name"):
            export(RULES, "sql", value="all", **options)
    with pytest.raises(ParameterError, match="only a view has names"):
        export(RULES, "sql", value="all", table="people")
    with pytest.raises(ParameterError, match="there is a column 'share' already"):
        export(RULES.with_rule("Share > 3", "high"), "sql", value="all")
    with pytest.raises(ParameterError, match="there is a column 'level' already"):
        export(RULES, "sql", value="all", form="view", table="people", rule="level")
    with pytest.raises(ParameterError, match="not 'all'"):
        export(RULES, "python", value="all")


def test_the_share_comes_back_to_the_last_bit() -> None:
    shares = (1 / 3, 0.1 + 0.2, 5e-324)
    levels = RULES.with_shares(shares)
    said = export(levels, "sql", value="share")
    connection = duckdb.connect()
    connection.execute("CREATE TABLE people (age DOUBLE, bp DOUBLE, chol DOUBLE)")
    connection.executemany("INSERT INTO people VALUES (?, ?, ?)", np.array(list(ROWS.values())).T.tolist())
    assert connection.execute(f"SELECT {said} FROM people ORDER BY age DESC").fetchall() == [(each,) for each in shares]


def test_the_command_line_says_which_value(tmp_path: Any) -> None:
    RULES.save(tmp_path / "model.json")
    said = run("export", tmp_path / "model.json", "--to", "sql", "--value", "number").stdout
    assert said == export(RULES, "sql", value="number")
    assert "--value" in run("export", "--to", "sql", "--help").stdout
