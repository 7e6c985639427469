"""Labels: which values can be one, and how numpy keeps and compares them unchanged."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.membership import Bools, read_value
from r2n.table import Value
from r2n.table.cells import distinct_values, value_id


def is_label(labels: NDArray[Any], label: Value) -> Bools:
    r"""Tell which labels are this one: numpy would cut a NUL off the end of a text that it is to compare with.

    >>> is_label(np.array(["a", "a\0"], dtype=object), "a\0").tolist()
    [False, True]
    """
    alone = np.empty((), dtype=object)
    alone[()] = label
    # As objects, so that comparing numbers with a text gives False and not an error.
    return np.asarray(labels.astype(object) == alone, dtype=np.bool_)


def label_array(labels: Sequence[Value]) -> NDArray[Any]:
    """Keep labels as they are: numpy would turn (False, "yes") into two texts, and cut a NUL off the end of one."""
    cut = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    return np.array(labels, dtype=object if cut or len(set(map(type, labels))) > 1 else None)


def as_label(cell: object) -> Value:
    """Read a label as the value it is; refuse what cannot be one."""
    value = read_value(cell, "label")
    if value is None:
        raise ParameterError("a label must be text, a number or a Boolean, not a missing value.")
    # A class that came as 1.0 is given back as 1.0; only sets of categories equate it with 1.
    return float(value) if isinstance(cell, float | np.floating) else value


def sort_classes(labels: Iterable[Value]) -> tuple[Value, ...]:
    """Sort the distinct labels: numbers before texts.

    >>> sort_classes(["no", "yes", 3, "no"])
    (3, 'no', 'yes')
    """
    return tuple(sorted(distinct_values(labels), key=lambda label: (isinstance(label, str), label)))


def places_of(labels: Iterable[Value]) -> dict[Hashable, int]:
    """Map each class to its position among all classes."""
    return {value_id(label): k for k, label in enumerate(sort_classes(labels))}
