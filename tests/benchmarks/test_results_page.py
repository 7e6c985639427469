"""What is shown is what was measured: pages made from the records, counts by hand."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.tree import DecisionTreeClassifier

from benchmarks.fits import same_structure
from benchmarks.harness.stamp import ROOT
from benchmarks.methods.baselines import positive_depths
from benchmarks.protocol import Cell
from benchmarks.trial import split
from benchmarks.views.summary import mean_front
from r2n import RuleSet, datasets

PAGE = ROOT / "docs" / "results.md"


def test_a_trees_rules_are_its_paths_to_positive_leaves() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [False, False, False, True]
    assert positive_depths(DecisionTreeClassifier(random_state=0).fit(X, y).tree_) == [2]
    assert positive_depths(DecisionTreeClassifier(random_state=0).fit(X, [True, True, False, True]).tree_) == [1, 2]


def test_structure_is_numbers_of_rules_and_literals_and_columns_of_each() -> None:
    true = RuleSet.parse("True if x0 < 0.2 or x1 + x2 > 1 and x3 > 0 else False")
    for text, same in (
        ("x0 < 0.3 or x1 - 5·x2 > 7 and x3 < 9", True),
        ("x0 < 0.3 or x1 - 5·x2 > 7", False),
        ("x0 < 0.3 or x1 > 7 and x2 + x3 > 1", False),
        ("x0 < 0.3 or x0 > 0.5 or x1 + x2 > 1 and x3 > 0", False),
    ):
        assert same_structure(RuleSet.parse(f"True if {text} else False"), true) is same


def test_fronts_are_joined_where_all_have_a_point() -> None:
    def front(*points: tuple[int, float]) -> dict[str, Any]:
        return {"front": [{"size": size, "accuracy": accuracy} for size, accuracy in points]}

    records: tuple[dict[str, Any], ...] = (
        front((0, 0.5), (2, 0.7), (4, 0.9)),
        front((0, 0.5), (3, 0.8)),
        {"front": []},
    )
    assert mean_front(records) == ([2, 3, 4], pytest.approx([0.6, 0.75, 0.85]))
    assert mean_front(()) == ([], [])


def test_the_complete_rows_of_heloc_are_2502_and_every_row_is_tested_once() -> None:
    if not datasets.available("heloc"):
        pytest.skip("no copy of heloc: R2N_DATA does not name a folder with it, and the cache has none")
    folds = [split(Cell("real", "heloc, complete", "tree", fold)) for fold in range(5)]
    assert {len(fold.X) + len(fold.X_test) for fold in folds} == {2_502}
    assert len({row for fold in folds for row in fold.X_test.index}) == 2_502


def test_every_figure_of_the_page_is_there() -> None:
    for name in ("toy.png", "figure3.png", "fronts.png"):
        assert name in PAGE.read_text(encoding="utf-8")
        assert Path(PAGE.parent / name).stat().st_size > 10_000
