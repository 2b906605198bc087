"""A dissection customised on a card, and the trees found there: one after another, or many side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from wayfront.devices.blocks import WARP
from wayfront.devices.device import BLOCKS_OF_ONE, Check, Device, DeviceArray
from wayfront.dissection.card.access import CardReducer, rows_at_once
from wayfront.dissection.card.batch import MANY
from wayfront.dissection.card.elimination import (
    FEW_THREADS,
    KERNELS,
    LIGHT,
    Chosen,
    Fronts,
    Matrices,
    eliminate_in_memory,
)
from wayfront.dissection.card.flows import EntryFlows, counts_on_card, listed
from wayfront.dissection.card.layout import (
    ALIGNED,
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
from wayfront.dissection.card.many import ManyTrees, infinity_of
from wayfront.dissection.card.restricted import CardSweep
from wayfront.dissection.card.ties import TiedFlows
from wayfront.dissection.card.tree import Output, Room, Sources, Up, find_below, find_tree
from wayfront.dissection.passing import Counted, Sent
from wayfront.dissection.points import Targets
from wayfront.dissection.reduced import Asked, Reducer
from wayfront.dissection.shape import Dissection, Figures, FrontLayout
from wayfront.kernels.observing import fill
from wayfront.network.road_network import RoadNetwork
from wayfront.timing.harness import usable_cores

if TYPE_CHECKING:
    from wayfront.dissection.engine import Sweep

FEW_TREES = 16
"""Trees up to which each is found by blocks of its own, as one is."""

LISTING = 8
"""Threads of the host at most that list what flows passed."""

SCRATCH_ENTRIES = 1 << 26
"""Entries of fronts too large for registers in which separators are eliminated at once."""


def take_weights(i: int, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of an arc: infinity where it is closed, and so much that it is noticed where it does not fit."""
    weights[i] = infinity if given[i] < 0 else min(given[i], infinity - 1)


def change_weights(i: int, arcs: DeviceArray, given: DeviceArray, infinity: int, weights: DeviceArray) -> None:
    """Set the weight of one of some arcs in the same way."""
    weights[arcs[i]] = infinity if given[i] < 0 else min(given[i], infinity - 1)


THREADS, THREADS_BELOW = 512, 128
"""Threads of a block, in the highest tier and below: enough for a level of leaves, few enough that a barrier costs
little."""

BLOCKS_BELOW = 8
"""Blocks of a lower tier that one of the device's processors takes at a time: while one waits, others work."""

NODE_BYTES = (36, 72, 144)
"""Bytes of shared memory for each node of a region, about half of them beside matrices in road networks; the next ones
are tried where separators are so large that this is not enough."""

KEPT_BYTES = 1024
"""Bytes of a processor's shared memory that the system keeps for each block."""


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
        return CardSweep(self._batches(), self._matrices, targets)

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype of distances."""
        return self._dtype

    @property
    def points_at_once(self) -> int:
        """How many points are best given at once; see ``Reduces``."""
        return 8 * rows_at_once(self._shape.node_count, self._dtype)

    @property
    def longest(self) -> int:
        """What no distance exceeds; see ``Reduces``."""
        return self._infinity - 1 - self.spare

    def reducer(self, asked: Asked) -> Reducer:
        """Return what adds up trees on this card; see ``Reduces``."""
        return CardReducer(self._device, self._shape.node_count, asked)

    def _batches(self) -> ManyTrees:
        if self._many is None:
            search = self._search
            self._many = ManyTrees(self._device, self._shape, search.tables, search.on_card, self._rank, self._dtype)
        return self._many


class NarrowCardEngine(CardEngine):
    """One of int32, whose figures can be packed, and flows counted; see ``FindsFigures`` and ``FindsFlows``."""

    counts_copies: bool = True

    _flows: EntryFlows | None = None
    _ties: TiedFlows | None = None

    def figures(self, sources: NDArray[np.int32]) -> Figures:
        """Return the figures of the trees of sources."""
        return self._batches().figures(sources, self._matrices)

    @property
    def fronts(self) -> FrontLayout:
        """The fronts of its dissection."""
        return self._fronts

    def passed(
        self,
        sent: Sent,
        strides: NDArray[np.int64],
        check: Check,
        report: Callable[[float], None],
        *,
        limit: int | None = None,
        paths: Counted | None = None,
    ) -> Any:
        """Return the entries that are passed and by how much; see ``FindsFlows``."""
        flows = self._flows_by(tied=paths is not None)
        if not flows.fits:
            return None
        counts: tuple[DeviceArray, ...] = ()
        if paths is not None:
            lying = counts_on_card(self._shape, self._layout, strides, paths, self._matrices)
            counts = tuple(self._device.put(array) for array in lying)
        found = flows.find(sent, check, report, limit, counts)
        return listed(self._shape, self._layout, strides, sent.demand, found, min(LISTING, usable_cores()))

    def _flows_by(self, *, tied: bool) -> EntryFlows:
        if tied:
            self._ties = self._ties or TiedFlows(self._batches(), self._matrices)
            return self._ties
        self._flows = self._flows or EntryFlows(self._batches(), self._matrices)
        return self._flows


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
