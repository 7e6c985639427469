"""The network's part: train the restarts and decode each into a rule set. Importing it loads JAX."""

from __future__ import annotations

import time
from collections.abc import Iterable

import numpy as np

from r2n.errors import ParameterError
from r2n.learn.bridge import extract, make_network_rows
from r2n.learn.decoded import Decoded, Parts, Trained, find_best
from r2n.learn.given import offer_literals
from r2n.learn.options import NETWORK_PROGRESS, Options
from r2n.learn.settings import NetworkSettings
from r2n.learn.trained import ClassNetwork, Restart, Weights
from r2n.network import (
    BestEpoch,
    Cooling,
    Halfspaces,
    Network,
    Optimizer,
    Penalties,
    Record,
    Settings,
    start_training,
)
from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts
from r2n.runtime.progress import ProgressBar
from r2n.search import Labelled
from r2n.search.plan import FINISH_SHARE, NETWORK_SHARE, SPREAD
from r2n.table import Scaling


def train_network(
    empty: RuleSet, rows: Labelled, parts: Parts, scaling: Scaling, options: Options, seed: int, began: float
) -> Trained:
    """Train the network and decode every restart. `scaling` is that of the columns it may read."""
    own, schema = options.network, empty.schema
    assert own is not None, "without settings no network is trained"
    assert schema is not None
    allowed = schema.without(options.knowledge.excluded)
    given = (*offer_literals(allowed, rows.table, own.negations), *options.knowledge.literals)
    network, whole = (make_network(own, len(allowed.numeric), len(given), share) for share in (own.drop_below, 0.0))
    inside = make_network_rows(rows.table, scaling, given, rows.truth, rows.weight)
    training = start_training(network, make_training_settings(own, options), inside, *parts, seed=seed)
    history, interrupted = watch_training(training, options, own.epochs, began)
    kept = [one for one in training.best() if np.isfinite(one.score)]
    if not kept:
        raise ParameterError("training broke down: every restart's loss became infinite. Lower learning_rate.")
    decoded = tuple(
        Decoded(
            extract(network, one.params, scaling, given, empty, inside.mean),
            extract(whole, one.params, scaling, given, empty),
            one.score,
            one.temperature,
        )
        for one in kept
    )
    restarts = tuple(copy_restart(one, each) for one, each in zip(kept, decoded, strict=True))
    best = decoded.index(find_best(decoded, own.keep == "loss"))
    shown = ClassNetwork(schema, scaling, given, own.or_gate, restarts, best)
    return Trained(decoded, tuple(history), shown, interrupted)


def copy_restart(kept: BestEpoch, decoded: Decoded) -> Restart:
    """Copy one restart's weights, so that a model does not keep the arrays of all restarts."""
    literals, u, v = kept.params
    weights = Weights(*(np.array(leaf) for leaf in (literals.W_p, literals.b, u, v)))
    return Restart(decoded.rules, weights, decoded.score, decoded.temperature)


def make_network(own: NetworkSettings, n_columns: int, n_given: int, negligible: float) -> Network:
    """Make the network for this many numeric columns and given literals."""
    literals = Halfspaces(n_columns, own.n_literals if n_columns else 0, negligible)
    return Network(literals, n_given, own.n_rules, own.or_gate)


def make_training_settings(own: NetworkSettings, options: Options) -> Settings:
    """Make the settings of training. Where the search follows, restarts take different penalties."""
    J = own.n_rules
    gates, literals = (J if own.scale_penalties else 1), (J if own.scale_penalties is True else 1)
    return Settings(
        penalties=Penalties(own.penalty / gates, own.penalty / gates, own.penalty / literals),
        cooling=Cooling(own.temperature, own.gamma, own.temperature_floor),
        learning_rate=own.learning_rate,
        batch_size=own.batch_size,
        epochs=own.epochs,
        steps_per_epoch=own.steps_per_epoch,
        restarts=own.restarts,
        optimizer=Optimizer(own.optimizer, own.clip_gradient),
        initial=own.initial_weights,
        spread=(1.0,) if options.effort == "none" else SPREAD,
        price=options.price,
        by_loss=own.keep == "loss",
    )


def watch_training(
    training: Iterable[Record], options: Options, epochs: int, began: float
) -> tuple[list[Record], bool]:
    """Train until the epochs or the time are used up, the callback returns true, or the user presses Ctrl-C.

    The second value says whether it was a Ctrl-C, which also ends the work that follows.
    """
    history: list[Record] = []
    alone = options.effort == "none"
    share = FINISH_SHARE if alone else NETWORK_SHARE
    until = float("inf") if options.time_limit is None else began + share * options.time_limit
    with ProgressBar(epochs, options.progress, options.part, 1.0 if alone else NETWORK_PROGRESS) as bar:
        try:
            with allow_interrupts():
                for record in training:
                    history.append(record)
                    bar.update(record)
                    stop = options.callback is not None and options.callback(record)
                    if stop or time.monotonic() > until:
                        break
        except KeyboardInterrupt:
            if not history:
                raise  # there is no best so far
            return history, True
    return history, False
