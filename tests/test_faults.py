"""Faults that other rule learners were seen to have, one test each. The wording says what must not happen."""

import contextlib
import io
import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from r2n import NetworkSettings, R2NClassifier, RuleSet, load
from r2n.datasets import example
from r2n.learn.bridge import extract
from r2n.learn.given import offer_literals
from r2n.network import Halfspaces, Network, Params
from r2n.network.literals import HalfspaceParams
from r2n.network.program import initialise
from r2n.rules import Membership
from r2n.table import Scaling, Schema

QUICK: dict[str, Any] = {
    "network": NetworkSettings(restarts=2, epochs=60, gamma=0.9),
    "effort": "quick",
    "random_state": 0,
}


def test_restarts_are_not_identical() -> None:
    state = initialise(Network(Halfspaces(5, 10), 0, 25), 4, np.random.default_rng(0))
    weights = np.asarray(state.params.u).reshape(4, -1)
    assert all(not np.array_equal(a, b) for a, b in itertools.combinations(weights, 2))


def test_what_was_kept_does_not_go_on_training() -> None:
    """The rules of a fit are those of its best epoch: no later epoch had a better one, and it is not the last."""
    X, y = example(4).sample(3_000, random_state=0)
    model = R2NClassifier(
        network=NetworkSettings(restarts=1, drop_below=0.0),
        price=0.0,
        validation_fraction=0.0,
        effort="none",
        max_columns=None,
        random_state=1,
    ).fit(X, y)
    errors = [record.error[0] for record in model.history_]
    assert min(errors) < errors[-1]
    assert np.mean(model.predict(X) != y) == pytest.approx(min(errors), abs=1e-3)


def test_negated_literals_are_not_dropped_on_the_way_out() -> None:
    schema, table = Schema.learn({"x": [0.0, 1.0] * 5, "c": ["a", "b"] * 5})
    given = offer_literals(schema, table, negations=True)
    network = Network(Halfspaces(1, 1), n_given=len(given), n_rules=1)
    params = Params(
        HalfspaceParams(np.ones((1, 1), np.float32), np.zeros(1, np.float32)),
        u=np.ones((1 + len(given), 1), np.float32),
        v=np.ones(1, np.float32),
    )
    rules = extract(network, params, Scaling.learn(table, ["x"]), given, RuleSet((), schema=schema))
    negated = {literal for literal in rules.literals if isinstance(literal, Membership) and literal.negated}
    assert negated == {Membership("c", ("a",), negated=True), Membership("c", ("b",), negated=True)}


def test_no_column_of_a_halfspace_is_lost_in_a_file(tmp_path: Path) -> None:
    rules = RuleSet.parse("yes if 2·a - 3·b + 0.5·c > 1 else no")
    rules.save(tmp_path / "m.json")
    assert load(tmp_path / "m.json") == rules == RuleSet.parse(str(rules))
    assert load(tmp_path / "m.json").columns == ("a", "b", "c")


def test_the_callers_columns_keep_their_names_whatever_they_are() -> None:
    X, y = example(2).sample(800, random_state=0)
    names = ["a b", "x > 1", "__import__('os')", "größe·2", 'say "no"']
    frame = pd.DataFrame(X, columns=names)
    model = R2NClassifier(**QUICK).fit(frame, y)
    assert list(frame.columns) == names
    assert set(model.rules_.columns) <= set(names)
    np.testing.assert_array_equal(RuleSet.parse(str(model.rules_)).predict(frame), model.predict(frame))


def test_labels_are_the_callers_and_integers_are_numbers() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"k": rng.integers(0, 100, 600)})
    y = np.where(X["k"] > 40, "keep", "drop")
    model = R2NClassifier(**QUICK, positive="drop").fit(X, y)
    assert str(model.rules_).startswith("drop if k < ") or str(model.rules_).startswith("drop if k <= ")
    assert str(model.rules_).endswith("else keep")


def test_the_epoch_is_not_chosen_on_the_training_rows() -> None:
    """Labels at random: rules chosen on rows held out err on about half of those, and no fewer."""
    rng = np.random.default_rng(0)
    X, y = rng.random((400, 5)), rng.random(400) < 0.5
    held_out, trained_on = (
        R2NClassifier(
            network=NetworkSettings(restarts=1), validation_fraction=share, effort="none", random_state=0
        ).fit(X, y)
        for share in (0.5, 0.0)
    )
    least = [min(record.error[0] for record in model.history_) for model in (held_out, trained_on)]
    assert least[0] > least[1] + 0.02


@pytest.mark.parametrize("labels", [("no", "yes"), (1, 2), (False, True), (0.0, 1.0)])
def test_any_two_labels_in_one_dimension_give_rules_and_two_classes(labels: tuple) -> None:
    X, truth = example(1).sample(800, random_state=0)
    y = np.where(truth, labels[1], labels[0])
    model = R2NClassifier(**QUICK).fit(X, y)
    assert model.rules_.n_rules > 0
    assert set(model.predict(X)) == set(labels)


def test_three_classes_are_three_classes() -> None:
    """A peer took y with three classes for one with two, and said nothing."""
    X, _ = example(1).sample(300, random_state=0)
    y = np.digitize(X[:, 0], [0.3, 0.6])
    model = R2NClassifier(**QUICK).fit(X, y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.score(X, y) > 0.95


@pytest.mark.parametrize(("n", "effort"), [(1_000, "quick"), pytest.param(4_000, "default", marks=pytest.mark.slow)])
def test_missing_values_and_large_scales_do_no_harm(n: int, effort: str) -> None:
    X, y = example(3).sample(n, random_state=0)
    units = np.array([1e6, 1e-6, 1.0, 1e3, 1.0])
    assert R2NClassifier(random_state=0, effort=effort).fit(X * units, y).score(X * units, y) > 0.98
    X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    model = R2NClassifier(random_state=0, effort=effort).fit(X, y)
    kept = min(min(record.error) for record in model.history_)
    assert 1 - model.score(X, y) < kept + 0.03  # what was kept is what is shipped
    assert model.score(X, y) > max(y.mean(), 1 - y.mean()) + 0.05


def test_it_is_a_silent_estimator_with_the_usual_methods() -> None:
    X, y = example(1).sample(600, random_state=0)
    model = R2NClassifier(**QUICK)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        assert model.fit(X, y) is model
        clone(model).set_params(network__penalty=0.1).get_params()
        cross_val_score(model, X, y, cv=2)
        model.score(X, y), model.predict_proba(X)
    assert said.getvalue() == ""


def test_printed_rules_hold_no_redundant_bounds() -> None:
    rules = RuleSet.parse("yes if x < 0.62 and x < 0.55 else no")
    from r2n.rewrite.simplify import simplify

    assert str(simplify(rules)) == "yes if x < 0.55\nelse no"


def test_the_model_file_is_plain_data(tmp_path: Path) -> None:
    RuleSet.parse("yes if x > 1 else no").save(tmp_path / "m.json")
    assert json.loads((tmp_path / "m.json").read_text())["version"] == 1
