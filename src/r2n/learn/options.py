"""The parameters of R2NClassifier, each declared here once, and the work that follows from them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.metrics import get_scorer_names

from r2n.errors import ParameterError
from r2n.learn.parameters import (
    BOOLEAN,
    CALLABLE,
    JOBS,
    NAMES,
    PENALTY,
    SEED,
    Requirement,
    check_parameters,
    either,
    number,
    one_of,
    optional,
    parameter,
    requirements_of,
    whole,
)
from r2n.learn.scoring import score_rules
from r2n.learn.settings import POSITIVE, NetworkSettings
from r2n.rules import NOTHING, Knowledge
from r2n.runtime.progress import WHOLE, Part
from r2n.search import EVEN, Caps, Clock, Move, Plan
from r2n.search.plan import (
    EFFORTS,
    EXPLORE_SHARE,
    FINISH_SHARE,
    NETWORK_ROWS,
    PLAIN_RULE,
    SECONDS_PER_CELL,
    STARTING_SECONDS,
)

if TYPE_CHECKING:
    from r2n.network import Record

SHARE = number("between 0 and 1", lambda value: 0 < value < 1)


def _are_cuts(value: Any) -> bool:
    """Whether these are different thresholds, at least one."""
    if isinstance(value, str) or not isinstance(value, Sequence | np.ndarray) or len(value) == 0:
        return False
    return all(SHARE.holds(cut) for cut in value) and len(set(value)) == len(value)


SCORER = Requirement("a scikit-learn scorer", lambda value: isinstance(value, str) and value in get_scorer_names())
SCORING = either(SCORER, CALLABLE)
ONE_THRESHOLD = ("threshold", "miss_cost", "min_recall", "min_precision")
LEVELS = Requirement(
    "a whole number of at least 2, or different thresholds between 0 and 1",
    lambda value: whole(2).holds(value) or _are_cuts(value),
)
SETTINGS = Requirement("None or a NetworkSettings", lambda value: value is None or isinstance(value, NetworkSettings))


TEACHER = Requirement(
    "None, True, False, a fitted classifier with predict_proba, or an array of probabilities",
    lambda value: value is None or BOOLEAN.holds(value) or asks_classifier(value) or is_array(value),
)
GAPS = Requirement(
    "a dict of columns and the most that their groups may differ, above 0 and at most 1",
    lambda value: (
        isinstance(value, Mapping)
        and len(value) > 0
        and all(isinstance(name, str) and SHARE.holds(most) for name, most in value.items())
    ),
)


def asks_classifier(teacher: Any) -> bool:
    """Whether probabilities can be asked of it."""
    return not isinstance(teacher, type) and callable(getattr(teacher, "predict_proba", None))


def is_array(teacher: Any) -> bool:
    """Whether it may be probabilities: a list, or what numpy reads as an array."""
    return isinstance(teacher, list | tuple) or (hasattr(teacher, "__array__") and not isinstance(teacher, np.generic))


NETWORK_PROGRESS = 0.5  # the network's part of the progress bar


@dataclass(kw_only=True, eq=False, repr=False)
class Parameters:
    """The parameters of `R2NClassifier`, whose docstring says what each of them is for."""

    network: NetworkSettings | None = parameter(NetworkSettings(), SETTINGS)
    effort: str = parameter("default", one_of("none", "quick", "default", "thorough"))
    teacher: Any = parameter(None, TEACHER)
    threshold: float | None = parameter(None, optional(SHARE))
    miss_cost: float | None = parameter(None, optional(POSITIVE))
    min_recall: float | None = parameter(None, optional(SHARE))
    min_precision: float | None = parameter(None, optional(SHARE))
    scoring: str | Callable[..., float] | None = parameter(None, optional(SCORING))
    levels: int | Sequence[float] | None = parameter(None, optional(LEVELS))
    max_columns: int | None = parameter(4, optional(whole(1)))
    max_literals: int | None = parameter(None, optional(whole(1)))
    max_rules: int | None = parameter(None, optional(whole(1)))
    max_size: int | None = parameter(None, optional(whole(1)))
    price: float = parameter(1e-4, PENALTY)
    time_limit: float | None = parameter(None, optional(POSITIVE))
    n_jobs: int | None = parameter(None, optional(JOBS))
    validation_fraction: float = parameter(0.2, number("of at least 0 and below 1", lambda value: 0 <= value < 1))
    categorical: Collection[str] | None = parameter(None, optional(NAMES))
    missing_values: Any = parameter(None)
    literals: Any = parameter(None)
    start: Any = parameter(None)
    fixed: Any = parameter(None)
    exclude: Any = parameter(None)
    groups: Collection[str] | None = parameter(None, optional(NAMES))
    max_gap: Mapping[str, float] | None = parameter(None, optional(GAPS))
    gap: str = parameter("selection", one_of("selection", "recall"))
    apart: Any = parameter(None)
    monotone: Any = parameter(None)
    class_weight: Any = parameter(None)
    positive: Any = parameter(None)
    progress: bool = parameter(False, BOOLEAN)
    callback: Callable[[Record | Move], object] | None = parameter(None, optional(CALLABLE))
    random_state: Any = parameter(None, SEED)


@dataclass(kw_only=True, eq=False, repr=False)
class Options(Parameters):
    """The parameters once they are checked, with the expert's as `knowledge` about the table's columns."""

    knowledge: Knowledge = NOTHING
    part: Part = WHOLE  # which class is being learned, for the progress bar

    @classmethod
    def read(cls, parameters: Mapping[str, Any]) -> Self:
        """Refuse a value without a meaning before any work is done."""
        check_parameters(parameters, requirements_of(Parameters))
        options = cls(**parameters)
        given = [name for name in ONE_THRESHOLD if getattr(options, name) is not None]
        if len(given) > 1:
            same = " miss_cost=4 and threshold=0.2 say the same." if given == ["threshold", "miss_cost"] else ""
            raise ParameterError(
                f"{' and '.join(given)} each say from where a row is positive.{same} Give one of them."
            )
        promised = [name for name in ("min_recall", "min_precision", "scoring") if getattr(options, name) is not None]
        if options.levels is not None and promised:
            raise ParameterError(f"{promised[0]} chooses one rule set, but levels are several. Give one of the two.")
        return options

    @property
    def cut(self) -> float:
        """The threshold, whichever way it was said."""
        if self.miss_cost is not None:
            return 1.0 / (1.0 + self.miss_cost)
        return EVEN if self.threshold is None else self.threshold

    @property
    def categories(self) -> tuple[str, ...]:
        """The columns of `categorical`, whichever collection names them."""
        return () if self.categorical is None else tuple(self.categorical)

    @property
    def distils(self) -> bool:
        """Whether the user gave a teacher, or its probabilities."""
        return self.teacher is not None and not BOOLEAN.holds(self.teacher)

    @property
    def grouped(self) -> tuple[str, ...]:
        """The columns whose groups are compared."""
        return tuple(dict.fromkeys([*(self.groups or ()), *(self.max_gap or ())]))

    @property
    def scaling(self) -> str:
        """How numeric columns are scaled. Columns that cannot be are refused without a network too."""
        return "standard" if self.network is None else self.network.scaling

    @property
    def caps(self) -> Caps:
        """The limits of the search. A literal must fit into what `max_size` leaves beside the fixed rules."""
        columns = [] if self.max_columns is None else [self.max_columns]
        if self.max_size is not None:
            columns.append(max(self.max_size - sum(rule.size for rule in self.knowledge.fixed), 1))
        return Caps(min(columns, default=None), self.max_literals, self.max_rules, self.max_size)

    def is_hurried(self, n_rows: int, n_columns: int) -> bool:
        """Whether time is too short for a network: refinement then starts from no rules, or from an expert's."""
        enough = STARTING_SECONDS + SECONDS_PER_CELL * min(n_rows, NETWORK_ROWS) * n_columns
        return self.time_limit is not None and self.time_limit < enough

    def plan(self, seed: int, began: float) -> Plan:
        """What the search is to do, and until when."""
        effort = EFFORTS[self.effort]
        starting = self.time_limit is not None and self.time_limit < STARTING_SECONDS
        return Plan(
            prices=tuple(factor * self.price for factor in effort.prices),
            continued=effort.continued,
            escapes=effort.escapes,
            caps=self.caps,
            rule=PLAIN_RULE if self.caps.user_set_limits() else effort.rule,
            knowledge=self.knowledge,
            teacher=False if starting and self.teacher is None else self.teacher if not self.distils else None,
            threshold=self.cut,
            score=None if self.scoring is None else partial(score_rules, self.scoring),
            seed=seed,
            n_jobs=1 if starting else self.n_jobs,
            clock=Clock.of(began, self.time_limit, EXPLORE_SHARE, FINISH_SHARE),
        )
