"""Refinement: the descent is monotone and ends, what it reports is true, care sets are what they claim."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n import R2NClassifier, RuleSet
from r2n.datasets import KnownRule, example, toy
from r2n.errors import Interrupted, ParameterError
from r2n.refine import Caps, Prices, Problem, descend, objective_of
from r2n.refine.memberships import membership_candidates
from r2n.refine.moves import Fitter
from r2n.refine.recombine import best_subset
from r2n.refine.state import State, replaced
from r2n.rules import Halfspace, Membership, Rule
from r2n.schema import Schema


def mixed(seed: int, n: int = 200, price: float = 5e-3, caps: Caps = Caps()) -> tuple[Problem, np.ndarray]:  # noqa: B008
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
    return Problem.of(table, schema, y, rng.random(n) + 0.1, Prices.of(price), caps), y


START = RuleSet.parse("True if a > 0 and c > 0 or k in {q} or b + 0.001·c > 1 and a < 1 else False").rules


@settings(max_examples=15)
@given(seed=st.integers(0, 10**6), start=st.sampled_from([(), START, (Rule(),)]))
def test_the_descent_is_monotone_ends_and_reports_what_is_so(seed: int, start: tuple[Rule, ...]) -> None:
    problem, _ = mixed(seed)
    moves = list(descend(problem, start))
    objectives = [move.objective for move in moves]
    assert all(later < earlier for earlier, later in pairwise(objectives))
    for move in moves:
        rules = RuleSet(move.rules, schema=problem.schema)
        assert objective_of(rules, problem) == pytest.approx(move.objective, abs=1e-9)
        assert objective_of(RuleSet.parse(str(rules)), problem) == pytest.approx(move.objective, abs=1e-9)
    assert objectives[-1] <= problem.objective(())


@settings(max_examples=25)
@given(seed=st.integers(0, 10**6), j=st.integers(0, 2), k=st.integers(0, 1))
def test_on_its_care_set_the_prediction_is_the_literal_and_elsewhere_it_does_not_matter(
    seed: int, j: int, k: int
) -> None:
    problem, _ = mixed(seed)
    state = State.of(problem, START)
    literal = state.rules[j].literals[k % len(state.rules[j].literals)]
    care = state.care_set(j, literal)
    np.testing.assert_array_equal((state.count > 0)[care], problem.truth(literal)[care])
    never = replaced(state.rules[j], literal, Halfspace.of({"c": 1}, 1e9))
    always = replaced(state.rules[j], literal, None)
    with_never, with_always = (State.of(problem, state.with_rule(j, rule)).count > 0 for rule in (never, always))
    np.testing.assert_array_equal(with_never[~care], with_always[~care])


def test_the_error_is_the_weighted_error() -> None:
    problem, y = mixed(3)
    said = RuleSet(START).truth(problem.table)
    share = np.abs(problem.cost)
    assert problem.error(START) == pytest.approx(float(share[said != y].sum()))


@given(seed=st.integers(0, 10**6))
@settings(max_examples=25)
def test_a_set_of_categories_is_the_best_of_all_sets(seed: int) -> None:
    problem, _ = mixed(seed, n=60)
    rows = np.flatnonzero(np.random.default_rng(seed).random(60) < 0.7)
    found = [lit for lit in membership_candidates(problem, rows, problem.cost[rows]) if isinstance(lit, Membership)]
    cost = {lit: problem.cost[rows][lit.evaluate(problem.table)[rows]].sum() for lit in found}
    values = problem.table.codes("k")[1]
    every = [
        problem.cost[rows][Membership("k", subset).evaluate(problem.table)[rows]].sum()
        for subset in ([v for i, v in enumerate(values) if mask >> i & 1] for mask in range(1, 2 ** len(values)))
    ]
    best = min([0.0, *every])
    all_in = every[-1]
    assert min([0.0, all_in, *cost.values()]) == pytest.approx(best)


@pytest.mark.parametrize("caps", [Caps(1, 1, 1), Caps(2, 2, 2), Caps(1, None, None), Caps(None, 1, 3)])
def test_caps_are_kept_by_every_move(caps: Caps) -> None:
    problem, _ = mixed(1, price=1e-4, caps=caps)
    for move in descend(problem, START):
        assert problem.allows(move.rules)


def test_the_best_subset_is_found_in_a_small_pool() -> None:
    problem, _ = mixed(5)
    fit = Fitter.of(problem)
    pool = [Rule((literal,)) for literal in fit.literals(np.ones(200, bool), problem.cost)][:8]
    every = [[rule for i, rule in enumerate(pool) if mask >> i & 1] for mask in range(2 ** len(pool))]
    exact = min(problem.objective(subset) for subset in every)
    assert problem.objective(best_subset(problem, pool)) <= exact + 2e-3
    assert best_subset(problem, []) == ()


def same_structure(found: RuleSet, true: RuleSet) -> bool:
    """The same rules, and the same columns in each literal of each."""

    def shape(rules: RuleSet) -> list[list[tuple[str, ...]]]:
        return sorted(sorted(tuple(sorted(literal.columns)) for literal in rule.literals) for rule in rules.rules)

    return shape(found) == shape(true)


@pytest.mark.parametrize("known", [example(k) for k in range(1, 6)] + [toy()], ids=lambda known: known.name)
def test_known_rules_come_back_exactly(known: KnownRule) -> None:
    X, y = known.sample(10_000, random_state=0)
    model = R2NClassifier(random_state=0).fit(X[:8_000], y[:8_000])
    assert same_structure(model.rules_, known.rules), str(model.rules_)
    assert model.score(X[8_000:], y[8_000:]) >= 0.998


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
    with pytest.raises(ParameterError, match="the front has the points 0 to"):
        model.pick(99)


def test_the_user_steers_the_size() -> None:
    X, y = example(5).sample(3_000, random_state=0)
    small = R2NClassifier(max_rules=1, max_columns=1, max_literals=2, random_state=0).fit(X, y).rules_
    assert small.n_rules <= 1
    assert all(literal.size == 1 for literal in small.literals)
    dear = R2NClassifier(price=0.02, random_state=0).fit(X, y).rules_
    assert dear.size < R2NClassifier(random_state=0).fit(X, y).rules_.size


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


def test_ctrl_c_while_refining_keeps_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    import r2n.refine.portfolio as portfolio

    def impatient(*words: object) -> object:
        for k, move in enumerate(descend(*words)):  # type: ignore[arg-type]
            if k == 3:
                raise KeyboardInterrupt
            yield move

    X, y = example(5).sample(2_000, random_state=0)
    monkeypatch.setattr(portfolio, "descend", impatient)
    with pytest.warns(Interrupted, match="interrupted while refining"):
        model = R2NClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
