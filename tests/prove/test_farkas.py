"""What a proof rests on: loosen demands that no float row escapes, and weights that are checked, not believed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from r2n.prove import Domain
from r2n.prove.box import box_of
from r2n.prove.farkas import Demand, _refutes, solve
from r2n.rules import Halfspace
from r2n.table import Table
from tests.strategies import NUMERIC, domains, rows_of, small_halfspaces, tables


@st.composite
def demands_and_rows(draw: st.DrawFn) -> tuple[list[tuple[Halfspace, bool]], Domain, Table]:
    """Halfspaces that shall be true or false, a domain without missing values, and rows of it about them."""
    held = draw(st.lists(st.tuples(small_halfspaces, st.booleans()), min_size=1, max_size=4))
    domain = draw(domains())
    domain = domain.with_columns({name: replace(domain[name], missing=False) for name in NUMERIC})
    return held, domain, rows_of(draw(tables(tuple(literal for literal, _ in held))), domain)


def _met(held: list[tuple[Halfspace, bool]], table: Table) -> np.ndarray:
    return np.all([literal.evaluate(table) == truth for literal, truth in held], axis=0)


@settings(max_examples=400)
@given(demands_and_rows())
def test_a_float_row_that_meets_a_demand_meets_the_loosened_one_exactly(
    case: tuple[list[tuple[Halfspace, bool]], Domain, Table],
) -> None:
    held, domain, table = case
    box = box_of(domain, [literal for literal, _ in held])
    for literal, truth in held:
        demand = Demand.of(literal, truth)
        if not demand.is_tame(box):
            continue
        loose, bound = demand.loosen(box)
        for row in np.flatnonzero(_met([(literal, truth)], table)):
            exact = sum(a * Fraction(float(table.numeric(name)[row])) for name, a in loose.items())
            assert exact >= bound


def test_three_terms_may_lose_more_than_one_rounding() -> None:
    literal = Halfspace.of({"a": 1, "b": 1, "c": -1}, 0.5)
    row = {"a": 1e16, "b": 1.0, "c": 1e16}
    table = Table.read({name: np.array([value]) for name, value in row.items()})
    assert not literal.evaluate(table)[0]  # 1e16 + 1 is 1e16 in floats
    box = box_of(Domain.read(dict.fromkeys(row, (0, 2e16))), [literal])
    loose, bound = Demand.of(literal, False).loosen(box)
    assert sum(a * Fraction(row[name]) for name, a in loose.items()) >= bound


def test_a_sum_that_may_overflow_demands_nothing() -> None:
    """inf - 0.6e308 is inf, above all thresholds, though the exact sum is not."""
    largest = 1.7976931348623157e308
    literal = Halfspace.of({"a": 1, "b": 1, "c": -1}, 0.8 * largest)
    row = {"a": 0.7 * largest, "b": 0.6 * largest, "c": 0.6 * largest}
    assert literal.evaluate(Table.read({name: np.array([value]) for name, value in row.items()}))[0]
    box = box_of(Domain.read({name: (0, value) for name, value in row.items()}), [literal])
    assert not Demand.of(literal, True).is_tame(box)
    assert not solve([Demand.of(literal, True)], box).impossible


weights = st.sampled_from([0.0, 1.0, 1.0, 2.0, 0.5, 0.1, 3.0])


@settings(max_examples=400)
@given(demands_and_rows(), st.data())
def test_no_weights_refute_what_a_row_meets(
    case: tuple[list[tuple[Halfspace, bool]], Domain, Table], data: st.DataObject
) -> None:
    """Whatever the solver may say: the check alone keeps a proof from being wrong."""
    held, domain, table = case
    box = box_of(domain, [literal for literal, _ in held])
    chosen = data.draw(st.lists(weights, min_size=len(held), max_size=len(held)))
    assume(any(chosen))
    if _refutes(chosen, [Demand.of(literal, truth) for literal, truth in held], box):
        assert not _met(held, table).any()


def test_columns_without_bounds_cancel_exactly() -> None:
    """0.1·y and 0.3·y, three to one: only exact weights leave nothing of y."""
    one, other = Halfspace.of({"x": 1, "y": 0.3}, 5), Halfspace.of({"x": 1, "y": -0.1}, 5)
    box = box_of(Domain.read({"x": (0, 4.9), "y": (0, None)}), [one, other])
    demands = [Demand.of(one, True), Demand.of(other, True)]
    assert solve(demands, box).impossible
    wider = box_of(Domain.read({"x": (0, 5.1), "y": (0, None)}), [one, other])
    assert not solve(demands, wider).impossible


def test_a_point_is_deep_inside() -> None:
    box = box_of(Domain.read({"x": (0, 8), "y": (0, 8)}), [Halfspace.of({"x": 1, "y": 1}, 0)])
    outcome = solve([Demand((("x", 1.0), ("y", 1.0)), 4.0), Demand((("x", -1.0), ("y", -1.0)), -12.0)], box)
    assert 7.0 < outcome.point["x"] + outcome.point["y"] < 9.0
    assert not outcome.impossible
