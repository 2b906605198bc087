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

from wayfront.network.road_network import RoadNetwork

CELL = 250_000
"""Microdegrees of a cell's side."""
_AROUND = 360_000_000 // CELL


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
    column, row = (axis // np.int32(CELL) for axis in coordinates.T)
    column, row = column - column.min(), row - row.min()
    width = int(column.max()) + 1
    key = row * width + column
    occupied = np.flatnonzero(np.bincount(key))
    label_of_cell = np.zeros(int(occupied[-1]) + 1, np.int64)
    label_of_cell[occupied] = _label_cells(occupied % width, occupied // width)
    label = label_of_cell[key]
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


def _label_cells(columns: NDArray[np.int64], rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the region of each occupied cell, int64 [cells], by filling from cell to touching cell."""
    index_of = {cell: index for index, cell in enumerate(zip(columns.tolist(), rows.tolist(), strict=True))}
    label = np.full(len(columns), -1)
    count = 0
    for start, index in index_of.items():
        if label[index] >= 0:
            continue
        label[index], open_cells = count, [start]
        while open_cells:
            column, row = open_cells.pop()
            for near in ((column + dx, row + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)):
                other = index_of.get(near)
                if other is not None and label[other] < 0:
                    label[other] = count
                    open_cells.append(near)
        count += 1
    return label
