"""What is learned from, and what is judged on: known rules, made harder in several ways, and folds of real tables."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import StratifiedKFold, train_test_split

from r2n import RuleSet
from r2n.datasets import KnownRule, RealTable, example, load_table, toy
from r2n.errors import DataUnavailable

MISSING_CODES = {"heloc": [-7, -8, -9]}  # that stand for missing values; a row with one is not complete


@dataclass(frozen=True, slots=True)
class Split:
    """Rows to learn from and rows to test on, whose labels no noise has touched."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    truth: RuleSet | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)  # that the rows call for


# -- known rules ---------------------------------------------------------------------------------------


def known_rule(name: str) -> KnownRule:
    """`example 1` to `example 5`, `toy`, or `harder` with its seed."""
    word, _, number = name.partition(" ")
    if word == "toy":
        return toy()
    return (harder if word == "harder" else example)(int(number))


def sample_rows(known: KnownRule, n_rows: int, n_test: int, seed: int) -> Split:
    """Of one sample the first rows to learn from, the others to test on."""
    X, y = known.sample(n_rows + n_test, random_state=seed)
    return Split(X[:n_rows], y[:n_rows], X[n_rows:], y[n_rows:], known.rules)


def sample_apart(known: KnownRule, n_rows: int, n_test: int, seeds: tuple[int, int], flip: float = 0.0) -> Split:
    """Two samples: of the one to learn from some labels are turned over."""
    X, y = known.sample(n_rows, random_state=seeds[0], flip=flip)
    X_test, y_test = known.sample(n_test, random_state=seeds[1])
    return Split(X, y, X_test, y_test, known.rules)


def sample_uniform(known: KnownRule, n_rows: int, n_test: int, seed: int) -> Split:
    """Ten uniform columns, each part from a seed of its own."""
    X, X_test = (np.random.default_rng(seed + n).random((n, 10)) for n in (n_rows, n_test))
    return Split(X, known.rules.truth(X), X_test, known.rules.truth(X_test), known.rules)


def sample_correlated(known: KnownRule, n_rows: int, n_test: int, seed: int) -> Split:
    """Columns that go together."""
    X, X_test = (correlated(n, seed + n) for n in (n_rows, n_test))
    return Split(X, known.rules.truth(X), X_test, known.rules.truth(X_test), known.rules)


def with_idle_columns(rows: Split, n_columns: int, seed: int) -> Split:
    """The same rows with columns that have nothing to do with the labels."""
    n = len(rows.X)
    idle = np.random.default_rng(seed).random((n + len(rows.X_test), n_columns))
    return Split(np.c_[rows.X, idle[:n]], rows.y, np.c_[rows.X_test, idle[n:]], rows.y_test, rows.truth)


def correlated(n: int, seed: int) -> NDArray[np.float64]:
    """Five uniform columns with pairwise correlation of about 0.9, by a common factor."""
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 1))
    mixed = np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=(n, 5))
    return np.asarray(np.clip(norm.cdf(mixed), 1e-9, 1.0))


def harder(seed: int) -> KnownRule:
    """Five rules of three literals over ten columns: one literal of three columns and two of one in each."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(5):
        a, b, c, d, e = rng.permutation(10)[:5]
        sign = rng.choice(["<", ">"], 2)
        bounds = [0.55 if s == "<" else 0.45 for s in sign]
        weights = np.round(rng.uniform(0.4, 1.0, 2), 1)
        middle = round(0.5 * (1 + weights.sum()) * 1.1, 2)
        texts.append(
            f"x{a} + {weights[0]}·x{b} + {weights[1]}·x{c} > {middle} "
            f"and x{d} {sign[0]} {bounds[0]} and x{e} {sign[1]} {bounds[1]}"
        )
    return KnownRule(f"harder {seed}", RuleSet.parse(f"True if {' or '.join(texts)} else False"))


def hard_rows(seed: int, n_idle: int = 0) -> Split:
    """Such a rule, another one for each seed; with so many columns more that have nothing to do with it."""
    rows = sample_uniform(harder(seed), 8_000, 2_000, seed)
    return with_idle_columns(rows, n_idle, seed) if n_idle else rows


HARD: Mapping[str, Callable[[int], Split]] = {
    "5 rules of 3 literals": hard_rows,
    "5 rules of 3 literals, 8 idle columns": partial(hard_rows, n_idle=8),
}


# -- real tables ---------------------------------------------------------------------------------------


def real_table(name: str) -> RealTable:
    """As the paper has it: Adult without its incomplete rows; `heloc, complete` without those that have a code."""
    table = load_table(name.removesuffix(", complete"))
    return table.complete() if name == "adult" else table


def folds_of(table: RealTable, folds: int, seed: int = 0) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The rows to learn from and to test on of every fold."""
    return list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(table.X, table.y))


def fold_of(name: str, folds: int, number: int, seed: int = 0) -> Split:
    """One fold of a real table to test on, the others to learn from."""
    table = real_table(name)
    train, test = folds_of(table, folds, seed)[number]
    settings = {"positive": table.positive}
    return Split(table.X.iloc[train], table.y[train], table.X.iloc[test], table.y[test], settings=settings)


def binary_fold_of(name: str, folds: int, number: int, seed: int = 0) -> Split:
    """The same with Boolean labels; of `heloc, complete` the rows without a code; `adult, test` has but one split."""
    if name == "adult, test":
        return adult_test()
    table = real_table(name)
    keep = np.ones(len(table.y), dtype=np.bool_)
    if name.endswith(", complete"):
        keep = ~table.X.isin(MISSING_CODES[name.removesuffix(", complete")]).any(axis=1).to_numpy()
    X, y = table.X[keep].reset_index(drop=True), table.y[keep] == table.positive
    train, test = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, y))[number]
    return Split(X.iloc[train], y[train], X.iloc[test], y[test])


def adult_test() -> Split:
    """Adult as its donors split it: adult.data to learn from, adult.test to test on, complete rows of both."""
    table = real_table("adult")
    path = adult_test_file()
    whole = pd.read_csv(path, names=[*table.X.columns, "label"], skipinitialspace=True, na_values="?", skiprows=1)
    kept = whole.dropna().reset_index(drop=True)
    y_test = (kept["label"].str.removesuffix(".") == table.positive).to_numpy()  # there each label ends with a point
    X_test = kept.drop(columns="label").astype(table.X.dtypes)
    return Split(table.X, table.y == table.positive, X_test, y_test)


def adult_test_file() -> Path:
    """Where adult.test lies."""
    folder = Path(os.environ.get("R2N_DATA", ""))
    if not (folder / "adult.test").is_file():
        raise DataUnavailable("adult.test is not here. Get it from its publisher, and put it beside adult.data.")
    return folder / "adult.test"


def rare_split(name: str, seed: int) -> Split:
    """A real table, incomplete rows too, with its rarer class dropped to 2 % of the rows; 30 % to test on."""
    table = load_table(name)
    truth = table.y == table.positive
    few, many = (np.flatnonzero(truth), np.flatnonzero(~truth))[:: 1 if truth.mean() < 0.5 else -1]
    rng = np.random.default_rng(seed)
    kept = np.sort(np.r_[many, rng.choice(few, round(len(many) * 0.02 / 0.98), replace=False)])
    y = np.isin(kept, few)
    train, test = train_test_split(np.arange(len(kept)), test_size=0.3, stratify=y, random_state=seed)
    X = table.X.iloc[kept].reset_index(drop=True)
    return Split(X.iloc[train], y[train], X.iloc[test], y[test], settings={"class_weight": "balanced"})


def breast_cancer_fold(folds: int, number: int, seed: int) -> Split:
    """scikit-learn's table of 569 tumours; the malignant ones are the positive class."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    malignant = y.to_numpy() == 0
    train, test = list(StratifiedKFold(folds, shuffle=True, random_state=seed).split(X, malignant))[number]
    return Split(X.iloc[train], malignant[train], X.iloc[test], malignant[test])
