"""What a step, a compilation, a row and a column cost, and what fits took at an earlier commit and take now.

    python -m benchmarks.speed           # what is missing, about 35 minutes of CPU in all
    python -m benchmarks.speed --again   # all of it once more
    python -m benchmarks.speed --parts import  # of these the imports alone
    python -m benchmarks.speed --parts beside seeds demo rows --renew  # the earlier commit beside a new learner
    python -m benchmarks.speed --page    # only write docs/speed.md from the newest results

Needs the extra `bench` (PyTorch, for the eager step that is timed in the same run; the methods that fits stand beside),
the real tables, and a clone with git's history. Appends to results/speed.jsonl.
"""

import subprocess
import sys
from argparse import Namespace
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.fits import NETWORK_ALONE, fit, learner, same_structure, share_alike, time_of
from benchmarks.harness.benchmark import Benchmark, Choice
from benchmarks.harness.case import Case
from benchmarks.harness.clock import peak_memory, take_turns, watch
from benchmarks.harness.command import main
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import PACKAGE
from benchmarks.splits import Split
from benchmarks.trees import ask, check_out, rows_of, run_demo
from benchmarks.trial import MAKERS
from benchmarks.views.speed import (
    BATCH,
    BESIDE,
    KEY,
    OLDER,
    PAGE,
    PARTS,
    PRESENT,
    REAL,
    STEADY,
    STEADY_FOLDS,
    D,
    J,
    M,
)
from r2n import RuleSet

ROWS = (1_000, 10_000, 100_000, 1_000_000)
FEW_EPOCHS: dict[str, Any] = {"epochs": 20, "gamma": 0.7, "restarts": 1, **NETWORK_ALONE}


IMPORTS = ("import numpy", "import r2n", "from r2n import load", "from r2n import R2NClassifier")
EXAMPLES = tuple(f"example {k}" for k in range(1, 6))
SEEDS = range(10)


def cases(chosen: Namespace) -> list[Case]:
    """Imports; steps; compilation; rows and columns; an earlier commit beside the present checkout."""
    sizes = [*((n_rows, 10) for n_rows in ROWS), *((20_000, d) for d in (5, 50, 500))]
    every = [
        Case({"what": "import"}, measure_imports),
        *(Case({"what": "step", "restarts": restarts}, partial(measure_step, restarts)) for restarts in (1, 25)),
        Case({"what": "compilation"}, measure_compilation),
        *(Case({"what": "fit", "rows": n, "columns": d}, partial(measure_fit, n, d), alone=True) for n, d in sizes),
        *(beside_case(table, 0) for table in REAL),
        *(beside_case(table, seed) for seed in range(3) for table in EXAMPLES),
        *(seed_case(tree, seed) for seed in SEEDS for tree in (OLDER, PRESENT)),
        Case({"what": "demo"}, measure_demo),
        *(Case({"what": "rows", "rows": n_rows}, partial(measure_rows, n_rows)) for n_rows in ROWS),
    ]
    return [case for case in every if case.told["what"] in chosen.parts]


def beside_case(table: str, repeat: int) -> Case:
    return Case({"what": "beside", "table": table, "repeat": repeat}, partial(fit_beside, table, repeat))


def seed_case(tree: str, seed: int) -> Case:
    return Case({"what": "seeds", "tree": tree, "repeat": seed}, partial(fit_seed, tree, seed))


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
    """What three fits of a new process compile, of which nothing was kept before."""
    with TemporaryDirectory() as caches:
        return ask(PACKAGE, "count_compilations", Path(caches))


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


# -- an earlier commit beside the present checkout -----------------------------------------------------


def fit_beside(table: str, repeat: int) -> Record:
    """Both trees' default in turns, and on real tables others on the same fold."""
    given = {"table": table, "repeat": repeat, "fold_seed": 0, "seed": repeat}
    with check_out(OLDER) as older:
        found = {name: ask(package, "fit", **given) for name, package in (("older", older), (PRESENT, PACKAGE))}
    rows = rows_of(table, repeat, fold_seed=0)
    for record in found.values():
        del record["made_by"]  # the present one's is this record's
        if rows.truth is not None:
            record["structure"] = same_structure(RuleSet.parse(record["rules"]), rows.truth)
    return found | {"others": {} if table in EXAMPLES else {name: fit_other(name, rows) for name in BESIDE}}


def fit_other(method: str, rows: Split) -> Record:
    """Another method on the same rows."""
    model = MAKERS[method](0)
    with watch() as spent:
        model.fit(rows.X, rows.y)
    accuracy = share_alike(model.predict(rows.X_test), rows.y_test)
    return {"accuracy": accuracy, "size": model.size, **time_of(spent)}


def fit_seed(tree: str, seed: int) -> Record:
    """One tree's default on one HELOC split, from a seed: what differs from seed to seed is the learner's own."""
    given = {"table": STEADY, "repeat": 0, "fold_seed": STEADY_FOLDS, "seed": seed}
    if tree == PRESENT:
        return ask(PACKAGE, "fit", **given)
    with check_out(tree) as older:
        found = ask(older, "fit", **given)
    return found | {"made_by": found["made_by"] | {"revision": tree, "clean": True}}


def measure_demo(rounds: int = 3) -> Record:
    """Seconds of `r2n demo` in new processes, in turns: with nothing kept, and with what that run kept; medians."""
    taken = defaultdict(list)
    with check_out(OLDER) as older, TemporaryDirectory() as folder:
        for number in range(rounds + 1):  # the first one warms the disk, and is not counted
            for name, package in (("older", older), (PRESENT, PACKAGE)):
                caches = Path(folder) / f"{name} {number}"
                for way in ("cold", "kept"):
                    taken[name, way].append(run_demo(package, caches))
    return {
        name: {way: round(float(np.median(taken[name, way][1:])), 2) for way in ("cold", "kept")}
        for name in ("older", PRESENT)
    }


def measure_rows(n_rows: int) -> Record:
    """A default fit by one process; of the most rows also at the earlier commit, in the same run."""
    found = {PRESENT: ask(PACKAGE, "measure_rows", rows=n_rows)}
    if n_rows == max(ROWS):
        with check_out(OLDER) as older:
            found["older"] = ask(older, "measure_rows", rows=n_rows)
    for record in found.values():
        del record["made_by"]
    return found


def is_done(case: Case, record: Record) -> bool:
    """Whether a record need not be made again: not if it counts no loops, as there were none to compile."""
    return all("loops_compiled" in fit for fit in record.get("fits", ()))


SPEED = Benchmark(
    name="speed",
    about=__doc__,
    key=KEY,
    cases=cases,
    choices=(Choice("--parts", "what to measure", PARTS, default=PARTS),),
    pages=(PAGE,),
    is_done=is_done,
)

if __name__ == "__main__":
    main(SPEED)
