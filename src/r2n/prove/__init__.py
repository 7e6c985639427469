"""Proofs about rules: what is true of every row that can come. scipy, loaded when a proof is asked for."""

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
