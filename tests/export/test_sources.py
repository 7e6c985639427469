"""Python and JavaScript: cells of any kind, rows that are refused, sources that cannot be broken out of."""

from __future__ import annotations

import ast
import math
import shutil
import subprocess
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings

from r2n import RuleSet
from r2n.errors import ParameterError, SchemaError
from r2n.export import export
from r2n.rules import Rule
from r2n.table import Column, Schema
from tests.export.engines import Node
from tests.strategies import rule_sets

RULES = RuleSet.parse("yes if x - 2·y > 3 or z in {1, a} and y is known or f not in {True} else no")


def functions(rules: RuleSet) -> dict[str, Any]:
    module: dict[str, Any] = {}
    exec(compile(export(rules, "python"), "rules.py", "exec"), module)
    return module


CELLS = [
    None, math.nan, pd.NA, pd.NaT, np.float64("nan"), 1, 1.0, True, np.True_, np.int8(1), np.float32(1), Decimal(1),
    Decimal("0.1"), 0.1, np.float32(0.1), np.str_("a"), "a", "1", "", False, np.False_, 2**60, 10**30, -0.0,
]  # fmt: skip


@pytest.mark.parametrize("cell", CELLS, ids=repr)
def test_python_reads_a_cell_as_the_rules_do(cell: object) -> None:
    rules = RuleSet.parse("yes if z in {1, a, 0.1} or w not in {1, 0.1, 1152921504606846976} and v is known else no")
    row = {"z": cell, "w": cell, "v": cell}
    column = np.empty(1, dtype=object)
    column[0] = cell
    expected = rules.predict(dict.fromkeys(row, column))[0]
    assert functions(rules)["predict"](row) == expected


CODED = Schema(
    (
        Column("n", "numeric", missing_values=(-7, "?", 2.5)),
        Column("b", "categorical", categories=(False, True), missing_values=(True,)),
        Column("t", "categorical", categories=("a",), missing_values=("", "1")),
    )
)


def test_values_that_stand_for_missing_ones(node_engine: Node) -> None:
    rules = RuleSet.parse("yes if n < 5 and b in {0} and t not in {x} or n is missing else no").with_schema(CODED)
    cells = {"n": [-7.0, -7, "?", 2.5, 3], "b": [False, True, False, False, False], "t": ["a", "1", "", "a", "b"]}
    rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
    rows += [{"n": 3, "b": True, "t": "b"}, {"n": 3, "b": False, "t": "1"}, {"n": 3, "b": 0, "t": "b"}]
    columns = {name: np.array([row[name] for row in rows], dtype=object) for name in cells}
    expected = rules.predict(columns).tolist()
    assert set(expected) == {"yes", "no"}
    assert [functions(rules)["predict"](row) for row in rows] == expected
    assert [label for label, _ in node_engine.run(str(export(rules, "javascript")), rows)] == expected


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"x": "3"}, TypeError, "column 'x' holds '3' where a number was expected"),
        ({"x": math.inf}, ValueError, "infinite"),
        ({"z": -math.inf}, ValueError, "infinite"),
        ({"x": 10**400}, OverflowError, "too large"),
        ({"z": [1]}, TypeError, "only numbers, text, Booleans and None are read"),
        ({"x": b"5"}, TypeError, "column 'x' holds b'5': only numbers"),
    ],
)
def test_python_refuses_what_the_rules_refuse(change: dict[str, Any], error: type, message: str) -> None:
    row = {"x": 1, "y": 2, "z": "a", "f": True} | change
    with pytest.raises(error, match=message):
        functions(RULES)["rule"](row)


HELD = Schema(
    (
        Column("n", "numeric", low=1.0, high=7.0, missing_values=(-7, "?")),
        Column("c", "categorical", categories=(1, 2), missing_values=("",)),
        Column("b", "categorical", categories=(False, True)),
        Column("t", "categorical", categories=("5", "a"), missing_values=(0,)),
        Column("m", "categorical", categories=(5, "a")),
    )
)
SETS = "yes if n in {5} or c in {5} or b in {1} or t in {5} or m in {5} else no"


@pytest.mark.parametrize("cell", [None, 5, 5.0, 1, True, "5", "a", "", "?"], ids=repr)
@pytest.mark.parametrize("name", HELD.names)
def test_a_row_is_refused_where_the_rules_refuse_it(node_engine: Node, name: str, cell: object) -> None:
    """Rows of a CSV file are all text: none may silently be another category than those of the fit."""
    rules = RuleSet.parse(SETS.replace("t in {5}", 't in {"5"}')).with_schema(HELD)
    row = dict.fromkeys(HELD.names) | {name: cell}
    # Beside a row that is in order: of a column that holds nothing but "?", rules do not know that it is of numbers.
    usual = {"n": 1, "c": 1, "b": False, "m": 1}.get(name)
    columns = {each: np.array([row[each], usual if each == name else None], dtype=object) for each in row}
    source = str(export(rules, "javascript"))
    try:
        expected = rules.predict(columns)[0]
    except SchemaError:
        message = rf"column .{name}. held (numbers|text|Booleans) at fit but holds .*: convert it to \1"
        with pytest.raises(TypeError, match=message):
            functions(rules)["predict"](row)
        with pytest.raises(AssertionError, match=message.replace(".", ".{1,2}", 1)):
            node_engine.run(source, [row])
    else:
        assert functions(rules)["predict"](row) == expected
        assert [label for label, _ in node_engine.run(source, [row])] == [expected]


def test_which_rows_of_another_kind_are_refused() -> None:
    """The table that the test above goes by, in part: so that it does not agree on nothing."""
    rules = RuleSet.parse(SETS).with_schema(HELD)
    usual = dict.fromkeys(HELD.names)
    for name, cell in (("n", "5"), ("c", "5"), ("b", "a"), ("b", 5), ("t", 5), ("t", 5.0), ("t", True)):
        with pytest.raises(TypeError, match=f"column '{name}' held .* at fit but holds {cell!r}"):
            functions(rules)["rule"](usual | {name: cell})


def test_a_row_without_a_column_is_refused(node_engine: Node) -> None:
    with pytest.raises(KeyError, match="f"):
        functions(RULES)["predict"]({"x": 1, "y": 2, "z": "a"})
    with pytest.raises(AssertionError, match=r"column .*f.* holds undefined"):
        node_engine.run(str(export(RULES, "javascript")), [{"x": 1, "y": 2, "z": "a"}])


@pytest.mark.parametrize("cell", ["3", [1], {}])
def test_javascript_refuses_what_is_no_number(node_engine: Node, cell: object) -> None:
    with pytest.raises(AssertionError, match="TypeError"):
        node_engine.run(str(export(RULES, "javascript")), [{"x": cell, "y": 2, "z": "a", "f": True}])


@pytest.mark.parametrize(("module", "suffix", "use"), [
    ("esm", "mjs", 'import { predict, rule } from "./rules.mjs";'),
    ("commonjs", "cjs", 'const { predict, rule } = require("./rules.cjs");'),
])  # fmt: skip
def test_javascript_modules(module: str, suffix: str, use: str, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    (tmp_path / f"rules.{suffix}").write_text(str(export(RULES, "javascript", module=module)), encoding="utf-8")
    script = tmp_path / f"main.{suffix}"
    script.write_text(f"{use}\nconst row = {{x: 9, y: null, z: 1, f: false}};\nconsole.log(predict(row), rule(row));\n")
    assert subprocess.run([node, str(script)], capture_output=True, text=True, check=True).stdout == "yes 2\n"


def test_what_javascript_cannot_say_is_refused() -> None:
    with pytest.raises(ParameterError, match="module must be one of none, esm, commonjs, not 'amd'"):
        export(RULES, "javascript", module="amd")
    with pytest.raises(ParameterError, match="a category of column 'x', 9007199254740993, has too many digits"):
        export(RuleSet.parse("yes if x in {9007199254740993} else no"), "javascript")
    with pytest.raises(ParameterError, match="a label, 9007199254740993"):
        export(RuleSet((Rule(),), 2**53 + 1, 0), "javascript")


@settings(max_examples=60)
@given(rule_sets().filter(lambda rules: "\\ud800" not in repr(rules)))
def test_any_rule_set_is_a_python_module_of_constants_and_four_functions(rules: RuleSet) -> None:
    """Whatever names and categories hold, they are texts in the source and nothing else."""
    tree = ast.parse(str(export(rules, "python")))
    kinds = [type(node).__name__ for node in tree.body]
    assert kinds == ["Expr", "Assign", "Assign", "Assign", *["FunctionDef"] * 4]
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    known = {"_cell", "_number", "rule", "type", "bool", "hasattr", "isinstance", "float", "ValueError", "TypeError"}
    assert called <= known
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(tree))


def test_no_name_ends_a_script_in_html() -> None:
    rules = RuleSet.parse('"</script>" if "</script><script>alert(1)" > 1 and z in {"<!--"} else no')
    source = str(export(rules, "javascript"))
    assert "</script" not in source
    assert "<!--" not in source
