"""How rules do on new rows, beside how they did on those they were learned from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from r2n.explain.fairness import Groups
from r2n.explain.fairness import groups as compare_groups
from r2n.explain.leveldrift import LevelDrift, level_drifts, level_lines
from r2n.explain.shares import FAR, align, differ, percent, share
from r2n.rules.anyrules import AnyRules
from r2n.rules.counts import Baseline, RuleCount
from r2n.rules.leveltext import write_level
from r2n.rules.rule import Rule
from r2n.rules.text import write_value
from r2n.table import Schema, Value
from r2n.words import count


@dataclass(frozen=True, slots=True)
class RuleDrift:
    """What one rule covers on new rows, beside what it covered in training.

    Parameters
    ----------
    number : int
        The rule's number as printed, from 1.
    label : str, int, float or bool
        The label that the rule gives.
    rule : Rule
        The rule.
    rows : int
        The number of new rows.
    now : RuleCount
        The rule's count on the new rows.
    rows_then : int
        The number of training rows; 0 if unknown.
    then : RuleCount or None
        The rule's count in training; None if it was not counted.
    labelled : bool
        Whether the labels of the new rows are known, and so `now.positives`.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> check(rules, {"x": [1, 4]}).rules[0].coverage
    (0.5, nan)
    """

    number: int
    label: Value
    rule: Rule
    rows: int
    now: RuleCount
    rows_then: int
    then: RuleCount | None
    labelled: bool

    @property
    def coverage(self) -> tuple[float, float]:
        """The share of rows that the rule covers, now and in training; NaN where unknown."""
        covered = math.nan if self.then is None else self.then.covered.rows
        return share(self.now.covered.rows, self.rows), share(covered, self.rows_then)

    @property
    def precision(self) -> tuple[float, float]:
        """The share of covered rows that have the label, now and in training; NaN where unknown."""
        now = self.now.positives.rows if self.labelled else math.nan
        then = math.nan if self.then is None else share(self.then.positives.rows, self.then.covered.rows)
        return share(now, self.now.covered.rows), then

    @property
    def coverage_drifts(self) -> bool:
        """Whether the rule covers another share of rows than in training, by more than chance explains."""
        if self.then is None:
            return False
        return differ(self.now.covered.rows, self.rows, self.then.covered.rows, self.rows_then)

    @property
    def precision_drifts(self) -> bool:
        """Whether its precision differs from training by more than chance explains."""
        if self.then is None or not self.labelled:
            return False
        now, then = self.now, self.then
        return differ(now.positives.rows, now.covered.rows, then.positives.rows, then.covered.rows)


@dataclass(frozen=True, slots=True)
class Check:
    """How rules do on new rows, compared with training: `print` it, or read its parts.

    Parameters
    ----------
    rows : int
        The number of new rows.
    predictions : tuple of (label, int) pairs
        How many rows get each label, the most frequent first.
    rules : tuple of RuleDrift
        One entry for each rule, in printed order.
    accuracy : float
        The accuracy on the new rows; NaN if their labels are unknown.
    accuracy_then : float
        The accuracy in training; NaN if it was not counted, or the rules changed since.
    schema : Schema, optional
        The columns, for printing.
    levels : tuple of LevelDrift
        One entry for each risk level; none if the rules have no levels.
    groups : Groups, optional
        How groups of rows are treated.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> check(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4]}, ["no", "yes"]).accuracy
    1.0
    """

    rows: int
    predictions: tuple[tuple[Value, int], ...]
    rules: tuple[RuleDrift, ...]
    accuracy: float
    accuracy_then: float
    schema: Schema | None = field(default=None, compare=False, repr=False)
    levels: tuple[LevelDrift, ...] = ()
    groups: Groups | None = None

    @property
    def drifting(self) -> tuple[RuleDrift, ...]:
        """The rules whose coverage or precision differs from training by more than chance explains."""
        return tuple(rule for rule in self.rules if rule.coverage_drifts or rule.precision_drifts)

    def __str__(self) -> str:
        said = ", ".join(f"{n:,} {write_value(label)}" for label, n in self.predictions)
        lines = [f"{count(self.rows, 'row')}: {said}", *level_lines(self.levels), *_table(self.rules, self.schema)]
        if not math.isnan(self.accuracy):
            then = "" if math.isnan(self.accuracy_then) else f", {self.accuracy_then:.4f} in training"
            lines.append(f"accuracy {self.accuracy:.4f}{then}")
        numbers = ", ".join(str(rule.number) for rule in self.drifting)
        names = ", ".join(write_level(each.level) for each in self.levels if each.drifts)
        found = [*([f"rule {numbers}"] if numbers else []), *([f"level {names}"] if names else [])]
        if found:
            lines.append(f"! differs from training by more than {FAR:g} standard errors: {', '.join(found)}")
        return "\n".join([*lines, *([] if self.groups is None else [str(self.groups)])])


def check(rules: AnyRules, X: object, y: Any = None, groups: Sequence[str] = ()) -> Check:
    """Count the rules on new rows and compare with the counts in training, `rules.baseline`.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules. Of risk levels, each level is compared too, and the accuracy is that of the predicted classes.
    X : table
        The new rows: a frame, a dict of columns or a two-dimensional array.
    y : array-like, optional
        Their labels, if known.
    groups : sequence of str
        Columns of X whose values make groups, to compare how the rules treat them.

    Returns
    -------
    Check
        One entry for each rule, and the accuracy; `print` shows them.

    Raises
    ------
    ParameterError
        If there is not one label for each row, or a column of `groups` is not there or has too many values.
    SchemaError
        If a column that the rules read is not there, or holds other values than at fit.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
    >>> rules = rules.counted({"x": [1, 4, 5, 2], "z": ["a", "b", "b", "b"]}, ["no", "yes", "yes", "no"])
    >>> print(check(rules, {"x": [1, 4], "z": ["b", "b"]}, ["no", "yes"]))
    2 rows: 1 no, 1 yes
    rule  covers  before  precision  before
       1  50.0 %  50.0 %      1.000   1.000  x > 3
       2   0.0 %  25.0 %              0.000  z in {a}
    accuracy 1.0000, 0.7500 in training
    """
    table = rules.table(X)
    now = Baseline.count(rules, table, np.full(table.n_rows, None, dtype=object) if y is None else y)
    then = rules.baseline
    right, right_then = now.right_by(rules), None if then is None else then.right_by(rules)
    owners = [(label, rule) for label, branch in rules.branches for rule in branch]
    drifts = tuple(
        RuleDrift(
            number, label, rule, now.rows, counted,
            then.rows if then else 0, then.of(label, rule) if then else None, y is not None,
        )
        for number, ((label, rule), (_, _, counted)) in enumerate(zip(owners, now.rules, strict=True), start=1)
    )  # fmt: skip
    predicted = Counter(rules.chain.predict(table).tolist())
    return Check(
        now.rows,
        tuple(sorted(predicted.items(), key=lambda item: (-item[1], str(item[0])))),
        drifts,
        math.nan if y is None or right is None else share(right, now.rows),
        math.nan if then is None or right_then is None else share(right_then, then.rows),
        rules.schema,
        level_drifts(rules, table, now),
        compare_groups(rules, X, y, groups) if groups else None,
    )


def _table(rules: Sequence[RuleDrift], schema: Schema | None) -> list[str]:
    if not rules:
        return ["there are no rules"]
    several = len({rule.label for rule in rules}) > 1
    grid = [["rule", "covers", "before", "precision", "before"], *map(_cells, rules)]
    texts = ["", *(_line(rule, several, schema) for rule in rules)]
    return align(grid, texts)


def _cells(rule: RuleDrift) -> list[str]:
    shares = [*map(percent, rule.coverage), *("" if math.isnan(p) else f"{p:.3f}" for p in rule.precision)]
    return [str(rule.number), *shares]


def _line(rule: RuleDrift, several: bool, schema: Schema | None) -> str:
    mark = "! " if rule.coverage_drifts or rule.precision_drifts else ""
    return f"{mark}{f'{write_value(rule.label)}: ' if several else ''}{rule.rule.text(schema)}"
