"""A table to predict, as scikit-learn reads one: by name if there were names at fit and are now, else by position."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from r2n.rules import AnyRules
from r2n.table import Table, has_text_names, same_names


def read_as_fitted(X: Any, rules: AnyRules, named_at_fit: bool, who: str) -> Table:
    """Read X as a table of the rules' schema, with scikit-learn's warnings, which point at the caller's line."""
    schema = rules.schema
    assert schema is not None, "fitted rules always have a schema"
    named_now = has_text_names(X)
    if named_now != named_at_fit:
        words = "X has feature names, but {} was fitted without feature names"
        other = "X does not have valid feature names, but {} was fitted with feature names"
        warnings.warn((words if named_now else other).format(who), UserWarning, stacklevel=4)
    both = named_now and named_at_fit
    if same_names(X, schema.names) and not both:  # by numbers, or as a table without names is named
        return schema.table(X)
    if not both:
        return schema.table_by_position(X)
    if isinstance(X, Mapping):  # whose order means nothing, and which need not hold what no rule reads
        return schema.table(X, only=rules.columns)
    return schema.table(X, same_order=True)  # scikit-learn asks for all columns of a frame
