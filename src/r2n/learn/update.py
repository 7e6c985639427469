"""New rows: present rules, changed only where rows speak for it that no change was fitted to."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_random_state

from r2n.errors import ParameterError
from r2n.learn.newrows import NewRows
from r2n.learn.options import Options, Parameters
from r2n.learn.pipeline import Watcher
from r2n.rules import AnyRules, ClassRules, Knowledge, LevelRules, Rule, RuleSet
from r2n.runtime.interrupts import allow_interrupts, hold_interrupts
from r2n.runtime.progress import RefineBar
from r2n.search import Caps, Clock, Move, Prices, Problem, descend, with_short_numbers
from r2n.search.amend import beats, take_back
from r2n.search.explore import count_effective_rows
from r2n.search.moves import Fitter
from r2n.search.plan import EXPLORE_SHARE, EXPLORED_ROWS, FINISH_SHARE, UPDATE_ROWS_SAVED, UPDATE_SHARE
from r2n.search.problem import Bools, Floats, Rules
from r2n.search.sample import draw_rows
from r2n.words import count

Model = RuleSet | ClassRules


@dataclass(frozen=True, slots=True)
class Updated:
    """What new rows made of rules: `print` shows what changed, and the proof that it matters.

    Parameters
    ----------
    before : RuleSet or ClassRules
        The rules as they were.
    rules : RuleSet or ClassRules
        The rules as they are now, counted on the new rows; equal to `before` if nothing speaks for a change.
    judges : int
        How many of the new rows were held out, to decide.
    fewer : float
        The share of these, by weight, that the new rules decide right and the old ones wrong, less those turned wrong.
    error : float
        The standard error of that share.
    rows_changed : int
        On how many of all new rows the two decide differently.
    moves : tuple of Move
        The accepted moves of the search, without their rules.
    interrupted : bool
        Whether a Ctrl-C ended the search; the rules are then the best found until then.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> found = update_rules(rules, {"x": [*range(40)]}, ["no"] * 20 + ["yes"] * 20, random_state=0)
    >>> found.changed, found.rules.n_rules
    (True, 1)
    """

    before: Model
    rules: Model
    judges: int
    fewer: float
    error: float
    rows_changed: int
    moves: tuple[Move, ...] = ()
    interrupted: bool = False

    @property
    def changed(self) -> bool:
        """Whether the rules are others than before."""
        return self.rules != self.before

    def __str__(self) -> str:
        if not self.changed:
            held_out = count(self.judges, "new row")
            return f"nothing changed: no other rules beat these by two standard errors on {held_out} held out"
        share = f"{100 * self.fewer:.2f} % ± {100 * self.error:.2f} %"
        held_out = f"of {count(self.judges, 'new row')} held out, {share} fewer are decided wrongly"
        lines = [str(self.before.diff(self.rules)), held_out]
        alike = self.before.equivalent(self.rules, time_limit=20.0)
        undecided = "undecided: neither proven to decide every row alike, nor a row found that they do not"
        lines.append("proven to decide every row alike" if alike else undecided if alike.undecided else str(alike))
        return "\n".join(lines)


def update_rules(rules: AnyRules, X: Any, y: Any, sample_weight: Any = None, **parameters: Any) -> Updated:
    """Change rules where new rows speak for it by two standard errors, and nowhere else.

    The present rules are refined on half of the new rows. What comes of that must beat them on the other half, on the
    same rows, and each of its changes must be worth its place there; else it is taken back. Rules for several classes
    are taken one class after the other, in the order in which they are tried.

    Parameters
    ----------
    rules : RuleSet or ClassRules
        The present rules, of a fitted model or from a file.
    X : table
        The new rows: a frame, a dict of columns or a two-dimensional array.
    y : array-like
        Their labels, which the rules must know.
    sample_weight : array-like, optional
        Their weights.
    **parameters : object
        Parameters of `R2NClassifier` that say what rules may be and how long the search may take, such as `exclude`,
        `fixed`, `max_columns`, `time_limit`, `progress`, `random_state`. What the present rules exceed is raised.

    Returns
    -------
    Updated
        The rules, and what changed.

    Raises
    ------
    ParameterError
        If a label is not among those of the rules, a parameter has no meaning, or the rules go against it.
    SchemaError
        If a column that the rules read is not there, or holds other values than at fit.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> print(update_rules(rules, {"x": [*range(40)]}, ["no"] * 4 + ["yes"] * 36, random_state=0))
    nothing changed: no other rules beat these by two standard errors on 20 new rows held out
    """
    if isinstance(rules, LevelRules):
        raise ParameterError("risk levels are not updated rule by rule. Fit them again on old and new rows.")
    began = time.monotonic()
    options = Options.read({**vars(Parameters()), **parameters})
    if options.max_gap is not None:
        raise ParameterError("update does not keep max_gap. Leave it out, or fit again.")
    rng = check_random_state(options.random_state)
    rows = NewRows.read(rules, X, y, sample_weight, options)
    judges_at, fitted_at = split_by_label(rows.labels, rng)
    fitted_at = draw_rows(fitted_at, np.zeros(len(rows.labels), dtype=np.bool_), EXPLORED_ROWS, int(rng.randint(2**31)))
    clock = Clock.of(began, options.time_limit, EXPLORE_SHARE, FINISH_SHARE)
    work = Update(rows, rows.take(fitted_at), rows.take(judges_at), options, clock)
    with hold_interrupts():
        return work.carry_out(rules)


def split_by_label(labels: NDArray[Any], rng: np.random.RandomState) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The rows that decide, and those that changes are fitted to: of each label its share."""
    order = rng.permutation(len(labels))
    judges = []
    for label in dict.fromkeys(labels.tolist()):
        own = order[labels[order] == label]
        judges.append(own[: round(UPDATE_SHARE * len(own))])
    chosen = np.zeros(len(labels), dtype=np.bool_)
    chosen[np.concatenate(judges)] = True
    return np.flatnonzero(chosen), np.flatnonzero(~chosen)


@dataclass
class Update:
    """An update under way: what it has found so far outlives a Ctrl-C."""

    rows: NewRows
    fitted: NewRows
    judges: NewRows
    options: Options
    clock: Clock
    interrupted: bool = False

    def carry_out(self, before: Model) -> Updated:
        """Change the rules of one class after the other."""
        model, watcher = before, Watcher(self.options.callback)
        with RefineBar(len(before.branches), self.options.progress) as bar:
            for k in range(len(before.branches)):
                if not self.interrupted:
                    found = self.find_rules(model, k, lambda move: watcher.see(move, bar))
                    model = with_branch(model, k, self.keep_what_is_spoken_for(model, k, found))
        self.interrupted = self.interrupted and not watcher.stopped
        return self.describe(before, model, tuple(move.without_rules() for move in watcher.moves))

    def find_rules(self, model: Model, k: int, report: Any) -> Rules:
        """Refine the rules of the k-th class on the rows to fit to; those of the other classes stay."""
        _, present = model.branches[k]
        knowledge = self.rows.knowledge if isinstance(model, RuleSet) else replace(self.rows.knowledge, fixed=())
        rows, schema = self.fitted, self.rows.schema
        if not rows.find_wrong(model).any():
            return present  # nothing speaks against them
        with_it, without = (rows.find_wrong(with_branch(model, k, own)) for own in ((Rule(),), ()))
        target = (1.0 - (with_it.astype(np.float64) - without)) / 2.0  # rows of earlier classes cost nothing either way
        price = price_column(self.options.price, rows.weight)
        caps = raise_caps(self.options.caps, present)
        problem = Problem.of(rows.table, schema, target, rows.weight, Prices.of(price), caps, knowledge)
        found = present
        with self.clock.catch_interrupt() as work, allow_interrupts():
            for move in descend(problem, present, Fitter.of(problem), self.clock.explore, "present rules"):
                found = move.rules
                report(move)
        self.interrupted = work.interrupted
        return found

    def keep_what_is_spoken_for(self, model: Model, k: int, found: Rules) -> Rules:
        """The rules found, without the changes that rows held out do not speak for; the present ones if they do not."""
        _, present = model.branches[k]
        judges = self.judges

        def wrong(rules: Rules) -> Bools:
            return judges.find_wrong(with_branch(model, k, rules))

        if not beats(wrong(found), wrong(present), judges.weight):
            return present
        worth = price_column(self.options.price, judges.weight) * float(judges.weight.sum())
        kept = take_back(present, found, wrong, judges.weight, worth)
        return self.shorten(model, present, kept)

    def shorten(self, model: Model, present: Rules, kept: Rules) -> Rules:
        """Make the numbers of what is new short, without another prediction on any new row; what stayed stays."""
        old = tuple(dict.fromkeys(literal for rule in present for literal in rule.literals))
        given = Knowledge(literals=old)
        new = RuleSet(tuple(rule for rule in kept if rule not in present), schema=self.rows.schema)
        short = with_short_numbers(new, self.rows.table, given, self.options.max_literals)
        return (*(rule for rule in kept if rule in present), *short.rules)

    def describe(self, before: Model, model: Model, moves: tuple[Move, ...]) -> Updated:
        """What came of it, on the rows held out and on all."""
        after = self.rows.count(before, model)
        old, new = self.judges.find_wrong(before), self.judges.find_wrong(after)
        share = self.judges.weight / max(float(self.judges.weight.sum()), 1e-300)
        difference = share * (old.astype(np.float64) - new)
        differing = before.predict(self.rows.table) != after.predict(self.rows.table)
        return Updated(
            before, after, len(share), float(difference.sum()), math.sqrt(float(difference @ difference)),
            int(np.count_nonzero(differing)), moves, self.interrupted,
        )  # fmt: skip


def price_column(price: float, weight: Floats) -> float:
    """What a column must bring in, in units of error: a few rows at least."""
    return max(price, UPDATE_ROWS_SAVED / count_effective_rows(weight))


def with_branch(model: Model, k: int, rules: Iterable[Rule]) -> Model:
    """The model with other rules for its k-th class."""
    own = [old for _, old in model.branches]
    own[k] = tuple(rules)
    return model.with_branches(own)


def raise_caps(caps: Caps, present: Rules) -> Caps:
    """The limits, none of which the present rules break: they may stay as they are."""

    def raised(cap: int | None, held: Iterable[int]) -> int | None:
        return None if cap is None else max(cap, *held, 1)

    return Caps(
        raised(caps.columns, (literal.n_terms for rule in present for literal in rule.literals)),
        raised(caps.literals, (len(rule.literals) for rule in present)),
        raised(caps.rules, [len(present)]),
        raised(caps.size, [sum(rule.size for rule in present)]),
    )
