"""What made a result: the learner that is imported, the machine, the packages."""

import hashlib
import platform
import shutil
import subprocess
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import r2n

BENCHMARKS = Path(__file__).parents[1]
ROOT = BENCHMARKS.parent
PACKAGES = (
    "jax",
    "numpy",
    "scikit-learn",
    "scipy",
    "pandas",
    "optax",
    "wittgenstein",
    "imodels",
    "interpret-core",
    "obliquetree",
    "ydf",
    "pycontree",
)
PACKAGE = Path(r2n.__file__).parent  # the r2n that is imported, wherever it lies
METHODS = ("trial.py", "splits.py", *(f"methods/{path.name}" for path in (BENCHMARKS / "methods").glob("*.py")))


def source_of(files: Iterable[Path], folder: Path) -> str:
    """A hash of these files of a folder: their names and what is in them, in the order of the names."""
    digest = hashlib.sha256()
    for name, content in sorted((file.relative_to(folder).as_posix(), file.read_bytes()) for file in files):
        digest.update(f"{name}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:12]


# Read as soon as r2n is imported: a file that is edited while a benchmark runs is not what ran.
SOURCE = source_of(PACKAGE.rglob("*.py"), PACKAGE)
METHODS_SOURCE = source_of((BENCHMARKS / name for name in METHODS), BENCHMARKS)


@cache
def versions() -> dict[str, str]:
    """Of Python, of the r2n that is imported, and of the other packages that are installed."""
    found = {"python": platform.python_version(), "r2n": r2n.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def made_by() -> dict[str, Any]:
    """What a result depends on besides its settings: the learner that is imported, and the machine.

    A revision is given only if the imported r2n lies in this checkout; `clean` says whether code was changed since.
    """
    head = _git("rev-parse", "--short", "HEAD") if PACKAGE.is_relative_to(ROOT / "src") else ""
    changed = _git("status", "--porcelain", "--", "src", "benchmarks", ":!benchmarks/results") if head else ""
    return {
        "r2n": r2n.__version__,
        "source": SOURCE,
        "methods": METHODS_SOURCE,
        "revision": head or None,
        "clean": not changed if head else None,
        "processor": processor(),
        "blas": blas(),
    }


def processor() -> str:
    """Its name, and the widest vectors that it computes with."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.exists() else []
    said = {name.strip(): value.strip() for name, colon, value in (line.partition(":") for line in lines) if colon}
    flags = said.get("flags", "").split()
    widest = next((f" ({flag})" for flag in ("avx512f", "avx2", "avx") if flag in flags), "")
    return (said.get("model name") or platform.processor() or platform.machine()) + widest


def blas() -> list[str]:
    """The libraries that numpy and scipy multiply with: name, version, and for which processor their kernels are."""
    import numpy as np
    import scipy.linalg
    from threadpoolctl import threadpool_info

    np.ones((2, 2)) @ np.ones((2, 2))
    scipy.linalg.inv(np.eye(2))
    loaded = [library for library in threadpool_info() if library["user_api"] == "blas"]
    words = ("internal_api", "version", "architecture")
    return sorted({" ".join(str(library[word]) for word in words if library.get(word)) for library in loaded})


def _git(*words: str) -> str:
    """What git answers; nothing where there is none, or where this is no clone."""
    if shutil.which("git") is None:
        return ""
    told = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return told.stdout.strip()
