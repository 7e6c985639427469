"""The way through the house: a network is trained, decoded, refined; what comes out is a rule set and its story."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.learn.bridge import extract, network_rows, predefined_literals
from r2n.network import Cooling, Halfspaces, Network, Optimizer, Penalties, Record, Settings, start_training
from r2n.rewrite.cleanup import Step, clean_up
from r2n.rewrite.simplify import simplify
from r2n.rules import NOTHING, Knowledge, Rule, RuleSet, rename_columns
from r2n.runtime.interrupts import allow_interrupts
from r2n.runtime.progress import WHOLE, Part, ProgressBar, RefineBar
from r2n.search import (
    Caps,
    Clock,
    Front,
    Labelled,
    Move,
    Plan,
    kept_within,
    refine,
    screen_columns,
    with_short_numbers,
)
from r2n.search.plan import (
    EFFORTS,
    EXPLORE_SHARE,
    EXPLORED_ROWS,
    FINISH_SHARE,
    NETWORK_ROWS,
    NETWORK_SHARE,
    PLAIN_RULE,
    SECONDS_PER_CELL,
    SPREAD,
    STARTING_SECONDS,
)
from r2n.table import Scaling, Schema, Table, Value

Parts = tuple[NDArray[np.intp], NDArray[np.intp]]  # the rows that train and the rows that judge


NETWORK_PROGRESS = 0.5  # the network's part of the progress bar


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the estimator's parameters of these names say of learning."""

    network_literals: int
    network_rules: int
    or_gate: str
    negations: bool
    penalty: float
    penalty_and: float | None
    penalty_or: float | None
    penalty_literals: float | None
    scale_penalties: bool | str
    optimizer: str
    clip_gradient: float | None
    initial_weights: str
    learning_rate: float
    batch_size: int
    epochs: int
    steps_per_epoch: int
    restarts: int
    temperature: float
    gamma: float
    temperature_floor: float
    keep: str
    effort: str
    teacher: bool | None
    max_columns: int | None
    max_literals: int | None
    max_rules: int | None
    max_size: int | None
    price: float
    time_limit: float | None
    n_jobs: int | None
    validation_fraction: float
    drop_below: float
    scaling: str
    progress: bool
    callback: Callable[[Record | Move], object] | None
    knowledge: Knowledge = NOTHING
    part: Part = WHOLE  # which class is being learned, for the progress bar

    @property
    def penalties(self) -> Penalties:
        J = self.network_rules
        gates, literals = (J if self.scale_penalties else 1), (J if self.scale_penalties is True else 1)
        by_layer = ((self.penalty_and, gates), (self.penalty_or, gates), (self.penalty_literals, literals))
        return Penalties(*((self.penalty if λ is None else λ) / share for λ, share in by_layer))

    @property
    def caps(self) -> Caps:
        """No literal may be larger than what may be read beside the fixed rules."""
        columns = [] if self.max_columns is None else [self.max_columns]
        if self.max_size is not None:
            columns.append(max(self.max_size - sum(rule.size for rule in self.knowledge.fixed), 1))
        return Caps(min(columns, default=None), self.max_literals, self.max_rules, self.max_size)

    def is_hurried(self, n_rows: int, n_columns: int) -> bool:
        """Whether time is so short that refinement starts from nothing (or an expert's rules) alone."""
        enough = STARTING_SECONDS + SECONDS_PER_CELL * min(n_rows, EXPLORED_ROWS) * n_columns
        return self.time_limit is not None and self.time_limit < enough

    @property
    def settings(self) -> Settings:
        return Settings(
            penalties=self.penalties,
            cooling=Cooling(self.temperature, self.gamma, self.temperature_floor),
            learning_rate=self.learning_rate,
            batch_size=self.batch_size,
            epochs=self.epochs,
            steps_per_epoch=self.steps_per_epoch,
            restarts=self.restarts,
            optimizer=Optimizer(self.optimizer, self.clip_gradient),
            initial=self.initial_weights,
            spread=(1.0,) if self.effort == "none" else SPREAD,
            price=self.price,
            by_loss=self.keep == "loss",
        )

    def network(self, n_columns: int, n_given: int, negligible: float) -> Network:
        literals = Halfspaces(n_columns, self.network_literals if n_columns else 0, negligible)
        return Network(literals, n_given, self.network_rules, self.or_gate)

    def plan(self, seed: int, began: float) -> Plan:
        effort = EFFORTS[self.effort]
        starting = self.time_limit is not None and self.time_limit < STARTING_SECONDS
        return Plan(
            prices=tuple(factor * self.price for factor in effort.prices),
            continued=effort.continued,
            escapes=effort.escapes,
            caps=self.caps,
            rule=PLAIN_RULE if self.caps.user_set_limits() else effort.rule,
            knowledge=self.knowledge,
            teacher=False if starting and self.teacher is None else self.teacher,
            seed=seed,
            n_jobs=1 if starting else self.n_jobs,
            clock=Clock.of(began, self.time_limit, EXPLORE_SHARE, FINISH_SHARE),
        )


@dataclass(frozen=True, slots=True)
class Learned:
    """The rules and how they came about."""

    rough: RuleSet  # before their numbers were made short
    rules: RuleSet
    steps: tuple[Step, ...]
    history: list[Record]
    moves: list[Move]
    front: Front | None = None  # None without refinement; before its numbers were made short
    short: tuple[RuleSet, ...] = ()  # the rules of each point, with short numbers
    chosen: int | None = None
    interrupted: str = ""  # by the user's Ctrl-C: where

    def with_schema(self, schema: Schema) -> Learned:
        """The same, its rules and those of its front over this schema."""
        front = None if self.front is None else self.front.with_schema(schema)
        rough, rules = self.rough.with_schema(schema), self.rules.with_schema(schema)
        short = tuple(each.with_schema(schema) for each in self.short)
        return replace(self, rough=rough, rules=rules, front=front, short=short)


NOT_BEGUN = "not begun"  # of a class of which nothing was found before a Ctrl-C
MOST_NAMED = 10  # classes in a message


def describe_interruption(learned: Mapping[Value, Learned], late: bool) -> str:
    """What a Ctrl-C left of each class; nothing if there was none. `late`: it came when all rules were found."""
    cut = {label: one.interrupted for label, one in learned.items() if one.interrupted}
    if not cut:
        return "interrupted when all rules were found; none is missing." if late else ""
    if len(learned) == 1:
        return f"{next(iter(cut.values()))}; the rules are the best found until then."
    begun = {label: where for label, where in cut.items() if where != NOT_BEGUN}
    parts = [f"{where} (class {label!r}, with its best rules until then)" for label, where in begun.items()]
    for labels, state in (
        ([label for label in learned if label not in cut], "finished"),
        ([label for label in cut if label not in begun], "without rules"),
    ):
        if labels:
            parts.append(f"{state}: {', '.join(map(repr, labels[:MOST_NAMED]))}{', …' * (len(labels) > MOST_NAMED)}")
    return f"{'' if begun else 'interrupted between classes; '}{'; '.join(parts)}."


@dataclass(frozen=True, slots=True)
class Decoded:
    """A restart's rules, without and with its negligible coefficients; its epoch's score and temperature."""

    rules: RuleSet
    whole: RuleSet
    score: float = 0.0
    temperature: float = 0.0


def learn(blank: RuleSet, rows: Labelled, options: Options, rng: np.random.RandomState, began: float) -> Learned:
    """The rule set of one class. `blank` says which class and which columns; `began` when the clock was started.

    While learning, columns go by their positions: rules are put in order by the names of their columns, so what these
    are called would have a say in which rules are found.
    """
    assert blank.schema is not None
    Scaling.learn(rows.table, blank.schema.numeric, options.scaling, rows.weight)  # refuses by name what it must
    places = {name: f"x{k}" for k, name in enumerate(blank.schema.names)}
    back = {place: name for name, place in places.items()}
    callback = options.callback

    def told(event: Record | Move) -> None:
        assert callback is not None
        callback(event.renamed(back) if isinstance(event, Move) else event)

    plain = replace(
        options, knowledge=rename_columns(options.knowledge, places), callback=None if callback is None else told
    )
    inside = replace(rows, table=rows.table.renamed(places))
    return named(learn_by_position(rename_columns(blank, places), inside, plain, rng, began), back, rows.table, options)


def named(learned: Learned, names: Mapping[str, str], table: Table, options: Options) -> Learned:
    """What was learned, over columns by their names.

    Names put the terms of a sum in another order, which may change its last bit, and with short numbers on both
    sides a row. They are then made short once more.
    """

    def name(short: RuleSet, rough: RuleSet) -> RuleSet:
        rules = rename_columns(short, names)
        if short == rough or np.array_equal(rules.truth(table), rename_columns(rough, names).truth(table)):
            return rules
        return with_short_numbers(rename_columns(rough, names), table, options.knowledge, options.max_literals)

    rules, rough = name(learned.rules, learned.rough), rename_columns(learned.rough, names)
    moves = [move.renamed(names) for move in learned.moves]
    if learned.front is None:
        return replace(learned, rough=rough, rules=rules, moves=moves)
    short = tuple(name(own, point.rules) for own, point in zip(learned.short, learned.front, strict=True))
    front = learned.front.renamed(names).with_rules(short)
    return replace(learned, rough=rough, rules=rules, moves=moves, front=front, short=short)


def learn_by_position(
    blank: RuleSet, rows: Labelled, options: Options, rng: np.random.RandomState, began: float
) -> Learned:
    """Train, decode, refine."""
    assert blank.schema is not None
    parts = split(rows.truth, options.validation_fraction, rng)
    seed = int(rng.randint(2**31 - 1))
    allowed = blank.schema.without(options.knowledge.excluded)
    named = options.knowledge.columns
    # Rows held out have no say in which columns are read: they are to judge what was made of them.
    narrow = screen_columns(rows.take(parts[0]), allowed, named & set(allowed.names), seed)
    dropped = set(allowed.names) - set(narrow.names)
    learned = learn_from(blank.with_schema(blank.schema.without(dropped)), rows, parts, options, rng, seed, began)
    return learned.with_schema(blank.schema) if dropped else learned


def learn_from(
    blank: RuleSet,
    rows: Labelled,
    parts: Parts,
    options: Options,
    rng: np.random.RandomState,
    seed: int,
    began: float,
) -> Learned:
    """The same once it is known which rows train and judge, and which columns are read."""
    assert blank.schema is not None
    refining = options.effort != "none"
    if refining and options.is_hurried(rows.n_rows, len(blank.schema.columns)):
        return refined([], blank, rows, parts, options, seed, [], began)
    few = fewer(rows, parts, rng) if refining else (rows, parts)
    decoded, history, interrupted = trained(blank, *few, options, seed, began)
    where = f"interrupted after {len(history)} of {options.epochs} epochs" if interrupted else ""
    if refining and not interrupted:  # a Ctrl-C ends the work, not only its first half
        try:
            return refined(decoded, blank, rows, parts, options, seed, history, began)
        except KeyboardInterrupt:  # before refinement had found anything
            where = "interrupted before refining"
    return replace(finished(decoded, rows, parts[1], options, history), interrupted=where)


def fewer(rows: Labelled, parts: Parts, rng: np.random.RandomState) -> tuple[Labelled, Parts]:
    """As many rows as a network needs to find where refinement starts."""
    if max(map(len, parts)) <= NETWORK_ROWS:
        return rows, parts
    train, judge = (np.sort(rng.permutation(part)[:NETWORK_ROWS]) for part in parts)
    return rows.take(np.r_[train, judge]), (np.arange(len(train)), len(train) + np.arange(len(judge)))


def trained(
    blank: RuleSet, rows: Labelled, parts: Parts, options: Options, seed: int, began: float
) -> tuple[list[Decoded], list[Record], bool]:
    """The decoded rule set of every restart, what training recorded, and whether the user interrupted it."""
    schema, table = blank.schema, rows.table
    assert schema is not None
    allowed = schema.without(options.knowledge.excluded)
    scaling = Scaling.learn(table, allowed.numeric, options.scaling, rows.weight)
    given = (*predefined_literals(allowed, table, options.negations), *options.knowledge.literals)
    network, whole = (options.network(len(allowed.numeric), len(given), share) for share in (options.drop_below, 0.0))
    inside = network_rows(table, scaling, given, rows.truth, rows.weight)
    training = start_training(network, options.settings, inside, *parts, seed=seed)
    history, interrupted = watched(training, options, began)
    decoded = [
        Decoded(
            extract(network, kept.params, scaling, given, blank, inside.mean),
            extract(whole, kept.params, scaling, given, blank),
            kept.score,
            kept.temperature,
        )
        for kept in training.best()
        if np.isfinite(kept.score)
    ]
    if not decoded:
        raise ParameterError("training broke down: every restart's loss became infinite. Lower learning_rate.")
    return decoded, history, interrupted


def watched(training: Iterable[Record], options: Options, began: float) -> tuple[list[Record], bool]:
    """Run the training to its end, to its share of the time, or to the user's Ctrl-C, which keeps the best so far."""
    history: list[Record] = []
    share = FINISH_SHARE if options.effort == "none" else NETWORK_SHARE
    until = float("inf") if options.time_limit is None else began + share * options.time_limit
    alone = options.effort == "none"
    with ProgressBar(options.epochs, options.progress, options.part, 1.0 if alone else NETWORK_PROGRESS) as bar:
        try:
            with allow_interrupts():
                for record in training:
                    history.append(record)
                    bar.update(record)
                    if options.callback is not None:
                        options.callback(record)
                    if time.monotonic() > until:
                        break
        except KeyboardInterrupt:
            if not history:
                raise  # there is no best so far
            return history, True
    return history, False


def refined(
    decoded: Sequence[Decoded],
    blank: RuleSet,
    rows: Labelled,
    parts: Parts,
    options: Options,
    seed: int,
    history: list[Record],
    began: float,
) -> Learned:
    """What the network found, finished crisply; the choice among what comes out is made on the rows held out."""
    best = choose(decoded, blank, rows.take(parts[1]), options)
    chosen = [best] if options.effort == "quick" else [*decoded, best]
    decoded_rules = [simplify(start.rules).rules for start in chosen]
    starts = list(dict.fromkeys([(), *([options.knowledge.start] if options.knowledge.start else []), *decoded_rules]))
    plan, moves = options.plan(seed, began), []
    with RefineBar(plan.descents(len(starts)), options.progress, options.part, 1.0 - NETWORK_PROGRESS) as bar:

        def watch(move: Move) -> None:
            moves.append(move)
            bar.update(move)
            if options.callback is not None:
                options.callback(move)

        done = refine(blank, rows, parts, starts, plan, watch)
    changed = int(np.sum(best.rules.truth(rows.table) != done.rules.truth(rows.table)))
    where = "interrupted while refining" if done.interrupted else ""
    steps = (Step("refine", changed),)
    return Learned(done.rough, done.rules, steps, history, moves, done.front, done.short, done.chosen, where)


def finished(
    decoded: Sequence[Decoded], rows: Labelled, judge: NDArray[np.intp], options: Options, history: list[Record]
) -> Learned:
    """Without refinement: a restart is chosen, its rules are brought within the limits, their numbers made short."""
    table = rows.table
    chosen = choose(decoded, decoded[0].rules.with_rules(()), rows.take(judge), options)
    lighter = simplify(chosen.rules)
    cleaned = clean_up(lighter, table, drop_below=0.0).rules
    kept = kept_within(cleaned, rows, options.caps, options.knowledge, options.price)
    if kept != cleaned:
        fixed = options.knowledge.fixed
        mended = clean_up(kept.with_rules(set(kept.rules) - set(fixed)), table, drop_below=0.0).rules
        kept = kept.with_rules((*fixed, *mended.rules))
    rules = with_short_numbers(kept, table, options.knowledge, options.max_literals)
    chain = {
        "drop small coefficients": (chosen.whole, lighter),
        "drop idle literals": (lighter, cleaned),
        "keep to the limits": (cleaned, kept),
        "round numbers": (kept, rules),
    }
    steps = tuple(
        Step(name, int(np.sum(before.truth(table) != after.truth(table)))) for name, (before, after) in chain.items()
    )
    return Learned(kept, rules, steps, history, [])


def choose(decoded: Sequence[Decoded], blank: RuleSet, judges: Labelled, options: Options) -> Decoded:
    """The restart to keep: by its training loss, as the paper does, or by its crisp rules on the rows that judge.

    A rule set must beat the constants: without rules, and with one that is always true.
    """
    if options.keep == "loss" and decoded:
        return min(decoded, key=lambda one: (one.temperature, one.score))  # losses of one temperature compare

    def cost(one: Decoded) -> tuple[float, int]:
        error = float(np.average(one.rules.truth(judges.table) != judges.truth, weights=judges.weight))
        return error + options.price * sum(len(rule.literals) for rule in one.rules.rules), one.rules.size

    constants = [Decoded(rules, rules) for rules in (blank, blank.with_rules([Rule()]))]
    return min([*decoded, *constants], key=cost)


def split(truth: NDArray[np.bool_], share: float, rng: np.random.RandomState) -> Parts:
    """Rows that train and rows that judge, the same share of each class; with too few rows, all do both.

    Of a rare class five rows judge, or a third of it: what a single row says is never worth a rule.
    """
    classes = [rng.permutation(np.flatnonzero(truth == side)) for side in (False, True)]
    held = [max(round(share * len(rows)), min(5, len(rows) // 3)) if share > 0 else 0 for rows in classes]
    if min(held) < 2 or any(h == len(rows) for h, rows in zip(held, classes, strict=True)):
        everything = np.arange(len(truth))
        return everything, everything
    judge = np.concatenate([rows[:h] for h, rows in zip(held, classes, strict=True)])
    train = np.concatenate([rows[h:] for h, rows in zip(held, classes, strict=True)])
    return np.sort(train), np.sort(judge)
