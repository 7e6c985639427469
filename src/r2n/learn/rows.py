"""What `fit` is given, read: table, labels and weights, and what an expert says of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.learn.labels import Labels, read_weights
from r2n.learn.options import ONE_THRESHOLD, Options
from r2n.learn.scoring import score_rules
from r2n.learn.teachers import read_opinion
from r2n.rules import Knowledge, read_knowledge
from r2n.search import EVEN, Labelled
from r2n.search.bounds import Bound
from r2n.table import Schema, Table
from r2n.table.grouping import Grouping
from r2n.table.identifiers import refuse_identifiers


@dataclass(frozen=True, slots=True)
class TrainingRows:
    """A table of this schema, the label and the weight of each row; what a teacher thinks of it, and its groups."""

    table: Table
    schema: Schema
    labels: Labels
    weight: NDArray[np.float64]
    numbers: NDArray[np.intp]  # of each row in the table as it came
    own_weight: NDArray[np.float64]  # as the user gave it, whatever its class weighs
    opinion: NDArray[np.float64] | None = None  # (rows, classes): the probabilities of a teacher that the user gave
    groupings: tuple[Grouping, ...] = ()

    @classmethod
    def read(cls, X: Any, y: Any, sample_weight: Any, options: Options) -> TrainingRows:
        """Read what `fit` is given. Rows of weight 0 are left out, whatever their columns hold."""
        table = Table.read(X)
        every = labels = Labels.learn(y, table.n_rows)
        weight = read_weights(sample_weight, options.class_weight, labels)
        some = np.flatnonzero(weight)
        own_weight = read_weights(sample_weight, None, labels)[some]
        if len(some) < len(weight):
            table, labels, weight = table.take(some, alone=True), labels.take(some), weight[some]
        labels = labels.with_positive(options.positive)
        schema, table = Schema.learn(table, options.categories, options.missing_values)
        groupings = tuple(
            Grouping.of(table, name, schema.column(name).kind if name in schema else None) for name in options.grouped
        )
        opinion = read_opinion(options.teacher, X, every, labels, some) if options.distils else None
        return cls(table, schema, labels, weight, some, own_weight, opinion, groupings)

    def only(self, rows: NDArray[np.intp]) -> TrainingRows:
        """Some of these rows, of which both classes have some; schema and classes stay."""
        return replace(
            self,
            table=self.table.take(rows),
            labels=replace(self.labels, codes=self.labels.codes[rows]),
            weight=self.weight[rows],
            numbers=self.numbers[rows],
            own_weight=self.own_weight[rows],
            opinion=None if self.opinion is None else self.opinion[rows],
            groupings=tuple(each.take(rows) for each in self.groupings),
        )

    def labelled(self, k: int, options: Options) -> Labelled:
        """The rows as the search for rules of the k-th class has them."""
        opinion = None if self.opinion is None else self.opinion[:, k]
        return Labelled(self.table, self.labels.codes == k, self.weight, opinion, tuple(self._bounds(k, options)))

    def _bounds(self, k: int, options: Options) -> Iterator[Bound]:
        counted = self.own_weight * (self.labels.codes == k) if options.gap == "recall" else self.own_weight
        most = options.max_gap or {}
        for each in self.groupings:
            if each.column in most:
                yield Bound(each.codes, counted, len(each.names), float(most[each.column]))


def read_expert(rows: TrainingRows, options: Options) -> Knowledge:
    """Read the expert's parameters, and refuse columns of identifiers, before any work is done."""
    labels, schema = rows.labels, rows.schema
    empty = labels.empty_rules(labels.positive, schema) if len(labels.classes) == 2 else None
    if empty is None:
        _refuse_for_several(options, len(labels.classes))
    expert = (options.literals, options.start, options.fixed, options.exclude, options.apart, options.monotone)
    knowledge = read_knowledge(schema, empty, *expert)
    _refuse_together(options)
    if isinstance(options.scoring, str):
        k = labels.described[-1]
        some = Labelled(rows.table, labels.codes == k, rows.weight).take(np.unique(labels.codes, return_index=True)[1])
        score_rules(options.scoring, labels.empty_rules(k, schema), some, some)  # says now what it cannot score
    _refuse_too_much(knowledge, options)
    _refuse_without_search(knowledge, options)
    _refuse_bounds(rows, options)
    declared = {*options.categories, *knowledge.excluded}
    refuse_identifiers(rows.table, schema.without(declared).categorical)
    return knowledge


def _refuse_together(options: Options) -> None:
    """Refuse parameters that cannot be kept together."""
    others = [name for name in ("levels", *ONE_THRESHOLD, "scoring") if getattr(options, name) is not None]
    if options.max_gap is not None and others:
        raise ParameterError(f"max_gap and {others[0]} cannot both be kept. Give one of them.")


def _refuse_for_several(options: Options, n_classes: int) -> None:
    """Refuse what only two classes can have."""
    asked = [name for name in ("levels", *ONE_THRESHOLD) if getattr(options, name) is not None]
    if asked and not (asked == ["threshold"] and options.cut == EVEN):
        advice = "Learn one class against the others, or give class_weight."
        raise ParameterError(f"{asked[0]} is for two classes, but y holds {n_classes}. {advice}")


def _refuse_too_much(knowledge: Knowledge, options: Options) -> None:
    """Refuse fixed rules that are more than the limits allow."""
    if options.max_rules is not None and len(knowledge.fixed) > options.max_rules:
        many = f"fixed has {len(knowledge.fixed)} rules, but max_rules is {options.max_rules}."
        raise ParameterError(f"{many} Raise it, or give fewer rules.")
    read = sum(rule.size for rule in knowledge.fixed)
    if options.max_size is not None and read > options.max_size:
        much = f"fixed has {read} columns to read, but max_size is {options.max_size}."
        raise ParameterError(f"{much} Raise it, or give shorter rules.")


def _refuse_bounds(rows: TrainingRows, options: Options) -> None:
    """Refuse a bound that nothing can be measured for."""
    if options.max_gap is None:
        return
    if len(rows.labels.classes) > 2:
        raise ParameterError(f"max_gap is for two classes, but y holds {len(rows.labels.classes)}. Leave it out.")
    for each in rows.groupings:
        if each.column in options.max_gap and len(each.names) < 2:
            raise ParameterError(
                f"max_gap: column {each.column!r} has one group only, {each.names[0]!r}. Leave it out."
            )


def _refuse_without_search(knowledge: Knowledge, options: Options) -> None:
    """Refuse `effort="none"` without a network, or with conditions that only the search can keep."""
    if options.levels is not None and (knowledge.fixed or knowledge.start):
        raise ParameterError("levels are learned anew: start and fixed say nothing of chances. Leave them out.")
    if options.effort != "none":
        return
    asked = [name for name in ("min_recall", "min_precision", "scoring") if getattr(options, name) is not None]
    if asked:
        raise ParameterError(f"{asked[0]} is kept by the search. Choose another effort than 'none'.")
    if options.levels is not None:
        raise ParameterError("levels are fitted by the search. Choose another effort than 'none'.")
    if options.distils:
        raise ParameterError("teacher is distilled by refinement. Choose another effort than 'none'.")
    if options.max_gap is not None:
        raise ParameterError("max_gap is kept by refinement. Choose another effort than 'none'.")
    if options.network is None:
        raise ParameterError("without a network and with effort='none' nothing is learned. Choose another effort.")
    if knowledge.steers:
        raise ParameterError("fixed, apart and monotone are kept by refinement. Choose another effort than 'none'.")
    if knowledge.start:
        raise ParameterError("start is where refinement begins. Choose another effort than 'none'.")
