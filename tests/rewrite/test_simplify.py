"""The simplifier on readable examples: compared as text, and run."""

from __future__ import annotations

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from r2n.rewrite import PASSES, simplify
from r2n.rules import Halfspace, Rule, RuleSet
from r2n.table import Column, Schema, Table

FIXTURE = Path(__file__).parent.parent / "fixtures" / "simplify.txt"


def read_fixture() -> list[tuple[str, str, str]]:
    """Title, before and after of each block."""
    blocks = FIXTURE.read_text(encoding="utf-8").strip().split("\n\n")[1:]
    parts = [block.split("\n", 1) for block in blocks]
    return [(title.removeprefix("# "), *body.split("\n=>\n")) for title, body in parts]  # type: ignore[misc]


def grid() -> Table:
    """Every combination of a few numbers, on bounds and one float beside, and a few categories."""
    bounds = [-2.0, 0.0, 1.5, 3.0]
    near = [math.nextafter(bound, to) for bound in bounds for to in (-math.inf, math.inf)]
    rows = itertools.product([math.nan, -3.0, 5.0, *bounds, *near], [math.nan, -1.0, 0.0, 1.0, 2.0],
                             [None, "a", "b", "c", "unseen"], [None, "a", "b", "unseen"])  # fmt: skip
    x, y, z, w = zip(*rows, strict=True)
    return Table.read({"x": np.array(x), "y": np.array(y), "z": list(z), "w": list(w)})


GRID = grid()


@pytest.mark.parametrize(("title", "before", "after"), read_fixture(), ids=lambda text: text[:40])
def test_before_and_after(title: str, before: str, after: str) -> None:
    rules = RuleSet.parse(before)
    assert str(simplify(rules)) == after
    assert_array_equal(RuleSet.parse(after).truth(GRID), rules.truth(GRID))


def test_the_fixture_is_read_whole() -> None:
    assert len(read_fixture()) == FIXTURE.read_text(encoding="utf-8").count("\n=>\n")


@pytest.mark.parametrize("rewrite", PASSES, ids=lambda rewrite: rewrite.__name__)
def test_each_pass_has_something_to_do(rewrite: Any) -> None:
    assert any(rewrite(RuleSet.parse(before)) != RuleSet.parse(before) for _, before, _ in read_fixture())


def test_labels_and_schema_stay() -> None:
    schema = Schema((Column("x", "numeric"),))
    simple = simplify(RuleSet.parse("a if 2·x > 3 else b").with_schema(schema))
    assert (simple.label, simple.default, simple.schema) == ("a", "b", schema)


@pytest.mark.parametrize("coefficient", [0.1, 3.0, 1e-320, 1e300, -0.7, -1e-310])
@pytest.mark.parametrize("threshold", [0.0, 0.3, -1e10, 1e-320, 1e308, -5e-324])
def test_unit_bounds_is_exact_even_where_products_underflow_or_overflow(coefficient: float, threshold: float) -> None:
    before = RuleSet((Rule((Halfspace.of({"x": coefficient}, threshold),)),))
    after = simplify(before)
    guess = [0.0, threshold, 1e308, -1e308, 5e-324]
    guess += [literal.threshold * s for literal in after.literals for s in (1.0, -1.0)]
    rows = [near for g in guess for near in (g, math.nextafter(g, 1e308), math.nextafter(g, -1e308))]
    table = Table.read({"x": np.array([*rows, math.nan])})
    assert_array_equal(after.truth(table), before.truth(table))


def test_a_condition_that_products_cannot_decide_is_left_alone() -> None:
    """1e-320·x > -1e10 holds for every float: no threshold on x says so, and `true` would be wrong."""
    before = RuleSet((Rule((Halfspace.of({"x": 1e-320}, -1e10),)),))
    assert simplify(before) == before


def test_many_rules_are_no_problem() -> None:
    text = "yes if " + " or ".join(f"x{i} > {i} and z in {{c{i}}}" for i in range(150)) + " else no"
    assert simplify(RuleSet.parse(text)).n_rules == 150
