"""The rivals that slope: their trees, read into one form, decide as they do and are counted as they are."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.methods.sloping import ObliqueTree, OptimalTree, ReadTree, Split, YdfTree, positive_paths, shorter_side
from benchmarks.protocol import Cell
from benchmarks.trial import run

MAKERS: dict[str, tuple[str, Any]] = {
    "oblique": ("obliquetree", ObliqueTree),
    "ydf": ("ydf", YdfTree),
    "contree": ("pycontree", OptimalTree),
}


def rows(n: int, seed: int) -> tuple[pd.DataFrame, Any]:
    """Labels by a slope, and by a category."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.random((n, 4)), columns=list("abcd")).assign(kind=rng.choice(list("pqrs"), n))
    return X, ((X["a"] + X["b"] > 1.1) | (X["kind"] == "q")).to_numpy()


def test_paths_to_positive_leaves_are_rules_and_their_conditions_are_counted() -> None:
    class Known(ReadTree):
        root_ = Split(4, (True, Split(1, (Split(2, (True, False)), True))))

    assert list(positive_paths(Known.root_)) == [(4,), (4, 1, 2), (4, 1)]
    found = Known()
    assert (found.n_rules, found.literals_per_rule, found.size) == (3, 2.0, 16)
    assert list(positive_paths(True)) == [()]
    assert list(positive_paths(False)) == []
    assert [shorter_side(chosen, 5) for chosen in (0, 1, 2, 3, 5)] == [1, 1, 2, 2, 1]


@pytest.mark.parametrize("name", MAKERS)
def test_a_rival_learns_a_slope_and_a_category_and_can_be_counted(name: str) -> None:
    package, maker = MAKERS[name]
    pytest.importorskip(package)
    X, y = rows(3_000, 0)
    model = maker(0).fit(X, y)
    again = maker(0).fit(X, y)
    X_test, y_test = rows(1_000, 1)
    said = model.predict(X_test)
    assert said.dtype == np.bool_
    assert np.mean(said == y_test) > 0.83  # as a constant: 0.54
    assert (said == again.predict(X_test)).all()
    assert model.n_rules >= 1
    lengths = model.rule_lengths()
    assert sum(lengths) <= model.size <= 4 * sum(lengths)
    assert (model.size > sum(lengths)) is (name != "contree"), "each of its splits reads one column"
    unseen = X_test.assign(kind="never seen")
    assert len(model.predict(unseen)) == len(unseen)


def test_optimal_trees_are_no_deeper_than_is_asked_for() -> None:
    pytest.importorskip("pycontree")
    X, y = rows(500, 0)
    assert max(OptimalTree(max_depth=2).fit(X, y).rule_lengths()) <= 2


def test_an_oblique_tree_of_few_numbers_has_no_more_columns_than_there_are() -> None:
    pytest.importorskip("obliquetree")
    X, y = rows(500, 0)
    model = ObliqueTree(max_depth=2).fit(X[["a", "b", "kind"]], y)
    assert max(model.rule_lengths()) <= 2


@pytest.mark.parametrize("name", MAKERS)
def test_a_rival_learns_a_known_rule_from_rows_that_may_not_be_written_to(name: str) -> None:
    package, _ = MAKERS[name]
    pytest.importorskip(package)
    method = {"oblique": "oblique-3"}.get(name, name)
    record = run(Cell("rows", "example 4", method, 0, 500))
    assert record["accuracy"] > 0.8
    assert record["size"] >= record["n_rules"]
