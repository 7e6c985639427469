"""What a step, a compilation, a row and a column cost.

    python -m benchmarks.speed           # about 10 minutes; writes results/speed.jsonl and docs/speed.md
    python -m benchmarks.speed --table   # only write the newest results into docs/speed.md

Needs the extra `bench` (PyTorch, for the eager step that is timed in the same run).
"""

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.origins import Legend, newest
from benchmarks.records import append, read

PAGE = Path(__file__).parent.parent / "docs" / "speed.md"
D, M, J, BATCH = 5, 10, 25, 100  # the paper's size


def microseconds(step: Callable[[], object], repeats: int) -> float:
    """The median time of one call, after one that warms up."""
    step()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        step()
        times.append(time.perf_counter() - start)
    return 1e6 * float(np.median(times))


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
        (torch.mean((truth - y) ** 2) + penalty).backward()
        adam.step()

    return step


def r2n_chunk(restarts: int) -> tuple[Callable[[], object], int]:
    """A call of the compiled program, and how many steps it makes."""
    import jax

    from r2n.network.engine import prepare_engine

    prepare_engine()  # as every training does
    from r2n.network import Cooling, Halfspaces, Network, Penalties, Rows
    from r2n.network.batches import capacity, chunk_of, epoch_pieces, judge_of, packed
    from r2n.network.program import Knobs, initialise, run

    rng = np.random.default_rng(0)
    x = rng.random((8_000, D), dtype=np.float32)
    none = np.zeros((8_000, 0), bool)
    rows = Rows(x, none, none, (x[:, 0] > 0.5).astype(np.float32), np.ones(8_000, np.float32))
    network = Network(Halfspaces(D, M), n_given=0, n_rules=J, or_gate="max")
    most = capacity(BATCH, D)
    pieces = (piece for epoch in range(3) for piece in epoch_pieces(epoch, np.arange(8_000), 1, BATCH, most, rng))
    chunk = jax.device_put(chunk_of(next(packed(pieces, most)), rows, 8_000.0, Cooling(), most))
    judge = jax.device_put(judge_of(rows, np.arange(1_600), rng))
    knobs = Knobs(Penalties(*[np.full(restarts, 4e-4, np.float32)] * 3), 1e-3, 1e-4, False)
    state = jax.device_put(initialise(network, restarts, rng))
    return lambda: jax.block_until_ready(run(state, chunk, judge, knobs, network)), int(chunk.n_steps)


def measure_steps() -> Iterator[dict[str, Any]]:
    """Both engines in turns, in one process, so that they share the machine's mood."""
    eager = torch_step()
    for restarts in (1, 25):
        chunk, n_steps = r2n_chunk(restarts)
        rounds = [(microseconds(chunk, 10) / n_steps / restarts, microseconds(eager, 200)) for _ in range(5)]
        ours, theirs = np.median(rounds, axis=0)
        yield {
            "what": "step",
            "restarts": restarts,
            "r2n_us": round(float(ours), 2),
            "torch_eager_us": round(float(theirs), 1),
            "ratio": round(float(theirs / ours), 1),
        }


def measure_compilation() -> dict[str, Any]:
    """What three fits compile: the second and third have other numbers of rows."""
    from jax import monitoring

    from r2n import R2NClassifier
    from r2n.datasets import example

    X, y = example(5).sample(9_000, random_state=0)
    compiled: list[float] = []

    def listen(event: str, seconds: float, **_: Any) -> None:
        if "backend_compile" in event:
            compiled.append(seconds)

    monitoring.register_event_duration_secs_listener(listen)
    fits = []
    for n_rows in (8_000, 3_000, 9_000):
        before, start = len(compiled), time.perf_counter()
        R2NClassifier(effort="none", max_columns=None, random_state=0).fit(X[:n_rows], y[:n_rows])
        seconds = round(time.perf_counter() - start, 2)
        fits.append({"rows": n_rows, "seconds": seconds, "programs_compiled": len(compiled) - before})
    return {"what": "compilation", "fits": fits}


def peak_memory() -> int:
    """The most memory this process has held, in bytes. (`getrusage` also counts what its parent held.)"""
    status = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM")))


def measure_fit(n_rows: int, n_columns: int) -> dict[str, Any]:
    """One fit in a process of its own: seconds, and memory beyond what the program itself needs."""
    from r2n import R2NClassifier

    settings: dict[str, Any] = {
        "epochs": 20,
        "gamma": 0.7,
        "restarts": 1,
        "effort": "none",
        "max_columns": None,
        "random_state": 0,
    }
    rng = np.random.default_rng(0)
    small = rng.random((1_000, n_columns))
    R2NClassifier(**settings).fit(small, small[:, 0] > 0.5)  # compiles
    before = peak_memory()
    X = rng.random((n_rows, n_columns))
    y = X[:, 0] + 0.5 * X[:, 1] > 0.7
    start = time.perf_counter()
    R2NClassifier(**settings).fit(X, y)
    seconds = time.perf_counter() - start
    peak = peak_memory()
    return {
        "what": "fit",
        "rows": n_rows,
        "columns": n_columns,
        "seconds": round(seconds, 3),
        "us_per_row_and_epoch": round(1e6 * seconds / n_rows / settings["epochs"], 3),
        "table_mb": round(X.nbytes / 1e6, 1),
        "peak_over_table": round((peak - before) / X.nbytes, 2),
    }


def in_own_process(n_rows: int, n_columns: int) -> dict[str, Any]:
    words = [sys.executable, "-m", "benchmarks.speed", "--fit", str(n_rows), str(n_columns)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    record: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return record


def measure() -> Iterator[dict[str, Any]]:
    yield from measure_steps()
    yield measure_compilation()
    for n_rows in (1_000, 10_000, 100_000, 1_000_000):
        yield in_own_process(n_rows, 10)
    for n_columns in (5, 50, 500):
        yield in_own_process(20_000, n_columns)


def page() -> str:
    """docs/speed.md, from the newest results."""
    legend = Legend()
    found = newest(read("speed"), lambda r: (r["what"], r.get("restarts"), r.get("rows"), r.get("columns")))
    steps = [r for r in found if r["what"] == "step"]
    fits = [r for r in found if r["what"] == "fit"]
    compilation = next(r for r in found if r["what"] == "compilation")
    lines = [
        "# Speed",
        "",
        "Made by `python -m benchmarks.speed`; ratios come from things timed in turns in one run.",
        "",
        f"## A step at the paper's size ({D} columns, m = {M}, J = {J}, batch {BATCH})",
        "",
        "| restarts together | of | r2n, µs a restart and step | PyTorch eager, µs a step | ratio |",
        "|---|---|---|---|---|",
        *(
            f"| {r['restarts']} | {legend.mark([r])} | {r['r2n_us']} | {r['torch_eager_us']} | {r['ratio']} |"
            for r in steps
        ),
        "",
        "## What a fit compiles",
        "",
        "Example 5, the network alone, one process; the second and third fit have other numbers of rows.",
        "",
        "| rows | of | seconds | programs compiled |",
        "|---|---|---|---|",
        *(
            f"| {f['rows']:,} | {legend.mark([compilation])} | {f['seconds']} | {f['programs_compiled']} |"
            for f in compilation["fits"]
        ),
        "",
        "## Rows and columns",
        "",
        "The network alone, one restart, 20 epochs, already compiled. *Peak* is the most memory held beyond what the",
        "process held before the table was made, table included, as a multiple of it; small ones carry fixed costs.",
        "",
        "| rows | columns | of | seconds | µs a row and epoch | table, MB | peak / table |",
        "|---|---|---|---|---|---|---|",
        *(
            f"| {f['rows']:,} | {f['columns']} | {legend.mark([f])} | {f['seconds']} | {f['us_per_row_and_epoch']} "
            f"| {f['table_mb']} | {f['peak_over_table']} |"
            for f in fits
        ),
        "",
        *legend.lines(),
    ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--table", action="store_true", help="only write docs/speed.md from the newest results")
    parser.add_argument("--fit", nargs=2, type=int, metavar=("ROWS", "COLUMNS"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.fit:
        print(json.dumps(measure_fit(*chosen.fit)))
        return
    if not chosen.table:
        for record in measure():
            append("speed", record)
            print(record, flush=True)
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
