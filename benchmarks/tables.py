"""Tables as they are: missing values and categories as such or prepared away, kinds of frames, time to predict.

    python -m benchmarks.tables native adult   # as it is, without incomplete rows, or imputed and one-hot encoded
    python -m benchmarks.tables native heloc --seeds 1 2   # other folds, other draws of the learner
    python -m benchmarks.tables no-larger heloc   # with max_size: the size of another way's rules, for both
    python -m benchmarks.tables frames         # the same table from numpy, pandas, polars, pyarrow: the same rules?
    python -m benchmarks.tables categories     # a column of ten to five thousand categories
    python -m benchmarks.tables predict        # a million rows, beside scikit-learn's decision tree
    python -m benchmarks.tables --page         # write docs/tables.md from the results

Appends to results/tables.jsonl.
"""

from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from benchmarks.fits import described, fit, learner, rules_of, share_alike, time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import take_turns, watch
from benchmarks.harness.command import main
from benchmarks.harness.records import Record, read
from benchmarks.splits import MISSING_CODES, folds_of
from benchmarks.views.tables import AS_IT_IS, AS_NUMBERS, COMPLETE, IMPUTED, KEY, PAGE, PREPARED, USUAL, WAYS, cell_of
from r2n import R2NClassifier, RuleSet
from r2n.datasets import load_table
from r2n.rules import rename_columns

SHIPPED = ("breast cancer", "iris", "wine", "digits")  # with scikit-learn
REAL = ("magic", "house", "heloc", "adult")


# -- as it is, or prepared ---------------------------------------------------------------------------


def native(chosen: Namespace) -> Iterator[Case]:
    """Every way with default settings."""
    for name, seed, fold in folds_chosen(chosen):
        for way in (way for way in chosen.ways if way != AS_NUMBERS or name in MISSING_CODES):
            told = {"task": "native", "way": way, "table": name, "seed": seed, "fold": fold}
            yield Case(told, partial(fit_way, name, seed, fold, chosen.n_jobs, way))


def no_larger(chosen: Namespace) -> Iterator[Case]:
    """With no more columns to read than the rules of a way have there: that way itself once more, and as it is."""
    sizes = {cell_of(r): r["size"] for r in read("tables") if r["task"] == "native"}
    for name, seed, fold in folds_chosen(chosen):
        for way in (way for way in chosen.ways if way in PREPARED):
            most = sizes.get((name, way, seed, fold))
            if most is None:
                raise SystemExit(f"no rules of {way!r} for {name}, seed {seed}, fold {fold}: run `native` first.")
            told = {"task": "no larger", "way": way, "max_size": most, "table": name, "seed": seed, "fold": fold}
            for by in (each for each in (AS_IT_IS, way) if each in chosen.by):
                yield Case(told | {"by": by}, partial(fit_way, name, seed, fold, chosen.n_jobs, by, max(most, 1)))


def folds_chosen(chosen: Namespace) -> Iterator[tuple[str, int, int]]:
    for name in chosen.tables or ("adult", "heloc"):
        for seed in chosen.seeds:
            yield from ((name, seed, fold) for fold in range(5))


def fit_way(name: str, seed: int, fold: int, n_jobs: int, way: str, max_size: int | None = None) -> Record:
    """What is learned in one way, with at most so many columns to read, and how well it does on the other rows."""
    table = load_table(name)
    train, test = folds_of(table, 5, seed)[fold]
    codes = MISSING_CODES.get(name)
    blank = table.X if codes is None else table.X.replace(codes, np.nan)
    if way == COMPLETE:
        train = train[~blank.isna().any(axis=1).to_numpy()[train]]
    X, X_test = table.X.iloc[train], table.X.iloc[test]
    if way == IMPUTED:
        steps = prepared(blank).fit(blank.iloc[train])
        X, X_test = steps.transform(blank.iloc[train]), steps.transform(blank.iloc[test])
    declared = None if way in (IMPUTED, AS_NUMBERS) else codes
    settings = {"n_jobs": n_jobs, "random_state": seed, "missing_values": declared, "max_size": max_size}
    model, spent = fit(X, table.y[train], **settings)
    return {
        "rows": len(train),
        "accuracy": float(model.score(X_test, table.y[test])),
        "front": [[p.size, float(np.mean(p.rules.predict(X_test) == table.y[test]))] for p in model.front_],
        **described(rules_of(model)),
        **time_of(spent, 1),
    }


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


# -- kinds of frames ---------------------------------------------------------------------------------


def to_polars(X: pd.DataFrame) -> Any:
    import polars

    return polars.from_pandas(X)


def to_pyarrow(X: pd.DataFrame) -> Any:
    import pyarrow

    return pyarrow.Table.from_pandas(X, preserve_index=False)


KINDS: dict[str, Callable[[pd.DataFrame], Any]] = {
    "pandas": lambda X: X,
    "numpy": lambda X: X.to_numpy(),
    "polars": to_polars,
    "pyarrow": to_pyarrow,
}


def frames(chosen: Namespace) -> Iterator[Case]:
    for name in chosen.tables or (*REAL, *SHIPPED):
        yield Case({"task": "frames", "table": name}, partial(compare_frames, name))


def compare_frames(name: str) -> Record:
    """A table from every kind of frame; rules from numpy name columns x0, x1, …, and are given their names."""
    X, y = table_of(name)
    texts: dict[str, str] = {}
    predicted: dict[str, Any] = {}
    with watch() as spent:
        for kind, convert in KINDS.items():
            frame = convert(X)
            model = learner(n_jobs=2, random_state=0, missing_values=MISSING_CODES.get(name)).fit(frame, y)
            renamed = {f"x{k}": str(column) for k, column in enumerate(X.columns)} if kind == "numpy" else {}
            texts[kind] = str(rename_columns(model.rules_, renamed) if renamed else model.rules_)
            predicted[kind] = model.predict(frame)
    return {
        "rows": len(X),
        "columns": X.shape[1],
        "classes": len(np.unique(y)),
        "same_rules": [kind for kind in KINDS if texts[kind] == texts["pandas"]],
        "same_predictions": [kind for kind in KINDS if np.array_equal(predicted[kind], predicted["pandas"])],
        "accuracy": share_alike(predicted["pandas"], y),
        "seconds": round(spent.seconds / len(KINDS), 1),
        "cpu": round(spent.cpu / len(KINDS), 1),
        "rules": texts["pandas"],
    }


def table_of(name: str) -> tuple[pd.DataFrame, Any]:
    """A real table, or one that comes with scikit-learn."""
    from sklearn import datasets

    if name in SHIPPED:
        X, y = getattr(datasets, f"load_{name.replace(' ', '_')}")(return_X_y=True, as_frame=True)
        return X, y
    table = load_table(name)
    return table.X, table.y


# -- many categories ---------------------------------------------------------------------------------


CATEGORIES = (10, 100, 1_000, 5_000)


def categories(_: Namespace) -> Iterator[Case]:
    for many in CATEGORIES:
        yield Case({"task": "categories", "categories": many}, partial(learn_categories, many))


def learn_categories(many: int) -> Record:
    """20,000 rows, a rule over numbers and one over a third of the categories, judged on as many other rows."""
    rng = np.random.default_rng(0)
    drawn = {each: (rng.random((40_000, 5)), rng.integers(0, each, 40_000)) for each in CATEGORIES}  # one after another
    numbers, shop = drawn[many]
    X = pd.DataFrame(numbers).add_prefix("x").assign(shop=[f"shop {k}" for k in shop])
    y = (numbers[:, 0] + numbers[:, 1] > 1.2) | ((shop < many / 3) & (numbers[:, 2] > 0.5))
    model, spent = fit(X[:20_000], y[:20_000], random_state=0)
    score = float(model.score(X[20_000:], y[20_000:]))
    return {"accuracy": score, **described(rules_of(model)), **time_of(spent, 1)}


# -- predicting --------------------------------------------------------------------------------------

FIVE_RULES = RuleSet.parse(
    """True if x0 - 2·x1 > 0.5 and x2 < 0.3
         or x3 + x4 - x5 > 1.2 and x6 > 0.5 and x7 < 0.9
         or x8 > 0.95 and x9 - 0.5·x10 > 0.2
         or x11 + 0.5·x12 + 0.25·x13 > 1.5
         or x14 > 0.9 and x15 < 0.2 and x16 - x17 > 0
    else False"""
)
LAYOUTS: dict[str, Mapping[str, Any]] = {
    "by row (numpy)": {},
    "by row, with a code for missing values": {"missing_values": [-9]},
    "by column (pandas)": {},
}


def predict(_: Namespace) -> Iterator[Case]:
    for layout in LAYOUTS:
        yield Case({"task": "predict", "layout": layout}, partial(time_predicting, layout))


def time_predicting(layout: str, n_rows: int = 1_000_000) -> Record:
    """Five rules of 12 literals over 18 of 20 columns; a fitted model, not only its rules."""
    X = np.random.default_rng(0).random((n_rows, 20))
    rows: Any = pd.DataFrame(np.asfortranarray(X)).add_prefix("x") if "pandas" in layout else X
    y = FIVE_RULES.predict(X[:20_000])
    mine = predictor(rows[:2_000], y[:2_000], LAYOUTS[layout])
    tree = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0).fit(rows[:20_000], y)
    assert np.array_equal(mine.predict(rows), FIVE_RULES.predict(X))
    taken = take_turns({"r2n": lambda: mine.predict(rows), "tree": lambda: tree.predict(rows)}, 7)
    seconds = {who: float(np.median(each)) for who, each in taken.items()}
    return {**seconds, "ratio": round(seconds["r2n"] / seconds["tree"], 2)}


def predictor(X: Any, y: Any, settings: Mapping[str, Any]) -> R2NClassifier:
    """A fitted learner with just these rules."""
    model = learner(effort="quick", epochs=2, restarts=1, random_state=0, **settings).fit(X, y)
    model.rules_ = FIVE_RULES.with_schema(model.rules_.schema)
    return model


# -- the benchmark -------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Namespace], Iterator[Case]]] = {
    "native": native,
    "no-larger": no_larger,
    "frames": frames,
    "categories": categories,
    "predict": predict,
}


def cases(chosen: Namespace) -> list[Case]:
    return list(PARTS[chosen.part](chosen))


TABLES = Benchmark(
    name="tables",
    about=__doc__,
    key=KEY,
    cases=cases,
    choices=(
        Choice("part", "what to run", tuple(PARTS), many=False),
        Choice("tables", "for `native`, `no-larger` and `frames`", (*REAL, *SHIPPED)),
        Choice("--seeds", "of the folds, for `native` and `no-larger`", of=int, default=(0,)),
        Choice("--ways", "ways to prepare", WAYS, default=WAYS),
        Choice("--by", "for `no-larger`: whose rules", WAYS, default=WAYS),
        Choice("--n-jobs", "processes of a fit; the rules stay the same", of=int, default=2, many=False),
    ),
    pages=(PAGE,),
    usual=USUAL,
)

if __name__ == "__main__":
    main(TABLES)
