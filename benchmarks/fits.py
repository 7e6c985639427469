"""r2n's learner, made, fitted and described in one place."""

from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import balanced_accuracy_score

from benchmarks.harness.clock import Spent, watch
from benchmarks.harness.records import Record
from benchmarks.splits import Split
from r2n import NetworkSettings, R2NClassifier, RuleSet

# What the network found, as it is.
NETWORK_ALONE: dict[str, Any] = {"effort": "none", "max_columns": None}
# What the search finds from no rules.
SEARCH_ALONE: dict[str, Any] = {"network": None}


def learner(**settings: Any) -> R2NClassifier:
    """The only place where benchmarks make r2n's learner.

    Settings are its parameters; those of the network go by their own names, as records and the protocol have them.
    """
    inner = {field.name for field in fields(NetworkSettings)}
    named = {f"network__{name}" if name in inner else name: value for name, value in settings.items()}
    return R2NClassifier().set_params(**named)


def fit(X: Any, y: Any, **settings: Any) -> tuple[R2NClassifier, Spent]:
    """A fitted learner, and what that took."""
    model = learner(**settings)
    with watch() as spent:
        model.fit(X, y)
    return model, spent


def learn(rows: Split, **settings: Any) -> tuple[R2NClassifier, Record]:
    """Fitted to the rows; and its accuracy on those to test on, what there is to read, and what it took."""
    model, spent = fit(rows.X, rows.y, **{**rows.settings, **settings})
    said = {"accuracy": float(model.score(rows.X_test, rows.y_test))}
    return model, {**said, **described(rules_of(model)), **time_of(spent)}


def rules_of(model: R2NClassifier) -> RuleSet:
    """Of a learner of two classes."""
    assert isinstance(model.rules_, RuleSet), "rules of more than two classes have no one size"
    return model.rules_


def described(rules: RuleSet) -> Record:
    """What there is to read."""
    return {
        "n_rules": rules.n_rules,
        "literals_per_rule": rules.literals_per_rule,
        "size": rules.size,
        "most_columns": max((literal.size for literal in rules.literals), default=0),
        "rules": str(rules),
    }


def time_of(spent: Spent, digits: int = 2) -> Record:
    """Seconds by the clock on the wall, and of all processes."""
    return {"seconds": round(spent.seconds, digits), "cpu": round(spent.cpu, digits)}


# -- judging -------------------------------------------------------------------------------------------


def share_alike(said: ArrayLike, true: ArrayLike) -> float:
    """The share of rows in which both have the same label; labels of two kinds never are the same, and are refused.

    >>> share_alike([True, False], [True, True])
    0.5
    """
    mine, others = np.asarray(said), np.asarray(true)
    if mine.shape != others.shape:
        raise ValueError(f"{len(mine)} labels cannot be compared with {len(others)}.")
    kinds = [{type(label) for label in labels.tolist()} for labels in (mine, others)]
    if kinds[0].isdisjoint(kinds[1]):
        names = [", ".join(sorted(kind.__name__ for kind in each)) for each in kinds]
        raise TypeError(f"labels of type {names[0]} cannot be compared with labels of type {names[1]}.")
    return float(np.mean(mine == others))


def score_balanced(said: ArrayLike, true: ArrayLike) -> float:
    """The mean over the classes of the share of their rows that is right."""
    return float(balanced_accuracy_score(true, said))


def same_structure(found: RuleSet, true: RuleSet) -> bool:
    """The same number of rules and literals, and the same columns in each literal."""

    def shape(rules: RuleSet) -> list[list[tuple[str, ...]]]:
        return sorted(sorted(tuple(sorted(literal.columns)) for literal in rule.literals) for rule in rules.rules)

    return shape(found) == shape(true)
