"""The bridge between soft and crisp: the only module that knows both the network and the rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r2n.learn.given import truths
from r2n.network import DecodedHalfspace, Network, Params, Rows
from r2n.rules import Halfspace, Literal, Rule, RuleSet
from r2n.table import Scaling, Table

Means = NDArray[np.float32] | float


def network_rows(
    table: Table, scaling: Scaling, given: Sequence[Literal], y: NDArray[np.bool_], weight: NDArray[np.float64]
) -> Rows:
    """What the network sees of a table."""
    return Rows(
        x=scaling.matrix(table),
        given=truths(given, table),
        missing=scaling.missing(table),
        y=y.astype(np.float32),
        weight=weight.astype(np.float32),
        mean=np.array(scaling.mean, dtype=np.float32),
    )


def decode_halfspace(decoded: DecodedHalfspace, scaling: Scaling) -> Halfspace | bool:
    """A learned literal in the table's units; True or False if it reads no column."""
    terms, threshold = scaling.in_units(decoded.weights, decoded.bias)
    return Halfspace(terms, threshold) if terms else decoded.bias > 0


def decode_literals(
    network: Network, params: Params, scaling: Scaling, given: Sequence[Literal], mean: Means = 0.0
) -> tuple[Literal | bool, ...]:
    """The M literals of the AND layer in its order: learned, then predefined."""
    learned = network.literals.decode(params.literals, mean)
    return (*(decode_halfspace(literal, scaling) for literal in learned), *given)


def extract(
    network: Network,
    params: Params,
    scaling: Scaling,
    given: Sequence[Literal],
    blank: RuleSet,
    mean: Means = 0.0,
) -> RuleSet:
    """The rule set that the signs of u and v spell, with the labels and schema of `blank`.

    `mean` is that of the network's columns, which stands in for those that a literal leaves out.
    It is the step-function network, by propositions 1 and 2: no prediction differs.
    """
    literals = decode_literals(network, params, scaling, given, mean)
    rules = (_rule([literals[i] for i in members]) for members in network.decode(params).rules)
    return blank.with_rules(rule for rule in rules if rule is not None)


def _rule(members: Sequence[Literal | bool]) -> Rule | None:
    """Constants are settled at once: a true one says nothing, a false one ends the rule."""
    if any(member is False for member in members):
        return None
    return Rule(tuple(member for member in members if not isinstance(member, bool)))
