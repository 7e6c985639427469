"""The crisp rule language: literals, rules, rule sets, their text and their files. numpy only."""

from r2n.rules.anyrules import AnyRules
from r2n.rules.classes import ClassRules, Model
from r2n.rules.counts import Baseline, RuleCount, Tally
from r2n.rules.expert import doubts, read_knowledge
from r2n.rules.floats import shortest_between
from r2n.rules.knowledge import NOTHING, Knowledge
from r2n.rules.levels import LevelRules
from r2n.rules.literals import Halfspace, Known, Literal, Membership, Missing, sets_of
from r2n.rules.modelfile import load, save
from r2n.rules.names import natural_key
from r2n.rules.parse import parse_class_rules, parse_literal, parse_rule, parse_ruleset
from r2n.rules.rename import rename_columns
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.terms import Filled, Key, column_of, term_values, unfilled

__all__ = [
    "NOTHING",
    "AnyRules",
    "Baseline",
    "ClassRules",
    "Filled",
    "Halfspace",
    "Key",
    "Knowledge",
    "Known",
    "LevelRules",
    "Literal",
    "Membership",
    "Missing",
    "Model",
    "Rule",
    "RuleCount",
    "RuleSet",
    "Tally",
    "column_of",
    "doubts",
    "load",
    "natural_key",
    "parse_class_rules",
    "parse_literal",
    "parse_rule",
    "parse_ruleset",
    "read_knowledge",
    "rename_columns",
    "save",
    "sets_of",
    "shortest_between",
    "term_values",
    "unfilled",
]
