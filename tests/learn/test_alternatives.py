"""What else would do: other columns, as good on the rows that chose; and nothing of it changes what is learned."""

from __future__ import annotations

import pickle
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pytest

from r2n import NetworkSettings, R2NClassifier
from r2n.datasets import example
from r2n.errors import Interrupted, ParameterError
from r2n.learn.alternatives import Alternatives
from r2n.rules import Baseline, ClassRules, RuleSet
from r2n.search import Move, alternatives, stages
from r2n.search.structure import structure_of
from tests.runtime.test_interrupts import press, pressing

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}


def twins(n: int = 600) -> tuple[pd.DataFrame, np.ndarray]:
    """Columns that say nearly the same as each other, so that either would do."""
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, n))
    noise = 0.05 * rng.normal(size=(2, n))
    X = pd.DataFrame({"a": a, "b": b, "like_a": a + noise[0], "like_b": b + noise[1], "z": rng.choice(["p", "q"], n)})
    return X, np.digitize(a + b * (X.z == "p") + 0.3 * rng.normal(size=n), [-0.5, 0.5])


def plain(base: Baseline) -> Baseline:
    return replace(base, rules=tuple((label, rule, n._replace(held_out=None)) for label, rule, n in base.rules))


@pytest.fixture(scope="module")
def two() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    X, y = twins()
    return R2NClassifier(network=None, random_state=0, teacher=False).fit(X, y > 0), X, y > 0


@pytest.fixture(scope="module")
def three() -> tuple[R2NClassifier, pd.DataFrame, np.ndarray]:
    X, y = twins()
    labels = np.array(["low", "mid", "top"])[y]
    return R2NClassifier(**QUICK).fit(X, labels), X, labels


def test_each_reads_other_columns_and_names_a_row_that_it_decides_otherwise(two: tuple) -> None:
    model, X, _ = two
    assert 3 < len(model.alternatives_) <= 20
    structures = [structure_of(rules) for rules in (model.rules_, *(each.rules for each in model.alternatives_))]
    assert all(one != other for one, other in combinations(structures, 2))
    said = model.rules_.truth(X)
    for each in model.alternatives_:
        other = np.flatnonzero(each.rules.truth(X) != said)
        assert each.row == (other[0] if len(other) else None)
    scores = [each.held_out_score for each in model.alternatives_]
    assert scores == sorted(scores, reverse=True), "labels were not mixed, so that the best are those of the best score"


@pytest.mark.slow
def test_none_is_worse_by_a_standard_error(two: tuple, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted again, from what the search was given; and what is left out is worse."""
    model, X, y = two
    kept: list[Any] = []

    def watch(explored: Any, chosen: Any, taught: Any, sample: Any, plan: Any) -> Any:
        found = alternatives.find_alternatives(explored, chosen, taught, sample, plan)
        kept.append((explored, chosen, sample, found))
        return found

    monkeypatch.setattr(stages, "find_alternatives", watch)
    again = R2NClassifier(network=None, random_state=0, teacher=False).fit(X, y)
    assert again.rules_ == model.rules_
    ((explored, chosen, sample, found),) = kept
    judges = sample.judges
    wrong = chosen.point.rules.truth(judges.table) != judges.truth
    for point in explored.points:
        gap = (point.rules.truth(judges.table) != judges.truth) * 1.0 - wrong
        near = gap.mean() <= gap.std(ddof=1) / np.sqrt(len(gap)) + 1e-12
        structure = structure_of(point.rules)
        in_table = [other for other in found if structure_of(other.rules) == structure]
        assert not in_table or in_table[0].train_error <= point.train_error
        if point in found:
            assert near
        elif not near:
            assert not [other for other in in_table if other.rules == point.rules]
    assert chosen.point not in found


def test_an_alternative_that_is_picked_is_a_whole_model(two: tuple) -> None:
    model, X, y = two
    for i, each in enumerate(model.alternatives_):
        picked = model.pick(alternative=i)
        assert picked.rules_ == each.rules
        assert picked.chosen_ == ()
        assert plain(picked.rules_.baseline) == Baseline.count(each.rules, X, y)
        assert all(counted.held_out is not None for _, _, counted in picked.rules_.baseline.rules)
        np.testing.assert_array_equal(picked.predict_proba(X), each.rules.counted(X, y).predict_proba(X))
        if each.row is not None:
            row = X.iloc[[each.row]]
            assert picked.predict(row) != model.predict(row)
        assert picked.pick(*model.chosen_).rules_ == model.rules_
    last = model.pick(alternative=-1)
    assert last.rules_ == model.alternatives_[-1].rules
    assert pickle.loads(pickle.dumps(last)).rules_ == last.rules_
    assert pickle.loads(pickle.dumps(last)).alternatives_ == model.alternatives_


def test_of_several_classes_each_has_its_own(three: tuple) -> None:
    model, X, y = three
    labels = [each.rules.label for each in model.alternatives_]
    assert len(set(labels)) > 1
    assert labels == sorted(labels), "those of one class stand together"
    first, last = model.alternatives_[0], model.alternatives_[-1]
    picked = model.pick(alternative=0).pick(alternative=-1)
    assert isinstance(picked.rules_, ClassRules)
    for each in (first, last):
        assert picked.rules_[each.rules.label].rules == each.rules.rules
    assert len(picked.chosen_) == 1
    assert plain(picked.rules_.baseline) == Baseline.count(picked.rules_, X, y)
    row = next(i for i, point in enumerate(model.front_) if point.rules.label == first.rules.label)
    back = picked.pick(row)
    assert back.rules_[first.rules.label].rules == model.pick(row).rules_[first.rules.label].rules
    assert back.rules_[last.rules.label].rules == last.rules.rules
    assert model.pick(row, alternative=len(labels) - 1).rules_ == back.rules_
    assert pickle.loads(pickle.dumps(picked)).pick(row).rules_ == back.rules_
    for each in model.alternatives_:
        if each.row is not None:
            one = X.iloc[[each.row]]
            assert each.rules.truth(one) != model.rules_[each.rules.label].truth(one)
    with pytest.raises(ParameterError, match=rf"at most one, not \({row},\) and alternative 0"):
        model.pick(row, alternative=0)


@pytest.mark.parametrize("number", range(1, 6))
def test_the_rules_of_the_examples_are_those_without_it(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = example(number).sample(600, random_state=0)
    short = NetworkSettings(restarts=1, epochs=20, gamma=0.8)
    for parameters in ({"network": None, "teacher": False}, {"network": short, "effort": "quick"}):
        whole = R2NClassifier(random_state=0, **parameters).fit(X, y)
        with monkeypatch.context() as patch:
            patch.setattr(stages, "find_alternatives", lambda *_: ())
            without = R2NClassifier(random_state=0, **parameters).fit(X, y)
        assert len(without.alternatives_) == 0
        assert whole.rules_ == without.rules_
        assert whole.rules_.baseline == without.rules_.baseline
        assert repr(whole.front_.frame()) == repr(without.front_.frame())
        assert (whole.chosen_, whole.moves_) == (without.chosen_, without.moves_)


@pytest.mark.slow
def test_those_of_a_sketch_are_seen_too(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = twins()
    monkeypatch.setattr("r2n.search.explore.SKETCHED_ROWS", 300)
    kept: list[Any] = []

    def watch(*args: Any) -> Any:
        kept.append(args[0])
        return alternatives.find_alternatives(*args)

    monkeypatch.setattr(stages, "find_alternatives", watch)
    model = R2NClassifier(network=None, random_state=0, teacher=False).fit(X, y > 0)
    (explored,) = kept
    assert {structure_of(point.rules) for point in explored.sketched} > {
        structure_of(point.rules) for point in explored.sketched[:1]
    }
    assert len(model.alternatives_) > 0


def test_rows_are_numbered_as_they_came() -> None:
    X, y = twins()
    weight = np.where(np.arange(len(y)) % 2 == 0, 0.0, 1.0)
    model = R2NClassifier(**QUICK).fit(X, y > 0, weight)
    rows = [each.row for each in model.alternatives_ if each.row is not None]
    assert rows
    assert all(row % 2 == 1 for row in rows)
    for each in model.alternatives_:
        if each.row is not None:
            row = X.iloc[[each.row]]
            assert each.rules.truth(row) != model.rules_.truth(row)


def test_without_rows_held_out_the_training_rows_compare() -> None:
    X, y = twins()
    model = R2NClassifier(**QUICK, validation_fraction=0.0).fit(X, y > 0)
    assert all(np.isnan(each.held_out_score) for each in model.alternatives_)
    assert "nan" in repr(model.alternatives_) or len(model.alternatives_) == 0


def test_constant_rules_have_alternatives_or_none() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)), rng.random(300) < 0.2
    model = R2NClassifier(**QUICK).fit(X, y)
    assert model.rules_.size == 0
    assert all(each.rules.columns for each in model.alternatives_)
    assert model.pick(*model.chosen_).rules_ == model.rules_
    empty = Alternatives()
    assert (len(empty), repr(empty)) == (0, "no other rule set that was seen does as well")
    assert len(empty.frame()) == 0


def test_tables_of_them_can_be_read(two: tuple, three: tuple) -> None:
    for (model, _, _), several in ((two, False), (three, True)):
        lines = repr(model.alternatives_).splitlines()
        assert len(lines) == 1 + len(model.alternatives_)
        assert ("label" in lines[0]) == several
        frame = model.alternatives_.frame()
        assert [*frame.columns] == [
            "label", "size", "n_rules", "literals_per_rule", "train_score", "held_out_score", "row", "rules"
        ]  # fmt: skip
        assert frame["size"].tolist() == [each.size for each in model.alternatives_]
        assert [RuleSet.parse(text).size for text in frame["rules"]] == frame["size"].tolist()
        assert model.alternatives_[:2] == tuple(model.alternatives_)[:2]


@pytest.mark.parametrize(("given", "message"), [
    (99, r"the table alternatives_ has the rows 0 to \d+, not 99\."),
    (-99, r"the table alternatives_ has the rows 0 to \d+, not -99\."),
    ("first", r"pick takes whole numbers, rows of the table alternatives_, not 'first'\."),
    (True, r"pick takes whole numbers, rows of the table alternatives_, not True\."),
    (1.0, r"pick takes whole numbers, rows of the table alternatives_, not 1\.0\."),
])  # fmt: skip
def test_odd_picks_are_refused(two: tuple, given: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        two[0].pick(alternative=given)
    with pytest.raises(ParameterError, match=r"pick takes rows of the front, of each class at most one, not \(\)"):
        two[0].pick()


def test_what_was_not_refined_has_none() -> None:
    X, y = twins()
    model = R2NClassifier(network=NetworkSettings(restarts=1, epochs=5), effort="none", random_state=0).fit(X, y > 0)
    assert not hasattr(model, "alternatives_")
    with pytest.raises(ParameterError, match="there is no front to pick from"):
        model.pick(alternative=0)


def test_an_interrupted_fit_has_those_that_it_saw(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = twins()
    moves: list[Move] = []

    def impatient(event: object) -> None:
        if isinstance(event, Move):
            moves.append(event)
            if len(moves) == 25:
                press()

    with pytest.warns(Interrupted, match="interrupted while refining"):
        model = R2NClassifier(network=None, random_state=0, teacher=False, callback=impatient).fit(X, y > 0)
    for i in range(len(model.alternatives_)):
        assert model.pick(alternative=i).predict_proba(X).shape == (len(y), 2)
    for stage in ("r2n.search.stages.find_alternatives", "r2n.search.finish.shorten_alternatives"):
        with monkeypatch.context() as patch:
            pressing(patch, stage)
            with pytest.warns(Interrupted, match="interrupted while refining"):
                model = R2NClassifier(**QUICK).fit(X, y > 0)
        assert model.score(X, y > 0) > 0.7
        assert len(model.alternatives_) > 0


def test_with_no_time_left_none_are_looked_for() -> None:
    X, y = twins()
    model = R2NClassifier(**QUICK, time_limit=1e-6).fit(X, y > 0)
    assert len(model.alternatives_) == 0


def test_what_an_expert_said_holds_for_them_too(two: tuple) -> None:
    X, y = twins()
    model = R2NClassifier(network=None, teacher=False, random_state=0, exclude=["like_a"], monotone={"a": 1})
    model.fit(X, y > 0)
    assert len(model.alternatives_) > 0
    for each in model.alternatives_:
        assert "like_a" not in each.rules.columns
    assert any("like_a" in each.rules.columns for each in two[0].alternatives_)
