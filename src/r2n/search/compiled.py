"""How the search's hot loops are compiled, and what they promise.

A kernel adds in one fixed order, with plain multiplications and additions: no fused operations, no library calls, no
reordering. So it returns the same bits on every processor. Costs are multiples of one power of two besides (see
`make_exact`): their sums are exact, and the same in any order.

Its machine code is kept, and is compiled again only if its own file changes. So a kernel calls kernels of its own
file alone, and reads no number of another: numbers that were chosen by trying come as arguments. It loops plainly
over C-contiguous arrays: what stands for a loop in numpy takes long to compile.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

from numba import njit
from numba.core.caching import FunctionCache

Function = TypeVar("Function", bound=Callable[..., Any])


class KeptCode(FunctionCache):
    """Machine code kept beside the source or in the user's cache. What cannot be read there is compiled again."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The kept code for these types; None if there is none, or if a disk that was full cut it short."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call, unused-ignore]
        except Exception:  # by what garbage fails to be read depends on the garbage
            with suppress(OSError):
                self.flush()  # type: ignore[no-untyped-call, unused-ignore]
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the code, if the disk takes it."""
        with suppress(OSError):
            super().save_overload(sig, data)  # type: ignore[no-untyped-call, unused-ignore]


def compiled(function: Function) -> Function:
    """Compile at the first call, and keep the machine code where there is a folder to keep it in."""
    dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
    with suppress(RuntimeError):  # no folder can be written to
        dispatcher._cache = KeptCode(function)  # type: ignore[no-untyped-call, unused-ignore]
    return cast(Function, dispatcher)
