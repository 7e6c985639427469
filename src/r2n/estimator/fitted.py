"""What a fitted model answers: labels, probabilities, literals as columns, and itself with other rules."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from r2n.errors import ParameterError, SchemaError
from r2n.estimator.reached import Reached
from r2n.explain import Groups
from r2n.learn.alternatives import Alternatives
from r2n.learn.fronts import Fronts
from r2n.learn.given import evaluate_literals
from r2n.learn.picks import ClassPicks, Picks
from r2n.learn.reading import read_as_fitted
from r2n.learn.trained import TrainedNetwork
from r2n.rewrite.cleanup import Step
from r2n.rules import ClassRules, LevelRules, RuleSet, rename_columns
from r2n.search import Move
from r2n.table import Schema, Table, Value

if TYPE_CHECKING:
    from r2n.network import Record


class FittedModel(TransformerMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc] # sklearn is untyped
    """What can be asked of a model once it is fitted."""

    classes_: NDArray[Any]
    front_: Fronts
    alternatives_: Alternatives
    history_: list[Record]
    interrupted_: bool
    moves_: list[Move]
    network_: TrainedNetwork | None
    rules_: RuleSet | ClassRules | LevelRules
    schema_: Schema
    steps_: tuple[Step, ...]
    teacher_used_: tuple[Value, ...]
    fidelity_: float | None
    groups_: Groups | None
    _picks: Picks | ClassPicks
    _reached: tuple[Reached, ...]  # by each rule set that `pick` may take; none of several classes

    def _use(self, chosen: tuple[int, ...], others: Mapping[int, int] = MappingProxyType({})) -> None:
        """Make the rules in these rows of the front those of this model; of some classes an alternative, by its place.

        Alternatives were counted after the front's rows.
        """
        self.chosen_, self._others = chosen, dict(others)
        fronts = self.front_.fronts
        places = dict(map(self.front_.place, chosen)) | {k: len(fronts[k]) + i for k, i in others.items()}
        self.rules_ = self._picks.model([places.get(k, 0) for k in range(len(fronts))])
        self._show(self._reached[places.get(0, 0)] if self._reached else Reached())

    def _show(self, reached: Reached) -> None:
        """Show what these rules reach on the rows held out."""
        self.fidelity_, self.groups_ = reached.fidelity, reached.groups

    def pick(self, *rows: int, alternative: int | None = None) -> Self:
        """Copy the model with the rules of another row of its front, or with an alternative.

        `print(m.front_)` and `print(m.alternatives_)` show the rows, and `m.chosen_` holds those of this model.

        Parameters
        ----------
        *rows : int
            Rows of the front, at most one of each class. Classes without a row keep their rules.
        alternative : int, optional
            A row of `alternatives_`, of another class than the rows of the front.

        Returns
        -------
        R2NClassifier
            The other model, as complete as this one: with short numbers that change no prediction on the training rows,
            training counts and probabilities, and the order in which several classes are tried (`fidelity_` and
            `groups_` are then None). Only the rules that `fit` chose are fitted to all rows; those of other rows are
            fitted to the rows that were not held out. If
            `time_limit` was up, rows far from the chosen one keep their long numbers.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ParameterError
            If there is no front, no such row, or two of the rows are of one class.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> from r2n.datasets import example
        >>> X, y = example(4).sample(500, random_state=0)
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> smallest = m.pick(0)
        >>> smallest.rules_.size < m.rules_.size, m.pick(*m.chosen_).rules_ == m.rules_
        (True, True)
        """
        check_is_fitted(self, "rules_")
        if not hasattr(self, "front_"):
            levels = isinstance(self.rules_, LevelRules)
            why = "levels have none" if levels else "effort='none' and `update` make none"
            raise ParameterError(f"there is no front to pick from: {why}.")
        for i in rows:
            _check_row(i, len(self.front_), "the front")
        picked = dict(self.front_.place(i) for i in rows)
        others = {}
        if alternative is not None:
            _check_row(alternative, len(self.alternatives_), "the table alternatives_")
            others = dict([self.alternatives_.place(alternative)])
        if len(picked) != len(rows) or not picked.keys().isdisjoint(others) or not picked | others:
            also = "" if alternative is None else f" and alternative {alternative}"
            raise ParameterError(f"pick takes rows of the front, of each class at most one, not {rows}{also}.")
        kept = dict(map(self.front_.place, self.chosen_))
        places = {k: i for k, i in {**kept, **picked}.items() if k not in others}
        others = {k: i for k, i in {**self._others, **others}.items() if k not in picked}
        other = copy.copy(self)
        other._use(tuple(self.front_.row(k, i) for k, i in sorted(places.items())), others)
        if other.rules_ != self.rules_:
            other.__dict__.pop("trade_off_", None)  # other rules promise nothing
        return other

    def _table(self, X: Any) -> Table:
        check_is_fitted(self, "rules_")
        return read_as_fitted(X, self.rules_, hasattr(self, "feature_names_in_"), type(self).__name__)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array, with the columns at fit. By name if there were names
            at fit and are now, else by position.

        Returns
        -------
        array of shape (n_rows,)
            The classes.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        SchemaError
            If a column is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> X, y = {"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> m.predict({"age": [3, 33]}).tolist()
        ['no', 'yes']
        """
        table = self._table(X)
        return self.classes_[self._decided_classes()[self._find_deciders(table)]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class from training rows like this one.

        The probabilities are the shares of the classes among those rows, smoothed by one row of each class. With two
        classes, rows like this one are those of every rule that fires here, counted once for each such rule; where none
        fires, the rows on which none fired. With more, they are the rows that the same class's rules decided. The most
        probable class is always the predicted one.

        Parameters
        ----------
        X : table
            As for `predict`.

        Returns
        -------
        array of shape (n_rows, n_classes)
            The probabilities, in the order of `classes_`.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        SchemaError
            If a column is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> X, y = {"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> m.predict_proba({"age": [3, 33]}).round(2).tolist()
        [[0.95, 0.05], [0.05, 0.95]]
        """
        table = self._table(X)
        return self.rules_.predict_proba(table)

    def _find_deciders(self, table: Table) -> NDArray[np.intp]:
        """Find which rule set decides each row, as a position in `_decided_classes`; the default comes last."""
        if isinstance(self.rules_, RuleSet):
            return np.where(self.rules_.truth(table), 0, 1)
        return self.rules_.decided(table)

    def _decided_classes(self) -> NDArray[np.intp]:
        """Find the class that each rule set, and the default, predict, as a position in `classes_`."""
        classes = self.classes_.tolist()
        rules = self.rules_
        answers = rules.answers if isinstance(rules, LevelRules) else (*rules.labels, rules.default)
        return np.array([classes.index(label) for label in answers])

    def transform(self, X: Any) -> NDArray[np.bool_]:
        """Evaluate the literals of the rules on each row.

        Parameters
        ----------
        X : table
            As for `predict`.

        Returns
        -------
        array of bool of shape (n_rows, n_literals)
            Where each literal is true; a frame if `set_output` asks for one.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        SchemaError
            If a column is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> X, y = {"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> m.transform({"age": [3, 33]}).tolist()
        [[False], [True]]
        """
        table = self._table(X)
        return evaluate_literals(self.rules_.literals, table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the texts of the literals, which name the columns of `transform`.

        Parameters
        ----------
        input_features : sequence of str, optional
            The columns at fit, or names for them if they had none.

        Returns
        -------
        array of str
            One text for each literal.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        SchemaError
            If these are not the columns at fit.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> X, y = {"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> m.get_feature_names_out().tolist()
        ['age > 19']
        """
        check_is_fitted(self, "rules_")
        rules, schema = self.rules_, self.rules_.schema
        assert schema is not None, "fitted rules always have a schema"
        names = schema.names if input_features is None else tuple(map(str, input_features))
        if names != schema.names:
            if hasattr(self, "feature_names_in_"):
                raise SchemaError("input_features is not equal to feature_names_in_, the columns at fit. Leave it out.")
            if not len(set(names)) == len(names) == len(schema.names):
                raise SchemaError(f"input_features should have length equal to {len(schema.names)}, without repeats.")
            renaming = dict(zip(schema.names, names, strict=True))
            return np.array(
                [rename_columns(each, renaming).text(schema.renamed(renaming)) for each in rules.literals], dtype=object
            )
        return np.array([literal.text(schema) for literal in rules.literals], dtype=object)


def _check_row(i: Any, n_rows: int, what: str) -> None:
    """Refuse what is no row of the front, or of the alternatives."""
    if not isinstance(i, int | np.integer) or isinstance(i, bool):
        raise ParameterError(f"pick takes whole numbers, rows of {what}, not {i!r}.")
    if not -n_rows <= i < n_rows:
        there = f"has the rows 0 to {n_rows - 1}" if n_rows else "has no rows"
        raise ParameterError(f"{what} {there}, not {i}.")
