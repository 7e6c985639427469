"""Tables that have broken learners: names, empty columns, rare classes, nothing to learn."""

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r2n import NetworkSettings, R2NClassifier, RuleSet
from r2n.datasets import example
from r2n.errors import ConstantRules
from r2n.rules import Membership
from r2n.search import Caps, Labelled, Plan, Prices, Problem, screen_columns
from r2n.search.choose import choose_plain, choose_taught
from r2n.search.columns import DesignMatrix, find_middles, sort_rows
from r2n.search.descent import ignore_move
from r2n.search.explore import explore
from r2n.search.finish import refit
from r2n.search.front import Front, Point
from r2n.search.halfspaces import bring_within_reach
from r2n.search.limits import keep_within_caps
from r2n.search.memberships import propose_memberships
from r2n.search.moves import Fitter
from r2n.search.plan import SCREENED_COLUMNS, WORTH, WORTH_WITHIN_LIMITS
from r2n.table import Schema

SHORT: dict[str, Any] = {"network": NetworkSettings(restarts=1, epochs=20, gamma=0.8), "random_state": 0}


@pytest.mark.parametrize("n", [pytest.param(400, marks=pytest.mark.slow), 1_500])
def test_a_column_of_names_does_not_fit_noise(n: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    frame = pd.DataFrame({"x": x, "name": [f"p{i}" for i in range(n)]})
    y = (x > 0) ^ (rng.random(n) < 0.2)
    model = R2NClassifier(**SHORT, categorical=["name"]).fit(frame, y)  # else it is refused
    new = pd.DataFrame({"x": rng.normal(size=2_000), "name": "somebody else"})
    assert model.score(new, new["x"] > 0) > 0.9


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::r2n.errors.ConstantRules")
def test_labels_at_random_give_no_rules() -> None:
    rng = np.random.default_rng(1)
    sizes = []
    for _ in range(3):
        model = R2NClassifier(**SHORT, price=1e-3).fit(rng.random((300, 5)), rng.random(300) < 0.4)
        point = model.front_[model.chosen_[0]]
        assert model.rules_.size <= point.size * 1.25
        sizes.append(model.rules_.size)
    assert sorted(sizes)[1] <= 4


def test_a_column_without_a_single_value() -> None:
    X, y = example(1).sample(800, random_state=0, flip=0.2)
    frame = pd.DataFrame(X).add_prefix("x").assign(empty=np.nan, once=np.where(np.arange(800) == 3, 1.0, np.nan))
    assert R2NClassifier(**SHORT, teacher=True).fit(frame, y).score(frame, y) > 0.7


@pytest.mark.parametrize(("n", "positives"), [(800, 2), (12_000, 2), (800, 1)])
def test_a_class_of_two_rows(n: int, positives: int) -> None:
    X = np.random.default_rng(0).random((n, 3))
    y = np.arange(n) < positives
    with pytest.warns(ConstantRules, match="no rules were found that beat always answering False"):
        model = R2NClassifier(**SHORT).fit(X, y)
    assert model.score(X, y) > 0.99


def test_the_warning_of_a_constant_names_a_front_only_if_there_is_one() -> None:
    X = np.random.default_rng(0).random((200, 2))
    y = np.arange(200) % 5 == 0
    network = NetworkSettings(restarts=1, epochs=2)
    with pytest.warns(ConstantRules, match=r"the model does that\. Give more rows"):
        R2NClassifier(network=network, effort="none", random_state=0).fit(X, y)
    with pytest.warns(ConstantRules, match=r"the model does that\. See front_ for what was found, and give more rows"):
        R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)


def test_starts_beyond_the_caps_lose_little() -> None:
    """Rules that are all but the same, each with too many columns: none may become `true`."""
    X = np.random.default_rng(0).random((2_000, 6))
    start = RuleSet.parse(
        "True if x0 + x1 + 0.01·x5 > 1.2 or x0 + x1 + 0.02·x4 > 1.25 or x0 + 1.01·x1 > 1.3 else False"
    )
    y = start.truth({f"x{k}": X[:, k] for k in range(6)})
    schema, table = Schema.learn(X)
    problem = Problem.of(table, schema, y, np.ones(2_000), Prices.of(1e-4), Caps(columns=2))
    cut = keep_within_caps(problem, start.rules, Fitter.of(problem))
    assert problem.allows(cut)
    assert problem.error(cut) < 0.03
    one = Problem.of(table, schema, y, np.ones(2_000), Prices.of(1e-4), Caps(columns=1, literals=1, rules=2))
    assert one.error(keep_within_caps(one, start.rules, Fitter.of(one))) < problem.floor / problem.total


def test_a_problem_takes_only_its_rows_along() -> None:
    X, y = example(4).sample(20_000, random_state=0)
    schema, table = Schema.learn(X)
    few = np.arange(200)
    problem = Problem.of(table.take(few), schema, y[few], np.ones(200), Prices.of(1e-3), Caps())
    packed = pickle.dumps(problem)
    assert len(packed) < 50_000
    again = pickle.loads(packed)
    assert again.error(example(4).rules.rules) == problem.error(example(4).rules.rules)


def test_without_rows_held_out_no_score_claims_to_be() -> None:
    X, y = example(4).sample(900, random_state=0, flip=0.2)
    model = R2NClassifier(**SHORT, validation_fraction=0.0).fit(X, y)
    assert all(np.isnan(point.held_out_score) for point in model.front_)
    assert model.score(X, y) > 0.7


def test_fitted_to_all_rows_the_rules_grow_by_a_quarter_at_most_and_not_beyond_what_was_worthwhile() -> None:
    X, y = example(4).sample(2_000, random_state=0, flip=0.2)
    schema, table = Schema.learn(X)
    rows = Labelled(table, y, np.ones(len(y)))
    plan = Plan((1e-9,), 1, Caps(columns=4))  # a price at which every row that a column gains is worth it
    rules = RuleSet.parse("True if x0 < 0.2 or x1 < 0.5 and x3 < 0.5 and x4 > 0.5 else False").with_schema(schema)
    noisy = Point(rules, 0.3)
    grown = {most: refit(noisy, most, rows, y, plan, ignore_move).rules.size for most in (4, 5, 9)}
    assert grown == {4: 4, 5: 5, 9: 5}


def test_fitted_to_all_rows_rules_that_were_chosen_are_not_priced_out_again() -> None:
    X, y = example(4).sample(2_000, random_state=0)
    schema, table = Schema.learn(X)
    chosen = example(4).rules.with_schema(schema)
    rows = Labelled(table, y, np.ones(len(y)))
    for prices, rule in (((0.1, 1e-4), 2.0), ((1e-4,), 1e9)):  # at the first price, or at a rule's, no second rule pays
        plan = Plan(prices, 1, Caps(columns=4), rule=rule)
        fitted = refit(Point(chosen, 0.0), chosen.size, rows, y, plan, ignore_move)
        assert fitted.rules.n_rules == chosen.n_rules


@pytest.mark.slow
def test_a_rule_costs_less_where_the_user_says_how_many_to_read() -> None:
    """The second rule alone decides a hundredth of the rows: worth four columns, not 27. Without noise it is cheap."""
    rng = np.random.default_rng(0)
    X = rng.random((4_000, 2))
    clean = (X[:, 0] > 0.6) | (X[:, 1] < 0.02)
    y = clean ^ (rng.random(4_000) < 0.08)
    settings = {**SHORT, "effort": "default", "price": 1e-3}
    assert R2NClassifier(**settings).fit(X, y).rules_.n_rules == 1
    assert R2NClassifier(**settings, max_rules=2).fit(X, y).rules_.n_rules == 2
    assert R2NClassifier(**settings, max_size=2).fit(X, y).rules_.n_rules == 2
    assert R2NClassifier(**settings).fit(X, clean).rules_.n_rules == 2


def standing() -> tuple[Front, np.ndarray, np.ndarray]:
    """Three points of ever larger rules, the largest of which is right in one row of a hundred more than the second."""
    x = np.arange(100) / 100
    _, table = Schema.learn({"x": x})
    judges = Labelled(table, x >= 0.5, np.ones(100))
    rules = [RuleSet.parse(f"True if {text} else False") for text in ("x > 2", "x > 0.505", "x > 0.495 and x < 2")]
    wrong = np.column_stack([np.abs(judges.truth * 1.0 - each.truth(table)) for each in rules])
    scores = 1.0 - wrong.mean(axis=0)
    points = [Point(each, 1.0 - s, held_out_score=s) for each, s in zip(rules, scores, strict=True)]
    return Front(tuple(points)), judges.weight, wrong


def test_who_asks_for_a_size_gets_the_best_of_it_and_others_the_smallest_as_good() -> None:
    front, weight, wrong = standing()
    assert choose_plain(front, wrong, weight, True, Caps()) == 1
    assert choose_plain(front, wrong, weight, True, Caps(size=9)) == 2
    assert choose_plain(front, wrong, weight, True, Caps(rules=2)) == 2


@pytest.mark.parametrize("caps", [Caps(), Caps(rules=2)])
def test_after_a_teacher_a_column_must_be_right_in_a_share_of_all_rows(caps: Caps) -> None:
    front, weight, wrong = standing()
    price, plan = 1e-3 * (WORTH_WITHIN_LIMITS if caps.rules else WORTH), Plan((1e-2, 1e-3), 1, caps)
    columns = front[2].size - front[1].size
    for saved, expected in ((1.1, 2), (0.9, 1)):  # of the rows, in units of what the further columns must save
        better = replace(front[2], train_error=front[1].train_error - saved * columns * price)
        held_out = np.column_stack([wrong[:, 0], wrong[:, 1], wrong[:, 1] - saved * columns * price])
        assert choose_taught(Front((*front.points[:2], better)), held_out, weight, weight, plan) == expected


def test_after_a_teacher_rows_held_out_weigh_as_much_as_the_others() -> None:
    """What is gained on the rows fitted to is lost on as many held out: then the smaller rules are taken."""
    front, weight, wrong = standing()
    better = replace(front[2], train_error=front[1].train_error - 0.1)
    worse = np.column_stack([wrong[:, 0], wrong[:, 1], wrong[:, 1] + 0.1])
    assert choose_taught(Front((*front.points[:2], better)), worse, weight, weight, Plan((1e-4,), 1, Caps())) == 1
    assert (
        choose_taught(
            Front((*front.points[:2], better)), np.maximum(worse - 0.15, 0), weight, weight, Plan((1e-4,), 1, Caps())
        )
        == 2
    )


def test_what_is_missing_is_in_the_middle_of_a_column_that_wild_values_squeeze() -> None:
    x = np.append(np.arange(99.0), 1e9)
    x[7] = np.nan
    schema, table = Schema.learn({"x": x, "y": np.arange(100.0)})
    problem = Problem.of(table, schema, x > 50, np.ones(100), Prices.of(1e-3), Caps())
    z, unit = bring_within_reach(DesignMatrix.of(problem), np.array([0, 1]), np.arange(100))
    gone, wild = (int(np.flatnonzero(problem.table.numeric("y") == place)[0]) for place in (7.0, 99.0))
    assert (z[0][gone], z[0][wild], unit[1]) == (0.0, 5.0, 1.0)
    assert 1.0 < np.ptp(np.delete(z[0], wild)) < 5.0
    np.testing.assert_array_equal(z[1], DesignMatrix.of(problem).z[1])


def test_a_row_that_counts_twice_is_in_the_middle_twice() -> None:
    z, counts = np.array([[3.0, 1.0, 2.0, 9.0, 4.0]]), np.array([1.0, 3.0, 1.0, 2.0, 1.0])
    again = np.repeat(z, counts.astype(int), axis=1)
    found, repeated = (
        find_middles(each, [sort_rows(each[0], np.zeros(each.shape[1], dtype=bool))], weight)
        for each, weight in ((z, counts), (again, np.ones(8)))
    )
    np.testing.assert_array_equal(found, repeated)


@pytest.mark.parametrize("effort", ["quick", "default"])
def test_a_rare_class_has_its_rule(effort: str) -> None:
    X = np.random.default_rng(0).random((20_000, 3))
    y = X[:, 0] > 0.9988 if effort == "default" else X[:, 0] > 0.988
    model = R2NClassifier(**{**SHORT, "effort": effort}).fit(X, y)
    assert model.score(X, y) == 1.0
    assert model.rules_.size == 1


def test_no_rule_costs_more_than_a_tenth_of_what_there_is_to_gain() -> None:
    """Twelve rows of 4,000 are worth six columns at this price, not 27."""
    x = np.arange(4_000) / 4_000
    schema, table = Schema.learn({"x": x})
    rows = Labelled(table, x >= 0.997, np.ones(4_000))
    blank = RuleSet((), True, False, schema)
    found = explore(blank, rows, rows.truth * 1.0, [()], Plan((5e-4,), 1, Caps()), rule=25.0)
    assert min(point.train_error for point in found.points) == 0.0


def test_caps_on_literals_are_kept() -> None:
    X, y = example(5).sample(1_000, random_state=0)
    model = R2NClassifier(**SHORT, max_literals=1, max_columns=1, max_rules=2).fit(X, y)
    assert model.rules_.n_rules <= 2
    assert all(len(rule.literals) == 1 and rule.size == 1 for rule in model.rules_.rules)


@pytest.mark.slow
def test_more_categories_than_a_teacher_can_be_shown_are_not_taken_for_noise() -> None:
    rng = np.random.default_rng(0)
    shop = rng.integers(0, 500, 8_000)
    frame = pd.DataFrame({"x": rng.random(8_000), "z": rng.random(8_000), "shop": [f"shop {k}" for k in shop]})
    y = (frame["x"] > 0.7) | ((shop < 200) & (frame["z"] > 0.4))
    model = R2NClassifier(**SHORT).fit(frame[:6_000], y[:6_000])
    assert model.teacher_used_ == ()
    assert model.rules_.n_rules <= 3  # the truth has two; one split in two is as right on the rows fitted to
    assert model.score(frame[6_000:], y[6_000:]) > 0.97


@pytest.mark.parametrize(
    ("wild", "gaps"),
    [
        (999_999.0, 0.0),
        (-999_999.0, 0.1),
        *(pytest.param(*each, marks=pytest.mark.slow) for each in [(1e12, 0.0), (999_999.0, 0.1), (1e12, 0.1)]),
        pytest.param(-999_999.0, 0.0, marks=pytest.mark.slow),
    ],
)
def test_a_wild_value_that_nobody_declared_does_not_hide_a_sum(wild: float, gaps: float) -> None:
    """By the spread of all its values the rest of the column is a single place."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1_000, 2))
    y = X[:, 0] - X[:, 1] > 0.3
    X[5, 0] = wild
    X[rng.random(1_000) < gaps, 0] = np.nan
    y &= ~np.isnan(X[:, 0])
    rules = R2NClassifier(**SHORT).fit(X, y).rules_
    assert rules.n_rules == 1
    assert rules.literals[0].columns == ("x0", "x1")
    assert np.mean(rules.predict(X) == y) > 0.995


@pytest.mark.parametrize("fill", [1e20, -3.4e38, 9.97e36])
def test_a_fill_value_does_not_hide_the_rest_of_its_column(fill: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.random((1_000, 3))
    y = (X[:, 0] > 0.4) & (X[:, 1] < 0.7)
    X[17, 0], y[17] = fill, fill > 0.4 and X[17, 1] < 0.7
    assert R2NClassifier(**SHORT).fit(X, y).score(X, y) > 0.998


def test_a_set_counts_as_many_as_it_names_and_the_shorter_side_is_named() -> None:
    rng = np.random.default_rng(0)
    place = rng.integers(0, 12, 3_000)
    frame = pd.DataFrame({"place": [f"p{k}" for k in place]})
    rules = R2NClassifier(**SHORT).fit(frame, place < 9).rules_
    assert str(rules) == "True if place not in {p10, p11, p9}\nelse False"
    assert rules.size == 3
    short = R2NClassifier(**SHORT, max_size=2).fit(frame, place < 4).rules_
    assert 0 < short.size <= 2


def test_a_category_must_be_worth_its_name() -> None:
    """Five rows that are wrong without it pay for a category's name at a price of half a row, not at one of eight."""
    place = np.repeat(["a", "b", "c", "d"], [400, 300, 295, 5])
    schema, table = Schema.learn(pd.DataFrame({"place": place}))
    for price, named in ((5e-4, ("a", "d")), (8e-3, ("a",))):
        problem = Problem.of(table, schema, np.isin(place, ["a", "d"]), np.ones(1_000), Prices.of(price), Caps())
        found = list(propose_memberships(problem, np.arange(problem.n_rows), problem.cost))
        assert found == [Membership("place", named)]


def test_of_a_wide_table_the_columns_that_matter_are_kept() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 600))
    X[:, 1] = X[:, 0] + 0.5 * X[:, 1]  # each says little alone, their difference all
    schema, table = Schema.learn(X)
    rows = Labelled(table, (X[:, 0] - X[:, 1] > 0.1) | (X[:, 2] > 1), np.ones(400))
    kept = screen_columns(rows, schema, {"x599"}, seed=0)
    assert {"x0", "x1", "x2", "x599"} <= set(kept.names)
    assert len(kept.names) == SCREENED_COLUMNS
    assert screen_columns(rows, kept, (), seed=0) is kept


def test_a_wide_table_gets_rules_in_little_time() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2_000, 300))
    y = (X[:, 0] - X[:, 1] > 0.3) | (X[:, 2] > 1.2)
    model = R2NClassifier(random_state=0, time_limit=8).fit(X, y)
    assert model.score(X, y) > 0.85
    assert model.rules_.schema is not None
    assert len(model.rules_.schema.names) == 300
