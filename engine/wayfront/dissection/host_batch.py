"""Many shortest-path trees on the host: 16 at once on each core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection import host_batch_kernels as kernels
from wayfront.dissection import host_figures_kernels as figures_kernels
from wayfront.dissection.host_batch_kernels import LANES
from wayfront.dissection.host_tree import Divide, HostTree
from wayfront.dissection.vectors import LANES_16
from wayfront.network.road_network import RoadNetwork


class BatchFigures(NamedTuple):
    """The figures of k trees, int64 [k] each; see ``Figures`` in ``dissection.engine``."""

    eccentricity: NDArray[np.int64]
    farthest: NDArray[np.int64]
    total: NDArray[np.int64]
    reached: NDArray[np.int64]


class HostBatch:
    """Makes trees from the matrices that a ``HostTree`` reads."""

    def __init__(self, tree: HostTree, network: RoadNetwork, *, threads: int, divide: Divide) -> None:
        """Make tables; work arrays are made when a core first needs them."""
        order, cut, dtype = tree.fronts.order, tree.fronts.order.dissection, tree.fronts.dtype
        self._tree, self._threads, self._divide = tree, threads, divide
        nodes = np.diff(cut.offsets)
        inner = np.where(cut.is_leaf, 0, nodes)
        first = np.cumsum(inner) - inner
        self._places = int(inner.sum())
        place_at = np.arange(cut.node_count) + (first - cut.offsets[:-1])[cut.cell_of]
        self._cells = kernels.Cells(
            cut.offsets,
            cut.border_offsets,
            cut.is_leaf,
            cut.node_at,
            order.l_offset,
            first.astype(np.int32),
            place_at[cut.border].astype(np.int32),
            network.id_order()[1][cut.node_at],
        )
        self._unreached = dtype.type(np.iinfo(dtype).max)
        self._work: list[kernels.Work | None] = [None] * threads
        self._noted: list[figures_kernels.Noted | None] = [None] * threads
        self._batches = [0] * threads

    def rows(self, sources: NDArray[np.int32], rows: NDArray[Any], source_stride: int, node_stride: int) -> None:
        """Write the distances from the j-th source to node v at ``j * source_stride + v * node_stride``.

        Quickest with a source stride of 1.
        """
        nodes = np.array(sources, np.int32)
        tree = self._tree

        def write(group: int, core: int) -> None:
            begin = group * LANES
            kernels.write_rows(
                *(LANES_16, tree.fronts.infinity, self._unreached, self._next_batch(core)),
                *(nodes[begin : begin + LANES], begin * source_stride, source_stride, node_stride),
                *(tree.path, self._cells, tree.matrices, self._work_of(core), rows),
            )

        self._share(write, len(nodes))

    def figures(self, sources: NDArray[np.int32]) -> BatchFigures:
        """Return the figures of the trees of sources, whose rows are never written."""
        order = np.argsort(self._tree.path.cell_of_node[sources], kind="stable")  # near ones climb together
        nodes, tree = np.array(sources, np.int32)[order], self._tree
        found: NDArray[np.int64] = np.empty((4, -(-len(nodes) // LANES) * LANES), np.int64)

        def reduce(group: int, core: int) -> None:
            lanes = slice(group * LANES, (group + 1) * LANES)
            noted = self._noted[core] = self._noted[core] or self._make_noted()
            figures_kernels.find_figures(
                *(LANES_16, tree.fronts.infinity, self._next_batch(core), nodes[lanes]),
                *(tree.path, self._cells, tree.matrices, self._work_of(core), noted),
                figures_kernels.LaneFigures(*found[:, lanes]),
            )

        self._share(reduce, len(nodes))
        figures: NDArray[np.int64] = np.empty((4, len(nodes)), np.int64)
        figures[:, order] = found[:, : len(nodes)]
        return BatchFigures(*figures)

    def _share(self, work: Callable[[int, int], None], count: int) -> None:
        """Call ``work(group, core)`` for every 16 of ``count`` sources."""
        groups = range(-(-count // LANES))
        if self._threads > 1:
            self._divide(work, groups)
        else:
            for group in groups:
                work(group, 0)

    def _next_batch(self, core: int) -> int:
        self._batches[core] += 1
        return self._batches[core]

    def _work_of(self, core: int) -> kernels.Work:
        work = self._work[core]
        if work is None:
            work = self._work[core] = self._make_work()
        return work

    def _make_work(self) -> kernels.Work:
        cut, dtype = self._tree.fronts.order.dissection, self._tree.fronts.dtype
        leaf_front = int(cut.front_sizes[cut.is_leaf].max(initial=0))
        leaf_nodes = int(np.diff(cut.offsets)[cut.is_leaf].max(initial=0))
        return kernels.Work(
            np.empty(self._places * LANES, dtype),
            np.empty(leaf_nodes * LANES, dtype),
            np.empty(leaf_front * LANES, dtype),
            np.zeros(cut.cell_count, np.int64),
            np.empty((int(cut.depth.max(initial=0)) + 1) * LANES, np.int32),
        )

    def _make_noted(self) -> figures_kernels.Noted:
        records = -(-self._tree.fronts.order.dissection.cell_count // figures_kernels.PEAKS)
        dtype = self._tree.fronts.dtype
        return figures_kernels.Noted(np.empty(records * LANES, dtype), np.empty(LANES, dtype))
