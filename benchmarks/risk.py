"""How well risk levels rank rows and say how likely each is, and whether a promised recall is kept.

    python -m benchmarks.risk levels            # five levels of at most 30 columns, beside others, on five tables
    python -m benchmarks.risk rare              # 2 % positives: three levels, and a promised recall of 0.9
    python -m benchmarks.risk levels --seeds 900   # other folds: those that constants were looked at on
    python -m benchmarks.risk --page            # write docs/risk.md from the results

Needs the extra `bench`. Appends to results/risk.jsonl.
"""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from benchmarks.fits import fit, time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import watch
from benchmarks.harness.command import main
from benchmarks.harness.records import Record
from benchmarks.splits import Split, binary_fold_of, breast_cancer_fold, rare_split
from benchmarks.views.risk import FOLDS, JUDGED_ON, KEY, METHODS, PAGE, TABLES
from r2n import LevelRules

Floats = NDArray[np.float64]
RECALL = 0.9


# -- levels --------------------------------------------------------------------------------------------


def levels(seeds: Iterable[int]) -> Iterator[Case]:
    for seed in seeds:
        for name in TABLES:
            for fold in range(FOLDS):
                for method in METHODS:
                    told = {"task": "levels", "table": name, "seed": seed, "fold": fold, "method": method}
                    yield Case(told, partial(rank, name, seed, fold, method))


def rows_of(name: str, seed: int, fold: int) -> Split:
    return breast_cancer_fold(FOLDS, fold, seed) if name == "breast cancer" else binary_fold_of(name, FOLDS, fold, seed)


def rank(name: str, seed: int, fold: int, method: str) -> Record:
    """How well chances rank the test rows, and what they lose."""
    rows = rows_of(name, seed, fold)
    if method == "r2n":
        model, spent = fit(rows.X, rows.y, levels=5, max_size=30, random_state=0)
        chances, rules = model.predict_proba(rows.X_test)[:, 1], model.rules_
        assert isinstance(rules, LevelRules)
        level = rules.decided(rows.X_test)
        shares = [float(rows.y_test[level == k].mean()) for k in range(len(rules.levels)) if np.any(level == k)]
        more: Record = {
            "size": rules.size,
            "levels": len(rules.levels),
            "shares": list(rules.shares),
            "test_shares": shares,
            "in_order": all(a > b for a, b in pairwise(shares)),
            "rules": str(rules),
        }
    else:
        X, X_test = as_numbers(rows)
        with watch() as spent:
            other = MAKERS[method]().fit(X, rows.y)
        chances, more = other.predict_proba(X_test)[:, 1], {}
    return {**scores(rows.y_test, chances), **more, **time_of(spent)}


def scores(truth: NDArray[np.bool_], chances: Floats) -> Record:
    return {"auc": float(roc_auc_score(truth, chances)), "log_loss": float(log_loss(truth, chances))}


def as_numbers(rows: Split) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Categories one by one; the same columns in both parts."""
    whole = pd.get_dummies(pd.concat([rows.X, rows.X_test])).astype(float)
    return whole.iloc[: len(rows.X)], whole.iloc[len(rows.X) :]


def filled(model: Any, *steps: Any) -> Any:
    return make_pipeline(SimpleImputer(), *steps, model)


def make_figs() -> BaseEstimator:
    from imodels import FIGSClassifier

    return filled(FIGSClassifier(max_rules=12, random_state=0))


def make_ebm() -> BaseEstimator:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(outer_bags=2, random_state=0, n_jobs=1)


MAKERS: dict[str, Callable[[], Any]] = {
    "tree": lambda: filled(DecisionTreeClassifier(max_leaf_nodes=16, random_state=0)),
    "figs": make_figs,
    "logistic": lambda: filled(LogisticRegression(max_iter=5_000), StandardScaler()),
    "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
    "ebm": make_ebm,
}


# -- rare classes --------------------------------------------------------------------------------------


def rare(seeds: Iterable[int]) -> Iterator[Case]:
    for name in ("adult", "house"):
        for seed in seeds:
            yield Case({"task": "rare", "table": name, "seed": seed}, partial(find_rare, name, seed))


def find_rare(name: str, seed: int) -> Record:
    """Three levels beside a logistic fit; a promised recall, and what the tree flags at the recall that was reached."""
    rows = rare_split(name, seed)
    X, X_test = as_numbers(rows)
    chained, spent = fit(rows.X, rows.y, levels=3, random_state=0)
    kept, more = fit(rows.X, rows.y, min_recall=RECALL, random_state=0)
    flagged = kept.predict(rows.X_test) == True  # noqa: E712 - labels are numpy's Booleans
    recall = float(flagged[rows.y_test].mean())
    tree, logistic = (MAKERS[name]().fit(X, rows.y).predict_proba(X_test)[:, 1] for name in ("tree", "logistic"))
    return {
        "auc": float(roc_auc_score(rows.y_test, chained.predict_proba(rows.X_test)[:, 1])),
        "logistic": float(roc_auc_score(rows.y_test, logistic)),
        "tree": float(roc_auc_score(rows.y_test, tree)),
        "levels_size": chained.rules_.size,
        "recall": recall,
        "flagged": float(flagged.mean()),
        "tree_flagged": flag_for(recall, tree, rows.y_test),
        "logistic_flagged": flag_for(recall, logistic, rows.y_test),
        "size": kept.rules_.size,
        "promised": kept.trade_off_.kept,
        "rules": str(kept.rules_),
        "cpu": round(spent.cpu, 2),
        "promise_cpu": round(more.cpu, 2),
    }


def flag_for(recall: float, chances: Floats, truth: NDArray[np.bool_]) -> float:
    """The share of rows to flag for so much recall: rows of one chance are flagged together, or by lot.

    >>> flag_for(0.5, np.array([0.9, 0.1, 0.1, 0.0]), np.array([True, True, False, False]))
    0.25
    """
    cuts = np.unique(chances)[::-1]
    reached = np.array([0.0, *(float(np.mean(chances[truth] >= cut)) for cut in cuts)])
    shares = np.array([0.0, *(float(np.mean(chances >= cut)) for cut in cuts)])
    return float(np.interp(recall, reached, shares))


# -- the benchmark -------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Iterable[int]], Iterator[Case]]] = {"levels": levels, "rare": rare}


def cases(chosen: Namespace) -> list[Case]:
    seeds = chosen.seeds or ((JUDGED_ON,) if chosen.part == "levels" else range(10))
    return list(PARTS[chosen.part](seeds))


RISK = Benchmark(
    name="risk",
    about=__doc__,
    key=KEY,
    cases=cases,
    choices=(
        Choice("part", "what to run", tuple(PARTS), many=False),
        Choice("--seeds", f"of folds ({JUDGED_ON} unless told), or of draws (0 to 9)", of=int, default=()),
    ),
    pages=(PAGE,),
    jobs=2,
)

if __name__ == "__main__":
    main(RISK)
