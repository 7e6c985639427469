"""What a fitted model tells of how it came about: its front, its network, its teacher; and a callback that ends it."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import ParameterError
from r2n.learn.fronts import Fronts
from r2n.network import Record
from r2n.search import Move
from r2n.table import Table

NETWORK = NetworkSettings(restarts=2, epochs=40, gamma=0.85)
QUICK = {"network": NETWORK, "effort": "quick", "random_state": 0}


def mixed_table(n: int = 500) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers and categories, some of them missing, under names that sort in another order than they stand."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"zeta": rng.normal(5, 2, n), "alpha": rng.normal(0, 90, n), "kind": rng.choice(["p", "q"], n)})
    X.loc[::11, "zeta"] = np.nan
    return X, np.where((X["zeta"] > 5) & (X["kind"] == "p") | (X["alpha"] > 80), "yes", "no")


@pytest.fixture(scope="module")
def two() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    X, y = mixed_table()
    return R2NClassifier(**QUICK).fit(X, y), X, y


@pytest.fixture(scope="module")
def three() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    data = load_iris(as_frame=True)
    y = data.target_names[data.target]
    return R2NClassifier(**QUICK).fit(data.data, y), data.data, y


# -- the front -----------------------------------------------------------------------------------


def test_the_front_is_of_one_type(two: tuple, three: tuple) -> None:
    for (model, _, _), labels in ((two, ["yes"]), (three, ["setosa", "versicolor", "virginica"])):
        assert isinstance(model.front_, Fronts)
        rows = list(model.front_)
        assert len(rows) == len(model.front_) > len(labels)
        assert [model.front_[i] for i in range(len(rows))] == rows
        assert list(dict.fromkeys(point.rules.label for point in rows)) == labels
        for label in labels:
            sizes = [point.size for point in rows if point.rules.label == label]
            assert sizes == sorted(set(sizes))
        assert [model.front_[i].rules.label for i in model.chosen_] == labels
        assert [model.front_.row(*model.front_.place(i)) for i in range(len(rows))] == list(range(len(rows)))
        frame = model.front_.frame()
        assert frame["label"].tolist() == [point.rules.label for point in rows]
        assert frame["size"].tolist() == [point.size for point in rows]
        shown = repr(model.front_).splitlines()
        assert len(shown) == 1 + len(rows)
        assert "size" in shown[0]
        assert ("label" in shown[0]) == (len(labels) > 1)
        assert shown[-1].endswith(labels[-1]) == (len(labels) > 1)


def test_rows_that_cannot_be_picked_are_refused(three: tuple) -> None:
    model, _, _ = three
    last = len(model.front_) - 1
    for rows, words in (
        ((), "of each class at most one"),
        ((0, 1), "of each class at most one"),
        ((0, -last - 1), "of each class at most one"),  # the same row
        ((last + 1,), f"the rows 0 to {last}, not {last + 1}"),
        ((True,), "takes whole numbers"),
        (("setosa",), "takes whole numbers"),
    ):
        with pytest.raises(ParameterError, match=words):
            model.pick(*rows)


# -- the network ---------------------------------------------------------------------------------


def sigmoid(x: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def test_the_soft_output_is_the_papers_equations(two: tuple) -> None:
    model, X, _ = two
    network, tau = model.network_, 0.2
    scaling = network.scaling()
    assert scaling.names == ("zeta", "alpha")
    values = X[[*scaling.names]].to_numpy()
    x = np.nan_to_num((values - scaling.centre) / np.array(scaling.scale), nan=0.0)
    given = [literal.evaluate(Table.read(X)) for literal in network.given()]
    for k, restart in enumerate(network.restarts()):
        w = restart.weights
        phi = np.column_stack([sigmoid((x @ w.W_p + w.b) / tau), *given])
        z = 1 - np.minimum((1 - phi) @ sigmoid(w.u / tau), 1)
        expected = np.minimum(z @ sigmoid(w.v / tau), 1)
        np.testing.assert_allclose(network.truth(X, tau=tau, restart=k), expected, atol=2e-4)
        np.testing.assert_allclose(network.truth(X.iloc[::-1], tau, restart=k)[::-1], expected, atol=2e-4)


def test_a_cold_network_says_what_its_decoded_rules_say() -> None:
    X, y = mixed_table()
    X["zeta"] = X["zeta"].fillna(5.0)  # where a literal reads a missing value it is false, which the network is not
    model = R2NClassifier(**{**QUICK, "network": NETWORK(drop_below=0.0)}).fit(X, y)
    for k, restart in enumerate(model.network_.restarts()):
        assert restart.rules.n_rules > 0
        assert np.mean((model.network_.truth(X, tau=1e-6, restart=k) > 0.5) == restart.rules.truth(X)) > 0.99
    best = model.network_.best()
    scores = [restart.score for restart in model.network_.restarts()]
    assert scores[best] == min(scores)
    warm = model.network_.restarts()[best].temperature
    np.testing.assert_array_equal(model.network_.truth(X), model.network_.truth(X, tau=warm, restart=best))


def test_the_network_is_over_the_tables_own_columns(two: tuple) -> None:
    model, X, _ = two
    assert {literal.column for literal in model.network_.given()} == {"kind", "zeta"}
    for restart in model.network_.restarts():
        assert set(restart.rules.columns) <= set(X.columns)
        assert restart.rules.label == "yes"


def test_each_of_several_classes_has_a_network(three: tuple) -> None:
    model, X, y = three
    network = model.network_
    assert network.labels == tuple(model.classes_)
    for label in model.classes_:
        truth = network.truth(X, tau=1e-3, label=label)
        assert truth[y == label].mean() > truth[y != label].mean() + 0.3
        assert len(network.restarts(label)) == 2
    for label in (None, "rose"):
        with pytest.raises(ParameterError, match=r"label must be one of \['setosa', 'versicolor', 'virginica'\]"):
            network.truth(X, label=label)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"tau": 0}, "tau must be a number of at least 1e-30, not 0"),
        ({"tau": float("nan")}, "tau must be"),
        ({"tau": "cold"}, "tau must be"),
        ({"restart": 2}, "restart must be a whole number from 0 to 1, not 2"),
        ({"restart": -1}, "restart must be"),
        ({"label": "no"}, r"label must be one of \['yes'\], not 'no'"),
    ],
)
def test_what_a_network_cannot_tell_is_refused(two: tuple, asked: dict, words: str) -> None:
    model, X, _ = two
    with pytest.raises(ParameterError, match=words):
        model.network_.truth(X, **asked)


def test_the_network_stays_in_its_process(two: tuple) -> None:
    model, X, _ = two
    again = pickle.loads(pickle.dumps(model))
    assert again.network_ is None
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert not hasattr(clone(model), "network_")
    for other in (copy.copy(model), copy.deepcopy(model), model.pick(0)):
        assert other.network_ is model.network_
    assert repr(model.network_) == "<TrainedNetwork of 2 restarts for class 'yes'>"


def test_without_training_there_is_no_network() -> None:
    X, y = mixed_table(200)
    assert R2NClassifier(**QUICK, time_limit=1).fit(X, y).network_ is None  # too little time for one


# -- teacher and schema --------------------------------------------------------------------------


def test_a_model_knows_whether_a_teacher_had_a_say(two: tuple, three: tuple) -> None:
    assert two[0].teacher_used_ == three[0].teacher_used_ == ()
    X, y = example(1).sample(1_000, random_state=0, flip=0.1)
    assert R2NClassifier(**QUICK, teacher=True).fit(X, y).teacher_used_ == (True,)
    assert R2NClassifier(**QUICK, teacher=False).fit(X, y).teacher_used_ == ()
    rare = X[:, 0] > np.sort(X[:, 0])[-25]
    y = rare & (np.random.default_rng(0).random(1_000) < 0.5)
    assert R2NClassifier(**QUICK, teacher=True).fit(X, y).teacher_used_ == ()  # it would turn over half of a class


def test_the_schema_knows_all_names_and_what_rules_read() -> None:
    X, y = mixed_table()
    model = R2NClassifier(**QUICK, exclude=["alpha"]).fit(X, y)
    assert model.schema_.names == ("zeta", "alpha", "kind")
    assert model.schema_.column("kind").categories == ("p", "q")
    assert model.schema_.column("alpha").low == -np.inf


# -- a callback that ends the work ---------------------------------------------------------------


@pytest.mark.filterwarnings("error")
def test_a_callback_ends_training_and_the_search_goes_on() -> None:
    X, y = example(4).sample(600, random_state=0)
    seen: list[object] = []

    def enough(event: object) -> bool:
        seen.append(event)
        return isinstance(event, Record) and event.epoch == 4

    model = R2NClassifier(**QUICK, callback=enough).fit(X, y)
    assert [record.epoch for record in model.history_] == [0, 1, 2, 3, 4]
    assert len(model.moves_) > 1
    assert len(seen) == 5 + len(model.moves_)
    assert not model.interrupted_
    assert model.score(X, y) > 0.9
    alone = R2NClassifier(**{**QUICK, "effort": "none"}, callback=enough).fit(X, y)
    assert len(alone.history_) == 5


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_ends_the_search_with_its_best_so_far(n_jobs: int) -> None:
    X, y = example(4).sample(600, random_state=0)

    def enough(event: object) -> bool:
        return isinstance(event, Move) and event.error < 0.2

    settings = {**QUICK, "effort": "default", "n_jobs": n_jobs}
    whole, model = R2NClassifier(**settings).fit(X, y), R2NClassifier(**settings, callback=enough).fit(X, y)
    assert len(model.moves_) < len(whole.moves_)
    assert model.moves_[-1].error < 0.2 <= min(move.error for move in model.moves_[:-1])
    assert not model.interrupted_
    assert model.score(X, y) > 0.75
    assert len(model.front_) > 1
    assert model.pick(0).score(X, y) <= model.score(X, y)


@pytest.mark.filterwarnings("error")
def test_a_callback_ends_each_class_by_itself(three: tuple) -> None:
    whole, X, y = three
    model = R2NClassifier(**QUICK, callback=lambda event: True).fit(X, y)
    assert len(model.history_) == len(model.moves_) == 3
    assert not model.interrupted_
    assert set(model.rules_.labels) == set(model.classes_)
    assert len(whole.moves_) > 3
