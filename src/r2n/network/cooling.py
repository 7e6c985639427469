"""How the temperature falls."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cooling:
    """τ = start · γ^epoch, never below the floor.

    >>> cooling = Cooling(start=1.0, gamma=0.995, floor=1e-4)
    >>> cooling.temperature(0), round(cooling.temperature(100), 3), cooling.temperature(9_999)
    (1.0, 0.606, 0.0001)
    """

    start: float = 1.0
    gamma: float = 0.995
    floor: float = 1e-4

    def temperature(self, epoch: int) -> float:
        """Return the temperature of an epoch, counted from 0."""
        return max(self.start * self.gamma**epoch, self.floor)
