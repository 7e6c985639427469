"""Sets out of sums: no row's prediction changes, and nothing is untied that still tells rows apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import RuleSet
from r2n.rewrite.untie import untied
from r2n.rules import Halfspace, Membership, Rule
from r2n.table import Table

TABLE = Table.read(
    {"gain": [0.0, 5000, 0, 5000, None], "status": ["single", "single", "married", "married", "married"]}
)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("gain - 9e4·(status in {married}) < -8.5e4", "gain < 5000 and status in {married}"),
        ("gain + 9e4·(status in {married}) < 3000", "gain < 3000 and status not in {married}"),
        ("gain + 2000·(status in {married}) > 1000", "gain + 2000·(status in {married}) > 1000"),  # both sides hold
        ("gain + 2000·(status in {married}) > 1e6", "gain + 2000·(status in {married}) > 1e6"),  # nothing holds
        ("(status in {married}) + (status in {single}) > 1.5", "(status in {married}) + (status in {single}) > 1.5"),
        ("gain > 3000 and 2·(status in {married}) > 1", "gain > 3000 and status in {married}"),
        ("gain - 9e4·(status in {married}) < -8.5e4 and status != single", "gain < 5000 and status != single"),
    ],
)
def test_a_set_that_a_sum_cannot_do_without_is_a_literal(before: str, after: str) -> None:
    rules = RuleSet.parse(f"yes if {before} else no")
    assert untied(rules, TABLE) == RuleSet.parse(f"yes if {after} else no")


def test_no_rule_gets_more_literals_than_it_may_have() -> None:
    rules = RuleSet.parse("yes if gain - 9e4·(status in {married}) < -8.5e4 else no")
    assert untied(rules, TABLE, most=1) == rules
    assert untied(rules, TABLE, most=2) != rules


sets = st.builds(
    Membership, st.sampled_from("kl"), st.sets(st.sampled_from("pqr"), min_size=1).map(tuple), st.booleans()
)
terms = st.dictionaries(st.one_of(st.sampled_from("xy"), sets), st.sampled_from([-3, -1, 0.1, 1, 2, 7]), min_size=1)
literals = st.one_of(sets, st.builds(Halfspace.of, terms, st.sampled_from([-4, -1, -0.5, 0, 0.3, 1, 2.5, 6])))
rules_of = st.lists(st.lists(literals, max_size=3).map(lambda some: Rule(tuple(some))), max_size=3)


@given(rules_of, st.integers(0, 10**6))
def test_no_prediction_changes_and_nothing_is_longer_to_read(rules: list[Rule], seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = Table.read(
        {
            **{name: rng.choice([-2.0, -1, 0, 0.5, 1, 3, np.nan], 12) for name in "xy"},
            **{name: rng.choice(np.array(["p", "q", "r", "s", None], dtype=object), 12) for name in "kl"},
        }
    )
    before = RuleSet(tuple(rules))
    after = untied(before, table)
    assert np.array_equal(before.truth(table), after.truth(table))
    assert after.size <= before.size
