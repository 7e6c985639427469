"""Columns that are filled where they are missing: found, scanned exactly, and within what the user allows."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import R2NClassifier, RuleSet
from r2n.rewrite.untie import untied
from r2n.rules import Filled, Halfspace, Knowledge, Rule
from r2n.search import Caps, Prices, Problem, descend
from r2n.search.anneal import Schedule, anneal
from r2n.search.columns import DesignMatrix
from r2n.search.halfspaces import improve, propose_halfspaces
from r2n.search.scans import Scan, scan_exactly
from r2n.table import Schema, Table


def people(n: int, seed: int = 0, gone: float = 0.3) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.normal(50, 20, n).round(1),
            "debt": rng.gamma(2.0, 8.0, n).round(1),
            "age": rng.integers(20, 70, n).astype(float),
        }
    )
    X.loc[rng.random(n) < gone, "debt"] = np.nan
    return X


def granted(X: pd.DataFrame) -> np.ndarray:
    return np.asarray(X["income"] - 2 * X["debt"].fillna(25.0) > 5)


def problem_of(X: pd.DataFrame, y: np.ndarray, caps: Caps = Caps(4), **known: object) -> Problem:  # noqa: B008
    schema, table = Schema.learn(X)
    return Problem.of(table, schema, y, np.ones(len(X)), Prices.of(1e-3), caps, Knowledge(**known))


def fills_of(model: RuleSet) -> dict[str, float]:
    terms = (term for literal in model.literals if isinstance(literal, Halfspace) for term in literal.terms)
    return {key.column: key.fill for key, _ in terms if isinstance(key, Filled)}


def test_a_filled_column_is_found_exactly() -> None:
    X = people(4000)
    model = R2NClassifier(random_state=0).fit(X[:3000], granted(X[:3000]))
    assert (model.rules_.n_rules, model.rules_.size, model.rules_.columns) == (1, 2, ("debt", "income"))
    assert fills_of(model.rules_)["debt"] == pytest.approx(25, abs=0.5)
    assert model.score(X[3000:], granted(X[3000:])) >= 0.998
    assert RuleSet.parse(str(model.rules_)) == model.rules_


def test_nothing_is_filled_where_missing_is_not_granted() -> None:
    """A sum that is false where a value is missing says so by itself."""
    X = people(2000, seed=1)
    y = np.asarray(X["income"] - 2 * X["debt"] > 5)
    model = R2NClassifier(random_state=0).fit(X, y)
    assert fills_of(model.rules_) == {}
    assert model.score(X, y) >= 0.998


def test_what_is_filled_in_is_a_value_that_the_column_could_have() -> None:
    X = people(2000, seed=2)
    y = np.asarray((X["income"] - 2 * X["debt"] > 5) | X["debt"].isna())  # any fill that is low enough will do
    model = R2NClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) >= 0.99
    for name, fill in fills_of(model.rules_).items():
        assert X[name].min() <= fill <= X[name].max()


@pytest.mark.parametrize("most", [1, 2])
def test_a_filled_column_counts_as_one(most: int) -> None:
    X = people(1500, seed=3)
    *_, last = descend(problem_of(X, granted(X), Caps(columns=most)), ())
    assert max(literal.size for rule in last.rules for literal in rule.literals) <= most


def test_excluded_columns_are_not_filled_and_signs_are_kept() -> None:
    X = people(1500, seed=4)
    y = granted(X)
    *_, last = descend(problem_of(X, y, excluded=frozenset({"debt"})), ())
    assert all("debt" not in literal.columns for rule in last.rules for literal in rule.literals)
    *_, free = descend(problem_of(X, ~y), ())
    *_, last = descend(problem_of(X, ~y, signs=(("debt", -1),)), ())  # against what the rows say
    assert max(weights_of_debt(free.rules)) > 0
    assert max(weights_of_debt(last.rules), default=-1.0) < 0


def weights_of_debt(rules: tuple[Rule, ...]) -> list[float]:
    sums = [literal for rule in rules for literal in rule.literals if isinstance(literal, Halfspace)]
    return [a for literal in sums for name, a in literal.numbers if name == "debt"]


# -- the scan ---------------------------------------------------------------------------------------

cells = st.tuples(st.integers(-4, 4), st.integers(-4, 4) | st.none(), st.integers(-3, 3).filter(bool))


@given(st.lists(cells, min_size=3, max_size=25), st.sampled_from([-1.5, -0.4, 0.7, 2.0]), st.floats(-2.0, 2.0))
def test_no_fill_of_the_column_is_better_than_the_one_scanned(
    rows: list[tuple[int, int | None, int]], b: float, fill: float
) -> None:
    x, y, cost = (np.array([row[k] for row in rows], dtype=float) for k in range(3))
    if len(set(y[~np.isnan(y)])) < 2 or len(set(x)) < 2:
        return
    schema, table = Schema.learn({"x": x, "y": y})
    problem = Problem.of(table, schema, cost < 0, np.abs(cost), Prices.of(0.0), Caps())
    design, cost = DesignMatrix.of(problem), problem.cost
    scan = Scan.of(design, np.arange(problem.n_rows), cost, (0, 1), np.array([1.0, b]), {1: fill})
    if scan is None:
        return

    def total(filled: float) -> float:
        z = np.where(scan.gaps[1], filled, design.z[1])
        return float(cost @ (scan.b[0] * design.z[0] + b * z > scan.cut.at))

    before = total(fill)
    scan.fill()
    low, high = (design.inside(1, float(end[1])) for end in (design.low, design.high))
    best = min(map(total, np.linspace(low, high, 101)[1:-1]))  # at the ends a row may lie on the bound
    assert total(scan.fills[1]) <= before
    assert total(scan.fills[1]) <= best


def test_a_sum_is_improved_from_its_own_fill() -> None:
    X = people(2000, seed=5)
    problem = problem_of(X, granted(X))
    rows, design = np.arange(problem.n_rows), DesignMatrix.of(problem)
    start = Halfspace.of({"income": 1, Filled("debt", 15): -1.7}, 9)
    better = next(improve(design, rows, problem.cost, start)).halfspace()
    assert [key for key, _ in better.terms if isinstance(key, Filled)]
    assert problem.cost @ better.evaluate(problem.table) < problem.cost @ start.evaluate(problem.table)


def test_without_missing_values_nothing_is_tried_with_a_fill() -> None:
    X = people(500, gone=0.0)
    problem = problem_of(X, granted(X))
    found = list(propose_halfspaces(DesignMatrix.of(problem), np.arange(len(X)), problem.cost, 4))
    assert found
    assert not any(scanned.direction.fills for scanned in found)


def test_finishing_keeps_rows_in_which_a_filled_column_is_missing() -> None:
    X = people(500, seed=6)
    problem = problem_of(X, granted(X))
    design, rows = DesignMatrix.of(problem), np.arange(len(X))
    strict = scan_exactly(design, rows, problem.cost, (0, 1), np.array([1.0, -1.0]))
    filled = scan_exactly(design, rows, problem.cost, (0, 1), np.array([1.0, -1.0]), {1: 0.0})
    assert strict is not None
    assert filled is not None
    assert filled.cost < strict.cost


def test_cooling_again_keeps_what_is_filled() -> None:
    X = people(1000, seed=7)
    problem = problem_of(X, granted(X))
    start = (Rule((Halfspace.of({"income": 1, Filled("debt", 20): -1.5}, 9),)),)
    (rule,) = anneal(problem, start, DesignMatrix.of(problem), np.random.default_rng(0), Schedule(steps=50))
    (literal,) = rule.literals
    assert isinstance(literal, Halfspace)
    assert [key for key, _ in literal.terms if isinstance(key, Filled)] == [Filled("debt", 20.0)]
    assert literal != start[0].literals[0]


# -- afterwards -------------------------------------------------------------------------------------


def test_a_fill_that_decides_nothing_goes() -> None:
    table = Table.read({"x": [1.0, 2, 3, 4], "y": [1.0, 2, None, None]})
    idle = RuleSet.parse("yes if x + (y if known else -9) > 2.5 else no")
    assert untied(idle, table) == RuleSet.parse("yes if x + y > 2.5 else no")
    needed = RuleSet.parse("yes if x + (y if known else 0) > 2.5 else no")
    assert untied(needed, table) == needed


@pytest.mark.slow
def test_two_columns_that_are_missing_together_are_filled_together() -> None:
    rng = np.random.default_rng(8)
    X = people(3000, seed=8, gone=0.0)
    X.loc[rng.random(len(X)) < 0.3, ["debt", "age"]] = np.nan
    y = np.asarray(X["income"] - 2 * X["debt"].fillna(25) + X["age"].fillna(40) > 40)
    model = R2NClassifier(random_state=0).fit(X, y)
    assert (model.rules_.n_rules, model.rules_.size) == (1, 3)
    assert set(fills_of(model.rules_)) == {"debt", "age"}
    assert model.score(X, y) >= 0.998


def test_a_row_of_weight_two_is_the_row_twice() -> None:
    X, twice = people(400, seed=9), np.random.default_rng(9).random(400) < 0.5
    y = granted(X) ^ (np.random.default_rng(10).random(400) < 0.1)
    index = np.concatenate([np.arange(400), np.flatnonzero(twice)])
    schema, table = Schema.learn(X)
    doubled = Table.read(X.iloc[index].reset_index(drop=True))
    heavy = Problem.of(table, schema, y, 1.0 + twice, Prices.of(1e-3), Caps(4))
    double = Problem.of(doubled, schema, y[index], np.ones(len(index)), Prices.of(1e-3), Caps(4))
    ours, theirs = ([*descend(problem, ())][-1].rules for problem in (heavy, double))
    assert any(literal.fills for rule in ours for literal in rule.literals if isinstance(literal, Halfspace))
    assert np.array_equal(RuleSet(ours).truth(table), RuleSet(theirs).truth(table))


def test_an_expert_may_fill_with_what_no_row_has() -> None:
    X = people(800, seed=11)
    for fill in (1e99, -1e99):
        start = f"True if income - 2·(debt if known else {fill}) > 5 else False"
        model = R2NClassifier(random_state=0, effort="quick", start=start).fit(X, granted(X))
        assert model.score(X, granted(X)) > 0.9
