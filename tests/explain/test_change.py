"""The smallest change: checked against brute force where all rows can be looked at."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n.errors import ParameterError
from r2n.explain import smallest_change
from r2n.prove import Domain
from r2n.rules import ClassRules, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.table import Schema, Table
from tests.strategies import World, class_worlds, worlds

# -- brute force on a small grid ----------------------------------------------------------------------

NUMBERS, CATEGORIES = range(-1, 4), ("a", "b", "c")
DOMAIN = Domain.read(
    {"x": range(-1, 4), "y": range(-1, 4), "n": range(-1, 4), "z": set(CATEGORIES), "w": set(CATEGORIES)}
)
VALUES: dict[str, list] = {name: [*map(float, NUMBERS), None] for name in ("x", "y", "n")} | {
    name: [*CATEGORIES, None] for name in ("z", "w")
}
GRID = [dict(zip(VALUES, cells, strict=True)) for cells in itertools.product(*VALUES.values())]
COLUMNS = {name: np.array([*(row[name] for row in GRID), None], dtype=object)[:-1] for name in VALUES}
SPREAD: dict[str, Any] = {"x": 1.0, "y": 2.0, "n": 0.5}

weights = st.sampled_from([1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -0.25, 0.1, -0.3])
bounds = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.1, 0.5, 1.0, 2.0, 3.0, 4.5])
thresholds = bounds | bounds.map(lambda bound: math.nextafter(bound, -math.inf))  # > bound, and >= bound
sums = st.builds(Halfspace.of, st.dictionaries(st.sampled_from(["x", "y", "n"]), weights, min_size=1), thresholds)
sets = st.builds(
    Membership, st.sampled_from(["z", "w"]), st.sets(st.sampled_from(CATEGORIES), min_size=1).map(tuple), st.booleans()
)
# A set of numbers, among numbers that are compared too.
number_sets = st.builds(
    Membership, st.just("n"), st.sets(st.sampled_from([0, 1, 2]), min_size=1).map(tuple), st.booleans()
)
names = st.sampled_from(list(VALUES))


def counting(counted: st.SearchStrategy[Membership]) -> st.SearchStrategy[Halfspace]:
    """Sums that count sets, or nothing but sets."""
    return st.builds(
        lambda some, more, bound: Halfspace.of({**some, **more}, bound),
        st.dictionaries(st.sampled_from(["x", "y", "n"]), weights, max_size=2),
        st.dictionaries(counted, weights, min_size=1, max_size=2),
        thresholds,
    )


literals: st.SearchStrategy[Literal] = (
    sums | counting(sets | number_sets) | sets | number_sets | st.builds(Missing, names) | st.builds(Known, names)
)
some_rules = st.lists(st.lists(literals, min_size=1, max_size=3).map(lambda found: Rule(tuple(found))), max_size=4)
# Every column is read, so that every row has all of them.
ALL = Rule((Halfspace.of({"x": 1, "y": 1, "n": 1}, 100), Known("z"), Known("w")))
rule_sets = some_rules.map(lambda found: RuleSet((*found, ALL)))


@st.composite
def chains(draw: st.DrawFn) -> ClassRules:
    branches = [(label, tuple(draw(some_rules))) for label in ("a", "b", "c")[: draw(st.integers(2, 3))]]
    branches[0] = (branches[0][0], (*branches[0][1], ALL))
    return ClassRules(tuple(branches), draw(st.sampled_from(["a", "b", "other"])))


grid_rows = st.integers(0, len(GRID) - 1).map(GRID.__getitem__)


def distance(name: str, now: object, then: object) -> float:
    if now is None:
        return 0.0 if then is None else 1.0
    if then is None:
        return math.inf  # nothing known becomes missing
    if isinstance(now, float):
        return abs(then - now) / SPREAD[name]  # type: ignore[operator]
    return float(now != then)


def nearest_by_looking(rules: RuleSet | ClassRules, row: dict, allowed: set, fixed: tuple[str, ...]) -> float:
    label = rules.predict(Table.read(COLUMNS))
    costs = np.zeros(len(GRID))
    for name, cells in COLUMNS.items():
        by_value = {value: distance(name, row[name], value) for value in VALUES[name]}
        if name in fixed:
            by_value = {value: 0.0 if value == row[name] else math.inf for value in VALUES[name]}
        costs += np.array([by_value[cell] for cell in cells])
    return float(costs[np.isin(label, list(allowed))].min(initial=math.inf))


@settings(max_examples=300)
@given(rule_sets | chains(), grid_rows, st.sets(st.sampled_from(list(VALUES)), max_size=2), st.data())
def test_no_row_of_the_grid_is_nearer(
    rules: RuleSet | ClassRules, row: dict, fixed: set[str], data: st.DataObject
) -> None:
    now = rules.predict(Table.read({name: np.array([value, None], dtype=object)[:1] for name, value in row.items()}))[0]
    labels = {*(rules.labels if isinstance(rules, ClassRules) else [rules.label]), rules.default} - {now}
    wanted = data.draw(st.sampled_from([None, *sorted(labels)]))
    allowed = labels if wanted is None else {wanted}
    found = smallest_change(rules, row, wanted, fixed=fixed, domain=DOMAIN, spread=SPREAD)
    assert found.proven
    best = nearest_by_looking(rules, row, allowed, tuple(fixed))
    assert found.cost == pytest.approx(best)
    if found.row is not None:
        assert found.row in DOMAIN
        assert found.label in allowed
        assert not set(found.changes) & fixed


@pytest.mark.parametrize("domain", [range(2), (0, 1), "schema"])
@pytest.mark.parametrize(
    ("text", "row", "cost"),
    [
        ("x + y >= 2", {"x": 0, "y": 0}, 2.0),
        ("x + y <= 0", {"x": 1, "y": 0.5}, 1.5),
        ("x - y >= 1", {"x": 0, "y": 1}, 2.0),
        ("x + y + z >= 3", {"x": 0, "y": 1, "z": 0}, 2.0),
        ("x + y > 2 and x - y > 0", {"x": 0, "y": 0}, math.inf),
        ("x + y >= 2 and x - y >= 0 and x - 2·y <= -1", {"x": 0, "y": 0}, 2.0),
    ],
)
def test_a_corner_of_all_that_may_be_is_found(text: str, row: dict, cost: float, domain: object) -> None:
    rules, domains = RuleSet.parse(f"yes if {text} else no"), dict.fromkeys(row, domain)
    if domain == "schema":
        schema, _ = Schema.learn({"x": [0, 0.25, 1], "y": [0.0, 0.5, 1.0], "z": [0.0, 0.5, 1.0]})
        rules, domains = rules.with_schema(schema), None  # type: ignore[assignment]
    found = smallest_change(rules, {"z": 0, **row}, domain=domains)
    assert (found.cost, found.proven) == (pytest.approx(cost), True)


def test_a_corner_may_be_nearer_than_what_is_plain() -> None:
    rules, row = RuleSet.parse("yes if x + y >= 2 or z > 9 else no"), {"x": 0, "y": 0, "z": 0}
    found = smallest_change(rules, row, domain={"x": (0, 1), "y": (0, 1)})
    assert (found.row, found.cost, found.proven) == ({"x": 1.0, "y": 1.0, "z": 0.0}, 2.0, True)


def test_sums_are_computed_in_floats_on_the_very_bound() -> None:
    rules = RuleSet.parse("yes if 0.1·x + 0.3·y > 0.1 and 0.5·y < 0 else no")
    found = smallest_change(rules, {"x": 2, "y": None}, domain={"x": range(5), "y": range(-2, 3)})
    assert (found.row, found.proven) == ({"x": 4.0, "y": -1.0}, True)


def test_what_only_the_solver_says_is_not_proven() -> None:
    rules = RuleSet.parse("yes if x + y > 2 and 2·x + 2·y <= 4 else no")
    found = smallest_change(rules, {"x": 0, "y": 0}, domain={"x": (0, 5), "y": (0, 5)})
    assert (found.row, found.proven) == (None, False)  # floats might round one sum and not the other


# -- continuous columns -------------------------------------------------------------------------------


@settings(max_examples=100)
@given(worlds() | class_worlds(), st.integers(0, 9))
def test_what_is_found_is_true_on_any_floats(world: World, place: int) -> None:
    """Odd coefficients, rows on the boundary: what comes back is tried out, and never wrong."""
    row = world.table.take([place % world.table.n_rows])
    now = world.rules.predict(row)[0]
    found = smallest_change(world.rules, row, steps=60)
    if found.row is not None:
        columns = {name: np.array([value, None], dtype=object)[:1] for name, value in found.row.items()}
        assert world.rules.predict(columns or row)[0] == found.label != now
        for name, (before, after) in found.changes.items():
            assert after is not None, (name, before)


def test_a_sum_moves_its_cheapest_column() -> None:
    rules = RuleSet.parse("yes if x + 2·y > 10 else no")
    found = smallest_change(rules, {"x": 1, "y": 1}, slack=0)
    assert found.changes == {"y": (1.0, pytest.approx(4.5))}
    assert rules.predict(found.row and {k: [v] for k, v in found.row.items()}) == ["yes"]
    assert smallest_change(rules, {"x": 1, "y": 1}, spread={"x": 10}).changes.keys() == {"x"}
    assert smallest_change(rules, {"x": 1, "y": 1}, fixed=["y"]).changes.keys() == {"x"}
    assert smallest_change(rules, {"x": 1, "y": 1}, domain={"y": (0, 3)}).changes.keys() == {"x", "y"}


def test_a_set_in_a_sum_moves_by_one_step() -> None:
    rules = RuleSet.parse("yes if income + 2000·(status in {married}) > 7100 else no")
    row = {"income": 6000, "status": "single"}
    far, near = (smallest_change(rules, row, spread={"income": step}) for step in (500, 5000))
    assert (far.changes, far.cost, far.proven) == ({"status": ("single", "married")}, 1.0, True)
    assert (near.changes.keys(), near.proven) == ({"income"}, True)
    assert smallest_change(rules, row, fixed=["status"], spread={"income": 500}).changes.keys() == {"income"}
    filled = smallest_change(rules, {"income": 6000, "status": None}, spread={"income": 500})
    assert filled.changes == {"status": (None, "married")}
    back = smallest_change(rules, {"income": 9000, "status": "married"}, fixed=["status"], slack=0)
    assert back.row == {"income": 5100.0, "status": "married"}


def test_a_column_of_a_sum_that_is_never_reached_is_a_column_still() -> None:
    """Case by case nothing is left of the rule, but the row, what is fixed and the domain may name its columns."""
    rules = RuleSet.parse("yes if (z in {a}) + (w in {a}) > 5 or x > 3 else no")
    row = {"x": 1, "z": "a", "w": "b"}
    found = smallest_change(rules, row, fixed=["z"], domain={"w": {"a", "b"}})
    assert (found.before, found.row) == ({"x": 1.0, "z": "a", "w": "b"}, {"x": 3.001, "z": "a", "w": "b"})
    alone = smallest_change(rules.without(1), {"z": "a", "w": "b"}, fixed=["z"])
    assert (alone.before, alone.row, alone.proven) == ({"z": "a", "w": "b"}, None, True)


def test_one_column_moves_to_the_very_next_float() -> None:
    rules = RuleSet.parse("yes if x > 0.1 else no")
    found = smallest_change(rules, {"x": 0.05}, slack=0)
    assert found.row == {"x": math.nextafter(0.1, 1)}
    back = smallest_change(rules, {"x": 0.5}, slack=0)
    assert back.row == {"x": 0.1}
    assert smallest_change(rules, {"x": 0.05}).row == {"x": 0.101}


def test_to_become_negative_every_rule_must_fail() -> None:
    rules = RuleSet.parse("yes if x > 5 and y > 5 or x + y > 8 and z in {a} or w > 1 else no")
    row = {"x": 6, "y": 7, "z": "a", "w": 3}
    found = smallest_change(rules, row)
    assert (found.label, found.proven) == ("no", True)
    assert found.changes.keys() == {"x", "z", "w"}  # 1 + 1 + 2: with x at 5, y would have to fall by 4
    assert found.cost == pytest.approx(4.0, abs=1e-6)
    assert smallest_change(rules, row, fixed=["w"]).row is None
    assert str(smallest_change(rules, row, fixed=["w"])) == "no change of these columns gives another label"


def test_the_middle_of_a_chain() -> None:
    rules = ClassRules.parse("low if x < 1 else middle if x < 3 and z in {a} else high")
    schema, _ = Schema.learn({"x": [0.0, 10.0], "z": ["a", "b"]})
    rules = rules.with_schema(schema)
    found = smallest_change(rules, {"x": 0.5, "z": "b"}, "middle")
    assert found.changes == {"x": (0.5, 1.0), "z": ("b", "a")}
    assert smallest_change(rules, {"x": 0.5, "z": "b"}).label == "high"
    assert str(found) == "for middle, change (1.05 spreads)\n    x  0.5 → 1\n    z  b → a"


def test_the_schema_gives_ranges_whole_numbers_and_categories() -> None:
    schema, _ = Schema.learn({"age": [20, 60, 40], "income": [1.5, 2.0, 4.0], "z": ["a", "b", "c"]})
    rules = RuleSet.parse("yes if age + 10·income > 61.5 and z not in {a} else no", schema)
    found = smallest_change(rules, {"age": 30, "income": 2.0, "z": "a"})
    assert found.row is not None
    assert found.row["age"] == 41.0  # and the rest is for the income
    assert found.row["z"] in {"b", "c"}
    alone = smallest_change(rules, {"age": 30, "income": 2.0, "z": "b"}, fixed=["income"])
    assert alone.row == {"age": 42.0, "income": 2.0, "z": "b"}
    outside = smallest_change(rules, {"age": 70.5, "income": -9.0, "z": "zz"}, fixed=["age", "z"])
    assert outside.row is not None  # what it is now is always possible
    assert float(outside.row["income"] or 0.0) > -0.9


def test_no_code_of_a_missing_value_is_proposed() -> None:
    schema, _ = Schema.learn({"x": [0.5, -9, 6.25, 5, 8, -20.5]}, missing_values=[-9])
    rules = RuleSet.parse("yes if x < -8.99 else no", schema=schema)
    found = smallest_change(rules, {"x": 5.0})
    assert found.row is not None
    assert found.row["x"] != -9.0
    assert rules.predict({name: [value] for name, value in found.row.items()}) == [found.label] == ["yes"]


def test_a_domain_does_not_make_a_code_a_number() -> None:
    schema, _ = Schema.learn({"x": [0.5, -9, 6.25, 5, 8, -20.5]}, missing_values=[-9])
    rules = RuleSet.parse("yes if x < -8.5 else no", schema=schema)
    assert smallest_change(rules, {"x": 5.0}, domain={"x": range(-9, 8)}).row is None
    assert smallest_change(rules, {"x": 5.0}, domain={"x": range(-11, 8)}).row == {"x": -10.0}


def test_a_short_number_is_one_that_may_come() -> None:
    rules = RuleSet.parse("yes if x > 2 else no")
    assert smallest_change(rules, {"x": 1}, domain={"x": {1.0, 2.0005, 7.0}}).row == {"x": 2.0005}


def test_numbers_that_are_in_sets_alone_are_categories() -> None:
    rules = RuleSet.parse("yes if k in {1, 2} else no")
    found = smallest_change(rules, {"k": 3})
    assert (found.row, found.cost, found.proven) == ({"k": 2}, 1.0, True)  # the nearest of those that cost the same
    assert smallest_change(RuleSet.parse("yes if k not in {3} else no"), {"k": 3}).cost == 1.0
    far = smallest_change(RuleSet.parse("yes if k in {1} or x > 5 else no"), {"k": 30, "x": 3})
    assert far.changes == {"k": (30.0, 1)}


def test_a_change_is_printed_to_the_last_digit() -> None:
    rules = RuleSet.parse("yes if x < 1234567.4 else no")
    assert str(smallest_change(rules, {"x": 1234570.2})).splitlines()[1] == "    x  1234570.2 → 1234567.399"


def test_missing_values_are_filled_in_but_not_made() -> None:
    rules = RuleSet.parse("yes if x is missing and y > 3 or x > 10 else no")
    assert smallest_change(rules, {"x": None, "y": 2.5}).changes.keys() == {"y"}
    assert smallest_change(rules, {"x": 4.0, "y": 9}).changes.keys() == {"x"}
    found = smallest_change(rules, {"x": None, "y": 9}, spread={"y": 0.1})
    assert found.changes.keys() == {"x"}
    assert found.cost == 1.0


def test_a_search_that_is_cut_short_says_so() -> None:
    rules = RuleSet.parse("yes if x + y > 3 and x - y > 1 or x + 2·y > 4 and y > 1 else no")
    found = smallest_change(rules, {"x": 9, "y": 3}, steps=1)
    assert (found.row, found.proven, str(found)) == (None, False, "no change was found, but there may be one")
    far = smallest_change(RuleSet.parse("yes if x + y > 1e20 else no"), {"x": 0, "y": 0})
    assert (far.row, far.proven, str(far)) == (None, False, "no change was found, but there may be one")


def test_constants_cannot_be_changed() -> None:
    assert smallest_change(RuleSet.parse("yes if true else no"), {"x": 1}).row is None
    assert smallest_change(RuleSet.parse("yes if false else no"), {"x": 1}).row is None


@pytest.mark.parametrize("share", [0.0, 0.3])
def test_many_rules_are_no_problem(share: float) -> None:
    rng = np.random.default_rng(0)
    names = [f"x{k}" for k in range(20)]

    def literal() -> Halfspace:
        chosen = rng.choice(names, rng.integers(1, 4), replace=False)
        terms = dict(zip(chosen, rng.normal(size=len(chosen)).round(2) + 0.005, strict=True))
        counted = {Membership("z", ("a", "b")): float(rng.normal())} if rng.random() < share else {}
        return Halfspace.of({**terms, **counted}, float(rng.normal()))

    rules = RuleSet(tuple(Rule(tuple(literal() for _ in range(4))) for _ in range(50)))
    X = rng.normal(size=(200, 20))
    columns = dict(zip(names, X.T, strict=True)) | {"z": np.array(["a", "b", "c", "d"] * 50)}
    schema, table = Schema.learn(columns)
    rules = rules.with_schema(schema)
    for place in (int(np.argmax(rules.truth(table))), int(np.argmin(rules.truth(table)))):
        found = smallest_change(rules, table.take([place]))
        assert found.proven
        assert found.label == (not rules.truth(table)[place])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"to": "maybe"}, r"to must be one of the labels \['yes', 'no'\], not 'maybe'"),
        ({"to": "no"}, "the rules say 'no' of this row already"),
        ({"fixed": "x"}, "fixed must be a list of columns, not 'x'"),
        ({"fixed": ["ex"]}, "fixed: the model has no column 'ex'"),
        ({"domain": {"ex": (0, 1)}}, "domain: the model has no column 'ex'"),
        ({"domain": {"x": 3}}, "what a column may hold is a pair"),
        ({"spread": {"x": -1}}, "the spread of 'x' must be a number above 0"),
        ({"spread": {"X": 2}}, "spread: the model has no column 'X'"),
        ({"slack": -1}, "slack must be a number of spreads, 0 or more, not -1"),
        ({"slack": "a"}, "slack must be a number of spreads, 0 or more, not 'a'"),
        ({"slack": math.nan}, "slack must be a number of spreads, 0 or more, not nan"),
    ],
)
def test_bad_words(words: dict, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        smallest_change(RuleSet.parse("yes if x > 1 else no"), {"x": 0}, **words)


# -- rows outside the domain ---------------------------------------------------------------------------


@given(
    st.lists(
        st.lists(sums | counting(number_sets), min_size=1, max_size=2).map(lambda found: Rule(tuple(found))),
        min_size=1,
        max_size=3,
    ),
    st.tuples(*[st.sampled_from([-3.5, -2.0, 0.0, 0.5, 1.0, 4.5, 6.0])] * 3),
)
@settings(max_examples=150)
def test_a_number_outside_stays_or_goes_inside(found: list[Rule], cells: tuple[float, ...]) -> None:
    """Against all rows: each number as it is, or one of its domain."""
    rules, row = RuleSet(tuple(found), True, False), dict(zip(("x", "y", "n"), cells, strict=True))
    inside = {"x": range(-1, 4), "y": range(-1, 4), "n": range(-1, 4)}
    options = [sorted({row[name], *map(float, inside[name])}) for name in row]
    grid = np.array(list(itertools.product(*options)))
    table = {name: grid[:, k] for k, name in enumerate(row)}
    other = rules.predict(table) != rules.predict({name: [value] for name, value in row.items()})[0]
    used = [k for k, name in enumerate(row) if name in rules.columns]
    away = np.abs(grid - np.array(cells)) / np.array([SPREAD[name] for name in row])
    compared = [any(name in literal.compared for rule in found for literal in rule.literals) for name in row]
    away = np.where(compared, away, grid != np.array(cells))  # a number of which only sets are asked is a category
    inside, spread = ({name: each[name] for name in rules.columns} for each in (inside, SPREAD))
    change = smallest_change(
        rules, {name: row[name] for name in rules.columns}, domain=inside, spread=spread, slack=0.0
    )
    if change.proven:
        nearest = away[other][:, used].sum(axis=1).min() if other.any() else math.inf
        assert change.cost == pytest.approx(nearest)
    if change.row is not None:
        assert all(value == row[name] or value in inside[name] for name, value in change.row.items())


def test_a_way_that_ends_between_the_row_and_its_domain_is_none() -> None:
    """No whole number is between -1 and 0: what the second rule would take is neither the number nor in the domain."""
    rules = RuleSet.parse("yes if x > 2 or x > -1 and x < 0 else no")
    change = smallest_change(rules, {"x": -3.5}, domain={"x": range(-1, 4)})
    assert (change.row, change.cost, change.proven) == ({"x": 3.0}, 6.5, True)


def test_the_way_into_a_domain_is_part_of_the_change() -> None:
    rules = RuleSet.parse("yes if age > 24 else no")
    change = smallest_change(rules, {"age": 20}, domain={"age": (31, None)})
    assert change.row == {"age": 31.0}
    assert change.proven
    whole = smallest_change(RuleSet.parse("yes if n > 24.5 else no"), {"n": 20.5}, domain={"n": range(20, 90)})
    assert whole.row == {"n": 25.0}
