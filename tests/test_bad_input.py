"""Bad input, and what users are told: every block of fixtures/bad_input.txt, in its own words."""

import datetime  # noqa: F401 - the fixture's expressions use these
from fractions import Fraction  # noqa: F401
from pathlib import Path
from typing import Any

import narwhals as nw  # noqa: F401
import numpy as np  # noqa: F401
import pandas as pd
import polars as pl  # noqa: F401
import pyarrow as pa  # noqa: F401
import pytest
import scipy.sparse  # noqa: F401

from r2n import NetworkSettings, R2NClassifier, RuleSet, load  # noqa: F401

X = pd.DataFrame({"age": [20, 30, 40, 50], "debt": [1.0, 2.0, 3.0, 4.0], "region": ["north", "west", "north", "west"]})
Y = ["no", "no", "yes", "yes"]
QUICK: dict[str, Any] = {"effort": "quick", "network": NetworkSettings(epochs=5, restarts=1), "random_state": 0}
FIXTURE = Path(__file__).parent / "fixtures" / "bad_input.txt"


def fit(X: Any = X, y: Any = Y, sample_weight: Any = None, **parameters: Any) -> R2NClassifier:
    model = R2NClassifier(**{**QUICK, **parameters})
    try:
        return model.fit(X, y, sample_weight)
    except Exception:
        assert not hasattr(model, "rules_")  # nothing is left behind
        raise


def fitted(y: Any = Y) -> R2NClassifier:
    return R2NClassifier(**QUICK).fit(pd.concat([X] * 10), y * 10)


def file(content: str | bytes) -> Path:
    path = Path("model.json")  # every test has a folder of its own
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def blocks() -> list[tuple[str, str, str]]:
    """What came, how, and the message."""
    found, section = [], ""
    for block in FIXTURE.read_text(encoding="utf-8").split("\n\n")[1:]:
        name, _, rest = block.strip("\n").partition("\n")
        if name.startswith("# "):
            section = name[2:]
        else:
            expression, _, message = rest.partition("\n")
            found.append((f"{section}: {name}", expression.removeprefix(">>> "), message))
    return found


BLOCKS = blocks()


@pytest.mark.parametrize(("expression", "message"), [block[1:] for block in BLOCKS], ids=[block[0] for block in BLOCKS])
def test_bad_input_gets_this_message(
    expression: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Exception) as raised:  # noqa: PT011 - which one is in the message
        eval(expression)
    assert f"{type(raised.value).__name__}: {raised.value}".rstrip("\n") == message


def test_there_are_enough_of_them_and_none_twice() -> None:
    assert len({block[0] for block in BLOCKS}) == len({block[1] for block in BLOCKS}) == len(BLOCKS) >= 60
