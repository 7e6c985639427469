"""R2NClassifier: the scikit-learn contract and nothing else."""

from r2n.estimator.classifier import R2NClassifier

__all__ = ["R2NClassifier"]
