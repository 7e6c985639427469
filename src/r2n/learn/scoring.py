"""Any scikit-learn scorer as the judge of rule sets."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.metrics import get_scorer

from r2n.errors import ParameterError
from r2n.rules import RuleSet
from r2n.search import Labelled


class ScoredRules(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # sklearn is untyped
    """A rule set as a scorer sees it: a fitted classifier of 1, its label, and 0, all else."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.classes_ = np.array([0, 1])

    def predict(self, X: object) -> NDArray[Any]:
        """Predict 1 where a rule is true."""
        return self.rules.truth(X).astype(np.intp)

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Estimate by the rows that the rules were counted on."""
        column = self.rules.classes.index(self.rules.label)
        return self.rules.predict_proba(X)[:, [1 - column, column]]


def score_rules(scoring: str | Callable[..., float], rules: RuleSet, fitted: Labelled, judges: Labelled) -> float:
    """Score rules on the rows that judge, their probabilities counted on the rows fitted to; higher is better."""
    labels = np.array([rules.default, rules.label], dtype=object)[fitted.truth.astype(np.intp)]
    counted = ScoredRules(rules.counted(fitted.table, labels, fitted.weight))
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    unequal = isinstance(scoring, str) and np.any(judges.weight != judges.weight[0])
    extra = {"sample_weight": judges.weight} if unequal else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # no row is called positive, which it scores
            score = float(scorer(counted, judges.table, judges.truth.astype(np.intp), **extra))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"scoring={scoring!r} cannot score rules of two classes: {error}") from error
    if np.isnan(score):
        raise ParameterError(f"scoring={scoring!r} gives no number for {rules.n_rules} rules on rows held out.")
    return score
