"""Laws of the rule language: for every rule set, and for every row that can be."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n.rewrite import PASSES, contradicts, implies, round_predictions, simplify
from r2n.rules import (
    Filled,
    Halfspace,
    Literal,
    Membership,
    Missing,
    Rule,
    RuleSet,
    load,
    parse_literal,
    parse_rule,
    shortest_between,
)
from r2n.rules.comparison import shortest_bound
from r2n.rules.floats import count_digits, largest_where, round_to
from r2n.rules.text import write_number
from r2n.table import Column, Schema, Table
from tests.strategies import (
    World,
    halfspaces,
    literals,
    numbers,
    rule_sets,
    rules,
    small_literals,
    small_memberships,
    small_sets,
    small_sums,
    tables,
    worlds,
)

# -- text and files ---------------------------------------------------------------------------------


@given(rule_sets())
def test_parse_is_the_inverse_of_str(found: RuleSet) -> None:
    assert RuleSet.parse(str(found)) == found
    assert [type(v) for v in _labels(RuleSet.parse(str(found)))] == [type(v) for v in _labels(found)]


def _labels(found: RuleSet) -> tuple[object, object]:
    return found.label, found.default


@given(rule_sets())
def test_text_is_stable(found: RuleSet) -> None:
    assert str(RuleSet.parse(str(found))) == str(found)


@given(rules())
def test_parse_rule_is_the_inverse_of_str(rule: Rule) -> None:
    assert parse_rule(str(rule)) == rule


@given(literals())
def test_parse_literal_is_the_inverse_of_str(literal: Literal) -> None:
    assert parse_literal(str(literal)) == literal


def test_ratios_read_back_as_the_same_halfspace() -> None:
    lows = (-1.0, 0.0, 5e-324, 2.0, -math.inf)
    written: set[tuple[str, bool]] = set()
    for a, b, threshold, low_p, low_q in itertools.product(
        (1.0, -1.0, 2.0), (1.0, -1.0, 0.1, -0.3, -3.0), (0.0, 1.0), lows, lows
    ):
        schema = Schema((Column("p", "numeric", low_p, 9.0), Column("q", "numeric", low_q, 9.0)))
        found = RuleSet((Rule((Halfspace.of({"p": a, "q": b}, threshold),)),), schema=schema)
        assert RuleSet.parse(str(found)) == found
        denominator = str(found).partition("/")[2][:1]
        written.add((denominator, bool(denominator) and schema.column(denominator).low > 0.0))
    assert written == {("", False), ("p", True), ("q", True)}


@given(rule_sets(), st.booleans())
def test_load_is_the_inverse_of_save(
    tmp_path_factory: pytest.TempPathFactory, found: RuleSet, with_schema: bool
) -> None:
    if with_schema:
        found = found.with_schema(Schema(tuple(Column(name, "numeric", 0.1, 3.0) for name in found.columns)))
    path = tmp_path_factory.getbasetemp() / "law.json"
    found.save(path)
    assert load(path) == found
    assert load(path).schema == found.without_unread().schema
    assert str(load(path)) == str(found)


@given(numbers)
def test_numbers_read_back_exactly(number: float) -> None:
    assert float(write_number(number)) == number
    assert len(write_number(number)) <= len(repr(number))


@given(numbers, st.booleans(), numbers)
def test_bounds_mean_what_they_say(threshold: float, flipped: bool, value: float) -> None:
    operator, bound = shortest_bound(threshold, flipped)
    for v in (value, threshold, math.nextafter(threshold, math.inf), math.nextafter(threshold, -math.inf)):
        said = {">": v > bound, ">=": v >= bound, "<": -v < bound, "<=": -v <= bound}[operator]
        assert said == (v > threshold)


# -- values, canonical at birth ---------------------------------------------------------------------


@given(rule_sets(), st.randoms(use_true_random=False))
def test_order_and_repeats_do_not_matter(found: RuleSet, random: Random) -> None:
    shuffled = [Rule(tuple(_shuffled([*rule.literals, *rule.literals], random))) for rule in found.rules]
    again = RuleSet(tuple(_shuffled([*shuffled, *shuffled], random)), found.label, found.default)
    assert again == found
    assert hash(again) == hash(found)
    assert str(again) == str(found)


def _shuffled(items: list, random: Random) -> list:
    random.shuffle(items)
    return items


@given(st.lists(literals(), min_size=2, max_size=8))
def test_literals_are_totally_ordered(found: list[Literal]) -> None:
    keys = [literal.sort_key() for literal in sorted(found, key=lambda literal: literal.sort_key())]
    assert all(a <= b for a, b in itertools.combinations(keys, 2))


@given(halfspaces(st.sampled_from(["x", "y", "x10"]), counted=small_memberships), tables())
def test_the_mirrored_sum_is_exactly_the_negated_sum(literal: Halfspace, table: Table) -> None:
    mirror = Halfspace(literal.mirrored, 0.0)
    assert_array_equal(mirror.values(table), -literal.values(table))


# -- evaluation -------------------------------------------------------------------------------------


@st.composite
def halfspaces_and_tables(draw: st.DrawFn) -> tuple[Halfspace, Table]:
    """A halfspace, and rows on and beside its boundary."""
    literal = draw(small_sums)
    return literal, draw(tables((literal,)))


@given(halfspaces_and_tables())
def test_a_halfspace_is_plain_arithmetic_from_left_to_right(pair: tuple[Halfspace, Table]) -> None:
    literal, table = pair
    fills = {key.column: key.fill for key, _ in literal.terms if isinstance(key, Filled)}
    cells = {name: table.numeric(name).tolist() for name in literal.compared}
    points = [_points(one, table) for one, _ in literal.sets]
    for k, truth in enumerate(literal.evaluate(table)):
        gone = [name for name in fills if math.isnan(cells[name][k])]
        products = [a * cells[name][k] for name, a in literal.numbers if name not in gone]
        products += [a * fills[name] for name, a in literal.numbers if name in gone]  # after those that are known
        products += [a * each[k] for (_, a), each in zip(literal.sets, points, strict=True)]
        total = products[0]
        for product in products[1:]:  # not sum(), which is free to be more exact than this
            total = total + product
        assert truth == (total > literal.threshold)


def _points(counted: Membership, table: Table) -> list[float]:
    """What a set counts in each row, by looking at each cell."""
    codes, values = table.codes(counted.column)
    cells = [None if code < 0 else values[code] for code in codes.tolist()]
    return [math.nan if cell is None else float((cell in counted.values) != counted.negated) for cell in cells]


@given(worlds())
def test_a_rule_set_is_the_or_of_ands_of_its_literals(world: World) -> None:
    expected = np.zeros(world.table.n_rows, dtype=bool)
    for rule in world.rules.rules:
        expected |= np.all([literal.evaluate(world.table) for literal in rule.literals]
                           or [np.ones(world.table.n_rows, dtype=bool)], axis=0)  # fmt: skip
    assert_array_equal(world.rules.truth(world.table), expected)


@given(worlds(), small_literals)
def test_rule_sets_are_monotone(world: World, literal: Literal) -> None:
    """A literal more in a rule makes nothing true; a rule more makes nothing false."""
    before = world.rules.truth(world.table)
    narrower = world.rules.with_rules(Rule((*rule.literals, literal)) for rule in world.rules.rules)
    wider = world.rules.with_rules([*world.rules.rules, Rule((literal,))])
    assert not (narrower.truth(world.table) & ~before).any()
    assert not (before & ~wider.truth(world.table)).any()


@given(small_literals, tables())
def test_what_reads_a_missing_value_is_false(literal: Literal, table: Table) -> None:
    needed = literal.columns if isinstance(literal, Missing) else literal.needed
    known = np.all([table.known(name) for name in needed], axis=0) if needed else np.ones(table.n_rows, dtype=bool)
    if str(literal).endswith("is missing"):
        assert_array_equal(literal.evaluate(table), ~known)
    else:
        assert not literal.evaluate(table)[~known].any()


@given(worlds())
def test_rows_are_judged_one_by_one(world: World) -> None:
    """Taking rows before or after evaluating is the same."""
    rows = np.arange(world.table.n_rows)[::-2]
    assert_array_equal(world.rules.truth(world.table.take(rows)), world.rules.truth(world.table)[rows])


# -- logic ------------------------------------------------------------------------------------------


@st.composite
def bounds_of_one_sum(draw: st.DrawFn) -> tuple[Literal, Literal]:
    """Two bounds of the same sum or of its mirror image, often only one float apart."""
    p = draw(small_sums)
    near = [p.threshold, *(math.nextafter(p.threshold, to) for to in (-math.inf, math.inf))]
    bound = draw(st.sampled_from([number for number in near if math.isfinite(number)]) | numbers)
    return p, draw(st.sampled_from([Halfspace(p.terms, bound), Halfspace(p.mirrored, -bound)]))


sets_of_one_column = st.tuples(small_sets, small_sets)
literal_pairs = st.tuples(small_literals, small_literals) | bounds_of_one_sum() | sets_of_one_column


@st.composite
def pairs_and_tables(draw: st.DrawFn) -> tuple[Literal, Literal, Table]:
    """Two literals that have something to do with each other, and rows about them."""
    pair = draw(literal_pairs)
    return *pair, draw(tables(pair))


@settings(max_examples=400)
@given(pairs_and_tables())
def test_implies_is_never_wrong(pair: tuple[Literal, Literal, Table]) -> None:
    p, q, table = pair
    if implies(p, q):
        assert not (p.evaluate(table) & ~q.evaluate(table)).any()


@settings(max_examples=400)
@given(pairs_and_tables())
def test_contradicts_is_never_wrong(pair: tuple[Literal, Literal, Table]) -> None:
    p, q, table = pair
    assert contradicts(p, q) == contradicts(q, p)
    if contradicts(p, q):
        assert not (p.evaluate(table) & q.evaluate(table)).any()


@given(small_literals)
def test_a_literal_implies_itself_and_never_contradicts_itself(literal: Literal) -> None:
    assert implies(literal, literal)
    assert not contradicts(literal, literal)


# -- simplifying ------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(worlds())
def test_simplify_keeps_every_prediction(world: World) -> None:
    assert_array_equal(simplify(world.rules).predict(world.table), world.rules.predict(world.table))


@settings(max_examples=400)
@given(halfspaces_and_tables())
def test_simplify_keeps_the_truth_of_a_single_sum(pair: tuple[Halfspace, Table]) -> None:
    literal, table = pair
    assert_array_equal(simplify(RuleSet((Rule((literal,)),))).truth(table), literal.evaluate(table))


@pytest.mark.parametrize("rewrite", PASSES, ids=lambda rewrite: rewrite.__name__)
@settings(max_examples=200)
@given(world=worlds())
def test_each_pass_keeps_every_prediction(rewrite: Callable[[RuleSet], RuleSet], world: World) -> None:
    assert_array_equal(rewrite(world.rules).predict(world.table), world.rules.predict(world.table))


@given(worlds())
def test_simplify_ends_and_never_lengthens(world: World) -> None:
    shorter = simplify(world.rules)
    assert simplify(shorter) == shorter
    assert shorter.n_rules <= world.rules.n_rules
    assert shorter.size <= world.rules.size


# -- numbers ----------------------------------------------------------------------------------------


@given(worlds())
def test_rounding_keeps_the_truth_of_every_literal(world: World) -> None:
    for literal in world.rules.literals:
        before = RuleSet((Rule((literal,)),))
        after = round_predictions(before, world.table)
        assert_array_equal(after.truth(world.table), before.truth(world.table))


@given(worlds())
def test_rounding_of_predictions_keeps_every_prediction(world: World) -> None:
    rounded = round_predictions(world.rules, world.table)
    assert_array_equal(rounded.predict(world.table), world.rules.predict(world.table))


# Ends that agree in some digits: between others a number of one digit lies nearly always.
near_ends = st.builds(
    lambda a, to: (a, a + abs(a) * to), st.floats(-1e300, 1e300), st.sampled_from([0.01, 1e-5, 1e-12])
)


@given(st.tuples(numbers, numbers) | near_ends)
def test_shortest_between_is_between_and_shortest(ends: tuple[float, float]) -> None:
    low, high = min(ends), max(ends)
    if low == high:
        high = math.nextafter(low, math.inf)
        if math.isinf(high):
            return
    found = shortest_between(low, high)
    assert low <= found < high
    for digits in range(1, count_digits(found)):
        # Decimals with fewer digits that lie nearest to the ends are the only ones that could fit.
        for end in (low, high):
            rounded = round_to(end, digits)
            assert not low <= rounded < high, (rounded, found)


@given(numbers)
def test_largest_where_finds_the_boundary(boundary: float) -> None:
    found = largest_where(lambda x: x <= boundary)
    largest = 1.7976931348623157e308
    assert found == (None if boundary == largest else boundary)
