"""Short numbers that change no prediction, or no literal's truth, on the rows at hand."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from r2n.rules.floats import count_digits, round_to, shortest_between
from r2n.rules.literals import Halfspace, Literal
from r2n.rules.membership import Bools, Floats
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Filled, most_of, term_values
from r2n.table import Table

Places: TypeAlias = NDArray[np.intp]

_MOST_DIGITS = 17  # enough for every float

# Candidates are tried on this many rows on either side of the boundary before on all rows:
# those are the rows a wrong one changes first, and most candidates are wrong.
_NEAREST = 128


def round_predictions(rules: RuleSet, table: Table, given: Collection[Literal] = ()) -> RuleSet:
    """Find the shortest numbers that keep every *prediction* on every row; literals given stay as they are.

    A literal decides only the rows in which the rest of its rule holds and no other rule does; elsewhere it
    may change, which leaves more room: 0.25 rather than 0.2497.

    >>> rules = RuleSet.parse("yes if x > 0.2497 or y > 0.5 else no")
    >>> table = Table.read({"x": [0.1, 0.2491, 0.2498, 0.6], "y": [0.0, 0.9, 0.9, 0.1]})
    >>> print(round_predictions(rules, table))
    yes if x > 0.3
        or y > 0
    else no
    """
    said = {literal: literal.evaluate(table) for literal in rules.literals}

    def fires(literals: Iterable[Literal]) -> Bools:
        truth = np.ones(table.n_rows, dtype=np.bool_)
        for literal in literals:
            truth &= said[literal]
        return truth

    current = list(rules.rules)
    fired = [fires(rule.literals) for rule in current]
    count = np.sum(fired, axis=0, dtype=np.intp)
    for j, original in enumerate(rules.rules):
        silent = count == fired[j]
        for literal in original.literals:
            if literal in given:
                continue
            rest = tuple(other for other in current[j].literals if other != literal)
            short = _round_literal(literal, table.take(silent & fires(rest)), table)
            if short not in said:
                said[short] = short.evaluate(table)
            current[j] = Rule((*rest, short))
        now = fires(current[j].literals)
        count += now.astype(np.intp) - fired[j]
        fired[j] = now
    return rules.with_rules(current)


def _round_literal(literal: Literal, table: Table, whole: Table) -> Literal:
    """Find the shortest numbers that keep its truth on the rows of a table, which are some of a whole one's.

    If it is always, or never, true on these, they do not say where its boundary lies: then on those of the whole one.
    """
    if not isinstance(literal, Halfspace):
        return literal
    truth = literal.evaluate(table)
    short = _with_short_numbers(literal, whole if truth.all() or not truth.any() else table)
    return with_short_fills(short, table, whole)


def _with_short_numbers(literal: Halfspace, table: Table) -> Halfspace:
    truth = literal.evaluate(table)
    if truth.all() or not truth.any():
        return literal  # the rows say nothing about where its boundary lies
    hard = nearest_rows(literal, table, truth)
    hard_table = table.take(hard)
    for digits in range(1, _MOST_DIGITS + 1):
        tried = dict.fromkeys(in_units(literal, digits))
        plausible = [c for c in tried if _fit(c, hard_table, truth[hard])]
        found = [fit for c in plausible if (fit := _fit(c, table, truth))]
        if found:
            # The first of the shortest, and the literal itself if it is no longer than that.
            return min([literal, *found], key=reading_length)
        if literal.n_terms == 1:
            break  # a single column has nothing but its threshold to round
    return literal


def with_short_fills(literal: Halfspace, table: Table, whole: Table) -> Halfspace:
    """Find the shortest fills that keep its truth in a table, and that lie among what the whole one has.

    >>> table = Table.read({"x": [1.0, 4, 6, 2, 9], "y": [3.0, 9, None, 1, None]})
    >>> print(with_short_fills(Halfspace.of({"x": 1, Filled("y", 2.8713): 1}, 10), table, table))
    x + (y if known else 3) > 10
    """
    for place, (key, a) in enumerate(literal.terms):
        if isinstance(key, Filled):
            short = replace(key, fill=_shortest_fill(literal, key, a, table, whole))
            if count_digits(short.fill) < count_digits(key.fill) and abs(a) <= most_of(short):
                candidate = literal.with_key(place, short)
                literal = candidate if np.array_equal(candidate.evaluate(table), literal.evaluate(table)) else literal
    return literal


def _shortest_fill(literal: Halfspace, key: Filled, a: float, table: Table, whole: Table) -> float:
    """Find the shortest number that makes no false row true and no true row false."""
    known = whole.numeric(key.column)[whole.known(key.column)]
    least, most = (
        (float(end(initial=key.fill)) for end in (known.min, known.max)) if len(known) else (-math.inf, math.inf)
    )
    gap = ~table.known(key.column)
    rounder = (round_to(key.fill, digits) for digits in range(1, _MOST_DIGITS))
    with np.errstate(all="ignore"):  # at which each row's sum is the threshold, and how far it may be from it
        needed = key.fill - (literal.values(table)[gap] - literal.threshold) / a
        slack = rounding_error(literal, table) / abs(a) if literal.n_terms > 2 else 0.0
    above = literal.evaluate(table)[gap] == (a > 0.0)  # rows whose value must stay above what they need
    low = max(float(np.nanmax(needed[above], initial=-math.inf)) + slack, math.nextafter(least, -math.inf))
    high = min(float(np.nanmin(needed[~above], initial=math.inf)) - slack, math.nextafter(most, math.inf))
    return next((fill for fill in rounder if low < fill < high), key.fill)


def nearest_rows(literal: Halfspace, table: Table, truth: Bools, most: int = _NEAREST) -> Places:
    """Find the rows nearest to the boundary on either side; rows with a missing value come last."""
    with np.errstate(over="ignore", invalid="ignore"):
        distance = np.abs(literal.values(table) - literal.threshold)
    sides = [np.flatnonzero(truth), np.flatnonzero(~truth)]
    return np.concatenate([_smallest(side, distance[side], most) for side in sides])


def _smallest(rows: Places, distance: Floats, most: int) -> Places:
    if len(rows) <= most:
        return rows
    return rows[np.argpartition(distance, most)[:most]]


def in_units(literal: Halfspace, digits: int) -> list[Halfspace]:
    """Write the literal in units of each of its columns of numbers, rounded; of sets if there is nothing else."""
    units = literal.numbers or literal.terms
    return [scaled for _, a in units if (scaled := _divide(literal, abs(a), digits))]


def _divide(literal: Halfspace, scale: float, digits: int) -> Halfspace | None:
    """Divide the literal by the size of one coefficient, the others rounded; without a threshold yet."""
    terms = [(key, round_to(a / scale, digits)) for key, a in literal.terms]
    if any(a == 0.0 or not abs(a) <= most_of(key) for key, a in terms):
        return None
    return Halfspace.of(terms, 0.0)


def _fit(candidate: Halfspace, table: Table, truth: Bools) -> Halfspace | None:
    """Give the candidate the shortest threshold that leads to this truth; None if there is none."""
    values = candidate.values(table)
    false = values[~truth & ~np.isnan(values)]
    low = float(false.max(initial=-math.inf))
    high = float(values[truth].min())  # NaN if a true row has none, and then nothing below holds
    if candidate.n_terms > 2:
        # Names decide in which order three terms are added up, and that the last bits: no row may hang on these.
        slack = rounding_error(candidate, table)
        low, high = low + slack, high - slack
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        return None
    fit = Halfspace(candidate.terms, shortest_between(low, high))
    return fit if np.array_equal(fit.evaluate(table), truth) else None


def rounding_error(literal: Halfspace, table: Table) -> float:
    """Bound how far two orders of adding up the terms may differ."""
    largest = (float(np.nanmax(np.abs(term_values(key, table)), initial=0.0)) * abs(a) for key, a in literal.terms)
    return (literal.n_terms + len(literal.fills)) * sum(largest) * sys.float_info.epsilon


def reading_length(literal: Halfspace) -> int:
    """Count what there is to read: digits and coefficients; a coefficient of 1 is not printed."""
    coefficients = [count_digits(a) + 1 for _, a in literal.terms if abs(a) != 1.0]
    coefficients += [count_digits(key.fill) for key, _ in literal.terms if isinstance(key, Filled)]
    above = math.nextafter(literal.threshold, math.inf)  # printed as `>=` where that is shorter
    return sum(coefficients) + min(count_digits(literal.threshold), count_digits(above))
