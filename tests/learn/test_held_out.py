"""Counts on rows held out: beside those of training, for every rule set that can be picked; and how sure a share is."""

from __future__ import annotations

import json
import math
import pickle
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from r2n import NetworkSettings, R2NClassifier, load
from r2n.cli.measures import write_measures
from r2n.errors import ModelFileError
from r2n.learn import pipeline
from r2n.rules import Baseline, ClassRules, RuleSet, rename_columns
from r2n.rules.document import from_text
from r2n.rules.interval import wilson
from r2n.rules.measures import measure_rules
from r2n.rules.modelfile import to_text
from r2n.rules.tally import HeldOutCount, Tally

SHARES = ["coverage", "precision", "precision_low", "precision_high"]
HELD_OUT = ["held_out_precision", "held_out_low", "held_out_high"]
QUICK: dict[str, Any] = {"network": None, "effort": "quick", "random_state": 0}
SCHEMA = json.loads((Path(pipeline.__file__).parents[1] / "rules" / "modelfile.schema.json").read_text("utf-8"))


def noisy_table(n: int = 400) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["a", "b", "c"])
    X["z"] = rng.choice(["p", "q", "r"], n)
    return X, np.digitize(X.b + X.c * (X.z == "p") + 0.4 * rng.normal(size=n), [-0.4, 0.6])


def fit_and_watch(y: np.ndarray, weight: np.ndarray | None = None, **parameters: Any) -> tuple[R2NClassifier, list]:
    """The model, and the rows that each class held out, by their places among the rows that have a weight."""
    parts: list[Any] = []

    def watch(*args: Any) -> Any:
        found = split(*args)
        parts.append(found)
        return found

    split = pipeline.split_rows
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pipeline, "split_rows", watch)
        model = R2NClassifier(**{**QUICK, **parameters}).fit(noisy_table(len(y))[0], y, weight)
    return model, [judge for _, judge in parts]


def check_counts(rules: Any, X: pd.DataFrame, y: np.ndarray, weight: np.ndarray, held_out: dict) -> None:
    for label, rule, counted in rules.baseline.rules:
        places = held_out[label]
        own = RuleSet((rule,), label, f"not {label}").counted(
            X.iloc[places], [k if k == label else f"not {label}" for k in y[places].tolist()], weight[places]
        )
        (_, _, found) = own.baseline.rules[0]
        everyone = Tally(len(places), pytest.approx(weight[places].sum()))
        assert counted.held_out.rows == everyone
        assert counted.held_out.covered == Tally(found.covered.rows, pytest.approx(found.covered.weight))
        assert counted.held_out.positives == Tally(found.positives.rows, pytest.approx(found.positives.weight))


@pytest.mark.parametrize("weighted", [False, True])
def test_every_rule_set_that_can_be_picked_is_counted_on_rows_held_out(weighted: bool) -> None:
    X, y = noisy_table()
    labels, weight = np.array(["no", "yes", "yes"])[y], np.where(np.arange(400) % 3 == 0, 2.5, 1.0)
    model, (places,) = fit_and_watch(labels, weight if weighted else None)
    used = weight if weighted else np.ones(400)
    assert 70 < len(places) < 90
    picks = [model, *(model.pick(i) for i in range(len(model.front_)))]
    picks += [model.pick(alternative=i) for i in range(len(model.alternatives_))]
    for each in [*picks, pickle.loads(pickle.dumps(model))]:
        check_counts(each.rules_, X, labels, used, {"yes": places})
    assert sum(each.rules_.n_rules for each in picks) > len(picks)


def test_of_several_classes_each_is_counted_on_the_rows_that_it_held_out() -> None:
    X, y = noisy_table()
    labels = np.array(["low", "mid", "top"])[y]
    model, places = fit_and_watch(labels)
    assert len({each.tobytes() for each in places}) == 3, "each class draws its own"
    held_out = dict(zip(["low", "mid", "top"], places, strict=True))
    for each in (model, model.pick(0), model.pick(-1)):
        check_counts(each.rules_, X, labels, np.ones(400), held_out)


def test_without_rows_held_out_nothing_is_counted_on_them() -> None:
    _, y = noisy_table()
    for parameters in ({"validation_fraction": 0.0}, {"validation_fraction": 0.0, "max_rules": 1}):
        model, _ = fit_and_watch(y > 0, **parameters)
        assert all(counted.held_out is None for _, _, counted in model.rules_.baseline.rules)
        assert model.rules_.to_frame()[HELD_OUT].isna().all(axis=None)
        assert "held out" not in write_measures(model.rules_)
        assert from_text(to_text(model.rules_)).baseline == model.rules_.baseline


def test_an_unrefined_network_is_counted_too() -> None:
    _, y = noisy_table()
    short = NetworkSettings(restarts=1, epochs=20, gamma=0.8)
    model, (places,) = fit_and_watch(y > 0, network=short, effort="none")
    for _, _, counted in model.rules_.baseline.rules:
        assert counted.held_out.rows.rows == len(places)


def test_files_pickles_and_other_names_keep_the_counts(tmp_path: Path) -> None:
    _, y = noisy_table()
    for labels in (y > 0, np.array(["low", "mid", "top"])[y]):
        rules = fit_and_watch(labels)[0].rules_
        rules.save(tmp_path / "m.json")
        jsonschema.validate(json.loads((tmp_path / "m.json").read_text(encoding="utf-8")), SCHEMA)
        for copy in (load(tmp_path / "m.json"), pickle.loads(pickle.dumps(rules))):
            assert copy.baseline == rules.baseline
        renamed = rename_columns(rules, {name: f"{name} 2" for name in "abcz"})
        assert renamed.to_frame()[[*SHARES, *HELD_OUT]].equals(rules.to_frame()[[*SHARES, *HELD_OUT]])


def test_a_rule_that_is_taken_out_takes_its_counts_along() -> None:
    base = Baseline.count(
        RuleSet.parse("yes if x > 3 or z in {a} else no"), {"x": [4, 1], "z": ["a", "b"]}, ["yes"] * 2
    )
    seen = HeldOutCount(Tally(2, 2.0), Tally(1, 1.0), Tally(1, 1.0))
    counts = tuple((label, rule, n._replace(held_out=seen)) for label, rule, n in base.rules)
    rules = RuleSet.parse("yes if x > 3 or z in {a} else no").with_baseline(Baseline(2, 2.0, counts, base.decided))
    (kept,) = rules.without(2).without_unread().baseline.rules
    assert kept[2].held_out == seen, "its precision is what it was"
    assert rules.counted({"x": [4], "z": ["a"]}, ["yes"]).baseline.rules[0][2].held_out is None, "these are other rows"


@pytest.mark.parametrize(
    ("held_out", "message"),
    [
        (None, "the counts of a rule on rows held out must be three pairs, not None."),
        (3, "the counts of a rule on rows held out must be three pairs, not 3."),
        ([[1, 1.0], [1, 1.0]], "the counts of a rule on rows held out must be three pairs"),
        ([[5, 5.0], [1, 1.0], [1, 1.0]], "a whole number from 0 to 4, not 5."),
        ([[4, 4.0], [4, 4.0], [1, 1.0]], "a whole number from 0 to 3, not 4."),
        ([[2, 2.0], [3, 3.0], [1, 1.0]], "a whole number from 0 to 2, not 3."),
        ([[4, 4.0], [3, 3.0], [3, 3.0]], "a whole number from 0 to 2, not 3."),
        ([[4, 4.0], [1, 1.5], [1, 1.0]], None),
        ([[4, 4.0], [3, 9.0], [1, 1.0]], "3 rows cannot weigh 9.0"),
        ([[4, 4.0], [0, 1.0], [0, 0.0]], "0 rows cannot weigh 1.0"),
        ([[4, True], [0, 0.0], [0, 0.0]], "a number was expected, not True."),
    ],
)
def test_odd_counts_are_refused(held_out: object, message: str | None) -> None:
    rules = RuleSet.parse("yes if x > 1 else no").counted({"x": [0, 2, 3, 4]}, ["no", "no", "yes", "yes"])
    document = json.loads(to_text(rules))
    document["training"]["rules"][0].append(held_out)
    if message is None:
        assert from_text(json.dumps(document)).baseline.rules[0][2].held_out.covered == Tally(1, 1.5)
        return
    with pytest.raises(ModelFileError) as error:
        from_text(json.dumps(document))
    assert message in str(error.value)
    document["training"]["rules"][0] += [held_out]
    with pytest.raises(ModelFileError, match="three pairs, and a list of three more if rows were held out"):
        from_text(json.dumps(document))


# -- intervals ---------------------------------------------------------------------------------------


@given(st.integers(0, 10**6), st.integers(1, 10**6))
def test_an_interval_holds_its_share_and_shrinks_with_more_rows(right: int, n: int) -> None:
    right = min(right, n)
    low, high = wilson(right, n)
    assert 0.0 <= low <= right / n + 1e-12
    assert right / n - 1e-12 <= high <= 1.0
    less, more = wilson(4 * right, 4 * n)
    assert more - less < high - low
    turned = wilson(n - right, n)
    np.testing.assert_allclose((1 - turned[1], 1 - turned[0]), (low, high), atol=1e-12)


def test_the_interval_is_that_of_the_books() -> None:
    np.testing.assert_allclose(wilson(81, 263), (0.25529, 0.36620), atol=1e-4)  # Newcombe 1998, table I, method 3
    assert wilson(0, 0) == (0.0, 1.0)


def test_intervals_are_for_rows_and_not_for_their_weight() -> None:
    X, y = {"x": [4.0] * 10}, ["yes"] * 9 + ["no"]
    rules = RuleSet.parse("yes if x > 3 else no")
    plain, heavy = (rules.counted(X, y, [weight] * 10).to_frame()[SHARES] for weight in (1.0, 1000.0))
    pd.testing.assert_frame_equal(plain, heavy)
    assert plain["precision_high"][0] == wilson(9, 10)[1]
    skewed = measure_rules(rules.counted(X, y, [1.0] * 9 + [9.0]))[0]
    assert (skewed.precision_low, skewed.precision, skewed.precision_high) == (wilson(5, 10)[0], 0.5, wilson(5, 10)[1])


def test_a_rule_that_covers_nothing_has_no_precision_but_an_interval() -> None:
    frame = RuleSet.parse("yes if x > 99 else no").counted({"x": [1]}, ["no"]).to_frame()
    assert math.isnan(frame["precision"][0])
    assert (frame["precision_low"][0], frame["precision_high"][0]) == (0.0, 1.0)


# -- shown -------------------------------------------------------------------------------------------


def test_the_table_of_show_has_a_line_for_each_rule() -> None:
    seen = HeldOutCount(Tally(2, 2.0), Tally(1, 1.0), Tally(1, 1.0))
    rules = ClassRules.parse("b if x > 3 or z in {a} else a if x > 1 else c")
    X, y = {"x": [1, 4, 5, 2], "z": ["a", "a", "b", "b"]}, ["b", "b", "c", "a"]
    base = rules.counted(X, y).baseline
    counts = tuple((label, rule, n._replace(held_out=seen if k else None)) for k, (label, rule, n) in
                   enumerate(base.rules))  # fmt: skip
    text = write_measures(rules.with_baseline(Baseline(4, 4.0, counts, base.decided)))
    assert text.splitlines()[:4] == [
        "rule  covers            precision  held out: covers            precision",
        "   1  50.0 %  0.500 (0.095–0.905)                                         b: x > 3",
        "   2  50.0 %  1.000 (0.342–1.000)            50.0 %  1.000 (0.207–1.000)  b: z in {a}",
        "   3  75.0 %  0.333 (0.061–0.792)            50.0 %  1.000 (0.207–1.000)  a: x > 1",
    ]
    assert "a little too good" in text.splitlines()[4]
    assert write_measures(rules) == ""
    assert write_measures(RuleSet.parse("yes if false else no")) == ""
    changed = rules.counted(X, y).with_rule("x > 7", "a")
    assert write_measures(changed).splitlines()[-2].split() == ["4", "a:", "x", ">", "7"]
