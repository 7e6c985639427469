"""Two source trees: what both learn alike is told from what they do not."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import same
from benchmarks.harness.stamp import PACKAGE, ROOT


def run(tree: Path) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m", "benchmarks.same", str(tree), "--only", "example 1"]
    paths = os.pathsep.join([str(PACKAGE.parent), str(ROOT)])
    return subprocess.run(words, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": paths})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Another source tree with the same r2n."""
    shutil.copytree(PACKAGE, tmp_path / "src" / "r2n", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


@pytest.mark.slow
def test_the_same_source_learns_the_same(tree: Path) -> None:
    ran = run(tree)
    assert ran.returncode == 0, ran.stderr
    assert f"old: {tree / 'src' / 'r2n'}" in ran.stdout
    assert "0 of 1 cases differ." in ran.stdout


@pytest.mark.slow
def test_a_tree_that_says_other_rules_is_told_and_ends_with_1(tree: Path) -> None:
    with (tree / "src" / "r2n" / "estimator" / "classifier.py").open("a", encoding="utf-8") as file:
        file.write("\nR2NClassifier.predict_proba = lambda self, X: [[0.5, 0.5]] * len(X)\n")
    ran = run(tree)
    assert ran.returncode == 1, ran.stderr
    assert "| probabilities |" in ran.stdout
    assert "1 of 1 cases differ." in ran.stdout


def test_a_folder_without_r2n_is_refused(tmp_path: Path) -> None:
    ran = run(tmp_path)
    assert ran.returncode == 2
    assert "holds no src/r2n" in ran.stderr


def test_numbers_are_compared_with_all_their_digits() -> None:
    assert same.digest([0.1, 0.2]) == same.digest([0.1, 0.2])
    assert same.digest([0.1, 0.2]) != same.digest([0.1, 0.2 + 1e-16 * 2])
