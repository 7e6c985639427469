"""Rows into chunks of shuffled batches, on the host, in fixed shapes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r2n.network.cooling import Cooling
from r2n.network.program import JUDGE_BLOCK_ROWS, JUDGE_BLOCKS, Chunk, Judge

CHUNK_CELLS, MOST_STEPS = 2**20, 256  # a chunk holds at most about a million numbers


class Rows(NamedTuple):
    """What the network sees of a table: scaled columns, predefined literals, truth, weight.

    It is the only copy: batches are gathered from it, and never is a part of it copied as a whole.
    """

    x: NDArray[np.float32]  # (n, d)
    given: NDArray[np.bool_]  # (n, n_given)
    missing: NDArray[np.bool_]  # (n, d), or (n, 0) if nothing is missing
    y: NDArray[np.float32]  # (n,)
    weight: NDArray[np.float32]  # (n,)
    mean: NDArray[np.float32] | float = 0.0  # (d,): of the columns of x, where they are known


@dataclass(frozen=True, slots=True)
class Piece:
    """Consecutive steps of one epoch: which rows each batch reads."""

    epoch: int
    passes: int  # how often its epoch reads the table
    rows: NDArray[np.int32]  # (steps, batch)
    real: NDArray[np.bool_]  # (steps, batch): False where a row only fills the batch
    ends: bool  # is its last step the epoch's last?


def capacity(batch_size: int, width: int) -> int:
    """Choose the steps in a chunk: many for narrow tables, few for wide ones, whatever the number of rows.

    >>> capacity(batch_size=100, width=5), capacity(batch_size=200, width=500)
    (256, 10)
    """
    return max(1, min(MOST_STEPS, CHUNK_CELLS // (batch_size * max(width, 1))))


def epoch_pieces(
    epoch: int, rows: NDArray[np.int32], passes: int, batch_size: int, most: int, rng: np.random.Generator
) -> Iterator[Piece]:
    """Shuffle the rows `passes` times; the last batch is filled up with rows of weight 0, never dropped."""
    order = np.concatenate([rng.permutation(rows) for _ in range(passes)])
    n_steps = -(-len(order) // batch_size)
    for start in range(0, n_steps, most):
        steps = min(most, n_steps - start)
        part = order[start * batch_size : (start + steps) * batch_size]
        real = np.arange(steps * batch_size) < len(part)
        filled = np.resize(part, (steps, batch_size))
        ends = start + steps == n_steps
        yield Piece(epoch, passes, filled, real.reshape(filled.shape), ends)


def pack_pieces(pieces: Iterator[Piece], most: int) -> Iterator[list[Piece]]:
    """Group pieces so that a group holds at most `most` steps: small tables share a chunk."""
    group: list[Piece] = []
    for piece in pieces:
        if group and sum(len(p.rows) for p in group) + len(piece.rows) > most:
            yield group
            group = []
        group.append(piece)
    if group:
        yield group


def chunk_of(group: list[Piece], rows: Rows, total_weight: float, cooling: Cooling, most: int) -> Chunk:
    """Pad the group's batches to `most` steps; `total_weight` is that of all rows trained on."""
    index = np.concatenate([piece.rows for piece in group])
    real = np.concatenate([piece.real for piece in group])
    steps = [(piece, piece.ends and k == len(piece.rows) - 1) for piece in group for k in range(len(piece.rows))]
    weight = rows.weight[index] * real

    def pad(values: NDArray[Any]) -> NDArray[Any]:
        full = np.zeros((most, *values.shape[1:]), dtype=values.dtype)
        full[: len(values)] = values
        return full

    tau = np.array([cooling.temperature(piece.epoch) for piece, _ in steps], dtype=np.float32)
    passes = np.array([piece.passes for piece, _ in steps])
    share = weight.sum(axis=1) / passes / max(total_weight, 1e-12)
    return Chunk(
        x=pad(rows.x[index].transpose(0, 2, 1)),
        given=pad(rows.given[index].transpose(0, 2, 1)),
        y=pad(rows.y[index]),
        weight=pad(weight),
        tau=pad(tau),
        share=pad(share.astype(np.float32)),
        last=pad(np.array([last for _, last in steps])),
        n_steps=np.int32(len(steps)),
    )


def judge_of(rows: Rows, judges: NDArray[np.int32], rng: np.random.Generator, n_blocks: int = JUDGE_BLOCKS) -> Judge:
    """Take the rows that judge each epoch: all of them, or a fixed sample where there are many."""
    most = n_blocks * JUDGE_BLOCK_ROWS
    if len(judges) > most:
        judges = np.sort(rng.choice(judges, most, replace=False))

    def blocks(values: NDArray[Any]) -> NDArray[Any]:
        full = np.zeros((JUDGE_BLOCKS * JUDGE_BLOCK_ROWS, *values.shape[1:]), dtype=values.dtype)
        full[: len(judges)] = values[judges]
        return full.reshape(JUDGE_BLOCKS, JUDGE_BLOCK_ROWS, *values.shape[1:])

    return Judge(
        x=blocks(rows.x).transpose(0, 2, 1),
        given=blocks(rows.given).transpose(0, 2, 1),
        missing=blocks(rows.missing).transpose(0, 2, 1),
        mean=np.broadcast_to(np.float32(rows.mean), rows.x.shape[1:]),
        y=blocks(rows.y),
        weight=blocks(rows.weight),
        n_blocks=np.int32(-(-len(judges) // JUDGE_BLOCK_ROWS)),
    )
