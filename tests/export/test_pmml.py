"""The exported PMML, run by JPMML, says what the rules say."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.export import dmn, onnx, pmml
from r2n.rules import ClassRules, Halfspace, Membership, Rule, RuleSet, rename_columns
from r2n.table import Schema
from tests.export.laws import law
from tests.export.typed_worlds import Cells, TypedWorld, adult, said, typed_worlds
from tests.strategies import ODD_NAMES

NS = "{http://www.dmg.org/PMML-4_4}"


@pytest.fixture(scope="module")
def java() -> Iterator[Any]:
    """A Java machine of its own, which JPMML runs in."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java here, which JPMML needs")
    from jpmml_evaluator.py4j import Py4JBackend

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")  # it lives for seconds
        backend = Py4JBackend()
    yield backend
    process = Py4JBackend.gateway.java_process
    Py4JBackend.destroyGateway()
    process.stdin.close()
    process.wait(timeout=30)


def run(java: Any, text: str, columns: Cells) -> tuple[list[Any], list[int]]:
    """Labels and numbers of rules, as JPMML computes them."""
    from jpmml_evaluator import make_evaluator

    evaluator = make_evaluator(text.encode(), backend=java)
    frame = pd.DataFrame({name: pd.Series(plain(cells), dtype=object) for name, cells in columns.items()})
    target, rule = names_of(text)
    found = evaluator.evaluateAll(frame, nan_as_missing=False)
    assert "errors" not in found, found["errors"].dropna().iloc[0]
    numbers = [0 if pd.isna(number) else int(number) for number in found[rule]]
    return found[target].tolist(), numbers


def names_of(text: str) -> tuple[str, str]:
    """What the label and the number of the rule are called."""
    root = ElementTree.fromstring(text)
    targets = [field.attrib["name"] for field in root.iter(f"{NS}MiningField") if field.get("usageType") == "target"]
    rules = [field.attrib["name"] for field in root.iter(f"{NS}OutputField") if field.get("feature") == "entityId"]
    return targets[0], rules[0]


def plain(cells: np.ndarray[Any, Any]) -> list[Any]:
    return [None if isinstance(cell, float) and np.isnan(cell) else cell for cell in cells.tolist()]


def agrees(java: Any, world: TypedWorld) -> None:
    labels, numbers = run(java, pmml.write(world.rules), world.columns)
    assert_array_equal(numbers, world.first_rule)
    assert labels == said(world.rules, world.columns, largest=2**31 - 1)


@law(world=typed_worlds())
def test_the_document_says_what_the_rules_say(java: Any, world: TypedWorld) -> None:
    agrees(java, world)


def test_all_rows_of_adult(java: Any) -> None:
    agrees(java, adult())


def cells(*values: object) -> np.ndarray[Any, Any]:
    return np.array([*values, None], dtype=object)[:-1]


def test_every_column_of_a_halfspace_counts(java: Any) -> None:
    """The published implementation of the method writes only the first column of a halfspace to its PMML."""
    rules = RuleSet.parse("yes if x + y - 2·z > 1 else no")
    rows = {"x": cells(0.0, 2.0, 0.0, 2.0, 2.0), "y": cells(2.0, -2.0, 0.0, 0.0, 0.0), "z": cells(0, 0, -1, 1, None)}
    assert_array_equal(rules.predict(rows), ["yes", "no", "yes", "no", "no"])
    agrees(java, TypedWorld(rules, rows))
    fields = [ref.get("field") for ref in ElementTree.fromstring(pmml.write(rules)).iter(f"{NS}FieldRef")]
    assert fields == ["x", "y", "z"]


def test_sums_go_from_left_to_right(java: Any) -> None:
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=5_000) for name in ("x1", "x2", "x3", "x4")}
    literal = Halfspace.of(dict(zip(columns, rng.normal(size=4).tolist(), strict=True)), 0.0)
    sums = literal.values(RuleSet().table(columns))
    for threshold in np.quantile(sums, [0.3, 0.8], method="nearest").tolist():
        for bound in (threshold, float(np.nextafter(threshold, -9))):
            rules = RuleSet.parse(f"yes if {Halfspace(literal.terms, bound)} else no")
            agrees(java, TypedWorld(rules, columns))


def test_a_sum_beyond_all_floats(java: Any) -> None:
    """Infinite it is above every threshold; inf - inf is no number, and above none."""
    rules = RuleSet.parse("yes if 1e300·x - 1e300·y > 3 else no")
    rows = {"x": cells(1e9, 1e9, 1.0, -1e9), "y": cells(1.0, 1e9, 1e9, 0.0)}
    assert_array_equal(rules.predict(rows), ["yes", "no", "no", "no"])
    agrees(java, TypedWorld(rules, rows))


def wide(n: int) -> RuleSet:
    return RuleSet((Rule((Halfspace.of({f"x{k}": 0.1 * k + 1 for k in range(n)}, 3.0),)),), "yes", "no")


def test_a_sum_of_many_columns(java: Any) -> None:
    agrees(java, TypedWorld(wide(500), {f"x{k}": np.array([1.0, -1.0, np.nan]) for k in range(500)}))


@pytest.mark.parametrize("n", [501, 1200])
def test_a_sum_that_is_too_long_to_nest_is_refused(n: int) -> None:
    with pytest.raises(ParameterError, match=f"a sum has {n} columns, but PMML .* at most 500 .*max_columns"):
        pmml.write(wide(n))


LEGAL = [*(name for name in ODD_NAMES if name not in ("\x00", "")), "\r", "a\rb", "a\r\nb"]


def test_any_column_name_and_category_that_xml_can_hold(java: Any) -> None:
    rules = RuleSet.parse("yes if p - 2·q > 0.1 and r in {a} or r not in {a} and q is missing else no")
    for name in [*LEGAL, "prediction", "rule", "output prediction", "sum"]:
        rows = {name: cells(1.0, 3.0, None), "q": cells(0.5, 1.0, None), "r": cells("a", "a", "b")}
        agrees(java, TypedWorld(rename_columns(rules, {"p": name, "q": "q", "r": "r"}), rows))
    for name in [*LEGAL, ""]:
        found = TypedWorld(RuleSet.parse("yes if r in {a, c} else no"), {"r": cells(name, "other", None, "a")})
        agrees(java, TypedWorld(renamed_category(found.rules, name, negated=False), found.columns))
        agrees(java, TypedWorld(renamed_category(found.rules, name, negated=True), found.columns))


@pytest.mark.parametrize("text", ["a\rb", "a\r\nb", "a\nb"])
def test_a_carriage_return_is_read_back_as_one(text: str) -> None:
    """What the document says, seen without Java: readers of XML turn a bare one into a line feed."""
    root = ElementTree.fromstring(pmml.write(RuleSet((Rule((Membership("t", (text,)),)),), text, "no")))
    assert [array.text for array in root.iter(f"{NS}Array")] == [f'"{text}"']
    assert [rule.get("score") for rule in root.iter(f"{NS}SimpleRule")] == [text]


def renamed_category(rules: RuleSet, name: str, negated: bool) -> RuleSet:
    literal = Membership("r", (name, "c"), negated)
    return RuleSet((Rule((literal,)),), f"yes {name}", f"no {name}", rules.schema)


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.parse('yes if "\\u0000" > 1 else no'),
        RuleSet.parse('yes if x in {"\\ufffe"} else no'),
        RuleSet.parse('"\\u0001" if x > 1 else no'),
    ],
)
def test_what_xml_cannot_hold_is_refused(rules: RuleSet) -> None:
    with pytest.raises(ParameterError, match="holds a character that XML cannot"):
        pmml.write(rules)


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(ParameterError, match="a column has an empty name"):
        pmml.write(RuleSet.parse('yes if "" > 1 else no'))
    for write in (pmml.write, dmn.write, onnx.write):
        for names in ({"prediction": ""}, {"rule": ""}):
            with pytest.raises(ParameterError, match="prediction and rule must be names, not empty"):
                write(RuleSet.parse("yes if x > 1 else no"), **names)


def test_rules_in_words_are_as_they_are_printed() -> None:
    schema, _ = Schema.learn({"x": [1.0, 2.0, 5.0], "y": [1.0, 2.0, 3.0]})
    rules = RuleSet.parse("yes if x/y > 0.5 else no", schema)
    words = [found.get("value") for found in ElementTree.fromstring(pmml.write(rules)).iter(f"{NS}Extension")]
    assert words == ["x/y > 0.5"] == [rule.text(schema) for rule in rules.rules]


def test_a_column_of_texts_and_numbers_is_refused() -> None:
    with pytest.raises(ParameterError, match="'z' holds text and numbers"):
        pmml.write(RuleSet.parse("yes if z in {a, 1} else no"))


def test_several_classes_and_types_of_labels(java: Any) -> None:
    x = {"x": cells(0.0, 1.5, 2.5, None)}
    for a, b, c in (("a", "b", "c"), (1, 2, 3), (1.0, 2.5, 3.0), (True, "True", 1.5)):
        branches = ((a, parse_rules("x > 2")), (b, parse_rules("x > 1 or x is missing")))
        agrees(java, TypedWorld(ClassRules(branches, c), x))


def parse_rules(text: str) -> tuple[Rule, ...]:
    return RuleSet.parse(f"t if {text} else f").rules


@settings(max_examples=50, deadline=None)
@given(typed_worlds())
def test_the_document_is_well_built(world: TypedWorld) -> None:
    """What the schema of PMML 4.4 asks for, seen without Java."""
    root = ElementTree.fromstring(pmml.write(world.rules))
    model = root.find(f"{NS}RuleSetModel")
    assert [child.tag.removeprefix(NS) for child in root] == ["Header", "DataDictionary", "RuleSetModel"]
    order = ["MiningSchema", "Output", "LocalTransformations", "RuleSet"]
    assert [tag for tag in order if model.find(NS + tag) is not None] == [c.tag.removeprefix(NS) for c in model]
    known = {field.attrib["name"] for tag in ("DataField", "DerivedField") for field in root.iter(NS + tag)}
    for tag in ("FieldRef", "SimplePredicate", "SimpleSetPredicate"):
        assert {each.attrib["field"] for each in root.iter(NS + tag)} <= known
    for compound in root.iter(f"{NS}CompoundPredicate"):
        assert len(compound) >= 2
    for apply in root.iter(f"{NS}Apply"):
        assert len(apply) == 2
    numbers = [float(each.text) for each in root.iter(f"{NS}Constant")]
    literals = [each for each in world.rules.literals if isinstance(each, Halfspace) and len(each.terms) > 1]
    assert set(numbers) <= {-a for each in world.rules.literals if isinstance(each, Halfspace) for _, a in each.terms}
    assert len(list(root.iter(f"{NS}DerivedField"))) <= len(literals) + len(numbers)


def test_labels_beyond_32_bits_are_written_as_text(java: Any) -> None:
    for label in (2**31 - 1, 2**31, 2**60):
        rules = RuleSet.parse(f"{label} if x > 1 else 3")
        labels, _ = run(java, pmml.write(rules), {"x": np.array([0.0, 2.0])})
        assert labels == ([3, label] if label < 2**31 else ["3", str(label)])
