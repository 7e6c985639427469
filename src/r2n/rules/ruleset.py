"""Rules and rule sets: evaluate, count, print. Frozen, sorted, without repeats."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from html import escape
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.literals import Bools, Halfspace, Literal, Membership, natural_key, sets_of
from r2n.rules.text import write_value
from r2n.schema import Schema, Table, Value, as_value
from r2n.schema.values import NOT_UNICODE, CellError, is_unicode, shown
from r2n.words import count

if TYPE_CHECKING:
    from r2n.rules.baseline import Baseline
    from r2n.rules.diff import Diff
    from r2n.rules.domain import Domain
    from r2n.rules.equivalence import Equivalence
    from r2n.rules.rounded import Rounded

P = TypeVar("P", "Literal", "Rule")

MOST_INDENT = 80  # characters: every rule below a label of a thousand would else begin with a thousand blanks


@dataclass(frozen=True, slots=True)
class Rule:
    """A conjunction of literals; `Rule()` is true everywhere.

    >>> from r2n.rules import Halfspace, Membership
    >>> print(Rule((Membership("region", ("west",)), Halfspace.of({"savings": 1}, 40))))
    savings > 40 and region in {west}
    """

    literals: tuple[Literal, ...] = ()

    def __post_init__(self) -> None:
        for literal in self.literals:
            if not isinstance(literal, Literal):
                raise ParameterError(f"a rule is made of literals, not of {literal!r}. Read text with parse_rule.")
        object.__setattr__(self, "literals", sorted_once(self.literals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns it reads."""
        return sorted_columns(self.literals)

    @property
    def size(self) -> int:
        """How much a reader must read: mentions of columns, of which a set counts as many as it names."""
        return sum(literal.size for literal in self.literals)

    def evaluate(self, table: Table) -> Bools:
        """Its truth in each row."""
        truth = np.ones(table.n_rows, dtype=np.bool_)
        for literal in self.literals:
            truth &= literal.evaluate(table)
        return truth

    def renamed(self, names: Mapping[str, str]) -> Rule:
        """The same over columns of other names."""
        return Rule(tuple(literal.renamed(names) for literal in self.literals))

    def sort_key(self) -> tuple[Any, ...]:
        """Its place among rules: short ones first."""
        return len(self.literals), tuple(literal.sort_key() for literal in self.literals)

    def text(self, schema: Schema | None = None) -> str:
        """As printed; with ratios where the schema allows them."""
        return " and ".join(literal.text(schema) for literal in self.literals) or "true"

    def __str__(self) -> str:
        return self.text()


class Readable:
    """What can be said of rules however they are put together: how many, how long, over which columns."""

    __slots__ = ()

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The rules, in the order in which they are printed."""
        raise NotImplementedError

    @property
    def schema(self) -> Schema | None:
        """The columns of the table they were learned from, if known."""
        raise NotImplementedError

    @property
    def baseline(self) -> Baseline | None:
        """What was counted on the rows they were learned from, if known."""
        raise NotImplementedError

    @property
    def n_rules(self) -> int:
        """How many rules."""
        return len(self.rules)

    @property
    def literals_per_rule(self) -> float:
        """The mean number of literals in a rule; 0 if there are no rules."""
        return sum(len(rule.literals) for rule in self.rules) / max(self.n_rules, 1)

    @property
    def size(self) -> int:
        """How much a reader must read in all: mentions of columns, of which a set counts as many as it names."""
        return sum(rule.size for rule in self.rules)

    @property
    def literals(self) -> tuple[Literal, ...]:
        """The distinct literals, in the order in which they are printed first."""
        return tuple(dict.fromkeys(literal for rule in self.rules for literal in rule.literals))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that any rule reads."""
        return sorted_columns(literal for rule in self.rules for literal in rule.literals)

    def _repr_html_(self) -> str:
        """As a notebook shows them: the text as it is, and below it how much there is to read."""
        counted = f"{count(self.n_rules, 'rule')}, {self.literals_per_rule:.1f} literals each, size {self.size}"
        text = f'<pre style="margin: 0; white-space: pre-wrap">{escape(str(self))}</pre>'
        return f'<div class="r2n">{text}<p style="margin: 0.3em 0; font-size: smaller">{counted}</p></div>'

    def table(self, X: object) -> Table:
        """X as a table of the columns these rules read, checked against the schema if there is one."""
        if isinstance(X, Table) or self.schema is None:
            return Table.read(X)
        return self.schema.table(X, only=self.columns)

    # -- what is kept of the training rows -----------------------------------------------------

    def without_unread(self) -> Self:
        """The same rules, knowing nothing of columns that they do not read, nor of rules that were taken out.

        Files and pickles hold no more than that. Of a column of which the rules only ask whether it is missing, they
        know whether it was.
        """
        schema = None if self.schema is None else kept_columns(self.schema, self.literals)
        baseline = None if self.baseline is None else self.baseline.restrict_to(self)  # type: ignore[arg-type]
        return replace(self, schema=schema, baseline=baseline)  # type: ignore[type-var]

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        kept = self.without_unread()
        return type(self), tuple(getattr(kept, each.name) for each in fields(kept))  # type: ignore[arg-type]

    # -- proofs --------------------------------------------------------------------------------

    def simplified(
        self, domain: Domain | Mapping[str, object] | None = None, time_limit: float = 8.0, progress: bool = False
    ) -> Self:
        """Without what is proven to change no prediction on the domain; without one, on any row there can be."""
        from r2n.rules.proofs import prove_simpler  # proofs need this class

        return prove_simpler(self, domain, time_limit, progress)  # type: ignore[type-var]

    def equivalent(
        self, other: Readable, domain: Domain | Mapping[str, object] | None = None, time_limit: float = 60.0
    ) -> Equivalence:
        """Whether it is proven that the other decides every row alike; if not, a row that shows it."""
        from r2n.rules.equivalence import equivalent

        return equivalent(self, other, domain, time_limit)  # type: ignore[arg-type]

    def diff(self, other: Readable, X: object = None) -> Diff:
        """Which rules came, went or changed in the other; with a table, also which rows it decides differently."""
        from r2n.rules.diff import diff

        return diff(self, other, X)  # type: ignore[arg-type]


@dataclass(frozen=True, slots=True)
class RuleSet(Readable):
    """A disjunction of rules: `label` where any rule is true, `default` elsewhere.

    >>> rules = RuleSet.parse('''
    ... yes if income - 2.1·debt > 12.5 and region in {north, west}
    ...     or savings > 40
    ... else no''')
    >>> rules.n_rules, rules.literals_per_rule, rules.size
    (2, 1.5, 5)
    >>> rules.predict({"income": [20], "debt": [1], "region": ["west"], "savings": [0]})
    array(['yes'], dtype='<U3')
    """

    rules: tuple[Rule, ...] = ()
    label: Value = True
    default: Value = False
    schema: Schema | None = field(default=None, compare=False, repr=False)
    baseline: Baseline | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        for rule in self.rules:
            if not isinstance(rule, Rule):
                raise ParameterError(f"a rule set is made of rules, not of {rule!r}. Wrap literals: Rule((…,)).")
        object.__setattr__(self, "rules", sorted_once(self.rules))
        object.__setattr__(self, "label", as_label(self.label))
        object.__setattr__(self, "default", as_label(self.default))
        if self.label == self.default:
            raise ParameterError(f"the label and the default are both {self.label!r}. Give two that differ.")
        if self.schema is not None:
            for name in self.columns:
                self.schema.column(name)  # refuses a column that is not there, with what is

    # -- evaluating ----------------------------------------------------------------------------

    def fires(self, X: object) -> Bools:
        """Which rules are true in which rows: one column for each rule."""
        table = self.table(X)
        fired = np.ones((table.n_rows, self.n_rules), dtype=np.bool_, order="F")  # it is written rule by rule
        numbers = not any(sets_of(literal) for literal in self.literals)
        done = 0
        for piece in table.pieces(self.columns) if numbers else [table]:
            # Rules share literals: each is evaluated once.
            truth = {literal: literal.evaluate(piece) for literal in self.literals}
            here = fired[done : done + piece.n_rows]
            for j, rule in enumerate(self.rules):
                for literal in rule.literals:
                    here[:, j] &= truth[literal]
            done += piece.n_rows
        return fired

    def truth(self, X: object) -> Bools:
        """Whether any rule is true, for each row."""
        truth: Bools = np.logical_or.reduce(self.fires(X), axis=1)
        return truth

    def predict(self, X: object) -> NDArray[Any]:
        """The label where any rule is true, the default elsewhere."""
        return label_array([self.default, self.label])[self.truth(X).astype(np.intp)]

    # -- reading and writing -------------------------------------------------------------------

    def with_schema(self, schema: Schema | None) -> RuleSet:
        """The same rules over this schema."""
        return replace(self, schema=schema)

    def with_rules(self, rules: Iterable[Rule]) -> RuleSet:
        """Other rules for the same labels and schema."""
        return replace(self, rules=tuple(rules))

    def renamed(self, names: Mapping[str, str]) -> RuleSet:
        """The same over columns of other names, and over the schema of these."""
        schema = None if self.schema is None else self.schema.renamed(names)
        baseline = None if self.baseline is None else self.baseline.renamed(names)
        return replace(self, rules=tuple(rule.renamed(names) for rule in self.rules), schema=schema, baseline=baseline)

    def with_baseline(self, baseline: Baseline | None) -> RuleSet:
        """With what was counted on the rows they were learned from."""
        return replace(self, baseline=baseline)

    # -- editing -------------------------------------------------------------------------------

    def without(self, *numbers: int) -> RuleSet:
        """Without some rules, which are numbered as they are printed, from 1.

        >>> print(RuleSet.parse("yes if x > 3 or z in {a} or y > 1 and z is known else no").without(2))
        yes if x > 3
            or y > 1 and z is known
        else no
        """
        from r2n.rules.editing import place_of  # editing needs the parser, which needs this class

        gone = {place_of(self, number) for number in numbers}
        return self.with_rules(rule for place, rule in enumerate(self.rules) if place not in gone)

    def with_rule(self, rule: Rule | str) -> RuleSet:
        """With one more rule; as text it is checked against the schema, and errors point at line and column.

        >>> print(RuleSet.parse("yes if x > 3 else no").with_rule("y < 2 and z = a"))
        yes if x > 3
            or y < 2 and z in {a}
        else no
        """
        from r2n.rules.editing import read_rule

        return self.with_rules((*self.rules, read_rule(rule, self.schema)))

    def rounded(self, X: object, changes: int = 0) -> Rounded[RuleSet]:
        """With the shortest numbers that change at most so many predictions on these rows, and how many they change.

        >>> rules = RuleSet.parse("yes if 2·x - 0.9983·y > 0.4983 else no")
        >>> print(*rules.rounded({"x": [1.0, 1.0, 2.0], "y": [2.0, 1.0, 3.0]}), sep=" | ")
        yes if x - 0.5·y > 0
        else no | 0
        """
        from r2n.rules.rounded import rounded  # it needs this class

        return rounded(self, X, changes)

    def text(self) -> str:
        """As printed."""
        head = f"{write_value(self.label)} if "
        rules = or_below(head).join(rule.text(self.schema) for rule in self.rules) or "false"
        return f"{head}{rules}\nelse {write_value(self.default)}"

    def __str__(self) -> str:
        return self.text()

    @classmethod
    def parse(cls, text: str, schema: Schema | None = None) -> RuleSet:
        """The inverse of `str`; with a schema, what does not fit it is refused at its line and column."""
        from r2n.rules.parse import parse_ruleset  # the parser needs this class

        return parse_ruleset(text, schema)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, for `r2n.load`."""
        from r2n.rules.modelfile import save  # the file format needs this class

        save(self, path)


def kept_columns(schema: Schema, literals: Iterable[Literal]) -> Schema:
    """The schema, knowing only what these literals read."""
    found = tuple(literals)
    read = {name for each in found if isinstance(each, Halfspace | Membership) for name in each.columns}
    return schema.keep(read, {name for each in found for name in each.columns})


def sorted_once(parts: Iterable[P]) -> tuple[P, ...]:
    """Literals, or rules, in their order, each once."""
    found = tuple(parts)
    return found if len(found) < 2 else tuple(dict.fromkeys(sorted(found, key=lambda part: part.sort_key())))


def or_below(head: str) -> str:
    """What joins rules: a new line and an `or` that ends where the first line's head does, if that is not too long."""
    return "\n" + "or ".rjust(min(len(head), MOST_INDENT))


def sorted_columns(literals: Iterable[Literal]) -> tuple[str, ...]:
    """The columns that literals read, in the order of columns."""
    return tuple(sorted({name for literal in literals for name in literal.columns}, key=natural_key))


def is_label(labels: NDArray[Any], label: Value) -> Bools:
    """Which of the labels are this one: numpy would cut a NUL off the end of a text that it is to compare with.

    >>> is_label(np.array(["a", "a\\0"], dtype=object), "a\\0").tolist()
    [False, True]
    """
    alone = np.empty((), dtype=object)
    alone[()] = label
    # As objects, so that comparing numbers with a text gives False and not an error.
    return np.asarray(labels.astype(object) == alone, dtype=np.bool_)


def label_array(labels: Sequence[Value]) -> NDArray[Any]:
    """Labels as they are: numpy would turn (False, "yes") into two texts, and cut a NUL off the end of one."""
    cut = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    return np.array(labels, dtype=object if cut or len(set(map(type, labels))) > 1 else None)


def as_label(cell: object) -> Value:
    """A label as the value it is; anything that cannot be one is refused."""
    try:
        value = as_value(cell)
    except CellError as error:
        raise ParameterError(f"the label {shown(cell)} {error}") from None
    if value is None:
        raise ParameterError("a label must be text, a number or a Boolean, not a missing value.")
    if not is_unicode(value):
        raise ParameterError(f"the label {shown(value)} {NOT_UNICODE}")
    # A class that came as 1.0 is given back as 1.0; only sets of categories equate it with 1.
    return float(value) if isinstance(cell, float | np.floating) else value
