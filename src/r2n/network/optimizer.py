"""How a gradient becomes a step: Adam, or as the authors' code has it, AMSGrad with the gradient's norm bounded."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

from r2n.network.literals import Leaf
from r2n.network.model import Params

DECAY_MEAN, DECAY_SQUARE, EPSILON = 0.9, 0.999, 1e-8


class Amsgrad(NamedTuple):
    """Running means of the gradient and of its square, and the largest that the latter ever was."""

    count: Leaf
    mu: Params
    nu: Params
    most: Params


Moments = Any  # `Amsgrad`, or optax's of Adam


@dataclass(frozen=True, slots=True)
class Optimizer:
    """`adam` or `amsgrad`; `clip` bounds the norm of the gradient over all of a restart's weights."""

    kind: str = "adam"
    clip: float | None = None

    def begin(self, params: Params, restarts: int) -> Moments:
        """Begin on the host, where nothing has to be compiled."""
        zeros = jax.tree.map(np.zeros_like, params)
        count = np.zeros(restarts, np.int32)
        if self.kind == "amsgrad":
            return Amsgrad(count, zeros, zeros, zeros)
        return optax.ScaleByAdamState(count=count, mu=zeros, nu=zeros)

    def direction(self, gradient: Params, moments: Moments) -> tuple[Params, Moments]:
        """Compute where to go, in units of the learning rate, and the moments after it."""
        if self.clip is not None:
            gradient = clip_gradient_to(gradient, self.clip)
        if self.kind == "amsgrad":
            return amsgrad(gradient, moments)
        direction, moments = optax.scale_by_adam().update(gradient, moments)
        return direction, moments


def clip_gradient_to(gradient: Params, most: float) -> Params:
    """Bring the gradient to the norm `most` if it is longer."""
    norm = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(gradient)))
    factor = jnp.minimum(1.0, most / (norm + 1e-6))
    scaled: Params = jax.tree.map(lambda leaf: leaf * factor, gradient)
    return scaled


def amsgrad(gradient: Params, moments: Amsgrad) -> tuple[Params, Amsgrad]:
    """Adam, whose steps never grow again: they are divided by the largest mean square so far.

    As in PyTorch the largest is taken before the correction for the start; optax takes it after.
    """
    count = moments.count + 1
    mu = jax.tree.map(lambda m, g: DECAY_MEAN * m + (1 - DECAY_MEAN) * g, moments.mu, gradient)
    nu = jax.tree.map(lambda v, g: DECAY_SQUARE * v + (1 - DECAY_SQUARE) * g**2, moments.nu, gradient)
    most = jax.tree.map(jnp.maximum, moments.most, nu)
    started_mean, started_square = 1 - DECAY_MEAN**count, 1 - DECAY_SQUARE**count

    def along(m: Leaf, v: Leaf) -> Leaf:
        return m / started_mean / (jnp.sqrt(v) / jnp.sqrt(started_square) + EPSILON)

    direction: Params = jax.tree.map(along, mu, most)
    return direction, Amsgrad(count, mu, nu, most)
