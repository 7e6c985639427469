"""R2NClassifier: the scikit-learn contract and nothing else."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_random_state

from r2n.errors import ConstantRules, Interrupted, ParameterError, SchemaError, UnseenCategory
from r2n.learn.counts import ClassCounts, Counts
from r2n.learn.fronts import Fronts
from r2n.learn.given import truths
from r2n.learn.interruption import describe_interruption
from r2n.learn.learned import Learned, forget_unread
from r2n.learn.options import Options, Parameters
from r2n.learn.picks import ClassPicks, Picks
from r2n.learn.pipeline import learn_classes
from r2n.learn.reading import read_table
from r2n.learn.rows import TrainingRows, read_expert
from r2n.learn.settings import NetworkSettings
from r2n.learn.trained import TrainedNetwork
from r2n.rules import ClassRules, RuleSet, doubts, rename_columns
from r2n.runtime.interrupts import hold_interrupts
from r2n.table import Table, Value, has_text_names

Bools = NDArray[np.bool_]


class R2NClassifier(TransformerMixin, ClassifierMixin, BaseEstimator, Parameters):  # type: ignore[misc] # sklearn is untyped
    """Learns a rule set, and the conditions in it, from a table with two classes; of more, one for each class.

    Parameters
    ----------
    network : NetworkSettings or None, default=NetworkSettings()
        How the network is built and trained. Its parameters go by `network__penalty` and so on in `set_params` and
        `GridSearchCV`. None trains no network: the search starts from no rules, or from `start`. That is often as
        good on easy tables, and worse where rules have many conditions.
    effort : {"none", "quick", "default", "thorough"}, default='default'
        How much is done to finish the network's rules: nothing but what the limits below ask for; one descent; descents
        from all restarts at several prices, escapes from where they end, and a front to choose from; many more escapes,
        which takes minutes.
    teacher : bool or None, default=None
        Mix the labels that refinement fits to with the opinion of gradient boosting models that did not see the row.
        By default where first rules and these models both err on more than 5 % of rows they did not see. Where a
        logistic fit is nearer to the labels than these models, the mean of both is mixed in, and nothing where the fit
        is nearer than that too, or where it would turn over half of a class. Scores are always on the labels as they
        came. `teacher_used_` says whether it was.
    max_columns : int or None, default=4
        The most columns in a literal. Lower it for conditions that are easier to read; None sets no limit.
    max_literals : int or None, default=None
        The most literals in a rule.
    max_rules : int or None, default=None
        The most rules, of several classes for each. With it, or `max_size`, a rule costs less (see `price`), and the
        best rules on the rows held out are taken.
    max_size : int or None, default=None
        The most columns to read in all, each counted as often as it is mentioned, and a set as many times as it names
        categories: `rules_.size`. Of several classes each has so many. Without `max_rules` and `max_size` the smallest
        rules are chosen that the rows held out do not tell from the best.
    price : float, default=0.0001
        What a column costs to read, in units of error: refinement goes down from ten times this price to it (with
        `effort="quick"` it stays there). A literal costs one column besides those it reads, a rule two; with noisy
        labels 25, but no more than a tenth of what there is to gain, unless `max_rules` or `max_size` says how much may
        be read or `effort` is "quick". In the network, what a literal costs when epochs are compared. Raise it for
        shorter rules.
    time_limit : float or None, default=None
        Seconds that fitting may take. If they are few for such a table (under six, and 1.5 more for every ten thousand
        cells), refinement starts from no rules, without a network; a teacher is asked if that takes little of them.
        What is found in time depends on the machine: the same seed may give other rules.
    n_jobs : int or None, default=None
        How many processes refine side by side, through joblib; -1 for one on each core. The rules stay the same.
    validation_fraction : float, default=0.2
        Share of the rows held out of training to choose the epoch, the restart and the size of the rules; 0 chooses
        on the training rows. The rules chosen are then fitted to all rows.
    categorical : sequence of str or None, default=None
        Columns to treat as categories though they hold numbers, or texts that look like dates or nearly all differ.
        Without it such texts are refused: rules would learn them by heart.
    missing_values : list, dict of lists by column, or None, default=None
        Values that stand for a missing one, such as `[-7, -8, -9]`, now and at predict.
    literals : list of str or None, default=None
        Literals to choose from besides those that are learned, such as `["age > 30", "debt/income > 0.4"]`. They stay
        as they are written, and may have more than `max_columns`.
    start : RuleSet, str or None, default=None
        A person's rules, to begin from, for two classes. What they may not be is mended or left out.
    fixed : RuleSet, str, list of str or None, default=None
        Rules that stay as they are, for two classes; others are learned beside them.
    exclude : list of str or None, default=None
        Columns that no learned rule may read.
    apart : list of groups of str, or None, default=None
        Columns of which no learned rule may read two, such as `[("age", "region")]`.
    monotone : dict or None, default=None
        The sign that a column's coefficients must have, for two classes: with `{"debt": -1}` more debt never makes a
        row the label's.
    class_weight : dict, "balanced" or None, default=None
        What a row of each class weighs, as in scikit-learn. Use it where a class is rare and missing it is dear.
    positive : label or None, default=None
        Of two classes the one that the rules describe; by default the last in sorted order.
    progress : bool, default=False
        Show a progress bar on standard error.
    callback : callable or None, default=None
        Called with each epoch's `Record`, and with each accepted `Move` of the search. If it returns a true value, the
        training (or the search) of this class ends there, with its best so far, and the work goes on with what comes
        next: after a record the search, after a move the choice among the rules found.
    random_state : int, RandomState or None, default=None
        The same seed gives the same rules on the same machine, with the same packages. Another processor or BLAS rounds
        otherwise, and may lead to other rules.

    Attributes
    ----------
    rules_ : RuleSet or ClassRules
        The model. `print(m.rules_)` shows it in the table's units. With more than two classes, `m.rules_[label]` is the
        rule set of one; they are asked in turn, and the first that is true decides.
    front_ : Fronts
        For every class that has rules and every size the best rule set found, with its scores on the rows fitted to
        and on those held out; two classes have one front. `print(m.front_)` shows it, `m.front_[i]` is a row,
        `m.front_.frame()` a pandas frame. Not there with `effort="none"`.
    chosen_ : tuple of int
        The rows of the front that `rules_` comes from, one for each class that has a front; `pick(i)` takes another.
    schema_ : Schema
        The columns at fit. Of those that no rule reads it knows the name alone.
    network_ : TrainedNetwork or None
        The network as it was trained: `m.network_.truth(X, tau=0.1)`, and the rules and weights of every restart. None
        if none was, and in a model that was pickled: it knows of columns that no rule reads.
    teacher_used_ : tuple of labels
        The classes whose rules were fitted to labels that a teacher had a say in; empty if there was none.
    moves_ : list of Move
        Every accepted move of the refinement, without its rules: those a `callback` sees.
    history_ : list of Record
        What training recorded, epoch by epoch.
    steps_ : tuple of Step
        What was done between the network and `rules_`, and how many training rows each step changed.
    interrupted_ : bool
        Whether a Ctrl-C ended the fit early; `rules_` are then the best found until then.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from r2n import R2NClassifier
    >>> from r2n.datasets import example
    >>> X, y = example(1).sample(1000, random_state=0)
    >>> m = R2NClassifier(random_state=0).fit(X, y)
    >>> m.score(X, y) > 0.98
    True
    """

    # -- parameters ----------------------------------------------------------------------------

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name. Those of the network, as `network__penalty=0.003`, make it another value."""
        inner = {name: value for name, value in params.items() if name.startswith("network__")}
        super().set_params(**{name: value for name, value in params.items() if name not in inner})
        if inner:
            if not isinstance(self.network, NetworkSettings):
                advice = "Give network=NetworkSettings(…) first."
                raise ParameterError(f"{next(iter(inner))} cannot be set: network is {self.network!r}. {advice}")
            self.network = self.network(**{name.removeprefix("network__"): value for name, value in inner.items()})
        return self

    # -- fitting -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn `rules_` from a table and its labels; a row of weight 2 counts as two rows, one of weight 0 as none."""
        began = time.monotonic()
        options = Options.checked(self.get_params(deep=False))
        rows = TrainingRows.read(X, y, sample_weight, options)
        options = replace(options, knowledge=read_expert(rows, options))
        for words in doubts(options.knowledge, rows.schema):
            warnings.warn(words, UnseenCategory, stacklevel=2)
        with hold_interrupts() as ctrl_c:
            learned = learn_classes(rows, options, check_random_state(self.random_state), began)
            self._remember(learned, rows, has_text_names(X))
            late = ctrl_c.take()
        self.interrupted_ = any(each.interrupted for each in learned.values())
        words = describe_interruption(learned, late)
        if words:
            warnings.warn(words, Interrupted, stacklevel=2)
        if self.rules_.size == 0 and not words:  # a Ctrl-C has said already why there is so little
            (answer,) = self.rules_.predict(rows.table.take(np.arange(1))).tolist()
            words = f"no rules were found that beat always answering {answer!r} on rows held out: the model does that."
            advice = "See front_ for what was found; give more rows or columns, or weigh a rare class by class_weight."
            warnings.warn(f"{words} {advice}", ConstantRules, stacklevel=2)
        return self

    def _remember(self, learned: Mapping[Value, Learned], rows: TrainingRows, named: bool) -> None:
        """The fitted attributes. Of the training rows they keep what rules read and what was counted, no more."""
        self.classes_ = rows.labels.classes
        self.n_features_in_ = len(rows.schema.columns)
        self.feature_names_in_ = np.array(rows.schema.names, dtype=object)
        if not named:
            del self.feature_names_in_  # as scikit-learn has it: only for tables with names
        networks = {label: one.network for label, one in learned.items() if one.network is not None}
        self.network_ = TrainedNetwork(networks) if networks else None
        self.teacher_used_ = tuple(label for label, one in learned.items() if one.taught)
        kept, self.schema_ = forget_unread(learned, rows.schema)
        each = list(kept.values())
        self.history_ = [record for one in each for record in one.history]
        self.moves_ = [move.without_rules() for one in each for move in one.moves]
        self.steps_ = tuple(step for one in each for step in one.steps)
        labels, weight, candidates = rows.labels, rows.weight, [one.candidates for one in each]
        self._picks: Picks | ClassPicks
        if len(each) == 1:
            self._picks = Picks.count(candidates[0], rows.table, labels.codes == labels.positive, weight)
        else:
            self._picks = ClassPicks.count(candidates, rows.table, labels.codes, weight)
        self.front_ = Fronts.of(one.front for one in each)
        self._use(tuple(self.front_.row(k, one.chosen) for k, one in enumerate(each) if one.chosen is not None))
        if not self.chosen_:  # not refined
            del self.front_, self.chosen_

    def _use(self, chosen: tuple[int, ...]) -> None:
        """Take the rules that stand in these rows of the front, and what was counted of them."""
        self.chosen_ = chosen
        places = dict(map(self.front_.place, chosen))
        self.rules_: RuleSet | ClassRules
        self._counts: Counts | ClassCounts
        self.rules_, self._counts = self._picks.model([places.get(k, 0) for k in range(len(self.front_.fronts))])

    def pick(self, *rows: int) -> Self:
        """The same model with the rules of another row of the front; `print(m.front_)` shows what there is.

        Parameters
        ----------
        *rows : int
            Rows of the front, of each class at most one. Classes without one keep their rules.

        Returns
        -------
        R2NClassifier
            A model as finished as this one: short numbers that change no prediction on the training rows, training
            counts, probabilities, and of several classes the order in which they are asked. `pick(*m.chosen_)` is the
            model as it was fitted. The rules of other rows are those that were fitted to the rows not held out, for
            only the chosen ones are fitted to all rows. If `time_limit` was up, rows far from the chosen one keep their
            long numbers.

        Raises
        ------
        ParameterError
            If there is no such row, or two of them are of one class.
        """
        check_is_fitted(self, "rules_")
        if not hasattr(self, "front_"):
            raise ParameterError("there is no front to pick from: with effort='none' nothing was refined.")
        for i in rows:
            if not isinstance(i, int | np.integer) or isinstance(i, bool):
                raise ParameterError(f"i must be a whole number, a row of the front, not {i!r}.")
            if not -len(self.front_) <= i < len(self.front_):
                raise ParameterError(f"the front has the points 0 to {len(self.front_) - 1}, not {i}.")
        picked = dict(self.front_.place(i) for i in rows)
        if not len(picked) == len(rows) > 0:
            raise ParameterError(f"pick takes rows of the front, of each class at most one, not {rows}.")
        places = {**dict(map(self.front_.place, self.chosen_)), **picked}
        other = copy.copy(self)
        other._use(tuple(self.front_.row(k, i) for k, i in sorted(places.items())))
        return other

    # -- predicting ----------------------------------------------------------------------------

    def _table(self, X: Any) -> Table:
        check_is_fitted(self, "rules_")
        return read_table(X, self.rules_, hasattr(self, "feature_names_in_"), type(self).__name__)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        table = self._table(X)
        return self.classes_[self._winners()[self._decided(table)]]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Share of each class among training rows like this one, smoothed by one row of each class.

        Rows like this one are, of two classes, those of the rules that fire here, counted once for each rule, or where
        none fires the rows on which none fired; of several, those decided by the same class's rules. It never
        contradicts `predict`.
        """
        table = self._table(X)
        if isinstance(self._counts, ClassCounts):
            return self._counts.shares[self._decided(table)]
        assert isinstance(self.rules_, RuleSet)
        probability = self._counts.probability(self.rules_.fires(table))
        pair = np.column_stack([1 - probability, probability])
        return pair if self.classes_[1] == self.rules_.label else pair[:, ::-1]

    def _decided(self, table: Table) -> NDArray[np.intp]:
        """Which part of the model decides each row, as a position in `_winners`."""
        if isinstance(self.rules_, ClassRules):
            return self.rules_.decided(table)
        return np.where(self.rules_.truth(table), 0, 1)

    def _winners(self) -> NDArray[np.intp]:
        """For each part of the model the position in `classes_` of the class it decides for."""
        classes = self.classes_.tolist()
        return np.array([classes.index(label) for label in (*self.rules_.labels, self.rules_.default)])

    def transform(self, X: Any) -> Bools:
        """The learned literals as Boolean columns, named by `get_feature_names_out`."""
        table = self._table(X)
        return truths(self.rules_.literals, table)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """The literals' texts. `input_features` must be the columns at fit, or name them if they had no names."""
        check_is_fitted(self, "rules_")
        rules, schema = self.rules_, self.rules_.schema
        assert schema is not None, "fitted rules always have a schema"
        names = schema.names if input_features is None else tuple(map(str, input_features))
        if names != schema.names:
            if hasattr(self, "feature_names_in_"):
                raise SchemaError("input_features is not equal to feature_names_in_, the columns at fit. Leave it out.")
            if not len(set(names)) == len(names) == len(schema.names):
                raise SchemaError(f"input_features should have length equal to {len(schema.names)}, without repeats.")
            named = dict(zip(schema.names, names, strict=True))
            return np.array(
                [rename_columns(each, named).text(schema.renamed(named)) for each in rules.literals], dtype=object
            )
        return np.array([literal.text(schema) for literal in rules.literals], dtype=object)

    # -- in a notebook -------------------------------------------------------------------------

    def _repr_html_inner(self) -> str:
        """The rules, once there are some, above scikit-learn's box of parameters."""
        box: str = super()._repr_html_inner()
        return self.rules_._repr_html_() + box if hasattr(self, "rules_") else box

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)
        return {**bundle, "text/html": self._repr_html_inner()} if "text/html" in bundle else bundle

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.transformer_tags.preserves_dtype = []  # literals are Boolean, whatever the columns are
        return tags
