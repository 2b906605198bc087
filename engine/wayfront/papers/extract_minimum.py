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

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Event

import numpy as np
from numpy.typing import NDArray

from wayfront.algorithms.dijkstra.cuda_dijkstra import REDUCING_THREADS
from wayfront.devices import CPU, devices, open_device
from wayfront.devices.device import Ability, Device
from wayfront.errors import CertificateError, OptionError
from wayfront.kernels.observing import fill
from wayfront.kernels.reduction import Nearest, nearest_of_shares
from wayfront.papers import library_minimum, plain_loop, unoptimised_loop
from wayfront.papers.comparison import Cell
from wayfront.papers.description import Contender, Graph, Paper, Table, hardware_of
from wayfront.papers.table_run import Request, TableRun
from wayfront.search.workspace import Workspace
from wayfront.timing.harness import stopwatch

TIMES = 1_000
"""ExtractMins over which the time of one is averaged, as in the paper."""

AT_ONCE = 50
"""How many ExtractMins are sent to a card in one go."""

INFINITY = 2**31 - 1


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to find the minimum: ``many`` finds it so many times, waits for the end, and returns it."""

    many: Callable[[int], int]
    name: str
    check: bool = True


class ExtractMinimumRun(TableRun):
    """The run of the table for one number of distances."""

    def __init__(self, paper: Paper, table: Table, graph: Graph, request: Request, cancel: Event) -> None:
        super().__init__(paper, table, graph, request, cancel)
        self._distances = plain_loop.distances_of(graph.value)
        self._smallest = int(self._distances.min())
        self._cells: list[Cell] = []

    def size(self) -> tuple[int, int]:
        """Return the number of distances; there are no arcs."""
        return self.graph.value, 0

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

    def cells(self) -> tuple[Cell, ...]:
        """Return what was timed."""
        return tuple(self._cells)

    def _time(self, contender: Contender, device_id: str) -> None:
        device = open_device(device_id)
        if contender.algorithm == "blocks":
            way = self._blocks(device, int(contender.options["block"]))
        elif contender.algorithm == "library":
            way = self._library()
        else:
            make = _ON_PROCESSOR[contender.algorithm]
            # The heap takes other entries as it goes, so that its smallest one changes.
            way = _Way(make(self._distances), device.name, check=make is not _heap)
        once = self._checked_once(contender, way)
        times = self._how_often(once)
        runs = []
        for _ in range(self.request.runs):
            runs.append(stopwatch(lambda: way.many(times)) / times)
            if self.cancel.is_set():
                break
        self._add(contender, device_id, way.name, tuple(runs), times)

    def _checked_once(self, contender: Contender, way: _Way) -> float:
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

    def _add(self, contender: Contender, device_id: str, name: str, runs: tuple[float, ...], times: int) -> None:
        published = self.table.published_ms(self.graph, contender, hardware_of(device_id))
        part = f"mean of {times:,}" if times < TIMES else ""
        self._cells.append(
            Cell(
                contender.label, contender.algorithm, contender.options, device_id, name, runs, published, part=part
            )
        )  # fmt: skip

    def _blocks(self, device: Device, block: int) -> _Way:
        """Return the reduction in blocks of so many threads."""
        n = self.graph.value
        work = Workspace(device, block)
        blocks = max(1, min(REDUCING_THREADS, n + block - 1) // block)
        distances, marks = device.put(self._distances), work.array("marks", max(n, blocks), np.int8)
        shares = Nearest(work.array("share distance", blocks, np.int32), work.array("share node", blocks, np.int32))
        nearest = Nearest(work.array("distance", 1, np.int32), work.array("place", 1, np.int32))
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

        return _Way(many, device.name)

    def _library(self) -> _Way:
        """Return a library's minimum. Raises ``OptionError`` where there is none."""
        found = library_minimum.find(self._distances)
        if found is None:
            raise OptionError("neither CuPy nor a card for numba's cuda.reduce is here")
        return _Way(found.many, found.name)


def _repeat(work: Callable[[], None], times: int) -> None:
    for _ in range(times):
        work()


def _unoptimised(distances: NDArray[np.int32]) -> Callable[[int], int]:
    return lambda times: unoptimised_loop.many(distances, times)


def _loop(distances: NDArray[np.int32]) -> Callable[[int], int]:
    changed = distances.copy()
    return lambda times: int(plain_loop.loop(changed, times))


def _heap(distances: NDArray[np.int32]) -> Callable[[int], int]:
    heap = distances.copy()
    plain_loop.make_heap(heap)
    entries = plain_loop.distances_of(TIMES)
    return lambda times: int(plain_loop.replace_smallest(heap, entries[:times]))


_ON_PROCESSOR = {"loop": _unoptimised, "loop, optimised": _loop, "heap": _heap}
