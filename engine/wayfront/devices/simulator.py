"""Numba's simulator of CUDA: every thread is a Python thread, so one small block at a time, on tiny networks."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.cuda import kernel_entry, whole_entry
from wayfront.devices.device import (
    Ability,
    Body,
    CardKernel,
    Check,
    DeviceInfo,
    Immediate,
    InBlocks,
    LaunchFacts,
    no_check,
)
from wayfront.devices.entries import flatten
from wayfront.devices.faults import SIMULATE, asked_to_simulate, why_not_installed
from wayfront.safe.errors import DeviceError

PREFIX = "simulator"

LAUNCHES = LaunchFacts(32, most_block=32, lane_bits=1, warp_bits=1)


def describe(_device_id: str) -> DeviceInfo:
    """Return what the simulator is called and can do."""
    abilities = Ability.KERNELS | Ability.BLOCKS | Ability.GRID_BARRIER
    facts = PREFIX, "Simulator", "simulator", abilities, "near-far-resident", "numba CUDA simulator"
    return DeviceInfo(*facts, exclusive=True, launches=LAUNCHES)


def find() -> tuple[DeviceInfo, ...]:
    """Return the simulator, available in a process that was started for it."""
    why_not = why_not_installed()
    if asked_to_simulate() and not why_not:
        from wayfront.devices.cuda_support import WHY_NOT

        why_not = WHY_NOT
    elif not why_not:
        why_not = f"set {SIMULATE}=1 before the program starts"
    return (replace(describe(PREFIX), available=not why_not, why_not=why_not),)


def open(info: DeviceInfo, _threads: int) -> SimulatorDevice:  # noqa: A001 - every device's file has this function
    """Return the simulator."""
    return SimulatorDevice(info)


def prepare_process() -> None:
    """Make numba simulate CUDA in this process. Raises ``DeviceError`` if it was imported without that."""
    if not asked_to_simulate():
        if "numba" in sys.modules:
            raise DeviceError("the simulator has to be chosen before anything is compiled in this process")
        os.environ[SIMULATE] = "1"


class SimulatorDevice(InBlocks, Immediate):
    """Runs kernels as Python threads, in blocks of at most 32 threads."""

    busy_blocks = 2
    shared_bytes = 1 << 16
    memory = PREFIX
    compiles = False
    wide_sums = False

    def __init__(self, info: DeviceInfo) -> None:
        super().__init__(info, LAUNCHES)
        from wayfront.devices.cuda_support import cuda

        self._cuda = cuda
        self._stream = cuda.stream()

    def put(self, array: NDArray[Any]) -> Any:
        """Copy an array into simulated memory."""
        return self._cuda.to_device(np.ascontiguousarray(array), stream=self._stream)

    def empty(self, size: int, dtype: DTypeLike) -> Any:
        """Return uninitialised memory."""
        return self._cuda.device_array(max(size, 1), dtype)

    def get(self, array: Any, count: int | None = None) -> NDArray[Any]:
        """Return a copy of the first ``count`` elements."""
        return array.copy_to_host()[:count]

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return a function that runs the body in blocks of the simulator's own small size."""

        def launch(count: int, *arguments: Any) -> None:
            if count > 0:
                kernel_entry(body)[(count + self.block - 1) // self.block, self.block](count, *flatten(arguments))

        return launch

    def in_blocks(self, on_card: Callable[..., None], block: int | None) -> Callable[..., None]:
        """Return a function that runs the kernel in blocks of the size asked for."""
        width = block or self.block
        return lambda blocks, *arguments: whole_entry(on_card)[blocks, width](*flatten(arguments))

    def prepare_card(self, kernel: CardKernel[...], block: int, shared_bytes: int) -> Callable[..., None]:
        """Return a function that runs the kernel with so much shared memory a block."""
        entry = whole_entry(kernel.on_card)
        return lambda blocks, *arguments: entry[blocks, block, self._stream, shared_bytes](*flatten(arguments))

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Run a whole-search kernel in one block: the simulator's grid barrier works within one."""
        whole_entry(kernel)[1, self.block, self._stream](*flatten(arguments))

    def synchronize(self) -> None:
        """Wait for the stream."""
        self._stream.synchronize()

    def free_bytes(self) -> int:
        """Return the memory beyond which simulating makes no sense."""
        return 1 << 30

    def describe(self) -> dict[str, str]:
        """Say that these figures are a simulation's."""
        return {"card": self.name}
