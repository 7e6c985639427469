"""The binarised table that the learners of the comparison see."""

import numpy as np
import pandas as pd

from benchmarks.methods.binarise import QuantileBins

FRAME = pd.DataFrame({"x": [1.0, 2.0, 3.0, None], "c": ["a", "b", "c", None], "two": ["n", "y", "n", "y"]})


def test_numbers_of_few_values_are_cut_at_each_but_the_largest_and_missing_makes_all_false() -> None:
    binary = QuantileBins().fit(FRAME).transform(FRAME)
    assert binary["x <= 1.0"].tolist() == [True, False, False, False]
    assert binary["x > 1.0"].tolist() == [False, True, True, False]
    assert binary["x is missing"].tolist() == [False, False, False, True]
    assert "x <= 3.0" not in binary
    assert binary["c != a"].tolist() == [False, True, True, False]
    assert [name for name in binary if str(name).startswith("two")] == ["two == n", "two != n"]


def test_thresholds_are_equi_quantile() -> None:
    frame = pd.DataFrame({"x": np.arange(1_000.0)})
    binary = QuantileBins(bins=40, negations=False).fit(frame).transform(frame)
    assert binary.shape[1] == 40
    assert np.allclose(np.diff(binary.mean()), 1 / 41, atol=2e-3)


def test_categories_not_seen_before_are_other_ones() -> None:
    seen = QuantileBins().fit(FRAME)
    new = seen.transform(pd.DataFrame({"x": [2.5], "c": ["d"], "two": ["n"]}))
    assert not new["c == a"].any()
    assert new["c != a"].all()
