"""The network alone on the synthetic examples: the default, or the paper's settings at their full budget.

    python -m benchmarks.paper --preset paper-synthetic --examples 1 5
    python -m benchmarks.paper --preset published-synthetic
    python -m benchmarks.paper --preset network --seeds 0 1 2 3 4
    python -m benchmarks.paper --page     # write docs/paper.md from the results

8,000 rows to learn from, 2,000 to test on. Appends to results/paper.jsonl.
"""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.fits import NETWORK_ALONE, learn, rules_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.command import main
from benchmarks.harness.origins import of_newest_origin
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record
from benchmarks.splits import Split, known_rule, sample_rows
from r2n import NetworkSettings, RuleSet, presets
from r2n.rewrite.cleanup import clean_up
from r2n.rules import Halfspace, Literal, Rule
from r2n.table import Table

PRESETS: dict[str, Mapping[str, Any]] = {
    "network": NETWORK_ALONE,
    "paper-synthetic": presets.PAPER_SYNTHETIC,
    "published-synthetic": presets.PUBLISHED_SYNTHETIC,
}


def cases(chosen: Namespace) -> list[Case]:
    return [
        Case({"preset": chosen.preset, "example": number, "seed": seed}, partial(run, chosen.preset, number, seed))
        for number in chosen.examples
        for seed in chosen.seeds
    ]


def run(preset: str, number: int, seed: int) -> Record:
    """One fit: what came out and what it cost."""
    rows, settings = sample_rows(known_rule(f"example {number}"), 8_000, 2_000, seed), PRESETS[preset]
    model, found = learn(rows, **settings, random_state=seed)
    steps = steps_of(settings)
    last = model.history_[-1]
    return {
        **found,
        "changed_rows": {step.name: step.changed_rows for step in model.steps_},
        "last_epoch_error": [round(float(error), 4) for error in np.sort(last.error)],
        "steps": steps,
        "microseconds_per_step": round(1e6 * found["seconds"] / steps, 2),
        **({"left_out": leave_out(rules_of(model), rows)} if preset == "published-synthetic" else {}),
    }


def exported(rules: RuleSet, share: float = 0.025) -> RuleSet:
    """As the authors' code exports them: without coefficients below this share of a sum's largest, nothing else."""
    lighter: dict[Literal, Literal] = {
        literal: Halfspace.of(
            [(key, a) for key, a in literal.terms if abs(a) >= share * max(abs(b) for _, b in literal.terms)],
            literal.threshold,
        )
        for literal in rules.literals
        if isinstance(literal, Halfspace)
    }
    return rules.with_rules(Rule(tuple(lighter.get(each, each) for each in rule.literals)) for rule in rules.rules)


def leave_out(rules: RuleSet, rows: Split) -> Record:
    """What leaving small coefficients out comes to on the rows to test on: as the authors do, and with the means in."""
    trained, tested = Table.read(rows.X), Table.read(rows.X_test)
    without = {"exported": exported(rules), "with_means": clean_up(rules, trained).rules}
    return {
        name: {"accuracy": float(np.mean(lighter.truth(tested) == rows.y_test)), "size": lighter.size}
        for name, lighter in without.items()
    }


def steps_of(preset: Mapping[str, Any]) -> int:
    """Of all restarts, on 8,000 rows."""
    network = preset.get("network", NetworkSettings())
    return int(network.epochs * network.restarts * -(-8_000 // network.batch_size))


def view() -> Mapping[str, Any]:
    """The paper's presets fit by fit, and the network alone example by example."""
    records = PAPER.newest()
    ours = [r for r in records if r["preset"] == "network"]
    alone = {number: of_newest_origin([r for r in ours if r["example"] == number]) for number in range(1, 6)}
    full = [r for r in records if r["preset"] in ("paper-synthetic", "published-synthetic")]
    return {"full": sorted(full, key=PAPER.key_of), "alone": alone}


PAPER = Benchmark(
    name="paper",
    about=__doc__,
    key=("preset", "example", "seed"),
    cases=cases,
    choices=(
        Choice("--preset", "settings", tuple(PRESETS), default="network", many=False),
        Choice("--examples", "known rules", (1, 2, 3, 4, 5), int, default=(1, 2, 3, 4, 5)),
        Choice("--seeds", "seeds of rows and learner", of=int, default=(0,)),
    ),
    pages=(Page("docs/paper.md", "paper.md.j2", view),),
)

if __name__ == "__main__":
    main(PAPER)
