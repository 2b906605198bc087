"""One shortest-path tree at a time on the host, on one core or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection import host_climb_kernels as climbing
from wayfront.dissection import host_tree_kernels as kernels
from wayfront.dissection.host_fronts import HostFronts
from wayfront.dissection.vectors import LANES_1, LANES_4, LANES_8, LANES_16, Lanes, lanes_of_processor

Divide = Callable[[Callable[[int, int], None], Sequence[int]], None]
"""``Device.divide``: calls a function of (task, core) for every task."""

MOST_WIDE = 8
"""If more than a leaf in so many does not fit 16 bits, all are swept in full width."""


class HostTree:
    """Makes trees from fronts that are customised; ``take`` reads what was folded.

    ``path`` and ``matrices`` are what every tree reads.
    """

    def __init__(self, fronts: HostFronts, *, lanes: Lanes | None = None, threads: int = 1, divide: Divide) -> None:
        """Make tables and work arrays. ``lanes`` 1 does without vectors, as where a processor has none."""
        layout, order, cut = fronts.layout, fronts.order, fronts.order.dissection
        self.fronts = fronts
        self._order, self._threads, self._divide = order, threads, divide
        plain = (lanes or lanes_of_processor(fronts.dtype)) == LANES_1
        self._lanes = (LANES_1,) * 3 if plain else (LANES_4, LANES_8, LANES_16)
        self._unreached = fronts.dtype.type(np.iinfo(fronts.dtype).max)
        cell_of_node = cut.cell_of[cut.position]
        self.path: climbing.Path = climbing.Path(
            cut.parent,
            cut.offsets,
            cut.border_offsets,
            cut.is_leaf,
            cell_of_node,
            cut.position - cut.offsets[cell_of_node],
            order.r_offset,
            layout.arc_offsets,
            layout.arc_row,
            layout.arc_column,
        )
        ends = layout.arc_row, layout.arc_column
        self._climb = climbing.Climb(self._records(), cell_of_node, cut.position, cut.border, *ends)
        self._sweep = kernels.Sweep(
            *(order.parts, order.levels, order.inner_shapes, order.leaf_runs),
            *(order.copied, order.borders, order.slot_of, order.ranges),
        )
        self.matrices: climbing.Matrices = self._read(np.empty(0, np.int32), fronts.leaf_rows)
        front = int(cut.front_sizes.max(initial=0)) + LANES_16.count
        self._scratch = climbing.Scratch(
            np.empty(order.top_slots + threads * order.part_slots, fronts.dtype),
            np.empty(cut.node_count, fronts.dtype),
            np.empty(front, fronts.dtype),
            np.empty(2 * front, fronts.dtype),
            np.empty(front, np.int64),
            np.zeros(order.depths + 1, np.int64),
        )

    @property
    def wide_leaves(self) -> int:
        """How many leaves have a distance that does not fit 16 bits."""
        return int(np.count_nonzero(self.fronts.is_wide))

    def take(self) -> None:
        """Read what was folded."""
        wide = np.flatnonzero(self.fronts.is_wide).astype(np.int32)
        if len(wide) * MOST_WIDE > len(self._order.leaf_cells):
            self.matrices = self._read(wide[:0], self.fronts.leaf_l)
        else:
            self.matrices = self._read(wide, self.fronts.leaf_rows)

    def make(self, source: int, distances: NDArray[Any]) -> None:
        """Write the distances from a node (internal number) to the nodes in their order, [n]."""
        infinity, node, scratch, order = self.fronts.infinity, np.int32(source), self._scratch, self._order
        tables = self._climb, self._sweep, self.matrices, scratch, distances
        if self._threads == 1:
            make_tree = kernels.make_tree_plainly if self._lanes[0] == LANES_1 else kernels.make_tree_by_vectors
            make_tree(infinity, self._unreached, node, order.top_slots, *tables)
            return

        making = *self._lanes, infinity, self._unreached, node

        def make_part(part: int, core: int) -> None:
            kernels.make_part(*making, part, order.top_slots + core * order.part_slots if part else 0, *tables)

        climbing.climb(self._lanes[2], infinity, node, self._climb, self.matrices, scratch)
        make_part(0, 0)
        self._divide(make_part, range(1, order.part_count))

    def _records(self) -> NDArray[np.int64]:
        """Return ``Climb.cells``."""
        order, cut = self._order, self._order.dissection
        records = np.zeros((cut.cell_count + 1, climbing.CELL_COLUMNS), np.int64)
        records[:-1, climbing.PARENT] = cut.parent
        records[:, climbing.POSITION] = cut.offsets
        records[:, climbing.BORDER] = cut.border_offsets
        records[:-1, climbing.R] = order.r_offset
        records[:, climbing.ARC] = self.fronts.layout.arc_offsets
        records[:-1, climbing.PART] = order.part
        records[:-1, climbing.SLOT] = order.slot
        return records.ravel()

    def _read(self, wide: NDArray[np.int32], rows: NDArray[Any]) -> climbing.Matrices:
        fronts, order, cut = self.fronts, self._order, self._order.dissection
        records = np.empty((len(wide), kernels.WIDE_COLUMNS), np.int64)
        records[:, kernels.NODES] = cut.offsets[wide + 1] - cut.offsets[wide]
        records[:, kernels.COUNT] = cut.border_offsets[wide + 1] - cut.border_offsets[wide]
        records[:, kernels.PLACE] = order.border_at[wide]
        records[:, kernels.ENTRY] = order.l_offset[wide]
        records[:, kernels.WIDE_SLOT] = order.slot[wide]
        first = np.searchsorted(order.part[wide], np.arange(order.part_count + 1))
        return climbing.Matrices(
            fronts.inner_l, fronts.leaf_l, fronts.inner_r, fronts.weights, rows, records.ravel(), first
        )
