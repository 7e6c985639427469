"""Which rules hold in a row and by what margin; and where none does, which is nearest and what it lacks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate

from r2n.explain.row import Rules, one_row, spreads, values_in, write_exact, write_short
from r2n.prove import Row
from r2n.rules import AnyRules, ClassRules, Halfspace, LevelRules, Literal, Rule
from r2n.rules.comparison import Comparison
from r2n.rules.leveltext import write_percent
from r2n.rules.text import write_name
from r2n.table import Schema, Table, Value


@dataclass(frozen=True, slots=True)
class LiteralReason:
    """What one literal says of a row.

    Parameters
    ----------
    literal : literal
        The literal.
    text : str
        The literal as printed.
    holds : bool
        Whether it is true.
    value : str, int, float, bool or None
        What it reads: the sum of a halfspace (or the ratio, where it is printed as one), else the cell.
    margin : float
        How far the value is beyond the printed bound; negative if it falls short, NaN if it is missing or there is no
        sum.
    distance : float
        How many spreads of its best column a halfspace is short of being true; 1 for any other literal that fails.
    filled : tuple of str
        The missing columns that the sum filled.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> reason = explain(RuleSet.parse("yes if x > 3 else no"), {"x": 1}).rules[0].literals[0]
    >>> print(reason)
    fails  x > 3: it is 1, 2 short
    """

    literal: Literal
    text: str
    holds: bool
    value: Value | None
    margin: float
    distance: float
    filled: tuple[str, ...] = ()

    def __str__(self) -> str:
        gone = f" (filled: {', '.join(map(write_name, self.filled))})" if self.filled else ""
        return f"{'holds' if self.holds else 'fails'}  {self.text}: {self._describe_value()}{gone}"

    def _describe_value(self) -> str:
        if self.value is None or math.isnan(self.margin):
            return f"it is {write_short(self.value)}"
        if self.margin == 0.0:
            return f"it is {write_short(self.value)}, on the bound"
        return (
            f"it is {self._write_beside_bound()}, {write_short(abs(self.margin))} {'beyond' if self.holds else 'short'}"
        )

    def _write_beside_bound(self) -> str:
        """Write the value with as many digits as it takes to see that it is not on the bound."""
        value, short = self.value, write_short(self.value)
        if isinstance(value, float) and short in (write_short(value - self.margin), write_short(value + self.margin)):
            return write_exact(value)
        return short


@dataclass(frozen=True, slots=True)
class RuleReason:
    """What one rule says of a row.

    Parameters
    ----------
    number : int
        The rule's number as printed, from 1.
    label : str, int, float or bool
        The label that the rule gives.
    rule : Rule
        The rule.
    literals : tuple of LiteralReason
        What its literals say.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> reason = explain(RuleSet.parse("yes if x > 3 else no"), {"x": 1}).rules[0]
    >>> reason.number, reason.holds, reason.distance
    (1, False, 2.0)
    """

    number: int
    label: Value
    rule: Rule
    literals: tuple[LiteralReason, ...]

    @property
    def holds(self) -> bool:
        """Whether all its literals are true."""
        return all(literal.holds for literal in self.literals)

    @property
    def distance(self) -> float:
        """How far the row is from the rule, in spreads, summed over its literals; 0 if the rule is true."""
        return sum((literal.distance for literal in self.literals), 0.0)

    def lines(self) -> list[str]:
        """Write one line for each literal, those that fail first.

        Returns
        -------
        list of str
            The lines.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> explain(RuleSet.parse("yes if x > 3 else no"), {"x": 1}).rules[0].lines()
        ['    fails  x > 3: it is 1, 2 short']
        """
        ordered = sorted(self.literals, key=lambda literal: literal.holds)
        return [f"    {literal}" for literal in ordered] or ["    true everywhere"]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row gets its label: `print` it, or read its parts.

    Parameters
    ----------
    row : dict
        The row as the rules read it.
    prediction : str, int, float or bool
        The label it gets.
    default : str, int, float or bool
        The default label.
    by_default : bool
        Whether no rule is true.
    rules : tuple of RuleReason
        What all rules say, in printed order.
    asked : tuple
        The classes that were tried before the one that decided; no rule of theirs is true.
    note : str
        What a risk level means: its share, and the class that is predicted.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> explanation = explain(RuleSet.parse("yes if x > 3 else no"), {"x": 1})
    >>> explanation.prediction, explanation.by_default, explanation.nearest.number
    ('no', True, 1)
    """

    row: Row
    prediction: Value
    default: Value
    by_default: bool
    rules: tuple[RuleReason, ...]
    asked: tuple[Value, ...]
    note: str = ""

    @property
    def deciding(self) -> tuple[RuleReason, ...]:
        """The true rules that give the predicted label."""
        own = (rule for rule in self.rules if rule.holds and rule.label == self.prediction)
        return () if self.by_default else tuple(own)

    @property
    def nearest(self) -> RuleReason | None:
        """Of the rules that could have changed the label, the false one that the row is nearest to."""
        others = [rule for rule in self.rules if not rule.holds and (self.by_default or rule.label in self.asked)]
        return min(others, key=lambda rule: rule.distance, default=None)

    def __str__(self) -> str:
        meaning = f" ({self.note})" if self.note else ""
        default = ", the default: no rule holds" if self.by_default else ""
        lines = [f"prediction: {write_short(self.prediction)}{meaning}{default}"]
        if self.asked and not self.by_default:
            lines.append(f"asked before, without a rule that holds: {', '.join(map(write_short, self.asked))}")
        for rule in self.deciding:
            lines += [f"rule {rule.number} holds", *rule.lines()]
        if self.nearest is not None:
            of = f" ({write_short(self.nearest.label)})" if len({rule.label for rule in self.rules}) > 1 else ""
            lines += [f"rule {self.nearest.number}{of} is nearest of those that do not hold", *self.nearest.lines()]
        return "\n".join(lines)


def explain(rules: AnyRules, row: object, spread: object = None) -> Explanation:
    """Explain why a row gets its label, or its risk level, exactly as the rules are evaluated.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules.
    row : dict, series or table of one row
        The row.
    spread : dict or table, optional
        One spread of each column: numbers, or a table whose standard deviations are taken; by default the ranges in the
        schema.

    Returns
    -------
    Explanation
        The prediction and what each rule says; `print` shows it.

    Raises
    ------
    ParameterError
        If there is not exactly one row, or a spread cannot be read.
    SchemaError
        If the row has no value for a column that the rules read.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> rules = RuleSet.parse("yes if income - 2·debt > 12.5 and region in {north, west} or savings > 40 else no")
    >>> print(explain(rules, {"income": 20, "debt": 5, "region": "west", "savings": 0}))
    prediction: no, the default: no rule holds
    rule 2 is nearest of those that do not hold
        fails  income - 2·debt > 12.5: it is 10, 2.5 short
        holds  region in {north, west}: it is west
    >>> print(explain(rules, {"income": 20, "debt": 3, "region": "west", "savings": 0}))
    prediction: yes
    rule 2 holds
        holds  income - 2·debt > 12.5: it is 14, 1.5 beyond
        holds  region in {north, west}: it is west
    """
    meant, rules = _meanings(rules), rules.chain
    table = one_row(rules, row)
    values, steps = values_in(rules, table), spreads(rules, spread)
    reasons = tuple(_rule_reasons(rules, table, values, steps))
    claiming = next((reason.label for reason in reasons if reason.holds), None)
    asked = rules.labels if claiming is None else rules.labels[: rules.labels.index(claiming)]
    prediction = rules.default if claiming is None else claiming
    several = isinstance(rules, ClassRules)
    before = asked if several else ()
    return Explanation(values, prediction, rules.default, claiming is None, reasons, before, meant.get(prediction, ""))


def _meanings(rules: AnyRules) -> dict[Value, str]:
    """Say of each risk level how likely its rows are positive, and which class they get."""
    if not isinstance(rules, LevelRules):
        return {}
    each = zip(rules.levels, rules.shares, rules.answers, strict=True)
    return {
        name: f"{write_short(rules.positive)} in {write_percent(share)} %, so {write_short(answer)}"
        for name, share, answer in each
    }


def _rule_reasons(rules: Rules, table: Table, row: Row, steps: dict[str, float]) -> list[RuleReason]:
    reasons = {literal: _reason(literal, table, row, rules.schema, steps) for literal in rules.literals}
    found: list[RuleReason] = []
    for label, branch in rules.branches:
        for rule in branch:
            own = tuple(reasons[literal] for literal in rule.literals)
            found.append(RuleReason(len(found) + 1, label, rule, own))
    return found


def _reason(literal: Literal, table: Table, row: Row, schema: Schema | None, steps: dict[str, float]) -> LiteralReason:
    holds = bool(literal.evaluate(table)[0])
    if not isinstance(literal, Halfspace):
        value, distance = row[literal.columns[0]], 0.0 if holds else 1.0
        return LiteralReason(literal, literal.text(schema), holds, value, math.nan, distance)
    read = _comparison(literal, row, schema)
    total = float(literal.values(table)[0])
    distance = 0.0 if holds else _steps_short(literal, total - literal.threshold, steps, table)
    value, margin = _as_printed(literal, read, total, row)
    filled = () if math.isnan(total) else tuple(name for name, _ in literal.fills if row[name] is None)
    return LiteralReason(literal, str(read), holds, value, margin, distance, filled)


def _steps_short(literal: Halfspace, margin: float, steps: dict[str, float], table: Table) -> float:
    """Count the spreads to go: fewest in the column of the largest leverage; a missing value is one step from known."""
    if math.isnan(margin):
        return 1.0
    # Their product may be too small for floats.
    by_number = [
        -margin / abs(a) / steps[name] if table.known(name)[0] else 1.0  # it is filled, and could be known
        for name, a in literal.numbers
    ]
    # Another category is one step: it makes a set hold that adds something, or one not hold that takes something away.
    gains = sorted((abs(a) for one, a in literal.sets if one.evaluate(table)[0] == (a < 0.0)), reverse=True)
    enough = (k for k, gained in enumerate(accumulate(gains), 1) if gained > -margin)
    return min([*by_number, float(next(enough, math.inf))])


def _as_printed(literal: Halfspace, read: Comparison, total: float, row: Row) -> tuple[float | None, float]:
    """Find the value and the margin of what is printed: the mirrored sum after `<`, the quotient of a ratio, `>=`."""
    if math.isnan(total):
        return None, math.nan
    if read.ratio is not None:
        above, below = (_number(row[name]) for name in read.ratio)
        value, margin = above / below, total - literal.threshold
        return value, math.copysign(abs(value - read.bound), margin) if margin else 0.0
    mirrored = read.terms != literal.terms
    return (0.0 - total, read.bound + total) if mirrored else (total, total - read.bound)


def _number(value: Value | None) -> float:
    assert isinstance(value, float)  # it is compared, and known, for the sum is
    return value


def _comparison(literal: Halfspace, row: Row, schema: Schema | None) -> Comparison:
    """Read the literal as printed; but as a difference where a ratio's divisor is not positive, as it was at fit."""
    read = literal.comparison(schema)
    below = None if read.ratio is None else row[read.ratio[1]]
    return literal.comparison() if isinstance(below, float) and below <= 0.0 else read
