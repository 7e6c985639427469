"""The trained network as a fitted model shows it: its weights, its soft output, and the rules of every restart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from r2n.errors import EngineUnavailable, ParameterError
from r2n.learn.given import truths
from r2n.rules import Literal, RuleSet, rename_columns
from r2n.runtime.forks import LOST
from r2n.table import Scaling, Schema, Table, Value, has_text_names
from r2n.words import count

Floats = NDArray[np.float64]
BLOCK = 2**14  # rows that are evaluated at once


class Weights(NamedTuple):
    """All that one restart learned, for d scaled columns, m halfspaces, M literals in all and J rules."""

    W_p: NDArray[np.float32]  # (d, m)  Eq. 2
    b: NDArray[np.float32]  # (m,)
    u: NDArray[np.float32]  # (M, J)  Eq. 4
    v: NDArray[np.float32]  # (J,)  Eq. 6


@dataclass(frozen=True, slots=True)
class Restart:
    """The kept epoch of one restart.

    Attributes
    ----------
    rules : RuleSet
        What its weights spell, in the table's units, before anything was refined.
    weights : Weights
        W_p, b, u and v of the paper's equations, for columns as `scaling` has them.
    score : float
        What the epoch was kept for: the error of its rules on the rows held out and the price of their literals, or,
        with `keep="loss"`, the training loss. The lowest is the best.
    temperature : float
        τ in that epoch.
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
        """The same under the names that columns have in this schema, of which it keeps what the network reads."""
        given = rename_columns(self.given, names)
        scaling = self.scaling.renamed(names)
        read = {*scaling.names, *(name for literal in given for name in literal.columns)}
        kept = schema.keep(read)
        bare = [rename_columns(one.rules.with_schema(None), names) for one in self.restarts]
        restarts = (replace(one, rules=r.with_schema(kept)) for one, r in zip(self.restarts, bare, strict=True))
        return replace(self, schema=kept, scaling=scaling, given=given, restarts=tuple(restarts))

    def truth(self, table: Table, tau: float, weights: Weights) -> Floats:
        """The forward pass of equations 2 to 6, a block of rows at a time."""
        from r2n.network import HalfspaceParams, Halfspaces, Network, Params

        network = Network(Halfspaces(*weights.W_p.shape), len(self.given), len(weights.v), self.or_gate)
        params = Params(HalfspaceParams(weights.W_p, weights.b), weights.u, weights.v)
        truth = np.empty(table.n_rows)
        x, given = self.scaling.matrix(table), truths(self.given, table)
        for start in range(0, table.n_rows, BLOCK):
            block = slice(start, start + BLOCK)
            truth[block] = network.forward(params, x[block].T, given[block].T, tau)  # type: ignore[arg-type]
        return truth


class TrainedNetwork:
    """The network as it was trained, for each class that has rules: `m.network_`.

    It knows of every column, and of the frequent categories in each, where the rules know only what they read. So it
    stays in this process: pickled, it is None.

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
        """The classes that a network was trained for."""
        return tuple(self._networks)

    def restarts(self, label: Any = None) -> tuple[Restart, ...]:
        """Every restart, with its decoded rules and its weights. Of several classes `label` says whose."""
        return self._of(label).restarts

    def best(self, label: Any = None) -> int:
        """The restart of the lowest score."""
        return self._of(label).best

    def scaling(self, label: Any = None) -> Scaling:
        """How columns are scaled for the weights."""
        return self._of(label).scaling

    def given(self, label: Any = None) -> tuple[Literal, ...]:
        """The literals that were not learned; they come after the halfspaces in u."""
        return self._of(label).given

    def truth(self, X: Any, tau: float | None = None, label: Any = None, restart: int | None = None) -> Floats:
        """The soft truth of the rules in each row, from 0 to 1.

        Parameters
        ----------
        X : table
            As at `predict`.
        tau : float, optional
            The temperature: the colder, the crisper. By default that of the epoch that was kept.
        label : label, optional
            Of several classes, which one's rules.
        restart : int, optional
            Which restart; by default the best.

        Returns
        -------
        array of shape (n_rows,)

        Raises
        ------
        ParameterError
            If there is no such class, restart or temperature.
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
