"""Data to learn from: rules whose truth is known, and the four real tables of the paper's evaluation."""

from r2n.datasets.known import KnownRule, example, toy
from r2n.datasets.real import TABLES, RealTable, available, load_table

__all__ = ["TABLES", "KnownRule", "RealTable", "available", "example", "load_table", "toy"]
