"""Run paper B's table of ExtractMin: the smallest of n distances, found in five ways, over and over.

- **blocks**: the reduction of ``cuda-dijkstra``, in two launches: each block finds the nearest of its share, then one
  block the nearest of those.
- **library**: the smallest by a library on the card, in the place of Thrust: CuPy's ``argmin``, or where there is no
  CuPy numba's ``cuda.reduce``, which finds the value alone.
- **loop**: a loop over n on the processor, compiled with and without optimisation.
- **heap**: a binary heap that gives its smallest entry and takes another.

All look at the same random distances, and the smallest that each finds is checked.
"""

from __future__ import annotations

import ctypes
import functools
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra_reduction import REDUCING_THREADS
from wayfront.devices import CPU, devices, open_device
from wayfront.devices.device import Ability, Device
from wayfront.devices.workspace import Workspace
from wayfront.kernels.observing import fill
from wayfront.kernels.reduction import Nearest, nearest_of_shares
from wayfront.papers.description import Contender
from wayfront.papers.table_run import TableRun, Task
from wayfront.safe.errors import CertificateError, OptionError
from wayfront.synthetic.portable_random import Draws
from wayfront.timing.harness import stopwatch

TIMES = 1_000
"""ExtractMins over which the time of one is averaged, as in the paper."""

AT_ONCE = 50
"""How many ExtractMins are sent to a card in one go."""

INFINITY = 2**31 - 1


@dataclass(frozen=True, slots=True)
class Way:
    """A way to find the minimum: ``many`` finds it so many times, waits for the end, and returns it."""

    many: Callable[[int], int]
    name: str
    check: bool = True


class ExtractMinimumRun(TableRun):
    """The run of the table for one number of distances."""

    def __init__(self, task: Task) -> None:
        super().__init__(task, (task.graph.value, 0))
        self._distances = distances_of(task.graph.value)
        self._smallest = int(self._distances.min())

    def able(self, contender: Contender) -> list[str] | None:
        """Return the devices that a way suits: a card, or the processor. The simulator would take days."""
        blocks = [info.id for info in devices() if Ability.BLOCKS in info.abilities and not info.exclusive]
        return blocks if contender.algorithm in {"blocks", "library"} else [CPU]

    def measure(self) -> None:
        """Time every way that can run here."""
        for contender, device_id in self.pairs():
            if self.cancel.is_set():
                return
            self.attempt(contender, device_id, self._time)

    def _time(self, contender: Contender, device_id: str) -> None:
        device = open_device(device_id)
        if contender.algorithm == "blocks":
            way = self._blocks(device, int(contender.options["block"]))
        elif contender.algorithm == "library":
            way = library_minimum(self._distances)
        else:
            make = _ON_PROCESSOR[contender.algorithm]
            # The heap takes other entries as it goes, so that its smallest one changes.
            way = Way(make(self._distances), device.name, check=make is not _heap)
        once = self._checked_once(contender, way)
        times = self._how_often(once)
        runs = []
        for _ in range(self.request.runs):
            runs.append(stopwatch(lambda: way.many(times)) / times)
            if self.cancel.is_set():
                break
        part = f"mean of {times:,}" if times < TIMES else ""
        self.timed.append(self.cell(contender, device_id, way.name, tuple(runs), part=part))

    def _checked_once(self, contender: Contender, way: Way) -> float:
        """Find the minimum twice, since the first time compiles; return the seconds of the second."""
        way.many(1)
        begin = time.perf_counter()
        found = way.many(1)
        took = time.perf_counter() - begin
        if way.check and found != self._smallest:
            raise CertificateError(f"{contender.label} finds {found} as the smallest of {self.graph.value:,} distances")
        return took

    def _how_often(self, once_s: float) -> int:
        """Return how many times the minimum is found: as in the paper, fewer where that would take too long."""
        return TIMES if self.request.long else max(1, min(TIMES, int(self.request.seconds / max(once_s, 1e-9))))

    def _blocks(self, device: Device, block: int) -> Way:
        """Return the reduction in blocks of so many threads."""
        n = self.graph.value
        work = Workspace(device, block)
        blocks = max(1, min(REDUCING_THREADS, n + block - 1) // block)
        distances, marks = device.put(self._distances), work.array("marks", max(n, blocks), np.int8)
        shares = Nearest(work.array("share distance", blocks, np.int32), work.array("share node", blocks, np.int32))
        nearest = Nearest(work.array("distance", 1, np.int32), work.array("node", 1, np.int32))
        work.launch(fill, max(n, blocks), marks, 0)

        def extract() -> None:
            work.launch_blocks(nearest_of_shares, blocks, n, INFINITY, distances, marks, shares)
            work.launch_blocks(nearest_of_shares, 1, blocks, INFINITY, shares.distance, marks, nearest)

        extract()
        several = work.record(lambda: _repeat(extract, AT_ONCE))

        def many(times: int) -> int:
            _repeat(several, times // AT_ONCE)
            _repeat(extract, times % AT_ONCE)
            device.synchronize()
            return work.read(nearest.distance, 1)[0]

        return Way(many, device.name)


def _repeat(work: Callable[[], None], times: int) -> None:
    for _ in range(times):
        work()


# ------------------------------------------------------------------------------------------ a library on the card


def library_minimum(distances: NDArray[np.int32]) -> Way:
    """Return CuPy's ``argmin``, or without CuPy numba's ``cuda.reduce``. Raises ``OptionError`` where neither is."""
    found = _cupy(distances) or _numba(distances)
    if found is None:
        raise OptionError("neither CuPy nor a card for numba's cuda.reduce is here")
    return found


def _cupy(distances: NDArray[np.int32]) -> Way | None:
    try:
        cupy: Any = import_module("cupy")
    except ImportError:
        return None
    on_card = cupy.asarray(distances)

    def many(times: int) -> int:
        best: Any = None
        for _ in range(times):
            best = on_card.argmin()
        return int(on_card[best])  # which waits for the card

    return Way(many, f"CuPy {cupy.__version__} argmin")


def _numba(distances: NDArray[np.int32]) -> Way | None:
    from numba import cuda

    if not cuda.is_available():
        return None
    reduce: Any = cuda.reduce(lambda a, b: a if a < b else b)
    on_card, result = cuda.to_device(distances), cuda.device_array(1, np.int32)

    def many(times: int) -> int:
        for _ in range(times):
            reduce(on_card, res=result, init=np.int32(2**31 - 1))
        return int(result.copy_to_host()[0])

    return Way(many, "numba cuda.reduce, the value alone")


# ------------------------------------------------------------------------------------------------ the processor

LARGEST = 2**30


def distances_of(count: int) -> NDArray[np.int32]:
    """Return the random distances that all ways look at, int32 [count]."""
    return Draws(1).integers(1, LARGEST, count).astype(np.int32)


@njit(nogil=True)
def smallest_of(distances: NDArray[Any]) -> tuple[int, int]:
    """Return the smallest distance and the first index that has it."""
    best, at = distances[0], 0
    for i in range(1, len(distances)):
        if distances[i] < best:
            best, at = distances[i], i
    return best, at


@njit(nogil=True)
def optimised_loop(distances: NDArray[Any], times: int) -> int:
    """Find the smallest distance so many times, and return it.

    Each time an entry that is not the smallest one is changed, lest a compiler finds that once is enough.
    """
    best = 0
    for turn in range(times):
        best, at = smallest_of(distances)
        other = turn % len(distances)
        if other != at:
            distances[other] += 1 if turn % 2 == 0 else -1
            if distances[other] <= best:
                distances[other] = best + 1
    return best


@njit(nogil=True)
def make_heap(distances: NDArray[Any]) -> None:
    """Order distances into a binary heap, the smallest first."""
    for hole in range(len(distances) // 2 - 1, -1, -1):
        _sink(distances, hole, distances[hole])


@njit(nogil=True)
def replace_smallest(heap: NDArray[Any], entries: NDArray[Any]) -> int:
    """Take the smallest entry of a heap and put another in, for each of ``entries``; return the last one taken."""
    taken = 0
    for entry in entries:
        taken = heap[0]
        _sink(heap, 0, entry)
    return taken


@njit(nogil=True)
def _sink(heap: NDArray[Any], hole: int, entry: int) -> None:
    while 2 * hole + 1 < len(heap):
        child = 2 * hole + 1
        if child + 1 < len(heap) and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[hole] = heap[child]
        hole = child
    heap[hole] = entry


_CODE = """
define i32 @smallest({i32p} %distances, i64 %count) {{
    %i = alloca i64
    %best = alloca i32
    %first = load i32, {i32p} %distances
    store i32 %first, {i32p} %best
    store i64 1, {i64p} %i
    br label %head
head:
    %now = load i64, {i64p} %i
    %more = icmp slt i64 %now, %count
    br i1 %more, label %body, label %end
body:
    %at = load i64, {i64p} %i
    %place = getelementptr inbounds i32, {i32p} %distances, i64 %at
    %distance = load i32, {i32p} %place
    %least = load i32, {i32p} %best
    %less = icmp slt i32 %distance, %least
    br i1 %less, label %take, label %next
take:
    %again = load i64, {i64p} %i
    %chosen = getelementptr inbounds i32, {i32p} %distances, i64 %again
    %lower = load i32, {i32p} %chosen
    store i32 %lower, {i32p} %best
    br label %next
next:
    %old = load i64, {i64p} %i
    %new = add nsw i64 %old, 1
    store i64 %new, {i64p} %i
    br label %head
end:
    %result = load i32, {i32p} %best
    ret i32 %result
}}

define i32 @many({i32p} %distances, i64 %count, i64 %times) {{
    %turn = alloca i64
    %found = alloca i32
    store i64 0, {i64p} %turn
    br label %head
head:
    %now = load i64, {i64p} %turn
    %more = icmp slt i64 %now, %times
    br i1 %more, label %body, label %end
body:
    %one = call i32 @smallest({i32p} %distances, i64 %count)
    store i32 %one, {i32p} %found
    %old = load i64, {i64p} %turn
    %new = add nsw i64 %old, 1
    store i64 %new, {i64p} %turn
    br label %head
end:
    %result = load i32, {i32p} %found
    ret i32 %result
}}
"""


def unoptimised_loop(distances: NDArray[np.int32], times: int) -> int:
    """Find the smallest distance so many times, as a C compiler does it without optimisation, and return it.

    Every variable is in memory. The loop is written as LLVM's intermediate code, compiled at level 0 by the LLVM that
    comes with numba, so that no C compiler is needed. (numba's own code without optimisation is ten times slower still,
    which no C loop is.)
    """
    function, _ = _compiled()
    return int(function(distances.ctypes.data, len(distances), times))


@functools.cache
def _compiled() -> tuple[Callable[..., int], Any]:
    """Return the compiled function, and the engine whose memory it lies in."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=0)
    engine = llvm.create_mcjit_compiler(_parsed(), machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    return kind(engine.get_function_address("many")), engine


def _parsed() -> Any:
    """Return the parsed code; LLVM writes pointers without their types since version 17, and only so."""
    try:
        return llvm.parse_assembly(_CODE.format(i32p="ptr", i64p="ptr"))
    except RuntimeError:
        return llvm.parse_assembly(_CODE.format(i32p="i32*", i64p="i64*"))


def _unoptimised(distances: NDArray[np.int32]) -> Callable[[int], int]:
    return lambda times: unoptimised_loop(distances, times)


def _loop(distances: NDArray[np.int32]) -> Callable[[int], int]:
    changed = distances.copy()
    return lambda times: int(optimised_loop(changed, times))


def _heap(distances: NDArray[np.int32]) -> Callable[[int], int]:
    heap = distances.copy()
    make_heap(heap)
    entries = distances_of(TIMES)
    return lambda times: int(replace_smallest(heap, entries[:times]))


_ON_PROCESSOR = {"loop": _unoptimised, "loop, optimised": _loop, "heap": _heap}
