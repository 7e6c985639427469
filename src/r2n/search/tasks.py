"""Descents as tasks: one after the other here, or side by side in other processes."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice

import numpy as np

from r2n.rules import Rule
from r2n.runtime.threads import use_one_thread
from r2n.runtime.workers import side_by_side
from r2n.search.clock import is_past
from r2n.search.columns import DesignMatrix
from r2n.search.descent import Move, descend
from r2n.search.escape import CYCLE, Escape
from r2n.search.moves import Fitter
from r2n.search.problem import Problem


@dataclass(frozen=True)
class Task:
    """A start to descend from, or, if there are escapes, the end of a descent to escape from again and again."""

    problem: Problem
    start: tuple[Rule, ...]
    origin: str = "start"
    escapes: int = 0
    seed: int = 0

    def moves(self, design: DesignMatrix, deadline: float) -> Iterator[Move]:
        """Every accepted move of every descent. Each escape leaves from the best end so far."""
        with use_one_thread("blas"):
            yield from self._moves(design, deadline)

    def _moves(self, design: DesignMatrix, deadline: float) -> Iterator[Move]:
        rng = np.random.default_rng(self.seed)
        best, least = self.start, self.problem.objective(self.start)
        escapes: list[Escape | None] = [*islice(cycle(CYCLE), self.escapes)]
        for escape in escapes or [None]:
            start = best if escape is None else escape(self.problem, self.problem.learned(best), design, rng)
            origin = self.origin if escape is None else escape.__name__
            if is_past(deadline):
                return
            if escape is not None and start == best:
                continue  # there was nothing to change
            for move in descend(self.problem, start, Fitter(self.problem, design), deadline, origin):
                yield move
            if move.objective < least:
                best, least = move.rules, move.objective


def carry_out(
    tasks: Sequence[Task], design: DesignMatrix, n_jobs: int | None, deadline: float
) -> Generator[tuple[int, Move], None, None]:
    """Every move, with its task's number: at once if one process works, task by task if several do.

    The moves and their order are the same either way.
    """
    for i, moves in enumerate(side_by_side(partial(Task.moves, design=design, deadline=deadline), tasks, n_jobs)):
        for move in moves:
            yield i, move
