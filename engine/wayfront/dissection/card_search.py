"""The search of one tree on a card: how network and shared memory are divided, tables, and a launch for each tier."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.device import Device, DeviceArray
from wayfront.dissection.card_below import find_below
from wayfront.dissection.card_fold import Matrices
from wayfront.dissection.card_layout import ALIGNED, CardLayout
from wayfront.dissection.card_records import (
    ABOVE,
    PATH_RECORD,
    REGION_L_SIZE,
    REGION_NODES,
    REGION_RECORD,
    TABLE_SIZE,
    Output,
    Room,
    Sources,
    TreeTables,
    Up,
)
from wayfront.dissection.card_regions import Regions, Tier
from wayfront.dissection.card_tables import Tables
from wayfront.dissection.card_tree import find_tree
from wayfront.dissection.shape import Dissection

THREADS, THREADS_BELOW = 512, 128
"""Threads of a block, in the highest tier and below: enough for a level of leaves, few enough that a barrier costs
little."""

BLOCKS_OF_ONE = 8
"""How many blocks of the device's own size keep one of its processors busy."""

BLOCKS_BELOW = 8
"""Blocks of a lower tier that one of the device's processors takes at a time: while one waits, others work."""

NODE_BYTES = (36, 72, 144)
"""Bytes of shared memory for each node of a region, about half of them beside matrices in road networks; the next ones
are tried where separators are so large that this is not enough."""

KEPT_BYTES = 1024
"""Bytes of a processor's shared memory that the system keeps for each block."""


class Division(NamedTuple):
    """How a network is divided for a device: its regions, and bytes of shared memory of blocks of the highest tier and
    below it."""

    regions: Regions
    highest_bytes: int
    lower_bytes: int

    @classmethod
    def of(cls, device: Device, shape: Dissection, node_bytes: int) -> Division:
        """Return the division, for so many bytes of shared memory a node."""
        processors, most_nodes = max(2, device.busy_blocks // BLOCKS_OF_ONE), device.shared_bytes // node_bytes
        # Beyond some size a processor takes two blocks at a time: each spends more time waiting than working.
        each = 1 if shape.node_count <= processors * most_nodes // 2 else 2
        most_below = device.shared_bytes // BLOCKS_BELOW // node_bytes
        regions = Regions.of_shape(shape, processors * each, most_nodes // each, most_below)
        shared = ((device.shared_bytes - (blocks - 1) * KEPT_BYTES) // blocks for blocks in (each, BLOCKS_BELOW))
        return cls(regions, *shared)


class TreeSearch:
    """Finds trees in the matrices of one dissection, by a block for each region.

    ``tables`` are the host's and ``on_card`` the device's. ``fits`` is False where separators are so large that a
    block's shared memory has no room for what has to be there.
    """

    def __init__(
        self, device: Device, shape: Dissection, layout: CardLayout, division: Division, dtype: np.dtype[Any]
    ) -> None:
        self._device, self._dtype = device, dtype
        self._position, self._cell_of = shape.position, shape.cell_of
        tables = Tables.of(shape, layout, division.regions)
        self.tables: Tables = tables
        self.on_card: TreeTables = TreeTables(
            *(device.put(array) for array in (tables.paths, tables.path_records, tables.slots, tables.tops)),
            *(device.put(array) for array in (tables.regions, tables.tables, shape.node_at)),
        )
        self._tiers = division.regions.tiers
        item = dtype.itemsize
        self._room, entries = _divide_highest(tables, self._tiers[0], division.highest_bytes, item)
        self.fits: bool = item * entries <= division.highest_bytes
        self._find = device.prepare_card(find_tree, min(THREADS, device.most_block), item * entries)
        self._room_below, most = Room(*[0] * len(Room._fields)), 0
        if len(self._tiers) > 1:
            below = Tier(self._tiers[1].first, len(division.regions.roots) - self._tiers[1].first)
            self._room_below, most = _divide_lower(tables, below, division.lower_bytes, item)
            self.fits = self.fits and item * most <= division.lower_bytes
            self._find_below = device.prepare_card(find_below, min(THREADS_BELOW, device.most_block), item * most)
        self._infinity, self._unreached = int(np.iinfo(dtype).max // 2), int(np.iinfo(dtype).max)
        self._none = device.put(np.zeros(1, np.int32))
        self._up = self._room_for_paths(1)
        self._output = Output(self._none, 0, 1, self._unreached)

    def _room_for_paths(self, count: int) -> Up:
        """Return room for what the highest tier leaves for those below it, of so many sources."""
        slots = self.tables.path_slots if len(self._tiers) > 1 else 0
        return Up(self._device.empty(count * slots, self._dtype), slots)

    def tree(self, source: int, matrices: Matrices, distances: DeviceArray) -> None:
        """Write the distances from a node to all nodes in their order."""
        position = self._position[source]
        if self._output.distances is not distances:
            self._output = self._output._replace(distances=distances)
        chosen = Sources(self._none, self._none, int(position), int(self._cell_of[position]))
        self._launch(1, chosen, matrices, self._up, self._output)

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
        output = Output(distances, source_stride, node_stride, self._unreached)
        self._launch(len(sources), chosen, matrices, self._room_for_paths(len(sources)), output)

    def _launch(self, count: int, chosen: Sources, matrices: Matrices, up: Up, output: Output) -> None:
        (_, regions), *lower = self._tiers
        rest = self._infinity, chosen, self.on_card
        self._find(count * regions, regions, *rest, self._room, matrices.l, matrices.r, up, output)
        for first, below in lower:
            self._find_below(count * below, first, below, *rest, self._room_below, matrices.l, up, output)


def _aligned(count: int) -> int:
    return -(-count // ALIGNED) * ALIGNED


def _largest(tables: Tables, tier: Tier) -> tuple[int, int, int]:
    """Return the most numbers of a table, nodes with those above, and entries of L that a region of a tier has."""
    records = tables.regions.reshape(-1, REGION_RECORD)[tier.first : tier.first + tier.size]
    nodes = records[:, ABOVE] + records[:, REGION_NODES]
    return int(records[:, TABLE_SIZE].max()), int(nodes.max()), int(records[:, REGION_L_SIZE].max())


def _divide_highest(tables: Tables, tier: Tier, shared_bytes: int, item: int) -> tuple[Room, int]:
    """Return how a block's shared memory is divided, and how much it takes, in entries of ``item`` bytes.

    What has to be there comes first; the matrices of the region and of the path get what is left.
    """
    table, nodes, longest = _largest(tables, tier)
    tops_at = tables.height * PATH_RECORD
    borders_at = 2 * tops_at
    table_at = borders_at + tables.borders
    path_at = _aligned(-(-4 * (table_at + table) // item))
    distances_at = path_at + _aligned(tables.path_slots)
    top_l_at = distances_at + _aligned(nodes)
    free = (shared_bytes // item - top_l_at) // ALIGNED * ALIGNED
    top_l = min(tables.top_l, _aligned(max(0, free) // 3))
    size = min(max(0, free - top_l), longest + tables.r)
    places = tops_at, borders_at, table_at, path_at, distances_at, top_l_at, top_l, top_l_at + top_l
    return Room(tables.height, *places, size, min(tables.r, size)), top_l_at + top_l + size


def _divide_lower(tables: Tables, tier: Tier, shared_bytes: int, item: int) -> tuple[Room, int]:
    """Return the same for the regions of all lower tiers."""
    table, nodes, longest = _largest(tables, tier)
    distances_at = _aligned(-(-4 * table // item))
    l_at = distances_at + _aligned(nodes)
    size = min(max(0, (shared_bytes // item - l_at) // ALIGNED * ALIGNED), longest)
    return Room(tables.height, 0, 0, 0, 0, distances_at, 0, 0, l_at, size, 0), l_at + size
