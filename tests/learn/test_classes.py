"""Several classes, and weights: one rule set a class, asked in turn; a row of weight two is two rows."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine

import r2n
from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import Interrupted, ModelFileError, ParameterError, ParseError
from r2n.learn.labels import Labels, read_weights
from r2n.learn.order import find_default, order_classes
from r2n.rules import ClassRules, Knowledge, RuleSet
from r2n.rules.document import from_text
from r2n.rules.modelfile import to_text
from r2n.search import Caps, Prices, Problem, descend
from r2n.table import Schema, Table

QUICK: dict[str, Any] = {
    "network": NetworkSettings(restarts=2, epochs=60, gamma=0.9),
    "effort": "quick",
    "random_state": 0,
}
THREE = """low if x < 1
else high if x > 3
          or y in {a}
else middle if x > 2
else low"""


def test_class_rules_print_parse_and_save(tmp_path: object) -> None:
    rules = ClassRules.parse(THREE)
    assert str(rules) == THREE
    assert ClassRules.parse(str(rules)) == rules == from_text(to_text(rules))
    path = f"{tmp_path}/model.json"
    rules.save(path)
    assert r2n.load(path) == rules
    assert rules.labels == ("low", "high", "middle")
    assert [each.label for each in rules] == ["low", "high", "middle"]
    assert (rules.n_rules, rules.size, rules.literals_per_rule, rules.columns) == (4, 4, 1.0, ("x", "y"))


def test_the_first_class_that_claims_a_row_gets_it() -> None:
    rules = ClassRules.parse(THREE)
    table = {"x": [0, 4, 2.5, 1.5, 0, None], "y": ["a", "b", "b", "b", "b", "a"]}
    assert rules.predict(table).tolist() == ["low", "high", "middle", "low", "low", "high"]
    assert rules.claims(table)[0].tolist() == [True, True, False]
    assert rules.with_class(RuleSet.parse("middle if x > 1 else other")).predict(table)[3] == "middle"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a if x > 1 else a if x > 2 else b", "named twice"),
        ("a if x > 1 else b if x > 2", "expected `else`"),
        ("a if x > 1 else b if x > 2 else", "the default label"),
        ("a if else b", "expected"),
    ],
)
def test_bad_texts_of_class_rules_are_refused(text: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        ClassRules.parse(text)


def test_a_rule_set_does_not_take_the_text_of_several_classes() -> None:
    with pytest.raises(ParseError, match=r"read them with ClassRules\.parse"):
        RuleSet.parse(THREE)
    with pytest.raises(ParameterError, match="there are no rules for 'huge'"):
        ClassRules.parse(THREE)["huge"]
    with pytest.raises(ParameterError, match="at least one class"):
        ClassRules((), "a")


def test_a_damaged_file_of_class_rules_is_refused() -> None:
    text = to_text(ClassRules.parse(THREE))
    for old, new in (('"classes": [', '"classes": [3, '), ('"label": "low"', '"name": "low"'), ('"high"', '"low"')):
        with pytest.raises(ModelFileError):
            from_text(text.replace(old, new, 1))


@settings(max_examples=50)
@given(seed=st.integers(0, 10**6))
def test_the_order_of_classes_cannot_be_bettered_by_exchanging_neighbours(seed: int) -> None:
    rng = np.random.default_rng(seed)
    claims, codes, weight = rng.random((40, 4)) < 0.5, rng.integers(0, 4, 40), rng.random(40)

    def right(order: list[int]) -> float:
        first = claims[:, order].argmax(axis=1)
        got = np.where(claims.any(axis=1), np.array(order)[first], -1)
        return float(weight[got == codes].sum())

    order = order_classes(claims, codes, weight)
    for i in range(3):
        other = [*order[:i], order[i + 1], order[i], *order[i + 2 :]]
        assert right(other) <= right(order) + 1e-9
    silent = ~claims.any(axis=1)
    if silent.any():
        counts = [weight[silent & (codes == k)].sum() for k in range(4)]
        assert counts[find_default(claims, codes, weight)] == max(counts)


@pytest.mark.parametrize(("load", "least"), [(load_iris, 0.95), pytest.param(load_wine, 0.95, marks=pytest.mark.slow)])
def test_small_tables_of_three_classes(load: object, least: float) -> None:
    data = load(as_frame=True)  # type: ignore[operator]
    y = data.target_names[data.target]
    model = R2NClassifier(**QUICK).fit(data.data, y)
    assert isinstance(model.rules_, ClassRules)
    assert model.score(data.data, y) > least
    np.testing.assert_array_equal(model.predict(data.data), model.rules_.predict(data.data))
    shares = model.predict_proba(data.data)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[shares.argmax(axis=1)], model.predict(data.data))
    assert model.transform(data.data).shape == (len(y), len(model.rules_.literals))
    row = next(i for i, point in enumerate(model.front_) if point.rules.label == model.classes_[1])
    other = model.pick(row)
    assert isinstance(other.rules_, ClassRules)
    assert other.rules_[model.classes_[1]] == model.front_[row].rules
    assert other.chosen_ == (model.chosen_[0], row, model.chosen_[2])
    np.testing.assert_array_equal(
        other.classes_[other.predict_proba(data.data).argmax(axis=1)], other.predict(data.data)
    )
    with pytest.raises(ParameterError, match=r"of each class at most one, not \(0, 1\)"):
        model.pick(0, 1)


@pytest.mark.slow
def test_thirty_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(30), 40)
    X = np.c_[y % 6 + 0.2 * rng.random(len(y)), y // 6 + 0.2 * rng.random(len(y))]
    model = R2NClassifier(network=NetworkSettings(restarts=1, epochs=5), random_state=0).fit(X, y)
    assert model.classes_.tolist() == list(range(30))
    assert len(model.rules_) == 30
    assert model.score(X, y) > 0.95
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def problem_of(frame: pd.DataFrame, y: np.ndarray, weight: np.ndarray) -> Problem:
    schema, table = Schema.learn(frame)
    return Problem.of(table, schema, y, weight, Prices.of(3e-3), Caps())


@pytest.mark.parametrize("seed", range(4))
def test_a_row_of_weight_two_is_the_row_twice_where_not_all_rows_are_read(seed: int) -> None:
    """Directions are fitted to 3,000 different rows at most."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.gamma(4, 10, 4_000), "b": rng.gamma(2, 8, 4_000), "c": rng.normal(size=4_000)})
    y = (frame["a"] - 1.5 * frame["b"] + 3 * frame["c"] > 20).to_numpy() ^ (rng.random(4_000) < 0.1)
    start = RuleSet.parse("True if a > 20 else False").rules
    weighted = problem_of(frame, y, np.full(4_000, 2.0))
    repeated = problem_of(pd.concat([frame, frame], ignore_index=True), np.r_[y, y], np.ones(8_000))
    assert list(descend(weighted, start)) == list(descend(repeated, start))


def noisy(seed: int, n: int = 80) -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """A table of few rows with missing values of both kinds, labels with noise, and how often each row is there."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.normal(size=n), "b": rng.normal(size=n), "k": rng.choice(list("pqr"), n)})
    y = ((frame["a"] + frame["b"] > 0.3) | (frame["k"] == "p")).to_numpy() ^ (rng.random(n) < 0.1)
    times = rng.integers(0, 3, n)
    if seed % 2:
        frame["b"] = np.where(rng.random(n) < 0.2, np.nan, frame["b"].round(1))
        frame.loc[rng.random(n) < 0.1, "k"] = None
        times = rng.integers(0, 4, n)
    return frame, y, times


def same_by_weights_and_by_rows(
    seed: int, unit: float = 1.0, shuffled: bool = False, target: np.ndarray | None = None
) -> None:
    """A start's objective, and every move of a descent from it, to the last bit."""
    frame, y, times = noisy(seed)
    kept, again = np.flatnonzero(times), np.repeat(np.arange(80), times)
    if shuffled:
        again = np.random.default_rng(seed).permutation(again)
    target = y if target is None else target
    weighted = problem_of(frame.iloc[kept], target[kept], unit * times[kept])
    repeated = problem_of(frame.iloc[again], target[again], np.full(len(again), unit))
    start = RuleSet.parse("True if a > 0 or k in {q} else False")
    assert weighted.objective(start.rules) == repeated.objective(start.rules)
    assert list(descend(weighted, start.rules)) == list(descend(repeated, start.rules))


@settings(max_examples=30)
@given(
    seed=st.integers(0, 10**6), unit=st.sampled_from([1.0, 0.1, 1 / 3]), shuffled=st.booleans(), taught=st.booleans()
)
def test_a_row_of_weight_two_is_the_row_twice_and_of_weight_zero_no_row(
    seed: int, unit: float, shuffled: bool, taught: bool
) -> None:
    """Also with labels as a teacher has them, whatever the unit of weights, and wherever the copies stand."""
    probability = np.random.default_rng(seed).random(80).round(2) if taught else None
    same_by_weights_and_by_rows(seed, unit, shuffled, probability)


def test_a_row_of_weight_two_is_the_row_twice_where_last_bits_decide() -> None:
    """In this table the last bit of a sum of floats leads another way: the sums must be of the same numbers."""
    same_by_weights_and_by_rows(262_396)


def test_equal_rows_are_one_row_of_all_their_weight() -> None:
    frame = pd.DataFrame({"a": [1.0, -0.0, np.nan, 0.0, np.nan, 1.0, 1.0], "k": ["p", "q", None, "q", None, "p", "r"]})
    y = np.array([1, 0, 1, 0, 1, 0, 1])
    problem = problem_of(frame, y, np.array([1.0, 0.1, 2.0, 0.1, 3.0, 4.0, 5.0]))
    assert np.array_equal(problem.table.numeric("a"), [0.0, 1.0, 1.0, 1.0, np.nan], equal_nan=True)
    assert problem.cost.tolist() == pytest.approx([0.2, 4.0, -1.0, -5.0, -5.0], rel=1e-11), "two p's differ in label"
    assert problem.weight.tolist() == [0.2, 4.0, 1.0, 5.0, 5.0]
    assert (problem.total, problem.floor) == (15.2, 11.0)


def test_rows_that_a_fixed_rule_tells_apart_are_not_equal() -> None:
    """As numbers 2^53 and 2^53 + 1 are one, as categories they are two."""
    table = Table.read({"account": [2**53, 2**53 + 1] * 10, "x": [0.0] * 20})
    schema, _ = Schema.learn({"account": [2**53, 2**53 + 1], "x": [0.0, 1.0]})
    (fixed,) = RuleSet.parse(f"True if account in {{{2**53}}} else False").rules
    y, knowledge = np.arange(20) % 2 == 0, Knowledge(fixed=(fixed,))
    problem = Problem.of(table, schema, y, np.ones(20), Prices.of(0.0), Caps(), knowledge)
    assert fixed.evaluate(table).tolist() == y.tolist()
    assert (problem.error(()), problem.n_rows) == (0.0, 2)


def test_weights_of_equal_rows_are_added_exactly() -> None:
    """0.1 ten times is 1, as 10·0.1 is; added one after the other it would not be."""
    frame = pd.DataFrame({"a": np.r_[np.ones(10), 2.0]})
    assert problem_of(frame, np.r_[np.ones(10), 0.0], np.full(11, 0.1)).weight.tolist() == [1.0, 0.1]


def test_weights_reach_the_rules() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((600, 2))
    left = rng.random(600) < 0.5
    y = np.where(left, X[:, 0] > 0.5, X[:, 1] > 0.5)
    first, second = (R2NClassifier(**QUICK).fit(X, y, sample_weight=w) for w in (left, ~left))
    assert first.rules_.columns == ("x0",)
    assert second.rules_.columns == ("x1",)
    alone = R2NClassifier(**QUICK).fit(X[left], y[left])
    assert str(alone.rules_) == str(first.rules_), "a row of weight 0 is no row"


@settings(max_examples=5)
@given(seed=st.integers(0, 10**6))
def test_a_category_of_rows_without_weight_was_never_there(seed: int) -> None:
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"a": rng.gamma(4, 10, 300), "b": rng.gamma(2, 8, 300), "k": rng.choice(list("pqrstuv"), 300)})
    y = (frame["a"] + 25 * frame["k"].isin(list("pqrst")) - frame["b"] > 50).to_numpy() ^ (rng.random(300) < 0.05)
    more = pd.concat([frame, frame.iloc[:1].assign(k="z")], ignore_index=True)
    plain = R2NClassifier(**QUICK).fit(frame, y)
    weighted = R2NClassifier(**QUICK).fit(more, np.append(y, False), sample_weight=np.append(np.ones(300), 0.0))
    assert str(weighted.rules_) == str(plain.rules_)
    assert weighted.rules_.schema == plain.rules_.schema


def test_a_row_without_weight_decides_nothing_whatever_stands_in_it() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.normal(size=300), "b": rng.normal(size=300)})
    y = np.where(frame["a"] - frame["b"] > 0.3, "yes", "no")
    odd = pd.DataFrame({"a": pd.Series([*frame["a"], "oops"], dtype=object), "b": [*frame["b"], np.inf]})
    weight = np.append(np.ones(300), 0.0)
    plain = R2NClassifier(**QUICK, positive="no").fit(frame, y)
    weighted = R2NClassifier(**QUICK, positive="no").fit(odd, np.append(y, "maybe"), sample_weight=weight)
    assert weighted.rules_ == plain.rules_
    assert weighted.rules_.schema == plain.rules_.schema
    assert weighted.classes_.tolist() == ["no", "yes"]


def test_weights_too_large_to_count_are_shares() -> None:
    X, y = example(1).sample(300, random_state=0)
    weight = np.random.default_rng(0).integers(1, 4, 300) * 1.0
    near, far = (R2NClassifier(**QUICK).fit(X, y, sample_weight=weight * factor) for factor in (1e-3, 1e300))
    assert str(near.rules_) == str(far.rules_)
    np.testing.assert_allclose(near.predict_proba(X), far.predict_proba(X))


def test_weights_of_rows_and_classes_together_stay_within_reach() -> None:
    labels = Labels.learn(["a", "a", "b", "c"], 4)
    large = read_weights([1e300] * 4, {"a": 1e300, "b": 1e300, "c": 2e300}, labels)
    np.testing.assert_allclose(large / large[0], [1.0, 1.0, 1.0, 2.0])
    np.testing.assert_allclose(read_weights([2, 2, 2, 0], "balanced", labels), [1.5, 1.5, 3.0, 0.0])
    np.testing.assert_allclose(read_weights([1e308] * 4, "balanced", labels), [2 / 3, 2 / 3, 4 / 3, 4 / 3])
    with pytest.raises(ParameterError, match="class_weight leaves no row with a weight"):
        read_weights(None, {"a": 0, "b": 0, "c": 0}, labels)


@pytest.mark.slow
def test_class_weights_move_the_balance() -> None:
    rng = np.random.default_rng(0)
    X = rng.random((1_000, 1))
    y = np.where(rng.random(1_000) < X[:, 0] * 0.4, "rare", "common")
    plain, balanced, given_ = (
        R2NClassifier(**QUICK, teacher=False, positive="rare", class_weight=weight).fit(X, y)
        for weight in (None, "balanced", {"rare": 9.0})
    )
    assert (plain.predict(X) == "rare").mean() < 0.1 < (balanced.predict(X) == "rare").mean()
    assert (given_.predict(X) == "rare").mean() > 0.3


@pytest.mark.parametrize("rows", [2, 3, 5, 7, 8])
def test_a_class_of_few_rows_gets_a_rule(rows: int) -> None:
    x = np.arange(3 * rows, dtype=float)
    y = np.repeat(["a", "b", "c"], rows)
    assert R2NClassifier(**QUICK).fit(x[:, None], y).score(x[:, None], y) == 1.0


@pytest.mark.parametrize("made", [pl.Series, lambda y: pl.Series(y, dtype=pl.Categorical), pa.array, pd.Categorical])
def test_labels_may_come_in_any_kind_of_column(made: Callable) -> None:
    X, y = example(1).sample(200, random_state=0)
    text = np.where(y, "yes", "no")
    plain = R2NClassifier(**QUICK).fit(X, text)
    assert str(R2NClassifier(**QUICK).fit(X, made(text.tolist())).rules_) == str(plain.rules_)


def test_balance_counts_weights() -> None:
    labels = Labels.learn(["a", "a", "a", "b"], 4)
    np.testing.assert_allclose(read_weights([1, 1, 1, 3], "balanced", labels), [1, 1, 1, 3])
    np.testing.assert_allclose(read_weights(None, {"a": 2, "b": 1, "z": 5}, labels), [2, 2, 2, 1])


def test_probabilities_do_not_depend_on_the_unit_of_weights() -> None:
    X, y = example(1).sample(300, random_state=0, flip=0.1)
    plain, small = (R2NClassifier(**QUICK).fit(X, y, np.full(300, unit)) for unit in (1.0, 1e-9))
    np.testing.assert_allclose(small.predict_proba(X), plain.predict_proba(X))


@pytest.mark.parametrize("rows", range(1, 60, 7))
@pytest.mark.parametrize("n_classes", [2, 5, 11])
def test_the_deciders_share_is_the_largest(rows: int, n_classes: int) -> None:
    labels = [f"class {k:02}" for k in range(n_classes)]
    y = np.repeat(labels, rows)
    for winner, label in enumerate(labels):
        rules = ClassRules(tuple((each, ()) for each in labels), label).counted({"x": np.zeros(len(y))}, y)
        (shares,) = rules.predict_proba({"x": [0.0]})
        assert np.flatnonzero(shares == shares.max()).tolist() == [winner]
        assert shares.sum() == pytest.approx(1.0)


def test_ctrl_c_ends_the_work_for_all_classes() -> None:
    X = np.arange(60.0)[:, None]
    y = np.repeat(["a", "b", "c"], 20)
    seen = []

    def stop(record: object) -> None:
        seen.append(record)
        if len(seen) == 4:
            raise KeyboardInterrupt

    with pytest.warns(Interrupted, match="interrupted after 4 of"):
        model = R2NClassifier(network=NetworkSettings(restarts=1, epochs=20), callback=stop, random_state=0).fit(X, y)
    assert len(seen) == 4
    assert model.predict(X).shape == (60,)
