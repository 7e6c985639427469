"""Model files: exact, whole or not at all, and strict in reading."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from r2n.errors import ModelFileError
from r2n.rules import Halfspace, Known, Membership, Missing, Rule, RuleSet, load, save
from r2n.rules.modelfile import to_text
from r2n.schema import Schema

RULES = RuleSet(
    (
        Rule((Halfspace.of({"income": 1, "debt": -0.1}, 0.30000000000000004), Missing("z"))),
        Rule((Membership("z", ("a", 1, 2.5, True), negated=True), Known("lone \ud800 surrogate"))),
    ),
    "yes",
    "no",
)


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
    }


def test_what_was_saved_is_loaded(tmp_path: Path) -> None:
    RULES.save(tmp_path / "model.json")
    assert load(tmp_path / "model.json") == RULES
    assert load(str(tmp_path / "model.json")) == RULES


def test_the_schema_is_saved_too(tmp_path: Path) -> None:
    schema, _ = Schema.learn({"p": [1, 2], "q": [0.1, None], "z": ["a", None]})
    RuleSet.parse("yes if p/q > 0.5 else no").with_schema(schema).save(tmp_path / "m.json")
    loaded = load(tmp_path / "m.json")
    assert loaded.schema == schema
    assert str(loaded) == "yes if p/q > 0.5\nelse no"


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
        ({"version": 2}, "has version 2 of the format, but this r2n reads version 1. Install the r2n that wrote it"),
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
