"""The way through the house, class by class: train a network, decode it, search from its rules."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from r2n.learn.border import Border
from r2n.learn.decoded import Parts, Trained, choose_restart, finish_unrefined
from r2n.learn.interruption import NOT_BEGUN
from r2n.learn.learned import Learned
from r2n.learn.options import NETWORK_PROGRESS, Options
from r2n.learn.rows import TrainingRows
from r2n.rewrite.cleanup import Step
from r2n.rewrite.simplify import simplify
from r2n.rules import RuleSet
from r2n.runtime.progress import Part, RefineBar
from r2n.search import Labelled, Move, refine, screen_columns, weigh
from r2n.search.plan import NETWORK_ROWS
from r2n.search.sample import draw_rows
from r2n.table import Scaling, Value


@dataclass(frozen=True)
class Work:
    """What one class is learned from, and how."""

    empty: RuleSet  # says which class and which columns
    rows: Labelled
    scaling: Scaling  # of all numeric columns
    options: Options
    rng: np.random.RandomState
    began: float  # when its clock was started
    parts: Parts = (np.arange(0), np.arange(0))
    seed: int = 0
    target: NDArray[np.float64] | None = None  # of each row, if labels are not for the search to clean

    @cached_property
    def taught(self) -> Labelled:
        """All rows with the decisions of the user's teacher, if any, weighed by what an error in them costs."""
        return weigh(self.rows.as_taught(self.options.cut), self.options.cut)

    @property
    def judges(self) -> Labelled:
        """The rows held out, as the choice of a restart has them."""
        return self.taught.take(self.parts[1])


def learn_classes(
    rows: TrainingRows, options: Options, rng: np.random.RandomState, began: float
) -> dict[Value, Learned]:
    """Learn rules for one of two classes, or for each of more. Inside, columns go by position."""
    scaling = Scaling.learn(
        rows.table, rows.schema.numeric, options.scaling, rows.weight
    )  # refuses by name what it must
    border = Border.of(rows.schema.names)
    inside = replace(rows, table=rows.table.renamed(border.inward), schema=rows.schema.renamed(border.inward))
    learned = learn_by_position(inside, scaling.renamed(border.inward), border.enter(options), rng, began)
    return {label: border.leave(one, rows.table, rows.schema, options) for label, one in learned.items()}


def learn_by_position(
    rows: TrainingRows, scaling: Scaling, options: Options, rng: np.random.RandomState, began: float
) -> dict[Value, Learned]:
    """Learn one class after the other, each with its share of the time; a Ctrl-C ends the work for all."""
    described = rows.labels.described
    if options.time_limit is not None:
        options = replace(options, time_limit=options.time_limit / len(described))
    learned: dict[Value, Learned] = {}
    first = began
    for k in described:
        empty = rows.labels.empty_rules(k, rows.schema)
        one = Learned(empty, empty, interrupted=NOT_BEGUN)
        if not any(before.interrupted for before in learned.values()):
            own = replace(options, part=Part(len(learned), len(described), first))
            labelled = rows.labelled(k, own)
            try:
                one = learn_class(Work(empty, labelled, scaling, own, rng, began))
            except KeyboardInterrupt:
                if not learned:
                    raise  # there is no best so far
        learned[rows.labels.values[k]] = one
        began = time.monotonic()
    return learned


def learn_class(work: Work) -> Learned:
    """Hold out rows, screen the columns, train, decode, refine."""
    schema, options = work.empty.schema, work.options
    assert schema is not None
    parts = split_rows(work.rows.truth, options.validation_fraction, work.rng)
    seed = int(work.rng.randint(2**31 - 1))
    allowed = schema.without(options.knowledge.excluded)
    named = options.knowledge.columns & set(allowed.names)
    # Rows held out have no say in which columns are read: they are to judge what was made of them.
    narrow = screen_columns(work.taught.take(parts[0]), allowed, named, seed)
    dropped = set(allowed.names) - set(narrow.names)
    empty = work.empty.with_schema(schema.without(dropped))
    learned = train_and_refine(replace(work, empty=empty, parts=parts, seed=seed))
    learned = replace(learned, held_out=None if np.array_equal(*parts) else parts[1])
    return learned.with_schema(schema) if dropped else learned


def train_and_refine(work: Work) -> Learned:
    """Train, decode and refine on the rows and columns of this work."""
    options = work.options
    assert work.empty.schema is not None
    refining = options.effort != "none"
    if options.network is None or (refining and options.is_hurried(work.rows.n_rows, len(work.empty.schema.columns))):
        return refine_trained(Trained(), work)
    trained = train(work)
    where = (
        f"interrupted after {len(trained.history)} of {options.network.epochs} epochs" if trained.interrupted else ""
    )
    if refining and not trained.interrupted:  # a Ctrl-C ends the work, not only its first half
        try:
            return refine_trained(trained, work)
        except KeyboardInterrupt:  # before refinement had found anything
            where = "interrupted before refining"
    rough, rules, steps = finish_unrefined(trained.decoded, work.taught, work.parts[1], options)
    return Learned(rough, rules, steps, trained.history, interrupted=where, network=trained.network)


def train(work: Work) -> Trained:
    """Train the network, on a part of the rows where the search reads the others."""
    from r2n.learn.network import train_network  # it loads JAX, which only those need who train a network

    options, rows, parts, schema = work.options, work.taught, work.parts, work.empty.schema
    assert schema is not None
    if options.effort != "none":
        rows, parts = draw_fewer(rows, parts, work.seed)
    columns = schema.without(options.knowledge.excluded).numeric
    own = work.scaling.only(columns)
    if rows.table is not work.rows.table:
        own = Scaling.learn(rows.table, columns, options.scaling, rows.weight)
    return train_network(work.empty, rows, parts, own, options, work.seed, work.began)


def draw_fewer(rows: Labelled, parts: Parts, seed: int) -> tuple[Labelled, Parts]:
    """Draw as many rows as a network needs to find where refinement starts, of each class its share."""
    if max(map(len, parts)) <= NETWORK_ROWS:
        return rows, parts
    train, judge = (draw_rows(part, rows.truth, NETWORK_ROWS, seed) for part in parts)
    return rows.take(np.r_[train, judge]), (np.arange(len(train)), len(train) + np.arange(len(judge)))


def refine_trained(trained: Trained, work: Work) -> Learned:
    """Search from the network's rules, and choose among the results on the held-out rows."""
    options, decoded, expert = work.options, trained.decoded, work.options.knowledge.start
    best = choose_restart(decoded, work.empty, work.judges, options)
    chosen = [best] if options.effort == "quick" else [*decoded, best]
    decoded_rules = [simplify(start.rules).rules for start in chosen]
    starts = list(dict.fromkeys([(), *([expert] if expert else []), *decoded_rules]))
    plan, watcher = options.plan(work.seed, work.began), Watcher(options.callback)
    share = 1.0 - NETWORK_PROGRESS if decoded else 1.0
    with RefineBar(plan.descents(len(starts)), options.progress, options.part, share) as bar:
        done = refine(work.empty, work.rows, work.parts, starts, plan, lambda move: watcher.see(move, bar), work.target)
    changed = int(np.sum(best.rules.truth(work.rows.table) != done.rules.truth(work.rows.table)))
    return Learned(
        done.rough,
        done.rules,
        (Step("refine", changed),),
        trained.history,
        tuple(watcher.moves),
        done.front,
        done.short,
        done.chosen,
        "interrupted while refining" if done.interrupted and not watcher.stopped else "",
        done.taught,
        trained.network,
        alternatives=done.alternatives,
        short_alternatives=done.short_alternatives,
        kept=done.kept,
    )


class Watcher:
    """Keeps the moves, shows them, and ends the search when the callback says so."""

    def __init__(self, callback: Callable[[Move], object] | None) -> None:
        self.moves: list[Move] = []
        self.stopped = False
        self._callback = callback

    def see(self, move: Move, bar: RefineBar) -> None:
        """Keep one more move. If the callback says yes, end the search as a Ctrl-C does: with the best so far."""
        self.moves.append(move)
        bar.update(move)
        if self._callback is not None and self._callback(move):
            self.stopped = True
            raise KeyboardInterrupt


def split_rows(truth: NDArray[np.bool_], share: float, rng: np.random.RandomState) -> Parts:
    """Split the rows into those that train and those that judge, by class; with too few rows, all do both.

    Of a rare class at least five rows judge, or a third of it: a single row never justifies a rule.
    """
    classes = [rng.permutation(np.flatnonzero(truth == side)) for side in (False, True)]
    held = [max(round(share * len(rows)), min(5, len(rows) // 3)) if share > 0 else 0 for rows in classes]
    if min(held) < 2 or any(h == len(rows) for h, rows in zip(held, classes, strict=True)):
        everything = np.arange(len(truth))
        return everything, everything
    judge = np.concatenate([rows[:h] for h, rows in zip(held, classes, strict=True)])
    train = np.concatenate([rows[h:] for h, rows in zip(held, classes, strict=True)])
    return np.sort(train), np.sort(judge)
