"""What training tells of each epoch. It is kept in models, which are read where there is no JAX."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Record:
    """One epoch of all restarts; the tuples have one entry per restart."""

    epoch: int
    temperature: float
    loss: tuple[float, ...]
    error: tuple[float, ...]  # of the crisp rule set, on the rows that judge
    n_rules: tuple[int, ...]
