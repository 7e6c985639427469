"""Crisp optimisation of a rule set: what the network found, finished."""

from r2n.search.chances import cut_chances, estimate_chances
from r2n.search.clock import Clock
from r2n.search.descent import Move, descend
from r2n.search.finish import Refined
from r2n.search.front import Front, Point
from r2n.search.limits import kept_within
from r2n.search.plan import EVEN, Caps, Plan
from r2n.search.problem import Labelled, Prices, Problem
from r2n.search.screen import screen_columns
from r2n.search.shorten import with_short_numbers
from r2n.search.stages import refine
from r2n.search.teacher import mix_labels
from r2n.search.threshold import weigh

__all__ = [
    "EVEN",
    "Caps",
    "Clock",
    "Front",
    "Labelled",
    "Move",
    "Plan",
    "Point",
    "Prices",
    "Problem",
    "Refined",
    "cut_chances",
    "descend",
    "estimate_chances",
    "kept_within",
    "mix_labels",
    "refine",
    "screen_columns",
    "weigh",
    "with_short_numbers",
]
