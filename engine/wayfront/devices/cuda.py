"""NVIDIA cards through CUDA. Each card is a device of its own, with its own context, stream and pinned memory."""

from __future__ import annotations

import atexit
import functools
import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.cuda_launch import CapturedStep, Launcher, address, driver_call
from wayfront.devices.device import (
    BLOCKS_OF_ONE,
    Ability,
    Body,
    CardKernel,
    Check,
    DeviceInfo,
    InBlocks,
    LaunchFacts,
    Stamps,
    no_check,
)
from wayfront.devices.entries import flatten, make_entry
from wayfront.devices.faults import asked_to_simulate, driver_is_missing, explained, why_not_installed
from wayfront.safe.errors import DeviceError, DeviceLostError
from wayfront.timing.harness import nvidia_driver_version

PREFIX = "cuda"

BLOCK = 256
"""Threads of a block: enough to hide latency, few enough that a small frontier still spreads over the card."""

LAUNCHES = LaunchFacts(BLOCK, most_block=1024, lane_bits=3, warp_bits=5)
"""Of 1, 2, 4 and 8 threads a node, 8 were fastest on an H200, more than twice as fast as 1: hence 3 bits."""

PINNED_BYTES = 1 << 16
"""Reads up to this size go through one pinned buffer and straight to the driver, which halves their latency."""


def describe(device_id: str) -> DeviceInfo:
    """Return what a card is called and can do; ``cuda`` is ``cuda:0``."""
    index = device_id.partition(":")[2] or "0"
    label = "GPU" if index == "0" else f"GPU {index}"
    abilities = Ability.KERNELS | Ability.BLOCKS | Ability.GRID_BARRIER
    return DeviceInfo(f"{PREFIX}:{index}", label, "card", abilities, "near-far-resident", "CUDA", launches=LAUNCHES)


def find() -> tuple[DeviceInfo, ...]:
    """Return every card; where there is none, ``cuda:0`` with the reason."""
    first = describe(PREFIX)
    try:
        names, why_not = _card_names(), ""
    except Exception as error:  # the driver's loader raises many kinds
        names, why_not = [], _no_card(str(error))
    if not names:
        return (replace(first, why_not=why_not or _no_card("")),)
    return tuple(
        replace(describe(f"{PREFIX}:{number}"), name=name, available=True) for number, name in enumerate(names)
    )


def _card_names() -> list[str]:
    """Return the cards' names. Raises any exception that says why there are none."""
    if missing := why_not_installed():
        raise DeviceError(missing)
    if driver_is_missing() and not asked_to_simulate():
        raise DeviceError("no NVIDIA driver was found")
    from wayfront.devices.cuda_support import SIMULATING, WHY_NOT, cuda

    if SIMULATING:
        raise DeviceError("this process simulates CUDA")
    if cuda is None:
        raise DeviceError(WHY_NOT)
    if not cuda.is_available():
        raise DeviceError(str(cuda.cuda_error() or ""))
    names = [card.name for card in cuda.gpus]
    return [name.decode() if isinstance(name, bytes) else str(name) for name in names]


def _no_card(error: str) -> str:
    return "no CUDA device: " + (" ".join(error.split()).strip(" :")[:160] or "no NVIDIA driver was found")


def open(info: DeviceInfo, _threads: int) -> CudaDevice:  # noqa: A001 - every device's file has this function
    """Return a card, ready to be used from any thread."""
    with explained(info.id, info.name):
        return CudaDevice(info)


def prepare_process() -> None:
    """Do nothing: a card needs no preparation."""


@functools.cache
def kernel_entry(body: Body) -> Any:
    """Return the CUDA kernel that calls a body for each of its threads below a count."""
    from wayfront.devices.compiling import keep_compiled
    from wayfront.devices.cuda_support import cuda, cuda_function, cuda_kernel

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
    return keep_compiled(cuda_kernel(entry), body)


@functools.cache
def whole_entry(kernel: Callable[..., None], registers: int = 0) -> Any:
    """Return a function that finds out by itself which thread it is as a CUDA kernel, of at most so many registers."""
    from wayfront.devices.compiling import keep_compiled
    from wayfront.devices.cuda_support import cuda_function, cuda_kernel

    entry = make_entry(kernel, "kernel", compiled_body=cuda_function(kernel))
    return keep_compiled(cuda_kernel(entry, registers), kernel, registers)


_streams = itertools.count()
_thread = threading.local()
"""``_thread.device`` is the device whose context was last made current in this thread."""


class CudaDevice(InBlocks):
    """One CUDA card. Launches go to one stream, so they run in the order they were made, of one search at a time.

    Several threads may use several cards. What a thread does on a card is done in the card's primary context, which is
    made current first: always where memory is allocated or a kernel prepared, and for launches and reads where the
    thread used another of our cards last.
    """

    asynchronous = True
    wide_sums = True
    compiles = True

    def __init__(self, info: DeviceInfo) -> None:
        super().__init__(info, LAUNCHES)
        from wayfront.devices.cuda_support import cuda

        self.memory: str = f"{info.id}, stream {next(_streams)}"
        self._cuda = cuda
        card = cuda.gpus[int(info.id.partition(":")[2])]
        self._context = card.get_primary_context()
        self.busy_blocks: int = BLOCKS_OF_ONE * int(card.MULTIPROCESSOR_COUNT)
        self.shared_bytes: int = int(card.MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)
        self._make_current()
        self._stream = cuda.stream()
        self._resident: dict[Any, int] = {}
        self._gate: NDArray[np.uint32] = cuda.pinned_array(1, np.uint32)
        self._gate[0] = self._held = 0
        self._pinned: NDArray[np.uint8] = cuda.pinned_array(PINNED_BYTES, np.uint8)
        self._deferred = ExitStack()
        atexit.register(self._keep_all)

    @contextmanager
    def reserve(self, cancel: threading.Event | None) -> Iterator[None]:
        """Keep other threads waiting, and explain the card's faults."""
        with super().reserve(cancel):
            if self.why_unusable:
                raise DeviceLostError(self.why_unusable, self.id)
            with explained(self.id, self.name, self._give_up):
                yield

    def _give_up(self, why: str) -> None:
        """Never touch the card again: freeing what is on it would fail too, at any time until the process has ended."""
        self.why_unusable = why
        self._keep_all()

    def _keep_all(self) -> None:
        """Leave freeing and unloading to the driver, from now on.

        At exit numba unloads a kernel once for each card, though all share one copy: with two cards that freed memory
        twice and ended the process with an abort. No call of the driver is needed for this.
        """
        self._deferred.enter_context(self._context.defer_cleanup())

    def _make_current(self) -> None:
        """Make the card's context current in this thread, whatever was current before."""
        from cuda.bindings import driver

        driver_call(driver.cuCtxSetCurrent, int(self._context.handle))
        self._context.prepare_for_use()
        _thread.device = self

    def enter(self) -> None:
        """Make the card's context current in this thread if another of our cards was used last."""
        if getattr(_thread, "device", None) is not self:
            self._make_current()

    def put(self, array: NDArray[Any]) -> Any:
        """Copy an array to the card."""
        self._make_current()
        return self._cuda.to_device(np.ascontiguousarray(array), stream=self._stream)

    def empty(self, size: int, dtype: DTypeLike) -> Any:
        """Return uninitialised memory on the card."""
        self._make_current()
        return self._cuda.device_array(max(size, 1), dtype)

    def get(self, array: Any, count: int | None = None) -> NDArray[Any]:
        """Copy the first ``count`` elements back."""
        self.enter()
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

    def reader(self, size: int, dtype: DTypeLike) -> PinnedReader:
        """Return what copies through a stream of its own into pinned memory."""
        self._make_current()
        return PinnedReader(self, self._stream, size, dtype)

    def _copy_back(self, array: Any, width: int) -> None:
        """Copy the first bytes of an array into the pinned buffer and wait for them."""
        from cuda.bindings import driver

        stream = int(self._stream.handle)
        driver_call(driver.cuMemcpyDtoHAsync, self._pinned.ctypes.data, address(array), width, stream)
        driver_call(driver.cuStreamSynchronize, stream)

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return a launcher of the body over a grid of as many threads as it is asked for."""
        self._make_current()
        return Launcher(kernel_entry(body), block or self.block, self._stream, self.enter)

    def in_blocks(self, on_card: Callable[..., None], block: int | None) -> Callable[..., None]:
        """Return a launcher of the kernel over as many blocks as it is asked for."""
        self._make_current()
        return Launcher(whole_entry(on_card), block or self.block, self._stream, self.enter).launch

    def prepare_card(self, kernel: CardKernel[...], block: int, shared_bytes: int) -> Callable[..., None]:
        """Return a launcher of the kernel with so much shared memory a block."""
        self._make_current()
        entry = whole_entry(kernel.on_card, kernel.registers)
        return Launcher(entry, block, self._stream, self.enter, shared_bytes, together=kernel.together).launch

    def record(self, launches: Callable[[], None]) -> Callable[[], None]:
        """Return the launches captured as a graph."""
        self._make_current()
        return CapturedStep(launches, self._stream, self.enter)

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Run a cooperative kernel over all threads that fit on the card at once."""
        self._make_current()
        entry, elements = whole_entry(kernel), flatten(arguments)
        entry[self._resident_blocks(entry, elements), self.block, self._stream](*elements)

    def _resident_blocks(self, kernel: Any, arguments: Sequence[Any]) -> int:
        if kernel not in self._resident:
            compiled = kernel.compile(tuple(kernel.typeof_pyval(a) for a in arguments))
            self._resident[kernel] = int(compiled.max_cooperative_grid_blocks(self.block))
        return self._resident[kernel]

    def synchronize(self) -> None:
        """Wait for the stream."""
        self.enter()
        self._stream.synchronize()

    def stamps(self) -> Stamps:
        """Return a clock whose times are noted by a kernel in the stream."""
        from wayfront.devices.clocks import KernelStamps  # imports numba, too early for the simulator

        return KernelStamps(self)

    def hold(self) -> None:
        """Make the stream wait until a number in pinned memory is as high as one not used before."""
        from cuda.bindings import driver

        self.enter()
        self._held += 1
        driver_call(driver.cuStreamWaitValue32, int(self._stream.handle), self._gate.ctypes.data, self._held, 0)

    def release(self) -> None:
        """Write that number."""
        self._gate[0] = self._held

    def free_bytes(self) -> int:
        """Return the card's free memory, with that of arrays which nothing refers to any more."""
        self._make_current()
        self._context.memory_manager.deallocations.clear()
        return int(self._cuda.current_context().get_memory_info().free)

    def describe(self) -> dict[str, str]:
        """Name the card, its driver and the CUDA version the driver speaks."""
        major, minor = self._cuda.cudadrv.driver.driver.get_version()
        return {"card": self.name, "driver": nvidia_driver_version(), "driver CUDA": f"{major}.{minor}"}


class PinnedReader:
    """Copies arrays of a card into pinned memory, in a stream of its own that waits for what was launched before."""

    def __init__(self, device: CudaDevice, stream: Any, size: int, dtype: DTypeLike) -> None:
        from wayfront.devices.cuda_support import cuda

        self._device, self._launched = device, stream
        self._stream, self._event = cuda.stream(), cuda.event(timing=False)
        self._pinned: NDArray[Any] = cuda.pinned_array(max(size, 1), dtype)
        self._count = 0

    def start(self, array: Any, count: int) -> None:
        """Copy the first elements once all that was launched before is done."""
        from cuda.bindings import driver

        self._device.enter()
        self._event.record(self._launched)
        self._event.wait(self._stream)
        self._count = count
        width, stream = count * self._pinned.itemsize, int(self._stream.handle)
        driver_call(driver.cuMemcpyDtoHAsync, self._pinned.ctypes.data, address(array), width, stream)

    def finish(self) -> NDArray[Any]:
        """Wait for the copy, and return it."""
        self._device.enter()
        self._stream.synchronize()
        return self._pinned[: self._count]
