"""The commands about a model, driven as a process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from r2n.cli.inputs import find_label, read_rows
from r2n.errors import SchemaError
from r2n.rules import Baseline, ClassRules, RuleSet
from r2n.table import Schema
from r2n.table.files import read_table
from tests.cli.test_cli import EXE, run

FRAME = pd.DataFrame(
    {
        "income": [20.0, 35.5, 28.0, 12.0, 40.0, 31.0] * 20,
        "debt, total": [5.0, 3.0, 9.0, 1.0, 12.0, 2.0] * 20,
        "children": [0, 2, 1, 3, 0, 1] * 20,
        "region": ["north", "west", "south", "west", "north", "?"] * 20,
        "a=b": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0] * 20,
    }
)
SCHEMA, _ = Schema.learn(FRAME, missing_values={"region": ["?"]})
RULES = RuleSet.parse(
    'yes if income - 2·"debt, total" > 20.5 and region in {north, west} or "a=b" > 5.5 else no', SCHEMA
)
CLASSES = ClassRules.parse("low if income < 15 else high if income > 35 and children < 2 else middle", SCHEMA)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("commands")
    y = RULES.predict(FRAME)
    RULES.with_baseline(Baseline.count(RULES, FRAME, y)).save(folder / "model.json")
    RULES.without(1).with_rule("income > 33 and region = west").save(folder / "other.json")
    RULES.without(1).with_rule('"a=b" > 5.5 and "a=b" > 5').save(folder / "again.json")
    RuleSet.parse("yes if x + y > 5 and x - y > 1 else no").save(folder / "edge.json")
    RuleSet.parse("yes if x + y > 5 and x - y > 1 and x > 3 else no").save(folder / "edges.json")
    CLASSES.save(folder / "classes.json")
    RuleSet.parse("yes if x > 1 and z in {a} else no").save(folder / "bare.json")
    FRAME.assign(paid=y).to_csv(folder / "people.csv", index=False)
    FRAME.assign(paid=y).to_parquet(folder / "people.parquet")
    FRAME.drop(columns="income").to_csv(folder / "narrow.csv", index=False)
    shifted = FRAME.assign(paid=np.where(FRAME["a=b"] > 5.5, "no", y), income=FRAME["income"] + 10)
    shifted.to_csv(folder / "later.csv", index=False)
    FRAME.assign(paid=[None, *y[1:]]).to_csv(folder / "gaps.csv", index=False)  # type: ignore[list-item]
    return folder


ROW = ("income=20", "debt, total=5", "region=north", "a=b=1")


# -- explain ------------------------------------------------------------------------------------------


def test_explain_says_why_and_what_would_change_it(folder: Path) -> None:
    assert run("explain", folder / "model.json", *ROW).stdout == (
        "prediction: no, the default: no rule holds\n"
        "rule 2 is nearest of those that do not hold\n"
        '    fails  income - 2·"debt, total" > 20.5: it is 10, 10.5 short\n'
        "    holds  region in {north, west}: it is north\n"
        "for yes, change (0.375 spreads)\n"
        "    income  20 → 30.51\n"
    )


def test_explain_reads_a_row_of_a_table(folder: Path) -> None:
    for table in ("people.csv", "people.parquet"):
        said = run("explain", folder / "model.json", folder / table, "--row", 1).stdout
        assert said.startswith("prediction: yes\nrule 2 holds\n")
        assert "it is 29.5, 9 beyond" in said
        assert "for no, change" in said
    said = run("explain", folder / "model.json", folder / "people.csv", "--row", 5).stdout
    assert "for no, change (0.2 spreads)" in said


def test_explain_takes_fixed_columns_a_label_and_spreads(folder: Path) -> None:
    said = run("explain", folder / "model.json", *ROW, "--fixed", "income", "--fixed", "debt, total").stdout
    assert said.endswith('for yes, change (1 spread)\n    "a=b"  1 → 6\n')  # its numbers were whole
    spread = run("explain", folder / "model.json", *ROW, "--spread", folder / "people.csv").stdout
    assert "for yes, change (1.1" in spread
    said = run("explain", folder / "classes.json", "income=20", "children=3", "--to", "high").stdout
    assert said.startswith("prediction: middle, the default: no rule holds\nrule 1 (low) is nearest")
    assert said.endswith("    children  3 → 1\n    income    20 → 35.01\n")
    stuck = run("explain", folder / "classes.json", "income=20", "children=3", "--fixed", "income").stdout
    assert stuck.endswith("no change of these columns gives another label\n")


def test_explain_reads_missing_values_and_unknown_columns_of_a_bare_model(folder: Path) -> None:
    for word in ("region=", "region=?"):
        said = run("explain", folder / "model.json", "income=50", "debt, total=5", word, "a=b=0").stdout
        assert "fails  region in {north, west}: it is missing" in said
    said = run("explain", folder / "bare.json", "x=0", "z=a").stdout
    assert said.endswith("for yes, change (1 spread)\n    x  0 → 1.001\n")


def test_a_value_that_is_missing_in_files_is_missing_in_words_too(folder: Path) -> None:
    missing = run("explain", folder / "model.json", "income=", *ROW[1:]).stdout
    assert run("explain", folder / "model.json", "income=NA", *ROW[1:]).stdout == missing
    said = run("explain", folder / "model.json", "income=50", "debt, total=5", "region=NA", "a=b=0").stdout
    assert "fails  region in {north, west}: it is missing" in said


def test_a_file_whose_path_looks_like_a_value_is_a_file(folder: Path) -> None:
    (folder / "income=2024").mkdir()
    FRAME.to_csv(folder / "income=2024" / "people.csv", index=False)
    words = [*EXE, "explain", "model.json", "income=2024/people.csv"]
    done = subprocess.run(words, capture_output=True, text=True, check=True, cwd=folder)
    assert done.stdout.startswith("prediction: no")


DIGITS, _ = Schema.learn({"z": ["1", "2", "a", "True"], "x": [1.0, 2.0, 3.0, 4.0]}, missing_values={"z": ["9"]})


def test_texts_that_look_like_numbers_stay_texts(tmp_path: Path) -> None:
    RuleSet.parse('"1" if z in {"1"} else "0"', DIGITS).save(tmp_path / "model.json")
    (tmp_path / "rows.csv").write_text("x,z,y\n1,1,1\n2,2,0\n3,9,1\n", encoding="utf-8")
    model, rows = tmp_path / "model.json", tmp_path / "rows.csv"
    assert run("predict", model, rows).stdout == "prediction\n1\n0\n0\n"
    assert "accuracy 0.6667" in run("check", model, rows, "--target", "y").stdout
    assert run("explain", model, rows).stdout.startswith('prediction: "1"\nrule 1 holds\n')
    assert "2 of 3" not in run("diff", model, model, rows).stdout


ODD, _ = Schema.learn(
    {
        "x": np.array([1.0, 2.0, 3.0, 4.0]),
        "c": np.array(["NA", "x", "y", "null"], dtype=object),
        "w": np.array([" Private", "Self", "Self", "Gov "], dtype=object),
        "m": np.array([1, "a", 2, "b"], dtype=object),
        "n": np.array([10, 20, 30, -9], dtype=object),
        "b": np.array([True, False, True, True], dtype=object),
    },
    categorical=["n"],
    missing_values={"n": [-9], "c": [-9]},
)
ROWS = """x,c,w,m,n,b,y
1,NA, Private,1,10,TRUE,NA
2,x,Self,a,40,False,no
NA,null, Self,7,-9,true,null
4,-9,Private,,,,no
"""


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("x > 1", "no yes no yes"),
        ("c in {NA}", "yes no no no"),
        ("c in {null}", "no no yes no"),
        ("c is missing", "no no no yes"),
        ('w in {" Private"}', "yes no no no"),
        ("w in {Self}", "no yes yes no"),
        ("m in {1}", "yes no no no"),
        ("m in {a}", "no yes no no"),
        ("m not in {1}", "no yes yes no"),
        ("n in {10}", "yes no no no"),
        ("n not in {10}", "no yes no no"),
        ("b in {True}", "yes no yes no"),
        ("x + 5·(c in {NA}) - (m in {a}) > 1", "yes no no no"),
        ("2·(m not in {1}) + (b in {True}) > 1.5", "no yes yes no"),
    ],
)
@pytest.mark.parametrize("start", ["", "\ufeff", "\n"])
def test_cells_of_a_file_are_read_as_the_schema_says(condition: str, said: str, start: str, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(start + ROWS, encoding="utf-8")
    rules = RuleSet.parse(f"yes if {condition} else no", ODD)
    assert rules.predict(read_rows(rules, tmp_path / "t.csv")).tolist() == said.split()


def test_without_a_schema_the_rules_say_what_is_a_category(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(ROWS, encoding="utf-8")
    for condition in ("c in {NA}", 'w in {" Private"}', 'm in {"1"}', "n in {10}", "n < 20 and n > 0 and b in {True}",
                      "n - 50·(c in {NA}) < 0", '(w in {" Private"}) + (m in {"1"}) > 1'):  # fmt: skip
        rules = RuleSet.parse(f"yes if {condition} else no")
        assert rules.predict(read_rows(rules, tmp_path / "t.csv")).tolist() == ["yes", "no", "no", "no"]


def test_predict_check_and_explain_read_the_same_cells(tmp_path: Path) -> None:
    model, rows = tmp_path / "model.json", tmp_path / "t.csv"
    RuleSet.parse('"NA" if c in {NA} and w in {" Private"} and m in {1} else no', ODD).save(model)
    rows.write_text(ROWS, encoding="utf-8")
    assert run("predict", model, rows).stdout == "prediction\nNA\nno\nno\nno\n"
    checked = run("check", model, rows, "--target", "y", ok=False).stderr
    assert "column 'y' holds no label in row 2." in checked  # null is no label; NA is one
    rows.write_text("".join(ROWS.splitlines(keepends=True)[:3]), encoding="utf-8")
    assert "accuracy 1.0000" in run("check", model, rows, "--target", "y").stdout
    in_words = run("explain", model, "c=NA", "w= Private", "m=1").stdout
    assert run("explain", model, rows).stdout == in_words
    assert in_words.startswith("prediction: NA\nrule 1 holds\n")


def test_blanks_before_quotes_mean_nothing(tmp_path: Path) -> None:
    rules = RuleSet.parse('yes if c in {"a, b"} else no', Schema.learn({"c": ["a, b", "c"], "w": ["d", "e"]})[0])
    (tmp_path / "t.csv").write_text('w, c\nd, "a, b"\ne,c\n', encoding="utf-8")
    assert rules.predict(read_rows(rules, tmp_path / "t.csv")).tolist() == ["yes", "no"]
    odd = RuleSet.parse("yes if w in {Self} else no", ODD)  # where a category starts with a blank, others may not
    (tmp_path / "t.csv").write_text(ROWS.replace(" Self", ' "Self"'), encoding="utf-8")
    assert odd.predict(read_rows(odd, tmp_path / "t.csv")).tolist() == ["no", "yes", "yes", "no"]
    (tmp_path / "t.csv").write_text(ROWS.replace(" Self", ' "Se\nlf"'), encoding="utf-8")
    with pytest.raises(SchemaError, match="blanks before quotes that hold line breaks"):
        read_rows(odd, tmp_path / "t.csv")


def test_short_lines_end_in_missing_values(tmp_path: Path) -> None:
    rules = RuleSet.parse("yes if b is missing and m in {1} else no", ODD)
    (tmp_path / "t.csv").write_text("c,w,m,n,b\nx,Self,1\nx,Self,1,10,True\n", encoding="utf-8")
    assert rules.predict(read_rows(rules, tmp_path / "t.csv")).tolist() == ["yes", "no"]


@pytest.mark.parametrize(
    ("rows", "line"), [("30,1,5,n\n40,2,5,n\n", 2), ("\n30,1,5,\n40,2,5,n\n", 4), ('"3\n0",1,n,\n40,2,n,5\n', 4)]
)
def test_lines_longer_than_the_header_are_refused(rows: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"income,debt,region\n{rows}", encoding="utf-8")
    with pytest.raises(SchemaError, match=f"has 4 cells in line {line}, but 3 columns in its header. Give every"):
        read_table(tmp_path / "t.csv")


def test_separators_at_the_end_of_lines_mean_nothing(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("income,region\n30,n,\n40,s,\n", encoding="utf-8")
    assert read_table(tmp_path / "t.csv").to_dict("list") == {"income": [30, 40], "region": ["n", "s"]}


def test_a_long_column_is_of_one_type(tmp_path: Path) -> None:
    """Read in pieces, its first numbers would be numbers and its last ones texts."""
    lines = [",".join(f"x{i}" for i in range(200)), *["1" + ",1" * 199] * 6_000, "a" + ",1" * 199]
    (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    assert set(read_table(tmp_path / "t.csv")["x0"].tolist()) == {"1", "a"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1.0 if x > 3 else 0.0", ("1", "1.0", "1e0")),
        ("True if x > 3 else False", ("true", "True", "TRUE")),
        ('"1" if x > 3 else 0', ('"1"', "1")),
        ("1000000.0 if x > 3 else 0.0", ("1000000", "1e6", "1e+06")),
    ],
)
def test_a_label_is_named_as_it_is_printed_or_read(text: str, words: tuple[str, ...], tmp_path: Path) -> None:
    labels = [RuleSet.parse(text).label, RuleSet.parse(text).default]
    for word in words:
        assert find_label(labels, word) is labels[0]
    RuleSet.parse(text).save(tmp_path / "model.json")
    assert "\n    x  1 → 3.001\n" in run("explain", tmp_path / "model.json", "x=1", "--to", words[0]).stdout


def test_no_label_is_named_by_what_it_is_not() -> None:
    assert find_label([1, 0], "true") == "true"
    assert find_label([1.0, "1"], '"1"') == "1"
    assert find_label([True, False], "1") == "1"
    assert find_label([10, "a"], "1_0") == "1_0"


# -- diff ---------------------------------------------------------------------------------------------


def test_diff_shows_rules_and_rows(folder: Path) -> None:
    said = run("diff", folder / "model.json", folder / "other.json").stdout
    assert '  - "a=b" > 5.5\n  + income > 33 and region in {west}\n' in said
    assert "decided differently" not in said
    with_rows = run("diff", folder / "model.json", folder / "other.json", folder / "people.csv").stdout
    assert "20 of 120 rows are decided differently: 20 yes → no" in with_rows
    for last in (said.splitlines()[-1], with_rows.splitlines()[-1]):
        assert last.startswith("not equivalent: ")
    same = run("diff", folder / "model.json", folder / "model.json").stdout
    assert same == "the same rules\nproven to decide every row alike\n"
    alike = run("diff", folder / "model.json", folder / "again.json").stdout
    assert "1 changed" in alike
    assert alike.endswith("\nproven to decide every row alike\n")
    edge = run("diff", folder / "edge.json", folder / "edges.json").stdout
    assert edge.splitlines()[-1].startswith("undecided: neither proven to decide every row alike, nor a row found")
    assert "labels, the default last" in run("diff", folder / "model.json", folder / "classes.json").stdout


def test_diff_reads_the_rows_as_each_model_does(tmp_path: Path) -> None:
    old, new, rows = tmp_path / "old.json", tmp_path / "new.json", tmp_path / "d.csv"
    schema, _ = Schema.learn({"v": [1.0, 2.0, 3.0], "z": ["01", "02", "03"]})
    RuleSet.parse("yes if v > 1 else no", schema.without(["z"])).save(old)
    RuleSet.parse('yes if v > 1 and z in {"02"} else no', schema).save(new)
    rows.write_text("v,z\n1,01\n2,02\n3,03\n", encoding="utf-8")
    told = "1 of 3 rows is decided differently: 1 {} → {}\nrow 2\n"
    assert told.format("yes", "no") in run("diff", old, new, rows).stdout
    assert told.format("no", "yes") in run("diff", new, old, rows).stdout


# -- check --------------------------------------------------------------------------------------------


def test_check_finds_nothing_on_the_rows_learned_from(folder: Path) -> None:
    assert run("check", folder / "model.json", folder / "people.csv", "--target", "paid").stdout == (
        "120 rows: 80 no, 40 yes\n"
        "rule  covers  before  precision  before\n"
        '   1  16.7 %  16.7 %      1.000   1.000  "a=b" > 5.5\n'
        '   2  16.7 %  16.7 %      1.000   1.000  income - 2·"debt, total" > 20.5 and region in {north, west}\n'
        "accuracy 1.0000, 1.0000 in training\n"
    )


def test_check_finds_drift_of_coverage_and_of_precision(folder: Path) -> None:
    lines = run("check", folder / "model.json", folder / "later.csv", "--target", "paid").stdout.splitlines()
    assert lines[2] == '   1  16.7 %  16.7 %      0.000   1.000  ! "a=b" > 5.5'
    assert lines[3].startswith("   2  33.3 %  16.7 %")
    assert lines[-1].startswith("! differs from training by more than 3 standard errors: rule 1")


def test_check_without_labels_and_without_training_counts(folder: Path) -> None:
    said = run("check", folder / "model.json", folder / "later.csv").stdout
    assert "accuracy" not in said
    assert said.splitlines()[1].split() == ["rule", "covers", "before"]
    bare = run("check", folder / "classes.json", folder / "people.csv").stdout
    assert bare == (
        "120 rows: 80 middle, 20 high, 20 low\n"
        "rule  covers\n"
        "   1  16.7 %  low: income < 15\n"
        "   2  16.7 %  high: children < 2 and income > 35\n"
    )


# -- what is wrong ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("explain", "model.json", "incom=3"), "the model has no column 'incom'. Did you mean 'income'?"),
        (("explain", "model.json", "income=3", "region"), "'region' is no column=value."),
        (("explain", "model.json", "income=much", "region=west"), "'income' holds numbers, and 'much' is none."),
        (("explain", "model.json", "income=3", "region=west"), "the rules read 'a=b' too. Give a=b=…, or a=b= if"),
        (("explain", "model.json", "income=inf", *ROW[1:]), "the value inf in row 0 is infinite."),
        (("explain", "model.json", *ROW, "--to", "perhaps"), "to must be one of the labels ['yes', 'no']"),
        (("explain", "model.json", *ROW, "--to", "no"), "the rules say 'no' of this row already"),
        (("explain", "model.json", *ROW, "--fixed", "incom"), "Did you mean 'income'?"),
        (("explain", "model.json", "people.csv", "--row", "120"), "has 120 rows, the first of which is 0."),
        (("explain", "model.json", *ROW, "income=30"), "column 'income' is given more than once."),
        (("explain", "model.json", "nowhere.csv"), "there is no file"),
        (("explain", "nowhere.json", *ROW), "there is no file nowhere.json. Give the path of a model that"),
        (("show", "."), "there is no file .. Give the path of a model that"),
        (("explain", "model.json", "narrow.csv"), "columns that were there at fit are missing: ['income']"),
        (("explain", "people.csv", "income=3"), "not complete JSON"),
        (("diff", "model.json", "nowhere.json"), "nowhere.json"),
        (("diff", "model.json", "other.json", "narrow.csv"), "columns that were there at fit are missing"),
        (("check", "model.json", "narrow.csv"), "columns that were there at fit are missing: ['income']"),
        (("check", "model.json", "people.csv", "--target", "payed"), "the table has no column 'payed'. Did you mean"),
        (("check", "model.json", "gaps.csv", "--target", "paid"), "column 'paid' holds no label in row 0."),
        (
            ("check", "model.json", "people.csv", "--target", "income"),
            "holds none of the labels ['yes', 'no'], but 20.0.",
        ),
    ],
)
def test_errors_are_one_message_and_exit_code_1(folder: Path, words: tuple[str, ...], message: str) -> None:
    files = {path.name: str(path) for path in folder.iterdir()}
    done = run(*(files.get(word, word) for word in words), ok=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in " ".join(done.stderr.split())
    assert done.stdout == ""


def test_wrong_usage_is_exit_code_2(folder: Path) -> None:
    assert run("explain", folder / "model.json", ok=False).returncode == 2
    assert run("explain", folder / "model.json", *ROW, "--row", -1, ok=False).returncode == 2
    assert run("diff", folder / "model.json", ok=False).returncode == 2
    assert run("check", folder / "model.json", ok=False).returncode == 2


@pytest.mark.parametrize(
    "command",
    [("show",), ("predict", "people.csv"), ("explain", *ROW), ("check", "people.csv"), ("diff", "other.json")],
    ids=lambda command: command[0],
)
def test_no_command_loads_the_training_engine(folder: Path, command: tuple[str, ...]) -> None:
    files = {path.name: str(path) for path in folder.iterdir()}
    words = [command[0], files["model.json"], *(files.get(word, word) for word in command[1:])]
    code = (
        f"import sys; sys.argv = ['r2n', *{words!r}]\n"
        "from r2n.cli.app import app\n"
        "app(standalone_mode=False)\n"
        "import json; print(json.dumps([m for m in ('jax', 'optax', 'sklearn') if m in sys.modules]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == []
