"""Commands about a model: why a row gets its label, what changed between two models, how one does on new rows."""

from __future__ import annotations

import os.path
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from r2n.cells import columns_of, label_named, labels_of, read_rows, reader
from r2n.errors import ModelFileError, ParameterError, SchemaError
from r2n.explain import explain, smallest_change
from r2n.rules import ClassRules, RowDiff, RuleSet, check, modelfile
from r2n.schema import Value
from r2n.schema.table import no_such_column

if TYPE_CHECKING:
    import pandas as pd

Model = Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")]


def explain_row(
    model: Model,
    row: Annotated[list[str], typer.Argument(help="column=value for each column (column= if missing), or a table.")],
    number: Annotated[int, typer.Option("--row", min=0, help="Which row of the table; the first is 0.")] = 0,
    to: Annotated[str | None, typer.Option(help="The label to get to; by default any other.")] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A column that cannot change; may be repeated.")] = None,
    spread: Annotated[Path | None, typer.Option(help="A table whose spreads say how large a change is.")] = None,
) -> None:
    """Say why a row gets its label, and the smallest change that gives it another."""
    rules = load(model)
    cells = _row(rules, row, number)
    steps = None if spread is None else read_rows(rules, spread)
    wanted = None if to is None else label_named(labels_of(rules), to)
    change = smallest_change(rules, cells, wanted, fixed=fixed or (), spread=steps)
    typer.echo(f"{explain(rules, cells, steps)}\n{change}")


def diff_models(
    before: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")],
    after: Annotated[Path, typer.Argument(help="Another one.")],
    table: Annotated[Path | None, typer.Argument(help="Show also which of its rows are decided differently.")] = None,
) -> None:
    """Show which rules came, went or changed from one model to another, and whether any row is decided differently."""
    old, new = load(before), load(after)
    found = old.diff(new)
    if table is not None:  # read for each model, because a column may hold numbers to one and texts to the other
        labels = [model.predict(read_rows(model, table)) for model in (old, new)]
        found = replace(found, rows=RowDiff.between(*labels))
    typer.echo(str(found))
    alike = old.equivalent(new, time_limit=20.0)
    undecided = "undecided: neither proven to decide every row alike, nor a row found that they do not"
    typer.echo("proven to decide every row alike" if alike else undecided if alike.undecided else str(alike))


def check_model(
    model: Model,
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with the same columns.")],
    target: Annotated[str | None, typer.Option(help="The column of the true labels, if it is there.")] = None,
) -> None:
    """Count each rule on new rows, and compare with what it was in training."""
    rules = load(model)
    frame = read_rows(rules, table, target)
    typer.echo(str(check(rules, frame, None if target is None else _targets(rules, frame, target))))


def load(path: Path) -> RuleSet | ClassRules:
    """The rules in a model file."""
    if not path.exists() or path.is_dir():
        raise ModelFileError(f"there is no file {path}. Give the path of a model that `r2n fit -o` saved.")
    return modelfile.load(path)


# -- rows as text ------------------------------------------------------------------------------------


def _row(rules: RuleSet | ClassRules, words: list[str], number: int) -> Any:
    if len(words) == 1 and ("=" not in words[0] or os.path.exists(words[0])):
        frame = read_rows(rules, Path(words[0]))
        if number >= len(frame):
            raise SchemaError(f"{words[0]} has {len(frame)} rows, the first of which is 0. There is no row {number}.")
        return frame.iloc[[number]]
    pairs = [_pair(rules, word) for word in words]
    cells = dict(pairs)
    if len(cells) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ParameterError(f"column {twice!r} is given more than once. Give each column one value.")
    absent = [name for name in rules.columns if name not in cells]
    if absent:
        raise ParameterError(f"the rules read {absent[0]!r} too. Give {absent[0]}=…, or {absent[0]}= if it is missing.")
    return cells


def _pair(rules: RuleSet | ClassRules, word: str) -> tuple[str, Value | None]:
    """`column=value`; names may hold equals signs themselves."""
    known = columns_of(rules)
    fitting = [name for name in known if word.startswith(f"{name}=")]
    if not fitting:
        name, sign, _ = word.partition("=")
        problem = no_such_column(name, known, "the model") if sign else f"{word!r} is no column=value."
        raise ParameterError(problem)
    name = max(fitting, key=len)
    value = reader(rules, name)(word.removeprefix(f"{name}="))
    if isinstance(value, str) and rules.schema is not None and rules.schema.column(name).kind == "numeric":
        raise ParameterError(f"{name!r} holds numbers, and {value!r} is none. Give a number.")
    return name, value


# -- labels as text ----------------------------------------------------------------------------------


def _targets(rules: RuleSet | ClassRules, frame: pd.DataFrame, target: str) -> list[Any]:
    if target not in frame.columns:
        raise SchemaError(no_such_column(target, [str(name) for name in frame.columns], "the table"))
    cells = frame[target]
    if cells.isna().any():
        row = int(cells.isna().to_numpy().argmax())
        raise SchemaError(f"column {target!r} holds no label in row {row}. Drop such rows, or leave out --target.")
    found: list[Any] = cells.tolist()
    labels = labels_of(rules)
    if found and not any(label in labels for label in set(found)):
        raise SchemaError(
            f"column {target!r} holds none of the labels {labels}, but {found[0]!r}. Name another column."
        )
    return found
