"""What refinement recovers and reaches: known rules under stress, and the real tables.

    python -m benchmarks.refine known            # examples 1-5 and the toy rule, seeds 0-9
    python -m benchmarks.refine stress           # flipped labels, few rows, idle or correlated columns, harder rules
    python -m benchmarks.refine harder           # of these the last alone: five rules of three literals
    python -m benchmarks.refine rare             # Adult and House with 2 % positives, class_weight="balanced"
    python -m benchmarks.refine real magic       # 5-fold cross-validation; names of tables, or none for all four
    python -m benchmarks.refine rows             # seconds and memory from a thousand to a million rows
    python -m benchmarks.refine limits           # how closely time_limit is kept
    python -m benchmarks.refine teacher magic    # the same folds without a teacher; without names known rules
    python -m benchmarks.refine thorough magic   # the same folds with effort="thorough"
    python -m benchmarks.refine harder --renew   # what another learner or machine ran, anew
    python -m benchmarks.refine --page           # write docs/refine.md from the results

Appends to results/refine.jsonl.
"""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from benchmarks.fits import described, fit, learn, learner, rules_of, same_structure, score_balanced, time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import peak_memory
from benchmarks.harness.command import main
from benchmarks.harness.records import Record
from benchmarks.splits import (
    Split,
    fold_of,
    known_rule,
    rare_split,
    real_table,
    sample_apart,
    sample_correlated,
    sample_rows,
    sample_uniform,
    with_idle_columns,
)
from benchmarks.views.refine import KEY, MOST_RULES, PAGE

# -- known rules ---------------------------------------------------------------------------------------


def known(seeds: Iterable[int]) -> Iterator[Case]:
    for name in (*(f"example {k}" for k in range(1, 6)), "toy"):
        for seed in seeds:
            yield rule_case("known", name, seed, all_rows)


def stress(seeds: Iterable[int]) -> Iterator[Case]:
    """Labels flipped, few rows, columns that do not matter, columns that go together: judged on clean rows."""
    for name in ("example 4", "example 5"):
        for seed in seeds:
            for flip in (0.1, 0.2):
                yield rule_case(f"{flip:.0%} flipped", name, seed, partial(apart, flip=flip))
            yield rule_case("1,000 rows", name, seed, partial(apart, n_rows=1_000))
            yield rule_case("8 idle columns", name, seed, idle)
            yield rule_case("correlated, 0.9", name, seed, together)
    yield from harder(seeds)


def harder(seeds: Iterable[int]) -> Iterator[Case]:
    """Five rules of three literals over ten columns, labels without noise."""
    for seed in seeds:
        yield rule_case("5 rules of 3 literals", f"harder {seed}", seed, uniform)


def taught(seeds: Iterable[int]) -> Iterator[Case]:
    """Known rules without a teacher and with one, whatever their noise."""
    for k in range(1, 6):
        for flip in (0.0, 0.2):
            for seed in seeds:
                for teacher in (False, True):
                    task = f"{flip:.0%} flipped, {'a teacher' if teacher else 'no teacher'}"
                    rows = partial(apart, n_rows=4_000, flip=flip)
                    yield rule_case(task, f"example {k}", seed, rows, teacher=teacher)


def all_rows(name: str, seed: int) -> Split:
    return sample_rows(known_rule(name), 8_000, 2_000, seed)


def apart(name: str, seed: int, n_rows: int = 8_000, flip: float = 0.0) -> Split:
    return sample_apart(known_rule(name), n_rows, 2_000, (seed, 1_000 + seed), flip)


def idle(name: str, seed: int) -> Split:
    return with_idle_columns(apart(name, seed), 8, seed)


def together(name: str, seed: int) -> Split:
    return sample_correlated(known_rule(name), 8_000, 2_000, seed)


def uniform(name: str, seed: int) -> Split:
    return sample_uniform(known_rule(name), 8_000, 2_000, seed)


def rule_case(task: str, name: str, seed: int, rows: Callable[[str, int], Split], **settings: Any) -> Case:
    return Case({"task": task, "rule": name, "seed": seed}, partial(recover, name, seed, rows, **settings))


def recover(name: str, seed: int, make: Callable[[str, int], Split], **settings: Any) -> Record:
    """Whether the rule is found again."""
    rows = make(name, seed)
    assert rows.truth is not None
    model, found = learn(rows, random_state=seed, **settings)
    return found | {"structure": same_structure(rules_of(model), rows.truth), "true_size": rows.truth.size}


# -- real tables ---------------------------------------------------------------------------------------


def folds(tables: Sequence[str], task: str = "real", **settings: Any) -> Iterator[Case]:
    for name in tables or MOST_RULES:
        for fold in range(5):
            yield Case({"task": task, "table": name, "fold": fold}, partial(reach, name, fold, **settings))


def reach(name: str, fold: int, **settings: Any) -> Record:
    """One fold, with at most the paper's rules and two processes."""
    _, found = learn(fold_of(name, 5, fold), max_rules=MOST_RULES[name], n_jobs=2, random_state=0, **settings)
    return found


def rare(tables: Sequence[str], seeds: Iterable[int]) -> Iterator[Case]:
    """A real table with its positives dropped to 2 % of the rows, beside a tree of five leaves."""
    for name in tables or ("adult", "house"):
        for seed in seeds:
            yield Case({"task": "rare", "table": name, "seed": seed}, partial(find_rare, name, seed))


def find_rare(name: str, seed: int) -> Record:
    rows = rare_split(name, seed)
    model, spent = fit(rows.X, rows.y, **rows.settings, random_state=seed)
    whole = pd.concat([rows.X, rows.X_test]).sort_index()
    columns = pd.get_dummies(whole).astype(float).fillna(whole.mean(numeric_only=True))
    tree = DecisionTreeClassifier(max_leaf_nodes=5, class_weight="balanced", random_state=seed)
    tree.fit(columns.loc[rows.X.index], rows.y)
    return {
        "balanced_accuracy": score_balanced(model.predict(rows.X_test), rows.y_test),
        "tree": score_balanced(tree.predict(columns.loc[rows.X_test.index]), rows.y_test),
        **described(rules_of(model)),
        **time_of(spent),
    }


# -- rows, memory, limits of time ----------------------------------------------------------------------


def rows() -> Iterator[Case]:
    for n_rows in (1_000, 10_000, 100_000, 1_000_000):
        yield Case({"task": "rows", "rows": n_rows}, partial(measure_rows, n_rows), alone=True)


def measure_rows(n_rows: int) -> Record:
    """One fit by one process, 10 columns, 5 % of the labels flipped; memory beyond what the program itself needs."""
    rng = np.random.default_rng(0)
    small = rng.random((1_000, 10))
    learner(random_state=0).fit(small, small[:, 0] > 0.5)  # compiles and loads
    before = peak_memory()
    X = rng.random((n_rows, 10))
    y = ((X[:, 0] + X[:, 1] - X[:, 2] > 0.8) | ((X[:, 3] > 0.6) & (X[:, 4] < 0.4))) ^ (rng.random(n_rows) < 0.05)
    model, spent = fit(X, y, random_state=0)
    return {
        "table_mb": round(X.nbytes / 1e6, 1),
        "peak_over_table": round((peak_memory() - before) / X.nbytes, 2),
        **described(rules_of(model)),
        **time_of(spent, 1),
    }


def limits() -> Iterator[Case]:
    """House, 22,784 rows, every effort spent until time is over."""
    for limit in (2.0, 5.0, 10.0, 30.0, 60.0):
        for n_jobs in (1, 2):
            yield Case({"task": "limit", "limit": limit, "n_jobs": n_jobs}, partial(keep_limit, limit, n_jobs))


def keep_limit(limit: float, n_jobs: int) -> Record:
    table = real_table("house")
    model, spent = fit(table.X, table.y, effort="thorough", time_limit=limit, n_jobs=n_jobs, random_state=0)
    return {"score": float(model.score(table.X, table.y)), **time_of(spent)}


# -- the benchmark -------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Sequence[str], Iterable[int]], Iterator[Case]]] = {
    "known": lambda tables, seeds: known(seeds),
    "stress": lambda tables, seeds: stress(seeds),
    "harder": lambda tables, seeds: harder(seeds),
    "rare": rare,
    "real": lambda tables, seeds: folds(tables),
    "rows": lambda tables, seeds: rows(),
    "limits": lambda tables, seeds: limits(),
    "teacher": lambda tables, seeds: folds(tables, "no teacher", teacher=False) if tables else taught(seeds),
    "thorough": lambda tables, seeds: folds(tables, "thorough", effort="thorough"),
}


def cases(chosen: Namespace) -> list[Case]:
    return list(PARTS[chosen.part](chosen.tables, chosen.seeds))


REFINE = Benchmark(
    name="refine",
    about=__doc__,
    key=KEY,
    cases=cases,
    choices=(
        Choice("part", "what to run", tuple(PARTS), many=False),
        Choice("tables", "which real tables", tuple(MOST_RULES)),
        Choice("--seeds", "seeds of rows and learner, 0 to 9 unless told", of=int, default=range(10)),
    ),
    pages=(PAGE,),
)

if __name__ == "__main__":
    main(REFINE)
