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
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile at the first call, and keep the machine code beside the source or in the user's cache."""
    return cast(Function, njit(cache=True, nogil=True, error_model="numpy")(function))
