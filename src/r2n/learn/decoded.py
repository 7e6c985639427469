"""The rules that a network's restarts spell, the choice among them, and how they are finished without a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.learn.options import Options
from r2n.learn.trained import ClassNetwork
from r2n.network import Record
from r2n.rewrite.cleanup import Step, clean_up
from r2n.rewrite.simplify import simplify
from r2n.rules import Rule, RuleSet
from r2n.search import Labelled, kept_within, with_short_numbers

Parts = tuple[NDArray[np.intp], NDArray[np.intp]]  # the rows that train and the rows that judge


@dataclass(frozen=True, slots=True)
class Decoded:
    """A restart's rules, without and with its negligible coefficients; its epoch's score and temperature."""

    rules: RuleSet
    whole: RuleSet
    score: float = 0.0
    temperature: float = 0.0


@dataclass(frozen=True, slots=True)
class Trained:
    """The result of training; empty if there was no network."""

    decoded: tuple[Decoded, ...] = ()  # of every restart that did not break down
    history: tuple[Record, ...] = ()
    network: ClassNetwork | None = None
    interrupted: bool = False  # by the user's Ctrl-C


def find_best(decoded: Sequence[Decoded], by_loss: bool) -> Decoded:
    """Find the restart with the lowest score. Losses compare only at one temperature, so the coldest come first."""
    return min(decoded, key=lambda one: (one.temperature if by_loss else 0.0, one.score))


def choose_restart(decoded: Sequence[Decoded], empty: RuleSet, judges: Labelled, options: Options) -> Decoded:
    """Choose a restart by its training loss, as the paper does, or by its crisp rules on the rows that judge.

    Crisp rules compete with two constants: no rules, and one rule that is always true.
    """
    if decoded and options.network is not None and options.network.keep == "loss":
        return find_best(decoded, by_loss=True)

    def cost(one: Decoded) -> tuple[float, int]:
        error = float(np.average(one.rules.truth(judges.table) != judges.truth, weights=judges.weight))
        return error + options.price * sum(len(rule.literals) for rule in one.rules.rules), one.rules.size

    constants = [Decoded(rules, rules) for rules in (empty, empty.with_rules([Rule()]))]
    return min([*decoded, *constants], key=cost)


def finish_unrefined(
    decoded: Sequence[Decoded], rows: Labelled, judge: NDArray[np.intp], options: Options
) -> tuple[RuleSet, RuleSet, tuple[Step, ...]]:
    """Choose a restart, bring its rules within the limits and make their numbers short.

    Returns the rules with long and with short numbers, and the steps with how many rows each changed.
    """
    table = rows.table
    chosen = choose_restart(decoded, decoded[0].rules.with_rules(()), rows.take(judge), options)
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
    return kept, rules, steps
