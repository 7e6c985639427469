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
        ├── BrokenPromise                  no threshold keeps what was promised
        ├── ConstantRules                  no rules were found that beat a constant
        ├── GapNotKept                     a bound on the gap between groups cannot be promised
        ├── Interrupted                    stopped early, with the best found so far
        ├── RepeatedColumns                columns of a file have the same name, and got suffixes
        ├── UnseenCategory                 an expert names a category that no row has
        └── WorkersLost                    work was done again that other processes had begun

Every message says what came, what was expected, and what to do, in at most 2,000 bytes: a name may be a megabyte long.
"""

from __future__ import annotations

__all__ = [
    "BrokenPromise",
    "ConstantRules",
    "DataUnavailable",
    "EngineUnavailable",
    "GapNotKept",
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
    """Shorten a message to at most so many bytes: keep its start and its end, which says what to do.

    Examples
    --------
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
    """The root of r2n's errors: catch it to catch whatever r2n raises on purpose.

    Parameters
    ----------
    *args : object
        The message: what came, what was expected, and what to do.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> try:
    ...     RuleSet.parse("yes if x >")
    ... except R2NError as error:
    ...     print(type(error).__name__)
    ParseError
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten(arg) if isinstance(arg, str) else arg for arg in args))


class SchemaError(R2NError, ValueError):
    """A table, or a column of it, is not what was expected."""


class ModelFileError(R2NError, ValueError):
    """A file is no model file that this version can read."""


class ParameterError(R2NError, ValueError):
    """An argument has a value that means nothing here."""


class OutputError(R2NError, OSError):
    """No file can be written at this path."""


class DataUnavailable(R2NError, OSError):  # noqa: N818 - it says more without "Error"
    """A data set is not on this machine and could not be fetched."""


class EngineUnavailable(R2NError, RuntimeError):  # noqa: N818 - likewise
    """The network can be trained neither in this process nor in a separate one."""


class ParseError(R2NError, ValueError):
    """A text is not a rule; the message points at the place.

    Parameters
    ----------
    problem : str
        What is wrong, and what to do.
    line : int
        The line of the text, from 1.
    column : int
        The place in the line, from 1.
    source : str
        The line itself.

    Examples
    --------
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
        """Show the offending line with a caret under the place; cut a long line to a window around it."""
        at = self.column - 1
        start = max(0, at - _SHOWN)
        shown = self.source[start : at + _SHOWN]
        # A tab stays a tab under itself, whatever its width on the reader's screen.
        pad = "".join("\t" if char == "\t" else " " for char in self.source[start:at])
        return f"    {shown}\n    {pad}^"


class R2NWarning(UserWarning):
    """The root of r2n's warnings.

    Parameters
    ----------
    *args : object
        The message.

    Examples
    --------
    >>> issubclass(Interrupted, R2NWarning)
    True
    """

    def __init__(self, *args: object) -> None:
        super().__init__(*(shorten(arg) if isinstance(arg, str) else arg for arg in args))


class BrokenPromise(R2NWarning):
    """No threshold keeps the recall or precision that was promised, on rows held out; the nearest was taken."""


class ConstantRules(R2NWarning):
    """No rules beat a constant answer, so the model is that constant."""


class GapNotKept(R2NWarning):
    """Too few rows are held out to promise that a bound on the gap between groups is kept."""


class Interrupted(R2NWarning):
    """The work was stopped early; the result is the best found so far."""


class RepeatedColumns(R2NWarning):
    """Columns of a file have the same name, and the later ones got suffixes."""


class UnseenCategory(R2NWarning):
    """An expert's literal names a category that no row has: it may be misspelt, or occur in other rows only."""


class WorkersLost(R2NWarning):
    """Processes that worked side by side died or did not start; their work is done again."""
