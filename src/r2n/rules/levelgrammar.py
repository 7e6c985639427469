"""Risk levels from their text; `help("r2n.rules.grammar")` shows the grammar."""

from __future__ import annotations

from r2n.errors import ParameterError
from r2n.rules.grammar import Parser
from r2n.rules.levels import LevelRules
from r2n.rules.rule import Rule

_OTHERS = "rules that give labels alone are read with RuleSet.parse or, for several classes, with ClassRules.parse"


class LevelParser(Parser):
    """Recursive descent over a text of levels; the intervals that are printed beside their shares say nothing more.

    >>> LevelParser("high 60 % (55–65 %) if x > 3 low 5 % else yes from 50 %, else no").levels().shares
    (0.6, 0.05)
    """

    def levels(self) -> LevelRules:
        """Read the levels, highest first, and from which share on a row is predicted positive."""
        if not self._begins_level():
            self._fail(f"expected the name of a risk level and its share, such as `high 42 %` ({_OTHERS})")
        start = self._next.start
        branches: list[tuple[str, tuple[Rule, ...]]] = []
        name, share = self._level()
        shares = [share]
        while not self._is_last(first=not branches):
            branches.append((name, self._rules_or_none()))
            self._skip(",")
            name, share = self._level()
            shares.append(share)
        positive = self._value("the label that is predicted from some share on")
        self._expect_word("from")
        threshold = self._percent("the share from which on the label is predicted")
        self._skip(",")
        self._expect("else", "and the other label")
        negative = self.whole(self._value("the other label"))
        try:
            return LevelRules(tuple(branches), name, tuple(shares), positive, negative, threshold, self._schema)
        except ParameterError as error:
            self.fail_at(start, str(error))

    def _is_last(self, first: bool) -> bool:
        """Read what joins a level to its rules: `if`, then `or else if`; `else` says that it is the lowest."""
        if first:
            self._expect("if", "after the share of the highest level")
            return False
        joined = self._skip("or")
        self._expect("else", "(of the lowest level) or `or else if`, after the share of a level")
        if joined:
            self._expect("if", "after `or else`")
            return False
        return not self._skip("if")

    def _level(self) -> tuple[str, float]:
        """Read a level's name and share, and over the interval beside it."""
        if not self._begins_level():
            self._fail("expected `and`, `or`, or the name of the next level and its share, such as `low 6 %`")
        name = self._take()
        words = [name.text]
        while name.kind == "name" == self._next.kind:
            words.append(self._take().text)
        share = self._percent("the share")
        if self._skip("("):
            self._number("the lower end of an interval")
            self._expect("-", "between the ends of an interval")
            self._percent("the upper end of an interval")
            self._expect(")", "after an interval")
        return " ".join(words), share

    def _percent(self, what: str) -> float:
        """Read a percentage as the float that is nearest to a hundredth of it."""
        token = self._next
        if token.kind != "number":
            self._fail(f"expected {what}, a percentage")
        self._take()
        self._expect("%", f"after {what}")
        mantissa, _, exponent = token.text.lower().partition("e")
        try:
            return float(f"{mantissa}e{int(exponent or 0) - 2}")
        except ValueError:
            self.fail_at(token.start, "this number has too many digits.")

    def _expect_word(self, word: str) -> None:
        """Read a word that means something only here."""
        if self._next.kind != "name" or self._next.text.lower() != word:
            self._fail(f"expected `{word}` and the share from which on this label is predicted")
        self._take()
