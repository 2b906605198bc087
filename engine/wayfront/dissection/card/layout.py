"""Where a card keeps fronts, cells and regions: the records and tables that its kernels read. Shape only.

*A front* is a small dense matrix. With s nodes in a cell's separator and a in its border, customising leaves of it::

                      separator   border
                     +-----------+-----------+
      separator, s   |           R           |    R  from the separator, closed: a search ascends by it
                     +-----------+-----------+
      border, a      |     L     |     U     |    L  to the separator: a search descends by it
                     +-----------+-----------+    U  what elimination leaves to the parent

*A region* is a part of the tree of cells that one block of threads searches; those above all regions are *top* cells.
Where as many subtrees as the card takes blocks at once fit its processors, there is one tier of regions. A larger
network gets a lower tier of regions as large as fit, and is divided again without their cells, until few enough are
left. What a block does for one tree, with the source in cell x::

      root               top
       +-- o             top                   1. ascend from x by way of o to the root, by the R of each
       |   +-- x …       another region
       |   +-- …         another region
       +-- t             top                   2. descend through the root and t, the top cells above the region, by L
           +-- …         the block's region    3. descend through the region, level by level
           +-- …         another region

A record is some int32 side by side, like the fields of a C struct. ``FRONT``, ``CELL``, ``REGION``, ``INSIDE`` and
``LEVEL`` name where in a record a field lies: ``records[cell * CELL_SIZE + CELL.nodes]``.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.blocks import WARP_BITS
from wayfront.devices.compiling import loop, part
from wayfront.devices.device import DeviceArray
from wayfront.dissection.shape import Dissection, FrontLayout, numbered

ALIGNED = 4
"""Matrices and lists begin at multiples of so many entries, where copies of 16 bytes can begin."""

NODE_COST = 4
"""What a node costs beside the entries of its cell's matrix, in entries."""

CHILDREN = 2
"""Children that a cell has at most."""

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


class FrontRecord(NamedTuple):
    """What elimination reads of a cell."""

    nodes: int
    """How many nodes its separator has."""
    border: int
    """How many its border has."""
    first_arc: int
    end_arc: int
    """Its arcs in ``Fronts.arcs``."""
    l_at: int
    r_at: int
    u_at: int
    """Where its matrices begin."""
    depth: int
    map_at: int
    """Where in ``Fronts.from_child`` the indices of its front's nodes in the children's borders begin."""
    child_border: int
    child_u: int
    """The length of the first child's border, and where its U begins; the second child's are ``NEXT_CHILD`` behind."""


class CellRecord(NamedTuple):
    """What a search reads of a cell. *Above* it lie the cells on its path to the root."""

    nodes: int
    """How many nodes its separator has."""
    border: int
    """How many its border has."""
    slot: int
    """The number of its first node among those of its path, the root's first."""
    border_at: int
    """Where in ``TreeTables.slots`` those of its border begin."""
    r_at: int
    l_at: int
    """Where its matrices begin."""
    r_before: int
    border_before: int
    l_before: int
    """Entries of R, slots of borders and entries of L of the cells above, which a block copies first."""
    in_region: int
    """The number of its first node among those of its region."""
    region: int
    """Its region, −1 for a top cell."""
    position: int
    """The position of its first node."""
    depth: int
    front_bits: int
    node_bits: int
    """How many bits number the nodes of its front, and of its separator; at least those of a warp's threads."""


class RegionRecord(NamedTuple):
    """What a block reads of its region. Its table, with the ends of its parts as fields::

        table_at
        0             cells_at        cell_at            borders_at   nodes_at       above_at            table_size
        | LEVEL, for  | INSIDE, for   | index of the     | borders    | ids of its   | what lies above   |
        | each level  | each cell     | cell of each node| of cells   | nodes        | the region        |

    *What lies above* are, in the highest tier, the borders of the top cells above it, as slots; below that, the ids of
    the nodes on the border of its uppermost cell. A node of a border is a number among those above, ``above`` in all,
    and, behind these, the nodes of the region.
    """

    table_at: int
    table_size: int
    l_at: int
    l_size: int
    """Where L of its cells begins, and how many entries it has, rounded up."""
    above: int
    """How many nodes above it its cells border on or pass."""
    nodes: int
    """How many nodes all of its cells own."""
    levels: int
    cells_at: int
    cell_at: int
    borders_at: int
    nodes_at: int
    above_at: int
    tops: int
    """How many cells are above it."""
    own_from: int
    """The depth from which on it is the first region below these: it writes their distances."""
    root: int
    """Its uppermost cell."""


class InsideRecord(NamedTuple):
    """A cell in its region's table; where its L and its border begin counts from the region's."""

    l_at: int
    nodes: int
    border: int
    border_at: int
    first: int
    """Its first node, in the region."""


class LevelRecord(NamedTuple):
    """The cells of one depth in a region's table."""

    first: int
    """The first of their nodes, in the region."""
    nodes: int
    """How many they own together."""
    bits: int
    """How many bits number so many nodes, at least those of a warp's threads."""
    l_end: int
    """Where their L ends, counted from the region's."""


FRONT, FRONT_SIZE, NEXT_CHILD = numbered(FrontRecord), 16, 2
CELL_BITS = 4
CELL, CELL_SIZE = numbered(CellRecord), 1 << CELL_BITS
REGION, REGION_SIZE = numbered(RegionRecord), 16
INSIDE, INSIDE_SIZE = numbered(InsideRecord), len(InsideRecord._fields)
LEVEL, LEVEL_SIZE = numbered(LevelRecord), len(LevelRecord._fields)


class TreeTables(NamedTuple):
    """Where the cells of paths and regions lie.

    paths     int32 [c · height], the cells from the root to each cell, −1 behind it
    cells     int32 [c · CELL_SIZE], the records of cells
    slots     int32, for each cell's border where its nodes lie on the path
    tops      int32 [k · height], the cells above each region of the highest tier, −1 behind the last
    regions   int32 [k · REGION_SIZE], the records of regions
    tables    int32, the tables of regions
    node_at   int32 [n]
    """

    paths: DeviceArray
    cells: DeviceArray
    slots: DeviceArray
    tops: DeviceArray
    regions: DeviceArray
    tables: DeviceArray
    node_at: DeviceArray


@dataclass(frozen=True, slots=True)
class Level:
    """Cells of one height in ``cells``, from ``first`` on: for blocks, for warps, and those larger than both take.

    ``widest`` is the number of nodes of the largest front for warps.
    """

    first: int
    tiles: int
    warps: int
    large: int
    widest: int


@dataclass(frozen=True, slots=True, eq=False)
class CardLayout:
    """The fronts of a dissection as a card has them.

    records, arc_slots, arcs, from_child   as in ``elimination.Fronts``
    cells                                  int32 [c], by height, children before parents
    levels                                 the parts of ``cells`` that one launch each eliminates
    l_size, r_size, u_size                 entries of these matrices
    """

    records: NDArray[np.int32]
    arc_slots: NDArray[np.int32]
    arcs: NDArray[np.int32]
    from_child: NDArray[np.int16]
    height: NDArray[np.int32]
    cells: NDArray[np.int32]
    levels: tuple[Level, ...]
    l_size: int
    r_size: int
    u_size: int

    @classmethod
    def of(cls, fronts: FrontLayout, order: NDArray[np.int32], small: int, tile: int) -> CardLayout:
        """Return the layout. ``order`` int32 [c]: the cells in the order of L; for others see ``by_height``."""
        shape = fronts.dissection
        nodes = np.diff(shape.offsets).astype(np.int64)
        border = np.diff(shape.border_offsets)
        size = nodes + border
        records = np.zeros((shape.cell_count, FRONT_SIZE), np.int32)
        records[:, FRONT.nodes], records[:, FRONT.border], records[:, FRONT.depth] = nodes, border, shape.depth
        records[:, FRONT.first_arc], records[:, FRONT.end_arc] = fronts.arc_offsets[:-1], fronts.arc_offsets[1:]
        l_at, l_size = aligned_begins((nodes * border)[order])
        records[order, FRONT.l_at] = l_at
        records[:, FRONT.r_at], r_size = aligned_begins(nodes * size)
        records[:, FRONT.u_at], u_size = aligned_begins(border * border)
        records[:, FRONT.map_at], map_size = aligned_begins(CHILDREN * size)
        from_child = np.full(map_size, -1, np.int16)
        height = np.zeros(shape.cell_count, np.int32)
        _link(shape.parent, shape.border_offsets, fronts.parent_index, records, from_child, height)
        cell_of_slot = np.repeat(np.arange(shape.cell_count), np.diff(fronts.arc_offsets))
        slots = (fronts.arc_row * size[cell_of_slot] + fronts.arc_column).astype(np.int32)
        cells, levels = by_height(np.arange(shape.cell_count), height, size, small, tile)
        return cls(records.ravel(), slots, fronts.arcs, from_child, height, cells, levels, l_size, r_size, u_size)


def aligned_begins(sizes: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
    """Return where arrays of such sizes begin, one after the other and aligned, and the size of all."""
    ends = np.cumsum(-(-sizes // ALIGNED) * ALIGNED)
    begins = np.concatenate(([0], ends[:-1]))
    return begins, int(ends[-1])


def by_height(
    cells: NDArray[Any], height: NDArray[np.int32], size: NDArray[np.int64], small: int, tile: int
) -> tuple[NDArray[np.int32], tuple[Level, ...]]:
    """Return cells in the order in which they can be eliminated, and which of them at once.

    Warps take fronts of up to ``small`` nodes, blocks those of up to ``tile``. Of each height the blocks' come first,
    large ones before small ones, so that all end at the same time.
    """
    kind = np.where(size[cells] > tile, 2, np.where(size[cells] > small, 0, 1))
    ordered = cells[np.lexsort((-size[cells], kind, height[cells]))].astype(np.int32)
    depth = int(height[cells].max(initial=-1)) + 1
    counts = np.bincount(3 * height[cells] + kind, minlength=3 * depth).reshape(-1, 3)
    widest = np.zeros(depth, np.int64)
    np.maximum.at(widest, height[cells], np.where(kind == 1, size[cells], 0))
    levels, first = [], 0
    for (tiles, warps, large), width in zip(counts.tolist(), widest.tolist(), strict=True):
        if tiles + warps + large:
            levels.append(Level(first, tiles, warps, large, width))
        first += tiles + warps + large
    return ordered, tuple(levels)


@loop
def _link(parent: Any, border_offsets: Any, parent_index: Any, records: Any, from_child: Any, height: Any) -> None:
    """Note for every cell its children, where its nodes are in their borders, and its height above the lowest leaf."""
    count = np.zeros(len(parent), np.int32)
    for cell in range(len(parent) - 1, 0, -1):
        above = parent[cell]
        height[above] = max(height[above], height[cell] + 1)
        child = count[above]
        count[above] += 1
        first, last = border_offsets[cell], border_offsets[cell + 1]
        records[above, FRONT.child_border + NEXT_CHILD * child] = last - first
        records[above, FRONT.child_u + NEXT_CHILD * child] = records[cell, FRONT.u_at]
        at = records[above, FRONT.map_at] + child * (records[above, FRONT.nodes] + records[above, FRONT.border])
        for index in range(first, last):
            from_child[at + parent_index[index]] = index - first


class Tier(NamedTuple):
    """Regions that are searched in one launch: ``size`` of them from number ``first`` on."""

    first: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Parts of the tree of cells that are searched by one block each; the cells above all of them are *top* cells.

    roots     int32 [k], tier after tier from the highest on, ascending in each
    tiers     the parts of these
    of        int32 [c], the region of each cell, −1 for top cells
    order     int32 [c]: the cells in the order in which their matrices L lie: top cells, then region after region, each
              by depth
    begins    int64 [k + 1]; the cells of region r are order[begins[r]:begins[r + 1]]
    """

    roots: Int32Array
    tiers: tuple[Tier, ...]
    of: Int32Array
    order: Int32Array
    begins: NDArray[np.int64]

    @classmethod
    def of_shape(cls, shape: Dissection, count: int, most_nodes: int, most_below: int) -> Regions:
        """Return ``count`` regions of at most ``most_nodes`` nodes, and below them those of at most ``most_below``."""
        left = np.ones(shape.cell_count, bool)
        found = [_divide(shape, left, count, most_nodes)]
        while len(found[0]) > count:
            lower = _divide(shape, left, 1, most_below)
            if lower == [0]:
                break
            for root in lower:
                left[root : shape.end[root]] = False
            found = [_divide(shape, left, count, most_nodes), lower, *found[1:]]
        of = np.full(shape.cell_count, -1, np.int32)
        sizes = [len(roots) for roots in found]
        tiers = tuple(Tier(sum(sizes[:turn]), size) for turn, size in enumerate(sizes))
        for tier, roots in zip(tiers, found, strict=True):
            for region, root in enumerate(roots, tier.first):
                of[root : shape.end[root]] = region
        order = np.lexsort((shape.depth, of)).astype(np.int32)
        begins = np.searchsorted(of[order], np.arange(sum(sizes) + 1))
        return cls(np.concatenate(found).astype(np.int32), tiers, of, order, begins)


def _divide(shape: Dissection, left: NDArray[np.bool_], count: int, most_nodes: int) -> list[int]:
    """Return the roots of subtrees of the cells that are ``left``, ascending.

    The most costly one is divided until there are ``count``, then those of more than ``most_nodes`` nodes.
    """
    nodes, border = np.where(left, np.diff(shape.offsets), 0).astype(np.int64), np.diff(shape.border_offsets)
    nodes_before = np.concatenate(([0], np.cumsum(nodes)))
    before = np.concatenate(([0], np.cumsum(nodes * (border + NODE_COST))))

    def entry(cell: int) -> tuple[int, int]:
        return int(before[cell] - before[shape.end[cell]]), cell

    def children(cell: int) -> list[int]:
        found = shape.children[shape.children_offsets[cell] : shape.children_offsets[cell + 1]]
        below: list[int] = found[left[found]].tolist()
        return below

    heap, done = [entry(0)], list[int]()
    while heap and len(heap) + len(done) < count:
        cell = heapq.heappop(heap)[1]
        below = children(cell)
        for child in below:
            heapq.heappush(heap, entry(child))
        if not below:
            done.append(cell)
    waiting = [cell for _, cell in heap]
    while waiting:
        cell = waiting.pop()
        too_large = nodes_before[shape.end[cell]] - nodes_before[cell] > most_nodes
        below = children(cell) if too_large else []
        waiting += below
        if not below:
            done.append(cell)
    return sorted(done)


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables by which blocks search, on the host, and the sizes that divide a block's shared memory.

    height         cells of the longest path
    path_slots     nodes of the longest path
    borders        slots of the borders of a path
    top_l, r       entries of L above a region of the highest tier, of R on a path
    """

    arrays: TreeTables
    height: int
    path_slots: int
    borders: int
    top_l: int
    r: int

    @classmethod
    def of(cls, shape: Dissection, layout: CardLayout, regions: Regions) -> Tables:
        """Return the tables."""
        cells, slots = _cell_records(shape, layout, regions)
        height = int(shape.depth.max()) + 1
        paths = np.full((shape.cell_count, height), -1, np.int32)
        _write_paths(shape.parent, shape.depth, paths)
        given = _Given(
            *(shape.offsets, shape.border_offsets, shape.border, shape.cell_of, shape.depth, shape.node_at),
            *(regions.order, regions.begins, regions.roots, regions.tiers[0].size, cells, slots, paths),
        )
        records = np.zeros((len(regions.roots), REGION_SIZE), np.int32)
        tables = np.zeros(_size_tables(given, records) + ALIGNED, np.int32)
        _fill_tables(given, records, np.zeros(shape.node_count, np.int32), tables)
        highest = regions.roots[: regions.tiers[0].size]
        tops = np.where(np.arange(height) < shape.depth[highest, None], paths[highest], -1)
        rows = (paths.ravel(), cells.ravel(), slots, tops.ravel(), records.ravel(), tables, shape.node_at)
        nodes, border = cells[:, CELL.nodes], cells[:, CELL.border]
        l_end = cells[:, CELL.l_before] + _up(nodes * border)
        return cls(
            TreeTables(*rows),
            height,
            int((cells[:, CELL.slot] + nodes).max()),
            int((cells[:, CELL.border_before] + _up(border)).max()),
            int(l_end[regions.of < 0].max(initial=0)),
            int((cells[:, CELL.r_before] + _up(nodes * (nodes + border))).max()),
        )


def _up(sizes: Any) -> Any:
    """Round sizes up to multiples of ``ALIGNED``."""
    return -(-sizes // ALIGNED) * ALIGNED


_up_in_loop = part(_up)


def _bits(counts: NDArray[Any]) -> Int64Array:
    """Return how many bits number so many things, at least those of a warp's threads."""
    return np.maximum(WARP_BITS, np.ceil(np.log2(np.maximum(counts, 1))).astype(np.int64))


def _cell_records(shape: Dissection, layout: CardLayout, regions: Regions) -> tuple[Int32Array, Int32Array]:
    """Return (records [c, CELL_SIZE], slots)."""
    c = shape.cell_count
    nodes, border = np.diff(shape.offsets), np.diff(shape.border_offsets)
    fronts = layout.records.reshape(c, FRONT_SIZE)
    records = np.zeros((c, CELL_SIZE), np.int32)
    records[:, CELL.nodes], records[:, CELL.border] = nodes, border
    border_at, slot_count = aligned_begins(border)
    records[:, CELL.border_at] = border_at
    records[:, CELL.r_at], records[:, CELL.l_at] = fronts[:, FRONT.r_at], fronts[:, FRONT.l_at]
    sizes = np.stack((nodes, _up(nodes * (nodes + border)), _up(border), _up(nodes * border)), 1).astype(np.int64)
    before = np.zeros((c, 4), np.int64)
    _sum_above(shape.parent, sizes, before)
    records[:, [CELL.slot, CELL.r_before, CELL.border_before, CELL.l_before]] = before
    records[:, CELL.region] = regions.of
    records[:, CELL.position], records[:, CELL.depth] = shape.offsets[:-1], shape.depth
    records[:, CELL.front_bits], records[:, CELL.node_bits] = _bits(nodes + border), _bits(nodes)
    ordered = nodes[regions.order].astype(np.int64)
    first = np.cumsum(ordered) - ordered
    in_region = first - first[np.minimum(regions.begins[np.maximum(regions.of[regions.order], 0)], c - 1)]
    records[regions.order, CELL.in_region] = in_region
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


class _Given(NamedTuple):
    """What the tables of regions are made of: arrays of the dissection, then of its regions, then of ``TreeTables``.

    ``highest`` is the number of regions of the highest tier; ``cells`` [c, CELL_SIZE] and ``paths`` [c, height].
    """

    offsets: Any
    border_offsets: Any
    border: Any
    cell_of: Any
    depth: Any
    node_at: Any
    order: Any
    begins: Any
    roots: Any
    highest: Any
    cells: Any
    slots: Any
    paths: Any


@part
def _ends_level(given: Any, region: int, at: int) -> bool:
    """Return whether a region's cell at ``order[at]`` is the last of its depth there."""
    order = given.order
    return at + 1 == given.begins[region + 1] or given.depth[order[at + 1]] != given.depth[order[at]]


@loop
def _size_tables(given: Any, result: Any) -> int:
    """Write the regions' records; return the size of all their tables."""
    order, begins, cells, paths, total = given.order, given.begins, given.cells, given.paths, 0
    for region in range(len(given.roots)):
        root, record = given.roots[region], result[region]
        first, last = order[begins[region]], order[begins[region + 1] - 1]
        levels, level_nodes, border_size = 0, 0, 0
        for at in range(begins[region], begins[region + 1]):
            border_size += _up_in_loop(cells[order[at], CELL.border])
            level_nodes += cells[order[at], CELL.nodes]
            if _ends_level(given, region, at):
                levels += level_nodes > 0
                level_nodes = 0
        nodes = cells[last, CELL.in_region] + cells[last, CELL.nodes]
        l_end = cells[last, CELL.l_at] + cells[last, CELL.nodes] * cells[last, CELL.border] - cells[first, CELL.l_at]
        record[REGION.cells_at] = LEVEL_SIZE * levels
        record[REGION.cell_at] = record[REGION.cells_at] + INSIDE_SIZE * (begins[region + 1] - begins[region])
        record[REGION.borders_at] = record[REGION.cell_at] + nodes
        record[REGION.nodes_at] = record[REGION.borders_at] + border_size
        record[REGION.above_at] = record[REGION.nodes_at] + nodes
        record[REGION.tops], record[REGION.root] = given.depth[root], root
        size = record[REGION.above_at]
        if region < given.highest:
            record[REGION.above] = cells[root, CELL.slot]
            own = 0
            for depth in range(record[REGION.tops]):
                size += _up_in_loop(cells[paths[root, depth], CELL.border])
                if region > 0 and own == depth and paths[given.roots[region - 1], depth] == paths[root, depth]:
                    own += 1
            record[REGION.own_from] = own
        else:
            record[REGION.above] = cells[root, CELL.border]
            size += cells[root, CELL.border]
        size = _up_in_loop(size)
        record[REGION.table_at], record[REGION.table_size] = total, size
        record[REGION.levels], record[REGION.nodes] = levels, nodes
        record[REGION.l_at], record[REGION.l_size] = cells[first, CELL.l_at], _up_in_loop(l_end)
        total += size
    return total


@part
def _fill_above_highest(given: Any, record: Any, number: Any, tables: Any) -> None:
    """Number the nodes above a region of the highest tier by slots, and write the borders of the cells there."""
    cells, at = given.cells, record[REGION.table_at] + record[REGION.above_at]
    for depth in range(record[REGION.tops]):
        top = given.paths[record[REGION.root], depth]
        for inside in range(cells[top, CELL.nodes]):
            number[given.offsets[top] + inside] = cells[top, CELL.slot] + inside
        for turn in range(cells[top, CELL.border]):
            tables[at + turn] = given.slots[cells[top, CELL.border_at] + turn]
        at += _up_in_loop(cells[top, CELL.border])


@part
def _fill_above_lower(given: Any, record: Any, number: Any, tables: Any) -> None:
    """Number the nodes of the border of a lower region's uppermost cell in their order, and write which they are."""
    first, at = given.border_offsets[record[REGION.root]], record[REGION.table_at] + record[REGION.above_at]
    for turn in range(record[REGION.above]):
        position = given.border[first + turn]
        number[position] = turn
        tables[at + turn] = given.node_at[position]


@loop
def _fill_tables(given: Any, result: Any, number: Any, tables: Any) -> None:
    """Write the regions' tables. ``number`` int32 [n] is room for the numbers of the positions above a region."""
    order, begins, cells = given.order, given.begins, given.cells
    for region in range(len(given.roots)):
        record = result[region]
        if region < given.highest:
            _fill_above_highest(given, record, number, tables)
        else:
            _fill_above_lower(given, record, number, tables)
        base = record[REGION.table_at]
        level_at, level_first, border_at = base, 0, 0
        for index in range(begins[region + 1] - begins[region]):
            cell = order[begins[region] + index]
            nodes, border, first = cells[cell, CELL.nodes], cells[cell, CELL.border], cells[cell, CELL.in_region]
            l_at = cells[cell, CELL.l_at] - record[REGION.l_at]
            inside = base + record[REGION.cells_at] + INSIDE_SIZE * index
            tables[inside + INSIDE.l_at], tables[inside + INSIDE.first] = l_at, first
            tables[inside + INSIDE.nodes], tables[inside + INSIDE.border] = nodes, border
            tables[inside + INSIDE.border_at] = border_at
            for node in range(nodes):
                tables[base + record[REGION.cell_at] + first + node] = index
                tables[base + record[REGION.nodes_at] + first + node] = given.node_at[given.offsets[cell] + node]
            for turn in range(border):
                position = given.border[given.border_offsets[cell] + turn]
                owner, known = given.cell_of[position], number[position]
                if owner >= record[REGION.root]:
                    known = record[REGION.above] + cells[owner, CELL.in_region] + position - given.offsets[owner]
                tables[base + record[REGION.borders_at] + border_at + turn] = known
            border_at += _up_in_loop(border)
            if _ends_level(given, region, begins[region] + index):
                count = first + nodes - level_first
                if count > 0:
                    tables[level_at + LEVEL.first], tables[level_at + LEVEL.nodes] = level_first, count
                    tables[level_at + LEVEL.bits] = max(WARP_BITS, np.ceil(np.log2(count)))
                    tables[level_at + LEVEL.l_end] = l_at + nodes * border
                    level_at += LEVEL_SIZE
                level_first = first + nodes
