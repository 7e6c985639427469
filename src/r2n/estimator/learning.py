"""How a model comes to its fitted attributes: learn what was asked for, and remember of the rows what may be kept."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from r2n.errors import BrokenPromise
from r2n.estimator.reached import HeldOut, Reached
from r2n.estimator.resampled import ResampledModel
from r2n.estimator.updating import UpdatableModel
from r2n.learn.alternatives import Alternatives
from r2n.learn.fronts import Fronts
from r2n.learn.learned import Learned, forget_unread
from r2n.learn.levels import learn_levels
from r2n.learn.options import Options
from r2n.learn.picks import ClassPicks, Picks
from r2n.learn.pipeline import learn_classes
from r2n.learn.promise import learn_promised
from r2n.learn.rows import TrainingRows
from r2n.learn.trained import TrainedNetwork
from r2n.table import Value


class LearningModel(ResampledModel, UpdatableModel):
    """A model that can be fitted."""

    def _learn(
        self, rows: TrainingRows, options: Options, rng: np.random.RandomState, began: float, has_names: bool
    ) -> Mapping[Value, Learned]:
        """Learn what was asked for, and set the fitted attributes."""
        self.__dict__.pop("trade_off_", None)
        learned: Mapping[Value, Learned]
        if options.levels is not None:
            levels = learn_levels(rows, options, rng, began)
            learned = levels.each
            self._remember(learned, rows, has_names)
            taught = any(one.taught for one in learned.values())
            self.teacher_used_ = (levels.rules.positive,) if taught else ()
            assert levels.rules.schema is not None
            self.rules_, self.schema_, self.trade_off_ = levels.rules, levels.rules.schema, levels.trade_off
            reached = HeldOut(rows, levels.judges, options.cut)
            self._show(reached.measure(levels.rules.view("label")) if reached.measures else Reached())
            return learned
        cut = options.cut
        if options.min_recall is None and options.min_precision is None:
            learned = learn_classes(rows, options, rng, began)
        else:
            kept = learn_promised(rows, options, rng, began)
            learned, cut, self.trade_off_ = (
                {rows.labels.values[rows.labels.positive]: kept.learned},
                kept.threshold,
                kept.trade_off,
            )
            if not kept.trade_off.kept:
                words = f"no threshold that was tried keeps what was promised; the nearest was taken.\n{kept.trade_off}"
                warnings.warn(words, BrokenPromise, stacklevel=3)
        self._remember(learned, rows, has_names)
        self._remember_picks(list(learned.values()), rows, cut)
        return learned

    def _remember(self, learned: Mapping[Value, Learned], rows: TrainingRows, has_names: bool) -> None:
        """Set the fitted attributes that say how rules came about. They keep no more of columns than rules read."""
        earlier = ("front_", "chosen_", "alternatives_", "updated_", "_picks", "_others", "_reached")  # of another fit
        for name in earlier:
            self.__dict__.pop(name, None)
        self.classes_ = rows.labels.classes
        self.n_features_in_ = len(rows.schema.columns)
        self.feature_names_in_ = np.array(rows.schema.names, dtype=object)
        if not has_names:
            del self.feature_names_in_  # as scikit-learn has it: only for tables with names
        networks = {label: one.network for label, one in learned.items() if one.network is not None}
        self.network_ = TrainedNetwork(networks) if networks else None
        self.teacher_used_ = tuple(label for label, one in learned.items() if one.taught)
        _, self.schema_ = forget_unread(learned, rows.schema)
        each = list(learned.values())
        self.history_ = [record for one in each for record in one.history]
        self.moves_ = [move.without_rules() for one in each for move in one.moves]
        self.steps_ = tuple(step for one in each for step in one.steps)

    def _remember_picks(self, learned: Sequence[Learned], rows: TrainingRows, cut: float) -> None:
        """Count the rules of every point on the training rows, which then are gone, and take the chosen ones."""
        each = [one.with_schema(self.schema_) for one in learned]
        labels, weight, candidates = rows.labels, rows.weight, [one.candidates for one in each]
        if len(each) == 1:
            truth = labels.codes == labels.positive
            self._picks = Picks.count(candidates[0], rows.table, truth, weight, each[0].held_out, cut)
        else:
            held_out = [one.held_out for one in each]
            self._picks = ClassPicks.count(candidates, rows.table, labels.codes, weight, held_out)
        self.front_ = Fronts.of(one.front for one in each)
        self.alternatives_ = Alternatives.of(each, rows.table, rows.numbers)
        reached = HeldOut.of(rows, each, cut)
        options = self._picks.options if reached.measures and isinstance(self._picks, Picks) else ()
        self._reached = tuple(map(reached.measure, options))
        self._use(tuple(self.front_.row(k, one.chosen) for k, one in enumerate(each) if one.chosen is not None))
        if reached.measures and not self._reached:
            self._show(reached.measure(self.rules_))
        if not self.chosen_:  # not refined
            del self.front_, self.chosen_, self.alternatives_
