"""How rules treat groups of rows: counted by hand, and with intervals."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.explain import check, groups
from r2n.rules import ClassRules, RuleSet
from r2n.rules.interval import wilson
from r2n.table import Table
from r2n.table.grouping import Grouping

RULES = RuleSet.parse("yes if x > 3 else no")
CLASSES = ClassRules.parse("low if x < 2 else high if x > 4 else middle")


def people(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.uniform(0, 6, n), "sex": rng.choice(["f", "m"], n), "age": rng.integers(18, 80, n)})
    return X, np.where(X["x"] + rng.normal(size=n) > 3, "yes", "no")


def test_every_share_is_that_of_its_rows() -> None:
    X, y = people()
    said = RULES.predict(X)
    for each in groups(RULES, X, y, ["sex"]).shares:
        own = (X["sex"] == each.group).to_numpy()
        assert each.rows == own.sum()
        for got, right, among in (
            (each.selection, said == "yes", own),
            (each.recall, said == "yes", own & (y == "yes")),
            (each.precision, y == "yes", own & (said == "yes")),
        ):
            n = int(among.sum())
            assert got[0] == pytest.approx(right[among].mean())
            assert got[1:] == pytest.approx(wilson(float(right[among].sum()), n))


def test_the_gap_is_the_largest_difference() -> None:
    X, y = people()
    found = groups(RULES, X, y, "age")
    assert [each.group for each in found.shares] == [
        each.format(*np.quantile(X["age"], [0.25, 0.5, 0.75]))
        for each in ("up to {0:g}", "{0:g} to {1:g}", "{1:g} to {2:g}", "above {2:g}")
    ]
    for kind in ("selection", "recall", "precision"):
        shares = [getattr(each, kind)[0] for each in found.shares]
        assert found.gap("age", kind) == max(shares) - min(shares)
    frame = found.frame()
    assert len(frame) == 4
    assert frame["recall_low"].le(frame["recall"]).all()
    assert str(found).splitlines()[-1].startswith("largest gap")


def test_weights_count_in_shares_and_not_in_the_width() -> None:
    X = {"x": [4, 1, 4, 1], "sex": ["f", "f", "m", "m"]}
    found = groups(RULES, X, None, "sex", sample_weight=[3, 1, 1, 1])
    assert [each.selection[0] for each in found.shares] == [0.75, 0.5]
    assert found.shares[0].selection[1:] == wilson(1.5, 2)
    assert math.isnan(found.shares[0].recall[0])
    assert "recall" not in str(found)


def test_of_several_classes_each_is_looked_at() -> None:
    X, _ = people()
    found = groups(CLASSES, X, CLASSES.predict(X), ["sex"])
    assert [(each.label, each.group) for each in found.shares] == [
        (label, group) for label in ("high", "low", "middle") for group in ("f", "m")
    ]
    assert all(each.recall[0] == each.precision[0] == 1.0 for each in found.shares)
    assert "label" in str(found)


def test_groups_of_few_numbers_of_missing_values_and_of_booleans() -> None:
    table = Table.read({"n": [1, 2, None, 2], "b": [True, False, None, True], "c": ["x"] * 4})
    assert Grouping.of(table, "n").names == ("1", "2", "missing")
    assert Grouping.of(table, "b").names == ("False", "True", "missing")
    assert Grouping.of(table, "c").names == ("x",)
    mostly = Table.read({"n": [*range(11)] + [20] * 90})
    assert Grouping.of(mostly, "n").names == ("up to 10", "above 10")


@given(st.lists(st.none() | st.integers(-30, 30), min_size=1, max_size=80))
def test_every_row_is_in_one_group_that_has_rows(values: list[int | None]) -> None:
    found = Grouping.of(Table.read({"n": np.array(values, dtype=float), "m": np.zeros(len(values))}), "n")
    assert set(found.codes.tolist()) == set(range(len(found.names)))
    assert len(set(found.names)) == len(found.names)
    known = [(value, code) for value, code in zip(values, found.codes.tolist(), strict=True) if value is not None]
    assert [code for _, code in sorted(known)] == sorted(code for _, code in known)  # groups are ranges, in order


@given(st.integers(0, 200), st.integers(1, 200))
def test_an_interval_holds_its_share(right: int, more: int) -> None:
    n = right + more
    low, high = wilson(right, n)
    assert 0.0 <= low <= right / n <= high <= 1.0
    assert high - low > wilson(4 * right, 4 * n)[1] - wilson(4 * right, 4 * n)[0]


@pytest.mark.parametrize(
    ("by", "words"),
    [
        ("sexx", "column 'sexx'.*Did you mean 'sex'"),
        ([], "by names no column"),
        ("name", "column 'name' has 40 values, and no more than 20 groups"),
    ],
)
def test_what_makes_no_groups_is_refused(by: object, words: str) -> None:
    X, y = people(40)
    with pytest.raises(ParameterError, match=words):
        groups(RULES, X.assign(name=[f"n{i}" for i in range(40)]), y, by)
    with pytest.raises(ParameterError, match="there is no gap in 'accuracy'"):
        groups(RULES, X, y, "sex").gap("sex", "accuracy")


def test_a_check_shows_groups_below_the_rules() -> None:
    X, y = people()
    found = check(RULES, X, y, groups=["sex"])
    assert found.groups == groups(RULES, X, y, ["sex"])
    assert str(found) == f"{check(RULES, X, y)}\n{found.groups}"
