"""Propositions 1 and 2 of the paper, over every Boolean case up to 4 literals and 3 rules."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from r2n.network.gates import OR_GATES, soft_and


def every_boolean(width: int) -> np.ndarray:
    """All 2^width rows of a truth table."""
    return np.array(list(product([0.0, 1.0], repeat=width)), dtype=np.float32).reshape(-1, width)


@pytest.mark.parametrize("n_literals", [1, 2, 3, 4])
def test_proposition_1_soft_and_is_the_conjunction_of_the_selected_literals(n_literals: int) -> None:
    phi = every_boolean(n_literals)
    weights = every_boolean(n_literals)  # each row one rule
    z = np.asarray(soft_and(jnp.asarray(phi.T), jnp.asarray(weights.T)))
    expected = np.array([[all(p for p, w in zip(row, rule, strict=True) if w) for rule in weights] for row in phi])
    np.testing.assert_array_equal(z.T, expected.astype(np.float32))


@pytest.mark.parametrize("gate", OR_GATES)
@pytest.mark.parametrize("n_rules", [1, 2, 3])
def test_proposition_2_soft_or_is_the_disjunction_of_the_selected_rules(gate: str, n_rules: int) -> None:
    z = every_boolean(n_rules)
    for weights in every_boolean(n_rules):
        y = np.asarray(OR_GATES[gate](jnp.asarray(z.T), jnp.asarray(weights)))
        expected = [any(zj and w for zj, w in zip(row, weights, strict=True)) for row in z]
        np.testing.assert_array_equal(y, np.array(expected, dtype=np.float32))


# The largest has the others in it: rules and literals that are not selected.
SMALLER = [(n_literals, n_rules) for n_literals in (1, 2, 3, 4) for n_rules in (1, 2, 3) if n_literals * n_rules < 12]


@pytest.mark.parametrize("gate", OR_GATES)
@pytest.mark.parametrize(
    ("n_literals", "n_rules"), [(4, 3), *(pytest.param(*each, marks=pytest.mark.slow) for each in SMALLER)]
)
def test_both_layers_together_are_the_dnf(gate: str, n_literals: int, n_rules: int) -> None:
    """Every weight of both layers, every input: up to 2¹² × 2³ rule sets on 2⁴ rows."""
    phi = every_boolean(n_literals)
    all_W = every_boolean(n_literals * n_rules).reshape(-1, n_literals, n_rules)
    all_v = every_boolean(n_rules)
    z = jax.vmap(lambda W: soft_and(jnp.asarray(phi.T), W))(jnp.asarray(all_W))
    y = jax.vmap(lambda z: jax.vmap(lambda v: OR_GATES[gate](z, v))(jnp.asarray(all_v)))(z)
    unmet = (all_W[:, None] == 1) & (phi[None, :, :, None] == 0)  # (W, row, literal, rule)
    conjunctions = ~unmet.any(axis=2)
    expected = (conjunctions[:, None] & (all_v[None, :, None, :] == 1)).any(axis=3)
    np.testing.assert_array_equal(np.asarray(y) == 1, expected)


@pytest.mark.parametrize("gate", OR_GATES)
def test_every_gate_has_a_gradient_between_the_corners(gate: str) -> None:
    def truth(w: jax.Array) -> jax.Array:
        z = soft_and(jnp.array([[0.9], [0.8]]), w)
        return OR_GATES[gate](z, jnp.array([0.3, 0.4]))[0]

    gradient = np.asarray(jax.grad(truth)(jnp.array([[0.4, 0.3], [0.2, 0.5]])))
    assert np.isfinite(gradient).all()
    assert (gradient != 0).any()


def test_the_maximum_gives_only_the_winner_a_gradient_and_the_others_give_all() -> None:
    z, w = jnp.array([[0.3], [0.2]]), jnp.array([0.6, 0.7])
    moved = {gate: np.asarray(jax.grad(lambda z, g=gate: OR_GATES[g](z, w)[0])(z))[:, 0] != 0 for gate in OR_GATES}
    assert moved["max"].tolist() == [True, False]
    assert moved["sum"].all()
    assert moved["product"].all()
