"""SOFT: the differentiable rule set, on JAX, which is loaded when the first of these names is asked for."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from r2n.network.record import Record

if TYPE_CHECKING:
    from r2n.network.apart import start_training
    from r2n.network.batches import Rows
    from r2n.network.cooling import Cooling
    from r2n.network.literals import DecodedHalfspace, HalfspaceParams, Halfspaces, LiteralModule
    from r2n.network.model import Network, Params, Penalties, Structure
    from r2n.network.optimizer import Optimizer
    from r2n.network.training import BestEpoch, Settings, Training

__all__ = [
    "BestEpoch",
    "Cooling",
    "DecodedHalfspace",
    "HalfspaceParams",
    "Halfspaces",
    "LiteralModule",
    "Network",
    "Optimizer",
    "Params",
    "Penalties",
    "Record",
    "Rows",
    "Settings",
    "Structure",
    "Training",
    "start_training",
]

_HOMES = {
    "apart": ("start_training",),
    "batches": ("Rows",),
    "cooling": ("Cooling",),
    "literals": ("DecodedHalfspace", "HalfspaceParams", "Halfspaces", "LiteralModule"),
    "model": ("Network", "Params", "Penalties", "Structure"),
    "optimizer": ("Optimizer",),
    "training": ("BestEpoch", "Settings", "Training"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'r2n.network' has no attribute {name!r}")
    return getattr(import_module(f"r2n.network.{_HOME[name]}"), name)
