"""Why a row gets its label, the smallest change that gives it another, and whether rules still do what they did."""

from r2n.explain.change import Change, smallest_change
from r2n.explain.drift import Check, RuleDrift, check
from r2n.explain.leveldrift import LevelDrift
from r2n.explain.reasons import Explanation, LiteralReason, RuleReason, explain

__all__ = [
    "Change",
    "Check",
    "Explanation",
    "LevelDrift",
    "LiteralReason",
    "RuleDrift",
    "RuleReason",
    "check",
    "explain",
    "smallest_change",
]
