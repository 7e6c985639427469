"""`r2n update`: change a saved model where new rows speak for it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from r2n.cli.commands import Model, load, read_targets
from r2n.cli.inputs import read_rows
from r2n.cli.screen import err, out, show_rules
from r2n.errors import ParameterError
from r2n.rules import save
from r2n.runtime.interrupts import hold_interrupts
from r2n.runtime.outputs import check_writable


def update_model(
    model: Model,
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file of new rows, with the same columns.")],
    target: Annotated[str, typer.Option(help="The column of the true labels.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the rules to this file.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="A column that no new condition may read.")] = None,
    max_columns: Annotated[int, typer.Option(min=1, help="The most columns in a new condition.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same rules.")] = 0,
) -> None:
    """Change rules where new rows speak for it by two standard errors, and show the difference.

    Ctrl-C ends the work early, as in `r2n fit`: what was found is saved as NAME.partial.json. The exit code is then
    130.
    """
    partial = None if output is None else output.with_stem(f"{output.stem}.partial")
    for place in filter(None, (output, partial)):
        if place.exists() and table.exists() and place.samefile(table):
            raise ParameterError(f"{place} is the table that is read. Name another file to write.")
        check_writable(place)
    rules = load(model)
    frame = read_rows(rules, table, target)
    labels = read_targets(rules, frame, target)
    with hold_interrupts():  # a Ctrl-C in the import of a compiled library aborts the process
        from r2n.learn.update import update_rules  # only learning loads the search

    X = frame if target in rules.columns else frame.drop(columns=target)
    given = {"exclude": ignore, "max_columns": max_columns, "random_state": seed, "progress": err.is_terminal}
    done = update_rules(rules, X, labels, **given)
    path = partial if done.interrupted else output
    try:
        if path is not None:
            save(done.rules, path, like=output)
    finally:
        out.print(Text(str(done)))
        show_rules(done.rules)
    if path is not None:
        out.print(Text(f"saved to {path}" + (f"; {output} is as it was" if done.interrupted else "")))
    if done.interrupted:
        raise typer.Exit(130)
