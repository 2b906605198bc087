"""Distances between points of a prepared network: rows of a matrix, from many to many, and pairs with their paths.

Points are ``Ends``. By an end over a closed road nobody leaves or arrives; and between points of the same road the way
along it counts, which need not pass a node.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Check, Device
from wayfront.dissection.engine import Engine, FindsPairs
from wayfront.dissection.points import (
    LEFT_OPEN,
    SameRoad,
    along_roads,
    checked_ends,
    improves,
    open_nodes,
    seeds_of,
    targets_of,
)
from wayfront.dissection.shape import Dissection
from wayfront.network.ends import NONE, Ends
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.safe.errors import NetworkError

BLOCK_BYTES = 1 << 26
LEAST_ROWS = 1024
"""Rows of a matrix that are written at once by default: so many that origins in one block lie near each other."""


def open_ends(
    network: RoadNetwork, origins: Ends, destinations: Ends, closed: NDArray[np.bool_], *, reverse: bool
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the nodes of origins and of destinations without those by closed roads, int32 [k, 2] each."""
    return (
        open_nodes(network, origins, closed, leaving=not reverse),
        open_nodes(network, destinations, closed, leaving=reverse),
    )


class Present(NamedTuple):
    """A prepared network as it is now, whose engine has room for the costs of the points at hand."""

    network: RoadNetwork
    reverse: bool
    closed: NDArray[np.bool_]
    device: Device
    dissection: Dissection
    engine: Engine
    dtype: np.dtype[Any]

    def open_nodes(self, origins: Ends, destinations: Ends) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the nodes of origins and of destinations without those by closed roads, int32 [k, 2] each."""
        return open_ends(self.network, origins, destinations, self.closed, reverse=self.reverse)


def checked_points(
    network: RoadNetwork, origins: Any, destinations: Any, *, pairs: bool = False, reverse: bool = False
) -> tuple[Ends, Ends]:
    """Return origins and destinations as ends. Raises ``NetworkError``, for ``pairs`` of different numbers too."""
    leaving = checked_ends(network, origins, "origins", leaving=not reverse)
    arriving = checked_ends(network, destinations, "destinations", leaving=reverse)
    if pairs and len(leaving) != len(arriving):
        raise NetworkError(f"each origin has a destination: {len(leaving):,} and {len(arriving):,} points are no pairs")
    return leaving, arriving


class MatrixRows:
    """Writes rows of the matrix from origins to destinations, by the weights at the time it is made."""

    def __init__(self, present: Present, origins: Ends, destinations: Ends) -> None:
        self._origins, self._dtype = origins, present.dtype
        self._nodes, nodes = present.open_nodes(origins, destinations)
        targets = targets_of(destinations, nodes, present.dissection, present.dtype)
        self._sweep = present.engine.towards(targets)
        self._same_road = SameRoad(destinations, present.closed, reverse=present.reverse)
        self.rows_at_once: int = max(LEAST_ROWS, BLOCK_BYTES // max(1, len(destinations) * present.dtype.itemsize))

    def write(self, begin: int, rows: NDArray[Any], check: Check) -> None:
        """Write the rows [k, l] of k origins from number ``begin`` on; ``check`` is called now and then."""
        chosen = slice(begin, begin + len(rows))
        origins = self._origins.chosen(chosen)
        check()
        self._sweep.rows(seeds_of(self._nodes[chosen], origins.costs, self._dtype), rows, check)
        self._same_road.lower(rows, origins)


def pair_distances(present: Present, origins: Ends, destinations: Ends, check: Check) -> NDArray[Any]:
    """Return the distance [k] from each origin to its destination, −1 without a path."""
    leaving, arriving = present.open_nodes(origins, destinations)
    if isinstance(present.engine, FindsPairs):
        starts = seeds_of(leaving, origins.costs, present.dtype)
        found = present.engine.pair_distances(starts, seeds_of(arriving, destinations.costs, present.dtype))
    else:
        found = np.empty(len(origins), present.dtype)
        for i in range(len(origins)):
            one = slice(i, i + 1)
            MatrixRows(present, origins.chosen(one), destinations.chosen(one)).write(0, found[one].reshape(1, 1), check)
    direct = along_roads(origins, destinations, present.closed, reverse=present.reverse)
    return np.where(improves(direct, found), direct, found).astype(present.dtype)


def pair_paths(
    present: Present, origins: Ends, destinations: Ends, tree: Any, check: Check
) -> tuple[NDArray[Any], list[NDArray[np.int32]]]:
    """Return (distances [k], the nodes int32 of each path from its origin to its destination).

    A path along one road has none. ``tree`` returns distances, −1 without a path, and parents from a node, where no
    path is found without.
    """
    leaving, arriving = present.open_nodes(origins, destinations)
    if isinstance(present.engine, FindsPairs):
        starts = seeds_of(leaving, origins.costs, present.dtype)
        found = present.engine.pair_paths(starts, seeds_of(arriving, destinations.costs, present.dtype))
        distances, lengths = found.distances, found.lengths
        paths = [
            found.nodes[end - max(length, 0) : end].copy() for end, length in zip(found.ends, lengths, strict=True)
        ]
    else:
        distances, lengths = np.empty(len(origins), present.dtype), np.full(len(origins), LEFT_OPEN)
        paths = [np.empty(0, np.int32)] * len(origins)
    for i in np.flatnonzero(lengths == LEFT_OPEN).tolist():
        check()
        distances[i], paths[i] = _by_trees(
            list(zip(leaving[i].tolist(), origins.costs[i].tolist(), strict=True)),
            list(zip(arriving[i].tolist(), destinations.costs[i].tolist(), strict=True)),
            tree,
        )
    direct = along_roads(origins, destinations, present.closed, reverse=present.reverse)
    for i in np.flatnonzero(improves(direct, distances)).tolist():
        distances[i], paths[i] = direct[i], np.empty(0, np.int32)
    return distances, [path[::-1] for path in paths] if present.reverse else paths


def _by_trees(starts: list[tuple[int, int]], ends: list[tuple[int, int]], tree: Any) -> tuple[int, NDArray[np.int32]]:
    """Return distance and path from the best of some starts to the best of some ends, each a node and its cost."""
    best, path = NO_PATH, list[int]()
    for start, before in starts:
        if start != NONE:
            distances, parents = tree(start)
            for end, behind in ends:
                if end != NONE and distances[end] != NO_PATH:
                    distance = before + int(distances[end]) + behind
                    if best == NO_PATH or distance < best:
                        best, path = distance, [end]
                        while path[-1] != start:
                            path.append(int(parents[path[-1]]))
    return best, np.array(path[::-1], np.int32)
