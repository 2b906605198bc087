"""Many shortest-path trees on the host, several teams of them at once on each core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.host_arrays import CACHE_LINE, aligned_empty
from wayfront.dissection import host_batch_kernels as kernels
from wayfront.dissection import host_figures_kernels as figures_kernels
from wayfront.dissection import host_rows_kernels as rows_kernels
from wayfront.dissection.host_tree import Divide, HostTree
from wayfront.dissection.shape import Dissection
from wayfront.dissection.vectors import LANES_4, lanes_of_processor
from wayfront.network.road_network import RoadNetwork

TEAMS = 4
"""Teams of sources that go through the cells together. Their paths fill half of a core's second cache."""


class BatchFigures(NamedTuple):
    """The figures of k trees, int64 [k] each; see ``Figures`` in ``dissection.engine``."""

    eccentricity: NDArray[np.int64]
    farthest: NDArray[np.int64]
    total: NDArray[np.int64]
    reached: NDArray[np.int64]


class HostBatch:
    """Makes trees from the matrices that a ``HostTree`` reads; ``take`` says that these have changed."""

    def __init__(self, tree: HostTree, network: RoadNetwork, *, threads: int, divide: Divide) -> None:
        """Make tables; work arrays are made when a core first needs them."""
        self._tree, self._threads, self._divide = tree, threads, divide
        dtype = tree.fronts.dtype
        self._lanes = lanes_of_processor(dtype)
        if self._lanes.count < LANES_4.count:
            self._lanes = LANES_4
        self._width = kernels.TEAM * self._lanes.count
        cut = tree.fronts.order.dissection
        self._cells, self._rows = _cells_of(cut, network)
        sizes = np.diff(cut.offsets).astype(np.int64)
        self._most_nodes = int(sizes.max(initial=1))
        self._path_cells = self._width * (int(cut.depth.max(initial=0)) + 1)
        inner = np.where(cut.is_leaf, 0, sizes)
        leaf = int(sizes[cut.is_leaf].max(initial=0))
        self._climbed_rows = 3 + self._width * leaf + min(int(inner.sum()), self._width * self._rows)
        self._unreached = dtype.type(np.iinfo(dtype).max)
        self._folded = kernels.Folded(tree.fronts.inner_r, tree.fronts.weights)
        self._packed: NDArray[Any] | None = None
        self._is_packed = False
        self._work: list[kernels.Work | None] = [None] * threads
        self._noted: list[figures_kernels.Noted | None] = [None] * threads

    def take(self) -> None:
        """Read the matrices anew before the next trees."""
        self._is_packed = False

    def rows(self, sources: NDArray[np.int32], rows: NDArray[Any], source_stride: int, node_stride: int) -> None:
        """Write the distances from the j-th source to node v at ``j * source_stride + v * node_stride``.

        Quickest with a source stride of 1.
        """
        nodes, tree, packed = np.array(sources, np.int32), self._tree, self._pack()
        size = TEAMS * self._width
        aligned = rows.ctypes.data % CACHE_LINE == 0 and node_stride * rows.itemsize % CACHE_LINE == 0

        def write(group: int, core: int) -> None:
            begin = group * size
            chosen = nodes[begin : begin + size]
            rows_kernels.write_rows(
                *(self._lanes, tree.fronts.infinity, self._unreached, aligned and source_stride == 1),
                *(self._filled(chosen), len(chosen), begin * source_stride, source_stride, node_stride),
                *(tree.path, self._cells, self._folded, packed, self._work_of(core), rows),
            )

        self._share(write, len(nodes), size)

    def figures(self, sources: NDArray[np.int32]) -> BatchFigures:
        """Return the figures of the trees of sources, whose rows are never written."""
        order = np.argsort(self._tree.path.cell_of_node[sources], kind="stable")  # near ones climb together
        nodes, tree, packed = np.array(sources, np.int32)[order], self._tree, self._pack()
        size = TEAMS * self._width
        infinity = tree.fronts.infinity
        most = infinity.dtype.type(int(np.iinfo(infinity.dtype).max) // self._most_nodes)
        most = min(most, infinity - 1)
        groups = -(-len(nodes) // size)
        found: NDArray[np.int64] = np.empty((4, groups * size), np.int64)

        def reduce(group: int, core: int) -> None:
            chosen = self._filled(nodes[group * size : (group + 1) * size])
            noted = self._noted[core] = self._noted[core] or self._make_noted()
            into = slice(group * size, group * size + len(chosen))
            figures_kernels.find_figures(
                *(self._lanes, infinity, most, chosen),
                *(tree.path, self._cells, self._folded, packed, self._work_of(core), noted),
                figures_kernels.LaneFigures(*found[:, into]),
            )

        self._share(reduce, len(nodes), size)
        figures: NDArray[np.int64] = np.empty((4, len(nodes)), np.int64)
        figures[:, order] = found[:, : len(nodes)]
        return BatchFigures(*figures)

    def _filled(self, sources: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return sources filled up to whole teams, by the last one."""
        count = -(-len(sources) // self._width) * self._width
        return np.concatenate((sources, np.full(count - len(sources), sources[-1], np.int32)))

    def _share(self, work: Callable[[int, int], None], count: int, size: int) -> None:
        """Call ``work(group, core)`` for every ``size`` of ``count`` sources."""
        groups = range(-(-count // size))
        if self._threads > 1:
            self._divide(work, groups)
        else:
            for group in groups:
                work(group, 0)

    def _pack(self) -> NDArray[Any]:
        fronts = self._tree.fronts
        if self._packed is None:
            records = self._cells.records.reshape(-1, kernels.COLUMNS)
            nodes, border = records[-1, [kernels.NODES, kernels.BORDER]].astype(np.int64)
            total = int(records[-1, kernels.ENTRY_AT]) + int((nodes + nodes % 2) * border)
            self._packed = aligned_empty(total, fronts.dtype)
        if not self._is_packed:
            order = fronts.order
            kernels.pack(
                *(self._cells.records, order.dissection.is_leaf, order.l_offset),
                *(fronts.infinity, fronts.inner_l, fronts.leaf_l, self._packed),
            )
            self._is_packed = True
        return self._packed

    def _work_of(self, core: int) -> kernels.Work:
        work = self._work[core]
        if work is None:
            work = self._work[core] = self._make_work()
        return work

    def _make_work(self) -> kernels.Work:
        cut, dtype = self._tree.fronts.order.dissection, self._tree.fronts.dtype
        leaf = int(np.diff(cut.offsets)[cut.is_leaf].max(initial=0))
        path_rows = self._rows + leaf + 2
        return kernels.Work(
            aligned_empty(TEAMS * path_rows * self._width, dtype),
            aligned_empty(TEAMS * self._climbed_rows * self._width, dtype),
            np.zeros(cut.cell_count * TEAMS, np.int32),
            np.empty(TEAMS * self._path_cells, np.int32),
            np.zeros(TEAMS, np.int64),
            np.empty(int(cut.front_sizes[cut.is_leaf].max(initial=0)), dtype),
        )

    def _make_noted(self) -> figures_kernels.Noted:
        cut, dtype = self._tree.fronts.order.dissection, self._tree.fronts.dtype
        records = -(-cut.cell_count // figures_kernels.PEAKS)
        return figures_kernels.Noted(
            aligned_empty(TEAMS * records * self._width, dtype),
            aligned_empty(self._width, dtype),
            np.empty(int(cut.depth.max(initial=0)) + 1, np.int32),
        )


def _cells_of(cut: Dissection, network: RoadNetwork) -> tuple[kernels.Cells, int]:
    """Return the cells as compiled loops read them, and how many rows the longest path has without its leaf."""
    nodes, border = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
    inner = np.where(cut.is_leaf, 0, nodes)
    place = np.zeros(cut.cell_count, np.int64)
    for depth in range(1, int(cut.depth.max(initial=0)) + 1):
        there = np.flatnonzero(cut.depth == depth)
        place[there] = (place + inner)[cut.parent[there]]
    rows = int((place + inner).max(initial=0))
    place[cut.is_leaf] = rows
    entries = (nodes + nodes % 2) * border
    records = np.zeros((cut.cell_count, kernels.COLUMNS), np.int64)
    records[:, kernels.NODES], records[:, kernels.BORDER], records[:, kernels.PLACE] = nodes, border, place
    records[:, kernels.BORDER_AT], records[:, kernels.POSITION] = cut.border_offsets[:-1], cut.offsets[:-1]
    records[:, kernels.ENTRY_AT] = np.cumsum(entries) - entries
    narrow = records.max(initial=0) <= np.iinfo(np.int32).max
    owner = cut.cell_of[cut.border]
    rank = cut.border - cut.offsets[owner]
    cells = kernels.Cells(
        records.ravel().astype(np.int32 if narrow else np.int64),
        (place[owner] + rank).astype(np.int32),
        rank.astype(np.int32),
        owner,
        cut.node_at,
        network.id_order()[1][cut.node_at],
    )
    return cells, rows
