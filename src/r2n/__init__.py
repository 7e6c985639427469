"""r2n learns classification rules that a person can read, check, edit and ship.

>>> from r2n import RuleSet
>>> rules = RuleSet.parse("approve if income - 2.1·debt > 12.5 or savings > 40 else refuse")
>>> rules.predict({"income": [20, 20], "debt": [1, 9], "savings": [0, 0]}).tolist()
['approve', 'refuse']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from r2n.estimator import R2NClassifier
    from r2n.learn.settings import NetworkSettings
    from r2n.rules import LevelRules, RuleSet, load

__version__ = "0.1.0"
__all__ = ["LevelRules", "NetworkSettings", "R2NClassifier", "RuleSet", "__version__", "load"]

# Loaded when first asked for: only those who fit pay for scikit-learn and the search.
_ROOMS = {
    "LevelRules": "r2n.rules",
    "NetworkSettings": "r2n.learn.settings",
    "R2NClassifier": "r2n.estimator",
    "RuleSet": "r2n.rules",
    "load": "r2n.rules",
}


def __getattr__(name: str) -> Any:
    if name not in _ROOMS:
        raise AttributeError(f"module 'r2n' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_ROOMS[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
