"""DR-Net: a two-layer network that is a rule set at every step, after Qiao, Wang and Lin (2021).

The first layer's neurons are conjunctions of binarised literals (a positive weight asks for a literal, a negative one
for its opposite), the second selects among them. Gates that can close make both sparse (Louizos et al., 2018).
"""

from functools import partial
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pandas as pd
from numpy.typing import NDArray

from benchmarks.methods.baselines import RuleCounts, RuleLengths
from benchmarks.methods.binarise import QuantileBins
from r2n.network.engine import prepare_engine

Array = jax.Array
STRETCH = (-0.1, 1.1)  # a gate reaches beyond both ends of [0, 1], so that it can be exactly closed or open
HEAT = 2 / 3  # how soft a gate is while it is drawn
# A rule is true if nothing it asks for is missing; floats of 2,000 summands are not exact.
NOTHING = 1e-4


class Weights(NamedTuple):
    """Of d literals in J rules."""

    w: Array  # (d, J): which literals a rule asks for, or whose opposites
    and_gates: Array  # (d, J): log α
    or_gates: Array  # (J,): log α


def drawn(log_alpha: Array, key: Array) -> Array:
    """Hard-concrete gates in [0, 1], at random."""
    u = jax.random.uniform(key, log_alpha.shape, minval=1e-6, maxval=1.0 - 1e-6)
    return _stretched(jax.nn.sigmoid((jnp.log(u) - jnp.log1p(-u) + log_alpha) / HEAT))


def settled(log_alpha: Array) -> Array:
    """The same gates without chance, as they are read out."""
    return _stretched(jax.nn.sigmoid(log_alpha))


def _stretched(gate: Array) -> Array:
    low, high = STRETCH
    return jnp.asarray(jnp.clip(gate * (high - low) + low, 0.0, 1.0))


def open_share(log_alpha: Array) -> Array:
    """P(gate > 0)."""
    low, high = STRETCH
    return jax.nn.sigmoid(log_alpha - HEAT * jnp.log(-low / high))


@jax.custom_vjp
def step(s: Array) -> Array:
    """1 where a rule is true; its gradient passes straight through where it can do something."""
    return (s > 1.0 - NOTHING).astype(s.dtype)


def _step_forward(s: Array) -> tuple[Array, Array]:
    return step(s), s


def _step_backward(s: Array, gradient: Array) -> tuple[Array]:
    idle = (s < 0.0) | ((s > 1.0 - NOTHING) & (gradient < 0.0))  # far from true; true, and asked to be more so
    return (jnp.where(idle, 0.0, gradient),)


step.defvjp(_step_forward, _step_backward)


def selected(gate: Array) -> Array:
    """1 where a gate is not closed, its gradient straight through."""
    return gate + jax.lax.stop_gradient((gate > 0.0).astype(gate.dtype) - gate)


def forward(x: Array, w: Array, chosen: Array) -> Array:
    """The logit of each row."""
    s = x @ w + 1.0 - jnp.maximum(w, 0.0).sum(axis=0)  # (n, J)
    return step(s) @ chosen - 0.5  # (n,)


def loss(weights: Weights, key: Array, x: Array, y: Array, rows: Array, λ: float) -> Array:
    """Cross-entropy over the rows that count, and λ times what open gates cost."""
    for_and, for_or = jax.random.split(key)
    w = weights.w * drawn(weights.and_gates, for_and)
    logit = forward(x, w, selected(drawn(weights.or_gates, for_or)))
    entropy = (optax.sigmoid_binary_cross_entropy(logit, y) * rows).sum() / rows.sum()
    penalty = ((open_share(weights.and_gates).mean(axis=0) + 1.0) * open_share(weights.or_gates)).mean()
    return jnp.asarray(entropy + λ * penalty)


class DrNet(RuleCounts):
    """DR-Net on equi-quantile bins."""

    def __init__(
        self,
        bins: int = 40,
        rules: int = 50,
        epochs: int = 10_000,
        turn: int = 500,
        batch_size: int = 2_000,
        learning_rate: float = 1e-2,
        and_penalty: float = 1e-2,
        or_penalty: float = 1e-5,
        random_state: int = 0,
    ) -> None:
        self.bins, self.rules, self.epochs, self.turn, self.batch_size = bins, rules, epochs, turn, batch_size
        self.learning_rate, self.lambdas, self.random_state = learning_rate, (and_penalty, or_penalty), random_state

    def fit(self, X: pd.DataFrame, y: NDArray[np.bool_]) -> Self:
        # Negative weights ask for opposites: one column a threshold is enough.
        self.binariser_ = QuantileBins(self.bins, negations=False).fit(X)
        x = self.binariser_.transform(X)
        self.literals_ = list(x.columns)
        weights = self._trained(x.to_numpy(np.float32), np.asarray(y, np.float32))
        gates = np.asarray(settled(weights.and_gates)), np.asarray(settled(weights.or_gates))
        w = np.asarray(weights.w) * gates[0]
        self.asks_, self.forbids_ = ((sign[:, gates[1] > 0.0]).T for sign in (w > 0.0, w < 0.0))
        return self

    def predict(self, X: pd.DataFrame) -> NDArray[np.bool_]:
        x = self.binariser_.transform(X).to_numpy()
        truths = (x[:, asks].all(axis=1) & ~x[:, forbids].any(axis=1) for asks, forbids in self._rules())
        return np.asarray(np.logical_or.reduce([np.zeros(len(x), dtype=np.bool_), *truths]), dtype=np.bool_)

    def _rules(self) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        return list(zip(self.asks_, self.forbids_, strict=True))

    def rule_lengths(self) -> RuleLengths:
        return [int(asks.sum() + forbids.sum()) for asks, forbids in self._rules()]

    # -- training --------------------------------------------------------------------------------

    def _trained(self, x: NDArray[np.float32], y: NDArray[np.float32]) -> Weights:
        """The layers take turns, each with an optimiser of its own."""
        prepare_engine()
        weights = self._start(x.shape[1])
        adam = optax.adam(self.learning_rate)
        states = [adam.init(_part(weights, layer)) for layer in (0, 1)]
        # The last batch is filled up with rows of weight 0: none is left out, and no table is too small.
        size = min(self.batch_size, len(x))
        filled = -(-len(x) // size) * size
        table = (*(jnp.asarray(np.resize(a, (filled, *a.shape[1:]))) for a in (x, y)), jnp.arange(filled) < len(x))
        turns = [jax.jit(partial(_turn, layer, adam, size, self.lambdas[layer])) for layer in (0, 1)]
        key = jax.random.key(self.random_state)
        for number in range(-(-self.epochs // self.turn)):
            layer = number % 2
            n_epochs = min(self.turn, self.epochs - number * self.turn)
            keys = jax.random.split(jax.random.fold_in(key, number), n_epochs)
            weights, states[layer] = turns[layer](weights, states[layer], table, keys)
        return weights

    def _start(self, d: int) -> Weights:
        rng = np.random.default_rng(self.random_state)
        w = rng.uniform(-1.0, 1.0, (d, self.rules)) * np.sqrt(6.0 / (d + self.rules))  # Glorot's
        gates = (rng.normal(0.0, 0.01, shape) for shape in ((d, self.rules), (self.rules,)))
        return Weights(*(jnp.asarray(part, jnp.float32) for part in (w, *gates)))


# What each layer trains: the rules layer, the OR layer.
LAYERS = (("w", "and_gates"), ("or_gates",))


def _part(weights: Weights, layer: int) -> dict[str, Array]:
    return {name: getattr(weights, name) for name in LAYERS[layer]}


def _turn(
    layer: int,
    adam: optax.GradientTransformation,
    size: int,
    λ: float,
    weights: Weights,
    state: Any,
    table: Any,
    keys: Array,
) -> tuple[Weights, Any]:
    """As many epochs as there are keys, training one layer while the other stays as it is."""

    def batch(carry: Any, at: Any) -> tuple[Any, None]:
        part, state = carry
        rows, key = at
        x, y, counts = (a[rows] for a in table)
        gradient = jax.grad(lambda part: loss(weights._replace(**part), key, x, y, counts, λ))(part)
        change, state = adam.update(gradient, state)
        return (optax.apply_updates(part, change), state), None

    def epoch(carry: Any, key: Array) -> tuple[Any, None]:
        order = jax.random.permutation(key, len(table[0])).reshape(-1, size)
        return jax.lax.scan(batch, carry, (order, jax.random.split(key, len(order))))

    (part, state), _ = jax.lax.scan(epoch, (_part(weights, layer), state), keys)
    return weights._replace(**part), state
