"""What a step, a compilation, a row and a column cost.

    python -m benchmarks.speed           # what is missing, about 10 minutes in all
    python -m benchmarks.speed --again   # all of it once more
    python -m benchmarks.speed --parts import  # of these the imports alone
    python -m benchmarks.speed --page    # only write docs/speed.md from the newest results

Needs the extra `bench` (PyTorch, for the eager step that is timed in the same run). Appends to results/speed.jsonl.
"""

import subprocess
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.fits import NETWORK_ALONE, fit, learner
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import peak_memory, take_turns, watch
from benchmarks.harness.command import main
from benchmarks.harness.pages import Page
from benchmarks.harness.records import Record

D, M, J, BATCH = 5, 10, 25, 100  # the paper's size
FEW_EPOCHS: dict[str, Any] = {"epochs": 20, "gamma": 0.7, "restarts": 1, **NETWORK_ALONE}


PARTS = ("import", "step", "compilation", "fit")
IMPORTS = ("import numpy", "import r2n", "from r2n import load", "from r2n import R2NClassifier")


def cases(chosen: Namespace) -> list[Case]:
    """Imports; steps; compilation; rows and columns."""
    sizes = [*((n_rows, 10) for n_rows in (1_000, 10_000, 100_000, 1_000_000)), *((20_000, d) for d in (5, 50, 500))]
    every = [
        Case({"what": "import"}, measure_imports),
        *(Case({"what": "step", "restarts": restarts}, partial(measure_step, restarts)) for restarts in (1, 25)),
        Case({"what": "compilation"}, measure_compilation, alone=True),
        *(Case({"what": "fit", "rows": n, "columns": d}, partial(measure_fit, n, d), alone=True) for n, d in sizes),
    ]
    return [case for case in every if case.told["what"] in chosen.parts]


def measure_imports(rounds: int = 15) -> Record:
    """CPU seconds of new processes that import, in turns, beyond those of one that does nothing: medians."""
    taken = defaultdict(list)
    for _ in range(rounds):
        for code in ("pass", *IMPORTS):
            with watch() as spent:
                subprocess.run([sys.executable, "-c", code], check=True)
            taken[code].append(spent.cpu)
    seconds = {code: float(np.median(each)) for code, each in taken.items()}
    beyond = {code: seconds[code] - seconds["pass"] for code in IMPORTS}
    return {
        "imports": [
            {"code": code, "cpu": round(cpu, 3), "over_numpy": round(cpu / beyond["import numpy"], 2)}
            for code, cpu in beyond.items()
        ]
    }


def microseconds(taken: list[float]) -> float:
    """The median of some calls, without the first, which warms up."""
    return 1e6 * float(np.median(taken[1:]))


def torch_step() -> Callable[[], object]:
    """One eager Adam step of the same network, as one would write it in PyTorch."""
    import torch

    torch.set_num_threads(1)
    torch.manual_seed(0)
    W_p, b = torch.randn(D, M, requires_grad=True), torch.randn(M, requires_grad=True)
    u, v = torch.randn(M, J, requires_grad=True), torch.randn(J, requires_grad=True)
    x, tau, lam = torch.rand(BATCH, D), 0.5, 1e-2 / J
    y = (x[:, 0] > 0.5).float()
    adam = torch.optim.Adam([W_p, b, u, v])

    def step() -> None:
        adam.zero_grad()
        phi = torch.sigmoid((x @ W_p + b) / tau)
        w, w_d = torch.sigmoid(u / tau), torch.sigmoid(v / tau)
        z = 1 - torch.clamp((1 - phi) @ w, max=1)
        truth = (z * w_d).max(dim=1).values
        penalty = lam * (w.abs().sum() + w_d.abs().sum() + W_p.abs().sum())
        loss: Any = torch.mean((truth - y) ** 2) + penalty
        loss.backward()
        adam.step()

    return step


def r2n_chunk(restarts: int) -> tuple[Callable[[], object], int]:
    """A call of the compiled program, and how many steps it makes."""
    import jax

    from r2n.network.engine import prepare_engine

    prepare_engine()  # as every training does
    from r2n.network import Cooling, Halfspaces, Network, Penalties, Rows
    from r2n.network.batches import capacity, chunk_of, epoch_pieces, judge_of, pack_pieces
    from r2n.network.program import Knobs, initialise, run

    rng = np.random.default_rng(0)
    x = rng.random((8_000, D), dtype=np.float32)
    none = np.zeros((8_000, 0), bool)
    rows = Rows(x, none, none, (x[:, 0] > 0.5).astype(np.float32), np.ones(8_000, np.float32))
    network = Network(Halfspaces(D, M), n_given=0, n_rules=J, or_gate="max")
    most = capacity(BATCH, D)
    order = np.arange(8_000, dtype=np.int32)
    pieces = (piece for epoch in range(3) for piece in epoch_pieces(epoch, order, 1, BATCH, most, rng))
    chunk = jax.device_put(chunk_of(next(pack_pieces(pieces, most)), rows, 8_000.0, Cooling(), most))
    judge = jax.device_put(judge_of(rows, order[:1_600], rng))
    knobs = Knobs(Penalties(*[np.full(restarts, 4e-4, np.float32)] * 3), 1e-3, 1e-4, False)
    state = jax.device_put(initialise(network, restarts, rng))
    wait: Callable[[object], object] = jax.block_until_ready
    return lambda: wait(run(state, chunk, judge, knobs, network)), int(chunk.n_steps)


def measure_step(restarts: int, rounds: int = 5) -> Record:
    """Both engines in turns, in one process, so that they share the machine's mood."""
    eager = torch_step()
    chunk, n_steps = r2n_chunk(restarts)
    calls = {"r2n": lambda: [chunk() for _ in range(10)], "torch": lambda: [eager() for _ in range(200)]}
    taken = take_turns(calls, rounds + 1)
    ours, theirs = microseconds(taken["r2n"]) / 10 / n_steps / restarts, microseconds(taken["torch"]) / 200
    return {"r2n_us": round(ours, 2), "torch_eager_us": round(theirs, 1), "ratio": round(theirs / ours, 1)}


def measure_compilation() -> Record:
    """What three fits compile: the second and third have other numbers of rows."""
    from jax import monitoring

    from r2n.datasets import example

    X, y = example(5).sample(9_000, random_state=0)
    compiled: list[float] = []

    def listen(event: str, duration_secs: float, **_: str | int) -> None:
        if "backend_compile" in event:
            compiled.append(duration_secs)

    monitoring.register_event_duration_secs_listener(listen)
    fits = []
    for n_rows in (8_000, 3_000, 9_000):
        before = len(compiled)
        _, spent = fit(X[:n_rows], y[:n_rows], **NETWORK_ALONE, random_state=0)
        seconds = round(spent.seconds, 2)
        fits.append({"rows": n_rows, "seconds": seconds, "programs_compiled": len(compiled) - before})
    return {"fits": fits}


def measure_fit(n_rows: int, n_columns: int) -> Record:
    """One fit: seconds, and memory beyond what the program itself needs."""
    rng = np.random.default_rng(0)
    small = rng.random((1_000, n_columns))
    learner(**FEW_EPOCHS, random_state=0).fit(small, small[:, 0] > 0.5)  # compiles
    before = peak_memory()
    X = rng.random((n_rows, n_columns))
    _, spent = fit(X, X[:, 0] + 0.5 * X[:, 1] > 0.7, **FEW_EPOCHS, random_state=0)
    return {
        "seconds": round(spent.seconds, 3),
        "cpu": round(spent.cpu, 3),
        "us_per_row_and_epoch": round(1e6 * spent.seconds / n_rows / FEW_EPOCHS["epochs"], 3),
        "table_mb": round(X.nbytes / 1e6, 1),
        "peak_over_table": round((peak_memory() - before) / X.nbytes, 2),
    }


def view() -> Mapping[str, Any]:
    """The newest of each."""
    found: dict[str, list[Record]] = {what: [] for what in PARTS}
    for record in SPEED.newest():
        found[record["what"]].append(record)
    shown = {
        "imports": found["import"][0],
        "steps": found["step"],
        "compilation": found["compilation"][0],
        "fits": found["fit"],
    }
    return shown | {"d": D, "m": M, "j": J, "batch": BATCH}


SPEED = Benchmark(
    name="speed",
    about=__doc__,
    key=("what", "restarts", "rows", "columns"),
    cases=cases,
    choices=(Choice("--parts", "what to measure", PARTS, default=PARTS),),
    pages=(Page("docs/speed.md", "speed.md.j2", view),),
)

if __name__ == "__main__":
    main(SPEED)
