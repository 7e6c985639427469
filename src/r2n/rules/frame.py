"""Rules as data: a frame with one row for each literal."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

from r2n.errors import ParameterError
from r2n.rules.classes import Model
from r2n.rules.counts import Baseline, RuleCount
from r2n.rules.text import write_value
from r2n.table import Value
from r2n.table.cells import shown

LIBRARIES = ("pandas", "polars")


def to_frame(rules: Model, library: str) -> Any:
    """Make a frame with one row for each literal, and of its rule what was counted."""
    if library not in LIBRARIES:
        raise ParameterError(f"to_frame gives a frame of {' or '.join(LIBRARIES)}, not of {shown(library)}.")
    try:
        frames = importlib.import_module(library)
    except ImportError:
        other = LIBRARIES[library == LIBRARIES[0]]
        raise ParameterError(f"{library} is not installed. Install it, or ask for {other}.") from None
    columns = _columns(rules)
    if library == "pandas":
        return frames.DataFrame(columns)
    texts = {"label": frames.String} if all(isinstance(label, str) for label in columns["label"]) else {}
    types = {"rule": frames.Int64, "literal": frames.String, "columns": frames.List(frames.String)}
    shares = dict.fromkeys(("coverage", "precision", "alone"), frames.Float64)
    frame = frames.DataFrame(columns, schema_overrides={**types, **texts, **shares})
    return frame.with_columns(frames.col(*shares).fill_nan(None))


def _columns(rules: Model) -> dict[str, list[Any]]:
    owners = [(label, rule) for label, branch in rules.branches for rule in branch]
    counts = [None] * len(owners) if rules.baseline is None else rules.baseline.in_order_of(rules)
    labels = _alike([label for label, _ in owners])
    whole = rules.baseline is not None and rules.baseline.fits(rules)
    names = ("rule", "label", "literal", "columns", "coverage", "precision", "alone")
    found: dict[str, list[Any]] = {name: [] for name in names}
    for number, (label, (_, rule), counted) in enumerate(zip(labels, owners, counts, strict=True), start=1):
        shares = _shares(rules.baseline, counted, whole)
        pieces = [(each.text(rules.schema), list(each.columns)) for each in rule.literals] or [("true", [])]
        for text, columns in pieces:
            for name, value in zip(names, (number, label, text, columns, *shares), strict=True):
                found[name].append(value)
    return found


def _alike(labels: Sequence[Value]) -> Sequence[Value]:
    """Return the labels as they are if one column can hold them, else as they are printed."""
    mixed = len({type(label) for label in labels}) > 1
    long = any(isinstance(label, int) and abs(label) >= 2**63 for label in labels)
    return [write_value(label) for label in labels] if mixed or long else labels


def _shares(base: Baseline | None, counted: RuleCount | None, whole: bool) -> tuple[float, float, float]:
    """Compute what is known of a rule: coverage, precision and the weight of the rows that it alone covers."""
    if base is None or counted is None:
        return math.nan, math.nan, math.nan
    coverage = counted.covered.weight / base.weight if base.weight > 0 else math.nan
    precision = counted.positives.weight / counted.covered.weight if counted.covered.weight > 0 else math.nan
    return coverage, precision, counted.alone.weight if whole and counted.alone is not None else math.nan
