"""The exported ONNX model, run in onnxruntime, says what the rules say."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.export import onnx as export
from r2n.rules import ClassRules, RuleSet, rename_columns
from r2n.table import Schema
from tests.export.laws import law
from tests.export.typed_worlds import Cells, TypedWorld, adult, said, typed_worlds
from tests.strategies import ODD_NAMES

MARKER = "<missing>"


def run(model: bytes, columns: Cells) -> tuple[list[Any], np.ndarray[Any, Any]]:
    """Labels and numbers of rules, as onnxruntime computes them with all its optimisations on."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    assert options.graph_optimization_level == onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    names = json.loads(session.get_modelmeta().custom_metadata_map["r2n.columns"])
    feeds = {put.name: tensor(columns[names[put.name]], put.type) for put in session.get_inputs()}
    labels, numbers = session.run(None, feeds)
    return labels.tolist(), numbers


def tensor(cells: np.ndarray[Any, Any], kind: str) -> np.ndarray[Any, Any]:
    if kind == "tensor(string)":
        return np.array([MARKER if cell is None else cell for cell in cells], dtype=object)[:, None]
    assert kind == "tensor(double)"
    return np.array([np.nan if cell is None else float(cell) for cell in cells])[:, None]


def agrees(world: TypedWorld) -> None:
    model = export.write(world.rules, missing=MARKER)
    onnx.checker.check_model(onnx.load_from_string(model), full_check=True)
    labels, numbers = run(model, world.columns)
    assert_array_equal(numbers, world.first_rule)
    assert labels == said(world.rules, world.columns)


@law(300, world=typed_worlds())
def test_the_model_says_what_the_rules_say(world: TypedWorld) -> None:
    agrees(world)


def test_all_rows_of_adult() -> None:
    agrees(adult())


@pytest.mark.parametrize("name", [name for name in ODD_NAMES if name != "\ud800"], ids=ascii)
def test_any_column_name(name: str) -> None:
    rules = RuleSet.parse("yes if p - 2·column > 0.1 and q in {a} else no")
    columns = {"p": np.array([1.0, 3.0]), "column": np.array([0.5, 1.0]), "q": np.array(["a", "a"], dtype=object)}
    for chosen in ("p", "q", "column"):
        agrees(TypedWorld(rules, columns).renamed({"p": "p", "q": "q", "column": "column"} | {chosen: name}))


@pytest.mark.parametrize("name", ["prediction", "rule", "constant 1", "Where 3", "column 1", "rows"])
def test_names_that_the_graph_has_use_for(name: str) -> None:
    rules = rename_columns(RuleSet.parse("yes if x - 2·y > 0.1 or y is missing else no"), {"x": name, "y": ""})
    agrees(TypedWorld(rules, {name: np.array([1.0, 3.0]), "": np.array([0.5, np.nan])}))


def test_sums_go_from_left_to_right_in_doubles() -> None:
    """Sums that any other order, a fused operation or single precision would get wrong."""
    rng = np.random.default_rng(0)
    columns = {name: rng.normal(size=50_000) for name in ("x1", "x2", "x3", "x4")}
    a = dict(zip(columns, rng.normal(size=4).tolist(), strict=True))
    total = np.zeros(50_000)
    for name, cells in columns.items():
        total = a[name] * cells if name == "x1" else total + a[name] * cells
    terms = " + ".join(f"{value!r}·{name}" for name, value in a.items()).replace("+ -", "- ")
    for threshold in np.quantile(total, [0.2, 0.5, 0.7], method="nearest").tolist():
        for bound in (threshold, float(np.nextafter(threshold, -9))):
            world = TypedWorld(RuleSet.parse(f"yes if {terms} > {bound!r} else no"), columns)
            agrees(world)
            assert world.first_rule.sum() == int((total > bound).sum())


def test_no_rows_and_a_block_of_rows_of_any_length() -> None:
    rules = RuleSet.parse("yes if x > 1 and z not in {a} or true else no")
    for n in (1, 3):
        agrees(TypedWorld(rules, {"x": np.ones(n), "z": np.array(["a"] * n, dtype=object)}))
    labels, numbers = run(export.write(rules, missing=MARKER), {"x": np.ones(0), "z": np.array([], dtype=object)})
    assert labels == []
    assert numbers.shape == (0,)


def test_rules_that_read_nothing_need_a_schema() -> None:
    with pytest.raises(ParameterError, match=r"read no column.*with_schema"):
        export.write(RuleSet.parse("yes if true else no"))
    for cells in ([1.0, 2.0], ["a", "b"]):
        schema, _ = Schema.learn({"x": cells})
        agrees(TypedWorld(RuleSet.parse("yes if true else no").with_schema(schema), {"x": np.array(cells, object)}))


def test_the_missing_marker_must_not_be_a_category() -> None:
    rules = RuleSet.parse('yes if z in {"", a} else no')
    with pytest.raises(ParameterError, match=r"'' marks missing texts, but is a category of column 'z'"):
        export.write(rules)
    agrees(TypedWorld(rules, {"z": np.array(["", "a", "b", None], dtype=object)}))
    schema, _ = Schema.learn({"z": ["", "b"]})
    with pytest.raises(ParameterError, match="marks missing texts"):
        export.write(RuleSet.parse("yes if z in {b} else no").with_schema(schema))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("yes if z in {a, 1} else no", "'z' holds text and numbers"),
        (f"yes if z in {{{2**53 + 1}}} else no", "has too many digits"),
    ],
)
def test_what_onnx_cannot_say_is_refused(text: str, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        export.write(RuleSet.parse(text))


def test_several_classes_and_types_of_labels() -> None:
    x = {"x": np.array([0.0, 1.5, 2.5, np.nan])}
    high, low = (RuleSet.parse(f"t if {text} else f").rules for text in ("x > 2", "x > 1 or x is missing"))
    for a, b, c in (("a", "b", "c"), (1, 2, 3), (1.0, 2.5, 3.0), (True, "True", 1.5), (1, 2**70, 3)):
        agrees(TypedWorld(ClassRules(((a, high), (b, low)), c), x))


def test_the_file_says_what_it_is_and_is_the_same_every_time() -> None:
    rules = RuleSet.parse("yes if x > 1 else no")
    model = onnx.load_from_string(export.write(rules))
    assert model.doc_string == str(rules)
    assert {entry.domain: entry.version for entry in model.opset_import} == {"": 17, "ai.onnx.ml": 3}
    code = "import sys; from r2n.export import onnx; from r2n.rules import RuleSet; sys.stdout.buffer.write("
    code += "onnx.write(RuleSet.parse('yes if x > 1 else no')))"
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout
    assert again == export.write(rules)
