"""Proofs about risk levels: what keeps the level of every row, and what does not."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n import LevelRules, RuleSet
from r2n.prove import Domain
from r2n.rewrite import expanded
from tests.strategies import World, domains, level_worlds, rows_of

RULES = LevelRules.parse("""
very high 71.2 % if age > 60 and bp > 140
                 or chol > 300
high 42 % or else if age > 50
low 6 % else
yes from 50 %, else no""")


@settings(max_examples=40)
@given(level_worlds())
def test_simplified_keeps_the_level_of_every_row(world: World) -> None:
    rules: Any = world.rules
    shorter = rules.simplified(time_limit=1.0)
    assert_array_equal(shorter.decided(world.table), rules.decided(world.table))
    assert (shorter.levels, shorter.shares, shorter.threshold) == (rules.levels, rules.shares, rules.threshold)
    assert shorter.size <= rules.size


@settings(max_examples=40)
@given(level_worlds(), domains())
def test_simplified_on_a_domain_keeps_the_level_of_its_rows(world: World, domain: Domain) -> None:
    rules: Any = world.rules
    rows = rows_of(world.table, domain)
    assert_array_equal(rules.simplified(domain, time_limit=1.0).decided(rows), rules.decided(rows))


@settings(max_examples=40)
@given(level_worlds(), st.data())
def test_equivalent_says_what_rows_say(world: World, data: st.DataObject) -> None:
    rules: Any = world.rules
    other = rules.without(*([] if not rules.n_rules else [data.draw(st.integers(1, rules.n_rules))]))
    found = rules.equivalent(other, time_limit=1.0)
    if found:
        assert_array_equal(rules.decided(world.table), other.decided(world.table))
    elif found.row is not None:
        assert found.said[0] != found.said[1]
        assert set(found.said) <= set(rules.levels)


@settings(max_examples=40)
@given(level_worlds())
def test_expanded_and_rounded_keep_the_level_of_every_row(world: World) -> None:
    rules: Any = world.rules
    assert_array_equal(expanded(rules).decided(world.table), rules.decided(world.table))
    found, changed = rules.rounded(world.table)
    assert (changed, found.shares, found.threshold) == (0, rules.shares, rules.threshold)
    assert_array_equal(found.decided(world.table), rules.decided(world.table))


def test_a_level_is_looked_at_only_where_no_higher_one_has_a_true_rule() -> None:
    more = RULES.with_rule("age > 60 and bp > 150 and chol > 20", "high").with_rule("chol > 400", "high")
    assert more.simplified() == RULES
    assert more.equivalent(RULES)
    emptied = RULES.with_branches([RULES.branches[0][1], more.branches[0][1]]).simplified()
    assert (emptied.levels, emptied.branches[1][1]) == (RULES.levels, ())


def test_levels_are_the_same_by_name_and_place() -> None:
    assert not RULES.equivalent(RULES.with_names(["high", "very high", "low"]))
    assert str(RULES.equivalent(RULES.with_names(["A", "high", "low"]))).startswith(
        'not equivalent: "1 very high" became "1 A"'
    )
    # No row has the level that comes first: `low` has another place.
    never = LevelRules.parse("high 42 % if x > 3 low 6 % else yes from 50 %, else no")
    more = LevelRules.parse("top 90 % if false high 42 % or else if x > 3 low 6 % else yes from 50 %, else no")
    assert str(more.equivalent(never)).startswith('not equivalent: "2 high" became "1 high"')
    assert RULES.equivalent(RULES.with_shares([0.9, 0.8, 0.7]).with_threshold(0.1))


def test_levels_are_compared_with_other_rules_by_class() -> None:
    assert RULES.equivalent(RULES.at(0.5))
    assert RULES.at(0.5).equivalent(RULES)
    assert not RULES.with_threshold(0.3).equivalent(RULES.at(0.5))
    assert not RULES.equivalent(RULES.chain)


def test_diff_shows_shares_and_threshold_too() -> None:
    rows = {"age": [70, 30], "bp": [150, 120], "chol": [200, 301]}
    newer = RULES.without(1).with_shares([0.8, 0.4, 0.06]).with_threshold(0.3)
    found = RULES.diff(newer, rows)
    assert str(found).splitlines() == [
        '"very high": 1 went, 0 came, 0 changed, 1 stayed',
        "  - chol > 300",
        "share of very high: 71.2 % → 80 %",
        "share of high: 42 % → 40 %",
        "yes from 50 %, else no → yes from 30 %, else no",
        '1 of 2 rows is decided differently: 1 "very high" → low',
        "row 1",
    ]
    assert not RULES.diff(RULES)
    assert RULES.diff(RULES.with_threshold(0.4))
    assert not RULES.diff(RULES.at(0.5))
    assert str(RuleSet.parse("yes if chol > 300 else no").diff(RULES)).startswith("yes: 0 went, 1 came")
