"""`r2n demo`: learn a rule whose truth is known."""

from __future__ import annotations

import time
from typing import Annotated

import typer
from rich.table import Table as Grid
from rich.text import Text

from r2n.cli.screen import err, out
from r2n.runtime.interrupts import hold_interrupts


def run_demo(
    number: Annotated[int, typer.Option("--example", min=1, max=5, help="Which of the five known rules.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data and of the training.")] = 0,
) -> None:
    """Learn a rule whose truth is known, and show both side by side."""
    with hold_interrupts():  # a Ctrl-C in the import of a compiled library aborts the process
        from r2n.estimator import R2NClassifier  # only fitting loads the training engine
    from r2n.datasets import example

    known = example(number)
    X, y = known.sample(10_000, random_state=seed)
    out.print(f"10,000 rows, 5 columns, labelled by a rule the learner does not see ({known.name}).")
    start = time.perf_counter()
    model = R2NClassifier(random_state=seed, progress=err.is_terminal).fit(X[:8_000], y[:8_000])
    seconds = time.perf_counter() - start
    grid = Grid(show_lines=True)
    grid.add_column("the true rules")
    grid.add_column("the rules r2n found")
    grid.add_row(Text(str(known.rules)), Text(str(model.rules_)))
    out.print(grid)
    accuracy = model.score(X[8_000:], y[8_000:])
    out.print(f"accuracy {accuracy:.4f} on 2,000 other rows; learned from 8,000 rows in {seconds:.1f} s")
