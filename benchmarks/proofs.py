"""What proven simplification costs: 50 rules, 200 literals, 20 columns.

    python -m benchmarks.proofs           # what is missing, about two minutes in all
    python -m benchmarks.proofs --page    # only write the newest results into docs/proofs.md

Appends to results/proofs.jsonl.
"""

from argparse import Namespace
from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

import numpy as np

from benchmarks.fits import time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import watch
from benchmarks.harness.command import main
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record
from r2n.prove import Domain, prove_simpler
from r2n.rules import Halfspace, Literal, Membership, Rule, RuleSet

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


def cases(chosen: Namespace) -> list[Case]:
    """Every kind of rules on every domain."""
    return [
        Case({"kind": kind, "domain": domain}, partial(measure, kind, domain, chosen.seeds))
        for kind in KINDS
        for domain in DOMAINS
    ]


def measure(kind: str, domain: str, seeds: list[int]) -> Record:
    """Rule sets of some seeds: medians, and the slowest."""
    prove_simpler(RuleSet.parse("yes if x + y > 1 and x - y > 1 else no"))  # loads the solver
    runs = [measure_one(KINDS[kind](Random(seed)), DOMAINS[domain]) for seed in seeds]
    median = {key: float(np.median([run[key] for run in runs])) for key in runs[0]}
    return {"seeds": len(seeds), **median, "slowest": max(run["cpu"] for run in runs)}


def measure_one(rules: RuleSet, domain: Domain) -> Record:
    """One simplification: how long, and what is left."""
    with watch() as spent:
        shorter = prove_simpler(rules, domain, time_limit=60.0)
    return {
        **time_of(spent),
        "rules": rules.n_rules,
        "literals": sum(len(rule.literals) for rule in rules.rules),
        "rules_left": shorter.n_rules,
        "literals_left": sum(len(rule.literals) for rule in shorter.rules),
    }


def view() -> Mapping[str, Any]:
    """The newest of each, in the order of their declaration."""
    order = [(kind, domain) for kind in KINDS for domain in DOMAINS]
    return {"records": sorted(PROOFS.newest(), key=lambda r: order.index((r["kind"], r["domain"])))}


PROOFS = Benchmark(
    name="proofs",
    about=__doc__,
    key=("kind", "domain"),
    cases=cases,
    choices=(Choice("--seeds", "of the rule sets of each kind; medians are shown", of=int, default=range(5)),),
    pages=(Page("docs/proofs.md", "proofs.md.j2", view, part=True),),
)

if __name__ == "__main__":
    main(PROOFS)
