"""One shortest-path tree at a time on the host, on one core or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection import host_tree_kernels as kernels
from wayfront.dissection.host_fronts import HostFronts
from wayfront.dissection.vectors import LANES_1, LANES_4, LANES_8, LANES_16, Lanes, lanes_of_processor

Divide = Callable[[Callable[[int, int], None], Sequence[int]], None]
"""``Device.divide``: calls a function of (task, core) for every task."""

MOST_WIDE = 8
"""If more than a leaf in so many does not fit 16 bits, all are swept in full width."""

SHARE = 1 << 15
"""Nodes that are delivered as one task."""


class HostTree:
    """Makes trees from fronts that are customised; ``take`` reads what was folded.

    ``path`` and ``matrices`` are what every tree reads.
    """

    def __init__(self, fronts: HostFronts, *, lanes: Lanes | None = None, threads: int = 1, divide: Divide) -> None:
        """Make tables and work arrays. ``lanes`` 1 does without vectors, as where a processor has none."""
        layout, order, cut = fronts.layout, fronts.order, fronts.order.dissection
        self.fronts, self._order, self._threads, self._divide = fronts, order, threads, divide
        plain = (lanes or lanes_of_processor(fronts.dtype)) == LANES_1
        self._lanes = (LANES_1,) * 3 if plain else (LANES_4, LANES_8, LANES_16)
        self._unreached = fronts.dtype.type(np.iinfo(fronts.dtype).max)
        cell_of_node = cut.cell_of[cut.position]
        self.path = kernels.Path(
            cut.parent,
            cut.offsets,
            cut.border_offsets,
            cut.is_leaf,
            cell_of_node,
            cut.position - cut.offsets[cell_of_node],
            order.slot,
            order.border_slots,
            order.l_offset,
            order.r_offset,
            layout.arc_offsets,
            layout.arc_row,
            layout.arc_column,
        )
        self._sweep = kernels.Sweep(
            order.inner_shapes, order.inner_borders, order.leaf_runs, order.leaf_borders, *order.parts
        )
        self.matrices = self._read(np.empty(0, np.int32), fronts.leaf_rows)
        front = int(cut.front_sizes.max(initial=0)) + LANES_16.count
        self._scratch = kernels.Scratch(
            np.empty(order.slots, fronts.dtype),
            np.empty(front, fronts.dtype),
            np.empty(2 * front, fronts.dtype),
            np.empty(front, np.int64),
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
        infinity, node = self.fronts.infinity, np.int32(source)
        lanes, scratch, slot_of_node = self._lanes, self._scratch, self._order.slot_of_node
        climbing = node, self._order.inner_slots, self.path
        if self._threads == 1:
            kernels.make_tree(
                *lanes,
                infinity,
                self._unreached,
                *climbing,
                self._sweep,
                self.matrices,
                scratch,
                slot_of_node,
                distances,
            )
            return

        def descend(part: int, _core: int) -> None:
            kernels.descend(*lanes, infinity, part, self._sweep, self.matrices, scratch.distances)

        def deliver(share: int, _core: int) -> None:
            end = min((share + 1) * SHARE, len(slot_of_node))
            share_of = share * SHARE, end, distances
            kernels.deliver(infinity, self._unreached, slot_of_node, scratch.distances, *share_of)

        kernels.climb(lanes[2], infinity, *climbing, self.matrices, scratch)
        descend(0, 0)
        self._divide(descend, range(1, len(self._order.parts.cells) - 1))
        kernels.finish_leaves(lanes[2], infinity, node, self.path, self.matrices, scratch)
        self._divide(deliver, range(-(-len(slot_of_node) // SHARE)))

    def _read(self, wide: NDArray[np.int32], rows: NDArray[Any]) -> kernels.Matrices:
        fronts = self.fronts
        return kernels.Matrices(fronts.inner_l, fronts.leaf_l, fronts.inner_r, fronts.weights, rows, wide)
