"""Restarts, batches, epochs. Training yields records; callers decide what to show."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from numpy.typing import NDArray

from r2n.network.batches import Piece, Rows, capacity, chunk_of, epoch_pieces, judge_of, pack_pieces
from r2n.network.cooling import Cooling
from r2n.network.engine import prepare_engine, shapes_of, training_program
from r2n.network.model import Network, Params, Penalties
from r2n.network.optimizer import Optimizer
from r2n.network.program import ADAM, JUDGE_BLOCKS, Knobs, Marks, initialise
from r2n.network.record import Record

Index = NDArray[np.integer[Any]]
LOOKED_AT = 4  # blocks of rows on which an epoch's crisp error is reported, where it decides nothing


@dataclass(frozen=True, slots=True)
class Settings:
    """How a network is trained."""

    penalties: Penalties
    cooling: Cooling
    learning_rate: float
    batch_size: int
    epochs: int
    restarts: int
    spread: tuple[float, ...] = (1.0,)  # restarts take their penalties times these, in turn
    optimizer: Optimizer = ADAM
    initial: str = "sparse"  # or "normal": see `Network.initialise`
    steps_per_epoch: int = 1  # at least: an epoch reads a small table several times over
    price: float = 0.0
    by_loss: bool = False


@dataclass(frozen=True, slots=True)
class BestEpoch:
    """A restart's best epoch: its weights, the score it was kept for, and its temperature."""

    params: Params
    score: float
    temperature: float


class Training:
    """An iterator over records that can be left at any time: `best()` is what it found so far."""

    def __init__(self, network: Network, settings: Settings, rows: Rows, train: Index, judge: Index, seed: int) -> None:
        """Train on the rows `train`; the rows `judge` decide which epoch is kept, unless the loss does."""
        prepare_engine()
        self._network, self._settings, self._rows = network, settings, rows
        self._train = np.asarray(train, dtype=np.int32)
        self._rng = np.random.default_rng(seed)
        # Where the loss decides, the crisp error is only reported: judging all rows would take a third of the time.
        blocks = LOOKED_AT if settings.by_loss else JUDGE_BLOCKS
        self._judge = judge_of(rows, np.asarray(judge, dtype=np.int32), self._rng, blocks)
        self._state = initialise(network, settings.restarts, self._rng, settings.optimizer, settings.initial)

    def __iter__(self) -> Iterator[Record]:
        for records in self.chunks():
            yield from records

    def chunks(self) -> Iterator[list[Record]]:
        """Yield the records of each chunk, when it is done."""
        s = self._settings
        times = np.resize(np.asarray(s.spread, dtype=np.float32), s.restarts)
        penalties = Penalties(*(λ * times for λ in s.penalties))
        knobs = Knobs(penalties, np.float32(s.learning_rate), np.float32(s.price), np.bool_(s.by_loss))
        most = capacity(s.batch_size, self._rows.x.shape[1] + self._rows.given.shape[1])
        total_weight = float(self._rows.weight[self._train].sum())
        for group in pack_pieces(self._pieces(most), most):
            chunk = chunk_of(group, self._rows, total_weight, s.cooling, most)
            # Nothing is donated: after an interrupt the state of the last whole chunk is still there.
            arguments = (self._state, chunk, self._judge, knobs)
            program = training_program(self._network, s.optimizer, *shapes_of(arguments))
            self._state, marks = program(*arguments)
            ended = [piece.epoch for piece in group if piece.ends]
            yield list(self._records(ended, marks, np.flatnonzero(chunk.last)))

    def _pieces(self, most: int) -> Iterator[Piece]:
        s = self._settings
        passes = -(-s.steps_per_epoch * s.batch_size // len(self._train))
        for epoch in range(s.epochs):
            yield from epoch_pieces(epoch, self._train, passes, s.batch_size, most, self._rng)

    def _records(self, epochs: list[int], marks: Marks, at: NDArray[np.int64]) -> Iterator[Record]:
        loss, error, n_rules = (np.asarray(mark)[at].tolist() for mark in marks)
        for k, epoch in enumerate(epochs):
            temperature = self._settings.cooling.temperature(epoch)
            yield Record(epoch, temperature, tuple(loss[k]), tuple(error[k]), tuple(map(int, n_rules[k])))

    def best(self) -> list[BestEpoch]:
        """Return the best epoch of every restart, in the restarts' order."""
        best = jax.tree.map(np.asarray, self._state.best)
        marks = zip(
            *(np.asarray(each).tolist() for each in (self._state.best_score, self._state.best_tau)), strict=True
        )
        return [BestEpoch(jax.tree.map(lambda a, r=r: a[r], best), score, tau) for r, (score, tau) in enumerate(marks)]
