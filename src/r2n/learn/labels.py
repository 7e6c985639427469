"""Labels: the classes, and which of two the rules describe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from r2n.errors import ParameterError, SchemaError
from r2n.rules import RuleSet
from r2n.rules.counts import read_sample_weight
from r2n.rules.label import label_array
from r2n.table import Schema, Value, as_value
from r2n.table.cells import NOT_UNICODE, CellError, is_unicode, shown
from r2n.words import count, name_rows

MOST_COUNTED = 2.0**40  # a weight: sums over as many rows as there may be stay exact


@dataclass(frozen=True, slots=True)
class Labels:
    """The classes, sorted; each row's, as a position among them; and the one that rules for two classes describe."""

    classes: NDArray[Any]
    codes: NDArray[np.intp]
    positive: int

    @classmethod
    def learn(cls, y: Any, n_rows: int) -> Labels:
        """Read y: classes as numbers, text or Booleans, in any shape scikit-learn takes; rules describe the last."""
        if y is None:
            raise SchemaError("This estimator requires y to be passed, but the target y is None. Give one label a row.")
        plain = _to_array(y)
        try:
            column = column_or_1d(plain, warn=True)
        except ValueError as error:
            raise SchemaError(f"{error} Give y as one column of labels.") from None
        if len(column) != n_rows:
            raise SchemaError(
                f"the table has {count(n_rows, 'row')} but y has {count(len(column), 'label')}. Give one label a row."
            )
        _refuse_missing(column)
        _refuse_mixture(column)
        _refuse_measurements(column)
        _refuse_broken_text(column)
        try:
            check_classification_targets(column)
            classes, codes = np.unique(column, return_inverse=True)
        except (ValueError, TypeError) as error:
            raise SchemaError(f"{error} Labels must be classes: text, Booleans, or a few whole numbers.") from None
        if len(classes) < 2:
            raise SchemaError(_describe_one_class(_to_value(classes[0])))
        return cls(classes, codes.astype(np.intp), len(classes) - 1)

    def with_positive(self, positive: Any) -> Labels:
        """Let rules for two classes describe this class; None changes nothing."""
        return self if positive is None else replace(self, positive=_find_positive(self.classes, positive))

    @property
    def values(self) -> tuple[Value, ...]:
        """The classes as rules name them."""
        return tuple(_to_value(label) for label in self.classes)

    @property
    def described(self) -> tuple[int, ...]:
        """The classes that get rules: one of two, all of more."""
        return (self.positive,) if len(self.classes) == 2 else tuple(range(len(self.classes)))

    def empty_rules(self, k: int, schema: Schema) -> RuleSet:
        """Make the empty rule set of the k-th class: against the other one, or against all others."""
        label = self.values[k]
        other = self.values[1 - k] if len(self.classes) == 2 else f"not {label}"
        return RuleSet((), label, other, schema)

    def take(self, rows: NDArray[Any]) -> Labels:
        """The labels of some rows, and the classes that these have."""
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        if len(present) < 2:
            raise SchemaError(_describe_one_class(self.values[present[0]], " among the rows that have a weight"))
        return Labels(self.classes[present], codes.astype(np.intp), len(present) - 1)


def _describe_one_class(label: Value, where: str = "") -> str:
    return f"y holds one class only{where}, {label!r}. Rules need rows of two classes to tell apart."


def _to_array(y: Any) -> Any:
    """Read nullable columns as the values they hold, not as floats or objects; leave anything else as it is."""
    if isinstance(y, list | tuple):
        # As objects: else numbers beside text would become text, and a NUL be cut off the end of one.
        mixed = len({isinstance(label, str) for label in y}) > 1
        cut = any(isinstance(label, str) and label.endswith("\0") for label in y)
        return np.array(y, dtype=object) if mixed or cut else y
    if isinstance(getattr(y, "dtype", None), np.dtype) and y.dtype.kind not in "OMmT":
        return y
    if getattr(y, "ndim", 1) != 1 or not (hasattr(y, "to_list") or hasattr(y, "to_pylist") or hasattr(y, "tolist")):
        return y
    cells = y.to_list() if hasattr(y, "to_list") else y.to_pylist() if hasattr(y, "to_pylist") else list(y)
    values = [_read(cell, row) for row, cell in enumerate(cells)]
    return label_array(values)  # type: ignore[arg-type]  # missing ones are refused later, with their rows


def _read(cell: object, row: int) -> Value | None:
    try:
        value = as_value(cell)
    except CellError as error:
        raise SchemaError(f"y holds {shown(cell)} in row {row}, which {error}") from None
    return float(value) if isinstance(cell, float | np.floating) and value is not None else value


def _to_value(label: Any) -> Value:
    value: Value = label.item() if isinstance(label, np.generic) else label
    return value


def _refuse_missing(column: NDArray[Any]) -> None:
    if column.dtype.kind not in "fO":
        return
    numbers = column.dtype.kind == "f"
    gone = np.isnan(column) if numbers else np.array([_is_missing(label) for label in column.tolist()], dtype=bool)
    missing = np.flatnonzero(gone).tolist()
    if missing:
        raise SchemaError(
            f"y holds a missing value in {name_rows(missing)}: Input contains NaN. Drop rows without a label."
        )


def _is_missing(label: object) -> bool:
    try:
        return as_value(label) is None
    except CellError:
        return False  # it is something, and is refused for what it is


def _refuse_mixture(column: NDArray[Any]) -> None:
    """Text beside numbers has no order, and would not be what the caller gets back."""
    if column.dtype.kind == "O":
        texts = {isinstance(label, str): label for label in column.tolist()}
        if len(texts) > 1:
            raise SchemaError(f"y holds both {texts[True]!r} and {texts[False]!r}. Give labels of one type.")


def _refuse_broken_text(column: NDArray[Any]) -> None:
    if column.dtype.kind not in "UO":
        return
    rows = column.tolist()
    broken = {label for label in set(rows) if not is_unicode(label)}
    if broken:
        row = next(row for row, label in enumerate(rows) if label in broken)
        raise SchemaError(f"y holds the label {shown(rows[row])} in row {row}, which {NOT_UNICODE}")


def _refuse_measurements(column: NDArray[Any]) -> None:
    if column.dtype.kind == "f" and (broken := column[column != np.floor(column)]).size:
        raise SchemaError(
            f"Unknown label type: continuous. y holds {broken[0]}, which is no class. "
            f"Give text, Booleans, or a few whole numbers; cut numbers into classes first."
        )


def _find_positive(classes: NDArray[Any], positive: Any) -> int:
    if len(classes) > 2:
        raise ParameterError(
            f"positive is {positive!r}, but y holds {len(classes)} classes, each of which gets rules. Leave it out."
        )
    found = [k for k, label in enumerate(classes) if _to_value(label) == positive]
    if not found:
        names = " and ".join(repr(_to_value(label)) for label in classes)
        raise ParameterError(f"positive is {positive!r}, but the classes in y are {names}. Name one of them.")
    return found[0]


def read_weights(sample_weight: Any, class_weight: Any, labels: Labels) -> NDArray[np.float64]:
    """Multiply each row's own weight by its class's, as scikit-learn does."""
    weight = scale_to_counts(_read_sample_weights(sample_weight, len(labels.codes)))
    if class_weight is None:
        return weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ParameterError(f"class_weight must be None, 'balanced' or a dict, not {class_weight!r}.")
        total = np.bincount(labels.codes, weights=weight, minlength=len(labels.classes))
        by_class = total.sum() / (np.count_nonzero(total) * np.where(total > 0, total, 1.0))
    else:
        by_class = _read_class_weights(class_weight, labels)
    within = by_class / max(by_class.max() / MOST_COUNTED, 1.0)  # no product may overflow
    weight = scale_to_counts(weight * within[labels.codes])
    if not weight.any():
        raise ParameterError("class_weight leaves no row with a weight, and so nothing to learn from. Raise it.")
    return weight


def scale_to_counts(weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring weights to a mean of one if they cannot be counts of rows: shares, and what is too large to add exactly.

    >>> scale_to_counts(np.array([2.0, 1.0])), scale_to_counts(np.array([3e300, 1e300]))
    (array([2., 1.]), array([1.5, 0.5]))
    >>> scale_to_counts(np.array([0.5, 0.0, 1.0]))
    array([0.66666667, 0.        , 1.33333333])
    """
    there = weight[weight > 0]
    if len(there) == 0:
        return weight
    largest = float(there.max())
    mean = largest * float((there / largest).mean())  # no sum of the largest may overflow
    return weight if mean >= 1.0 and largest <= MOST_COUNTED else weight / mean


def _read_sample_weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    weight = read_sample_weight(sample_weight, n_rows)
    if not np.isfinite(weight).all() or (weight < 0).any():
        row = int(np.argmax(~np.isfinite(weight) | (weight < 0)))
        raise ParameterError(
            f"sample_weight holds {weight[row]} in row {row}. Weights must be finite and not negative."
        )
    if not weight.any():
        raise ParameterError("sample_weight is zero in every row, which leaves nothing to learn from.")
    return weight


def _read_class_weights(class_weight: Any, labels: Labels) -> NDArray[np.float64]:
    if not isinstance(class_weight, Mapping):
        raise ParameterError(f"class_weight must be None, 'balanced' or a dict, not {class_weight!r}.")
    unknown = [label for label in class_weight if label not in labels.values]
    if unknown and not all(value in class_weight for value in labels.values):  # a fold may lack a class
        raise ParameterError(f"class_weight names {unknown[0]!r}, but the classes in y are {list(labels.values)}.")
    try:
        weights = np.array([class_weight.get(value, 1.0) for value in labels.values], dtype=np.float64)
    except (TypeError, ValueError):
        weights = np.array([np.nan])
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise ParameterError(f"class_weight must hold numbers of at least 0, not {dict(class_weight)!r}.")
    return weights
