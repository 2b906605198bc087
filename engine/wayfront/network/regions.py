"""Find the regions of the Earth in which a network's nodes lie: one, or several far apart.

A file may hold two countries, or a few nodes on an island far out; then a view of everything shows nothing. The Earth
is divided into cells of a quarter of a degree; occupied cells that touch, also across a corner, are one region. The
first view belongs to the region with the most nodes, and the others are listed.

Longitudes jump at the antimeridian. A network that lies on both sides of it is cut open elsewhere: in the widest
stretch of longitudes where it has no node.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.network.connectivity import join
from wayfront.network.road_network import RoadNetwork

CELL = 250_000
"""Microdegrees of a cell's side."""
_AROUND = 360_000_000 // CELL
_MOST_CELLS = 2 * _AROUND * _AROUND
"""More than the Earth has; up to there a count for each cell is quicker than sorting."""


@dataclass(frozen=True, slots=True)
class Region:
    """A region with its number of nodes and bounding box in microdegrees; longitudes are those of ``unbroken``."""

    node_count: int
    west: int
    south: int
    east: int
    north: int


def unbroken(coordinates: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return coordinates, int32 [n, 2], whose longitudes do not jump: those west of the cut are above 180°."""
    if not len(coordinates):
        return coordinates
    columns = np.flatnonzero(np.bincount((coordinates[:, 0] + np.int32(180_000_000)) // np.int32(CELL) % _AROUND))
    gaps = np.diff(columns, append=columns[0] + _AROUND)  # the last gap holds the antimeridian
    widest = int(np.argmax(gaps))
    if gaps[widest] == gaps[-1]:
        return coordinates
    cut = (int(columns[widest]) + 1) * CELL - 180_000_000
    whole = coordinates.copy()
    whole[whole[:, 0] < cut, 0] += 360_000_000
    return whole


def regions(network: RoadNetwork) -> tuple[Region, ...]:
    """Return the regions in which a network's nodes lie, that with the most nodes first; none without a map."""
    return network.derive("regions", lambda: _find(network))


def _find(network: RoadNetwork) -> tuple[Region, ...]:
    if network.coordinates is None or not network.node_count:
        return ()
    coordinates = unbroken(network.coordinates)
    column, row = ((axis // np.int32(CELL)).astype(np.int64) for axis in coordinates.T)
    column, row = column - column.min(), row - row.min()
    width = int(column.max()) + 2  # one free column, so that the first cell of a row does not touch the last of another
    cells, cell_of_node = _occupied(row * width + column)
    label = _label_cells(cells, width)[cell_of_node]
    count = np.bincount(label)
    if len(count) > 1:
        coordinates = coordinates[np.argsort(label, kind="stable")]
    begins = np.cumsum(count) - count
    low, high = np.minimum.reduceat(coordinates, begins), np.maximum.reduceat(coordinates, begins)
    largest_first = np.argsort(-count, kind="stable")
    boxes = zip(count[largest_first], low[largest_first], high[largest_first], strict=True)
    return tuple(
        Region(int(nodes), *west_south.tolist(), *east_north.tolist()) for nodes, west_south, east_north in boxes
    )


def _occupied(cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct values of nodes' cells, rising, and the index among them of each node's."""
    if int(cells.max()) > _MOST_CELLS:  # coordinates that are no places on the Earth
        occupied, index = np.unique(cells, return_inverse=True)
        return occupied, index
    occupied = np.flatnonzero(np.bincount(cells))
    index_of_cell = np.zeros(int(occupied[-1]) + 1, np.int64)
    index_of_cell[occupied] = np.arange(len(occupied))
    return occupied, index_of_cell[cells]


def _label_cells(cells: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return the region of each occupied cell, int64 [cells], by joining each with those it touches before it."""
    touching = cells[:, None] - np.array([1, width - 1, width, width + 1])
    nearest = np.minimum(np.searchsorted(cells, touching), len(cells) - 1)
    joined = np.where(cells[nearest] == touching, nearest, np.arange(len(cells))[:, None])
    roots = join(np.arange(0, joined.size + 1, joined.shape[1]), joined.reshape(-1))
    return np.unique(roots, return_inverse=True)[1]
