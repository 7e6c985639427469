"""How well each rule does on rows whose labels are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from r2n.errors import ParameterError
from r2n.rules.label import is_label
from r2n.rules.ruleset import Rule, RuleSet


@dataclass(frozen=True, slots=True)
class RuleMeasure:
    """How well one rule does on some rows. All counts are sums of weights: of rows, if no weights were given.

    Parameters
    ----------
    rule : Rule
        The rule.
    covered : float
        The rows where the rule is true.
    positives : float
        The covered rows that have the label.
    precision : float
        The share of the covered rows that have the label; NaN if none is covered.
    recall : float
        The share of the rows with the label that are covered; NaN if there are none.
    alone : float
        The rows that no other rule covers: what would be lost without this rule.
    alone_positives : float
        The rows of `alone` that have the label.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 else no")
    >>> measure(rules, {"x": [1, 4, 5]}, ["no", "yes", "no"]).rules[0].precision
    0.5
    """

    rule: Rule
    covered: float
    positives: float
    precision: float
    recall: float
    alone: float
    alone_positives: float


@dataclass(frozen=True, slots=True)
class Measures:
    """How well each rule does on some rows, and all rules together; `print` shows a table.

    Parameters
    ----------
    rules : tuple of RuleMeasure
        One entry for each rule, in printed order.
    accuracy : float
        The share of rows that are predicted right.
    weight : float
        The weight of all rows.
    positives : float
        The weight of the rows that have the label.

    Examples
    --------
    >>> measure(RuleSet.parse("yes if x > 3 else no"), {"x": [1, 4]}, ["no", "yes"]).accuracy
    1.0
    """

    rules: tuple[RuleMeasure, ...]
    accuracy: float
    weight: float
    positives: float

    def __str__(self) -> str:
        head = ("covered", "precision", "recall", "alone", "rule")
        body = [
            (f"{m.covered:g}", f"{m.precision:.3f}", f"{m.recall:.3f}", f"{m.alone:g}", str(m.rule)) for m in self.rules
        ]
        widths = [max(len(row[i]) for row in (head, *body)) for i in range(4)]
        lines = [
            "  ".join([*(cell.rjust(width) for cell, width in zip(row[:4], widths, strict=True)), row[4]])
            for row in (head, *body)
        ]
        return "\n".join(
            [*lines, f"accuracy {self.accuracy:.4f} on {self.weight:g} {'row' if self.weight == 1 else 'rows'}"]
        )


def measure(rules: RuleSet, X: object, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Measures:
    """Measure coverage, precision and recall of each rule.

    Parameters
    ----------
    rules : RuleSet
        The rules.
    X : table
        A frame, a dict of columns or a two-dimensional array.
    y : array-like
        The label of each row; a row is positive where it equals the rule set's label.
    sample_weight : array-like, optional
        The weight of each row; 1 by default.

    Returns
    -------
    Measures
        One entry for each rule, and the accuracy of all rules together.

    Raises
    ------
    ParameterError
        If there is not one label, or one weight, for each row.
    SchemaError
        If a column that the rules read is not there, or holds other values than at fit.

    Examples
    --------
    >>> rules = RuleSet.parse("yes if x > 3 or z in {a} else no")
    >>> table = {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}
    >>> print(measure(rules, table, ["no", "yes", "yes", "no"]))
    covered  precision  recall  alone  rule
          2      1.000   1.000      1  x > 3
          2      0.500   0.500      1  z in {a}
    accuracy 0.7500 on 4 rows
    """
    fired = rules.fires(X)
    weight = _weights(sample_weight, len(fired))
    positive = _positives(y, rules, len(fired))
    alone = fired & (fired.sum(axis=1) == 1)[:, None]
    total, total_positive = float(weight.sum()), float(weight[positive].sum())
    sums = [cover.T @ w for cover in (fired, alone) for w in (weight, weight * positive)]
    measured = tuple(
        RuleMeasure(rule, c, p, _share(p, c), _share(p, total_positive), a, a_p)
        for rule, c, p, a, a_p in zip(rules.rules, *(s.tolist() for s in sums), strict=True)
    )
    right = fired.any(axis=1) == positive
    return Measures(measured, _share(float(weight[right].sum()), total), total, total_positive)


def _share(part: float, whole: float) -> float:
    return part / whole if whole > 0.0 else float("nan")


def _positives(y: ArrayLike, rules: RuleSet, n_rows: int) -> NDArray[np.bool_]:
    labels = np.asarray(y, dtype=object)
    if labels.shape != (n_rows,):
        raise ParameterError(f"y must have one label for each of the {n_rows} rows, not shape {labels.shape}.")
    return is_label(labels, rules.label)


def _weights(sample_weight: ArrayLike | None, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ParameterError(
            f"sample_weight must have one number for each of the {n_rows} rows, not shape {weight.shape}."
        )
    if not (np.isfinite(weight).all() and (weight >= 0.0).all()):
        raise ParameterError("sample_weight must be finite and not negative. Weight odd rows with 0.")
    return weight
