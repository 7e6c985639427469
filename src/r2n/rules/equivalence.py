"""Whether two models decide every row alike: proven, or shown not to be so by a row."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from r2n.errors import ParameterError
from r2n.rules.classes import ClassRules
from r2n.rules.domain import Domain, Row
from r2n.rules.programs import STEPS, cells, find_row
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.states import states_of
from r2n.rules.text import write_name, write_value
from r2n.schema import Value

Model: TypeAlias = RuleSet | ClassRules
Branches: TypeAlias = tuple[tuple[Value, tuple[Rule, ...]], ...]


@dataclass(frozen=True, slots=True)
class Equivalence:
    """True if it is proven that two models decide every row of a domain alike.

    Otherwise there is a row which they decide differently, with what each says; or, if neither was found in the given
    time, `undecided`.
    """

    row: Row | None = None
    said: tuple[Value, ...] = ()
    proven: bool = False

    def __bool__(self) -> bool:
        return self.proven

    @property
    def undecided(self) -> bool:
        """Whether neither a proof nor a row was found."""
        return self.row is None and not self.proven

    def __str__(self) -> str:
        if self.row is None:
            return "equivalent" if self.proven else "undecided"
        cells = (f"{write_name(name)} = {'missing' if v is None else write_value(v)}" for name, v in self.row.items())
        first, second = map(write_value, self.said)
        return f"not equivalent: {first} became {second} where {', '.join(cells) or 'anything'}"


def equivalent(
    before: Model, after: Model, domain: Domain | None = None, time_limit: float = math.inf, steps: int = STEPS
) -> Equivalence:
    """Whether two models decide every row of the domain alike; without one, every row there can be.

    >>> before = RuleSet.parse("yes if x > 3 and x + y > 5 else no")
    >>> after = RuleSet.parse("yes if x > 3 else no")
    >>> print(equivalent(before, after, Domain.read({"x": "integer 0..9", "y": "2..9 known"})))
    equivalent
    >>> print(equivalent(before, after, Domain.read({"x": "0..9", "y": "2..9"})))
    not equivalent: no became yes where x = 3.0000000000000004, y = missing
    """
    ways = list(_differences(before, after))
    chosen = Domain.beyond(before.schema or after.schema) if domain is None else domain
    states = states_of(chosen, (*before.literals, *after.literals))
    chosen = chosen.reading((*before.literals, *after.literals))
    deadline, proven = time.monotonic() + time_limit, True
    for true, false in ways:
        answer = find_row(chosen, true.literals, false, steps, deadline - time.monotonic())
        if answer.row is not None:
            # A column that the question did not read has no say in what is decided here.
            row = {name: state.any_value() for name, state in states.items()} | answer.row
            said = decision(before, row), decision(after, row)
            if said[0] != said[1]:
                return Equivalence(row, said)
        proven = proven and answer.impossible
    return Equivalence(proven=proven)


def _differences(before: Model, after: Model) -> Iterator[tuple[Rule, list[Rule]]]:
    """What is true, and what is false, wherever the two decide differently: one pair for each way to do so."""
    for label, rules, passed in _ways(before):
        for other_label, other_rules, other_passed in _ways(after):
            if label != other_label:
                for rule, other in itertools.product(rules, other_rules):
                    yield Rule(rule.literals + other.literals), passed + other_passed


def _ways(model: Model) -> Iterator[tuple[Value, tuple[Rule, ...], list[Rule]]]:
    """Each label, the rules of which one must be true for it, and all rules that must be false for it."""
    passed: list[Rule] = []
    for label, rules in branches(model):
        yield label, rules, list(passed)
        passed += rules
    yield model.default, (Rule(),), passed


def branches(model: Model) -> Branches:
    """Rules by class, in the order in which they are asked; a rule set has one class."""
    match model:
        case RuleSet():
            return ((model.label, model.rules),)
        case ClassRules():
            return model.branches
    raise ParameterError(f"rules are compared with rules, not with {model!r}. Read text with RuleSet.parse.")


def decision(model: Model, row: Row) -> Value:
    """What a model says of one row."""
    said: Value = model.predict(cells(row or {"": None})).tolist()[0]
    return said
