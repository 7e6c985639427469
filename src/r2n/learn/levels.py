"""Risk levels: a chain of nested rule sets, each fitted to its own threshold on the rows that no higher level has."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.learn.border import Border
from r2n.learn.decoded import Parts
from r2n.learn.learned import Learned
from r2n.learn.options import Options
from r2n.learn.pipeline import Work, split_rows, train_and_refine
from r2n.learn.rows import TrainingRows
from r2n.learn.tradeoff import OperatingPoint, TradeOff
from r2n.rules import Baseline, LevelRules, Rule, RuleSet
from r2n.rules.tally import CountedRules, count_rules
from r2n.runtime.progress import Part
from r2n.search import Labelled, cut_chances, estimate_chances, mix_labels, screen_columns
from r2n.search.plan import FEWEST_ORDERED, FOLDS, ORDER_ERRORS
from r2n.table import Scaling, Table, Value

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

NAMES = {
    2: ("high", "low"),
    3: ("high", "middle", "low"),
    4: ("very high", "high", "low", "very low"),
    5: ("very high", "high", "middle", "low", "very low"),
}


@dataclass(frozen=True)
class Ladder:
    """What all levels are learned from: rows whose columns go by position, each row's chance, who judges."""

    given: TrainingRows  # with the names of their columns
    border: Border
    rows: Labelled
    empty: RuleSet
    scaling: Scaling
    options: Options
    rng: np.random.RandomState
    parts: Parts
    chances: Floats

    @classmethod
    def of(cls, rows: TrainingRows, options: Options, rng: np.random.RandomState) -> Ladder:
        """Estimate each row's chance of being positive, and hold out who judges."""
        scaling = Scaling.learn(rows.table, rows.schema.numeric, options.scaling, rows.weight)
        border = Border.of(rows.schema.names)
        labels, schema = rows.labels, rows.schema.renamed(border.inward)
        truth = labels.codes == labels.positive
        inside = Labelled(rows.table.renamed(border.inward), truth, rows.weight)
        entered = border.enter(options)
        own = rows.opinion
        chances = find_chances(inside, schema, entered, rng) if own is None else own[:, labels.positive]
        parts = split_rows(truth, options.validation_fraction, rng)
        empty = rows.labels.empty_rules(rows.labels.positive, schema)
        return cls(rows, border, inside, empty, scaling.renamed(border.inward), entered, rng, parts, chances)

    @property
    def target(self) -> Floats:
        """Each row's label, mixed with its chance unless no teacher is wanted."""
        if self.given.opinion is not None:
            return self.chances
        labels = self.rows.truth.astype(np.float64)
        return labels if self.options.teacher is False else mix_labels(self.chances, labels)

    def name(self, learned: Learned) -> Learned:
        """Give the columns their names back."""
        return self.border.leave(learned, self.given.table, self.given.schema, self.options)


@dataclass(frozen=True, slots=True)
class LearnedLevels:
    """The chain, and what was learned for each cut on the way to it."""

    rules: LevelRules
    each: dict[Value, Learned]
    trade_off: TradeOff
    judges: Places  # the rows that said which levels are in order


def learn_levels(rows: TrainingRows, options: Options, rng: np.random.RandomState, began: float) -> LearnedLevels:
    """Estimate chances, cut them into levels, fit a rule set to each cut, merge what is not clearly in order."""
    ladder = Ladder.of(rows, options, rng)
    truth, held_out = ladder.rows.truth, ladder.parts[1]
    assert options.levels is not None
    cuts = read_cuts(options.levels, ladder.chances, rows.weight)
    each = {cut: ladder.name(one) for cut, one in climb_down(ladder, cuts, began).items()}
    enough = min(truth[held_out].sum(), (~truth[held_out]).sum()) >= FEWEST_ORDERED
    judges = held_out if enough else np.arange(len(truth))
    chain = merge_levels([one.rules.rules for one in each.values()], rows, judges)
    named = name_levels(chain, rows, options, None if np.array_equal(*ladder.parts) else held_out)
    return LearnedLevels(named, each, trade_levels(named, rows, judges), judges)


def find_chances(rows: Labelled, schema: object, options: Options, rng: np.random.RandomState) -> Floats:
    """Estimate each row's chance by models that did not see it, of the columns that rules may read."""
    fewest = min(int(rows.truth.sum()), int((~rows.truth).sum()))
    if fewest < FOLDS:
        raise ParameterError(f"levels need at least {FOLDS} rows of each class, and there are {fewest} of one.")
    allowed = schema.without(options.knowledge.excluded)  # type: ignore[attr-defined]
    return estimate_chances(rows, allowed, int(rng.randint(2**31 - 1)), options.n_jobs)


def read_cuts(levels: int | Sequence[float], chances: Floats, weight: Floats) -> tuple[float, ...]:
    """Take the thresholds that the user gave, highest first, or find those that cut chances best."""
    if isinstance(levels, int | np.integer):
        return cut_chances(chances, weight, int(levels))
    return tuple(sorted((float(cut) for cut in levels), reverse=True))


def climb_down(ladder: Ladder, cuts: Sequence[float], began: float) -> dict[Value, Learned]:
    """Fit a rule set to each cut, the highest first. Rows that a higher level claims are settled."""
    left, learned, options = np.arange(ladder.rows.n_rows), dict[Value, Learned](), ladder.options
    if options.time_limit is not None:
        options = replace(options, time_limit=options.time_limit / max(len(cuts), 1))
    for k, cut in enumerate(cuts):
        truth = ladder.rows.truth[left]
        if min(truth.sum(), (~truth).sum()) < 2 or any(one.interrupted for one in learned.values()):
            break
        own = replace(options, threshold=cut, miss_cost=None, part=Part(k, len(cuts), began))
        if options.max_size is not None:
            read = sum(one.rules.size for one in learned.values())
            if read >= options.max_size:
                break
            own = replace(own, max_size=max((options.max_size - read) // (len(cuts) - k), 1))
        try:
            learned[cut] = one = learn_level(ladder, left, own)
        except KeyboardInterrupt:
            if not learned:
                raise  # there is no best so far
            above = cuts[k - 1]
            learned[above] = replace(learned[above], interrupted="interrupted between levels")
            break
        left = left[~one.rules.truth(ladder.rows.table.take(left))]
    return learned


def learn_level(ladder: Ladder, left: Places, options: Options) -> Learned:
    """Learn the rules of one level on the rows that are left."""
    schema = ladder.empty.schema
    assert schema is not None
    rows, parts = ladder.rows.take(left), restrict_parts(ladder.parts, left, ladder.rows.truth)
    seed = int(ladder.rng.randint(2**31 - 1))
    target, began = ladder.target[left], time.monotonic()
    work = Work(ladder.empty, rows, ladder.scaling, options, ladder.rng, began, parts, seed, target)
    allowed = schema.without(options.knowledge.excluded)
    named = options.knowledge.columns & set(allowed.names)
    narrow = screen_columns(work.taught.take(parts[0]), allowed, named, seed)
    dropped = set(allowed.names) - set(narrow.names)
    learned = train_and_refine(replace(work, empty=ladder.empty.with_schema(schema.without(dropped))))
    learned = replace(learned, taught=ladder.given.opinion is not None or options.teacher is not False)
    return learned.with_schema(schema) if dropped else learned


def restrict_parts(parts: Parts, left: Places, truth: NDArray[np.bool_]) -> Parts:
    """The same rows train and judge among those that are left; all do both where too few of a class would judge."""
    inside = [np.flatnonzero(np.isin(left, part)) for part in parts]
    few = any(min(truth[left[part]].sum(), (~truth[left[part]]).sum()) < 2 for part in inside)
    return (np.arange(len(left)),) * 2 if few else (inside[0], inside[1])


def merge_levels(chain: Sequence[tuple[Rule, ...]], rows: TrainingRows, judges: Places) -> tuple[tuple[Rule, ...], ...]:
    """Merge neighbours until every level has more positives than the next, clearly so on the rows that judge.

    The rules of a level without rows go, as do those of one that merges with the lowest level.
    """
    level = find_levels(chain, rows.table)
    chain = [rules for k, rules in enumerate(chain) if np.any(level == k)]
    while chain:
        gaps = measure_gaps(chain, rows, judges)
        weakest = int(np.argmin(gaps))
        if gaps[weakest] >= ORDER_ERRORS:
            break
        if weakest == len(chain) - 1:
            chain.pop()
        else:
            chain[weakest : weakest + 2] = [(*chain[weakest], *chain[weakest + 1])]
    return tuple(chain)


def measure_gaps(chain: Sequence[tuple[Rule, ...]], rows: TrainingRows, judges: Places) -> Floats:
    """By how many standard errors each level's share of positives is above the next one's; none are out of order."""
    truth = rows.labels.codes == rows.labels.positive
    level = find_levels(chain, rows.table)
    judged = np.array([count_level(level[judges] == k, truth[judges], None) for k in range(len(chain) + 1)])
    every = np.array([count_level(level == k, truth, rows.weight) for k in range(len(chain) + 1)])
    share, n = (judged[:, 0] + 1) / (judged[:, 1] + 2), judged[:, 1]
    error = np.sqrt(share * (1 - share) / (n + 2))
    gaps = -np.diff(share) / np.hypot(error[:-1], error[1:])
    falls = np.diff(every[:, 0] / np.maximum(every[:, 1], 1e-300)) < 0
    return np.where(falls & (n[:-1] > 0) & (n[1:] > 0), gaps, -np.inf)


def count_level(inside: NDArray[np.bool_], truth: NDArray[np.bool_], weight: Floats | None) -> tuple[float, float]:
    """The positives in a level, and all its rows."""
    weight = np.ones(len(truth)) if weight is None else weight
    return float(weight[inside & truth].sum()), float(weight[inside].sum())


def find_levels(chain: Sequence[tuple[Rule, ...]], table: Table) -> Places:
    """Each row's level: the first that has a true rule."""
    claims = [RuleSet(rules).truth(table) for rules in chain]
    return np.select(claims, range(len(chain)), len(chain)) if chain else np.zeros(table.n_rows, dtype=np.intp)


def name_levels(
    chain: Sequence[tuple[Rule, ...]], rows: TrainingRows, options: Options, held_out: Places | None
) -> LevelRules:
    """Name the levels and give each its share on all rows, smoothed by one row of each class.

    Where no rules were found, one level without rows stands above all.
    """
    truth, level = rows.labels.codes == rows.labels.positive, find_levels(chain, rows.table)
    counts = [count_level(level == k, truth, rows.weight) for k in range(len(chain) + 1)]
    shares = [(positives + 1) / (total + 2) for positives, total in counts]
    if not chain:
        chain, shares = ((),), [(1 + shares[0]) / 2, *shares]
    names = NAMES.get(len(shares)) or tuple(f"level {k + 1}" for k in range(len(shares)))
    labels = rows.labels
    positive, negative = labels.values[labels.positive], labels.values[1 - labels.positive]
    branches = tuple(zip(names, chain, strict=False))
    bare = LevelRules(branches, names[-1], round_shares(shares), positive, negative, options.cut, rows.schema)
    counted = Baseline.count(bare, rows.table, labels.classes[labels.codes], rows.weight)
    seen: CountedRules = ()
    for part in bare.chain:
        seen += count_rules(part, part.fires(rows.table), truth, rows.weight, held_out)
    return bare.with_baseline(replace(counted, rules=seen)).without_unread()


def trade_levels(rules: LevelRules, rows: TrainingRows, judges: Places) -> TradeOff:
    """Count what each level and those above it reach together, on the rows that judge."""
    truth = rows.labels.codes[judges] == rows.labels.positive
    level, sizes = rules.decided(rows.table.take(judges)), np.cumsum([RuleSet(own).size for _, own in rules.branches])
    return TradeOff(
        tuple(
            OperatingPoint.count(share, level <= k, truth, int(size))
            for k, (share, size) in enumerate(zip(rules.shares, sizes, strict=False))
        )
    )


def round_shares(shares: Sequence[float]) -> tuple[float, ...]:
    """Round to as few digits, three at least, as keep the shares falling and within 0 and 1.

    >>> round_shares([0.71234, 0.4])
    (0.712, 0.4)
    >>> round_shares([0.00042, 0.00041])
    (0.00042, 0.00041)
    """
    for digits in range(3, 17):
        short = tuple(round(share, digits) for share in shares)
        if short[-1] > 0 and short[0] < 1 and all(a > b for a, b in pairwise(short)):
            return short
    return tuple(shares)
