"""Clocks that a kernel can read: a cycle counter, fine but of unknown rate, and a timer in nanoseconds.

As with the atomics, the simulator runs the plain functions. The cycle counter is the card's alone; the timer is also
the host's, for compiled loops that time their own steps.

``KernelStamps`` is a clock in a card's stream of launches: a kernel of one thread, which notes the time when its turn
comes. It can be recorded within a step, so that it costs the host nothing, and takes the card about a microsecond. An
event of the driver would have to be made by the host beside every step. Alone, too, it costs the host least as a
recorded one.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

from wayfront.devices.cuda_support import COMPILING, cuda_overload
from wayfront.devices.device import STAMPS, Device, DeviceArray

# ruff: noqa: PLW0108 - numba compiles the lambdas; it cannot take the intrinsics themselves


def clock_ticks() -> int:
    """Return the multiprocessor's cycle counter, int64."""
    return time.perf_counter_ns()


def timer_ns() -> int:
    """Return the device's timer in nanoseconds, int64; on a card it may advance in steps of a microsecond."""
    return time.perf_counter_ns()


_MONOTONIC = getattr(time, "CLOCK_MONOTONIC", None)
"""The number of the clock that POSIX systems never set back; None on Windows."""

_WINDOWS_TICK_NS = round(time.get_clock_info("perf_counter").resolution * 1e9) or 1
"""Nanoseconds of a tick of Windows' performance counter."""


def _read_posix(builder: ir.IRBuilder, clock: int) -> ir.Value:
    """Emit a call of ``clock_gettime``, which writes seconds and nanoseconds."""
    wide, number = ir.IntType(64), ir.IntType(32)
    both = cgutils.alloca_once(builder, ir.ArrayType(wide, 2))
    read = cgutils.get_or_insert_function(builder.module, ir.FunctionType(number, [number, both.type]), "clock_gettime")
    builder.call(read, [number(clock), both])
    seconds, rest = (builder.load(cgutils.gep_inbounds(builder, both, 0, k)) for k in range(2))
    return builder.add(builder.mul(seconds, wide(1_000_000_000)), rest)


def _read_windows(builder: ir.IRBuilder) -> ir.Value:
    """Emit a call of ``QueryPerformanceCounter``, which writes ticks."""
    wide = ir.IntType(64)
    ticks = cgutils.alloca_once(builder, wide)
    kind = ir.FunctionType(ir.IntType(32), [ticks.type])
    builder.call(cgutils.get_or_insert_function(builder.module, kind, "QueryPerformanceCounter"), [ticks])
    return builder.mul(builder.load(ticks), wide(_WINDOWS_TICK_NS))


@intrinsic
def _host_timer(_context: Any) -> Any:
    def generate(_context: Any, builder: ir.IRBuilder, _signature: Any, _arguments: Any) -> Any:
        return _read_windows(builder) if _MONOTONIC is None else _read_posix(builder, _MONOTONIC)

    return types.int64(), generate


@overload(timer_ns, strict=False)
def _timer_on_host() -> Callable[[], int]:
    return lambda: _host_timer()


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


class KernelStamps:
    """Times that a kernel notes in a ring of device memory, int64 [1 + STAMPS]: how many there were comes first."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._times: DeviceArray = device.put(np.zeros(1 + STAMPS, np.int64))
        self._launch = device.prepare(note_time)
        self._taken = 0
        self.add: Callable[[], None] = device.record(self.launch)

    def launch(self) -> None:
        """Launch the kernel."""
        self._launch(1, self._times)

    def take(self) -> NDArray[np.int64]:
        """Read the ring, in one go: that is faster than to ask first how much of it is new."""
        times: NDArray[Any] = self._device.get(self._times)
        begin, self._taken = self._taken, int(times[0])
        return times[1 + np.arange(begin, self._taken) % STAMPS]


def note_time(i: int, times: DeviceArray) -> None:
    """Note the time behind those noted before. One thread."""
    now = timer_ns()
    count = times[0] + i
    times[1 + (count & (STAMPS - 1))] = now
    times[0] = count + 1
