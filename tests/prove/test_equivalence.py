"""Equivalence: yes with a proof, no with a row, or neither."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.prove import Domain, Equivalence, equivalent
from r2n.prove.equivalence import decision
from r2n.rewrite import expanded
from r2n.rules import ClassRules, Halfspace, Rule, RuleSet
from r2n.table import Schema
from tests.strategies import CATEGORICAL, NUMERIC, World, worlds


def test_a_proof_a_row_or_neither() -> None:
    rules = RuleSet.parse("yes if x + y > 5 and x - y > 1 else no")
    more = RuleSet.parse("yes if x + y > 5 and x - y > 1 and x > 2.9 else no")
    fewer = RuleSet.parse("yes if x + y > 5 and x - y > 1 and x > 3.1 else no")
    edge = RuleSet.parse("yes if x + y > 5 and x - y > 1 and x > 3 else no")
    domain = Domain.read({"x": (0, 9), "y": (0, 9)})
    assert rules.equivalent(more, domain)
    different = rules.equivalent(fewer, domain)
    assert not different
    assert not different.undecided
    assert different.said == ("yes", "no")
    assert different.row is not None
    assert 3.0 < float(different.row["x"] or 0.0) <= 3.1
    open_still = rules.equivalent(edge, domain)
    assert not open_still
    assert open_still.undecided
    assert str(open_still) == "undecided"


def test_the_domain_decides() -> None:
    one, other = RuleSet.parse("yes if x > 0.5 else no"), RuleSet.parse("yes if x > 0.7 else no")
    assert one.equivalent(other, Domain.read({"x": "integer 0..9"}))
    assert not one.equivalent(other, Domain.read({"x": "0..9"}))
    assert one.equivalent(other, Domain.read({"x": "1..9"}))
    sets = RuleSet.parse("yes if z in {a} else no"), RuleSet.parse("yes if z not in {b} else no")
    assert equivalent(*sets, Domain.read({"z": {"a", "b"}}))
    assert str(equivalent(*sets)) == "not equivalent: no became yes where z = other"


def test_one_bit_of_rounding_is_seen() -> None:
    """Above 3 and 2, and yet not above 5."""
    one, other = RuleSet.parse("yes if x > 3 and x + y > 5 else no"), RuleSet.parse("yes if x > 3 else no")
    answer = one.equivalent(other, Domain.read({"x": "0..9 known", "y": "2..9 known"}))
    assert answer.row == {"x": 3.0000000000000004, "y": 2.0}
    assert answer.said == ("no", "yes")


def test_sets_in_sums_are_what_they_say_case_by_case() -> None:
    told = RuleSet.parse("yes if x > 5100 and z in {a} or x > 7100 and z not in {a} else no")
    rules = RuleSet.parse("yes if x + 2000·(z in {a}) > 7100 else no")
    assert rules.equivalent(told)
    assert rules.equivalent(RuleSet.parse("yes if x - 2000·(z not in {a}) > 5100 else no"))
    wrong = RuleSet.parse("yes if x > 5100 and z in {a} or x > 7100 else no")
    found = rules.equivalent(wrong)
    assert (found.said, found.row and found.row["z"]) == (("no", "yes"), None)  # a missing value is not 0
    assert not rules.equivalent(RuleSet.parse("yes if x + 2000·(z in {a}) > 7101 else no"))
    assert not rules.equivalent(RuleSet.parse("yes if x + 2000·(z in {a, b}) > 7100 else no"))
    assert rules.equivalent(RuleSet.parse("yes if x + 2000·(z in {a, b}) > 7100 else no"), {"z": {"a", "c"}})
    # 1.0000000000000002 + 2 is 3 in floats.
    near = RuleSet.parse("yes if x > 1 and z in {a} or x > 3 and z not in {a} else no")
    found = RuleSet.parse("yes if x + 2·(z in {a}) > 3 else no").equivalent(near)
    assert (found.row, found.said) == ({"x": 1.0000000000000002, "z": "a"}, ("no", "yes"))


def test_labels_are_part_of_what_is_decided() -> None:
    rules = RuleSet.parse("yes if x > 1 else no")
    assert not rules.equivalent(RuleSet.parse("yes if x > 1 else never"))
    assert not rules.equivalent(RuleSet.parse("no if x > 1 else yes"))
    turned = RuleSet.parse("no if x <= 1 or x is missing else yes")
    assert rules.equivalent(turned)
    assert not rules.equivalent(RuleSet.parse("no if x <= 1 else yes"))
    assert not RuleSet.parse("1 if x > 1 else 0").equivalent(RuleSet.parse('"1" if x > 1 else "0"'))


def test_empty_rules() -> None:
    nothing, everything = RuleSet((), "yes", "no"), RuleSet.parse("yes if true else no")
    assert nothing.equivalent(nothing)
    assert everything.equivalent(RuleSet.parse("yes if x is known or x is missing else no"))
    answer = nothing.equivalent(everything)
    assert (answer.row, answer.said) == ({}, ("no", "yes"))
    assert str(answer) == "not equivalent: no became yes where anything"


def test_several_classes() -> None:
    chain = ClassRules.parse("small if x < 1 else large if x > 5 else middle")
    turned = ClassRules.parse("large if x > 5 else small if x < 1 else middle")
    assert chain.equivalent(turned)
    moved = ClassRules.parse("large if x > 0.5 else small if x < 1 else middle")
    answer = chain.equivalent(moved)
    assert not answer
    assert answer.said in {("small", "large"), ("middle", "large")}
    one = RuleSet.parse("small if x < 1 else middle")
    assert ClassRules.parse("small if x < 1 else middle").equivalent(one)
    assert not chain.equivalent(one)


def test_a_row_is_one_that_can_be_asked_about() -> None:
    """Numbers where there were numbers, categories like those that were there, codes for missing values as such."""
    schema, _ = Schema.learn({"floor": [1, 2], "kind": [3, 4], "x": [1.0, -9.0]}, categorical=["kind", "floor"],
                             missing_values={"x": [-9]})  # fmt: skip
    one = RuleSet.parse("yes if floor in {1} and kind is known else no").with_schema(schema)
    other = RuleSet.parse("yes if floor in {1} and kind in {3, 4} else no").with_schema(schema)
    answer = one.equivalent(other)
    assert answer.row == {"floor": 1, "kind": 0}
    assert one.equivalent(other, Domain.of(schema))
    coded = RuleSet.parse("yes if x in {-9} else no").with_schema(schema)
    never = RuleSet((), "yes", "no", schema)
    assert coded.equivalent(never)  # that row exists, but is read as another
    assert coded.equivalent(never, Domain.of(schema))


NEVER = RuleSet.parse("yes if z is known and z is missing else no")


def test_a_row_that_one_of_them_refuses_decides_nothing() -> None:
    numbers, texts = (Schema.learn({"z": values})[0] for values in ([1.0, 2.0], ["a", "b"]))
    for one, other in ((numbers, texts), (texts, numbers)):
        answer = RuleSet.parse("yes if z is known else no", one).equivalent(NEVER.with_schema(other))
        assert answer.undecided


CODED, _ = Schema.learn({"x": [1.0, -9.0], "y": [0.0, 1.0]}, missing_values={"x": [-9]})


def test_a_code_that_only_one_reads_as_missing_tells_them_apart() -> None:
    text = "yes if x < 2 else no"
    coded, bare = RuleSet.parse(text, CODED), RuleSet.parse(text)
    for one, other in ((coded, bare), (bare, coded)):
        answer = one.equivalent(other)
        assert answer.row == {"x": -9.0}
        assert answer.said == (decision(one, {"x": -9}), decision(other, {"x": -9}))
        assert one.equivalent(other, {"x": (-10, 10)}).row == {"x": -9.0}
        assert one.equivalent(other, {"x": (-8, 10)})
        assert one.equivalent(other, Domain.of(CODED))
    assert RuleSet.parse("yes if x > 2 else no", CODED).equivalent(RuleSet.parse("yes if x > 2 else no"))
    chain = "low if x < 2 else high if y > 3 and x is missing else middle"
    classes = ClassRules.parse(chain, CODED), ClassRules.parse(chain)
    answer = classes[0].equivalent(classes[1])
    assert answer.row is not None
    assert answer.row["x"] == -9.0


def test_codes_that_no_literal_tells_from_a_missing_value_cost_nothing() -> None:
    names = [f"x{k}" for k in range(12)]
    schema, _ = Schema.learn({name: [1.0, -9.0] for name in names}, missing_values=[-9])
    text = f"yes if {' or '.join(f'{one} > 0 and {other} > 1' for one, other in pairwise(names))} else no"
    assert RuleSet.parse(text, schema).equivalent(RuleSet.parse(text), time_limit=10)


def test_a_code_that_both_read_as_missing_comes_even_where_nothing_is_missing() -> None:
    gaps, none = RuleSet.parse("yes if x is missing else no", CODED), RuleSet((), "yes", "no", CODED)
    assert gaps.equivalent(none, {"x": "-10..10 known"}).row == {"x": -9.0}
    assert gaps.equivalent(none, {"x": "-8..10 known"})
    assert gaps.simplified({"x": "-10..10 known"}) == gaps
    assert gaps.simplified({"x": "-8..10 known"}) == none


_codes = st.fixed_dictionaries(
    {name: st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), max_size=2) for name in NUMERIC}
    | {name: st.lists(st.sampled_from(["a", "b"]), max_size=2) for name in CATEGORICAL}
)


@settings(max_examples=60)
@given(worlds(), st.data())
def test_codes_of_each_side_are_never_overlooked(world: World, data: st.DataObject) -> None:
    """Both models on the very rows, each with its own codes: what is proven is so, and a row is one."""
    cells = {name: world.table.numeric(name) for name in NUMERIC} | {
        name: np.array([*values, None], dtype=object)[codes]
        for name in CATEGORICAL
        for codes, values in [world.table.codes(name)]
    }
    one, other = (world.rules.with_schema(Schema.learn(cells, CATEGORICAL, data.draw(_codes))[0]) for _ in range(2))
    answer = equivalent(one, other, steps=40, time_limit=5)
    if answer:
        assert one.predict(cells).tolist() == other.predict(cells).tolist()
    elif answer.row is not None:
        assert answer.said == (decision(one, answer.row), decision(other, answer.row))
        assert answer.said[0] != answer.said[1]


def test_no_time_no_answer() -> None:
    rules, other = RuleSet.parse("yes if x + y > 1 else no"), RuleSet.parse("yes if x + y > 2 else no")
    assert rules.equivalent(other, time_limit=0.0).undecided
    assert equivalent(rules, other, steps=0).undecided
    assert not equivalent(rules, other).undecided


@pytest.mark.parametrize("other", ["yes if x > 1 else no", None, 3])
def test_rules_are_compared_with_rules(other: object) -> None:
    with pytest.raises(ParameterError, match=r"compared with rules, not with .*RuleSet\.parse"):
        RuleSet.parse("yes if x > 1 else no").equivalent(other)
    with pytest.raises(ParameterError, match="compared with rules"):
        RuleSet.parse("yes if x > 1 else no").diff(other)


# -- filled columns, and codes that one of the two reads as missing ------------------------------------

DEBTS, _ = Schema.learn({"income": [0.0, 200.0], "debt": [-9.0, 50.0]}, missing_values={"debt": [-9]})
FILLED = RuleSet.parse("yes if income - 2·(debt if known else 40) > 5 else no")


def test_a_code_is_filled_where_it_is_missing_and_a_number_where_it_is_not() -> None:
    coded = FILLED.with_schema(DEBTS)
    told = equivalent(coded, FILLED)
    assert told.row is not None
    assert told.row["debt"] == -9
    assert told.said == (coded.predict(_cells(told.row))[0], FILLED.predict(_cells(told.row))[0])
    by_hand = "yes if income - 2·debt > 5 and debt not in {-9} or debt is missing and income > 85 else no"
    assert not equivalent(coded, RuleSet.parse(by_hand)).proven  # -9 is a number to the second
    assert equivalent(coded, RuleSet.parse(f"{by_hand[:-8]} or debt in {{-9}} and income > 85 else no")).proven


def _cells(row: dict[str, object]) -> dict[str, list[object]]:
    return {name: [value] for name, value in row.items()}


def test_where_all_is_missing_a_filled_sum_is_what_is_left_of_it() -> None:
    domain = Domain.read({"debt": "{-9}"})
    assert equivalent(FILLED.with_schema(DEBTS), RuleSet.parse("yes if income > 85 else no"), domain).proven


def test_the_same_columns_filled_in_many_sums_are_few_cases() -> None:
    sums = " and ".join(f"x{k} + (a if known else {k}) - 2·(b if known else 1) > 0" for k in range(7))
    rules = RuleSet.parse(f"yes if {sums} else no")
    assert len(expanded(rules).rules) == 4
    assert equivalent(rules, rules).proven


# -- what was seen in training -------------------------------------------------------------------------

PEOPLE, _ = Schema.learn({"age": [17, 45, 90], "hours": [1.5, 40.0, 99.0], "region": ["north", "west", "south"]})


def _asked(before: str, after: str, schema: Schema = PEOPLE, other: Schema | None = PEOPLE) -> Equivalence:
    one, two = RuleSet.parse(f"yes if {before} else no", schema), RuleSet.parse(f"yes if {after} else no", other)
    told = equivalent(one, two)
    assert told.row is not None
    assert told.said == (decision(one, told.row), decision(two, told.row))
    assert len(set(told.said)) == 2
    return told


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("age + hours > 60 and region in {north}", "age + hours > 70 and region in {north}"),
        ("age - 0.001·hours > 60", "age - 0.001·hours > 80 and hours < 90"),
        ("age > 20", "age > 60"),
        ("age > 20.5", "age > 21.5"),
        ("region in {north}", "region in {west}"),
        ("region not in {north}", "region not in {north, west}"),
        ("hours > 3 and age > 1000 or age > 80", "hours > 3 and age > 1202 or age > 85"),
        ("age - 3·hours > -1000", "age - 3·hours > -200"),
    ],
)
def test_the_row_shown_is_within_what_was_seen_if_there_is_one(before: str, after: str) -> None:
    told = _asked(before, after)
    assert told.row in Domain.of(PEOPLE)
    assert told.outside == ()
    assert "training" not in str(told)


def test_rows_of_no_training_row_are_said_to_be_so() -> None:
    told = _asked("age > 1000 and region in {north}", "age > 1202 and region in {north}")
    assert told.row == {"age": 1001.0, "region": "north"}  # whole, of a known region
    assert told.only_outside
    assert str(told).splitlines()[1] == "only outside what was seen in training: age was integer 17..90 known"
    missing = _asked("age is missing or hours > 5", "hours > 5")
    assert missing.row is not None
    assert missing.row["age"] is None
    assert dict(missing.outside) == {"age": Domain.of(PEOPLE)["age"]}


def test_where_no_row_is_found_within_what_was_seen_that_is_said() -> None:
    far, _ = Schema.learn({"age": [100, 120]})
    told = _asked("age > 50", "age > 110", PEOPLE, far)  # no age was seen by both
    assert not told.only_outside
    assert "outside what was seen in training (" in str(told)
    assert "; no such row was found inside" in str(told)


def test_a_model_knows_nothing_of_columns_that_it_does_not_read() -> None:
    narrow, _ = Schema.learn({"age": [17, 90], "hours": [0.0, 0.0], "region": ["south", "south"]})
    told = _asked("age > 20", "age > 20 and hours > 40", narrow, PEOPLE)
    assert told.row in Domain.of(PEOPLE)
    assert told.outside == ()


def test_without_a_schema_nothing_is_outside() -> None:
    assert equivalent(RuleSet.parse("yes if x > 3 else no"), RuleSet.parse("yes if x > 4 else no")).outside == ()


_bounds = st.sampled_from([-2.0, 0.0, 0.25, 1.0, 40.0])
_cuts = st.builds(
    lambda name, sign, c: Halfspace.of({name: sign}, c), st.sampled_from("xy"), st.sampled_from([1.0, -1.0]), _bounds
)
_pairs = st.lists(_cuts, min_size=1, max_size=2).map(lambda cuts: Rule(tuple(cuts)))
_cells_seen = st.lists(st.none() | st.integers(-3, 3).map(float) | _bounds | st.just(1e4), min_size=6, max_size=6)


@settings(max_examples=100)
@given(_pairs, _pairs, _cells_seen, _cells_seen)
def test_a_training_row_that_tells_two_apart_keeps_the_row_shown_within(
    one: Rule, two: Rule, x: list[float | None], y: list[float | None]
) -> None:
    """Rules about single columns are looked at exactly: what was seen is enough to tell these apart."""
    columns = {"x": np.array([*x, 0.5], dtype=float), "y": np.array([*y, 0.5], dtype=float)}
    schema, _ = Schema.learn(columns)
    before, after = (RuleSet((rule,), "yes", "no", schema) for rule in (one, two))
    told = equivalent(before, after)
    if (before.predict(columns) != after.predict(columns)).any():
        assert told.row is not None
        assert told.row in Domain.of(schema)
        assert told.outside == ()
    assert told.row is None or bool(told.outside) != (told.row in Domain.of(schema))
