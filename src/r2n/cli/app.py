"""The command line: `r2n demo`, `fit`, `show`, `predict`, `explain`, `diff`, `check`, `update`, `export`."""

from __future__ import annotations

import sys
import warnings
from typing import Annotated

import typer

from r2n import __version__
from r2n.cli import commands, demo, fit, update
from r2n.cli.screen import accept_all_signs, discard_unwritten_output, out, show_error, show_warning
from r2n.errors import R2NError

app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)

app.command("demo")(demo.run_demo)
app.command("fit")(fit.fit_table)
app.command("show")(commands.show_model)
app.command("predict")(commands.predict_rows)
app.command("export", cls=commands.ExportCommand, context_settings=commands.ANY_OPTIONS)(commands.export_rules)
app.command("explain")(commands.explain_row)
app.command("diff")(commands.diff_models)
app.command("check")(commands.check_model)
app.command("update")(update.update_model)


def main() -> None:
    """Run the command line; whatever is wrong with the input ends in one line, not in a traceback."""
    warnings.showwarning = show_warning
    for stream in (sys.stdout, sys.stderr):
        accept_all_signs(stream)
    try:
        try:
            app()
        finally:
            if sys.stdout is not None:  # it may be closed
                sys.stdout.flush()  # a full disk is an error, not a note at the interpreter's end
    except (R2NError, OSError) as error:
        show_error(error)
        discard_unwritten_output()
        sys.exit(1)


@app.callback(invoke_without_command=True)
def top(version: Annotated[bool, typer.Option("--version", help="Show the version and end.")] = False) -> None:
    """Learn classification rules that a person can read, check, edit and ship."""
    if version:
        out.print(__version__)
        raise typer.Exit
