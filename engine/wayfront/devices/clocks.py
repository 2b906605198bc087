"""Clocks that a kernel can read: a cycle counter, fine but of unknown rate, and the card's nanosecond timer.

As with the atomics, the simulator runs the plain functions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types

from wayfront.devices.cuda_support import COMPILING, cuda_overload

# ruff: noqa: PLW0108 - numba compiles the lambdas; it cannot take the intrinsics themselves


def clock_ticks() -> int:
    """Return the multiprocessor's cycle counter, int64."""
    return time.perf_counter_ns()


def timer_ns() -> int:
    """Return the card's global timer in nanoseconds, int64; it may advance in steps of a microsecond."""
    return time.perf_counter_ns()


def _register_reader(register: str) -> Any:
    from numba.cuda.extending import intrinsic

    @intrinsic
    def read(_context: Any) -> Any:
        def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
            kind = ir.FunctionType(ir.IntType(64), [])
            return builder.call(ir.InlineAsm(kind, f"mov.u64 $0, %{register};", "=l", side_effect=True), [])

        return types.int64(), generate

    return read


if COMPILING:
    _read_clock = _register_reader("clock64")
    _read_timer = _register_reader("globaltimer")

    @cuda_overload(clock_ticks)
    def _clock_on_card() -> Callable[[], int]:
        return lambda: _read_clock()

    @cuda_overload(timer_ns)
    def _timer_on_card() -> Callable[[], int]:
        return lambda: _read_timer()
