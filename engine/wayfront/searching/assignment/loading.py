"""All or nothing: send every trip along a path that is shortest by given costs, and add up what every arc carries.

Each origin gets one tree. The dissection finds distances: it is cut once, customised for the costs of an iteration, and
makes many trees at a time. Then, for each tree, demand goes up from the destinations: at each node that some trip
passes the first tight arc is taken, and a node hands on what it carries once all nodes behind it have done so. That
looks at the arcs into nodes that are passed, once a tree.

Weights are whole numbers, so costs are rounded to parts of the largest, 2³¹ − 2 of them, and no weight is 0, so that
tight arcs form no cycle. A path may therefore be longer than the shortest by one part an arc: ``Loaded.resolution``.
What trips cost is added up from the costs themselves, in float64.

Nobody passes through a zone. Such a node becomes two: one that trips leave, which no arc enters, and one at which they
arrive, which no arc leaves.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.devices.device import Ability, Device
from wayfront.dissection.engine import CLOSED, Engine
from wayfront.dissection.store import dissection_of
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import LARGEST_WEIGHT
from wayfront.results.traffic import Floats
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.memory import require_memory
from wayfront.searching.customised import set_up
from wayfront.searching.distances import WIDE
from wayfront.searching.flows.demand import Demand

ROW_BYTES = 64 << 20
"""Memory of the trees that are made together."""
_BYTES_PER_NODE = 64
_FAR = np.iinfo(WIDE).max


@dataclass(frozen=True, slots=True, eq=False)
class Loaded:
    """What every arc carries, float64 [m], and the part to which costs were rounded."""

    flow: Floats
    resolution: float


class Loader:
    """Sends trips along shortest paths, for one set of costs after another.

    origins, destinations, trips   the pairs [k], by rising origin
    arrived, unreached             trips that a path leads to, and others; known after the first loading
    """

    def __init__(
        self,
        network: RoadNetwork,
        demand: Demand,
        no_passage: NDArray[np.bool_],
        closures: NDArray[np.int64],
        device: Device,
        progress: Callable[[str, float], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> None:
        assert demand.origins is not None and demand.destinations is not None and demand.trips is not None
        self._cancel, self._closures = cancel, closures
        self.device: Device = device
        self.origins: NDArray[np.int32] = demand.origins
        self.destinations: NDArray[np.int32] = demand.destinations
        self.trips: Floats = demand.trips
        self.arrived: float = float(self.trips.sum())
        self.unreached: float = 0.0
        self._network, arrives_at = _without_passage(network, no_passage)
        self._heads = arrives_at[self.destinations]
        self._sources, first = np.unique(self.origins, return_index=True)
        self._bounds = np.append(first, len(self.origins)).astype(np.int64)
        n = self._network.node_count
        self._at_once = max(1, min(ROW_BYTES // (n * WIDE.itemsize), len(self._sources)))
        require_memory(self._at_once * n * WIDE.itemsize + n * _BYTES_PER_NODE, "the trees of traffic assignment")
        self._dissection = dissection_of(self._network, progress=progress, cancel=cancel)
        self._engine: Engine | None = None

    def load(self, costs: Floats) -> Loaded:
        """Send all trips along shortest paths by ``costs`` [m].

        Raises ``NetworkError`` for costs that are no numbers, ``SearchCancelled``, and ``DeviceError``.
        """
        wrong = np.flatnonzero(~np.isfinite(costs))
        if len(wrong):
            raise NetworkError(f"the cost of arc {wrong[0]} outgrows 64 bits: look at its capacity, b and power")
        network, n = self._network, self._network.node_count
        part = max(float(costs.max(initial=0.0)), np.finfo(np.float64).tiny) / (LARGEST_WEIGHT - 1)
        weights = np.maximum(np.rint(costs / part), 1).astype(np.int32)
        weights[self._closures] = CLOSED
        flow, carried = np.zeros(network.arc_count), np.zeros(n)
        via, behind, passed = np.full(n, -1, np.int32), np.zeros(n, np.int32), np.empty(n, np.int32)
        unreached = 0.0
        with self.device.reserve(self._cancel):
            engine = self._customised(weights)
            rows = self.device.empty(max(self._at_once * n, 1), WIDE)
            for begin in range(0, len(self._sources), self._at_once):
                if self._cancel is not None and self._cancel.is_set():
                    raise SearchCancelled("cancelled while trips were sent along shortest paths")
                sources = self._sources[begin : begin + self._at_once]
                engine.trees(sources, rows, n, 1)
                count = len(sources) * n
                on_host = Ability.HOST_LOOPS in self.device.abilities  # where a copy would take as long as the trees
                distances = (rows[:count] if on_host else self.device.get(rows, count)).reshape(len(sources), n)
                bounds = self._bounds[begin : begin + len(sources) + 1]
                unreached += push_down(
                    *network.in_arcs(), network.tails(), weights, distances, sources, bounds, self._heads, self.trips,
                    flow, via, behind, passed, carried,
                )  # fmt: skip
        self.unreached, self.arrived = unreached, float(self.trips.sum()) - unreached
        return Loaded(flow, part)

    def _customised(self, weights: NDArray[np.int32]) -> Engine:
        """Return the engine, customised for weights."""
        assert self._dissection is not None
        if self._engine is None:
            self._engine, _ = set_up(self.device, self._dissection, self._network, WIDE, weights)
        fits = self._engine.customise(weights)
        assert fits  # 2³¹ weights of 2³¹ fit 64 bits
        return self._engine


def _without_passage(network: RoadNetwork, closed: NDArray[np.bool_]) -> tuple[RoadNetwork, NDArray[np.int32]]:
    """Return a network with the arcs in the same order in which no zone is passed through, and the node [n] of it at
    which trips to each node arrive.
    """
    n = network.node_count
    arrives_at = np.arange(n, dtype=np.int32)
    zones = np.flatnonzero(closed)
    if not len(zones):
        return network, arrives_at
    arrives_at[zones] = n + np.arange(len(zones))
    places = network.coordinates
    whole = RoadNetwork.from_arrays(
        name=network.name,
        offsets=np.append(network.offsets, np.full(len(zones), network.arc_count)),
        targets=arrives_at[network.targets],
        metrics=network.metrics[:1],
        coordinates=None if places is None else np.concatenate((places, places[zones])),
    )
    return whole, arrives_at


@loop
def push_down(
    in_offsets: Any, in_arcs: Any, tails: Any, weights: Any, distances: Any, sources: Any, bounds: Any, heads: Any,
    trips: Any, flow: Any, via: Any, behind: Any, passed: Any, carried: Any,
) -> float:  # fmt: skip
    """Add the trips of some trees to ``flow`` [m]; return how many no path leads to.

    Those of source i go to ``heads[bounds[i]:bounds[i + 1]]``. ``via`` [n] is −1, ``behind`` and ``carried`` [n] are 0
    before and after: the arc by which a node is reached, how many nodes are reached from it, and trips through it.
    """
    unreached = 0.0
    for row in range(len(sources)):
        source, count = sources[row], 0
        for pair in range(bounds[row], bounds[row + 1]):
            node = heads[pair]
            if distances[row, node] == _FAR:
                unreached += trips[pair]
                continue
            carried[node] += trips[pair]
            while node != source and via[node] < 0:
                passed[count] = node
                count += 1
                for at in range(in_offsets[node], in_offsets[node + 1]):
                    arc = in_arcs[at]
                    tail = tails[arc]
                    before = distances[row, tail]
                    if weights[arc] > 0 and before != _FAR and before + weights[arc] == distances[row, node]:
                        via[node] = arc
                        break
                node = tails[via[node]]
                behind[node] += 1
        for each in range(count):
            node = passed[each]
            while node != source and behind[node] == 0:
                arc, mine = via[node], carried[node]
                flow[arc] += mine
                carried[node] = 0.0
                behind[node] = -1  # done
                node = tails[arc]
                carried[node] += mine
                behind[node] -= 1
        for each in range(count):
            via[passed[each]] = -1
            behind[passed[each]] = 0
        carried[source] = 0.0
    return unreached
