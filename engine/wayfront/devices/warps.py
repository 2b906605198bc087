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


def sync_first(threads: int) -> None:
    """Let the first so many threads of a block, whole warps, wait for one another; the others go on meanwhile.

    In the simulator they must be all threads of the block.
    """
    this: Any = threading.current_thread()
    this.syncthreads()


if COMPILING:
    from llvmlite import ir
    from numba import types
    from numba.cuda.extending import intrinsic

    @intrinsic
    def _wait_at_second_barrier(_typing: Any, threads: Any) -> Any:
        def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
            count = context.cast(builder, arguments[0], signature.args[0], types.int32)
            kind = ir.FunctionType(ir.VoidType(), [ir.IntType(32)])
            builder.asm(kind, "bar.sync 1, $0;", "r,~{memory}", [count], side_effect=True)
            return context.get_dummy_value()

        return types.void(threads), generate

    @cuda_overload(sync_first)
    def _sync_first_on_card(threads: Any) -> Callable[[Any], None]:
        return lambda threads: _wait_at_second_barrier(threads)

    @cuda_overload(sync_warp)
    def _sync_on_card() -> Callable[[], None]:
        return lambda: cuda.syncwarp()
