"""DR-Net's parts: what its rules mean, where its gradient passes, that it trains on small tables."""

import jax
import jax.numpy as jnp
import numpy as np
import pandas as pd
import pytest

from benchmarks.methods.drnet import DrNet, Weights, drawn, forward, open_share, selected, settled, step
from r2n.datasets import example


def test_a_rule_is_true_where_all_it_asks_for_holds_and_nothing_it_forbids() -> None:
    x = jnp.array([[1.0, 0.0], [1.0, 1.0], [0.0, 0.0]])
    w = jnp.array([[0.3], [-2.0]])  # the first literal, and not the second
    logits = forward(x, w, jnp.ones(1))
    assert logits.tolist() == [0.5, -0.5, -0.5]


@pytest.mark.parametrize(
    ("s", "passed"),
    [(-0.2, (0.0, 0.0)), (0.5, (1.0, -1.0)), (1.0, (1.0, 0.0))],  # for a gradient of +1 and of -1
)
def test_the_gradient_passes_where_it_can_do_something(s: float, passed: tuple[float, float]) -> None:
    gradients = [float(jax.grad(lambda v, sign=sign: sign * step(v))(jnp.float32(s))) for sign in (1.0, -1.0)]
    assert tuple(gradients) == passed


def test_a_gate_counts_as_open_or_not_and_its_gradient_passes() -> None:
    gate = jnp.array([0.2, 0.0, 0.7])
    assert selected(gate).tolist() == [1.0, 0.0, 1.0]
    assert jax.grad(lambda g: (selected(g) * jnp.array([1.0, 2.0, 3.0])).sum())(gate).tolist() == [1.0, 2.0, 3.0]


def test_gates_are_open_as_often_as_is_paid_for() -> None:
    log_alpha = jnp.full((100_000,), -0.7)
    gates = drawn(log_alpha, jax.random.key(0))
    assert float((gates > 0).mean()) == pytest.approx(float(open_share(log_alpha)[0]), abs=5e-3)
    assert float(settled(jnp.array([-10.0]))[0]) == 0.0
    assert float(settled(jnp.array([10.0]))[0]) == 1.0


def test_the_rules_read_out_are_the_network_with_settled_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((200, 3)), columns=["a", "b", "c"])
    weights = Weights(*(jnp.asarray(rng.normal(size=shape), jnp.float32) for shape in ((15, 6), (15, 6), 6)))
    weights = weights._replace(and_gates=weights.and_gates - 3.0)  # few literals, or no rule is ever true
    monkeypatch.setattr(DrNet, "_trained", lambda self, x, y: weights)
    model = DrNet(bins=5).fit(frame, frame["a"] > 0.5)
    x = jnp.asarray(model.binariser_.transform(frame).to_numpy(np.float32))
    w = weights.w * settled(weights.and_gates)
    logits = forward(x, w, selected(settled(weights.or_gates)))
    assert 0 < model.predict(frame).mean() < 1
    assert (model.predict(frame) == (np.asarray(logits) > 0)).all()


@pytest.mark.slow
def test_it_learns_also_from_fewer_rows_than_a_batch() -> None:
    X, y = example(1).sample(600, random_state=0)
    frame = pd.DataFrame(X, columns=[f"x{k}" for k in range(5)])
    model = DrNet(bins=8, rules=10, epochs=10_000).fit(frame, y)
    assert (model.predict(frame) == y).mean() > max(y.mean(), 1 - y.mean()) + 0.05
    assert model.n_rules is not None
    assert 0 < model.n_rules <= 10
