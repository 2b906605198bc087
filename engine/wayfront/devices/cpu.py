"""The CPU: a body runs in a compiled loop that does not hold the interpreter's lock, on one core or several.

Other people's bodies run first on the CPU with every index checked, ``CheckedCpu``. Compiled code that reads or writes
beyond an array does not fail there: it takes other memory for it, and the process ends, the window with it, or goes on
with wrong numbers. Looking at every index costs time, so searches are not timed on that one. Where a body fails, the
launch is repeated in Python, which knows the line and the index.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.device import (
    Ability,
    BlockKernel,
    Body,
    CardKernel,
    Check,
    DeviceInfo,
    Immediate,
    TileKernel,
    no_check,
)
from wayfront.devices.entries import make_entry, make_launch
from wayfront.devices.faults import memory_explained
from wayfront.safe.errors import DeviceError
from wayfront.safe.memory import available_bytes
from wayfront.timing.harness import processor_name, usable_cores

PREFIX = "cpu"

SMALLEST_SHARE = 4096
"""Launches with fewer threads than this for each core are not divided: that would cost more than it saves."""

SLICE = 1 << 16
"""Indices that a core takes in one go, some milliseconds: between two slices of a launch it can be cancelled, and
Python runs what Ctrl-C asks for."""


def describe(_device_id: str) -> DeviceInfo:
    """Return what the CPU is called and can do."""
    abilities = Ability.HOST_LOOPS | Ability.KERNELS
    return DeviceInfo(
        PREFIX, "CPU", "processor", abilities, "dijkstra", processor_name(), available=True, threads=usable_cores()
    )


def find() -> tuple[DeviceInfo, ...]:
    """Return the machine's CPU."""
    return (describe(PREFIX),)


def open(info: DeviceInfo, threads: int) -> CpuDevice:  # noqa: A001 - every device's file has this function
    """Return the CPU, to be used on so many cores."""
    return CpuDevice(info, threads)


def prepare_process() -> None:
    """Do nothing: the CPU is always there."""


def _loop(body: Body, shared: bool) -> Any:
    """Return the loop that calls a body, a function of (first index, end, *elements of the arguments).

    Without atomic operations one form suits both a loop that is alone and one beside others.
    """
    from wayfront.devices.atomics import has_atomic_operations

    return _compiled_loop(body, shared and has_atomic_operations(body))


@functools.cache
def _compiled_loop(body: Body, shared: bool) -> Any:
    """Compile a body and the loop that calls it.

    A loop that is the only one at work needs no atomic operations, which are several times as expensive as plain
    ones. The two forms have different names, because numba's cache on disk finds a function by its name.

    Bodies allocate nothing. Without ``_nrt=False`` numba counts references of every array at every call of the body:
    60 ns for each node, a hundred times what an idle node should cost. Without ``forceinline`` the compiler may call
    the body, and handing over its arrays costs 20 ns: on one machine relax/update took 8 s on New York in place of 2.
    """
    from wayfront.devices.atomics import with_plain_operations
    from wayfront.devices.compiling import inlined

    own = body if shared else with_plain_operations(body)
    return _loop_over(body, "shared_loop" if shared else "own_loop", inlined(own))


def _loop_over(body: Body, suffix: str, compiled_body: Any) -> Any:
    """Compile the loop that calls a compiled body for a range of indices."""
    from wayfront.devices.compiling import loop_without_allocation

    opening = "    for i in range(begin, end):\n        "
    entry = make_entry(
        body, suffix, compiled_body=compiled_body, leading=("begin", "end"), opening=opening, given=("i",)
    )
    return loop_without_allocation(entry)


@functools.cache
def _block_loop(kernel: BlockKernel[...]) -> Any:
    from wayfront.devices.compiling import inlined, loop_without_allocation

    compiled = inlined(kernel.on_processor)
    return loop_without_allocation(make_entry(kernel.on_processor, "blocks", compiled_body=compiled))


def _run_in_slices(loop: Any, check: Check, count: int, *arguments: Any) -> None:
    for begin in range(0, count, SLICE):
        check()
        loop(begin, min(begin + SLICE, count), *arguments)


CACHE_LINE = 64
"""Bytes that a processor reads and writes together; also those of its widest vectors."""


def aligned_empty(size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an uninitialised array that begins with a cache line, so that none of its vectors lies across two."""
    itemsize = np.dtype(dtype).itemsize
    memory = np.empty(size + CACHE_LINE // itemsize, dtype)
    skipped = -memory.ctypes.data % CACHE_LINE // itemsize
    return memory[skipped : skipped + size]


class CpuDevice(Immediate):
    """Runs bodies on ``threads`` cores.

    One is the default: waiting for several is slow when another program holds one of them.
    """

    lane_bits = warp_bits = 0
    block = 256
    most_block = 1024
    busy_blocks = 1
    shared_bytes = 0
    memory = "host"
    wide_sums = True
    compiles = True
    why_unusable = ""

    def __init__(self, info: DeviceInfo | None = None, threads: int = 1) -> None:
        info = info or describe(PREFIX)
        self.id: str = info.id
        self.name: str = info.name
        self.abilities: Ability = info.abilities
        self.fastest: str = info.fastest
        self.threads = threads
        self.shared_launches: int = 0
        self._pool = ThreadPoolExecutor(threads, "wayfront-cpu") if threads > 1 else None

    def put(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return the array itself, which bodies read where it is."""
        return array

    def empty(self, size: int, dtype: DTypeLike) -> NDArray[Any]:
        """Return uninitialised memory that begins with a cache line."""
        return aligned_empty(size, dtype)

    def get(self, array: NDArray[Any], count: int | None = None) -> NDArray[Any]:
        """Return a copy of the first ``count`` elements."""
        return array[:count].copy()

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return the body's compiled loop, sliced where it is long; there are no blocks here."""
        if self._pool is None:
            loop = _loop(body, shared=False)
            in_slices = functools.partial(_run_in_slices, loop, check)
            return make_launch(body, loop, "0, first", given=1, most=SLICE, beyond=in_slices)
        loop = _loop(body, shared=True)
        shared = functools.partial(self._run_shared, loop, check, self._pool)
        return make_launch(body, loop, "0, first", given=1, most=2 * SMALLEST_SHARE - 1, beyond=shared)

    def _run_shared(self, loop: Any, check: Check, pool: ThreadPoolExecutor, count: int, *arguments: Any) -> None:
        self.shared_launches += 1
        for begin in range(0, count, self.threads * SLICE):
            end = min(begin + self.threads * SLICE, count)
            shares = max(1, min(self.threads, (end - begin) // SMALLEST_SHARE))
            bounds = [begin + (end - begin) * share // shares for share in range(shares + 1)]
            check()
            running = [pool.submit(loop, bounds[s], bounds[s + 1], *arguments) for s in range(shares)]
            for share in running:
                share.result()

    def prepare_shared(
        self, body: Body, share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return the body's compiled loop, of which each core takes ``share`` indices whenever it has time."""
        loop = _loop(body, shared=self._pool is not None)
        in_shares = functools.partial(self._run_in_shares, loop, check, share)
        return make_launch(body, loop, "0, first", given=1, most=0, beyond=in_shares)

    def _run_in_shares(self, loop: Any, check: Check, share: int, count: int, *arguments: Any) -> None:
        def run(begin: int, _core: int) -> None:
            check()
            loop(begin, min(begin + share, count), *arguments)

        self.divide(run, range(0, count, share))

    def divide(self, work: Callable[[int, int], None], tasks: Sequence[int]) -> None:
        """Call ``work(task, core)`` for every task: each core takes the next one whenever it has time.

        ``core`` counts the cores from 0, so that each can have arrays of its own. What ``work`` raises ends the others
        after their present task, and is raised here.
        """
        following, stopped = iter(tasks), threading.Event()
        if self._pool is None or len(tasks) < 2:
            for task in following:
                work(task, 0)
            return

        def take_tasks(core: int) -> None:
            while not stopped.is_set():
                with taking:
                    task = next(following, None)
                if task is None:
                    return
                work(task, core)

        taking = threading.Lock()
        self.shared_launches += 1
        running = [self._pool.submit(take_tasks, core) for core in range(min(self.threads, len(tasks)))]
        try:
            wait(running, return_when=FIRST_EXCEPTION)
        finally:
            stopped.set()  # arrays are let go only once nobody works on them
            wait(running)
        for core in running:
            core.result()

    def prepare_blocks(self, kernel: BlockKernel[...], block: int | None = None) -> Callable[..., None]:
        """Return the kernel's form for processors, which takes the steps of one block after the other, on one core."""
        loop, width = _block_loop(kernel), block or self.block
        return make_launch(kernel.on_processor, loop, "first, width", given=2, width=width)

    def prepare_tiles(
        self, kernel: TileKernel[...], share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return the kernel's form for a core; each core takes ``share`` blocks whenever it has time."""
        return self.prepare_shared(kernel.on_core, share, block, check)

    def prepare_card(self, kernel: CardKernel[...], block: int, shared_bytes: int) -> Callable[..., None]:
        """Refuse: a processor has no blocks."""
        raise DeviceError("a kernel for cards needs CUDA (or its simulator)")

    def launch_resident(self, kernel: Callable[..., None], *arguments: Any) -> None:
        """Refuse: a resident search needs a card."""
        raise DeviceError("a resident search needs CUDA (or its simulator); choose a stepped algorithm for the CPU")

    def synchronize(self) -> None:
        """Return at once: launches are done when they return."""

    def free_bytes(self) -> int:
        """Return how much memory programs can still take without swapping."""
        return available_bytes()

    def reserve(self, cancel: threading.Event | None) -> AbstractContextManager[None]:
        """Return a context in which a lack of memory is explained: searches at once share no memory here."""
        return memory_explained()

    def close(self) -> None:
        """End the threads; the device is not used any more."""
        if self._pool is not None:
            self._pool.shutdown()

    def describe(self) -> dict[str, str]:
        """Name the processor and the number of its cores that are used."""
        return {"processor": self.name, "threads": str(self.threads)}


# ------------------------------------------------------------------------------- the CPU with every index checked

_OWN = "wayfront."


class BodyError(Exception):
    """A body raised what is this exception's cause, in launch number ``launch``."""

    def __init__(self, launch: int) -> None:
        super().__init__(f"launch {launch} failed")
        self.launch = launch


class CheckedCpu(CpuDevice):
    """Runs bodies on one core, and checks the indices of those that are not the program's own.

    These raise ``BodyError``, and are listed in ``bodies``. ``in_python`` is the number of a launch, counted from 1,
    whose body runs as plain Python; it raises what Python raises there.
    """

    def __init__(self, in_python: int = 0) -> None:
        super().__init__()
        self._in_python = in_python
        self._launched = 0
        self.bodies: list[Body] = []

    def prepare(self, body: Body, block: int | None = None, check: Check = no_check) -> Callable[..., None]:
        """Return the body's checked loop."""
        if body.__module__.startswith(_OWN):
            return super().prepare(body, block, check)
        self.bodies.append(body)
        compiled = make_launch(body, _checked_loop(body), "0, first", given=1)

        def launch(count: int, *arguments: Any, **named: Any) -> None:
            self._launched += 1
            if self._launched == self._in_python:
                _run_in_python(body, count, arguments, named)
                return
            try:
                compiled(count, *arguments, **named)
            except (ArithmeticError, AssertionError, LookupError, RuntimeError, ValueError) as failed:
                raise BodyError(self._launched) from failed

        return launch

    def prepare_shared(
        self, body: Body, share: int, block: int | None = None, check: Check = no_check
    ) -> Callable[..., None]:
        """Return what ``prepare`` returns: there is one core."""
        return self.prepare(body, block, check)


def _run_in_python(body: Body, count: int, arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    # Whole numbers overflow without a word in compiled code; division by zero fails there.
    with np.errstate(over="ignore", divide="raise"):
        for i in range(count):
            body(i, *arguments, **named)


@functools.cache
def _checked_loop(body: Body) -> Any:
    return _loop_over(body, "checked_loop", _checked(body))


@functools.cache
def _checked(function: Callable[..., Any]) -> Any:
    """Compile a body, or a function that bodies call, and what it calls in turn, with every index checked."""
    from numba import njit

    from wayfront.devices.atomics import is_callable_in_bodies, with_plain_operations

    copy = with_plain_operations(function)
    for name in set(function.__code__.co_names) & copy.__globals__.keys():
        called = copy.__globals__[name]
        plain = getattr(called, "py_func", None)  # an atomic operation, made plain
        if called is not function and (plain is not None or is_callable_in_bodies(called)):
            copy.__globals__[name] = _checked(plain or called)
    return njit(no_cfunc_wrapper=True, no_cpython_wrapper=True, _nrt=False, boundscheck=True)(copy)
