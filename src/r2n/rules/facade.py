"""The methods of models whose work is done in modules that need models themselves: the one edge that leads upwards.

Parsing, model files, short numbers and proofs all build rule sets, so they import `ruleset` and `classes`. A user still
wants to write `rules.simplified()`. Each method here loads its module when it is called, and does nothing else.
`tests/test_house.py` allows imports inside functions that lead upwards in this module and nowhere else.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from r2n.prove.diff import Diff
    from r2n.prove.domain import Domain
    from r2n.prove.equivalence import Equivalence
    from r2n.rewrite.rounding import Rounded
    from r2n.rules.rule import Rule
    from r2n.table import Schema


class Facade:
    """Methods of `RuleSet`, `ClassRules` and `LevelRules` whose work other modules do."""

    __slots__ = ()

    @classmethod
    def parse(cls, text: str, schema: Schema | None = None) -> Self:
        """Read rules from their text: the inverse of `str`.

        Parameters
        ----------
        text : str
            The rules as they are printed; `help("r2n.rules.grammar")` shows the grammar.
        schema : Schema, optional
            The columns that the rules may read.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            An object of the class on which the method was called.

        Raises
        ------
        ParseError
            If the text is no such rules, or does not fit the schema; the error names line and column.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 or z = a else no")
        >>> RuleSet.parse(str(rules)) == rules
        True
        """
        from r2n.rules.parse import parse_model

        return parse_model(cls, text, schema)  # type: ignore[type-var]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file, which `r2n.load` reads.

        Parameters
        ----------
        path : path
            Where to write it. The file is written whole or not at all.

        Raises
        ------
        ModelFileError
            If the rules are more than a model file may hold.
        OutputError
            If no file can be written there.

        Examples
        --------
        >>> import tempfile
        >>> from r2n import RuleSet, load
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     rules.save(f"{folder}/model.json")
        ...     load(f"{folder}/model.json") == rules
        True
        """
        from r2n.rules.modelfile import save

        save(self, path)  # type: ignore[arg-type]

    def counted(self, X: object, y: Any, sample_weight: Any = None) -> Self:
        """Count the rules on rows with labels, for probabilities and comparisons.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.
        y : array-like
            The label of each row.
        sample_weight : array-like, optional
            The weight of each row: 2 counts as two rows, 0 as none.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The same rules, whose `baseline` holds the counts of these rows.

        Raises
        ------
        ParameterError
            If there is not one label, and one weight of at least 0, for each row, or a label is never predicted.
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 else no").counted({"x": [1, 4, 5]}, ["no", "yes", "yes"])
        >>> rules.baseline.rows, rules.baseline.right
        (3, 3)
        """
        from r2n.rules.counts import count_again

        counts = count_again(self, X, y, sample_weight)  # type: ignore[arg-type]
        return self.with_baseline(counts)  # type: ignore[attr-defined, no-any-return]

    def predict_proba(self, X: object) -> NDArray[np.float64]:
        """Estimate the probability of each class from the counts that the rules carry.

        The probabilities are the shares of the classes among counted rows like this one, smoothed by one row of each
        class. In a rule set these are the rows of every rule that fires here, once for each such rule; where none
        fires, the rows on which none fired. With several classes they are the rows that the same class's rules decided.
        The most probable class is always the predicted one.

        Parameters
        ----------
        X : table
            A frame, a dict of columns or a two-dimensional array.

        Returns
        -------
        array of shape (n_rows, n_classes)
            The probabilities, in the order of `classes`.

        Raises
        ------
        ParameterError
            If the rules carry no counts, or were changed since they were counted.
        SchemaError
            If a column that the rules read is not there, or holds other values than at fit.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 else no").counted({"x": [1, 4, 5]}, ["no", "yes", "yes"])
        >>> rules.classes, rules.predict_proba({"x": [4]}).tolist()
        (('no', 'yes'), [[0.25, 0.75]])
        """
        from r2n.rules.probabilities import estimate_probabilities

        return estimate_probabilities(self, X)  # type: ignore[arg-type]

    def to_frame(self, library: str = "pandas") -> Any:
        """Give the rules as data: one row for each literal.

        Parameters
        ----------
        library : str
            `pandas` or `polars`.

        Returns
        -------
        DataFrame
            The rule's number as printed, its label, the literal, the columns that it reads, and of the rule the share
            of rows that it covers, the share of these that have its label, and how many rows no other rule of its label
            covers; all by weight. Then the 95 % interval of its precision (Wilson's, for as many rows as it covers,
            whatever they weigh), and both on the rows that were held out. What was not counted is NaN (null in polars).
            A rule without conditions has one row.

        Raises
        ------
        ParameterError
            If there is no such library, or it is not installed.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 and z = a else no")
        >>> counted = rules.counted({"x": [1, 4], "z": ["a", "a"]}, ["no", "yes"])
        >>> counted.to_frame()[["rule", "literal", "coverage", "precision"]]
           rule   literal  coverage  precision
        0     1     x > 3       0.5        1.0
        1     1  z in {a}       0.5        1.0
        """
        from r2n.rules.frame import to_frame

        return to_frame(self, library)  # type: ignore[arg-type]

    def _read_rule(self, rule: Rule | str, schema: Schema | None) -> Rule:
        """Read a rule, or its text, and check it against the schema if there is one."""
        from r2n.rules.editing import read_rule

        return read_rule(rule, schema)

    def rounded(self, X: object, changes: int = 0) -> Rounded[Any]:
        """Find the shortest numbers that keep the predictions on these rows.

        Parameters
        ----------
        X : table
            The rows whose predictions count.
        changes : int
            The number of rows whose prediction may change.

        Returns
        -------
        Rounded
            The pair of the rules with shorter numbers and the number of rows that they predict differently.

        Raises
        ------
        ParameterError
            If `changes` is no whole number of at least 0.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if 2·x - 0.9983·y > 0.4983 else no")
        >>> print(*rules.rounded({"x": [1.0, 1.0, 2.0], "y": [2.0, 1.0, 3.0]}), sep=" | ")
        yes if x - 0.5·y > 0
        else no | 0
        """
        from r2n.rewrite.rounding import rounded

        return rounded(self, X, changes)

    def simplified(
        self, domain: Domain | Mapping[str, object] | None = None, time_limit: float = 8.0, progress: bool = False
    ) -> Self:
        """Leave out what is proven to change no prediction.

        Parameters
        ----------
        domain : Domain or dict, optional
            The rows that can occur, such as `{"age": "0..120 known"}`; by default any row at all.
        time_limit : float
            The seconds that proofs may take; what is not proven by then stays.
        progress : bool
            Whether to show a progress bar on standard error.

        Returns
        -------
        RuleSet, ClassRules or LevelRules
            The shorter rules.

        Raises
        ------
        ParameterError
            If the domain or the time limit cannot be read.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> print(RuleSet.parse("yes if x > 3 and x > 2 else no").simplified())
        yes if x > 3
        else no
        """
        from r2n.prove.simplify import prove_simpler

        return prove_simpler(self, domain, time_limit, progress)  # type: ignore[type-var]

    def equivalent(
        self, other: Facade, domain: Domain | Mapping[str, object] | None = None, time_limit: float = 60.0
    ) -> Equivalence:
        """Prove that another model predicts the same on every row, or find a row where it does not.

        Parameters
        ----------
        other : RuleSet, ClassRules or LevelRules
            The model to compare with.
        domain : Domain or dict, optional
            The rows that can occur; by default any row at all.
        time_limit : float
            The seconds that the comparison may take; after them it is undecided.

        Returns
        -------
        Equivalence
            True if the models are proven equivalent; otherwise it may hold a row that they decide differently.

        Raises
        ------
        ParameterError
            If the domain or the time limit cannot be read.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> rules = RuleSet.parse("yes if x > 3 else no")
        >>> print(rules.equivalent(RuleSet.parse("yes if x > 3 and x > 2 else no")))
        equivalent
        """
        from r2n.prove.equivalence import equivalent

        return equivalent(self, other, domain, time_limit)  # type: ignore[arg-type]

    def diff(self, other: Facade, X: object = None) -> Diff:
        """Compare with another model, rule by rule.

        Parameters
        ----------
        other : RuleSet, ClassRules or LevelRules
            The newer model.
        X : table, optional
            Rows on which to compare the predictions, too.

        Returns
        -------
        Diff
            Which rules came, went or changed; `print` shows it.

        Examples
        --------
        >>> from r2n import RuleSet
        >>> print(RuleSet.parse("yes if x > 3 else no").diff(RuleSet.parse("yes if x > 4 or z = a else no")))
        yes: 0 went, 1 came, 1 changed, 0 stayed
          + z in {a}
          ~ x > 3
          → x > 4
        """
        from r2n.prove.diff import diff

        return diff(self, other, X)  # type: ignore[arg-type]
