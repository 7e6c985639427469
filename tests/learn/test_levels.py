"""Risk levels, learned: chains that rank rows, whose shares are honest, and whose levels are in order."""

import itertools
import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import roc_auc_score

from r2n import LevelRules, R2NClassifier, RuleSet, load
from r2n.errors import Interrupted, ParameterError
from r2n.learn import levels
from r2n.learn.levels import merge_levels, round_shares
from r2n.learn.options import Options
from r2n.learn.rows import TrainingRows
from r2n.search import cut_chances

QUICK = {"network": None, "effort": "quick", "random_state": 0}


def risky(n: int = 4_000, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """The chance of a yes is what `risk` says; `idle` says nothing."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"risk": rng.random(n), "idle": rng.random(n)})
    return frame, np.where(rng.random(n) < frame.risk**2, "yes", "no")


@pytest.fixture(scope="module")
def model() -> R2NClassifier:
    return R2NClassifier(levels=4, **QUICK).fit(*risky())


def test_levels_rank_new_rows_and_say_how_likely_each_is(model: R2NClassifier) -> None:
    X, y = risky(seed=5)
    chances = model.predict_proba(X)[:, 1]
    assert isinstance(model.rules_, LevelRules)
    assert len(model.rules_.levels) == 4
    assert roc_auc_score(y == "yes", chances) > roc_auc_score(y == "yes", X.risk) - 0.04
    for share in model.rules_.shares:
        there = chances == share
        assert np.mean(y[there] == "yes") == pytest.approx(share, abs=0.05)
    shares = [np.mean(y[chances == share] == "yes") for share in model.rules_.shares]
    assert shares == sorted(shares, reverse=True)


def test_what_is_predicted_is_the_levels_side_of_the_threshold(model: R2NClassifier) -> None:
    X, _ = risky(500, seed=6)
    assert np.array_equal(model.predict(X) == "yes", model.predict_proba(X)[:, 1] >= 0.5)
    low = R2NClassifier(levels=4, threshold=0.1, **QUICK).fit(*risky())
    assert low.rules_.threshold == 0.1
    assert np.array_equal(low.predict(X) == "yes", low.predict_proba(X)[:, 1] >= 0.1)
    assert low.rules_.branches == model.rules_.branches


def test_a_saved_chain_predicts_what_the_model_does(model: R2NClassifier, tmp_path) -> None:  # type: ignore[no-untyped-def]
    X, _ = risky(300, seed=7)
    model.rules_.save(tmp_path / "model.json")
    for again in (
        load(tmp_path / "model.json"),
        pickle.loads(pickle.dumps(model)),
        LevelRules.parse(str(model.rules_)),
    ):
        assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
        assert np.array_equal(again.predict(X), model.predict(X))
    assert model.rules_.baseline is not None
    assert model.rules_.baseline.rows == 4_000
    counts = [counted for _, _, counted in model.rules_.baseline.rules]
    assert all(counted.held_out is not None and counted.held_out.rows.rows == 800 for counted in counts)
    assert counts[0].covered.rows == model.rules_.baseline.of("very high", model.rules_.rules[0]).covered.rows


def test_given_thresholds_are_kept() -> None:
    m = R2NClassifier(levels=[0.25, 0.64], **QUICK).fit(*risky())
    X, _ = risky(2_000, seed=8)
    level = m.rules_.decided(X)
    expected = np.select([X.risk**2 > 0.64, X.risk**2 > 0.25], [0, 1], 2)
    assert np.mean(level == expected) > 0.93


def test_a_size_is_for_all_levels_together() -> None:
    m = R2NClassifier(levels=4, max_size=3, **QUICK).fit(*risky())
    assert 0 < m.rules_.size <= 3


def test_no_row_has_a_say_by_its_number_of_copies_or_its_weight() -> None:
    X, y = risky(1_500)
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    light = R2NClassifier(levels=[0.3, 0.6], **QUICK).fit(X, y, sample_weight=weight)
    assert light.rules_.baseline is not None
    assert light.rules_.baseline.weight == weight.sum()


def test_the_same_seed_gives_the_same_levels() -> None:
    X, y = risky(1_000)
    one = R2NClassifier(levels=3, **QUICK)
    assert one.fit(X, y).rules_ == clone(one).fit(X, y).rules_
    renamed = X.rename(columns={"risk": "zeta", "idle": "a b"})
    other = clone(one).fit(renamed, y)
    assert np.array_equal(other.predict_proba(renamed), one.predict_proba(X))


def test_columns_that_rules_may_not_read_are_not_read() -> None:
    X, y = risky(1_500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        m = R2NClassifier(levels=3, exclude=["risk"], **QUICK).fit(X, y)
    assert "risk" not in m.rules_.columns
    assert m.schema_.column("risk").low is None or m.schema_.column("risk").low != X.risk.min()


def test_without_any_signal_there_is_one_level_and_a_warning() -> None:
    X, _ = risky(600)
    with pytest.warns(UserWarning, match="no rules were found"):
        m = R2NClassifier(levels=3, **QUICK).fit(X[["idle"]], np.where(np.arange(600) % 7 == 0, "yes", "no"))
    assert len(set(m.predict_proba(X[["idle"]])[:, 1])) <= 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"levels": 1}, "at least 2"),
        ({"levels": [0.2, 0.2]}, "different thresholds"),
        ({"levels": [0.0, 0.5]}, "between 0 and 1"),
        ({"levels": []}, "levels must be"),
        ({"levels": "many"}, "levels must be"),
        ({"levels": 3, "effort": "none", "network": R2NClassifier().network}, "fitted by the search"),
        ({"levels": 3, "start": "yes if risk > 0.5 else no"}, "learned anew"),
    ],
)
def test_what_has_no_meaning_is_refused(changes: dict[str, object], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        R2NClassifier(**{**QUICK, **changes}).fit(*risky(200))


def test_several_classes_have_no_levels() -> None:
    X, _ = risky(90)
    with pytest.raises(ParameterError, match="levels is for two classes, but y holds 3"):
        R2NClassifier(levels=3).fit(X, np.arange(90) % 3)


def test_too_few_rows_of_a_class_are_refused() -> None:
    X, _ = risky(90)
    with pytest.raises(ParameterError, match="at least 5 rows of each class, and there are 4"):
        R2NClassifier(levels=3, **QUICK).fit(X, np.where(np.arange(90) < 4, "yes", "no"))


def test_pick_says_that_levels_have_no_front(model: R2NClassifier) -> None:
    with pytest.raises(ParameterError, match="levels have none"):
        model.pick(0)
    assert not hasattr(model, "front_")


def test_a_fit_without_levels_forgets_those_of_an_earlier_one() -> None:
    X, y = risky(600)
    m = R2NClassifier(levels=3, **QUICK).fit(X, y).set_params(levels=None).fit(X, y)
    assert isinstance(m.rules_, RuleSet)
    assert len(m.front_) > 0


# -- the parts -----------------------------------------------------------------------------------------


def loss_of(chances: np.ndarray, edges: list[int]) -> float:
    total = 0.0
    for a, b in itertools.pairwise([0, *edges, len(chances)]):
        p = np.clip(chances[a:b].mean(), 1e-12, 1 - 1e-12)
        total -= (chances[a:b] * np.log(p) + (1 - chances[a:b]) * np.log(1 - p)).sum()
    return total


@settings(max_examples=20)
@given(st.lists(st.integers(0, 20), min_size=60, max_size=90), st.integers(2, 4))
def test_cuts_lose_the_least_log_loss_of_all(numbers: list[int], n_levels: int) -> None:
    """Against every way to cut, tried one by one, of those that leave twenty rows in each level."""
    chances = np.sort(np.array(numbers) / 20)
    steps = [k for k in range(1, len(chances)) if chances[k] > chances[k - 1]]
    cuts = cut_chances(chances, np.ones(len(chances)), n_levels)
    ways = [
        edges for edges in itertools.combinations(steps, len(cuts)) if min(np.diff([0, *edges, len(chances)])) >= 20
    ]
    mine = sorted(int(np.searchsorted(chances, cut)) for cut in cuts)
    assert min(np.diff([0, *mine, len(chances)])) >= min(20, len(chances))
    assert loss_of(chances, mine) == pytest.approx(min(loss_of(chances, list(edges)) for edges in ways))


def rows_of(X: pd.DataFrame, y: np.ndarray) -> TrainingRows:
    return TrainingRows.read(X, y, None, Options.read(R2NClassifier().get_params(deep=False)))


def rules_of(*texts: str) -> list[tuple]:
    return [RuleSet.parse(f"yes if {text} else no").rules for text in texts]


def test_levels_out_of_order_merge() -> None:
    X, y = risky()
    rows, everywhere = rows_of(X, y), np.arange(len(X))
    fine = rules_of("risk > 0.8", "risk > 0.5")
    assert merge_levels(fine, rows, everywhere) == tuple(fine)
    (joined,) = merge_levels(rules_of("risk > 0.5 and risk < 0.8", "risk > 0.8"), rows, everywhere)
    assert len(joined) == 2
    assert merge_levels(rules_of("risk > 0.8", "risk < 0"), rows, everywhere) == tuple(rules_of("risk > 0.8"))


@given(st.lists(st.floats(0.001, 0.999), min_size=2, max_size=6, unique=True))
def test_shares_stay_in_order_when_they_are_rounded(shares: list[float]) -> None:
    falling = sorted(shares, reverse=True)
    short = round_shares(falling)
    assert all(a > b for a, b in itertools.pairwise(short))
    assert np.allclose(short, falling, atol=5e-4)


def test_a_ctrl_c_before_a_level_has_rules_keeps_those_above_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    learn, calls = levels.learn_level, itertools.count(1)

    def stop_at_the_second(*given: Any) -> Any:
        if next(calls) == 2:
            raise KeyboardInterrupt
        return learn(*given)

    monkeypatch.setattr(levels, "learn_level", stop_at_the_second)
    with pytest.warns(Interrupted, match="interrupted between levels"):
        m = R2NClassifier(levels=4, **QUICK).fit(*risky())
    assert m.interrupted_
    assert len(m.rules_.levels) == 2


@pytest.mark.slow
@pytest.mark.parametrize("asked", [{"levels": 3}, {"min_recall": 0.6}])
def test_a_model_tells_of_which_class_a_teacher_changed_labels(asked: dict[str, Any]) -> None:
    X, y = risky(500)
    assert R2NClassifier(**asked, **QUICK).fit(X, y).teacher_used_ == ("yes",)
    assert R2NClassifier(teacher=False, **asked, **QUICK).fit(X, y).teacher_used_ == ()


def test_all_levels_together_keep_a_limit_that_leaves_less_than_a_column_for_each() -> None:
    m = R2NClassifier(levels=4, max_size=1, **QUICK).fit(*risky())
    assert m.rules_.size == 1


def test_shares_by_weight_lie_in_their_intervals() -> None:
    m = R2NClassifier(levels=3, class_weight={"yes": 5.0}, **QUICK).fit(*risky(1_000))
    assert m.rules_.intervals is not None
    for share, (low, high) in zip(m.rules_.shares, m.rules_.intervals, strict=True):
        assert low < share < high
