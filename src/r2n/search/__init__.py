"""Crisp optimisation of a rule set: what the network found, finished."""

from r2n.search.descent import Move, descend
from r2n.search.front import Front, Point
from r2n.search.problem import Caps, Labelled, Prices, Problem, objective_of
from r2n.search.run import EXPLORED_ROWS, Plan, Refined, kept_within, refine, with_short_numbers
from r2n.search.screen import screen_columns

__all__ = [
    "EXPLORED_ROWS",
    "Caps",
    "Front",
    "Labelled",
    "Move",
    "Plan",
    "Point",
    "Prices",
    "Problem",
    "Refined",
    "descend",
    "kept_within",
    "objective_of",
    "refine",
    "screen_columns",
    "with_short_numbers",
]
