"""The README's small table: r2n beside RIPPER and a tree on the five known rules, and the paper's printed R2N.

python -m benchmarks.compare          # run it, about 3 minutes; appends to results/compare.jsonl
python -m benchmarks.compare --table  # write the newest results into README.md
"""

import argparse
import re
import time
from pathlib import Path
from typing import Any

from benchmarks.baselines import Ripper, Tree
from benchmarks.records import append, read
from r2n import R2NClassifier
from r2n.datasets import example

README = Path(__file__).parent.parent / "README.md"
# Table 1 of the paper: accuracy, n_r, l_r of its own R2N.
PAPER = {1: (1.0, 2, 1.0), 2: (1.0, 2, 1.5), 3: (0.99, 3, 1.7), 4: (0.99, 4, 2.3), 5: (0.99, 3, 1.3)}
METHODS = ("r2n", "RIPPER", "tree")


def run(method: str, number: int, seed: int) -> dict[str, Any]:
    """One fit on 8,000 rows, judged on 2,000."""
    X, y = example(number).sample(10_000, random_state=seed)
    makers = {"r2n": lambda: R2NClassifier(random_state=seed), "RIPPER": Ripper, "tree": Tree}
    start = time.perf_counter()
    model = makers[method]().fit(X[:8_000], y[:8_000])
    seconds = time.perf_counter() - start
    rules = model.rules_ if method == "r2n" else model
    return {
        "method": method,
        "example": number,
        "seed": seed,
        "accuracy": float((model.predict(X[8_000:]) == y[8_000:]).mean()),
        "n_rules": rules.n_rules,
        "literals_per_rule": rules.literals_per_rule,
        "seconds": round(seconds, 2),
    }


def table() -> str:
    """The newest results as Markdown."""
    newest = {(record["method"], record["example"]): record for record in read("compare")}

    def cell(accuracy: float, n_rules: int, literals: float, digits: int) -> str:
        return f"{accuracy:.{digits}f} · {n_rules} × {literals:.1f}"

    lines = [
        "| known rule | r2n | paper's R2N (printed) | RIPPER, 40 bins | tree, 16 leaves |",
        "|---|---|---|---|---|",
    ]
    for number, printed in PAPER.items():
        found = [newest[method, number] for method in METHODS]
        r2n, ripper, tree = (cell(f["accuracy"], f["n_rules"], f["literals_per_rule"], 4) for f in found)
        lines.append(f"| example {number} | {r2n} | {cell(*printed, 2)} | {ripper} | {tree} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="only write the newest results into README.md")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    chosen = parser.parse_args()
    if not chosen.table:
        for method in chosen.methods:
            for number in PAPER:
                record = run(method, number, seed=0)
                append("compare", record)
                print(record, flush=True)
    text = README.read_text(encoding="utf-8")
    marks = r"(<!-- table -->\n).*?(<!-- end of table -->)"
    README.write_text(re.sub(marks, rf"\g<1>{table()}\n\g<2>", text, flags=re.DOTALL), encoding="utf-8")


if __name__ == "__main__":
    main()
