"""New rows for rules that are there: read as the rules' schema says, and counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.learn.labels import Labels, read_weights
from r2n.learn.options import Options
from r2n.rules import ClassRules, Knowledge, RuleSet, read_knowledge
from r2n.rules.counts import count_again
from r2n.rules.label import is_label, label_array, sort_classes
from r2n.search import Labelled, weigh
from r2n.search.problem import Bools, Floats
from r2n.table import Column, Schema, Table
from r2n.table.identifiers import refuse_identifiers

Model = RuleSet | ClassRules


@dataclass(frozen=True)
class NewRows:
    """A table, the label and the weight of each row, and what an expert says of its columns."""

    table: Table
    schema: Schema  # of the columns that rules may read, as they are in these rows
    labels: NDArray[np.object_]
    weight: Floats  # by what an error costs
    counted: Floats  # as rows count
    knowledge: Knowledge

    @classmethod
    def read(cls, rules: Model, X: Any, y: Any, sample_weight: Any, options: Options) -> NewRows:
        """Read them; labels that the rules do not know, and columns of identifiers, are refused."""
        table = rules.table(X)
        count_again(rules, table, y, sample_weight)  # refuses labels and weights that cannot be counted
        labels = np.asarray(y, dtype=object)
        counted = _weigh(rules, labels, sample_weight, options)
        if not counted.all():
            some = np.flatnonzero(counted)
            table, labels, counted = table.take(some), labels[some], counted[some]
        weight = counted
        if isinstance(rules, RuleSet):
            cut = options.cut if rules.baseline is None else rules.baseline.threshold
            weight = weigh(Labelled(table, is_label(labels, rules.label), counted), cut).weight
        schema, table = _learn_schema(rules, table, options)
        knowledge = _read_knowledge(rules, schema, options)
        declared = {*options.categories, *knowledge.excluded, *rules.columns}
        refuse_identifiers(table, schema.without(declared).categorical)
        return cls(table, schema, labels, weight, counted, knowledge)

    def take(self, rows: NDArray[np.intp]) -> NewRows:
        """These rows alone."""
        table, labels = self.table.take(rows), self.labels[rows]
        return replace(self, table=table, labels=labels, weight=self.weight[rows], counted=self.counted[rows])

    def find_wrong(self, model: Model) -> Bools:
        """Find the rows on which a model errs."""
        return np.asarray(model.predict(self.table).astype(object) != self.labels, dtype=np.bool_)

    def count(self, before: Model, after: Model) -> Model:
        """Count a model on these rows. What is new in it is described by them, what was there by both."""
        schema = after.schema
        if schema is not None and after != before:
            read = set(after.columns)
            columns = [
                _join(column, self.schema.column(column.name), column.name in before.columns)
                if column.name in read
                else column
                for column in schema.columns
            ]
            after = after.with_schema(Schema(tuple(columns)))
        counts = count_again(after, self.table, self.labels, self.counted)
        if before.baseline is not None:
            counts = replace(counts, threshold=before.baseline.threshold)
        return after.with_baseline(counts).without_unread()


def _weigh(rules: Model, y: NDArray[np.object_], sample_weight: Any, options: Options) -> Floats:
    codes = np.zeros(len(y), dtype=np.intp)
    for k, label in enumerate(rules.classes):
        codes[is_label(y, label)] = k
    return read_weights(sample_weight, options.class_weight, Labels(label_array(rules.classes), codes, 0))


def _learn_schema(rules: Model, table: Table, options: Options) -> tuple[Schema, Table]:
    """What these rows hold, of columns that the rules' schema has, with its kinds and codes."""
    known = rules.schema
    coded = {} if known is None else {column.name: list(column.missing_values) for column in known.columns}
    categorical = [name for name in options.categories if name in table.names]
    if known is not None:
        categorical += [name for name in known.categorical if name in table.names]
    schema, table = Schema.learn(table, categorical, options.missing_values)
    if known is None:
        return schema, table
    columns = [
        replace(schema.column(name), missing_values=tuple(coded[name]) or schema.column(name).missing_values)
        for name in known.names
        if name in schema
    ]
    return Schema(tuple(columns)), table


def _read_knowledge(rules: Model, schema: Schema, options: Options) -> Knowledge:
    empty = RuleSet((), rules.label, rules.default, schema) if isinstance(rules, RuleSet) else None
    given = (options.literals, None, options.fixed, options.exclude, options.apart, options.monotone)
    knowledge = read_knowledge(schema, empty, *given)
    for rule in rules.rules:
        if rule not in knowledge.fixed and not knowledge.permits_rule(rule):
            raise ParameterError(
                f"the rule `{rule.text(rules.schema)}` goes against exclude, apart or monotone, so it cannot stay as "
                f"it is. Take it out first, or fit again."
            )
    absent = [rule for rule in knowledge.fixed if rule not in rules.rules]
    if absent:
        raise ParameterError(f"fixed has the rule `{absent[0]}`, which these rules lack. Add it first: with_rule.")
    return knowledge


def _join(old: Column, new: Column, was_read: bool) -> Column:
    """What old and new rows hold together; the new rows alone where nothing was kept of the old ones."""
    if not was_read:
        return new
    return replace(
        old,
        low=min(old.low, new.low),
        high=max(old.high, new.high),
        categories=sort_classes((*old.categories, *new.categories)),
        missing=old.missing or new.missing,
        integer=old.integer and new.integer,
    )
