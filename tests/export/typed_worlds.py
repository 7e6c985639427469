"""Rules over typed columns, rows that probe them, and what an engine must say of each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

from r2n import datasets
from r2n.rules import ClassRules, Known, Literal, Missing, RuleSet, rename_columns
from r2n.rules.text import write_value
from r2n.table import Schema
from tests.export.worlds import counting
from tests.strategies import (
    CATEGORICAL,
    CATEGORIES,
    NUMERIC,
    filled_sums,
    halfspaces,
    memberships,
    rules,
    small_literals,
    tables,
)

TEXTS = (
    None, "a", "b", "c", "never seen", "A", " a", "1", 'q"uo', "back\\slash", "new\nline", "a\rb", "a\r\nb", "größe",
    "<&>",
)  # fmt: skip
NUMBERS = (None, 1, 2, 7, 0.5, 1e300)
BOOLEANS = (None, True, False)

# What stands for a missing value, where the schema says so.
CODES: dict[str, list[object]] = {"x": [7.0, -1.0], "z": ["c", "1"], "w": [7]}


# Literals with numbers of few digits.
_names = st.sampled_from(NUMERIC + CATEGORICAL)
_weights = st.sampled_from([1.0, -1.0, 2.0, -2.5, 0.1, -0.3, 40.0])
_thresholds = st.sampled_from([-1.0, 0.0, 0.25, 1.5])
_sets = memberships(_names, st.sampled_from((*CATEGORIES, 0)))
_columns = st.dictionaries(st.sampled_from(NUMERIC), _weights, min_size=1, max_size=3)
_sums = halfspaces(st.sampled_from(NUMERIC), _weights, _thresholds) | counting(_columns, _sets, _weights, _thresholds)
ORDINARY = (
    _sums
    | filled_sums(_sums, st.sampled_from([0.0, 1.0, -2.0, 0.25, 7.0]), beside=False)
    | _sets
    | st.builds(Missing, _names)
    | st.builds(Known, _names)
)

Cells = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True)
class TypedWorld:
    """Rules that know their schema, and columns as a caller has them, codes for missing values included."""

    rules: RuleSet | ClassRules
    columns: Cells

    @property
    def first_rule(self) -> np.ndarray[Any, Any]:
        return first_rule(self.rules, self.columns)

    def renamed(self, names: dict[str, str]) -> TypedWorld:
        return TypedWorld(
            rename_columns(self.rules, names), {names[name]: cells for name, cells in self.columns.items()}
        )


def first_rule(rules: RuleSet | ClassRules, X: object) -> np.ndarray[Any, Any]:
    """The number of the first rule that is true in each row, 0 where none is."""
    sets = list(rules) if isinstance(rules, ClassRules) else [rules]
    fired = np.hstack([each.fires(X) for each in sets])
    return np.where(fired.any(axis=1), fired.argmax(axis=1) + 1, 0) if fired.shape[1] else np.zeros(len(fired), int)


def said(rules: RuleSet | ClassRules, X: object, largest: int = 2**63 - 1) -> list[Any]:
    """The labels as a typed target gives them: as they are if they have one type, else written out."""
    named = [*(rules.labels if isinstance(rules, ClassRules) else [rules.label]), rules.default]
    plain = len({type(label) for label in named}) == 1 and all(type(a) is not int or abs(a) <= largest for a in named)
    return [label if plain else write_value(label) for label in rules.predict(X).tolist()]


# Without what XML cannot hold, and text files had better not.
texts = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cn", "Cs"]), max_size=6)
labels = (
    st.sampled_from(["yes", "no", "3", "a b", 'q"uo', "<&>", 3, 0, -2, 2**31, 2**60, 0.5, True, False, 2**70]) | texts
)


@st.composite
def decisions(
    draw: st.DrawFn,
    literal: st.SearchStrategy[Literal] = small_literals,
    label: st.SearchStrategy[Any] = labels,
) -> RuleSet | ClassRules:
    """Rules for one class or for several."""
    *named, default = draw(st.lists(label, min_size=2, max_size=4, unique=True))
    branches = tuple((name, tuple(draw(st.lists(rules(literal), max_size=4)))) for name in named)
    return RuleSet(branches[0][1], named[0], default) if len(named) == 1 else ClassRules(branches, default)


@st.composite
def typed_worlds(draw: st.DrawFn, literal: st.SearchStrategy[Literal] = small_literals) -> TypedWorld:
    """Numbers on and beside every boundary, a column of texts, one of numbers or Booleans as categories."""
    found = draw(decisions(literal))
    table = draw(tables(found.literals))
    columns = {name: table.numeric(name).copy() for name in NUMERIC}
    others = {"z": TEXTS, "w": draw(st.sampled_from([NUMBERS, BOOLEANS]))}
    for name, cells in others.items():
        rows = draw(st.lists(st.sampled_from(cells), min_size=table.n_rows, max_size=table.n_rows))
        columns[name] = np.array([*rows, None], dtype=object)[:-1]
    return TypedWorld(found.with_schema(schema(others["w"], draw(st.booleans()))), columns)


def schema(numbers: tuple[object, ...] = NUMBERS, codes: bool = False) -> Schema:
    """What was seen at fit: less than what comes later."""
    seen = {**{name: [0.0, 3.0, np.nan] for name in NUMERIC}, "z": ["a", "b", None], "w": list(numbers[:3])}
    cells = {name: np.array(column, dtype=object) for name, column in seen.items()}
    return Schema.learn(cells, ["w"], CODES if codes else None)[0]


ADULT = """
">50K" if "education_num" + 0.1·age - 0.01·"hours-per-week" > 13.5 and "marital-status" in {"Married-civ-spouse"}
    or "capital-gain" > 5119 and "capital-loss" < 1
    or occupation not in {"Other-service", "Handlers-cleaners", "Machine-op-inspct"} and age + 0.5·"hours-per-week" > 80
       and 0.3·"education_num" + 0.1·age >= 7.2
    or workclass is missing and "native-country" not in {"United-States"} and age > 60
    or "native-country" is missing and sex in {Male} and race in {White, "Asian-Pac-Islander"} and age >= 50
    or occupation is known and 3·"education_num" - age > 20 and relationship not in {"Own-child", Unmarried}
else "<=50K"
"""


def adult() -> TypedWorld:
    """A real table with categories and missing values, under rules over most of its columns."""
    if not datasets.available("adult"):
        pytest.skip("no copy of adult: R2N_DATA does not name a folder with it, and the cache has none")
    X = datasets.load_table("adult").X
    schema, _ = Schema.learn(X)
    cells = {name: X[name].astype(object).where(X[name].notna(), None).to_numpy() for name in X.columns}
    world = TypedWorld(RuleSet.parse(ADULT).with_schema(schema), cells)
    assert set(world.first_rule) == set(range(7))  # every rule has something to say
    return world
