"""What r2n is compared with, each behind one small interface: fit, predict, n_rules, literals_per_rule."""

import warnings
from typing import Protocol, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier


class Baseline(Protocol):
    """A learner of Boolean labels from numeric columns."""

    def fit(self, X: NDArray[np.float64], y: NDArray[np.bool_]) -> Self: ...
    def predict(self, X: NDArray[np.float64]) -> NDArray[np.bool_]: ...
    @property
    def n_rules(self) -> int: ...
    @property
    def literals_per_rule(self) -> float: ...


class QuantileBins:
    """Every numeric column as `x <= t` and `x > t` at its equi-quantile thresholds t."""

    def __init__(self, bins: int = 40) -> None:
        self.bins = bins

    def fit(self, X: NDArray[np.float64]) -> Self:
        levels = np.arange(1, self.bins) / self.bins
        self.thresholds_ = [np.unique(np.quantile(column, levels)) for column in X.T]
        return self

    def transform(self, X: NDArray[np.float64]) -> pd.DataFrame:
        columns = {}
        for k, thresholds in enumerate(self.thresholds_):
            for t in thresholds:
                columns[f"x{k} <= {t!r}"] = X[:, k] <= t
                columns[f"x{k} > {t!r}"] = X[:, k] > t
        return pd.DataFrame(columns)


class Ripper:
    """RIPPER as the paper ran it: wittgenstein's, on 40 equi-quantile bins."""

    def __init__(self, bins: int = 40, random_state: int = 0) -> None:
        self.bins, self.random_state = bins, random_state

    def fit(self, X: NDArray[np.float64], y: NDArray[np.bool_]) -> Self:
        from wittgenstein import RIPPER  # extra `bench`

        self.binariser_ = QuantileBins(self.bins).fit(X)
        self.model_ = RIPPER(random_state=self.random_state)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # wittgenstein's, about pandas' future
            self.model_.fit(self.binariser_.transform(X).assign(target=y), class_feat="target", pos_class=True)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(self.model_.predict(self.binariser_.transform(X)), dtype=bool)

    @property
    def n_rules(self) -> int:
        return len(self.model_.ruleset_.rules)

    @property
    def literals_per_rule(self) -> float:
        return float(np.mean([len(rule.conds) for rule in self.model_.ruleset_.rules] or [0]))


class Tree:
    """A decision tree of at most 16 leaves; its rules are the paths to leaves of the positive class."""

    def __init__(self, max_leaf_nodes: int = 16, random_state: int = 0) -> None:
        self.model_ = DecisionTreeClassifier(max_leaf_nodes=max_leaf_nodes, random_state=random_state)

    def fit(self, X: NDArray[np.float64], y: NDArray[np.bool_]) -> Self:
        self.model_.fit(X, y)
        return self

    def predict(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        return np.asarray(self.model_.predict(X), dtype=bool)

    def _depths(self) -> list[int]:
        tree, depths, open_nodes = self.model_.tree_, [], [(0, 0)]
        while open_nodes:
            node, depth = open_nodes.pop()
            if tree.children_left[node] < 0:
                depths += [depth] if tree.value[node][0].argmax() == 1 else []
            else:
                open_nodes += [(child[node], depth + 1) for child in (tree.children_left, tree.children_right)]
        return depths

    @property
    def n_rules(self) -> int:
        return len(self._depths())

    @property
    def literals_per_rule(self) -> float:
        return float(np.mean(self._depths() or [0]))
