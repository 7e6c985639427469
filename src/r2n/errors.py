"""Everything r2n raises or warns about.

::

    Exception
    └── R2NError
        ├── SchemaError      (ValueError)  a table or a column is not what was expected
        ├── ParseError       (ValueError)  a text is not a rule
        ├── ModelFileError   (ValueError)  a file is not a saved rule set
        ├── ParameterError   (ValueError)  an argument has a value without a meaning
        ├── OutputError      (OSError)     a file cannot be written in this place
        ├── DataUnavailable  (OSError)     a data set could not be had
        └── EngineUnavailable (RuntimeError)  the network cannot be trained in this process

    UserWarning
    └── R2NWarning
        ├── ConstantRules                  no rules were found that beat a constant
        ├── Interrupted                    stopped early, with the best found so far
        ├── RepeatedColumns                columns of a file have the same name, and got suffixes
        ├── UnseenCategory                 an expert names a category that no row has
        └── WorkersLost                    work was done again that other processes had begun

Every message says what came, what was expected, and what to do, in at most 2,000 bytes: a name may be a megabyte long.
"""

from __future__ import annotations

__all__ = [
    "ConstantRules",
    "DataUnavailable",
    "EngineUnavailable",
    "Interrupted",
    "ModelFileError",
    "OutputError",
    "ParameterError",
    "ParseError",
    "R2NError",
    "R2NWarning",
    "RepeatedColumns",
    "SchemaError",
    "UnseenCategory",
    "WorkersLost",
]

# How much of a long line is shown on either side of the caret.
_SHOWN = 60

MOST_BYTES = 2000  # of a message


def shorten(message: str, most: int = MOST_BYTES) -> str:
    """A message of at most so many bytes: of a longer one the start and the end, which says what to do.

    >>> shorten("column '" + "x" * 5000 + "' is unknown. Rename it.", most=60)
    "column 'xxxxxxxxxxxxxxxxxxxx … xxx' is unknown. Rename it."
    """
    if len(message) <= most // 4:  # no character takes more than four bytes
        return message
    encoded = message.encode("utf-8", "surrogatepass")
    if len(encoded) <= most:
        return message
    room = most - len(" … ".encode())
    head, tail = encoded[: room - room // 2], encoded[len(encoded) - room // 2 :]
    # Half a character at the cut is left out.
    return " … ".join(part.decode("utf-8", "ignore") for part in (head, tail))


class R2NError(Exception):
    """The root: catch it to catch whatever r2n raises on purpose."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten(arg) if isinstance(arg, str) else arg for arg in args))


class SchemaError(R2NError, ValueError):
    """A table, or a column of it, is not what was expected."""


class ModelFileError(R2NError, ValueError):
    """A file is not a rule set that this version can read."""


class ParameterError(R2NError, ValueError):
    """An argument has a value without a meaning."""


class OutputError(R2NError, OSError):
    """A path is not one that a file can be written to."""


class DataUnavailable(R2NError, OSError):  # noqa: N818 - it says more without "Error"
    """A data set is neither on this machine nor could it be fetched."""


class EngineUnavailable(R2NError, RuntimeError):  # noqa: N818 - likewise
    """The network can be trained neither in this process nor in one of its own."""


class ParseError(R2NError, ValueError):
    """A text is not a rule; the message points at the place.

    >>> print(ParseError("expected a number.", line=1, column=6, source="x0 > and x1 < 3"))
    line 1, column 6: expected a number.
        x0 > and x1 < 3
             ^
    """

    def __init__(self, problem: str, line: int, column: int, source: str) -> None:
        # All four go to `args`, so that the error survives pickling between processes.
        super().__init__(problem, line, column, source)
        self.args = (self.args[0], line, column, source)  # the line stays whole, for `column` counts from its start
        self.problem = str(self.args[0])
        self.line = line
        self.column = column
        self.source = source

    def __str__(self) -> str:
        # What is shown of the line is short, but for the widest characters.
        pointer = self._pointer()
        head = f"line {self.line}, column {self.column}: {self.problem}"
        return f"{shorten(head, MOST_BYTES - 1 - len(pointer.encode('utf-8', 'surrogatepass')))}\n{pointer}"

    def _pointer(self) -> str:
        """The offending line with a caret under the place; long lines are cut to a window around it."""
        at = self.column - 1
        start = max(0, at - _SHOWN)
        shown = self.source[start : at + _SHOWN]
        # A tab stays a tab under itself, whatever its width on the reader's screen.
        pad = "".join("\t" if char == "\t" else " " for char in self.source[start:at])
        return f"    {shown}\n    {pad}^"


class R2NWarning(UserWarning):
    """The root of r2n's warnings."""

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten(arg) if isinstance(arg, str) else arg for arg in args))


class ConstantRules(R2NWarning):
    """No rules were found that are better than always giving the same answer: the model is that answer."""


class Interrupted(R2NWarning):
    """The work was stopped early; what is returned is the best found so far."""


class RepeatedColumns(R2NWarning):
    """Columns of a file have the same name; the later ones got suffixes."""


class UnseenCategory(R2NWarning):
    """An expert's literal names a category that no row has: it may be mistyped, or be in other rows only."""


class WorkersLost(R2NWarning):
    """Processes that worked side by side died, or could not be started; their work is done again."""
