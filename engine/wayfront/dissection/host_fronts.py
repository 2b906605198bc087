"""Customising a dissection on the processor: the matrices from which trees are made, for one metric at a time.

With F a cell's front, closed over its separator S (George 1973; Delling, Goldberg, Pajor and Werneck, "Customizable
route planning", 2011), a tree needs of it L = F[border, S] on the way down and R = F[S, S and border] on the way up.
When weights of arcs change, only the fronts of the cells above those arcs do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.devices.host_arrays import aligned_empty
from wayfront.dissection.host_fold import Folded, Scratch, fold, take_weights
from wayfront.dissection.host_order import HostOrder
from wayfront.dissection.host_plan import (
    BORDER,
    COLUMNS,
    END,
    LEFT_AT,
    SEPARATOR,
    SMALL_SUBTREE,
    STACKED,
    make_plan,
    padded,
)
from wayfront.dissection.layout import FrontLayout
from wayfront.dissection.vectors import SHORT_INFINITY, Lanes, lanes_of_processor, spreads_at_once

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
Divide = Callable[[Callable[[int, int], None], Sequence[int]], None]
"""``Device.divide``: calls a function of (task, core) for every task."""

TASKS_FOR_EACH_THREAD = 4
"""Subtrees that a thread folds: several, so that one which is slow keeps nobody waiting."""


def infinity_of(dtype: Any) -> Any:
    """Return what stands for no path while int32 or int64 distances are added: twice as much does not overflow."""
    return np.dtype(dtype).type(np.iinfo(dtype).max >> 1)


class HostFronts:
    """The folded fronts of a dissection for one metric, with distances in one dtype, int32 or int64.

    inner_l   L of inner cells, row-major [border][separator], from ``order.l_offset`` on
    leaf_l    L of leaves in the same form; ``leaf_rows`` uint16: the same in 16 bits, ``SHORT_INFINITY`` for no path
    is_wide   bool [c], leaves with an entry that does not fit these
    inner_r   R of inner cells, row-major [separator][separator, then border], from ``order.r_offset`` on
    weights   the current weight of each of ``layout.arcs``
    folded    int32, the cells that the last call has folded, ascending

    Where there is no path or an arc is closed stands ``infinity``. R of leaves is not kept, as it would be the largest
    part: a tree folds the leaf of its source. Fronts list borders as ``Dissection`` does.
    """

    def __init__(
        self,
        layout: FrontLayout,
        order: HostOrder,
        dtype: Any,
        *,
        lanes: Lanes | None = None,
        threads: int = 1,
        divide: Divide | None = None,
    ) -> None:
        """Make the tables. ``lanes`` are the vectors' (the processor's own by default); threads need ``divide``."""
        cut = layout.dissection
        self.layout = layout
        self.order = order
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.lanes: Lanes = lanes or lanes_of_processor(dtype)
        self.infinity: Any = infinity_of(dtype)
        self._spreads = True if spreads_at_once(self.lanes, dtype) else None
        self._plan = make_plan(layout, order.l_offset, order.r_offset, self.lanes)
        self._table = self._plan.cells.reshape(-1, COLUMNS)
        self._levels = int(cut.depth.max()) + 1
        leaf_nodes = np.diff(cut.offsets)[cut.is_leaf]
        self._most_arcs_in_leaf = int(leaf_nodes.max(initial=0))
        border = self._table[:, BORDER]
        left_over = border * padded(border, self.lanes)
        spare = 2 * self.lanes.count
        left_over_size = int(left_over[self._table[:, LEFT_AT] != STACKED].sum()) + spare
        self._folded = Folded(
            aligned_empty(len(layout.arcs), self.dtype),
            aligned_empty(left_over_size, self.dtype),
            aligned_empty(order.inner_l_size, self.dtype),
            aligned_empty(order.leaf_l_size, self.dtype),
            aligned_empty(order.inner_r_size, self.dtype),
            np.full(order.leaf_l_size, SHORT_INFINITY, np.uint16),
            np.zeros(cut.cell_count, np.uint8),
        )
        self._divide = divide if threads > 1 else None
        self._scratch = [self._make_scratch(left_over, spare) for _ in range(threads if self._divide else 1)]
        self._descending = np.arange(cut.cell_count - 1, -1, -1, dtype=np.int32)
        self._subtrees, self._top = self._shared_out(threads) if self._divide else ([], self._descending)
        self._place_of_arc = np.full(len(layout.cell_of_arc), -1, np.int32)
        self._place_of_arc[layout.arcs] = np.arange(len(layout.arcs), dtype=np.int32)
        self._largest_weight = 0
        self._marked = np.zeros(cut.cell_count, np.bool_)
        self.folded: Int32Array = np.empty(0, np.int32)

    @property
    def weights(self) -> NDArray[Any]:
        """Current weights in the order of ``layout.arcs``."""
        return self._folded.weights

    @property
    def inner_l(self) -> NDArray[Any]:
        """L of inner cells."""
        return self._folded.inner_l

    @property
    def leaf_l(self) -> NDArray[Any]:
        """L of leaves."""
        return self._folded.leaf_l

    @property
    def leaf_rows(self) -> NDArray[np.uint16]:
        """L of leaves in 16 bits."""
        return self._folded.leaf_rows

    @property
    def is_wide(self) -> NDArray[np.bool_]:
        """Which cells are leaves whose ``leaf_rows`` are of no use."""
        return self._folded.is_wide.view(np.bool_)

    @property
    def inner_r(self) -> NDArray[Any]:
        """R of inner cells."""
        return self._folded.inner_r

    def customise(self, weights: NDArray[Any]) -> bool:
        """Fold all fronts for the weights int32 or int64 [m], −1 where an arc is closed.

        Returns whether distances fit the dtype; after False the fronts are of no use.
        """
        given, arcs = np.ascontiguousarray(weights, np.int32).view(), self.layout.arcs
        given.flags.writeable = False  # one kind of array: loops are compiled once
        for scratch in self._scratch:
            scratch.peaks[:] = 0
        if self._divide is None:
            self._largest_weight = take_weights(self.infinity, 0, len(arcs), arcs, given, self.weights)
        else:
            count = len(self._scratch) * TASKS_FOR_EACH_THREAD
            largest = [0] * count

            def take(task: int, _core: int) -> None:
                begin, end = len(arcs) * task // count, len(arcs) * (task + 1) // count
                largest[task] = take_weights(self.infinity, begin, end, arcs, given, self.weights)

            self._divide(take, range(count))
            self._largest_weight = max(largest)
            self._divide(lambda task, core: self._fold(self._subtrees[task], core), range(len(self._subtrees)))
        self._fold(self._top, 0)
        self.folded = self._descending[::-1]
        return self._fits()

    def change(self, arcs: NDArray[np.integer[Any]], weights: NDArray[Any]) -> bool:
        """Give the arcs [k], without repetition, other weights (−1: closed), and fold the fronts above them.

        Returns whether distances fit the dtype, taking the largest there have been since ``customise``.
        """
        places = self._place_of_arc[arcs]
        there = places >= 0  # a self-loop is in no front
        wide = np.asarray(weights, np.int64)[there]
        self._largest_weight = max(self._largest_weight, int(wide.max(initial=0)))
        self.weights[places[there]] = np.where(wide < 0, self.infinity, np.minimum(wide, int(self.infinity)))
        _mark_above(self.layout.cell_of_arc[arcs[there]], self.layout.dissection.parent, self._plan.cells, self._marked)
        self.folded = np.flatnonzero(self._marked).astype(np.int32)
        self._marked[self.folded] = False
        self._fold(np.ascontiguousarray(self.folded[::-1]), 0)
        return self._fits()

    def _fold(self, cells: Int32Array, core: int) -> None:
        """Fold cells, which are in descending order."""
        fold(self.lanes, self.infinity, self._spreads, cells, self._plan, self._folded, self._scratch[core])

    def _fits(self) -> bool:
        """Return whether no distance can come near infinity, neither in a front nor in the sums of a tree.

        A sum over infinity counts as no path. Entries of L and R are shortest distances, so were one of them over
        infinity, the entry of a shorter part of its path would lie between half of infinity and infinity. R of leaves,
        which is not kept, is at most the sum of the arcs of a path through one.
        """
        infinity = int(self.infinity)
        in_leaf = self._most_arcs_in_leaf * self._largest_weight
        peaks = np.max([scratch.peaks for scratch in self._scratch], axis=0).reshape(self._levels, 2, -1).max(axis=2)
        return 2 * int(peaks.max()) < infinity and in_leaf + int(peaks.sum(dtype=np.float64)) < infinity

    def _make_scratch(self, left_over: Int64Array, spare: int) -> Scratch:
        sizes = self.layout.dissection.front_sizes
        total = np.concatenate(([0], np.cumsum(np.where(self._table[:, LEFT_AT] == STACKED, left_over, 0))))
        ends = self._table[:, END]
        small = ends - np.arange(len(ends)) <= SMALL_SUBTREE
        in_subtree = (total[ends] - total[:-1])[small]
        return Scratch(
            aligned_empty(int((sizes * padded(sizes, self.lanes)).max()) + spare, self.dtype),
            aligned_empty(int(in_subtree.max(initial=0)) + spare, self.dtype),
            np.zeros(2 * self._levels * self.lanes.count, self.dtype),
        )

    def _shared_out(self, threads: int) -> tuple[list[Int32Array], Int32Array]:
        """Return subtrees for threads, the costliest first, and the cells above them, all in descending order."""
        cells = self._table[:, END] - np.arange(len(self._table)) > SMALL_SUBTREE
        return _cut_off(self._table, cells, self._descending, threads * TASKS_FOR_EACH_THREAD)


def _cut_off(
    table: Int64Array, large: NDArray[np.bool_], descending: Int32Array, count: int
) -> tuple[list[Int32Array], Int32Array]:
    """Cut subtrees off at cells whose subtrees cost less than a ``count``-th of all; return (subtrees, the rest)."""
    sizes = table[:, SEPARATOR] + table[:, BORDER]
    total = np.concatenate(([0.0], np.cumsum(100 + 10 * sizes + table[:, SEPARATOR] * sizes**2 / 8)))
    cost = total[table[:, END]] - total[:-1]
    subtrees, rest, cell = [], [], 0
    while cell < len(table):
        end = int(table[cell, END])
        if large[cell] and cost[cell] > total[-1] / count:
            rest.append(cell)
            cell += 1
        else:
            subtrees.append((cost[cell], descending[len(table) - end : len(table) - cell]))
            cell = end
    subtrees.sort(key=lambda task: -task[0])
    return [cells for _, cells in subtrees], np.array(rest[::-1], np.int32)


@loop
def _mark_above(changed: Any, parent: Any, cells: Any, marked: Any) -> None:
    """Mark the cells that are to be folded anew: those changed, all above them, and small subtrees as a whole."""
    for index in range(len(changed)):
        cell = changed[index]
        while cell > 0 and cells[cell * COLUMNS + LEFT_AT] == STACKED:
            cell = parent[cell]
        if cells[cell * COLUMNS + END] - cell <= SMALL_SUBTREE:
            marked[cell : cells[cell * COLUMNS + END]] = True
            cell = parent[cell]
        while cell >= 0 and not marked[cell]:
            marked[cell] = True
            cell = parent[cell]
