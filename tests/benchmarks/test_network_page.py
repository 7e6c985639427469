"""docs/network.md: its sentences follow from the records, whatever these say."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.harness import records
from benchmarks.harness.pages import render
from benchmarks.protocol import EXPERIMENTS, Cell
from benchmarks.trial import split
from benchmarks.views.network import compare, view_of
from benchmarks.views.summary import Evaluation

MADE = {
    "r2n": "0.1.0",
    "source": "aa",
    "methods": "m",
    "revision": "abc",
    "clean": True,
    "processor": "p",
    "blas": ["b"],
}


def run(method: str, table: str, repeat: int, accuracy: float, cpu: float, **more: Any) -> dict[str, Any]:
    (experiment,) = (name for name in ("known", "harder", "unseen") if table in EXPERIMENTS[name]["tables"])
    told = {"experiment": experiment, "table": table, "method": method, "repeat": repeat, "value": None, "settings": {}}
    figures = {"accuracy": accuracy, "cpu": cpu, "size": 4, "structure": None if experiment == "unseen" else True}
    return told | figures | {"made_by": MADE, "versions": {}} | more


@pytest.fixture
def shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page of these accuracies and CPU seconds of both and of the search, on two tables."""
    monkeypatch.setattr(records, "RESULTS", tmp_path)

    def page(both: float, search: float, cpu: float) -> str:
        ways = {"network": (0.7, 1.0), "search": (search, 10.0), "r2n": (both, cpu)}
        lines = [
            run(method, table, repeat, accuracy + 0.001 * (repeat % 2), seconds)
            for table in ("magic", "example 1")
            for method, (accuracy, seconds) in ways.items()
            for repeat in range(4)
        ]
        (tmp_path / "evaluation.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        return " ".join(render("network.md.j2", view_of(Evaluation())).split())

    return page


def test_who_is_ahead_is_said_as_it_was_measured(shown: Any) -> None:
    better = shown(0.9, 0.8, 12.0)
    assert "more accurate than the search alone on: example 1 (+0.1000); magic (+0.1000)." in better
    assert "less accurate on: no table." in better
    assert "the network's contribution shows in accuracy on 2 of 2 tables." in better
    assert "both take 1.20 (from 1.20 on example 1 to 1.20 on example 1) times" in better
    worse = shown(0.8, 0.9, 12.0)
    assert "less accurate on: example 1 (-0.1000); magic (-0.1000)." in worse
    assert "not plain to see: the search alone (`network=None`) is rather the more accurate one" in worse
    assert "takes no more CPU on 2 of 2." in worse
    even = shown(0.8, 0.8, 12.0)
    assert "On 2 of 2 tables the two are not told apart." in even
    assert "is about as accurate, and takes no more CPU on 2 of 2." in even
    assert "contribution shows in CPU on 2 of 2." in shown(0.8, 0.8, 9.0)


def test_rows_are_of_one_learner_and_of_common_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "RESULTS", tmp_path)
    lines = [run(method, "magic", repeat, 0.8, 1.0) for method in ("network", "search") for repeat in range(3)]
    lines += [run("r2n", "magic", repeat, 0.8, 1.0) for repeat in (2, 1)]
    lines += [run(method, "house", 0, 0.8, 1.0) for method in ("network", "search")]
    lines += [run("r2n", "house", 0, 0.8, 1.0, made_by=MADE | {"source": "bb"})]
    (tmp_path / "evaluation.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    found, missing = compare(Evaluation())
    assert [one.table for one in found] == ["magic"]
    assert [[record["repeat"] for record in way.done] for way in found[0].ways] == [[1, 2]] * 3
    assert "house" in missing
    assert len(missing) == 10


def test_idle_columns_are_added_to_the_same_rows() -> None:
    plain, wide = (split(Cell("harder", table, "r2n", 3)) for table in EXPERIMENTS["harder"]["tables"])
    assert (plain.X.shape, wide.X.shape) == ((8_000, 10), (8_000, 18))
    assert (wide.X[:, :10] == plain.X).all()
    assert (plain.y == wide.y).all()
    assert plain.truth is not None
    assert (len(plain.truth.rules), {len(rule.literals) for rule in plain.truth.rules}) == (5, {3})
    assert plain.truth != split(Cell("harder", "5 rules of 3 literals", "r2n", 4)).truth
