"""The compiled program: many restarts, many steps, one call.

Its shapes depend on the network, the batch size and the number of restarts, never on the number of
rows: a call takes a chunk of at most `capacity` batches and runs as many of them as it is told, so
that a second fit, a fold or a larger table finds the program already compiled.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from r2n.network.literals import Leaf
from r2n.network.model import Network, Params, Penalties
from r2n.network.optimizer import Moments, Optimizer

ADAM = Optimizer()
JUDGE_BLOCKS, JUDGE_BLOCK_ROWS = 32, 256  # at most 8,192 rows judge an epoch


class Chunk(NamedTuple):
    """Batches in the order of their steps; those past `n_steps` are padding."""

    x: Leaf  # (capacity, d, batch)
    given: Leaf  # (capacity, n_given, batch)
    y: Leaf  # (capacity, batch)
    weight: Leaf  # (capacity, batch): 0 for rows that only fill the last batch
    tau: Leaf  # (capacity,)
    share: Leaf  # (capacity,): this step's part in its epoch's mean loss
    last: Leaf  # (capacity,): is it the last step of its epoch?
    n_steps: Leaf  # ()


class Judge(NamedTuple):
    """The rows on which each epoch's crisp rule set is judged, in blocks; padded like a chunk."""

    x: Leaf  # (JUDGE_BLOCKS, d, JUDGE_BLOCK_ROWS)
    given: Leaf
    missing: Leaf
    mean: Leaf  # (d,): of each column; see `Halfspaces.lighter`
    y: Leaf
    weight: Leaf
    n_blocks: Leaf  # ()


class Knobs(NamedTuple):
    """Numbers that may change without compiling again."""

    penalties: Penalties  # each of (R,): restarts may differ in them
    learning_rate: Leaf
    price: Leaf  # of a literal, in units of error, when epochs are compared by their crisp rules
    by_loss: Leaf  # compare epochs by the training loss, as the paper does; only those equally cold can be compared


class TrainingState(NamedTuple):
    """Every array carries the restarts first."""

    params: Params
    moments: Moments
    epoch_loss: Leaf  # (R,) mean loss of the epoch so far
    best: Params  # the kept epoch's weights: copies, training never touches them again
    best_score: Leaf  # (R,)
    best_tau: Leaf  # (R,) the temperature of the kept epoch


class Marks(NamedTuple):
    """What each step that ended an epoch recorded, (capacity, R) each."""

    loss: Array
    error: Array
    n_rules: Array


def initialise(
    network: Network, restarts: int, rng: np.random.Generator, optimizer: Optimizer = ADAM, initial: str = "sparse"
) -> TrainingState:
    """Draw each restart its own weights, on the host, where nothing has to be compiled."""
    drawn = [network.initialise(rng, initial) for _ in range(restarts)]
    params: Params = jax.tree.map(lambda *leaves: np.stack(leaves), *drawn)
    never = np.full(restarts, np.inf, np.float32)
    return TrainingState(
        params, optimizer.begin(params, restarts), np.zeros(restarts, np.float32), params, never, never
    )


def crisp_error(network: Network, params: Params, judge: Judge) -> Array:
    """Weighted share of the judge's rows that the step-function network gets wrong."""

    def block(i: Array, wrong: Array) -> Array:
        truth = network.step(params, judge.x[i], judge.given[i], judge.missing[i], judge.mean)
        return wrong + jnp.sum(judge.weight[i] * jnp.abs(truth - judge.y[i]))

    wrong: Array = jax.lax.fori_loop(0, judge.n_blocks, block, jnp.zeros(()))
    return wrong / jnp.maximum(jnp.sum(judge.weight), 1e-12)


def _train_step(
    network: Network,
    optimizer: Optimizer,
    chunk: Chunk,
    i: Array,
    rate: Leaf,
    penalties: Penalties,
    state: TrainingState,
) -> TrainingState:
    """Take one step of one restart on the chunk's i-th batch."""
    loss, gradient = jax.value_and_grad(network.loss)(
        state.params, chunk.x[i], chunk.given[i], chunk.y[i], chunk.weight[i], chunk.tau[i], penalties
    )
    direction, moments = optimizer.direction(gradient, state.moments)
    params = jax.tree.map(lambda p, d: p - rate * d, state.params, direction)
    return state._replace(params=params, moments=moments, epoch_loss=state.epoch_loss + chunk.share[i] * loss)


def _end_epoch(
    network: Network, judge: Judge, knobs: Knobs, tau: Array, state: TrainingState
) -> tuple[TrainingState, tuple[Array, Array, Array]]:
    """Judge one restart's crisp rule set, and keep its weights if it is the best so far.

    A warm network may lose little by answering everywhere with the share of the label, which no crisp rule set can:
    by loss, a colder epoch is better than any warmer one.
    """
    error = crisp_error(network, state.params, judge)
    selected = state.params.v > 0
    n_literals = jnp.sum((state.params.u > 0) & selected)
    score = jnp.where(knobs.by_loss, state.epoch_loss, error + knobs.price * n_literals)
    better = (score < state.best_score) | (knobs.by_loss & (tau < state.best_tau) & jnp.isfinite(score))
    kept = state._replace(
        best=jax.tree.map(lambda new, old: jnp.where(better, new, old), state.params, state.best),
        best_score=jnp.where(better, score, state.best_score),
        best_tau=jnp.where(better, tau, state.best_tau),
        epoch_loss=jnp.zeros(()),
    )
    return kept, (state.epoch_loss, error, jnp.sum(selected))


@partial(jax.jit, static_argnames=("network", "optimizer"))
def run(
    state: TrainingState, chunk: Chunk, judge: Judge, knobs: Knobs, network: Network, optimizer: Optimizer = ADAM
) -> tuple[TrainingState, Marks]:
    """Take the chunk's steps, all restarts side by side."""
    capacity, restarts = chunk.tau.shape[0], state.best_score.shape[0]
    blank = jnp.zeros((capacity, restarts))
    train_step = partial(_train_step, network, optimizer)
    end_epoch = partial(_end_epoch, network, judge, knobs)

    def body(i: Array, carry: tuple[TrainingState, Marks]) -> tuple[TrainingState, Marks]:
        state, marks = carry
        state = jax.vmap(partial(train_step, chunk, i, knobs.learning_rate))(knobs.penalties, state)

        def record_epoch(state: TrainingState, marks: Marks) -> tuple[TrainingState, Marks]:
            state, seen = jax.vmap(partial(end_epoch, chunk.tau[i]))(state)
            return state, Marks(*(old.at[i].set(new) for old, new in zip(marks, seen, strict=True)))

        after: tuple[TrainingState, Marks] = jax.lax.cond(chunk.last[i], record_epoch, lambda *same: same, state, marks)
        return after

    done: tuple[TrainingState, Marks] = jax.lax.fori_loop(0, chunk.n_steps, body, (state, Marks(blank, blank, blank)))
    return done
