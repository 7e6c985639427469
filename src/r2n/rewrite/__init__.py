"""Shorter rules with the same meaning: on every row at all, or on the rows at hand."""

from r2n.rewrite.cleanup import CleanedRules, Step, clean_up
from r2n.rewrite.expand import expanded
from r2n.rewrite.logic import contradicts, implies
from r2n.rewrite.rounding import Rounded, rounded
from r2n.rewrite.shorten import round_predictions
from r2n.rewrite.simplify import PASSES, simplify

__all__ = [
    "PASSES",
    "CleanedRules",
    "Rounded",
    "Step",
    "clean_up",
    "contradicts",
    "expanded",
    "implies",
    "round_predictions",
    "rounded",
    "simplify",
]
