"""How JAX is set up, once a process, before the first training; and how its programs are compiled or found again."""

import logging
import os
import platform
import warnings
from collections.abc import Iterable
from functools import cache, lru_cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
from jax.experimental.serialize_executable import deserialize_and_load, serialize
from jax.stages import Compiled, Lowered

from r2n.network.model import Network
from r2n.network.optimizer import Optimizer
from r2n.network.program import run
from r2n.network.store import Store, user_store
from r2n.runtime.forks import jax_has_started

Shape: Any = jax.ShapeDtypeStruct  # published without types

log = logging.getLogger(__name__)


@cache
def prepare_engine() -> str:
    """Let a step run on one thread, and return how many it runs on, as XLA was told.

    XLA shares a step's work among threads, which takes longer than the work: 36 µs instead of 21.
    It reads NPROC when it starts, and only then: who sets that, or has used JAX before, keeps what they have.
    """
    if "NPROC" in os.environ:
        return os.environ["NPROC"]
    if jax_has_started():
        return f"default of {os.cpu_count()}"
    os.environ["NPROC"] = "1"
    try:
        jax.devices()
    finally:
        del os.environ["NPROC"]
    return "1"


@lru_cache(maxsize=64)
def training_program(network: Network, optimizer: Optimizer, tree: Any, shapes: tuple[Shape, ...]) -> Compiled:
    """Compile `run` for this network and arguments of these shapes, or find what an earlier process kept."""
    threads = prepare_engine()
    lowered = run.lower(*jax.tree.unflatten(tree, shapes), network=network, optimizer=optimizer)
    config: Any = jax.config  # published without types
    store = user_store() if config.jax_enable_compilation_cache else None
    return compile_or_load(lowered, store, threads)


def shapes_of(arguments: Any) -> tuple[Any, tuple[Shape, ...]]:
    """Describe a program's arguments: their tree, and each leaf's shape and type."""
    leaves, tree = jax.tree.flatten(arguments)
    return tree, tuple(Shape(leaf.shape, leaf.dtype) for leaf in leaves)


def compile_or_load(lowered: Lowered, store: Store | None, threads: str) -> Compiled:
    """Load the compiled program from the store, or compile it and put it there."""
    key = program_key(lowered, threads)
    loaded = None if store is None else _load(lowered, store, key)
    if loaded is not None:
        return loaded
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a cache of JAX's own that the user set up may complain
        compiled = lowered.compile()
    if store is not None:
        _keep(compiled, store, key)
    return compiled


def _load(lowered: Lowered, store: Store, key: str) -> Compiled | None:
    """Load the kept program; None if there is none. One that JAX refuses, for whatever reason, is removed."""
    kept = store.read(key)
    if kept is None:
        return None
    try:
        loaded: Compiled = deserialize_and_load(kept, lowered.in_tree, lowered.out_tree)
    except Exception as error:
        log.debug("JAX refuses the kept program %s: %s", key, error)
        store.remove(key)
        return None
    return loaded


def _keep(compiled: Compiled, store: Store, key: str) -> None:
    """Put a program into the store, if JAX can write such programs."""
    try:
        program, _, _ = serialize(compiled)
    except Exception as error:
        log.debug("JAX cannot write the program %s: %s", key, error)
        return
    store.write(key, program)


def program_key(lowered: Lowered, threads: str) -> str:
    """Name all that the compiled program depends on."""
    device = jax.devices()[0]
    parts = (
        lowered.as_text(),
        jax.__version__,
        version("jaxlib"),
        device.platform,
        device.device_kind,
        os.environ.get("XLA_FLAGS", ""),
        threads,
        *processor(),
    )
    return sha256("\0".join(parts).encode()).hexdigest()


@cache
def processor() -> tuple[str, ...]:
    """Describe what the processor is and can do: a program compiled for another may end this process."""
    try:
        lines: Iterable[str] = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:  # not Linux
        lines = ()
    abilities = [line for line in lines if line.lower().startswith(("flags", "features", "model name"))]
    return platform.system(), platform.machine(), platform.processor(), *sorted(set(abilities))
