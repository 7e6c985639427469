"""Named settings, for `R2NClassifier(**preset)`.

`PAPER_SYNTHETIC` and `PAPER_REAL` are the settings of the paper's appendix C: for its synthetic examples, and for its
real tables. What the appendix leaves open follows from the paper's text: the OR is the maximum of equation 5, and the
last temperature is the 10⁻⁴ that section 4 calls cold.

`PUBLISHED_SYNTHETIC` and `PUBLISHED_REAL` have the same sizes and rates, and train as the authors' published code does:

- The OR is the clamped sum, through which all rules learn.
- The penalties of the AND and OR layers are divided by J, because the printed loss collapses to a constant otherwise;
  that of the halfspaces is not divided.
- The optimizer is AMSGrad, with gradients clipped at the norm 1, and u and v start from N(0, 1).
- Training ends after 1.2 times the epochs that cooling takes, and all coefficients predict.

docs/paper.md says where they differ from that code on purpose. Use a preset to compare with the paper; the defaults of
`R2NClassifier` learn better rules. A preset is a mapping of parameters, of which a copy can be changed.

>>> fewer_restarts = {**PAPER_REAL, "network": PAPER_REAL["network"](restarts=5)}
>>> fewer_restarts["network"].restarts
5
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from r2n.learn.settings import NetworkSettings

Preset = Mapping[str, Any]  # parameters of R2NClassifier by name

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


def _without_search(network: NetworkSettings) -> Preset:
    """Make a preset that keeps the network's rules: the paper has no search, and no limit on what is to be read."""
    whole = {"effort": "none", "max_columns": None, "price": 0.0, "validation_fraction": 0.0}
    return MappingProxyType({"network": network, **whole})


#: The paper's settings for its synthetic examples.
PAPER_SYNTHETIC = _without_search(_SYNTHETIC)
#: The paper's settings for its real tables: a tenth of the penalty, and scaled columns.
PAPER_REAL = _without_search(_REAL)
#: The settings of the authors' published code for the synthetic examples.
PUBLISHED_SYNTHETIC = _without_search(_SYNTHETIC(**_PUBLISHED))
#: The settings of the authors' published code for the real tables.
PUBLISHED_REAL = _without_search(_REAL(**_PUBLISHED))
