"""The tables by which blocks of a card climb and descend: shape only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.devices.warps import WARP_BITS
from wayfront.dissection import card_records as fields
from wayfront.dissection.card_fold import L_AT, R_AT, RECORD
from wayfront.dissection.card_layout import ALIGNED, CardLayout, places
from wayfront.dissection.card_regions import Regions
from wayfront.dissection.shape import Dissection

Int32Array = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """What ``card_tree.TreeTables`` holds, and the sizes that divide a block's shared memory.

    height         cells of the longest path
    path_slots     nodes of the longest path
    borders        slots of the borders of a path
    top_l, r       entries of L above a region of the highest tier, of R on a path
    """

    paths: Int32Array
    path_records: Int32Array
    slots: Int32Array
    tops: Int32Array
    regions: Int32Array
    tables: Int32Array
    height: int
    path_slots: int
    borders: int
    top_l: int
    r: int

    @classmethod
    def of(cls, shape: Dissection, layout: CardLayout, regions: Regions) -> Tables:
        """Return the tables."""
        records, slots = _path_records(shape, layout, regions)
        height = int(shape.depth.max()) + 1
        paths = np.full((shape.cell_count, height), -1, np.int32)
        _write_paths(shape.parent, shape.depth, paths)
        region_records, tables = _region_tables(shape, regions, records, slots, paths)
        highest = regions.roots[: regions.tiers[0].size]
        padded = _up(records[:, [fields.NODES]] * (records[:, [fields.NODES]] + records[:, [fields.BORDER]]))[:, 0]
        tops = regions.of < 0
        top_l = records[:, fields.L_BEFORE] + _up(records[:, fields.NODES] * records[:, fields.BORDER])
        return cls(
            paths.ravel(),
            records.ravel(),
            slots,
            np.where(np.arange(height) < shape.depth[highest, None], paths[highest], -1).ravel(),
            region_records.ravel(),
            tables,
            height,
            int((records[:, fields.SLOT] + records[:, fields.NODES]).max()),
            int((records[:, fields.BORDER_BEFORE] + _up(records[:, fields.BORDER])).max()),
            int(top_l[tops].max(initial=0)),
            int((records[:, fields.R_BEFORE] + padded).max()),
        )


def _up(sizes: NDArray[Any]) -> NDArray[Any]:
    return -(-sizes // ALIGNED) * ALIGNED


def _bits(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Return how many bits number so many things, at least those of a warp's threads."""
    return np.maximum(WARP_BITS, np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64))


def _path_records(shape: Dissection, layout: CardLayout, regions: Regions) -> tuple[Int32Array, Int32Array]:
    """Return (records [c, PATH_RECORD], slots)."""
    c = shape.cell_count
    nodes, border = np.diff(shape.offsets), np.diff(shape.border_offsets)
    fold = layout.records.reshape(c, RECORD)
    records = np.zeros((c, fields.PATH_RECORD), np.int32)
    records[:, fields.NODES], records[:, fields.BORDER] = nodes, border
    border_at, slot_count = places(border)
    records[:, fields.BORDER_AT] = border_at
    records[:, fields.R_AT], records[:, fields.L_AT] = fold[:, R_AT], fold[:, L_AT]
    sizes = np.stack((nodes, _up(nodes * (nodes + border)), _up(border), _up(nodes * border)), 1).astype(np.int64)
    before = np.zeros((c, 4), np.int64)
    _sum_above(shape.parent, sizes, before)
    for column, field in enumerate((fields.SLOT, fields.R_BEFORE, fields.BORDER_BEFORE, fields.L_BEFORE)):
        records[:, field] = before[:, column]
    records[:, fields.REGION] = regions.of
    records[:, fields.POSITION], records[:, fields.DEPTH] = shape.offsets[:-1], shape.depth
    records[:, fields.FRONT_BITS], records[:, fields.NODE_BITS] = _bits(nodes + border), _bits(nodes)
    ordered = nodes[regions.order].astype(np.int64)
    ends = np.cumsum(ordered)
    first = ends - ordered
    in_region = first - first[np.minimum(regions.begins[np.maximum(regions.of[regions.order], 0)], c - 1)]
    records[regions.order, fields.IN_REGION] = in_region
    slots = np.zeros(slot_count + ALIGNED, np.int32)
    slot_of = (before[:, 0] - shape.offsets[:-1])[shape.cell_of[shape.border]] + shape.border
    slots[np.repeat(border_at - shape.border_offsets[:-1], border) + np.arange(len(shape.border))] = slot_of
    return records, slots


@loop
def _sum_above(parent: Any, sizes: Any, before: Any) -> None:
    for cell in range(1, len(parent)):
        for k in range(sizes.shape[1]):
            before[cell, k] = before[parent[cell], k] + sizes[parent[cell], k]


@loop
def _write_paths(parent: Any, depth: Any, paths: Any) -> None:
    for cell in range(len(parent)):
        for k in range(depth[cell]):
            paths[cell, k] = paths[parent[cell], k]
        paths[cell, depth[cell]] = cell


def _region_tables(
    shape: Dissection, regions: Regions, records: Int32Array, slots: Int32Array, paths: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Return (records [k, REGION_RECORD], the tables one after the other)."""
    result = np.zeros((len(regions.roots), fields.REGION_RECORD), np.int32)
    highest = regions.tiers[0].size
    given = regions.order, regions.begins, regions.roots, highest, shape.depth, records
    size = _size_tables(*given, paths, result)
    tables = np.zeros(size + ALIGNED, np.int32)
    known = np.zeros(shape.node_count, np.int32)
    _fill_tables(*given, paths, result, shape.offsets, shape.border_offsets, shape.border, shape.cell_of, shape.node_at,
                 slots, known, tables)  # fmt: skip
    return result, tables


@loop
def _size_tables(
    order: Any, begins: Any, roots: Any, highest: int, depth: Any, records: Any, paths: Any, result: Any
) -> int:
    """Write the regions' records; return the size of all their tables."""
    total = 0
    for region in range(len(roots)):
        root, record = roots[region], result[region]
        first, last = order[begins[region]], order[begins[region + 1] - 1]
        l_end, levels, level_nodes, border_size = 0, 0, 0, 0
        for at in range(begins[region], begins[region + 1]):
            cell = order[at]
            nodes, border = records[cell, fields.NODES], records[cell, fields.BORDER]
            l_end = records[cell, fields.L_AT] + nodes * border - records[first, fields.L_AT]
            border_size += -(-border // ALIGNED) * ALIGNED
            level_nodes += nodes
            if at + 1 == begins[region + 1] or depth[order[at + 1]] != depth[cell]:
                levels += level_nodes > 0
                level_nodes = 0
        nodes, tops = records[last, fields.IN_REGION] + records[last, fields.NODES], depth[root]
        record[fields.CELLS_AT] = fields.LEVEL_FIELDS * levels
        record[fields.CELL_AT] = record[fields.CELLS_AT] + fields.CELL_FIELDS * (begins[region + 1] - begins[region])
        record[fields.BORDERS_AT] = record[fields.CELL_AT] + nodes
        record[fields.NODES_AT] = record[fields.BORDERS_AT] + border_size
        record[fields.ABOVE_AT] = record[fields.NODES_AT] + nodes
        size = record[fields.ABOVE_AT]
        if region < highest:
            record[fields.ABOVE] = records[root, fields.SLOT]
            own = 0
            for place in range(tops):
                size += -(-records[paths[root, place], fields.BORDER] // ALIGNED) * ALIGNED
                if region > 0 and own == place and paths[roots[region - 1], place] == paths[root, place]:
                    own += 1
            record[fields.OWN_FROM] = own
        else:
            record[fields.ABOVE] = records[root, fields.BORDER]
            size += records[root, fields.BORDER]
        size = -(-size // ALIGNED) * ALIGNED
        record[fields.TABLE_AT], record[fields.TABLE_SIZE] = total, size
        record[fields.LEVELS], record[fields.REGION_NODES] = levels, nodes
        record[fields.REGION_L], record[fields.REGION_L_SIZE] = (
            records[first, fields.L_AT],
            -(-l_end // ALIGNED) * ALIGNED,
        )
        record[fields.TOP_CELLS], record[fields.ROOT] = tops, root
        total += size
    return total


@part
def _fill_above(
    root: int, record: Any, records: Any, paths: Any, offsets: Any, slots: Any, known: Any, tables: Any
) -> None:
    """Number the nodes above a region of the highest tier by slots, and write the borders of the cells there."""
    at = record[fields.TABLE_AT] + record[fields.ABOVE_AT]
    for place in range(record[fields.TOP_CELLS]):
        top = paths[root, place]
        for inside in range(records[top, fields.NODES]):
            known[offsets[top] + inside] = records[top, fields.SLOT] + inside
        border, border_at = records[top, fields.BORDER], records[top, fields.BORDER_AT]
        for turn in range(border):
            tables[at + turn] = slots[border_at + turn]
        at += -(-border // ALIGNED) * ALIGNED


@part
def _fill_border(
    root: int, record: Any, border_offsets: Any, borders: Any, node_at: Any, known: Any, tables: Any
) -> None:
    """Number the nodes of the border of a lower region's uppermost cell in their order, and write which they are."""
    at = record[fields.TABLE_AT] + record[fields.ABOVE_AT]
    for turn in range(border_offsets[root + 1] - border_offsets[root]):
        position = borders[border_offsets[root] + turn]
        known[position] = turn
        tables[at + turn] = node_at[position]


@loop
def _fill_tables(
    order: Any,
    begins: Any,
    roots: Any,
    highest: int,
    depth: Any,
    records: Any,
    paths: Any,
    result: Any,
    offsets: Any,
    border_offsets: Any,
    borders: Any,
    cell_of: Any,
    node_at: Any,
    slots: Any,
    known: Any,
    tables: Any,
) -> None:
    """Write the regions' tables. ``known`` int32 [n] is room for the numbers of the positions above a region."""
    for region in range(len(roots)):
        root, record = roots[region], result[region]
        base = record[fields.TABLE_AT]
        if region < highest:
            _fill_above(root, record, records, paths, offsets, slots, known, tables)
        else:
            _fill_border(root, record, border_offsets, borders, node_at, known, tables)
        first = order[begins[region]]
        level_at, level_first, border_at = base, 0, 0
        for index in range(begins[region + 1] - begins[region]):
            at = begins[region] + index
            cell = order[at]
            nodes, border = records[cell, fields.NODES], records[cell, fields.BORDER]
            in_region, l_at = records[cell, fields.IN_REGION], records[cell, fields.L_AT] - records[first, fields.L_AT]
            entry = base + record[fields.CELLS_AT] + fields.CELL_FIELDS * index
            tables[entry + fields.CELL_L], tables[entry + fields.CELL_FIRST] = l_at, in_region
            tables[entry + fields.CELL_NODES], tables[entry + fields.CELL_BORDER] = nodes, border
            tables[entry + fields.CELL_BORDER_AT] = border_at
            for inside in range(nodes):
                tables[base + record[fields.CELL_AT] + in_region + inside] = index
                tables[base + record[fields.NODES_AT] + in_region + inside] = node_at[offsets[cell] + inside]
            for turn in range(border):
                position = borders[border_offsets[cell] + turn]
                owner = cell_of[position]
                number = known[position]
                if owner >= root:
                    number = record[fields.ABOVE] + records[owner, fields.IN_REGION] + position - offsets[owner]
                tables[base + record[fields.BORDERS_AT] + border_at + turn] = number
            border_at += -(-border // ALIGNED) * ALIGNED
            if at + 1 == begins[region + 1] or depth[order[at + 1]] != depth[cell]:
                count = in_region + nodes - level_first
                if count > 0:
                    tables[level_at + fields.LEVEL_FIRST], tables[level_at + fields.LEVEL_COUNT] = level_first, count
                    tables[level_at + fields.LEVEL_BITS] = max(WARP_BITS, np.ceil(np.log2(count)))
                    tables[level_at + fields.LEVEL_L_END] = l_at + nodes * border
                    level_at += fields.LEVEL_FIELDS
                level_first = in_region + nodes
