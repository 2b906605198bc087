"""What the threads of one warp do together on a card."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from wayfront.devices.cuda_support import COMPILING, cuda, cuda_overload

# ruff: noqa: PLW0108 - numba compiles the lambda; it cannot take the intrinsic itself

WARP_BITS = 5
WARP = 1 << WARP_BITS
"""Threads of a warp, on every NVIDIA card so far and in the simulator, whose only block is one warp."""


def sync_warp() -> None:
    """Let every thread of a warp wait for the others; what each wrote before, all of them read afterwards."""
    this: Any = threading.current_thread()  # a thread of the simulator, whose blocks are one warp
    this.syncthreads()


if COMPILING:

    @cuda_overload(sync_warp)
    def _sync_on_card() -> Callable[[], None]:
        return lambda: cuda.syncwarp()
