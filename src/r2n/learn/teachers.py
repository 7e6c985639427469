"""A teacher that the user gives: a fitted classifier, or what one said. Its probabilities take the labels' place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.learn.labels import Labels
from r2n.table.cells import value_id
from r2n.table.names import listed
from r2n.words import count, name_rows

Floats = NDArray[np.float64]

LOOSE = 1e-3  # that the probabilities of a row may add up to more or less than 1: some learners compute them in float32
FROZEN = (
    "Fit it first. Cross-validation and clone() unfit it again, unless it is wrapped: "
    "teacher=sklearn.frozen.FrozenEstimator(classifier)."
)


def read_opinion(teacher: Any, X: Any, every: Labels, labels: Labels, rows: NDArray[np.intp]) -> Floats:
    """Read a teacher's probabilities of these rows' classes: one column for each of `labels.classes`.

    `every` are the labels of all rows, those of no weight too: what was given is as long as they are. Of classes that
    are not among `labels` the probabilities are left out, and the others add up to 1 again.
    """
    if hasattr(teacher, "predict_proba"):
        known = _classes_of(teacher, labels)
        found = _read_numbers(_ask(teacher, X), "teacher.predict_proba(X)")
        width = len(known)
    else:
        known, found = [value_id(value) for value in every.values], _read_numbers(teacher, "teacher")
        width = len(known)
    if found.ndim == 1 and not hasattr(teacher, "predict_proba"):
        if len(labels.classes) != 2:
            raise ParameterError(
                f"teacher has one probability a row, but y holds {len(labels.classes)} classes. "
                f"Give one column for each class, sorted."
            )
        _check_rows(found, every)
        positive = _check_range(found[rows].reshape(-1, 1), rows)[:, 0]
        return np.column_stack([positive if k == labels.positive else 1.0 - positive for k in (0, 1)])
    if found.ndim != 2 or found.shape[1] != width:
        wanted = f"({len(every.codes)}, {width})" + (f" or ({len(every.codes)},)" if width == 2 else "")
        raise ParameterError(f"teacher gives probabilities of shape {found.shape}, expected {wanted}.")
    _check_rows(found, every)
    kept = _check_range(found[rows], rows)
    uneven = np.flatnonzero(np.abs(kept.sum(axis=1) - 1.0) > LOOSE)
    if len(uneven):
        total = float(kept[uneven[0]].sum())
        raise ParameterError(f"teacher: the probabilities in {name_rows(rows[uneven[:1]].tolist())} add up to {total}.")
    places = [known.index(value_id(value)) for value in labels.values]
    return _share_out(kept[:, places])


def _classes_of(teacher: Any, labels: Labels) -> list[Any]:
    """The classes of a classifier, each as what tells it from others; all classes in y must be among them."""
    found = getattr(teacher, "classes_", None)
    if found is None:
        raise ParameterError(f"teacher, a {type(teacher).__name__}, is not fitted: it has no classes_. {FROZEN}")
    known = [value_id(label) for label in _plain_labels(found)]
    absent = [value for value in labels.values if value_id(value) not in known]
    if absent:
        raise ParameterError(
            f"teacher knows the classes [{listed(list(_plain_labels(found)))}], but y holds {absent[0]!r}. "
            f"Give a classifier that was fitted to the same labels."
        )
    return known


def _plain_labels(classes: Any) -> Iterator[Any]:
    for label in classes:
        if np.ndim(label) != 0:
            raise ParameterError("teacher was fitted to labels of several columns. Give one for a single column.")
        yield label.item() if isinstance(label, np.generic) else label


def _ask(teacher: Any, X: Any) -> Any:
    """Ask for X exactly as the caller gave it. What goes wrong in a stranger's code is told as it says it."""
    try:
        return teacher.predict_proba(X)
    except Exception as error:
        who = type(teacher).__name__
        raise ParameterError(
            f"teacher, a {who}, cannot be asked about X: {error} It must be fitted, and take X as it is given to fit. "
            f"If it is not fitted: {FROZEN}"
        ) from error


def _read_numbers(given: Any, what: str) -> Floats:
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{what} must hold probabilities: {error}. Give numbers from 0 to 1.") from None


def _check_rows(found: Floats, every: Labels) -> None:
    if len(found) != len(every.codes):
        raise ParameterError(
            f"teacher has probabilities of {count(len(found), 'row')}, but X has {count(len(every.codes), 'row')}. "
            f"Give one for each row; in cross-validation give a classifier."
        )


def _check_range(found: Floats, rows: NDArray[np.intp]) -> Floats:
    bad = ~((found >= 0.0) & (found <= 1.0))
    if bad.any():
        row, column = np.argwhere(bad)[0]
        where = name_rows(rows[np.flatnonzero(bad.any(axis=1))].tolist())
        raise ParameterError(f"teacher gives {found[row, column]} in {where}. Probabilities are from 0 to 1.")
    return found


def _share_out(kept: Floats) -> Floats:
    """Let each row add up to 1; one that is left nothing is shared equally."""
    total = kept.sum(axis=1, keepdims=True)
    shared: Floats = np.where(total > 0.0, kept / np.where(total > 0.0, total, 1.0), 1.0 / kept.shape[1])
    return shared
