"""Records and tables by which a card's blocks find cells, regions and their matrices; ``card_tables`` makes them."""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.device import DeviceArray

PATH_RECORD_BITS = 4
PATH_RECORD = 1 << PATH_RECORD_BITS
"""Numbers in a cell's record for the climb."""

NODES, BORDER, SLOT, BORDER_AT, R_AT, L_AT, R_BEFORE, BORDER_BEFORE = range(8)
L_BEFORE, IN_REGION, REGION, POSITION, DEPTH, FRONT_BITS, NODE_BITS = range(8, 15)
"""Nodes of separator and border; the path slot of the first; where its border's slots, R and L begin; the entries of R,
slots and entries of L of the cells above, as they are copied; its first node's number in its region, and that; its
position; the cell's depth; the bits that number the nodes of its front, and of its separator."""

REGION_RECORD = 16
TABLE_AT, TABLE_SIZE, REGION_L, REGION_L_SIZE, ABOVE, REGION_NODES, LEVELS = range(7)
CELLS_AT, CELL_AT, BORDERS_AT, NODES_AT, ABOVE_AT, TOP_CELLS, OWN_FROM, ROOT = range(7, 15)
"""Where table and L of a region begin and their sizes; nodes above it that it knows and nodes of it; levels; where the
parts of the table begin; how many cells are above it, from which depth on it is the first region below them, and its
uppermost cell. The part of what is above has, in the highest tier, the borders of the cells there, as slots; below that
the nodes of the uppermost cell's border."""

CELL_FIELDS = 5
CELL_L, CELL_NODES, CELL_BORDER, CELL_BORDER_AT, CELL_FIRST = range(5)
"""A cell in its region's table: where its L and border begin, counted from the region's, and its first node."""

LEVEL_FIELDS = 4
LEVEL_FIRST, LEVEL_COUNT, LEVEL_BITS, LEVEL_L_END = range(4)
"""A level there: its first node, their number, the bits that number them, and where its matrices L end."""


class TreeTables(NamedTuple):
    """Where the cells of paths and regions lie.

    paths           int32 [c · height], the cells from the root to each cell, −1 behind it
    path_records    int32 [c · PATH_RECORD]
    slots           int32, for each cell's border where its nodes lie on the path
    tops            int32 [k · height], the cells above each region of the highest tier, −1 behind the last
    regions         int32 [k · REGION_RECORD]
    tables          int32, for each region levels, cells, the cell of each node, borders, node numbers, what is above
    node_at         int32 [n]
    """

    paths: DeviceArray
    path_records: DeviceArray
    slots: DeviceArray
    tops: DeviceArray
    regions: DeviceArray
    tables: DeviceArray
    node_at: DeviceArray


class Room(NamedTuple):
    """How a block's shared memory is divided, in int32 up to the table, then in entries.

    Below the highest tier nothing comes before the table, and neither path nor L of the cells above has any room.

    height        the longest path, in cells
    tops_at       records of the cells above the region, behind those of the path
    borders_at    borders on the path
    table_at      the region's table
    path_at       distances on the path
    distances_at  distances of the region
    top_l_at, top_l_size   L of the cells above the region, of which so many entries are kept
    l_at, size    L of the region, of which so many entries can be kept
    r_size        R of the path, behind what is copied of L at once
    """

    height: int
    tops_at: int
    borders_at: int
    table_at: int
    path_at: int
    distances_at: int
    top_l_at: int
    top_l_size: int
    l_at: int
    size: int
    r_size: int


class Sources(NamedTuple):
    """The positions of the sources and their cells; where there is one only, it is ``position`` in ``cell``."""

    positions: DeviceArray
    cells: DeviceArray
    position: int
    cell: int


class Output(NamedTuple):
    """Where distances go: that from source b to node v to ``b * source_stride + v * node_stride``."""

    distances: DeviceArray
    source_stride: int
    node_stride: int
    unreached: int


class Block(NamedTuple):
    """A block's shared memory: how it is divided, and the same bytes as int32 and as entries."""

    room: Room
    ints: DeviceArray
    d: DeviceArray


class Up(NamedTuple):
    """Where the highest tier leaves the distances on each source's path for those below, ``path_slots`` for each.

    It is 0 where there is no tier below.
    """

    distances: DeviceArray
    path_slots: int


class Path(NamedTuple):
    """The source's path, and what of its matrices R is kept: ``r_size`` entries at ``r_at``."""

    deepest: int
    r_at: int
    r_size: int


class Table(NamedTuple):
    """Where in shared memory the parts of a region's table begin, and the numbers of nodes and cells above it."""

    cells: int
    cell_of: int
    borders: int
    above: int
    tops: int
