"""The network alone on the synthetic examples: the default, or the paper's settings at their full budget.

    python -m benchmarks.paper --preset paper-synthetic --examples 1 5
    python -m benchmarks.paper --preset network --seeds 0 1 2 3 4

    python -m benchmarks.paper --page     # write docs/paper.md from the results

8,000 rows to learn from, 2,000 to test on. Appends to results/paper.jsonl.
"""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.origins import Legend, newest, of_newest_origin
from benchmarks.records import append, read
from benchmarks.summary import Evaluation
from r2n import R2NClassifier, presets
from r2n.datasets import example

PAGE = Path(__file__).parent.parent / "docs" / "paper.md"
PRESETS = {
    "network": {**presets.DEFAULT, "effort": "none", "max_columns": None},
    "paper-synthetic": presets.PAPER_SYNTHETIC,
}


def run(preset: str, number: int, seed: int, progress: bool) -> dict[str, Any]:
    """One fit: what came out and what it cost."""
    X, y = example(number).sample(10_000, random_state=seed)
    settings = PRESETS[preset]
    start = time.perf_counter()
    model = R2NClassifier(**settings, random_state=seed, progress=progress).fit(X[:8_000], y[:8_000])
    seconds = time.perf_counter() - start
    steps = steps_of(settings)
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


def published() -> list[dict[str, Any]]:
    """The first seed of what the whole evaluation has of the settings of the authors' published code."""
    steps = steps_of(presets.PUBLISHED_SYNTHETIC)
    evaluation = Evaluation()
    summaries = {k: evaluation.of("known", f"example {k}", "paper") for k in range(1, 6)}
    return [
        record
        | {
            "preset": "published-synthetic",
            "example": k,
            "microseconds_per_step": round(1e6 * record["seconds"] / steps, 2),
        }
        for k, summary in summaries.items()
        for record in summary.done
        if record["repeat"] == 0
    ]


def steps_of(preset: Mapping[str, Any]) -> int:
    """Of all restarts, on 8,000 rows."""
    return int(preset["epochs"] * preset["restarts"] * -(-8_000 // preset["batch_size"]))


def page() -> str:
    """docs/paper.md: the newest result of every preset, example and seed."""
    legend, records = Legend(), newest(read("paper"), lambda r: (r["preset"], r["example"], r["seed"]))
    ours = [r for r in records if r["preset"] == "network"]
    alone = [of_newest_origin([r for r in ours if r["example"] == number]) for number in range(1, 6)]
    printed = [r for r in records if r["preset"] == "paper-synthetic"]
    full = [*printed, *published()]
    lines = [
        "# The paper's settings, and ours",
        "",
        "Made by `python -m benchmarks.paper`. 8,000 rows to learn from, 2,000 others to test on; the network, its",
        "clean-up and rounding.",
        "",
        "## Appendix C at its full budget",
        "",
        "m = 10, J = 25, λ = 10⁻², batch 100, Adam 10⁻³, γ = 0.995 to τ = 10⁻⁴, 25 restarts of 10⁴ epochs, of the",
        "cold ones that of the lowest training loss: 2·10⁷ steps. `paper-synthetic` has the loss as printed, plain",
        "sums of the 1-norms, and OR as maximum; `published-synthetic` divides the penalties by J and has the clamped",
        "sum as OR, as in the authors' published code.",
        "",
        "| preset | example | of | accuracy | rules × literals | size | seconds | µs a step |",
        "|---|---|---|---|---|---|---|---|",
        *(
            f"| {r['preset']} | {r['example']} | {legend.mark([r])} | {r['accuracy']:.4f} "
            f"| {r['n_rules']} × {r['literals_per_rule']:.1f} | {r['size']} | {r['seconds']:.0f} "
            f"| {r['microseconds_per_step']} |"
            for r in full
        ),
        "",
        "**The loss as printed collapses**: each of the 250 weights of the AND layer costs 0.01 at once, more than the",
        "error of a constant. The paper prints 1.00 and 0.99 for these examples, which its printed loss does not",
        "reach here. With the two changes the same budget comes close; [results.md](results.md) has three seeds.",
        "",
        "What it learned:",
        "",
    ]
    for r in full:
        lines += [f"`{r['preset']}`, example {r['example']}:", "", "```", r["rules"], "```", ""]
    lines += [
        "## Our default, without refinement",
        "",
        "OR as clamped sum, penalties divided by J, standardised columns, batch 200, Adam 10⁻², γ = 0.966 to τ = 10⁻³,",
        "5 restarts of 200 epochs, the epoch of the best crisp rules on 20 % of the rows held out: 4·10⁴ steps.",
        "",
        "| example | of | seeds | mean accuracy | least | rules | literals a rule | seconds, median |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for number, records in enumerate(alone, start=1):
        accuracy = [r["accuracy"] for r in records]
        lines.append(
            f"| {number} | {legend.mark(records)} | {len(records)} | {np.mean(accuracy):.4f} | {min(accuracy):.4f} "
            f"| {np.mean([r['n_rules'] for r in records]):.1f} "
            f"| {np.mean([r['literals_per_rule'] for r in records]):.1f} "
            f"| {np.median([r['seconds'] for r in records]):.1f} |"
        )
    return "\n".join([*lines, "", *legend.lines()])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--preset", choices=PRESETS, default="network")
    parser.add_argument("--examples", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--progress", action="store_true")
    parser.add_argument("--page", action="store_true", help="only write docs/paper.md from the results")
    chosen = parser.parse_args()
    if chosen.page:
        PAGE.write_text(page(), encoding="utf-8")
        return
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
