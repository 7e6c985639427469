"""Why a row gets its label, the smallest change to another, whether rules do what they did, how they treat groups."""

from r2n.explain.change import Change, smallest_change
from r2n.explain.drift import Check, RuleDrift, check
from r2n.explain.fairness import Groups, GroupShares, groups
from r2n.explain.leveldrift import LevelDrift
from r2n.explain.reasons import Explanation, LiteralReason, RuleReason, explain

__all__ = [
    "Change",
    "Check",
    "Explanation",
    "GroupShares",
    "Groups",
    "LevelDrift",
    "LiteralReason",
    "RuleDrift",
    "RuleReason",
    "check",
    "explain",
    "groups",
    "smallest_change",
]
