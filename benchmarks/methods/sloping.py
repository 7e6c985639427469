"""The rivals that slope, and an optimal tree that does not: each tree is read into one form, and counted there."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.preprocessing import StandardScaler

from benchmarks.methods.baselines import Bools, RuleCounts, RuleLengths, names_of_texts, one_hot, quiet

MOST_COLUMNS = 4  # in a split, as in r2n's literals
SECONDS = 60.0  # after which ConTree ends with the best tree so far


@dataclass(frozen=True, slots=True)
class Split:
    """A condition that names so many columns or categories, and what is below it: a split, or a leaf's label."""

    named: int
    below: "tuple[Split | bool, Split | bool]"


def positive_paths(node: Split | bool, above: tuple[int, ...] = ()) -> Iterator[tuple[int, ...]]:
    """The paths to positive leaves, each as what its conditions name.

    >>> list(positive_paths(Split(4, (True, Split(1, (False, True))))))
    [(4,), (4, 1)]
    """
    if isinstance(node, Split):
        for child in node.below:
            yield from positive_paths(child, (*above, node.named))
    elif node:
        yield above


def shorter_side(chosen: int, of: int) -> int:
    """How many categories a set or its complement lists, whichever is shorter.

    >>> shorter_side(5, 7)
    2
    """
    return max(1, min(chosen, of - chosen))


class ReadTree(RuleCounts):
    """A tree whose rules are its paths to positive leaves; a set of categories counts those that it lists."""

    root_: Split | bool

    def rule_lengths(self) -> RuleLengths:
        return [len(path) for path in positive_paths(self.root_)]

    @property
    def size(self) -> int:
        return sum(map(sum, positive_paths(self.root_)))


class ObliqueTree(ReadTree):
    """obliquetree: each split is a line over the four numeric columns that tell most, or a set of categories.

    Its lines are found by descent: on columns as they are it is less accurate than on standardised ones.
    """

    def __init__(self, random_state: int = 0, max_depth: int = 3) -> None:
        self.random_state, self.max_depth = random_state, max_depth

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        from obliquetree import Classifier  # extra `bench`

        self.seen_ = {name: list(X[name].astype(str).value_counts().index) for name in names_of_texts(X)}
        self.scaler_ = StandardScaler().set_output(transform="pandas").fit(X.drop(columns=list(self.seen_)))
        with quiet():
            self.model_ = Classifier(
                max_depth=self.max_depth,
                n_pair=min(MOST_COLUMNS, X.shape[1] - len(self.seen_)),  # with fewer columns it crashes
                categories=[list(X.columns).index(name) for name in self.seen_],
                random_state=self.random_state,
            ).fit(self._coded(X), np.asarray(y, dtype=np.float64))
        self.root_ = self._read(self.model_.__getstate__()["tree"])
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(self._coded(X))).astype(np.bool_)

    def _coded(self, X: pd.DataFrame) -> NDArray[np.float64]:
        """A number for each category; it refuses those that it has not seen: they become the most frequent one."""
        numbers = self.scaler_.transform(X.drop(columns=list(self.seen_)))
        texts = {name: X[name].astype(str) for name in self.seen_}
        codes = {name: np.maximum(pd.Index(seen).get_indexer(texts[name]), 0) for name, seen in self.seen_.items()}
        coded = numbers.assign(**codes)[list(X.columns)]
        return coded.to_numpy(dtype=np.float64, copy=True)  # it writes into the table

    def _read(self, node: dict[str, Any]) -> Split | bool:
        if node["is_leaf"]:
            return bool(node["value"] > 0.5)
        if node["is_oblique"]:
            named = int(np.count_nonzero(node["weights"]))
        elif "category_left" in node:
            columns = list(self.seen_.values())
            seen = columns[self.model_.categories.index(node["feature_idx"])]
            named = shorter_side(len(node["category_left"]), len(seen))
        else:
            named = 1
        return Split(named, (self._read(node["left"]), self._read(node["right"])))


class YdfTree(ReadTree):
    """ydf's CART with sparse oblique splits, pruned on a tenth of the rows as it does unless told otherwise."""

    def __init__(self, random_state: int = 0) -> None:
        self.random_state = random_state

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        import ydf  # extra `bench`

        ydf.verbose(0)
        learner = ydf.CartLearner(
            label="the label",
            split_axis="SPARSE_OBLIQUE",
            sparse_oblique_max_num_features=MOST_COLUMNS,
            sparse_oblique_normalization="MIN_MAX",
            num_threads=1,
            random_seed=self.random_state,
        )
        self.model_ = learner.train(X.assign(**{"the label": y}))
        self.root_ = self._read(self.model_.get_tree(0).root)
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(X)) > 0.5

    def _read(self, node: Any) -> Split | bool:
        if node.is_leaf:
            return bool(node.value.probability[1] > 0.5)
        return Split(self._named(node.condition), (self._read(node.pos_child), self._read(node.neg_child)))

    def _named(self, condition: Any) -> int:
        if hasattr(condition, "mask"):
            kinds = self.model_.data_spec().columns[condition.attribute].categorical.number_of_unique_values
            return shorter_side(len(condition.mask), kinds)
        return len(getattr(condition, "attributes", (condition,)))


class OptimalTree(ReadTree):
    """ConTree: of all trees of this depth over single columns the one that errs least, or the best when time is over.

    Categories are columns of 0 and 1.
    """

    def __init__(self, random_state: int = 0, max_depth: int = 3, seconds: float = SECONDS) -> None:
        self.max_depth, self.seconds = max_depth, seconds  # it draws nothing at random

    def fit(self, X: pd.DataFrame, y: Bools) -> Self:
        from pycontree import ConTree  # extra `bench`

        self.coder_ = one_hot("passthrough").fit(X)
        with quiet():
            self.model_ = ConTree(max_depth=self.max_depth, time_limit=self.seconds)
            self.model_.fit(self.coder_.transform(X), np.asarray(y, dtype=np.intc))
        self.root_ = self._read(self.model_.get_tree())
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(self.coder_.transform(X))).astype(np.bool_)

    def _read(self, node: Any) -> Split | bool:
        if node.is_leaf_node():
            return bool(node.get_label() == 1)
        return Split(1, (self._read(node.get_left()), self._read(node.get_right())))
