"""The bridge: what the network says and what the rules say is the same."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from r2n.datasets import example
from r2n.learn.bridge import decode_literals, extract, make_network_rows
from r2n.learn.given import offer_literals
from r2n.network import Cooling, Halfspaces, Network, Params, Penalties, Settings, Training
from r2n.network.gates import OR_GATES
from r2n.network.literals import HalfspaceParams
from r2n.rules import Halfspace, RuleSet
from r2n.table import Scaling, Schema, Table

CATEGORIES = ("a", "b", None)


def random_network(seed: int, n_rules: int, gate: str) -> tuple[Network, Params]:
    rng = np.random.default_rng(seed)
    network = Network(Halfspaces(2, 4), n_given=6, n_rules=n_rules, or_gate=gate)
    params = network.initialise(rng)
    W_p = np.where(rng.random((2, 4)) < 0.3, 0, params.literals.W_p).astype(np.float32)
    u = rng.normal(-0.5, 1, size=params.u.shape).astype(np.float32)
    return network, Params(HalfspaceParams(W_p, params.literals.b), u, params.v)


def mixed_table(seed: int, n: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)
    return {
        "income": rng.normal(5e4, 2e4, n),
        "rate %": rng.normal(0.01, 0.003, n),
        "region": [CATEGORIES[k] for k in rng.integers(3, size=n)],
    }


def agreement(network: Network, params: Params, columns: dict[str, object]) -> tuple[np.ndarray, np.ndarray, Table]:
    """What the step-function network says of a table's matrix, and what the decoded rules say of the table."""
    schema, table = Schema.learn(columns)
    scaling = Scaling.learn(table, schema.numeric)
    literals = offer_literals(schema, table, negations=True)
    assert len(literals) == network.n_given
    rules = extract(network, params, scaling, literals, RuleSet((), schema=schema))
    rows = make_network_rows(table, scaling, literals, np.zeros(table.n_rows, bool), np.ones(table.n_rows))
    step = network.step(params, rows.x.T, rows.given.T, rows.missing.T)
    return np.asarray(step) == 1, rules.truth(table), table


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    n_rules=st.integers(1, 6),
    gate=st.sampled_from(sorted(OR_GATES)),
    negligible=st.sampled_from([0.0, 0.025, 0.3]),
    gaps=st.sampled_from([0.0, 0.1, 0.5]),
)
def test_the_step_function_network_and_the_decoded_rules_agree_on_every_row(
    seed: int, n_rules: int, gate: str, negligible: float, gaps: float
) -> None:
    """Numbers, categories and missing values of both kinds; only sums that single precision cannot tell from the
    threshold are left out."""
    network, params = random_network(seed, n_rules, gate)
    network = replace(network, literals=Halfspaces(2, 4, negligible), n_given=6 + 4 * (gaps > 0))
    params = params._replace(u=np.random.default_rng(seed).normal(-0.5, 1, (network.width, n_rules)).astype("f4"))
    columns = mixed_table(seed, 300)
    for k, name in enumerate(("income", "rate %")):
        gone = np.random.default_rng(seed + k).random(300) < gaps
        gone[0] = gaps > 0
        columns[name] = np.where(gone, np.nan, columns[name])  # type: ignore[call-overload]
    step, crisp, table = agreement(network, params, columns)
    assert_agree_but_at_boundaries(step, crisp, table, params)


def assert_agree_but_at_boundaries(step: np.ndarray, crisp: np.ndarray, table: Table, params: Params) -> None:
    scaling = Scaling.learn(table, ("income", "rate %"))
    sums = scaling.matrix(table).astype(float) @ params.literals.W_p.astype(float) + params.literals.b
    clear = (np.abs(sums) > 1e-5).all(axis=1)
    assert clear.mean() > 0.99
    np.testing.assert_array_equal(step[clear], crisp[clear])


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10**6), n_rules=st.integers(1, 6), gate=st.sampled_from(sorted(OR_GATES)))
def test_on_their_own_literals_they_agree_without_exception(seed: int, n_rules: int, gate: str) -> None:
    """The AND and OR layers on the decoded literals' truth: rows on a boundary too, where `>` must stay strict."""
    network, params = random_network(seed, n_rules, gate)
    columns = mixed_table(seed, 300)
    schema, table = Schema.learn(columns)
    scaling = Scaling.learn(table, schema.numeric)
    given_literals = offer_literals(schema, table, negations=True)
    decoded = decode_literals(network, params, scaling, given_literals)
    rules = extract(network, params, scaling, given_literals, RuleSet((), schema=schema))
    on_boundaries = {name: np.array(values, dtype=object) for name, values in columns.items()}
    for k, literal in enumerate(decoded[: network.literals.n_literals]):
        if isinstance(literal, Halfspace) and len(literal.terms) == 1:
            ((name, a),) = literal.terms
            on_boundaries[name][k] = literal.threshold / a  # type: ignore[index]
    for part in (table, schema.table({name: list(values) for name, values in on_boundaries.items()})):
        values = [np.full(part.n_rows, lit) if isinstance(lit, bool) else lit.evaluate(part) for lit in decoded]
        step = np.asarray(network.step_rules(params, np.vstack(values).astype(np.float32)))
        np.testing.assert_array_equal(step == 1, rules.truth(part))


def test_the_scaled_network_in_double_precision_agrees_on_a_hundred_thousand_rows() -> None:
    """The same, with the literals evaluated on the scaled matrix: units are brought back exactly."""
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(5e4, 2e4, 100_000), rng.normal(0.01, 0.003, 100_000)])
    schema, table = Schema.learn(X)
    scaling = Scaling.learn(table, schema.numeric)
    for seed in range(5):
        network = Network(Halfspaces(2, 6), n_given=0, n_rules=4)
        params = network.initialise(np.random.default_rng(seed))
        rules = extract(network, params, scaling, (), RuleSet((), schema=schema))
        scaled = (X - np.array(scaling.centre)) / np.array(scaling.scale)
        phi = scaled @ params.literals.W_p.astype(np.float64) + params.literals.b > 0
        step = np.asarray(network.step_rules(params, phi.T.astype(np.float32)))
        assert int(np.sum((step == 1) != rules.truth(table))) == 0


@pytest.mark.parametrize("number", [1, 5])
def test_the_cold_soft_network_and_the_rules_hardly_ever_differ(number: int) -> None:
    """The paper calls the difference negligible at τ = 10⁻⁴; here it is counted on 10⁵ rows."""
    X, y = example(number).sample(8_000, random_state=0)
    schema, table = Schema.learn(X)
    scaling = Scaling.learn(table, schema.numeric)
    network = Network(Halfspaces(5, 10), n_given=0, n_rules=25)
    rows = make_network_rows(table, scaling, (), y, np.ones(len(y)))
    plan = Settings(Penalties(4e-4, 4e-4, 4e-4), Cooling(1.0, 0.912, 1e-4), 1e-2, 200, 100, restarts=2)
    training = Training(network, plan, rows, np.arange(len(y)), np.arange(len(y)), seed=0)
    list(training)
    params = min(training.best(), key=lambda kept: kept.score).params
    rules = extract(network, params, scaling, (), RuleSet((), schema=schema))
    many, _ = example(number).sample(100_000, random_state=1)
    x = scaling.matrix(schema.table(many)).T
    soft = np.asarray(network.forward(params, x, np.zeros((0, 100_000)), 1e-4))
    share = float(np.mean((soft > 0.5) != rules.truth(many)))
    print(f"example {number}: soft at τ = 1e-4 and crisp differ on {share:.5%} of 100,000 rows")
    assert share < 1e-3


@given(
    centre=st.floats(-1e6, 1e6),
    scale=st.floats(1e-3, 1e6),
    weight=st.floats(-100, 100, width=32).filter(bool),
    bias=st.floats(-100, 100, width=32),
)
def test_units_come_back_rounded_once(centre: float, scale: float, weight: float, bias: float) -> None:
    (term,), threshold = Scaling(("x",), (centre,), (scale,)).in_units([weight], bias)
    assert term == ("x", float(Fraction(weight) / Fraction(scale)))
    assert threshold == float(Fraction(weight) * Fraction(centre) / Fraction(scale) - Fraction(bias))


def test_a_literal_without_columns_is_settled_at_once() -> None:
    network = Network(Halfspaces(2, 2), n_given=0, n_rules=3)
    literals = HalfspaceParams(np.array([[0, 1], [0, 0]], np.float32), np.array([1, -2], np.float32))
    scaling = Scaling(("x0", "x1"), (0.0, 0.0), (1.0, 1.0))
    u = np.array([[1, 1, -1], [-1, 1, 1]], np.float32)

    def text(b0: float) -> str:
        params = Params(literals._replace(b=np.array([b0, -2], np.float32)), u, np.array([-1, 1, 1], np.float32))
        return str(extract(network, params, scaling, (), RuleSet()))

    assert text(1.0) == "True if x0 > 2\nelse False"  # φ0 is always true: rules 1 and 2 are both x0 > 2
    assert text(-1.0) == "True if x0 > 2\nelse False"  # φ0 is never true: rule 1 is gone
