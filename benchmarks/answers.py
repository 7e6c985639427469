"""What the learner answers besides the most accurate yes or no: distilled teachers, bounded gaps between groups.

    python -m benchmarks.answers distil          # boosting on Magic in at most six rules: how often they agree
    python -m benchmarks.answers gap             # Adult, selection rates by sex at most 0.08 apart, and not bounded
    python -m benchmarks.answers gap --seeds 900 # other folds: those that constants were chosen on

Appends to results/answers.jsonl.
"""

from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.fits import learn, rules_of, share_alike
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.command import main
from benchmarks.harness.records import Record
from benchmarks.splits import binary_fold_of

KEY = ("task", "table", "seed", "fold", "most")
FOLDS = 5
CHOSEN_ON, JUDGED_ON = 900, 2027  # random states of the folds: constants were chosen on the first alone


# -- a teacher, distilled ------------------------------------------------------------------------------


def distil(seeds: Iterable[int]) -> Iterator[Case]:
    for seed in seeds:
        for fold in range(FOLDS):
            told = {"task": "distil", "table": "magic", "seed": seed, "fold": fold}
            yield Case(told, partial(distil_boosting, "magic", fold, seed, max_rules=6))


def distil_boosting(name: str, fold: int, seed: int, **settings: Any) -> Record:
    """How often rules and the boosting that they were learned from agree on test rows."""
    rows = binary_fold_of(name, FOLDS, fold, seed)
    teacher = HistGradientBoostingClassifier(random_state=0).fit(rows.X, rows.y)
    model, found = learn(rows, teacher=teacher, random_state=0, **settings)
    said = teacher.predict(rows.X_test)
    return found | {
        "fidelity": share_alike(model.predict(rows.X_test), said),
        "fidelity_held_out": model.fidelity_,
        "teacher": share_alike(said, rows.y_test),
    }


# -- a bounded gap -------------------------------------------------------------------------------------


def gap(seeds: Iterable[int]) -> Iterator[Case]:
    for seed in seeds:
        for fold in range(FOLDS):
            for most in (None, 0.08):
                told = {"task": "gap", "table": "adult", "seed": seed, "fold": fold, "most": most}
                yield Case(told, partial(bound_gap, "adult", "sex", fold, seed, most))


def bound_gap(name: str, column: str, fold: int, seed: int, most: float | None) -> Record:
    """The gap in selection rate on test rows, and the accuracy it costs."""
    rows = binary_fold_of(name, FOLDS, fold, seed)
    bound = {"groups": [column]} if most is None else {"max_gap": {column: most}}
    model, found = learn(rows, random_state=0, **bound)
    said, values = rules_of(model).truth(rows.X_test), rows.X_test[column].to_numpy()
    shares = {str(value): float(said[values == value].mean()) for value in np.unique(values)}
    return found | {
        "gap": max(shares.values()) - min(shares.values()),
        "gap_held_out": model.groups_.gap(column),
        "shares": shares,
    }


# -- the benchmark -------------------------------------------------------------------------------------

PARTS: dict[str, Callable[[Iterable[int]], Iterator[Case]]] = {"distil": distil, "gap": gap}


def cases(chosen: Namespace) -> list[Case]:
    return list(PARTS[chosen.part](chosen.seeds))


ANSWERS = Benchmark(
    name="answers",
    about=__doc__,
    key=KEY,
    cases=cases,
    choices=(
        Choice("part", "what to run", tuple(PARTS), many=False),
        Choice("--seeds", f"random states of the folds, {JUDGED_ON} unless told", of=int, default=(JUDGED_ON,)),
    ),
)

if __name__ == "__main__":
    main(ANSWERS)
