"""The warning after a Ctrl-C."""

from __future__ import annotations

from collections.abc import Mapping

from r2n.learn.learned import Learned
from r2n.table import Value

NOT_BEGUN = "not begun"  # nothing was found for this class before a Ctrl-C
MOST_NAMED = 10  # classes in a message


def describe_interruption(learned: Mapping[Value, Learned], late: bool) -> str:
    """Say how far each class came before a Ctrl-C; "" if there was none. `late`: it came when all rules were found."""
    cut = {label: one.interrupted for label, one in learned.items() if one.interrupted}
    if not cut:
        return "interrupted when all rules were found; none is missing." if late else ""
    if len(learned) == 1:
        return f"{next(iter(cut.values()))}; the rules are the best found until then."
    begun = {label: where for label, where in cut.items() if where != NOT_BEGUN}
    parts = [f"{where} (class {label!r}, with its best rules until then)" for label, where in begun.items()]
    for labels, state in (
        ([label for label in learned if label not in cut], "finished"),
        ([label for label in cut if label not in begun], "without rules"),
    ):
        if labels:
            parts.append(f"{state}: {', '.join(map(repr, labels[:MOST_NAMED]))}{', …' * (len(labels) > MOST_NAMED)}")
    return f"{'' if begun else 'interrupted between classes; '}{'; '.join(parts)}."
