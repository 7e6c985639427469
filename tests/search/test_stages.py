"""The four stages of a search, each by itself: what it returns, its deadline, and a Ctrl-C in it."""

import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib import import_module
from math import inf
from typing import Any

import numpy as np
import pytest

from r2n.datasets import example
from r2n.rules import RuleSet
from r2n.runtime.interrupts import allow_interrupts, hold_interrupts
from r2n.search import Caps, Clock, Labelled, Move, Plan, Problem, Refined, refine
from r2n.search.choose import Chosen, choose
from r2n.search.clock import is_past
from r2n.search.columns import DesignMatrix
from r2n.search.descent import ignore_move
from r2n.search.explore import explore, pose_problems
from r2n.search.finish import finish, refit
from r2n.search.front import Point
from r2n.search.sample import Sample, measure_error
from r2n.search.teach import Taught, teach
from r2n.search.teacher import keep_labels
from r2n.table import Schema

PLAN = Plan((1e-2, 1e-3), 2, Caps(columns=2), teacher=False, n_jobs=1)
ROWS = 700


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def press_and(real: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, but a Ctrl-C comes as it is called."""

    def pressed(*args: Any, **kwargs: Any) -> Any:
        press()
        return real(*args, **kwargs)

    return pressed


def world(flip: float = 0.1) -> tuple[RuleSet, Sample]:
    X, y = example(4).sample(ROWS, random_state=0, flip=flip)
    schema, table = Schema.learn(X)
    rows = Labelled(table, y, np.ones(ROWS))
    parts = (np.arange(500), np.arange(500, ROWS))
    return RuleSet((), True, False, schema), Sample.draw(rows, parts, seed=0)


def run_all(plan: Plan, report: Callable[[Move], object] = ignore_move) -> Refined:
    blank, sample = world()
    parts = (np.arange(500), np.arange(500, ROWS))
    return refine(blank, sample.every, parts, [()], plan, report)


@pytest.fixture
def held() -> Iterator[None]:
    """As in a fit: a Ctrl-C waits where it is not allowed, and none is left over."""
    with hold_interrupts() as ctrl_c:
        yield
        assert not ctrl_c.take()


# -- the clock -----------------------------------------------------------------------------------


def test_deadlines_are_shares_of_the_time_from_its_beginning() -> None:
    clock = Clock.of(100.0, 20.0, 0.75, 0.95)
    assert (clock.explore, clock.finish, clock.shorten) == (115.0, 119.0, 120.0)
    assert Clock.of(100.0, None, 0.75, 0.95) == Clock() == Clock(inf, inf, inf)


def test_a_share_of_the_time_to_explore_leaves_the_other_deadlines() -> None:
    now = time.monotonic()
    clock = Clock(now + 60.0, now + 80.0, now + 90.0)
    third = clock.explore_for(clock.seconds_to_explore() / 3)
    assert third.explore == pytest.approx(now + 20.0, abs=1.0)
    assert (third.finish, third.shorten) == (clock.finish, clock.shorten)
    assert Clock().explore_for(Clock().seconds_to_explore() / 3) == Clock()


def test_a_deadline_passes() -> None:
    assert is_past(time.monotonic() - 1.0)
    assert not is_past(time.monotonic() + 60.0)
    assert not is_past(inf)


def test_a_ctrl_c_is_noted_and_what_was_stored_stays(held: None) -> None:
    done: list[int] = []
    with Clock.catch_interrupt() as work, allow_interrupts():
        done.append(1)
        press()
        done.append(2)
    assert work.interrupted
    assert done == [1]
    with Clock.catch_interrupt() as work, allow_interrupts():
        done.append(3)
    assert not work.interrupted


def test_a_ctrl_c_that_waits_ends_the_next_work_before_it_begins(held: None) -> None:
    press()
    with Clock.catch_interrupt() as work, allow_interrupts():
        raise AssertionError("must not begin")
    assert work.interrupted


def test_other_errors_come_through() -> None:
    with pytest.raises(LookupError), Clock.catch_interrupt():
        raise LookupError


# -- teach ---------------------------------------------------------------------------------------


def test_where_first_rules_suffice_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("nobody must be asked")

    monkeypatch.setattr("r2n.search.teach.clean_labels", refuse)
    blank, sample = world(flip=0.0)
    moves: list[Move] = []
    taught = teach(blank, sample, [()], replace(PLAN, teacher=None, prices=(1e-3, 1e-4)), moves.append)
    assert not taught.labels.taught
    errors = [np.mean(each.rules.truth(sample.judges.table) != sample.judges.truth) for each in taught.points]
    assert errors[-1] < 0.05  # and there it stopped,
    assert all(error >= 0.05 for error in errors[:-1])
    assert len(moves) == len(taught.points) - 3  # before it reported that move; two points are starts


def test_a_ctrl_c_while_a_teacher_is_asked_keeps_the_first_rules(monkeypatch: pytest.MonkeyPatch, held: None) -> None:
    monkeypatch.setattr("r2n.search.teach.clean_labels", press_and(keep_labels))
    blank, sample = world()
    taught = teach(blank, sample, [()], replace(PLAN, teacher=None), ignore_move)
    assert taught.interrupted
    assert taught.points
    np.testing.assert_array_equal(taught.labels.fit, sample.fitted.truth)


def test_with_a_teacher_points_are_judged_by_its_labels() -> None:
    blank, sample = world(flip=0.2)
    taught = teach(blank, sample, [()], replace(PLAN, teacher=True), ignore_move)
    assert taught.labels.taught
    assert taught.points == ()  # it was wanted: nothing was tried first
    judged = taught.labels_of(sample, sample.judges_at)
    assert np.abs(judged - sample.judges.truth).max() > 0.1
    assert ((judged >= 0.0) & (judged <= 1.0)).all()


# -- explore -------------------------------------------------------------------------------------


def test_explore_returns_all_points_and_the_ends_best_first() -> None:
    blank, sample = world()
    moves: list[Move] = []
    texts = ["x4 > 0.5", "x1 < 0.5 and x3 < 0.5", "x2 > 0.9"]
    starts = [(), *(RuleSet.parse(f"True if {text} else False").rules for text in texts)]
    found = explore(blank, sample.fitted, sample.fitted.truth * 1.0, starts, PLAN, moves.append)
    assert not found.interrupted
    assert [point.rules.rules for point in found.points[5:]] == [blank.with_rules(move.rules).rules for move in moves]
    assert [point.rules.rules for point in found.points[:5]] == [(), *starts]
    assert len(found.ends) > 1
    objectives = [min(move.objective for move in moves if set(move.rules) == set(end)) for end in found.ends]
    assert objectives == sorted(objectives)
    assert objectives[0] <= min(move.objective for move in moves[-3:])
    assert {point.rules.rules for point in found.points} >= {blank.with_rules(end).rules for end in found.ends}


def test_sketches_read_some_rows_and_all_points_are_measured_on_all(monkeypatch: pytest.MonkeyPatch) -> None:
    blank, sample = world()
    target, read = sample.fitted.truth * 1.0, []
    design_of = DesignMatrix.of

    def note(cls: object, problem: Problem) -> DesignMatrix:
        read.append(problem.weight.sum())
        return design_of(problem)

    monkeypatch.setattr(DesignMatrix, "of", classmethod(note))
    monkeypatch.setattr("r2n.search.explore.SKETCHED_ROWS", 200)
    found = explore(blank, sample.fitted, target, [()], PLAN)
    assert 200 <= read[0] <= 202  # of each class its share, rounded up
    assert read[1:] == [sample.fitted.n_rows]
    for point in found.points:
        assert point.train_error == pytest.approx(measure_error(point.rules, sample.fitted, target))
    assert len(found.levels) == 1  # the first price is left out, unless there is no other


@pytest.mark.parametrize("prices", [(1e-2, 1e-3, 5e-4), (1e-3,)])
def test_what_was_sketched_settles_at_every_price_but_the_first(
    prices: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the sketch, whose fewer rows must save more, had fewer prices: 2 % positives that weigh as much."""
    X, y = example(4).sample(4_000, random_state=0)
    rare = np.flatnonzero(y)[60:]
    keep = np.setdiff1d(np.arange(4_000), rare)
    schema, table = Schema.learn(X[keep])
    weight = np.where(y[keep], len(keep) / 120, 0.5)
    blank, rows = RuleSet((), True, False, schema), Labelled(table, y[keep], weight)
    monkeypatch.setattr("r2n.search.explore.SKETCHED_ROWS", 400)
    plan = Plan(prices, 1, Caps(columns=2), teacher=False, n_jobs=1, escapes=1, rule=25.0)
    moves: list[Move] = []
    found = explore(blank, rows, y[keep] * 1.0, [()], plan, moves.append, rule=25.0)
    problems = pose_problems(blank, rows, y[keep] * 1.0, plan, 25.0)
    assert len(found.levels) == max(len(problems) - 1, 1)
    assert sum(move.begins and move.name == "sketch" for move in moves) == len(found.levels)
    assert any(move.name == "cool_again" for move in moves)  # also where there is one price


def test_a_sketch_promises_at_least_as_many_descents_as_it_makes() -> None:
    X, y = example(4).sample(9_000, random_state=0, flip=0.05)
    schema, table = Schema.learn(X)
    rows, moves = Labelled(table, y, np.ones(len(y))), list[Move]()
    plan = Plan((1e-3, 3e-4, 1e-4), 2, Caps(columns=2), teacher=True, escapes=2, n_jobs=1)
    refine(
        RuleSet((), True, False, schema), rows, (np.arange(7_000), np.arange(7_000, 9_000)), [()], plan, moves.append
    )
    assert 5 < sum(move.begins for move in moves) <= plan.descents(1)


def test_explore_after_its_deadline_returns_the_starts() -> None:
    blank, sample = world()
    late = replace(PLAN, clock=Clock(explore=time.monotonic() - 1.0))
    given = RuleSet.parse("True if x0 > 0.5 else False").rules
    found = explore(blank, sample.fitted, sample.fitted.truth * 1.0, [(), given], late, ignore_move)
    assert [point.rules.rules for point in found.points] == [(), (), given]
    assert found.ends == ()


@pytest.mark.parametrize("when", [1, 3])
def test_a_ctrl_c_while_exploring_keeps_every_point_before_it(when: int, held: None) -> None:
    blank, sample = world()
    moves: list[Move] = []

    def report(move: Move) -> None:
        moves.append(move)
        if len(moves) == when:
            press()

    found = explore(blank, sample.fitted, sample.fitted.truth * 1.0, [()], PLAN, report)
    assert found.interrupted
    assert len(moves) == when
    assert len(found.points) == 2 + when  # the start itself twice: as given, and as one of the starts


# -- choose and finish ---------------------------------------------------------------------------


def chosen_of(blank: RuleSet, sample: Sample) -> Chosen:
    """A front of a constant and of two rule sets, of which the last is best."""
    texts = ["x0 > 2", "x0 > 0.512345", str(example(4).rules).removeprefix("True if ").split("\nelse")[0]]
    rules = [RuleSet.parse(f"True if {text} else False").with_schema(blank.schema) for text in texts]
    points = [Point(each, 0.4 / (k + 1)) for k, each in enumerate(rules)]
    return choose(points, labels_as_they_came(sample), sample, PLAN)


def labels_as_they_came(sample: Sample) -> Taught:
    return Taught(keep_labels(sample.fitted, sample.every.take(sample.others_at)))


def finish_chosen(plan: Plan = PLAN, interrupted: bool = False) -> tuple[Chosen, Refined, list[Move]]:
    blank, sample = world()
    chosen = chosen_of(blank, sample)
    moves: list[Move] = []
    return chosen, finish(chosen, labels_as_they_came(sample), interrupted, sample, plan, moves.append), moves


def test_the_chosen_point_has_its_place_and_the_size_that_was_worthwhile() -> None:
    blank, sample = world()
    chosen = chosen_of(blank, sample)
    assert chosen.point is chosen.front[chosen.place]
    assert chosen.place == chosen.front.best == len(chosen.front) - 1
    assert chosen.worthwhile == chosen.point.size


@pytest.mark.parametrize(("interrupted", "seconds"), [(True, inf), (False, -1.0)])
def test_without_time_to_finish_the_chosen_rules_only_get_short_numbers(interrupted: bool, seconds: float) -> None:
    """Exploring was interrupted, or it is late."""
    plan = replace(PLAN, clock=Clock(finish=time.monotonic() + seconds))
    chosen, refined, moves = finish_chosen(plan, interrupted)
    assert moves == []
    assert refined.rough == chosen.point.rules
    assert refined.interrupted == interrupted
    assert "0.512345" not in "".join(map(str, refined.short))


def test_after_the_last_deadline_points_keep_their_numbers() -> None:
    _, refined, _ = finish_chosen(replace(PLAN, clock=Clock(shorten=time.monotonic() - 1.0)))
    assert refined.short == tuple(point.rules for point in refined.front)
    assert "0.512345" in "".join(map(str, refined.short))


@pytest.mark.parametrize(("step", "shortens"), [("refit", True), ("with_short_numbers", False)])
def test_a_ctrl_c_while_finishing_keeps_what_came_before(
    monkeypatch: pytest.MonkeyPatch, held: None, step: str, shortens: bool
) -> None:
    module = import_module("r2n.search.finish")
    monkeypatch.setattr(module, step, press_and(getattr(module, step)))
    chosen, refined, moves = finish_chosen()
    assert refined.interrupted
    assert refined.chosen == chosen.place
    assert bool(moves) == (step == "with_short_numbers")
    assert (refined.short != tuple(point.rules for point in chosen.front)) == shortens
    assert refined.rough == refined.rules or shortens


def test_a_ctrl_c_while_fitting_to_all_rows_keeps_the_last_move(held: None) -> None:
    blank, sample = world()
    point = Point(RuleSet.parse("True if x0 > 0.7 else False").with_schema(blank.schema), 0.3)
    moves: list[Move] = []

    def report(move: Move) -> None:
        moves.append(move)
        if len(moves) == 2:
            press()

    fitted = refit(point, 4, sample.every, sample.every.truth * 1.0, PLAN, report)
    assert fitted.interrupted
    assert set(fitted.rules.rules) == set(moves[1].rules) != set(point.rules.rules)


# -- all of them ---------------------------------------------------------------------------------


def test_after_a_ctrl_c_while_exploring_nothing_is_fitted_any_more(held: None) -> None:
    moves: list[Move] = []

    def report(move: Move) -> None:
        moves.append(move)
        if len(moves) == 3:
            press()

    refined = run_all(PLAN, report)
    assert refined.interrupted
    assert len(moves) == 3
    assert set(refined.front[len(refined.front) - 1].rules.rules) <= {rule for move in moves for rule in move.rules}


def test_a_ctrl_c_before_anything_was_found_is_raised(held: None) -> None:
    press()
    with pytest.raises(KeyboardInterrupt):
        run_all(PLAN)


def test_a_ctrl_c_while_first_rules_are_tried_goes_straight_to_the_choice(
    monkeypatch: pytest.MonkeyPatch, held: None
) -> None:
    def refuse(*args: object) -> None:
        raise AssertionError("nobody must be asked")

    monkeypatch.setattr("r2n.search.teach.clean_labels", refuse)
    monkeypatch.setattr("r2n.search.stages.explore", refuse)
    refined = run_all(replace(PLAN, teacher=None), lambda move: press())
    assert refined.interrupted
