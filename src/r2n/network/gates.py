"""Soft AND and OR: pure functions that are logic on {0, 1} and have gradients in between.

`w` says which inputs take part. Propositions 1 and 2 of the paper say that on Boolean weights and
inputs each gate *is* its logical namesake; the tests check that over every Boolean case.

Rows are the last axis, here and in the whole network: what is done to every row then runs along
memory, which made a step of several restarts a third cheaper than with rows first.
"""

from collections.abc import Callable

import jax.numpy as jnp
from jax import Array

OrGate = Callable[[Array, Array], Array]


def soft_and(phi: Array, w: Array) -> Array:
    """Conjunctions z_j of the literals that w selects: (M, n), (M, J) → (J, n).

    >>> import jax.numpy as jnp
    >>> phi = jnp.array([[0., 0., 1., 1.],
    ...                  [0., 1., 0., 1.]])
    >>> both, second, none = jnp.array([1., 1.]), jnp.array([0., 1.]), jnp.array([0., 0.])
    >>> soft_and(phi, jnp.stack([both, second, none], axis=1)).astype(int).tolist()
    [[0, 0, 0, 1], [0, 1, 0, 1], [1, 1, 1, 1]]
    """
    return 1 - jnp.minimum(w.T @ (1 - phi), 1)  # Eq. 3


def or_max(z: Array, w: Array) -> Array:
    """The paper's OR: (J, n), (J,) → (n,). Only the winning rule gets a gradient.

    >>> import jax.numpy as jnp
    >>> z = jnp.array([[0., 0., 1., 1.],
    ...                [0., 1., 0., 1.]])
    >>> or_max(z, jnp.array([1., 1.])).astype(int).tolist()
    [0, 1, 1, 1]
    """
    return jnp.max(w[:, None] * z, axis=0)  # Eq. 5


def or_sum(z: Array, w: Array) -> Array:
    """OR as a clamped sum: every rule gets a gradient until the row is settled.

    >>> import jax.numpy as jnp
    >>> z = jnp.array([[0., 0., 1., 1.],
    ...                [0., 1., 0., 1.]])
    >>> or_sum(z, jnp.array([1., 1.])).astype(int).tolist()
    [0, 1, 1, 1]
    """
    return jnp.minimum(w @ z, 1)


def or_product(z: Array, w: Array) -> Array:
    """OR by De Morgan, 1 - Π(1 - w_j z_j): every rule gets a gradient, never clamped.

    >>> import jax.numpy as jnp
    >>> z = jnp.array([[0., 0., 1., 1.],
    ...                [0., 1., 0., 1.]])
    >>> or_product(z, jnp.array([0., 1.])).astype(int).tolist()
    [0, 1, 0, 1]
    """
    return 1 - jnp.prod(1 - w[:, None] * z, axis=0)


OR_GATES: dict[str, OrGate] = {"max": or_max, "sum": or_sum, "product": or_product}
