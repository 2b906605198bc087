"""The search of one tree on a card: its tables there, and how a block's shared memory is divided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection.card_fold import Matrices
from wayfront.dissection.card_layout import ALIGNED, CardLayout
from wayfront.dissection.card_records import (
    PATH_RECORD,
    REGION_L_SIZE,
    REGION_RECORD,
    Output,
    Room,
    Sources,
    TreeTables,
)
from wayfront.dissection.card_regions import Regions
from wayfront.dissection.card_tables import Tables
from wayfront.dissection.card_tree import find_tree
from wayfront.dissection.shape import Dissection

THREADS = 512
"""Threads of a block: enough for a level of leaves, few enough that a barrier costs little."""


class TreeSearch:
    """Finds trees in the matrices of one dissection, by a block for each region.

    ``tables`` are the host's and ``on_card`` the device's. A block takes at most ``shared_bytes`` of shared memory;
    ``fits`` is False where separators are so large that there is no room for what has to be there.
    """

    def __init__(
        self,
        device: Device,
        shape: Dissection,
        layout: CardLayout,
        regions: Regions,
        dtype: np.dtype[Any],
        shared_bytes: int,
    ) -> None:
        self._device, self._dtype = device, dtype
        self._position, self._cell_of = shape.position, shape.cell_of
        self._regions = len(regions.roots)
        tables = self.tables = Tables.of(shape, layout, regions)
        self.on_card = TreeTables(
            *(device.put(array) for array in (tables.paths, tables.path_records, tables.slots, tables.tops)),
            *(device.put(array) for array in (tables.regions, tables.tables, shape.node_at)),
        )
        self._room, entries = _divide(tables, shared_bytes, dtype.itemsize)
        self.fits = dtype.itemsize * entries <= shared_bytes
        self._find = device.prepare_card(find_tree, min(THREADS, device.most_block), dtype.itemsize * entries)
        self._infinity, self._unreached = int(np.iinfo(dtype).max // 2), int(np.iinfo(dtype).max)
        self._none = device.put(np.zeros(1, np.int32))
        self._output = Output(self._none, 0, 1, self._unreached)

    def tree(self, source: int, matrices: Matrices, distances: DeviceArray) -> None:
        """Write the distances from a node to all nodes in their order."""
        position = self._position[source]
        if self._output.distances is not distances:
            self._output = self._output._replace(distances=distances)
        chosen = Sources(self._none, self._none, int(position), int(self._cell_of[position]))
        self._launch(1, chosen, matrices, self._output)

    def trees(
        self,
        sources: NDArray[np.int32],
        matrices: Matrices,
        distances: DeviceArray,
        source_stride: int,
        node_stride: int,
    ) -> None:
        """Write the distances from several nodes, where the strides say."""
        positions = self._position[sources]
        put = self._device.put
        chosen = Sources(put(positions), put(self._cell_of[positions]), -1, -1)
        self._launch(len(sources), chosen, matrices, Output(distances, source_stride, node_stride, self._unreached))

    def _launch(self, count: int, chosen: Sources, matrices: Matrices, output: Output) -> None:
        regions, rest = self._regions, (self.on_card, self._room, matrices.l, matrices.r)
        self._find(count * regions, regions, self._infinity, chosen, *rest, output)


def _divide(tables: Tables, shared_bytes: int, item: int) -> tuple[Room, int]:
    """Return how a block's shared memory is divided, and how much it takes, in entries of ``item`` bytes.

    What has to be there comes first; the matrices of the region and of the path get what is left.
    """

    def aligned(count: int) -> int:
        return -(-count // ALIGNED) * ALIGNED

    tops_at = tables.height * PATH_RECORD
    borders_at = 2 * tops_at
    table_at = borders_at + tables.borders
    path_at = aligned(-(-4 * (table_at + tables.table) // item))
    distances_at = path_at + aligned(tables.path_slots)
    top_l_at = distances_at + aligned(tables.distances)
    free = (shared_bytes // item - top_l_at) // ALIGNED * ALIGNED
    top_l = min(tables.top_l, aligned(max(0, free) // 3))
    longest = int(tables.regions.reshape(-1, REGION_RECORD)[:, REGION_L_SIZE].max())
    size = min(max(0, free - top_l), longest + tables.r)
    places = tops_at, borders_at, table_at, path_at, distances_at, top_l_at, top_l, top_l_at + top_l
    return Room(tables.height, *places, size, min(tables.r, size)), top_l_at + top_l + size
