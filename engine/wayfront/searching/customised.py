"""Keep a network's dissection customised on a device, so that searches by the same metric share the work.

The engine is kept with the network, customised for one metric with one set of closures at a time: whoever asks for
another has it customised anew.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Ability, Device, DeviceArray
from wayfront.dissection.cut.cutting import expected_seconds
from wayfront.dissection.engine import CLOSED, Engine, FindsAllFigures, MakesForests, finds_figures, make_engine
from wayfront.dissection.shape import Dissection, Figures
from wayfront.dissection.store import dissection_of
from wayfront.kernels.forest import Seeds
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import NetworkError
from wayfront.searching.run import BaseRun, in_memory_of
from wayfront.timing.harness import usable_cores

Found = TypeVar("Found")

AT_ONCE = 32
"""Trees that are made together where an engine makes no forests."""


class Wanted(NamedTuple):
    """What an engine is to be customised for: a metric by its name, closed arcs as bytes, a dtype of distances."""

    metric: str
    closures: bytes
    dtype: np.dtype[Any]

    @classmethod
    def by(cls, run: BaseRun) -> Wanted:
        """Return what a run wants."""
        return cls(run.metric.name, run.closures.tobytes(), run.distance_dtype)


class Customised:
    """The engine of one network on one device; its methods may be called by any thread.

    ``customise_ms`` is the time of the last customising, and ``set_up_ms`` that of making the engine (``set_up``).
    """

    def __init__(self, device: Device, network: RoadNetwork, dissection: Dissection) -> None:
        self.dissection = dissection
        self.customise_ms: float = 0.0
        self.set_up_ms: float = 0.0
        self._device, self._network = device, network
        self._engine: Engine | None = None
        self._dtype: np.dtype[Any] | None = None
        self._ready_for: Wanted | None = None
        self._using = threading.Lock()

    def customise(self, wanted: Wanted, *, spare: int = 0) -> bool:
        """Make ready for what is wanted, if it is not; return whether its dtype is wide enough.

        It has to hold distances that are longer by ``spare``.
        """
        with self._using:
            engine = self._ready(wanted)
            return engine is not None and engine.spare >= spare

    def tree(self, wanted: Wanted, source: int, distances: DeviceArray) -> None:
        """Write the distances from a node (internal number) to all nodes, [n]; ``wanted`` fitted its dtype before."""
        with self._using:
            engine = self._ready(wanted)
            assert engine is not None
            engine.tree(source, distances)

    def forest(self, wanted: Wanted, seeds: Seeds, distances: DeviceArray) -> DeviceArray:
        """Return the distances from seeds to all nodes, [n]; ``wanted`` fitted its dtype before, with their costs.

        They are written to ``distances`` where the engine makes forests.
        """
        with self._using:
            engine = self._ready(wanted)
            assert engine is not None
            return forest_of(self._device, engine, seeds, distances, self._network.node_count, wanted.dtype)

    def trees(
        self, wanted: Wanted, sources: NDArray[np.int32], rows: DeviceArray, *, source_stride: int, node_stride: int
    ) -> None:
        """Write the distances from many nodes, laid out by the strides; ``wanted`` fitted its dtype before."""
        with self._using:
            engine = self._ready(wanted)
            assert engine is not None
            engine.trees(sources, rows, source_stride, node_stride)

    def finds_figures(self, wanted: Wanted) -> bool:
        """Return whether ``figures`` may be called: the device's engine can do without rows."""
        with self._using:
            return finds_figures(self._ready(wanted), self._network)

    def figures(self, wanted: Wanted, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of many nodes; ``wanted`` fitted its dtype before."""
        with self._using:
            engine: Any = self._ready(wanted)
            found: Figures = engine.figures(sources)
            return found

    def shares_trees(self, wanted: Wanted, count: int) -> bool:
        """Return whether ``all_figures`` may be called, and takes less time than the figures of ``count`` trees."""
        with self._using:
            engine: object = self._ready(wanted)
            return isinstance(engine, FindsAllFigures) and engine.shares_trees(count)

    def all_figures(self, wanted: Wanted) -> Generator[float, None, Figures]:
        """Find the figures of the trees of all nodes; see ``FindsAllFigures``. Others may use the engine meanwhile."""
        with self._using:
            engine: Any = self._ready(wanted)
            found: Generator[float, None, Figures] = engine.all_figures()
            return found

    def use(self, wanted: Wanted, what: Callable[[Engine], Found]) -> Found | None:
        """Return what a function makes with the engine, ready for what is wanted; None if that does not fit its dtype.

        Nobody else uses the engine meanwhile.
        """
        with self._device.reserve(None), self._using:
            engine = self._ready(wanted)
            return None if engine is None else what(engine)

    def lend(self, dtype: np.dtype[Any], what: Callable[[Engine], Found]) -> Found:
        """Return what a function makes with the engine, which it may customise for weights of its own.

        Nobody else uses the engine meanwhile.
        """
        with self._device.reserve(None), self._using:
            self._ready_for = None
            return what(self._made(dtype, self._network.metrics[0].weights))

    def _ready(self, wanted: Wanted) -> Engine | None:
        """Return the engine, customised for what is wanted, or None if that does not fit the dtype."""
        if self._engine is not None and self._ready_for == wanted:
            return self._engine
        weights = self._network.metric(wanted.metric).weights.copy()
        weights[np.frombuffer(wanted.closures, np.int64)] = CLOSED
        self._ready_for = None
        engine = self._made(wanted.dtype, weights)
        fits, self.customise_ms = timed_customising(self._device, engine, weights)
        if not fits:
            return None
        self._ready_for = wanted
        return engine

    def _made(self, dtype: np.dtype[Any], weights: NDArray[Any]) -> Engine:
        """Return the engine for a dtype, made if it is not there; ``weights`` are those that it is tried with."""
        if self._engine is None or self._dtype != dtype:
            self._engine = None  # its fronts go before others are made
            self._engine, self.set_up_ms = set_up(self._device, self.dissection, self._network, dtype, weights)
            self._dtype = dtype
        return self._engine


def forest_of(
    device: Device, engine: Engine, seeds: Seeds, distances: DeviceArray, n: int, dtype: np.dtype[Any]
) -> DeviceArray:
    """Return the distances from seeds to all nodes, [n]; an engine that makes forests writes them to ``distances``.

    Others make trees, ``AT_ONCE`` at a time, of which the least distances are kept.
    """
    if isinstance(engine, MakesForests):
        engine.forest(seeds.nodes, seeds.costs.astype(dtype), distances)
        return distances
    infinity = np.iinfo(dtype).max
    least = np.full(n, infinity, dtype)
    rows = device.empty(min(AT_ONCE, len(seeds.nodes)) * n, dtype)
    for first in range(0, len(seeds.nodes), AT_ONCE):
        chosen = slice(first, first + AT_ONCE)
        nodes, costs = seeds.nodes[chosen], seeds.costs[chosen].astype(dtype)
        engine.trees(nodes, rows, n, 1)
        found = device.get(rows, len(nodes) * n).reshape(-1, n)
        far = np.where(found == infinity, infinity, found + np.where(found == infinity, 0, costs[:, None]))
        np.minimum(least, far.min(0), out=least)
    return device.put(least)


def set_up(
    device: Device, dissection: Dissection, network: RoadNetwork, dtype: np.dtype[Any], weights: NDArray[Any]
) -> tuple[Engine, float]:
    """Return an engine and the milliseconds that making it took: its tables, memory, and what is compiled for them.

    On a card the first customising compiles kernels for the shapes of this cut and records their launches, which takes
    ten times as long as customising; so there is one here, for ``weights``, which the time of customising is without.
    """
    begin = time.perf_counter()
    engine = make_engine(device, dissection, network, dtype, threads=device.threads)
    if Ability.HOST_LOOPS not in device.abilities and device.compiles:
        engine.customise(weights)
        device.synchronize()
    return engine, (time.perf_counter() - begin) * 1e3


def timed_customising(device: Device, engine: Engine, weights: NDArray[Any]) -> tuple[bool, float]:
    """Customise an engine; return whether its dtype is wide enough, and the milliseconds that it took."""
    begin = time.perf_counter()
    fits = engine.customise(weights)
    device.synchronize()
    return fits, (time.perf_counter() - begin) * 1e3


def is_prepared(device: Device, network: RoadNetwork | None) -> bool:
    """Return whether the dissection is a device's fastest search: the network's cut is in memory or in the cache."""
    return network is not None and device.compiles and _is_kept(network)


def seconds_to_cut(network: RoadNetwork) -> float:
    """Return about how long cutting a network will take, 0 where its cut is kept."""
    return 0.0 if _is_kept(network) else expected_seconds(network.node_count, usable_cores())


def _is_kept(network: RoadNetwork) -> bool:
    try:
        return dissection_of(network, only_kept=True) is not None
    except NetworkError:  # its fronts are too large for this machine
        return False


def customised_on(
    device: Device,
    network: RoadNetwork,
    progress: Callable[[str, float], None] | None = None,
    cancel: threading.Event | None = None,
) -> Customised:
    """Return the engine of a network on a device, cutting the network if it is not cut yet.

    Raises ``SearchCancelled``, and what refuses networks whose cut or fronts would be too large.
    """

    def make() -> Customised:
        dissection = dissection_of(network, progress=progress, cancel=cancel)
        assert dissection is not None
        return Customised(device, network, dissection)

    return network.derive(f"customised for {device.id}, {device.threads} threads{in_memory_of(device)}", make)
