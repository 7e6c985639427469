"""Sets in sums: found exactly, chosen by each category's own rows, and within what the user allows."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import R2NClassifier, RuleSet
from r2n.rules import Halfspace, Knowledge, Membership, sets_of
from r2n.search import Caps, Prices, Problem, descend
from r2n.search.columns import DesignMatrix
from r2n.search.halfspaces import improve
from r2n.search.moves import Fitter
from r2n.search.sets import Counted, propose_sets
from r2n.table import Schema


def people(n: int, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {
            "income": rng.normal(5000, 2000, n).round(),
            "age": rng.integers(20, 70, n),
            "status": rng.choice(["married", "single", "divorced", "widowed"], n),
            "region": rng.choice(list("abcdefgh"), n),
        }
    )


def granted(X: pd.DataFrame) -> np.ndarray:
    points = 2000 * X["status"].isin(["married", "widowed"]) + 1500 * X["region"].isin(list("abc"))
    return np.asarray(X["income"] - 50 * X["age"] + points > 5600)


def problem_of(X: pd.DataFrame, y: np.ndarray, weight: np.ndarray | None = None, caps: Caps = Caps(4)) -> Problem:  # noqa: B008
    schema, table = Schema.learn(X)
    weights = np.ones(len(X)) if weight is None else weight
    return Problem.of(table, schema, y, weights, Prices.of(1e-3), caps)


def test_a_sum_that_counts_sets_is_found_exactly() -> None:
    X = people(4000)
    model = R2NClassifier(random_state=0).fit(X[:3000], granted(X[:3000]))
    ((literal,),) = (rule.literals for rule in model.rules_.rules)
    assert isinstance(literal, Halfspace)
    assert literal.columns == ("age", "income", "region", "status")
    assert {one.column: one.values for one in sets_of(literal)} == {
        "region": ("a", "b", "c"),
        "status": ("married", "widowed"),
    }
    assert model.score(X[3000:], granted(X[3000:])) >= 0.999
    assert RuleSet.parse(str(model.rules_)) == model.rules_


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 1e-3, 1e-2, 0.05]))
def test_no_two_sets_to_try_are_written_alike(seed: int, price: float) -> None:
    """Without categories that are not worth naming, two cuts of one column can be the same set."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"job": rng.choice(list("abcdef"), 300, p=[0.6, 0.3, 0.04, 0.03, 0.02, 0.01])})
    y = rng.random(300) < X["job"].map(dict(zip("abcdef", rng.random(6), strict=True)))
    schema, table = Schema.learn(X)
    problem = Problem.of(table, schema, np.asarray(y), np.ones(300), Prices.of(price), Caps(4))
    sets = propose_sets(problem, np.arange(problem.n_rows), problem.cost, (), most=8)
    assert len({one.written for one in sets}) == len(sets)


def test_two_of_three_is_one_sum_of_sets() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame({name: rng.choice(["yes", "no"], 2000) for name in "abc"})
    y = np.asarray((X == "yes").sum(axis=1) >= 2)
    model = R2NClassifier(random_state=0).fit(X, y)
    assert (model.rules_.n_rules, model.rules_.size, model.score(X, y)) == (1, 3, 1.0)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_set_in_a_sum_counts_as_a_column(most: int) -> None:
    X = people(1500, seed=2)
    problem = problem_of(X, granted(X), caps=Caps(columns=most))
    *_, last = descend(problem, ())
    literals = [literal for rule in last.rules for literal in rule.literals]
    assert max(literal.n_terms for literal in literals) <= most
    summed = any(isinstance(literal, Halfspace) and literal.sets for literal in literals)
    assert summed == (most > 1)


costs = st.integers(-3, 3).map(float)
told = st.lists(st.tuples(st.integers(-1, 3), st.integers(-3, 3), costs), min_size=1, max_size=14)


@given(told, st.sampled_from([-2.0, -0.5, 1.5, 2.5]), st.lists(st.booleans(), min_size=4, max_size=4))
def test_each_category_is_in_or_out_as_is_best(
    rows: list[tuple[int, int, float]], step: float, inside: list[bool]
) -> None:
    codes, rest, cost = (np.array(part) for part in zip(*rows, strict=True))
    many = 30  # of each row, so that no category is too rare to be believed
    codes, rest, cost = np.tile(codes, many), np.tile(rest, many) + 0.25, np.tile(cost, many)
    start = np.array(inside)
    counted = Counted("k", ("p", "q", "r", "s"), codes.astype(np.int32), np.ones(len(codes)), start, ~start)

    def total(chosen: np.ndarray) -> float:
        ones = np.append(chosen, False)[codes]
        return float(cost[(rest + step * ones > 0) & (codes >= 0)].sum())

    other = counted.rechosen(rest, step, np.where(codes >= 0, cost, 0.0))
    present = np.unique(codes[codes >= 0])
    sets = [np.array(each) for each in product([False, True], repeat=4)]
    telling = [each for each in sets if len(set(each[present])) == 2]  # the others are constant on these rows
    if other is not None:
        assert total(other.inside) <= min(map(total, telling))
        assert total(other.inside) <= total(start)
    elif telling and len(set(start[present])) == 2:
        constant = [each for each in sets if len(set(each[present])) < 2]
        assert total(start) <= min(map(total, telling)) or min(map(total, constant)) <= min(map(total, telling))


def test_rare_categories_are_left_out() -> None:
    X = people(2000, seed=3)
    X["name"] = [f"n{k}" for k in range(len(X))]
    problem = problem_of(X, np.random.default_rng(3).random(len(X)) < 0.5)
    found = propose_sets(problem, np.arange(len(X)), problem.cost, (), most=50)
    assert {counted.column for counted in found} == {"status", "region"}


def test_what_is_barred_is_not_tried() -> None:
    X = people(500)
    problem = problem_of(X, granted(X))
    found = propose_sets(problem, np.arange(len(X)), problem.cost, {"status"}, most=50)
    assert {counted.column for counted in found} == {"region"}


def test_a_row_of_weight_two_is_the_row_twice() -> None:
    X, twice = people(400, seed=4), np.random.default_rng(4).random(400) < 0.5
    y = granted(X) ^ (np.random.default_rng(5).random(400) < 0.2)
    index = np.concatenate([np.arange(400), np.flatnonzero(twice)])
    heavy = problem_of(X, y, weight=1.0 + twice)
    double = problem_of(X.iloc[index].reset_index(drop=True), y[index])
    ours, theirs = (
        [counted.membership() for counted in propose_sets(problem, np.arange(problem.n_rows), problem.cost, (), 50)]
        for problem in (heavy, double)
    )
    assert ours == theirs


@pytest.mark.slow
def test_a_missing_category_makes_no_sum_true() -> None:
    X = people(3000, seed=6)
    y = granted(X)
    X.loc[::3, "status"] = None
    model = R2NClassifier(random_state=0, max_rules=1, max_literals=1).fit(X, y & X["status"].notna())
    gone = X["status"].isna().to_numpy()
    assert not model.rules_.truth(X)[gone].any()
    assert model.score(X, y & ~gone) >= 0.99


def test_a_sum_is_improved_on_its_own_sets() -> None:
    X = people(2000, seed=7)
    problem = problem_of(X, granted(X))
    start = Halfspace.of(
        {"income": 1, "age": -40, Membership("status", ("married", "single")): 1500, Membership("region", ("a",)): 900},
        5000,
    )
    design = DesignMatrix.of(problem).with_terms(problem, [start])
    better = next(improve(design, np.arange(len(X)), problem.cost, start)).halfspace()
    before, after = (float(problem.cost @ each.evaluate(problem.table)) for each in (start, better))
    assert after < before
    assert dict.fromkeys(better.columns) == dict.fromkeys(start.columns)


def test_two_sets_of_a_column_are_never_written_alike() -> None:
    blank = np.zeros(4, dtype=np.bool_)
    one, other, last = blank.copy(), blank.copy(), blank.copy()
    one[:2], other[1:3], last[3] = True, True, True
    codes = np.arange(4, dtype=np.int32)
    first, second = (Counted("k", ("p", "q", "r", "s"), codes, np.ones(4), inside, last) for inside in (one, other))
    assert first.written != second.written  # the same is outside of both, but undecided categories are in neither
    assert first.written == Membership("k", ("p", "q"))
    assert first.says_the_same_as(first)


def test_no_cap_on_columns_allows_what_a_cap_allows() -> None:
    X = people(1500, seed=8)[["income", "status"]]
    y = np.asarray(X["income"] + 2000 * (X["status"] == "married") > 6100)
    *_, last = descend(problem_of(X, y, caps=Caps()), ())
    assert [len(rule.literals) for rule in last.rules] == [1]
    assert last.error == 0.0


def test_columns_kept_apart_leave_the_other_sums() -> None:
    X = people(1500, seed=9)
    problem = problem_of(X, granted(X))
    apart = replace(problem, knowledge=Knowledge(apart=(frozenset({"income", "status"}),)))
    offered = [
        literal for _, literal in Fitter.of(apart).literals(np.ones(len(X), dtype=np.bool_), apart.cost, many=99)
    ]
    sums = [literal for literal in offered if isinstance(literal, Halfspace) and literal.size > 1]
    assert sums
    assert all(not {"income", "status"} <= set(literal.columns) for literal in offered)


def test_what_is_few_does_not_depend_on_the_unit_of_weights() -> None:
    X = people(600, seed=10)
    start = Halfspace.of({"income": 1, Membership("status", ("married", "single")): 1500}, 5000)
    found = []
    for weight in (1.0, 0.01):
        problem = problem_of(X, granted(X), weight=np.full(len(X), weight))
        design = DesignMatrix.of(problem).with_terms(problem, [start])
        better = next(improve(design, np.arange(len(X)), problem.cost, start)).halfspace()
        found.append(sets_of(better))
    assert found[0] == found[1]
