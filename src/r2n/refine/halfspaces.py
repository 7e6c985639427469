"""The best halfspace on some rows: sparse directions first, then exact scans under the 0/1 costs.

Fitting a literal is a weighted classification: rows of negative cost should be above the threshold, rows of
positive cost below, and the size of the cost is the weight. Directions come from a logistic fit, its columns are
dropped one by one, and each direction is finished by exact scans over its threshold and its coefficients.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from r2n.refine.cuts import best_coefficient, best_cut, best_sorted_cut
from r2n.refine.problem import Bools, Floats, Problem
from r2n.refine.sets import Counted
from r2n.rules import Halfspace, Key, Knowledge, Literal, Membership
from r2n.schema import Scaling

SCREENED = 40  # a logistic fit costs columns squared: wider tables are screened down to these, sets not counted
FITTED_ROWS = 3_000
SWEEPS = 3


@dataclass(frozen=True)
class Numbers:
    """The numeric columns of a problem's table, standardised once for all fits; beside them may stand sets."""

    names: tuple[str | Counted, ...]
    z: Floats  # (d, n): columns first, so that one is contiguous; missing values at 0
    missing: Bools  # (d, n)
    centre: Floats
    scale: Floats
    middle: Floats  # (d,) of z: the median
    spread: Floats  # (d,) of z: how far its middle half reaches, or more where that is a single value
    order: tuple[NDArray[np.int32], ...]  # each column's rows in ascending order, missing ones left out
    sign: NDArray[np.int8]  # (d,): that a column's coefficients must have, 0 for either
    apart: tuple[frozenset[str], ...]  # groups of columns of which no literal may read two

    @classmethod
    def of(cls, problem: Problem) -> Numbers:
        scaling = Scaling.learn(problem.table, problem.schema.numeric, weight=problem.weight)
        names, n_rows = scaling.names, problem.n_rows
        centre, scale = np.array(scaling.centre), np.array(scaling.scale)
        z = np.empty((len(names), n_rows))
        for k, name in enumerate(names):
            z[k] = (problem.table.numeric(name) - centre[k]) / scale[k]
        missing = np.isnan(z)
        z[missing] = 0.0
        orders = tuple(ascending(row, gone) for row, gone in zip(z, missing, strict=True))
        middle, spread = middles(z, orders)
        sign = np.array([problem.knowledge.sign(name) for name in names], dtype=np.int8)
        return cls(names, z, missing, centre, scale, middle, spread, orders, sign, problem.knowledge.apart)

    def among(self, rows: np.ndarray, columns: Sequence[int], sets: Sequence[Counted]) -> Numbers:
        """These columns on these rows alone, and sets, which are over the same rows, beside them."""
        ones, weights = [each.ones() for each in sets], [np.where(each.missing, 0.0, each.weight) for each in sets]
        known = [max(float(weight.sum()), 1e-300) for weight in weights]
        share = np.array([float(weight @ one) / all_ for weight, one, all_ in zip(weights, ones, known, strict=True)])
        spread = np.sqrt(share * (1.0 - share))
        scale = np.where(spread > 0.0, spread, 1.0)
        chosen, n, s = np.array(columns, dtype=np.intp), len(rows), len(sets)
        here = np.ix_(chosen, rows)
        z = np.vstack([self.z[here], (np.reshape(ones, (s, n)) - share[:, None]) / scale[:, None]])
        missing = np.vstack([self.missing[here], np.reshape([each.missing for each in sets], (s, n))])
        z[missing] = 0.0
        names = (*(self.names[k] for k in chosen), *sets)
        return Numbers(
            names,
            z,
            missing.astype(np.bool_),
            np.append(self.centre[chosen], share),
            np.append(self.scale[chosen], scale),
            np.append(self.middle[chosen], np.zeros(s)),
            np.append(self.spread[chosen], np.ones(s)),
            (),
            np.append(self.sign[chosen], np.zeros(s, dtype=np.int8)),
            self.apart,
        )

    def with_sets(self, problem: Problem, literals: Iterable[Literal]) -> Numbers:
        """With the sets that these literals count beside the columns; as it is if there are none."""
        wanted = dict.fromkeys(key for each in literals if isinstance(each, Halfspace) for key, _ in each.sets)
        if not wanted:
            return self
        rows = np.arange(problem.n_rows)
        sets = [Counted.of(one, problem.table, rows, problem.counts) for one in wanted]
        return self.among(rows, range(len(self.names)), sets)

    @property
    def index(self) -> dict[Key, int]:
        """The place of each column, and of each set that a literal has."""
        places = ((name.origin if isinstance(name, Counted) else name, k) for k, name in enumerate(self.names))
        return {key: k for key, k in places if key is not None}

    def halfspace(
        self, columns: Sequence[int], b: Floats, threshold: float, sets: Mapping[int, Counted] | None = None
    ) -> Halfspace:
        """Σ b_k·z_k > threshold in the table's units; sets that changed are given by their place in the sum."""
        a = b / self.scale[list(columns)]
        threshold += float(np.sum(a * self.centre[list(columns)]))
        terms: list[tuple[Key, float]] = []
        for k, column in enumerate(columns):
            key: str | Counted | Membership = (sets or {}).get(k, self.names[column])
            coefficient = float(a[k])
            if isinstance(key, Counted) and key.origin is not None:
                key = key.origin
            elif isinstance(key, Counted):
                key, inside = key.membership()
                if not inside:  # a·(in S) is a - a·(in the others)
                    threshold, coefficient = threshold - coefficient, -coefficient
            terms.append((key, coefficient))
        return Halfspace.of(terms, threshold)

    def strongest(self, literal: Halfspace, most: int | None, knowledge: Knowledge) -> Halfspace | None:
        """The halfspace of its permitted columns alone, at most so many; the others at their means."""
        index = self.index
        terms = [
            (key, a)
            for key, a in sorted(literal.terms, key=lambda term: -abs(term[1]) * self.scale[index[term[0]]])
            if _column(key) not in knowledge.excluded and knowledge.sign(_column(key)) * a >= 0
        ]
        kept: list[tuple[Key, float]] = []
        for key, a in terms[: len(terms) if most is None else most]:
            if not knowledge.apart_from(_column(other) for other, _ in kept) & {_column(key)}:
                kept.append((key, a))
        if not kept:
            return None
        dropped = set(literal.terms) - set(kept)
        return Halfspace.of(kept, literal.threshold - float(sum(a * self.centre[index[key]] for key, a in dropped)))

    def middled(self, rows: np.ndarray, columns: np.ndarray) -> NDArray[np.float32]:
        """These rows and columns in units of a column's middle half, and a last column of -1, (columns + 1, rows)."""
        out = np.full((len(columns) + 1, len(rows)), -1.0, dtype=np.float32)
        out[:-1] = (self.z[columns[:, None], rows] - self.middle[columns, None]) / self.spread[columns, None]
        return out


def _column(key: str | Membership | Counted) -> str:
    return key if isinstance(key, str) else key.column


def ascending(z: Floats, missing: Bools) -> NDArray[np.int32]:
    """The rows in ascending order, without those that are missing."""
    order = np.argsort(z, kind="stable").astype(np.int32)
    return order[~missing[order]]


def middles(z: Floats, orders: Sequence[np.ndarray]) -> tuple[Floats, Floats]:
    """Each column's median, and the width of its middle half (if that is none: of its middle 80 % or more)."""
    middle, spread = np.zeros(len(z)), np.ones(len(z))
    for k, order in enumerate(orders):
        if len(order):
            at = [z[k][order[int(share * (len(order) - 1))]] for share in (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)]
            middle[k] = at[3]
            spread[k] = next((width for width in (at[4] - at[2], at[5] - at[1], at[6] - at[0]) if width > 0), 1.0)
    return middle, spread


@dataclass(frozen=True, slots=True)
class Direction:
    """Σ b_k·z_k > threshold over some columns, and the cost of the rows it is true in."""

    columns: tuple[int, ...]
    b: Floats
    threshold: float
    cost: float
    sets: Mapping[int, Counted] = field(default_factory=dict)  # by their place among the columns


def halfspace_candidates(
    numbers: Numbers,
    rows: np.ndarray,
    cost: Floats,
    most_columns: int,
    start: Halfspace | None = None,
    barred: Collection[str] = (),
    sets: Sequence[Counted] = (),
    own: Sequence[Counted] = (),
) -> Iterator[Halfspace]:
    """Good halfspaces for these rows, of one column up to `most_columns`; `start` is improved besides.

    Columns that are barred are left out, and the signs that columns must have are kept. A sum may count `sets`; those
    that `start` has are its `own`.
    """
    if len(rows) == 0 or not (numbers.names or sets) or not (cost < 0).any():
        return
    singles = [each for each in single_columns(numbers, rows, cost) if numbers.names[each.columns[0]] not in barred]
    singles.sort(key=lambda found: found.cost)
    for single in singles[:2]:
        yield numbers.halfspace(single.columns, single.b, single.threshold)
    if most_columns < 2 or len(numbers.names) + len(sets) < 2:
        return
    open_columns = [k for k, name in enumerate(numbers.names) if name not in barred]
    screened = list(dict.fromkeys(found.columns[0] for found in singles))[:SCREENED] or open_columns[:SCREENED]
    if sets or own:
        index = numbers.index
        beside = [index[name] for name in (start.compared if start is not None else ()) if index[name] not in screened]
        numbers = numbers.among(rows, [*screened, *beside], [*sets, *own])
        rows, first = np.arange(len(rows)), len(screened) + len(beside)
        screened = [*range(len(screened)), *range(first, first + len(sets))]
    for columns, b in directions(numbers, rows, cost, screened, most_columns):
        yield from finished(numbers, rows, cost, columns, b)
    if start is not None:
        yield from improved(numbers, rows, cost, start)


def improved(numbers: Numbers, rows: np.ndarray, cost: Floats, start: Halfspace) -> Iterator[Halfspace]:
    """The halfspace of the same columns that exact scans lead to from this one; none if they lead nowhere."""
    index = numbers.index
    columns = tuple(index[key] for key, _ in start.terms)
    b = np.array([a for _, a in start.terms]) * numbers.scale[list(columns)]
    yield from finished(numbers, rows, cost, columns, b)


def finished(
    numbers: Numbers, rows: np.ndarray, cost: Floats, columns: Sequence[int], b: Floats
) -> Iterator[Halfspace]:
    """The halfspace that exact scans make of a direction; none if there is no cut."""
    found = finish(numbers, rows, cost, columns, b)
    if found is not None:
        yield numbers.halfspace(found.columns, found.b, found.threshold, found.sets)


def single_columns(numbers: Numbers, rows: np.ndarray, cost: Floats) -> Iterator[Direction]:
    """The best threshold of every column in both directions."""
    few = 8 * len(rows) < numbers.z.shape[1]  # then sorting them is quicker than looking for them in sorted columns
    wanted = np.zeros(numbers.z.shape[1])
    wanted[rows] = cost
    here = np.zeros(numbers.z.shape[1], dtype=np.bool_)
    here[rows] = True
    for k, order in enumerate(numbers.order):
        known = rows[~numbers.missing[k][rows]] if few else order
        mine = known[np.argsort(numbers.z[k][known])] if few else known[here[known]]
        if len(mine):
            values, costs = numbers.z[k][mine], wanted[mine]
            up, down = best_sorted_cut(values, costs), best_sorted_cut(-values[::-1], costs[::-1])
            for sign, cut in ((1.0, up), (-1.0, down)):
                if cut is not None and sign * numbers.sign[k] >= 0:
                    yield Direction((k,), np.array([sign]), cut.at, cut.cost)


def directions(
    numbers: Numbers, rows: np.ndarray, cost: Floats, screened: Sequence[int], most_columns: int
) -> Iterator[tuple[tuple[int, ...], Floats]]:
    """Logistic directions over ever fewer columns: all at first, then the weakest goes, again and again."""
    columns = list(screened)
    step = -(-len(rows) // FITTED_ROWS)
    rows, cost = rows[::step], cost[::step]  # a direction need not be exact: the scans that finish it read all rows
    if not (cost < 0).any():
        return
    if len(columns) < 2:
        return
    b, intercept = logistic(numbers.z[np.asarray(columns)[:, None], rows], cost)
    while len(columns) > 1:
        wrong = unwanted(numbers, columns, b)
        if wrong:
            kept = [k for k in range(len(columns)) if k not in wrong]
            if len(kept) < 2:
                return
            columns = [columns[k] for k in kept]
            b, intercept = logistic(numbers.z[np.asarray(columns)[:, None], rows], cost, (b[kept], intercept))
            continue
        keep = min(len(columns) - 1, max(most_columns, len(columns) // 2)) if len(columns) > most_columns else None
        if keep is None:
            yield tuple(columns), b
            keep = len(columns) - 1
        if keep < 2:
            return
        strongest = np.sort(np.argsort(-np.abs(b), kind="stable")[:keep])
        columns = [columns[k] for k in strongest]
        b, intercept = logistic(numbers.z[np.asarray(columns)[:, None], rows], cost, (b[strongest], intercept))


def unwanted(numbers: Numbers, columns: Sequence[int], b: Floats) -> set[int]:
    """Places of columns with a sign they must not have; if there are none, the weaker ones of those kept apart."""
    wrong = {k for k, column in enumerate(columns) if b[k] * numbers.sign[column] < 0}
    if not wrong:
        read = [_column(numbers.names[column]) for column in columns]
        for group in numbers.apart:
            members = sorted((k for k, name in enumerate(read) if name in group), key=lambda k: -abs(b[k]))
            wrong |= {k for k in members if read[k] != read[members[0]]}
    return wrong


def logistic(
    z: Floats, cost: Floats, start: tuple[Floats, float] | None = None, ridge: float = 1e-4
) -> tuple[Floats, float]:
    """Weighted logistic regression by Newton's method: the direction and the intercept."""
    d, n = z.shape
    x = np.vstack([z, np.ones(n)])
    target, weight = (cost < 0).astype(np.float64), np.abs(cost)
    weight = weight / weight.sum() if weight.sum() > 0 else weight
    w = np.zeros(d + 1) if start is None else np.append(*start)
    penalty = np.r_[np.full(d, ridge), 1e-9]
    for _ in range(12):
        p = 1.0 / (1.0 + np.exp(-np.clip(w @ x, -30, 30)))
        gradient = x @ (weight * (p - target)) + penalty * w
        curvature = weight * np.maximum(p * (1 - p), 1e-6)
        hessian = (x * curvature) @ x.T
        hessian[np.diag_indices(d + 1)] += penalty + 1e-10
        step = np.linalg.solve(hessian, gradient)
        w = w - step
        if np.abs(step).max() < 1e-2 * max(1.0, np.abs(w).max()):
            break
    return w[:-1], float(w[-1])


def added(b: Floats, z: Floats) -> Floats:
    """Σ b_k·z_k, term by term: a matrix product may differ in the last bit between equal rows."""
    value = np.zeros(z.shape[1])
    for k in range(len(b)):
        value += b[k] * z[k]
    return value


def finish(numbers: Numbers, rows: np.ndarray, cost: Floats, columns: Sequence[int], b: Floats) -> Direction | None:
    """Exact scans of the threshold, of each coefficient and of each set in turn, until nothing gets better."""
    columns = tuple(columns)
    norm = float(np.abs(b).max())
    if not np.isfinite(norm) or norm == 0.0:
        return None
    known = ~numbers.missing[np.asarray(columns)[:, None], rows].any(axis=0)
    rows, cost = rows[known], cost[known]  # elsewhere the literal is false, whatever it is
    z, b = numbers.z[np.asarray(columns)[:, None], rows], b / norm
    named = {k: numbers.names[column] for k, column in enumerate(columns)}
    sets = {k: name.take(rows) for k, name in named.items() if isinstance(name, Counted)}
    value = added(b, z)
    cut = best_cut(value, cost)
    if cut is None:
        return None
    for _ in range(SWEEPS):
        before = cut.cost
        for k in range(len(columns)):
            rest = value - b[k] * z[k] - cut.at
            better = best_coefficient(z[k], rest, cost, b[k])
            if better is not None and better.at * numbers.sign[columns[k]] >= 0:
                value = value + (better.at - b[k]) * z[k]
                b = b.copy()
                b[k] = better.at
        for k, counted in sets.items():
            step = float(b[k] / numbers.scale[columns[k]])
            without = value - step * counted.ones()
            other = counted.rechosen(without - cut.at, step, cost)
            if other is not None and not any(other.says_the_same_as(each) for each in sets.values()):
                changed = without + step * other.ones()
                if float(cost @ (changed > cut.at)) < float(cost @ (value > cut.at)):
                    value, sets[k] = changed, other
                    z[k] = (other.ones() - numbers.centre[columns[k]]) / numbers.scale[columns[k]]
        if sets:
            value = added(b, z)  # rows that are equal must stay so to the last bit, or a cut may fall between them
        again = best_cut(value, cost)
        if again is not None and again.cost < cut.cost:
            cut = again
        if cut.cost >= before - 1e-12:
            break
    return Direction(columns, b, cut.at, cut.cost, sets)
