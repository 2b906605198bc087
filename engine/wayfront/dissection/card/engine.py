"""A dissection customised on a card, and the trees found there: one after another, or many side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.blocks import WARP
from wayfront.devices.device import Check, Device, DeviceArray
from wayfront.dissection.card.access import CardReducer, rows_at_once
from wayfront.dissection.card.batch import (
    FEW,
    GROUP,
    MANY,
    RANKS,
    ROW,
    Batch,
    BatchTables,
    Descent,
    Rows,
    TreeFigures,
    advance,
    ascend_all,
    descend_inner,
    reduce_inner,
    reduce_leaves,
    turn_leaves,
    write_leaves,
)
from wayfront.dissection.card.elimination import (
    FEW_THREADS,
    KERNELS,
    LIGHT,
    Chosen,
    Fronts,
    Matrices,
    eliminate_in_memory,
)
from wayfront.dissection.card.layout import (
    ALIGNED,
    CELL,
    CELL_SIZE,
    REGION,
    REGION_SIZE,
    CardLayout,
    Level,
    Regions,
    Tables,
    Tier,
    TreeTables,
    by_height,
)
from wayfront.dissection.card.tree import Output, Room, Sources, Up, find_below, find_tree
from wayfront.dissection.points import Seeds, Targets
from wayfront.dissection.reduced import Asked, Reducer
from wayfront.dissection.shape import Dissection, Figures, FrontLayout
from wayfront.kernels.observing import fill
from wayfront.network.road_network import RoadNetwork
from wayfront.network.schema import NO_PATH

if TYPE_CHECKING:
    from wayfront.dissection.engine import Sweep

FEW_TREES = 16
"""Trees up to which each is found by blocks of its own, as one is."""

SCRATCH_ENTRIES = 1 << 26
"""Entries of fronts too large for registers in which separators are eliminated at once."""


def infinity_of(dtype: DTypeLike) -> int:
    """Return what stands for no path inside an engine: the sum of two of them fits the type."""
    return int(np.iinfo(dtype).max // 2)


def take_weights(i: int, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of an arc: infinity where it is closed, and so much that it is noticed where it does not fit."""
    weights[i] = infinity if given[i] < 0 else min(given[i], infinity - 1)


def change_weights(i: int, arcs: DeviceArray, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of one of some arcs in the same way."""
    weights[arcs[i]] = infinity if given[i] < 0 else min(given[i], infinity - 1)


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

SIDE_BY_SIDE = 1024
"""Sources of a batch at most."""

INNER_BYTES = 1 << 31
"""Bytes that the distances of inner nodes may take for all sources of a batch."""

INNER_WARPS = 4
"""Warps of a block for inner cells at most: the fewer, the sooner the next block of a group begins."""

WARPS_EACH = 16
"""Warps that one of the card's processors gets where each goes on to further leaves."""


class CardEngine:
    """Eliminates separators and finds trees on a device with blocks; see ``engine.Engine``. Its arrays stay there."""

    def __init__(self, device: Device, dissection: Dissection, network: RoadNetwork, dtype: DTypeLike) -> None:
        self._device, self._shape, self._dtype = device, dissection, np.dtype(dtype)
        self._infinity = infinity_of(dtype)
        self._kernels = KERNELS if device.most_block >= KERNELS.block else FEW_THREADS
        self._fronts = FrontLayout.of(dissection, network)
        for node_bytes in NODE_BYTES:
            division = Division.of(device, dissection, node_bytes)
            order = division.regions.order
            self._layout = CardLayout.of(self._fronts, order, self._kernels.small, self._kernels.tile)
            self._search = TreeSearch(device, dissection, self._layout, division, self._dtype)
            if self._search.fits:
                break
        self._rank = network.id_order()[1]
        self.spare: int = 0
        self._put_fronts()
        self._prepare_kernels()
        self._many: ManyTrees | None = None
        self._recorded: Any = None
        self._given: tuple[Any, DeviceArray] | None = None
        if device.compiles:
            self._compile()

    def _compile(self) -> None:
        """Compile what customising and a tree launch, so that it is no part of their first time.

        A tiny network does not come to all of it. What the matrices hold by now does not matter.
        """
        self._eliminate_all()
        if self._search.fits:
            self._search.tree(0, self._matrices, self._device.empty(self._shape.node_count, self._dtype))
        self._device.synchronize()

    @property
    def front_sizes(self) -> NDArray[np.int64]:
        """The number of nodes of every front, int64 [c]."""
        return self._shape.front_sizes

    def _put_fronts(self) -> None:
        device, dtype, layout = self._device, self._dtype, self._layout
        put = device.put
        self._on_card = Fronts(put(layout.records), put(layout.arc_slots), put(layout.arcs), put(layout.from_child))
        self._cells = put(layout.cells)
        depths = int(self._shape.depth.max()) + 1
        sizes = (len(self._fronts.cell_of_arc), layout.l_size + MANY, layout.r_size + ALIGNED, layout.u_size)
        self._matrices = Matrices(*(device.empty(size, dtype) for size in (*sizes, 1 + 2 * depths)))

    def _prepare_kernels(self) -> None:
        device, kernels, item = self._device, self._kernels, self._dtype.itemsize
        widths = kernels.block, WARP * kernels.warps, WARP * kernels.warps
        self._by_blocks, self._by_warps, self._light = (
            device.prepare_card(kernel, width, item * entries)
            for kernel, width, entries in zip(kernels[-3:], widths, kernels.shared_entries(), strict=True)
        )
        most = max(level.large for level in self._layout.levels)
        self._room = int(self._shape.front_sizes.max()) ** 2 if most else 1
        self._at_once = max(1, min(most, SCRATCH_ENTRIES // self._room))
        self._scratch = device.empty(self._at_once * self._room, self._dtype)
        self._in_memory = device.prepare_card(eliminate_in_memory, device.most_block, 0)
        self._fill = device.prepare(fill)
        self._take_weights = device.prepare(take_weights)
        self._change_weights = device.prepare(change_weights)

    def customise(self, weights: NDArray[Any]) -> bool:
        """Customise; see ``Engine.customise``. Weights that cannot change are copied to the device once."""
        if self._given is None or self._given[0] is not weights:
            self._given = weights, self._device.put(weights)
        here = self._given[1]
        if weights.flags.writeable:
            self._given = None
        self._take_weights(len(weights), here, self._infinity, self._matrices.weights)
        self._eliminate_all()
        return self._is_wide_enough()

    def _eliminate_all(self) -> None:
        """Eliminate in all fronts. The first time compiles, later ones repeat its launches."""
        if self._recorded is None:
            self._launch_all()
            self._recorded = self._device.record(self._launch_all)
        else:
            self._recorded()

    def _launch_all(self) -> None:
        self._fill(self._matrices.largest.size, self._matrices.largest, 0)
        self._eliminate(self._cells, self._layout.levels)

    def _eliminate(self, cells: DeviceArray, levels: Sequence[Level]) -> None:
        for level in levels:
            self._eliminate_level(cells, level)

    def _eliminate_level(self, cells: DeviceArray, level: Level) -> None:
        """Eliminate in the fronts of one height."""
        kernels = self._kernels
        warp_blocks = -(-level.warps // kernels.warps)
        rest = self._infinity, self._on_card, self._matrices
        together = level.tiles > 0 and kernels.block == WARP * kernels.warps
        if level.tiles:
            chosen = Chosen(cells, level.first, level.tiles, level.warps if together else 0)
            self._by_blocks(level.tiles + (warp_blocks if together else 0), chosen, *rest)
        if level.warps and not together:
            launch = self._light if level.widest <= LIGHT else self._by_warps
            launch(warp_blocks, Chosen(cells, level.first + level.tiles, 0, level.warps), *rest)
        first = level.first + level.tiles + level.warps
        for begin in range(0, level.large, self._at_once):
            count = min(self._at_once, level.large - begin)
            chosen = Chosen(cells, first + begin, count, 0)
            self._in_memory(count, chosen, self._room, *rest, self._scratch)

    def _is_wide_enough(self) -> bool:
        """Return whether all sums that the trees make stay below infinity.

        What overflowed infinity within a front comes from two entries below it, one of them at least half as large.
        Entries that have become smaller since the last customising still count.
        """
        overall, *sides = self._device.get(self._matrices.largest).tolist()
        self.spare = self._infinity - 1 - sum(sides)
        return 2 * overall < self._infinity and self.spare >= 0

    def change(self, arcs: NDArray[np.int64], weights: NDArray[Any]) -> bool:
        """Give arcs other weights, and eliminate anew in their cells and those above; see ``Engine.change``."""
        if len(arcs) == 0:
            return True
        put = self._device.put
        self._change_weights(len(arcs), put(arcs), put(weights), self._infinity, self._matrices.weights)
        chosen = cells = self._fronts.cell_of_arc[arcs]
        while len(cells):
            cells = np.unique(cells[cells >= 0])
            chosen = np.union1d(chosen, cells)
            cells = self._shape.parent[cells]
        chosen = chosen[chosen >= 0]
        limits = self._kernels.small, self._kernels.tile
        ordered, levels = by_height(chosen, self._layout.height, self._shape.front_sizes, *limits)
        if len(chosen):
            self._eliminate(put(ordered), levels)
        return self._is_wide_enough()

    def tree(self, source: int, distances: DeviceArray) -> None:
        """Write the distances from a node to the nodes in their order; see ``Engine.tree``."""
        if self._search.fits:
            self._search.tree(source, self._matrices, distances)
        else:
            self._batches().rows(np.array([source], np.int32), self._matrices, distances, self._shape.node_count, 1)

    def trees(self, sources: NDArray[np.int32], rows: DeviceArray, source_stride: int, node_stride: int) -> None:
        """Write the distances from several nodes; see ``Engine.trees``."""
        if len(sources) <= FEW_TREES and self._search.fits:
            self._search.trees(sources, self._matrices, rows, source_stride, node_stride)
        else:
            self._batches().rows(sources, self._matrices, rows, source_stride, node_stride)

    def towards(self, targets: Targets) -> Sweep:
        """Return a sweep to targets by the present weights."""
        return CardSweep(self._device, self, targets, self._shape.node_count, self._dtype)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of distances."""
        return self._dtype

    @property
    def points_at_once(self) -> int:
        """How many points are best given at once; see ``Reduces``."""
        return 8 * rows_at_once(self._shape.node_count)

    @property
    def longest(self) -> int:
        """What no distance exceeds; see ``Reduces``."""
        return self._infinity - 1 - self.spare

    def reducer(self, asked: Asked) -> Reducer:
        """Return what adds up trees on this card; see ``Reduces``."""
        return CardReducer(self._device, self._shape.node_count, asked)

    def _batches(self) -> ManyTrees:
        if self._many is None:
            self._many = ManyTrees(self._device, self._shape, self._search, self._rank, self._dtype)
        return self._many


class NarrowCardEngine(CardEngine):
    """One of int32, whose figures can be packed; see ``engine.FindsFigures``."""

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of sources."""
        return self._batches().figures(sources, self._matrices)


class CardSweep:
    """Sweeps from any origins to targets: whole trees, of which the destinations' distances are taken."""

    def __init__(self, device: Device, engine: CardEngine, targets: Targets, nodes: int, dtype: np.dtype[Any]) -> None:
        self._device, self._engine, self._targets, self._nodes, self._dtype = device, engine, targets, nodes, dtype

    def rows(self, seeds: Seeds, matrix: NDArray[Any], check: Check) -> None:
        """Write the distances of searches to all destinations; see ``engine.Sweep``."""
        count, n = len(seeds.nodes), self._nodes
        infinity = infinity_of(self._dtype)
        search = np.repeat(np.arange(len(seeds.first) - 1), np.diff(seeds.first))
        matrix[:] = infinity
        for begin in range(0, count, SIDE_BY_SIDE):
            check()
            chosen = seeds.nodes[begin : begin + SIDE_BY_SIDE]
            rows = self._device.empty(len(chosen) * n, self._dtype)
            self._engine.trees(chosen, rows, n, 1)
            found = self._device.get(rows, len(chosen) * n).reshape(len(chosen), n)[:, self._targets.nodes]
            found = np.concatenate((np.minimum(found, infinity), np.full((len(chosen), 1), infinity, found.dtype)), 1)
            for end in (0, 1):
                there = found[:, self._targets.ends[:, end]] + self._targets.costs[:, end]
                there += seeds.costs[begin : begin + SIDE_BY_SIDE, None]
                np.minimum.at(matrix, search[begin : begin + SIDE_BY_SIDE], there)
        matrix[matrix >= infinity] = NO_PATH


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
        self.on_card: TreeTables = TreeTables(*(device.put(array) for array in tables.arrays))
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
        self._infinity, self._unreached = infinity_of(dtype), int(np.iinfo(dtype).max)
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
    records = tables.arrays.regions.reshape(-1, REGION_SIZE)[tier.first : tier.first + tier.size]
    nodes = records[:, REGION.above] + records[:, REGION.nodes]
    return int(records[:, REGION.table_size].max()), int(nodes.max()), int(records[:, REGION.l_size].max())


def _divide_highest(tables: Tables, tier: Tier, shared_bytes: int, item: int) -> tuple[Room, int]:
    """Return how a block's shared memory is divided, and how much it takes, in entries of ``item`` bytes.

    What has to be there comes first; the matrices of the region and of the path get what is left.
    """
    table, nodes, longest = _largest(tables, tier)
    tops_at = tables.height * CELL_SIZE
    borders_at = 2 * tops_at
    table_at = borders_at + tables.borders
    path_at = _aligned(-(-4 * (table_at + table) // item))
    distances_at = path_at + _aligned(tables.path_slots)
    top_l_at = distances_at + _aligned(nodes)
    free = (shared_bytes // item - top_l_at) // ALIGNED * ALIGNED
    top_l = min(tables.top_l, _aligned(max(0, free) // 3))
    size = min(max(0, free - top_l), longest + tables.r)
    begins = tops_at, borders_at, table_at, path_at, distances_at, top_l_at, top_l, top_l_at + top_l
    return Room(tables.height, *begins, size, min(tables.r, size)), top_l_at + top_l + size


def _divide_lower(tables: Tables, tier: Tier, shared_bytes: int, item: int) -> tuple[Room, int]:
    """Return the same for the regions of all lower tiers."""
    table, nodes, longest = _largest(tables, tier)
    distances_at = _aligned(-(-4 * table // item))
    l_at = distances_at + _aligned(nodes)
    size = min(max(0, (shared_bytes // item - l_at) // ALIGNED * ALIGNED), longest)
    return Room(tables.height, 0, 0, 0, 0, distances_at, 0, 0, l_at, size, 0), l_at + size


class ManyTrees:
    """Finds the trees of many sources of one customised network."""

    def __init__(
        self,
        device: Device,
        shape: Dissection,
        search: TreeSearch,
        rank: NDArray[np.int32],
        dtype: np.dtype[Any],
    ) -> None:
        self._device, self._shape, self._tables, self._dtype = device, shape, search.on_card, dtype
        tables = self._sizes = search.tables
        self._infinity = infinity_of(dtype)
        inner = ~shape.is_leaf
        nodes = np.diff(shape.offsets).astype(np.int64)
        ends = np.cumsum(np.where(inner, nodes, 0))
        self._rows = max(1, int(ends[-1]))
        first = np.where(inner, ends - nodes, -1)
        row_of = (first[shape.cell_of] + np.arange(shape.node_count) - shape.offsets[shape.cell_of])[shape.border]
        records = tables.arrays.cells.reshape(-1, CELL_SIZE)
        border = np.zeros(len(tables.arrays.slots), np.int32)
        widths = np.diff(shape.border_offsets)
        at = records[:, CELL.border_at].astype(np.int64)
        border[np.repeat(at - shape.border_offsets[:-1], widths) + np.arange(len(shape.border))] = row_of
        tiles, self._levels = _tiles(shape, nodes, inner)
        self._tile_count, self._leaf_count = len(tiles), int(np.count_nonzero(~inner))
        put = device.put
        self._more = BatchTables(
            *(put(border), put(first.astype(np.int32)), put(shape.end), put(tiles.ravel())),
            *(put(np.flatnonzero(~inner).astype(np.int32)), put(rank.astype(np.int32))),
        )
        self._warps = max(1, min(8, device.most_block // WARP))
        self._spread = max(1, device.busy_blocks // 8) * WARPS_EACH
        self._arrays: tuple[int, DeviceArray, DeviceArray, DeviceArray] | None = None
        self._launchers(tables.path_slots * dtype.itemsize)

    def _launchers(self, path_bytes: int) -> None:
        device, warps = self._device, self._warps
        self._ascend_warps = max(1, min(4, warps, device.shared_bytes // path_bytes))
        self._ascend = device.prepare_card(ascend_all, WARP * self._ascend_warps, self._ascend_warps * path_bytes)
        block = WARP * warps
        self._inner_warps = min(INNER_WARPS, warps)
        self._descend = device.prepare_card(descend_inner, WARP * self._inner_warps, 0)
        self._reduce_leaves = device.prepare_card(reduce_leaves, block, 0)
        self._reduce_inner = device.prepare_card(reduce_inner, block, 0)
        leaf_bytes = WARP * ROW * self._dtype.itemsize
        self._turn_warps = max(1, min(warps, device.shared_bytes // leaf_bytes))
        self._turn_leaves = device.prepare_card(turn_leaves, WARP * self._turn_warps, self._turn_warps * leaf_bytes)
        self._write_leaves = device.prepare_card(write_leaves, block, 0)
        self._advance = device.prepare(advance)
        self._fill = device.prepare(fill)

    def _batch(self, sources: NDArray[np.int32]) -> Batch:
        """Return a batch of so many of the sources as go side by side, in the last one's arrays where they fit."""
        device, item = self._device, self._dtype.itemsize
        most = max(1, INNER_BYTES // (item * self._rows * GROUP)) * GROUP
        size = min(SIDE_BY_SIDE, most, -(-len(sources) // GROUP) * GROUP)
        if self._arrays is None or self._arrays[0] != size:
            self._arrays = None
            up = device.empty(size * self._sizes.path_slots, self._dtype)
            self._arrays = size, device.empty(1, np.int64), up, device.empty(self._rows * size, self._dtype)
        _, state, up, inner = self._arrays
        self._fill(1, state, 0)
        positions = self._shape.position[sources]
        both = device.put(np.concatenate((positions, self._shape.cell_of[positions])))
        return Batch(state, both, len(sources), size, self._sizes.path_slots, up, inner)

    def _launch_inner(self, down: Descent, matrices: Matrices, rows: Rows) -> None:
        """Ascend from the sources of a batch, and make the distances of all inner nodes; write them to rows, if any."""
        chosen = down.batch
        groups = chosen.size // GROUP
        blocks = -(-chosen.size // self._ascend_warps)
        self._ascend(blocks, self._sizes.height, self._infinity, self._tables, chosen, matrices.r)
        for first, count in self._levels:
            self._descend(-(-count * groups // self._inner_warps), first, count, down, rows)

    def rows(
        self,
        sources: NDArray[np.int32],
        matrices: Matrices,
        distances: DeviceArray,
        source_stride: int,
        node_stride: int,
    ) -> None:
        """Write the distances from sources."""
        chosen = self._batch(sources)
        groups = chosen.size // GROUP
        unreached = int(np.iinfo(self._dtype).max)
        down = Descent(self._infinity, self._tables, self._more, chosen, matrices.l)
        warps, write = (self._turn_warps, self._turn_leaves) if node_stride == 1 else (self._warps, self._write_leaves)
        for begin in range(0, len(sources), chosen.size):
            some = distances[begin * source_stride :] if begin else distances
            rows = Rows(some, source_stride, node_stride, unreached)
            self._launch_inner(down, matrices, rows)
            write(-(-self._leaf_count * groups // warps), self._leaf_count, down, rows)
            self._advance(1, chosen.state, chosen.size)

    def figures(self, sources: NDArray[np.int32], matrices: Matrices) -> Figures:
        """Return the figures of the trees of sources; none of their distances stays."""
        device, count = self._device, len(sources)
        order = np.argsort(self._shape.position[sources], kind="stable")
        chosen = self._batch(sources[order])
        found = TreeFigures(*(device.empty(count, np.int64) for _ in range(3)))
        for array, value in zip(found, (-1, 0, 0), strict=True):
            self._fill(count, array, value)
        groups = chosen.size // GROUP
        down = Descent(self._infinity, self._tables, self._more, chosen, matrices.l)
        no_rows = Rows(chosen.inner, 0, 0, 0)

        def launch() -> None:
            self._launch_inner(down, matrices, no_rows)
            most = -(-self._spread // (groups * self._warps)) * groups
            if self._tile_count:
                self._reduce_inner(most, self._tile_count, down, found)
            self._reduce_leaves(most, self._leaf_count, down, found)
            self._advance(1, chosen.state, chosen.size)

        launch()
        if count > chosen.size:
            recorded = device.record(launch)
            for _ in range(chosen.size, count, chosen.size):
                recorded()
        farthest, total, reached = (device.get(array) for array in found)
        result = np.empty((4, count), np.int64)
        result[:, order] = farthest >> 31, RANKS - (farthest & RANKS), total, reached
        return Figures(*result)


def _tiles(
    shape: Dissection, nodes: NDArray[np.int64], inner: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], list[tuple[int, int]]]:
    """Return (cell, first node) of the tiles of inner cells by depth, and each depth's first and number."""
    cells = np.flatnonzero(inner & (nodes > 0))
    cells = cells[np.argsort(shape.depth[cells], kind="stable")]
    each = -(-nodes[cells] // FEW)
    owner = np.repeat(cells, each)
    before = np.cumsum(each) - each
    first = (np.arange(len(owner)) - np.repeat(before, each)) * FEW
    counts = np.bincount(shape.depth[owner])
    begins = np.cumsum(counts) - counts
    levels = [(int(begin), int(count)) for begin, count in zip(begins, counts, strict=True) if count]
    return np.stack((owner, first), 1).astype(np.int32).reshape(-1, 2), levels
