"""What must not matter: what columns are called, which kind of frame they come in, their order, the rows' order, units.

Names and kinds of frames change nothing at all. Order and units change how the work is drawn and rounded, so they may
change what a seed may change, and, as numbers are rounded in their units (17.9 °C, 64 °F), a few rows beside a cut.
"""

from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.learn.border import Border
from r2n.learn.learned import Learned
from r2n.learn.options import Options
from r2n.rules import rename_columns
from r2n.table import Schema

SHORT: dict[str, Any] = {"network": NetworkSettings(restarts=3), "price": 5e-4}
QUICK: dict[str, Any] = {"network": NetworkSettings(restarts=1), "price": 5e-4, "effort": "quick"}


def loans(n_rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Three rules over numbers, whole numbers and categories, some of them missing; 3 % of the labels flipped."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.gamma(4.0, 12.0, n_rows).round(2),
            "debt": rng.gamma(2.0, 8.0, n_rows).round(2),
            "age": rng.integers(18, 80, n_rows),
            "temperature": rng.normal(14.0, 9.0, n_rows).round(1),
            "region": rng.choice(["north", "west", "south", "east"], n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "temperature"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "region"] = None
    good = (X["income"] - 2 * X["debt"] > 30) & (X["age"] > 30)
    good |= X["region"].isin(["north", "west"]) & (X["temperature"] > 18)
    return X, np.where(good ^ (rng.random(n_rows) < 0.03), "yes", "no")


@pytest.fixture(scope="module")
def table() -> tuple[pd.DataFrame, np.ndarray, pd.DataFrame]:
    return *loans(600, seed=0), loans(4_000, seed=1)[0]


@pytest.fixture(scope="module")
def model(table: tuple) -> R2NClassifier:
    X, y, _ = table
    return R2NClassifier(**QUICK, random_state=0).fit(X, y)


def test_names_of_columns_change_nothing(table: tuple, model: R2NClassifier) -> None:
    X, y, new = table
    names = dict(zip(X.columns, ["zeta", "x > 3", "", "größe", "region in {a}"], strict=True))
    other = R2NClassifier(**QUICK, random_state=0).fit(X.rename(columns=names), y)
    assert other.rules_ == rename_columns(model.rules_, names)
    assert [point.rules for point in other.front_] == [rename_columns(point.rules, names) for point in model.front_]
    assert other.moves_ == model.moves_
    for mine, theirs in zip(model.network_.restarts(), other.network_.restarts(), strict=True):
        assert theirs.rules == rename_columns(mine.rules, names)
    np.testing.assert_array_equal(other.network_.truth(new.rename(columns=names)), model.network_.truth(new))
    np.testing.assert_array_equal(other.predict(new.rename(columns=names)), model.predict(new))


def test_a_row_at_a_short_threshold_keeps_its_prediction_when_names_put_a_sum_in_another_order() -> None:
    """0.1 + 0.2 + 0.3 is above 0.6, and 0.3 + 0.2 + 0.1 is not."""
    schema, table = Schema.learn({"c": [0.1, 0.0], "b": [0.2, 0.0], "a": [0.3, 0.0]})
    border = Border.of(schema.names)
    rough, short = (RuleSet.parse(f"yes if x0 + x1 + x2 > {bound} else no") for bound in (0.5999, 0.6))
    assert short.truth(table.renamed(border.inward)).tolist() == [True, False]
    assert rename_columns(short, border.outward).truth(table).tolist() == [False, False]
    found = border.leave(Learned(rough, short), table, schema, Options()).rules
    assert str(found) == "yes if a + b + c > 0.3\nelse no"
    assert found.truth(table).tolist() == [True, False]


@pytest.mark.parametrize("kind", ["numpy", "lists", "polars", "pyarrow", "dict", "categories"])
def test_the_kind_of_frame_changes_nothing(kind: str, table: tuple, model: R2NClassifier) -> None:
    X, y, _ = table
    made = {
        "numpy": X.to_numpy,
        "lists": lambda: X.to_numpy().tolist(),
        "polars": lambda: pl.from_pandas(X),
        "pyarrow": lambda: pa.Table.from_pandas(X),
        "dict": lambda: {name: X[name].to_numpy() for name in X},
        "categories": lambda: X.astype({"region": pd.CategoricalDtype(["west", "unused", "south", "north", "east"])}),
    }[kind]()
    other = R2NClassifier(**QUICK, random_state=0).fit(made, y)
    names = {f"x{k}": name for k, name in enumerate(X.columns)} if kind in ("numpy", "lists") else {}
    assert (rename_columns(other.rules_, names) if names else other.rules_) == model.rules_
    np.testing.assert_array_equal(other.predict(made), model.predict(X))
    np.testing.assert_array_equal(other.predict_proba(made), model.predict_proba(X))


@pytest.mark.slow
def test_order_and_units_change_no_more_than_the_seed_does() -> None:
    (X, y), new = loans(1_500, seed=0), loans(4_000, seed=1)[0]
    seeds = [R2NClassifier(**SHORT, random_state=seed).fit(X, y).predict(new) for seed in range(5)]
    by_seed = float(max(np.mean(a != b) for a, b in combinations(seeds, 2)))
    rows, columns = np.random.default_rng(0).permutation(len(X)), ["region", "debt", "temperature", "age", "income"]

    def fahrenheit(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(temperature=frame["temperature"] * 1.8 + 32)

    def cents(frame: pd.DataFrame) -> pd.DataFrame:
        return frame.assign(income=frame["income"] * 1000, debt=frame["debt"] * 1000)

    changed = {
        "rows in another order": (X.iloc[rows], y[rows], new),
        "columns in another order": (X[columns], y, new[columns]),
        "Celsius to Fahrenheit": (fahrenheit(X), y, fahrenheit(new)),
        "a thousandth of the unit": (cents(X), y, cents(new)),
    }
    for words, (frame, labels, later) in changed.items():
        other = R2NClassifier(**SHORT, random_state=0).fit(frame, labels).predict(later)
        assert np.mean(other != seeds[0]) <= by_seed + 0.005, words
    assert by_seed < 0.05  # else this says little
