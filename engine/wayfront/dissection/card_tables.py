"""The tables by which blocks of a card climb and descend: shape only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
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
    table          numbers of a region's table
    distances      nodes of a region and above it
    top_l, r       entries of L above a region, of R on a path
    most_border    nodes of a border
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
    table: int
    distances: int
    top_l: int
    r: int

    @classmethod
    def of(cls, shape: Dissection, layout: CardLayout, regions: Regions) -> Tables:
        """Return the tables."""
        records, slots = _path_records(shape, layout, regions)
        height = int(shape.depth.max()) + 1
        paths = np.full((shape.cell_count, height), -1, np.int32)
        _write_paths(shape.parent, shape.depth, paths)
        region_records, tables = _region_tables(shape, layout, regions, records, slots, paths)
        padded = _up(records[:, [fields.NODES]] * (records[:, [fields.NODES]] + records[:, [fields.BORDER]]))[:, 0]
        tops = regions.of < 0
        top_l = records[:, fields.L_BEFORE] + _up(records[:, fields.NODES] * records[:, fields.BORDER])
        return cls(
            paths.ravel(),
            records.ravel(),
            slots,
            np.where(np.arange(height) < shape.depth[regions.roots, None], paths[regions.roots], -1).ravel(),
            region_records.ravel(),
            tables,
            height,
            int((records[:, fields.SLOT] + records[:, fields.NODES]).max()),
            int((records[:, fields.BORDER_BEFORE] + _up(records[:, fields.BORDER])).max()),
            int(region_records[:, fields.TABLE_SIZE].max()),
            int((region_records[:, fields.ABOVE] + region_records[:, fields.REGION_NODES]).max()),
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
    shape: Dissection, layout: CardLayout, regions: Regions, records: Int32Array, slots: Int32Array, paths: Int32Array
) -> tuple[Int32Array, Int32Array]:
    """Return (records [k, REGION_RECORD], the tables one after the other)."""
    result = np.zeros((len(regions.roots), fields.REGION_RECORD), np.int32)
    parts: list[Int32Array] = []
    total = 0
    for region, root in enumerate(regions.roots.tolist()):
        cells = regions.order[regions.begins[region] : regions.begins[region + 1]]
        record = result[region]
        table = _region_table(shape, records, slots, paths, root, cells, record)
        before = paths[regions.roots[region - 1]] if region else None
        tops = int(shape.depth[root])
        record[fields.TABLE_AT], record[fields.TABLE_SIZE] = total, len(table)
        record[fields.TOP_CELLS] = tops
        record[fields.OWN_FROM] = (
            0 if before is None else int(np.argmax(np.append(before[:tops] != paths[root, :tops], True)))
        )
        record[fields.ABOVE] = records[root, fields.SLOT]
        parts.append(table)
        total += len(table)
    return result, np.concatenate([*parts, np.zeros(ALIGNED, np.int32)])


def _region_table(
    shape: Dissection,
    records: Int32Array,
    slots: Int32Array,
    paths: Int32Array,
    root: int,
    cells: Int32Array,
    record: Int32Array,
) -> Int32Array:
    """Return the table of one region, and note in its record where the parts of it begin."""
    mine = records[cells]
    nodes, border = mine[:, fields.NODES], mine[:, fields.BORDER]
    first = mine[:, fields.IN_REGION]
    l_begin = int(mine[0, fields.L_AT])
    l_end = mine[:, fields.L_AT] - l_begin + nodes * border
    _, last = np.unique(shape.depth[cells][::-1], return_index=True)
    last = len(cells) - 1 - last
    level_end = (first + nodes)[last]
    level_first = np.concatenate(([0], level_end[:-1]))
    count = level_end - level_first
    levels = np.stack((level_first, count, _bits(count), l_end[last]), 1)[count > 0]
    border_at, border_size = places(border.astype(np.int64))
    entries = np.zeros((len(cells), fields.CELL_FIELDS), np.int32)
    entries[:, fields.CELL_L] = mine[:, fields.L_AT] - l_begin
    entries[:, fields.CELL_NODES], entries[:, fields.CELL_BORDER] = nodes, border
    entries[:, fields.CELL_BORDER_AT], entries[:, fields.CELL_FIRST] = border_at, first
    borders = np.zeros(border_size, np.int32)
    above = int(records[root, fields.SLOT])
    _fill_borders(
        cells,
        shape.border_offsets,
        shape.border,
        shape.cell_of,
        shape.offsets,
        records,
        root,
        above,
        border_at,
        borders,
        fields.SLOT,
        fields.IN_REGION,
    )
    total_nodes = int(nodes.sum())
    position = np.repeat(shape.offsets[cells] - first, nodes) + np.arange(total_nodes)
    top_borders = [np.zeros(0, np.int32)]
    for top in records[paths[root, : shape.depth[root]]]:
        begin, count = top[fields.BORDER_AT], top[fields.BORDER]
        top_borders += [slots[begin : begin + count], np.zeros(-count % ALIGNED, np.int32)]
    pieces = [
        (levels.ravel(), None),
        (entries.ravel(), fields.CELLS_AT),
        (np.repeat(np.arange(len(cells)), nodes), fields.CELL_AT),
        (borders, fields.BORDERS_AT),
        (shape.node_at[position], fields.NODES_AT),
        (np.concatenate(top_borders), fields.TOP_BORDERS_AT),
    ]
    at, table = 0, []
    for piece, field in pieces:
        if field is not None:
            record[field] = at
        table.append(piece.astype(np.int32))
        at += len(piece)
    table.append(np.zeros(-at % ALIGNED, np.int32))
    record[fields.LEVELS], record[fields.REGION_NODES] = len(levels), total_nodes
    record[fields.REGION_L], record[fields.REGION_L_SIZE] = l_begin, _up(l_end.max())
    return np.concatenate(table)


@loop
def _fill_borders(
    cells: Any,
    border_offsets: Any,
    border: Any,
    cell_of: Any,
    offsets: Any,
    records: Any,
    root: int,
    above: int,
    border_at: Any,
    borders: Any,
    slot_field: int,
    region_field: int,
) -> None:
    """Number the nodes of the region's borders as the region does: those above it by slots, then its own."""
    for index in range(len(cells)):
        cell = cells[index]
        for place in range(border_offsets[cell], border_offsets[cell + 1]):
            position = border[place]
            owner = cell_of[position]
            inside = position - offsets[owner]
            if owner < root:
                number = records[owner, slot_field] + inside
            else:
                number = above + records[owner, region_field] + inside
            borders[border_at[index] + place - border_offsets[cell]] = number
