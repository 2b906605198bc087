"""Cut a network into cells: choose how, make the cutters, let the recursion run, and number what it found."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from threading import Event

import numpy as np

from wayfront.dissection.borders import complete
from wayfront.dissection.flow_cut import GO_ON, cut_by_flow, cut_one_by_flow
from wayfront.dissection.kahip_cut import CAREFUL, cut_pieces, is_installed
from wayfront.dissection.kahip_process import KahipError, KahipProcess
from wayfront.dissection.limits import SeparatorLimit, require_small_fronts
from wayfront.dissection.numbering import number
from wayfront.dissection.pieces import Labels, Pieces, select, whole
from wayfront.dissection.recursion import Cutter, Recursion, Tell, expected_seconds
from wayfront.dissection.separator import better_of, separate
from wayfront.dissection.shape import Dissection, Int32Array
from wayfront.errors import NetworkError, OptionError, SearchCancelled
from wayfront.formats.progress import ProgressCallback
from wayfront.network.rehearsal import tiny_network
from wayfront.network.road_network import RoadNetwork
from wayfront.timing.machine import usable_cores

AUTO, KAHIP, COORDINATES = "auto", "kahip", "coordinates"
METHODS = (AUTO, KAHIP, COORDINATES)

COMPILING = "compiling"
"""The stage before the first cut of a process."""

SMALL = 200
"""Pieces of fewer nodes are not given to KaHIP: flows along directions cut them as well, in less time."""
LARGE = CAREFUL[0]
"""Networks of at least so many nodes are cut in processes; a smaller one takes milliseconds for each cut."""
LONG_S = 60.0
"""Cuts that are expected to take longer say so."""


def dissect(
    network: RoadNetwork,
    *,
    method: str = AUTO,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    cancel: Event | None = None,
) -> Dissection:
    """Cut a network into cells and return them; ``dissection_of`` keeps them too.

    ``method`` is "coordinates", "kahip", or "auto" (``choose_method``). ``threads`` cuts are made at a time, one a core
    by default; the cells are the same with any number. ``progress`` is called with a stage, which says how long a large
    network will take, and the fraction done; the first cut of a process says ``COMPILING`` before, which is not part of
    its time.

    Raises ``OptionError`` for another method, ``NetworkError`` where KaHIP is asked for and missing or fails, and where
    separators are too large for dissection, and ``SearchCancelled`` soon after ``cancel`` is set.
    """
    chosen = choose_method(method, network)
    if progress is not None and not _compile.cache_info().currsize:
        progress(COMPILING, -1.0)
    _compile()
    begin, begin_own = time.perf_counter(), time.thread_time()
    graph = whole(network.offsets, network.targets)
    count = max(1, min(usable_cores() if threads is None else threads, 1 + network.node_count // LARGE))
    seconds = expected_seconds(network.node_count, count)
    stage = "cutting by its shape alone, since KaHIP is not installed" if note_on(network) else "cutting"
    if seconds > LONG_S:
        stage += f", about {seconds / 60:,.0f} min"

    def report(fraction: float) -> None:
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("cutting was cancelled")
        if progress is not None:
            progress(stage, fraction)

    try:
        recursion = _cut(graph, network, chosen, count, report)
    except KahipError:
        if method != AUTO:
            raise
        chosen = COORDINATES
        recursion = _cut(graph, network, chosen, count, report)
    numbered = number(graph, recursion.parent, recursion.cell_of_node)
    took_s = time.perf_counter() - begin
    if count == 1 and chosen == COORDINATES:
        # A thread that cuts beside a window waits for others that run Python: a cut of 0.7 s took 20 while those
        # compiled. What it took of the processor is what it takes where nothing else runs.
        took_s = min(took_s, time.thread_time() - begin_own + recursion.processor_s)
    cells = complete(network, *numbered, chosen, 1e3 * took_s)
    require_small_fronts(cells, network.name)
    report(1.0)
    return cells


def _cut(graph: Pieces, network: RoadNetwork, method: str, threads: int, report: Callable[[float], None]) -> Recursion:
    recursion = Recursion(graph, SeparatorLimit(network.name))
    recursion.run([_make_cutter(method, network, threads) for _ in range(threads)], report)
    return recursion


@functools.cache
def _compile() -> None:
    """Cut a tiny network, so that the time of the first cut is not that of compiling."""
    ring = tiny_network(zeros=False)
    graph = whole(ring.offsets, ring.targets)
    recursion = _cut(graph, ring, COORDINATES, 1, lambda _done: None)
    cut_one_by_flow(graph, ring.coordinates, GO_ON, 1, lambda _done: None)
    complete(ring, *number(graph, recursion.parent, recursion.cell_of_node), COORDINATES, 0.0)


def choose_method(method: str, network: RoadNetwork) -> str:
    """Return how a network is cut: "auto" is by coordinates where it has any, else by KaHIP where that is installed.

    Raises ``OptionError`` for a method that does not exist and ``NetworkError`` for one that is not installed.
    """
    if method not in METHODS:
        raise OptionError(f"there is no method {method!r} of cutting; there are: {', '.join(METHODS)}")
    if method == KAHIP and not is_installed():
        raise NetworkError("KaHIP is not installed: install it with 'pip install kahip', or cut by coordinates")
    if method == AUTO:
        return KAHIP if network.coordinates is None and is_installed() else COORDINATES
    return method


def note_on(network: RoadNetwork) -> str:
    """Return a sentence for users where a network is cut less well than it could be, "" elsewhere."""
    if network.coordinates is None and not is_installed():
        return (
            f"{network.name} has no coordinates and KaHIP is not installed, so it is cut by its shape alone: install "
            "KaHIP with 'pip install kahip' for smaller separators"
        )
    return ""


def _make_cutter(method: str, network: RoadNetwork, threads: int) -> Cutter:
    flow = _FlowCutter(network.coordinates, threads / max(network.node_count, 1))
    return _KahipCutter(flow, in_process=network.node_count < LARGE) if method == KAHIP else flow


class _FlowCutter:
    """Cuts along directions of the map, and of the shape; a large piece by as many threads as its nodes are worth."""

    def __init__(self, coordinates: Int32Array | None, threads_a_node: float) -> None:
        self._coordinates, self._threads_a_node = coordinates, threads_a_node
        self._stopped = np.zeros(1, np.bool_)

    def cut(self, pieces: Pieces, tell: Tell | None) -> Labels:
        if len(pieces) == 1 and tell is not None:
            threads = round(self._threads_a_node * len(pieces.nodes))
            return cut_one_by_flow(pieces, self._coordinates, self._stopped, threads, tell)
        return cut_by_flow(pieces, self._coordinates, self._stopped)

    def stop(self) -> None:
        self._stopped[0] = True

    def close(self) -> None:
        """Do nothing: it holds nothing."""


class _KahipCutter:
    """Cuts by flow and, where pieces are large, also by KaHIP, and takes the better.

    KaHIP runs in a process of its own, which starts with the first large piece.
    """

    def __init__(self, flow: _FlowCutter, *, in_process: bool) -> None:
        self._flow = flow
        self._in_process = in_process
        self._process: KahipProcess | None = None
        self._stopped = False

    def cut(self, pieces: Pieces, tell: Tell | None) -> Labels:
        labels = self._flow.cut(pieces, tell)
        large = np.diff(pieces.offsets) >= SMALL
        if not large.any() or self._stopped:
            return labels
        large_ones = select(pieces, large)
        of_large = np.repeat(large, np.diff(pieces.offsets))
        sides = self._cut_large(large_ones)
        labels[of_large] = better_of(large_ones, labels[of_large], separate(large_ones, sides))
        return labels

    def _cut_large(self, pieces: Pieces) -> Labels:
        if self._in_process:
            return cut_pieces(pieces.offsets, pieces.starts, pieces.targets)
        if self._process is None:
            self._process = KahipProcess()
            if self._stopped:
                self._process.kill()
        return self._process.cut(pieces)

    def stop(self) -> None:
        self._stopped = True
        self._flow.stop()
        if self._process is not None:
            self._process.kill()

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
