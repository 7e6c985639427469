"""NetworkSettings as scikit-learn's tools use it, and what it means to have no network."""

import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import ParameterError

SHORT = NetworkSettings(restarts=1, epochs=10, gamma=0.6)
QUICK = {"effort": "quick", "random_state": 0}


def test_settings_are_a_value() -> None:
    settings = NetworkSettings(restarts=3)
    assert settings == NetworkSettings()(restarts=3) == pickle.loads(pickle.dumps(settings)) == clone(settings)
    assert settings != NetworkSettings()
    assert len({settings, NetworkSettings(restarts=3), NetworkSettings()}) == 2
    with pytest.raises(FrozenInstanceError):
        settings.restarts = 4  # type: ignore[misc]


def test_only_what_differs_from_the_default_is_shown() -> None:
    assert repr(NetworkSettings()) == "NetworkSettings()"
    assert repr(NetworkSettings(restarts=5)) == "NetworkSettings()"
    assert repr(NetworkSettings(penalty=0.003, restarts=7)) == "NetworkSettings(penalty=0.003, restarts=7)"
    assert repr(R2NClassifier()) == "R2NClassifier()"
    shown = repr(R2NClassifier(network=NetworkSettings(restarts=7), max_rules=2))
    assert shown == "R2NClassifier(max_rules=2, network=NetworkSettings(restarts=7))"
    assert repr(R2NClassifier(network=None)) == "R2NClassifier(network=None)"


def test_a_parameter_of_the_network_is_set_on_one_estimator_alone() -> None:
    one, other = R2NClassifier(), R2NClassifier()
    assert one.set_params(network__penalty=0.5, max_rules=3) is one
    assert (one.network.penalty, one.max_rules) == (0.5, 3)
    assert other.network == NetworkSettings() == R2NClassifier().network
    assert one.get_params()["network__penalty"] == 0.5
    assert "network__penalty" not in one.get_params(deep=False)
    assert one.set_params(network=SHORT, network__restarts=9).network == SHORT(restarts=9)
    pipe = make_pipeline(StandardScaler(), R2NClassifier()).set_params(r2nclassifier__network__epochs=7)
    assert pipe[-1].network.epochs == 7


def test_a_clone_has_equal_settings() -> None:
    model = R2NClassifier(network=SHORT)
    assert clone(model).network == SHORT
    clone(model).set_params(network__restarts=9)
    assert model.network == SHORT


def test_settings_survive_pickling_with_their_estimator() -> None:
    model = R2NClassifier(network=SHORT, max_rules=3)
    again = pickle.loads(pickle.dumps(model))
    assert again.get_params() == model.get_params()
    assert repr(again) == repr(model)


def test_a_grid_search_tries_settings() -> None:
    X, y = example(1).sample(300, random_state=0)
    grid = {"network__negations": [False, True], "network__epochs": [1, 10]}
    search = GridSearchCV(R2NClassifier(network=SHORT, **QUICK), grid, cv=2).fit(X, y)
    assert len(search.cv_results_["params"]) == 4
    assert search.best_estimator_.network == SHORT(
        negations=search.best_params_["network__negations"], epochs=search.best_params_["network__epochs"]
    )
    penalties = GridSearchCV(R2NClassifier(network=SHORT, **QUICK), {"network__penalty": [1e-3, 1e-1]}, cv=2).fit(X, y)
    assert [tried["network__penalty"] for tried in penalties.cv_results_["params"]] == [1e-3, 1e-1]
    assert penalties.best_estimator_.network == SHORT(penalty=penalties.best_params_["network__penalty"])
    with_or_without = GridSearchCV(R2NClassifier(**QUICK), {"network": [None, SHORT]}, cv=2).fit(X, y)
    assert with_or_without.best_params_["network"] in (None, SHORT)


def test_a_name_that_there_is_not_is_refused() -> None:
    with pytest.raises(TypeError, match="typo"):
        NetworkSettings(typo=1)  # type: ignore[call-arg]
    for change in (lambda: NetworkSettings()(typo=1), lambda: R2NClassifier().set_params(network__typo=1)):
        with pytest.raises(ParameterError, match=r"NetworkSettings has no parameter 'typo'\. It has: n_literals, "):
            change()
    with pytest.raises(ValueError, match="Invalid parameter 'typo' for estimator R2NClassifier"):
        R2NClassifier().set_params(typo=1)
    with pytest.raises(ParameterError, match="network__penalty cannot be set: network is None"):
        R2NClassifier(network=None).set_params(network__penalty=0.1)
    with pytest.raises(ParameterError, match="penalty must be a number of at least 0, not -1"):
        R2NClassifier().set_params(network__penalty=-1)


@pytest.mark.parametrize("name", ["restarts", "penalty", "penalty_and", "network_literals", "scaling", "drop_below"])
def test_what_was_a_parameter_of_the_estimator_is_none(name: str) -> None:
    with pytest.raises(TypeError, match=rf"R2NClassifier\.__init__\(\) got an unexpected keyword argument '{name}'"):
        R2NClassifier(**{name: 1})


def test_without_a_network_the_search_starts_from_nothing_or_an_experts_rules() -> None:
    X, y = example(4).sample(600, random_state=0)
    model = R2NClassifier(network=None, **QUICK).fit(X, y)
    assert model.score(X, y) > 0.9
    assert (model.network_, model.history_) == (None, [])
    begun = [move.name for move in model.moves_ if move.begins]
    assert begun == ["start", "all rows"]
    started = R2NClassifier(network=None, start="True if x0 > 0.5 else False", **QUICK).fit(X, y)
    assert [move.name for move in started.moves_ if move.begins].count("start") == 2
    with pytest.raises(ParameterError, match="without a network and with effort='none' nothing is learned"):
        R2NClassifier(network=None, effort="none").fit(X, y)


def output_of(code: str, *words: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_without_a_network_fitting_loads_no_jax() -> None:
    code = """
import sys
from r2n import R2NClassifier
from r2n.datasets import example
X, y = example(1).sample(200, random_state=0)
model = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
print(model.score(X, y) > 0.9, "jax" in sys.modules)
"""
    assert output_of(code) == "True False"


def test_predicting_loads_no_jax_from_a_pickle_either(tmp_path: object) -> None:
    X, y = example(1).sample(200, random_state=0)
    model = R2NClassifier(network=SHORT, **QUICK).fit(X, y)
    path = f"{tmp_path}/model.pickle"
    with open(path, "wb") as file:
        pickle.dump((model, X), file)
    code = """
import pickle, sys
model, X = pickle.load(open(sys.argv[1], "rb"))
answers = model.predict(X).astype(int).tolist(), model.predict_proba(X).shape, len(model.history_)
print(answers, "jax" in sys.modules)
"""
    expected = model.predict(X).astype(int).tolist(), (200, 2), len(model.history_)
    assert output_of(code, path) == f"{expected} False"
    assert np.mean(model.predict(X) == y) > 0.9
