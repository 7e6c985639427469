"""What refinement recovers and reaches: known rules under stress, and the real tables.

    python -m benchmarks.refine known            # examples 1-5 and the toy rule, seeds 0-9
    python -m benchmarks.refine stress           # flipped labels, few rows, idle or correlated columns, harder rules
    python -m benchmarks.refine harder           # of these the last alone: five rules of three literals
    python -m benchmarks.refine rare             # Adult and House with 2 % positives, class_weight="balanced"
    python -m benchmarks.refine real magic       # 5-fold cross-validation; names of tables, or none for all four
    python -m benchmarks.refine rows             # seconds and memory from a thousand to a million rows
    python -m benchmarks.refine limits           # how closely time_limit is kept
    python -m benchmarks.refine teacher magic    # the same folds without a teacher, and known rules with and without
    python -m benchmarks.refine thorough magic   # the same folds with effort="thorough"
    python -m benchmarks.refine page             # write docs/refine.md from the results

Appends to results/refine.jsonl.
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

from benchmarks.records import append
from benchmarks.refine_page import MOST_RULES, PAGE, page
from benchmarks.speed import peak_memory
from benchmarks.trial import same_structure
from r2n import R2NClassifier, RuleSet
from r2n.datasets import KnownRule, example, load_table, toy

WHAT = ("known", "stress", "harder", "rare", "real", "rows", "limits", "teacher", "thorough", "page")


def learn(
    task: str,
    known: KnownRule,
    seed: int,
    X: NDArray[Any],
    y: NDArray[Any],
    X_test: NDArray[Any],
    y_test: NDArray[Any],
    **settings: Any,
) -> dict[str, Any]:
    start = time.perf_counter()
    model = R2NClassifier(random_state=seed, **settings).fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "task": task,
        "rule": known.name,
        "seed": seed,
        "accuracy": float(model.score(X_test, y_test)),
        "structure": same_structure(model.rules_, known.rules),
        "n_rules": model.rules_.n_rules,
        "size": model.rules_.size,
        "true_size": known.rules.size,
        "seconds": round(seconds, 2),
        "rules": str(model.rules_),
    }


def known_rules(seeds: range) -> Iterator[dict[str, Any]]:
    for known in (*(example(k) for k in range(1, 6)), toy()):
        for seed in seeds:
            X, y = known.sample(10_000, random_state=seed)
            yield learn("known", known, seed, X[:8_000], y[:8_000], X[8_000:], y[8_000:])


def stress(seeds: range) -> Iterator[dict[str, Any]]:
    """Labels flipped, few rows, columns that do not matter, columns that go together: judged on clean rows."""
    for known in (example(4), example(5)):
        for seed in seeds:
            clean, y_clean = known.sample(2_000, random_state=1_000 + seed)
            for flip in (0.1, 0.2):
                X, y = known.sample(8_000, random_state=seed, flip=flip)
                yield learn(f"{flip:.0%} flipped", known, seed, X, y, clean, y_clean)
            X, y = known.sample(1_000, random_state=seed)
            yield learn("1,000 rows", known, seed, X, y, clean, y_clean)
            X, y = known.sample(8_000, random_state=seed)
            idle = np.random.default_rng(seed).random((10_000, 8))
            yield learn("8 idle columns", known, seed, np.c_[X, idle[:8_000]], y, np.c_[clean, idle[8_000:]], y_clean)
            X, X_test = (correlated(n, seed + n) for n in (8_000, 2_000))
            yield learn("correlated, 0.9", known, seed, X, known.rules.truth(X), X_test, known.rules.truth(X_test))
    yield from hard_rules(seeds)


def hard_rules(seeds: range) -> Iterator[dict[str, Any]]:
    """Five rules of three literals over ten columns, labels without noise."""
    for seed in seeds:
        known = harder(seed)
        X, X_test = (np.random.default_rng(seed + n).random((n, 10)) for n in (8_000, 2_000))
        yield learn("5 rules of 3 literals", known, seed, X, known.rules.truth(X), X_test, known.rules.truth(X_test))


def rare_classes(seeds: range, names: Sequence[str]) -> Iterator[dict[str, Any]]:
    """A real table with its positives dropped to 2 % of the rows, beside a tree of five leaves."""
    for name in names:
        table = load_table(name)
        truth = table.y == table.positive
        few, many = (np.flatnonzero(truth), np.flatnonzero(~truth))[:: 1 if truth.mean() < 0.5 else -1]
        for seed in seeds:
            rng = np.random.default_rng(seed)
            kept = np.sort(np.r_[many, rng.choice(few, round(len(many) * 0.02 / 0.98), replace=False)])
            y = np.isin(kept, few)
            train, test = train_test_split(np.arange(len(kept)), test_size=0.3, stratify=y, random_state=seed)
            X = table.X.iloc[kept].reset_index(drop=True)
            model = R2NClassifier(class_weight="balanced", random_state=seed).fit(X.iloc[train], y[train])
            columns = pd.get_dummies(X).astype(float).fillna(X.mean(numeric_only=True))
            tree = DecisionTreeClassifier(max_leaf_nodes=5, class_weight="balanced", random_state=seed)
            tree.fit(columns.iloc[train], y[train])
            yield {
                "task": "rare",
                "table": name,
                "seed": seed,
                "balanced_accuracy": float(balanced_accuracy_score(y[test], model.predict(X.iloc[test]))),
                "tree": float(balanced_accuracy_score(y[test], tree.predict(columns.iloc[test]))),
                "n_rules": model.rules_.n_rules,
                "size": model.rules_.size,
                "rules": str(model.rules_),
            }


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


def real(name: str, task: str = "real", **settings: Any) -> Iterator[dict[str, Any]]:
    table = load_table(name)
    table = table.complete() if name == "adult" else table
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(table.X, table.y)):
        start = time.perf_counter()
        most = MOST_RULES[name]
        model = R2NClassifier(positive=table.positive, max_rules=most, n_jobs=2, random_state=0, **settings)
        model.fit(table.X.iloc[train], table.y[train])
        seconds = time.perf_counter() - start
        yield {
            "task": task,
            "table": name,
            "fold": fold,
            "accuracy": float(model.score(table.X.iloc[test], table.y[test])),
            "n_rules": model.rules_.n_rules,
            "literals_per_rule": model.rules_.literals_per_rule,
            "size": model.rules_.size,
            "most_columns": max((literal.size for literal in model.rules_.literals), default=0),
            "seconds": round(seconds, 1),
            "rules": str(model.rules_),
        }


def taught(seeds: range) -> Iterator[dict[str, Any]]:
    """Known rules without a teacher and with one, whatever their noise."""
    for k in range(1, 6):
        for flip in (0.0, 0.2):
            for seed in seeds:
                X, y = example(k).sample(4_000, random_state=seed, flip=flip)
                clean, y_clean = example(k).sample(2_000, random_state=1_000 + seed)
                for teacher in (False, True):
                    words = f"{flip:.0%} flipped, {'a teacher' if teacher else 'no teacher'}"
                    yield learn(words, example(k), seed, X, y, clean, y_clean, teacher=teacher)


def rows_in_own_process(n_rows: int) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.refine", "--rows", str(n_rows), "rows"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def measure_rows(n_rows: int) -> dict[str, Any]:
    """One fit by one process, 10 columns, 5 % of the labels flipped; memory beyond what the program itself needs."""
    rng = np.random.default_rng(0)
    small = rng.random((1_000, 10))
    R2NClassifier(random_state=0).fit(small, small[:, 0] > 0.5)  # compiles and loads
    before = peak_memory()
    X = rng.random((n_rows, 10))
    y = ((X[:, 0] + X[:, 1] - X[:, 2] > 0.8) | ((X[:, 3] > 0.6) & (X[:, 4] < 0.4))) ^ (rng.random(n_rows) < 0.05)
    start = time.perf_counter()
    model = R2NClassifier(random_state=0).fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "task": "rows",
        "rows": n_rows,
        "seconds": round(seconds, 1),
        "table_mb": round(X.nbytes / 1e6, 1),
        "peak_over_table": round((peak_memory() - before) / X.nbytes, 2),
        "n_rules": model.rules_.n_rules,
        "size": model.rules_.size,
        "rules": str(model.rules_),
    }


def limits() -> Iterator[dict[str, Any]]:
    """House, 22,784 rows, every effort spent until time is over."""
    table = load_table("house")
    for limit in (2.0, 5.0, 10.0, 30.0, 60.0):
        for n_jobs in (1, 2):
            start = time.perf_counter()
            model = R2NClassifier(effort="thorough", time_limit=limit, n_jobs=n_jobs, random_state=0)
            model.fit(table.X, table.y)
            seconds = time.perf_counter() - start
            score = float(model.score(table.X, table.y))
            yield {"task": "limit", "limit": limit, "n_jobs": n_jobs, "seconds": round(seconds, 2), "score": score}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("tables", nargs="*", choices=[*MOST_RULES, []], help="which real tables")
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds, from 0")
    parser.add_argument("--rows", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.rows:
        print(json.dumps(measure_rows(chosen.rows)))
        return
    seeds = range(chosen.seeds)
    runs = {
        "known": lambda: known_rules(seeds),
        "stress": lambda: stress(seeds),
        "harder": lambda: hard_rules(seeds),
        "rare": lambda: rare_classes(seeds, chosen.tables or ("adult", "house")),
        "real": lambda: (record for name in chosen.tables or MOST_RULES for record in real(name)),
        "rows": lambda: (rows_in_own_process(n) for n in (1_000, 10_000, 100_000, 1_000_000)),
        "limits": limits,
        "teacher": lambda: (
            (record for name in chosen.tables or MOST_RULES for record in real(name, "no teacher", teacher=False))
            if chosen.tables
            else taught(seeds)
        ),
        "thorough": lambda: (
            record for name in chosen.tables or MOST_RULES for record in real(name, "thorough", effort="thorough")
        ),
        "page": lambda: iter(()),
    }
    for record in runs[chosen.what]():
        append("refine", record)
        print({key: value for key, value in record.items() if key != "rules"}, flush=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
