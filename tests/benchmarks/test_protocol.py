"""The evaluation: cells stated once, run in killable processes, taken up where they were left."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import r2n
from benchmarks.__main__ import EVALUATION, case_of
from benchmarks.harness import records
from benchmarks.harness.case import said_of
from benchmarks.protocol import EXPERIMENTS, METHODS, PRINTED, Cell, cells, key_of
from benchmarks.trial import MAKERS, Opposite, made, run, split
from benchmarks.views.summary import Evaluation
from r2n import RuleSet, datasets
from r2n.errors import DataUnavailable

ROOT = Path(__file__).parents[2]
CAUGHT: dict[str, Any] = {"capture_output": True, "text": True, "cwd": ROOT}


def run_script(folder: Path, code: str) -> "subprocess.Popen[str]":
    """A program of its own, since its processes must find what they are to run."""
    script = folder / "go.py"
    script.write_text(f"from pathlib import Path\nimport sys, time, json\n{code}")
    words = [sys.executable, str(script), str(folder)]
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT, env=env)


def test_every_cell_is_stated_once_and_can_be_made() -> None:
    keys = [cell.key for cell in cells()]
    assert len(set(keys)) == len(keys)
    assert {cell.method for cell in cells()} == set(METHODS)
    assert {cell.key for cell in cells(quick=True)} <= set(keys)
    assert set(MAKERS) <= set(METHODS)


def test_settings_reach_the_methods() -> None:
    known, real = (made(Cell(*where, "paper", 0)).model_ for where in (("known", "example 1"), ("real", "adult")))
    networks = [(own.restarts, own.penalty, own.scaling, own.or_gate) for own in (known.network, real.network)]
    assert networks == [(25, 1e-2, "none", "sum"), (5, 1e-3, "standard", "sum")]
    assert real.time_limit == 270
    assert made(Cell("penalty", "example 4", "network", 0, 0.3)).model_.network.penalty == 0.3
    assert made(Cell("real", "adult", "capped", 0)).model_.max_rules == 2
    assert [made(Cell(*where, "drnet", 0)).bins for where in (("known", "example 1"), ("real", "adult"))] == [40, 9]
    assert made(Cell("known", "example 1", "ripper-raw", 0)).bins is None


def test_the_printed_figures_of_others_are_for_the_other_class() -> None:
    magic = Cell("real", "magic", "brcg", 0)
    assert magic.settings == {"opposite": True}
    assert isinstance(made(magic), Opposite)
    assert not isinstance(made(Cell("real", "house", "brcg", 0)), Opposite)
    rows = split(Cell("rows", "example 1", "tree", 0, 200))
    one, other = (wrapped(MAKERS["tree"](0)).fit(rows.X, rows.y) for wrapped in (lambda model: model, Opposite))
    assert (other.model_.predict(rows.X) == ~rows.y).mean() > 0.95
    assert (other.predict(rows.X) == rows.y).mean() > 0.95
    assert (one.n_rules, other.n_rules) == (2, 1), "x0 > 0.25 or x1 < 0.5, and its opposite"


def test_a_record_that_failed_or_had_other_settings_is_run_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    cell = Cell("real", "adult", "drnet", 0)

    def is_left(**found: Any) -> bool:
        records.append("evaluation", run_record(cell, **found))
        return bool(EVALUATION.missing([case_of(cell)]))

    assert EVALUATION.missing([case_of(cell)]), "it was never run"
    assert not is_left(accuracy=0.8, settings={"bins": 9})
    assert EVALUATION.missing([case_of(cell)], again=True)
    assert not is_left(timed_out=1_800, settings={"bins": 9})
    assert is_left(timed_out=900, settings={"bins": 9}), "it has more time now"
    assert is_left(accuracy=0.8, settings={"bins": 40})
    assert is_left(failed="no table", settings={"bins": 9})


def test_what_another_learner_ran_is_run_anew_if_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    wanted = [case_of(Cell("known", f"example {k}", "r2n", 0)) for k in (1, 2)]
    for case in wanted:
        records.append("evaluation", case.told | {"accuracy": 1.0})
    assert EVALUATION.missing(wanted, renew=True) == []
    old = records.read("evaluation")[1]
    old["made_by"]["source"] = "another"
    records.append("evaluation", old)
    assert EVALUATION.missing(wanted) == []
    assert EVALUATION.missing(wanted, renew=True) == wanted[1:]


def test_what_is_printed_in_the_paper_covers_its_tables() -> None:
    for method, numbers in PRINTED["Table 1, top"].items():
        assert method in METHODS
        assert len(numbers) == 5
    for shown in PRINTED["Appendix E"].values():
        RuleSet.parse(f"True if {shown} else False")


def test_a_split_is_the_same_each_time_and_noise_touches_only_rows_to_learn_from() -> None:
    cell = Cell("noise", "example 4", "r2n", 0, 0.2)
    rows, again = split(cell), split(cell)
    assert rows.X.equals(again.X)
    assert rows.truth is not None
    assert np.mean(rows.truth.truth(rows.X) != rows.y) == pytest.approx(0.2, abs=0.02)
    assert (rows.truth.truth(rows.X_test) == rows.y_test).all()
    assert len(split(Cell("rows", "example 4", "r2n", 0, 100)).X) == 100


HARD_CELLS = """
from functools import partial
from benchmarks.harness.case import Case
from benchmarks.harness.workers import run_all

def trial(repeat):
    match repeat:
        case 1: raise ValueError("as it should")
        case 2: sys.exit(3)
        case 3: time.sleep(600)
    return {"accuracy": 0.5}

if __name__ == "__main__":
    wanted = [Case({"method": "tree", "repeat": repeat}, partial(trial, repeat), 10) for repeat in range(5)]
    print(json.dumps(list(run_all(wanted, 1))))
"""


LEFT_ALONE = """
from benchmarks.harness.case import Case
from benchmarks.harness.workers import run_all

def trial():
    print("running", flush=True)
    time.sleep(600)

if __name__ == "__main__":
    list(run_all([Case({}, trial)], 1))
"""


def test_a_killed_run_leaves_no_process_behind(tmp_path: Path) -> None:
    with run_script(tmp_path, LEFT_ALONE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == "running\n"
        parent.kill()
        parent.communicate(timeout=60)  # the worker's end of the pipe is closed too


@pytest.mark.slow
def test_a_cell_that_fails_dies_or_hangs_is_a_record_and_the_next_one_runs(tmp_path: Path) -> None:
    out, _ = run_script(tmp_path, HARD_CELLS).communicate(timeout=300)
    found = {record["repeat"]: record for record in json.loads(out.splitlines()[-1])}
    assert found[0]["accuracy"] == found[4]["accuracy"] == 0.5
    assert found[1]["failed"] == "ValueError: as it should"
    assert found[2]["failed"] == "the process ended with exit code 3"
    assert found[3]["timed_out"] == 10
    assert "stopped after 10 s" in said_of(found[3])


TO_BE_KILLED = """
from benchmarks.harness import records
records.RESULTS = Path(sys.argv[1])
from benchmarks.__main__ import EVALUATION, case_of
from benchmarks.harness.command import evaluate
from benchmarks.protocol import Cell
if __name__ == "__main__":
    evaluate(EVALUATION, [case_of(Cell("known", "example 1", "tree", seed)) for seed in range(4)], 1)
"""


@pytest.mark.slow
def test_a_run_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    results = tmp_path / "evaluation.jsonl"
    with run_script(tmp_path, TO_BE_KILLED) as first:
        while not (results.exists() and results.read_text()):
            assert first.poll() is None
            time.sleep(0.05)
        first.kill()
    kept = results.read_text()
    with results.open("a") as file:
        file.write('{"experiment": "known", "tab')  # as if killed while writing
    out, _ = run_script(tmp_path, TO_BE_KILLED).communicate(timeout=300)
    assert f"4 cases, {kept.count(chr(10))} of them run before" in out
    assert results.read_text().startswith(kept)
    found = [key_of(json.loads(line)) for line in results.read_text().splitlines()]
    assert sorted(seed for _, _, _, seed, _ in found) == [0, 1, 2, 3]


def test_records_are_only_added_and_a_broken_line_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    for number in (0, 2):
        records.append("some", {"number": number, "text": "a\u2028b"})
    assert [record["number"] for record in records.read("some")] == [0, 2]
    assert records.read("some")[0]["versions"]["r2n"] == r2n.__version__
    path = tmp_path / "some.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"number": 2', '"number" 2'), encoding="utf-8")
    with pytest.raises(SystemExit, match=r"some\.jsonl, line 2, is no JSON"):
        records.read("some")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--jobs", "0"], "argument --jobs: 0: at least one case must run at a time"),
        (["--quick", "--page"], "--page writes the pages of the whole evaluation: leave --quick out"),
    ],
)
def test_options_that_make_no_sense_are_refused(words: list[str], told: str) -> None:
    ran = subprocess.run([sys.executable, "-m", "benchmarks", *words], check=False, **CAUGHT)
    assert ran.returncode == 2
    assert told in ran.stderr


def test_the_newest_record_of_a_cell_counts_and_late_ones_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    cell = Cell("known", "example 1", "tree", 0)
    for accuracy in (0.1, 0.9):
        records.append("evaluation", run_record(cell, accuracy=accuracy))
    records.append("evaluation", run_record(Cell("known", "example 1", "tree", 1), timed_out=300))
    summary = Evaluation().of("known", "example 1", "tree")
    assert summary.accuracy == 0.9
    assert summary.undone == "1 over 300 s"
    assert Evaluation().of("known", "example 2", "tree").accuracy is None


def run_record(cell: Cell, **found: Any) -> dict[str, Any]:
    return dict(zip(Cell.__slots__, cell.key, strict=True)) | found


def test_a_tree_is_fitted_and_counted() -> None:
    record = run(Cell("rows", "example 4", "tree", 0, 500))
    assert record["accuracy"] > 0.8
    assert record["size"] == round(record["n_rules"] * record["literals_per_rule"])


def test_every_method_has_the_same_unseen_folds_and_adult_test_once() -> None:
    wanted = cells(experiments=["unseen"])
    counts = {(cell.method, cell.table): 0 for cell in wanted}
    for cell in wanted:
        counts[cell.method, cell.table] += 1
    assert len(counts) == len(EXPERIMENTS["unseen"]["methods"]) * len(EXPERIMENTS["unseen"]["tables"])
    assert {count for (_, table), count in counts.items() if table != "adult, test"} == {5}
    assert {count for (_, table), count in counts.items() if table == "adult, test"} == {1}
    assert {"r2n", "capped", "network", "search"} <= {cell.method for cell in wanted}
    assert made(Cell("unseen", "magic", "search", 0)).model_.network is None
    assert made(Cell("unseen", "adult, test", "capped", 0)).model_.max_rules == 2


def test_unseen_folds_are_other_folds_than_those_of_table_1_and_adult_test_is_its_donors() -> None:
    for name in ("heloc", "adult"):
        if not datasets.available(name):
            pytest.skip(f"no copy of {name}: R2N_DATA does not name a folder with it, and the cache has none")
    seen, unseen = (split(Cell(name, "heloc", "tree", 0)) for name in ("real", "unseen"))
    assert len(seen.X_test) == len(unseen.X_test)
    assert len(set(seen.X_test.index) & set(unseen.X_test.index)) < 0.3 * len(seen.X_test)
    try:
        official = split(Cell("unseen", "adult, test", "tree", 0))
    except DataUnavailable:
        pytest.skip("no copy of adult.test")
    assert (len(official.X), len(official.X_test)) == (30_162, 15_060)
    assert official.y_test.mean() == pytest.approx(official.y.mean(), abs=0.01)
    assert official.X.dtypes.equals(official.X_test.dtypes)
