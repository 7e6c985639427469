"""Wide tables under a limit of time: more time is never much worse, and no answer is a constant."""

import time

import numpy as np
import pytest

from r2n import R2NClassifier


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(2_000, 500), (200, 2_000), (20_000, 30), (1_000, 60)])
def test_more_time_is_never_much_worse(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    X, X_test = rng.normal(size=shape), rng.normal(size=(2_000, shape[1]))
    y, y_test = ((each[:, 0] - each[:, 1] > 0.3) | (each[:, 2] > 1.2) for each in (X, X_test))
    scores = []
    for limit in (5, 10, 20, 40):
        began = time.monotonic()
        model = R2NClassifier(random_state=0, time_limit=limit).fit(X, y)
        assert model.rules_.size > 0
        assert time.monotonic() - began < 2 * limit + 5  # a busy machine may have other work
        scores.append(model.score(X_test, y_test))
    for i, score in enumerate(scores[1:], start=1):
        assert score > max(scores[:i]) - 0.03, scores
