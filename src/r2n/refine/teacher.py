"""A teacher cleans the labels: what a strong model, that never saw a row, thinks of that row."""

from __future__ import annotations

import numpy as np

from r2n.refine.problem import Bools, Floats
from r2n.schema import Schema, Table


def features(table: Table, schema: Schema) -> tuple[Floats, Bools]:
    """A matrix for gradient boosting, and which of its columns are categories (by code, missing as NaN)."""
    matrix = np.empty((table.n_rows, len(schema.columns)))
    categorical = np.zeros(len(schema.columns), dtype=np.bool_)
    for k, column in enumerate(schema.columns):
        if column.kind == "numeric":
            matrix[:, k] = table.numeric(column.name)
        else:
            codes = table.codes(column.name)[0].astype(np.float64)
            # Boosting takes at most 255 categories; more than that are too rare to tell it anything.
            matrix[:, k] = np.where((codes < 0) | (codes > 250), np.nan, codes)
            categorical[k] = True
    return matrix, categorical


def out_of_fold(table: Table, schema: Schema, y: Bools, seed: int, folds: int = 3) -> Floats:
    """The probability of the label in each row, by a model that was not shown that row."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import StratifiedKFold, cross_val_predict

    matrix, categorical = features(table, schema)
    model = HistGradientBoostingClassifier(
        categorical_features=categorical if categorical.any() else None, max_iter=100, random_state=seed
    )
    splits = StratifiedKFold(folds, shuffle=True, random_state=seed)
    probability: Floats = cross_val_predict(model, matrix, y, cv=splits, method="predict_proba")[:, 1]
    return probability
