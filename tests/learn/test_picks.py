"""Another point of the front: as finished as the rules that were chosen, and what fit would have made of it."""

import pickle
import re
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r2n import NetworkSettings, R2NClassifier
from r2n.export import export
from r2n.learn.order import find_default, order_classes
from r2n.learn.picks import ClassPicks
from r2n.rules import Baseline, Halfspace, RuleSet
from r2n.search import Move
from r2n.table import Table

NETWORK = NetworkSettings(restarts=2, epochs=30, gamma=0.8)
QUICK: dict[str, Any] = {"network": NETWORK, "effort": "quick", "teacher": False, "random_state": 0}


def noisy_table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(400, 3)), columns=["a", "b", "c"])
    X["z"] = rng.choice(["p", "q", "r"], 400)
    X.loc[::17, "a"] = np.nan
    score = np.sin(1.5 * X.b) + X.c * (X.z == "p") + 0.5 * X.a.fillna(0.3) + 0.4 * rng.normal(size=400)
    return X, np.digitize(score, [-0.4, 0.6])


@pytest.fixture(scope="module")
def two() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray, list[RuleSet]]:
    X, y = noisy_table()
    seen: list[RuleSet] = []

    def watch(event: object) -> None:
        if isinstance(event, Move):
            seen.append(RuleSet(event.rules))

    model = R2NClassifier(**QUICK, callback=watch).fit(X, y > 0)
    assert len(model.front_) > 3
    return model.set_params(callback=None), X, y > 0, seen


@pytest.fixture(scope="module")
def three() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    X, y = noisy_table()
    return R2NClassifier(**QUICK).fit(X, np.array(["low", "mid", "top"])[y]), X, y


def plain(base: Baseline) -> Baseline:
    """The counts on all training rows alone."""
    return replace(base, rules=tuple((label, rule, n._replace(held_out=None)) for label, rule, n in base.rules))


def long_numbers(text: str) -> list[str]:
    return [number for number in re.findall(r"[0-9.]+", text) if len(number.replace(".", "").strip("0")) > 6]


def test_every_point_has_short_numbers_and_the_truth_it_was_found_with(two: tuple) -> None:
    model, X, _, seen = two
    assert any(long_numbers(str(rules)) for rules in seen), "what is found has long numbers"
    found = {rules.truth(X).tobytes() for rules in [*seen, RuleSet(())]}
    for i in range(len(model.front_)):
        rules = model.pick(i).rules_
        assert not long_numbers(str(rules))
        assert not long_numbers(str(model.front_[i].rules))
        assert model.front_[i].rules.truth(X).tobytes() in found
        if i != model.chosen_[0]:
            assert rules == model.front_[i].rules
        for to in ("sql", "python", "markdown", "json"):
            assert str(export(rules, to))
    sizes = [point.size for point in model.front_]
    assert sizes == sorted(set(sizes))


def test_every_point_has_its_training_counts_and_probabilities(two: tuple) -> None:
    model, X, y, _ = two
    for i in range(len(model.front_)):
        picked = model.pick(i)
        assert picked.chosen_ == (i,)
        assert plain(picked.rules_.baseline) == Baseline.count(picked.rules_, X, y)
        np.testing.assert_array_equal(picked.predict_proba(X), picked.rules_.counted(X, y).predict_proba(X))
        np.testing.assert_array_equal(picked.classes_[picked.predict_proba(X).argmax(axis=1)], picked.predict(X))


def test_the_chosen_point_is_the_model_as_it_was_fitted(two: tuple) -> None:
    model, X, _, _ = two
    for again in (model.pick(*model.chosen_), model.pick(0).pick(*model.chosen_), pickle.loads(pickle.dumps(model))):
        assert again.rules_ == model.rules_
        assert again.rules_.baseline == model.rules_.baseline
        assert again.rules_.schema == model.rules_.schema
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_with_several_classes_a_pick_is_settled_as_fit_settles(three: tuple) -> None:
    model, X, y = three
    labels = list(model.classes_)
    texts = np.array(labels)[y]
    rows = {label: [i for i, point in enumerate(model.front_) if point.rules.label == label] for label in labels}
    picks = [model.pick(i) for i in range(len(model.front_))]
    picks += [model.pick(0).pick(-1), model.pick(rows["mid"][1]).pick(rows["top"][0], 1)]
    orders = set()
    for picked in [*picks, pickle.loads(pickle.dumps(picks[-1])), model]:
        rules = picked.rules_
        claims = np.column_stack([rules[label].truth(X) for label in labels])
        weight = np.ones(len(y))
        order, default = order_classes(claims, y, weight), find_default(claims, y, weight)
        assert [*rules.labels] == [labels[k] for k in order]
        assert rules.default == labels[default]
        assert plain(rules.baseline) == Baseline.count(rules, X, texts)
        np.testing.assert_array_equal(picked.predict_proba(X), rules.counted(X, texts).predict_proba(X))
        assert not long_numbers(str(rules))
        orders.add((*rules.labels, rules.default))
    assert len(orders) > 1, "another choice asks in another order"
    chosen = model.pick(0).pick(model.chosen_[0])
    assert chosen.rules_ == model.rules_
    assert chosen.chosen_ == model.chosen_
    assert model.pick(0, -1).pick(*model.chosen_).rules_ == model.rules_
    found = [model.front_[i].rules for i in model.chosen_]
    assert any(rules.rules != model.rules_[rules.label].rules for rules in found), "the choice was fitted to all rows"


def test_weights_count_in_picks() -> None:
    X, y = noisy_table()
    weight, table = np.where(y == 2, 3.0, 1.0), Table.read(X)
    texts = [["b < -1", "b < -0.2"], ["z in {p}", "c > 0 and a < 1"], ["b > 0.4 or a > 1", "a is missing"]]
    options = [[RuleSet.parse(f"{k} if {text} else no") for text in own] for k, own in enumerate(texts)]
    picks = ClassPicks.count(options, table, y, weight)
    for chosen in product((0, 1), repeat=3):
        rules = picks.model(chosen)
        claims = np.column_stack([own[i].truth(X) for own, i in zip(options, chosen, strict=True)])
        assert [*rules.labels] == order_classes(claims, y, weight)
        assert rules.default == find_default(claims, y, weight)
        assert rules.baseline == Baseline.count(rules, X, y, weight)


def test_what_an_expert_said_holds_for_every_pick() -> None:
    X, y = noisy_table()
    fixed = "z in {q} and a > 1.23456789"
    model = R2NClassifier(**QUICK, fixed=[fixed], exclude=["c"], monotone={"b": 1}).fit(X, y > 0)
    rule = RuleSet.parse(f"True if {fixed} else False").rules[0]
    for i in range(len(model.front_)):
        rules = model.pick(i).rules_
        assert rule in rules.rules
        assert "c" not in rules.columns
        sums = [each for each in rules.literals if isinstance(each, Halfspace)]
        assert all(a > 0 for each in sums for key, a in each.terms if key == "b")


def test_without_time_the_points_are_counted_too() -> None:
    X, y = noisy_table()
    model = R2NClassifier(**QUICK, time_limit=0.01).fit(X, y > 0)
    assert len(model.front_) > 0
    for i in range(len(model.front_)):
        assert plain(model.pick(i).rules_.baseline) == Baseline.count(model.pick(i).rules_, X, y > 0)
