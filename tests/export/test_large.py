"""Long sums, many rules and large sets: written so that every engine reads them, or refused."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from functools import cache, reduce
from typing import Any

import numpy as np
import onnxruntime
import pytest

from r2n import RuleSet
from r2n.errors import ParameterError
from r2n.export import export
from r2n.export.sql import DIALECTS
from r2n.rules import ClassRules, Filled, Halfspace, Membership, Rule, column_of
from r2n.table import Column, Schema
from tests.export.worlds import Shipped


@cache
def long_sum(n: int, filled: bool = False) -> Shipped:
    """Rules about a sum of numbers of very different sizes, which in the first row is where it is "at" to one float.

    Whoever adds up in another order, or with other precision, gets another sum.
    """
    rng = np.random.default_rng(n)
    names = [f"x{k}" for k in range(n)]
    columns = {name: (rng.normal(size=3) * 10.0 ** rng.integers(-3, 4, 3)).tolist() for name in names}
    weights = dict(zip(names, rng.normal(size=n).tolist(), strict=True))
    keys: dict[Any, float] = {Filled(name, 0.5) if filled and k % 7 == 0 else name: weights[name]
                              for k, name in enumerate(names)}  # fmt: skip
    if filled:
        for name in names[::14]:
            columns[name][0] = None
        keys[Membership("z", ("a",))] = 0.3
        columns["z"] = ["a", "b", None]
    terms = Halfspace.of(keys, 0.0).terms
    total = _sum(terms, {name: cells[0] for name, cells in columns.items()})
    above, at = (Rule((Halfspace(terms, bound),)) for bound in (total, math.nextafter(total, -math.inf)))
    known = tuple(Column(name, "numeric", low=-1e6, high=1e6) for name in names)
    schema = Schema((*known, Column("z", "categorical", categories=("a", "b"))))
    types = dict.fromkeys(names, "number") | {"z": "text"}
    columns.setdefault("z", ["a", "b", "a"])
    return Shipped(ClassRules((("above", (above,)), ("at", (at,))), "below", schema), columns, types)


def _sum(terms: Any, row: dict[str, Any]) -> float:
    """As it is defined: columns that are known, fills of those that are not, sets."""
    known = [a * row[column_of(key)] for key, a in terms if row.get(column_of(key)) not in (None, "a")]
    fills = [a * key.fill for key, a in terms if isinstance(key, Filled) and row[key.column] is None]
    sets = [a for key, a in terms if isinstance(key, Membership)]
    return reduce(operator.add, [*known, *fills, *sets])


@cache
def many_rules(n: int) -> Shipped:
    """Rules that read intervals: one in each."""
    rules = tuple(
        Rule((Halfspace.of({"x": 1.0}, k + 0.25), Halfspace.of({"x": -1.0, "y": k + 1.0}, -k - 0.75))) for k in range(n)
    )
    schema = Schema(tuple(Column(name, "numeric", low=0.0, high=1.0) for name in "xy"))
    cells = {"x": [0.5, n - 0.5, n - 1, n / 2 + 0.3, n + 1.0, None], "y": [0.0] * 6}
    return Shipped(RuleSet(rules, "yes", "no", schema), cells, {"x": "number", "y": "number"})


@cache
def large_set(n: int) -> Shipped:
    values = tuple(f"c{k}" for k in range(n))
    schema = Schema((Column("z", "categorical", categories=(*values, "other")),))
    rules = (Rule((Membership("z", values),)), Rule((Membership("z", values, negated=True),)))
    return Shipped(RuleSet(rules, "yes", "no", schema), {"z": ["c0", f"c{n - 1}", "other", "new", None]}, {"z": "text"})


SOURCES = ["python", "node"]
DATABASES = ["duckdb", "sqlite", "postgres"]


def assert_agrees(world: Shipped, name: str, request: pytest.FixtureRequest) -> None:
    engine = request.getfixturevalue(f"{name}_engine")
    assert any(label != world.rules.default for label, _ in world.expected)
    assert engine.decide(world.rules, world.columns, world.types) == world.expected


@pytest.mark.parametrize("filled", [False, True])
@pytest.mark.parametrize("n", [100, 101, 3_000])
@pytest.mark.parametrize("name", SOURCES)
def test_interpreters_add_up_long_sums_from_left_to_right(
    name: str, n: int, filled: bool, request: pytest.FixtureRequest
) -> None:
    assert long_sum(n, filled).expected[0] == ("at", 2)
    assert_agrees(long_sum(n, filled), name, request)


@pytest.mark.parametrize("n", [300, pytest.param(900, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", DATABASES)
def test_databases_add_up_long_sums_from_left_to_right(name: str, n: int, request: pytest.FixtureRequest) -> None:
    assert_agrees(long_sum(n), name, request)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_longer_sums_are_refused_in_sql(dialect: str) -> None:
    with pytest.raises(ParameterError, match="3000 levels deep, but databases read"):
        export(long_sum(3_000).rules, "sql", dialect=dialect)


def test_onnx_adds_up_long_sums_from_left_to_right() -> None:
    world = long_sum(1_000)
    session = onnxruntime.InferenceSession(export(world.rules, "onnx"), providers=["CPUExecutionProvider"])
    names = json.loads(session.get_modelmeta().custom_metadata_map["r2n.columns"])
    feeds = {put: np.array(world.columns[column])[:, None] for put, column in names.items()}
    labels, numbers = session.run(None, feeds)
    assert list(zip(labels.tolist(), numbers.tolist(), strict=True)) == world.expected


@pytest.mark.parametrize("name", [*SOURCES, *(pytest.param(each, marks=pytest.mark.slow) for each in DATABASES)])
@pytest.mark.parametrize("world", [lambda: many_rules(3_000), lambda: large_set(10_000)], ids=["rules", "set"])
def test_many_rules_and_large_sets(world: Callable[[], Shipped], name: str, request: pytest.FixtureRequest) -> None:
    assert_agrees(world(), name, request)


@pytest.mark.parametrize(
    ("to", "world", "message"),
    [
        ("pmml", lambda: long_sum(3_000), "a sum has 3000 columns, but PMML nests sums"),
        ("excel", lambda: long_sum(3_000), "characters, but Excel reads at most 8192"),
        ("workbook", lambda: long_sum(3_000), "the formula of rule 1 has .* characters, but Excel reads at most 8192"),
        ("excel", lambda: large_set(10_000), "characters, but Excel reads at most 8192"),
        ("workbook", lambda: large_set(10_000), "the formula of rule 1 has .* characters"),
        ("dmn", lambda: many_rules(3_000), "3,000 lines under 3,001 inputs, but at most 200,000 cells"),
    ],
)
def test_what_a_format_has_no_room_for_is_refused(to: str, world: Callable[[], Shipped], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        export(world().rules, to)


@pytest.mark.parametrize("to", ["latex", "markdown", "json", "onnx", "pmml", "workbook"])
def test_many_rules_are_written(to: str) -> None:
    assert len(export(many_rules(3_000).rules, to)) > 50_000
