"""On Adult, with its categories and missing values, every engine decides all rows as the rules do."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.datasets import available, load_table
from r2n.rules import ClassRules
from r2n.table import Schema
from tests.export.engines import Columns, Transpiled
from tests.export.worlds import Shipped

BY_HAND = """
">50K" if education_num > 12 and "marital-status" in {"Married-civ-spouse"} and occupation not in {"Sales"}
       or "capital-gain" > 5013 and age > 21
       or "hours-per-week" + 0.1·age - 3.7·education_num < 2.1 and "capital-loss" > 1844.3 and fnlwgt < 1e6
       or workclass is missing and age >= 62 and "native-country" is known
       or "native-country" in {Iran, France, Taiwan} and sex in {Male} and race not in {Other}
else "<=50K"
"""
CLASSES = """
young if age < 25
else retired if workclass is missing and age > 60
             or occupation is missing and "hours-per-week" < 20
else rich if "capital-gain" - "capital-loss" > 4000.5
          or education in {Doctorate, "Prof-school"} and relationship not in {"Own-child"}
else other
"""


@pytest.fixture(scope="module", params=[3_000, pytest.param(None, marks=pytest.mark.slow)], ids=["some", "all"])
def frame(request: pytest.FixtureRequest) -> pd.DataFrame:
    if not available("adult"):
        pytest.skip("adult.data is not in the folder $R2N_DATA")
    return load_table("adult").X[: request.param]


@pytest.fixture(scope="module")
def table(frame: pd.DataFrame) -> tuple[Columns, dict[str, str]]:
    cells = {str(name): frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in frame}
    types = {str(name): "integer" if frame[name].dtype.kind == "i" else "text" for name in frame}
    return cells, types


@pytest.fixture(scope="module")
def worlds(frame: pd.DataFrame, table: tuple[Columns, dict[str, str]]) -> list[Shipped]:
    """Rules of two and of four classes, with and without a schema, and rules that were learned."""
    columns, types = table
    rows = slice(0, 3_000)
    quick = R2NClassifier(network=NetworkSettings(restarts=1, epochs=30), effort="quick", random_state=0)
    learned = quick.fit(frame[rows], load_table("adult").y[rows]).rules_
    # "?" may come back as the text that it was; a capital gain of 99999 is a cut, and stands for an unknown one here.
    schema, _ = Schema.learn(frame, missing_values={"workclass": ["?"], "capital-gain": [99999]})
    assert isinstance(learned, RuleSet)
    rules: list[RuleSet | ClassRules] = [
        RuleSet.parse(BY_HAND),
        RuleSet.parse(BY_HAND).with_schema(schema),
        ClassRules.parse(CLASSES).with_schema(schema),
        learned,
    ]
    return [Shipped(each, {name: columns[name] for name in each.columns}, types) for each in rules]


def assert_agrees(engine: Any, worlds: list[Shipped]) -> None:
    for world in worlds:
        assert len(set(world.expected)) > 1, "rules that decide something"
        assert engine.decide(world.rules, world.columns, world.types) == world.expected


@pytest.mark.parametrize("name", ["duckdb", "sqlite", "postgres", "python", "node"])
def test_rows_of_adult_agree(name: str, worlds: list[Shipped], request: pytest.FixtureRequest) -> None:
    assert_agrees(request.getfixturevalue(f"{name}_engine"), worlds)


@pytest.mark.parametrize("dialect", ["snowflake", "bigquery", "spark"])
def test_rows_of_adult_agree_in_other_dialects_read_back(dialect: str, worlds: list[Shipped]) -> None:
    assert_agrees(Transpiled(dialect), worlds)
