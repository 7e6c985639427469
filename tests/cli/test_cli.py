"""The command line, most of it run in this process; where processes matter, in one of its own."""

import io
import os
import signal
import subprocess
import sys
import time
import warnings
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from r2n import RuleSet, load
from r2n.cli.app import main
from r2n.cli.measures import write_measures
from r2n.cli.screen import accept_all_signs

EXE = [sys.executable, "-c", "from r2n.cli.app import main; main()"]


def run(*words: object, ok: bool = True, apart: bool = False, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command, `apart` or with other variables in a process of its own, which costs half a second or three."""
    if apart or environment:
        done = subprocess.run(
            [*EXE, *map(str, words)], capture_output=True, encoding="utf-8", timeout=300, check=False,
            env=os.environ | environment,
        )  # fmt: skip
    else:
        done = run_here(*map(str, words))
    assert (done.returncode == 0) is ok, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def run_here(*words: str) -> subprocess.CompletedProcess[str]:
    """Run a command as `main` does, with streams and warnings of its own."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    code: object = 0
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        patch.setattr(sys, "argv", ["r2n", *words])
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            try:
                main()
            except SystemExit as end:
                code = end.code or 0
    assert isinstance(code, int)
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return subprocess.CompletedProcess(list(words), code, *texts)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "income": rng.normal(3000, 900, 800).round(2),
            "debt, total": rng.normal(1000, 500, 800).round(2),
            "region": rng.choice(["north", "west", "south"], 800),
        }
    )
    good = (frame["income"] - 1.5 * frame["debt, total"] > 1500) & (frame["region"] != "west")
    path = tmp_path_factory.mktemp("cli") / "people.csv"
    frame.assign(**{"paid back": np.where(good, "yes", "no")}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def model(table: Path) -> Path:
    path = table.with_name("model.json")
    done = run("fit", table, "--target", "paid back", "-o", path)
    assert "yes if" in done.stdout
    assert "held out" in done.stdout
    assert f"saved to {path}" in done.stdout
    return path


@pytest.mark.parametrize("apart", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_demo_shows_both_rules_and_the_accuracy(apart: bool) -> None:
    done = run("demo", "--example", 1, apart=apart)
    assert "x0 > 0.25" in done.stdout
    assert "the rules r2n found" in done.stdout
    assert "on 2,000 other rows" in done.stdout


def test_fit_learns_something_true(model: Path, table: Path) -> None:
    frame = pd.read_csv(table)
    assert np.mean(load(model).predict(frame) == frame["paid back"].to_numpy()) > 0.93


def test_show_prints_the_rules_in_the_file(model: Path) -> None:
    done = run("show", model)
    rules = load(model)
    assert str(rules) in done.stdout
    assert f"size {rules.size}" in done.stdout
    assert done.stdout.endswith(f"{write_measures(rules)}\n")
    assert "held out: covers" in done.stdout
    bare = model.with_name("bare.json")
    rules.with_baseline(None).save(bare)
    assert "precision" not in run("show", bare).stdout


def test_predict_writes_one_line_a_row(model: Path, table: Path, tmp_path: Path) -> None:
    frame = pd.read_csv(table)
    lines = run("predict", model, table).stdout.splitlines()
    assert lines[0] == "prediction"
    assert lines[1:] == load(model).predict(frame).tolist()
    parquet = tmp_path / "people.parquet"
    frame.drop(columns="paid back")[["region", "debt, total", "income"]].to_parquet(parquet)
    run("predict", model, parquet, "-o", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines() == lines


def test_fit_reads_parquet_and_takes_a_positive_label(table: Path, tmp_path: Path) -> None:
    parquet = tmp_path / "people.parquet"
    pd.read_csv(table).assign(row=range(800)).to_parquet(parquet)
    done = run("fit", parquet, "--target", "paid back", "--positive", "no", "--ignore", "row", "--holdout", 0)
    assert done.stdout.startswith("no if ")
    assert "held out" not in done.stdout


def test_fit_keeps_to_what_may_be_read(table: Path, tmp_path: Path) -> None:
    path = tmp_path / "short.json"
    run("fit", table, "--target", "paid back", "--max-size", 2, "--max-columns", 1, "--max-rules", 1, "-o", path)
    rules = load(path)
    assert rules.size <= 2
    assert rules.n_rules == 1
    assert all(literal.size == 1 for literal in rules.literals)
    assert "Invalid value for '--max-size'" in refused(table, "--max-size", 0)


def refused(table: Path, *words: object) -> str:
    """What is said of options that cannot be."""
    return run("fit", table, "--target", "paid back", *words, ok=False).stderr


def test_labels_that_are_numbers_can_be_named(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    x = rng.random(300)
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": x, "y": np.where(x > 0.3, 1, 2)}).to_csv(path, index=False)
    assert run("fit", path, "--target", "y", "--positive", "1").stdout.startswith("1 if x > 0.")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("fit", "nowhere.csv", "--target", "y"), "there is no file nowhere.csv"),
        (("fit", "{table}", "--target", "paid-back"), "Did you mean 'paid back'?"),
        (("fit", "{table}", "--target", "paid back", "--ignore", "regoin"), "Did you mean 'region'?"),
        (("fit", "{table}", "--target", "paid back", "--positive", "maybe"), "positive is 'maybe'"),
        (("fit", "{table}", "--target", "paid back", "--categorical", "regoin"), "Did you mean 'region'?"),
        (("fit", "{text}", "--target", "y"), "expected .csv, .tsv or .parquet"),
        (("fit", "{broken}", "--target", "y"), "could not be read"),
        (("fit", "{empty}", "--target", "y"), "could not be read"),
        (("fit", "{table}", "--target", "paid back", "-o", "nowhere/model.json"), "nowhere"),
        (("fit", "{table}", "--target", "paid back", "-o", "{folder}"), "is a folder"),
        (("fit", "{table}", "--target", "income"), "continuous"),
        (("fit", "{wide}", "--target", "y"), "could not be read"),
        (("fit", "{semicolons}", "--target", "y"), "separated by semicolons"),
        (("fit", "{gaps}", "--target", "y"), "column 'y' holds no label in row 1"),
        (("show", "nowhere.json"), "nowhere.json"),
        (("show", "{half}"), "half"),
        (("show", "{table}"), "not"),
        (("predict", "{model}", "{narrow}"), "columns that were there at fit are missing"),
    ],
)
def test_errors_are_one_message_and_exit_code_1(
    words: tuple[str, ...], message: str, table: Path, model: Path, tmp_path: Path
) -> None:
    files = {name: tmp_path / f"{name}.{end}" for name, end in
             {"text": "txt", "broken": "parquet", "empty": "csv", "half": "json", "narrow": "csv",
              "wide": "csv", "semicolons": "csv", "gaps": "parquet"}.items()} | {"folder": tmp_path}  # fmt: skip
    files["text"].write_text("y\n1\n")
    files["broken"].write_text("no parquet")
    files["empty"].write_text("")
    files["half"].write_text(model.read_text()[:100])
    files["narrow"].write_text("region\nnorth\n")
    files["wide"].write_text("x,y\n1,a\n3,b,5,6\n")
    files["semicolons"].write_text("x;y\n1;a\n3;b\n")
    pd.DataFrame({"x": [1.0, 2.0, 3.0], "y": pd.array([True, None, False], dtype="boolean")}).to_parquet(files["gaps"])
    done = run(*(word.format(table=table, model=model, **files) for word in words), ok=False)
    assert done.returncode == 1
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stdout == ""


def test_words_that_may_be_categories_are_not_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("alley,y\n" + "None,1\npaved,0\n,0\n" * 60)
    assert "alley in {None}" in run("fit", path, "--target", "y", "--holdout", 0).stdout


def test_wrong_usage_is_exit_code_2() -> None:
    assert run("fit", "t.csv", "--target", "y", "--seed", -1, ok=False).returncode == 2
    assert run("fit", ok=False).returncode == 2
    assert run("dance", ok=False).returncode == 2


def test_the_version() -> None:
    import r2n

    assert run("--version").stdout.strip() == r2n.__version__


def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    rules = RuleSet.parse('"[bold]" if "[red]x[/red]" > 1 and "a:smile:" in {"[/]"} else no')
    rules.save(path)
    assert str(rules) in run("show", path).stdout


def test_a_pipe_gets_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    rules = RuleSet.parse("größer if x - 2·y > 1 else no")
    rules.save(path)
    assert str(rules) in run("show", path, PYTHONIOENCODING="ascii").stdout
    said = run("explain", path, "x=0", "y=0", PYTHONIOENCODING="cp1252").stdout
    assert "2·y" in said
    assert "0 → " in said
    (tmp_path / "t.csv").write_text("x,y\n9,1\n", encoding="utf-8")
    assert run("predict", path, tmp_path / "t.csv", PYTHONIOENCODING="ascii").stdout == "prediction\ngrößer\n"
    assert "there is no file größe.csv" in run("predict", path, "größe.csv", ok=False, PYTHONIOENCODING="ascii").stderr


@pytest.mark.skipif(sys.platform == "win32", reason="words are text there, not bytes")
@pytest.mark.parametrize(
    ("to", "option"), [("markdown", "--title"), ("latex", "--prediction"), ("onnx", "--rule")], ids=str
)
def test_an_option_that_cannot_be_written_is_named(to: str, option: str, tmp_path: Path) -> None:
    RuleSet.parse("yes if x > 1 else no").save(tmp_path / "m.json")
    said = run("export", tmp_path / "m.json", "--to", to, option, "a\udcff", "-o", tmp_path / "m", ok=False).stderr
    assert said == f"error: {option} is 'a\\udcff', which cannot be written as UTF-8. Give it as UTF-8 text.\n"


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def test_a_terminal_keeps_its_encoding_and_shows_what_it_can() -> None:
    for encoding, shown in (("cp1252", "2·y ? ü"), ("ascii", "2?y ? ?"), ("utf-8", "2·y → ü")):
        terminal = _Terminal(io.BytesIO(), encoding=encoding, errors="strict")
        accept_all_signs(terminal)
        terminal.write("2·y → ü")
        terminal.flush()
        assert terminal.buffer.getvalue().decode(encoding) == shown  # type: ignore[attr-defined]


@pytest.mark.slow
def test_ctrl_c_during_a_fit_still_shows_rules(table: Path, tmp_path: Path) -> None:
    """A long fit is interrupted for real: the best so far is shown, with a warning."""
    code = (
        "import sys, pandas as pd, warnings\n"
        "from r2n import NetworkSettings, R2NClassifier\n"
        f"frame = pd.read_csv({str(table)!r})\n"
        "y = frame.pop('paid back')\n"
        "tell = lambda seen: getattr(seen, 'epoch', 0) == 50 and print('training', flush=True)\n"
        "network = NetworkSettings(epochs=1_000_000, gamma=0.9)\n"
        "model = R2NClassifier(network=network, callback=tell, random_state=0).fit(frame, y)\n"
        "print(model.rules_, flush=True)"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ.copy()
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "training\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert process.returncode == 0, stderr
    assert "yes if" in stdout
    assert "the rules are the best found until then" in stderr


def test_several_classes_and_values_that_stand_for_missing_ones(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    size, kind = rng.integers(0, 30, 240), rng.choice(["a", "?"], 240)
    frame = pd.DataFrame({"size": np.where(rng.random(240) < 0.1, -9, size), "kind": kind})
    frame["class"] = np.where(kind == "?", "none", np.where(size > 15, "large", "small"))
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    frame.to_csv(table, index=False)
    done = run("fit", table, "--target", "class", "--missing", "?", "--missing", "-9", "-o", model)
    assert "none if kind is missing" in done.stdout
    shown = run("show", model).stdout
    assert shown.replace(" if known else ", " ").count(" if ") == 3  # what a missing size counts as is no branch
    said = run("predict", model, table).stdout.splitlines()[1:]
    assert np.mean(np.array(said) == frame["class"]) > 0.9
