"""How sure a share is that was counted on rows: Wilson's interval."""

from __future__ import annotations

import math

_Z = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations


def wilson(right: float, n: float) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share, of which `right` of `n` rows were seen; (0, 1) if there are none.

    >>> low, high = wilson(8, 10)
    >>> round(low, 4), round(high, 4), wilson(0, 0)
    (0.4902, 0.9433, (0.0, 1.0))
    """
    if n <= 0.0:
        return 0.0, 1.0
    share, spread = right / n, _Z * _Z / n
    middle = (share + spread / 2.0) / (1.0 + spread)
    reach = math.sqrt(share * (1.0 - share) * spread + spread * spread / 4.0) / (1.0 + spread)
    return max(0.0, middle - reach), min(1.0, middle + reach)
