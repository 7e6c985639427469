"""How many threads numpy's and scikit-learn's libraries use."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def use_one_thread(user_api: str | None = None) -> AbstractContextManager[object]:
    """Keep these libraries to one thread inside: all of them, or those of one kind.

    Sums of several threads differ in the last bit; and on a busy machine threads wait for each other, for long.
    """
    limited: AbstractContextManager[object] = _controller().limit(limits=1, user_api=user_api)
    return limited


@cache
def _controller() -> ThreadpoolController:
    """The libraries that are loaded. They are looked for once: that takes milliseconds."""
    return ThreadpoolController()
