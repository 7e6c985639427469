"""docs/tables.md: how folds and sizes of several ways are compared."""

from typing import Any

import numpy as np
import pytest

from benchmarks.views.tables import AS_IT_IS, Matched, Way, by_size, on_common_folds


def test_only_folds_that_all_have_are_compared() -> None:
    def record(fold: int, accuracy: float, size: int) -> dict[str, Any]:
        return {"table": "t", "way": "w", "fold": fold, "accuracy": accuracy, "size": size}

    plain = [record(0, 0.5, 4), record(1, 0.7, 2), record(2, 0.0, 9)]
    within = [record(0, 0.6, 4), record(1, 0.7, 2)]
    mine = [record(0, 0.8, 3), record(1, 0.8, 3)]
    found = Matched("t", "w", on_common_folds(plain, within, mine))
    assert [len(each) for each in found.three] == [2, 2, 2]
    assert [np.mean([r["accuracy"] for r in each]) for each in found.three] == pytest.approx([0.6, 0.65, 0.8])
    assert found.larger == 1
    assert [(d.mean, d.error) for d in found.differences] == [
        (pytest.approx(0.2), pytest.approx(0.0707, abs=5e-5)),
        (pytest.approx(0.15), pytest.approx(0.0354, abs=5e-5)),
    ]


def test_at_equal_size_the_same_folds_are_compared() -> None:
    way = [{"fold": 0, "front": [[0, 0.5], [4, 0.75]]}]
    as_it_is = [{"fold": 0, "front": [[0, 0.5], [6, 0.875]]}, {"fold": 1, "front": [[0, 0.0]]}]
    assert by_size(Way("t", "w", way, as_it_is))[:2] == [(0.75, 0.5), (0.75, 0.875)]
    assert by_size(Way("t", AS_IT_IS, as_it_is, as_it_is))[:2] == [(0.25, 0.25), (0.4375, 0.4375)]
