"""Work in a process of its own, with the r2n of any source tree: an earlier commit's beside the present one's.

What is imported here, and by the modules named here, must be there in old trees too: `benchmarks.fits` reads names
that they may lack. Of the learner's parameters only `random_state` and `n_jobs` are set: other ones may have had other
names.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.harness.clock import peak_memory, watch
from benchmarks.harness.records import Record
from benchmarks.harness.stamp import PACKAGE, ROOT, made_by
from benchmarks.splits import Split, binary_fold_of, known_rule, sample_rows

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
DEMO = """import sys
try:
    from r2n.cli.app import main
except ImportError:  # of an older tree
    from r2n.cli import main
sys.argv = ["r2n", "demo"]
main()
"""


# -- from outside --------------------------------------------------------------------------------------


@contextmanager
def check_out(commit: str) -> Iterator[Path]:
    """The r2n of an earlier commit, in a work tree that is gone afterwards."""
    with TemporaryDirectory() as folder:
        tree = str(Path(folder) / "tree")
        _git("worktree", "add", "--quiet", "--detach", tree, commit)
        try:
            yield Path(tree).resolve() / "src" / "r2n"
        finally:
            _git("worktree", "remove", "--force", tree)


def _git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True)


def environment_of(package: Path, caches: Path | None = None) -> dict[str, str]:
    """In which the r2n of this folder is imported; what it keeps for later goes into `caches`, if one is given."""
    paths = os.pathsep.join([str(package.parent), str(ROOT)])
    fresh = {} if caches is None else {name: str(caches) for name in ("XDG_CACHE_HOME", "NUMBA_CACHE_DIR")}
    return os.environ | ONE_THREAD | {"PYTHONPATH": paths} | fresh


def ask(package: Path, work: str, caches: Path | None = None, **given: Any) -> Record:
    """What the work of this name returns, in a new process with the r2n of this folder."""
    words = [sys.executable, "-m", "benchmarks.trees", work, json.dumps(given)]
    ran = subprocess.run(words, env=environment_of(package, caches), stdout=subprocess.PIPE, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"{work} with the r2n of {package} ended with exit code {ran.returncode}.")
    found: Record = json.loads(ran.stdout.splitlines()[-1])
    if Path(found.pop("package")) != package:
        raise RuntimeError(f"another r2n was imported than that of {package}.")
    return found


def run_demo(package: Path, caches: Path) -> float:
    """Seconds of `r2n demo` in a new process, by the clock on the wall."""
    environment = environment_of(package, caches)
    with watch() as spent:
        subprocess.run([sys.executable, "-c", DEMO], env=environment, stdout=subprocess.DEVNULL, check=True)
    return spent.seconds


# -- inside --------------------------------------------------------------------------------------------


def make_learner(seed: int) -> Any:
    """The default of whichever r2n is imported, with one process."""
    from r2n import R2NClassifier

    return R2NClassifier(random_state=seed, n_jobs=1)


def rows_of(table: str, repeat: int, fold_seed: int) -> Split:
    """A fold of a real table, or a sample of a known rule."""
    if table.startswith("example"):
        return sample_rows(known_rule(table), 8_000, 2_000, repeat)
    return binary_fold_of(table, 5, repeat, fold_seed)


def fit(table: str, repeat: int, fold_seed: int, seed: int) -> Record:
    """One fit, once all that it compiles is compiled."""
    rows = rows_of(table, repeat, fold_seed)
    some = slice(None, None, len(rows.y) // 1_000)  # of both classes: some tables are sorted by them
    make_learner(0).fit(rows.X[some], rows.y[some])
    model = make_learner(seed)
    with watch() as spent:
        model.fit(rows.X, rows.y)
    return {
        "accuracy": float(model.score(rows.X_test, rows.y_test)),
        "n_rules": model.rules_.n_rules,
        "size": model.rules_.size,
        "rules": str(model.rules_),
        "cpu": round(spent.cpu, 2),
        "seconds": round(spent.seconds, 2),
    }


def measure_rows(rows: int) -> Record:
    """A fit of two rules over ten columns, 5 % of the labels flipped; memory beyond what the program itself needs."""
    rng = np.random.default_rng(0)
    small = rng.random((1_000, 10))
    make_learner(0).fit(small, small[:, 0] > 0.5)
    before = peak_memory()
    X = rng.random((rows, 10))
    y = ((X[:, 0] + X[:, 1] - X[:, 2] > 0.8) | ((X[:, 3] > 0.6) & (X[:, 4] < 0.4))) ^ (rng.random(rows) < 0.05)
    model = make_learner(0)
    with watch() as spent:
        model.fit(X, y)
    return {
        "cpu": round(spent.cpu, 2),
        "seconds": round(spent.seconds, 2),
        "table_mb": round(X.nbytes / 1e6, 1),
        "peak_over_table": round((peak_memory() - before) / X.nbytes, 2),
        "n_rules": model.rules_.n_rules,
        "size": model.rules_.size,
    }


def count_compilations() -> Record:
    """What three default fits compile: the second and third have other numbers of rows."""
    from jax import monitoring
    from numba.core.event import install_recorder

    from r2n.datasets import example

    X, y = example(5).sample(9_000, random_state=0)
    programs: list[str] = []

    def listen(event: str, duration_secs: float, **_: str | int) -> None:
        if "backend_compile" in event:
            programs.append(event)

    monitoring.register_event_duration_secs_listener(listen)
    fits = []
    for n_rows in (8_000, 3_000, 9_000):
        before = len(programs)
        with install_recorder("numba:compile") as recorded, watch() as spent:
            make_learner(0).fit(X[:n_rows], y[:n_rows])
        loops = sum(event.is_start for _, event in recorded.buffer)
        fits.append(
            {
                "rows": n_rows,
                "seconds": round(spent.seconds, 2),
                "cpu": round(spent.cpu, 2),
                "programs_compiled": len(programs) - before,
                "loops_compiled": loops,
            }
        )
    return {"fits": fits}


WORKS: dict[str, Callable[..., Record]] = {
    "fit": fit,
    "measure_rows": measure_rows,
    "count_compilations": count_compilations,
}


def main() -> None:
    """Inside such a process: the work, its record as one line."""
    import warnings

    warnings.simplefilter("ignore")  # constants, say: what was learned is shown
    work, given = sys.argv[1:]
    print(json.dumps({"package": str(PACKAGE), "made_by": made_by()} | WORKS[work](**json.loads(given))), flush=True)


if __name__ == "__main__":
    main()
