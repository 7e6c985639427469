"""Every record says what made it; no row of a page is of two learners or machines."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import r2n
from benchmarks.harness import records, stamp
from benchmarks.harness.benchmark import is_made_here
from benchmarks.harness.origins import Legend, MixedOriginsError, Origin, of_newest_origin, one_origin
from benchmarks.harness.pages import render
from benchmarks.harness.records import newest
from benchmarks.views import refine, results
from benchmarks.views.summary import Evaluation, Summary, by_origin
from benchmarks.views.tables import Way

ROOT = Path(__file__).parents[2]
VERSIONS = {"python": "3.11.7", "numpy": "2.4.6", "jax": "0.10.2", "r2n": "0.1.0"}


def record(source: str | None = None, revision: str | None = None, **more: Any) -> dict[str, Any]:
    """As written today, or, without a source, as before there were hashes."""
    if source is None:
        return {"versions": VERSIONS | ({"revision": revision} if revision else {})} | more
    made = {"r2n": "0.1.0", "source": source, "methods": "m", "revision": revision, "clean": True}
    return {"versions": VERSIONS, "made_by": made | {"processor": "a chip", "blas": ["openblas 0.3 Zen"]}} | more


def cell(table: str, repeat: int, method: str = "r2n", experiment: str = "known") -> dict[str, Any]:
    keys = {"experiment": experiment, "table": table, "method": method, "repeat": repeat, "value": None}
    figures = {"accuracy": 0.5, "n_rules": 1, "literals_per_rule": 1.0, "size": 1, "seconds": 1.0, "rules": "r"}
    return {**keys, **figures, "most_columns": 1, "structure": True, "front": []}


def test_a_record_says_which_r2n_and_which_machine() -> None:
    made = stamp.made_by()
    assert (made["r2n"], len(made["source"]), len(made["methods"])) == (r2n.__version__, 12, 12)
    assert made["processor"]
    assert all(name.split()[0] in ("openblas", "mkl", "blis", "flexiblas") for name in made["blas"])


def test_the_hash_is_that_of_files_and_their_names(tmp_path: Path) -> None:
    def source() -> str:
        return stamp.source_of(tmp_path.rglob("*.py"), tmp_path)

    (tmp_path / "a.py").write_text("x = 1")
    first = source()
    assert first == source()
    (tmp_path / "a.py").write_text("x = 2")
    second = source()
    (tmp_path / "a.py").rename(tmp_path / "b.py")
    assert len({first, second, source()}) == 3


def test_the_stamp_is_of_the_r2n_that_is_imported_not_of_the_checkout(tmp_path: Path) -> None:
    shutil.copytree(stamp.PACKAGE, tmp_path / "r2n", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "r2n" / "presets.py").open("a", encoding="utf-8") as file:
        file.write("\n# another learner\n")
    code = "import json; from benchmarks.harness.stamp import made_by; print(json.dumps(made_by()))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    made = json.loads(ran.stdout)
    assert made["source"] != stamp.SOURCE
    assert made["methods"] == stamp.METHODS_SOURCE
    assert (made["revision"], made["clean"]) == (None, None)


def test_two_learners_or_two_machines_in_one_row_are_refused() -> None:
    elsewhere = record("aa")
    elsewhere["made_by"]["blas"] = ["openblas 0.3 Haswell"]
    for other in (record("bb"), elsewhere, record(None, "861ae0a"), record(None)):
        with pytest.raises(MixedOriginsError, match="one row of 2 origins"):
            one_origin([record("aa"), other])
        with pytest.raises(MixedOriginsError):
            Legend().mark([record("aa"), other])
        with pytest.raises(MixedOriginsError):
            _ = Summary((record("aa"), other)).origin
    assert one_origin([record("aa", "1"), record("aa", "2")]).learner == "r2n 0.1.0, source aa"


def test_the_others_are_of_the_benchmarks_methods_whatever_r2n_is_imported() -> None:
    assert Origin.of(record("aa", method="tree")) == Origin.of(record("bb", method="tree"))
    assert Origin.of(record("aa", method="capped")) != Origin.of(record("bb", method="capped"))
    assert Origin.of(record("aa", method="literals tree")) != Origin.of(record("bb", method="literals tree"))


def test_the_newest_is_the_one_written_last_and_its_origin_counts() -> None:
    written = [record("aa", seed=0), record("aa", seed=1), record("bb", seed=0)]
    found = newest(written, lambda r: r["seed"])
    assert [(r["seed"], r["made_by"]["source"]) for r in found] == [(1, "aa"), (0, "bb")]
    assert of_newest_origin(found) == [written[2]]


def test_an_evaluation_leaves_out_what_another_learner_ran_of_a_cell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    written = [
        record(None, "0d16dc8", **cell("example 1", 0)),
        record(None, "0d16dc8", **cell("example 1", 1)),
        record(None, "0d16dc8", **cell("example 2", 0)),
        record("aa", "abc1234", **cell("example 1", 0)),
    ]
    (tmp_path / "evaluation.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in written))
    evaluation = Evaluation()
    cells = [evaluation.of("known", f"example {k}", "r2n") for k in (1, 2, 3)]
    assert [len(each.records) for each in cells] == [1, 1, 0]
    assert evaluation.left_out == 1
    assert [[len(each.records) for each in row] for row in by_origin(cells)] == [[1, 0, 0], [0, 1, 0]]
    said = render("results.md.j2", results.view_of(evaluation))
    lines = [line for line in said.splitlines() if line.startswith("| r2n | ")]
    assert lines[0].startswith("| r2n | a | 1 | 0.5000")
    assert lines[1].startswith("| r2n | b | 1 | — | 0.5000")
    assert "- a: r2n 0.1.0, source aa (revision abc1234); a chip; openblas 0.3 Zen;" in said
    assert "- b: checkout at 0d16dc8; which r2n was imported, the processor and the BLAS were not recorded." in said


def test_a_row_of_refinement_is_of_its_newest_learner_and_two_are_not_compared() -> None:
    def run(task: str, fold: int, source: str | None) -> dict[str, Any]:
        figures = {"accuracy": 0.8, "n_rules": 1, "literals_per_rule": 1.0, "size": 1, "seconds": 1.0}
        return record(source, task=task, table="magic", fold=fold) | figures

    old = [run("real", fold, None) for fold in range(5)] + [run("thorough", fold, None) for fold in range(5)]
    groups = refine.grouped([*old, run("real", 3, "aa")])
    assert [len(found) for found in groups.values()] == [1, 5]
    text = render("refine.md.j2", refine.view_of(groups))
    assert "| magic | a | default | 6 | 1 | 0.8000 |" in text
    assert "| magic | ? | thorough | 6 | 5 | 0.8000 |" in text
    assert "Not compared, as the two were run by different learners: magic." in text


def test_what_this_learner_made_is_told_from_what_others_made() -> None:
    here = {"made_by": stamp.made_by(), "versions": stamp.versions(), "method": "r2n"}
    assert is_made_here(here)
    assert not is_made_here(here | {"made_by": stamp.made_by() | {"source": "another"}})


def test_tables_of_two_learners_are_not_compared() -> None:
    way, as_it_is = ([record(source, fold=0, accuracy=0.5)] for source in ("aa", "bb"))
    assert not Way("t", "w", way, as_it_is).is_comparable
    ahead = Way("t", "w", way, [record("aa", fold=0, accuracy=0.25)]).ahead
    assert ahead is not None
    assert (ahead.mean, ahead.error) == (0.25, 0.0)
