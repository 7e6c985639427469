"""Rules amended by new rows: which changes rows that were held out speak for, and which are taken back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from r2n.rules import Literal, Rule
from r2n.search.plan import UPDATE_ERRORS
from r2n.search.problem import Bools, Floats, Rules

Wrong = Callable[[Rules], Bools]  # on which rows a model with these rules errs


def beats(better: Bools, worse: Bools, weight: Floats) -> bool:
    """Whether one model's errors are fewer than another's on the same rows, by two standard errors of the difference.

    The error is that of a difference whose mean is zero, so that a few rows that all say the same do not suffice.

    >>> none, four = np.zeros(9, dtype=bool), np.arange(9) < 4
    >>> beats(none, four, np.ones(9)), beats(none, np.arange(9) < 5, np.ones(9))
    (False, True)
    """
    difference = weight * (worse.astype(np.float64) - better)
    return float(difference.sum()) > UPDATE_ERRORS * math.sqrt(float(difference @ difference))


def take_back(present: Rules, found: Rules, wrong: Wrong, weight: Floats, worth: float = 0.0) -> Rules:
    """Take back the changes that rows held out do not speak for, best first.

    What is left still beats the present rules, and is not beaten by all changes together. If it does not bring in on
    these rows what it gives more to read, which is `worth` so much a column, all is taken back.
    """
    before, after, kept = wrong(present), wrong(found), found
    most = max(measure_size(present), measure_size(found))
    while True:
        options = [(nearer, wrong(nearer)) for nearer in list_nearer(present, kept) if measure_size(nearer) <= most]
        good = [
            (float(weight @ errors) + worth * measure_size(nearer), measure_distance(present, nearer), nearer)
            for nearer, errors in options
            if beats(errors, before, weight) and not beats(after, errors, weight)
        ]
        if not good:
            pays = float(weight @ before - weight @ wrong(kept)) > worth * (measure_size(kept) - measure_size(present))
            return kept if pays else present
        _, _, kept = min(good, key=lambda each: each[:2])


def list_nearer(present: Rules, found: Rules) -> Iterator[Rules]:
    """Rules with one change less: a rule, or a literal of one, is as it was."""
    gone = [rule for rule in present if rule not in found]
    come = [rule for rule in found if rule not in present]
    seen = {frozenset(found)}
    for taken, put in _list_changes(gone, come):
        nearer = tuple(dict.fromkeys((*(rule for rule in found if rule not in taken), *put)))
        is_nearer = measure_distance(present, nearer) < measure_distance(present, found)
        if is_nearer and frozenset(nearer) not in seen:
            seen.add(frozenset(nearer))
            yield nearer


def _list_changes(gone: Iterable[Rule], come: Iterable[Rule]) -> Iterator[tuple[Rules, Rules]]:
    gone, come = tuple(gone), tuple(come)
    yield from (((), (old,)) for old in gone)
    for new in come:
        yield (new,), ()
        for old in gone:
            yield (new,), (old,)
            yield from (((new,), (rule,)) for rule in _mix(new, old))


def _mix(new: Rule, old: Rule) -> Iterator[Rule]:
    """The new rule with one literal more of the old one, one less of its own, or one in the place of another."""
    own = [literal for literal in new.literals if literal not in old.literals]
    former = [literal for literal in old.literals if literal not in new.literals]
    places: list[Literal | None] = [None, *own]
    for dropped in places:
        rest = tuple(literal for literal in new.literals if literal != dropped)
        yield from (Rule((*rest, literal)) for literal in former)
        if dropped is not None and rest:
            yield Rule(rest)


def measure_size(rules: Rules) -> int:
    """How much these rules give to read."""
    return sum(rule.size for rule in rules)


def measure_distance(present: Rules, found: Rules) -> int:
    """How many literals differ, each rule beside the one that is most like it; a rule like none counts one more."""
    return sum(_measure_way(rule, present) for rule in found) + sum(_measure_way(rule, found) for rule in present)


def _measure_way(rule: Rule, others: Rules) -> int:
    own = set(rule.literals)
    return min([len(own) + 1, *(len(own ^ set(other.literals)) for other in others)])
