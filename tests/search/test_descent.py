"""Refinement: the descent is monotone and ends, what it reports is true, care sets are what they claim."""

from contextlib import nullcontext
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.datasets import KnownRule, example, toy
from r2n.errors import Interrupted, ParameterError
from r2n.rules import Halfspace, Knowledge, Membership, Rule
from r2n.search import Caps, Labelled, Move, Prices, Problem, descend
from r2n.search.limits import keep_within_caps
from r2n.search.memberships import propose_memberships
from r2n.search.moves import Fitter
from r2n.search.pool import find_best_subset, list_limits, solve_exactly
from r2n.search.state import State, replace_literal
from r2n.table import Schema


def labelled(seed: int, n: int = 200) -> tuple[Schema, Labelled]:
    """A small noisy table with numbers, categories, missing values of both kinds, and weights."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=n),
            "b": rng.integers(0, 4, n).astype(float),
            "c": rng.normal(size=n) * 1e4,
            "k": rng.choice(["p", "q", "r", None], n),
        }
    )
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    y = ((frame["a"] + frame["b"] > 1.5) | (frame["k"] == "p")).to_numpy() ^ (rng.random(n) < 0.1)
    schema, table = Schema.learn(frame)
    return schema, Labelled(table, y, rng.random(n) + 0.1)


def mixed(seed: int, n: int = 200, price: float = 5e-3, caps: Caps = Caps()) -> Problem:  # noqa: B008
    schema, rows = labelled(seed, n)
    return Problem.of(rows.table, schema, rows.truth, rows.weight, Prices.of(price), caps)


def recompute_objective(rules: RuleSet, problem: Problem) -> float:
    """Recompute the objective from a rule set and nothing else: what is reported must equal it."""
    return problem.error_of(rules.truth(problem.table)) + problem.prices.of_rules(rules.rules)


START = RuleSet.parse("True if a > 0 and c > 0 or k in {q} or b + 0.001·c > 1 and a < 1 else False").rules


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), start=st.sampled_from([(), START, (Rule(),)]))
def test_the_descent_is_monotone_ends_and_reports_what_is_so(seed: int, start: tuple[Rule, ...]) -> None:
    problem = mixed(seed)
    moves = list(descend(problem, start))
    objectives = [move.objective for move in moves]
    assert all(later < earlier for earlier, later in pairwise(objectives))
    for move in moves:
        rules = RuleSet(move.rules, schema=problem.schema)
        assert recompute_objective(rules, problem) == pytest.approx(move.objective, abs=1e-9)
        assert recompute_objective(RuleSet.parse(str(rules)), problem) == pytest.approx(move.objective, abs=1e-9)
    assert objectives[-1] <= problem.objective(())


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), j=st.integers(0, 2), k=st.integers(0, 1))
def test_on_its_care_set_the_prediction_is_the_literal_and_elsewhere_it_does_not_matter(
    seed: int, j: int, k: int
) -> None:
    problem = mixed(seed)
    state = State.of(problem, START)
    literal = state.rules[j].literals[k % len(state.rules[j].literals)]
    care = state.care_set(j, literal)
    np.testing.assert_array_equal((state.count > 0)[care], problem.truth(literal)[care])
    never = replace_literal(state.rules[j], literal, Halfspace.of({"c": 1}, 1e9))
    always = replace_literal(state.rules[j], literal, None)
    with_never, with_always = (State.of(problem, state.with_rule(j, rule)).count > 0 for rule in (never, always))
    np.testing.assert_array_equal(with_never[~care], with_always[~care])


def test_the_error_is_the_weighted_error() -> None:
    _, rows = labelled(3)
    wrong = RuleSet(START).truth(rows.table) != rows.truth
    assert mixed(3).error(START) == pytest.approx(float(np.average(wrong, weights=rows.weight)))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_set_of_categories_is_the_best_of_all_sets(seed: int) -> None:
    problem = mixed(seed, n=400, price=0.0)  # enough rows that every category is decided, and names cost nothing
    rows = np.flatnonzero(np.random.default_rng(seed).random(400) < 0.7)
    found = [lit for lit in propose_memberships(problem, rows, problem.cost[rows]) if isinstance(lit, Membership)]
    cost = {lit: problem.cost[rows][lit.evaluate(problem.table)[rows]].sum() for lit in found}
    values = problem.table.codes("k")[1]
    every = [
        problem.cost[rows][Membership("k", subset).evaluate(problem.table)[rows]].sum()
        for subset in ([v for i, v in enumerate(values) if mask >> i & 1] for mask in range(1, 2 ** len(values)))
    ]
    best = min([0.0, *every])
    all_in = every[-1]
    assert min([0.0, all_in, *cost.values()]) == pytest.approx(best)


@pytest.mark.parametrize(
    "caps",
    [Caps(1, 1, 1), Caps(2, 2, 2), Caps(1, None, None), Caps(None, 1, 3), *(Caps(size=k) for k in (0, 1, 2, 3, 5))],
)
def test_caps_are_kept_by_every_move(caps: Caps) -> None:
    problem = mixed(1, price=1e-4, caps=caps)
    for move in descend(problem, START):
        assert problem.allows(move.rules)


def test_what_is_too_much_to_read_loses_literals_before_it_loses_everything() -> None:
    problem = mixed(1, caps=Caps(size=2))
    (rule,) = RuleSet.parse("True if a > 0 and c > 0 and b > 1 else False").rules
    (shorter,) = keep_within_caps(problem, (rule,), Fitter.of(problem))
    assert set(shorter.literals) < set(rule.literals)
    assert shorter.size == 2


@pytest.mark.parametrize("room", [0, 1, 2, 3])
def test_literals_are_fitted_with_the_columns_that_there_is_room_for(room: int) -> None:
    problem = mixed(1, price=1e-4)
    every = np.ones(problem.n_rows, bool)
    found = [literal for _, literal in Fitter.of(problem).literals(every, problem.cost, room=room, many=99)]
    assert max((literal.size for literal in found), default=0) == room


def test_an_experts_literal_that_there_is_no_room_for_stands_in_no_ones_way() -> None:
    X = np.random.default_rng(0).normal(size=(600, 3))
    schema, table = Schema.learn(X)
    (given,) = RuleSet.parse("True if x0 + x1 + x2 > 0 else False").literals
    rows = table, schema, X.sum(axis=1) > 0, np.ones(600), Prices.of(1e-3), Caps(size=2)
    *_, plain = descend(Problem.of(*rows), ())
    *_, told = descend(Problem.of(*rows, Knowledge(literals=(given,))), ())
    assert plain.error < 0.25
    assert told.error == plain.error


def test_a_rule_that_lacks_the_room_for_the_best_literal_gets_a_shorter_one() -> None:
    X, y = example(4).sample(3_000, random_state=0)
    schema, table = Schema.learn(X)
    (start,) = RuleSet.parse("True if x1 + x2 > 0.5 else False").rules
    cap = Problem.of(table, schema, y, np.ones(len(y)), Prices.of(1e-4), Caps(columns=3, rules=1, size=3))
    *_, last = descend(cap, (start,))
    assert sum(rule.size for rule in last.rules) == 3
    assert last.error < cap.error((start,)) - 0.05


def test_room_is_what_all_rules_leave_the_fixed_ones_too() -> None:
    problem = replace(mixed(1, caps=Caps(size=9)), knowledge=Knowledge(fixed=START[:1]))
    assert problem.room(START[1:]) == 9 - sum(rule.size for rule in START)
    assert mixed(1).room(START) is None


def test_fixed_rules_take_their_part_of_what_may_be_read() -> None:
    problem = mixed(1, caps=Caps(rules=3, size=5))
    problem = replace(problem, knowledge=Knowledge(fixed=START[:1]))
    (ones, few), (sizes, much) = list_limits(problem, START[1:])
    assert (ones.tolist(), few) == ([1.0, 1.0], 2)
    assert (sizes.tolist(), much) == ([float(rule.size) for rule in START[1:]], 5 - START[0].size)


def test_the_best_subset_is_found_in_a_small_pool() -> None:
    problem = mixed(5)
    fit = Fitter.of(problem)
    pool = [Rule((literal,)) for _, literal in fit.literals(np.ones(200, bool), problem.cost, many=99)][:8]
    every = [[rule for i, rule in enumerate(pool) if mask >> i & 1] for mask in range(2 ** len(pool))]
    exact = min(problem.objective(subset) for subset in every)
    assert problem.objective(find_best_subset(problem, pool)) == pytest.approx(exact, abs=1e-9)
    assert find_best_subset(problem, []) == ()


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), most=st.sampled_from([6, 1, 2]), size=st.sampled_from([None, 0, 2, 5]))
def test_integer_programming_finds_the_best_subset_of_any_pool(seed: int, most: int, size: int | None) -> None:
    rng = np.random.default_rng(seed)
    fired, cost = rng.random((6, 40)) < 0.3, rng.normal(size=40)
    price, sizes = np.full(6, 0.05), rng.integers(1, 4, 6).astype(float)
    limits = [(np.ones(6), most), *([] if size is None else [(sizes, size)])]
    found = solve_exactly(cost, fired, price, limits)
    subsets = [[i for i in range(6) if mask >> i & 1] for mask in range(64)]

    def fits(chosen: list[int]) -> bool:
        return all(counted[chosen].sum() <= at_most for counted, at_most in limits)

    def objective(chosen: list[int]) -> float:
        return float(cost[fired[chosen].any(axis=0)].sum() + price[chosen].sum())

    assert found is not None
    assert fits(sorted(found))
    assert objective(sorted(found)) == pytest.approx(min(objective(subset) for subset in filter(fits, subsets)))


def test_a_pool_with_too_many_cells_is_left_to_local_search(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = mixed(5)
    pool = [Rule((literal,)) for _, literal in Fitter.of(problem).literals(np.ones(200, bool), problem.cost, many=99)]
    exact = find_best_subset(problem, pool)
    monkeypatch.setattr("r2n.search.pool.MOST_CELLS", 1)
    assert problem.objective(find_best_subset(problem, pool)) <= problem.objective(exact) + 2e-3
    for most in (0, 1, 2, 4):
        few = replace(problem, caps=Caps(size=most))
        assert few.allows(find_best_subset(few, pool))


def same_structure(found: RuleSet, true: RuleSet) -> bool:
    """The same rules, and the same columns in each literal of each."""

    def shape(rules: RuleSet) -> list[list[tuple[str, ...]]]:
        return sorted(sorted(tuple(sorted(literal.columns)) for literal in rule.literals) for rule in rules.rules)

    return shape(found) == shape(true)


KNOWN = [example(1), example(4), *(pytest.param(known, marks=pytest.mark.slow) for known in map(example, (2, 3, 5)))]


@pytest.mark.parametrize("known", [*KNOWN, pytest.param(toy(), marks=pytest.mark.slow)], ids=lambda known: known.name)
def test_known_rules_come_back_exactly(known: KnownRule) -> None:
    X, y = known.sample(10_000, random_state=0)
    model = R2NClassifier(random_state=0).fit(X[:8_000], y[:8_000])
    assert same_structure(model.rules_, known.rules), str(model.rules_)
    assert model.score(X[8_000:], y[8_000:]) >= 0.998


@pytest.mark.slow
def test_noise_does_not_hide_the_rules() -> None:
    known = example(5)
    X, y = known.sample(8_000, random_state=0, flip=0.1)
    clean_X, clean_y = known.sample(2_000, random_state=1)
    model = R2NClassifier(random_state=0).fit(X, y)
    assert model.score(clean_X, clean_y) >= 0.99


def test_the_front_is_shown_and_any_point_can_be_picked() -> None:
    X, y = example(4).sample(3_000, random_state=0)
    model = R2NClassifier(random_state=0).fit(X, y)
    sizes = [point.size for point in model.front_]
    assert sizes == sorted(set(sizes))
    assert repr(model.front_).count("\n") == len(model.front_)
    smaller = model.pick(1)
    assert str(smaller.rules_) == str(model.front_[1].rules)
    assert smaller.rules_ != model.rules_
    np.testing.assert_array_equal(smaller.classes_[smaller.predict_proba(X).argmax(axis=1)], smaller.predict(X))
    assert model.score(X, y) > smaller.score(X, y) > 0.5
    with pytest.raises(ParameterError, match="the front has the rows 0 to"):
        model.pick(99)


@pytest.mark.slow
def test_the_user_steers_the_size() -> None:
    X, y = example(5).sample(3_000, random_state=0)
    small = R2NClassifier(max_rules=1, max_columns=1, max_literals=2, random_state=0).fit(X, y).rules_
    assert small.n_rules <= 1
    assert all(literal.size == 1 for literal in small.literals)
    dear = R2NClassifier(price=0.02, random_state=0).fit(X, y).rules_
    assert dear.size < R2NClassifier(random_state=0).fit(X, y).rules_.size


@pytest.mark.slow
def test_within_a_size_the_best_rules_are_taken_and_a_single_column_is_found() -> None:
    X, y = example(5).sample(3_000, random_state=0, flip=0.1)
    models = [R2NClassifier(max_size=most, random_state=0).fit(X, y) for most in (1, 3, 6, 30)]
    sizes, scores = [m.rules_.size for m in models], [m.score(X, y) for m in models]
    assert sizes[:2] == [1, 3]
    assert all(size <= most for size, most in zip(sizes, (1, 3, 6, 30), strict=True))
    assert scores == sorted(scores)
    assert scores[-1] > scores[0] + 0.05
    for model, most in zip(models, (1, 3, 6, 30), strict=True):
        assert all(point.size <= most for point in model.front_)
    assert models[-1].rules_.size >= R2NClassifier(random_state=0).fit(X, y).rules_.size


LIMITS: dict[str, Any] = {"max_columns": 2, "max_literals": 2, "max_rules": 2, "max_size": 3}


HOW = ["none", "quick", "default", "interrupted"]
ALL_AT_ONCE = [(how, LIMITS) for how in HOW]
ONE_BY_ONE = [(how, {name: most}) for how in HOW for name, most in LIMITS.items()]


@pytest.mark.parametrize(
    ("how", "limited"),
    [*ALL_AT_ONCE, *(pytest.param(*each, marks=[pytest.mark.slow] * (each[0] != "quick")) for each in ONE_BY_ONE)],
    ids=str,
)
def test_limits_are_kept_however_much_is_done(how: str, limited: dict[str, int]) -> None:
    def impatient(event: object) -> None:
        if how == "interrupted" and not isinstance(event, Move) and event.epoch == 30:  # type: ignore[attr-defined]
            raise KeyboardInterrupt

    X, y = example(4).sample(800, random_state=0)
    effort = "default" if how == "interrupted" else how
    few: dict[str, Any] = {
        "network": NetworkSettings(restarts=2, epochs=40, gamma=0.85),
        "effort": effort,
        "random_state": 0,
    }
    with pytest.warns(Interrupted) if how == "interrupted" else nullcontext():
        rules = R2NClassifier(**few, **limited, callback=impatient).fit(X, y).rules_
    assert rules.n_rules <= limited.get("max_rules", 99)
    assert rules.size <= limited.get("max_size", 99)
    assert all(len(rule.literals) <= limited.get("max_literals", 99) for rule in rules.rules)
    assert all(literal.size <= limited.get("max_columns", 99) for literal in rules.literals)
    assert np.mean(rules.predict(X) == y) > 0.6


@pytest.mark.slow
def test_moves_are_told_and_refinement_beats_the_network() -> None:
    X, y = example(4).sample(4_000, random_state=1)
    refined, quick, alone = (
        R2NClassifier(effort=effort, random_state=0).fit(X[:3_000], y[:3_000])
        for effort in ("default", "quick", "none")
    )
    assert refined.moves_[0].name == "start"
    assert refined.score(X[3_000:], y[3_000:]) >= alone.score(X[3_000:], y[3_000:])
    assert quick.score(X[3_000:], y[3_000:]) > 0.97
    assert not hasattr(alone, "front_")


@pytest.mark.parametrize(("place", "least"), [("start", 0.6), ("all rows", 0.95)])
def test_ctrl_c_while_refining_keeps_the_best_so_far(place: str, least: float) -> None:
    def impatient(event: object) -> None:
        if isinstance(event, Move) and event.name == place:
            raise KeyboardInterrupt

    X, y = example(4).sample(2_000, random_state=0)
    with pytest.warns(Interrupted, match="interrupted while refining") as caught:
        model = R2NClassifier(random_state=0, callback=impatient).fit(X, y)
    assert model.score(X, y) > least
    assert caught[0].filename == __file__
