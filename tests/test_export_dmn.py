"""The exported decision table, its expressions computed by pySFeel, says what the rules say."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.export import dmn
from r2n.rules import ClassRules, RuleSet
from tests.export_worlds import ORDINARY, Cells, TypedWorld, adult, said, typed_worlds
from tests.strategies import NUMERIC, ODD_NAMES

NS = "{https://www.omg.org/spec/DMN/20191111/MODEL/}"


class Reader:
    """A decision table as DMN means it: the first line decides of which every entry is true of its input."""

    def __init__(self, text: str) -> None:
        from pySFeel import SFeelParser

        self.root = ElementTree.fromstring(text)
        self.feel = SFeelParser()
        assert self.root.find(f".//{NS}decisionTable").get("hitPolicy") == "FIRST"
        self.inputs = self._texts(self.root, "inputExpression")
        self.lines = [(self._texts(line, "inputEntry"), self._texts(line, "outputEntry"))
                      for line in self.root.iter(f"{NS}rule")]  # fmt: skip
        self.names = {d.get("label"): d.get("name") for d in self.root.iter(f"{NS}inputData")}

    def _texts(self, at: Any, tag: str) -> list[str]:
        return [each.find(f"{NS}text").text for each in at.iter(NS + tag)]

    def compute(self, expression: str) -> Any:
        status, value = self.feel.sFeelParse(expression)
        assert "errors" not in status, (expression, status)
        return value

    def decide(self, row: dict[str, Any]) -> tuple[Any, int]:
        for label, cell in row.items():
            if label in self.names:
                self.compute(f"{self.names[label]} <- {feel(cell)}")
        for tests, (label, number) in self.lines:
            if all(self.holds(test, given) for test, given in zip(tests, self.inputs, strict=True)):
                return json.loads(label), int(number)
        raise AssertionError("no line is true, not even the last")

    def holds(self, test: str, given: str) -> bool:
        """A unary test, as the expression that it is short for."""
        if test == "-":
            return True
        if re.match("[<>]", test):
            return self.compute(f"{given} {test}") is True
        inverse = test.startswith("not(")
        asked = f"({given}) in ({test[4:-1] if inverse else test})"
        return self.compute(f"not({asked})" if inverse else asked) is True


def feel(cell: Any) -> str:
    if cell is None or (isinstance(cell, float) and np.isnan(cell)):
        return "null"
    if isinstance(cell, bool | str):
        return json.dumps(cell, ensure_ascii=False)
    return f"{Decimal(repr(cell)):f}"


def agrees(world: TypedWorld) -> None:
    reader = Reader(dmn.write(world.rules))
    columns = {name: cells.tolist() for name, cells in world.columns.items()}
    found = [reader.decide(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    assert_array_equal([number for _, number in found], world.first_rule)
    assert [label for label, _ in found] == said(world.rules, world.columns)


@settings(max_examples=40, deadline=None, phases=[Phase.generate])
@given(typed_worlds(ORDINARY))
def test_the_table_says_what_the_rules_say(world: TypedWorld) -> None:
    agrees(readable(world))


def readable(world: TypedWorld) -> TypedWorld:
    """Some rows, without numbers that take pySFeel long (hundreds of digits) and texts that it cannot read."""
    some = {name: cells[:12] for name, cells in world.columns.items()}
    for name in NUMERIC:
        long = (abs(some[name]) > 1e9) | ((abs(some[name]) < 1e-9) & (some[name] != 0))
        some[name] = np.where(long, np.nan, some[name])
    plain = [None if isinstance(c, str) and re.search(r'["\\\n]', c) else c for c in some["z"].tolist()]
    return TypedWorld(world.rules, {**some, "z": np.array([*plain, None], dtype=object)[:-1]})


def test_rows_of_adult() -> None:
    world = adult()
    chosen = np.random.default_rng(0).choice(len(world.first_rule), size=60, replace=False)
    agrees(TypedWorld(world.rules, {name: cells[chosen] for name, cells in world.columns.items()}))


@pytest.mark.parametrize("name", [*ODD_NAMES, "column_1", "column_2", "decision", "prediction", "rule"], ids=ascii)
def test_any_column_name(name: str) -> None:
    other = "q" if name == "column_2" else "column_2"
    rules = RuleSet.parse("yes if p - 2·q > 0.1 and 3·p + q < 9 else no").renamed({"p": name, "q": other})
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
    rules = RuleSet.parse('yes if z in {"q\\"uo", "back\\\\slash", "a\\nb", "<&>", größe} else no')
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
    assert {each.get("href")[1:] for each in root.iter(f"{NS}requiredInput")} <= set(ids)
    table = root.find(f"{NS}decision/{NS}decisionTable")
    order = [each.tag.removeprefix(NS) for each in table]
    assert order == sorted(order, key=["input", "output", "rule"].index)
    for line in table.iter(f"{NS}rule"):
        tags = [each.tag.removeprefix(NS) for each in line]
        assert tags == ["inputEntry"] * order.count("input") + ["outputEntry"] * 2


def test_several_classes_and_a_row_that_none_claims() -> None:
    rules = ClassRules.parse("a if x > 1 and x < 2 or z is missing else b if z not in {p, q} else c")
    cells: Cells = {"x": np.array([1.5, 3.0, 3.0, np.nan]), "z": np.array(["p", "r", "q", None], dtype=object)}
    agrees(TypedWorld(rules, cells))


def test_what_xml_cannot_hold_is_refused() -> None:
    with pytest.raises(ParameterError, match="holds a character that XML cannot"):
        dmn.write(RuleSet.parse('"\\ud800" if x > 1 else no'))
