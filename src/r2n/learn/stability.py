"""How stable the conditions of a model are: in how many searches on resampled rows each of them came back."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.rules import AnyRules, Halfspace, Literal, Membership, column_of
from r2n.rules.text import write_value
from r2n.table import Value
from r2n.table.cells import value_id
from r2n.words import count

if TYPE_CHECKING:
    import pandas as pd

Likeness: TypeAlias = tuple[Hashable, ...]  # equal for literals that come back as each other

OFTEN = 0.5  # the share of resamples from which on a condition that the model lacks is shown


class ConditionCount(NamedTuple):
    """In how many resamples a condition came back.

    Parameters
    ----------
    rule : int or None
        The number of the model's rule as printed; None if the model does not have the condition.
    label : str, int, float or bool
        The class whose rules have it.
    literal : str
        Its text; of a condition that the model lacks, as it stands in the first resample that has it.
    columns : tuple of str
        The columns that it reads.
    times : int
        In how many resamples it came back.

    Examples
    --------
    >>> ConditionCount(1, "yes", "x > 3", ("x",), 20).times
    20
    """

    rule: int | None
    label: Value
    literal: str
    columns: tuple[str, ...]
    times: int


@dataclass(frozen=True, slots=True, repr=False)
class Stability:
    """In how many searches on resampled rows each condition of a model came back: `print` it, or take its `frame()`.

    A condition came back if the rules of the same class have one of the same kind that reads the same columns; in a sum
    these must have the same signs. Numbers and categories may differ.

    Parameters
    ----------
    resamples : int
        How many resamples were searched.
    conditions : tuple of ConditionCount
        One for each literal of each rule, in printed order.
    missed : tuple of ConditionCount
        Conditions that the model does not have, though at least half of the resamples do; the most frequent first.

    Examples
    --------
    >>> from r2n import RuleSet
    >>> model, *others = (RuleSet.parse(f"yes if {text} else no") for text in ("x > 3", "x > 4", "x < 3 or y > 1"))
    >>> Stability.of(model, others)
    2 resamples of the rows
    rule  times  share  condition
       1      1   50 %  x > 3
    not in the rules, but in at least half of the resamples, such as
              1   50 %  x < 3
              1   50 %  y > 1
    """

    resamples: int
    conditions: tuple[ConditionCount, ...]
    missed: tuple[ConditionCount, ...] = ()

    @classmethod
    def of(cls, rules: AnyRules, others: Sequence[AnyRules]) -> Stability:
        """Count the conditions of a model in others.

        Parameters
        ----------
        rules : RuleSet or ClassRules
            The model.
        others : sequence of RuleSet or ClassRules
            What was learned from each resample.

        Returns
        -------
        Stability
            The counts.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> Stability.of(rules, [rules, rules]).conditions[0].times
        2
        """
        runs = [_list_conditions(other) for other in others]
        owners = [(label, rule) for label, branch in rules.branches for rule in branch]
        known = _list_conditions(rules)
        conditions = tuple(
            ConditionCount(number, label, literal.text(rules.schema), tuple(literal.columns), times)
            for number, (label, rule) in enumerate(owners, start=1)
            for literal in rule.literals
            for times in [sum(_owned(label, literal) in run for run in runs)]
        )
        new: dict[Likeness, ConditionCount] = {}
        for run in runs:
            for likeness, found in run.items():
                if likeness not in known:
                    before = new.get(likeness, found)
                    new[likeness] = before._replace(times=before.times + 1)
        often = [each for each in new.values() if each.times >= OFTEN * len(runs)]
        return cls(len(runs), conditions, tuple(sorted(often, key=lambda each: -each.times)))

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame of all conditions, those that the model does not have last.

        Returns
        -------
        DataFrame
            One line for each: the number of its rule (missing if the model does not have it), label, literal, columns,
            in how many resamples it came back, and their share.

        Examples
        --------
        >>> Stability(20, (ConditionCount(1, "yes", "x > 3", ("x",), 15),)).frame()[["rule", "literal", "share"]]
           rule literal  share
        0     1   x > 3   0.75
        """
        import pandas as pd

        rows = (*self.conditions, *self.missed)
        return pd.DataFrame(
            {
                "rule": pd.array([each.rule for each in rows], dtype="Int64"),
                "label": [each.label for each in rows],
                "literal": [each.literal for each in rows],
                "columns": [list(each.columns) for each in rows],
                "times": [each.times for each in rows],
                "share": [self._share(each) for each in rows],
            }
        )

    def _share(self, each: ConditionCount) -> float:
        return each.times / self.resamples if self.resamples else math.nan

    def __repr__(self) -> str:
        several = len({value_id(each.label) for each in (*self.conditions, *self.missed)}) > 1
        lines = [f"{count(self.resamples, 'resample')} of the rows", "rule  times  share  condition"]
        lines += self._lines(self.conditions, several) if self.conditions else ["the rules have no condition"]
        if self.missed:
            lines += ["not in the rules, but in at least half of the resamples, such as"]
            lines += self._lines(self.missed, several)
        return "\n".join(lines)

    def _lines(self, rows: Sequence[ConditionCount], several: bool) -> Iterator[str]:
        for each in rows:
            label = f"{write_value(each.label)}: " if several else ""
            rule = "" if each.rule is None else str(each.rule)
            yield f"{rule:>4}  {each.times:5d}  {100 * self._share(each):3.0f} %  {label}{each.literal}"


def likeness_of(literal: Literal) -> Likeness:
    """What a literal must share with another to count as the same condition: kind, columns, and signs in a sum.

    >>> from r2n.rules import parse_literal
    >>> one, other, turned = map(parse_literal, ("x - 2·y > 3", "2·x - 9·y > 0", "x - 2·y < 3"))
    >>> likeness_of(one) == likeness_of(other), likeness_of(one) == likeness_of(turned)
    (True, False)
    """
    if isinstance(literal, Halfspace):
        # A set with the other sign is the set of all other categories.
        signs = {(column_of(key), 0 if isinstance(key, Membership) else np.sign(a)) for key, a in literal.terms}
        return "sum", frozenset(signs)
    return type(literal).__name__, literal.column


def _owned(label: Value, literal: Literal) -> Likeness:
    return value_id(label), *likeness_of(literal)


def _list_conditions(rules: AnyRules) -> Mapping[Likeness, ConditionCount]:
    """Each condition once, as it first stands; not counted yet."""
    found: dict[Likeness, ConditionCount] = {}
    for label, branch in rules.branches:
        for rule in branch:
            for literal in rule.literals:
                text, columns = literal.text(rules.schema), tuple(literal.columns)
                found.setdefault(_owned(label, literal), ConditionCount(None, label, text, columns, 0))
    return found


def draw_resample(codes: NDArray[np.intp], weight: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.intp]:
    """Draw rows with replacement, of each class as many as it has: how often each row was drawn.

    Rows of weight 0 are never drawn, and no class is lost.

    >>> codes, weight = np.array([0, 0, 0, 1, 1]), np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    >>> drawn = draw_resample(codes, weight, np.random.RandomState(0))
    >>> int(drawn[:3].sum()), int(drawn[2]), int(drawn[3:].sum())
    (2, 0, 2)
    """
    times = np.zeros(len(codes), dtype=np.intp)
    for k in np.unique(codes):
        rows = np.flatnonzero((codes == k) & (weight > 0))
        if len(rows):
            times += np.bincount(rng.choice(rows, len(rows)), minlength=len(codes))
    return times
