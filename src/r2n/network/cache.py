"""Compiled programs are kept between processes, so that only the first fit of a shape ever waits for one."""

from functools import cache
from typing import Any

import jax
from platformdirs import user_cache_path


@cache
def keep_compiled_programs() -> None:
    """Turn on JAX's persistent compilation cache, unless the user has set one up."""
    config: Any = jax.config  # published without types
    if config.jax_compilation_cache_dir is None:
        config.update("jax_compilation_cache_dir", str(user_cache_path("r2n") / "programs"))
