"""SOFT: the differentiable rule set, on JAX."""

from r2n.network.apart import start_training
from r2n.network.batches import Rows
from r2n.network.cooling import Cooling
from r2n.network.literals import DecodedHalfspace, Halfspaces, LiteralModule
from r2n.network.model import Network, Params, Penalties, Structure
from r2n.network.optimizer import Optimizer
from r2n.network.training import Kept, Record, Settings, Training

__all__ = [
    "Cooling",
    "DecodedHalfspace",
    "Halfspaces",
    "Kept",
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
