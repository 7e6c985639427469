"""Named settings for `R2NClassifier(**preset)`.

`PAPER_SYNTHETIC` and `PAPER_REAL` are the settings of the paper's appendix C, for its synthetic
examples and for its real tables. What the appendix leaves open is set to what its text implies:
the OR is the maximum of Eq. 5, and the last temperature is the 10⁻⁴ that section 4 calls cold.

`PUBLISHED_SYNTHETIC` and `PUBLISHED_REAL` have the same sizes and rates and learn as the authors'
published code does: the OR is the clamped sum, through which all rules learn; the penalties of the
AND and OR layers are divided by J, without which the printed loss collapses to a constant, and that
of the halfspaces is not; AMSGrad, with gradients clipped at the norm 1; u and v from N(0, 1); an end
after 1.2 times the epochs that cooling takes; and all coefficients predict. They differ from that
code on purpose where docs/paper.md says so.

>>> fewer = {**PAPER_REAL, "network": PAPER_REAL["network"](restarts=5)}
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from r2n.learn.settings import NetworkSettings

Preset = Mapping[str, Any]

_SYNTHETIC = NetworkSettings(
    n_literals=10,  # m
    n_rules=25,  # J
    or_gate="max",
    penalty=1e-2,
    scale_penalties=False,
    optimizer="adam",
    clip_gradient=None,
    initial_weights="sparse",
    learning_rate=1e-3,  # Adam's default
    batch_size=100,
    epochs=10_000,
    steps_per_epoch=1,  # an epoch reads the table once
    restarts=25,  # 2.5·10⁵ epochs in all
    temperature=1.0,
    gamma=0.995,
    temperature_floor=1e-4,
    keep="loss",  # the epoch of the lowest training loss, among the coldest
    drop_below=0.025,
    scaling="none",
)
_REAL = _SYNTHETIC(penalty=1e-3, scaling="standard")
_PUBLISHED = {
    "or_gate": "sum",
    "scale_penalties": "gates",
    "optimizer": "amsgrad",
    "clip_gradient": 1.0,
    "initial_weights": "normal",
    "epochs": 2_205,  # 1.2 · ln τ / ln γ, rounded up
    "drop_below": 0.0,  # the code drops coefficients below 2.5 % from what it exports only
}


def _alone(network: NetworkSettings) -> Preset:
    """The network's rules as they are: the paper has no refinement, nor a bound on what is to be read."""
    whole = {"effort": "none", "max_columns": None, "price": 0.0, "validation_fraction": 0.0}
    return MappingProxyType({"network": network, **whole})


PAPER_SYNTHETIC = _alone(_SYNTHETIC)
PAPER_REAL = _alone(_REAL)
PUBLISHED_SYNTHETIC = _alone(_SYNTHETIC(**_PUBLISHED))
PUBLISHED_REAL = _alone(_REAL(**_PUBLISHED))
