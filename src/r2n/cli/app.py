"""The command line: `r2n demo`, `fit`, `show`, `predict`, `explain`, `diff`, `check`, `export`."""

from __future__ import annotations

import io
import os
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from r2n import __version__
from r2n.cli import commands
from r2n.cli.commands import load
from r2n.cli.inputs import label_named
from r2n.errors import ParameterError, R2NError, SchemaError
from r2n.rules import save
from r2n.rules.label import label_array
from r2n.runtime.interrupts import hold_interrupts
from r2n.runtime.outputs import check_writable
from r2n.table import Schema, Table
from r2n.table.files import holds_integers, read_table
from r2n.table.table import no_such_column
from r2n.words import count, name_rows

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
out, err = Console(highlight=False, soft_wrap=True), Console(stderr=True, highlight=False, soft_wrap=True)


app.command("predict")(commands.predict_rows)
app.command("export", cls=commands.ExportCommand, context_settings=commands.ANY_OPTIONS)(commands.export_rules)
app.command("explain")(commands.explain_row)
app.command("diff")(commands.diff_models)
app.command("check")(commands.check_model)


def main() -> None:
    """Run the command line; whatever is wrong with the input ends in one line, not in a traceback."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        _write_anything(stream)
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()  # a full disk is an error, not a note at the interpreter's end
    except (R2NError, OSError) as error:
        named = isinstance(error, OSError) and error.filename and error.strerror
        words = f"{error.filename} {error.strerror}" if isinstance(error, OSError) and named else str(error)
        err.print(Text.assemble(("error: ", "bold red"), words))
        _give_up_output()
        sys.exit(1)


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Show the version and end.")] = False) -> None:
    """Learn classification rules that a person can read, check, edit and ship."""
    if version:
        out.print(__version__)
        raise typer.Exit


@app.command()
def demo(
    number: Annotated[int, typer.Option("--example", min=1, max=5, help="Which of the five known rules.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the data and of the training.")] = 0,
) -> None:
    """Learn a rule whose truth is known, and show both side by side."""
    with hold_interrupts():  # a Ctrl-C in the import of a compiled library aborts the process
        from r2n import R2NClassifier  # only fitting loads the training engine
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


@app.command()
def fit(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    target: Annotated[str, typer.Option(help="The column to predict.")],
    positive: Annotated[str | None, typer.Option(help="The label that the rules describe.")] = None,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save the rules to this file.")] = None,
    ignore: Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")] = None,
    categorical: Annotated[list[str] | None, typer.Option(help="A column of numbers that are categories.")] = None,
    missing: Annotated[list[str] | None, typer.Option(help="A value that stands for a missing one.")] = None,
    holdout: Annotated[float, typer.Option(min=0.0, max=0.9, help="Share of rows kept to test the rules on.")] = 0.2,
    max_rules: Annotated[int | None, typer.Option(min=1, help="The most rules.")] = None,
    max_columns: Annotated[int, typer.Option(min=1, help="The most columns in a condition.")] = 4,
    max_size: Annotated[
        int | None, typer.Option(min=1, help="The most columns to read in all rules of a class.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same rules on the same machine.")] = 0,
    drop_unlabelled: Annotated[
        bool, typer.Option("--drop-unlabelled", help="Leave out rows without a label; else they are an error.")
    ] = False,
) -> None:
    """Learn rules from a table and show them.

    Ctrl-C ends the work early: the best rules so far are shown, and saved beside the output as NAME.partial.json. The
    exit code is then 130.
    """
    partial = None if output is None else output.with_stem(f"{output.stem}.partial")
    for place in (output, partial):
        if place is not None:
            _refuse_input(place, table)
            check_writable(place)
    frame = read_table(table, missing or ())
    for name in (target, *(ignore or ())):
        _require(frame, name)
    labelled = _labelled_rows(frame[target], drop_unlabelled)
    y = _labels(frame[target], labelled, table, missing or ())
    X = frame.drop(columns=[target, *(ignore or ())])
    train, test = _split(labelled, holdout, seed)
    _check_classes(y, train, target)
    codes = None if missing is None else [value for text in missing for value in _readings(text)]
    Schema.learn(Table.read(X).take(labelled, alone=True), categorical or (), codes)  # rows held out are read late
    start = time.perf_counter()
    limits = {"max_rules": max_rules, "max_columns": max_columns, "max_size": max_size}
    model = _fit(X, y, train, positive, categorical=categorical, missing_values=codes, random_state=seed, **limits)
    seconds = time.perf_counter() - start
    kept = partial if model.interrupted_ else output
    try:
        if kept is not None:
            save(model.rules_, kept, like=output)  # who may not read the model may not read part of it
    finally:
        _show(model.rules_)  # what was learned is seen even if the disk is full by now
    learned = f"{len(train):,} rows learned from"
    accuracies = [f"accuracy {model.score(X.iloc[train], y[train]):.4f} on the {learned}"]
    if len(test):
        accuracies.append(f"{model.score(X.iloc[test], y[test]):.4f} on {len(test):,} held out")
    out.print(f"{', '.join(accuracies)}; {seconds:.1f} s")
    if kept is not None:
        out.print(Text(f"saved to {kept}" + (f"; {output} is as it was" if model.interrupted_ else "")))
    if model.interrupted_:
        raise typer.Exit(130)  # as a shell says of what a Ctrl-C ended


@app.command()
def show(model: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")]) -> None:
    """Show the rules in a model file."""
    _show(load(model))


# -- what fit checks before it learns -----------------------------------------------------------------


def _fit(X: pd.DataFrame, y: Any, train: Any, positive: str | None, **parameters: Any) -> Any:
    """Fit to some rows. The others have no weight, so that whatever is wrong is told with its row in the file."""
    with hold_interrupts():  # a Ctrl-C in the import of a compiled library aborts the process
        from r2n import R2NClassifier  # only fitting loads the training engine

    weight = np.zeros(len(y))
    weight[train] = 1.0
    described = None if positive is None else label_named(set(y.tolist()), positive)
    return R2NClassifier(positive=described, progress=err.is_terminal, **parameters).fit(X, y, weight)


def _show(rules: Any) -> None:
    out.print(Text(str(rules)))
    out.print(f"{count(rules.n_rules, 'rule')}, {rules.literals_per_rule:.1f} literals in each, size {rules.size}")


def _write_anything(stream: object) -> None:
    """Rules hold signs such as · and → that not every encoding has: files and pipes get UTF-8, old terminals a ?."""
    if isinstance(stream, io.TextIOWrapper):
        errors = "replace" if stream.errors == "strict" else stream.errors
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    err.print(Text.assemble(("warning: ", "bold yellow"), str(message)))


def _give_up_output() -> None:
    """What could not be written is given up, or Python would try again, and complain, when it ends."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _require(frame: pd.DataFrame, name: str) -> None:
    if name not in frame.columns:
        raise SchemaError(no_such_column(name, [str(column) for column in frame.columns], "the table"))


def _labelled_rows(labels: pd.Series[Any], drop: bool) -> Any:
    """The places of the rows with a label; if some have none, that is said or refused."""
    known = labels.notna().to_numpy()
    if not known.all():
        rows = name_rows(np.flatnonzero(~known).tolist())
        where = f"column {str(labels.name)!r} holds no label in {rows} (the first row is 0)"
        if not drop:
            raise SchemaError(f"{where}. Fill them in, or leave such rows out with --drop-unlabelled.")
        if not known.any():
            raise SchemaError(f"column {str(labels.name)!r} holds no label at all. Name another column.")
        err.print(Text(f"{where}: left out"))
    return np.flatnonzero(known)


def _refuse_input(output: Path, table: Path) -> None:
    if output.exists() and table.exists() and output.samefile(table):
        raise ParameterError(f"{output} is the table that is read. Name another file to write.")


def _labels(labels: pd.Series[Any], labelled: Any, table: Path, missing: list[str] | tuple[str, ...]) -> Any:
    """All labels as plain values. A row without one gets one that is there: it will have no weight."""
    values = label_array(labels.iloc[labelled].tolist())  # nullable columns too give plain numbers or Booleans
    if len(values) == len(labels):
        return values
    if values.dtype.kind == "f" and holds_integers(table, str(labels.name), missing):
        values = values.astype(np.int64)  # pandas reads 1, 0 and a gap as floats
    filled = np.empty(len(labels), dtype=values.dtype)
    filled[:] = values[0]
    filled[labelled] = values
    return filled


def _check_classes(y: Any, train: Any, target: str) -> None:
    """Holding out may leave a single class to learn from."""
    if len(train) == 0 or (len(set(y[train].tolist())) == 1 and len(set(y.tolist())) > 1):
        raise SchemaError(
            f"the {count(len(train), 'row')} to learn from have no two classes in column {target!r}. "
            f"Lower --holdout, or take another --seed."
        )


def _readings(text: str) -> list[Any]:
    """A value given as text may be that text, or the number that it reads as."""
    try:
        return [text, float(text)]
    except ValueError:
        return [text]


def _split(rows: Any, share: float, seed: int) -> tuple[Any, Any]:
    order = rows[np.random.default_rng(seed).permutation(len(rows))]
    held = round(share * len(rows))
    return np.sort(order[held:]), np.sort(order[:held])
