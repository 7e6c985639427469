"""Rules as data: a frame with one row for each literal."""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from typing import Any

from r2n.errors import ParameterError
from r2n.rules.classes import Model
from r2n.rules.measures import measure_rules
from r2n.rules.text import write_value
from r2n.table import Value
from r2n.table.cells import shown

LIBRARIES = ("pandas", "polars")
MEASURES = ("precision_low", "precision_high", "held_out_precision", "held_out_low", "held_out_high")
SHARES = ("coverage", "precision", "alone", *MEASURES)


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
    shares = dict.fromkeys(SHARES, frames.Float64)
    frame = frames.DataFrame(columns, schema_overrides={**types, **texts, **shares})
    return frame.with_columns(frames.col(*shares).fill_nan(None))


def _columns(rules: Model) -> dict[str, list[Any]]:
    owners = [(label, rule) for label, branch in rules.branches for rule in branch]
    labels = _alike([label for label, _ in owners])
    names = ("rule", "label", "literal", "columns", *SHARES)
    found: dict[str, list[Any]] = {name: [] for name in names}
    measured = zip(labels, owners, measure_rules(rules), _weights_alone(rules), strict=True)
    for number, (label, (_, rule), measures, alone) in enumerate(measured, start=1):
        shares = (measures.coverage, measures.precision, alone, *(getattr(measures, name) for name in MEASURES))
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


def _weights_alone(rules: Model) -> list[float]:
    """The weight of the rows that each rule alone covers; NaN if it is not known, or rules were changed since."""
    base = rules.baseline
    if base is None or not base.fits(rules):
        return [math.nan] * rules.n_rules
    return [
        math.nan if counted is None or counted.alone is None else counted.alone.weight
        for counted in base.in_order_of(rules)
    ]
