"""What the command line writes, and what it refuses before any work; driven as a process."""

import gzip
import json
import os
import pty
import shlex
import stat
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from r2n import RuleSet, load
from r2n.cli.app import main
from r2n.export import describe, formats, options_of
from r2n.rules import ClassRules
from tests.cli.test_cli import EXE, run

RULES = RuleSet.parse("yes if x > 0.3 else no")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("outputs")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(300), "z": rng.random(300)})
    frame["y"] = np.where(frame["x"] > 0.3, "yes", "no")
    frame.to_csv(folder / "table.csv", index=False)
    frame["y"] = frame["y"].mask(frame.index.isin([5, 17, 230]))
    frame.to_csv(folder / "gaps.csv", index=False)
    RULES.save(folder / "model.json")
    RuleSet.parse(f"yes if z in {{{', '.join(f'a{k}' for k in range(999))}}} else no").save(folder / "long.json")
    return folder


Refused = Callable[..., str]


@pytest.fixture
def refused(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Refused:
    """What a command says that fails before any training. Run in this process, which is quicker."""

    def ask(*words: object) -> str:
        with monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["r2n", *map(str, words)])
            patched.setattr(warnings, "showwarning", warnings.showwarning)
            patched.setattr("r2n.estimator.learning.learn_classes", lambda *_, **__: pytest.fail("it trained"))
            with pytest.raises(SystemExit) as ended:
                main()
        said = capsys.readouterr()
        assert (ended.value.code, said.out) == (1, "")
        assert said.err.startswith("error: ")
        return said.err

    return ask


# Not by preexec_fn: it forks this process, in which JAX may have threads.
LIMITED = """
import os, resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]),) * 2)
os.execvp(sys.argv[2], sys.argv[2:])
"""


def with_room(size: int, *words: object) -> subprocess.CompletedProcess[str]:
    """Run a command that may write files of so many bytes: a full disk."""
    limited = [sys.executable, "-c", LIMITED, str(size), *EXE, *map(str, words)]
    return subprocess.run(limited, capture_output=True, text=True, check=False, timeout=300)


# -- whole files -------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 5_000])
@pytest.mark.parametrize("command", ["predict", "export", "fit"])
def test_a_full_disk_leaves_the_old_file(command: str, size: int, here: Path, tmp_path: Path) -> None:
    if command == "fit" and size:
        pytest.skip("a model takes less room")
    table, path = tmp_path / "long.csv", tmp_path / "old"
    pd.DataFrame({"x": np.arange(2_000) / 2_000}).to_csv(table, index=False)
    words: dict[str, tuple[object, ...]] = {
        "predict": (here / "model.json", table),
        "export": (here / "long.json", "--to", "python"),
        "fit": (here / "table.csv", "--target", "y"),
    }
    path.write_text("the old one")
    done = with_room(size, command, *words[command], "-o", path)
    assert done.returncode == 1
    assert done.stderr.startswith(f"error: {path} could not be written (File too large)")
    assert done.stdout == ""
    assert path.read_text() == "the old one"
    assert sorted(os.listdir(tmp_path)) == ["long.csv", "old"]


def test_standard_output_on_a_full_disk_is_an_error(here: Path) -> None:
    for words in (("predict", here / "model.json", here / "table.csv"), ("show", here / "model.json")):
        with open("/dev/full", "w") as full:
            done = subprocess.run([*EXE, *map(str, words)], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
        assert (done.returncode, done.stderr) == (1, "error: [Errno 28] No space left on device\n")


@pytest.mark.parametrize("command", ["predict", "export", "fit"])
def test_what_cannot_be_written_to_is_refused_before_any_work(
    refused: Refused, command: str, here: Path, tmp_path: Path
) -> None:
    words: dict[str, tuple[object, ...]] = {
        "predict": (here / "model.json", "nowhere.csv"),  # which would be an error too, but later
        "export": (here / "nowhere.json", "--to", "sql"),
        "fit": ("nowhere.csv", "--target", "y"),
    }
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "dangling").symlink_to("nowhere")
    before = sorted(os.listdir(tmp_path))
    for path, message in {
        tmp_path / "pipe": "is a pipe or a device",
        tmp_path / "dangling": "is a link to nowhere, which is not there",
        "/proc/self/out": "could not be written",  # a folder that is read-only, for root too
        "/dev/stdout": "is a stream of this process",
        tmp_path: "is a folder",
        tmp_path / "nowhere" / "out": "its folder is not there",
    }.items():
        assert message in refused(command, *words[command], "-o", path)
    assert sorted(os.listdir(tmp_path)) == before


def test_a_log_is_not_replaced(here: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("first\n")
    with log.open("a") as stream:
        words = [*EXE, "predict", here / "model.json", here / "table.csv", "-o", "/dev/stdout"]
        assert subprocess.run(words, stdout=stream, stderr=subprocess.DEVNULL, check=False).returncode == 1
    assert log.read_text() == "first\n"


def test_private_outputs_stay_private(here: Path, tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.touch(mode=0o600)
    run("predict", here / "model.json", here / "table.csv", "-o", path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["out"]


# -- odd labels and files ----------------------------------------------------------------------------


def test_predictions_are_read_back_as_many_as_there_are(here: Path, tmp_path: Path) -> None:
    path, model = tmp_path / "out.csv", tmp_path / "m.json"
    odd = ["", " ", "  b", "b ", "a,b", 'say "no"', "a\nb", "a\rb", "\u2028", "\x0b"]
    text = " else ".join(f"{json.dumps(label)} if x > {1 - k / 10}" for k, label in enumerate(odd)) + " else no"
    rules = ClassRules.parse(text)
    rules.save(model)
    run("predict", model, here / "table.csv", "-o", path)
    expected = rules.predict(pd.read_csv(here / "table.csv")).tolist()
    assert len(set(expected)) == len(odd)  # one of them needs x > 1
    assert pd.read_csv(path, keep_default_na=False)["prediction"].tolist() == expected


def test_half_a_compressed_file_is_named(refused: Refused, here: Path, tmp_path: Path) -> None:
    whole = gzip.compress((here / "table.csv").read_bytes())
    path = tmp_path / "table.csv.gz"
    path.write_bytes(whole)
    assert len(run("predict", here / "model.json", path).stdout.splitlines()) == 301
    path.write_bytes(whole[: len(whole) // 2])
    assert f"{path} is not a whole gzip file" in refused("predict", here / "model.json", path)
    path.write_bytes(whole[:100] + bytes(100) + whole[200:])
    assert str(path) in refused("predict", here / "model.json", path)


# -- labels, before training -------------------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 3])
def test_rows_without_a_label_are_named_as_they_are_in_the_file(
    refused: Refused, seed: int, here: Path, tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    said = refused("fit", here / "gaps.csv", "--target", "y", "--seed", seed, "-o", path)
    assert "column 'y' holds no label in rows 5, 17 and 230 (the first row is 0)" in said
    assert "--drop-unlabelled" in said
    assert not path.exists()


def test_very_many_rows_are_not_all_named(refused: Refused, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": range(9_000), "y": ["a", None, "b"] * 3_000}).to_csv(path, index=False)
    said = refused("fit", path, "--target", "y")
    assert "and 2,980 more" in said
    assert len(said) < 500


def test_rows_without_a_label_are_left_out_if_that_is_asked(here: Path, tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    done = run("fit", here / "gaps.csv", "--target", "y", "--drop-unlabelled", "-o", path)
    assert "holds no label in rows 5, 17 and 230 (the first row is 0): left out" in done.stderr
    assert "on the 238 rows learned from" in done.stdout
    assert "on 59 held out" in done.stdout
    assert load(path).baseline.rows == 238


@pytest.mark.parametrize("seed", [0, 3])
def test_what_is_wrong_with_a_cell_is_told_with_its_row_in_the_file(
    refused: Refused, seed: int, here: Path, tmp_path: Path
) -> None:
    for row in (0, 150, 299):  # learned from or held out
        frame = pd.read_csv(here / "table.csv")
        frame.loc[row, "z"] = np.inf
        frame.to_parquet(tmp_path / "t.parquet")
        said = refused("fit", tmp_path / "t.parquet", "--target", "y", "--seed", seed)
        assert f"column 'z' holds inf (infinity) in row {row}." in said


@pytest.mark.parametrize(
    ("labels", "words", "message"),
    [
        (["a"] * 40, (), "one class only"),
        (["a"] * 39 + ["b"], ("--holdout", 0.9), "to learn from have no two classes in column 'y'"),
        (["a", "b"] * 20, ("--positive", "c"), "positive is 'c'"),
        ([None] * 40, ("--drop-unlabelled",), "no label at all"),
        (["a", "b"] * 20, ("--ignore", "x"), "no columns"),
    ],
)
def test_labels_are_checked_before_training(
    refused: Refused, labels: list[str], words: tuple[object, ...], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"x": range(40), "y": labels}).to_csv(path, index=False)
    assert message in refused("fit", path, "--target", "y", *words)


# -- a fit that is interrupted -----------------------------------------------------------------------


@pytest.mark.slow
def test_an_interrupted_fit_writes_beside_the_output_and_exits_130(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((20_000, 12))
    frame = pd.DataFrame(X).add_prefix("x").assign(y=(X[:, 0] + X[:, 1] > 1) ^ (rng.random(20_000) < 0.2))
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = tmp_path / "model.json"
    RULES.save(model)
    model.chmod(0o600)
    code = (
        "import signal, threading, os, sys\n"
        "from r2n.network import Training\n"
        "records = Training.__iter__\n"
        "def ended(self):\n"
        "    for k, record in enumerate(records(self)):\n"
        "        yield record\n"
        "        if k == 3: os.kill(os.getpid(), signal.SIGINT)\n"
        "Training.__iter__ = ended\n"
        "from r2n.cli.app import main; main()"
    )
    words = [sys.executable, "-c", code, "fit", tmp_path / "t.csv", "--target", "y", "-o", model]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 130, done.stderr
    assert "the rules are the best found until then" in done.stderr
    partial = tmp_path / "model.partial.json"
    assert f"saved to {partial}; {model} is as it was" in done.stdout
    assert load(model) == RULES
    assert str(load(partial)) in done.stdout
    assert stat.S_IMODE(partial.stat().st_mode) == 0o600, "who may not read the model may not read part of it"


def test_a_ctrl_c_before_there_are_rules_exits_130_and_writes_nothing(here: Path, tmp_path: Path) -> None:
    code = (
        "import os, signal\n"
        "from r2n.network import Training\n"
        "Training.__init__ = lambda *_, **__: os.kill(os.getpid(), signal.SIGINT)\n"
        "from r2n.cli.app import main; main()"
    )
    words = [sys.executable, "-c", code, "fit", here / "table.csv", "--target", "y", "-o", tmp_path / "m.json"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 130, done.stderr
    assert os.listdir(tmp_path) == []


# -- exports -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("to", ["workbook", "onnx"])
def test_bytes_are_not_shown_on_a_terminal(to: str, here: Path) -> None:
    near, far = pty.openpty()
    words = [*EXE, "export", str(here / "model.json"), "--to", to]
    done = subprocess.run(words, stdout=far, stderr=subprocess.PIPE, text=True, check=False)
    os.close(far)
    assert done.returncode == 1
    assert f"{to} is no text for a terminal. Name a file to write to: -o model." in done.stderr
    with pytest.raises(OSError, match="Input/output error"):  # nothing was written there
        os.read(near, 1)
    os.close(near)


def test_the_help_shows_the_options_of_a_format() -> None:
    said = run("export", "--to", "sql", "--help", COLUMNS="100").stdout
    assert all(f"--{name}" in said for name in options_of("sql"))
    assert "bigquery" in said
    assert "--module" not in said
    assert "--module" in run("export", "model.json", "--to=javascript", "--help").stdout


@pytest.mark.parametrize("to", formats())
def test_every_option_is_described(to: str) -> None:
    text, options = describe(to)
    assert text
    assert all(words and not words.startswith(" [") for words in options.values())


def test_leftovers_of_a_killed_command_go_with_the_next(here: Path, tmp_path: Path) -> None:
    code = (
        "import os, time\n"
        "from r2n.runtime import outputs\n"
        "class Slow:\n"
        "    def __getattr__(self, name):\n"
        "        if name == 'replace': print('here', flush=True), time.sleep(60)\n"
        "        return getattr(os, name)\n"
        "outputs.os = Slow()\n"
        "from r2n.cli.app import main; main()"
    )
    words = [str(here / "model.json"), str(here / "table.csv"), "-o", str(tmp_path / "out.csv")]
    with subprocess.Popen([sys.executable, "-c", code, "predict", *words], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        process.kill()
    assert said == b"here\n"
    assert len(os.listdir(tmp_path)) == 1
    time.sleep(0.1)
    run("predict", *words)
    assert os.listdir(tmp_path) == ["out.csv"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_whole_labels_with_gaps_stay_whole(ending: str, tmp_path: Path) -> None:
    """pandas reads 1, 0 and a gap as floats; rules would then say 1.0."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.random(200)})
    frame["y"] = (frame["x"] > 0.4).astype("Int64").mask(frame.index.isin([3, 50]))
    path = tmp_path / f"t.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    model = tmp_path / "model.json"
    assert run("fit", path, "--target", "y", "--drop-unlabelled", "-o", model).returncode == 0
    rules = load(model)
    assert isinstance(rules, RuleSet)
    assert (type(rules.label), type(rules.default)) == (int, int)


def test_a_table_is_not_written_over_by_its_model(here: Path, refused: Refused) -> None:
    assert "is the table that is read" in refused("fit", here / "table.csv", "--target", "y", "-o", here / "table.csv")


def test_a_folder_in_the_place_of_the_partial_model_is_found_out_before(
    here: Path, tmp_path: Path, refused: Refused
) -> None:
    (tmp_path / "m.partial.json").mkdir()
    assert "is a folder" in refused("fit", here / "table.csv", "--target", "y", "-o", tmp_path / "m.json")


def test_closed_standard_output_is_no_crash(here: Path, tmp_path: Path) -> None:
    predict = [*EXE, "predict", str(here / "model.json"), str(here / "table.csv")]
    shell = ["bash", "-c", 'exec "$@" >&-', "bash"]
    to_file = [*shell, *predict, "-o", str(tmp_path / "p.csv")]
    done = subprocess.run(to_file, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, (tmp_path / "p.csv").read_text().count("\n")) == (0, 301), done.stderr
    done = subprocess.run([*shell, *predict], stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert "standard output is closed" in done.stderr


def test_unbuffered_standard_output_is_written_whole_or_fails(here: Path, tmp_path: Path) -> None:
    """Unbuffered, a write to a file near its limit is partial and no error: the rest must be written, or told."""
    big = tmp_path / "big.csv"
    pd.DataFrame({"x": np.linspace(0, 1, 20_000), "z": 0.5}).to_csv(big, index=False)
    words = [*EXE, "predict", str(here / "model.json"), str(big)]
    code = f"ulimit -f 16; exec {shlex.join(words)} > {shlex.quote(str(tmp_path / 'out'))}"
    settings = {**os.environ, "PYTHONUNBUFFERED": "1"}
    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False, env=settings)
    assert done.returncode != 0
    assert (tmp_path / "out").stat().st_size <= 16 * 1024


@pytest.mark.parametrize("labels", [("no", "yes, certainly"), ("a", "a\0")])
def test_labels_are_written_as_they_are_beside_rows_without_one(labels: tuple[str, str], tmp_path: Path) -> None:
    """The first label is the shorter one: an array as wide as it would cut the other."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": np.r_[0.0, rng.random(199)]})
    frame["y"] = np.where(frame["x"] > 0.4, labels[1], labels[0]).astype(object)
    frame.loc[frame["x"] > 0.4, "y"] = labels[1]  # numpy cuts a NUL off the end
    frame.loc[[3, 50], "y"] = None
    frame.to_parquet(tmp_path / "t.parquet")
    model = tmp_path / "model.json"
    done = run("fit", tmp_path / "t.parquet", "--target", "y", "--drop-unlabelled", "-o", model)
    assert done.returncode == 0, done.stderr
    rules = load(model)
    assert isinstance(rules, RuleSet)
    assert {rules.label, rules.default} == set(labels)
