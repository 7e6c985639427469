"""Commands about a model: why a row gets its label, what changed between two models, how one does on new rows."""

from __future__ import annotations

import os.path
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from r2n.errors import ModelFileError, ParameterError, SchemaError
from r2n.explain import explain, smallest_change
from r2n.files import MISSING, read_table
from r2n.rules import ClassRules, RuleSet, check, modelfile
from r2n.rules.baseline import parts
from r2n.rules.text import write_value
from r2n.schema import Column, Value
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
    wanted = None if to is None else label_named(_labels(rules), to)
    change = smallest_change(rules, cells, wanted, fixed=fixed or (), spread=steps)
    typer.echo(f"{explain(rules, cells, steps)}\n{change}")


def diff_models(
    before: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")],
    after: Annotated[Path, typer.Argument(help="Another one.")],
    table: Annotated[Path | None, typer.Argument(help="Show also which of its rows are decided differently.")] = None,
) -> None:
    """Show which rules came, went or changed from one model to another, and whether any row is decided differently."""
    old, new = load(before), load(after)
    typer.echo(str(old.diff(new, None if table is None else read_rows(old, table))))
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
    texts = () if target is None or target in _columns(rules) or not _all_text(_labels(rules)) else (target,)
    frame = read_rows(rules, table, texts)
    typer.echo(str(check(rules, frame, None if target is None else _targets(rules, frame, target))))


def load(path: Path) -> RuleSet | ClassRules:
    """The rules in a model file."""
    if not path.exists() or path.is_dir():
        raise ModelFileError(f"there is no file {path}. Give the path of a model that `r2n fit -o` saved.")
    return modelfile.load(path)


def read_rows(rules: RuleSet | ClassRules, path: Path, text: Collection[str] = ()) -> pd.DataFrame:
    """A table in a file, in which the texts that stood for missing values at fit are missing.

    Columns of texts stay such, even where these look like numbers; so do the columns named as `text`.
    """
    columns = rules.schema.columns if rules.schema is not None else ()
    codes = {each.name: [code for code in each.missing_values if isinstance(code, str)] for each in columns}
    texts = {each.name for each in columns if each.categories and _all_text(each.categories)}
    return read_table(path, codes, texts.union(text))


def _columns(rules: RuleSet | ClassRules) -> tuple[str, ...]:
    return rules.columns if rules.schema is None else rules.schema.names


def _all_text(values: Iterable[Value]) -> bool:
    return all(isinstance(value, str) for value in values)


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
    known = _columns(rules)
    fitting = [name for name in known if word.startswith(f"{name}=")]
    if not fitting:
        name, sign, _ = word.partition("=")
        problem = no_such_column(name, known, "the model") if sign else f"{word!r} is no column=value."
        raise ParameterError(problem)
    name = max(fitting, key=len)
    text = word.removeprefix(f"{name}=")
    return name, _value(None if rules.schema is None else rules.schema.column(name), text, name)


def _value(column: Column | None, text: str, name: str) -> Value | None:
    """A value as the column holds it: a number, the category that is written so, or nothing."""
    if text == "":
        return None
    categories = () if column is None else column.categories
    found = label_named(categories, text)
    if found in categories:
        return found
    if text in MISSING or (column is not None and text in column.missing_values):
        return None
    if column is not None and column.kind == "categorical":
        return text
    try:
        return float(text)
    except ValueError:
        if column is None:
            return text
        raise ParameterError(f"{name!r} holds numbers, and {text!r} is none. Give a number.") from None


# -- labels as text ----------------------------------------------------------------------------------


def _labels(rules: RuleSet | ClassRules) -> list[Value]:
    return list(dict.fromkeys([*(part.label for part in parts(rules)), rules.default]))


def label_named(labels: Iterable[Value], text: str) -> Value:
    """The label (or category) that is written so; the text itself if none is.

    >>> label_named([0.0, 1.0], "1"), label_named([True, False], "true"), label_named([1, "1"], '"1"')
    (1.0, True, '1')
    """
    known = list(labels)
    written = {str(label): label for label in known} | {write_value(label): label for label in known}
    return next((label for label in known if _reads_as(label, text)), text) if text not in written else written[text]


def _reads_as(label: Value, text: str) -> bool:
    if isinstance(label, bool):
        return str(label).lower() == text.lower()
    try:
        return not isinstance(label, str) and float(text) == label
    except ValueError:
        return False


def _targets(rules: RuleSet | ClassRules, frame: pd.DataFrame, target: str) -> list[Any]:
    if target not in frame.columns:
        raise SchemaError(no_such_column(target, [str(name) for name in frame.columns], "the table"))
    cells = frame[target]
    if cells.isna().any():
        row = int(cells.isna().to_numpy().argmax())
        raise SchemaError(f"column {target!r} holds no label in row {row}. Drop such rows, or leave out --target.")
    found: list[Any] = cells.tolist()
    labels = _labels(rules)
    if found and not any(label in labels for label in set(found)):
        raise SchemaError(
            f"column {target!r} holds none of the labels {labels}, but {found[0]!r}. Name another column."
        )
    return found
