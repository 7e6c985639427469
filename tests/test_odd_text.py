"""Odd text in names, labels and categories: a NUL makes a difference, half of a surrogate pair is no text at all."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from r2n import NetworkSettings, R2NClassifier, RuleSet, load
from r2n.cli.inputs import find_label, labels_of
from r2n.errors import ModelFileError, ParameterError, ParseError, R2NError, SchemaError
from r2n.learn.labels import Labels
from r2n.rules import Baseline, ClassRules, Known, Membership, rename_columns
from r2n.rules.document import from_text
from r2n.rules.modelfile import to_text
from r2n.table import Column, Schema

QUICK: dict[str, Any] = {"effort": "quick", "network": NetworkSettings(epochs=5, restarts=1), "random_state": 0}
NULS = [("a", "a\0"), ("a\0", "a\0\0"), ("a\0b", "a\0c"), ("", "\0")]
HALF, BOTH = "a\ud83d", "\ud83d\ude00"  # one half, and both, which JSON would read back as one character
WORDS = "is not valid Unicode: it holds half of a surrogate pair"

CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "objects": lambda labels: np.array(labels, dtype=object),
    "texts": lambda labels: np.array(labels, dtype=np.dtypes.StringDType()),
    "series": lambda labels: pd.Series(labels, dtype=object),
    "pandas texts": lambda labels: pd.Series(labels, dtype="string"),
    "pandas categories": pd.Categorical,
    "polars": pl.Series,
    "pyarrow": pa.array,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(("first", "second"), NULS)
def test_labels_that_differ_in_a_nul_are_two_classes(first: str, second: str, container: str) -> None:
    labels = Labels.learn(CONTAINERS[container]([second, first, second]), 3)
    assert labels.values == (first, second)
    assert labels.codes.tolist() == [1, 0, 1]


@pytest.mark.parametrize(("first", "second"), NULS[:2])
def test_a_model_of_labels_with_a_nul(first: str, second: str, tmp_path: Path) -> None:
    x = np.arange(40.0)
    y = np.array([first if value < 20 else second for value in x], dtype=object)
    model = R2NClassifier(**QUICK).fit({"x": x}, y)
    assert model.classes_.tolist() == [first, second]
    assert model.predict({"x": x}).tolist() == y.tolist()
    assert model.score({"x": x}, y) == 1.0
    assert model.predict_proba({"x": x}).argmax(axis=1).tolist() == (x >= 20).astype(int).tolist()
    rules = model.rules_
    assert rules.baseline.right == 40
    counted = rules.baseline.of(rules.label, rules.rules[0])
    assert counted is not None
    assert counted[:3] == ((20, 20.0), (20, 20.0), (20, 20.0))
    rules.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == rules == RuleSet.parse(str(rules))
    assert load(tmp_path / "model.json").predict({"x": x}).tolist() == y.tolist()
    assert load(tmp_path / "model.json").predict_proba({"x": x}).tolist() == model.predict_proba({"x": x}).tolist()
    assert find_label(labels_of(rules), json.dumps(second)) == second


def test_rows_of_a_label_with_a_nul_are_counted_as_its_own() -> None:
    rules = RuleSet.parse('"a\\u0000" if x > 1 else a')
    rows, y = {"x": [0.0, 2.0, 3.0]}, ["a", "a\0", "a"]
    assert Baseline.count(rules, rows, y).rules[0][2][:3] == ((2, 2.0), (1, 1.0), (2, 2.0))


@pytest.mark.parametrize(("first", "second"), NULS)
def test_categories_that_differ_in_a_nul_are_two(first: str, second: str) -> None:
    membership = Membership("c", (second,))
    for make in CONTAINERS.values():
        schema, table = Schema.learn({"c": make([second, first, second])})
        assert schema.column("c").categories == (first, second)
        assert membership.evaluate(table).tolist() == [True, False, True]


# -- half of a surrogate pair ------------------------------------------------------------------------

X, Y = {"x": [1.0, 2.0, 3.0, 4.0], "c": ["a", "b", "a", "b"]}, ["no", "no", "yes", "yes"]


@pytest.mark.parametrize("text", [HALF, BOTH])
def test_broken_text_is_refused_before_training(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r2n.estimator.learning.learn_classes", lambda *_: pytest.fail("it trains"))
    fit = R2NClassifier(**QUICK).fit
    with pytest.raises(SchemaError, match=rf"the column's name .* {WORDS}"):
        fit({**X, text: X["x"]}, Y)
    for make in (list, lambda cells: np.array(cells, dtype=object), lambda cells: pd.Series(cells, dtype=object)):
        with pytest.raises(SchemaError, match=rf"column 'c': the text .* in row 2 {WORDS}"):
            fit({**X, "c": make(["a", "b", text, text])}, Y)
        with pytest.raises(SchemaError, match=rf"y holds the label .* in row 1, which {WORDS}"):
            fit(X, make(["no", text, "no", text]))
    with pytest.raises(SchemaError, match=rf"column 'x': the category .* {WORDS}"):
        R2NClassifier(**QUICK, missing_values=[text]).fit(X, Y)


@pytest.mark.parametrize("text", [HALF, BOTH])
def test_broken_text_is_in_no_rule(text: str) -> None:
    for make in (
        lambda: Known(text),
        lambda: Membership(text, ("a",)),
        lambda: Membership("c", ("a", text)),
        lambda: RuleSet((), text, "no"),
        lambda: RuleSet((), "yes", text),
        lambda: ClassRules(((text, ()),), "no"),
        lambda: rename_columns(RuleSet.parse("yes if x > 1 else no"), {"x": text}),
        lambda: RuleSet.parse(f'yes if "{text}" > 1 else no'),
        lambda: RuleSet.parse(f'yes if c in {{"{text}"}} else no'),
        lambda: RuleSet.parse(f'"{text}" if x > 1 else no'),
        lambda: Column(text, "numeric"),
        lambda: Column("c", "categorical", categories=(text,)),
    ):
        with pytest.raises(R2NError, match=WORDS) as caught:
            make()
        assert isinstance(caught.value, ParameterError | ParseError | SchemaError)


def test_half_of_a_pair_in_a_file_is_refused_and_a_whole_pair_is_its_character() -> None:
    plain = to_text(RuleSet.parse("yes if p in {q} else no").with_schema(Schema((Column("p", "categorical"),))))
    for old in ('"p"', '"q"', '"yes"', '"no"'):
        with pytest.raises(ModelFileError, match=WORDS):
            from_text(plain.replace(old, '"\\ud83d"'))
        assert "\U0001f600" in str(from_text(plain.replace(old, '"\\ud83d\\ude00"')))


def test_broken_text_in_new_rows_is_a_category_never_seen() -> None:
    rules = RuleSet.parse("yes if c in {a} else no", Schema.learn(X)[0])
    assert rules.predict({"c": ["a", HALF, BOTH, "b"], HALF: [1, 2, 3, 4]}).tolist() == ["yes", "no", "no", "no"]


# -- messages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ["x", "ü", "語", "\U0001f600"])
def test_no_message_is_longer_than_two_thousand_bytes(letter: str) -> None:
    for error in (
        SchemaError(f"column {letter * 9_000!r} is unknown. Rename it."),
        ParseError(f"{letter * 9_000} is unknown. Rename it.", 1, 5_000, letter * 9_000),
    ):
        message = str(error)
        assert 1_900 < len(message.encode()) <= 2_000
        assert "is unknown. Rename it." in message  # what to do is at the end
        assert str(pickle.loads(pickle.dumps(error))) == message


def test_a_column_among_thousands_that_is_mistyped() -> None:
    schema = Schema(tuple(Column(f"column {k}", "numeric") for k in range(3_000)))
    with pytest.raises(SchemaError) as caught:
        schema.column("colum 17")
    message = str(caught.value)
    assert message.startswith("the schema has no column 'colum 17'. Did you mean 'column 17' or ")
    assert message.endswith("'column 18', 'column 19' and 2980 more.")
