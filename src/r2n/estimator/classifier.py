"""R2NClassifier: its parameters and `fit`."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.utils.validation import check_random_state

from r2n.errors import ConstantRules, GapNotKept, Interrupted, ParameterError, UnseenCategory
from r2n.estimator.learning import LearningModel
from r2n.estimator.reached import describe_gaps
from r2n.estimator.resampled import WeakRows
from r2n.learn.interruption import describe_interruption
from r2n.learn.options import Options, Parameters
from r2n.learn.rows import TrainingRows, read_expert
from r2n.learn.settings import NetworkSettings
from r2n.rules import doubts
from r2n.runtime.interrupts import hold_interrupts
from r2n.table import has_text_names


@dataclass(kw_only=True, eq=False, repr=False)  # a constructor of its own, so that errors name this class
class R2NClassifier(LearningModel, Parameters):
    """Learn a rule set, and the conditions in it, from a table of labelled rows.

    Two classes get one rule set, which describes the class `positive`. Of more classes each gets one of its own.

    Parameters
    ----------
    network : NetworkSettings or None, default=NetworkSettings()
        How the network that proposes rules is built and trained. Take None to train none: the search then starts from
        no rules, or from `start`. That is faster, often as good on easy tables, and worse where rules have many
        conditions. `set_params` and `GridSearchCV` name the network's parameters `network__penalty` and so on.
    effort : {"none", "quick", "default", "thorough"}, default='default'
        How long the search works on the network's rules. "quick" descends once: for first looks. "default" descends
        from all restarts at several prices, escapes from where they end, and builds a front to choose from. "thorough"
        escapes many more times, which takes minutes: for a final model. "none" applies only the limits below: to see
        what the network learned by itself.
    teacher : bool, classifier, array or None, default=None
        A fitted classifier with `predict_proba`, or its probabilities, to distil into rules: see below. Else whether to
        mix the opinion of gradient boosting into the labels that the search fits to. None decides by itself:
        only where first rules and boosting both err on more than 5 % of rows they did not see. Take False where labels
        are clean or a class is rare, True where you know that they are noisy. Where a logistic fit is nearer to the
        labels than boosting, the mean of both is mixed in. No teacher is used where the fit is nearer than that mean
        too, or where mixing would turn over half of a class. Scores are always on the labels as they came.
        Give a classifier to have rules that decide as it does: its probabilities then take the place of the labels, no
        boosting is asked, and that point of the front is chosen which agrees best with its decisions on rows held out.
        It is asked for X as `fit` is given it. An array holds the probability of `positive` for each row, or one column
        for each class in `y`, sorted. Predicting needs no teacher, but a pickled estimator contains its parameters:
        pickle `rules_`, or set `teacher` to None, if the teacher must not go along. `clone`, and so cross-validation,
        unfits a classifier that is not wrapped in `sklearn.frozen.FrozenEstimator`.
    threshold : float or None, default=None
        The probability from which a row is to be called positive, for two classes; None is one half. Lower it where a
        miss costs more than a false alarm: with t, a miss costs (1 - t)/t false alarms. Network, teacher, search and
        choice all weigh errors so, and the scores of the front too. `predict_proba` stays on `predict`'s side of t.
    miss_cost : float or None, default=None
        The same said in another way: how many false alarms a miss costs; 4 is `threshold=0.2`. Give one of the two.
    min_recall : float or None, default=None
        The recall to be kept, for two classes. The highest threshold is taken whose rules are sure to reach it: the
        lower end of its 95 % interval, on rows that they were not fitted to, does. `trade_off_` shows what was tried
        and reached; the model is then fitted to all rows at that threshold. It takes five times as long as a fit, and
        with few positives up to twenty; a Ctrl-C while thresholds are tried keeps nothing. Set it where misses are
        limited.
    min_precision : float or None, default=None
        The same for precision, with the lowest threshold that is sure to reach it. Set it where false alarms are
        limited.
    scoring : str, callable or None, default=None
        A scikit-learn scorer that chooses the point of the front, by rows held out: a name such as "roc_auc" or
        "balanced_accuracy", or `scorer(rules, table, y)`, where y is 1 for the class that the rules describe, else 0.
        None chooses by errors and what there is to read. The search itself still counts errors, so give `threshold` or
        `class_weight` too where they are not what matters.
    levels : int, sequence of float or None, default=None
        Risk levels, for two classes: so many, or one more than the thresholds given. `rules_` is then a chain of nested
        rule sets, the highest chance first, each level with its share of the positive class, which `predict_proba`
        returns. Cuts are put where they tell most about out-of-fold chances. Levels that are not clearly in order on
        rows held out are merged, so there may be fewer. `max_size` is for all levels together, `max_rules` for each
        before they merge.
        There is no front to pick from. Set it to rank rows, or where an outcome is so rare or so noisy that yes or no
        says little.
    max_columns : int or None, default=4
        The most columns in a literal. Lower it for conditions that are easier to read; None sets no limit.
    max_literals : int or None, default=None
        The most literals in a rule. Set it if rules are too long to read.
    max_rules : int or None, default=None
        The most rules; of several classes, for each. Set it to say how many rules you can read. The best model
        within the limit is then chosen, by rows held out, and rules have no extra price.
    max_size : int or None, default=None
        The most columns to read in all (`rules_.size`); of several classes, for each. Set it to say how much you can
        read; it acts as `max_rules` does. Without both, the smallest model is chosen that held-out rows do not tell
        from the best. After a teacher (see there) all rows choose, and a column must bring 2.5 times `price`, or with a
        limit 1.5 times.
    price : float, default=0.0001
        What a column costs to read, in units of error. Raise it for shorter rules, lower it for fewer errors. The
        search starts at ten times this price and ends at it ("quick" stays at ten times; after a teacher, without
        limits, the search ends at 2.6 times). A literal costs one column more than
        it reads, a rule two. If labels are noisy a rule costs 25, but at most a tenth of what there is to gain, unless
        `max_rules` or `max_size` is set or `effort` is "quick".
    time_limit : float or None, default=None
        Seconds for the fit. Set it where a fit must end in time; what is found then depends on the machine, so the same
        seed may give other rules. With under six seconds, and 1.5 more for every ten thousand cells (of at most
        6,000 rows), no network is trained, and a teacher is asked only if that takes little of the time.
    n_jobs : int or None, default=None
        Processes that search side by side, through joblib. Take -1 to use all cores; the rules stay the same.
    validation_fraction : float, default=0.2
        The share of rows held out to choose the epoch, the restart and the size of the rules, which are then fitted to
        all rows. Lower it if rows are scarce; with 0 the training rows choose.
    categorical : sequence of str or None, default=None
        Columns to treat as categories. Name columns whose numbers are codes, and texts that look like dates or nearly
        all differ: these are refused unless named, because rules would learn them by heart.
    missing_values : list, dict of lists by column, or None, default=None
        Values that stand for a missing one, such as `[-7, -8, -9]`, at fit and at predict. Set it if your table has
        such codes.
    literals : list of str or None, default=None
        Literals that rules may use besides the learned ones. Give conditions that your field knows, such as
        `["age > 30", "debt/income > 0.4"]`. They stay as written, and may have more than `max_columns`.
    start : RuleSet, str or None, default=None
        Rules to begin from, for two classes. Give those in use today, to improve on them. The search changes or drops
        what breaks the limits.
    fixed : RuleSet, str, list of str or None, default=None
        Rules that stay as they are, for two classes; others are learned beside them. Give rules that the law or a
        policy demands.
    exclude : list of str or None, default=None
        Columns that no learned rule may read. Name what must not decide, or is not known in time.
    groups : list of str or None, default=None
        Columns whose values make groups of rows, such as `["sex"]`: `groups_` compares how the rules treat them.
        Numbers of more than ten values are cut at their quartiles. Rules may read these columns unless `exclude` names
        them.
    max_gap : dict or None, default=None
        The most that groups of a column may differ on rows held out, for two classes: with `{"sex": 0.05}` the shares
        that get the label differ by at most 0.05, a margin for chance included. Set it where equal treatment is
        demanded; it costs accuracy and a search for each of a few prices on the gap.
    gap : {"selection", "recall"}, default='selection'
        What `max_gap` bounds: the share of all rows that get the label, or of those that are of its class.
    apart : list of groups of str, or None, default=None
        Columns of which no learned rule may read two, such as `[("age", "region")]`. Use it where a combination would
        stand for something that must not decide.
    monotone : dict or None, default=None
        The sign that a column's coefficients must have, for two classes. With `{"debt": -1}` more debt never makes a
        row the label's. Use it where an answer must be defended.
    class_weight : dict, "balanced" or None, default=None
        What a row of each class weighs, as in scikit-learn. Set it where a class is rare and missing it costs much.
    positive : label or None, default=None
        Of two classes the one that the rules describe; None takes the last in sorted order. Set it to read rules for
        the other one.
    progress : bool, default=False
        Whether to show a progress bar on standard error. Take True for long fits in a terminal or notebook.
    callback : callable or None, default=None
        Called with each epoch's `Record` and each accepted `Move` of the search. Use it to log, or to stop: a true
        return value ends the training, or the search, of this class, and the fit goes on with the best so far.
    random_state : int, RandomState or None, default=None
        The seed. Set it to get the same rules again on the same machine with the same packages. Another processor or
        BLAS rounds differently, and may lead to other rules.

    Attributes
    ----------
    rules_ : RuleSet, ClassRules or LevelRules
        The model; `print(m.rules_)` shows it in the table's units. With `levels` it is a chain of them.
        With more than two classes `m.rules_[label]` is one rule set. They are tried in order, and the first that is
        true decides.
    front_ : Fronts
        The best rule set found for each size, and each class that has rules. Not there with `effort="none"`.
    chosen_ : tuple of int
        The rows of `front_` that `rules_` comes from, one for each class that has a front; `pick` takes others. None
        for a class whose rules `pick` took from `alternatives_`.
    alternatives_ : Alternatives
        What else would do: rule sets that the search came by, that read other columns than the chosen one and that the
        rows held out do not tell from it by one standard error. `pick(alternative=0)` takes the first. Not there with
        `effort="none"`.
    trade_off_ : TradeOff
        What each threshold that was tried reaches on rows held out: recall, precision, share flagged, size. Rows count
        once, whatever they weigh. Rules of levels were fitted once more to all rows, these too, so theirs is a little
        too good. Not there
        without `min_recall`, `min_precision` or `levels`, nor after `update` or where `pick` took other rules: these
        promise nothing.
    schema_ : Schema
        The columns at fit. Of those that no rule reads it knows the name alone.
    network_ : TrainedNetwork or None
        The trained network. None if there was none, and in a pickled model: it knows of columns that no rule reads.
    teacher_used_ : tuple of labels
        The classes whose rules were fitted to labels that a teacher changed.
    fidelity_ : float or None
        The share of rows held out, by weight, on which `rules_` and the given teacher decide alike: the teacher decides
        for the positive class if that is more probable than not, of several classes for the most probable. None without
        a given teacher. Where no rows are held out it is that of all training rows.
    groups_ : Groups or None
        How `rules_` treat the groups of `groups` and `max_gap` on rows held out: selection rate, recall and precision,
        with intervals; a table of sums, without rows. None if neither is given.
    moves_ : list of Move
        Every accepted move of the search, without its rules.
    history_ : list of Record
        What training recorded, epoch by epoch.
    steps_ : tuple of Step
        What was done between the network and `rules_`, and how many training rows each step changed.
    updated_ : Updated
        What `update` changed; not there in a model that `fit` made.
    interrupted_ : bool
        Whether a Ctrl-C ended the fit early; `rules_` are then the best found until then.
    classes_ : array
        The classes, sorted.
    n_features_in_ : int
        The number of columns at fit.
    feature_names_in_ : array of str
        Their names; not there if they had none.

    Examples
    --------
    >>> from r2n import R2NClassifier
    >>> from r2n.datasets import example
    >>> X, y = example(1).sample(1000, random_state=0)
    >>> m = R2NClassifier(random_state=0).fit(X, y)
    >>> m.score(X, y) > 0.98
    True
    """

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Parameters
        ----------
        **params : object
            New values. A name such as `network__penalty` changes one parameter of `network`.

        Returns
        -------
        R2NClassifier
            This estimator.

        Raises
        ------
        ParameterError
            If a parameter of the network is given while `network` is None, or has no such parameter or value.
        ValueError
            If there is no such parameter.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> R2NClassifier().set_params(max_rules=3, network__restarts=10)
        R2NClassifier(max_rules=3, network=NetworkSettings(restarts=10))
        """
        inner = {name: value for name, value in params.items() if name.startswith("network__")}
        super().set_params(**{name: value for name, value in params.items() if name not in inner})
        if inner:
            if not isinstance(self.network, NetworkSettings):
                advice = "Give network=NetworkSettings(…) first."
                raise ParameterError(f"{next(iter(inner))} cannot be set: network is {self.network!r}. {advice}")
            self.network = self.network(**{name.removeprefix("network__"): value for name, value in inner.items()})
        return self

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn `rules_` from a table and its labels.

        Parameters
        ----------
        X : table
            A frame (pandas, polars, pyarrow), a dict of columns or a two-dimensional array.
        y : array-like
            The class of each row: text, Booleans or whole numbers.
        sample_weight : array-like, optional
            The weight of each row: 2 counts as two rows, 0 as none.

        Returns
        -------
        R2NClassifier
            This estimator, fitted.

        Raises
        ------
        ParameterError
            If a parameter has no meaning, or two contradict each other.
        ParseError
            If the text of a rule or literal cannot be read.
        SchemaError
            If the table or the labels cannot be learned from.

        Warns
        -----
        ConstantRules
            If no rules were found that beat always giving one answer.
        GapNotKept
            If too few rows are held out to promise that `max_gap` is kept.
        Interrupted
            If a Ctrl-C ended the fit; the rules are then the best found until then.
        UnseenCategory
            If a text in `literals`, `start` or `fixed` names a category that no row has.

        Examples
        --------
        >>> from r2n import R2NClassifier
        >>> m = R2NClassifier(network=None, effort="quick", random_state=0)
        >>> print(m.fit({"age": [*range(40)]}, ["no"] * 20 + ["yes"] * 20).rules_)
        yes if age > 19
        else no
        """
        began = time.monotonic()
        options = Options.read(self.get_params(deep=False))
        rows = TrainingRows.read(X, y, sample_weight, options)
        options = replace(options, knowledge=read_expert(rows, options))
        for words in doubts(options.knowledge, rows.schema):
            warnings.warn(words, UnseenCategory, stacklevel=2)
        with hold_interrupts() as ctrl_c:
            rng = check_random_state(self.random_state)
            learned = self._learn(rows, options, rng, began, has_text_names(X))
            self._rows = WeakRows(X, y, sample_weight)
            late = ctrl_c.take()
        self.interrupted_ = any(each.interrupted for each in learned.values())
        if gaps := describe_gaps(self.groups_, options.max_gap, options.gap, learned.values()):
            warnings.warn(gaps, GapNotKept, stacklevel=2)
        words = describe_interruption(learned, late)
        if words:
            warnings.warn(words, Interrupted, stacklevel=2)
        if self.rules_.size == 0 and not words:  # a Ctrl-C has said already why there is so little
            (answer,) = self.rules_.predict(rows.table.take(np.arange(1))).tolist()
            words = f"no rules were found that beat always answering {answer!r} on rows held out: the model does that."
            found = "See front_ for what was found, and give" if hasattr(self, "front_") else "Give"
            advice = f"{found} more rows or columns, or weigh a rare class by class_weight."
            warnings.warn(f"{words} {advice}", ConstantRules, stacklevel=2)
        return self

    def _repr_html_inner(self) -> str:
        """Show the rules, once there are some, above scikit-learn's box of parameters."""
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
