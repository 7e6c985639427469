"""Which values each column may take in a changed row: those of the domain, or the value it has."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

from r2n.errors import ParameterError
from r2n.explain.nearest import may_hold
from r2n.explain.row import Rules, require_column
from r2n.prove import Domain, Row
from r2n.prove.box import Box, Possible
from r2n.table import Value


def read_domain(rules: Rules, given: Domain | Mapping[str, object] | None) -> Domain:
    """Read the domain that the user gave for some columns; the schema says what the others hold."""
    base = Domain() if rules.schema is None else Domain.of(rules.schema)
    if given is None:
        return base
    own = Domain.read(given)
    for name, _ in own.columns:
        require_column(rules, name, "domain")
    return base.with_columns(dict(own.columns)).read_by(rules.schema)


def is_outside(allowed: Possible, value: Value | None) -> bool:
    """Check whether a value is a number outside the domain."""
    return allowed.numeric and allowed.only is None and isinstance(value, float) and not may_hold(allowed, value)


def allow_changes(rules: Rules, row: Row, allowed: Box, fixed: Collection[str]) -> dict[str, Possible]:
    """Find what each column may become: the value it has, or what the domain allows.

    If a number is outside the domain, it may also become what lies between: the search decides whether it stays outside
    or moves inside.
    """
    if isinstance(fixed, str):
        raise ParameterError(f"fixed must be a list of columns, not {fixed!r}.")
    for name in fixed:
        require_column(rules, name, "fixed")
    return {name: _allow_value(allowed[name], value, name in fixed) for name, value in row.items()}


def _allow_value(possible: Possible, value: Value | None, fixed: bool) -> Possible:
    if value is None:
        free = replace(possible, missing=True)
        return free.must_be_missing() if fixed else free
    free = replace(possible, missing=False, never=possible.never - {value})
    if free.only is not None:
        free = replace(free, only=free.only | {value})
    if free.numeric and isinstance(value, float):
        whole = free.integer and value == math.floor(value)
        free = replace(free, low=min(free.low, value), high=max(free.high, value), integer=whole)
        return free.within(value, value) if fixed else free
    return free.among(frozenset([value])) if fixed else free
