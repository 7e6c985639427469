"""Risk levels: nested by construction, printed and read back exactly, kept in files, counted on rows."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from decimal import Context, localcontext
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n import LevelRules, RuleSet, load
from r2n.errors import ModelFileError, ParameterError, ParseError, SchemaError
from r2n.rules import Baseline, ClassRules, modelfile, parse_rule, rename_columns
from r2n.rules.document import from_text
from r2n.rules.interval import wilson
from r2n.rules.leveltext import write_level, write_percent
from r2n.rules.modelfile import to_text
from r2n.table import Schema
from tests.strategies import World, level_rules, level_shares, level_worlds, literals

TEXT = """\
very high 71.2 % if chol > 300
                 or age > 60 and bp > 140
high        42 % or else if age > 50
low          6 % else
yes from 50 %, else no"""
RULES = LevelRules.parse(TEXT)
SCHEMA = json.loads(Path(modelfile.__file__).with_name("modelfile.schema.json").read_text(encoding="utf-8"))
PEOPLE = {"age": [70, 55, 30, 52], "bp": [150, 120, 120, None], "chol": [200, 200, 301, 100]}
COUNTED = RULES.counted(PEOPLE, ["yes", "no", "yes", "yes"])


# -- laws ---------------------------------------------------------------------------------------------


@given(level_rules(literals()))
def test_parse_is_the_inverse_of_str(found: LevelRules) -> None:
    again = LevelRules.parse(str(found))
    assert again == found
    assert str(again) == str(found)
    assert list(map(type, again.classes)) == list(map(type, found.classes))


@given(level_shares)
def test_percentages_read_back_exactly(share: float) -> None:
    threshold = share if 0 < share < 1 else 0.5
    found = LevelRules((("a", ()),), "b", (1.0, share) if share < 1 else (1.0, 0.0), "yes", "no", threshold)
    assert LevelRules.parse(str(found)) == found
    assert float(write_percent(share)) == pytest.approx(100 * share)
    with localcontext(Context(prec=3)):
        assert LevelRules.parse(str(found)) == found


@given(level_worlds(), st.lists(level_shares, min_size=2, max_size=2))
def test_levels_are_nested(world: World, thresholds: list[float]) -> None:
    """A lower threshold finds all rows that a higher one does; and `predict` is `at` the model's own."""
    rules: Any = world.rules
    less, more = sorted(thresholds)
    few, many = (rules.at(threshold).truth(world.table) for threshold in (more, less))
    assert not (few & ~many).any()
    assert_array_equal(rules.predict(world.table), rules.at(rules.threshold).predict(world.table))
    shares = np.array(rules.shares)[rules.decided(world.table)]
    assert_array_equal(few, shares >= more)


@given(level_worlds())
def test_every_view_says_what_the_level_of_a_row_is(world: World) -> None:
    rules: Any = world.rules
    decided = rules.decided(world.table)
    assert rules.view("level").predict(world.table).tolist() == [rules.levels[k] for k in decided]
    assert rules.view("number").predict(world.table).tolist() == [k + 1 for k in decided]
    assert rules.view("share").predict(world.table).tolist() == [rules.shares[k] for k in decided]
    assert rules.view("label").predict(world.table).tolist() == [rules.answers[k] for k in decided]
    proba = rules.predict_proba(world.table)
    assert proba[:, rules.classes.index(rules.positive)].tolist() == [rules.shares[k] for k in decided]
    assert_array_equal(proba.sum(axis=1), 1.0)


@given(level_rules(literals()))
def test_load_is_the_inverse_of_save(tmp_path_factory: pytest.TempPathFactory, found: LevelRules) -> None:
    path = tmp_path_factory.getbasetemp() / "levels.json"
    found.save(path)
    assert load(path) == found
    assert str(load(path)) == str(found)
    assert pickle.loads(pickle.dumps(found)) == found


@given(level_worlds(), st.data())
def test_counts_say_how_many_of_each_class_a_level_decides(world: World, data: st.DataObject) -> None:
    rules: Any = world.rules
    n = world.table.n_rows
    y = data.draw(st.lists(st.sampled_from(rules.classes), min_size=n, max_size=n))
    base = rules.counted(world.table, y).baseline
    decided = rules.decided(world.table)
    for k, (name, tallies) in enumerate(base.decided):
        assert name == rules.levels[k]
        found = [sum(d == k and label == y[i] for i, d in enumerate(decided)) for label in rules.classes]
        assert [tally.rows for tally in tallies] == found
    assert base.fits(rules)
    assert base.right is None
    assert base.right_by(rules) == np.sum(rules.predict(world.table).astype(object) == np.array(y, dtype=object))


# -- printing and reading -----------------------------------------------------------------------------


def test_levels_are_printed_as_a_table() -> None:
    assert str(RULES) == TEXT


def test_counted_levels_show_their_intervals_and_read_back_without() -> None:
    text = str(COUNTED)
    assert text.splitlines()[2] == "high        42 %   (9–91 %) or else if age > 50"
    assert text.splitlines()[3] == "low          6 %  (0–100 %) else"
    assert LevelRules.parse(text) == RULES
    assert "(" not in str(COUNTED.without(1))  # no longer what was counted


def test_generous_reading() -> None:
    text = 'HIGH 4.2e1% (38 - 46 %) IF x > 3, "low" 6% ELSE True FROM 50% else False'
    found = LevelRules.parse(text)
    assert (found.levels, found.shares, found.classes) == (("HIGH", "low"), (0.42, 0.06), (False, True))
    assert LevelRules.parse("a 9 % if x > 3 b 8 % else if y > 1 c 7 % else 1 from 8 %, else -1").shares == (
        0.09,
        0.08,
        0.07,
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the name of a risk level"),
        ("yes if x > 3 else no", "RuleSet.parse"),
        ("high 42 % else", "expected `if`"),
        ("high 42 % if x > 3 or else if y > 1", "expected"),
        ("high 42 % if x > 3 low 6 %", "expected `else`"),
        ("high 42 % if x > 3 low 6 % or if y > 1", "expected `else`"),
        ("high 42 % if x > 3 low 6 % or else yes", "expected `if`"),
        ("high 42 % if x > 3 low 6 % else yes", "expected `from`"),
        ("high 42 % if x > 3 low 6 % else yes from 50 else no", "expected `%`"),
        ("high 42 % if x > 3 low 6 % else yes from 50 % else no no", "the end"),
        ("high 42 % if x > 3 low 6 % else yes from 50 %", "the other label"),
        ("high 42 % if x > 3 low 6 % else yes from 50 %, else yes", "both classes are 'yes'"),
        ("high 42 % if x > 3 low 42 % else yes from 50 %, else no", "Shares must fall"),
        ("high 420 % if x > 3 low 6 % else yes from 50 %, else no", "from 0 to 1, not 4.2"),
        ("high 42 % if x > 3 low 6 % else yes from 100 %, else no", "below 1"),
        ("high 42 % if x > 3 high 6 % else yes from 50 %, else no", "'high' is named twice"),
        ("high 42e99999999999999999999 % if x > 3 low 6 % else yes from 50 %, else no", "from 0 to 1, not inf"),
        (f"high 42e{'9' * 5000} % if x > 3 low 6 % else yes from 50 %, else no", "too many digits"),
        ("high 42 % (38 %) if x > 3 low 6 % else yes from 50 %, else no", "expected `-`"),
        ('"very" high 42 % if x > 3 low 6 % else yes from 50 %, else no', "expected the name of a risk level"),
    ],
)
def test_odd_texts_are_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        LevelRules.parse(text)
    assert message in str(caught.value)


def test_each_class_says_who_reads_the_text() -> None:
    for kind in (RuleSet, ClassRules):
        with pytest.raises(ParseError, match=r"LevelRules\.parse"):
            kind.parse(TEXT)


def test_a_schema_is_heeded() -> None:
    schema, _ = Schema.learn({"x": [1.0, 2.0]})
    with pytest.raises(ParseError, match="no column 'y'"):
        LevelRules.parse("high 42 % if y > 3 low 6 % else yes from 50 %, else no", schema)
    with pytest.raises(SchemaError, match="no column"):
        RULES.with_schema(schema)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("very high", "very high"), ("größer als 年", "größer als 年"), ("level 1", '"level 1"'), ("", '""'),
        (" high", '" high"'), ("a  b", '"a  b"'), ("if", '"if"'), ("so OR so", '"so OR so"'), ("a\tb", '"a\\tb"'),
    ],
)  # fmt: skip
def test_names_are_bare_if_they_are_plain_words(name: str, text: str) -> None:
    assert write_level(name) == text


def test_shown_in_a_notebook() -> None:
    assert "very high 71.2 % if chol &gt; 300" in RULES._repr_html_()


# -- what cannot be ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": (0.7, 0.4)}, "3 levels need as many shares, not 2"),
        ({"shares": (0.7, 0.4, 0.4)}, "Shares must fall"),
        ({"shares": (0.7, 0.4, -0.1)}, "from 0 to 1, not -0.1"),
        ({"shares": (1.1, 0.4, 0.1)}, "from 0 to 1, not 1.1"),
        ({"shares": (0.7, float("nan"), 0.1)}, "from 0 to 1, not nan"),
        ({"shares": (True, 0.4, 0.1)}, "from 0 to 1, not True"),
        ({"shares": (0.7, "0.4", 0.1)}, "from 0 to 1, not '0.4'"),
        ({"threshold": 0}, "above 0"),
        ({"threshold": 1}, "below 1"),
        ({"threshold": None}, "from 0 to 1, not None"),
        ({"positive": "no"}, "both classes are 'no'"),
        ({"positive": None}, "label"),
        ({"default": "high"}, "named twice"),
        ({"default": 3}, "must be text, not 3"),
        ({"branches": ()}, "besides the lowest"),
        ({"branches": (("a", ()), ("a", ()))}, "'a' is named twice"),
        ({"branches": ((1, ()), ("a", ()))}, "must be text, not 1"),
        ({"branches": (("\ud800", ()), ("a", ()))}, "surrogate|half"),
    ],
)
def test_levels_that_do_not_fit_together_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        replace(RULES, **changes)


def test_views_and_thresholds_that_are_none() -> None:
    with pytest.raises(ParameterError, match="one of level, number, share, label, not 'chance'"):
        RULES.view("chance")
    with pytest.raises(ParameterError, match="from 0 to 1, not 2"):
        RULES.at(2)


# -- evaluating and editing ----------------------------------------------------------------------------


def test_rows_get_their_level() -> None:
    assert RULES.predict_level(PEOPLE).tolist() == ["very high", "high", "very high", "high"]
    assert RULES.predict(PEOPLE).tolist() == ["yes", "no", "yes", "no"]
    assert RULES.predict_proba(PEOPLE)[:, 1].tolist() == [0.712, 0.42, 0.712, 0.42]
    assert replace(RULES, positive="a").predict_proba(PEOPLE)[:, 0].tolist() == [0.712, 0.42, 0.712, 0.42]
    assert (RULES.levels, RULES.labels, RULES.classes) == (
        ("very high", "high", "low"),
        ("very high", "high"),
        ("no", "yes"),
    )


def test_every_row_is_positive_from_the_lowest_share_on() -> None:
    assert str(RULES.at(0.06)) == "yes if true\nelse no"
    assert str(RULES.at(0.8)) == "yes if false\nelse no"
    assert RULES.at(0.42).n_rules == 3


def test_what_is_edited_keeps_the_rest() -> None:
    assert RULES.with_threshold(0.4).predict(PEOPLE).tolist() == ["yes"] * 4
    assert RULES.with_shares([0.9, 0.5, 0.1]).shares == (0.9, 0.5, 0.1)
    renamed = COUNTED.with_names(["a", "b", "c"])
    assert (renamed.levels, renamed.branches[0][1]) == (("a", "b", "c"), RULES.branches[0][1])
    assert renamed.intervals == COUNTED.intervals != None  # noqa: E711
    assert renamed.baseline is not None
    assert renamed.baseline.in_order_of(renamed) == COUNTED.baseline.in_order_of(COUNTED)
    emptied = RULES.without(3)
    assert (emptied.labels, emptied.branches[1][1], emptied.shares) == (RULES.labels, (), RULES.shares)
    assert "high        42 % or else if false" in str(emptied)
    assert RULES.with_rule("sex = m", "high").branches[1][1][1] == parse_rule("sex = m")
    for names in (["a", "b"], "abc"):
        with pytest.raises(ParameterError, match="a list of 3 texts"):
            RULES.with_names(names)
    with pytest.raises(ParameterError, match="no rules for 'low', only for"):
        RULES.with_rule("x > 3", "low")


def test_columns_are_renamed_with_their_counts() -> None:
    found = rename_columns(COUNTED, {"age": "a", "bp": "b", "chol": "c"})
    assert found.columns == ("a", "b", "c")
    assert (found.shares, found.intervals) == (COUNTED.shares, COUNTED.intervals)


def test_rules_of_the_joined_levels_keep_their_counts() -> None:
    joined = COUNTED.at(0.4)
    assert joined.baseline is not None
    assert joined.baseline.decided is None
    assert [each.covered.rows for each in joined.baseline.in_order_of(joined)] == [3, 1, 1]
    with pytest.raises(ParameterError, match="changed since"):
        joined.predict_proba(PEOPLE)


def test_frames_hold_the_share_of_positives() -> None:
    frame = COUNTED.to_frame()
    assert frame["label"].tolist() == ["very high", "very high", "very high", "high"]
    assert frame["precision"].tolist() == [1.0, 1.0, 1.0, pytest.approx(2 / 3)]


def test_labels_that_are_no_class_are_refused() -> None:
    with pytest.raises(ParameterError, match="y holds 'high'"):
        RULES.counted(PEOPLE, ["high", "no", "yes", "yes"])


def test_counts_of_other_levels_do_not_fit() -> None:
    base = COUNTED.baseline
    assert isinstance(base, Baseline)
    assert base.fits(RULES.with_threshold(0.9).with_shares([0.5, 0.4, 0.3]))
    assert not base.fits(replace(RULES, negative="never"))
    assert not base.fits(RULES.chain)
    assert COUNTED.without(1).intervals is None


def test_wilsons_interval() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10) == (0.0, pytest.approx(0.2775, abs=1e-4))
    assert wilson(10, 10) == (pytest.approx(0.7225, abs=1e-4), pytest.approx(1.0))


# -- files ---------------------------------------------------------------------------------------------


def test_files_keep_the_counts(tmp_path: Path) -> None:
    path = tmp_path / "levels.json"
    COUNTED.save(path)
    found = load(path)
    assert isinstance(found, LevelRules)
    assert (found, found.baseline, str(found)) == (COUNTED, COUNTED.baseline, str(COUNTED))
    assert pickle.loads(pickle.dumps(COUNTED)).intervals == COUNTED.intervals


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"share": 0.42', '"share": 0.712', "Shares must fall"),
        ('"share": 0.42', '"share": "0.42"', "a number was expected"),
        ('"share": 0.42', '"chance": 0.42', "levels must have exactly the fields"),
        ('"threshold": 0.5', '"threshold": 1', "below 1"),
        ('"threshold": 0.5', '"threshold": true', "a number was expected"),
        ('"positive": "yes"', '"positive": "no"', "both classes"),
        ('"positive": "yes"', '"positive": null', "category or label"),
        ('"name": "low"', '"name": "high"', "named twice"),
        ('"name": "low"', '"name": 3', "must be text"),
        ('"lowest": {', '"lowest": 3, "x": {', "exactly the fields"),
        ('"format": "r2n risk levels"', '"format": "r2n rule set"', "exactly the fields"),
        ('"decided": [', '"decided": [[],', "a pair for each of the 2 classes"),
    ],
)
def test_odd_files_are_refused(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "levels.json"
    text = to_text(COUNTED)
    assert old in text
    path.write_text(text.replace(old, new))
    with pytest.raises(ModelFileError, match=message):
        load(path)


def test_only_columns_that_are_read_leave_what_they_held() -> None:
    schema, _ = Schema.learn({**PEOPLE, "mail": ["a@b", "c@d", "e@f", "g@h"]})
    found = COUNTED.with_schema(schema)
    for kept in (to_text(found), repr(pickle.loads(pickle.dumps(found)).schema), to_text(found.without(1))):
        assert "a@b" not in kept
        assert "mail" in kept
    assert "301" in to_text(found)
    assert "301" not in to_text(found.without(1))  # the rule that read it is gone


def test_the_published_schema_refuses_what_the_reader_refuses() -> None:
    good = json.loads(to_text(COUNTED))
    jsonschema.validate(good, SCHEMA)
    changes: dict[str, Any]
    for changes in (
        {"threshold": 1}, {"threshold": "0.5"}, {"lowest": {"name": "low"}}, {"levels": []}, {"positive": None},
        {"lowest": {"name": 3, "share": 0.1}}, {"lowest": {"name": "low", "share": 1.5}}, {"classes": []},
    ):  # fmt: skip
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(good | changes, SCHEMA)
        with pytest.raises(ModelFileError):
            from_text(json.dumps(good | changes))


def test_the_page_shows_a_file_that_is_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "modelfile.md").read_text(encoding="utf-8")
    shown = page.partition("## Risk levels")[2].partition("```json\n")[2].partition("```")[0]
    jsonschema.validate(json.loads(shown), SCHEMA)
    assert str(from_text(shown)) == (
        "high 42 % (37–47 %) if age > 60\nlow   6 %   (4–8 %) else\nyes from 20 %, else no"
    )
