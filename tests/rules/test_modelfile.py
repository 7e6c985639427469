"""Model files: exact, whole or not at all, and strict in reading."""

from __future__ import annotations

import json
import os
import pickle
import random
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given

from r2n.errors import ModelFileError, OutputError, ParseError
from r2n.rules import Baseline, ClassRules, Halfspace, Known, Membership, Missing, Rule, RuleSet, limits, modelfile
from r2n.rules.document import from_text
from r2n.rules.modelfile import load, save, to_text
from r2n.table import Column, Schema
from tests.strategies import World, class_worlds, level_worlds, worlds

RULES = RuleSet(
    (
        Rule((Halfspace.of({"income": 1, "debt": -0.1}, 0.30000000000000004), Missing("z"))),
        Rule((Membership("z", ("a", 1, 2.5, True), negated=True), Known("smile \U0001f600"))),
    ),
    "yes",
    "no",
)
# Sets in a sum.
FILL = {"kind": "filled", "column": "x", "fill": 3.5}
FILLED = RuleSet.parse('yes if y - 2·("x (2)" if known else -0.1) > 3 or (x if known else 1e22) > 1 else no')
COUNTED = RuleSet.parse('yes if x + 2·("z (2)" not in {a, 1}) - 0.1·(w in {True}) > 3 or x > 1 else no')


def training(**fields: object) -> dict[str, object]:
    return {"rows": 3, "weight": 3.0, "rules": [None, None], "decided": None} | fields


def document() -> dict[str, Any]:
    return json.loads(to_text(RULES))


def test_the_format_is_documented_by_example(tmp_path: Path) -> None:
    save(RuleSet.parse("yes if x0 > 0.1 and z not in {a, 1} or x0 is missing else no"), tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text(encoding="utf-8")) == {
        "format": "r2n rule set",
        "version": 1,
        "label": "yes",
        "default": "no",
        "rules": [
            [{"kind": "missing", "column": "x0"}],
            [
                {"kind": "halfspace", "terms": [["x0", 1.0]], "threshold": 0.1},
                {"kind": "membership", "column": "z", "values": [1, "a"], "negated": True},
            ],
        ],
        "columns": None,
        "training": None,
    }


def test_sets_in_sums_are_documented_by_example(tmp_path: Path) -> None:
    rules = RuleSet.parse("yes if income + 2000·(status not in {a, 1}) > 7100 else no")
    rules.save(tmp_path / "m.json")
    saved = json.loads((tmp_path / "m.json").read_text(encoding="utf-8"))
    assert saved["rules"] == [
        [
            {
                "kind": "halfspace",
                "terms": [
                    ["income", 1.0],
                    [{"kind": "membership", "column": "status", "values": [1, "a"], "negated": True}, 2000.0],
                ],
                "threshold": 7100.0,
            }
        ]
    ]
    assert load(tmp_path / "m.json") == rules
    chain = ClassRules.parse("a if x > 1 else b if x + 2·(z in {a}) > 3 else c")
    assert from_text(to_text(chain)) == chain


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    for rules in (RULES, COUNTED, FILLED):
        rules.save(tmp_path / "model.json")
        assert load(tmp_path / "model.json") == rules
        assert load(str(tmp_path / "model.json")) == rules


def test_the_schema_is_saved_too(tmp_path: Path) -> None:
    schema, _ = Schema.learn({"p": [1, 2], "q": [0.1, None], "z": ["a", None]})
    RuleSet.parse("yes if p/q > 0.5 else no").with_schema(schema).save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.schema == schema.keep(["p", "q"])
    assert loaded.schema.columns[:2] == schema.columns[:2]
    assert str(loaded) == "yes if p/q > 0.5\nelse no"


SECRETS = {
    "age": [31, 58, 44, None],
    "region": ["north", "west", None, "west"],
    "mail": ["ann@secret", "bob@secret", None, "cy@secret"],
    "account": [987654.321, 2.5, 1.5, 0.5],
    "code": [70001, 70002, 70003, None],
    "paid": [True, False, True, None],
}


def learned(text: str) -> RuleSet | ClassRules:
    schema, _ = Schema.learn(SECRETS, categorical=["code"], missing_values={"mail": ["?"], "region": ["?"]})
    return RuleSet.parse(text, schema) if text.startswith("yes") else ClassRules.parse(text, schema)


@pytest.mark.parametrize(
    "text", ["yes if age > 40 and region in {west} else no", "a if age > 40 else b if age < 9 else c"]
)
@pytest.mark.parametrize("kept", [to_text, lambda rules: repr(pickle.loads(pickle.dumps(rules)).schema)])
def test_only_columns_that_are_read_leave_what_they_held(text: str, kept: Callable[[Any], str]) -> None:
    said = kept(learned(text))
    assert not [secret for secret in ("secret", "987654.321", "70001", "70003") if secret in said]
    assert "58.0" in said  # the range of a column that is read
    assert ("north" in said) == ("region" in text)
    assert all(name in said for name in SECRETS)  # by which columns of an array have their places


def test_rules_that_ask_whether_a_column_is_missing_keep_that_alone() -> None:
    text = "yes if mail is missing or code is known and account is known and paid is missing else no"
    rules = from_text(to_text(learned(text)))
    found = {column.name: column for column in rules.schema.columns}
    assert found["mail"] == Column("mail", "categorical", missing=True, missing_values=("?",))
    assert found["code"] == Column("code", "numeric", missing=True)  # of which exports know the type
    assert found["account"] == Column("account", "numeric", missing=False)
    assert found["paid"].categories == (False, True)
    assert found["age"] == Column("age", "numeric", missing=True)
    for X in (SECRETS, {**SECRETS, "mail": ["?", "new", "x", ""]}):
        assert np.array_equal(rules.predict(X), learned(text).predict(X))


def test_a_rule_that_is_taken_out_leaves_nothing() -> None:
    rules = learned("yes if age > 40 or region in {west} else no")
    rules = rules.with_baseline(Baseline.count(rules, SECRETS, ["yes"] * 4)).without(2)
    assert "west" not in to_text(rules)
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert "west" not in repr((again.schema, again.baseline))
    assert len(again.baseline.rules) == 1


def test_a_file_that_says_more_is_read_and_forgets_it() -> None:
    doc = json.loads(to_text(learned("yes if age > 40 else no")))
    schema = learned("yes if age > 40 else no").schema
    read = from_text(json.dumps(doc | {"columns": schema.to_json()}))
    assert read.schema == schema.keep(["age"])
    assert isinstance(read, RuleSet)
    assert read.with_rule("mail = anyone").columns == ("age", "mail")  # nothing is known of it, so nothing refused
    with pytest.raises(ParseError, match="nothing is known of the range of column 'account'"):
        read.with_rule("age/account > 3")


# -- writing ----------------------------------------------------------------------------------------


def test_saving_replaces_the_old_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")
    RULES.save(path)
    assert load(path) == RULES
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_failure_keeps_the_old_file_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "model.json"
    path.write_text("old")

    def full_disk(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        RULES.save(path)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["model.json"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")
    RULES.save(tmp_path / "link.json")
    assert (tmp_path / "link.json").is_symlink()
    assert load(tmp_path / "real.json") == RULES


def test_the_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    RULES.save(tmp_path / "model.json")
    modes = {stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("usual", "model.json")}
    assert len(modes) == 1


def test_folders_are_no_files(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        RULES.save(tmp_path)
    with pytest.raises(FileNotFoundError):
        RULES.save(tmp_path / "nowhere" / "model.json")
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "nothing.json")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)
    assert os.listdir(tmp_path) == []


# -- reading, strictly ------------------------------------------------------------------------------

SET = {"kind": "membership", "column": "z", "values": ["a"], "negated": False}


def assert_refused(tmp_path: Path, content: str | bytes, message: str) -> None:
    path = tmp_path / "model.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode("utf-8"))
    with pytest.raises(ModelFileError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: ")
    assert message in str(error.value)


def test_half_written_files_are_refused_wherever_they_end(tmp_path: Path) -> None:
    text = to_text(RULES).rstrip()
    for end in range(0, len(text), 7):
        assert_refused(tmp_path, text[:end], "The file may be half-written; save the rules again.")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "not a text in UTF-8. Give a file written by RuleSet.save."),
        ("[]", "not an r2n rule set. Give a file written by RuleSet.save."),
        ("{}", "not an r2n rule set. Give a file written by RuleSet.save."),
        ('"r2n rule set"', "not an r2n rule set."),
        ("[" * 100_000, "nested too deeply to be a rule set."),
        ('{"a": ' * 100_000, "nested too deeply to be a rule set."),
        ('{"a": NaN}', "holds NaN, but every number of a rule must be finite."),
        ('{"a": -Infinity}', "holds -Infinity, but every number of a rule must be finite."),
        ('{"a": 1, "a": 2}', "a field is given twice."),
        ('{"a": ' + "9" * 5000 + "}", "not a rule set: "),
    ],
    ids=lambda text: str(text[:20]),
)
def test_other_files_are_refused(tmp_path: Path, content: str | bytes, message: str) -> None:
    assert_refused(tmp_path, content, message)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 4}, "has version 4 of the format, but this r2n reads version 1 alone. Fit the rules again with"),
        ({"version": 0}, "has version 0 of the format, but this r2n reads version 1 alone. Fit the rules again with"),
        ({"version": 10**400}, "has version of about 400 digits of the format"),
        ({"version": True}, "has version True of the format"),
        ({"version": 1.0}, "has version 1.0 of the format"),
        ({"extra": 1}, "a rule set must have exactly the fields"),
        ({"rules": {}}, "rules must be a list of lists of literals."),
        ({"rules": [1]}, "rules must be a list of lists of literals."),
        ({"rules": [[1]]}, "a literal must be an object, not 1."),
        ({"label": "no"}, "the label and the default are both 'no'. Give two that differ."),
        ({"label": None}, "a category or label must be text, a number or a Boolean, not None."),
        ({"label": [1]}, "a category or label must be text, a number or a Boolean, not [1]."),
        ({"columns": {}}, "columns must be a list, not dict."),
        ({"columns": []}, "the schema has no column 'debt'."),
        ({"columns": [{"name": "x"}]}, "a column must be an object with exactly"),
        ({"training": []}, "training must be an object or null, not []."),
        ({"training": {"rows": 3}}, "training must have exactly the fields"),
        ({"training": training(rules=[None])}, "counts, or null, for each of the 2 rules."),
        ({"training": training(rules=[None, [[4, 4.0], [0, 0.0], None]])}, "a whole number from 0 to 3, not 4."),
        ({"training": training(rules=[None, [[2, 2.0], [3, 3.0], None]])}, "a whole number from 0 to 2, not 3."),
        ({"training": training(rules=[None, [[2, 2.0], [2, 2.5], None]])}, "cannot weigh 2.5, if all weigh 2.0."),
        ({"training": training(rules=[None, [[2, 2.0], [2, 2.0], [3, 3.0]]])}, "a whole number from 0 to 2, not 3."),
        ({"training": training(rules=[None, [[2, 2.0], [2, 2.0]]])}, "the counts of a rule must be three pairs"),
        ({"training": training(rules=[None, [2, 2, 2]])}, "a count must be a number of rows and their weight, not 2."),
        ({"training": training(rules=[[[0, 0.0]] * 2 + [None]] * 2, decided=[[[0, 0.0]] * 2] * 2)}, "covers alone."),
        ({"training": training(rows=3.0)}, "a count must be a whole number"),
        ({"training": training(rows=True)}, "a count must be a whole number"),
        ({"training": training(rows=10**400)}, "not of about 400 digits."),
        ({"training": training(weight=-1.0)}, "3 rows cannot weigh -1.0"),
        ({"training": training(weight=1e101)}, "3 rows cannot weigh 1e+101"),
        ({"training": training(weight="3")}, "a number was expected, not '3'."),
        ({"training": training(rows=0)}, "0 rows cannot weigh 3.0"),
        ({"training": training(decided=3)}, "decided must have a pair for each of the 2 classes, for each of the 1"),
        ({"training": training(decided=[[[1, 1.0]] * 2])}, "decided must have a pair for each of the 2 classes"),
        ({"training": training(decided=[[[1, 1.0]] * 3] * 2)}, "decided must have a pair for each of the 2 classes"),
        ({"training": training(decided=[[[1, 1.0]] * 2] * 2)}, "the rules decide more than all 3 rows."),
        ({"training": training(decided=[[[1, 0.5]] * 2] * 2)}, "the rules decide more than all 3 rows."),
        ({"training": training(decided=[[[0, 1.0]] * 2] * 2)}, "0 rows cannot weigh 1.0"),
        ({f"field {k}": k for k in range(100_000)}, "…."),
        ({"label": "a" * 10_000_000, "rules": [["b" * 10_000_000]]}, "a literal must be an object, not 'bbb"),
    ],
)  # fmt: skip
def test_odd_documents_are_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    assert_refused(tmp_path, json.dumps(document() | changes), message)


@pytest.mark.parametrize(
    ("literal", "message"),
    [
        ({"kind": "lambda"}, "a literal has the unknown kind 'lambda'; known are"),
        ({"kind": ["x"]}, "a literal has the unknown kind ['x']; known are"),
        ({}, "a literal has the unknown kind None; known are"),
        ({"kind": "missing"}, "a literal of kind 'missing' must have exactly the fields"),
        ({"kind": "known", "column": 3}, "a column's name must be text, not 3."),
        ({"kind": "halfspace", "terms": [["x", True]], "threshold": 0}, "a number was expected, not True."),
        ({"kind": "halfspace", "terms": [["x", 1]], "threshold": "0"}, "a number was expected, not '0'."),
        ({"kind": "halfspace", "terms": [["x", 10**400]], "threshold": 0}, "a number is too large for a float."),
        ({"kind": "halfspace", "terms": [["x"]], "threshold": 0}, "a term of a halfspace must be a column and"),
        ({"kind": "halfspace", "terms": "x", "threshold": 0}, "the terms of a halfspace must be a list, not 'x'."),
        ({"kind": "halfspace", "terms": [], "threshold": 0}, "a halfspace needs at least one column"),
        ({"kind": "halfspace", "terms": [["x", 1], ["x", 1]], "threshold": 0}, "column 'x' comes twice"),
        ({"kind": "halfspace", "terms": [[SET | {"kind": "known"}, 1]], "threshold": 0}, "name must be text, not {"),
        ({"kind": "halfspace", "terms": [[SET | {"more": 1}, 1]], "threshold": 0}, "'membership' must have exactly"),
        ({"kind": "halfspace", "terms": [[SET | {"column": 3}, 1]], "threshold": 0}, "name must be text, not 3."),
        ({"kind": "halfspace", "terms": [[SET | {"values": []}, 1]], "threshold": 0}, "is empty"),
        ({"kind": "halfspace", "terms": [[SET, None]], "threshold": 0}, "a number was expected, not None."),
        ({"kind": "halfspace", "terms": [[SET, 1e101]], "threshold": 0}, "must be from -1e+100 to 1e+100, not 1e+101."),
        ({"kind": "halfspace", "terms": [[SET, 1], [SET, 1]], "threshold": 0}, "the set `z in {a}` comes twice"),
        ({"kind": "membership", "column": "z", "values": "a", "negated": False}, "values must be a list"),
        ({"kind": "membership", "column": "z", "values": ["a"], "negated": 0}, "negated true or false"),
        ({"kind": "membership", "column": "z", "values": [], "negated": False}, "is empty"),
        ({"kind": "membership", "column": "z", "values": [None], "negated": False}, "not None."),
    ],
)  # fmt: skip
def test_odd_literals_are_refused(tmp_path: Path, literal: dict[str, Any], message: str) -> None:
    assert_refused(tmp_path, json.dumps(document() | {"rules": [[literal]]}), message)


def test_numbers_that_overflow_are_refused(tmp_path: Path) -> None:
    assert_refused(tmp_path, to_text(RULES).replace("0.30000000000000004", "1e999"), "too large for a float")


def test_columns_are_read_strictly(tmp_path: Path) -> None:
    schema, _ = Schema.learn({"x": [1.0, 2.0], "z": ["a", None]})
    good = json.loads(to_text(RuleSet.parse("yes if x > 1 and z in {a} else no").with_schema(schema)))
    for changes, message in [
        ({"low": 3.0}, "low is 3.0, above high, which is 2.0."),
        ({"low": "0"}, "low must be a finite number or null, not '0'."),
        ({"high": 10**400}, "high must be a finite number or null, not of about 400 digits."),
        ({"kind": "code"}, "be numeric or categorical"),
        ({"kind": ["numeric"]}, "be numeric or categorical"),
        ({"name": 3}, "a column must have a name"),
        ({"missing": 1}, "must be true or false"),
        ({"integer": 0}, "must be true or false"),
        ({"categories": "ab"}, "lists"),
        ({"categories": [None]}, "a category must be text, a number or a Boolean, not None."),
        ({"categories": [[1]]}, "a category must be text, a number or a Boolean, not [1]."),
        ({"name": "z"}, "column names are repeated"),
        ({"more": 1}, "a column must be an object with exactly"),
    ]:
        columns = [good["columns"][0] | changes, good["columns"][1]]
        assert_refused(tmp_path, json.dumps(good | {"columns": columns}), message)


@pytest.mark.parametrize("rules", [RULES, COUNTED, FILLED])
def test_any_byte_changed_is_read_or_refused_but_never_breaks(tmp_path: Path, rules: RuleSet) -> None:
    """What is read after a change is a rule set; everything else is a ModelFileError."""
    path = tmp_path / "model.json"
    text, rng = to_text(rules).encode(), random.Random(0)
    outcomes = set()
    for _ in range(1500):
        broken = bytearray(text)
        for _ in range(rng.randint(1, 3)):
            place = rng.randrange(len(broken))
            match rng.randint(0, 2):
                case 0:
                    broken[place] = rng.randrange(256)
                case 1:
                    del broken[place : place + rng.randint(1, 20)]
                case 2:
                    broken[place:place] = broken[rng.randrange(len(broken)) :][: rng.randint(1, 20)]
        path.write_bytes(broken)
        try:
            outcomes.add(type(load(path)))
        except ModelFileError as error:
            assert len(str(error)) < 2000  # noqa: PT017 - which error it is, is the point
            outcomes.add(ModelFileError)
    assert outcomes == {RuleSet, ModelFileError}


def test_deep_nesting_where_a_value_belongs(tmp_path: Path) -> None:
    for depth in (50, 300, 900, 990, 5000, 200_000):
        nested = "[" * depth + "]" * depth
        for field in ('"label": "yes"', '"columns": null', '"training": null'):
            name = field.partition(":")[0]
            assert_refused(tmp_path, to_text(RULES).replace(field, f"{name}: {nested}"), "")


def test_files_without_end_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"/dev/zero: larger than 67,108,864 bytes\. Give a file written by"):
        load("/dev/zero")
    monkeypatch.setattr(limits, "MOST_BYTES", 100)
    with pytest.raises(ModelFileError, match=r"bytes, but only 100 are read back\. Leave out columns with many"):
        RULES.save(tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(
    "name", ["__import__('os').system('touch x')", "${x}", "{{7*7}}", "x; drop table y", "../../x"]
)
def test_code_in_names_stays_text(tmp_path: Path, name: str) -> None:
    rules = RuleSet((Rule((Membership(name, (name,)), Halfspace.of({name + "!": 1}, 0))),), name, "no")
    rules.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again == rules
    assert RuleSet.parse(str(again)) == rules
    assert again.predict({name: [name], name + "!": [1]}).tolist() == [name]
    assert os.listdir(tmp_path) == ["m.json"]


# -- versions, training counts, the documented schema ------------------------------------------------


@pytest.mark.parametrize("version", [1, 2, 3, 4])
def test_files_of_earlier_revisions_are_refused_with_advice(tmp_path: Path, version: int) -> None:
    old = document() | {"version": version, "training": {"rows": 3, "right": 2, "rules": [None, None]}}
    if version == 1:
        del old["training"]
    assert_refused(tmp_path, json.dumps(old), "Fit the rules again with this r2n")


def test_a_column_says_whether_it_was_whole(tmp_path: Path) -> None:
    schema, _ = Schema.learn({"x": [1.0, 2.0]})
    new = json.loads(to_text(RuleSet.parse("yes if x > 1 else no").with_schema(schema)))
    (column,) = new["columns"]
    without = {field: value for field, value in column.items() if field != "integer"}
    expected = "a column must be an object with exactly ['categories', 'high', 'integer', 'kind', 'low', 'missing'"
    assert_refused(tmp_path, json.dumps(new | {"columns": [without]}), expected)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(new | {"columns": [without]}, SCHEMA)


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "m.json").write_text(to_text(RULES), encoding="utf-8-sig")
    assert load(tmp_path / "m.json") == RULES


X, Y = {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}, ["no", "yes", "yes", "no"]


@pytest.mark.parametrize(
    "rules",
    [
        RuleSet.parse("yes if z in {a} or x > 3 else no"),
        ClassRules.parse("no if x < 2 or z in {a} and x < 3 else yes if x > 3 else no"),
    ],
)
def test_training_counts_are_saved(tmp_path: Path, rules: RuleSet | ClassRules) -> None:
    counted = rules.with_baseline(Baseline.count(rules, X, Y))
    counted.save(tmp_path / "m.json")
    again = load(tmp_path / "m.json")
    assert again.baseline == counted.baseline
    assert again.baseline is not None
    assert (again.baseline.rows, again.baseline.right) == (4, np.sum(rules.predict(X) == np.array(Y)))
    np.testing.assert_array_equal(again.predict_proba(X), counted.predict_proba(X))
    for label, rule, count in again.baseline.rules:
        fired = rule.evaluate(rules.table(X))
        assert (count.covered.rows, count.positives.rows) == (fired.sum(), np.sum(np.array(Y)[fired] == label))


def test_a_new_rule_has_no_training_counts_and_the_others_keep_theirs(tmp_path: Path) -> None:
    rules = RuleSet.parse("yes if z in {a} or x > 3 else no")
    rules = rules.with_baseline(Baseline.count(rules, X, Y)).without(2).with_rule("x > 4")
    rules.save(tmp_path / "m.json")
    saved = json.loads((tmp_path / "m.json").read_text())
    assert saved["training"] == {
        "rows": 4,
        "weight": 4.0,
        "rules": [[[2, 2.0], [2, 2.0], None], None],
        "decided": None,
    }
    jsonschema.validate(saved, SCHEMA)
    assert load(tmp_path / "m.json").baseline == Baseline(
        4,
        4.0,
        tuple((label, rule, n._replace(alone=None)) for label, rule, n in rules.baseline.rules if rule in rules.rules),
        None,
    )


def shuffled(doc: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    """The same file with its rules, and their counts, in another order; some twice, some without counts."""
    owners, counts = [], iter(doc["training"]["rules"])
    parts = doc.get("classes", [doc])
    for part in parts:
        own = [(rule, next(counts)) for rule in part["rules"]]
        own += [(rule, rng.choice([count, None])) for rule, count in own if rng.random() < 0.5]
        own = [(rule, None if rng.random() < 0.1 else count) for rule, count in own]
        rng.shuffle(own)
        part["rules"] = [rule for rule, _ in own]
        owners += own
    doc["training"]["rules"] = [count for _, count in owners]
    return doc


@pytest.mark.parametrize(
    "text",
    [
        "yes if x > 3 or x < 1 or z in {a} or z is missing and x > 2 else no",
        "a if x > 3 or x < 1 else b if x > 3 or z in {a} or z is missing else c",
    ],
)
def test_counts_stay_with_their_rules_whatever_their_order_in_the_file(text: str) -> None:
    rules = RuleSet.parse(text) if text.startswith("yes") else ClassRules.parse(text)
    rules = rules.with_baseline(Baseline.count(rules, X, Y))
    for seed in range(200):
        read = from_text(json.dumps(shuffled(json.loads(to_text(rules)), random.Random(seed))))
        assert read == rules
        again = from_text(to_text(read))
        assert again.baseline == read.baseline
        assert to_text(again) == to_text(read)
        for label, rule, counted in read.baseline.rules:
            own = rules.baseline.of(label, rule)
            assert own is not None
            assert counted[:2] == own[:2]
        whole = len(read.baseline.rules) == rules.n_rules
        assert read.baseline == rules.baseline if whole else read.baseline.right is None


def test_a_rule_twice_with_different_counts_is_refused(tmp_path: Path) -> None:
    rules = RuleSet.parse("yes if x > 3 else no")
    doc = json.loads(to_text(rules.with_baseline(Baseline.count(rules, X, Y))))
    doc["rules"] *= 2
    doc["training"]["rules"] = [[[2, 2.0], [n, float(n)], [2, 2.0]] for n in (2, 1)]
    assert_refused(tmp_path, json.dumps(doc), "a rule stands twice, with different counts. Keep one of them.")


SCHEMA = json.loads(Path(modelfile.__file__).with_name("modelfile.schema.json").read_text(encoding="utf-8"))


@given(worlds() | class_worlds() | level_worlds())
def test_every_file_keeps_to_the_published_schema(world: World) -> None:
    rules = world.rules.with_baseline(Baseline.count(world.rules, world.table, [0] * world.table.n_rows))
    jsonschema.validate(json.loads(to_text(rules)), SCHEMA)


def test_the_published_schema_refuses_what_the_reader_refuses() -> None:
    changes: dict[str, Any]
    for changes in ({"version": 2}, {"extra": 1}, {"rules": [1]}, {"label": None}, {"columns": {}}, {"training": []},
                    {"rules": [[{"kind": "lambda"}]]}, {"rules": [[{"kind": "known", "column": 3}]]}, {"version": 5},
                    {"rules": [[{"kind": "halfspace", "terms": [[{"kind": "known", "column": "x"}, 1]],
                                 "threshold": 0}]]},
                    {"rules": [[{"kind": "halfspace", "terms": [[SET | {"values": []}, 1]],
                                 "threshold": 0}]]},
                    {"rules": [[{"kind": "halfspace", "terms": [[FILL | {"fill": "3"}, 1]],
                                 "threshold": 0}]]},
                    {"rules": [[FILL]]}):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(document() | changes, SCHEMA)


def test_the_published_schema_takes_sets_in_sums() -> None:
    jsonschema.validate(json.loads(to_text(COUNTED)), SCHEMA)


def test_the_published_schema_takes_filled_columns() -> None:
    jsonschema.validate(json.loads(to_text(FILLED)), SCHEMA)


def test_the_page_shows_a_file_that_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "modelfile.md").read_text(encoding="utf-8")
    shown = page.partition("```json\n")[2].partition("```")[0]
    jsonschema.validate(json.loads(shown), SCHEMA)
    rules = from_text(shown)
    assert str(rules) == "yes if age is missing\n    or income - 2.1·debt > 12.5 and region in {3, north}\nelse no"
    assert rules.baseline is not None
    assert [(label, n.covered.rows) for label, _, n in rules.baseline.rules] == [("yes", 20), ("yes", 400)]
    assert rules.baseline.right == 930
    assert rules.predict_proba({"age": [None], "income": [0], "debt": [0], "region": ["x"]}).tolist() == [
        [6 / 22, 16 / 22]
    ]


def test_what_is_no_file_is_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OutputError, match="is a pipe or a device, which a file would replace"):
        save(RULES, pipe)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_private_file_stays_private(tmp_path: Path) -> None:
    save(RULES, tmp_path / "m.json")
    (tmp_path / "m.json").chmod(0o600)
    save(RULES, tmp_path / "m.json")
    assert stat.S_IMODE((tmp_path / "m.json").stat().st_mode) == 0o600


def test_codes_too_large_for_a_float_are_refused() -> None:
    schema, _ = Schema.learn({"x": [1, 2]})
    item = schema.to_json()[0] | {"missing_values": [10**400]}
    with pytest.raises(ModelFileError, match="a category must be text, a number or a Boolean, not of about 400 digits"):
        Schema.from_json([item])
