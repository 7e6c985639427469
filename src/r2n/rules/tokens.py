"""Text to tokens, each with its place."""

from __future__ import annotations

import json
import re
from typing import Literal as Choice
from typing import NamedTuple

from r2n.errors import ParseError
from r2n.rules.text import RESERVED, WORD

TokenKind = Choice["name", "string", "number", "keyword", "sign", "end"]

_LONGEST_WORD = max(map(len, RESERVED))

_TOKEN = re.compile(
    rf"""(?P<space>\s+)
       | (?P<string>"[^"\\]*+(?:\\.[^"\\]*+)*+")
       | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
       | (?P<word>{WORD})
       | (?P<sign>>=|<=|==|!=|[><=≥≤+\-–*·/{{}}(),%])""",
    re.VERBOSE | re.DOTALL,
)


MOST_TOKENS = 50_000  # of a text: more than a person reads, and as many as are read in half a second

_TOO_LONG = (
    f"this text is longer than {MOST_TOKENS:,} names, numbers and signs, and read no further. "
    f"Save such rules as a model file (RuleSet.save), and read that (r2n.load)."
)
_SIGNS = {"≥": ">=", "≤": "<=", "*": "·", "==": "=", "–": "-"}


class Token(NamedTuple):
    """A piece of text that means something; `text` of a string is what it says, without quotes."""

    kind: TokenKind
    text: str
    start: int
    reads: str = ""
    """What it is in the language: a word in small letters, or a sign; a name, a string or a number is nothing."""

    def __str__(self) -> str:
        """As shown to the person who wrote it."""
        return {"end": "the end", "string": json.dumps(self.text)}.get(self.kind, repr(self.text))


def tokenise(source: str) -> list[Token]:
    """Split a text into its tokens, and an `end` after them.

    >>> [(token.kind, token.text) for token in tokenise('x0 >= "a b"')]
    [('name', 'x0'), ('sign', '>='), ('string', 'a b'), ('end', '')]
    """
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        match = _TOKEN.match(source, at)
        if match is None:
            raise error_at(source, at, _why_not(source[at]))
        if match.lastgroup != "space":
            if len(tokens) == MOST_TOKENS:
                raise error_at(source, at, _TOO_LONG)
            tokens.append(_token(source, match))
        at = match.end()
    return [*tokens, Token("end", "", len(source))]


def error_at(source: str, at: int, problem: str) -> ParseError:
    """Make a ParseError for the place `at`, counted from the start of the text."""
    before = source[:at]
    line_start = before.rfind("\n") + 1
    line_end = source.find("\n", at)
    line = source[line_start : line_end if line_end >= 0 else len(source)]
    return ParseError(problem, before.count("\n") + 1, at - line_start + 1, line)


def _token(source: str, match: re.Match[str]) -> Token:
    text, start = match.group(), match.start()
    match match.lastgroup:
        case "word":
            # Words of the language are known in any case, so that SQL's AND and OR are read too.
            word = text.lower() if len(text) <= _LONGEST_WORD else ""
            return Token("keyword", text, start, word) if word in RESERVED else Token("name", text, start)
        case "string":
            return Token("string", _unquote(source, text, start), start)
        case "number":
            return Token("number", text, start)
        case _:
            sign = _SIGNS.get(text, text)
            return Token("sign", sign, start, sign)


def _unquote(source: str, text: str, start: int) -> str:
    try:
        return str(json.loads(text))
    except json.JSONDecodeError as error:
        raise error_at(
            source, start + error.pos, 'this is not a JSON string. Escape it as \\n, \\" or \\u0041.'
        ) from None


def _why_not(char: str) -> str:
    if char == '"':
        return 'this quote is never closed. Add a " at the end of the name.'
    if char in "'`":
        return f'{char} does not quote here. Use "double quotes".'
    if char == "!":
        return "there is no `!` here, only `!=`."
    return f"{char!r} has no meaning here. Put names with odd characters in double quotes."
