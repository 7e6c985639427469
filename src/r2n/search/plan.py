"""Every number of the search that was chosen by trying: how much one run does, and the constants of its parts.

A comment ends with the command that shows what the number does: `refine stress` stands for
`python -m benchmarks.refine stress`. "No benchmark" says that none does so for this number alone;
`python -m benchmarks.guard` then shows only whether the whole learner has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from r2n.rules import NOTHING, Knowledge
from r2n.search.clock import Clock

# -- prices and efforts --------------------------------------------------------------------------

PLAIN_RULE = 2.0  # what a rule costs besides its literals, in columns; no benchmark
NOISY_RULE = 25.0  # the same where labels are noisy and the user set no limits: refine stress
LEAST_ROWS_SAVED = 0.5  # by a column, where labels are noisy: fewer, and it follows single rows; refine stress
MOST_RULE_SHARE = 0.1  # of what there is to gain: no rule costs more, or a rare class would have none; refine rare
COLUMNS_LEFT_TO_GAIN = 4  # an error worth fewer columns ends the exploring: two literals of a column; no benchmark


@dataclass(frozen=True, slots=True)
class Effort:
    """How much refinement does."""

    prices: tuple[float, ...]  # of the descents, as multiples of `price`: few columns first, then more
    continued: int  # how many of the best go on to the next price
    escapes: int  # from each of them at every price but the first
    rule: float  # what a rule costs, in columns: it is a case more to hold against all others


# refine known (default), refine thorough; no benchmark runs "quick".
EFFORTS = {
    "quick": Effort((10.0,), 1, 0, PLAIN_RULE),
    "default": Effort((10.0, 2.6, 1.0), 2, 3, NOISY_RULE),
    "thorough": Effort((10.0, 3.0, 1.0), 6, 12, NOISY_RULE),
}

# -- the network ---------------------------------------------------------------------------------

# Refinement wants starts that differ: restarts take `penalty` times these, in turn. No benchmark.
SPREAD = (1.0, 0.3, 1.0, 3.0, 1.0)
OFFERED_CATEGORIES = 100  # of a column, to the network; no benchmark
# A rarer category is not offered to it: fewer rows, or a smaller share of all. No benchmark.
FEWEST_OFFERED_ROWS, LEAST_OFFERED_SHARE = 5, 0.01

# -- time ----------------------------------------------------------------------------------------

# By which shares of `time_limit` the network, the exploring and the fit to all rows must end: refine limits
NETWORK_SHARE, EXPLORE_SHARE, FINISH_SHARE = 0.3, 0.75, 0.95
# Of the time to explore: what first rules on the labels as they came may take, and then the teacher; refine limits
TRIAL_SHARE, TEACHER_SHARE = 1 / 3, 1 / 4

# With less time than one process needs for all of it, a network's starts leave too little to search from them; with
# still less nor is there time to ask a teacher, or to start processes. refine limits
STARTING_SECONDS, SECONDS_PER_CELL = 6.0, 1.5e-4

# -- how many rows each part reads ---------------------------------------------------------------

NETWORK_ROWS = 6_000  # at most, of those that train and of those that judge; refinement reads the others: refine rows
# Of more rows a part is drawn: which columns matter shows in fewer than how far their coefficients reach. refine rows
EXPLORED_ROWS, FINISHED_ROWS = 30_000, 300_000
SKETCHED_ROWS = 6_000  # of those explored, for all but the last descents: refine rows
TAUGHT_ROWS = 100_000  # that a teacher learns from: refine rows
PREDICTED_ROWS = 50_000  # that a teacher is asked about at a time, for memory's sake: refine rows
CACHED_BYTES = 2**24  # of literals' truths, a byte a row each; changes no rule; refine rows

# -- wide tables (screen) ------------------------------------------------------------------------

SCREENED_COLUMNS = 100  # that the network and the search read; no benchmark
COLUMNS_BY_THEMSELVES = 60  # of them are the best alone; the others are the strongest in a sum; no benchmark
SCREENING_ROWS = 2_000  # at most: a column that matters shows in these; no benchmark
POOLED_ROWS = 5  # rarer categories are taken as one; no benchmark
SCREENING_RIDGE = 0.1  # of the mean eigenvalue; no benchmark

# -- the teacher ---------------------------------------------------------------------------------

TEACHER_MIX = 0.7  # of the teacher's opinion in the label: refine teacher
NOISY_ERROR = 0.05  # a teacher that errs less has little to clean, and blurs sharp boundaries: refine harder
FEWEST_TAUGHT_ROWS, FEWEST_OF_A_CLASS, FEWEST_KNOWN = 500, 30, 30  # of a table, a class, a column; no benchmark
TAUGHT_CATEGORIES = 250  # of a column: boosting takes at most 255; no benchmark
MOST_HIDDEN = 0.1  # of the rows: a teacher that sees less takes for noise what is not; no benchmark
FOLDS = 5  # no benchmark
TAUGHT_STARTS = 3  # ends of the first rules, from which the search goes on under a teacher; no benchmark
BOOSTING_ROUNDS, BOOSTING_RATE = 60, 0.15  # no benchmark
SMOOTHING_ROWS = 10.0  # of the overall share that a category is smoothed by, for the logistic fit; no benchmark
EXTREMES = (0.01, 0.99)  # quantiles at which the logistic fit cuts columns off; no benchmark

# -- costs of a miss, and risk levels --------------------------------------------------------------

EVEN = 0.5  # the threshold at which a miss costs as much as a false alarm; no benchmark
LEVEL_BINS = 200  # of equal weight, between which chances are cut; no benchmark
LEAST_CLASS_SHARE = 0.25  # a rarer class counts as so much where chances are cut; no benchmark
LEAST_LEVEL_SHARE, LEAST_LEVEL_ROWS = 0.01, 20  # of the rows, in a level; no benchmark
FEWEST_ORDERED = 10  # of a class: with fewer held out, all rows say whether levels are in order; no benchmark
PROMISE_STEPS = 13  # thresholds of which one is to keep a promise, by halving their number; no benchmark
FEWEST_FLAGGED = 30  # rows: of fewer no precision is tried; no benchmark
FEWEST_PROMISED = 7  # of a class: without a fifth of them FOLDS are left; no benchmark
PROMISE_FOLDS, ENOUGH_JUDGED = 5, 300  # rows judge in turn until so many positives have; no benchmark
ORDER_ERRORS = 1.645  # by which a level's share must beat the next one's on rows held out; no benchmark

# -- literals (halfspaces, scans, sets, memberships) ---------------------------------------------

BEST_SINGLES = 2  # single columns that are candidates by themselves; no benchmark
FITTED_COLUMNS = 40  # of a logistic fit, which costs their number squared; sets are not counted; no benchmark
FITTED_ROWS = 1_000  # different ones, of a logistic fit; no benchmark
FITTED_RIDGE, NEWTON_STEPS = 1e-4, 4  # of a logistic fit; no benchmark
SMALLER_STEPS = 4  # of a logistic fit that begins where a column was left out; no benchmark
TAUGHT_STEPS = 12  # of the logistic fit that a teacher must beat; no benchmark
COLUMN_BINS = 256  # of a column, for a first look at its thresholds; no benchmark
FEWEST_BINS, MOST_BINS, ROWS_IN_A_BIN = 64, 1_024, 8  # of a scan; changes no result of an exact one; no benchmark
REACH, NEAR = 1.0, 0.03  # how far a coefficient may go in a scan, the largest being 1, and near by; no benchmark
TRIED = 2  # literals of a fit, best first: the first may be one that is there already; no benchmark
# A column is squeezed if its middle half is less, in deviations of all of it; what is farther, in middle halves, is cut
# off. No benchmark.
SQUEEZED, FAR = 0.03, 5.0
WORTH_FILLING = 0.02  # of what the rows weigh: what filling a column must at least bring in; no benchmark
SWEEPS, SWEPT_ROWS = 3, 2_000  # of coarse scans over a direction, before an exact one; and their rows; no benchmark
MOST_SETS = 30  # of which a sum may be made: a logistic fit costs their number squared; no benchmark
SET_SHARES = (1 / 3, 2 / 3)  # of the rows, by which sets are cut besides where costs change their sign; no benchmark
# A category of fewer rows is decided only if its sum's square is so many times the variance. No benchmark.
FEWEST_SURE_ROWS, SURE_VARIANCES = 30, 2.0

# -- moves, pool and escapes ---------------------------------------------------------------------

BOOSTS = (1.0, 3.0, 10.0)  # how much more a covered positive counts when a new rule is looked for; no benchmark
GROWN_LITERALS = 4  # of a new rule at most; no benchmark
MERGED_RULES = 6  # of more rules no two are merged: there are too many pairs; no benchmark
MOST_CELLS = 400  # of rows in which the same rules of the pool fire; above, only local search; no benchmark
SOLVER_NODES = 100  # a count, not a time, so that the answer is the same on any machine; no benchmark
OPENED_COLUMNS = 30  # that a literal may come to read while it cools; no benchmark
# An escape cools from hot to cold in so many steps, each on so many rows; in units of a column's middle half.
# No benchmark.
ANNEAL_HOT, ANNEAL_COLD, ANNEAL_RATE, ANNEAL_STEPS, ANNEAL_ROWS = 0.1, 0.01, 0.01, 600, 1024

# -- choosing and finishing ----------------------------------------------------------------------

# Standard errors by which a larger point must beat a smaller one where labels are taken as they came: on rows held
# out, and on the rows fitted to, if none are. docs/decisions.md, "Choice", names the splits that these and the next
# were chosen on: refine real, and refine stress for known rules.
PLAIN_ERRORS, FITTED_ERRORS = 1.0, 1.5
# After a teacher: the share of rows that a column must bring, as multiples of `price`; and where the user set limits:
# refine real
WORTH, WORTH_WITHIN_LIMITS = 2.5, 1.5
# A bound on the gap between groups: standard errors on rows held out that must fit into it beside the gap; rounds of
# raising its price; a price's step, as a multiple of what the gap exceeds; the part of the bound that steps aim at.
# Chosen on Adult's first two folds of random_state=900: answers gap
GAP_ERRORS, GAP_ROUNDS, GAP_STEP, GAP_AIM = 2.5, 5, 2.0, 0.8
GROWTH_ERRORS = 2.0  # by which rules that grew on all rows must beat those that did not, after a teacher; no benchmark
# Standard errors by which an alternative may be worse than the choice; how many other structures are compared with it,
# those of the least error on the rows fitted to, and how many are shown. They change no rule; no benchmark.
ALTERNATIVE_ERRORS, TRIED_STRUCTURES, MOST_ALTERNATIVES = 1.0, 200, 20
# New rows change rules by so many standard errors, on this share of them, which the changes were not fitted to; and a
# column must save so many rows of the others. No benchmark.
UPDATE_ERRORS, UPDATE_SHARE, UPDATE_ROWS_SAVED = 2.0, 0.5, 2.0
GROWTH_PART = 4  # on all rows, rules may grow by one column for each so many; no benchmark


@dataclass(frozen=True, slots=True)
class Caps:
    """The most a rule set may hold; None is no cap."""

    columns: int | None = None
    literals: int | None = None
    rules: int | None = None
    size: int | None = None

    def user_set_limits(self) -> bool:
        """Whether the user has said how many rules, or columns in all, may be read."""
        return self.rules is not None or self.size is not None


@dataclass(frozen=True, slots=True)
class Plan:
    """How much work one search does, by how many processes, and until when."""

    prices: tuple[float, ...]  # of a column
    continued: int  # the best starts go on to the next lower price, the others end there
    caps: Caps
    knowledge: Knowledge = NOTHING
    rule: float = PLAIN_RULE  # what a rule costs besides its literals, in columns, where the labels are noisy
    escapes: int = 0  # from each of these ends
    teacher: bool | None = None  # None: where the labels are noisy
    score: Callable[..., float] | None = None  # of rules, given the rows fitted to and the judges: the highest is taken
    threshold: float = EVEN  # the probability from which a row is to be positive
    seed: int = 0  # of the teacher's folds, the rows drawn and the escapes
    n_jobs: int | None = None
    clock: Clock = field(default_factory=Clock)
    depth: int | None = None  # how many of the prices are gone through; None: all

    def descents(self, n_starts: int) -> int:
        """The most descents that refining so many starts takes: what progress is measured by."""
        lower = max(len(self.prices) - 1, 1)
        settling, escaping = lower * (self.continued + 1), self.continued * self.escapes + 1 if self.escapes else 0
        # A first try on the labels as they came, every price on some rows and then on all, and all rows once or twice.
        return 2 * (n_starts + 1) + lower * (self.continued + 1 + escaping) + settling + 2
