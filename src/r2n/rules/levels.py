"""Risk levels: a chain of nested rule sets, highest chance first."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from r2n.errors import ParameterError
from r2n.rules.classes import ClassRules, Model
from r2n.rules.interval import wilson
from r2n.rules.label import as_label, label_array, sort_classes
from r2n.rules.levelcheck import check_levels, check_names, read_share
from r2n.rules.leveledit import LevelEditing
from r2n.rules.leveltext import write_levels
from r2n.rules.rule import Rule
from r2n.rules.ruleset import RuleSet
from r2n.table import Schema, Value
from r2n.table.cells import shown

if TYPE_CHECKING:
    from r2n.rules.counts import Baseline

VIEWS = ("level", "number", "share", "label")


@dataclass(frozen=True, slots=True)
class LevelRules(LevelEditing):
    """Risk levels: the first level with a true rule is a row's level, and says how likely it is positive.

    Levels are nested by construction: rows of a level and of all above it are those where any of their rules is true.

    Parameters
    ----------
    branches : tuple of (name, rules) pairs
        The levels, highest chance first, each with its rules; without those of the lowest, which has none.
    default : str
        The name of the lowest level.
    shares : tuple of float
        The chance of `positive` in each level, the lowest level's last. They fall from level to level.
    positive : str, int, float or bool
        The class whose chance it is.
    negative : str, int, float or bool
        The other class.
    threshold : float
        Rows of levels whose share is at least this are predicted positive.
    schema : Schema, optional
        The columns of the table that the rules were learned from.
    baseline : Baseline, optional
        Counts on the rows that the rules were learned from.

    Raises
    ------
    ParameterError
        If names, shares, classes or the threshold do not fit together.
    SchemaError
        If a rule reads a column that the schema does not have.

    Examples
    --------
    >>> rules = LevelRules.parse('''
    ... very high 71.2 % if age > 60 and bp > 140
    ...                  or chol > 300
    ... high 42 % or else if age > 50
    ... low 6 % else
    ... yes from 50 %, else no''')
    >>> people = {"age": [70, 55, 30], "bp": [150, 120, 120], "chol": [200, 200, 200]}
    >>> rules.predict(people).tolist(), rules.predict_level(people).tolist()
    (['yes', 'no', 'no'], ['very high', 'high', 'low'])
    >>> rules.classes, rules.predict_proba(people)[:, 1].tolist()
    (('no', 'yes'), [0.712, 0.42, 0.06])
    """

    # `field()`: else dataclasses would take the base class's properties of these names for default values.
    branches: tuple[tuple[str, tuple[Rule, ...]], ...] = field()
    default: str = field()
    shares: tuple[float, ...] = field()
    positive: Value = field()
    negative: Value = field()
    threshold: float = 0.5
    schema: Schema | None = field(default=None, compare=False, repr=False)
    baseline: Baseline | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check_names(self.levels)
        chain = self.chain  # the rules and names of several classes are read and checked in the same way
        for name, value in {
            "branches": chain.branches,
            "default": chain.default,
            "shares": tuple(read_share(share, "a level's share") for share in self.shares),
            "positive": as_label(self.positive),
            "negative": as_label(self.negative),
            "threshold": read_share(self.threshold, "the threshold"),
        }.items():
            object.__setattr__(self, name, value)
        check_levels(self)

    # -- the levels ----------------------------------------------------------------------------

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of all levels, highest chance first."""
        return (*(name for name, _ in self.branches), self.default)

    @property
    def classes(self) -> tuple[Value, ...]:
        """The two classes, sorted: the columns of `predict_proba`."""
        return sort_classes((self.positive, self.negative))

    @property
    def targets(self) -> tuple[Value, ...]:
        """For each level that has rules, the class of which they are to find the rows: the positive one."""
        return (self.positive,) * len(self.branches)

    @property
    def answers(self) -> tuple[Value, ...]:
        """For each level, the class that is predicted: positive if its share reaches the threshold."""
        return tuple(self.positive if share >= self.threshold else self.negative for share in self.shares)

    @property
    def chain(self) -> ClassRules:
        """The rules as a model that predicts the names of the levels."""
        return ClassRules(self.branches, self.default, self.schema)

    @property
    def intervals(self) -> tuple[tuple[float, float], ...] | None:
        """For each level, the 95 % interval of its share by counted rows; None if no counts fit these rules."""
        base = self.baseline
        if base is None or base.decided is None or not base.fits(self):
            return None
        column = self.classes.index(self.positive)
        found = []
        for _, own in base.decided:
            rows, weight = (sum(each) for each in zip(*own, strict=True))
            share = own[column].weight / weight if weight > 0 else 0.0  # as the shares are: by weight
            found.append(wilson(min(share, 1.0) * rows, rows))
        return tuple(found)

    def at(self, threshold: float) -> RuleSet:
        """Join the levels from a chance on into one rule set.

        Parameters
        ----------
        threshold : float
            The rules of all levels whose share is at least this predict the positive class.

        Returns
        -------
        RuleSet
            The rules for the positive class. Of counts it keeps those of single rules.

        Raises
        ------
        ParameterError
            If the threshold is no number from 0 to 1.

        Examples
        --------
        >>> rules = LevelRules.parse("a 60 % if x > 3 b 20 % or else if y > 1 c 5 % else yes from 50 %, else no")
        >>> print(rules.at(0.2))
        yes if x > 3
            or y > 1
        else no
        """
        least = read_share(threshold, "the threshold")
        if self.shares[-1] >= least:
            return RuleSet((Rule(),), self.positive, self.negative, self.schema)
        taken = [rules for (_, rules), share in zip(self.branches, self.shares, strict=False) if share >= least]
        joined = RuleSet(sum(taken, ()), self.positive, self.negative, self.schema)
        if self.baseline is None:
            return joined
        counts = tuple((self.positive, rule, counted) for _, rule, counted in self.baseline.rules)
        return joined.with_baseline(
            replace(self.baseline, rules=counts, decided=None, classes=None).restrict_to(joined)
        )

    def view(self, value: str = "level") -> Model:
        """Make a model of another kind that predicts one thing of each row: what most formats can hold.

        Parameters
        ----------
        value : str
            `level` for the level's name, `number` for its number (1 is the highest), `share` for the chance of the
            positive class, `label` for the class.

        Returns
        -------
        RuleSet or ClassRules
            The model.

        Raises
        ------
        ParameterError
            If there is no such value.

        Examples
        --------
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> print(rules.view("share"))
        0.6 if x > 3
        else 0.05
        """
        if value not in VIEWS:
            raise ParameterError(f"value must be one of {', '.join(VIEWS)}, not {shown(value)}.")
        if value == "label":
            return self.at(self.threshold)
        labels: dict[str, tuple[Value, ...]] = {
            "level": self.levels,
            "number": tuple(range(1, len(self.levels) + 1)),
            "share": self.shares,
        }
        *own, last = labels[value]
        rules = (rules for _, rules in self.branches)
        return ClassRules(tuple(zip(own, rules, strict=True)), last, self.schema)

    # -- evaluating ----------------------------------------------------------------------------

    def decided(self, X: object) -> NDArray[np.intp]:
        """Find the level of each row.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of int
            The position of the level in `levels`; 0 is the highest.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> rules.decided({"x": [4, 2]}).tolist()
        [0, 1]
        """
        return self.chain.decided(X)

    def predict_level(self, X: object) -> NDArray[Any]:
        """Find the name of each row's level.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array
            One name for each row.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> rules.predict_level({"x": [4, 2]}).tolist()
        ['high', 'low']
        """
        return self.chain.predict(X)

    def predict(self, X: object) -> NDArray[Any]:
        """Predict the positive class in rows of levels whose share is at least the threshold.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array
            One of the two classes for each row.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> rules.predict({"x": [4, 2]}).tolist()
        ['yes', 'no']
        """
        positive = np.array([share >= self.threshold for share in self.shares], dtype=np.intp)
        return label_array([self.negative, self.positive])[positive[self.decided(X)]]

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Return the chance of each class: the share of the row's level. It needs no counts.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of shape (n_rows, 2)
            The probabilities, in the order of `classes`.

        Raises
        ------
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> rules = LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no")
        >>> rules.predict_proba({"x": [4, 2]}).tolist()
        [[0.4, 0.6], [0.95, 0.05]]
        """
        shares = np.array(self.shares)[self.decided(X)]
        pair = np.column_stack([1.0 - shares, shares])
        return pair if self.classes.index(self.positive) == 1 else pair[:, ::-1]

    # -- printing ------------------------------------------------------------------------------

    def text(self) -> str:
        r"""Write the levels as they are printed, with 95 % intervals if counts of rows fit these rules.

        Returns
        -------
        str
            One line for each rule, one for the lowest level, and one that says what is predicted from which chance on.

        Examples
        --------
        >>> LevelRules.parse("high 60 % if x > 3 low 5 % else yes from 50 %, else no").text()
        'high 60 % if x > 3\nlow   5 % else\nyes from 50 %, else no'
        """
        return write_levels(self)

    def __str__(self) -> str:
        return self.text()
