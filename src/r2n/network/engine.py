"""How JAX is set up, once a process, before the first training."""

import os
from functools import cache
from typing import Any

import jax
from platformdirs import user_cache_path


@cache
def prepare_engine() -> None:
    """Compiled programs are kept between processes, and a step runs on one thread."""
    config: Any = jax.config  # published without types
    if config.jax_compilation_cache_dir is None:
        config.update("jax_compilation_cache_dir", str(user_cache_path("r2n") / "programs"))
    _start_with_one_thread()


def _start_with_one_thread() -> None:
    """XLA shares a step's work among threads, which takes longer than the work: 36 µs instead of 21.

    It reads NPROC when it starts, and only then: who sets that, or has used JAX before, keeps what they have.
    """
    if "NPROC" in os.environ:
        return
    os.environ["NPROC"] = "1"
    try:
        jax.devices()
    finally:
        del os.environ["NPROC"]
