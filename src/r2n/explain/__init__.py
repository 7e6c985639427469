"""Why a row gets its label, and the smallest change that gives it another: exact, from the rules alone."""

from r2n.explain.change import Change, smallest_change
from r2n.explain.reasons import Explanation, LiteralReason, RuleReason, explain

__all__ = ["Change", "Explanation", "LiteralReason", "RuleReason", "explain", "smallest_change"]
