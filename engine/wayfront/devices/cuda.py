"""CUDA, and numba's simulator of it, which differ only in the threads they can afford."""

from __future__ import annotations

import functools
import subprocess
import time
from typing import Any

import numpy as np
from numba import cuda
from numba.cuda import config
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import Body, make_entry
from wayfront.errors import DeviceError

config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a small frontier is no mistake

BLOCK = 256
"""Threads of a block: enough to hide latency, few enough that a small frontier still spreads over the card."""

PINNED_BYTES = 1 << 16
"""Reads up to this size go through pinned memory, which halves their latency."""


@functools.cache
def _entry(body: Body) -> Any:
    opening = "    i = cuda.grid(1)\n    if i < thread_count:\n        "
    device_body = cuda.jit(device=True)(body)
    entry = make_entry(body, "kernel", ("thread_count",), opening, device_body, cuda=cuda)
    return cuda.jit(entry)


class CudaDevice:
    """The first CUDA card. Launches go to one stream, so they run in the order they were made."""

    kind = "cuda"
    block = BLOCK
    lane_bits = 3  # of 1, 2, 4 and 8 threads a node, 8 were fastest on an H200, more than twice as fast as 1

    def __init__(self) -> None:
        self.name, trouble = cuda_name_or_trouble()
        if trouble:
            raise DeviceError(trouble)
        self._stream = cuda.stream()
        self._bound: dict[tuple[Body, int], Any] = {}
        self._resident: dict[Any, Any] = {}
        self._pinned: dict[tuple[int, Any], NDArray[Any]] = {}

    def put(self, array: NDArray[Any]) -> Any:
        """Copy an array to the card."""
        return cuda.to_device(np.ascontiguousarray(array), stream=self._stream)

    def empty(self, size: int, dtype: DTypeLike) -> Any:
        """Return uninitialised memory on the card."""
        return cuda.device_array(max(size, 1), dtype)

    def get(self, array: Any, count: int | None = None) -> NDArray[Any]:
        """Copy the first ``count`` elements back."""
        part = array if count is None else array[:count]
        if part.size == 0:
            return np.empty(0, array.dtype)
        if part.nbytes <= PINNED_BYTES:
            key = (part.size, part.dtype)
            if key not in self._pinned:
                self._pinned[key] = cuda.pinned_array(part.size, part.dtype)
            host = self._pinned[key]
            part.copy_to_host(host, stream=self._stream)
            self._stream.synchronize()
            return host.copy()
        host = part.copy_to_host(stream=self._stream)
        self._stream.synchronize()
        return host

    def launch(self, body: Body, count: int, *arguments: Any) -> None:
        """Run the body over a grid of ``count`` threads."""
        if count <= 0:
            return
        blocks = (count + self.block - 1) // self.block
        bound = self._bound.get((body, blocks))
        if bound is None:
            bound = self._bound[body, blocks] = _entry(body)[blocks, self.block, self._stream]
        bound(count, *arguments)

    def launch_resident(self, kernel: Any, *arguments: Any) -> None:
        """Run a cooperative kernel over all threads that fit on the card at once."""
        kernel[self._resident_blocks(kernel, arguments), self.block, self._stream](*arguments)

    def _resident_blocks(self, kernel: Any, arguments: tuple[Any, ...]) -> int:
        if kernel not in self._resident:
            compiled = kernel.compile(tuple(kernel.typeof_pyval(a) for a in arguments))
            self._resident[kernel] = int(compiled.max_cooperative_grid_blocks(self.block))
        return self._resident[kernel]

    def synchronize(self) -> None:
        """Wait for the stream."""
        self._stream.synchronize()

    def stamp(self) -> Any:
        """Record an event in the stream."""
        event = cuda.event(timing=True)
        event.record(self._stream)
        return event

    def elapsed_ns(self, begin: Any, end: Any) -> int:
        """Return the time between two events."""
        end.synchronize()
        return round(cuda.event_elapsed_time(begin, end) * 1e6)

    def describe(self) -> dict[str, str]:
        """Name the card, its driver and the CUDA version the driver speaks."""
        return {"card": self.name, "driver": _driver_version(), "driver CUDA": "{}.{}".format(*_driver_cuda())}


@functools.cache
def _driver_version() -> str:
    """Return the driver's own version as NVIDIA's tool tells it, for instance 580.159.04."""
    command = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10).stdout
    except (OSError, subprocess.TimeoutExpired):
        told = ""
    return told.split("\n")[0].strip() or "unknown"


@functools.cache
def _driver_cuda() -> tuple[int, int]:
    version: tuple[int, int] = cuda.cudadrv.driver.driver.get_version()
    return version


class SimulatorDevice(CudaDevice):
    """Numba's simulator: every thread is a Python thread, so one small block at a time, on tiny networks."""

    kind = "simulator"
    block = 32
    lane_bits = 1

    def __init__(self) -> None:
        self.name = "numba CUDA simulator"
        self._stream = cuda.stream()
        self._bound = {}
        self._resident = {}
        self._pinned = {}

    def _resident_blocks(self, kernel: Any, arguments: tuple[Any, ...]) -> int:
        """Return 1: the simulator's grid barrier works within one block."""
        return 1

    def stamp(self) -> int:
        """Return the host's clock: simulated time means nothing."""
        return time.perf_counter_ns()

    def elapsed_ns(self, begin: int, end: int) -> int:
        """Return the difference of two stamps."""
        return end - begin

    def describe(self) -> dict[str, str]:
        """Say that these figures are a simulation's."""
        return {"card": self.name}


def cuda_name_or_trouble() -> tuple[str, str]:
    """Return (the card's name, "") or ("", why CUDA cannot run here, in one line)."""
    try:
        if cuda.is_available():
            name = cuda.get_current_device().name
            return (name.decode() if isinstance(name, bytes) else str(name)), ""
        error = str(cuda.cuda_error() or "")
    except Exception as problem:  # the driver's loader raises many kinds
        error = str(problem)
    return "", "no CUDA device: " + (" ".join(error.split()).strip(" :")[:160] or "no NVIDIA driver was found")
