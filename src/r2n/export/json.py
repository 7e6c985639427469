"""The model file: the very text that `RuleSet.save` writes and `r2n.load` reads."""

from __future__ import annotations

from r2n.rules import AnyRules
from r2n.rules.modelfile import to_text

SUFFIX = ".json"
HOLDS_LEVELS = True


def write(rules: AnyRules) -> str:
    """The content of a model file."""
    return to_text(rules)
