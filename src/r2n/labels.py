"""Labels: which of two classes the rules describe."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from r2n.errors import ParameterError, SchemaError
from r2n.schema import Value, as_value


@dataclass(frozen=True, slots=True)
class Labels:
    """The classes, sorted; the one the rules describe, the other; and which rows have the first."""

    classes: NDArray[Any]
    label: Value
    default: Value
    truth: NDArray[np.bool_]

    @classmethod
    def learn(cls, y: Any, n_rows: int, positive: Any = None) -> Labels:
        """Read y: two classes, as numbers, text or Booleans, in any shape scikit-learn takes."""
        if y is None:
            raise SchemaError("This estimator requires y to be passed, but the target y is None.")
        try:
            column = column_or_1d(_plain_array(y), warn=True)
        except ValueError as error:
            raise SchemaError(f"{error} Give y as one column of labels.") from None
        if len(column) != n_rows:
            raise SchemaError(f"the table has {n_rows} rows but y has {len(column)} labels. Give one label a row.")
        _refuse_missing(column)
        try:
            check_classification_targets(column)
        except ValueError as error:
            raise SchemaError(f"{error} Labels must be classes: text, Booleans, or a few whole numbers.") from None
        classes = np.unique(column)
        if len(classes) != 2:
            raise SchemaError(_not_two(classes))
        described = _positive(classes, positive)
        label, default = classes[described], classes[1 - described]
        return cls(classes, _plain(label), _plain(default), np.asarray(column == label))


def _plain_array(y: Any) -> Any:
    """Nullable columns as the values they hold, not as floats or objects; anything else as it is."""
    if not hasattr(y, "dtype") or isinstance(y.dtype, np.dtype) or not hasattr(y, "to_numpy"):
        return y
    values = [as_value(value) for value in y.to_numpy(dtype=object).tolist()]
    return np.array(values, dtype=object if None in values else None)


def _plain(label: Any) -> Value:
    value: Value = label.item() if isinstance(label, np.generic) else label
    return value


def _refuse_missing(column: NDArray[Any]) -> None:
    if column.dtype.kind not in "fO":
        return
    missing = np.array([label is None or label != label for label in column.tolist()])  # NaN differs from itself
    if missing.any():
        row = int(np.argmax(missing))
        raise SchemaError(f"y holds a missing value in row {row}: Input contains NaN. Drop rows without a label.")


def _not_two(classes: NDArray[Any]) -> str:
    if len(classes) == 1:
        return f"y holds one class only, {classes[0]!r}. Rules need rows of two classes to tell apart."
    return (
        f"Only binary classification is supported: y holds {len(classes)} classes, such as "
        f"{', '.join(repr(_plain(label)) for label in classes[:3])}. The type of the target is multiclass. "
        f"Wrap the model in sklearn.multiclass.OneVsRestClassifier."
    )


def _positive(classes: NDArray[Any], positive: Any) -> int:
    if positive is None:
        return 1
    found = [k for k, label in enumerate(classes) if _plain(label) == positive]
    if not found:
        names = " and ".join(repr(_plain(label)) for label in classes)
        raise ParameterError(f"positive is {positive!r}, but the classes in y are {names}. Name one of them.")
    return found[0]
