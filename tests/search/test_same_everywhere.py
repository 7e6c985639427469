"""The same rules, front and probabilities, byte for byte, whatever the processor can do and however many there are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from numpy._core import _multiarray_umath as numpy_core  # type: ignore[attr-defined]

FIT = """
import sys, warnings
warnings.simplefilter("ignore")
import numpy as np
from r2n import R2NClassifier
from r2n.datasets import example
X, y = example(4).sample(600, random_state=9, flip=0.1)
X = np.c_[X, np.random.default_rng(0).random((600, int(sys.argv[3])))]
teacher, n_jobs = {"no": False, "asked": None}[sys.argv[1]], int(sys.argv[2])
model = R2NClassifier(network=None, teacher=teacher, random_state=0, n_jobs=n_jobs).fit(X, y)
print(model.rules_)
for point in model.front_:
    print(point.size, point.train_error.hex(), point.train_score.hex(), point.held_out_score.hex(), point.rules)
print(model.predict_proba(X).tobytes().hex())
"""

OPTIONAL = " ".join(name for name in numpy_core.__cpu_dispatch__ if numpy_core.__cpu_features__[name])
PLACES = {
    "no vector instructions in numpy": {"NPY_DISABLE_CPU_FEATURES": OPTIONAL},
    "products as on Haswell": {"OPENBLAS_CORETYPE": "Haswell"},
    "products as on Prescott": {"OPENBLAS_CORETYPE": "Prescott"},
    "one thread": {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    "two threads": {"OMP_NUM_THREADS": "2", "OPENBLAS_NUM_THREADS": "2"},
    "compiled for any processor": {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
    "a library for old processors": {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F"},
}


def fit(teacher: str, n_jobs: int, idle: int, place: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", FIT, teacher, str(n_jobs), str(idle)],
        env={**os.environ, **place},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("teacher", "idle"), [("no", 0), ("asked", 0), ("no", 36)])
def test_the_rules_are_the_same_everywhere(teacher: str, idle: int, tmp_path: Path) -> None:
    """With many idle columns, too: of these not all are opened while rules cool."""
    here = fit(teacher, 1, idle, {})
    assert here.count("\n") > 3
    assert fit(teacher, 2, idle, {}) == here, "two processes"
    for name, place in PLACES.items():
        fresh = {"NUMBA_CACHE_DIR": str(tmp_path / name)} if "NUMBA_CPU_NAME" in place else {}
        assert fit(teacher, 1, idle, {**place, **fresh}) == here, name
