"""Measures of rules on rows whose labels are known."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r2n.errors import ParameterError
from r2n.rules import RuleSet, measure

RULES = RuleSet.parse("yes if x > 3 or z in {a} or x > 100 else no")
TABLE: dict[str, list[Any]] = {"x": [1, 4, 5, 2, 0], "z": ["a", "a", "b", "b", "b"]}
Y = ["no", "yes", "yes", "no", "yes"]


def test_counts_without_weights() -> None:
    found = measure(RULES, TABLE, Y)
    high, never, member = found.rules
    assert str(high.rule) == "x > 3"
    assert (high.covered, high.positives, high.precision, high.recall) == (2, 2, 1.0, 2 / 3)
    assert (high.alone, high.alone_positives) == (1, 1)
    assert (member.covered, member.positives, member.precision, member.recall) == (2, 1, 0.5, 1 / 3)
    assert (member.alone, member.alone_positives) == (1, 0)
    assert (never.covered, never.recall) == (0, 0)
    assert math.isnan(never.precision)
    assert (found.accuracy, found.weight, found.positives) == (0.6, 5, 3)


def test_weights_count_as_repeated_rows() -> None:
    repeat = [3, 1, 2, 0, 4]
    table = {name: np.repeat(column, repeat) for name, column in TABLE.items()}
    weighted = measure(RULES, TABLE, Y, repeat)
    repeated = measure(RULES, table, np.repeat(Y, repeat))
    assert str(weighted) == str(repeated)
    assert weighted.accuracy == repeated.accuracy


def test_the_table_is_readable() -> None:
    assert str(measure(RULES, TABLE, Y)) == (
        "covered  precision  recall  alone  rule\n"
        "      2      1.000   0.667      1  x > 3\n"
        "      0        nan   0.000      0  x > 100\n"
        "      2      0.500   0.333      1  z in {a}\n"
        "accuracy 0.6000 on 5 rows"
    )


def test_no_positives_and_no_rules() -> None:
    assert math.isnan(measure(RULES, TABLE, ["no"] * 5).rules[0].recall)
    empty = measure(RULES.with_rules([]), TABLE, Y)
    assert (empty.rules, empty.accuracy) == ((), 0.4)


def test_labels_of_any_container_and_type() -> None:
    assert measure(RULES, TABLE, pd.Series(Y)).accuracy == 0.6
    assert measure(RULES, TABLE, np.array([0, 1, 1, 0, 1])).positives == 0
    numeric = RuleSet.parse("1 if x > 3 else 0")
    assert measure(numeric, TABLE, np.array([0, 1, 1, 0, 1])).accuracy == 0.8
    assert measure(numeric, TABLE, np.array([0.0, 1.0, 1.0, 0.0, 1.0])).accuracy == 0.8


@pytest.mark.parametrize(
    ("y", "weight", "message"),
    [
        (Y[:3], None, r"y must have one label for each of the 5 rows, not shape \(3,\)."),
        ([[label] for label in Y], None, r"not shape \(5, 1\)"),
        (Y, [1, 2], "sample_weight must have one number for each of the 5 rows"),
        (Y, [1, 1, 1, 1, -1], "sample_weight must be finite and not negative"),
        (Y, [1, 1, 1, 1, math.nan], "sample_weight must be finite and not negative"),
    ],
)
def test_odd_labels_and_weights_are_refused(y: list, weight: list | None, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        measure(RULES, TABLE, y, weight)
