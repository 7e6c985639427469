"""Given literals, which the network does not learn: categories, missing and known; and literals as Boolean columns."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r2n.rules import Known, Literal, Membership, Missing
from r2n.search.plan import FEWEST_OFFERED_ROWS, LEAST_OFFERED_SHARE, OFFERED_CATEGORIES
from r2n.table import Column, Schema, Table, Value


def offer_literals(schema: Schema, table: Table, negations: bool = False) -> tuple[Literal, ...]:
    """List one literal for each category, and `is missing` and `is known` for columns with missing values.

    Rare categories are left out, or a column of names would drown the network. `negations` adds `not in`.
    """
    literals: list[Literal] = []
    for column in schema.columns:
        for category in _find_frequent(column, table):
            literals.append(Membership(column.name, (category,)))
            if negations:
                literals.append(Membership(column.name, (category,), negated=True))
        if column.missing:
            literals += [Missing(column.name), Known(column.name)]
    return tuple(literals)


def _find_frequent(column: Column, table: Table) -> tuple[Value, ...]:
    """Find the categories that enough rows have, in their order; of many, the most frequent."""
    if not column.categories:
        return ()
    codes, values = table.codes(column.name)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    enough = max(FEWEST_OFFERED_ROWS, LEAST_OFFERED_SHARE * table.n_rows)
    most_first = np.argsort(-counts, kind="stable")[:OFFERED_CATEGORIES]
    return tuple(values[k] for k in np.sort(most_first) if counts[k] >= enough)


def evaluate_literals(literals: Sequence[Literal], table: Table) -> NDArray[np.bool_]:
    """Evaluate literals on each row, as Boolean columns."""
    columns = np.empty((table.n_rows, len(literals)), dtype=np.bool_)
    for k, literal in enumerate(literals):
        columns[:, k] = literal.evaluate(table)
    return columns
