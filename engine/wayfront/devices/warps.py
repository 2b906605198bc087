"""What the threads of one warp do together on a card."""

from __future__ import annotations

import threading
from collections.abc import Callable

from wayfront.devices.cuda_support import COMPILING, cuda, cuda_overload

# ruff: noqa: PLW0108 - numba compiles the lambda; it cannot take the intrinsic itself

WARP_BITS = 5
WARP = 1 << WARP_BITS
"""Threads of a warp, on every NVIDIA card so far and in the simulator, whose only block is one warp."""


def sync_warp() -> None:
    """Let every thread of a warp wait for the others; what each wrote before, all of them read afterwards."""
    threading.current_thread().syncthreads()  # type: ignore[attr-defined] - the simulator's threads have it


if COMPILING:

    @cuda_overload(sync_warp)
    def _sync_on_card() -> Callable[[], None]:
        return lambda: cuda.syncwarp()
