"""`m.stability()`: the search again on resampled rows. A model keeps no rows, only weak references to them."""

from __future__ import annotations

import warnings
import weakref
from collections.abc import Generator
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted, check_random_state

from r2n.errors import Interrupted, ParameterError, SchemaError
from r2n.estimator.fitted import FittedModel
from r2n.learn.labels import Labels, read_weights
from r2n.learn.stability import Stability, draw_resample
from r2n.rules import Model
from r2n.runtime.interrupts import allow_interrupts, hold_interrupts
from r2n.runtime.progress import RunsBar
from r2n.runtime.workers import side_by_side
from r2n.search import Clock
from r2n.table import Table


class WeakRows:
    """What a model was fitted to, as long as the caller keeps it. A copy or a pickle knows nothing of it.

    >>> import numpy as np
    >>> X, y = np.zeros((2, 1)), np.array([0, 1])
    >>> WeakRows(X, y, None).recall() is not None, WeakRows(X.copy(), y, None).recall() is None
    (True, True)
    """

    def __init__(self, *given: Any) -> None:
        """What is given is table, labels and weights; nothing if there is nothing to know."""
        self._given = tuple(map(_refer_weakly, given))

    def recall(self) -> tuple[Any, Any, Any] | None:
        """Return table, labels and weights if all that were given are still there."""
        found = [None if each is None else each() for each in self._given]
        lost = [one is None and each is not None for one, each in zip(found, self._given, strict=True)]
        if len(found) < 3 or any(lost):
            return None
        return found[0], found[1], found[2]

    def __reduce__(self) -> tuple[type[WeakRows], tuple[()]]:
        return WeakRows, ()


def _refer_weakly(thing: Any) -> Any:
    """Refer to an object; what takes no weak references, such as a list, is lost at once."""
    if thing is None:
        return None
    try:
        return weakref.ref(thing)
    except TypeError:
        return lambda: None


class Resample(NamedTuple):
    """One search to be done."""

    times: NDArray[np.intp]  # how often each row was drawn
    seed: int


class Found(NamedTuple):
    """What one search found; None if a Ctrl-C cut it short. After a Ctrl-C no other is begun."""

    rules: Model | None
    goes_on: bool


class ResampledModel(FittedModel):
    """What can be asked of a model by fitting it again."""

    _rows: WeakRows

    def stability(self, n: int = 20, X: Any = None, y: Any = None, sample_weight: Any = None) -> Stability:
        """Search again on resampled rows, and count in how many of the resamples each condition came back.

        A resample has as many rows of each class as the table, drawn with replacement. A condition came back if one of
        the same kind that reads the same columns stands in the rules for the same class; in a sum with the same signs.
        All parameters of this model apply, so it takes `n` times as long as `fit`; with `n_jobs` resamples are searched
        side by side. Warnings of the single searches are not shown.

        Parameters
        ----------
        n : int
            The number of resamples.
        X : table, optional
            The rows that the model was fitted to. The model does not keep them: right after `fit` it still finds them
            if you hold them in variables that allow that (arrays and frames do, lists and dicts do not).
        y : array-like, optional
            Their labels. Give it if you give X.
        sample_weight : array-like, optional
            Their weights, if they had any.

        Returns
        -------
        Stability
            The table: `print` it, or take its `frame()`.

        Raises
        ------
        NotFittedError
            If the model is not fitted.
        ParameterError
            If `n` has no meaning, or the rows are gone and were not given.
        SchemaError
            If the rows have other columns or other classes than at fit.

        Warns
        -----
        Interrupted
            If a Ctrl-C ended the work; what was counted until then is returned.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> from r2n.datasets import example
        >>> X, y = example(1).sample(500, random_state=0)
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0).fit(X, y)
        >>> found = m.stability(n=2)
        >>> found.resamples, len(found.conditions) == len(m.rules_.literals)
        (2, True)
        """
        check_is_fitted(self, "rules_")
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
            raise ParameterError(f"n must be a whole number of at least 1, not {n!r}.")
        X, y, sample_weight = self._recall(X, y, sample_weight)
        rng = check_random_state(self.random_state)
        labels, weight = self._read_again(X, y, sample_weight)
        drawn = ((draw_resample(labels.codes, weight, rng), int(rng.randint(2**31 - 1))) for _ in range(n))
        resamples = [Resample(*each) for each in drawn]
        search = partial(_search, type(self), self._parameters_of_runs(), X, y, sample_weight)
        with RunsBar(len(resamples), bool(self.progress)) as bar:
            others, interrupted = _collect(search, resamples, self.n_jobs, bar)
        if interrupted:
            if not others:
                raise KeyboardInterrupt
            words = f"interrupted after {len(others)} of {n} resamples; the counts are of these."
            warnings.warn(words, Interrupted, stacklevel=2)
        return Stability.of(self.rules_, others)

    def _recall(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
        """Take the rows that are given, or those of the fit if they are still there."""
        if X is not None and y is not None:
            return X, y, sample_weight
        if not X is y is sample_weight is None:
            raise ParameterError("stability takes X and y together, and sample_weight with them. Give both or none.")
        found = self._rows.recall()
        if found is None:
            gone = "the rows that the model was fitted to are gone, for a model keeps none."
            raise ParameterError(f"{gone} Give them again: m.stability(X=X, y=y), with sample_weight if there was one.")
        return found

    def _read_again(self, X: Any, y: Any, sample_weight: Any) -> tuple[Labels, NDArray[np.float64]]:
        """Refuse other columns and other classes than at fit, before any work is done."""
        table = Table.read(X)
        names, known = sorted(table.names), sorted(self.schema_.names)
        if names != known:
            odd = sorted({*names} ^ {*known})[0] if {*names} != {*known} else names[0]
            raise SchemaError(f"X has other columns than at fit, such as {odd!r}. Give the rows that were fitted to.")
        labels = Labels.learn(y, table.n_rows)
        weight = read_weights(sample_weight, self.class_weight, labels)
        some = labels.take(np.flatnonzero(weight)) if not weight.all() else labels
        if some.classes.tolist() != self.classes_.tolist():
            raise SchemaError(
                f"y holds other classes than at fit: {some.classes.tolist()[:20]}, not {self.classes_.tolist()[:20]}. "
                f"Give the labels that were fitted to."
            )
        return labels, weight

    def _parameters_of_runs(self) -> dict[str, Any]:
        """Columns stay of the kind that they had: texts that repeat in all rows may all differ in a resample."""
        categorical = [column.name for column in self.schema_.columns if column.kind == "categorical"]
        own = {"progress": False, "callback": None, "n_jobs": None, "categorical": categorical}
        return {**self.get_params(deep=False), **own}


def _collect(
    search: partial[Found], resamples: list[Resample], n_jobs: int | None, bar: RunsBar
) -> tuple[list[Model], bool]:
    """What each search found, and whether a Ctrl-C ended them early."""
    others: list[Model] = []
    goes_on = True
    arriving = closing(_search_all(search, resamples, n_jobs))
    with hold_interrupts(), Clock.catch_interrupt() as work, allow_interrupts(), arriving as each:
        for rules, goes_on in each:
            others += [] if rules is None else [rules]
            bar.update(len(others))
            if not goes_on:
                break
    return others, work.interrupted or not goes_on


def _search_all(search: partial[Found], resamples: list[Resample], n_jobs: int | None) -> Generator[Found, None, None]:
    yield from side_by_side(search, resamples, n_jobs)


def _search(kind: Any, parameters: dict[str, Any], X: Any, y: Any, sample_weight: Any, resample: Resample) -> Found:
    """Fit to the rows that were drawn: a row drawn twice weighs twice, one that was not is left out."""
    weight = resample.times if sample_weight is None else np.asarray(sample_weight, dtype=np.float64) * resample.times
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        model = kind(**{**parameters, "random_state": resample.seed}).fit(X, y, sample_weight=weight)
    late = any(issubclass(each.category, Interrupted) for each in said)
    return Found(None if model.interrupted_ else model.rules_, not late)
