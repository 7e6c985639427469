"""The README's table, from results/evaluation.jsonl: r2n, the paper's R2N, RIPPER, a tree and boosting."""

from collections.abc import Mapping
from typing import Any

from benchmarks.harness.pages import Page
from benchmarks.protocol import METHODS
from benchmarks.views.results import printed_of
from benchmarks.views.summary import Evaluation

OURS = {"known": "r2n", "real": "capped"}
OTHERS = ("ripper", "tree", "boosting")


def view_of(evaluation: Evaluation) -> Mapping[str, Any]:
    """What the README shows."""
    rows: list[dict[str, Any]] = [
        {
            "table": table,
            "printed": numbers,
            "cells": [evaluation.of(name, table, method) for method in (ours, *OTHERS)],
        }
        for name, ours in OURS.items()
        for table, numbers in printed_of(name)["paper"].items()
    ]
    real = list(printed_of("real")["paper"])
    both = [[evaluation.of("real", table, method).accuracy for method in ("capped", "boosting")] for table in real]
    gaps = [theirs - mine for mine, theirs in both if mine is not None and theirs is not None]
    return {
        "titles": [METHODS[method]["title"] for method in OTHERS],
        "rows": rows,
        "seeds": len(evaluation.of("known", "example 1", OURS["known"]).done),
        "folds": len(evaluation.of("real", "adult", OURS["real"]).done),
        "n_real": len(real),
        "ahead": [gap for gap in gaps if gap > 0],
        "n_origins": len({row["cells"][0].origin for row in rows if row["cells"][0].records}),
    }


README = Page("README.md", "readme.md.j2", lambda: view_of(Evaluation()), part=True)
