"""Probabilities from the counts that rules carry. numpy only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from r2n.errors import ParameterError
from r2n.rules.classes import Model
from r2n.rules.label import places_of
from r2n.rules.ruleset import RuleSet
from r2n.rules.tally import Bools, Floats, RuleCount
from r2n.table.cells import value_id

_ADVICE = "Count them on rows with labels: rules.counted(X, y)."


def estimate_probabilities(rules: Model, X: object) -> Floats:
    """Estimate the probability of each class in each row from the counts that the rules carry."""
    base = rules.baseline
    if base is None:
        raise ParameterError(f"these rules carry no counts of rows, which probabilities are estimated from. {_ADVICE}")
    if base.decided is None or not base.fits(rules):
        raise ParameterError(f"these rules were changed since they were counted, so they are others now. {_ADVICE}")
    place = places_of(rules.classes)
    weights = np.array([[tally.weight for tally in tallies] for _, tallies in base.decided])
    if not isinstance(rules, RuleSet):
        winners = [place[value_id(label)] for label, _ in base.decided]
        shares = np.array([_share_out(own, winner) for own, winner in zip(weights, winners, strict=True)])
        probabilities: Floats = shares[rules.decided(X)]
        return probabilities
    column = place[value_id(rules.label)]
    counts = [counted for counted in base.in_order_of(rules) if counted is not None]
    probability = _probability(counts, weights[1, column], weights[1].sum(), rules.fires(X), base.threshold)
    pair = np.column_stack([1 - probability, probability])
    return pair if column == 1 else pair[:, ::-1]


def _probability(
    counts: Sequence[RuleCount], silent_positives: float, silent: float, fired: Bools, threshold: float
) -> Floats:
    """Estimate the label's probability: smoothed by one row of each class, above the threshold where a rule fires."""
    positives = np.array([counted.positives.weight for counted in counts])
    covered = np.array([counted.covered.weight for counted in counts])
    share = (fired @ positives + 1) / (fired @ covered + 2)
    quiet = (silent_positives + 1) / (silent + 2)
    above, below = np.nextafter(threshold, 1), np.nextafter(threshold, 0)
    probability: Floats = np.where(fired.any(axis=1), np.maximum(share, above), min(quiet, below))
    return probability


def _share_out(weights: Floats, winner: int) -> Floats:
    """Compute the shares of the classes, smoothed by one row of each; the winner's, being predicted, is largest."""
    counts = 1.0 + weights
    counts[winner] = counts.max()
    shares: Floats = counts / counts.sum()
    if np.argmax(shares) != winner or np.sum(shares == shares[winner]) > 1:
        shares[winner] = np.nextafter(shares[winner], 1.0)
    return shares
