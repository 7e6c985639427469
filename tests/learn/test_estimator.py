"""R2NClassifier as its users use it."""

import copy
import inspect
import pickle
import re
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier

from r2n import NetworkSettings, R2NClassifier, RuleSet, load
from r2n.datasets import example
from r2n.errors import Interrupted, ParameterError, SchemaError
from r2n.network import Training
from r2n.rules import Baseline
from r2n.search import Move

QUICK: dict[str, Any] = {
    "network": NetworkSettings(restarts=2, epochs=60, gamma=0.9),
    "effort": "quick",
    "random_state": 0,
}
quick_and_default = pytest.mark.parametrize(
    "chosen", [QUICK, pytest.param({"random_state": 0}, marks=pytest.mark.slow)], ids=["quick", "default"]
)


def people(n: int = 600, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """A small table with both kinds of column and names that break other tools."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "monthly income (€)": rng.normal(3000, 900, n),
            "debt": rng.normal(1000, 500, n),
            "region": rng.choice(["north", "west", "south-east"], n),
            "owner": rng.random(n) < 0.4,
        }
    )
    good = (frame["monthly income (€)"] - 1.5 * frame["debt"] > 1500) & (frame["region"] != "west")
    return frame, np.where(good, "yes", "no")


@pytest.fixture(scope="module")
def fitted() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    X, y = people()
    return R2NClassifier(**QUICK).fit(X, y), X, y


def test_it_learns_numbers_and_categories_from_a_frame(fitted: tuple) -> None:
    model, X, y = fitted
    assert model.score(X, y) > 0.93
    assert set(model.rules_.columns) <= set(X.columns)
    assert model.rules_.label == "yes"
    assert model.rules_.default == "no"
    assert RuleSet.parse(str(model.rules_)) == model.rules_


@pytest.mark.parametrize("number", [pytest.param(k, marks=[pytest.mark.slow] * (k != 4)) for k in range(1, 6)])
def test_the_default_settings_learn_the_known_rules(number: int) -> None:
    X, y = example(number).sample(10_000, random_state=0)
    model = R2NClassifier(random_state=0).fit(X[:8_000], y[:8_000])
    assert model.score(X[8_000:], y[8_000:]) >= 0.98
    assert model.rules_.n_rules <= 6


def test_predictions_are_the_classes_that_came(fitted: tuple) -> None:
    model, X, y = fitted
    assert model.classes_.tolist() == ["no", "yes"]
    assert set(model.predict(X)) <= {"no", "yes"}
    for labels in ([0, 1], [1, 2], [-1.0, 1.0], [False, True], ["b", "a"]):
        low, high = labels
        y_other = np.where(y == "yes", high, low)
        other = R2NClassifier(**QUICK).fit(X, y_other)
        assert other.predict(X).dtype == y_other.dtype
        assert other.score(X, y_other) > 0.9


def test_a_column_vector_of_labels_is_read_with_a_warning() -> None:
    X, y = people()
    with pytest.warns(UserWarning, match="column-vector"):
        wide = R2NClassifier(**QUICK).fit(X, y.reshape(-1, 1))
    flat = R2NClassifier(**QUICK).fit(X, y)
    assert str(wide.rules_) == str(flat.rules_)
    assert flat.rules_.n_rules > 0


def test_probabilities_agree_with_predictions(fitted: tuple) -> None:
    model, X, _ = fitted
    proba = model.predict_proba(X)
    assert proba.shape == (len(X), 2)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert ((proba > 0) & (proba < 1)).all()
    assert_array_equal(model.classes_[proba.argmax(axis=1)], model.predict(X))


def test_probabilities_are_smoothed_counts() -> None:
    X, y = people()
    model = R2NClassifier(**QUICK).fit(X, y)
    fires, positive = model.rules_.fires(X), y == "yes"
    proba = model.predict_proba(X)[:, 1]
    silent = ~fires.any(axis=1)
    assert np.unique(proba[silent]) == pytest.approx([(positive[silent].sum() + 1) / (silent.sum() + 2)])
    row = int(np.flatnonzero(~silent)[0])
    covered = sum(fires[:, j].sum() for j in np.flatnonzero(fires[row]))
    right = sum((fires[:, j] & positive).sum() for j in np.flatnonzero(fires[row]))
    assert proba[row] == pytest.approx((right + 1) / (covered + 2))


def test_the_described_class_can_be_chosen() -> None:
    X, y = people()
    model = R2NClassifier(**QUICK, positive="no").fit(X, y)
    assert (model.rules_.label, model.rules_.default) == ("no", "yes")
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.score(X, y) > 0.9
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


def test_transform_gives_the_literals_as_named_boolean_columns(fitted: tuple) -> None:
    model, X, y = fitted
    columns = model.transform(X)
    assert columns.dtype == bool
    assert columns.shape == (len(X), len(model.rules_.literals))
    names = model.get_feature_names_out()
    for k, literal in enumerate(model.rules_.literals):
        assert_array_equal(columns[:, k], literal.evaluate(model.rules_.table(X)))
        assert str(names[k]) == literal.text(model.rules_.schema)
    framed = clone(model).set_output(transform="pandas").fit(X, y).transform(X)
    assert list(framed.columns) == list(names)
    tree = DecisionTreeClassifier(random_state=0).fit(columns, y)
    assert tree.score(columns, y) >= model.score(X, y)


def test_arrays_and_frames_give_the_same_rules() -> None:
    X, y = example(3).sample(1_000, random_state=1)
    from_array = R2NClassifier(**QUICK).fit(X, y)
    from_frame = R2NClassifier(**QUICK).fit(pd.DataFrame(X, columns=[f"x{k}" for k in range(5)]), y)
    assert str(from_array.rules_) == str(from_frame.rules_)
    assert not hasattr(from_array, "feature_names_in_")
    assert from_frame.feature_names_in_.tolist() == ["x0", "x1", "x2", "x3", "x4"]
    assert from_array.n_features_in_ == 5


def test_columns_are_taken_by_name_only_if_there_are_names_both_times() -> None:
    X, y = example(3).sample(300, random_state=1)
    named = pd.DataFrame(X, columns=list("edcba"))
    from_array, from_frame, from_arrow, from_numbered = (
        R2NClassifier(**QUICK).fit(made, y) for made in (X, named, pa.Table.from_pandas(named), pd.DataFrame(X))
    )
    assert from_arrow.feature_names_in_.tolist() == from_frame.feature_names_in_.tolist() == list("edcba")
    assert not hasattr(from_numbered, "feature_names_in_")
    for model, later in ((from_array, pd.DataFrame(X)), (from_numbered, X), (from_frame, pl.from_pandas(named))):
        assert_array_equal(model.predict(later), from_array.predict(X))  # nothing to warn of
    with pytest.warns(UserWarning, match="X has feature names, but R2NClassifier was fitted without feature names"):
        assert_array_equal(from_array.predict(named), from_array.predict(X))
    with pytest.warns(UserWarning, match="X does not have valid feature names, but R2NClassifier was fitted with"):
        assert_array_equal(from_frame.predict(X), from_array.predict(X))
    with pytest.raises(SchemaError, match="X has 2 features, but r2n is expecting 5 features"):
        from_array.predict(pd.DataFrame(X[:, :2]))
    assert_array_equal(from_frame.predict({name: named[name] for name in "abcde"}), from_array.predict(X))


def test_nothing_of_the_callers_is_changed() -> None:
    X, y = people()
    before, labels = X.copy(deep=True), y.copy()
    settings = R2NClassifier(**QUICK, categorical=["region"])
    parameters = copy.deepcopy(settings.get_params())
    state = np.random.get_state(legacy=False)  # noqa: NPY002 - the global one is what must stay alone
    model = settings.fit(X, y)
    model.predict(X), model.predict_proba(X), model.transform(X)
    pd.testing.assert_frame_equal(X, before)
    assert_array_equal(y, labels)
    assert settings.get_params() == parameters
    np.testing.assert_equal(np.random.get_state(legacy=False), state)  # noqa: NPY002


def test_a_read_only_array_is_enough() -> None:
    X, y = example(1).sample(400, random_state=0)
    X.setflags(write=False)
    assert R2NClassifier(**QUICK).fit(X, y).predict(X).shape == (400,)


def test_it_is_a_scikit_learn_estimator(fitted: tuple) -> None:
    model, X, y = fitted
    assert clone(model).get_params() == model.get_params()
    assert str(pickle.loads(pickle.dumps(model)).rules_) == str(model.rules_)
    scores = cross_val_score(R2NClassifier(**QUICK), X, y, cv=3)
    assert scores.min() > 0.85
    grid = GridSearchCV(R2NClassifier(**QUICK), {"max_columns": [1, 2]}, cv=2).fit(X, y)
    assert grid.best_params_ == {"max_columns": 2}  # the rule compares two columns
    assert grid.best_estimator_.score(X, y) > 0.9
    pipe = make_pipeline(FunctionTransformer(), R2NClassifier(**QUICK)).fit(X, y)
    assert pipe.score(X, y) > 0.9


@pytest.mark.slow
def test_the_same_seed_in_two_processes_gives_the_same_text() -> None:
    code = (
        "from r2n import NetworkSettings, R2NClassifier; from r2n.datasets import example\n"
        "X, y = example(4).sample(1500, random_state=3)\n"
        "short = NetworkSettings(epochs=60, gamma=0.9, restarts=3)\n"
        "text = str(R2NClassifier(network=short, random_state=5).fit(X, y).rules_)"
    )
    here: dict[str, str] = {}
    exec(code, here)
    there = subprocess.run([sys.executable, "-c", f"{code}\nprint(text)"], capture_output=True, text=True, check=True)
    assert there.stdout == here["text"] + "\n"


def test_seeds_and_random_states_are_taken() -> None:
    X, y = example(4).sample(800, random_state=0)
    # Refined, both would find the truth.
    short: dict[str, Any] = {"network": NetworkSettings(epochs=20, gamma=0.8, restarts=1), "effort": "none"}
    texts = [str(R2NClassifier(**short, random_state=seed).fit(X, y).rules_) for seed in (1, 1, 2)]
    assert texts[0] == texts[1] != texts[2]
    from_state = R2NClassifier(**short, random_state=np.random.RandomState(1)).fit(X, y)
    assert str(from_state.rules_) == texts[0]


def test_history_and_callback_see_every_epoch() -> None:
    X, y = example(1).sample(500, random_state=0)
    seen: list[object] = []
    model = R2NClassifier(network=NetworkSettings(epochs=7, restarts=2), callback=seen.append, random_state=0).fit(X, y)
    told = [event.without_rules() if isinstance(event, Move) else event for event in seen]
    assert [*model.history_, *model.moves_] == told
    assert [move.size for move in model.moves_] == [
        sum(rule.size for rule in event.rules) for event in seen if isinstance(event, Move)
    ]
    assert [record.epoch for record in model.history_] == list(range(7))


def test_the_steps_say_how_many_rows_they_changed(fitted: tuple) -> None:
    refined, X, y = fitted
    assert [step.name for step in refined.steps_] == ["refine"]
    model = clone(refined).set_params(effort="none").fit(X, y)
    assert [step.name for step in model.steps_] == [
        "drop small coefficients",
        "drop idle literals",
        "keep to the limits",
        "round numbers",
    ]
    assert model.steps_[-1].changed_rows == 0


def test_rules_remember_what_was_counted_in_training(fitted: tuple, tmp_path: Path) -> None:
    model, X, y = fitted
    base = model.rules_.baseline
    counts = tuple((label, rule, n._replace(held_out=None)) for label, rule, n in base.rules)
    assert replace(base, rules=counts) == Baseline.count(model.rules_, X, y)
    assert all(n.held_out is not None for _, _, n in base.rules)
    model.rules_.save(tmp_path / "m.json")
    assert load(tmp_path / "m.json").baseline == model.rules_.baseline
    assert model.rules_.baseline.right == np.sum(model.predict(X) == np.asarray(y))


def test_ctrl_c_keeps_the_best_so_far() -> None:
    X, y = example(1).sample(2_000, random_state=0)

    def interrupt(record: object) -> None:
        if getattr(record, "epoch", None) == 40:
            raise KeyboardInterrupt

    with pytest.warns(Interrupted, match="interrupted after 41 of 200 epochs"):
        model = R2NClassifier(callback=interrupt, random_state=0).fit(X, y)
    assert len(model.history_) == 41
    assert model.score(X, y) > 0.8


def test_ctrl_c_before_the_first_epoch_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(self: Training) -> object:
        raise KeyboardInterrupt

    X, y = example(1).sample(100, random_state=0)
    monkeypatch.setattr(Training, "__iter__", stopped)
    with pytest.raises(KeyboardInterrupt):
        R2NClassifier().fit(X, y)


@pytest.mark.slow
def test_columns_of_very_different_scale_cost_nothing() -> None:
    X, y = example(4).sample(4_000, random_state=0)
    units = np.array([1e6, 1e-4, 1.0, 1e3, 1e3])
    plain, scaled = (R2NClassifier(random_state=0).fit(table, y) for table in (X, X * units))
    assert scaled.score(X * units, y) == pytest.approx(plain.score(X, y), abs=0.01)


def test_one_missing_value_is_no_catastrophe() -> None:
    X, y = example(1).sample(1_000, random_state=0)
    X[17, 0] = np.nan
    model = R2NClassifier(**QUICK).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.predict(X[17:18]).shape == (1,)


def test_integers_are_numbers_unless_declared_categories() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"floor": rng.integers(0, 4, 500), "age": rng.normal(40, 10, 500)})
    y = (X["floor"] == 2).to_numpy()
    assert R2NClassifier(**QUICK).fit(X, y).rules_.schema.numeric == ("floor", "age")
    model = R2NClassifier(**QUICK, categorical=["floor"]).fit(X, y)
    assert model.rules_.schema.categorical == ("floor",)
    assert model.score(X, y) == 1.0


def test_a_table_without_numbers_and_one_with_a_constant_column() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(["p", "q", "r"], 300), "b": rng.choice(["s", "t"], 300)})
    y = ((X["a"] == "p") & (X["b"] == "s")).to_numpy()
    assert R2NClassifier(**QUICK).fit(X, y).score(X, y) == 1.0
    numbers, labels = example(1).sample(500, random_state=0)
    numbers[:, 3] = 7.0
    assert R2NClassifier(**QUICK).fit(numbers, labels).score(numbers, labels) > 0.95


@quick_and_default
def test_the_shorter_of_in_and_not_in_is_printed(chosen: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.choice(list("pqrst"), 500)})
    y = (X["a"] != "p").to_numpy()
    for negations in (True, False):  # whatever the network may use
        network = chosen.get("network", NetworkSettings())(negations=negations)
        model = R2NClassifier(**{**chosen, "network": network}).fit(X, y)
        assert str(model.rules_) == "True if a not in {p}\nelse False"


def test_columns_named_by_numbers_are_found_by_them() -> None:
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 300))
    y = a - 2 * b > 0.3
    for table, other in (
        ({5: a, 7: b}, {7: b, 5: a}),
        ({"5": a, "7": b}, {"7": b, "5": a}),
        (pd.DataFrame({5: a, 7: b}), pd.DataFrame({7: b, 5: a})),
    ):
        model = R2NClassifier(**QUICK).fit(table, y)
        np.testing.assert_array_equal(model.predict(other), model.predict(table))
        np.testing.assert_array_equal(model.predict(other), model.rules_.predict(other))
    model = R2NClassifier(**QUICK).fit({5: a, 7: b}, y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        named = model.predict({"7": b, "5": a})
    np.testing.assert_array_equal(named, model.predict({5: a, 7: b}))
    model = R2NClassifier(**QUICK).fit(np.c_[a, b], y)  # of a table without names the place counts
    np.testing.assert_array_equal(model.predict(pd.DataFrame(np.c_[a, b])), model.predict(np.c_[a, b]))


@pytest.mark.parametrize("dtype", [object, "str"])
def test_a_column_that_is_missing_in_all_rows_of_a_fold_has_no_kind(dtype: object) -> None:
    a = np.random.default_rng(0).normal(size=200)
    words = np.full(200, None, dtype=object)
    words[-1] = "p"
    X = (
        np.c_[a.astype(object), words]
        if dtype is object
        else pd.DataFrame({"a": a, "w": pd.Series(words, dtype="str")})
    )
    assert cross_val_score(R2NClassifier(**QUICK), X, a > 0, cv=KFold(4)).mean() > 0.9


def test_names_for_literals_are_one_for_each_column() -> None:
    X, y = example(1).sample(200, random_state=0)
    model = R2NClassifier(**QUICK).fit(X[:, :2], y)
    for names in (["u"], ["u", "u"], ["u", "v", "u"]):
        with pytest.raises(SchemaError, match="input_features should have length equal to 2, without repeats"):
            model.get_feature_names_out(names)


NAN, INF = float("nan"), float("inf")
BAD_SETTINGS = {
    "n_literals": (0, -1, 2.5, True, "10", None),
    "n_rules": (0, "many"),
    "or_gate": ("min", None, 1),
    "negations": (1, "yes"),
    "penalty": (-1e-3, NAN, INF, None, "small"),
    "scale_penalties": (None, "literals"),
    "optimizer": ("sgd", None),
    "clip_gradient": (0, -1, NAN, "short"),
    "initial_weights": ("zeros", None),
    "learning_rate": (0, -1, NAN),
    "batch_size": (0, 1.5),
    "epochs": (0, 1e3),
    "steps_per_epoch": (0,),
    "restarts": (0,),
    "temperature": (0, -1, 1e-40),
    "gamma": (0, 1.1),
    "temperature_floor": (0,),
    "keep": ("best",),
    "drop_below": (1, -0.1),
    "scaling": ("robust", "range"),
}
BAD_PARAMETERS = {
    "network": (3, "default", {"restarts": 2}, NetworkSettings),
    "effort": ("heroic", None),
    "teacher": ("strict", 2),
    "threshold": (0, 1, NAN, "low"),
    "miss_cost": (0, -1, "much"),
    "min_recall": (0, 1.0, "most"),
    "min_precision": (0, 1.0, "most"),
    "scoring": ("no such scorer", 3),
    "levels": (1, 2.5, "many", [], [0.5, 0.5], [0, 0.5]),
    "max_columns": (0, 1.5),
    "max_literals": (0,),
    "max_rules": (0, "few"),
    "max_size": (0, 2.5, "short"),
    "price": (-1,),
    "time_limit": (0, -1, NAN, "long"),
    "n_jobs": (0, 1.5, "all"),
    "validation_fraction": (1, -0.1, NAN),
    "categorical": (5, "region", [3]),
    "groups": (5, "region", [3]),
    "max_gap": ({}, {"region": 0}, {"region": 1.5}, {3: 0.1}, 0.1),
    "gap": ("precision", None),
    "progress": (2,),
    "callback": ("print",),
    "random_state": ("seven", -1, 1.5),
}


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, bad in BAD_PARAMETERS.items() for v in bad])
def test_impossible_parameters_are_refused_before_any_work(name: str, value: object) -> None:
    X, y = example(1).sample(50, random_state=0)
    model = R2NClassifier(**{name: value})
    with pytest.raises(ParameterError, match=f"^{name} must be .*, not "):
        model.fit(X, y)
    assert not hasattr(model, "rules_")


@pytest.mark.parametrize(("name", "value"), [(name, v) for name, bad in BAD_SETTINGS.items() for v in bad])
def test_impossible_settings_of_the_network_are_refused_at_once(name: str, value: object) -> None:
    for make in (NetworkSettings, NetworkSettings()):
        with pytest.raises(ParameterError, match=f"^{name} must be .*, not "):
            make(**{name: value})


def test_every_parameter_is_checked() -> None:
    expert = {"literals", "start", "fixed", "exclude", "apart", "monotone"}
    free = {"class_weight", "missing_values", "positive", *expert}  # checked by what reads them
    assert set(BAD_PARAMETERS) == set(R2NClassifier().get_params(deep=False)) - free
    assert set(BAD_SETTINGS) == set(NetworkSettings().get_params())


@pytest.mark.parametrize("owner", [R2NClassifier, NetworkSettings])
def test_every_parameter_is_documented_with_its_default(owner: type) -> None:
    assert owner.__doc__ is not None
    section = owner.__doc__.split("Parameters\n    ----------\n")[1].split("\n\n    ")[0]
    documented = re.findall(r"^    (\S.*?) : (.+), default=(.+)$", section, flags=re.MULTILINE)
    declared = [(name, repr(each.default)) for name, each in inspect.signature(owner).parameters.items()]
    assert [(name, default) for name, _, default in documented] == declared
    entries = re.findall(r"^    \S.*$", section, flags=re.MULTILINE)
    assert len(entries) == len(documented), "one by one"


def test_an_unseen_category_is_in_no_set(fitted: tuple) -> None:
    model, X, _ = fitted
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(X.assign(region="moon")).shape == (len(X),)


def test_a_failed_fit_leaves_the_old_rules_alone(fitted: tuple) -> None:
    model, X, _ = copy.deepcopy(fitted)
    before = str(model.rules_)
    with pytest.raises(SchemaError):
        model.fit(X, ["yes"] * len(X))
    assert str(model.rules_) == before


def test_an_unfitted_model_says_so() -> None:
    for method in ("predict", "predict_proba", "transform"):
        with pytest.raises(NotFittedError):
            getattr(R2NClassifier(), method)([[1.0]])
    with pytest.raises(NotFittedError):
        R2NClassifier().get_feature_names_out()


def test_nothing_is_worse_than_a_constant() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 1))
    network = NetworkSettings(restarts=1, epochs=1, learning_rate=1e-9)
    hurried = R2NClassifier(network=network, effort="none", random_state=0)
    for y in (X[:, 0] > 1, X[:, 0] > -1):
        assert hurried.fit(X, y).score(X, y) >= max(y.mean(), 1 - y.mean()) - 0.05


@quick_and_default
def test_a_column_of_names_does_no_harm(chosen: dict[str, Any]) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    X = pd.DataFrame({"id": [f"customer {k}" for k in range(300)], "x": x})
    model = R2NClassifier(**chosen, categorical=["id"]).fit(X, x > 0)  # else it is refused
    assert model.score(X, x > 0) > 0.97
    assert model.rules_.columns == ("x",)


def test_nullable_labels_keep_their_type() -> None:
    X, truth = example(1).sample(400, random_state=0)
    for y, classes in (
        (pd.Series(truth, dtype="boolean"), [False, True]),
        (pd.Series(truth.astype(int), dtype="Int64"), [0, 1]),
        (pd.Series(np.where(truth, "yes", "no"), dtype="category"), ["no", "yes"]),
    ):
        model = R2NClassifier(**QUICK).fit(X, y)
        assert model.classes_.tolist() == classes
        assert type(model.rules_.label) is type(classes[1])
    with pytest.raises(SchemaError, match="missing value in row 2"):
        R2NClassifier().fit(X[:3], pd.Series([True, False, None], dtype="boolean"))


def test_columns_may_be_named_by_an_index() -> None:
    X, y = people()
    model = R2NClassifier(**QUICK, categorical=X.columns[2:3]).fit(X, y)
    assert "region" in model.rules_.schema.categorical


@pytest.mark.parametrize("values", [[0.0, 1e-310], [0.0, 5e-324], [0.0, 1e-300]])
def test_numbers_that_cannot_be_scaled_are_refused_by_name(values: list[float]) -> None:
    X = pd.DataFrame({"fine": range(20), "tiny": values * 10})
    with pytest.raises(SchemaError, match="column 'tiny' holds numbers from"):
        R2NClassifier().fit(X, [0, 1] * 10)


def test_large_and_small_numbers_are_fine() -> None:
    X, y = example(1).sample(500, random_state=0)
    for unit in (1e100, 1e-100):
        assert R2NClassifier(**QUICK).fit(X * unit, y).score(X * unit, y) > 0.95


def test_a_training_that_breaks_down_says_so() -> None:
    X, y = example(1).sample(300, random_state=0)
    with pytest.raises(ParameterError, match="training broke down"):
        R2NClassifier(network=NetworkSettings(learning_rate=1e38, keep="loss", epochs=3, steps_per_epoch=1)).fit(X, y)


def test_the_papers_choice_is_the_lowest_loss_of_all_cold_epochs_and_restarts() -> None:
    X, y = example(4).sample(1_000, random_state=0)
    network = NetworkSettings(epochs=40, gamma=0.7, restarts=4, keep="loss")
    as_found: dict[str, Any] = {"effort": "none", "max_columns": None}  # a limit would change what the network found
    model = R2NClassifier(network=network, validation_fraction=0.0, random_state=0, **as_found).fit(X, y)
    cold = [record for record in model.history_ if record.temperature == network.temperature_floor]
    assert 10 < len(cold) < len(model.history_)
    losses = np.array([record.loss for record in cold])
    epoch, restart = np.unravel_index(np.argmin(losses), losses.shape)
    errors = np.mean(model.predict(X) != y)
    assert errors == pytest.approx(cold[epoch].error[restart], abs=2e-3)


def test_names_of_the_literals_are_for_these_columns(fitted: tuple) -> None:
    model, X, _ = fitted
    assert len(model.get_feature_names_out(X.columns)) == len(model.rules_.literals)
    with pytest.raises(SchemaError, match="input_features is not equal"):
        model.get_feature_names_out(["q", "z"])


def test_progress_is_shown_on_standard_error_and_leaves_nothing_behind(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a terminal, to what draws the bar
    X, y = example(1).sample(400, random_state=0)
    R2NClassifier(**{**QUICK, "effort": "default"}, progress=True).fit(X, y)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "training" in shown.err
    assert "refining" in shown.err
    assert shown.err.endswith("\x1b[2K")  # the line is taken away
