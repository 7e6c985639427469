"""Commands about a saved model: show, predict, export, explain a row, compare two models, check one on new rows."""

from __future__ import annotations

import os.path
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from r2n.cli.inputs import columns_of, find_label, labels_of, read_rows, reader
from r2n.cli.measures import write_measures
from r2n.cli.screen import show_rules, show_table
from r2n.errors import ModelFileError, OutputError, ParameterError, SchemaError
from r2n.explain import check, explain, smallest_change
from r2n.export import describe, formats, gives_bytes, read_options, suffix_of
from r2n.export import export as write_rules
from r2n.prove import RowDiff
from r2n.rules import AnyRules, ClassRules, LevelRules, modelfile
from r2n.rules.anyrules import comparable
from r2n.rules.text import write_value
from r2n.runtime.outputs import check_writable, write_file
from r2n.table import Value
from r2n.table.names import no_such_column
from r2n.words import count, name_rows

if TYPE_CHECKING:
    import pandas as pd

Model = Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")]


# Options of a format are read by the format itself.
ANY_OPTIONS = {"allow_extra_args": True, "ignore_unknown_options": True}


def show_model(model: Model) -> None:
    """Show the rules in a model file, and how sure the precision of each is."""
    rules = load(model)
    show_rules(rules)
    show_table(write_measures(rules))


def predict_rows(
    model: Model,
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with the same columns.")],
    proba: Annotated[
        bool, typer.Option("--proba", help="Write probabilities too, and of risk levels the level.")
    ] = False,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write here, not to the terminal.")] = None,
) -> None:
    """Predict the label of each row; one line a row, after the header `prediction`."""
    if output is not None:
        check_writable(output)
    rules = load(model)
    written = {label: _csv_cell(label) for label in labels_of(rules)}
    rows = read_rows(rules, table)
    columns = {"prediction": [written[label] for label in rules.predict(rows).tolist()]}
    if proba:
        columns |= _probabilities(rules, rows)
    lines = [",".join(map(_csv_cell, columns)), *map(",".join, zip(*columns.values(), strict=True))]
    content = "".join(f"{line}\n" for line in lines).encode("utf-8")
    if output is None:
        _write_out(content)
    else:
        write_file(output, content)
        typer.echo(f"{count(len(rows), 'prediction')} written to {output}", err=True)


def _probabilities(rules: AnyRules, rows: pd.DataFrame) -> dict[str, list[str]]:
    """The level of each row if there are levels, and its probability: of the positive class, or of each of several."""
    found: dict[str, list[str]] = {}
    if isinstance(rules, LevelRules):
        found["level"] = list(map(_csv_cell, rules.predict_level(rows).tolist()))
    shares = rules.predict_proba(rows).T.tolist()
    if isinstance(rules, ClassRules):
        named = [f"probability of {write_value(label)}" for label in rules.classes]
    else:
        shares, named = [shares[rules.classes.index(rules.targets[0])]], ["probability"]
    return found | {name: list(map(repr, own)) for name, own in zip(named, shares, strict=True)}


class ExportCommand(TyperCommand):
    """A command whose help tells the options of the format that is asked for."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Keep the words of the command line: the help page needs them before any option is read."""
        ctx.meta["r2n.words"] = list(args)  # click shows the help before it has read the options
        return super().parse_args(ctx, args)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Add the options of the chosen format to the help page."""
        words = [part for word in ctx.meta["r2n.words"] for part in word.split("=", 1)]
        named = words[words.index("--to") + 1 :][:1] if "--to" in words else []
        chosen = [name for name in formats() if name in named] or list(formats())
        for name in chosen:
            text, options = describe(name)
            with formatter.section(f"{name}"):
                formatter.write_text(text)
                if options:
                    formatter.write_dl([(f"--{option.replace('_', '-')}", words) for option, words in options.items()])


def export_rules(
    context: typer.Context,
    model: Model,
    to: Annotated[str, typer.Option(help=f"The format: {', '.join(formats())}.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write here, not to the terminal.")] = None,
) -> None:
    """Write the rules in another language. Options of the format follow; `--to FORMAT --help` shows them."""
    if output is not None:
        check_writable(output)
    rules = load(model)
    texts = _pairs(context.args)
    _check_texts(texts)
    options = read_options(to, texts)
    if output is None and gives_bytes(to) and sys.stdout.isatty():
        raise ParameterError(f"{to} is no text for a terminal. Name a file to write to: -o model{suffix_of(to)}")
    if "rows" in options:
        options["rows"] = read_rows(rules, Path(options["rows"]))
    written = write_rules(rules, to, **options)
    content = written if isinstance(written, bytes) else _utf_8(written, f"the rules in {to}")
    if output is None:
        _write_out(content)
    else:
        write_file(output, content)
        typer.echo(f"{count(len(content), 'byte')} written to {output}", err=True)


def explain_row(
    model: Model,
    row: Annotated[list[str], typer.Argument(help="column=value for each column (column= if missing), or a table.")],
    number: Annotated[int, typer.Option("--row", min=0, help="Which row of the table; the first is 0.")] = 0,
    to: Annotated[str | None, typer.Option(help="The label or level to get to; by default any other.")] = None,
    fixed: Annotated[list[str] | None, typer.Option(help="A column that cannot change; may be repeated.")] = None,
    spread: Annotated[Path | None, typer.Option(help="A table whose spreads say how large a change is.")] = None,
) -> None:
    """Say why a row gets its label, and the smallest change that gives it another."""
    rules = load(model)
    cells = _row(rules, row, number)
    steps = None if spread is None else read_rows(rules, spread)
    wanted = None if to is None else find_label(labels_of(rules.chain), to)
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
        labels = [model.predict(read_rows(model, table)) for model in comparable(old, new)]
        found = replace(found, rows=RowDiff.between(*labels))
    typer.echo(str(found))
    alike = old.equivalent(new, time_limit=20.0)
    undecided = "undecided: neither proven to decide every row alike, nor a row found that they do not"
    typer.echo("proven to decide every row alike" if alike else undecided if alike.undecided else str(alike))


def check_model(
    model: Model,
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with the same columns.")],
    target: Annotated[str | None, typer.Option(help="The column of the true labels, if it is there.")] = None,
    groups: Annotated[list[str] | None, typer.Option(help="A column whose groups to compare; may be repeated.")] = None,
) -> None:
    """Count each rule on new rows, and compare with what it was in training."""
    rules = load(model)
    frame = read_rows(rules, table, target)
    labels = None if target is None else read_targets(rules, frame, target)
    typer.echo(str(check(rules, frame, labels, groups or ())))


def load(path: Path) -> AnyRules:
    """Read the rules in a model file."""
    if not path.exists() or path.is_dir():
        raise ModelFileError(f"there is no file {path}. Give the path of a model that `r2n fit -o` saved.")
    return modelfile.load(path)


# -- what is written ---------------------------------------------------------------------------------


def _write_out(content: bytes) -> None:
    """Write all of it to standard output, and find out whether that worked."""
    if sys.stdout is None:
        raise OutputError("standard output is closed. Open it, or name a file with -o.")
    sys.stdout.flush()
    rest = memoryview(content)
    while rest:  # unbuffered, a write may be partial
        rest = rest[sys.stdout.buffer.write(rest) :]
    sys.stdout.buffer.flush()


def _utf_8(text: str, what: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        sign = text[error.start]
        raise ParameterError(
            f"{what} hold {sign!r}, half of a character, which no text in UTF-8 can. Rename that label or column."
        ) from None


def _pairs(words: list[str]) -> dict[str, str]:
    """Read `--key value` and `--key=value` into a dict."""
    split = [part for word in words for part in (word.split("=", 1) if word.startswith("--") else [word])]
    keys, values = split[::2], split[1::2]
    if len(split) % 2 or not all(key.startswith("--") for key in keys):
        raise ParameterError(f"options of a format are written --name value, not {' '.join(words)}.")
    names = [key[2:].replace("-", "_") for key in keys]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ParameterError(f"the option --{twice[0]} is given more than once. Give it once.")
    return dict(zip(names, values, strict=True))


def _check_texts(texts: dict[str, str]) -> None:
    """Refuse bytes that are no UTF-8: no format can write what they come as. The path of a file may hold them."""
    for name, text in texts.items():
        if name != "rows" and any("\ud800" <= sign <= "\udfff" for sign in text):
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} is {text!r}, which cannot be written as UTF-8. Give it as UTF-8 text.")


def _csv_cell(label: object) -> str:
    """Write a label as a cell. An empty or blank line would be no row to most readers, so blanks are quoted."""
    text = str(label)
    _utf_8(text, "the labels")
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if text != text.strip() or not text or any(sign in text for sign in ',"\n\r') else text


# -- rows as text ------------------------------------------------------------------------------------


def _row(rules: AnyRules, words: list[str], number: int) -> Any:
    if len(words) == 1 and ("=" not in words[0] or os.path.exists(words[0])):
        frame = read_rows(rules, Path(words[0]))
        if number >= len(frame):
            raise SchemaError(
                f"{words[0]} has {count(len(frame), 'row')}, the first of which is 0. There is no row {number}."
            )
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


def _pair(rules: AnyRules, word: str) -> tuple[str, Value | None]:
    """Split `column=value`; names may hold equals signs themselves."""
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


def read_targets(rules: AnyRules, frame: pd.DataFrame, target: str) -> list[Any]:
    """Read a column of true labels, which must hold some of the model's."""
    if target not in frame.columns:
        raise SchemaError(no_such_column(target, [str(name) for name in frame.columns], "the table"))
    cells = frame[target]
    if cells.isna().any():
        rows = name_rows(cells.isna().to_numpy().nonzero()[0].tolist())
        raise SchemaError(f"column {target!r} holds no label in {rows}. Drop such rows, or leave out --target.")
    found: list[Any] = cells.tolist()
    labels = labels_of(rules)
    if found and not any(label in labels for label in set(found)):
        raise SchemaError(
            f"column {target!r} holds none of the labels {labels}, but {found[0]!r}. Name another column."
        )
    return found
