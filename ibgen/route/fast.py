"""The optional compiler: numba, where it is installed (`ibgen[fast]`) and the fabric is large enough to pay for its start.

A kernel is written once, over flat sequences and integers only. Without numba it runs on Python lists, with it on int32 arrays;
the results are equal, because nothing in it is anything but an integer.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from .graph import Ints

LARGE = 600_000
"""Table entries from which compiling pays: 1,296 hosts have 0.25 million, 3,456 in three tiers 2.5 (ftree 0.25 s against 7). It
takes seconds, once per machine."""


def compiles(entries: int) -> bool:
    """Whether kernels of so many entries run compiled."""
    return entries >= LARGE and importlib.util.find_spec("numba") is not None


@cache
def compiled(*kernels: Callable[..., Any]) -> tuple[Callable[..., Any], ...]:
    """The kernels through numba, in order; a kernel calls those before it by their names.

    Kernels make no arrays, so numba need not count references to those they are handed (`_nrt`): around each of the many small
    calls of a walk that was half of the time.

    What was compiled is kept on disk where all of them stand in one file and none calls itself: numba sees only that file's
    date, and crashes on loading recursive functions (0.68, measured).
    """
    import numba

    njit: Any = numba.njit  # its published types know nothing of `_nrt`
    kept = len({k.__module__ for k in kernels}) == 1 and not any(k.__name__ in k.__code__.co_names for k in kernels)
    names: dict[str, Any] = {}
    for kernel in kernels:
        scope = {**vars(sys.modules[kernel.__module__]), **names}
        copy = FunctionType(kernel.__code__, scope, kernel.__name__)
        try:
            made = njit(copy, cache=kept, _nrt=False)
        except RuntimeError:  # no folder to keep it in
            made = njit(copy, _nrt=False)
        names[kernel.__name__] = scope[kernel.__name__] = made
    return tuple(names.values())


def sequence(values: Ints | Sequence[int], fast: bool) -> Any:
    """Flat int32 array for compiled kernels, list for others."""
    flat = np.ascontiguousarray(values, np.int32).ravel()
    return flat if fast else flat.tolist()
