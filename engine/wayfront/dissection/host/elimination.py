"""Customising on the processor: separators are eliminated in fronts, by compiled loops over explicit vectors.

With F a cell's front, closed over its separator S (George 1973; Delling, Goldberg, Pajor and Werneck, "Customizable
route planning", 2011), a tree needs of it R = F[S, S and border] to ascend and L = F[border, S] to descend. When
weights of arcs change, only the fronts of the cells above those arcs do.

A cell's front starts with its arcs and with what its children left over. First the separator's rows are closed over
its pivots (Floyd and Warshall's recurrence; in leaves, which have few arcs, as listed row operations), then every row
of the border takes what goes through the separator. Rows of the border are then L (columns of the separator) and what
is left over for the parent (columns of the border); rows of the separator are R.

Entries never exceed infinity, so that two can be added without overflow, and a sum above infinity counts as no path:
(min, +) with all large numbers taken for one is the same algebra, and gives every entry below infinity exactly.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import types
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.devices.device import Divide
from wayfront.dissection.host.order import (
    NO_R,
    NOT_LISTED,
    PLAN,
    PLAN_SIZE,
    SMALL_SUBTREE,
    STACKED,
    HostOrder,
    HostTables,
    padded,
)
from wayfront.dissection.host.vectors import (
    SHORT_INFINITY,
    Lanes,
    add,
    count_of,
    get,
    keep_below,
    lanes_below,
    lanes_of_processor,
    load,
    load_spread,
    maximum,
    minimum,
    narrowed,
    prefetch,
    put,
    splat,
    splat_like,
    spreads_at_once,
    store,
    store_first,
)
from wayfront.dissection.shape import FrontLayout, Int32Array, Int64Array
from wayfront.kernels.arithmetic import ones


class Made(NamedTuple):
    """What elimination makes, in the dtype of distances.

    weights    [arcs of the layout], the current ones; infinity where an arc is closed
    left_over  what cells of large subtrees leave over for their parents, rows padded
    inner_l, leaf_l, inner_r, leaf_rows, is_wide  as ``HostFronts`` describes them
    """

    weights: NDArray[Any]
    left_over: NDArray[Any]
    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]
    leaf_rows: NDArray[np.uint16]
    is_wide: NDArray[np.uint8]


class Front(NamedTuple):
    """Where a cell's record begins, and its front: s nodes of the separator, a of the border, entries of a row."""

    base: int
    s: int
    a: int
    stride: int


class Scratch(NamedTuple):
    """What one thread works with.

    front    the front at hand, with one vector to spare
    stack    what small subtrees leave over
    peaks    [2 · levels · lanes], the largest finite entries of R and of L on each level, lane by lane
    """

    front: NDArray[Any]
    stack: NDArray[Any]
    peaks: NDArray[Any]


@loop_without_allocation
def take_weights(infinity: Any, begin: Any, end: Any, arcs: Any, given: Any, weights: Any) -> Any:
    """Take the weights int32 [m] of some of ``FrontLayout.arcs``, infinity for closed ones; return the largest."""
    largest = types.int64(0)
    for entry in range(begin, end):
        weight = types.int64(get(given, get(arcs, entry)))
        largest = max(largest, weight)
        put(weights, entry, min(types.uint64(weight), types.uint64(infinity)))  # a closed arc's is largest of all
    return largest


@loop_without_allocation
def eliminate(lanes: Any, infinity: Any, spreads: Any, cells: Any, plan: Any, made: Any, scratch: Any) -> None:
    """Eliminate the separators of the listed cells, which are in descending order, in their fronts.

    Of a cell's children, those that are not kept come right before it, so that they lie on top of the stack.
    ``spreads`` is True where the processor has ``load_spread``, else None: then Numba compiles that way of taking
    children in only.
    """
    front, used, width = scratch.front, types.int64(0), count_of(lanes)
    for index in range(len(cells)):
        cell = types.int64(get(cells, index))
        base = cell * PLAN_SIZE
        s, a = get(plan.cells, base + PLAN.separator), get(plan.cells, base + PLAN.border)
        stride = -(-(s + a) // width) * width
        of = Front(base, s, a, stride)
        _prefetch(lanes, base, s, a, plan, made)
        if index + 1 < len(cells):
            _prefetch_front(types.int64(get(cells, index + 1)) * PLAN_SIZE, plan, made.weights)
        _begin(lanes, infinity, of, plan, made.weights, front)
        child = cell + 1
        while child < get(plan.cells, base + PLAN.end):
            used = _take_in(lanes, infinity, spreads, child, stride, plan, made.left_over, scratch, used)
            child = get(plan.cells, child * PLAN_SIZE + PLAN.end)
        if get(plan.cells, base + PLAN.first_operation) == NOT_LISTED:
            _close_separator(lanes, s, a, stride, front)
            _cover_border(lanes, s, a, stride, front)
        else:
            _close_leaf(lanes, base, stride, plan, front)
        if get(plan.cells, base + PLAN.r_at) == NO_R:
            _write_l(lanes, infinity, of, plan, made.leaf_l, scratch)
            fits = _write_rows(lanes, infinity, of, plan, made.leaf_rows, scratch.front)
            put(made.is_wide, cell, 0 if fits else 1)
        else:
            _write_l(lanes, infinity, of, plan, made.inner_l, scratch)
            _write_r(lanes, infinity, of, plan, made.inner_r, scratch)
        used = _leave_over(lanes, of, plan, made.left_over, scratch, used)


@inlined
def _prefetch(lanes: Any, base: Any, s: Any, a: Any, plan: Any, made: Any) -> None:
    """Bring what will be written of an inner cell to this core: it lies in a tree's order, far from the last cell's.

    L of leaves lies in almost the order in which they are eliminated.
    """
    at = types.int64(get(plan.cells, base + PLAN.r_at))
    if at != NO_R:
        for entry in range(at, at + s * (s + a), count_of(lanes)):
            prefetch(made.inner_r, entry)
        at = types.int64(get(plan.cells, base + PLAN.l_at))
        for entry in range(at, at + a * s, count_of(lanes)):
            prefetch(made.inner_l, entry)


@inlined
def _prefetch_front(base: Any, plan: Any, weights: Any) -> None:
    """Bring what a front is made of, which lies before that of the last one: that way processors foresee little."""
    first, end = types.int64(get(plan.cells, base + PLAN.first_arc)), get(plan.cells, base + PLAN.end_arc)
    for entry in range(first, end, 16):
        prefetch(weights, entry)
    for entry in range(first, end, 32):
        prefetch(plan.slots, entry)
    first = types.int64(get(plan.cells, base + PLAN.first_operation))
    if first != NOT_LISTED:
        for entry in range(first, get(plan.cells, base + PLAN.end_operation), 32):
            prefetch(plan.operations, entry)


@inlined
def _begin(lanes: Any, infinity: Any, of: Front, plan: Any, weights: Any, front: Any) -> None:
    """Fill a front with its arcs. One more vector is filled, which the last row's unaligned vectors touch."""
    base, s, a, stride = of
    width = count_of(lanes)
    infinite = splat(lanes, infinity)
    for entry in range(0, (s + a) * stride + width, width):
        store(front, entry, infinite)
    for i in range(a, a + s):
        put(front, i * stride + i, 0)
    for entry in range(get(plan.cells, base + PLAN.first_arc), get(plan.cells, base + PLAN.end_arc)):
        slot = get(plan.slots, entry)
        put(front, slot, min(get(front, slot), get(weights, entry)))


@inlined
def _take_in(
    lanes: Any, infinity: Any, spreads: Any, child: Any, stride: Any, plan: Any, left_over: Any, scratch: Any, used: Any
) -> Any:
    """Lower a front's entries to those that a child left over; return how much of the stack is used then."""
    width = count_of(lanes)
    base, front = child * PLAN_SIZE, scratch.front
    b, first, at = (
        get(plan.cells, base + PLAN.border),
        get(plan.cells, base + PLAN.first_row),
        get(plan.cells, base + PLAN.left_at),
    )
    source, from_stride = left_over, -(-b // width) * width
    if at == STACKED:
        used -= b * from_stride
        source, at = scratch.stack, used
    if spreads is None:
        for i in range(b):
            row, entry = types.int64(get(plan.rows, first + i)) * stride, at + i * from_stride
            for j in range(b):
                slot = row + types.int64(get(plan.rows, first + j))
                put(front, slot, min(get(front, slot), get(source, entry + j)))
        return used
    infinite = splat(lanes, infinity)
    masks = get(plan.cells, base + PLAN.masks_at)
    for j in range(0, stride, width):
        mask = get(plan.masks, masks)
        masks += 1
        if mask != 0:
            for i in range(b):
                slot = types.int64(get(plan.rows, first + i)) * stride + j
                row = load_spread(infinite, source, at + i * from_stride, mask)
                store(front, slot, minimum(load(lanes, front, slot), row))
            at += types.int64(ones(mask))
    return used


@inlined
def _close_leaf(lanes: Any, base: Any, stride: Any, plan: Any, front: Any) -> None:
    """Close a leaf's rows, and its border's, by the row operations that its shape needs."""
    width = count_of(lanes)
    first, end = get(plan.cells, base + PLAN.first_operation), get(plan.cells, base + PLAN.end_operation)
    if stride == width:
        for entry in range(first, end):
            operation = types.int64(get(plan.operations, entry))
            row, pivot = (operation >> 8) * width, operation & 255
            step = splat(lanes, get(front, row + pivot))
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot * width))))
    elif stride == 2 * width:
        for entry in range(first, end):
            operation = types.int64(get(plan.operations, entry))
            row, pivot = (operation >> 8) * stride, operation & 255
            step = splat(lanes, get(front, row + pivot))
            pivot *= stride
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
            row, pivot = row + width, pivot + width
            store(front, row, minimum(load(lanes, front, row), add(step, load(lanes, front, pivot))))
    else:
        for entry in range(first, end):
            operation = types.int64(get(plan.operations, entry))
            _lower_row(lanes, (operation >> 8) * stride, operation & 255, stride, front)


@inlined
def _close_separator(lanes: Any, s: Any, a: Any, stride: Any, front: Any) -> None:
    """Close the separator's rows over all its pivots."""
    for pivot in range(a, a + s):
        for i in range(a, a + s):
            _lower_row(lanes, i * stride, pivot, stride, front)


@inlined
def _lower_row(lanes: Any, row: Any, pivot: Any, stride: Any, front: Any) -> None:
    """Lower a row of the front to what goes through a pivot."""
    width = count_of(lanes)
    step = splat(lanes, get(front, row + pivot))
    for j in range(0, stride, width):
        through = add(step, load(lanes, front, pivot * stride + j))
        store(front, row + j, minimum(load(lanes, front, row + j), through))


@inlined
def _cover_border(lanes: Any, s: Any, a: Any, stride: Any, front: Any) -> None:
    """Lower the border's rows to what goes through the separator, whose rows are closed: four rows at a time."""
    width = count_of(lanes)
    for j in range(0, stride, width):
        through = a * stride + j
        i = 0
        while i + 4 <= a:
            row0 = i * stride
            row1, row2, row3 = row0 + stride, row0 + 2 * stride, row0 + 3 * stride
            best0, best1 = load(lanes, front, row0 + j), load(lanes, front, row1 + j)
            best2, best3 = load(lanes, front, row2 + j), load(lanes, front, row3 + j)
            for k in range(s):
                pivot = load(lanes, front, through + k * stride)
                best0 = minimum(best0, add(splat(lanes, get(front, row0 + a + k)), pivot))
                best1 = minimum(best1, add(splat(lanes, get(front, row1 + a + k)), pivot))
                best2 = minimum(best2, add(splat(lanes, get(front, row2 + a + k)), pivot))
                best3 = minimum(best3, add(splat(lanes, get(front, row3 + a + k)), pivot))
            store(front, row0 + j, best0)
            store(front, row1 + j, best1)
            store(front, row2 + j, best2)
            store(front, row3 + j, best3)
            i += 4
        while i < a:
            best = load(lanes, front, i * stride + j)
            for k in range(s):
                step = splat(lanes, get(front, i * stride + a + k))
                best = minimum(best, add(step, load(lanes, front, through + k * stride)))
            store(front, i * stride + j, best)
            i += 1


@inlined
def _write_l(lanes: Any, infinity: Any, of: Front, plan: Any, target: Any, scratch: Any) -> None:
    """Write a front's L, and note the largest entries of its level."""
    base, s, a, stride = of
    infinite = splat(lanes, infinity)
    at = types.int64(get(plan.cells, base + PLAN.l_at))
    end = at + a * s
    peak_at = (2 * types.int64(get(plan.cells, base + PLAN.level)) + 1) * count_of(lanes)
    peak = load(lanes, scratch.peaks, peak_at)
    for i in range(a):
        peak = _copy(lanes, infinite, scratch.front, i * stride + a, s, target, at, end, peak)
        at += s
    store(scratch.peaks, peak_at, peak)


@inlined
def _write_rows(lanes: Any, infinity: Any, of: Front, plan: Any, target: Any, front: Any) -> Any:
    """Write a leaf's L in 16 bits; return whether all of it fits."""
    base, s, a, stride = of
    infinite = splat(lanes, infinity)
    most, too_large = splat_like(infinite, SHORT_INFINITY - 1), types.uint64(0)
    at = types.int64(get(plan.cells, base + PLAN.l_at))
    end = at + a * s
    for i in range(a):
        for j in range(0, s, count_of(lanes)):
            entries = load(lanes, front, i * stride + a + j)
            own = ~(types.uint64(-1) << types.uint64(min(s - j, count_of(lanes))))
            too_large |= lanes_below(most, keep_below(entries, infinite)) & own
            _store_before(lanes, target, at + j, end, narrowed(entries))
        at += s
    return too_large == types.uint64(0)


@inlined
def _write_r(lanes: Any, infinity: Any, of: Front, plan: Any, target: Any, scratch: Any) -> None:
    """Write a front's R, and note the largest entries of its level."""
    base, s, a, stride = of
    infinite = splat(lanes, infinity)
    at = types.int64(get(plan.cells, base + PLAN.r_at))
    end = at + s * (s + a)
    peak_at = 2 * types.int64(get(plan.cells, base + PLAN.level)) * count_of(lanes)
    peak = load(lanes, scratch.peaks, peak_at)
    for i in range(a, a + s):
        peak = _copy(lanes, infinite, scratch.front, i * stride + a, s, target, at, end, peak)
        peak = _copy(lanes, infinite, scratch.front, i * stride, a, target, at + s, end, peak)
        at += s + a
    store(scratch.peaks, peak_at, peak)


@inlined
def _copy(
    lanes: Any, infinite: Any, front: Any, source: Any, count: Any, target: Any, at: Any, end: Any, peak: Any
) -> Any:
    """Copy part of a row; return the largest finite entries seen."""
    for j in range(0, count, count_of(lanes)):
        entries = load(lanes, front, source + j)
        peak = maximum(peak, keep_below(entries, infinite))
        _store_before(lanes, target, at + j, end, entries)
    return peak


@inlined
def _store_before(lanes: Any, target: Any, at: Any, end: Any, entries: Any) -> None:
    """Write entries, but none at ``end`` or later. Surplus ones are overwritten by those that are written next."""
    if at + count_of(lanes) <= end:
        store(target, at, entries)
    else:
        store_first(target, at, entries, end - at)


@inlined
def _leave_over(lanes: Any, of: Front, plan: Any, left_over: Any, scratch: Any, used: Any) -> Any:
    """Write the border's square for the parent, kept or on the stack; return how much of the stack is used then."""
    base, _, a, stride = of
    width = count_of(lanes)
    at, to_stride = get(plan.cells, base + PLAN.left_at), -(-a // width) * width
    target = left_over
    if at == STACKED:
        target, at = scratch.stack, used
        used += a * to_stride
    for i in range(a):
        for j in range(0, to_stride, width):
            store(target, at + i * to_stride + j, load(lanes, scratch.front, i * stride + j))
    return used


TASKS_FOR_EACH_THREAD = 4
"""Subtrees that a thread takes: several, so that one which is slow keeps nobody waiting."""


def infinity_of(dtype: Any) -> Any:
    """Return what stands for no path while int32 or int64 distances are added: twice as much does not overflow."""
    return np.dtype(dtype).type(np.iinfo(dtype).max >> 1)


class HostFronts:
    """What elimination leaves of the fronts of a dissection for one metric, in one dtype, int32 or int64.

    inner_l   L of inner cells, row-major [border][separator], from ``order.l_offset`` on
    leaf_l    L of leaves in the same form; ``leaf_rows`` uint16: the same in 16 bits, ``SHORT_INFINITY`` for no path
    is_wide   bool [c], leaves with an entry that does not fit these
    inner_r   R of inner cells, row-major [separator][separator, then border], from ``order.r_offset`` on
    weights   the current weight of each of ``layout.arcs``
    eliminated  int32, the cells whose separators the last call has eliminated, ascending
    spare     how much longer than any distance a sum may be without coming near infinity

    Where there is no path or an arc is closed stands ``infinity``. R of leaves is not kept, as it would be the largest
    part: a tree searches the leaf of its source. Fronts list borders as ``Dissection`` does.
    """

    def __init__(
        self,
        tables: HostTables,
        dtype: Any,
        *,
        lanes: Lanes | None = None,
        threads: int = 1,
        divide: Divide | None = None,
    ) -> None:
        """Make the tables. ``lanes`` are the vectors' (the processor's own by default); threads need ``divide``."""
        layout, order = tables.layout, tables.order
        cut = layout.dissection
        self.layout: FrontLayout = layout
        self.order: HostOrder = order
        self.dtype: np.dtype[Any] = np.dtype(dtype)
        self.lanes: Lanes = lanes or lanes_of_processor(dtype)
        self.infinity: Any = infinity_of(dtype)
        self._spreads = True if spreads_at_once(self.lanes, dtype) else None
        self._plan = tables.plan(self.lanes)
        self._table = self._plan.cells.reshape(-1, PLAN_SIZE)
        self._levels = int(cut.depth.max()) + 1
        leaf_nodes = np.diff(cut.offsets)[cut.is_leaf]
        self._most_arcs_in_leaf = int(leaf_nodes.max(initial=0))
        border = self._table[:, PLAN.border]
        left_over = border * padded(border, self.lanes)
        spare = 2 * self.lanes.count
        left_over_size = int(left_over[self._table[:, PLAN.left_at] != STACKED].sum()) + spare
        self.made: Made = Made(
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
        self._index_of_arc = np.full(len(layout.cell_of_arc), -1, np.int32)
        self._index_of_arc[layout.arcs] = np.arange(len(layout.arcs), dtype=np.int32)
        self._largest_weight = 0
        self._marked = np.zeros(cut.cell_count, np.bool_)
        self.eliminated: Int32Array = np.empty(0, np.int32)
        self.spare: int = 0

    @property
    def is_wide(self) -> NDArray[np.bool_]:
        """Which cells are leaves whose ``leaf_rows`` are of no use."""
        return self.made.is_wide.view(np.bool_)

    def customise(self, weights: NDArray[Any]) -> bool:
        """Eliminate everywhere, for the weights int32 or int64 [m], −1 where an arc is closed.

        Returns whether distances fit the dtype; after False the fronts are of no use.
        """
        given, arcs = np.ascontiguousarray(weights, np.int32).view(), self.layout.arcs
        given.flags.writeable = False  # one kind of array: loops are compiled once
        for scratch in self._scratch:
            scratch.peaks[:] = 0
        if self._divide is None:
            self._largest_weight = take_weights(self.infinity, 0, len(arcs), arcs, given, self.made.weights)
        else:
            count = len(self._scratch) * TASKS_FOR_EACH_THREAD
            largest = [0] * count

            def take(task: int, _core: int) -> None:
                begin, end = len(arcs) * task // count, len(arcs) * (task + 1) // count
                largest[task] = take_weights(self.infinity, begin, end, arcs, given, self.made.weights)

            self._divide(take, range(count))
            self._largest_weight = max(largest)
            self._divide(lambda task, core: self._eliminate(self._subtrees[task], core), range(len(self._subtrees)))
        self._eliminate(self._top, 0)
        self.eliminated = self._descending[::-1]
        return self._fits()

    def change(self, arcs: NDArray[np.integer[Any]], weights: NDArray[Any]) -> bool:
        """Give the arcs [k], without repetition, other weights (−1: closed), and eliminate anew above them.

        Returns whether distances fit the dtype, taking the largest there have been since ``customise``.
        """
        indices = self._index_of_arc[arcs]
        there = indices >= 0  # a self-loop is in no front
        wide = np.asarray(weights, np.int64)[there]
        self._largest_weight = max(self._largest_weight, int(wide.max(initial=0)))
        self.made.weights[indices[there]] = np.where(wide < 0, self.infinity, np.minimum(wide, int(self.infinity)))
        _mark_above(self.layout.cell_of_arc[arcs[there]], self.layout.dissection.parent, self._plan.cells, self._marked)
        self.eliminated = np.flatnonzero(self._marked).astype(np.int32)
        self._marked[self.eliminated] = False
        self._eliminate(np.ascontiguousarray(self.eliminated[::-1]), 0)
        return self._fits()

    def weights_of(self, arcs: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the present weights of arcs [k], −1 where one is closed, and where it leads back to its own tail."""
        indices = self._index_of_arc[arcs]
        weights = np.full(len(arcs), -1, self.dtype)
        weights[indices >= 0] = self.made.weights[indices[indices >= 0]]
        weights[weights == self.infinity] = -1
        return weights

    def _eliminate(self, cells: Int32Array, core: int) -> None:
        """Eliminate the separators of cells, which are in descending order."""
        eliminate(self.lanes, self.infinity, self._spreads, cells, self._plan, self.made, self._scratch[core])

    def _fits(self) -> bool:
        """Return whether no distance can come near infinity, neither in a front nor in the sums of a tree.

        A sum over infinity counts as no path. Entries of L and R are shortest distances, so were one of them over
        infinity, the entry of a shorter part of its path would lie between half of infinity and infinity. R of leaves,
        which is not kept, is at most the sum of the arcs of a path through one.
        """
        infinity = int(self.infinity)
        in_leaf = self._most_arcs_in_leaf * self._largest_weight
        peaks = np.max([scratch.peaks for scratch in self._scratch], axis=0).reshape(self._levels, 2, -1).max(axis=2)
        self.spare = infinity - 1 - in_leaf - int(peaks.sum(dtype=np.float64))
        return 2 * int(peaks.max()) < infinity and self.spare >= 0

    def _make_scratch(self, left_over: Int64Array, spare: int) -> Scratch:
        sizes = self.layout.dissection.front_sizes
        total = np.concatenate(([0], np.cumsum(np.where(self._table[:, PLAN.left_at] == STACKED, left_over, 0))))
        ends = self._table[:, PLAN.end]
        small = ends - np.arange(len(ends)) <= SMALL_SUBTREE
        in_subtree = (total[ends] - total[:-1])[small]
        return Scratch(
            aligned_empty(int((sizes * padded(sizes, self.lanes)).max()) + spare, self.dtype),
            aligned_empty(int(in_subtree.max(initial=0)) + spare, self.dtype),
            np.zeros(2 * self._levels * self.lanes.count, self.dtype),
        )

    def _shared_out(self, threads: int) -> tuple[list[Int32Array], Int32Array]:
        """Return subtrees for threads, the costliest first, and the cells above them, all in descending order."""
        cells = self._table[:, PLAN.end] - np.arange(len(self._table)) > SMALL_SUBTREE
        return _cut_off(self._table, cells, self._descending, threads * TASKS_FOR_EACH_THREAD)


def _cut_off(
    table: Int64Array, large: NDArray[np.bool_], descending: Int32Array, count: int
) -> tuple[list[Int32Array], Int32Array]:
    """Cut subtrees off at cells whose subtrees cost less than a ``count``-th of all; return (subtrees, the rest)."""
    sizes = table[:, PLAN.separator] + table[:, PLAN.border]
    total = np.concatenate(([0.0], np.cumsum(100 + 10 * sizes + table[:, PLAN.separator] * sizes**2 / 8)))
    cost = total[table[:, PLAN.end]] - total[:-1]
    subtrees, rest, cell = [], [], 0
    while cell < len(table):
        end = int(table[cell, PLAN.end])
        if large[cell] and cost[cell] > total[-1] / count:
            rest.append(cell)
            cell += 1
        else:
            subtrees.append((cost[cell], descending[len(table) - end : len(table) - cell]))
            cell = end
    subtrees.sort(key=lambda task: -task[0])
    return [cells for _, cells in subtrees], np.array(rest[::-1], np.int32)


@loop_without_allocation
def _mark_above(changed: Any, parent: Any, cells: Any, marked: Any) -> None:
    """Mark the cells to be eliminated anew: those changed, all above them, and small subtrees as a whole."""
    for index in range(len(changed)):
        cell = changed[index]
        while cell > 0 and cells[cell * PLAN_SIZE + PLAN.left_at] == STACKED:
            cell = parent[cell]
        if cells[cell * PLAN_SIZE + PLAN.end] - cell <= SMALL_SUBTREE:
            marked[cell : cells[cell * PLAN_SIZE + PLAN.end]] = True
            cell = parent[cell]
        while cell >= 0 and not marked[cell]:
            marked[cell] = True
            cell = parent[cell]
