"""docs/speed.md: an earlier commit beside the present checkout; and the processes in which its r2n learns."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness.command import parser_of
from benchmarks.harness.pages import render
from benchmarks.harness.stamp import PACKAGE, ROOT, made_by
from benchmarks.speed import SPEED, is_done
from benchmarks.trees import ask, check_out, environment_of
from benchmarks.views.speed import BESIDE, OLDER, PRESENT, view_of

MADE = {"r2n": "0.1.0", "methods": "m", "clean": True, "processor": "a chip", "blas": ["openblas"]}


def record(what: str, source: str = "new", **more: Any) -> dict[str, Any]:
    return {"what": what, "versions": {}, "made_by": MADE | {"source": source, "revision": source}} | more


def fits(older: float, present: float, **more: Any) -> dict[str, Any]:
    """CPU seconds of both."""
    figures = {"accuracy": 0.8, "size": 10, "n_rules": 2, **more}
    return {"older": figures | {"cpu": older}, PRESENT: figures | {"cpu": present, "accuracy": 0.9}}


OTHERS = {name: {"cpu": 1.0, "accuracy": 0.7, "size": 3 if name == "figs" else None} for name in BESIDE}
RECORDS = [
    record("beside", table="magic", repeat=0, others=OTHERS, **fits(60.0, 6.0)),
    record("beside", table="heloc", repeat=0, others=OTHERS, **fits(30.0, 6.0)),
    record("beside", "stale", table="example 1", repeat=0, others={}, **fits(9.0, 9.0, structure=False)),
    *(record("beside", table="example 1", repeat=k, others={}, **fits(2.0, 1.0, structure=True)) for k in (1, 2)),
    *(record("seeds", OLDER, tree=OLDER, repeat=k, accuracy=0.7 + 0.02 * k, size=9, cpu=29.0) for k in (0, 1)),
    *(record("seeds", tree=PRESENT, repeat=k, accuracy=0.72 + 0.01 * k, size=8, cpu=5.0) for k in (0, 1)),
    record("demo", older={"cold": 6.0, "kept": 4.0}, present={"cold": 3.0, "kept": 2.0}),
    record("rows", rows=1_000, present={"cpu": 1.0, "table_mb": 0.1, "peak_over_table": 9.0, "n_rules": 2, "size": 5}),
    record(
        "rows",
        rows=1_000_000,
        present={"cpu": 500.0, "table_mb": 80.0, "peak_over_table": 3.0, "n_rules": 2, "size": 5},
        older={"cpu": 1_000.0, "table_mb": 80.0, "peak_over_table": 4.0, "n_rules": 2, "size": 5},
    ),
]


def test_then_and_now_are_shown_as_they_were_measured() -> None:
    page = render("speed.md.j2", view_of(RECORDS))
    assert "| magic | a | 1 | 60.0 s · 0.8000 · 10.0 | 6.0 s · 0.9000 · 10.0 | 0.10 |" in page
    assert "| example 1 | a | 2 | 2.0 s · 0.8000 · 10.0 · 2 of 2 | 1.0 s · 0.9000 · 10.0 · 2 of 2 | 0.50 |" in page
    said = " ".join(page.split())
    assert "On the real tables a fit takes at most 0.20 of the CPU that it took (heloc); the mean accuracy was" in said
    assert "On the known rules a fit takes at most 0.50 of the CPU that it took (example 1)" in said
    assert "1.0 s · 0.7000 · 3 |" in page
    assert "| 861ae0a | b | 2 | 0.7100 | 0.0100 | 0.7000 | 0.7200 | 9.0 | 29.0 |" in page
    assert "The deviation over seeds is 0.50 of what it was at 861ae0a." in page
    assert "| present | a | 3.0 | 2.0 |" in page
    assert "It takes 0.50 of the time that it took if nothing is kept, and 0.50 if all is." in page
    assert "| 1,000,000 | a | 500.0 | 2000.0 | 80.0 | 3.0 | 2 | 5 | 1000.0 | 4.0 | 0.50 |" in page
    assert "- b: r2n 0.1.0, source 861ae0a (revision 861ae0a)" in page


def test_what_has_no_record_yet_is_left_out() -> None:
    page = render("speed.md.j2", view_of([]))
    for heading in ("## Fits at revision", "## One split", "## `r2n demo`", "## Default fits of many rows"):
        assert heading not in page
    assert "## What a fit compiles" in page


def test_what_compilations_were_counted_without_loops_is_counted_again() -> None:
    (case,) = SPEED.cases(parser_of(SPEED).parse_args(["--parts", "compilation"]))
    for counted, done in (({"rows": 1, "loops_compiled": 0}, True), ({"rows": 1}, False)):
        assert is_done(case, {"what": "compilation", "fits": [counted]}) is done
    assert is_done(case, {"what": "import"})


@pytest.mark.slow
def test_work_is_done_with_the_r2n_of_the_tree_that_is_named(tmp_path: Path) -> None:
    assert environment_of(PACKAGE, tmp_path)["NUMBA_CACHE_DIR"] == str(tmp_path)
    found = ask(PACKAGE, "fit", table="example 1", repeat=0, fold_seed=0, seed=0)
    assert found["accuracy"] > 0.99
    assert found["made_by"]["source"] == made_by()["source"]
    with pytest.raises(RuntimeError, match="ended with exit code"):
        ask(PACKAGE, "no such work")


def test_an_earlier_commit_is_checked_out_and_gone_afterwards() -> None:
    known = subprocess.run(["git", "cat-file", "-e", OLDER], cwd=ROOT, capture_output=True, check=False)
    if known.returncode:
        pytest.skip(f"no git, or no history: {OLDER} is not here")
    with check_out(OLDER) as package:
        assert (package / "refine").is_dir(), "as this room was called then"
        assert not (package / "search").exists()
    assert not package.exists()
