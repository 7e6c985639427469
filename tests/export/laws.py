"""Laws over random examples, each with a long mode: `R2N_LONGER=30 python -m pytest -m slow tests/export`."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import SearchStrategy

LONGER = int(os.environ.get("R2N_LONGER", "3"))  # times as many examples in the long mode: the one knob
SHORTER = 8  # times fewer in the short mode

Check = Callable[..., None]


def law(examples: int = 100, **drawn: SearchStrategy[Any]) -> Callable[[Check], Check]:
    """A test of what is drawn, over a few examples, and a slow one over many; other arguments are fixtures."""

    def as_test(check: Check) -> Check:
        fixtures = [name for name in inspect.signature(check).parameters if name not in drawn]

        def test(request: pytest.FixtureRequest, examples: int) -> None:
            engines = {name: request.getfixturevalue(name) for name in fixtures}

            def holds(**found: Any) -> None:
                check(**engines, **found)

            _name(holds, check)  # by which hypothesis knows the examples of one law from those of another
            settings(max_examples=examples, suppress_health_check=[HealthCheck.too_slow])(given(**drawn)(holds))()

        _name(test, check)
        modes = [
            pytest.param(max(10, examples // SHORTER), id="short"),
            pytest.param(LONGER * examples, id="long", marks=pytest.mark.slow),
        ]
        return pytest.mark.parametrize("examples", modes)(test)

    return as_test


def _name(function: Check, check: Check) -> None:
    for what in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(function, what, getattr(check, what))
