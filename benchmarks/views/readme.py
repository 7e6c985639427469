"""The README's table, from results/evaluation.jsonl: r2n, the paper's R2N, RIPPER, a tree and boosting."""

from collections.abc import Mapping
from typing import Any

from benchmarks.harness.pages import Page
from benchmarks.protocol import EXPERIMENTS, METHODS
from benchmarks.views.results import printed_of
from benchmarks.views.summary import Evaluation

OURS = ("r2n", "capped")
WITH = {"known": ("r2n",), "unseen": OURS}  # on known rules r2n finds the rules without a limit
OTHERS = ("ripper", "tree", "boosting")


def view_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """What the README shows."""
    rows: list[dict[str, Any]] = [
        {
            "table": table,
            "printed": printed_of(name)["paper"].get(table),
            "ours": [evaluation.of(name, table, method) if method in shown else None for method in OURS],
            "others": [evaluation.of(name, table, method) for method in OTHERS],
        }
        for name, shown in WITH.items()
        for table in EXPERIMENTS[name]["tables"]
    ]
    real = EXPERIMENTS["unseen"]["tables"]
    both = [[evaluation.of("unseen", table, method).accuracy for method in ("r2n", "boosting")] for table in real]
    gaps = [theirs - mine for mine, theirs in both if mine is not None and theirs is not None]
    ours = [cell for row in rows for cell in row["ours"] if cell is not None and cell.records]
    return {
        "titles": [METHODS[method]["title"] for method in OTHERS],
        "ours": [METHODS[method]["title"] for method in OURS],
        "rows": rows,
        "seeds": len(evaluation.of("known", "example 1", "r2n").done),
        "folds": len(evaluation.of("unseen", "adult", "r2n").done),
        "n_real": len(real),
        "ahead": [gap for gap in gaps if gap > 0],
        "n_origins": len({cell.origin for cell in ours}),
    }


README = Page("README.md", "readme.md.j2", lambda: view_of(Evaluation()), part=True)
