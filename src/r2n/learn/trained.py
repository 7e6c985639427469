"""The trained network in a fitted model: its weights, its soft output, and the rules of every restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r2n.errors import EngineUnavailable, ParameterError
from r2n.learn.given import evaluate_literals
from r2n.rules import Literal, RuleSet, rename_columns
from r2n.runtime.forks import LOST
from r2n.table import Scaling, Schema, Table, Value, has_text_names
from r2n.words import count

Floats = NDArray[np.float64]
BLOCK = 2**14  # rows that are evaluated at once


class Weights(NamedTuple):
    """All that one restart learned, for d scaled columns, m halfspaces, M literals in all and J rules.

    Parameters
    ----------
    W_p : array of shape (d, m)
        The coefficients of the halfspaces (equation 2 of the paper).
    b : array of shape (m,)
        Their biases.
    u : array of shape (M, J)
        Which literals are in which rule: those with a positive weight (equation 4).
    v : array of shape (J,)
        Which rules are in the rule set: those with a positive weight (equation 6).

    Examples
    --------
    >>> Weights(np.zeros((2, 1)), np.zeros(1), np.zeros((1, 3)), np.zeros(3)).u.shape
    (1, 3)
    """

    W_p: NDArray[np.float32]  # (d, m)  Eq. 2
    b: NDArray[np.float32]  # (m,)
    u: NDArray[np.float32]  # (M, J)  Eq. 4
    v: NDArray[np.float32]  # (J,)  Eq. 6


@dataclass(frozen=True, slots=True)
class Restart:
    """The kept epoch of one restart.

    Parameters
    ----------
    rules : RuleSet
        The rules that its weights spell, in the table's units, before any search.
    weights : Weights
        The weights of the paper's equations, for scaled columns.
    score : float
        The error of its rules on held-out rows plus the price of their literals, or, with `keep="loss"`, the training
        loss. The lowest is the best.
    temperature : float
        The temperature in that epoch.

    Examples
    --------
    >>> from r2n import NetworkSettings, R2NClassifier
    >>> from r2n.datasets import toy
    >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
    >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
    >>> first, second = m.network_.restarts()
    >>> first.weights.W_p.shape, first.rules.label
    ((2, 10), True)
    """

    rules: RuleSet
    weights: Weights
    score: float
    temperature: float


@dataclass(frozen=True, slots=True, repr=False)
class ClassNetwork:
    """The network of one class: what it reads, and its restarts."""

    schema: Schema
    scaling: Scaling
    given: tuple[Literal, ...]
    or_gate: str
    restarts: tuple[Restart, ...]
    best: int  # the restart of the lowest score

    def renamed(self, names: Mapping[str, str], schema: Schema) -> ClassNetwork:
        """Rename the columns, and keep of this schema what the network reads."""
        given = rename_columns(self.given, names)
        scaling = self.scaling.renamed(names)
        read = {*scaling.names, *(name for literal in given for name in literal.columns)}
        kept = schema.keep(read)
        bare = [rename_columns(one.rules.with_schema(None), names) for one in self.restarts]
        restarts = (replace(one, rules=r.with_schema(kept)) for one, r in zip(self.restarts, bare, strict=True))
        return replace(self, schema=kept, scaling=scaling, given=given, restarts=tuple(restarts))

    def truth(self, table: Table, tau: float, weights: Weights) -> Floats:
        """Run the forward pass of equations 2 to 6, a block of rows at a time."""
        from r2n.network import HalfspaceParams, Halfspaces, Network, Params

        network = Network(Halfspaces(*weights.W_p.shape), len(self.given), len(weights.v), self.or_gate)
        params = Params(HalfspaceParams(weights.W_p, weights.b), weights.u, weights.v)
        truth = np.empty(table.n_rows)
        x, given = self.scaling.matrix(table), evaluate_literals(self.given, table)
        for start in range(0, table.n_rows, BLOCK):
            block = slice(start, start + BLOCK)
            truth[block] = network.forward(params, x[block].T, given[block].T, tau)  # type: ignore[arg-type]
        return truth


class TrainedNetwork:
    """The trained network of each class that has rules: `m.network_`.

    It knows every column, and the frequent categories in each, while the rules know only what they read. So it stays in
    this process: pickled, it becomes None.

    Parameters
    ----------
    networks : mapping
        For each class its network.

    Examples
    --------
    >>> from r2n import R2NClassifier
    >>> from r2n.datasets import example
    >>> X, y = example(1).sample(500, random_state=0)
    >>> network = R2NClassifier(random_state=0).fit(X, y).network_
    >>> network
    <TrainedNetwork of 5 restarts for class True>
    >>> soft, crisp = (network.truth(X, tau=tau) for tau in (0.5, 1e-4))
    >>> float(abs(crisp - crisp.round()).mean()) < 0.01 < float(abs(soft - soft.round()).mean())
    True
    """

    def __init__(self, networks: Mapping[Value, ClassNetwork]) -> None:
        self._networks = dict(networks)

    @property
    def labels(self) -> tuple[Value, ...]:
        """The classes that have a network."""
        return tuple(self._networks)

    def restarts(self, label: Any = None) -> tuple[Restart, ...]:
        """Return every restart, with its weights and the rules that they spell.

        Parameters
        ----------
        label : label, optional
            The class; may be left out if only one has a network.

        Returns
        -------
        tuple of Restart
            The restarts, in the order in which they were begun.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> from r2n import NetworkSettings, R2NClassifier
        >>> from r2n.datasets import toy
        >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
        >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
        >>> len(m.network_.restarts())
        2
        """
        return self._of(label).restarts

    def best(self, label: Any = None) -> int:
        """Find the restart with the lowest score.

        Parameters
        ----------
        label : label, optional
            The class; may be left out if only one has a network.

        Returns
        -------
        int
            Its position in `restarts`.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> from r2n import NetworkSettings, R2NClassifier
        >>> from r2n.datasets import toy
        >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
        >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
        >>> m.network_.best() in (0, 1)
        True
        """
        return self._of(label).best

    def scaling(self, label: Any = None) -> Scaling:
        """Return how the numeric columns were scaled.

        Parameters
        ----------
        label : label, optional
            The class; may be left out if only one has a network.

        Returns
        -------
        Scaling
            The scaling; the weights belong to scaled columns.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> from r2n import NetworkSettings, R2NClassifier
        >>> from r2n.datasets import toy
        >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
        >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
        >>> m.network_.scaling().names
        ('x0', 'x1')
        """
        return self._of(label).scaling

    def given(self, label: Any = None) -> tuple[Literal, ...]:
        """Return the literals that the network was given: they come after the halfspaces in `u`.

        Parameters
        ----------
        label : label, optional
            The class; may be left out if only one has a network.

        Returns
        -------
        tuple of literals
            Categories, missing and known values, and an expert's literals.

        Raises
        ------
        ParameterError
            If there is no such class.

        Examples
        --------
        >>> from r2n import NetworkSettings, R2NClassifier
        >>> from r2n.datasets import toy
        >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
        >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
        >>> m.network_.given()
        ()
        """
        return self._of(label).given

    def truth(self, X: Any, tau: float | None = None, label: Any = None, restart: int | None = None) -> Floats:
        """Compute how true the soft rules are in each row, from 0 to 1.

        Parameters
        ----------
        X : table
            As for `R2NClassifier.predict`.
        tau : float, optional
            The temperature: the lower, the crisper. By default that of the kept epoch.
        label : label, optional
            The class; may be left out if only one has a network.
        restart : int, optional
            The restart; by default the best.

        Returns
        -------
        array of shape (n_rows,)
            The truth.

        Raises
        ------
        ParameterError
            If there is no such class, restart or temperature.
        EngineUnavailable
            If this process was forked after JAX had started.
        SchemaError
            If a column is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import NetworkSettings, R2NClassifier
        >>> from r2n.datasets import toy
        >>> short = NetworkSettings(restarts=2, epochs=20, gamma=0.8)
        >>> m = R2NClassifier(network=short, effort="none", random_state=0).fit(*toy().sample(200, random_state=0))
        >>> truth = m.network_.truth(toy().sample(3, random_state=1)[0])
        >>> truth.shape, bool(((truth >= 0) & (truth <= 1)).all())
        ((3,), True)
        """
        network = self._of(label)
        k = network.best if restart is None else restart
        if not isinstance(k, int | np.integer) or isinstance(k, bool) or not 0 <= k < len(network.restarts):
            raise ParameterError(f"restart must be a whole number from 0 to {len(network.restarts) - 1}, not {k!r}.")
        one = network.restarts[k]
        t = one.temperature if tau is None else tau
        if not isinstance(t, int | float | np.number) or isinstance(t, bool) or not 1e-30 <= t < np.inf:
            raise ParameterError(f"tau must be a number of at least 1e-30, not {t!r}.")
        if LOST.jax:
            raise EngineUnavailable("this process was forked after JAX had started: ask the network before the fork.")
        named = has_text_names(X) or isinstance(X, Mapping)
        table = network.schema.table(X) if named else network.schema.table_by_position(X)
        return network.truth(table, float(t), one.weights)

    def _of(self, label: Any) -> ClassNetwork:
        if label is None and len(self._networks) == 1:
            return next(iter(self._networks.values()))
        if label not in list(self._networks):
            raise ParameterError(
                f"label must be one of {list(self._networks)}, not {label!r}: each class has a network."
            )
        return self._networks[label]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(None), ()

    def __copy__(self) -> TrainedNetwork:
        return self

    def __deepcopy__(self, memo: object) -> TrainedNetwork:
        return self

    def __repr__(self) -> str:
        each = ", ".join(f"{count(len(one.restarts), 'restart')} for class {k!r}" for k, one in self._networks.items())
        return f"<TrainedNetwork of {each}>"
