"""The crisp rule language: literals, rules, rule sets, their text and their files. numpy only."""

from r2n.rules.baseline import Baseline, Counted
from r2n.rules.classes import ClassRules
from r2n.rules.cleanup import Cleaned, Step, clean_up
from r2n.rules.diff import Diff, RowDiff, diff
from r2n.rules.domain import Domain, Row, Values
from r2n.rules.drift import Check, RuleDrift, check
from r2n.rules.equivalence import Equivalence, equivalent
from r2n.rules.expand import expanded
from r2n.rules.floats import shortest_between
from r2n.rules.knowledge import NOTHING, Knowledge, doubts, read_knowledge
from r2n.rules.literals import (
    Filled,
    Halfspace,
    Key,
    Known,
    Literal,
    Membership,
    Missing,
    column_of,
    natural_key,
    sets_of,
    term_values,
    unfilled,
)
from r2n.rules.logic import contradicts, implies
from r2n.rules.measures import Measures, RuleMeasure, measure
from r2n.rules.modelfile import load, save
from r2n.rules.parse import parse_class_rules, parse_literal, parse_rule, parse_ruleset
from r2n.rules.programs import Answer, find_row
from r2n.rules.proofs import PROOFS, Prover, prove_simpler
from r2n.rules.rounded import Rounded, rounded
from r2n.rules.rounding import round_predictions, round_ruleset
from r2n.rules.ruleset import Rule, RuleSet
from r2n.rules.simplify import PASSES, simplify

__all__ = [
    "NOTHING",
    "PASSES",
    "PROOFS",
    "Answer",
    "Baseline",
    "Check",
    "ClassRules",
    "Cleaned",
    "Counted",
    "Diff",
    "Domain",
    "Equivalence",
    "Filled",
    "Halfspace",
    "Key",
    "Knowledge",
    "Known",
    "Literal",
    "Measures",
    "Membership",
    "Missing",
    "Prover",
    "Rounded",
    "Row",
    "RowDiff",
    "Rule",
    "RuleDrift",
    "RuleMeasure",
    "RuleSet",
    "Step",
    "Values",
    "check",
    "clean_up",
    "column_of",
    "contradicts",
    "diff",
    "doubts",
    "equivalent",
    "expanded",
    "find_row",
    "implies",
    "load",
    "measure",
    "natural_key",
    "parse_class_rules",
    "parse_literal",
    "parse_rule",
    "parse_ruleset",
    "prove_simpler",
    "read_knowledge",
    "round_predictions",
    "round_ruleset",
    "rounded",
    "save",
    "sets_of",
    "shortest_between",
    "simplify",
    "term_values",
    "unfilled",
]
