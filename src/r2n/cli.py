"""The command line: `r2n demo`, `fit`, `show`, `predict`, `explain`, `diff`, `check`, `export`."""

from __future__ import annotations

import io
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

from r2n import __version__, commands
from r2n.cells import label_named, read_rows
from r2n.commands import load
from r2n.errors import ParameterError, R2NError, SchemaError
from r2n.export import export as write_rules
from r2n.export import formats, read_options, suffix_of
from r2n.files import read_table

if TYPE_CHECKING:
    import pandas as pd

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)
out, err = Console(highlight=False, soft_wrap=True), Console(stderr=True, highlight=False, soft_wrap=True)


app.command("explain")(commands.explain_row)
app.command("diff")(commands.diff_models)
app.command("check")(commands.check_model)


def main() -> None:
    """Run the command line; whatever is wrong with the input ends in one line, not in a traceback."""
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        _write_anything(stream)
    try:
        app()
    except (R2NError, OSError) as error:
        err.print(Text.assemble(("error: ", "bold red"), str(error)))
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
) -> None:
    """Learn rules from a table and show them."""
    _check_writable(output)
    frame = read_table(table, missing or ())
    for name in (target, *(ignore or ())):
        _require(frame, name)
    y = _labels(frame, target)
    X = frame.drop(columns=[target, *(ignore or ())])
    train, test = _split(len(frame), holdout, seed)
    start = time.perf_counter()
    limits = {"max_rules": max_rules, "max_columns": max_columns, "max_size": max_size}
    model = _fit(X.iloc[train], y[train], positive, categorical, missing, seed, limits)
    _show(model.rules_)
    seconds = time.perf_counter() - start
    accuracies = [f"accuracy {model.score(X.iloc[train], y[train]):.4f} on the {len(train):,} rows learned from"]
    if len(test):
        accuracies.append(f"{model.score(X.iloc[test], y[test]):.4f} on {len(test):,} held out")
    out.print(f"{', '.join(accuracies)}; {seconds:.1f} s")
    if output is not None:
        model.rules_.save(output)
        out.print(f"saved to {output}")


@app.command()
def show(model: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")]) -> None:
    """Show the rules in a model file."""
    _show(load(model))


@app.command()
def predict(
    model: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")],
    table: Annotated[Path, typer.Argument(help="A CSV or Parquet file with the same columns.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write here, not to the terminal.")] = None,
) -> None:
    """Predict the label of each row; one line a row, after the header `prediction`."""
    rules = load(model)
    labels = rules.predict(read_rows(rules, table))
    lines = "\n".join(["prediction", *map(_csv_cell, labels.tolist())]) + "\n"
    if output is None:
        sys.stdout.write(lines)
    else:
        output.write_text(lines, encoding="utf-8")
        err.print(f"{len(labels):,} predictions written to {output}")


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def export(
    context: typer.Context,
    model: Annotated[Path, typer.Argument(help="A file saved by `r2n fit -o`.")],
    to: Annotated[str, typer.Option(help=f"The format: {', '.join(formats())}.")],
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write here, not to the terminal.")] = None,
) -> None:
    """Write the rules in another language. Options of the format follow, such as --dialect and --form for sql."""
    _check_writable(output)
    rules = load(model)
    texts = _pairs(context.args)
    _check_texts(texts)
    options = read_options(to, texts)
    if "rows" in options:
        options["rows"] = read_rows(rules, Path(options["rows"]))
    written = write_rules(rules, to, **options)
    content = written if isinstance(written, bytes) else written.encode("utf-8")
    if output is None and isinstance(written, bytes) and sys.stdout.isatty():
        raise ParameterError(f"{to} is no text for a terminal. Name a file to write to: -o model{suffix_of(to)}")
    if output is None:
        sys.stdout.buffer.write(content)
    else:
        output.write_bytes(content)
        err.print(f"{len(content):,} bytes written to {output}")


def _pairs(words: list[str]) -> dict[str, str]:
    """`--key value` and `--key=value` as a dict."""
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
    """Bytes that are no UTF-8 come as surrogates, which no format can write; only the path of a file may hold them."""
    for name, text in texts.items():
        if name != "rows" and any("\ud800" <= sign <= "\udfff" for sign in text):
            option = name.replace("_", "-")
            raise ParameterError(f"--{option} is {text!r}, which cannot be written as UTF-8. Give it as UTF-8 text.")


def _fit(
    X: pd.DataFrame,
    y: Any,
    positive: str | None,
    categorical: list[str] | None,
    missing: list[str] | None,
    seed: int,
    limits: dict[str, Any],
) -> Any:
    from r2n import R2NClassifier  # only fitting loads the training engine

    model = R2NClassifier(
        positive=None if positive is None else label_named(set(y.tolist()), positive),
        categorical=categorical,
        missing_values=None if missing is None else [value for text in missing for value in _readings(text)],
        progress=err.is_terminal,
        random_state=seed,
        **limits,
    )
    return model.fit(X, y)


def _show(rules: Any) -> None:
    out.print(Text(str(rules)))
    many = "rule" if rules.n_rules == 1 else "rules"
    out.print(f"{rules.n_rules} {many}, {rules.literals_per_rule:.1f} literals in each, size {rules.size}")


def _write_anything(stream: object) -> None:
    """Rules hold signs such as · and → that not every encoding has: files and pipes get UTF-8, old terminals a ?."""
    if isinstance(stream, io.TextIOWrapper):
        errors = "replace" if stream.errors == "strict" else stream.errors
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    err.print(Text.assemble(("warning: ", "bold yellow"), str(message)))


def _check_writable(output: Path | None) -> None:
    """Whether a file can be written there is known before the work is done."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        raise SchemaError(f"{output} cannot be written: it is a folder, or its folder is not there. Name a file.")


def _require(frame: pd.DataFrame, name: str) -> None:
    if name not in frame.columns:
        from r2n.schema.table import no_such_column

        raise SchemaError(no_such_column(name, [str(column) for column in frame.columns], "the table"))


def _labels(frame: pd.DataFrame, target: str) -> Any:
    labels = frame[target]
    if labels.notna().all():
        return np.array(labels.tolist())  # nullable columns too give plain numbers or Booleans
    return labels.astype(object).where(labels.notna(), None).to_numpy()


def _readings(text: str) -> list[Any]:
    """A value given as text may be that text, or the number that it reads as."""
    try:
        return [text, float(text)]
    except ValueError:
        return [text]


def _split(n_rows: int, share: float, seed: int) -> tuple[Any, Any]:
    order = np.random.default_rng(seed).permutation(n_rows)
    held = round(share * n_rows)
    return np.sort(order[held:]), np.sort(order[:held])


def _csv_cell(label: object) -> str:
    text = str(label)
    quoted = text.replace('"', '""')
    return f'"{quoted}"' if any(sign in text for sign in ',"\n\r') else text
