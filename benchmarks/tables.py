"""Tables as they are: missing values and categories as such or prepared away, kinds of frames, time to predict.

    python -m benchmarks.tables native adult   # as it is, without incomplete rows, or imputed and one-hot encoded
    python -m benchmarks.tables native heloc --seeds 1 2   # other folds, other draws of the learner
    python -m benchmarks.tables no-larger heloc   # with max_size: the size of another way's rules, for both
    python -m benchmarks.tables frames         # the same table from numpy, pandas, polars, pyarrow: the same rules?
    python -m benchmarks.tables categories     # a column of ten to five thousand categories
    python -m benchmarks.tables predict        # a million rows, beside scikit-learn's decision tree
    python -m benchmarks.tables page           # write docs/tables.md from the results

Appends to results/tables.jsonl.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.impute import SimpleImputer
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.records import append, read
from benchmarks.summary import share_alike
from benchmarks.tables_page import AS_IT_IS, AS_NUMBERS, COMPLETE, IMPUTED, PREPARED, WAYS, cell_of, page
from r2n import R2NClassifier, RuleSet
from r2n.datasets import load_table
from r2n.rules import rename_columns

PAGE = Path(__file__).parent.parent / "docs" / "tables.md"
CODES = {"heloc": [-7, -8, -9]}  # that stand for missing values
SHIPPED = {"breast cancer": load_breast_cancer, "iris": load_iris, "wine": load_wine, "digits": load_digits}


ALL = ("magic", "house", "heloc", "adult", *SHIPPED)


def learner(name: str, seed: int = 0, max_size: int | None = None, jobs: int = 2) -> R2NClassifier:
    return R2NClassifier(n_jobs=jobs, random_state=seed, missing_values=CODES.get(name), max_size=max_size)


# -- as it is, or prepared ---------------------------------------------------------------------------


def prepared(X: pd.DataFrame) -> Pipeline:
    """What is often done instead: means for missing numbers, the most frequent category, one column a category."""
    numbers = X.select_dtypes("number").columns
    others = [name for name in X.columns if name not in numbers]
    encoder = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    steps = [
        ("numbers", SimpleImputer(), list(numbers)),
        ("categories", make_pipeline(SimpleImputer(strategy="most_frequent"), encoder), others),
    ]
    return ColumnTransformer(steps, verbose_feature_names_out=False).set_output(transform="pandas")


@dataclass(frozen=True)
class Fold:
    """The rows of one fold of a table, to be learned from in each of the ways."""

    name: str
    seed: int
    fold: int
    train: np.ndarray
    test: np.ndarray
    jobs: int

    def fit(self, way: str, max_size: int | None = None) -> dict[str, Any]:
        """What is learned in one way, with at most so many columns to read, and how well it does on the other rows."""
        table = load_table(self.name)
        X = table.X if self.name not in CODES else table.X.replace(CODES[self.name], np.nan)
        complete = ~X.isna().any(axis=1).to_numpy()
        train = self.train[complete[self.train]] if way == COMPLETE else self.train
        model: Any = learner(self.name, self.seed, max_size, self.jobs)
        if way in (IMPUTED, AS_NUMBERS):
            model.set_params(missing_values=None)
        if way == IMPUTED:
            model = make_pipeline(prepared(X), model)
        else:
            X = table.X
        start = time.perf_counter()
        model.fit(X.iloc[train], table.y[train])
        seconds = time.perf_counter() - start
        learned, shown = (
            (model[-1], model[:-1].transform(X.iloc[self.test])) if way == IMPUTED else (model, X.iloc[self.test])
        )
        return {
            "table": self.name,
            "seed": self.seed,
            "fold": self.fold,
            "rows": len(train),
            "accuracy": float(learned.score(shown, table.y[self.test])),
            "n_rules": learned.rules_.n_rules,
            "size": learned.rules_.size,
            "front": [[p.size, float(np.mean(p.rules.predict(shown) == table.y[self.test]))] for p in learned.front_],
            "seconds": round(seconds, 1),
            "rules": str(learned.rules_),
        }


def folds_of(name: str, seed: int, jobs: int) -> Iterator[Fold]:
    table, folds = load_table(name), StratifiedKFold(5, shuffle=True, random_state=seed)
    for fold, (train, test) in enumerate(folds.split(table.X, table.y)):
        yield Fold(name, seed, fold, train, test, jobs)


def native(name: str, seed: int, jobs: int, wanted: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every way with default settings."""
    for fold in folds_of(name, seed, jobs):
        for way in (way for way in wanted if way != AS_NUMBERS or name in CODES):
            yield {"task": "native", "way": way, **fold.fit(way)}


def no_larger(
    name: str, seed: int, jobs: int, wanted: Sequence[str], makers: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """With no more columns to read than the rules of a way have there: that way itself once more, and as it is."""
    sizes = {cell_of(r): r["size"] for r in read("tables") if r["task"] == "native"}
    for fold in folds_of(name, seed, jobs):
        for way in (way for way in wanted if way in PREPARED):
            most = sizes.get((name, way, seed, fold.fold))
            if most is None:
                raise SystemExit(f"no rules of {way!r} for {name}, seed {seed}, fold {fold.fold}: run `native` first.")
            for by in (each for each in (AS_IT_IS, way) if each in makers):
                told = fold.fit(by, max(most, 1))
                yield {"task": "no larger", "way": way, "by": by, "max_size": most, **told}


# -- kinds of frames ---------------------------------------------------------------------------------

KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda X: X,
    "numpy": lambda X: X.to_numpy(),
    "polars": pl.from_pandas,
    "pyarrow": lambda X: pa.Table.from_pandas(X, preserve_index=False),
}


def frames(names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Every table from every kind of frame; rules from numpy name columns x0, x1, …, and are given their names."""
    for name in names:
        if name in SHIPPED:
            X, y = SHIPPED[name](return_X_y=True, as_frame=True)
        else:
            table = load_table(name)
            X, y = table.X, table.y
        texts: dict[str, str] = {}
        predicted: dict[str, Any] = {}
        start = time.perf_counter()
        for kind, made in KINDS.items():
            frame = made(X)
            model = learner(name).fit(frame, y)
            renamed = {f"x{k}": str(column) for k, column in enumerate(X.columns)} if kind == "numpy" else None
            texts[kind] = str(model.rules_ if renamed is None else rename_columns(model.rules_, renamed))
            predicted[kind] = model.predict(frame)
        yield {
            "task": "frames",
            "table": name,
            "rows": len(X),
            "columns": X.shape[1],
            "classes": len(np.unique(y)),
            "same_rules": [kind for kind in KINDS if texts[kind] == texts["pandas"]],
            "same_predictions": [kind for kind in KINDS if np.array_equal(predicted[kind], predicted["pandas"])],
            "accuracy": share_alike(predicted["pandas"], y),
            "seconds": round((time.perf_counter() - start) / len(KINDS), 1),
            "rules": texts["pandas"],
        }


# -- many categories ---------------------------------------------------------------------------------


def categories() -> Iterator[dict[str, Any]]:
    """20,000 rows, a rule over numbers and one over a third of the categories, judged on as many other rows."""
    rng = np.random.default_rng(0)
    for many in (10, 100, 1_000, 5_000):
        X = pd.DataFrame(rng.random((40_000, 5))).add_prefix("x")
        shop = rng.integers(0, many, len(X))
        X["shop"] = [f"shop {k}" for k in shop]
        y = (X["x0"] + X["x1"] > 1.2) | ((shop < many / 3) & (X["x2"] > 0.5))
        start = time.perf_counter()
        model = R2NClassifier(random_state=0).fit(X[:20_000], y[:20_000])
        yield {
            "task": "categories",
            "categories": many,
            "seconds": round(time.perf_counter() - start, 1),
            "accuracy": float(model.score(X[20_000:], y[20_000:])),
            "n_rules": model.rules_.n_rules,
            "size": model.rules_.size,
        }


# -- predicting --------------------------------------------------------------------------------------

FIVE_RULES = RuleSet.parse(
    """True if x0 - 2·x1 > 0.5 and x2 < 0.3
         or x3 + x4 - x5 > 1.2 and x6 > 0.5 and x7 < 0.9
         or x8 > 0.95 and x9 - 0.5·x10 > 0.2
         or x11 + 0.5·x12 + 0.25·x13 > 1.5
         or x14 > 0.9 and x15 < 0.2 and x16 - x17 > 0
    else False"""
)


def predict() -> Iterator[dict[str, Any]]:
    """Five rules of 12 literals over 18 of 20 columns, a million rows; a fitted model, not only its rules."""
    rng = np.random.default_rng(0)
    X = rng.random((1_000_000, 20))
    y = FIVE_RULES.predict(X[:20_000])

    def both(rows: Any, **settings: Any) -> tuple[R2NClassifier, DecisionTreeClassifier]:
        mine = R2NClassifier(effort="quick", epochs=2, restarts=1, random_state=0, **settings)
        mine.fit(rows[:2_000], y[:2_000])
        mine.rules_ = FIVE_RULES.with_schema(mine.rules_.schema)  # what is timed is predicting with just these
        return mine, DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(rows[:20_000], y)

    frame = pd.DataFrame(np.asfortranarray(X)).add_prefix("x")
    layouts = {
        "by row (numpy)": (X, *both(X)),
        "by row, with a code for missing values": (X, *both(X, missing_values=[-9])),
        "by column (pandas)": (frame, *both(frame)),
    }
    for words, (rows, mine, other) in layouts.items():
        assert np.array_equal(mine.predict(rows), FIVE_RULES.predict(X))
        times: dict[str, list[float]] = defaultdict(list)
        for _ in range(7):  # in turn, so that both see the same machine
            for who, predictor in (("r2n", mine), ("tree", other)):
                start = time.perf_counter()
                predictor.predict(rows)
                times[who].append(time.perf_counter() - start)
        seconds = {who: float(np.median(taken)) for who, taken in times.items()}
        yield {"task": "predict", "layout": words, **seconds, "ratio": round(seconds["r2n"] / seconds["tree"], 2)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["native", "no-larger", "frames", "categories", "predict", "page"])
    parser.add_argument("tables", nargs="*", choices=[*ALL, []], help="for `native`, `no-larger` and `frames`")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0], help="of the folds, for `native` and `no-larger`")
    parser.add_argument("--ways", nargs="+", default=WAYS, choices=WAYS, metavar="WAY", help=", ".join(WAYS))
    parser.add_argument(
        "--by", nargs="+", default=WAYS, choices=WAYS, metavar="WAY", help="for `no-larger`: whose rules"
    )
    parser.add_argument(
        "--jobs", type=int, default=2, help="processes of a fit, for `native` and `no-larger`; the rules stay the same"
    )
    chosen = parser.parse_args()
    runs = {
        "native": lambda: (
            record
            for name in chosen.tables or ("adult", "heloc")
            for seed in chosen.seeds
            for record in native(name, seed, chosen.jobs, chosen.ways)
        ),
        "no-larger": lambda: (
            record
            for name in chosen.tables or ("adult", "heloc")
            for seed in chosen.seeds
            for record in no_larger(name, seed, chosen.jobs, chosen.ways, chosen.by)
        ),
        "frames": lambda: frames(chosen.tables or ALL),
        "categories": categories,
        "predict": predict,
        "page": lambda: iter(()),
    }
    for record in runs[chosen.what]():
        append("tables", record)
        print({key: value for key, value in record.items() if key not in ("rules", "front")}, flush=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
