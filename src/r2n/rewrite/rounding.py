"""Round as a person does by hand: shorten numbers and keep the predictions on the rows at hand.

Unlike `round_predictions`, which finishes learning, it may change a stated number of rows, tries whole numbers and
ratios too, and knows rules for several classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rewrite.chain import Care, Chain, R
from r2n.rewrite.shorten import in_units, nearest_rows, reading_length, rounding_error, with_short_fills
from r2n.rules.floats import count_digits, round_to, shortest_between
from r2n.rules.literals import Halfspace
from r2n.rules.membership import Bools, Floats
from r2n.rules.terms import Key, most_of
from r2n.table import Table

_MOST_DIGITS = 17  # enough for every float
_LARGEST_FACTOR = 9  # whole numbers beyond it are no easier to read than decimals
_CLOSE = 0.05  # to the proportions found, so that whole numbers do not tell another story
_MOST_GAPS = 8


class Rounded(NamedTuple, Generic[R]):
    """Rules with shorter numbers, and how many predictions they change.

    Parameters
    ----------
    rules : RuleSet, ClassRules or LevelRules
        The rules with shorter numbers.
    changed : int
        The number of rows that they predict differently.

    Examples
    --------
    >>> from r2n.rules import RuleSet
    >>> rounded(RuleSet.parse("yes if x > 3.0001 else no"), {"x": [2, 4]}).changed
    0
    """

    rules: R
    changed: int


def rounded(rules: R, X: object, changes: int = 0) -> Rounded[R]:
    r"""Find the shortest numbers that change the predictions of at most `changes` of these rows.

    What missing values count as is made short only where that changes no row.

    >>> from r2n.rules import RuleSet
    >>> rules = RuleSet.parse("yes if 1.9871·x + 4.0213·y > 5.9967 or z > 0.4983 else no")
    >>> table = {"x": [1, 3, 0, 1, 2], "y": [1.1, 0, 2, 0.9, 0.7], "z": [0.41, 0.2, 0.3, 0.55, 0.45]}
    >>> print(*rounded(rules, table), sep="\n")
    yes if x + 2·y > 3
        or z > 0.5
    else no
    0
    """
    if isinstance(changes, bool) or not isinstance(changes, int | np.integer) or changes < 0:
        raise ParameterError(f"changes must be a number of rows, 0 or more, not {changes!r}.")
    chain = Chain.of(rules, rules.table(X))
    chain = _spend(_free(chain), int(changes))
    return Rounded(chain.put_into(rules), chain.changed)


def _free(chain: Chain) -> Chain:
    """Shorten literal by literal what changes no row, until nothing is left to shorten."""
    while True:
        before = chain
        for place, literal in chain.places():
            chain = chain.with_literal(place, _shortest(literal, chain.table, chain.care(place), chain.changed))
        if chain.branches == before.branches:
            return chain


def _spend(chain: Chain, changes: int) -> Chain:
    """Spend the rows that may change where each saves most reading."""
    while chain.changed < changes:
        offers = []
        for place, literal in chain.places():
            short = _shortest(literal, chain.table, chain.care(place), changes)
            if short != literal:
                offer = chain.with_literal(place, short)
                price = max(offer.changed - chain.changed, 0)
                offers.append(((_reading(literal) - _reading(short)) / (price + 1e-9), offer))
        if not offers:
            return chain
        chain = max(offers, key=lambda offer: offer[0])[1]
    return chain


# -- one literal ------------------------------------------------------------------------------------


def _shortest(literal: Halfspace, table: Table, care: Care, changes: int) -> Halfspace:
    """Find the shortest literal with at most this many changed rows; the literal itself if none is shorter."""
    rows, want = _both_sides(literal, table, care)
    budget = changes - care.lost
    if budget < 0 or want.all() or not want.any():
        return literal
    here = table.take(rows)
    return with_short_fills(_with_short_numbers(literal, here, want, budget), here, table)


def _with_short_numbers(literal: Halfspace, here: Table, want: Bools, budget: int) -> Halfspace:
    near = nearest_rows(literal, here, want, max(128, 2 * budget))
    hard, hard_want = here.take(near), want[near]
    for directions in _directions(literal, here, want, budget):
        aimed = [_aim(each, literal) for each in dict.fromkeys(directions)]
        plausible = [each for each in aimed if _fits(each, hard, hard_want, budget)]
        found = [fit for each in plausible for fit in _fits(each, here, want, budget)]
        shorter = [fit for fit in found if _reading(fit) < _reading(literal)]
        if shorter:
            return min(shorter, key=lambda fit: _drawbacks(fit, literal, here, want))
        if found or literal.n_terms == 1:
            break  # more digits are not shorter
    return literal


def _aim(direction: Halfspace, literal: Halfspace) -> Halfspace:
    """Give a direction the literal's threshold, in its scale; 0 where that is beyond all floats."""
    name, a = literal.terms[0]
    with np.errstate(all="ignore"):
        threshold = float(np.float64(literal.threshold) * (dict(direction.terms).get(name, 0.0) / np.float64(a)))
    return Halfspace(direction.terms, threshold if math.isfinite(threshold) else 0.0)


def _reading(literal: Halfspace) -> int:
    """Count what there is to read. For one column, a bound of 0 is no shorter than one of 5."""
    return reading_length(literal) + (literal.n_terms == 1 and literal.threshold == 0.0)


def _drawbacks(fit: Halfspace, literal: Halfspace, table: Table, want: Bools) -> tuple[int, int, float, float]:
    """Rank a candidate by what there is to read, then by changed rows, then by its numbers."""
    missed = abs(fit.threshold / 2 - _aim(fit, literal).threshold / 2)
    return _reading(fit), _wrong(fit, table, want), _turn(literal, fit), missed


def _both_sides(literal: Halfspace, table: Table, care: Care) -> tuple[NDArray[np.intp], Bools]:
    """Take the rows that the literal decides; where they are all on one side, the rest says where the other begins."""
    known = np.flatnonzero(~np.isnan(literal.values(table)))
    truth = literal.evaluate(table)[known]
    elsewhere = ~np.isin(known, care.rows)
    sides = [side for side in (False, True) if not (care.want == side).any()]
    more = elsewhere & np.isin(truth, sides)
    return np.concatenate([care.rows, known[more]]), np.concatenate([care.want, truth[more]])


def _directions(literal: Halfspace, table: Table, want: Bools, budget: int) -> Iterator[list[Halfspace]]:
    """Yield groups of candidate directions, easy ones first: few digits, whole numbers, ratios."""
    yield [*in_units(literal, 1), *_whole_numbers(literal), *_ratios(literal, table, want, budget)]
    for digits in range(2, _MOST_DIGITS + 1):
        yield in_units(literal, digits)


def _whole_numbers(literal: Halfspace) -> Iterator[Halfspace]:
    """Yield sums with whole coefficients such as 2·x - 3·y."""
    if literal.n_terms == 1:
        return
    for _, unit in literal.terms:
        for factor in range(2, _LARGEST_FACTOR + 1):
            exact = [factor * (a / abs(unit)) for _, a in literal.terms]
            whole = [float(np.round(a)) for a in exact if 0.5 < abs(a) < 10 * _LARGEST_FACTOR]
            keys = [key for key, _ in literal.terms]
            if len(whole) == len(exact) and math.gcd(*map(int, whole)) == 1 and _may_have(keys, whole):
                candidate = Halfspace.of(zip(keys, whole, strict=True), 0.0)
                if _turn(literal, candidate) < _CLOSE:
                    yield candidate


def _may_have(keys: Sequence[Key], coefficients: Sequence[float]) -> bool:
    return all(abs(a) <= most_of(key) for key, a in zip(keys, coefficients, strict=True))


def _turn(literal: Halfspace, other: Halfspace) -> float:
    """Measure how far the proportions of the coefficients moved: 0.05 is about 5 %."""
    before, after = dict(literal.terms), dict(other.terms)
    if before.keys() != after.keys():
        return math.inf
    with np.errstate(all="ignore"):
        logs = [float(np.log(after[name] / before[name])) for name in before]  # NaN for a change of sign
    return max(logs) - min(logs) if np.isfinite(logs).all() else math.inf


def _ratios(literal: Halfspace, table: Table, want: Bools, budget: int) -> Iterator[Halfspace]:
    """Yield p/q > r where q is positive in all rows and r near what it was, written as the difference that it means."""
    if literal.n_terms != 2 or literal.sets or literal.fills:
        return
    for (p, a), (q, _) in (literal.numbers, literal.numbers[::-1]):
        sign, divisor = math.copysign(1.0, a), table.numeric(q)
        if np.all((divisor > 0.0) | np.isnan(divisor)):
            with np.errstate(all="ignore"):
                ratio = sign * table.numeric(p) / divisor
            for low, high in _gaps(np.where(np.isinf(ratio), np.nan, ratio), want, budget):
                candidate = Halfspace.of({p: sign, q: -shortest_between(low, high)}, 0.0)
                if _turn(literal, candidate) < _CLOSE:
                    yield candidate


def _fits(direction: Halfspace, table: Table, want: Bools, budget: int) -> list[Halfspace]:
    """Give the direction short thresholds that leave at most this many rows wrong, some of them near its own."""
    values = direction.values(table)
    # Names decide in which order three terms are added up, and that the last bits: no row may hang on these.
    slack = rounding_error(direction, table) if direction.n_terms > 2 else 0.0
    gaps = [(low + slack, high - slack) for low, high in _gaps(values, want, budget)]
    short = [shortest_between(low, high) for low, high in gaps if -math.inf < low < high < math.inf]
    near = [round_to(direction.threshold, max(count_digits(number), 1)) for number in short]
    found = [Halfspace(direction.terms, threshold) for threshold in (*short, *near) if math.isfinite(threshold)]
    return [fit for fit in found if _wrong(fit, table, want) <= budget]


def _wrong(literal: Halfspace, table: Table, want: Bools) -> int:
    return int(np.count_nonzero(literal.evaluate(table) != want))


def _gaps(values: Floats, want: Bools, budget: int) -> list[tuple[float, float]]:
    """Find between which thresholds at most so many rows are wrong; the best first. Rows without a value are false.

    >>> _gaps(np.array([1.0, 2, 3, 4]), np.array([False, False, True, True]), 0)
    [(2.0, 3.0)]
    >>> _gaps(np.array([1.0, 2, 3, 4]), np.array([False, True, False, True]), 1)
    [(1.0, 2.0), (3.0, 4.0)]
    """
    known = ~np.isnan(values)
    levels, place = np.unique(values[known], return_inverse=True)
    ours = np.bincount(place, weights=want[known], minlength=len(levels))  # wrong once the threshold reaches them
    theirs = np.bincount(place, weights=~want[known], minlength=len(levels))
    wrong = np.cumsum(ours) + np.sum(theirs) - np.cumsum(theirs) + np.sum(want[~known])
    good = np.r_[False, wrong[:-1] <= budget, False]  # the last level would leave no row true
    turns = np.flatnonzero(np.diff(good.astype(np.int8)))
    runs = sorted(zip(turns[::2], turns[1::2], strict=True), key=lambda run: wrong[run[0] : run[1]].min())
    return [(float(levels[first]), float(levels[last])) for first, last in runs[:_MOST_GAPS]]
