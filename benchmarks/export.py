"""A million rows scored by the exported SQL in DuckDB, and by a random forest in scikit-learn, side by side.

    python -m benchmarks.export           # what is missing, about a minute in all
    python -m benchmarks.export --page    # only write the newest results into docs/export.md

Needs the extra `test` (DuckDB and sqlglot). Both get the same columns, from memory, and one thread each. Appends to
results/export.jsonl.
"""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness.benchmark import Benchmark
from benchmarks.harness.case import Case
from benchmarks.harness.clock import take_turns
from benchmarks.harness.command import main
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record
from r2n import RuleSet
from r2n.datasets import example
from r2n.export import export

ROWS, ROUNDS = 1_000_000, 3


def cases(_: Namespace) -> list[Case]:
    return [Case({"what": "score", "rules": name}, partial(measure, name)) for name in RULES]


def wide_rules() -> RuleSet:
    """More to compute than a learned rule set usually has: ten rules of four literals, half of them sums."""
    rng = np.random.default_rng(0)
    rules = []
    for _ in range(10):
        pairs = [rng.choice(5, 2, replace=False) for _ in range(2)]
        sums = [f"x{i} - {a:.2f}·x{j} > {c:.2f}" for (i, j), (a, c) in zip(pairs, rng.random((2, 2)), strict=True)]
        bounds = [
            f"x{i} {'>' if up else '<'} {c:.2f}"
            for i, up, c in zip(rng.integers(0, 5, 2), (1, 0), (0.2, 0.8), strict=True)
        ]
        rules.append(" and ".join(sums + bounds))
    return RuleSet.parse(f"True if {' or '.join(rules)} else False")


RULES = {"example 5": lambda: example(5).rules, "ten rules": wide_rules}


def measure(name: str, n_rows: int = ROWS) -> Record:
    """Both in turns, so that they share the machine's mood; the fastest of the rounds counts."""
    import duckdb
    import pyarrow as pa
    from sklearn.ensemble import RandomForestClassifier

    rules = RULES[name]()
    forest = RandomForestClassifier(random_state=0, n_jobs=1).fit(*example(5).sample(10_000, random_state=0))
    X = np.ascontiguousarray(example(5).sample(n_rows, random_state=1)[0])
    connection = duckdb.connect(config={"threads": 1})
    connection.register("rows", pa.table({f"x{i}": X[:, i] for i in range(X.shape[1])}))
    sql = export(rules, "sql", dialect="duckdb")
    query = f"SELECT {sql!s} AS prediction FROM rows"
    scored = connection.execute(query).fetchnumpy()["prediction"]
    assert np.array_equal(scored, rules.predict(X)), "the SQL says what the rules say"
    works = {
        "duckdb_s": lambda: connection.execute(query).fetchnumpy(),
        "forest_s": lambda: forest.predict(X),
        "r2n_s": lambda: rules.predict(X),
    }
    fastest = {what: min(taken) for what, taken in take_turns(works, ROUNDS).items()}
    return {
        "rows": len(X),
        "n_rules": rules.n_rules,
        "size": rules.size,
        **{what: round(seconds, 3) for what, seconds in fastest.items()},
        "forest_over_duckdb": round(fastest["forest_s"] / fastest["duckdb_s"], 1),
        "duckdb": duckdb.__version__,
    }


def view() -> Mapping[str, Any]:
    """The newest of each, in the order of their declaration."""
    return {"records": sorted(EXPORT.newest(), key=lambda r: [*RULES].index(r["rules"]))}


EXPORT = Benchmark(
    name="export",
    about=__doc__,
    key=("rules",),
    cases=cases,
    pages=(Page("docs/export.md", "export.md.j2", view, part=True),),
)

if __name__ == "__main__":
    main(EXPORT)
