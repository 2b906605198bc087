"""The processor: a body runs in a compiled loop that holds no interpreter lock."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import BlockKernel, Body, Immediate
from wayfront.devices.entries import make_entry, make_launch
from wayfront.errors import DeviceError
from wayfront.timing.machine import processor_name

SMALLEST_SHARE = 4096
"""Below this many threads of work for each core, handing out costs more than it saves."""


@functools.cache
def _loop(body: Body) -> Any:
    """Compile a body and the loop that calls it, a function of (first index, end, *elements of the arguments).

    Bodies allocate nothing. Without ``_nrt=False`` numba counts references of every array at every call of the body:
    60 ns for each node, a hundred times what an idle node should cost. Without ``forceinline`` the compiler may call
    the body, and handing over its arrays costs 20 ns: on one machine relax/update took 8 s on New York in place of 2.
    """
    opening = "    for i in range(begin, end):\n        "
    compiled = njit(_nrt=False, forceinline=True)(body)
    entry = make_entry(body, "loop", compiled_body=compiled, leading=("begin", "end"), opening=opening, given=("i",))
    return njit(nogil=True, cache=True, _nrt=False)(entry)


@functools.cache
def _block_loop(kernel: BlockKernel[...]) -> Any:
    compiled = njit(_nrt=False, forceinline=True)(kernel.on_processor)
    return njit(nogil=True, cache=True, _nrt=False)(make_entry(kernel.on_processor, "blocks", compiled_body=compiled))


class CpuDevice(Immediate):
    """Runs bodies on ``threads`` cores, one by default: barriers between many are dear when another program runs."""

    kind = "cpu"
    lane_bits = 0
    block = 256
    most_block = 1024
    busy_blocks = 1
    wide_sums = True

    def __init__(self, threads: int = 1) -> None:
        self.name = processor_name()
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, "wayfront-cpu") if threads > 1 else None

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the array itself: bodies read it where it lies."""
        return array

    def empty(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return uninitialised memory."""
        return np.empty(size, dtype)

    def get(self, array: NDArray[Any], count: int | None = None) -> NDArray[Any]:
        """Return a copy of the first ``count`` elements."""
        return array[:count].copy()

    def prepare(self, body: Body, block: int | None = None) -> Callable[..., None]:
        """Return the body's compiled loop; there are no blocks here."""
        if self._pool is None:
            return make_launch(body, _loop(body), "0, first", given=1)
        run = functools.partial(self._run_shared, _loop(body), self._pool)
        return make_launch(body, run, "first", given=1)

    def _run_shared(self, loop: Any, pool: ThreadPoolExecutor, count: int, *arguments: Any) -> None:
        shares = min(self.threads, count // SMALLEST_SHARE)
        if shares < 2:
            loop(0, count, *arguments)
            return
        bounds = [count * share // shares for share in range(shares + 1)]
        parts = [pool.submit(loop, bounds[s], bounds[s + 1], *arguments) for s in range(shares)]
        for part in parts:
            part.result()

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return the kernel's form for processors, which takes the steps of one block after the other."""
        loop, width = _block_loop(kernel), block or self.block
        return make_launch(kernel.on_processor, loop, "first, width", given=2, width=width)

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Refuse: a resident search needs a card."""
        raise DeviceError("a resident search needs CUDA (or its simulator); choose a stepped algorithm for the CPU")

    def synchronize(self) -> None:
        """Return at once: launches are done when they return."""

    def free_bytes(self) -> int:
        """Return the memory that the system could give now; where it does not tell, all that the machine has."""
        known = os.sysconf_names if hasattr(os, "sysconf_names") else {}
        pages = next((name for name in ("SC_AVPHYS_PAGES", "SC_PHYS_PAGES") if name in known), None)
        return 1 << 62 if pages is None else os.sysconf(pages) * os.sysconf("SC_PAGE_SIZE")

    def close(self) -> None:
        """End the threads; the device is not used any more."""
        if self._pool is not None:
            self._pool.shutdown()

    def describe(self) -> dict[str, str]:
        """Name the processor and the threads used."""
        return {"processor": self.name, "threads": str(self.threads)}
