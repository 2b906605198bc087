"""Where searches between points begin and end, as sweeps take them, and points that lie on the same road.

A point is left, or reached, by one or two nodes (``wayfront.network.ends``). From each origin one search begins at all
its nodes; where several destinations, or both ends of one, share a node, its distance is found once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection, Int32Array, Int64Array
from wayfront.network import copies
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH, offsets_of
from wayfront.safe.errors import NetworkError


class Seeds(NamedTuple):
    """Where each of k searches begins: at one node or at several, each at a distance of its own.

    first  int64 [k + 1]: of search i the seeds first[i] … first[i + 1] − 1 of the next two
    nodes  int32; ``costs`` in the dtype of distances, at least 0: how far each is from where its search begins
    """

    first: Int64Array
    nodes: Int32Array
    costs: NDArray[Any]


_ONE = np.array([0, 1])


def seed_at(node: int, dtype: np.dtype[Any]) -> Seeds:
    """Return the seeds of one search that begins at a node."""
    return Seeds(_ONE, np.array([node], np.int32), np.zeros(1, dtype))


class Targets(NamedTuple):
    """Where each of l ways ends.

    nodes  int32 [e], distinct, by rising position in the dissection
    ends   int32 [l, 2]: of each destination its one or two, as indices of ``nodes``, e for none
    costs  [l, 2] in the dtype of distances: how far the destination is from each of them, 0 for none
    """

    nodes: Int32Array
    ends: Int32Array
    costs: NDArray[Any]

    def by_end(self) -> tuple[Int32Array, NDArray[Any]]:
        """Return ends and costs [l], or [2 · l] where any destination has two: the second ones behind all others."""
        count = 2 if (self.ends[:, 1] != len(self.nodes)).any() else 1
        return self.ends[:, :count].T.ravel(), self.costs[:, :count].T.ravel()


class Paths(NamedTuple):
    """The shortest paths of k pairs.

    distances  [k] in the dtype of distances, −1 without a path
    nodes      int32: the nodes of all paths, one behind the other, each from its start
    ends       int64 [k]: where each path ends there; ``lengths`` int64 [k]: how many nodes it has, ``LEFT_OPEN`` or 0
    """

    distances: NDArray[Any]
    nodes: NDArray[np.int32]
    ends: NDArray[np.int64]
    lengths: NDArray[np.int64]


LEFT_OPEN = -1
"""In place of a path's number of nodes: arcs of weight 0 decide it, and a tree has to be made."""


def checked_ends(network: RoadNetwork, points: Any, noun: str, *, leaving: bool) -> Ends:
    """Return points as ``Ends``: such as they are, if they are of this network, and nodes (internal numbers) as points.

    Points at nodes are left from the first copies of these, or else reached at the last. Raises ``NetworkError``.
    """
    if not isinstance(points, Ends):
        return _at_copies(network, Ends.at_nodes(network, points, noun), leaving=leaving)
    there = points.nodes != NONE
    fits = (
        points.nodes.min(initial=NONE) >= NONE
        and points.nodes.max(initial=NONE) < network.node_count
        and points.arcs.min(initial=NONE) >= NONE
        and points.arcs.max(initial=NONE) < network.arc_count
    )
    if not fits or (points.costs[there] < 0).any():
        raise NetworkError(f"the {noun} are ends on another network than {network.name}: find them on this one")
    return _at_copies(network, points, leaving=leaving)


def _at_copies(network: RoadNetwork, points: Ends, *, leaving: bool) -> Ends:
    """Return the ends of points that are nodes at the copies of these where ways begin, or else end."""
    if not copies.is_split(network):
        return points
    here = copies.begin_of(network, points.nodes, reverse=not leaving)
    return replace(points, nodes=np.where(points.arcs[:, :1] == NONE, here, points.nodes))


def seeds_of(nodes: Int32Array, costs: NDArray[np.int64], dtype: np.dtype[Any]) -> Seeds:
    """Return the seeds of origins from which ``nodes`` [k, 2] can be reached (``open_nodes``), at ``costs`` [k, 2]."""
    there = nodes != NONE
    return Seeds(offsets_of(there.sum(1)), nodes[there], costs[there].astype(dtype))


def targets_of(destinations: Ends, nodes: Int32Array, cut: Dissection, dtype: np.dtype[Any]) -> Targets:
    """Return where ways to destinations end, which can be reached from ``nodes`` [l, 2] (``open_nodes``)."""
    there = nodes != NONE
    positions, index = np.unique(cut.position[nodes[there]], return_inverse=True)
    ends = np.full(nodes.shape, len(positions), np.int32)
    ends[there] = index
    costs = np.where(there, destinations.costs, 0).astype(dtype)
    return Targets(cut.node_at[positions], ends, costs)


def by_cell(seeds: Seeds, cell_of_node: Int32Array) -> Int64Array:
    """Return the order of searches by the cell of their first seed: near ones ascend together."""
    count = len(seeds.first) - 1
    cell = np.zeros(count, np.int32)
    begins = np.diff(seeds.first) > 0
    cell[begins] = cell_of_node[seeds.nodes[seeds.first[:-1][begins]]]
    return np.argsort(cell, kind="stable")


def reordered(seeds: Seeds, order: Int64Array) -> Seeds:
    """Return the seeds of searches in another order."""
    lengths = np.diff(seeds.first)[order]
    first = offsets_of(lengths)
    which = np.arange(first[-1]) + np.repeat(seeds.first[:-1][order] - first[:-1], lengths)
    return Seeds(first, seeds.nodes[which], seeds.costs[which])


def open_nodes(network: RoadNetwork, points: Ends, closed: NDArray[np.bool_], *, leaving: bool) -> Int32Array:
    """Return ``points.nodes`` without those that a closed arc leads to or from, int32 [k, 2].

    ``leaving`` says whether arcs lead from the points to their nodes, and not from these to the points. A node that is
    on no arc of its point counts as open; of a road that leads back to its own node, so that both of a point's nodes
    are that one, the first belongs to the first arc.
    """
    if (points.arcs == NONE).all() or not closed.any():
        return points.nodes
    here = copies.begin_of(network, network.targets if leaving else network.tails())
    places = copies.begin_of(network, points.nodes)
    arcs = points.arcs[:, None, :]
    leads = (arcs != NONE) & (here[arcs] == places[:, :, None])
    leads &= (points.nodes[:, :1, None] != points.nodes[:, 1:, None]) | np.eye(2, dtype=bool)
    is_open = ~leads.any(2) | (leads & ~closed[arcs]).any(2)
    return np.where(is_open, points.nodes, np.int32(NONE))


def most_costs(*points: Ends) -> int:
    """Return what costs can add to the distance between two nodes."""
    return sum(int(one.costs[one.nodes != NONE].max(initial=0)) for one in points)


def improves(offers: NDArray[Any], distances: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where an offer is less than the distance found so far, −1 being no path in either."""
    return (offers != NO_PATH) & ((distances == NO_PATH) | (offers < distances))


def along_roads(origins: Ends, destinations: Ends, closed: NDArray[np.bool_], *, reverse: bool) -> NDArray[np.int64]:
    """Return how far each destination is ahead of its origin along an open arc, [k], −1 where none leads there.

    In ``reverse`` the way leads from the destination to the origin.
    """
    best = np.full(len(origins), NO_PATH, np.int64)
    sign = -1 if reverse else 1
    for i in (0, 1):
        for j in (0, 1):
            arcs, along = origins.arcs[:, i], sign * (destinations.offsets[:, j] - origins.offsets[:, i])
            leads = (arcs != NONE) & (arcs == destinations.arcs[:, j]) & (along >= 0)
            leads[leads] = ~closed[arcs[leads]]
            best = np.where(leads & improves(along, best), along, best)
    return best


class SameRoad:
    """Lowers distances to destinations ahead of an origin on an open arc to how far they are along it."""

    def __init__(self, destinations: Ends, closed: NDArray[np.bool_], *, reverse: bool) -> None:
        """Take what lies on open arcs. In ``reverse`` the way leads from the destination to an origin ahead."""
        self._sign = -1 if reverse else 1
        there = destinations.arcs != NONE
        there[:, 1] &= destinations.arcs[:, 0] != destinations.arcs[:, 1]
        there, arcs = there.ravel(), destinations.arcs.ravel()
        there[there] = ~closed[arcs[there]]
        which = np.flatnonzero(there)
        which = which[np.argsort(arcs[which], kind="stable")]
        self._arcs, self._offsets = arcs[which], destinations.offsets.ravel()[which]
        self._destinations = which // 2

    def lower(self, rows: NDArray[Any], origins: Ends) -> None:
        """Lower the distances [k, l] from the origins, where −1 is no path."""
        if not len(self._arcs):
            return
        begin, end = (np.searchsorted(self._arcs, origins.arcs, side) for side in ("left", "right"))
        for i, j in zip(*np.nonzero((end > begin) & (origins.arcs != NONE)), strict=True):
            found = slice(begin[i, j], end[i, j])
            along = self._sign * (self._offsets[found] - origins.offsets[i, j])
            ahead = along >= 0
            chosen, along, row = self._destinations[found][ahead], along[ahead], rows[i]
            row[chosen] = np.where(improves(along, row[chosen]), along, row[chosen])
