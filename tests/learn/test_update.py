"""New rows change rules where they speak for it, and nowhere else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from r2n import NetworkSettings, R2NClassifier, RuleSet, load
from r2n.errors import Interrupted, ParameterError, SchemaError
from r2n.learn import update
from r2n.learn.update import update_rules
from r2n.rules import ClassRules, Rule
from r2n.search.amend import beats, list_nearer, measure_distance, take_back
from r2n.table import Schema
from tests.strategies import World, class_worlds, rules, worlds

QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}
PRESENT = RuleSet.parse("yes if income - 2·debt > 1 and z in {a, b} or age > 60 else no")
DRIFTED = RuleSet.parse("yes if income - 2·debt > 1 and z in {a, b} or age > 50 else no")
CLASSES = ClassRules.parse("low if x < 2 else high if x > 4 or y > 8 else middle")


def people(n: int, truth: Any, flip: float = 0.0, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "income": rng.normal(3, 2, n),
            "debt": rng.normal(1, 1, n),
            "z": rng.choice(list("abcd"), n),
            "age": rng.integers(20, 80, n),
            "x": rng.uniform(0, 6, n),
            "y": rng.uniform(0, 10, n),
        }
    )
    y = truth.predict(X).astype(object)
    wrong = rng.random(n) < flip
    y[wrong] = rng.choice([*truth.classes], int(wrong.sum()))
    return X, y


@given(worlds() | class_worlds(), st.integers(0, 3))
def test_rows_of_the_rules_own_making_change_nothing(world: World, seed: int) -> None:
    assume(world.table.n_rows > 1)
    y = world.rules.predict(world.table)
    done = update_rules(world.rules, world.table, y, random_state=seed)
    assert done.rules == world.rules
    assert not done.changed
    assert done.rules.baseline == world.rules.counted(world.table, y).baseline
    assert str(done).startswith("nothing changed")


@pytest.mark.parametrize("seed", range(8))
def test_nor_do_rows_with_noise_in_their_labels(seed: int) -> None:
    X, y = people(1_500, PRESENT, flip=0.3, seed=seed)
    assert update_rules(PRESENT, X, y, random_state=seed).rules == PRESENT


@pytest.mark.parametrize("flip", [0.0, 0.2])
def test_a_threshold_that_drifted_is_found_and_nothing_else_changes(flip: float) -> None:
    X, y = people(3_000, DRIFTED, flip)
    done = update_rules(PRESENT, X, y, random_state=0)
    (went,), (came,) = (set(a.rules) - set(b.rules) for a, b in ((PRESENT, done.rules), (done.rules, PRESENT)))
    assert str(went) == "age > 60"
    assert came.literals[0].columns == ("age",)
    assert np.mean(done.rules.predict(X) == DRIFTED.predict(X)) > 0.98
    assert done.fewer > 2 * done.error > 0
    assert "~ age > 60" in str(done)
    assert "not equivalent" in str(done)


def test_it_works_from_a_file_and_keeps_what_the_file_knows(tmp_path: Path) -> None:
    X, y = people(2_000, PRESENT)
    schema, _ = Schema.learn(X.assign(extra=1.0))
    PRESENT.with_schema(schema).counted(X, y).save(tmp_path / "m.json")
    rules = load(tmp_path / "m.json")
    later, y = people(2_000, DRIFTED, seed=1)
    later["age"] += 5
    done = update_rules(rules, later, y, random_state=0)
    assert done.changed
    assert done.rules.schema.names == schema.names
    known = done.rules.schema.column("age")
    assert (known.low, known.high, known.integer) == (20.0, 84.0, True)  # of both
    assert done.rules.baseline.rows == 2_000
    assert done.rules.baseline == done.rules.counted(later, y).baseline
    done.rules.save(tmp_path / "new.json")
    assert load(tmp_path / "new.json") == done.rules


def test_a_new_condition_may_read_a_column_that_no_rule_read() -> None:
    X, y = people(3_000, RuleSet.parse("yes if age > 60 and x > 2 else no"))
    present = RuleSet.parse("yes if age > 60 else no", Schema.learn(X)[0])
    done = update_rules(present, X, y, random_state=0)
    assert done.rules.columns == ("age", "x")
    assert done.rules.schema.column("x").high == X["x"].max()
    assert update_rules(present, X, y, random_state=0, exclude=["x"]).rules == present


def test_several_classes_are_taken_one_after_the_other() -> None:
    truth = ClassRules.parse("low if x < 3 else high if x > 4 or y > 8 else middle")
    X, y = people(3_000, truth, flip=0.1)
    done = update_rules(CLASSES, X, y, random_state=0)
    assert isinstance(done.rules, ClassRules)
    assert done.rules["high"] == CLASSES["high"]
    assert np.mean(done.rules.predict(X) == truth.predict(X)) > 0.98
    assert "low: 0 went, 0 came, 1 changed, 0 stayed" in str(done)


def test_what_an_expert_said_holds_for_the_update() -> None:
    X, y = people(3_000, DRIFTED)
    fixed = update_rules(PRESENT, X, y, random_state=0, fixed=["age > 60"]).rules
    assert {str(rule) for rule in fixed.rules} >= {"age > 60"}
    assert len(fixed.rules) == 3
    for parameters, words in (
        ({"exclude": ["age"]}, "the rule `age > 60` goes against exclude"),
        ({"monotone": {"age": -1}}, "goes against exclude, apart or monotone"),
        ({"fixed": ["age > 70"]}, "fixed has the rule `age > 70`, which these rules lack"),
        ({"max_gap": {"z": 0.1}}, "update does not keep max_gap"),
    ):
        with pytest.raises(ParameterError, match=words):
            update_rules(PRESENT, X, y, **parameters)


def test_what_cannot_be_learned_from_is_refused() -> None:
    X, y = people(100, PRESENT)
    with pytest.raises(ParameterError, match="y holds 'maybe', but the rules predict only"):
        update_rules(PRESENT, X, ["maybe", *y[1:]])
    with pytest.raises(ParameterError, match="one label for each of the 100 rows"):
        update_rules(PRESENT, X, y[1:])
    with pytest.raises(ParameterError, match="sample_weight is zero in every row"):
        update_rules(PRESENT, X, y, np.zeros(100))
    with pytest.raises(SchemaError, match="different texts in 100 rows"):
        update_rules(PRESENT, X.assign(name=[f"n{i}" for i in range(100)]), y)


def test_rows_without_weight_say_nothing() -> None:
    X, y = people(1_500, PRESENT)
    later, other = people(1_500, DRIFTED, seed=1)
    both, labels = pd.concat([X, later]), np.r_[y, other]
    done = update_rules(PRESENT, both, labels, np.repeat([1.0, 0.0], 1_500), random_state=0)
    assert done.rules == PRESENT
    assert done.rules.baseline.rows == 1_500
    assert update_rules(PRESENT, both, labels, np.repeat([0.0, 1.0], 1_500), random_state=0).changed


def test_one_new_row_decides_nothing() -> None:
    assert not update_rules(PRESENT, people(1, PRESENT)[0], ["yes"]).changed
    assert not update_rules(PRESENT, people(3, PRESENT)[0], ["yes"] * 3).changed


# -- the estimator -------------------------------------------------------------------------------------


def test_the_estimator_gives_a_new_one_and_stays_as_it_was() -> None:
    X, y = people(2_000, PRESENT)
    model = R2NClassifier(network=NetworkSettings(restarts=1, epochs=5), effort="quick", random_state=0).fit(X, y)
    before, front = model.rules_, model.front_
    same = model.update(*people(2_000, before, seed=1))
    assert same.rules_ == before
    assert same.rules_.baseline.rows == 2_000
    later, labels = people(2_000, DRIFTED, seed=2)
    other = model.update(later, labels)
    assert other.rules_ != before
    assert other.score(later, labels) > model.score(later, labels) + 0.03
    assert model.rules_ == before
    assert model.front_ is front
    assert not hasattr(model, "updated_")
    assert other.updated_.rules == other.rules_
    assert other.predict_proba(later).shape == (2_000, 2)
    assert [step.name for step in other.steps_] == ["update"]
    assert other.steps_[0].changed_rows == np.sum(other.predict(later) != model.predict(later))
    with pytest.raises(ParameterError, match="no front to pick from"):
        other.pick(0)
    again = other.update(later, labels)
    assert again.rules_ == other.rules_
    assert (other.fidelity_, other.groups_, other.teacher_used_) == (None, None, ())


def test_a_ctrl_c_keeps_what_rows_speak_for(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = people(2_000, PRESENT)
    model = R2NClassifier(**QUICK).fit(X, y)
    later, labels = people(2_000, DRIFTED, seed=2)
    usual = vars(update)["descend"]

    def cut(*given: Any) -> Any:
        for n, move in enumerate(usual(*given)):
            yield move
            if n == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(update, "descend", cut)
    with pytest.warns(Interrupted, match="interrupted while updating"):
        other = model.update(later, labels)
    assert other.interrupted_
    assert other.score(later, labels) >= model.score(later, labels)


def test_a_callback_may_end_it_without_a_warning() -> None:
    seen: list[Any] = []
    done = update_rules(PRESENT, *people(2_000, DRIFTED, seed=2), callback=lambda move: seen.append(move) or True)
    assert len(seen) == 1
    assert not done.interrupted
    assert done.rules == PRESENT


# -- which changes stay --------------------------------------------------------------------------------


def test_two_standard_errors_are_asked_for() -> None:
    rows, right = np.arange(400), np.zeros(400, dtype=bool)
    assert not beats(right, rows < 4, np.ones(400))
    assert beats(right, rows < 5, np.ones(400))
    assert not beats(rows < 90, (rows >= 90) & (rows < 200), np.ones(400))  # 20 in 200 that differ: 1.4 errors
    assert beats(rows < 80, (rows >= 80) & (rows < 200), np.ones(400))
    assert not beats(right, rows < 5, np.where(rows == 0, 100.0, 1.0))  # one heavy row is one row


@given(st.lists(rules(), max_size=3, unique=True), st.lists(rules(), max_size=3, unique=True))
def test_steps_back_lead_to_the_present_rules(present: list[Rule], found: list[Rule]) -> None:
    """Each is nearer; where no row speaks against one, all changes but the last are taken back."""
    here, there = tuple(present), tuple(found)
    for nearer in list_nearer(here, there):
        assert measure_distance(here, nearer) < measure_distance(here, there)
    assert measure_distance(here, here) == 0
    if set(here) != set(there):
        assert list(list_nearer(here, there))
    n = 8
    kept = take_back(here, there, lambda own: np.full(n, set(own) == set(here)), np.ones(n))
    if set(here) != set(there):
        assert measure_distance(here, kept) <= measure_distance(here, there)
        assert set(kept) != set(here)
