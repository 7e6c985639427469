"""Sets in sums, told case by case: the same rules on every row, to the last float."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n.errors import ParameterError
from r2n.rewrite import expanded
from r2n.rewrite.expand import MOST_CASES, expand_rule
from r2n.rules import Baseline, ClassRules, Halfspace, Membership, Rule, RuleSet, parse_rule
from r2n.rules.literals import has_cases
from r2n.rules.terms import MOST_POINTS
from r2n.table import Schema, Table
from tests.strategies import (
    CATEGORIES,
    NUMERIC,
    class_rules,
    rule_sets,
    small_literals,
    small_sums,
    tables,
    worlds,
)

LARGEST = 1.7976931348623157e308

# -- the law ----------------------------------------------------------------------------------------

CELLS = (None, *CATEGORIES, "never seen")


def with_every_category(table: Table) -> Table:
    """Each row of numbers with all there can be in the columns of categories: every case, on and beside its bound."""
    pairs = list(itertools.product(CELLS, CELLS))
    columns: dict[str, object] = {name: np.repeat(table.numeric(name), len(pairs)) for name in NUMERIC}
    for k, name in enumerate(("z", "w")):
        columns[name] = np.array([*(pair[k] for pair in pairs), None], dtype=object)[:-1].tolist() * table.n_rows
    return Table.read(columns)


@st.composite
def models_and_rows(draw: st.DrawFn) -> tuple[RuleSet | ClassRules, Table]:
    """Sums of sets among the literals, and numbers on and one float beside the bounds of all cases."""
    literal = small_sums | small_literals
    model = draw(rule_sets(literal) | class_rules(literal))
    return model, with_every_category(draw(tables(model.literals)))


@settings(max_examples=300)
@given(models_and_rows())
def test_what_is_expanded_predicts_the_same_on_every_row(case: tuple[RuleSet | ClassRules, Table]) -> None:
    model, table = case
    told = expanded(model)
    assert not any(map(has_cases, told.literals))
    assert type(told) is type(model)
    assert set(told.columns) <= set(model.columns)
    assert_array_equal(told.predict(table), model.predict(table))


@settings(max_examples=300)
@given(small_sums, st.data())
def test_a_literal_is_true_in_just_one_of_its_cases(literal: Halfspace, data: st.DataObject) -> None:
    table = with_every_category(data.draw(tables((literal,))))
    cases = [rule.evaluate(table) for rule in expand_rule(Rule((literal,)))]
    assert_array_equal(np.sum(cases, axis=0) if cases else np.zeros(table.n_rows), literal.evaluate(table))


@given(worlds())
def test_what_counts_no_sets_is_left_alone(world: object) -> None:
    told = expanded(world.rules)  # type: ignore[attr-defined]
    assert expanded(told) is told


# -- examples ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "cases"),
    [
        ("x + 2·(z in {a}) > 6", ["x > 4 and z in {a}", "x > 6 and z not in {a}"]),
        ("x - 2·(z in {a}) < 5", ["x < 7 and z in {a}", "x < 5 and z not in {a}"]),
        ("x + 2·(z not in {a}) > 6", ["x > 4 and z not in {a}", "x > 6 and z in {a}"]),
        ("x - 2·(y if known else 40) > 5", ["x - 2·y > 5", "x > 85 and y is missing"]),
        ("(x if known else 3) > 2", ["x > 2", "x is missing"]),
        ("(x if known else 1) > 2", ["x > 2"]),
        ("(x if known else 5) + 2·(z in {a}) > 6", ["x > 4 and z in {a}", "x > 6 and z not in {a}",
                                                  "z in {a} and x is missing"]),
        # 0.2 + 0.1 is more than 0.3 in floats.
        ("x + 0.1·(z in {a}) > 0.3", ["x >= 0.2 and z in {a}", "x > 0.3 and z not in {a}"]),
        # 1.0000000000000002 + 2 is 3, and 1e16 + 1 is 1e16: what is added swallows the last digits.
        ("x + 2·(z in {a}) > 3", ["x > 1.0000000000000002 and z in {a}", "x > 3 and z not in {a}"]),
        ("x + 1e16·(z in {a}) > 1e16", ["x > 1 and z in {a}", "x > 1e16 and z not in {a}"]),
        ("x + 1e-30·(z in {a}) > 1", ["x > 1 and z in {a}", "x > 1 and z not in {a}"]),
        # Sums of numbers stay as they are.
        ("3·x + 0.1·y + 2·(a in {b}) > 6", ["3·x + 0.1·y > 4 and a in {b}", "3·x + 0.1·y > 6 and a not in {b}"]),
        # Two sets of one column: what cannot be both is no case.
        ("x + (z in {a}) + 2·(z in {b}) > 7",
         ["x > 5 and z in {b}", "x > 6 and z in {a}", "x > 7 and z not in {a, b}"]),
        # A set of numbers of a column that is summed up as well.
        ("x + 2·(x in {5, 6}) > 7", ["x > 5 and x in {5, 6}", "x > 7 and x not in {5, 6}"]),
        # Nothing but sets.
        ("(z in {a}) + (w in {a}) > 0.5",
         ["w in {a} and z in {a}", "w in {a} and z not in {a}", "w not in {a} and z in {a}"]),
        ("(z in {a}) - (w in {a}) > -1",
         ["w in {a} and z in {a}", "w not in {a} and z in {a}", "w not in {a} and z not in {a}"]),
        ("(z in {a}) > 1", []),
        # What else the rule says may leave no row to a case.
        ("x + 2·(z in {a}) > 6 and z in {a, b}", ["x > 4 and z in {a}", "x > 6 and z in {b}"]),
        ("x + 2·(z in {a}) > 6 and z is missing", []),
        ("x + 2·(z in {a}) > 6 and x <= 6", ["x > 4 and x <= 6 and z in {a}"]),
    ],
)  # fmt: skip
def test_cases(rule: str, cases: list[str]) -> None:
    assert set(expand_rule(parse_rule(rule))) == {parse_rule(case) for case in cases}


def test_a_bound_beyond_all_floats_is_reached_by_overflow_alone() -> None:
    rules = RuleSet.parse(f"yes if x + y + (z in {{a}}) > {LARGEST!r} else no")
    told = expanded(rules)
    table = {"x": [LARGEST, LARGEST, LARGEST], "y": [LARGEST, 0.0, LARGEST], "z": ["a", "a", None]}
    assert rules.truth(table).tolist() == told.truth(table).tolist() == [True, False, False]


@pytest.mark.parametrize("points", [MOST_POINTS, -MOST_POINTS])
@pytest.mark.parametrize("threshold", [-LARGEST, 0.0, LARGEST])
def test_the_most_points_leave_the_lowest_and_the_highest_float_where_they_are(points: float, threshold: float) -> None:
    rules = RuleSet((Rule((Halfspace.of({"x": 1, Membership("z", ("a",)): points}, threshold),)),))
    bounds = (-LARGEST, 0.0, -points, points, LARGEST)
    near = [math.nextafter(bound, to) for bound in bounds for to in (bound, -LARGEST, LARGEST)]
    table = {"x": near * 2, "z": ["a"] * len(near) + ["b"] * len(near)}
    assert_array_equal(expanded(rules).truth(table), rules.truth(table))


def test_labels_and_schema_stay_and_counts_of_other_rules_go() -> None:
    columns = {"x": [1.0, 4.0], "z": ["a", "b"]}
    schema, _ = Schema.learn(columns)
    rules = RuleSet.parse("yes if x + 2·(z in {a}) > 3 else no", schema)
    told = expanded(rules.with_baseline(Baseline.count(rules, columns, ["no", "yes"])))
    assert (told.label, told.default, told.schema) == ("yes", "no", schema)
    chain = ClassRules.parse("a if x + 2·(z in {a}) > 3 else b if x > 2 else c", schema)
    told = expanded(chain.with_baseline(Baseline.count(chain, columns, ["a", "b"])))
    assert (told.labels, told.default, told.schema, told.baseline) == (("a", "b"), "c", schema, None)


def test_more_cases_than_can_be_looked_at_are_refused() -> None:
    most = int(math.log2(MOST_CASES))
    many = " + ".join(f"(z{k} in {{a}})" for k in range(most + 1))
    with pytest.raises(ParameterError, match="a rule has 13 sets and filled columns in its sums, which is more cases"):
        expanded(RuleSet.parse(f"yes if {many} > 3 else no"))


def test_of_more_cases_than_can_be_looked_at_nothing_is_proven() -> None:
    many = " + ".join(f"(z{k} in {{a}})" for k in range(13))
    rules = RuleSet.parse(f"yes if x > 1 and x + {many} > 3 or x > 2 and x > 0 else no")
    assert rules.equivalent(rules.without(1)).undecided
    assert str(rules.simplified()) == f"yes if x > 2\n    or x > 1 and x + {many} > 3\nelse no"
