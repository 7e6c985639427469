"""NetworkSettings: how the network is built and trained, as one value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

from r2n.errors import ParameterError
from r2n.learn.parameters import (
    BOOLEAN,
    PENALTY,
    check_parameters,
    checks_of,
    either,
    number,
    one_of,
    optional,
    parameter,
    whole,
)

POSITIVE = number("above 0", lambda value: value > 0)
# The network divides by it in single precision, which knows nothing below about 1e-38.
TEMPERATURE = number("of at least 1e-30", lambda value: value >= 1e-30)


@dataclass(frozen=True, kw_only=True, repr=False)
class NetworkSettings:
    """How the network is built and trained: `R2NClassifier(network=NetworkSettings(restarts=10))`.

    It never changes. Calling it gives a changed copy: `settings(restarts=10)`. In scikit-learn's `set_params` and
    `GridSearchCV` its parameters are named `network__penalty` and so on.

    Parameters
    ----------
    n_literals : int, default=10
        Halfspaces that the network may learn: m in the paper. Raise it if rules need more different conditions.
    n_rules : int, default=25
        Rules that the network may use: J in the paper. Those it does not need stay unused.
    or_gate : {"sum", "max", "product"}, default='sum'
        The soft OR. "max" is the paper's, through which only one rule learns from each row.
    negations : bool, default=False
        Offer `column not in {category}` beside `column in {category}`. Worth trying with `effort="none"`; the search
        finds both without it.
    penalty : float, default=0.01
        Weight of the sparsity loss: λ in the paper. Raise it for fewer and shorter rules. Restarts that are to be
        refined take it times 1, 0.3, 1, 3, 1 in turn.
    scale_penalties : bool or "gates", default=True
        Divide the penalties by J. The paper's plain sums drive the rule set to a constant. "gates" divides those of the
        AND and OR layers only, as the authors' code does.
    optimizer : {"adam", "amsgrad"}, default='adam'
        What turns gradients into steps; "amsgrad" is the authors'.
    clip_gradient : float or None, default=None
        Bound the norm of the gradient, over all weights of a restart; the authors bound it by 1.
    initial_weights : {"sparse", "normal"}, default='sparse'
        Where training starts: with about two literals in each rule, or, as in the authors' code, with u and v from
        N(0, 1) and small halfspaces.
    learning_rate : float, default=0.01
        The optimizer's step. Lower it if training breaks down.
    batch_size : int, default=200
        Rows in a batch.
    epochs : int, default=200
        Epochs of each restart. With more of them, raise `gamma`, so that the network cools as slowly.
    steps_per_epoch : int, default=32
        An epoch has at least so many steps: it reads a small table several times over.
    restarts : int, default=5
        Independent restarts. More of them cost time and give the search more to start from.
    temperature : float, default=1.0
        Temperature at the start: τ in the paper.
    gamma : float, default=0.966
        What the temperature is multiplied by after each epoch: γ in the paper.
    temperature_floor : float, default=0.001
        The temperature falls no lower.
    keep : {"crisp", "loss"}, default='crisp'
        Which epoch is kept: the one whose *crisp* rule set errs least on the rows held out, or, as in the paper, the
        one with the lowest training loss, of those at the lowest temperature.
    drop_below : float, default=0.025
        Coefficients below this share of a literal's largest (both times their column's spread) are dropped; 0 keeps
        all of them.
    scaling : {"standard", "none"}, default='standard'
        How the network sees numeric columns: with mean 0 and spread 1, or as they are. Rules are always in the table's
        own units.

    Examples
    --------
    >>> settings = NetworkSettings(restarts=10)
    >>> settings(penalty=3e-3)
    NetworkSettings(penalty=0.003, restarts=10)
    """

    n_literals: int = parameter(10, whole(1))
    n_rules: int = parameter(25, whole(1))
    or_gate: str = parameter("sum", one_of("sum", "max", "product"))
    negations: bool = parameter(False, BOOLEAN)
    penalty: float = parameter(1e-2, PENALTY)
    scale_penalties: bool | str = parameter(True, either(BOOLEAN, one_of("gates")))
    optimizer: str = parameter("adam", one_of("adam", "amsgrad"))
    clip_gradient: float | None = parameter(None, optional(POSITIVE))
    initial_weights: str = parameter("sparse", one_of("sparse", "normal"))
    learning_rate: float = parameter(1e-2, POSITIVE)
    batch_size: int = parameter(200, whole(1))
    epochs: int = parameter(200, whole(1))
    steps_per_epoch: int = parameter(32, whole(1))
    restarts: int = parameter(5, whole(1))
    temperature: float = parameter(1.0, TEMPERATURE)
    gamma: float = parameter(0.966, number("above 0 and at most 1", lambda value: 0 < value <= 1))
    temperature_floor: float = parameter(1e-3, TEMPERATURE)
    keep: str = parameter("crisp", one_of("crisp", "loss"))
    drop_below: float = parameter(0.025, number("of at least 0 and below 1", lambda value: 0 <= value < 1))
    scaling: str = parameter("standard", one_of("standard", "none"))

    def __post_init__(self) -> None:
        check_parameters(self.get_params(), checks_of(self))

    def __call__(self, **changes: Any) -> Self:
        """A copy with these changes. (scikit-learn takes a default that is no plain number or text if it is callable.)

        Raises
        ------
        ParameterError
            If there is no parameter of such a name, or a value has no meaning.
        """
        known = self.get_params()
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise ParameterError(f"NetworkSettings has no parameter {unknown[0]!r}. It has: {', '.join(known)}.")
        return replace(self, **changes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Give the parameters by name, as scikit-learn asks for them.

        Parameters
        ----------
        deep : bool, default=True
            Changes nothing: no parameter holds others.

        Returns
        -------
        dict
            Each parameter's value under its name.

        Examples
        --------
        >>> NetworkSettings(restarts=10).get_params()["restarts"]
        10
        """
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def __sklearn_clone__(self) -> Self:
        return self  # what never changes needs no copy

    def __repr__(self) -> str:
        """What differs from the default."""
        values = {each.name: (getattr(self, each.name), each.default) for each in fields(self)}
        changed = [f"{name}={value!r}" for name, (value, default) in values.items() if value != default]
        return f"NetworkSettings({', '.join(changed)})"
