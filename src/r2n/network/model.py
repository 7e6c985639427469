"""The network: the paper's equations 2 to 6, one a line."""

from dataclasses import dataclass
from math import log
from typing import NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.nn import sigmoid

from r2n.network.gates import OR_GATES, OrGate, soft_and
from r2n.network.literals import Leaf, LiteralModule, LiteralParams


class Params(NamedTuple):
    """All that is learned: the literals' weights, u (M, J) of the AND layer, v (J,) of the OR layer."""

    literals: LiteralParams
    u: Leaf
    v: Leaf


class Penalties(NamedTuple):
    """λ_and, λ_or and λ_p of the loss."""

    and_: Leaf | float  # or one for each restart
    or_: Leaf | float
    literals: Leaf | float


@dataclass(frozen=True, slots=True)
class Structure:
    """What the signs of u and v say: the OR layer's rules, each the literals of its AND."""

    rules: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class Network:
    """A soft rule set: m learned and `n_given` predefined literals, J rules, one OR.

    It is a description, hashable and without weights: `initialise` makes the weights, and every
    other function takes them as an argument, with x (d, n) and given (n_given, n): rows come last.
    In x missing values sit at 0, the centre; `missing` (d, n) says where, or is (0, n) if there are none.
    """

    literals: LiteralModule
    n_given: int
    n_rules: int
    or_gate: str = "sum"

    @property
    def soft_or(self) -> OrGate:
        """The OR gate that the structure names."""
        return OR_GATES[self.or_gate]

    @property
    def width(self) -> int:
        """M: all literals that the AND layer sees."""
        return self.literals.n_literals + self.n_given

    def initialise(self, rng: np.random.Generator, initial: str = "sparse") -> Params:
        """Draw weights at random.

        A conjunction has no gradient while Σ w(1-φ) ≥ 1 on every row, so if `sparse` u starts where about
        two of the M literals are in each rule, however wide the AND layer is. If `normal`, u and v start
        from N(0, 1), as in the authors' code.
        """
        u_start, spread = (-log(max(self.width / 2 - 1, 1)), 0.5) if initial == "sparse" else (0.0, 1.0)
        return Params(
            literals=self.literals.initialise(rng, initial),
            u=rng.normal(u_start, spread, size=(self.width, self.n_rules)).astype(np.float32),
            v=rng.normal(0.0, spread, size=self.n_rules).astype(np.float32),
        )

    def forward(self, p: Params, x: Array, given: Array, tau: Array | float) -> Array:
        """Truth (n,) of the soft rule set at temperature tau; crisp as tau → 0."""
        phi = self.literals.evaluate(p.literals, x, tau)  # (m, n)  Eq. 2: learned literals
        phi = jnp.concatenate([phi, given.astype(phi.dtype)])  # (M, n)  and predefined ones
        z = soft_and(phi, sigmoid(p.u / tau))  # (J, n)  Eq. 3, 4
        return self.soft_or(z, sigmoid(p.v / tau))  # (n,)    Eq. 5, 6

    def step(self, p: Params, x: Array, given: Array, missing: Array, mean: Leaf | float = 0.0) -> Array:
        """Truth (n,) in {0, 1} of the step-function network: what the decoded rule set says."""
        phi = self.literals.step(p.literals, x, missing, mean)
        return self.step_rules(p, jnp.concatenate([phi, given.astype(phi.dtype)]))

    def step_rules(self, p: Params, phi: Array) -> Array:
        """Apply the AND and OR layers of the step-function network to Boolean literals (M, n)."""
        z = soft_and(phi, (p.u > 0).astype(phi.dtype))
        return self.soft_or(z, (p.v > 0).astype(phi.dtype))

    def loss(self, p: Params, x: Array, given: Array, y: Array, weight: Array, tau: Array, λ: Penalties) -> Array:
        """Weighted squared error + λ_and‖W‖₁ + λ_or‖w^(d)‖₁ + λ_p‖W^(p)‖₁."""
        error = (self.forward(p, x, given, tau) - y) ** 2
        mean_square = jnp.sum(weight * error) / jnp.maximum(jnp.sum(weight), 1e-12)
        return (
            mean_square
            + λ.and_ * jnp.sum(sigmoid(p.u / tau))
            + λ.or_ * jnp.sum(sigmoid(p.v / tau))
            + λ.literals * self.literals.penalise(p.literals)
        )

    def decode(self, p: Params) -> Structure:
        """Read off the rules that the signs of u and v select, as indices into the M literals."""
        u, v = np.asarray(p.u) > 0, np.asarray(p.v) > 0
        return Structure(tuple(tuple(np.flatnonzero(u[:, j]).tolist()) for j in np.flatnonzero(v)))
