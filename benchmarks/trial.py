"""One cell: the rows it learns from, the method, what came of it."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks.fits import (
    NETWORK_ALONE,
    SEARCH_ALONE,
    described,
    learner,
    rules_of,
    same_structure,
    share_alike,
    time_of,
)
from benchmarks.harness.clock import watch
from benchmarks.harness.records import Record
from benchmarks.methods.baselines import Boosting, Ebm, Figs, Mlp, Ripper, Tree
from benchmarks.methods.sloping import ObliqueTree, OptimalTree, YdfTree
from benchmarks.protocol import EXPERIMENTS, Cell
from benchmarks.splits import HARD, Split, binary_fold_of, known_rule, sample_rows
from r2n import presets

Bools = NDArray[np.bool_]


def split(cell: Cell) -> Split:
    """The rows of a cell."""
    stated = EXPERIMENTS[cell.experiment]
    if "folds" in stated:
        return binary_fold_of(cell.table, stated["folds"], cell.repeat, stated.get("fold_seed", 0))
    if cell.table in HARD:
        return HARD[cell.table](cell.repeat)
    varied = dict.fromkeys(stated.get("vary", {}), cell.value)
    n_rows = int(varied.get("rows") or stated["rows"])
    rows = sample_rows(known_rule(cell.table), n_rows, stated["test_rows"], cell.repeat)
    frame, frame_test = (pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])]) for X in (rows.X, rows.X_test))
    flipped = np.random.default_rng(1_000 + cell.repeat).random(n_rows) < float(varied.get("flip") or 0.0)
    return replace(rows, X=frame, y=rows.y ^ flipped, X_test=frame_test)


def run(cell: Cell) -> Record:
    """Fit, judge, count."""
    rows, model = split(cell), made(cell)
    with watch() as spent:
        model.fit(rows.X, rows.y)
    found = {
        "accuracy": _accuracy(model, rows),
        "n_rules": model.n_rules,
        "literals_per_rule": model.literals_per_rule,
        **time_of(spent),
    }
    return found | (model.more(rows) if isinstance(model, Rules) else {"size": model.size})


def _accuracy(model: Any, rows: Split) -> float:
    return share_alike(model.predict(rows.X_test), rows.y_test)


def made(cell: Cell) -> Any:
    """The method of a cell, with its settings."""
    seed = cell.repeat
    if cell.method.startswith("literals "):
        return OnLiterals(MAKERS[cell.method.removeprefix("literals ")], seed)
    if cell.method in MAKERS:
        stated = {name: value for name, value in cell.settings.items() if name != "opposite"}
        model = MAKERS[cell.method](seed, **stated)
        return Opposite(model) if "opposite" in cell.settings else model
    return Rules(random_state=seed, **_settings(cell) | cell.settings)


def _settings(cell: Cell) -> dict[str, Any]:
    stated = EXPERIMENTS[cell.experiment]
    known = "folds" not in stated
    settings: dict[str, Any] = {
        "r2n": {},
        "network": NETWORK_ALONE,
        "search": SEARCH_ALONE,
        "capped": {"max_rules": stated.get("max_rules", {}).get(cell.table)},
        # As in the authors' published code: with the loss as printed it collapses (docs/paper.md).
        "paper": dict(presets.PUBLISHED_SYNTHETIC if known else presets.PUBLISHED_REAL)
        | {"time_limit": cell.paper_seconds},
    }[cell.method]
    return settings | ({"penalty": cell.value} if "penalty" in stated.get("vary", {}) else {})


def _brcg(seed: int) -> Any:
    from benchmarks.methods.brcg import Brcg

    return Brcg()


def _drnet(seed: int, **settings: Any) -> Any:
    from benchmarks.methods.drnet import DrNet

    return DrNet(random_state=seed, **settings)


MAKERS: dict[str, Any] = {
    "ripper": lambda seed: Ripper(random_state=seed),
    "ripper-raw": lambda seed: Ripper(bins=None, random_state=seed),
    "brcg": _brcg,
    "drnet": _drnet,
    "tree": Tree,
    "figs": Figs,
    "ebm": Ebm,
    "mlp": Mlp,
    "boosting": Boosting,
    "oblique-3": partial(ObliqueTree, max_depth=3),
    "oblique-4": partial(ObliqueTree, max_depth=4),
    "ydf": YdfTree,
    "contree": OptimalTree,
}


class Around:
    """What wraps another learner has that one's counts."""

    model_: Any

    @property
    def n_rules(self) -> Any:
        return self.model_.n_rules

    @property
    def literals_per_rule(self) -> Any:
        return self.model_.literals_per_rule

    @property
    def size(self) -> Any:
        return self.model_.size


class Opposite(Around):
    """A learner whose rules are for the other class; what no rule says is of this one."""

    def __init__(self, model: Any) -> None:
        self.model_ = model

    def fit(self, X: pd.DataFrame, y: Bools) -> "Opposite":
        self.model_.fit(X, ~y)
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return ~np.asarray(self.model_.predict(X), dtype=np.bool_)


class Rules:
    """R2NClassifier behind the interface of the others."""

    def __init__(self, **settings: Any) -> None:
        self.model_ = learner(**settings)

    def fit(self, X: pd.DataFrame, y: Bools) -> "Rules":
        self.model_.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(X), dtype=np.bool_)

    @property
    def n_rules(self) -> int:
        return rules_of(self.model_).n_rules

    @property
    def literals_per_rule(self) -> float:
        return rules_of(self.model_).literals_per_rule

    def more(self, rows: Split) -> Record:
        """What only r2n can tell: its size, its front, its rules, and whether they are the true ones."""
        rules = rules_of(self.model_)
        front = getattr(self.model_, "front_", None) or ()
        return {
            **described(rules),
            "structure": None if rows.truth is None else same_structure(rules, rows.truth),
            "front": [
                {"size": point.rules.size, "n_rules": point.rules.n_rules, "accuracy": _accuracy(point.rules, rows)}
                for point in front
            ],
        }


class OnLiterals(Around):
    """Another learner, on the literals that r2n learned from the same rows, as columns."""

    def __init__(self, maker: Any, seed: int) -> None:
        self.literals_, self.model_ = learner(random_state=seed), maker(seed)

    def fit(self, X: pd.DataFrame, y: Bools) -> "OnLiterals":
        self.literals_.fit(X, y)
        self.model_.fit(self._columns(X), y)
        return self

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        names = [str(name) for name in self.literals_.get_feature_names_out()]
        return pd.DataFrame(np.asarray(self.literals_.transform(X), dtype=np.float64), columns=names, index=X.index)

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(self._columns(X)), dtype=np.bool_)
