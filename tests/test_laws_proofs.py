"""Laws of proofs: nothing that is said to be proven is ever wrong, on any row of the domain."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from r2n.prove import PROOFS, Domain, Prover, Values, equivalent, find_row, prove_simpler
from r2n.prove.box import box_of, restrict, status, sum_between
from r2n.prove.equivalence import decision
from r2n.prove.search import holds
from r2n.rewrite import simplify
from r2n.rewrite.expand import expand_rule
from r2n.rules import ClassRules, Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.rules.classes import Model
from r2n.rules.literals import has_cases
from r2n.table import Table
from tests.strategies import BoundedWorld, World, bounded_worlds, domains, rows_of, small_literals, tables, worlds

FEW = 40  # cases for a question: enough for most, and what is not decided in them is a law's business too


# -- box -----------------------------------------------------------------------------------------


@st.composite
def literals_in_domains(draw: st.DrawFn) -> tuple[Literal, Domain, Table]:
    """A literal without sets in its sum, a domain, and rows of it about the literal: proofs look at cases."""
    told = draw(small_literals)
    cases = {told, *(each for rule in expand_rule(Rule((told,))) for each in rule.literals)}
    literal = draw(st.sampled_from(sorted((each for each in cases if not has_cases(each)), key=str) or [Known("x")]))
    domain = draw(domains())
    return literal, domain, rows_of(draw(tables((literal,))), domain)


@settings(max_examples=400)
@given(literals_in_domains())
def test_states_lose_no_row_and_what_they_say_is_so(case: tuple[Literal, Domain, Table]) -> None:
    literal, domain, table = case
    box = box_of(domain, [literal])
    truth = literal.evaluate(table)
    said = status(literal, box)
    assert said is None or not (truth != said).any()
    if len(literal.columns) == 1:
        (name,) = literal.columns
        for wanted in (True, False):
            if restrict(box[name], literal, wanted).empty:
                assert not (truth == wanted).any()


@given(literals_in_domains())
def test_a_value_of_what_is_left_makes_a_literal_what_it_was_restricted_to(case: tuple[Literal, Domain, Table]) -> None:
    literal, domain, _ = case
    if len(literal.columns) > 1:
        return
    (name,) = literal.columns
    for wanted in (True, False):
        left = restrict(box_of(domain, [literal])[name], literal, wanted)
        for value in [left.value(), *([None] if left.missing else [])]:
            if value is not None or left.missing:
                assert holds(literal, {name: value}) == wanted
                assert {name: value} in domain.reading([literal])


@given(literals_in_domains())
def test_sums_lie_between_their_ends(case: tuple[Literal, Domain, Table]) -> None:
    literal, domain, table = case
    if isinstance(literal, Halfspace):
        low, high = sum_between(literal, box_of(domain, [literal]))
        sums = literal.values(table)
        sums = sums[~np.isnan(sums)]
        assert not ((sums < low) | (sums > high)).any()


@given(small_literals, tables())
def test_one_row_at_a_time_is_the_same(literal: Literal, table: Table) -> None:
    rows = [
        {name: None if not table.known(name)[k] else _cell(table, name, k) for name in literal.columns}
        for k in range(table.n_rows)
    ]
    assert [holds(literal, row) for row in rows] == literal.evaluate(table).tolist()


def _cell(table: Table, name: str, row: int) -> object:
    codes, values = table.codes(name)
    return values[codes[row]]


# -- the question -----------------------------------------------------------------------------------


@settings(max_examples=300)
@given(bounded_worlds())
def test_answers_are_never_wrong(world: BoundedWorld) -> None:
    """Each rule against the others: a row is one, and where there is said to be none, none is."""
    for rule in world.rules.rules:
        others = [other for other in world.rules.rules if other != rule]
        answer = find_row(world.domain, rule.literals, others, steps=FEW)
        if answer.row is not None:
            assert answer.row in world.domain
            assert all(holds(literal, answer.row) for literal in rule.literals)
            assert not any(all(holds(literal, answer.row) for literal in other.literals) for other in others)
        elif answer.impossible:
            assert not (rule.evaluate(world.table) & ~RuleSet(tuple(others)).truth(world.table)).any()


# -- simplifying ------------------------------------------------------------------------------------


@settings(max_examples=300)
@given(bounded_worlds())
def test_proven_simplification_keeps_every_prediction_of_the_domain(world: BoundedWorld) -> None:
    shorter = prove_simpler(world.rules, world.domain, steps=FEW)
    assert_array_equal(shorter.predict(world.table), world.rules.predict(world.table))
    assert shorter.n_rules <= world.rules.n_rules
    assert shorter.size <= world.rules.size


@settings(max_examples=300)
@given(worlds())
def test_proven_simplification_keeps_every_prediction_on_any_row(world: World) -> None:
    shorter = prove_simpler(world.rules, steps=FEW)  # type: ignore[type-var]
    assert_array_equal(shorter.predict(world.table), world.rules.predict(world.table))


@pytest.mark.parametrize("prove", PROOFS, ids=lambda prove: prove.__name__)
@given(world=bounded_worlds())
def test_each_proof_keeps_every_prediction(prove: Callable[[RuleSet, Prover], RuleSet], world: BoundedWorld) -> None:
    shorter = prove(world.rules, Prover(world.domain, world.rules.literals, steps=FEW))
    assert_array_equal(shorter.predict(world.table), world.rules.predict(world.table))


@given(bounded_worlds(), bounded_worlds(), st.sampled_from("abc"))
def test_rules_for_several_classes_keep_every_prediction(one: BoundedWorld, two: BoundedWorld, default: str) -> None:
    rules = ClassRules((("a", one.rules.rules), ("b", two.rules.rules)), default)
    shorter = prove_simpler(rules, one.domain, steps=FEW)
    assert_array_equal(shorter.predict(one.table), rules.predict(one.table))
    assert shorter.size <= rules.size


# -- equivalence ------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(bounded_worlds(), st.data())
def test_equivalence_is_never_wrong(world: BoundedWorld, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from([simplify(world.rules), prove_simpler(world.rules, world.domain, steps=FEW)])
                      | worlds().map(lambda found: world.rules.with_rules(found.rules.rules)))  # fmt: skip
    answer = equivalent(world.rules, other, world.domain, steps=FEW)
    if answer:
        assert_array_equal(world.rules.predict(world.table), other.predict(world.table))
    elif answer.row is not None:
        assert answer.row in world.domain
        assert decision(world.rules, answer.row) != decision(other, answer.row)


# -- pairs whose truth is known by enumeration --------------------------------------------------------

WHOLE, SETS, LETTERS = ("x", "y", "w"), ("z",), ("a", "b", "c")


def _random_literal(random: Random) -> Literal:
    kind = random.random()
    if kind < 0.7:
        names: list[str | Membership] = [*random.sample(WHOLE, random.choice([1, 1, 2, 2, 3]))]
        if random.random() < 0.3:  # sets too, or nothing but sets
            names = names[: random.randrange(3)]
            names += dict.fromkeys(_random_set(random) for _ in range(random.choice([1, 1, 2])))
        weights = {name: random.choice([1, -1, 1, -1, 2, -2, 0.5, 0.1, -0.3, 3]) for name in names}
        return Halfspace.of(weights, random.choice([-3, -2, -1, 0, 1, 2, 3, 0.5, 0.1, 0.3, 4]))
    if kind < 0.9:
        return _random_set(random)
    column = random.choice(WHOLE + SETS)
    return random.choice([Missing(column), Known(column)])  # type: ignore[return-value]


def _random_set(random: Random) -> Membership:
    name, values = random.choice([("z", LETTERS), ("z", LETTERS), ("x", (0, 1, 2))])
    return Membership(name, tuple(random.sample(values, random.choice([1, 2]))), random.random() < 0.5)


def _random_rule(random: Random) -> Rule:
    return Rule(tuple(_random_literal(random) for _ in range(random.randint(1, 3))))


def _random_domain(random: Random) -> Domain:
    """Small enough to look at every row, in each column at most four values and perhaps a missing one."""
    columns = {}
    for name in WHOLE:
        low = random.choice([-2, 0])
        columns[name] = Values(low, low + random.randint(0, 3), integer=True, missing=random.random() < 0.4)
    columns["z"] = Values(categories=LETTERS, other=random.random() < 0.3, missing=random.random() < 0.4)
    return Domain(tuple(columns.items()))


def _every_row(domain: Domain) -> Table:
    choices: list[list[object]] = [list(np.arange(domain[name].low, domain[name].high + 1)) for name in WHOLE]
    choices.append([*LETTERS, "another"] if domain["z"].other else list(LETTERS))
    for values, name in zip(choices, WHOLE + SETS, strict=True):
        if domain[name].missing:
            values.append(None)
    rows = list(itertools.product(*choices))
    cells = {name: [row[k] for row in rows] for k, name in enumerate(WHOLE + SETS)}
    return Table.read({name: np.array([*column, "x"], dtype=object)[:-1] for name, column in cells.items()})


def _changed(rules: RuleSet, random: Random) -> RuleSet:
    """Something like these rules, and often the same in other words."""
    old = list(rules.rules)
    match random.choice(["literal", "covered", "split", "threshold", "drop", "other"]):
        case "literal":  # perhaps implied
            k = random.randrange(len(old))
            old[k] = Rule((*old[k].literals, _random_literal(random)))
        case "covered":
            old.append(Rule((*random.choice(old).literals, *_random_rule(random).literals)))
        case "split":  # into where a column is known, or a sum is positive, and where not
            k = random.randrange(len(old))
            name = random.choice(WHOLE)
            at = random.choice([0.0, 1.0])
            below = Halfspace.of({name: -1.0}, -at - 1e-9)
            parts: list[Literal] = [Halfspace.of({name: 1.0}, at), below, Missing(name)]
            old[k : k + 1] = [Rule((*old[k].literals, part)) for part in parts]
        case "threshold":
            k = random.randrange(len(old))
            old[k] = Rule(tuple(_moved(literal, random) for literal in old[k].literals))
        case "drop":
            old.pop(random.randrange(len(old)))
        case "other":
            old[random.randrange(len(old))] = _random_rule(random)
    return rules.with_rules(old)


def _moved(literal: Literal, random: Random) -> Literal:
    if not isinstance(literal, Halfspace):
        return literal
    return Halfspace(literal.terms, literal.threshold + random.choice([-0.4, -0.05, 0.05, 0.4]))


def _random_pair(random: Random) -> tuple[Model, Model]:
    rules = RuleSet(tuple(_random_rule(random) for _ in range(random.randint(1, 4))), "yes", "no")
    other = _changed(rules, random)
    if random.random() < 0.3:
        more = tuple(_random_rule(random) for _ in range(2))
        return ClassRules((("yes", rules.rules), ("perhaps", more)), "no"), ClassRules(
            (("yes", other.rules), ("perhaps", more if random.random() < 0.7 else more[:1])), "no"
        )
    return rules, other


def count_answers(pairs: int, seed: int) -> Counter[str]:
    """How often what was answered about random pairs, each compared with the truth."""
    random, answers = Random(seed), Counter[str]()
    for _ in range(pairs):
        one, other = _random_pair(random)
        domain = _random_domain(random)
        table = _every_row(domain)
        same = bool((one.predict(table) == other.predict(table)).all())
        answer = equivalent(one, other, domain)
        assert answer.undecided or bool(answer) == same, f"{one}\n{other}\n{domain}\n{answer}"
        if answer.row is not None:
            assert answer.row in domain
            assert decision(one, answer.row) != decision(other, answer.row)
        answers["undecided" if answer.undecided else "equivalent" if answer else "different"] += 1
    return answers


few_or_many = pytest.mark.parametrize("n", [150, pytest.param(1_000, marks=pytest.mark.slow)])


@few_or_many
def test_the_question_agrees_with_looking_at_every_row(n: int) -> None:
    random, answers = Random(1), Counter[str]()
    for _ in range(n):
        domain = _random_domain(random)
        true = [_random_literal(random) for _ in range(random.randint(0, 2))]
        false = [_random_rule(random) for _ in range(random.randint(1, 6))]
        table = _every_row(domain)
        possible = Rule(tuple(true)).evaluate(table) & ~RuleSet(tuple(false)).truth(table)
        answer = find_row(domain, true, false)
        assert answer.undecided or answer.impossible != possible.any(), f"{true}\n{false}\n{domain}\n{answer}"
        answers["undecided" if answer.undecided else "none" if answer.impossible else "row"] += 1
    assert answers["undecided"] == 0
    assert min(answers["none"], answers["row"]) > n / 5


@few_or_many
def test_equivalence_agrees_with_looking_at_every_row(n: int) -> None:
    answers = count_answers(n, seed=0)
    assert answers["undecided"] == 0
    assert min(answers["equivalent"], answers["different"]) > n / 5
