"""Training: restarts that differ, batches that lose no row, records, the best epoch kept as a copy."""

import itertools
from dataclasses import replace

import jax
import numpy as np
import pytest
from jax import monitoring

from r2n.network import Cooling, Halfspaces, Network, Penalties, Rows, Settings, Training
from r2n.network.batches import capacity, chunk_of, epoch_pieces, judge_of, pack_pieces
from r2n.network.literals import HalfspaceParams
from r2n.network.optimizer import Optimizer, clip_gradient_to
from r2n.network.program import initialise


def rows(n: int, d: int = 3, seed: int = 0) -> Rows:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)).astype(np.float32)
    return Rows(
        x, np.zeros((n, 0), bool), np.zeros((n, 0), bool), (x[:, 0] > 0.2).astype(np.float32), np.ones(n, np.float32)
    )


def train(plan: Settings, n_train: int, n_judge: int, seed: int, network: Network | None = None) -> Training:
    """A training on the first rows, judged by the rows after them."""
    everything = rows(n_train + n_judge)
    return Training(
        network or NETWORK, plan, everything, np.arange(n_train), np.arange(n_train, n_train + n_judge), seed
    )


def settings(**changes: object) -> Settings:
    plain = {
        "penalties": Penalties(1e-3, 1e-3, 1e-3),
        "cooling": Cooling(1.0, 0.9, 1e-3),
        "learning_rate": 1e-2,
        "batch_size": 32,
        "epochs": 6,
        "restarts": 3,
    }
    return Settings(**(plain | changes))


NETWORK = Network(Halfspaces(3, 4), n_given=0, n_rules=5)


def test_restarts_start_from_different_weights() -> None:
    state = initialise(NETWORK, 5, np.random.default_rng(0))
    for leaf in jax.tree.leaves(state.params):
        for a, b in itertools.combinations(np.asarray(leaf), 2):
            assert not np.array_equal(a, b)


def test_restarts_end_with_different_rules() -> None:
    training = train(settings(), 200, 100, seed=0)
    list(training)
    kept = [np.asarray(best.params.u) for best in training.best()]
    assert all(not np.array_equal(a, b) for a, b in itertools.combinations(kept, 2))


def test_the_same_seed_gives_the_same_weights_and_another_seed_others() -> None:
    def weights(seed: int) -> list[np.ndarray]:
        training = train(settings(epochs=2), 100, 50, seed=seed)
        list(training)
        return [np.asarray(leaf) for best in training.best() for leaf in jax.tree.leaves(best.params)]

    first, again, other = weights(7), weights(7), weights(8)
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))
    assert not all(np.array_equal(a, b) for a, b in zip(first, other, strict=True))


def test_the_best_epoch_is_a_copy_that_training_leaves_alone() -> None:
    """A learning rate that wrecks the weights after a good start must not reach what was kept."""
    training = train(settings(epochs=30), 400, 200, seed=0)
    seen = []
    for record in training:
        seen.append(record)
        if record.epoch == 9:
            break
    early = min(best.score for best in training.best())
    kept = training.best()
    before = [np.array(leaf) for best in kept for leaf in jax.tree.leaves(best.params)]
    list(training)
    after = [np.asarray(leaf) for best in kept for leaf in jax.tree.leaves(best.params)]
    assert all(np.array_equal(a, b) for a, b in zip(before, after, strict=True))
    assert min(best.score for best in training.best()) <= early


def test_the_kept_epoch_is_the_one_of_the_best_crisp_rules() -> None:
    training = train(settings(epochs=20), 300, 200, seed=3)
    best_seen = np.min([record.error for record in training], axis=0)
    np.testing.assert_allclose([best.score for best in training.best()], best_seen, rtol=1e-5)


def test_by_loss_the_best_of_the_coldest_epochs_is_kept() -> None:
    plan = settings(epochs=30, by_loss=True, cooling=Cooling(1.0, 0.5, 1e-3), learning_rate=0.1)
    training = train(plan, 300, 200, seed=3)
    records = list(training)
    warm, cold = ([r.loss for r in records if (r.temperature > 1e-3) == is_warm] for is_warm in (True, False))
    assert len(cold) == 20
    assert (np.min(warm, axis=0) < np.min(cold, axis=0)).any(), "else this shows nothing"
    np.testing.assert_allclose([best.score for best in training.best()], np.min(cold, axis=0), rtol=1e-5)


def test_by_loss_a_training_left_while_warm_keeps_its_newest_epoch() -> None:
    records = list(training := train(settings(by_loss=True), 300, 200, seed=3))
    np.testing.assert_allclose([best.score for best in training.best()], records[-1].loss, rtol=1e-5)


def test_the_recorded_error_is_that_of_the_step_function_network() -> None:
    training = train(settings(epochs=12), 300, 777, seed=3)
    judge = rows(300 + 777)
    records = list(training)
    for r, best in enumerate(training.best()):
        truth = np.asarray(NETWORK.step(best.params, judge.x[300:].T, judge.given[300:].T, judge.missing[300:].T))
        assert min(record.error[r] for record in records) == pytest.approx(np.mean(truth != judge.y[300:]), abs=1e-6)


def test_records_say_epoch_temperature_loss_error_and_rules() -> None:
    records = list(train(settings(), 100, 50, seed=0))
    assert [record.epoch for record in records] == list(range(6))
    assert [record.temperature for record in records] == pytest.approx([0.9**e for e in range(6)])
    assert all(len(record.loss) == len(record.error) == len(record.n_rules) == 3 for record in records)
    assert all(0 <= e <= 1 for record in records for e in record.error)
    assert all(0 <= n <= 5 for record in records for n in record.n_rules)


def test_training_lowers_the_error() -> None:
    training = train(settings(epochs=60, restarts=4), 1000, 500, seed=0)
    list(training)
    assert min(best.score for best in training.best()) < 0.05


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("n_rows", [1, 31, 32, 33, 500])
def test_an_epoch_reads_every_row_equally_often(n_rows: int, passes: int) -> None:
    pieces = list(epoch_pieces(0, np.arange(n_rows), passes, 32, most=4, rng=np.random.default_rng(0)))
    read = np.concatenate([piece.rows[piece.real == 1] for piece in pieces])
    assert np.bincount(read, minlength=n_rows).tolist() == [passes] * n_rows
    assert [piece.ends for piece in pieces] == [False] * (len(pieces) - 1) + [True]


def test_a_table_smaller_than_a_batch_is_trained_on() -> None:
    records = list(train(settings(epochs=3), 10, 10, seed=0))
    assert len(records) == 3
    assert records[0].loss != records[-1].loss


@pytest.mark.parametrize(("n_rows", "steps", "at_least"), [(10, 1, 1), (10, 20, 20), (320, 5, 10)])
def test_small_tables_are_read_several_times_an_epoch(n_rows: int, steps: int, at_least: int) -> None:
    training = train(settings(epochs=1, steps_per_epoch=steps), n_rows, n_rows, seed=0)
    list(training)
    assert at_least <= int(training._state.moments.count[0]) <= at_least + 1


def test_the_loss_of_an_epoch_is_a_mean_however_often_it_reads_the_table() -> None:
    still = settings(epochs=1, learning_rate=1e-9)
    once, often = (next(iter(train(replace(still, steps_per_epoch=k), 64, 64, seed=0))).loss for k in (1, 10))
    assert once == pytest.approx(often, rel=1e-4)


def test_rows_are_shuffled_anew_each_epoch() -> None:
    rng = np.random.default_rng(0)
    first, second = (next(iter(epoch_pieces(e, np.arange(64), 1, 32, 4, rng))).rows for e in (0, 1))
    assert not np.array_equal(first, second)
    assert not np.array_equal(first.ravel(), np.arange(64))


def test_chunks_have_one_shape_whatever_the_number_of_rows() -> None:
    shapes = set()
    for n in (5, 100, 4_000):
        most = capacity(32, 3)
        pieces = (p for e in range(3) for p in epoch_pieces(e, np.arange(n), 1, 32, most, np.random.default_rng(0)))
        for group in pack_pieces(pieces, most):
            chunk = chunk_of(group, rows(n), n, Cooling(), most)
            shapes.add(tuple(np.shape(part) for part in chunk))
        shapes.add(tuple(np.shape(part) for part in judge_of(rows(n), np.arange(n), np.random.default_rng(0))))
    assert len(shapes) == 2  # one for chunks, one for judges


def test_a_second_fit_with_another_number_of_rows_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("r2n.network.engine.user_store", lambda: None)  # nor loads what an earlier run has compiled
    list(train(settings(), 300, 100, seed=0))
    compiled: list[str] = []

    def listen(event: str, *_: object, **__: object) -> None:
        if "backend_compile" in event:
            compiled.append(event)

    monitoring.register_event_duration_secs_listener(listen)  # there is no public way to take it back
    for n in (17, 1_000, 20_000):
        list(train(settings(epochs=2), n, n, seed=1))
    assert compiled == []
    list(train(settings(epochs=1, batch_size=48), 64, 64, seed=1))
    assert compiled  # the listener does hear: another batch size is another shape


def test_rows_of_weight_nought_do_not_matter() -> None:
    some = rows(64)
    odd = Rows(*(np.concatenate([part, part[:32]]) for part in some[:5]))
    odd = odd._replace(
        y=np.concatenate([some.y, 1 - some.y[:32]]), weight=np.r_[np.ones(64), np.zeros(32)].astype("f4")
    )
    params = NETWORK.initialise(np.random.default_rng(0))
    λ = Penalties(0.0, 0.0, 0.0)
    losses = [float(NETWORK.loss(params, r.x.T, r.given.T, r.y, r.weight, np.float32(0.5), λ)) for r in (some, odd)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_each_penalty_weighs_its_own_layer() -> None:
    params = NETWORK.initialise(np.random.default_rng(0))
    r = rows(64)

    def loss(*λ: float) -> float:
        return float(NETWORK.loss(params, r.x.T, r.given.T, r.y, r.weight, np.float32(1.0), Penalties(*λ)))

    sigma = lambda a: 1 / (1 + np.exp(-np.asarray(a, dtype=float)))  # noqa: E731 - a formula, not a function
    plain = loss(0, 0, 0)
    assert loss(1, 0, 0) - plain == pytest.approx(sigma(params.u).sum(), rel=1e-4)
    assert loss(0, 1, 0) - plain == pytest.approx(sigma(params.v).sum(), rel=1e-4)
    assert loss(0, 0, 1) - plain == pytest.approx(np.abs(params.literals.W_p).sum(), rel=1e-4)


def test_amsgrad_with_clipping_takes_pytorchs_steps() -> None:
    """Computed by hand from its definition: the largest mean square so far, corrected for the start after that."""
    optimizer = Optimizer("amsgrad", clip=1.0)
    params = NETWORK.initialise(np.random.default_rng(0))
    one = jax.tree.map(lambda leaf: leaf[None], params)
    moments = jax.tree.map(lambda leaf: leaf[0], optimizer.begin(one, 1))
    leaves = [np.zeros(leaf.shape) for leaf in jax.tree.leaves(params)]
    mu, nu, most = ([leaf.copy() for leaf in leaves] for _ in range(3))
    rng = np.random.default_rng(1)
    for t in range(1, 6):
        size = (10.0, 0.01, 3.0, 1e-3, 1e-3)[t - 1]
        gradient = jax.tree.map(lambda leaf, size=size: size * rng.normal(size=leaf.shape), params)
        direction, moments = optimizer.direction(gradient, moments)
        flat = [np.asarray(leaf) for leaf in jax.tree.leaves(gradient)]
        norm = np.sqrt(sum((leaf**2).sum() for leaf in flat))
        flat = [leaf * min(1.0, 1.0 / (norm + 1e-6)) for leaf in flat]
        mu = [0.9 * m + 0.1 * g for m, g in zip(mu, flat, strict=True)]
        nu = [0.999 * v + 0.001 * g**2 for v, g in zip(nu, flat, strict=True)]
        most = [np.maximum(a, b) for a, b in zip(most, nu, strict=True)]
        for got, m, v in zip(jax.tree.leaves(direction), mu, most, strict=True):
            expected = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
            np.testing.assert_allclose(got, expected, rtol=2e-4, atol=1e-6)


def test_a_short_gradient_is_not_clipped_and_a_long_one_to_its_norm() -> None:
    params = NETWORK.initialise(np.random.default_rng(0))
    norm = lambda tree: np.sqrt(sum(float((np.asarray(leaf) ** 2).sum()) for leaf in jax.tree.leaves(tree)))  # noqa: E731
    assert norm(clip_gradient_to(params, 2 * norm(params))) == pytest.approx(norm(params), rel=1e-6)
    assert norm(clip_gradient_to(params, 0.5)) == pytest.approx(0.5, rel=1e-4)


def test_weights_start_sparse_or_as_the_authors_have_them() -> None:
    wide = Network(Halfspaces(25, 40), n_given=0, n_rules=500)
    ours, theirs = (wide.initialise(np.random.default_rng(0), initial) for initial in ("sparse", "normal"))
    assert ours.u.mean() < -2.5
    for weights in (theirs.u, theirs.v):
        assert abs(weights.mean()) < 0.1
        assert weights.std() == pytest.approx(1.0, abs=0.1)
    for weights in theirs.literals:
        assert np.abs(weights).max() <= 0.2  # 1/√25
    assert np.abs(theirs.literals.W_p).max() > 0.19


def test_settings_choose_the_optimizer_and_the_start() -> None:
    plain = settings(epochs=2)
    others = (replace(plain, optimizer=Optimizer("amsgrad")), replace(plain, optimizer=Optimizer("adam", 1e-3)))
    losses = [list(train(each, 300, 100, seed=0)) for each in (plain, *others, replace(plain, initial="normal"))]
    assert len({records[-1].loss for records in losses}) == 4


def test_negligible_weights_give_way_to_their_columns_mean() -> None:
    """Columns far from 0: without the means the threshold would be off by about 0.01 · 40."""
    literals = Halfspaces(2, 1, negligible=0.025)
    params = HalfspaceParams(np.array([[1.0], [0.01]], np.float32), np.array([-1.4], np.float32))
    rng = np.random.default_rng(0)
    x = np.array([[1.0], [40.0]], np.float32) + rng.normal(size=(2, 2_000), scale=0.3).astype(np.float32)
    whole = np.asarray(Halfspaces(2, 1).step(params, x, np.zeros((0, 2_000), bool)))
    wrong = [
        np.mean(literals.step(params, x, np.zeros((0, 2_000), bool), mean) != whole) for mean in (0.0, x.mean(axis=1))
    ]
    assert wrong[0] > 0.3
    assert wrong[1] < 0.02
    (decoded,) = literals.decode(params, x.mean(axis=1))
    assert decoded.weights == (1.0, 0.0)
    assert decoded.bias == pytest.approx(-1.0, abs=0.01)
