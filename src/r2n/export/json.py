"""The model file: the very text that `RuleSet.save` writes and `r2n.load` reads."""

from __future__ import annotations

from r2n.rules import ClassRules, RuleSet
from r2n.rules.modelfile import to_text

SUFFIX = ".json"


def write(rules: RuleSet | ClassRules) -> str:
    """The content of a model file."""
    return to_text(rules)
