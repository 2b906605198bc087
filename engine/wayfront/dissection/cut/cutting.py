"""Cut a network into cells: cut pieces until all are small, number what was found, and refuse what is no help.

Several threads cut: the largest piece that waits is cut next. A large piece is cut alone and its sides wait for any
thread. A small one stays in its thread with all that it falls into, level by level. The order in which threads finish
does not show in the cells.

Networks whose separators are so large that dissection is no help (dense, random and very large grids) are refused.
Eliminating s separator nodes with a border nodes takes s (s + a)² additions, and all entries take memory. Separators
are known while a network is cut, borders only afterwards: hopeless networks are refused after a few cuts.
"""

from __future__ import annotations

import functools
import heapq
import math
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event, Lock, get_ident
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.cut.flow import FlowCutter
from wayfront.dissection.cut.numbering import complete, number
from wayfront.dissection.cut.pieces import NO_PIECES, Pieces, cores, distribute, select, side_sizes, split, whole
from wayfront.dissection.shape import LEAF_NODES, Dissection, Int32Array
from wayfront.formats.streams import ProgressCallback
from wayfront.network.road_network import RoadNetwork
from wayfront.network.small_graphs import tiny_network
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import available_bytes
from wayfront.timing.harness import usable_cores

COORDINATES = "coordinates"
"""How cuts are made: by flows along directions of the map, and of the shape."""

COMPILING = "compiling"
"""The stage before the first cut of a process."""

LARGE = 5_000
"""Nodes for each thread: a smaller network takes milliseconds, of which threads would take more."""
LONG_S = 60.0
"""Cuts that are expected to take longer say so."""


def dissect(
    network: RoadNetwork,
    *,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> Dissection:
    """Cut a network into cells and return them; ``dissection_of`` keeps them too.

    ``threads`` cuts are made at a time, one a core by default; the cells are the same with any number. ``progress`` is
    called with a stage, which says how long a large network will take, and the fraction done; the first cut of a
    process says ``COMPILING`` before, which is not part of its time.

    Raises ``NetworkError`` where separators are too large for dissection, and ``SearchCancelled`` soon after ``cancel``
    is set.
    """
    if progress is not None and not _compile.cache_info().currsize:
        progress(COMPILING, -1.0)
    _compile()
    begin, begin_own = time.perf_counter(), time.thread_time()
    graph = whole(network.offsets, network.targets)
    count = max(1, min(usable_cores() if threads is None else threads, 1 + network.node_count // LARGE))
    seconds = expected_seconds(network.node_count, count)
    stage = f"cutting, about {seconds / 60:,.0f} min" if seconds > LONG_S else "cutting"

    def report(fraction: float) -> None:
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cutting was cancelled")
        if progress is not None:
            progress(stage, fraction)

    recursion = _cut(graph, network, count, report)
    numbered = number(graph, recursion.parent, recursion.cell_of_node)
    took_s = time.perf_counter() - begin
    if count == 1:
        # A thread that cuts beside a window waits for others that run Python: a cut of 0.7 s took 20 while those
        # compiled. What it took of the processor is what it takes where nothing else runs.
        took_s = min(took_s, time.thread_time() - begin_own + recursion.processor_s)
    cells = complete(network, *numbered, COORDINATES, 1e3 * took_s)
    require_small_fronts(cells, network.name)
    report(1.0)
    return cells


def _cut(graph: Pieces, network: RoadNetwork, threads: int, report: Callable[[float], None]) -> Recursion:
    recursion = Recursion(
        graph, SeparatorLimit(network.name), FlowCutter(network.coordinates, threads / max(network.node_count, 1))
    )
    recursion.run(threads, report)
    return recursion


@functools.cache
def _compile() -> None:
    """Cut a tiny network, so that the time of the first cut is not that of compiling."""
    ring = tiny_network(zeros=False)
    graph = whole(ring.offsets, ring.targets)
    recursion = _cut(graph, ring, 1, lambda _done: None)
    FlowCutter(ring.coordinates, 0.0).cut(graph, lambda _done: None)
    complete(ring, *number(graph, recursion.parent, recursion.cell_of_node), COORDINATES, 0.0)


_ALONE = 20_000
"""Nodes of a piece that is cut alone, and whose sides may be cut by other threads."""
SHARED = 3
"""Threads that are worth using for one piece: it has six directions, but they do not take equally long."""
_LOOK_S = 0.05
_SECONDS_A_NODE, _MEASURED = 3e-6, 264_346
"""What a node takes on each level, on one core, and in pieces of up to how many nodes: flows through larger ones are
sent along more lengths of paths, and their arrays are in no cache."""


class Recursion:
    """The cells found so far, and what cutting the rest takes.

    ``cell_of_node`` int32 [n] and ``parent`` are those of a cut that is finished once ``run`` returns.
    """

    def __init__(self, graph: Pieces, limit: SeparatorLimit, cutter: FlowCutter) -> None:
        self.cell_of_node: Int32Array = np.zeros(len(graph.nodes), np.int32)
        self._parents = [np.array([-1], np.int32)]
        self._cell_count = 1
        self._graph, self._limit, self._cutter = graph, limit, cutter
        self._lock = Lock()
        self._stopped = False
        self.processor_s: float = 0.0
        """What the threads that cut took of the processor, without what they waited for others."""
        self._all = self._rest = effort(graph)
        self._begun: dict[int, float] = {}  # by thread: of a large piece that is being cut, what of its effort is done

    @property
    def parent(self) -> Int32Array:
        """The parent of each cell, int32 [c], parents first."""
        return np.concatenate(self._parents)

    def run(self, count: int, report: Callable[[float], None]) -> None:
        """Cut all pieces, in ``count`` threads; ``report`` gets the fraction done, and may raise to stop."""
        waiting, cutting = [(-len(self._graph.nodes), 0, self._graph)], set[Future[list[Pieces]]]()
        done = 0.0
        with ThreadPoolExecutor(count, "wayfront cut") as pool:
            try:
                while waiting or cutting:
                    while waiting and len(cutting) < count:
                        cutting.add(pool.submit(self._cut_down, heapq.heappop(waiting)[2]))
                    done = max(done, self._done())
                    report(done)
                    ended, cutting = wait(cutting, _LOOK_S, FIRST_COMPLETED)
                    for piece in (piece for future in ended for piece in future.result()):
                        heapq.heappush(waiting, (-len(piece.nodes), int(piece.cells[0]), piece))
            except BaseException:
                self._stopped = True
                self._cutter.stop()
                raise

    def _done(self) -> float:
        with self._lock:
            return 1.0 - (self._rest - sum(self._begun.values())) / self._all if self._all else 1.0

    def _cut_down(self, pieces: Pieces) -> list[Pieces]:
        """Cut pieces, and their sides if those are small; return the larger ones, which wait for any thread."""
        begun_s = time.thread_time()
        try:
            while len(pieces) and not self._stopped:
                alone = len(pieces.nodes) > _ALONE
                pieces = self._cut_level(pieces)
                if alone:
                    return [pieces.alone(index) for index in range(len(pieces))]
            return []
        finally:
            with self._lock:
                self.processor_s += time.thread_time() - begun_s

    def _cut_level(self, pieces: Pieces) -> Pieces:
        """Cut pieces once, note their cells, and return the sides."""
        before = effort(pieces)
        self.cell_of_node[pieces.nodes] = np.repeat(pieces.cells, np.diff(pieces.offsets))
        large = np.diff(pieces.offsets) > LEAF_NODES
        if not large.any():
            with self._lock:
                self._rest -= before
            return NO_PIECES
        if not large.all():
            pieces = select(pieces, large)
        core, labels = cores(pieces)
        me, level = get_ident(), float(len(core.nodes))  # sides of equal size need a level less for each node

        def report(fraction: float) -> None:
            with self._lock:
                self._begun[me] = fraction * level

        cut = self._cutter.cut(core, report if len(pieces.nodes) > _ALONE else None)
        labels = distribute(pieces, labels, cut)
        sizes = side_sizes(pieces.offsets, labels)
        self._limit.check(np.diff(pieces.offsets) - sizes.reshape(-1, 2).sum(axis=1))
        sides = split(pieces, labels, self._new_cells(pieces, sizes))
        with self._lock:
            self._rest -= before - effort(sides)
            self._begun.pop(me, None)
        return sides

    def _new_cells(self, pieces: Pieces, sizes: NDArray[np.int64]) -> Int32Array:
        """Return the cells of all sides, int32 [2 k], −1 for those without nodes."""
        cells = np.full(2 * len(pieces), -1, np.int32)
        there = sizes > 0
        with self._lock:
            cells[there] = self._cell_count + np.arange(np.count_nonzero(there), dtype=np.int32)
            self._parents.append(np.repeat(pieces.cells, 2)[there])
            self._cell_count += len(self._parents[-1])
        return cells


def effort(pieces: Pieces) -> float:
    """Return what it takes to cut pieces down, in nodes times levels; sides never take more than their piece."""
    sizes = np.diff(pieces.offsets)
    return float((sizes * np.log2(np.maximum(sizes / LEAF_NODES, 1.0))).sum())


def expected_seconds(node_count: int, threads: int) -> float:
    """Return about how long cutting a road network takes: a piece is shared by at most ``SHARED`` threads."""
    seconds, size = 0.0, float(node_count)
    while size > LEAF_NODES:
        pieces = node_count / size
        at_once = min(threads, pieces * max(1, min(SHARED, threads // math.ceil(pieces))))
        seconds += _SECONDS_A_NODE * max(1.0, size / _MEASURED) ** 0.4 * node_count / max(1.0, at_once)
        size /= 2.0
    return seconds


MOST_ADDITIONS = 3e11
"""About two minutes on one core with explicit vectors. New York takes 1.7e8, a grid of a million nodes 1e11."""
_ADDITIONS_A_SECOND = 2.5e9
_ENTRY_BYTES = 4


class SeparatorLimit:
    """Adds up what separators cost at the least, and refuses when it becomes too much; any thread may ask."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._additions = 0.0
        self._largest = 0
        self._lock = Lock()

    def check(self, separators: NDArray[np.int64]) -> None:
        """Add separators of these sizes. Raises ``NetworkError`` when together they are too large."""
        if not len(separators):
            return
        with self._lock:
            self._additions += float((separators.astype(np.float64) ** 3).sum())
            self._largest = max(self._largest, int(separators.max()))
            if self._additions > MOST_ADDITIONS:
                raise _refusal(self._name, self._largest, self._additions, at_least=True)


def additions(cells: Dissection) -> float:
    """Return how many additions customising takes."""
    own = np.diff(cells.offsets).astype(np.float64)
    return float((own * cells.front_sizes.astype(np.float64) ** 2).sum())


def matrix_bytes(cells: Dissection) -> int:
    """Return about how many bytes a customised dissection takes: rows of inner cells both ways, of leaves one way."""
    own, border = np.diff(cells.offsets).astype(np.int64), np.diff(cells.border_offsets)
    inner = ~cells.is_leaf
    entries = int((own * border).sum() + (own * (own + border))[inner].sum())
    return _ENTRY_BYTES * (entries + 2 * int(cells.front_sizes.max()) ** 2)


def require_small_fronts(cells: Dissection, name: str) -> None:
    """Raise ``NetworkError`` where customising a cut takes too long, or more memory than is free."""
    needed, size = additions(cells), matrix_bytes(cells)
    if needed > MOST_ADDITIONS or size > available_bytes():
        raise _refusal(name, int(cells.front_sizes.max()), needed, size)


def _refusal(name: str, largest: int, needed: float, size: Any = None, *, at_least: bool = False) -> NetworkError:
    minutes = needed / _ADDITIONS_A_SECOND / 60
    memory = "" if size is None else f" and {size / 1e9:,.1f} GB of memory"
    return NetworkError(
        f"{name}: it does not fall apart along few nodes (up to {largest:,} at a time), so customising a dissection "
        f"would take {'more than' if at_least else 'about'} {minutes:,.0f} min{memory}: take another algorithm, for "
        "instance near-far"
    )
