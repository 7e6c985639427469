"""R2NClassifier: the scikit-learn contract and nothing else."""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Collection, Mapping
from dataclasses import fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, check_random_state

from r2n.errors import ConstantRules, Interrupted, ParameterError, SchemaError, UnseenCategory
from r2n.learn.bridge import truths
from r2n.learn.counts import ClassCounts, Counts
from r2n.learn.labels import Labels, weights_of
from r2n.learn.parameters import (
    BOOLEAN,
    CALLABLE,
    JOBS,
    NAMES,
    PENALTY,
    SEED,
    Check,
    check_parameters,
    either,
    number,
    one_of,
    optional,
    whole,
)
from r2n.learn.picks import ClassPicks, Picks
from r2n.learn.pipeline import NOT_BEGUN, Learned, Options, describe_interruption, learn
from r2n.network import Record
from r2n.rules import ClassRules, Knowledge, RuleSet, doubts, read_knowledge, rename_columns
from r2n.rules.base import keep_read_columns
from r2n.runtime.interrupts import hold_interrupts
from r2n.runtime.progress import Part
from r2n.search import Labelled, Move
from r2n.table import Schema, Table, Value, has_text_names, same_names
from r2n.table.identifiers import refuse_identifiers

Bools = NDArray[np.bool_]

# The network divides by it in single precision, which knows nothing below about 1e-38.
TEMPERATURE = number("of at least 1e-30", lambda value: value >= 1e-30)

CHECKS: dict[str, Check] = {
    "network_literals": whole(1),
    "network_rules": whole(1),
    "or_gate": one_of("max", "sum", "product"),
    "negations": BOOLEAN,
    "penalty": PENALTY,
    "penalty_and": optional(PENALTY),
    "penalty_or": optional(PENALTY),
    "penalty_literals": optional(PENALTY),
    "scale_penalties": either(BOOLEAN, one_of("gates")),
    "optimizer": one_of("adam", "amsgrad"),
    "clip_gradient": optional(number("above 0", lambda value: value > 0)),
    "initial_weights": one_of("sparse", "normal"),
    "learning_rate": number("above 0", lambda value: value > 0),
    "batch_size": whole(1),
    "epochs": whole(1),
    "steps_per_epoch": whole(1),
    "restarts": whole(1),
    "temperature": TEMPERATURE,
    "gamma": number("above 0 and at most 1", lambda value: 0 < value <= 1),
    "temperature_floor": TEMPERATURE,
    "keep": one_of("crisp", "loss"),
    "effort": one_of("none", "quick", "default", "thorough"),
    "time_limit": optional(number("above 0", lambda value: value > 0)),
    "n_jobs": optional(JOBS),
    "teacher": optional(BOOLEAN),
    "max_columns": optional(whole(1)),
    "max_literals": optional(whole(1)),
    "max_rules": optional(whole(1)),
    "max_size": optional(whole(1)),
    "price": PENALTY,
    "validation_fraction": number("of at least 0 and below 1", lambda value: 0 <= value < 1),
    "drop_below": number("of at least 0 and below 1", lambda value: 0 <= value < 1),
    "scaling": one_of("standard", "range", "none"),
    "categorical": optional(NAMES),
    "progress": BOOLEAN,
    "callback": optional(CALLABLE),
    "random_state": SEED,
}


class R2NClassifier(TransformerMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc] # sklearn is untyped
    """Learns a rule set, and the conditions in it, from a table with two classes; of more, one for each class.

    Parameters
    ----------
    network_literals, network_rules : int
        m and J: how many halfspaces and how many rules the network may use.
    or_gate : {"sum", "max", "product"}
        The soft OR; "max" is the paper's.
    negations : bool
        Offer `column not in {category}` beside `column in {category}`.
    penalty : float
        λ of the sparsity loss; `penalty_and`, `penalty_or`, `penalty_literals` override it by layer. Restarts that
        are to be refined take it times 1, 0.3, 1, 3, 1 in turn.
    scale_penalties : bool or "gates"
        Divide the penalties by J. The paper's plain sums drive the rule set to a constant. "gates" divides those of the
        AND and OR layers only, as the authors' code does.
    optimizer : {"adam", "amsgrad"}
        What turns gradients into steps; "amsgrad" is the authors'.
    clip_gradient : float, optional
        Bound the norm of the gradient, over all weights of a restart.
    initial_weights : {"sparse", "normal"}
        Where training starts: with about two literals in each rule, or, as in the authors' code, with u and v from
        N(0, 1) and small halfspaces.
    learning_rate, batch_size, epochs, restarts : float, int, int, int
        Adam's step, rows in a batch, epochs of each restart, independent restarts.
    steps_per_epoch : int
        An epoch has at least so many steps: it reads a small table several times over.
    temperature, gamma, temperature_floor : float
        τ starts at `temperature`, falls by the factor γ an epoch, and stays at the floor.
    keep : {"crisp", "loss"}
        Which epoch is kept: the one whose *crisp* rule set errs least on the rows held out, or, as
        in the paper, the one with the lowest training loss, of those at the lowest temperature.
    effort : {"none", "quick", "default", "thorough"}
        How much is done to finish the network's rules: nothing but what the limits below ask for; one descent; descents
        from all restarts at several prices, escapes from where they end, and a front to choose from; many more escapes,
        which takes minutes.
    teacher : bool, optional
        Mix the labels that refinement fits to with the opinion of gradient boosting models that did not see the row.
        By default where first rules and these models both err on more than 5 % of rows they did not see. Where a
        logistic fit is nearer to the labels than these models, the mean of both is mixed in, and nothing where the fit
        is nearer than that too, or where it would turn over half of a class. Scores are always on the labels as they
        came.
    max_columns, max_literals, max_rules : int or None
        The most columns in a literal, literals in a rule, and rules.
    max_size : int, optional
        The most columns to read in all, each counted as often as it is mentioned, and a set as many times as it names
        categories: `rules_.size`. Of several classes each has so many. Without `max_rules` and `max_size` the smallest
        rules are chosen that the rows held out do not tell from the best; with one of them so much may be read: a rule
        costs less (see `price`), and the best rules on the rows held out are taken.
    price : float
        What a column costs to read, in units of error: refinement goes down from ten times this price to it (with
        `effort="quick"` it stays there). A literal costs one column besides those it reads, a rule two; with noisy
        labels 25, but no more than a tenth of what there is to gain, unless `max_rules` or `max_size` says how much may
        be read or `effort` is "quick". In the network, what a literal costs when epochs are compared.
    time_limit : float, optional
        Seconds that fitting may take. If they are few for such a table (under six, and 1.5 more for every ten thousand
        cells), refinement starts from no rules, without a network; a teacher is asked if that takes little of them.
        What is found in time depends on the machine: the same seed may give other rules.
    n_jobs : int, optional
        How many processes refine side by side, through joblib; -1 for one on each core. The rules stay the same.
    validation_fraction : float
        Share of the rows held out of training to choose the epoch, the restart and the size of the rules; 0 chooses
        on the training rows. The rules chosen are then fitted to all rows.
    drop_below : float
        Coefficients below this share of a literal's largest (both times their column's spread) are dropped.
    scaling : {"standard", "range", "none"}
        How numeric columns are scaled inside the network. Rules are always in the table's own units.
    categorical : sequence of str, optional
        Columns to treat as categories though they hold numbers, or texts that look like dates or nearly all differ.
        Without it such texts are refused: rules would learn them by heart.
    missing_values : list, or dict of lists by column, optional
        Values that stand for a missing one, such as `[-7, -8, -9]`, now and at predict.
    literals : list of str, optional
        Literals to choose from besides those that are learned, such as `["age > 30", "debt/income > 0.4"]`. They stay
        as they are written, and may have more than `max_columns`.
    start : RuleSet or str, optional
        A person's rules, to begin from, for two classes. What they may not be is mended or left out.
    fixed : RuleSet, str or list of str, optional
        Rules that stay as they are, for two classes; others are learned beside them.
    exclude : list of str, optional
        Columns that no learned rule may read.
    apart : list of groups of str, optional
        Columns of which no learned rule may read two, such as `[("age", "region")]`.
    monotone : dict, optional
        The sign that a column's coefficients must have, for two classes: with `{"debt": -1}` more debt never makes a
        row the label's.
    class_weight : dict, "balanced" or None
        What a row of each class weighs, as in scikit-learn.
    positive : label, optional
        Of two classes the one that the rules describe; by default the last in sorted order.
    progress : bool
        Show a progress bar on standard error.
    callback : callable, optional
        Called with each epoch's `Record`, and with each accepted `Move` of the refinement.
    random_state : int, RandomState or None
        The same seed gives the same rules on the same machine, with the same packages. Another processor or BLAS rounds
        otherwise, and may lead to other rules.

    Attributes
    ----------
    rules_ : RuleSet or ClassRules
        The model. `print(m.rules_)` shows it in the table's units. With more than two classes, `m.rules_[label]` is the
        rule set of one; they are asked in turn, and the first that is true decides.
    front_ : Front, or dict of Fronts by class
        For every size the best rule set found, with its scores on the rows fitted to and on those held out.
    chosen_ : int, or dict by class
        Which point of the front `rules_` comes from; `pick(i)` takes another.
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

    def __init__(
        self,
        *,
        network_literals: int = 10,
        network_rules: int = 25,
        or_gate: str = "sum",
        negations: bool = False,
        penalty: float = 1e-2,
        penalty_and: float | None = None,
        penalty_or: float | None = None,
        penalty_literals: float | None = None,
        scale_penalties: bool | str = True,
        optimizer: str = "adam",
        clip_gradient: float | None = None,
        initial_weights: str = "sparse",
        learning_rate: float = 1e-2,
        batch_size: int = 200,
        epochs: int = 200,
        steps_per_epoch: int = 32,
        restarts: int = 5,
        temperature: float = 1.0,
        gamma: float = 0.966,
        temperature_floor: float = 1e-3,
        keep: str = "crisp",
        effort: str = "default",
        teacher: bool | None = None,
        max_columns: int | None = 4,
        max_literals: int | None = None,
        max_rules: int | None = None,
        max_size: int | None = None,
        price: float = 1e-4,
        time_limit: float | None = None,
        n_jobs: int | None = None,
        validation_fraction: float = 0.2,
        drop_below: float = 0.025,
        scaling: str = "standard",
        categorical: Collection[str] | None = None,
        missing_values: Any = None,
        literals: Any = None,
        start: Any = None,
        fixed: Any = None,
        exclude: Any = None,
        apart: Any = None,
        monotone: Any = None,
        class_weight: Any = None,
        positive: Any = None,
        progress: bool = False,
        callback: Callable[[Record | Move], object] | None = None,
        random_state: Any = None,
    ) -> None:
        self.network_literals = network_literals
        self.network_rules = network_rules
        self.or_gate = or_gate
        self.negations = negations
        self.penalty = penalty
        self.penalty_and = penalty_and
        self.penalty_or = penalty_or
        self.penalty_literals = penalty_literals
        self.scale_penalties = scale_penalties
        self.optimizer = optimizer
        self.clip_gradient = clip_gradient
        self.initial_weights = initial_weights
        self.learning_rate = learning_rate
        self.batch_size = batch_size
        self.epochs = epochs
        self.steps_per_epoch = steps_per_epoch
        self.restarts = restarts
        self.temperature = temperature
        self.gamma = gamma
        self.temperature_floor = temperature_floor
        self.keep = keep
        self.effort = effort
        self.teacher = teacher
        self.max_columns = max_columns
        self.max_literals = max_literals
        self.max_rules = max_rules
        self.max_size = max_size
        self.price = price
        self.time_limit = time_limit
        self.n_jobs = n_jobs
        self.validation_fraction = validation_fraction
        self.drop_below = drop_below
        self.scaling = scaling
        self.categorical = categorical
        self.missing_values = missing_values
        self.literals = literals
        self.start = start
        self.fixed = fixed
        self.exclude = exclude
        self.apart = apart
        self.monotone = monotone
        self.class_weight = class_weight
        self.positive = positive
        self.progress = progress
        self.callback = callback
        self.random_state = random_state

    # -- fitting -------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn `rules_` from a table and its labels; a row of weight 2 counts as two rows, one of weight 0 as none."""
        began = time.monotonic()
        parameters = self.get_params(deep=False)
        check_parameters(parameters, CHECKS)
        options = Options(**{each.name: parameters[each.name] for each in fields(Options) if each.name in parameters})
        categorical = () if self.categorical is None else list(self.categorical)
        table = Table.read(X)
        labels = Labels.learn(y, table.n_rows)
        weight = weights_of(sample_weight, self.class_weight, labels)
        if not weight.all():  # a row without weight is none, whatever stands in its columns
            some = np.flatnonzero(weight)
            table, labels, weight = table.take(some, alone=True), labels.take(some), weight[some]
        labels = labels.describing(self.positive)
        schema, table = Schema.learn(table, categorical, self.missing_values)
        knowledge = self._knowledge(schema, labels)
        refuse_identifiers(table, schema.without({*categorical, *knowledge.excluded}).categorical)
        for words in doubts(knowledge, schema):
            warnings.warn(words, UnseenCategory, stacklevel=2)
        options = replace(options, knowledge=knowledge)
        with hold_interrupts() as ctrl_c:
            learned = self._learn(schema, table, labels, weight, options, began)
            self.classes_ = labels.classes
            self.n_features_in_ = len(schema.columns)
            self.feature_names_in_ = np.array(schema.names, dtype=object)
            if not has_text_names(X):
                del self.feature_names_in_  # as scikit-learn has it: only for tables with names
            self._take(forget_unread(learned, schema), table, labels, weight)
            late = ctrl_c.take()
        self.interrupted_ = any(each.interrupted for each in learned.values())
        words = describe_interruption(learned, late)
        if words:
            warnings.warn(words, Interrupted, stacklevel=2)
        if self.rules_.size == 0 and not words:  # a Ctrl-C has said already why there is so little
            (answer,) = self.rules_.predict(table.take(np.arange(1))).tolist()
            words = f"no rules were found that beat always answering {answer!r} on rows held out: the model does that."
            advice = "See front_ for what was found; give more rows or columns, or weigh a rare class by class_weight."
            warnings.warn(f"{words} {advice}", ConstantRules, stacklevel=2)
        return self

    def _knowledge(self, schema: Schema, labels: Labels) -> Knowledge:
        """What the expert's parameters say, checked before any work is done."""
        blank = labels.blank(labels.positive, schema) if len(labels.classes) == 2 else None
        expert = (self.literals, self.start, self.fixed, self.exclude, self.apart, self.monotone)
        knowledge = read_knowledge(schema, blank, *expert)
        if self.max_rules is not None and len(knowledge.fixed) > self.max_rules:
            many = f"fixed has {len(knowledge.fixed)} rules, but max_rules is {self.max_rules}."
            raise ParameterError(f"{many} Raise it, or give fewer rules.")
        read = sum(rule.size for rule in knowledge.fixed)
        if self.max_size is not None and read > self.max_size:
            much = f"fixed has {read} columns to read, but max_size is {self.max_size}."
            raise ParameterError(f"{much} Raise it, or give shorter rules.")
        if knowledge.steers and self.effort == "none":
            raise ParameterError("fixed, apart and monotone are kept by refinement. Choose another effort than 'none'.")
        if knowledge.start and self.effort == "none":
            raise ParameterError("start is where refinement begins. Choose another effort than 'none'.")
        return knowledge

    def _learn(
        self,
        schema: Schema,
        table: Table,
        labels: Labels,
        weight: NDArray[np.float64],
        options: Options,
        began: float,
    ) -> dict[Value, Learned]:
        """What was learned of each class that gets rules: of one of two, of each of more."""
        rng = check_random_state(self.random_state)
        if len(labels.classes) == 2:
            described = [labels.positive]
        else:
            described = list(range(len(labels.classes)))
            if options.time_limit is not None:
                options = replace(options, time_limit=options.time_limit / len(described))
        learned: dict[Value, Learned] = {}
        first = began
        for k in described:
            options = replace(options, part=Part(len(learned), len(described), first))
            rows, blank = Labelled(table, labels.codes == k, weight), labels.blank(k, schema)
            one = Learned(blank, blank, (), [], [], interrupted=NOT_BEGUN)
            if not any(before.interrupted for before in learned.values()):  # a Ctrl-C ends the work for all classes
                try:
                    one = learn(blank, rows, options, rng, began)
                except KeyboardInterrupt:
                    if not learned:
                        raise  # there is no best so far
            learned[labels.values[k]] = one
            began = time.monotonic()
        return learned

    def _take(self, learned: dict[Value, Learned], table: Table, labels: Labels, weight: NDArray[np.float64]) -> None:
        """The fitted attributes; of several classes, fronts and choices are dicts by class."""
        each = list(learned.values())
        self.history_ = [record for one in each for record in one.history]
        self.moves_ = [move.without_rules() for one in each for move in one.moves]
        self.steps_ = tuple(step for one in each for step in one.steps)
        fronts = {label: one.front for label, one in learned.items() if one.front is not None}
        chosen = {label: one.chosen for label, one in learned.items()}
        options = [candidates(one) for one in each]
        self.rules_: RuleSet | ClassRules
        self._counts: Counts | ClassCounts
        self._picks: Picks | ClassPicks
        self.front_: Any = fronts
        self.chosen_: Any = chosen
        if len(each) == 1:
            self.front_, self.chosen_ = next(iter(fronts.values()), None), each[0].chosen
            self._picks = Picks.count(options[0], table, labels.codes == labels.positive, weight)
        else:
            self._picks = ClassPicks.count(options, table, labels.codes, weight)
        self._use(self.chosen_)
        if not fronts:  # not refined
            del self.front_, self.chosen_

    def _use(self, chosen: Any) -> None:
        """Take the rules that stand at this place of the front, or of each class's, and what was counted of them."""
        if isinstance(self._picks, ClassPicks):
            self.rules_, self._counts = self._picks.model([i or 0 for i in chosen.values()])
        else:
            self.rules_, self._counts = self._picks.model(chosen or 0)

    def pick(self, i: int, label: Any = None) -> Self:
        """The same model with the front's i-th rule set; `print(m.front_)` shows what there is.

        It is finished as `rules_` is: short numbers that change no prediction on the training rows, training counts,
        probabilities, and of several classes the order in which they are asked. `pick(m.chosen_)` is the model as it
        was fitted. The rules of other points are those that were fitted to the rows not held out, for only the chosen
        ones are fitted to all rows. If `time_limit` was up, points far from the chosen one keep their long numbers.

        With several classes, `label` says whose rules are to change.
        """
        check_is_fitted(self, "rules_")
        if not hasattr(self, "front_"):
            raise ParameterError("there is no front to pick from: with effort='none' nothing was refined.")
        if not isinstance(i, int | np.integer) or isinstance(i, bool):
            raise ParameterError(f"i must be a whole number, a row of the front, not {i!r}.")
        several = isinstance(self.rules_, ClassRules)
        if several and label not in list(self.front_):
            raise ParameterError(f"label must be one of {list(self.front_)}, not {label!r}: each class has a front.")
        front = self.front_[label] if several else self.front_
        if not -len(front) <= i < len(front):
            raise ParameterError(f"the front has the points 0 to {len(front) - 1}, not {i}.")
        i %= len(front)
        other = copy.copy(self)
        other.chosen_ = {**self.chosen_, label: i} if several else i
        other._use(other.chosen_)
        return other

    # -- predicting ----------------------------------------------------------------------------

    def _table(self, X: Any) -> Table:
        """X by name if there were names at fit and are now, else by position, with scikit-learn's warnings."""
        check_is_fitted(self, "rules_")
        schema = self.rules_.schema
        assert schema is not None, "fitted rules always have a schema"
        now, then = has_text_names(X), hasattr(self, "feature_names_in_")
        if now != then:
            words = "X has feature names, but {} was fitted without feature names"
            other = "X does not have valid feature names, but {} was fitted with feature names"
            warnings.warn((words if now else other).format(type(self).__name__), UserWarning, stacklevel=3)
        if same_names(X, schema.names) and not (now and then):  # by numbers, or as a table without names is named
            return schema.table(X)
        if not (now and then):
            return schema.table_by_position(X)
        if isinstance(X, Mapping):  # whose order means nothing, and which need not hold what no rule reads
            return schema.table(X, only=self.rules_.columns)
        return schema.table(X, same_order=True)  # scikit-learn asks for all columns of a frame

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


def candidates(learned: Learned) -> tuple[RuleSet, ...]:
    """What `pick` may choose from: the rules of each point; of the chosen one, those fitted to all rows."""
    if learned.front is None:
        return (learned.rules,)
    return tuple(learned.rules if i == learned.chosen else point.rules for i, point in enumerate(learned.front))


def forget_unread(learned: Mapping[Value, Learned], schema: Schema) -> dict[Value, Learned]:
    """The same over one schema, which knows only what those rules read that can become the model's."""
    rule_sets = [
        rules for one in learned.values() for rules in (one.rules, *(point.rules for point in one.front or ()))
    ]
    kept = keep_read_columns(schema, (literal for rules in rule_sets for literal in rules.literals))
    return {label: one.with_schema(kept) for label, one in learned.items()}
