"""r2n learns classification rules that a person can read, check, edit and ship.

>>> from r2n import RuleSet
>>> rules = RuleSet.parse("approve if income - 2.1·debt > 12.5 or savings > 40 else refuse")
>>> rules.predict({"income": [20, 20], "debt": [1, 9], "savings": [0, 0]}).tolist()
['approve', 'refuse']
"""

from typing import TYPE_CHECKING, Any

from r2n.rules import RuleSet, load

if TYPE_CHECKING:
    from r2n.estimator import R2NClassifier
    from r2n.learn.settings import NetworkSettings

__version__ = "0.1.0"
__all__ = ["NetworkSettings", "R2NClassifier", "RuleSet", "__version__", "load"]


def __getattr__(name: str) -> Any:
    # The estimator brings scikit-learn and the search with it: only those who fit pay for loading them.
    if name == "R2NClassifier":
        from r2n.estimator import R2NClassifier

        return R2NClassifier
    if name == "NetworkSettings":
        from r2n.learn.settings import NetworkSettings

        return NetworkSettings
    raise AttributeError(f"module 'r2n' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
