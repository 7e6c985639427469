"""Labels are checked before anything is learned."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from r2n import R2NClassifier
from r2n.errors import SchemaError

GAPS = ["a", None, "b", None, "a", None]


@pytest.mark.parametrize(
    "y",
    [
        GAPS,
        ["a", float("nan"), "b", pd.NA, "a", pd.NaT],
        np.array(GAPS, dtype=object),
        pd.Series(GAPS),
        pd.Series(GAPS, dtype="category"),
        pd.Series([1, None, 0, None, 1, None], dtype="Int64"),
        pl.Series(GAPS),
        np.array([1, np.nan, 0, np.nan, 1, np.nan]),
        [True, None, False, None, True, None],
    ],
)
def test_all_rows_without_a_label_are_named(y: object) -> None:
    with pytest.raises(SchemaError, match=r"y holds a missing value in rows 1, 3 and 5: Input contains NaN\."):
        R2NClassifier().fit(np.arange(6.0)[:, None], y)


def test_of_very_many_only_some_are_named() -> None:
    with pytest.raises(SchemaError, match="and 8,979 more") as caught:
        R2NClassifier().fit(np.arange(9_000.0)[:, None], [None] * 8_999 + ["a"])
    assert len(str(caught.value)) < 300
