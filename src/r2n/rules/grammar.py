"""The grammar of rules, and the parser that follows it.

::

    ruleset = branch [","] "else" label
    classes = branch ([","] "else" branch)* [","] "else" label
    branch  = label "if" ("false" | rule ([","] "or" rule)*)
    levels  = level "if" … ([","] level ["or"] "else" "if" …)* [","] level "else"
              label "from" number "%" [","] "else" label      (… as in a branch)
    level   = (name+ | text) number "%" ["(" number "-" number "%" ")"]
    rule    = condition ("and" condition)*
    condition = "true"
              | name "in" set | name "not" "in" set | name ("=" | "!=") value
              | name "is" ("missing" | "known")
              | name "/" name (">" | "<") number
              | sum compare number | number compare sum
    sum     = ["-"] term (("+" | "-") term)*
    term    = [number "·"] (name | "(" name "if" "known" "else" number ")" | "(" name ["not"] "in" set ")")
    set     = "{" value ("," value)* "}"

The grammar is flat, so that no text, however long, can exhaust the stack. With a schema, columns that are not there,
numbers compared with categories, and categories that were never seen are refused, at their place in the text.
"""

from __future__ import annotations

import math

from r2n.errors import ParameterError
from r2n.rules.check import category_problem, column_problem, ratio_problem
from r2n.rules.classes import ClassRules
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing
from r2n.rules.reader import Reader
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Filled, Key
from r2n.rules.tokens import Token
from r2n.table import Schema, Value

_COMPARISONS = (">", "<", ">=", "<=")
_NO_BRACKETS = (
    "brackets hold a set that is counted, as in `income + 2000·(status in {married}) > 7100`, or a column that is "
    "filled, as in `income - 2·(debt if known else 40) > 5`, and nothing else: rules are joined by `or`, and literals "
    "in a rule by `and`."
)
_MIRRORED = {">": "<", "<": ">", ">=": "<=", "<=": ">="}


class Parser(Reader):
    """Recursive descent over the tokens of one text; each method reads what it is named after."""

    def __init__(self, source: str, schema: Schema | None = None, unseen: bool = False) -> None:
        super().__init__(source)
        self._schema = schema
        self._unseen = unseen  # whether categories may be named that the schema has not

    def alone(self, literal: Literal) -> Literal:
        """Return the literal if the text ends here."""
        if self._is("and", "or"):
            self._fail("expected the end of a single literal (give several one by one)")
        return self.whole(literal)

    def single(self, rule: Rule) -> Rule:
        """Return the rule if the text ends here."""
        if self._is("or"):
            self._fail("expected the end of a single rule (give several one by one)")
        return self.whole(rule)

    # -- rules ---------------------------------------------------------------------------------

    def ruleset(self) -> RuleSet:
        """Read a rule set: one branch and the default label."""
        self._refuse_levels()
        label, rules = self._branch("after the label")
        start = self._next.start
        default = self._value("the default label")
        if self._is("if"):
            self._fail("expected the end: these are rules for several classes, read them with ClassRules.parse")
        try:
            return RuleSet(rules, label, self.whole(default), self._schema)
        except ParameterError as error:
            self.fail_at(start, str(error))

    def class_rules(self) -> ClassRules:
        """Read branches of several classes and the default label."""
        self._refuse_levels()
        branches, start = [self._branch("after the label")], self._next.start
        label = self._value("the default label")  # or that of another class: `if` tells, behind -1 too
        while self._is("if"):
            branches.append((label, self._rules_of_label("after the label")))
            label = self._value("the default label")
        try:
            return ClassRules(tuple(branches), self.whole(label), self._schema)
        except ParameterError as error:
            self.fail_at(start, str(error))

    def _refuse_levels(self) -> None:
        if self._begins_level():
            self.fail_at(self._next.start, "these are risk levels. Read them with LevelRules.parse.")

    def _branch(self, where: str) -> tuple[Value, tuple[Rule, ...]]:
        """Parse a label and its rules, up to the `else` that follows."""
        return self._value("a label"), self._rules_of_label(where)

    def _rules_of_label(self, where: str) -> tuple[Rule, ...]:
        self._expect("if", where)
        rules = self._rules_or_none()
        self._skip(",")
        self._expect("else", "and the default label, or `and` or `or`")
        return rules

    def _rules_or_none(self) -> tuple[Rule, ...]:
        return () if self._skip("false") else self._rules()

    def _rules(self) -> tuple[Rule, ...]:
        rules = [self.rule()]
        while self._is("or") or (self._is(",") and _reads(self._after, "or")):
            self._skip(",")
            self._take()
            rules.append(self.rule())
        return tuple(rules)

    def rule(self) -> Rule:
        """Read conditions joined by `and`; `true` adds none."""
        conditions = [self.condition()]
        while self._skip("and"):
            conditions.append(self.condition())
        return Rule(tuple(literal for literal in conditions if literal is not None))

    # -- literals ------------------------------------------------------------------------------

    def condition(self) -> Literal | None:
        """Read a literal; None for `true`."""
        if self._skip("true"):
            return None
        start = self._next.start
        try:
            return self._literal()
        except ParameterError as error:
            self.fail_at(start, str(error))

    def _literal(self) -> Literal:
        if self._next.kind in ("name", "string"):
            if _reads(self._after, "in", "not", "is", "=", "!="):
                return self._about(self._name())
            if _reads(self._after, "/"):
                return self._ratio()
        if self._starts_with_constant():
            return self._constant_first()
        terms = self._sum()
        comparison = self._comparison()
        return self._halfspace(terms, comparison, self._number("the threshold"))

    def _about(self, column: str) -> Literal:
        """Parse what follows the name of a column that is not part of a sum."""
        verb = self._take()
        if _reads(verb, "is"):
            if self._skip("missing"):
                return Missing(column)
            self._expect("known", "or `missing` after `is`")
            return Known(column)
        if _reads(verb, "=", "!="):
            return Membership(column, (self._category(column),), negated=verb.text == "!=")
        if _reads(verb, "not"):
            self._expect("in", "after `not`")
        return Membership(column, self._set(column), negated=_reads(verb, "not"))

    def _set(self, column: str) -> tuple[Value, ...]:
        self._expect("{", "and categories after `in`")
        values = [self._category(column)]
        while self._skip(","):
            values.append(self._category(column))
        self._expect("}", "or a comma after a category")
        return tuple(values)

    def _category(self, column: str) -> Value:
        start = self._next.start
        value = self._value("a category")
        if self._schema is not None:
            self._refuse(start, category_problem(self._schema, column, value, self._unseen))
        return value

    def _ratio(self) -> Halfspace:
        """Parse p/q > r, which always means p - r·q > 0: where q is positive the two say the same."""
        p = self._name(compared=True)
        self._take()
        start, q = self._next.start, self._name(compared=True)
        if self._schema is not None:
            self._refuse(start, ratio_problem(self._schema, q))
        if not self._is(">", "<"):
            self._fail("expected `>` or `<` after a ratio")
        comparison = self._take().text
        ratio = self._number("the bound of the ratio")
        return self._halfspace([(p, 1.0), (q, -ratio)], comparison, 0.0)

    def _constant_first(self) -> Halfspace:
        number = self._number("a number")
        comparison = self._comparison()
        return self._halfspace(self._sum(), _MIRRORED[comparison], number)

    def _halfspace(self, terms: list[tuple[Key, float]], comparison: str, number: float) -> Halfspace:
        """Parse Σ compared with a number, as Σ > c: `<` negates both sides, `>=` starts one float lower."""
        if comparison in ("<", "<="):
            terms, number = [(key, -a) for key, a in terms], -number
        if comparison in (">=", "<="):
            number = math.nextafter(number, -math.inf)
        return Halfspace.of(terms, number)

    # -- sums ----------------------------------------------------------------------------------

    def _starts_with_constant(self) -> bool:
        signed = self._is("-", "+")
        number = self._tokens[self._at + 1] if signed else self._next
        if number.kind != "number":
            return False
        return _reads(self._tokens[self._at + (2 if signed else 1)], *_COMPARISONS)

    def _sum(self) -> list[tuple[Key, float]]:
        terms = [self._term(self._sign())]
        while self._is("+", "-"):
            terms.append(self._term(self._sign()))
        return terms

    def _term(self, sign: float) -> tuple[Key, float]:
        if self._next.kind != "number":
            return self._summand(), sign
        coefficient = self._float(self._take())
        self._expect("·", "(or *) between a coefficient and its column")
        return self._summand(), sign * coefficient

    def _summand(self) -> Key:
        """Parse a column; in brackets a filled one, or a set of categories, which counts 1 or 0."""
        start = self._next.start
        if not self._skip("("):
            return self._name(compared=True)
        if _reads(self._after, "if"):
            return self._fill()
        if not _reads(self._after, "in", "not"):
            self.fail_at(start, _NO_BRACKETS)
        counted = self._about(self._name())
        self._expect(")", "after a set that is counted")
        assert isinstance(counted, Membership)
        return counted

    def _fill(self) -> Filled:
        name = self._name(compared=True)
        self._take()
        self._expect("known", "after `if` in a sum")
        self._expect("else", "and what the column counts as where it is missing")
        fill = self._number("what the column counts as where it is missing")
        self._expect(")", "after what a column counts as where it is missing")
        return Filled(name, fill)

    def _comparison(self) -> str:
        if not self._is(*_COMPARISONS):
            self._fail("expected a comparison (>, <, >=, <=, in, is) or another term")
        return self._take().text

    def _name(self, compared: bool = False) -> str:
        if self._next.kind == "keyword":
            self._fail(f'expected a column (a column of this name is written "{self._next.text}")')
        if self._next.kind not in ("name", "string"):
            self._fail("expected a column")
        token = self._take()
        if self._schema is not None:
            self._refuse(token.start, column_problem(self._schema, token.text, compared))
        return token.text


def _reads(token: Token, *texts: str) -> bool:
    """Whether the token is one of these words or signs of the language (a string never is)."""
    return token.reads in texts
