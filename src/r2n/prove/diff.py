"""What changed from one model to another: rules that came, went or changed, and rows decided differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.prove.equivalence import check_model
from r2n.rules.anyrules import AnyRules, comparable
from r2n.rules.levels import LevelRules
from r2n.rules.leveltext import write_level, write_percent, write_threshold
from r2n.rules.literals import Halfspace, Literal, Membership
from r2n.rules.ruleset import Rule
from r2n.rules.text import write_value
from r2n.table import Schema, Value
from r2n.words import count

_ALIKE = 0.4  # two rules less alike than this are one that went and one that came


@dataclass(frozen=True, slots=True)
class ClassDiff:
    """What changed in the rules for one label."""

    label: Value
    went: tuple[Rule, ...] = ()
    came: tuple[Rule, ...] = ()
    changed: tuple[tuple[Rule, Rule], ...] = ()
    stayed: int = 0

    def __bool__(self) -> bool:
        return bool(self.went or self.came or self.changed)


@dataclass(frozen=True, slots=True, eq=False)  # arrays are not compared as values are
class RowDiff:
    """The rows of a table that two models decide differently.

    Parameters
    ----------
    n_rows : int
        The number of rows in the table.
    rows : array of int
        The positions of the rows decided differently.
    before : array
        What the first model predicts for these rows.
    after : array
        What the second model predicts for them.

    Examples
    --------
    >>> print(RowDiff.between(np.array(["a", "b"]), np.array(["a", "a"])))
    1 of 2 rows is decided differently: 1 b → a
    row 1
    """

    n_rows: int
    rows: NDArray[np.intp]
    before: NDArray[Any]
    after: NDArray[Any]

    @classmethod
    def between(cls, before: NDArray[Any], after: NDArray[Any]) -> RowDiff:
        """Compare two models' predictions for the same rows.

        Parameters
        ----------
        before : array
            What the first model predicts.
        after : array
            What the second model predicts.

        Returns
        -------
        RowDiff
            The rows where they differ.

        Examples
        --------
        >>> RowDiff.between(np.array([1, 0, 1]), np.array([1, 1, 1])).rows
        array([1])
        """
        # As objects, so that a number and a text are different labels, and not an error.
        first, second = (np.asarray(labels, dtype=object) for labels in (before, after))
        rows = np.flatnonzero(first != second)
        return cls(len(first), rows, first[rows], second[rows])

    def __str__(self) -> str:
        if not len(self.rows):
            return f"none of {count(self.n_rows, 'row')} is decided differently"
        ways = Counter(zip(self.before.tolist(), self.after.tolist(), strict=True))
        told = ", ".join(f"{n:,} {write_value(a)} → {write_value(b)}" for (a, b), n in ways.most_common())
        shown = ", ".join(map(str, self.rows[:10].tolist())) + (", …" if len(self.rows) > 10 else "")
        few = len(self.rows) == 1
        decided = f"{len(self.rows):,} of {count(self.n_rows, 'row')} {'is' if few else 'are'} decided differently"
        return f"{decided}: {told}\n{'row' if few else 'rows'} {shown}"


@dataclass(frozen=True, slots=True)
class Diff:
    """What changed from one model to another; false if nothing did.

    Parameters
    ----------
    classes : tuple of ClassDiff
        What changed in the rules for each label.
    labels : tuple of two tuples
        The labels of both models in the order in which they are tried, the default last.
    rows : RowDiff, optional
        The rows that they decide differently, if a table was given.
    schema : Schema, optional
        The columns of the second model, for printing.
    notes : tuple of str
        What else changed in risk levels: shares, the threshold, the classes.

    Examples
    --------
    >>> from r2n.rules import RuleSet
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> bool(diff(rules, rules)), bool(diff(rules, rules.with_rule("y > 1")))
    (False, True)
    """

    classes: tuple[ClassDiff, ...]
    labels: tuple[tuple[Value, ...], tuple[Value, ...]]
    rows: RowDiff | None = None
    schema: Schema | None = None
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return any(self.classes) or self.labels[0] != self.labels[1] or bool(self.notes)

    @property
    def went(self) -> tuple[Rule, ...]:
        """The rules that only the first model has."""
        return tuple(rule for each in self.classes for rule in each.went)

    @property
    def came(self) -> tuple[Rule, ...]:
        """The rules that only the second model has."""
        return tuple(rule for each in self.classes for rule in each.came)

    @property
    def changed(self) -> tuple[tuple[Rule, Rule], ...]:
        """The rules that changed, each with what became of it."""
        return tuple(pair for each in self.classes for pair in each.changed)

    def __str__(self) -> str:
        lines = [line for each in self.classes if each for line in self._lines(each)]
        if self.labels[0] != self.labels[1]:
            asked = (", ".join(map(write_value, labels)) for labels in self.labels)
            lines.append("labels, the default last: {} → {}".format(*asked))
        lines += self.notes
        return "\n".join([*(lines or ["the same rules"]), *([str(self.rows)] if self.rows is not None else [])])

    def _lines(self, each: ClassDiff) -> Iterator[str]:
        counts = f"{len(each.went)} went, {len(each.came)} came, {len(each.changed)} changed, {each.stayed} stayed"
        yield f"{write_value(each.label)}: {counts}"
        yield from (f"  - {rule.text(self.schema)}" for rule in each.went)
        yield from (f"  + {rule.text(self.schema)}" for rule in each.came)
        for before, after in each.changed:
            yield f"  ~ {before.text(self.schema)}"
            yield f"  → {after.text(self.schema)}"


def diff(before: AnyRules, after: AnyRules, X: object = None) -> Diff:
    """Find which rules came, went or changed from one model to another.

    Parameters
    ----------
    before : RuleSet, ClassRules or LevelRules
        The older model.
    after : RuleSet, ClassRules or LevelRules
        The newer model.
    X : table, optional
        Rows on which to compare the predictions, too.

    Returns
    -------
    Diff
        The changes; `print` shows them.

    Raises
    ------
    ParameterError
        If something else than two models is given.

    Examples
    --------
    >>> from r2n.rules import RuleSet
    >>> before = RuleSet.parse("yes if x > 3 and z in {a} or y > 7 or w < 1 else no")
    >>> after = RuleSet.parse("yes if x > 4 and z in {a} or w < 1 or v is missing else no")
    >>> print(diff(before, after, {"x": [4, 5], "y": [0, 8], "w": [2, 2], "v": [1, 1], "z": ["a", "a"]}))
    yes: 1 went, 1 came, 1 changed, 1 stayed
      - y > 7
      + v is missing
      ~ x > 3 and z in {a}
      → x > 4 and z in {a}
    1 of 2 rows is decided differently: 1 yes → no
    row 0
    """
    for model in (before, after):
        check_model(model)
    notes = _level_changes(before, after)
    before, after = comparable(before, after)
    old, new = dict(before.branches), dict(after.branches)
    labels = tuple(dict.fromkeys((*old, *new)))
    classes = tuple(_compare_rules(label, old.get(label, ()), new.get(label, ())) for label in labels)
    asked = (*old, before.default), (*new, after.default)
    rows = None if X is None else RowDiff.between(before.predict(X), after.predict(X))
    return Diff(classes, asked, rows, after.schema, notes)


def _level_changes(before: AnyRules, after: AnyRules) -> tuple[str, ...]:
    """Say what changed in two chains of levels beside their rules and names."""
    if not (isinstance(before, LevelRules) and isinstance(after, LevelRules)):
        return ()
    old, new = (dict(zip(model.levels, model.shares, strict=True)) for model in (before, after))
    shares = (
        f"share of {write_level(name)}: {write_percent(old[name])} % → {write_percent(share)} %"
        for name, share in new.items()
        if old.get(name, share) != share
    )
    said = write_threshold(before), write_threshold(after)
    return (*shares, *([" → ".join(said)] if said[0] != said[1] else []))


def _compare_rules(label: Value, before: Sequence[Rule], after: Sequence[Rule]) -> ClassDiff:
    went, came = [r for r in before if r not in after], [r for r in after if r not in before]
    changed = _pairs(went, came)
    old, new = {r for r, _ in changed}, {r for _, r in changed}
    return ClassDiff(
        label,
        tuple(r for r in went if r not in old),
        tuple(r for r in came if r not in new),
        tuple(changed),
        len(before) - len(went),
    )


def _pairs(went: Sequence[Rule], came: Sequence[Rule]) -> list[tuple[Rule, Rule]]:
    """Pair the rules that are most alike, in the order of the older ones."""
    likeness = {(a, b): _likeness(a, b) for a in went for b in came}
    found: dict[Rule, Rule] = {}
    for a, b in sorted(likeness, key=lambda pair: -likeness[pair]):
        if likeness[a, b] >= _ALIKE and a not in found and b not in found.values():
            found[a] = b
    return [(a, found[a]) for a in went if a in found]


def _likeness(a: Rule, b: Rule) -> float:
    """Rate from 0 to 1 how much of the longer rule has a counterpart in the other."""
    left, total = list(b.literals), 0.0
    for p in a.literals:
        nearest = max(left, key=lambda q: _literal_likeness(p, q), default=None)
        if nearest is not None and _literal_likeness(p, nearest) > 0.0:
            total += _literal_likeness(p, nearest)
            left.remove(nearest)
    return total / max(len(a.literals), len(b.literals), 1)


def _literal_likeness(p: Literal, q: Literal) -> float:
    if p == q:
        return 1.0
    if type(p) is not type(q):
        return 0.0
    shared = _overlap(p.columns, q.columns)
    if isinstance(p, Halfspace) and isinstance(q, Halfspace):
        same_way = _overlap(*([(key, a > 0.0) for key, a in (*each.numbers, *each.sets)] for each in (p, q)))
        return 0.9 if p.terms == q.terms else 0.4 * shared + 0.4 * same_way
    if isinstance(p, Membership) and isinstance(q, Membership):
        same_kind = 1.0 if p.negated == q.negated else 0.5
        return shared * same_kind * (0.5 + 0.4 * _overlap(p.values, q.values))
    return 0.0


def _overlap(a: Iterable[object], b: Iterable[object]) -> float:
    first, second = set(a), set(b)
    return len(first & second) / len(first | second)
