"""A fitted model that follows new rows."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

from r2n.errors import Interrupted
from r2n.estimator.fitted import FittedModel
from r2n.estimator.reached import Reached
from r2n.estimator.resampled import WeakRows
from r2n.learn.update import Updated, update_rules
from r2n.rewrite.cleanup import Step


class UpdatableModel(FittedModel):
    """What new rows can make of a model once it is fitted."""

    updated_: Updated

    def update(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Change the rules where new rows speak for it by two standard errors, and nowhere else.

        The rules are refined on half of the new rows, within the limits and the expert's parameters of this estimator;
        the other half decides which changes stay. A teacher is not asked: the labels count.

        Parameters
        ----------
        X : table
            The new rows, as for `predict`.
        y : array-like
            Their labels, all of them among `classes_`.
        sample_weight : array-like, optional
            The weight of each row.

        Returns
        -------
        R2NClassifier
            A new fitted estimator. Its probabilities are counted on the new rows; `updated_` says what changed, and
            with `print` proves it. It has no front to pick from, and its `moves_` and `steps_` are those of the update.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ParameterError
            If a label is not among those at fit, or `max_gap` is set, which an update does not keep.
        SchemaError
            If a column is not there, or holds other values than at fit.

        Warns
        -----
        Interrupted
            If a Ctrl-C ended the search; the rules are then the best found until then.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> X, y = {"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> print(m.update(X, y).updated_)
        nothing changed: no other rules beat these by two standard errors on 20 new rows held out
        """
        table = self._table(X)
        done = update_rules(self.rules_, table, y, sample_weight, **self.get_params(deep=False))
        if done.interrupted:
            words = "interrupted while updating; the rules are the best found until then."
            warnings.warn(words, Interrupted, stacklevel=2)
        other = copy.copy(self)
        other._take_over(done)
        return other

    def _take_over(self, done: Updated) -> None:
        """Take the rules of an update for those of this model, and forget what was known of others."""
        assert done.rules.schema is not None, "fitted rules always have a schema"
        self.rules_, self.updated_, self.moves_ = done.rules, done, list(done.moves)
        self.steps_, self.history_, self.network_ = (Step("update", done.rows_changed),), [], None
        self.teacher_used_, self.interrupted_, self.schema_ = (), done.interrupted, done.rules.schema
        self._show(Reached())
        self._rows = WeakRows()  # those of the fit are not those of the update
        for name in ("front_", "chosen_", "alternatives_", "trade_off_", "_picks", "_others", "_reached"):
            if hasattr(self, name):
                delattr(self, name)
