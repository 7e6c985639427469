"""The commands about a model of risk levels, and probabilities of every kind of model."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from r2n import LevelRules, RuleSet, load
from r2n.rules import ClassRules
from r2n.table import Schema
from tests.cli.test_cli import run

FRAME = pd.DataFrame({"age": [70.0, 55.0, 30.0, 65.0] * 30, "region": ["north", "west", "?", "west"] * 30})
SCHEMA, _ = Schema.learn(FRAME, missing_values={"region": ["?"]})
RULES = LevelRules.parse(
    """
very high 71.2 % if age > 60 and region in {north}
high 42 % or else if age > 50
low 6 % else
yes from 40 %, else no""",
    SCHEMA,
)
Y = np.array(["yes", "no", "no", "yes"] * 30)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("levels")
    RULES.counted(FRAME, Y).save(folder / "model.json")
    RULES.without(1).with_shares([0.8, 0.42, 0.06]).save(folder / "other.json")
    RULES.at(0.4).counted(FRAME, Y).save(folder / "ruleset.json")
    classes = ClassRules.parse('a if age > 60 else "1" if age > 50 else 1', SCHEMA)
    classes.counted(FRAME, classes.predict(FRAME)).save(folder / "classes.json")
    RuleSet.parse("yes if age > 60 else no", SCHEMA).save(folder / "uncounted.json")
    FRAME.assign(paid=Y).to_csv(folder / "people.csv", index=False)
    return folder


def predicted(folder: Path, model: str, *options: str) -> pd.DataFrame:
    said = run("predict", folder / model, folder / "people.csv", *options).stdout
    return pd.read_csv(io.StringIO(said), keep_default_na=False)


def test_show(folder: Path) -> None:
    said = run("show", folder / "model.json").stdout
    assert "very high 71.2 % (89–100 %) if age > 60 and region in {north}\n" in said
    assert "2 rules, 1.5 literals in each, size 3" in said


def test_predict_gives_the_class_and_with_proba_the_level_too(folder: Path) -> None:
    assert predicted(folder, "model.json").columns.tolist() == ["prediction"]
    found = predicted(folder, "model.json", "--proba")
    assert found.columns.tolist() == ["prediction", "level", "probability"]
    assert found["prediction"].tolist() == RULES.predict(FRAME).tolist()
    assert found["level"].tolist() == RULES.predict_level(FRAME).tolist()
    assert found["probability"].tolist() == RULES.predict_proba(FRAME)[:, 1].tolist()


def test_predict_gives_probabilities_of_every_kind_of_model(folder: Path) -> None:
    found = predicted(folder, "ruleset.json", "--proba")
    assert found.columns.tolist() == ["prediction", "probability"]
    assert found["probability"].tolist() == load(folder / "ruleset.json").predict_proba(FRAME)[:, 1].tolist()
    found = predicted(folder, "classes.json", "--proba")
    assert found.columns.tolist() == ["prediction", "probability of 1", 'probability of "1"', "probability of a"]
    assert (found.iloc[:, 1:].to_numpy() == load(folder / "classes.json").predict_proba(FRAME)).all()


def test_rules_without_counts_have_no_probabilities(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    done = run("predict", folder / "uncounted.json", folder / "people.csv", "--proba", "-o", out, ok=False)
    assert "carry no counts" in done.stderr
    assert not out.exists()


def test_explain_names_levels(folder: Path) -> None:
    said = run("explain", folder / "model.json", "age=70", "region=north").stdout
    assert said.startswith('prediction: "very high" (yes in 71.2 %, so yes)\nrule 1 holds\n')
    assert "for high, change (0.25 spreads)\n    age  70 → 60" in said
    said = run("explain", folder / "model.json", "age=70", "region=north", "--to", "low").stdout
    assert "for low, change (0.5 spreads)\n    age  70 → 50" in said


def test_diff_compares_levels_with_levels_and_classes_with_others(folder: Path) -> None:
    said = run("diff", folder / "model.json", folder / "other.json", folder / "people.csv").stdout
    assert "share of very high: 71.2 % → 80 %" in said
    assert '30 of 120 rows are decided differently: 30 "very high" → high' in said
    assert 'not equivalent: "very high" became high' in said
    said = run("diff", folder / "model.json", folder / "ruleset.json", folder / "people.csv").stdout
    assert said.splitlines() == [
        "the same rules",
        "none of 120 rows is decided differently",
        "proven to decide every row alike",
    ]


def test_check_reads_classes_as_targets(folder: Path) -> None:
    said = run("check", folder / "model.json", folder / "people.csv", "--target", "paid").stdout
    assert "very high  25.0 %  25.0 %  100.0 %  100.0 %  71.2 %" in said
    assert "accuracy 0.7500, 0.7500 in training" in said
