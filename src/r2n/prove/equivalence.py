"""Whether two models decide every row alike: proven, or shown not to be so by a row."""

from __future__ import annotations

import itertools
import math
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace

from r2n.errors import ParameterError, SchemaError
from r2n.prove.box import Possible, box_of
from r2n.prove.domain import Domain, Row
from r2n.prove.search import STEPS, cells, check_limits, find_row, holds
from r2n.prove.values import Values
from r2n.rewrite.expand import expand_rule, is_expandable
from r2n.rules.anyrules import AnyRules, comparable
from r2n.rules.classes import Model
from r2n.rules.literals import Halfspace, Literal, Missing
from r2n.rules.ruleset import Rule
from r2n.rules.text import write_name, write_value
from r2n.table import Value


@dataclass(frozen=True, slots=True)
class Equivalence:
    """The result of comparing two models: true if they are proven to predict the same on every row of a domain.

    Otherwise it holds a row that they decide differently, or it is `undecided`. The row lies within what both models
    saw in training, if such a row is found.

    Parameters
    ----------
    row : dict, optional
        A row that the models decide differently.
    said : tuple
        What each model predicts for it.
    proven : bool
        Whether the models are proven equivalent.
    outside : tuple of (str, Values) pairs
        The columns in which the row is outside what was seen in training, and what was seen.
    only_outside : bool
        Whether rows within what was seen are proven to be decided alike.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> found = equivalent(RuleSet.parse("yes if x > 3 else no"), RuleSet.parse("yes if x > 4 else no"))
    >>> bool(found), found.said
    (False, ('yes', 'no'))
    """

    row: Row | None = None
    said: tuple[Value, ...] = ()
    proven: bool = False
    outside: tuple[tuple[str, Values], ...] = ()
    only_outside: bool = False

    def __bool__(self) -> bool:
        """Whether the models are proven equivalent."""
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
        found = f"not equivalent: {first} became {second} where {', '.join(cells) or 'anything'}"
        return f"{found}\n{self._remark()}" if self.outside else found

    def _remark(self) -> str:
        """Say in which columns the row is outside what was seen."""
        seen = "; ".join(f"{write_name(name)} was {values}" for name, values in self.outside)
        if self.only_outside:
            return f"only outside what was seen in training: {seen}"
        return f"outside what was seen in training ({seen}); no such row was found inside"


def equivalent(
    before: AnyRules,
    after: AnyRules,
    domain: Domain | Mapping[str, object] | None = None,
    time_limit: float = 60.0,
    steps: int = STEPS,
) -> Equivalence:
    """Prove that two models predict the same on every row of a domain, or find a row where they do not.

    A row is what comes in a table: a value may stand for a missing one in only one of the two models. Two chains of
    risk levels must give each row the same level, by name and place. Compared with other rules, they predict a class.

    Parameters
    ----------
    before : RuleSet, ClassRules or LevelRules
        One model.
    after : RuleSet, ClassRules or LevelRules
        The other model.
    domain : Domain or dict, optional
        The rows that can occur; by default any row at all.
    time_limit : float
        The seconds that the comparison may take.
    steps : int
        The number of cases that one question may take.

    Returns
    -------
    Equivalence
        True if the models are proven equivalent; otherwise it may hold a row.

    Raises
    ------
    ParameterError
        If something else than two models is given, or the domain or a limit cannot be read.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> before = RuleSet.parse("yes if x > 3 and x + y > 5 else no")
    >>> after = RuleSet.parse("yes if x > 3 else no")
    >>> print(equivalent(before, after, Domain.read({"x": "integer 0..9", "y": "2..9 known"})))
    equivalent
    >>> print(equivalent(before, after, Domain.read({"x": "0..9", "y": "2..9"})))
    not equivalent: no became yes where x = 3.0000000000000004, y = missing
    """
    for model in (before, after):
        check_model(model)
    one, other = comparable(before, after, by_place=True)
    chosen = _domain(one, other, domain)
    check_limits(steps, time_limit)
    deadline = time.monotonic() + time_limit
    found = _compare(one, other, chosen, deadline, steps)
    return found if found.row is None else _move_inside(one, other, chosen, deadline, steps, found)


def _move_inside(
    before: Model, after: Model, domain: Domain, deadline: float, steps: int, found: Equivalence
) -> Equivalence:
    """Look for a row within what was seen in training: in all columns, or in as many as possible."""
    seen = _ranges_seen(before, after)
    if not _outside(found, seen):
        return found
    narrow: Domain | None = domain
    for pair in seen:
        narrow = narrow and _narrow(narrow, *pair)
    inside = _compare(before, after, narrow, deadline, steps) if narrow else Equivalence()
    if inside.row is not None:
        return inside
    for name, values in seen:
        # If not within its range, then at least a whole number, or a category that is known.
        for part in (values, replace(values, low=-math.inf, high=math.inf)):
            narrow = _narrow(domain, name, part)
            kept = found if not _outside(found, [(name, part)]) else None
            answer = kept or (_compare(before, after, narrow, deadline, steps) if narrow else Equivalence())
            if narrow and answer.row is not None:
                domain, found = narrow, answer
                break
    return replace(found, outside=_outside(found, seen), only_outside=inside.proven)


def _outside(found: Equivalence, seen: Iterable[tuple[str, Values]]) -> tuple[tuple[str, Values], ...]:
    row = found.row or {}
    return tuple((name, values) for name, values in seen if not values.allows(row[name]))


def _narrow(domain: Domain, name: str, values: Values) -> Domain | None:
    """Restrict one column of the domain; None if nothing is left."""
    common = domain[name].common(values)
    return None if common is None else domain.with_columns({name: common})


def _ranges_seen(before: Model, after: Model) -> tuple[tuple[str, Values], ...]:
    """Collect what each model saw in training in the columns that it reads."""
    pairs = (
        (name, replace(Values.of(model.schema.column(name)), never=()))
        for model in (before, after)
        if model.schema is not None
        for name in model.columns
    )
    return tuple(dict.fromkeys(pairs))


def _compare(before: Model, after: Model, domain: Domain, deadline: float, steps: int) -> Equivalence:
    """Compare the models: find a proof for all rows of the domain, or a row, or neither."""
    proven = True
    for reading in _readings(before, after, domain):
        if reading is None:  # too many cases
            proven = False
            continue
        here, one, other = reading
        for true, false in _differences(one, other):
            left = deadline - time.monotonic()
            if left <= 0.0:
                return Equivalence()
            answer = find_row(here, true.literals, false, steps, left)
            if answer.row is not None:
                # A column that the question did not read has no say in what is decided here.
                row = {name: possible.any_value() for name, possible in _box(before, after, here).items()} | answer.row
                said = _decisions(before, after, row)
                if len(set(said)) > 1:
                    return Equivalence(row, said)
            proven = proven and answer.impossible
    return Equivalence(proven=proven)


def _decisions(before: Model, after: Model, row: Row) -> tuple[Value, ...]:
    """Predict by both models; nothing if one refuses the row, for example text where it had numbers."""
    try:
        return decision(before, row), decision(after, row)
    except SchemaError:
        return ()


def _literals(before: Model, after: Model) -> tuple[Literal, ...]:
    return *before.literals, *after.literals


def _box(before: Model, after: Model, domain: Domain) -> dict[str, Possible]:
    return box_of(domain, _literals(before, after))


def _domain(before: Model, after: Model, said: Domain | Mapping[str, object] | None) -> Domain:
    if said is None:
        seen = [*Domain.beyond(after.schema).columns, *Domain.beyond(before.schema).columns]
        chosen = Domain().with_columns({name: replace(values, never=()) for name, values in seen})
    else:
        chosen = Domain.read(said)
        chosen.check({*before.columns, *after.columns}, [before.schema, after.schema])
    return chosen.reading(_literals(before, after))


# -- values that stand for a missing one ----------------------------------------------------------------


def _readings(before: Model, after: Model, domain: Domain) -> Iterator[tuple[Domain, Model, Model] | None]:
    """Yield the domain in parts, by which columns hold codes for a missing value, with the models as they read each.

    Where both read a code as missing, that is the case of a missing value; unless the domain has none. None is for a
    part in which a model has more cases than can be looked at.
    """
    columns = dict.fromkeys((*before.columns, *after.columns))
    parts = [[(name, *part) for part in _parts(name, domain[name], before, after)] for name in columns]
    for chosen in itertools.product(*parts):
        gone = {name for name, _, gone, _ in chosen if gone}, {name for name, _, _, gone in chosen if gone}
        if not all(_can_be_without(*pair) for pair in zip((before, after), gone, strict=True)):
            yield None
            continue
        one, other = without_columns(before, gone[0]), without_columns(after, gone[1])
        yield domain.with_columns({name: values for name, values, _, _ in chosen}), one, other


def _parts(name: str, values: Values, before: Model, after: Model) -> Iterator[tuple[Values, bool, bool]]:
    """Split what a column may hold by whether each model reads it as missing."""
    codes = dict.fromkeys((*_codes(before, name), *_codes(after, name)))
    ordinary = replace(values, never=(*values.never, *codes))
    if not ordinary.empty:
        yield ordinary, False, False
    held: dict[tuple[bool, bool], list[Value]] = defaultdict(list)
    for code in filter(values.allows, codes):
        held[_takes_for_missing(before, name, code), _takes_for_missing(after, name, code)].append(code)
    if values.missing:
        held.pop((True, True), None)
    for gone, some in held.items():
        yield replace(values, categories=tuple(some), other=False, missing=False), *gone


def _codes(model: Model, name: str) -> tuple[Value, ...]:
    return model.schema.column(name).missing_values if model.schema is not None and name in model.schema else ()


def _takes_for_missing(model: Model, name: str, code: Value) -> bool:
    """Whether the code stands for a missing value, or at least no literal tells it from one."""
    reading = [literal for literal in model.literals if name in literal.columns]
    return code in _codes(model, name) or all(
        len(literal.columns) == 1 and holds(literal, {name: code}) == holds(literal, {name: None})
        for literal in reading
    )


def _can_be_without(model: Model, names: Set[str]) -> bool:
    rules = (rule for rule in model.rules)
    return all(is_expandable(rule) for rule in rules if _is_filled(rule, names))


def without_columns(model: Model, names: Set[str]) -> Model:
    """Rewrite the model for rows where these columns are missing.

    >>> from r2n import RuleSet
    >>> print(without_columns(RuleSet.parse("yes if x is missing and y > 1 or x > 1 else no"), {"x"}))
    yes if y > 1
    else no
    >>> print(without_columns(RuleSet.parse("yes if y - 2·(x if known else 40) > 5 else no"), {"x"}))
    yes if y > 85
    else no
    """
    return model.with_branches(_without(rules, names) for _, rules in model.branches)


def _is_filled(rule: Rule, names: Set[str]) -> bool:
    """Whether a sum of the rule fills one of these columns."""
    sums = (literal for literal in rule.literals if isinstance(literal, Halfspace))
    return any(name in names for literal in sums for name, _ in literal.fills)


def _without(rules: Sequence[Rule], names: Set[str]) -> tuple[Rule, ...]:
    rules = [case for rule in rules for case in (expand_rule(rule) if _is_filled(rule, names) else (rule,))]
    told = {literal for rule in rules for literal in rule.literals if not names.isdisjoint(literal.columns)}
    true = {literal for literal in told if isinstance(literal, Missing)}
    kept = [rule for rule in rules if told.intersection(rule.literals) <= true]
    return tuple(Rule(tuple(literal for literal in rule.literals if literal not in true)) for rule in kept)


def _differences(before: Model, after: Model) -> Iterator[tuple[Rule, list[Rule]]]:
    """Yield the ways to decide differently: which literals are then true, and which rules false."""
    for label, rules, passed in _ways(before):
        for other_label, other_rules, other_passed in _ways(after):
            if label != other_label:
                for rule, other in itertools.product(rules, other_rules):
                    yield Rule(rule.literals + other.literals), passed + other_passed


def _ways(model: Model) -> Iterator[tuple[Value, tuple[Rule, ...], list[Rule]]]:
    """Yield each label with its rules, one of which must be true, and the rules that must all be false."""
    passed: list[Rule] = []
    for label, rules in model.branches:
        yield label, rules, list(passed)
        passed += rules
    yield model.default, (Rule(),), passed


def check_model(model: object) -> None:
    """Refuse what is no model."""
    if not isinstance(model, AnyRules):
        raise ParameterError(f"rules are compared with rules, not with {model!r}. Read text with RuleSet.parse.")


def decision(model: Model, row: Row) -> Value:
    """Predict one row."""
    said: Value = model.predict(cells(row or {"": None})).tolist()[0]
    return said
