"""CUDA, and numba's simulator of it, which differ only in the threads they can afford."""

from __future__ import annotations

import functools
import subprocess
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.cuda_launch import CapturedStep, Launcher, address, driver_call
from wayfront.devices.cuda_support import WHY_NOT, cuda, cuda_function, cuda_kernel
from wayfront.devices.device import BlockKernel, Body, Immediate
from wayfront.devices.entries import flatten, make_entry
from wayfront.errors import DeviceError

if cuda is not None:
    from numba.cuda import config

    config.CUDA_LOW_OCCUPANCY_WARNINGS = 0  # a small frontier is no mistake

BLOCK = 256
"""Threads of a block: enough to hide latency, few enough that a small frontier still spreads over the card."""

BLOCKS_EACH = 8
"""Blocks of that size that one multiprocessor holds at once."""

PINNED_BYTES = 1 << 16
"""Reads up to this size go through one pinned buffer and straight to the driver, which halves their latency."""


@functools.cache
def _entry(body: Body) -> Any:
    opening = "    i = cuda.grid(1)\n    if i < thread_count:\n        "
    entry = make_entry(
        body,
        "kernel",
        compiled_body=cuda_function(body),
        leading=("thread_count",),
        opening=opening,
        given=("i",),
        cuda=cuda,
    )
    return cuda_kernel(entry)


@functools.cache
def _whole_entry(kernel: Callable[..., None]) -> Any:
    """Compile a function that is a whole kernel: it finds out by itself which thread it is."""
    return cuda_kernel(make_entry(kernel, "kernel", compiled_body=cuda_function(kernel)))


class CudaDevice:
    """The first CUDA card. Launches go to one stream, so they run in the order they were made."""

    kind = "cuda"
    block = BLOCK
    most_block = 1024
    asynchronous = True
    wide_sums = True
    lane_bits = 3  # of 1, 2, 4 and 8 threads a node, 8 were fastest on an H200, more than twice as fast as 1

    def __init__(self) -> None:
        self.name, trouble = cuda_name_or_trouble()
        if trouble:
            raise DeviceError(trouble)
        self.busy_blocks = BLOCKS_EACH * int(cuda.get_current_device().MULTIPROCESSOR_COUNT)
        self._stream = cuda.stream()
        self._resident: dict[Any, Any] = {}
        self._gate: NDArray[np.uint32] = cuda.pinned_array(1, np.uint32)
        self._gate[0] = self._held = 0
        self._pinned: NDArray[np.uint8] = cuda.pinned_array(PINNED_BYTES, np.uint8)

    def put(self, array: NDArray[Any]) -> Any:
        """Copy an array to the card."""
        return cuda.to_device(np.ascontiguousarray(array), stream=self._stream)

    def empty(self, size: int, dtype: DTypeLike) -> Any:
        """Return uninitialised memory on the card."""
        return cuda.device_array(max(size, 1), dtype)

    def get(self, array: Any, count: int | None = None) -> NDArray[Any]:
        """Copy the first ``count`` elements back."""
        size = array.size if count is None else min(count, array.size)
        width = size * array.dtype.itemsize
        if width == 0:
            return np.empty(0, array.dtype)
        if width <= PINNED_BYTES:
            self._copy_back(array, width)
            return self._pinned[:width].view(array.dtype).copy()
        host: NDArray[Any] = (array if size == array.size else array[:size]).copy_to_host(stream=self._stream)
        self._stream.synchronize()
        return host

    def _copy_back(self, array: Any, width: int) -> None:
        """Copy the first bytes of an array into the pinned buffer and wait for them."""
        from cuda.bindings import driver

        stream = int(self._stream.handle)
        driver_call(driver.cuMemcpyDtoHAsync, self._pinned.ctypes.data, address(array), width, stream)
        driver_call(driver.cuStreamSynchronize, stream)

    def prepare(self, body: Body, block: int | None = None) -> Callable[..., None]:
        """Return a launcher of the body over a grid of as many threads as it is asked for."""
        return Launcher(_entry(body), block or self.block, self._stream)

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return a launcher of the kernel over as many blocks as it is asked for."""
        return Launcher(_whole_entry(kernel.on_card), block or self.block, self._stream).launch

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return the launches captured as a graph."""
        return CapturedStep(launches, self._stream)

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Run a cooperative kernel over all threads that fit on the card at once."""
        entry, elements = _whole_entry(kernel), flatten(arguments)
        entry[self._resident_blocks(entry, elements), self.block, self._stream](*elements)

    def _resident_blocks(self, kernel: Any, arguments: Sequence[Any]) -> int:
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

    def hold(self) -> None:
        """Make the stream wait until a word in pinned memory is as high as a number not used before."""
        from cuda.bindings import driver

        self._held += 1
        driver_call(driver.cuStreamWaitValue32, int(self._stream.handle), self._gate.ctypes.data, self._held, 0)

    def release(self) -> None:
        """Write that number."""
        self._gate[0] = self._held

    def free_bytes(self) -> int:
        """Return the card's free memory."""
        return int(cuda.current_context().get_memory_info().free)

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


class SimulatorDevice(Immediate, CudaDevice):
    """Numba's simulator: every thread is a Python thread, so one small block at a time, on tiny networks."""

    kind = "simulator"
    block = most_block = 32
    busy_blocks = 2
    lane_bits = 1
    wide_sums = False

    def __init__(self) -> None:
        self.name = "numba CUDA simulator"
        self._stream = cuda.stream()
        self._resident = {}

    def get(self, array: Any, count: int | None = None) -> NDArray[Any]:
        """Return a copy of the first ``count`` elements."""
        return array.copy_to_host()[:count]

    def prepare(self, body: Body, block: int | None = None) -> Callable[..., None]:
        """Return a function that runs the body as Python threads, in blocks of the simulator's own small size."""

        def launch(count: int, *arguments: Any) -> None:
            if count > 0:
                _entry(body)[(count + self.block - 1) // self.block, self.block](count, *flatten(arguments))

        return launch

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return a function that runs the kernel as Python threads, in blocks as asked for but small ones."""
        width = block or self.block
        return lambda blocks, *arguments: _whole_entry(kernel.on_card)[blocks, width](*flatten(arguments))

    def free_bytes(self) -> int:
        """Return the memory beyond which simulating makes no sense."""
        return 1 << 30

    def _resident_blocks(self, kernel: Any, arguments: Sequence[Any]) -> int:
        """Return 1: the simulator's grid barrier works within one block."""
        return 1

    def describe(self) -> dict[str, str]:
        """Say that these figures are a simulation's."""
        return {"card": self.name}


def cuda_name_or_trouble() -> tuple[str, str]:
    """Return (the card's name, "") or ("", why CUDA cannot run here, in one line)."""
    if cuda is None:
        return "", WHY_NOT
    try:
        if cuda.is_available():
            name = cuda.get_current_device().name
            return (name.decode() if isinstance(name, bytes) else str(name)), ""
        error = str(cuda.cuda_error() or "")
    except Exception as problem:  # the driver's loader raises many kinds
        error = str(problem)
    return "", "no CUDA device: " + (" ".join(error.split()).strip(" :")[:160] or "no NVIDIA driver was found")
