"""A million rows scored by the exported SQL in DuckDB, and by a random forest in scikit-learn, side by side.

    python -m benchmarks.export           # about a minute; writes results/export.jsonl and the table of docs/export.md
    python -m benchmarks.export --table   # only write the newest results into docs/export.md

Needs the extra `test` (DuckDB and sqlglot). Both get the same columns, from memory, and one thread each.
"""

import argparse
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
from sklearn.ensemble import RandomForestClassifier

from benchmarks.origins import Legend
from benchmarks.records import append, grid, read
from r2n import RuleSet
from r2n.datasets import example
from r2n.export import export

ROWS, ROUNDS = 1_000_000, 3
PAGE = Path(__file__).parent.parent / "docs" / "export.md"
MARK = "<!-- made by benchmarks/export.py -->"


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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


def measure(name: str, rules: RuleSet, X: Any, forest: RandomForestClassifier) -> dict[str, Any]:
    """Both in turns, so that they share the machine's mood; the fastest of the rounds counts."""
    connection = duckdb.connect(config={"threads": 1})
    connection.register("rows", pa.table({f"x{i}": X[:, i] for i in range(X.shape[1])}))
    query = f"SELECT {export(rules, 'sql', dialect='duckdb')} AS prediction FROM rows"
    scored = connection.execute(query).fetchnumpy()["prediction"]
    assert np.array_equal(scored, rules.predict(X)), "the SQL says what the rules say"
    rounds = [
        (
            seconds(lambda: connection.execute(query).fetchnumpy()),
            seconds(lambda: forest.predict(X)),
            seconds(lambda: rules.predict(X)),
        )
        for _ in range(ROUNDS)
    ]
    sql, trees, numpy_ = np.min(rounds, axis=0)
    return {
        "what": "score",
        "rules": name,
        "rows": len(X),
        "n_rules": rules.n_rules,
        "size": rules.size,
        "duckdb_s": round(float(sql), 3),
        "forest_s": round(float(trees), 3),
        "r2n_s": round(float(numpy_), 3),
        "forest_over_duckdb": round(float(trees / sql), 1),
        "duckdb": duckdb.__version__,
    }


def table() -> str:
    """The newest results, in Markdown."""
    newest = {record["rules"]: record for record in read("export")}
    legend = Legend()
    head = ("rules", "of", "column mentions", "SQL in DuckDB, s", "`RandomForestClassifier.predict`, s", "ratio")
    rows = [
        (f"{r['n_rules']} ({name})", legend.mark([r]), r["size"], r["duckdb_s"], r["forest_s"], r["forest_over_duckdb"])
        for name, r in newest.items()
    ]
    return "\n".join([*grid(head, rows), *legend.lines("### What made these figures")])


def run() -> None:
    known = example(5)
    X, y = known.sample(10_000, random_state=0)
    forest = RandomForestClassifier(random_state=0, n_jobs=1).fit(X, y)
    many, _ = known.sample(ROWS, random_state=1)
    for name, rules in (("example 5", known.rules), ("ten rules", wide_rules())):
        record = measure(name, rules, np.ascontiguousarray(many), forest)
        append("export", record)
        print(record, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="only write docs/export.md from the newest results")
    if not parser.parse_args().table:
        run()
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def with_table(text: str) -> str:
    """The page with its table made anew, up to the next heading of its rank."""
    return re.sub(rf"(?<={MARK}\n\n).*?(?=^## )", lambda _: f"{table()}\n", text, flags=re.DOTALL | re.MULTILINE)


if __name__ == "__main__":
    main()
