"""ONNX: a graph over one tensor for each column, float64 throughout.

Inputs have the shape [rows, 1]. Numbers are doubles, NaN where missing; Booleans are doubles too, 1 and 0; texts are
strings, where a marker (the empty text, unless another is given) stands for a missing one. The outputs are the label of
each row, and the number of the rule that gave it, 0 for the default.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import reduce
from typing import Any

import numpy as np

from r2n.errors import ParameterError
from r2n.export._plain import Addend, addends
from r2n.export._typed import Field, Typed, assign_types, free_name, output_names
from r2n.export._types import keep_of_type
from r2n.rules import ClassRules, Filled, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet, sets_of
from r2n.table import Value
from r2n.table.cells import shown

SUFFIX = ".onnx"
HELP = {
    "missing": "the text that stands for a missing one",
    "prediction": "the name of the output that is the label",
    "rule": "the name of the output that is the rule's number",
}

OPSET, ML_OPSET, IR_VERSION = 17, 3, 8  # old enough for every runtime since 2023

_LABELS = {"text": object, "mixed": object, "boolean": np.bool_, "integer": np.int64, "number": np.float64}


def write(
    rules: RuleSet | ClassRules, *, missing: str = "", prediction: str = "prediction", rule: str = "rule"
) -> bytes:
    """A model whose inputs are called as the columns, or `column 1` … where the name is empty.

    The metadata `r2n.columns` say in JSON which input is which column. `missing` marks a missing text.
    """
    found = assign_types(rules, keeps_sums=True)
    _check_texts(rules, found, missing)
    inputs = _inputs(rules, found)
    prediction, rule = output_names(prediction, rule, set(inputs))
    graph = _Graph({*inputs, prediction, rule})
    number = _first_rule(graph, found, inputs, missing)
    graph.add("Reshape", number, graph.constant(np.array([-1])), to=rule)
    labels = _labels(found, rules.n_rules)
    graph.add("Gather", graph.constant(labels), rule, to=prediction)
    return graph.model(inputs, {prediction: labels.dtype, rule: np.dtype(np.int64)}, str(rules))


def _labels(found: Typed, n_rules: int) -> np.ndarray[Any, Any]:
    """Look the label up by the rule's number; a rule that can never be true is never asked for."""
    labels: list[Value] = [found.default] * (n_rules + 1)
    for case in found.cases:
        labels[case.number] = case.label
    return np.array(labels, dtype=_LABELS[found.label_type])


def _inputs(rules: RuleSet | ClassRules, found: Typed) -> dict[str, Field]:
    """Declare what is read, by the name of its input. The number of rows is known from it, so there is at least one."""
    fields = list(found.fields.values())
    if not fields and rules.schema is not None and rules.schema.columns:
        names = (*rules.schema.numeric, *rules.schema.names)  # numbers, if there are any
        fields = [Field(names[0], "number" if rules.schema.numeric else "text")]
    if not fields:
        raise ParameterError(
            "these rules read no column, and an ONNX model knows the number of rows only from its inputs. "
            "Give the rules their schema: rules.with_schema(…)."
        )
    taken = {field.name for field in fields}  # of which one may be empty, which ONNX has no place for
    return {field.name or free_name(f"column {k}", taken): field for k, field in enumerate(fields, start=1)}


def _check_texts(rules: RuleSet | ClassRules, found: Typed, missing: str) -> None:
    """Refuse a marker of missing values that is a category itself."""
    sets = [one for literal in rules.literals for one in sets_of(literal)]
    named = [(m.column, value) for m in sets for value in m.values]
    seen = [(c.name, value) for c in (rules.schema.columns if rules.schema else ()) for value in c.categories]
    for column, value in named + seen:
        if value == missing and column in found.fields and found.fields[column].type == "text":
            raise ParameterError(
                f"{shown(missing)} marks missing texts, but is a category of column {shown(column)}. "
                f"Give another marker, such as missing='<missing>'."
            )


# -- rules ------------------------------------------------------------------------------------------


def _first_rule(graph: _Graph, found: Typed, inputs: Mapping[str, Field], missing: str) -> str:
    """Find the number of the first rule that is true, 0 if none is: asked from the last to the first."""
    columns = {field.name: _Column(graph, name, field, missing) for name, field in inputs.items()}
    literals = dict.fromkeys(literal for case in found.cases for literal in case.rule.literals)
    truth = {literal: _truth(graph, literal, columns) for literal in literals}
    number = graph.add("ConstantOfShape", graph.add("Shape", next(iter(inputs))), value=graph.tensor(np.array([0])))
    for case in reversed(found.cases):
        number = graph.add("Where", _all(graph, case.rule, truth), graph.constant(np.array([case.number])), number)
    return number


def _all(graph: _Graph, rule: Rule, truth: Mapping[Literal, str]) -> str:
    if not rule.literals:
        return graph.constant(np.array([True]))
    return reduce(lambda p, q: graph.add("And", p, q), (truth[literal] for literal in rule.literals))


def _truth(graph: _Graph, literal: Literal, columns: Mapping[str, _Column]) -> str:
    match literal:
        case Halfspace(_, threshold):
            # A node for each operation, in order, so that the sum is ours to the last bit.
            products = (_product(graph, _write_counted(key, columns), a) for key, a in addends(literal.terms))
            total = reduce(lambda p, q: graph.add("Add", p, q), products)
            return graph.add("Greater", total, graph.constant(np.array([threshold])))
        case Membership(column, values, negated):
            return columns[column].is_in(values, negated)
        case Missing(column):
            return columns[column].is_missing()
        case Known(column):
            return graph.add("Not", columns[column].is_missing())


def _write_counted(key: Addend, columns: Mapping[str, _Column]) -> str:
    match key:
        case str():
            return columns[key].values
        case Filled(column, fill):
            return columns[column].filled(fill)
        case Missing(column):
            return columns[column].gaps()
        case Membership(column):
            return columns[column].counted(key)


def _product(graph: _Graph, values: str, a: float) -> str:
    return values if a == 1.0 else graph.add("Mul", graph.constant(np.array([a])), values)


class _Column:
    """A column in the graph; numbers that stand for a missing value are NaN from here on."""

    def __init__(self, graph: _Graph, name: str, field: Field, missing: str) -> None:
        self.graph = graph
        self.field = field
        self.is_text = field.type == "text"
        self.missing: list[Value] = [missing, *field.codes] if self.is_text else []
        self.values = name
        if field.codes and not self.is_text:
            self.values = graph.add("Where", self._is_any(field.codes), graph.constant(np.array([np.nan])), name)

    def is_missing(self) -> str:
        if self.is_text:
            return self._look_up(dict.fromkeys(self.missing, 1), default=0)
        return self.graph.add("IsNaN", self.values)

    def is_in(self, values: Collection[Value], negated: bool) -> str:
        if self.is_text:
            truth = dict.fromkeys(values, int(not negated)) | dict.fromkeys(self.missing, 0)
            return self._look_up(truth, default=int(negated))
        found = self._is_any(values)
        # NaN equals nothing, so a missing value is in no set; it must not be outside of one either.
        return self.graph.add("Not", self.graph.add("Or", found, self.is_missing())) if negated else found

    def filled(self, fill: float) -> str:
        """Read the number, and this one where it is missing."""
        return self.graph.add("Where", self.is_missing(), self.graph.constant(np.array([fill])), self.values)

    def gaps(self) -> str:
        """1 where the column is missing, else 0."""
        return self.graph.add("Cast", self.is_missing(), to_type=np.float64)

    def counted(self, one: Membership) -> str:
        """1 where the set holds, 0 where it does not, NaN where the column is missing."""
        found = self.is_in(keep_of_type(one.values, self.field.type, self.field.name), one.negated)
        truth = self.graph.add("Cast", found, to_type=np.float64)
        return self.graph.add("Where", self.is_missing(), self.graph.constant(np.array([np.nan])), truth)

    def _is_any(self, values: Collection[Value]) -> str:
        """Test whether a number equals one of these: rows × numbers, then over the numbers."""
        if not values:
            return self.graph.constant(np.array([False]))
        numbers = self.graph.constant(np.array([[float(value) for value in values]]))
        equal = self.graph.add("Cast", self.graph.add("Equal", self.values, numbers), to_type=np.int32)
        return self.graph.add("Cast", self.graph.add("ReduceMax", equal, axes=[1], keepdims=1), to_type=np.bool_)

    def _look_up(self, truth: Mapping[Value, int], default: int) -> str:
        code = self.graph.add("LabelEncoder", self.values, domain="ai.onnx.ml", keys_strings=list(truth),
                              values_int64s=list(truth.values()), default_int64=default)  # fmt: skip
        return self.graph.add("Cast", code, to_type=np.bool_)


# -- the graph --------------------------------------------------------------------------------------


class _Graph:
    """Nodes and constants as they are made, each under a name of its own."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = set(taken)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def add(self, operator: str, *inputs: str, to: str = "", to_type: Any = None, **attributes: Any) -> str:
        """Add a node, and return the name of its output."""
        from onnx import helper

        if to_type is not None:
            attributes["to"] = helper.np_dtype_to_tensor_dtype(np.dtype(to_type))
        made = to or self._name(operator)
        self._nodes.append(helper.make_node(operator, list(inputs), [made], **attributes))
        return made

    def constant(self, array: np.ndarray[Any, Any]) -> str:
        """Add a constant, and return its name."""
        self._constants.append(self.tensor(array, self._name("constant")))
        return str(self._constants[-1].name)

    def tensor(self, array: np.ndarray[Any, Any], name: str = "") -> Any:
        """Turn an array into ONNX's."""
        from onnx import numpy_helper

        return numpy_helper.from_array(array, name)

    def _name(self, wanted: str) -> str:
        name = f"{wanted} {len(self._nodes) + len(self._constants)}"
        while name in self._taken:
            name += "'"
        self._taken.add(name)
        return name

    def model(self, inputs: Mapping[str, Field], outputs: Mapping[str, np.dtype[Any]], words: str) -> bytes:
        """Return the whole, as bytes."""
        from onnx import helper

        types = {name: np.dtype(object if field.type == "text" else float) for name, field in inputs.items()}
        ins = [_value(name, types[name], ["rows", 1]) for name in inputs]
        outs = [_value(name, dtype, ["rows"]) for name, dtype in outputs.items()]
        graph = helper.make_graph(self._nodes, "rules", ins, outs, self._constants)
        opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=IR_VERSION, producer_name="r2n")
        model.doc_string = words
        helper.set_model_props(model, {"r2n.columns": json.dumps({name: f.name for name, f in inputs.items()})})
        return bytes(model.SerializeToString(deterministic=True))


def _value(name: str, dtype: np.dtype[Any], shape: list[str | int]) -> Any:
    from onnx import TensorProto, helper

    kind = TensorProto.STRING if dtype.kind == "O" else helper.np_dtype_to_tensor_dtype(dtype)
    return helper.make_tensor_value_info(name, kind, shape)
