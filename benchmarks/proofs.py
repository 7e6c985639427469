"""What proven simplification costs: 50 rules, 200 literals, 20 columns.

python -m benchmarks.proofs           # about two minutes; writes results/proofs.jsonl and the table of docs/proofs.md
python -m benchmarks.proofs --table   # only write the newest results into docs/proofs.md
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.origins import Legend
from benchmarks.records import append, grid, read
from r2n.prove import Domain, prove_simpler
from r2n.rules import Halfspace, Literal, Membership, Rule, RuleSet

PAGE = Path(__file__).parent.parent / "docs" / "proofs.md"
MARK = "<!-- made by benchmarks/proofs.py -->"
NUMBERS, COUNTS, SETS = [f"x{k}" for k in range(12)], [f"n{k}" for k in range(5)], [f"c{k}" for k in range(3)]
LETTERS = "abcdef"

CLOSED = Domain.parse(
    "\n".join(
        [f"{name}: -5..5 known" for name in NUMBERS]
        + [f"{name}: integer -5..5 known" for name in COUNTS]
        + [f"{name}: {{a, b, c, d, e, f}} known" for name in SETS]
    )
)
OPEN = Domain(tuple((name, type(values)(values.low, values.high, values.integer)) for name, values in CLOSED.columns))
DOMAINS = {"ranges known, nothing missing": CLOSED, "ranges known, any may be missing": OPEN, "none": Domain()}


def random_literal(random: Random, columns: list[str]) -> Literal:
    """One to three numbers, or a set."""
    if random.random() < 0.2:
        values = tuple(random.sample(LETTERS, random.choice([2, 3, 4])))
        return Membership(random.choice(SETS), values, random.random() < 0.3)
    names = random.sample(columns, random.choice([1, 1, 2, 2, 3]))
    weights = [1.0, *(round(random.choice([1, -1]) * random.uniform(0.2, 2.0), 2) for _ in names[1:])]
    sign = random.choice([1.0, -1.0])
    terms = {name: sign * a for name, a in zip(names, weights, strict=True)}
    return Halfspace.of(terms, round(random.uniform(-3.0, 3.0), 1))


def unrelated(random: Random) -> RuleSet:
    """Rules that have little to do with each other: nearly nothing can go, and all of it must be shown."""
    rules = (Rule(tuple(random_literal(random, NUMBERS + COUNTS) for _ in range(4))) for _ in range(50))
    return RuleSet(tuple(rules), "yes", "no")


def crowded(random: Random) -> RuleSet:
    """The same over four numbers and the sets: rules overlap everywhere."""
    rules = (Rule(tuple(random_literal(random, NUMBERS[:2] + COUNTS[:2]) for _ in range(4))) for _ in range(50))
    return RuleSet(tuple(rules), "yes", "no")


def redundant(random: Random) -> RuleSet:
    """20 rules of three literals; to half of them a literal that sums up two others, and 30 rules that they cover."""
    rules = []
    for _ in range(20):
        names = random.sample(NUMBERS + COUNTS, 3)
        bounds = [Halfspace.of({name: 1.0}, round(random.uniform(0.0, 3.0), 1)) for name in names]
        rules.append(Rule(tuple(bounds)))
    longer = [Rule((*rule.literals, _implied(rule, random))) for rule in rules[:10]]
    covered = [Rule((*random.choice(rules).literals, random_literal(random, NUMBERS))) for _ in range(30)]
    return RuleSet((*longer, *rules[10:], *covered), "yes", "no")


def _implied(rule: Rule, random: Random) -> Literal:
    first, second = (literal for literal in rule.literals[:2] if isinstance(literal, Halfspace))
    terms = {first.columns[0]: 1.0, second.columns[0]: 1.0}
    return Halfspace.of(terms, round(first.threshold + second.threshold - random.uniform(0.1, 1.0), 1))


KINDS = {"unrelated": unrelated, "crowded": crowded, "redundant": redundant}


def measure(seeds: int) -> Iterator[dict[str, Any]]:
    """Every kind of rules on every domain."""
    prove_simpler(RuleSet.parse("yes if x + y > 1 and x - y > 1 else no"))  # loads the solver
    for kind, make in KINDS.items():
        for title, domain in DOMAINS.items():
            runs = [measure_one(make(Random(seed)), domain) for seed in range(seeds)]
            median = {key: float(np.median([run[key] for run in runs])) for key in runs[0]}
            yield {"kind": kind, "domain": title, "seeds": seeds, **median, "slowest": max(r["cpu"] for r in runs)}


def measure_one(rules: RuleSet, domain: Domain) -> dict[str, float]:
    """One simplification: how long, and what is left."""
    began, cpu = time.perf_counter(), time.process_time()
    shorter = prove_simpler(rules, domain, time_limit=60.0)
    return {
        "seconds": round(time.perf_counter() - began, 2),
        "cpu": round(time.process_time() - cpu, 2),
        "rules": rules.n_rules,
        "literals": sum(len(rule.literals) for rule in rules.rules),
        "rules_left": shorter.n_rules,
        "literals_left": sum(len(rule.literals) for rule in shorter.rules),
    }


def table() -> str:
    """The newest results, in Markdown."""
    newest = {(r["kind"], r["domain"]): r for r in read("proofs")}
    legend = Legend()
    head = ("rules", "domain", "of", "rules, literals before", "after", "CPU seconds", "slowest")
    rows = [
        (kind, domain, legend.mark([r]), f"{r['rules']:g}, {r['literals']:g}",
         f"{r['rules_left']:g}, {r['literals_left']:g}", f"{r['cpu']:.1f}", f"{r['slowest']:.1f}")
        for (kind, domain), r in newest.items()
    ]  # fmt: skip
    return "\n".join([*grid(head, rows), *legend.lines("### What made these figures")])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", action="store_true", help="only write docs/proofs.md from the newest results")
    parser.add_argument("--seeds", type=int, default=5, help="rule sets of each kind; medians are shown")
    chosen = parser.parse_args()
    if not chosen.table:
        for record in measure(chosen.seeds):
            append("proofs", record)
            print(record, flush=True)
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text[: text.index(MARK)] + f"{MARK}\n\n{table()}", encoding="utf-8")


if __name__ == "__main__":
    main()
