"""The fronts of all classes that have rules, as one: its rows are what `pick` takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, overload

from r2n.search import Front, Point

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False)
class Fronts(Sequence[Point]):
    """For every class that has rules and every size the best rule set found; one row for each.

    Rows of one class stand together, in ascending size. Two classes have one front, that of the class which the rules
    describe. `front[i].rules.label` is the class of row i.

    Parameters
    ----------
    fronts : tuple of Front
        One for each class that has rules; without points if none were found before a Ctrl-C.
    """

    fronts: tuple[Front, ...]

    @classmethod
    def of(cls, fronts: Iterable[Front | None]) -> Fronts:
        """Of a class that has no front the rows are missing."""
        return cls(tuple(Front() if front is None else front for front in fronts))

    def __len__(self) -> int:
        return sum(map(len, self.fronts))

    def __iter__(self) -> Iterator[Point]:
        return (point for front in self.fronts for point in front)

    @overload
    def __getitem__(self, i: int) -> Point: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[Point, ...]: ...
    def __getitem__(self, i: int | slice) -> Point | tuple[Point, ...]:
        return tuple(self)[i]

    def row(self, k: int, i: int) -> int:
        """Where the i-th point of the k-th class stands."""
        return sum(map(len, self.fronts[:k])) + i

    def place(self, row: int) -> tuple[int, int]:
        """Which class and which of its points stand there; the reverse of `row`."""
        return [(k, i) for k, front in enumerate(self.fronts) for i in range(len(front))][row]

    def frame(self) -> pd.DataFrame:
        """As a pandas frame, one row a point."""
        import pandas as pd

        return pd.DataFrame(
            {
                "label": [p.rules.label for p in self],
                "size": [p.size for p in self],
                "n_rules": [p.rules.n_rules for p in self],
                "literals_per_rule": [p.rules.literals_per_rule for p in self],
                "train_score": [p.train_score for p in self],
                "held_out_score": [p.held_out_score for p in self],
                "rules": [str(p.rules) for p in self],
            }
        )

    def __repr__(self) -> str:
        several = len(self.fronts) > 1
        lines = ["  i  size  rules  literals   train  held out" + "  label" * several]
        for i, p in enumerate(self):
            literals = sum(len(rule.literals) for rule in p.rules.rules)
            counts = f"{i:3d}  {p.size:4d}  {p.rules.n_rules:5d}  {literals:8d}"
            label = f"    {p.rules.label}" if several else ""
            lines.append(f"{counts}  {p.train_score:.4f}    {p.held_out_score:.4f}{label}")
        return "\n".join(lines)
