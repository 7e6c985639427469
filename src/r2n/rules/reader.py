"""Reading a text token by token: what comes next, what must come, and errors that point at the place."""

from __future__ import annotations

import math
from typing import NoReturn, TypeVar

from r2n.rules.tokens import Token, error_at, tokenise
from r2n.table import Value

T = TypeVar("T")


class Reader:
    """The tokens of one text and a place among them; each method reads what it is named after."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._tokens = tokenise(source)
        self._at = 0
        self._next = self._tokens[0]

    # -- moving --------------------------------------------------------------------------------

    @property
    def _after(self) -> Token:
        return self._tokens[min(self._at + 1, len(self._tokens) - 1)]

    def _take(self) -> Token:
        token = self._next
        self._at = min(self._at + 1, len(self._tokens) - 1)
        self._next = self._tokens[self._at]
        return token

    def _is(self, *texts: str) -> bool:
        return self._next.reads in texts

    def _skip(self, text: str) -> bool:
        if self._next.reads != text:
            return False
        self._take()
        return True

    def _expect(self, text: str, why: str) -> None:
        if not self._skip(text):
            self._fail(f"expected `{text}` {why}")

    def _fail(self, expected: str) -> NoReturn:
        self.fail_at(self._next.start, f"{expected}, not {self._next}.")

    def fail_at(self, start: int, problem: str) -> NoReturn:
        """Raise a ParseError for this place."""
        raise error_at(self._source, start, problem)

    def _refuse(self, start: int, problem: str | None) -> None:
        if problem is not None:
            self.fail_at(start, problem)

    def whole(self, read: T) -> T:
        """Return what was read, if nothing follows it."""
        if self._next.kind != "end":
            self._fail("expected `and`, `or` or the end")
        return read

    def _begins_level(self) -> bool:
        """Whether the text goes on with the name of a risk level and its share: words, or one text, a number and %."""
        at = self._at + 1
        while self._next.kind == "name" == self._tokens[at].kind:
            at += 1
        named = self._next.kind in ("name", "string")
        return named and self._tokens[at].kind == "number" and self._tokens[at + 1].reads == "%"

    # -- words and numbers ---------------------------------------------------------------------

    def _sign(self) -> float:
        if self._skip("-"):
            return -1.0
        self._skip("+")
        return 1.0

    def _number(self, what: str) -> float:
        sign = self._sign()
        if self._next.kind != "number":
            self._fail(f"expected {what}, a number")
        return sign * self._float(self._take())

    def _float(self, token: Token) -> float:
        number = float(token.text)
        if math.isinf(number):
            self.fail_at(token.start, "this number is too large for a float.")
        return number

    def _value(self, what: str) -> Value:
        if self._next.kind in ("name", "string"):
            return self._take().text
        if self._is("true", "false"):
            return self._take().text.lower() == "true"
        if self._next.kind == "keyword":
            self._fail(f'expected {what} (this word as {what} is written "{self._next.text}")')
        if self._next.kind != "number" and not self._is("-", "+"):
            self._fail(f"expected {what}")
        sign = -1 if self._sign() < 0.0 else 1
        if self._next.kind != "number":
            self._fail("expected a number")
        return sign * self._int_or_float(self._take())

    def _int_or_float(self, token: Token) -> int | float:
        if not token.text.isdecimal():
            return self._float(token)
        try:
            return int(token.text)
        except ValueError:
            self.fail_at(token.start, "this number has too many digits.")
