"""The exported decision table, read by a small reader of what it is made of, says what the rules say."""

from __future__ import annotations

import json
import operator
import re
import shutil
import subprocess
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.export import dmn
from r2n.rules import ClassRules, RuleSet, rename_columns
from tests.export.laws import law
from tests.export.typed_worlds import ORDINARY, Cells, TypedWorld, adult, said, typed_worlds
from tests.strategies import ODD_NAMES

NS = "{https://www.omg.org/spec/DMN/20191111/MODEL/}"


class Reader:
    """A decision table as DMN means it: the first line decides of which every entry is true of its input."""

    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        assert root.find(f".//{NS}decisionTable").get("hitPolicy") == "FIRST"
        self.inputs = texts(root, "inputExpression")
        self.lines = [(texts(line, "inputEntry"), texts(line, "outputEntry")) for line in root.iter(f"{NS}rule")]
        self.names = {each.get("label"): each.get("name") for each in root.iter(f"{NS}inputData")}

    def decide(self, row: dict[str, Any]) -> tuple[Any, int]:
        cells = {self.names[label]: cell for label, cell in row.items() if label in self.names}
        given = [compute(expression, cells) for expression in self.inputs]
        for tests, (label, number) in self.lines:
            if all(holds(test, cell) for test, cell in zip(tests, given, strict=True)):
                return json.loads(label), int(number)
        raise AssertionError("no line is true, not even the last")


def texts(at: Any, tag: str) -> list[str]:
    return [each.find(f"{NS}text").text for each in at.iter(NS + tag)]


def compute(expression: str, cells: dict[str, Any]) -> Any:
    """A name, or a sum of names with factors, from left to right; null if any of them is."""
    sign, total = 1.0, None
    for part in re.split(" ([+-]) ", expression):
        if part in "+-":
            sign = -1.0 if part == "-" else 1.0
            continue
        *factor, name = part.split(" * ")
        cell = cells[name]
        if cell is None:
            return None
        value = sign * float(factor[0]) * cell if factor else (-cell if sign < 0 else cell)
        total = value if total is None else total + value
    return total


def holds(test: str, cell: Any) -> bool:
    """A unary test of FEEL: no comparison with null is true; values of other types are not equal."""
    if test == "-":
        return True
    bound = re.fullmatch("([<>]=?) (.*)", test)
    if bound is not None:
        limit = float(bound[2])
        relations = {">": operator.gt, "<": operator.lt, ">=": operator.ge, "<=": operator.le}
        return cell is not None and relations[bound[1]](cell, limit)
    inverse = test.startswith("not(")
    listed = json.loads(f"[{test[4:-1] if inverse else test}]")
    return any(cell == value and isinstance(cell, bool) == isinstance(value, bool) for value in listed) != inverse


def agrees(world: TypedWorld) -> None:
    reader = Reader(dmn.write(world.rules))
    columns = {name: [null(cell) for cell in cells.tolist()] for name, cells in world.columns.items()}
    found = [reader.decide(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    assert_array_equal([number for _, number in found], world.first_rule)
    assert [label for label, _ in found] == said(world.rules, world.columns)


def null(cell: Any) -> Any:
    return None if isinstance(cell, float) and np.isnan(cell) else cell


@law(world=typed_worlds())
def test_the_table_says_what_the_rules_say(world: TypedWorld) -> None:
    agrees(world)


FEELIN = """
const { evaluate, unaryTest } = require('feelin');
const value = found => found !== null && typeof found === 'object' && 'value' in found ? found.value : found;
const decide = (table, cells) => {
  const given = table.inputs.map(text => value(evaluate(text, cells)));
  const holds = (test, k) => value(unaryTest(test, { '?': given[k] })) === true;
  return Number(table.lines.find(line => line[0].every(holds))[1][1]);
};
const tables = JSON.parse(require('fs').readFileSync(0));
console.log(JSON.stringify(tables.map(table => table.rows.map(cells => decide(table, cells)))));
"""


def test_feelin_says_what_the_rules_say() -> None:
    """An engine of FEEL in JavaScript: `npm install feelin`, and NODE_PATH set to its folder."""
    node = shutil.which("node")
    if node is None or subprocess.run([node, "-e", "require('feelin')"], check=False, capture_output=True).returncode:
        pytest.skip("there is no node here, or it has no feelin")
    worlds: list[TypedWorld] = []

    @settings(max_examples=100, deadline=None, database=None)
    @given(typed_worlds(ORDINARY))
    def collect(world: TypedWorld) -> None:
        worlds.append(world)

    collect()
    done = subprocess.run([node, "-e", FEELIN], input=json.dumps([*map(described, worlds)]), text=True, check=True,
                          capture_output=True)  # fmt: skip
    for world, numbers in zip(worlds, json.loads(done.stdout), strict=True):
        assert numbers == world.first_rule.tolist(), str(world.rules)


def described(world: TypedWorld) -> dict[str, Any]:
    reader = Reader(dmn.write(world.rules))
    named = {reader.names[name]: cells for name, cells in world.columns.items() if name in reader.names}
    rows = [{name: null(cells.tolist()[k]) for name, cells in named.items()} for k in range(len(world.columns["x"]))]
    return {"inputs": reader.inputs, "lines": reader.lines, "rows": rows}


def test_rows_of_adult() -> None:
    world = adult()
    chosen = np.random.default_rng(0).choice(len(world.first_rule), size=1000, replace=False)
    agrees(TypedWorld(world.rules, {name: cells[chosen] for name, cells in world.columns.items()}))


@pytest.mark.parametrize("name", [*ODD_NAMES, "column_1", "column_2", "decision", "prediction", "rule"], ids=ascii)
def test_any_column_name(name: str) -> None:
    other = "q" if name == "column_2" else "column_2"
    rules = rename_columns(RuleSet.parse("yes if p - 2·q > 0.1 and 3·p + q < 9 else no"), {"p": name, "q": other})
    root = ElementTree.fromstring(dmn.write(rules))
    names = [each.get("name") for each in root.iter(f"{NS}inputData")]
    assert len(set(names)) == 2
    assert all(re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", each) for each in names)
    outputs = {each.get("name") for tag in ("output", "decision") for each in root.iter(NS + tag)}
    assert not outputs & set(names)
    labels = {each.get("label"): each.get("name") for each in root.iter(f"{NS}inputData")}
    inside = labels.get(name, labels.get(json.dumps(name)))
    for expression in root.iter(f"{NS}inputExpression"):
        assert inside in re.findall("[A-Za-z_][A-Za-z0-9_]*", expression.find(f"{NS}text").text)


def test_texts_are_written_as_feel_writes_them() -> None:
    rules = RuleSet.parse('yes if z in {"q\\"uo", "back\\\\slash", "a\\nb", "a\\rb", "a\\r\\nb", "<&>", größe} else no')
    (entry, _) = ElementTree.fromstring(dmn.write(rules)).iter(f"{NS}inputEntry")
    assert json.loads(f"[{entry.find(NS + 'text').text}]") == list(rules.literals[0].values)


def test_numbers_have_no_exponent() -> None:
    text = dmn.write(RuleSet.parse("yes if 1e22·x - 2.5e-7·y > 1e-20 else no"))
    assert "10000000000000000000000 * x - 0.00000025 * y" in text
    assert "&gt; 0.00000000000000000001<" in text


@settings(max_examples=50, deadline=None)
@given(typed_worlds())
def test_the_document_is_well_built(world: TypedWorld) -> None:
    """What the schema of DMN 1.3 asks for: identifiers once, references to something, lines as wide as the table."""
    root = ElementTree.fromstring(dmn.write(world.rules))
    ids = [each.get("id") for each in root.iter() if each.get("id")]
    assert len(set(ids)) == len(ids)
    assert {each.attrib["href"][1:] for each in root.iter(f"{NS}requiredInput")} <= set(ids)
    table = root.find(f"{NS}decision/{NS}decisionTable")
    order = [each.tag.removeprefix(NS) for each in table]
    assert order == sorted(order, key=["input", "output", "rule"].index)
    for line in table.iter(f"{NS}rule"):
        tags = [each.tag.removeprefix(NS) for each in line]
        assert tags == ["inputEntry"] * order.count("input") + ["outputEntry"] * 2


def test_several_classes_and_a_row_that_none_claims() -> None:
    rules = ClassRules.parse("a if x > 1 and x < 2 or x is missing else b if z not in {p, q} else c")
    cells: Cells = {
        "x": np.array([1.5, 3.0, 3.0, np.nan, 3.0]),
        "z": np.array(["p", "r", "q", "r", None], dtype=object),
    }
    agrees(TypedWorld(rules, cells))


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="holds a character that XML cannot"):
        dmn.write(RuleSet.parse('"\\ufffe" if x > 1 else no'))
