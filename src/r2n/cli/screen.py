"""What the command line shows: rules, warnings and errors, on standard output or beside it."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

from rich.console import Console
from rich.text import Text

from r2n.rules import AnyRules
from r2n.words import count

out, err = Console(highlight=False, soft_wrap=True), Console(stderr=True, highlight=False, soft_wrap=True)


def show_rules(rules: AnyRules) -> None:
    """Print the rules, and below them how much there is to read."""
    out.print(Text(str(rules)))
    out.print(f"{count(rules.n_rules, 'rule')}, {rules.literals_per_rule:.1f} literals in each, size {rules.size}")


def show_table(text: str) -> None:
    """Print a table as it is; nothing if it is empty."""
    if text:
        out.print(Text(text))


def show_error(error: Exception) -> None:
    """Print one line about an error; the operating system's errors begin with the file they are about."""
    named = isinstance(error, OSError) and error.filename and error.strerror
    words = f"{error.filename} {error.strerror}" if isinstance(error, OSError) and named else str(error)
    err.print(Text.assemble(("error: ", "bold red"), words))


def show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """Print one line about a warning: this replaces `warnings.showwarning`."""
    err.print(Text.assemble(("warning: ", "bold yellow"), str(message)))


def accept_all_signs(stream: object) -> None:
    """Make a stream write signs such as · and → that not every encoding has: UTF-8 to files, a ? to old terminals."""
    if isinstance(stream, io.TextIOWrapper):
        errors = "replace" if stream.errors == "strict" else stream.errors
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def discard_unwritten_output() -> None:
    """Discard what could not be written: Python would try again when it ends, and complain."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
