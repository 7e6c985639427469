"""docs/risk.md: risk levels, and promised recall."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record, newest, read

KEY = ("task", "table", "seed", "fold", "method")
TABLES = ("magic", "house", "heloc", "adult", "breast cancer")
METHODS = ("r2n", "tree", "figs", "logistic", "boosting", "ebm")
TITLES = {
    "r2n": "r2n, 5 levels",
    "tree": "tree, 16 leaves",
    "figs": "FIGS, 12 rules",
    "logistic": "logistic regression",
    "boosting": "HistGradientBoosting",
    "ebm": "EBM, 2 bags",
}
FOLDS, JUDGED_ON = 5, 2028
AUC_MARGIN = 0.02  # by which levels may be behind boosting on Adult and HELOC


def key_of(record: Record) -> tuple[Any, ...]:
    return tuple(record.get(name) for name in KEY)


def mean(records: list[Record], name: str) -> float:
    return float(np.mean([record[name] for record in records]))


def view() -> Mapping[str, Any]:
    """Means over folds, and every draw of the rare classes."""
    records = newest(read("risk"), key_of)
    judged = [r for r in records if r["task"] == "levels" and r["seed"] == JUDGED_ON]
    cells = {
        (table, method): [r for r in judged if (r["table"], r["method"]) == (table, method)]
        for table in TABLES
        for method in METHODS
    }
    draws = [r for r in records if r["task"] == "rare" and r["seed"] < 100]
    whole = [table for table in TABLES if all(cells[table, method] for method in METHODS)]
    return {
        "tables": whole,
        "methods": METHODS,
        "heads_of_methods": [TITLES[method] for method in METHODS],
        "cells": cells,
        "mean": mean,
        "rare": {name: own for name in ("adult", "house") if (own := [r for r in draws if r["table"] == name])},
        "seed": JUDGED_ON,
        "behind": [
            (table, TITLES[method], gap)
            for table in whole
            for method in METHODS[1:]
            if (gap := mean(cells[table, method], "auc") - mean(cells[table, "r2n"], "auc")) > 0
        ],
        "margin": AUC_MARGIN,
    }


PAGE = Page("docs/risk.md", "risk.md.j2", view)
