"""Proofs about rules on every row that can occur. scipy is loaded by the first proof."""

from r2n.prove.diff import Diff, RowDiff, diff
from r2n.prove.domain import Domain, Row
from r2n.prove.equivalence import Equivalence, equivalent
from r2n.prove.search import Answer, find_row
from r2n.prove.simplify import PROOFS, Prover, prove_simpler
from r2n.prove.values import Values

__all__ = [
    "PROOFS",
    "Answer",
    "Diff",
    "Domain",
    "Equivalence",
    "Prover",
    "Row",
    "RowDiff",
    "Values",
    "diff",
    "equivalent",
    "find_row",
    "prove_simpler",
]
