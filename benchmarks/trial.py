"""One cell: the rows it learns from, the method, what came of it."""

import time
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from benchmarks.baselines import Baseline, Boosting, Ebm, Figs, Mlp, Ripper, Tree
from benchmarks.protocol import EXPERIMENTS, Cell
from benchmarks.records import made_by
from benchmarks.summary import share_alike
from r2n import R2NClassifier, RuleSet, presets
from r2n.datasets import example, load_table

Bools = NDArray[np.bool_]
HELOC_CODES = (-7, -8, -9)  # a row with one of them is not complete


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to learn from and rows to test on, whose labels no noise has touched."""

    X: pd.DataFrame
    y: Bools
    X_test: pd.DataFrame
    y_test: Bools
    truth: RuleSet | None = None


def split(cell: Cell) -> Split:
    """The rows of a cell."""
    stated = EXPERIMENTS[cell.experiment]
    if "folds" in stated:
        return _fold(cell.table, stated["folds"], cell.repeat)
    varied = dict.fromkeys(stated.get("vary", {}), cell.value)
    known = example(int(cell.table.split()[1]))
    n_rows, n_test = int(varied.get("rows") or stated["rows"]), stated["test_rows"]
    X, y = known.sample(n_rows + n_test, random_state=cell.repeat)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(X.shape[1])])
    flipped = np.random.default_rng(1_000 + cell.repeat).random(n_rows) < float(varied.get("flip") or 0.0)
    return Split(frame[:n_rows], y[:n_rows] ^ flipped, frame[n_rows:], y[n_rows:], known.rules)


def _fold(name: str, folds: int, number: int) -> Split:
    table = load_table(name.removesuffix(", complete"))
    table = table.complete() if name == "adult" else table
    keep = np.ones(len(table.y), dtype=np.bool_)
    if name == "heloc, complete":
        keep = ~table.X.isin(HELOC_CODES).any(axis=1).to_numpy()
    X, y = table.X[keep].reset_index(drop=True), table.y[keep] == table.positive
    parts = StratifiedKFold(folds, shuffle=True, random_state=0).split(X, y)
    train, test = list(parts)[number]
    return Split(X.iloc[train], y[train], X.iloc[test], y[test])


def run(cell: Cell) -> dict[str, Any]:
    """Fit, judge, count."""
    rows = split(cell)
    start = time.perf_counter()
    model = made(cell).fit(rows.X, rows.y)
    seconds = time.perf_counter() - start
    found = {
        "settings": cell.settings,
        "accuracy": _accuracy(model, rows),
        "n_rules": model.n_rules,
        "literals_per_rule": model.literals_per_rule,
        "seconds": round(seconds, 2),
    }
    found["made_by"] = made_by()  # of the process that fitted
    return asdict(cell) | found | (model.more(rows) if isinstance(model, Rules) else _size_of(model))


def _accuracy(model: Any, rows: Split) -> float:
    return share_alike(model.predict(rows.X_test), rows.y_test)


def _size_of(model: Baseline) -> dict[str, Any]:
    """Columns mentioned: each literal of the others reads one."""
    n_rules, literals = model.n_rules, model.literals_per_rule
    return {"size": None if n_rules is None or literals is None else round(n_rules * literals)}


def made(cell: Cell) -> Any:
    """The method of a cell, with its settings."""
    seed = cell.repeat
    if cell.method.startswith("literals "):
        return OnLiterals(MAKERS[cell.method.removeprefix("literals ")], seed)
    if cell.method in MAKERS:
        stated = {name: value for name, value in cell.settings.items() if name != "opposite"}
        model = MAKERS[cell.method](seed, **stated)
        return Opposite(model) if "opposite" in cell.settings else model
    # Records and the protocol call a setting of the network by its own name alone.
    stated = {f"network__{name}" if name == "restarts" else name: value for name, value in cell.settings.items()}
    return Rules(random_state=seed, **_settings(cell) | stated)


def _settings(cell: Cell) -> dict[str, Any]:
    stated = EXPERIMENTS[cell.experiment]
    known = "folds" not in stated
    settings: dict[str, Any] = {
        "r2n": {},
        "network": {"effort": "none", "max_columns": None},  # what it found, as it is
        "capped": {"max_rules": stated.get("max_rules", {}).get(cell.table)},
        # As in the authors' published code: with the loss as printed it collapses (docs/paper.md).
        "paper": dict(presets.PUBLISHED_SYNTHETIC if known else presets.PUBLISHED_REAL)
        | {"time_limit": cell.paper_seconds},
    }[cell.method]
    return settings | ({"network__penalty": cell.value} if "penalty" in stated.get("vary", {}) else {})


def _brcg(seed: int) -> Any:
    from benchmarks.brcg import Brcg

    return Brcg()


def _drnet(seed: int, **settings: Any) -> Any:
    from benchmarks.drnet import DrNet

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
        self.model_ = R2NClassifier().set_params(**settings)

    def fit(self, X: pd.DataFrame, y: Bools) -> "Rules":
        self.model_.fit(X, y)
        return self

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(X), dtype=np.bool_)

    @property
    def n_rules(self) -> int:
        return int(self.model_.rules_.n_rules)

    @property
    def literals_per_rule(self) -> float:
        return float(self.model_.rules_.literals_per_rule)

    def more(self, rows: Split) -> dict[str, Any]:
        """What only r2n can tell: its size, its front, its rules, and whether they are the true ones."""
        rules = self.model_.rules_
        front = getattr(self.model_, "front_", None) or ()
        return {
            "size": rules.size,
            "most_columns": max((literal.size for literal in rules.literals), default=0),
            "structure": None if rows.truth is None else same_structure(rules, rows.truth),
            "rules": str(rules),
            "front": [
                {"size": point.rules.size, "n_rules": point.rules.n_rules, "accuracy": _accuracy(point.rules, rows)}
                for point in front
            ],
        }


class OnLiterals(Around):
    """Another learner, on the literals that r2n learned from the same rows, as columns."""

    def __init__(self, maker: Any, seed: int) -> None:
        self.literals_, self.model_ = R2NClassifier(random_state=seed), maker(seed)

    def fit(self, X: pd.DataFrame, y: Bools) -> "OnLiterals":
        self.literals_.fit(X, y)
        self.model_.fit(self._columns(X), y)
        return self

    def _columns(self, X: pd.DataFrame) -> pd.DataFrame:
        names = [str(name) for name in self.literals_.get_feature_names_out()]
        return pd.DataFrame(np.asarray(self.literals_.transform(X), dtype=np.float64), columns=names, index=X.index)

    def predict(self, X: pd.DataFrame) -> Bools:
        return np.asarray(self.model_.predict(self._columns(X)), dtype=np.bool_)


def same_structure(found: RuleSet, true: RuleSet) -> bool:
    """The same number of rules and literals, and the same columns in each literal."""

    def shape(rules: RuleSet) -> list[list[tuple[str, ...]]]:
        return sorted(sorted(tuple(sorted(literal.columns)) for literal in rule.literals) for rule in rules.rules)

    return shape(found) == shape(true)
