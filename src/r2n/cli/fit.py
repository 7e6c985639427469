"""`r2n fit`: learn rules from a table in a file, show them and save them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer
from rich.text import Text

from r2n.cli.inputs import find_label
from r2n.cli.screen import err, out, show_rules
from r2n.errors import ParameterError, SchemaError
from r2n.rules import save
from r2n.rules.label import label_array
from r2n.runtime.interrupts import hold_interrupts
from r2n.runtime.outputs import check_writable
from r2n.table import Schema, Table
from r2n.table.files import holds_integers, read_table
from r2n.table.names import no_such_column
from r2n.words import count, name_rows

if TYPE_CHECKING:
    import pandas as pd

Target = Annotated[str, typer.Option(help="The column to predict.")]
Positive = Annotated[str | None, typer.Option(help="The label that the rules describe.")]
Output = Annotated[Path | None, typer.Option("-o", "--output", help="Save the rules to this file.")]
Ignore = Annotated[list[str] | None, typer.Option(help="A column to leave out; may be repeated.")]
Categorical = Annotated[list[str] | None, typer.Option(help="A column of numbers that are categories.")]
MissingCode = Annotated[list[str] | None, typer.Option(help="A value that stands for a missing one.")]
Holdout = Annotated[float, typer.Option(min=0.0, max=0.9, help="Share of rows kept to test the rules on.")]
MaxRules = Annotated[int | None, typer.Option(min=1, help="The most rules.")]
MaxColumns = Annotated[int, typer.Option(min=1, help="The most columns in a condition.")]
MaxSize = Annotated[int | None, typer.Option(min=1, help="The most columns to read in all rules of a class.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same rules on the same machine.")]
DropUnlabelled = Annotated[
    bool, typer.Option("--drop-unlabelled", help="Leave out rows without a label; else they are an error.")
]


def fit_table(
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file.")],
    target: Target,
    positive: Positive = None,
    output: Output = None,
    ignore: Ignore = None,
    categorical: Categorical = None,
    missing: MissingCode = None,
    holdout: Holdout = 0.2,
    max_rules: MaxRules = None,
    max_columns: MaxColumns = 4,
    max_size: MaxSize = None,
    seed: Seed = 0,
    drop_unlabelled: DropUnlabelled = False,
) -> None:
    """Learn rules from a table and show them.

    Ctrl-C ends the work early: the best rules so far are shown, and saved beside the output as NAME.partial.json. The
    exit code is then 130.
    """
    partial = None if output is None else output.with_stem(f"{output.stem}.partial")
    for place in filter(None, (output, partial)):
        _refuse_input(place, table)
        check_writable(place)
    rows = LabelledRows.read(table, target, ignore or [], missing or [], drop_unlabelled).split(holdout, seed)
    codes = None if missing is None else [value for text in missing for value in _readings(text)]
    rows.check(categorical or [], codes)
    limits = {"max_rules": max_rules, "max_columns": max_columns, "max_size": max_size}
    start = time.perf_counter()
    model = _fit(rows, positive, categorical=categorical, missing_values=codes, random_state=seed, **limits)
    seconds = time.perf_counter() - start
    saved = _save_and_show(model, output, partial)
    out.print(f"{', '.join(rows.accuracies(model))}; {seconds:.1f} s")
    if saved is not None:
        out.print(Text(f"saved to {saved}" + (f"; {output} is as it was" if model.interrupted_ else "")))
    if model.interrupted_:
        raise typer.Exit(130)  # as a shell says of what a Ctrl-C ended


@dataclass(frozen=True)
class LabelledRows:
    """A table, its labels, and which rows to learn from and to test on; rows in neither have no label."""

    X: pd.DataFrame
    y: Any
    target: str
    train: Any
    test: Any

    @classmethod
    def read(cls, table: Path, target: str, ignore: list[str], missing: list[str], drop: bool) -> LabelledRows:
        """Read a file; without `drop`, a row without a label is an error. All rows are to learn from."""
        frame = read_table(table, missing)
        for name in (target, *ignore):
            if name not in frame.columns:
                raise SchemaError(no_such_column(name, [str(column) for column in frame.columns], "the table"))
        labelled = _labelled_rows(frame[target], drop)
        y = _labels(frame[target], labelled, table, missing)
        return cls(frame.drop(columns=[target, *ignore]), y, target, labelled, labelled[:0])

    def split(self, holdout: float, seed: int) -> LabelledRows:
        """Hold out a share of the rows to test on."""
        order = self.train[np.random.default_rng(seed).permutation(len(self.train))]
        held = round(holdout * len(order))
        return LabelledRows(self.X, self.y, self.target, np.sort(order[held:]), np.sort(order[:held]))

    def check(self, categorical: list[str], codes: list[Any] | None) -> None:
        """Refuse rows that cannot be learned from, those held out too: reading them after the fit would be late."""
        y, learned = self.y.tolist(), self.y[self.train].tolist()
        if not learned or (len(set(learned)) == 1 and len(set(y)) > 1):
            raise SchemaError(
                f"the {count(len(learned), 'row')} to learn from have no two classes in column {self.target!r}. "
                f"Lower --holdout, or take another --seed."
            )
        labelled = np.sort(np.concatenate([self.train, self.test]))
        Schema.learn(Table.read(self.X).take(labelled, alone=True), categorical, codes)

    def accuracies(self, model: Any) -> list[str]:
        """Say how accurate it is on the rows learned from, and on those held out if there are any."""
        learned = model.score(self.X.iloc[self.train], self.y[self.train])
        found = [f"accuracy {learned:.4f} on the {len(self.train):,} rows learned from"]
        if len(self.test):
            held = model.score(self.X.iloc[self.test], self.y[self.test])
            found.append(f"{held:.4f} on {len(self.test):,} held out")
        return found


def _fit(rows: LabelledRows, positive: str | None, **parameters: Any) -> Any:
    """Fit to the training rows. The others get no weight, so that errors name rows as the file counts them."""
    with hold_interrupts():  # a Ctrl-C in the import of a compiled library aborts the process
        from r2n.estimator import R2NClassifier  # only fitting loads the training engine

    weight = np.zeros(len(rows.y))
    weight[rows.train] = 1.0
    described = None if positive is None else find_label(set(rows.y.tolist()), positive)
    model = R2NClassifier(positive=described, progress=err.is_terminal, **parameters)
    return model.fit(rows.X, rows.y, weight)


def _save_and_show(model: Any, output: Path | None, partial: Path | None) -> Path | None:
    """Save the rules, or what an interrupted fit found beside the output; return the file, if one was asked for."""
    path = partial if model.interrupted_ else output
    try:
        if path is not None:
            save(model.rules_, path, like=output)  # who may not read the model may not read part of it
    finally:
        show_rules(model.rules_)  # the user sees what was learned even if the disk is full by now
    return path


def _refuse_input(output: Path, table: Path) -> None:
    if output.exists() and table.exists() and output.samefile(table):
        raise ParameterError(f"{output} is the table that is read. Name another file to write.")


def _labelled_rows(labels: pd.Series[Any], drop: bool) -> Any:
    """Find the rows with a label; warn of the others if they may be left out, else refuse them."""
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


def _labels(labels: pd.Series[Any], labelled: Any, table: Path, missing: list[str]) -> Any:
    """Read all labels as plain values. A row without a label gets that of another: it will have no weight."""
    values = label_array(labels.iloc[labelled].tolist())  # nullable columns too give plain numbers or Booleans
    if len(values) == len(labels):
        return values
    if values.dtype.kind == "f" and holds_integers(table, str(labels.name), missing):
        values = values.astype(np.int64)  # pandas reads 1, 0 and a gap as floats
    filled = np.empty(len(labels), dtype=values.dtype)
    filled[:] = values[0]
    filled[labelled] = values
    return filled


def _readings(text: str) -> list[Any]:
    """Read a value given as text: as that text, and as a number if it is one."""
    try:
        return [text, float(text)]
    except ValueError:
        return [text]
