"""`r2n update`, and `r2n check --groups`, driven as a process."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from r2n.explain import groups
from r2n.rules import RuleSet, load
from r2n.table import Schema
from tests.cli.test_cli import run


def people(n: int, bound: float, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 80, n), "sex": rng.choice(["f", "m"], n), "x": rng.random(n).round(3)}
    )
    return frame.assign(paid=np.where(frame["age"] > bound, "yes", "no"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("update")
    then = people(500, 60, 0)
    X = then.drop(columns="paid")
    RuleSet.parse("yes if age > 60 else no", Schema.learn(X)[0]).counted(X, then["paid"]).save(folder / "m.json")
    people(500, 60, 1).to_csv(folder / "same.csv", index=False)
    people(500, 45, 2).to_csv(folder / "later.csv", index=False)
    return folder


def test_what_drifted_is_shown_and_saved(folder: Path) -> None:
    said = run("update", folder / "m.json", folder / "later.csv", "--target", "paid", "-o", folder / "new.json").stdout
    assert "~ age > 60" in said
    assert "→ age > 45" in said
    assert "not equivalent: no became yes where age = 46" in said
    assert f"saved to {folder / 'new.json'}" in said
    assert str(load(folder / "new.json")) == "yes if age > 45\nelse no"
    assert load(folder / "new.json").baseline.rows == 500
    assert str(load(folder / "m.json")) == "yes if age > 60\nelse no"


def test_what_did_not_is_left_as_it_is(folder: Path) -> None:
    said = run("update", folder / "m.json", folder / "same.csv", "--target", "paid").stdout
    assert said.startswith("nothing changed: no other rules beat these by two standard errors on 250 new rows held out")
    assert "yes if age > 60" in said


def test_the_table_is_not_written_over(folder: Path) -> None:
    words = ("update", folder / "m.json", folder / "later.csv", "--target", "paid", "-o", folder / "later.csv")
    assert "is the table that is read" in run(*words, ok=False).stderr
    assert "Did you mean 'paid'" in run(*words[:4], "payd", ok=False).stderr


def test_groups_are_shown_below_the_check(folder: Path) -> None:
    said = run("check", folder / "m.json", folder / "later.csv", "--target", "paid", "--groups", "sex").stdout
    frame = people(500, 45, 2)
    expected = groups(load(folder / "m.json"), frame, frame["paid"], "sex")
    assert said.endswith(f"{expected}\n")
    assert said.count("largest gap") == 1
    twice = run("check", folder / "m.json", folder / "later.csv", "--groups", "sex", "--groups", "age").stdout
    assert twice.count("largest gap") == 2
    assert "column 'sexx'" in run("check", folder / "m.json", folder / "later.csv", "--groups", "sexx", ok=False).stderr
