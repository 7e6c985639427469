"""The bridge between soft and crisp: the only module that knows both the network and the rules."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from r2n.network import DecodedHalfspace, Network, Params, Rows
from r2n.rules import Halfspace, Known, Literal, Membership, Missing, Rule, RuleSet
from r2n.search.plan import FEWEST_OFFERED_ROWS, LEAST_OFFERED_SHARE, OFFERED_CATEGORIES
from r2n.table import Column, Scaling, Schema, Table, Value

Means = NDArray[np.float32] | float


def predefined_literals(schema: Schema, table: Table, negations: bool = False) -> tuple[Literal, ...]:
    """One literal a category (with its negation on request), and whether a value is missing where some are.

    Categories too rare to learn from are not offered, or a column of names would drown the network.
    """
    literals: list[Literal] = []
    for column in schema.columns:
        for category in _frequent(column, table):
            literals.append(Membership(column.name, (category,)))
            if negations:
                literals.append(Membership(column.name, (category,), negated=True))
        if column.missing:
            literals += [Missing(column.name), Known(column.name)]
    return tuple(literals)


def _frequent(column: Column, table: Table) -> tuple[Value, ...]:
    """The categories that enough rows have, in their order; of many, the most frequent."""
    if not column.categories:
        return ()
    codes, values = table.codes(column.name)
    counts = np.bincount(codes[codes >= 0], minlength=len(values))
    enough = max(FEWEST_OFFERED_ROWS, LEAST_OFFERED_SHARE * table.n_rows)
    most_first = np.argsort(-counts, kind="stable")[:OFFERED_CATEGORIES]
    return tuple(values[k] for k in np.sort(most_first) if counts[k] >= enough)


def truths(literals: Sequence[Literal], table: Table) -> NDArray[np.bool_]:
    """The literals as Boolean columns."""
    columns = np.empty((table.n_rows, len(literals)), dtype=np.bool_)
    for k, literal in enumerate(literals):
        columns[:, k] = literal.evaluate(table)
    return columns


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
        mean=scaling.means(table, weight).astype(np.float32),
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
