"""NetworkSettings: how the network is built and trained, as one value."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, Self

from r2n.errors import ParameterError
from r2n.learn.parameters import (
    BOOLEAN,
    PENALTY,
    check_parameters,
    either,
    number,
    one_of,
    optional,
    parameter,
    requirements_of,
    whole,
)

POSITIVE = number("above 0", lambda value: value > 0)
# The network divides by it in single precision, which knows nothing below about 1e-38.
TEMPERATURE = number("of at least 1e-30", lambda value: value >= 1e-30)


@dataclass(frozen=True, kw_only=True, repr=False)
class NetworkSettings:
    """How the network is built and trained, as one value that never changes.

    Give it as `R2NClassifier(network=NetworkSettings(restarts=10))`. Calling it makes a changed copy, as in
    `settings(restarts=10)`. In `set_params` and `GridSearchCV` its parameters go by `network__restarts` and so on.

    Parameters
    ----------
    n_literals : int, default=10
        The most halfspaces that the network learns (the paper's m). Raise it if rules need more different conditions.
    n_rules : int, default=25
        The most rules that the network learns (the paper's J). Rules it does not need stay unused, so lower it only to
        save time.
    or_gate : {"sum", "max", "product"}, default='sum'
        The soft OR. Take "max" to train as the paper does; only one rule then learns from each row.
    negations : bool, default=False
        Whether to offer `column not in {category}` beside `column in {category}`. Try it with `effort="none"`; the
        search finds both without it.
    penalty : float, default=0.01
        The weight of the sparsity loss (the paper's λ). Raise it for fewer and shorter rules. Where a search follows,
        restarts multiply it by 1, 0.3, 1, 3, 1 in turn.
    scale_penalties : bool or "gates", default=True
        Whether to divide the penalties by `n_rules`. The paper does not (False), and its sums then drive the rules to a
        constant; the authors' code divides those of the AND and OR layers only ("gates").
    optimizer : {"adam", "amsgrad"}, default='adam'
        What turns gradients into steps. Take "amsgrad" to train as the authors' code does.
    clip_gradient : float or None, default=None
        The largest norm of the gradient over all weights of a restart. Set it, to 1 as the authors do, if training
        breaks down.
    initial_weights : {"sparse", "normal"}, default='sparse'
        Where training starts: with about two literals in each rule, or, as in the authors' code, with u and v from
        N(0, 1) and small halfspaces.
    learning_rate : float, default=0.01
        The optimizer's step. Lower it if training breaks down.
    batch_size : int, default=200
        Rows in a batch. Raise it if labels are noisy, or if a class is so rare that batches miss it.
    epochs : int, default=200
        Epochs of each restart. Raise it, together with `gamma`, if the loss still falls when the network is cold.
    steps_per_epoch : int, default=32
        The fewest steps in an epoch; a small table is read several times over. Set it to 1 to read the table once.
    restarts : int, default=5
        Independent restarts. Raise it if two seeds give rules of different quality; time grows with it.
    temperature : float, default=1.0
        The temperature at the start (the paper's τ). Raise it if training settles on its first rules too early.
    gamma : float, default=0.966
        The factor on the temperature after each epoch (the paper's γ). Raise it, with `epochs`, to cool slower.
    temperature_floor : float, default=0.001
        The lowest temperature. Lower it if the network errs less than the rules read from it.
    keep : {"crisp", "loss"}, default='crisp'
        Which epoch is kept: the one whose crisp rules err least on held-out rows or, as in the paper, the one with the
        lowest training loss among those at the lowest temperature.
    drop_below : float, default=0.025
        Coefficients below this share of a literal's largest are dropped, each taken times the spread of its column.
        Raise it for literals with fewer columns; 0 keeps all.
    scaling : {"standard", "none"}, default='standard'
        Whether the network sees numeric columns with mean 0 and spread 1, or as they are. Take "none" if all columns
        have one unit and its size matters. Rules are always in the table's own units.

    Raises
    ------
    ParameterError
        If a value has no meaning.

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
        check_parameters(self.get_params(), requirements_of(self))

    def __call__(self, **changes: Any) -> Self:
        """Copy the settings with some changes.

        scikit-learn accepts a default value that is neither a number nor a text only if it is callable.

        Parameters
        ----------
        **changes : object
            New values of parameters, by name.

        Returns
        -------
        NetworkSettings
            The changed copy.

        Raises
        ------
        ParameterError
            If there is no parameter of such a name, or a value has no meaning.

        Examples
        --------
        >>> NetworkSettings()(epochs=400, gamma=0.983)
        NetworkSettings(epochs=400, gamma=0.983)
        """
        known = self.get_params()
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise ParameterError(f"NetworkSettings has no parameter {unknown[0]!r}. It has: {', '.join(known)}.")
        return replace(self, **changes)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name, as scikit-learn asks for them.

        Parameters
        ----------
        deep : bool
            Accepted as scikit-learn expects. No parameter holds others, so it changes nothing.

        Returns
        -------
        dict
            The value of each parameter.

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
