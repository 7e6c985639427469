"""Rules whose truth is known, and tables made from them: the synthetic examples of the paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules import RuleSet
from r2n.table import Column, Schema

# Uniform on (0, 1]: never 0, so that ratios of columns mean the same as differences.
_LEAST = 2.0**-53


@dataclass(frozen=True, slots=True)
class KnownRule:
    """A rule set whose truth is known, and tables made from it.

    The columns are uniform on (0, 1], and the labels follow the rules.

    Parameters
    ----------
    name : str
        What the rule is called.
    rules : RuleSet
        The rules.

    Examples
    --------
    >>> print(example(2).rules)
    True if x0/x1 > 0.5
         or x4 < 0.25
    else False
    >>> X, y = example(2).sample(1000, random_state=0)
    >>> X.shape, bool((example(2).rules.predict(X) == y).all())
    ((1000, 5), True)
    """

    name: str
    rules: RuleSet

    def sample(
        self, n_rows: int, random_state: int | None = None, flip: float = 0.0
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Draw rows at random and label them by the rules.

        Parameters
        ----------
        n_rows : int
            The number of rows.
        random_state : int, optional
            The seed; the same seed gives the same rows.
        flip : float
            The share of labels that are turned over at random.

        Returns
        -------
        X : array of float
            The rows.
        y : array of bool
            Their labels.

        Raises
        ------
        ParameterError
            If `flip` is no share between 0 and 1.

        Examples
        --------
        >>> X, y = toy().sample(3, random_state=0)
        >>> X.shape, y.shape
        ((3, 2), (3,))
        """
        if not 0 <= flip <= 1:
            raise ParameterError(f"flip must be a share between 0 and 1, not {flip!r}.")
        rng = np.random.default_rng(random_state)
        schema = self.rules.schema
        assert schema is not None, "a known rule is made with the columns it is sampled from"
        X = 1.0 - rng.random((n_rows, len(schema.columns)))
        return X, self.rules.truth(X) ^ (rng.random(n_rows) < flip)


def _make_known_rule(name: str, n_columns: int, text: str) -> KnownRule:
    columns = tuple(Column(f"x{k}", "numeric", low=_LEAST, high=1.0) for k in range(n_columns))
    return KnownRule(name, RuleSet.parse(f"True if {text} else False").with_schema(Schema(columns)))


_EXAMPLES = (
    "x0 > 0.25 or x1 < 0.5",
    "x0/x1 > 0.5 or x4 < 0.25",
    "x0 + 0.5·x1 > 0.5 or x4 < 0.25",
    "x0 < 0.2 and x1 + x2 > 0.5 or x4/x3 > 1 and x1 < 0.5",
    "x4 < 0.2 and x0/x1 > 0.5 or 0.2·x1 + 0.5·x3 > 0.5 or x0 < 0.2",
)


def example(number: int) -> KnownRule:
    """Return one of the five synthetic examples of the paper's Table 1, over five columns.

    Parameters
    ----------
    number : int
        From 1 to 5.

    Returns
    -------
    KnownRule
        The rules, from which rows can be drawn.

    Raises
    ------
    ParameterError
        If there is no such example.

    Examples
    --------
    >>> print(example(1).rules)
    True if x0 > 0.25
         or x1 < 0.5
    else False
    """
    if number not in range(1, len(_EXAMPLES) + 1):
        raise ParameterError(f"there are examples 1 to {len(_EXAMPLES)}, not {number!r}.")
    return _make_known_rule(f"example {number}", 5, _EXAMPLES[number - 1])


def toy() -> KnownRule:
    """Return the rule of the paper's introduction, over two columns.

    Returns
    -------
    KnownRule
        The rule, from which rows can be drawn.

    Examples
    --------
    >>> print(toy().rules)
    True if x0 > 0.5 and x0/x1 > 1
    else False
    """
    return _make_known_rule("toy", 2, "x0/x1 > 1 and x0 > 0.5")
