"""Hypothesis strategies: names, literals, rules, rule sets, and tables that probe their boundaries."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from r2n.prove import Domain, Values
from r2n.rewrite.expand import expand_rule
from r2n.rules import ClassRules, Filled, Halfspace, Known, LevelRules, Literal, Membership, Missing, Rule, RuleSet
from r2n.rules.terms import MOST_POINTS, most_of
from r2n.table import Table

# Names that have broken rule learners: spaces, quotes, operators, words of the language, other alphabets.
ODD_NAMES = (
    "x0", "x2", "x10", "x02", "income", "hours per week", 'say "hi"', "a > b", "a-b", "a/b", "x·y", "x*y",
    "if", "NOT", "Known", "inf", "True", "größe", "年齢", "e\u0301", "a\nb", "\t", "", " ", "0", "1e3", "-1",
    "back\\slash", "{a, b}", "a,b", "()", "'", "`", "#", ";--", "\U0001f600", "\x00", "x" * 50, "²", "_",
    "9" * 20,
)  # fmt: skip

column_names = st.sampled_from(ODD_NAMES) | st.text(max_size=6)

_LARGEST = 1.7976931348623157e308
_SMALLEST = 5e-324

numbers = (
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, -0.3, 2.5, 1e22, 1e-7, 1e-320])
    | st.sampled_from([_SMALLEST, -_SMALLEST, _LARGEST, -_LARGEST])
    | st.integers(-5, 5).map(float)
    | st.floats(allow_nan=False, allow_infinity=False)
)

coefficients = numbers.filter(lambda number: number != 0.0)
# Of sets: also such that swallow the numbers before them, and such that are swallowed.
points = st.sampled_from([MOST_POINTS, -MOST_POINTS, 1e16, -1e16, 0.3]) | coefficients.filter(
    lambda number: abs(number) <= MOST_POINTS
)

values = (
    st.sampled_from(["north", "a b", "3", "True", "", "nan", "in", 3, 0, -2, 2**60, 0.5, -1e300, True, False])
    | column_names
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
)


def _neighbours(number: float) -> list[float]:
    return [number, math.nextafter(number, math.inf), math.nextafter(number, -math.inf)]


def halfspaces(
    names: st.SearchStrategy[str] = column_names,
    weights: st.SearchStrategy[float] = coefficients,
    thresholds: st.SearchStrategy[float] = numbers,
    counted: st.SearchStrategy[Membership] | None = None,
) -> st.SearchStrategy[Halfspace]:
    """Sums of one to three columns; with `counted` also such that count one or two sets, or fill columns, or both."""
    plain = st.builds(Halfspace.of, st.dictionaries(names, weights, min_size=1, max_size=3), thresholds)
    if counted is None:
        return plain
    return plain | _sums_of_sets(names, weights, thresholds, counted) | filled_sums(plain, thresholds)


def filled_sums(
    sums: st.SearchStrategy[Halfspace], fills: st.SearchStrategy[float] = numbers, beside: bool = True
) -> st.SearchStrategy[Halfspace]:
    """Sums in which a column or two are filled; `beside`: often with what makes a column alone reach its threshold."""

    @st.composite
    def filled(draw: st.DrawFn) -> Halfspace:
        literal = draw(sums)
        names = draw(st.lists(st.sampled_from(literal.numbers), min_size=1, max_size=2)) if literal.numbers else []
        terms = dict(literal.terms)
        for name, a in dict(names).items():
            just = [near for near in _neighbours(_divide(literal.threshold, a)) if beside and math.isfinite(near)]
            fill = draw(fills | st.sampled_from([0.0, 1.0, *just]))
            key = Filled(name, fill)
            if abs(a) <= most_of(key):
                terms = {key if other == name else other: b for other, b in terms.items()}
        return Halfspace.of(terms, literal.threshold)

    return filled()


@st.composite
def _sums_of_sets(
    draw: st.DrawFn,
    names: st.SearchStrategy[str],
    weights: st.SearchStrategy[float],
    thresholds: st.SearchStrategy[float],
    counted: st.SearchStrategy[Membership],
) -> Halfspace:
    columns = draw(st.dictionaries(names, weights, max_size=2))
    small = weights.filter(lambda a: abs(a) <= MOST_POINTS)
    sets = draw(st.dictionaries(counted, small | points, min_size=1, max_size=2))
    # Often what the sets add is just the threshold, or one float more or less.
    added = [near for total in (*sets.values(), sum(sets.values())) for near in _neighbours(total)]
    terms: dict[Any, float] = {**columns, **sets}
    return draw(filled_or_not(Halfspace.of(terms, draw(thresholds | st.sampled_from(added)))))


def filled_or_not(literal: Halfspace) -> st.SearchStrategy[Halfspace]:
    return st.just(literal) | filled_sums(st.just(literal))


def memberships(
    names: st.SearchStrategy[str] = column_names, categories: st.SearchStrategy[object] = values
) -> st.SearchStrategy[Membership]:
    """Sets of one to four categories."""
    sets = st.lists(categories, min_size=1, max_size=4).map(tuple)
    return st.builds(Membership, names, sets, st.booleans())


def literals(names: st.SearchStrategy[str] = column_names) -> st.SearchStrategy[Literal]:
    """Literals of every kind."""
    sums = halfspaces(names, counted=memberships(names))
    return sums | memberships(names) | st.builds(Missing, names) | st.builds(Known, names)


any_literals = literals()


def rules(literal: st.SearchStrategy[Literal] = any_literals) -> st.SearchStrategy[Rule]:
    """Rules of none to four literals."""
    return st.lists(literal, max_size=4).map(lambda found: Rule(tuple(found)))


@st.composite
def rule_sets(draw: st.DrawFn, literal: st.SearchStrategy[Literal] = any_literals) -> RuleSet:
    """Rule sets of none to five rules, with any two labels."""
    label, default = draw(st.lists(values, min_size=2, max_size=2, unique_by=lambda value: value))
    return RuleSet(tuple(draw(st.lists(rules(literal), max_size=5))), label, default)


# -- a small world, where literals often have something to do with each other -------------------------

NUMERIC = ("x", "y", "x10")
CATEGORICAL = ("z", "w")
CATEGORIES = ("a", "b", "c", 1)
UNSEEN = ("never seen", 7, True, 0.5)


small_numbers = st.sampled_from([near for k in (-1.0, 0.0, 0.1, 0.5, 1.0, 3.0) for near in _neighbours(k)]) | numbers
small_weights = st.sampled_from([1.0, -1.0, 1.0, -1.0, 2.0, -2.0, 0.1, -0.3, 1e-320, 1e300]) | coefficients
# An integer category is found in a column of numbers too.
small_names = st.sampled_from(NUMERIC + CATEGORICAL)

small_halfspaces = halfspaces(st.sampled_from(NUMERIC), small_weights, small_numbers)

small_sets = memberships(st.just("z"), st.sampled_from(CATEGORIES))
small_memberships = memberships(small_names, st.sampled_from(CATEGORIES))
# Sets of the same column, also of one that is summed up, are often in one sum.
small_sums = halfspaces(st.sampled_from(NUMERIC), small_weights, small_numbers, small_sets | small_memberships)

small_literals: st.SearchStrategy[Literal] = (
    small_sums | small_memberships | st.builds(Missing, small_names) | st.builds(Known, small_names)
)


@dataclass(frozen=True)
class World:
    """Rules, and rows that lie exactly on their boundaries, one float beside, and far away."""

    rules: RuleSet | ClassRules | LevelRules
    table: Table


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """A rule set over a few columns and a table that probes it."""
    found = draw(rule_sets(small_literals))
    return World(found, draw(tables(found.literals)))


@st.composite
def class_rules(draw: st.DrawFn, literal: st.SearchStrategy[Literal] = small_literals) -> ClassRules:
    """Rules for one to four classes; the default may be one of them."""
    labels = draw(
        st.lists(st.sampled_from(["low", "high", 3, True, -2, -1.5, "if", "-1"]), min_size=1, max_size=4, unique=True)
    )
    found = [(label, tuple(draw(st.lists(rules(literal), max_size=3)))) for label in labels]
    return ClassRules(tuple(found), draw(st.sampled_from([*labels, "other"])))


@st.composite
def class_worlds(draw: st.DrawFn) -> World:
    """Rules for several classes and a table that probes them."""
    found = draw(class_rules())
    return World(found, draw(tables(found.literals)))


level_names = st.sampled_from(["very high", "high", "or else", "if", "yes", "from", "level 1", "a  b", "else", "50 %"])
level_shares = st.sampled_from([0.0, 1.0, 0.5, 0.07, 0.29, 0.712, 1e-7, _SMALLEST]) | st.floats(0, 1)


@st.composite
def level_rules(draw: st.DrawFn, literal: st.SearchStrategy[Literal] = small_literals) -> LevelRules:
    """Chains of two to five levels, with any names, shares, classes and threshold."""
    shares = sorted(draw(st.lists(level_shares, min_size=2, max_size=5, unique=True)), reverse=True)
    n = len(shares)
    names = draw(st.lists(level_names | column_names, min_size=n, max_size=n, unique=True))
    positive, negative = draw(st.lists(values, min_size=2, max_size=2, unique_by=lambda value: value))
    found = tuple((name, tuple(draw(st.lists(rules(literal), max_size=2)))) for name in names[:-1])
    threshold = draw(st.sampled_from([0.5, 0.29]) | st.floats(0, 1, exclude_min=True, exclude_max=True))
    return LevelRules(found, names[-1], tuple(shares), positive, negative, threshold)


@st.composite
def level_worlds(draw: st.DrawFn) -> World:
    """Risk levels and a table that probes them."""
    found = draw(level_rules())
    return World(found, draw(tables(found.literals)))


@st.composite
def tables(draw: st.DrawFn, about: tuple[Literal, ...] = ()) -> Table:
    """Rows of the small world: missing values, unseen categories, the boundaries of these literals."""
    sums = list(_without_sets(about))
    interesting = [math.nan, 0.0, 1.0, -1.0, 7.0, _SMALLEST, -_LARGEST, _LARGEST]
    for literal in sums:
        interesting += [near for _, a in literal.numbers for near in _neighbours(_divide(literal.threshold, a))]
    cell = st.sampled_from([number for number in interesting if not math.isinf(number)]) | numbers
    rows = draw(st.lists(st.fixed_dictionaries(dict.fromkeys(NUMERIC, cell)), min_size=1, max_size=10))
    rows += [near for row in rows[:3] for literal in sums for near in _on_boundary(row, literal)]
    category = st.sampled_from((None, *CATEGORIES, *UNSEEN))
    columns: dict[str, object] = {name: np.array([row[name] for row in rows]) for name in NUMERIC}
    for name in CATEGORICAL:
        cells = draw(st.lists(category, min_size=len(rows), max_size=len(rows)))
        columns[name] = np.array([*cells, None], dtype=object)[:-1]
    return Table.read(columns)


def _without_sets(literals: Iterable[Literal]) -> Iterable[Halfspace]:
    """The sums of numbers alone; where sets are counted, one for each case.

    If a case had a wrong bound, its truth would be wrong on the bound or one float above, which is where rows will lie.
    """
    cases = (rule.literals for literal in literals for rule in expand_rule(Rule((literal,))))
    return dict.fromkeys(each for case in cases for each in case if isinstance(each, Halfspace))


def _divide(a: float, b: float) -> float:
    with np.errstate(all="ignore"):
        quotient = float(np.float64(a) / np.float64(b))
    return quotient if math.isfinite(quotient) else a


def _on_boundary(row: dict[str, float], literal: Halfspace) -> list[dict[str, float]]:
    """The row with its last column moved to where the sum is about the threshold."""
    *others, (name, a) = literal.numbers
    with np.errstate(all="ignore"):
        rest = float(sum(np.float64(b) * row[other] for other, b in others))
        solution = float((np.float64(literal.threshold) - rest) / np.float64(a))
    return [{**row, name: near} for near in _neighbours(solution) if math.isfinite(near)]


# -- domains ----------------------------------------------------------------------------------------

_bounds = st.sampled_from([-math.inf, -3.0, -1.0, 0.0, 0.5, 1.0, 3.0, math.inf]) | numbers


@st.composite
def _ranges(draw: st.DrawFn) -> Values:
    low, high = sorted((draw(_bounds), draw(_bounds)))
    low, high = (-math.inf if low == math.inf else low), (math.inf if high == -math.inf else high)
    whole = draw(st.booleans()) and not Values(low, high, integer=True, missing=False).empty
    return Values(low, high, integer=whole, missing=draw(st.booleans()))


_small_integers = st.builds(
    lambda low, more, missing: Values(low, low + more, integer=True, missing=missing),
    st.integers(-3, 3),
    st.integers(0, 4),
    st.booleans(),
)
_closed_sets = st.builds(
    lambda values, missing: Values(categories=tuple(values), other=False, missing=missing),
    st.lists(st.sampled_from(CATEGORIES), min_size=1),
    st.booleans(),
)
_open_sets = st.builds(lambda missing: Values(missing=missing), st.booleans())


@st.composite
def domains(draw: st.DrawFn) -> Domain:
    """Domains of the small world: ranges, integers, categories, with missing values and without."""
    columns: dict[str, Values] = {name: draw(_ranges() | _small_integers | _open_sets) for name in NUMERIC}
    columns |= {name: draw(_closed_sets | _open_sets) for name in CATEGORICAL}
    return Domain(tuple(columns.items()))


def rows_of(table: Table, domain: Domain) -> Table:
    """The rows of a table of the small world, brought into the domain where that is easy; the others are left out."""
    rows = [{name: _moved_into(cell, domain[name]) for name, cell in row.items()} for row in _as_rows(table)]
    kept = [row for row in rows if row in domain]
    assume(kept)
    return _as_table(kept)


def _as_rows(table: Table) -> list[dict[str, object]]:
    cells = {name: [None if math.isnan(x) else x for x in table.numeric(name).tolist()] for name in NUMERIC}
    for name in CATEGORICAL:
        codes, values = table.codes(name)
        cells[name] = [(*values, None)[code] for code in codes.tolist()]
    return [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]


def _as_table(rows: list[dict[str, object]]) -> Table:
    columns: dict[str, object] = {name: np.array([row[name] for row in rows], dtype=float) for name in NUMERIC}
    for name in CATEGORICAL:
        columns[name] = np.array([*(row[name] for row in rows), None], dtype=object)[:-1]
    return Table.read(columns)


def _moved_into(cell: object, values: Values) -> object:
    if values.categories:
        return cell if values.allows(cell) else values.categories[0]
    if cell is None and not values.missing:
        cell = values.low if math.isfinite(values.low) else 0.0
    if not isinstance(cell, float):
        return cell
    cell = min(max(cell, values.low), values.high)
    return float(round(cell)) if values.integer else cell


@dataclass(frozen=True)
class BoundedWorld:
    """A world and the domain that its rows are of."""

    rules: RuleSet
    domain: Domain
    table: Table


@st.composite
def bounded_worlds(draw: st.DrawFn) -> BoundedWorld:
    """Rules, a domain, and rows of it on and beside the boundaries of the rules."""
    world = draw(worlds())
    domain = draw(domains())
    return BoundedWorld(world.rules, domain, rows_of(world.table, domain))
