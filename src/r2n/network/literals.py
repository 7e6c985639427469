"""Literal modules: what the network learns its conditions with.

A module is a frozen description (sizes, no weights) with four duties, so that other kinds of
literal can join without the rest of the network knowing: initialise weights, evaluate them softly
(and as a step), penalise them, and decode them into plain values for the bridge to the rules.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple, Protocol

import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.nn import sigmoid

Leaf = Any  # an array: numpy's on the host, JAX's inside the compiled program
LiteralParams = Any  # a pytree of arrays; only its own module looks inside


class LiteralModule(Protocol):
    """m learned literals over the columns of a matrix x (d, n), whose rows are the last axis."""

    @property
    def n_literals(self) -> int:
        """The number of literals."""

    def initialise(self, rng: np.random.Generator, initial: str = "sparse") -> LiteralParams:
        """Draw the first weights."""

    def evaluate(self, params: LiteralParams, x: Array, tau: Array | float) -> Array:
        """Soft truth (m, n) of the literals at temperature tau."""
        ...

    def step(self, params: LiteralParams, x: Array, missing: Array, mean: Leaf | float = 0.0) -> Array:
        """Truth (m, n) in {0, 1} of the literals that `decode` gives: false where one reads a missing value."""
        ...

    def penalise(self, params: LiteralParams) -> Array:
        """Compute what the literals cost the loss, before its λ."""
        ...

    def decode(self, params: LiteralParams, mean: Leaf | float = 0.0) -> tuple[Any, ...]:
        """Decode the literals to plain values, in the matrix's units; `mean` (d,) is that of its columns."""
        ...


class HalfspaceParams(NamedTuple):
    """W^(p) (n_columns, m) and b (m,) of Eq. 2."""

    W_p: Leaf
    b: Leaf


@dataclass(frozen=True, slots=True)
class DecodedHalfspace:
    """Σ weights_k · x_k + bias > 0, over the matrix's columns in order."""

    weights: tuple[float, ...]
    bias: float


@dataclass(frozen=True, slots=True)
class Halfspaces:
    """The paper's literals: φ = σ((xᵀW^(p) + b)/τ).

    Weights are never quite zero, but a literal that a person is to read must not name every column:
    `step` and `decode` leave out weights below the share `negligible` of a literal's largest, and put
    the columns' means in their place.
    """

    n_columns: int
    n_literals: int
    negligible: float = 0.0

    def initialise(self, rng: np.random.Generator, initial: str = "sparse") -> HalfspaceParams:
        """Draw directions at random, and boundaries that pass through the bulk of a standardised table.

        If `normal`, both are uniform within 1/√d, as the authors' code leaves them to PyTorch.
        """
        if initial == "normal":
            most = 1.0 / sqrt(max(self.n_columns, 1))
            return HalfspaceParams(
                W_p=rng.uniform(-most, most, size=(self.n_columns, self.n_literals)).astype(np.float32),
                b=rng.uniform(-most, most, size=self.n_literals).astype(np.float32),
            )
        return HalfspaceParams(
            W_p=rng.normal(size=(self.n_columns, self.n_literals)).astype(np.float32),
            b=rng.normal(scale=0.5, size=self.n_literals).astype(np.float32),
        )

    def evaluate(self, params: HalfspaceParams, x: Array, tau: Array | float) -> Array:
        """Compute the truth of each literal at temperature τ (Eq. 2)."""
        return sigmoid((params.W_p.T @ x + params.b[:, None]) / tau)  # Eq. 2

    def step(self, params: HalfspaceParams, x: Array, missing: Array, mean: Leaf | float = 0.0) -> Array:
        """Compute the crisp truth of each literal, with negligible weights left out."""
        W_p, b = self.lighter(params, mean)
        truth = W_p.T @ x + b[:, None] > 0
        if missing.shape[0]:  # a table without missing values has no mask
            reads = (W_p != 0).astype(x.dtype)
            truth &= reads.T @ missing.astype(x.dtype) == 0
        crisp: Array = truth.astype(x.dtype)
        return crisp

    def reads(self, params: HalfspaceParams) -> Leaf:
        """Tell which columns (d, m) each literal reads, once negligible weights are left out."""
        size = abs(params.W_p)
        return size >= self.negligible * size.max(axis=0, keepdims=True, initial=0.0)

    def lighter(self, params: HalfspaceParams, mean: Leaf | float) -> HalfspaceParams:
        """Drop negligible weights: what they add on average goes into b, as columns need not be centred."""
        W_p = params.W_p * self.reads(params)
        return HalfspaceParams(W_p, params.b + ((params.W_p - W_p).T * mean).sum(axis=1))

    def penalise(self, params: HalfspaceParams) -> Array:
        """Sum the absolute weights."""
        return jnp.abs(params.W_p).sum()

    def decode(self, params: HalfspaceParams, mean: Leaf | float = 0.0) -> tuple[DecodedHalfspace, ...]:
        """Read the literals in exact float64, with negligible weights left out."""
        exact = HalfspaceParams(*(np.asarray(leaf, dtype=np.float64) for leaf in params))
        W_p, b = self.lighter(exact, mean)
        return tuple(
            DecodedHalfspace(tuple(weights.tolist()), float(bias)) for weights, bias in zip(W_p.T, b, strict=True)
        )
