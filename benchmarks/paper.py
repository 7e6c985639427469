"""The network alone on the synthetic examples: the default, or the paper's settings at their full budget.

    python -m benchmarks.paper --preset paper-synthetic --examples 1 5
    python -m benchmarks.paper --preset default --seeds 0 1 2 3 4

8,000 rows to learn from, 2,000 to test on. Appends to results/paper.jsonl.
"""

import argparse
import time
from typing import Any

import numpy as np

from benchmarks.records import append
from r2n import R2NClassifier, presets
from r2n.datasets import example

PRESETS = {
    "default": presets.DEFAULT,
    "paper-synthetic": presets.PAPER_SYNTHETIC,
    "paper-synthetic-scaled": presets.PAPER_SYNTHETIC_SCALED,
}


def run(preset: str, number: int, seed: int, progress: bool) -> dict[str, Any]:
    """One fit: what came out and what it cost."""
    X, y = example(number).sample(10_000, random_state=seed)
    settings = PRESETS[preset]
    start = time.perf_counter()
    model = R2NClassifier(**settings, random_state=seed, progress=progress).fit(X[:8_000], y[:8_000])
    seconds = time.perf_counter() - start
    steps = settings["epochs"] * settings["restarts"] * -(-8_000 // settings["batch_size"])
    last = model.history_[-1]
    return {
        "preset": preset,
        "example": number,
        "seed": seed,
        "accuracy": float(model.score(X[8_000:], y[8_000:])),
        "n_rules": model.rules_.n_rules,
        "literals_per_rule": model.rules_.literals_per_rule,
        "size": model.rules_.size,
        "rules": str(model.rules_),
        "changed_rows": {step.name: step.changed_rows for step in model.steps_},
        "last_epoch_error": [round(float(e), 4) for e in np.sort(last.error)],
        "steps": steps,
        "seconds": round(seconds, 1),
        "microseconds_per_step": round(1e6 * seconds / steps, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="default")
    parser.add_argument("--examples", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--progress", action="store_true")
    chosen = parser.parse_args()
    for number in chosen.examples:
        for seed in chosen.seeds:
            record = run(chosen.preset, number, seed, chosen.progress)
            append("paper", record)
            print(
                f"{chosen.preset}, example {number}, seed {seed}: accuracy {record['accuracy']:.4f}, "
                f"{record['n_rules']} rules of {record['literals_per_rule']:.1f} literals, "
                f"{record['seconds']} s for {record['steps']:,} steps",
                flush=True,
            )


if __name__ == "__main__":
    main()
