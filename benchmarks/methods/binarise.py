"""A table as Boolean columns, as the learners of the paper's comparison need it."""

from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# A condition on a column and its test: `<=` a threshold, `==` a category, or missing.
Condition = tuple[str, str, object]


class QuantileBins:
    """Numbers as `x <= t` at their k/(K+1) quantiles, categories as `x == v`; with negations `x > t` and `x != v` too.

    A missing value makes all of its column's conditions false, and has a condition of its own where the table to fit
    has one. A column of two categories has one pair of conditions.
    """

    def __init__(self, bins: int = 40, negations: bool = True) -> None:
        self.bins, self.negations = bins, negations

    def fit(self, X: pd.DataFrame) -> Self:
        self.conditions_ = [condition for name in X.columns for condition in self._conditions(str(name), X[name])]
        return self

    def transform(self, X: pd.DataFrame) -> pd.DataFrame:
        columns = {f"{name} {sign} {value}": _truth(X[name], sign, value) for name, sign, value in self.conditions_}
        return pd.DataFrame(columns, index=X.index)

    def _conditions(self, name: str, column: "pd.Series[Any]") -> list[Condition]:
        known = column.dropna()
        numeric = pd.api.types.is_numeric_dtype(column)
        values: list[object] = self._thresholds(np.asarray(known, np.float64)) if numeric else _categories(known)
        signs = ("<=", ">") if numeric else ("==", "!=")
        found: list[Condition] = [(name, sign, value) for value in values for sign in signs[: 1 + self.negations]]
        return found + ([(name, "is", "missing")] if len(known) < len(column) else [])

    def _thresholds(self, column: NDArray[np.float64]) -> list[object]:
        distinct = np.unique(column)
        if len(distinct) <= self.bins + 1:
            return list(distinct[:-1].tolist())
        return list(np.unique(np.quantile(column, np.arange(1, self.bins + 1) / (self.bins + 1))).tolist())


def _categories(known: "pd.Series[Any]") -> list[object]:
    values = sorted(known.unique(), key=str)
    return values[:1] if len(values) == 2 else values


def _truth(column: "pd.Series[Any]", sign: str, value: object) -> NDArray[np.bool_]:
    known = column.notna().to_numpy()
    match sign:
        case "is":
            return ~known
        case "<=":
            return (column <= value).to_numpy(dtype=np.bool_, na_value=False) & known
        case ">":
            return (column > value).to_numpy(dtype=np.bool_, na_value=False) & known
        case "==":
            return (column == value).to_numpy(dtype=np.bool_, na_value=False) & known
        case _:
            return (column != value).to_numpy(dtype=np.bool_, na_value=False) & known
