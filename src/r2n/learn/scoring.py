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
from r2n.rules.label import label_array
from r2n.search import Labelled


class ScoredRules(ClassifierMixin, BaseEstimator):  # type: ignore[misc] # sklearn is untyped
    """A rule set as a scorer sees it: a fitted classifier of its label and its default."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self.classes_ = label_array(rules.classes)

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the label or the default."""
        return self.rules.predict(X)

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Estimate by the rows that the rules were counted on."""
        return self.rules.predict_proba(X)


def score_rules(scoring: str | Callable[..., float], rules: RuleSet, fitted: Labelled, judges: Labelled) -> float:
    """Score rules on the rows that judge, their probabilities counted on the rows fitted to; higher is better."""
    truths = [label_array([rules.label if true else rules.default for true in rows.truth]) for rows in (fitted, judges)]
    counted = ScoredRules(rules.counted(fitted.table, truths[0], fitted.weight))
    scorer = get_scorer(scoring) if isinstance(scoring, str) else scoring
    unequal = isinstance(scoring, str) and np.any(judges.weight != judges.weight[0])
    extra = {"sample_weight": judges.weight} if unequal else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedMetricWarning)  # no row is called positive, which it scores
            score = float(scorer(counted, judges.table, truths[1], **extra))
    except (TypeError, ValueError) as error:
        raise ParameterError(f"scoring={scoring!r} cannot score rules of two classes: {error}") from error
    if np.isnan(score):
        raise ParameterError(f"scoring={scoring!r} gives no number for {rules.n_rules} rules on rows held out.")
    return score
