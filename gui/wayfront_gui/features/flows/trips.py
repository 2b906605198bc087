"""Find the trips over one road: from where they come and to where they go, as two trees. No Qt.

Over an arc u → v of weight w goes a trip from s to t if d(s, u) + w + d(v, t) = d(s, t). Whoever comes over it is in
the tree towards u, whoever it leads to in the tree from v: both are known at once. Where one of the two has few nodes,
the engine finds the trips exactly, from these nodes alone (``wayfront.flows`` over an arc, by the rule of ties that is
asked for; which path carries a pair may be another one than on the map). Else pairs are counted for some nodes of one
tree and all of the other, on a prepared network, so that it follows the mouse; there all pairs count that have a
shortest path over the road.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.copies import begin_of
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.safe.errors import SearchCancelled
from wayfront.searching.prepared import Prepared, prepare
from wayfront_gui.features.flows.state import Roads, Ties, Trips
from wayfront_gui.map.geometry import read_only

CPU = "cpu"


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is done for a road: trees of at most ``exact`` nodes in all, else some nodes of both trees."""

    some: int
    exact: int


WHILE_MOVING, AT_REST = Effort(16, 500_000), Effort(256, 6_000_000)
"""While the mouse moves, some tenths of a second of one core, and once it rests one or two seconds."""
AT_ONCE = 64
"""Trees that are held at once."""


class TripFinder:
    """Finds the trips over roads of one network; ``find`` belongs to one thread at a time."""

    def __init__(
        self,
        network: RoadNetwork,
        metric: Metric,
        closures: NDArray[np.int64],
        progress: Callable[[str, float], None] | None = None,
        cancel: Event | None = None,
    ) -> None:
        self.of = network, metric.name, closures.tobytes()
        self._network, self._metric = network, metric
        ways = (
            prepare(network, metric.name, CPU, reverse=way, progress=progress, cancel=cancel) for way in (False, True)
        )
        self._ahead, self._back = ways
        for prepared in (self._ahead, self._back):
            prepared.close_exactly(closures)
        weights = metric.weights.copy()
        weights[closures] = np.iinfo(np.int32).max  # a parallel arc is lighter
        self._weights, self._closed = read_only(weights), closures
        self._roads = Roads.of(network)

    def find(
        self, arcs: NDArray[np.int64], radius: int | None, ties: Ties, effort: Effort, cancel: Event
    ) -> Trips | None:
        """Return the trips over a road within a radius in raw weights; None where that was cancelled."""
        count, n = 0.0, self._network.node_count
        tails, heads, weights = self._network.tails(), self._network.targets, self._metric.weights
        sides = np.zeros((2, self._roads.count))
        coming_from, going_to, whole = np.zeros(n, np.bool_), np.zeros(n, np.bool_), True
        lightest: dict[tuple[int, int], list[int]] = {}
        for arc in np.setdiff1d(arcs, self._closed).tolist():
            beside = lightest.setdefault((int(tails[arc]), int(heads[arc])), [arc])
            if weights[arc] < weights[beside[0]]:
                beside[:] = [arc]
            elif arc != beside[0] and weights[arc] == weights[beside[0]]:
                beside.append(arc)
        begins_at = begin_of(self._network, np.array([tail for tail, _ in lightest], np.int32)).tolist()
        for beside, begin in zip(lightest.values(), begins_at, strict=True):
            found = self._over(beside, radius, ties, effort, cancel)
            if found is None:
                return None
            count += found.count
            begins = int(begin != begins_at[0])  # on the other side
            sides[begins] += self._on_roads(found.coming)
            sides[1 - begins] += self._on_roads(found.going)
            coming_from |= found.coming.trips > 0
            going_to |= found.going.trips > 0
            whole &= found.whole
        sides[:, np.unique(self._roads.of_arc[arcs])] = count
        return Trips(
            arcs,
            sides[0],
            sides[1],
            len(set(begins_at)) > 1,
            count,
            int(np.count_nonzero(coming_from)),
            int(np.count_nonzero(going_to)),
            None if whole else effort.some,
        )

    def _over(self, beside: list[int], radius: int | None, ties: Ties, effort: Effort, cancel: Event) -> _Over | None:
        """Return the trips over one arc, and those that are as light beside it."""
        arc, nobody = beside[0], np.zeros(self._network.node_count)
        u, v = int(self._network.tails()[arc]), int(self._network.targets[arc])
        weight = int(self._metric.weights[arc])
        if u == v:
            return _Over(0.0, _Tree(nobody, None, v, False), _Tree(nobody, None, v, False), True)
        to_u, to_v = (self._distances(self._back, node) for node in (u, v))
        from_u, from_v = (self._distances(self._ahead, node) for node in (u, v))
        origins = np.flatnonzero((to_u != NO_PATH) & (to_v == to_u + weight))
        ends = np.flatnonzero((from_v != NO_PATH) & (from_u == from_v + weight))
        if min(len(origins), len(ends)) * self._network.node_count <= effort.exact:
            exact = self._exactly(beside, origins, ends, radius, ties, cancel)
            if exact is None:
                return None
            coming = _Tree(exact[0], self._parents(self._back, to_u, u), u, True)
            going = _Tree(exact[1], self._parents(self._ahead, from_v, v), v, False)
            return _Over(float(exact[0].sum()), coming, going, True)
        before, after = to_u[origins] + weight, from_v[ends]
        some, others = _some(origins, effort.some), _some(ends, effort.some)
        trips_to = self._counted(self._ahead, origins, some, before, ends, after, radius, cancel)
        trips_from = self._counted(self._back, ends, others, after, origins, before, radius, cancel)
        if trips_to is None or trips_from is None:
            return None
        leaving, arriving = nobody.copy(), nobody
        leaving[origins], arriving[ends] = trips_from, trips_to
        total = (float(leaving.sum()) + float(arriving.sum())) / 2
        leaving *= total / max(float(leaving.sum()), 1e-300)  # both samples say how many there are
        arriving *= total / max(float(arriving.sum()), 1e-300)
        whole = len(some) == len(origins) and len(others) == len(ends)
        coming = _Tree(leaving, self._parents(self._back, to_u, u), u, True)
        going = _Tree(arriving, self._parents(self._ahead, from_v, v), v, False)
        return _Over(total, coming, going, whole)

    def _exactly(
        self,
        beside: list[int],
        origins: NDArray[np.intp],
        ends: NDArray[np.intp],
        radius: int | None,
        ties: Ties,
        cancel: Event,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Return how many trips over an arc and those beside it begin and end at each node; None where cancelled."""
        from wayfront import flows

        network, closures, over = self._network, self._closed, beside[0]
        turned = len(ends) < len(origins)
        if turned:
            closures = network.reversed_arcs(closures).astype(np.int64)
            over, network = int(network.reversed_arcs(np.array([over]))[0]), network.reversed()
        try:
            found = flows(
                network,
                metric=self._metric.name,
                sources=(ends if turned else origins).astype(np.int32),
                radius=None if radius is None else float(self._metric.in_unit(np.array([radius]))[0]),
                ties=ties,
                over=over,
                closures=closures,
                device=CPU,
                cancel=cancel,
            )
        except SearchCancelled:
            return None
        times = len(beside) if ties == "all" else 1  # equally light ones have the same share each
        coming, going = (found.ends, found.starts) if turned else (found.starts, found.ends)
        return times * coming, times * going

    def _counted(
        self,
        prepared: Prepared,
        nodes: NDArray[np.intp],
        some: NDArray[np.intp],
        on_this_side: NDArray[Any],
        others: NDArray[np.intp],
        on_that_side: NDArray[Any],
        radius: int | None,
        cancel: Event,
    ) -> NDArray[np.float64] | None:
        """Return for each of the ``others`` how many of the ``nodes`` it has trips with, by some of those."""
        counts = np.zeros(len(others))
        for begin in range(0, len(some), AT_ONCE):
            if cancel.is_set():
                return None
            part = some[begin : begin + AT_ONCE]
            these, near = nodes[part], on_this_side[part]
            for row, node, before in zip(prepared.trees(these), these.tolist(), near.tolist(), strict=True):
                there = row[others]
                met = (there == before + on_that_side) & (others != node)
                counts += met if radius is None else met & (there <= radius)
        return counts * (len(nodes) / max(len(some), 1))

    def _distances(self, prepared: Prepared, node: int) -> NDArray[np.int64]:
        out = np.empty(self._network.node_count, prepared.distance_dtype)
        prepared.distances_into(node, out)
        return out.astype(np.int64)

    def _parents(self, prepared: Prepared, distances: NDArray[np.int64], node: int) -> NDArray[np.int32]:
        parents = np.empty(len(distances), np.int32)
        prepared.parents_into(distances.astype(prepared.distance_dtype), node, parents)
        return parents

    def _on_roads(self, tree: _Tree) -> NDArray[np.float64]:
        """Return the trips of a tree over each road, float64 [roads]."""
        if tree.parents is None:
            return np.zeros(self._roads.count)
        network, below = self._network, tree.trips.copy()
        _add_up(read_only(tree.parents), below)
        given = network.offsets, network.targets, self._weights, self._roads.of_arc
        on_roads = np.zeros(self._roads.count)
        _lay_on_roads(*given, read_only(tree.parents), read_only(below), tree.towards, on_roads)
        return on_roads


@dataclass(frozen=True, slots=True, eq=False)
class _Tree:
    """A tree towards or from an end of an arc; ``trips`` float64 [n] begin or end at each node."""

    trips: NDArray[np.float64]
    parents: NDArray[np.int32] | None
    root: int
    towards: bool


@dataclass(frozen=True, slots=True, eq=False)
class _Over:
    """The trips over one arc; ``whole`` says that all nodes of both trees were counted."""

    count: float
    coming: _Tree
    going: _Tree
    whole: bool


def _some(nodes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return indices of at most so many nodes, evenly spread: neighbours on the map have numbers near each other."""
    return np.unique(np.linspace(0, len(nodes) - 1, min(len(nodes), most)).round().astype(np.intp))


@loop
def _add_up(parents, below):  # type: ignore[no-untyped-def]
    """Add what is at each node of a forest to all nodes above it, leaves first."""
    n = len(parents)
    left = np.zeros(n, np.int32)
    for v in range(n):
        if parents[v] >= 0:
            left[parents[v]] += 1
    ready = np.empty(n, np.int32)
    count = 0
    for v in range(n):
        if left[v] == 0:
            ready[count] = v
            count += 1
    done = 0
    while done < count:
        v = ready[done]
        done += 1
        parent = parents[v]
        if parent >= 0:
            below[parent] += below[v]
            left[parent] -= 1
            if left[parent] == 0:
                ready[count] = parent
                count += 1


@loop
def _lay_on_roads(offsets, targets, weights, of_arc, parents, below, towards, out):  # type: ignore[no-untyped-def]
    """Add what is below each node of a tree to the road to its parent, that of the lightest arc between the two."""
    for v in range(len(parents)):
        if parents[v] < 0 or below[v] == 0.0:
            continue
        tail, head = (v, parents[v]) if towards else (parents[v], v)
        best = -1
        for e in range(offsets[tail], offsets[tail + 1]):
            if targets[e] == head and (best < 0 or weights[e] < weights[best]):
                best = e
        if best >= 0 and of_arc[best] >= 0:
            out[of_arc[best]] += below[v]
