"""What r2n is compared with, each behind one small interface: fit, predict, n_rules, literals_per_rule, size.

Models that are no rules (a network, boosting) have `n_rules = None`.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.methods.binarise import QuantileBins
from benchmarks.methods.counts import counted_as_bits

Bools = NDArray[np.bool_]
RuleLengths = list[int]  # of each rule, how many literals it has


@contextmanager
def quiet() -> Iterator[None]:
    """Other packages warn about their own dependencies' future."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class Method(Protocol):
    """A learner of Boolean labels from a table."""

    def fit(self, X: pd.DataFrame, y: Bools) -> Self: ...
    def predict(self, X: pd.DataFrame) -> Bools: ...
    @property
    def n_rules(self) -> int | None: ...
    @property
    def literals_per_rule(self) -> float | None: ...
    @property
    def size(self) -> int | None: ...


class RuleCounts:
    """Counts, for those who can say how long their rules are; each literal reads one column."""

    def rule_lengths(self) -> RuleLengths:
        raise NotImplementedError

    @property
    def n_rules(self) -> int | None:
        return len(self.rule_lengths())

    @property
    def literals_per_rule(self) -> float | None:
        return float(np.mean(self.rule_lengths() or [0]))

    @property
    def size(self) -> int | None:
        """Columns named: of each literal one."""
        return sum(self.rule_lengths())


class _Wrapped:
    """Fitted and asked as scikit-learn's estimators are."""

    model_: Any

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        with quiet():
            self.model_.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        with quiet():
            return np.asarray(self.model_.predict(X)).astype(np.bool_)


class _NoRules(_Wrapped):
    n_rules = None
    literals_per_rule = None
    size = None


class Ripper(RuleCounts):
    """RIPPER, wittgenstein's: on 40 equi-quantile bins as in the paper, or (`bins=None`) on the columns as they are."""

    def __init__(self, bins: int | None = 40, random_state: int = 0) -> None:
        self.bins, self.random_state = bins, random_state

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        from wittgenstein import RIPPER  # extra `bench`

        self.binariser_ = None if self.bins is None else QuantileBins(self.bins).fit(X)
        self.model_ = RIPPER(random_state=self.random_state)
        with quiet(), counted_as_bits():
            self.model_.fit(self._seen(X).assign(**{"the label": y}), class_feat="the label", pos_class=True)
        return self

    def _seen(self, X: pd.DataFrame) -> pd.DataFrame:
        return (X if self.binariser_ is None else self.binariser_.transform(X)).reset_index(drop=True)

    def predict(self, X: pd.DataFrame) -> Bools:
        with quiet():
            return np.asarray(self.model_.predict(self._seen(X)), dtype=np.bool_)

    def rule_lengths(self) -> RuleLengths:
        return [len(rule.conds) for rule in self.model_.ruleset_.rules]


class Tree(RuleCounts, _Wrapped):
    """A decision tree, pruned where cross-validation finds no more to gain (one standard error).

    Its rules are the paths to leaves of the positive class.
    """

    def __init__(self, random_state: int = 0) -> None:
        tree = DecisionTreeClassifier(random_state=random_state)
        prices = {"ccp_alpha": np.geomspace(1e-4, 3e-2, 16)}
        self.search_ = GridSearchCV(tree, prices, cv=5, refit=_largest_within_one_error)
        self.model_ = make_pipeline(one_hot("passthrough"), self.search_)

    def rule_lengths(self) -> RuleLengths:
        return positive_depths(self.search_.best_estimator_.tree_)


def _largest_within_one_error(results: dict[str, Any]) -> int:
    """The shortest tree whose score is within one standard error of the best; prices rise along the list."""
    mean, error = results["mean_test_score"], results["std_test_score"] / np.sqrt(5)
    enough = mean >= mean.max() - error[mean.argmax()]
    return int(np.flatnonzero(enough)[-1])


def positive_depths(tree: Any) -> RuleLengths:
    """The depths of a tree's positive leaves."""
    depths, open_nodes = [], [(0, 0)]
    while open_nodes:
        node, depth = open_nodes.pop()
        if tree.children_left[node] < 0:
            depths += [depth] if tree.value[node][0].argmax() == 1 else []
        else:
            open_nodes += [(child[node], depth + 1) for child in (tree.children_left, tree.children_right)]
    return depths


class Figs(RuleCounts, _Wrapped):
    """imodels' FIGS, a sum of small trees: every leaf of every tree is counted as a rule, each must be read."""

    def __init__(self, random_state: int = 0) -> None:
        from imodels import FIGSClassifier  # extra `bench`

        self.figs_ = FIGSClassifier(random_state=random_state)
        self.model_ = make_pipeline(one_hot("passthrough"), self.figs_)

    def rule_lengths(self) -> RuleLengths:
        return [depth for root in self.figs_.trees_ for depth in _leaf_depths(root, 0)]


def _leaf_depths(node: Any, depth: int) -> list[int]:
    if node.left is None:
        return [depth]
    return _leaf_depths(node.left, depth + 1) + _leaf_depths(node.right, depth + 1)


class Ebm(_NoRules):
    """interpret's explainable boosting machine, with 2 bags instead of 14: a seventh of the time."""

    def __init__(self, random_state: int = 0) -> None:
        from interpret.glassbox import ExplainableBoostingClassifier  # extra `bench`

        self.model_ = ExplainableBoostingClassifier(outer_bags=2, random_state=random_state, n_jobs=1)


class Mlp(_NoRules):
    """Ten hidden units, Adam; it stops before its 10,000 epochs when ten of them bring nothing more."""

    def __init__(self, random_state: int = 0) -> None:
        network = MLPClassifier(hidden_layer_sizes=(10,), max_iter=10_000, random_state=random_state)
        self.model_ = make_pipeline(one_hot(StandardScaler()), network)


class Boosting(_NoRules):
    """HistGradientBoosting, as a ceiling."""

    def __init__(self, random_state: int = 0) -> None:
        self.model_ = HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=random_state)

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        self.categories_ = {
            name: pd.CategoricalDtype(X[name].astype("category").cat.categories) for name in names_of_texts(X)
        }
        return super().fit(self._coded(X), y)

    def predict(self, X: pd.DataFrame) -> Bools:
        return super().predict(self._coded(X))

    def _coded(self, X: pd.DataFrame) -> pd.DataFrame:
        """Categories it has not seen are missing to it."""
        seen = {name: X[name].where(X[name].isin(kind.categories)) for name, kind in self.categories_.items()}
        return X.assign(**seen).astype(self.categories_)


def names_of_texts(X: pd.DataFrame) -> list[str]:
    return [name for name in X.columns if not pd.api.types.is_numeric_dtype(X[name])]


def one_hot(numbers: Any) -> Any:
    """Columns of 0 and 1 for categories; for numbers what is given."""
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")),
        (encoder, make_column_selector(dtype_exclude="number")),
    )
