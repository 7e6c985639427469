"""The bridge between soft and crisp: the only module that knows both the network and the rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r2n.learn.given import evaluate_literals
from r2n.network import DecodedHalfspace, Network, Params, Rows
from r2n.rules import Halfspace, Literal, Rule, RuleSet
from r2n.table import Scaling, Table

Means = NDArray[np.float32] | float


def make_network_rows(
    table: Table, scaling: Scaling, given: Sequence[Literal], y: NDArray[np.bool_], weight: NDArray[np.float64]
) -> Rows:
    """Make of a table what the network reads."""
    return Rows(
        x=scaling.matrix(table),
        given=evaluate_literals(given, table),
        missing=scaling.missing(table),
        y=y.astype(np.float32),
        weight=weight.astype(np.float32),
        mean=np.array(scaling.mean, dtype=np.float32),
    )


def decode_halfspace(decoded: DecodedHalfspace, scaling: Scaling) -> Halfspace | bool:
    """Bring a learned literal into the table's units; True or False if it reads no column."""
    terms, threshold = scaling.in_units(decoded.weights, decoded.bias)
    return Halfspace(terms, threshold) if terms else decoded.bias > 0


def decode_literals(
    network: Network, params: Params, scaling: Scaling, given: Sequence[Literal], mean: Means = 0.0
) -> tuple[Literal | bool, ...]:
    """List the M literals of the AND layer in its order: learned, then given."""
    learned = network.literals.decode(params.literals, mean)
    return (*(decode_halfspace(literal, scaling) for literal in learned), *given)


def extract(
    network: Network,
    params: Params,
    scaling: Scaling,
    given: Sequence[Literal],
    empty: RuleSet,
    mean: Means = 0.0,
) -> RuleSet:
    """Read the rule set from the signs of u and v; it has the labels and the schema of `empty`.

    A literal counts the columns that it leaves out at their `mean`. By propositions 1 and 2 the rules predict as the
    step-function network does, on every row.
    """
    literals = decode_literals(network, params, scaling, given, mean)
    rules = (_rule([literals[i] for i in members]) for members in network.decode(params).rules)
    return empty.with_rules(rule for rule in rules if rule is not None)


def _rule(members: Sequence[Literal | bool]) -> Rule | None:
    """Drop literals that are always true; a rule with one that is always false is no rule."""
    if any(member is False for member in members):
        return None
    return Rule(tuple(member for member in members if not isinstance(member, bool)))
