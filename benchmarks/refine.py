"""What refinement recovers and reaches: known rules under stress, and the real tables.

    python -m benchmarks.refine known            # examples 1-5 and the toy rule, seeds 0-9
    python -m benchmarks.refine stress           # flipped labels, few rows, idle or correlated columns, harder rules
    python -m benchmarks.refine real magic       # 5-fold cross-validation; names of tables, or none for all four
    python -m benchmarks.refine page             # write docs/refine.md from the results

Appends to results/refine.jsonl.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from benchmarks.records import append, read
from r2n import R2NClassifier, RuleSet
from r2n.datasets import KnownRule, example, load_table, toy

PAGE = Path(__file__).parent.parent / "docs" / "refine.md"
MOST_RULES = {"magic": 6, "house": 5, "heloc": 3, "adult": 2}


def same_structure(found: RuleSet, true: RuleSet) -> bool:
    """The same number of rules and literals, and the same columns in each literal."""

    def shape(rules: RuleSet) -> list[list[tuple[str, ...]]]:
        return sorted(sorted(tuple(sorted(literal.columns)) for literal in rule.literals) for rule in rules.rules)

    return shape(found) == shape(true)


def learn(
    task: str, known: KnownRule, seed: int, X: NDArray[Any], y: NDArray[Any], X_test: NDArray[Any], y_test: NDArray[Any]
) -> dict[str, Any]:
    start = time.perf_counter()
    model = R2NClassifier(random_state=seed).fit(X, y)
    seconds = time.perf_counter() - start
    return {
        "task": task,
        "rule": known.name,
        "seed": seed,
        "accuracy": float(model.score(X_test, y_test)),
        "structure": same_structure(model.rules_, known.rules),
        "n_rules": model.rules_.n_rules,
        "size": model.rules_.size,
        "true_size": known.rules.size,
        "seconds": round(seconds, 2),
        "rules": str(model.rules_),
    }


def known_rules(seeds: range) -> Iterator[dict[str, Any]]:
    for known in (*(example(k) for k in range(1, 6)), toy()):
        for seed in seeds:
            X, y = known.sample(10_000, random_state=seed)
            yield learn("known", known, seed, X[:8_000], y[:8_000], X[8_000:], y[8_000:])


def stress(seeds: range) -> Iterator[dict[str, Any]]:
    """Labels flipped, few rows, columns that do not matter, columns that go together: judged on clean rows."""
    for known in (example(4), example(5)):
        for seed in seeds:
            clean, y_clean = known.sample(2_000, random_state=1_000 + seed)
            for flip in (0.1, 0.2):
                X, y = known.sample(8_000, random_state=seed, flip=flip)
                yield learn(f"{flip:.0%} flipped", known, seed, X, y, clean, y_clean)
            X, y = known.sample(1_000, random_state=seed)
            yield learn("1,000 rows", known, seed, X, y, clean, y_clean)
            X, y = known.sample(8_000, random_state=seed)
            idle = np.random.default_rng(seed).random((10_000, 8))
            yield learn("8 idle columns", known, seed, np.c_[X, idle[:8_000]], y, np.c_[clean, idle[8_000:]], y_clean)
            X, X_test = (correlated(n, seed + n) for n in (8_000, 2_000))
            yield learn("correlated, 0.9", known, seed, X, known.rules.truth(X), X_test, known.rules.truth(X_test))
    for seed in seeds:
        known = harder(seed)
        X, X_test = (np.random.default_rng(seed + n).random((n, 10)) for n in (8_000, 2_000))
        yield learn("5 rules of 3 literals", known, seed, X, known.rules.truth(X), X_test, known.rules.truth(X_test))


def correlated(n: int, seed: int) -> NDArray[np.float64]:
    """Five uniform columns with pairwise correlation of about 0.9, by a common factor."""
    from scipy.stats import norm

    rng = np.random.default_rng(seed)
    shared = rng.normal(size=(n, 1))
    mixed = np.sqrt(0.9) * shared + np.sqrt(0.1) * rng.normal(size=(n, 5))
    return np.asarray(np.clip(norm.cdf(mixed), 1e-9, 1.0))


def harder(seed: int) -> KnownRule:
    """Five rules of three literals over ten columns: one literal of three columns and two of one in each."""
    rng = np.random.default_rng(seed)
    texts = []
    for _ in range(5):
        a, b, c, d, e = rng.permutation(10)[:5]
        sign = rng.choice(["<", ">"], 2)
        bounds = [0.55 if s == "<" else 0.45 for s in sign]
        weights = np.round(rng.uniform(0.4, 1.0, 2), 1)
        middle = round(0.5 * (1 + weights.sum()) * 1.1, 2)
        texts.append(
            f"x{a} + {weights[0]}·x{b} + {weights[1]}·x{c} > {middle} "
            f"and x{d} {sign[0]} {bounds[0]} and x{e} {sign[1]} {bounds[1]}"
        )
    return KnownRule(f"harder {seed}", RuleSet.parse(f"True if {' or '.join(texts)} else False"))


def real(name: str) -> Iterator[dict[str, Any]]:
    table = load_table(name)
    table = table.complete() if name == "adult" else table
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    for fold, (train, test) in enumerate(folds.split(table.X, table.y)):
        start = time.perf_counter()
        model = R2NClassifier(positive=table.positive, max_rules=MOST_RULES[name], random_state=0)
        model.fit(table.X.iloc[train], table.y[train])
        seconds = time.perf_counter() - start
        yield {
            "task": "real",
            "table": name,
            "fold": fold,
            "accuracy": float(model.score(table.X.iloc[test], table.y[test])),
            "n_rules": model.rules_.n_rules,
            "literals_per_rule": model.rules_.literals_per_rule,
            "size": model.rules_.size,
            "most_columns": max((literal.size for literal in model.rules_.literals), default=0),
            "seconds": round(seconds, 1),
            "rules": str(model.rules_),
        }


def page() -> str:
    """docs/refine.md, from the newest result of each cell."""
    cells = ("task", "rule", "table", "seed", "fold")
    newest = {tuple(r.get(cell) for cell in cells): r for r in read("refine")}
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for (task, rule, table, *_), record in newest.items():
        groups[task, table or ("harder" if rule.startswith("harder") else rule)].append(record)
    lines = [
        "# What refinement recovers and reaches",
        "",
        "Made by `python -m benchmarks.refine`. Known rules: 8,000 rows to learn from unless said otherwise, 2,000",
        "clean rows to test on. *Structure*: exactly the true number of rules and literals, and the true columns in",
        "each literal.",
        "",
        "| task | rule | seeds | structure found | mean accuracy | least | size / true size | seconds, median | most |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (task, name), records in groups.items():
        if task == "real":
            continue
        accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
        ratio = np.mean([r["size"] / r["true_size"] for r in records])
        lines.append(
            f"| {task} | {name} | {len(records)} | {sum(r['structure'] for r in records)} | {np.mean(accuracy):.4f} "
            f"| {min(accuracy):.4f} | {ratio:.2f} | {np.median(seconds):.1f} | {max(seconds):.1f} |"
        )
    lines += [
        "",
        "Real tables, 5-fold cross-validation, at most 4 columns in a literal, `max_rules` as given; Adult is its",
        "30,162 complete rows, HELOC its 10,459 rows with special codes as numbers.",
        "",
        "| table | max_rules | folds | accuracy | deviation | rules | literals | size | seconds, median | most |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for (task, name), records in groups.items():
        if task != "real":
            continue
        accuracy, seconds = [r["accuracy"] for r in records], [r["seconds"] for r in records]
        means = [np.mean([r[key] for r in records]) for key in ("n_rules", "literals_per_rule", "size")]
        lines.append(
            f"| {name} | {MOST_RULES[name]} | {len(records)} | {np.mean(accuracy):.4f} | {np.std(accuracy):.4f} "
            f"| {means[0]:.1f} | {means[1]:.1f} | {means[2]:.1f} | {np.median(seconds):.0f} | {max(seconds):.0f} |"
        )
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["known", "stress", "real", "page"])
    parser.add_argument("tables", nargs="*", choices=[*MOST_RULES, []], help="which real tables")
    parser.add_argument("--seeds", type=int, default=10, help="how many seeds, from 0")
    chosen = parser.parse_args()
    seeds = range(chosen.seeds)
    runs = {
        "known": lambda: known_rules(seeds),
        "stress": lambda: stress(seeds),
        "real": lambda: (record for name in chosen.tables or MOST_RULES for record in real(name)),
        "page": lambda: iter(()),
    }
    for record in runs[chosen.what]():
        append("refine", record)
        print({key: value for key, value in record.items() if key != "rules"}, flush=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
