"""Fronts for flows: all of them closed and kept, the entries that shortest paths take, and flows brought to arcs.

*Closing.* A cell's front F, over its own nodes and then its border, is closed over its own nodes pivot by pivot, as
elimination does (``elimination``); here every front is kept whole, L, R and what is left over for the parent.

*Thinning.* An entry of L or R that is longer than the distance through the whole network is on no shortest path. These
distances between the nodes of a front follow from the parent's, from the root down: a way between two of the cell's
own nodes either stays below the cell or leaves it by its border. Of New York's entries a quarter is left out.

*Unpacking.* What passes an entry of a closed front belongs to the two entries whose sum improved it last: pivot by
pivot, last to first, it goes to these, and in the end to an arc, or to what a child left over. Entry (i, k) is not
improved once it was half of a best sum at pivot k, so the order of pivots leaves nothing behind. Of equal arcs the
first one takes everything, and arcs go before children, so that a path is the same whatever was thinned out. It is
done once, for the sum over all sources: parents first, every front closed anew, and nothing remembered of the first
time.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.order import padded
from wayfront.dissection.host.vectors import (
    Lanes,
    add,
    choose_below,
    count_of,
    get,
    lanes_of_processor,
    load,
    minimum,
    put,
    splat,
    store,
    store_first,
)
from wayfront.dissection.passing import Entries
from wayfront.dissection.shape import Dissection, FrontLayout, Int32Array, Int64Array
from wayfront.dissection.subtrees import divided, side_by_side

NOT_IMPROVED = -1
"""In place of a pivot: an entry is as long as its arc, or as what a child left over."""


class Shape(NamedTuple):
    """What loops over fronts read of a dissection and a network's arcs.

    offsets, border_offsets, border, children_offsets, children  as ``Dissection`` has them
    arc_offsets, arcs, arc_row, arc_column, parent_index  as ``FrontLayout`` has them
    front_at   int64 [c + 1]: where each front begins, rows padded to whole vectors
    square_at  int64 [c + 1]: where the square of each border begins, rows unpadded
    parent, depth  int32 [c]
    """

    offsets: Int32Array
    border_offsets: Int64Array
    border: Int32Array
    children_offsets: Int32Array
    children: Int32Array
    arc_offsets: Int64Array
    arcs: Int32Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]
    parent_index: NDArray[np.int16]
    front_at: Int64Array
    square_at: Int64Array
    parent: Int32Array
    depth: Int32Array


class Fronts:
    """The closed fronts of a dissection for weights in the dtype of distances; no distance exceeds ``longest``."""

    def __init__(self, layout: FrontLayout, dtype: np.dtype[Any]) -> None:
        """Make tables and allocate."""
        cut = layout.dissection
        self.cut: Dissection = cut
        self.dtype: np.dtype[Any] = dtype
        self.lanes: Lanes = lanes_of_processor(dtype)
        self.infinity: Any = dtype.type(np.iinfo(dtype).max >> 1)
        sizes, border = cut.front_sizes, np.diff(cut.border_offsets)
        self.shape: Shape = Shape(
            *(cut.offsets, cut.border_offsets, cut.border, cut.children_offsets, cut.children),
            *(layout.arc_offsets, layout.arcs, layout.arc_row, layout.arc_column, layout.parent_index),
            _ends(sizes * padded(sizes, self.lanes)),
            _ends(border * border),
            *(cut.parent, cut.depth),
        )
        self._most = int((sizes * padded(sizes, self.lanes)).max()) + self.lanes.count
        self._levels = int(cut.depth.max()) + 1
        self.entries: NDArray[Any] = aligned_empty(int(self.shape.front_at[-1]) + self.lanes.count, dtype)
        self.weights: NDArray[Any] = np.empty(len(layout.arcs), dtype)
        self.longest: int = 0

    @property
    def strides(self) -> Int64Array:
        """How many entries the rows of each cell's front have, int64 [c]; 0 for a front without nodes."""
        return np.diff(self.shape.front_at) // np.maximum(self.cut.front_sizes, 1)

    def close(self, weights: NDArray[Any]) -> bool:
        """Close all fronts for weights [m], −1 where an arc is closed; False where a distance may come near infinity.

        They are of no use then.
        """
        given = weights[self.shape.arcs].astype(np.int64)
        if int(given.max(initial=0)) > int(self.infinity) >> 1:
            return False
        return self.close_listed(np.where(given < 0, self.infinity, given))

    def close_listed(self, weights: NDArray[Any]) -> bool:
        """``close`` for the weights of ``FrontLayout.arcs``, infinity where an arc is closed."""
        self.weights[:] = weights
        peaks = np.zeros(self._levels, np.int64)
        close_fronts(self.lanes, self.infinity, self.shape, self.weights, self.entries, peaks)
        self.longest = 2 * int(peaks.sum(dtype=np.float64))
        return 2 * int(peaks.max(initial=0)) < self.infinity and self.longest < self.infinity

    def thinned(self, *, thin: bool = True) -> Entries:
        """Return the entries of L and R that shortest paths take, or all of them."""
        cut = self.cut
        nodes, border = np.diff(cut.offsets).astype(np.int64), np.diff(cut.border_offsets)
        l_size, r_size = int((nodes * border).sum()), int((nodes * (nodes + border - 1)).sum())
        first = np.zeros((2, cut.node_count + 1), np.int64)
        lists = (np.empty(size, kind) for size in (l_size, r_size) for kind in (np.int32, self.dtype, np.int32))
        l_from, l_length, l_at, r_to, r_length, r_at = lists
        entries = Entries(first[0], l_from, l_length, l_at, first[1], r_to, r_length, r_at)
        scratch = aligned_empty(self._levels * self._most + self.lanes.count, self.dtype)
        thin_entries(self.lanes, self.infinity, self._most, thin, self.shape, self.entries, scratch, entries)
        l_count, r_count = int(first[0, -1]), int(first[1, -1])
        return Entries(
            *(first[0], l_from[:l_count], l_length[:l_count], l_at[:l_count]),
            *(first[1], r_to[:r_count], r_length[:r_count], r_at[:r_count]),
        )

    def unpack(
        self, entries: Entries, l_use: NDArray[Any], r_use: NDArray[Any], arc_flow: NDArray[Any], *, threads: int = 1
    ) -> None:
        """Add the flows of entries, in 64 bits, to those of the arcs [m]. Threads take subtrees of cells."""
        squares = np.zeros(int(self.shape.square_at[-1]), arc_flow.dtype)

        def unpack_cells(begin: int, end: int) -> None:
            front, via = aligned_empty(self._most, self.dtype), aligned_empty(self._most, self.dtype)
            flow = np.zeros(self._most, arc_flow.dtype)
            order, first = np.empty(self._most, np.int32), np.zeros(self._most + 2, np.int64)
            unpack_entries(
                *(self.lanes, self.infinity, begin, end, self.shape, self.weights, self.entries, entries),
                *(l_use, r_use, squares, front, via, flow, order, first, arc_flow),
            )

        above, subtrees = divided(self.cut, threads)
        for cell in above:
            unpack_cells(cell, cell + 1)
        side_by_side(unpack_cells, subtrees, threads)


def bytes_of_fronts(cut: Dissection, cores: int) -> int:
    """Return what flows take at most: closed fronts, entries and their sums for each core, squares."""
    nodes, border = np.diff(cut.offsets).astype(np.float64), np.diff(cut.border_offsets).astype(np.float64)
    sizes = nodes + border
    entries = float((nodes * border + nodes * (sizes - 1)).sum())
    return int(4 * (sizes * (sizes + 8)).sum() + (16 + 8 * cores) * entries + 8 * (border * border).sum())


def _ends(sizes: Int64Array) -> Int64Array:
    return np.concatenate(([0], np.cumsum(sizes, dtype=np.int64)))


@inlined
def _stride_of(lanes: Lanes, size: int) -> int:
    """Return how many entries a row of a front has."""
    return -(-size // count_of(lanes)) * count_of(lanes)


@inlined
def _begin(
    lanes: Lanes,
    infinity: int,
    cell: int,
    shape: Shape,
    weights: NDArray[Any],
    entries: NDArray[Any],
    front: NDArray[Any],
    at: int,
) -> tuple[Any, Any, Any]:
    """Fill a front, from ``at`` on, with its arcs and what the children left over; return (own, size, stride)."""
    own = np.int64(get(shape.offsets, cell + 1) - get(shape.offsets, cell))
    size = own + get(shape.border_offsets, cell + 1) - get(shape.border_offsets, cell)
    stride = _stride_of(lanes, size)
    infinite = splat(lanes, infinity)
    for entry in range(at, at + size * stride, count_of(lanes)):
        store(front, entry, infinite)
    for i in range(size):
        put(front, at + i * stride + i, 0)
    for arc in range(get(shape.arc_offsets, cell), get(shape.arc_offsets, cell + 1)):
        entry = at + np.int64(get(shape.arc_row, arc)) * stride + get(shape.arc_column, arc)
        put(front, entry, min(get(front, entry), get(weights, arc)))
    for number in range(get(shape.children_offsets, cell), get(shape.children_offsets, cell + 1)):
        child = np.int64(get(shape.children, number))
        first = get(shape.border_offsets, child)
        count = get(shape.border_offsets, child + 1) - first
        below = np.int64(get(shape.offsets, child + 1) - get(shape.offsets, child))
        step = _stride_of(lanes, below + count)
        for i in range(count):
            row = at + np.int64(get(shape.parent_index, first + i)) * stride
            left = get(shape.front_at, child) + (below + i) * step + below
            for j in range(count):
                entry = row + get(shape.parent_index, first + j)
                put(front, entry, min(get(front, entry), get(entries, left + j)))
    return own, size, stride


@loop_without_allocation
def close_fronts(
    lanes: Lanes, infinity: int, shape: Shape, weights: NDArray[Any], entries: NDArray[Any], peaks: Int64Array
) -> None:
    """Close the fronts of all cells, children first; note the largest finite entry of each level."""
    for cell in range(len(shape.depth) - 1, -1, -1):
        at = get(shape.front_at, cell)
        own, size, stride = _begin(lanes, infinity, cell, shape, weights, entries, entries, at)
        for pivot in range(own):
            through = at + pivot * stride
            for i in range(size):
                row = at + i * stride
                step = get(entries, row + pivot)
                if i != pivot and step < infinity:
                    steps = splat(lanes, step)
                    for j in range(0, stride, count_of(lanes)):
                        sums = add(steps, load(lanes, entries, through + j))
                        store(entries, row + j, minimum(load(lanes, entries, row + j), sums))
        peak = np.int64(get(peaks, get(shape.depth, cell)))
        for entry in range(at, at + size * stride):
            length = np.int64(get(entries, entry))
            if length < infinity:
                peak = max(peak, length)
        put(peaks, get(shape.depth, cell), peak)


@loop_without_allocation
def thin_entries(
    lanes: Lanes,
    infinity: int,
    most: int,
    thin: bool,
    shape: Shape,
    fronts: NDArray[Any],
    scratch: NDArray[Any],
    found: Entries,
) -> None:
    """List the entries of L and R that shortest paths take; ``scratch`` has a front of ``most`` for each level."""
    l_count: Any = np.int64(0)
    r_count: Any = np.int64(0)
    for cell in range(len(shape.depth)):
        first_node, at = np.int64(get(shape.offsets, cell)), get(shape.front_at, cell)
        own = np.int64(get(shape.offsets, cell + 1)) - first_node
        border = get(shape.border_offsets, cell)
        size = own + get(shape.border_offsets, cell + 1) - border
        stride, g = _stride_of(lanes, size), np.int64(get(shape.depth, cell)) * most
        if thin:
            _find_distances(lanes, infinity, cell, g, most, shape, fronts, scratch)
        for v in range(own):
            begin = l_count
            for x in range(own, size):
                entry = x * stride + v
                length = get(fronts, at + entry)
                if length < infinity and (not thin or length == get(scratch, g + entry)):
                    place = l_count
                    while place > begin and get(found.l_length, place - 1) > length:
                        put(found.l_length, place, get(found.l_length, place - 1))
                        put(found.l_from, place, get(found.l_from, place - 1))
                        put(found.l_at, place, get(found.l_at, place - 1))
                        place -= 1
                    put(found.l_length, place, length)
                    put(found.l_from, place, get(shape.border, border + x - own))
                    put(found.l_at, place, entry)
                    l_count += 1
            put(found.l_first, first_node + v + 1, l_count)
            for j in range(size):
                entry = v * stride + j
                length = get(fronts, at + entry)
                if j != v and length < infinity and (not thin or length == get(scratch, g + entry)):
                    put(found.r_length, r_count, length)
                    if j < own:
                        put(found.r_to, r_count, first_node + j)
                    else:
                        put(found.r_to, r_count, get(shape.border, border + j - own))
                    put(found.r_at, r_count, entry)
                    r_count += 1
            put(found.r_first, first_node + v + 1, r_count)


@inlined
def _find_distances(
    lanes: Lanes,
    infinity: int,
    cell: int,
    g: int,
    most: int,
    shape: Shape,
    fronts: NDArray[Any],
    scratch: NDArray[Any],
) -> None:
    """Write the distances between a front's nodes through the whole network from ``g`` on, those above being there."""
    at, border = get(shape.front_at, cell), get(shape.border_offsets, cell)
    own = np.int64(get(shape.offsets, cell + 1) - get(shape.offsets, cell))
    size = own + get(shape.border_offsets, cell + 1) - border
    stride, above, n = _stride_of(lanes, size), g - most, count_of(lanes)
    infinite = splat(lanes, infinity)
    if size > own:
        parent = np.int64(get(shape.parent, cell))
        of_parent = np.int64(get(shape.offsets, parent + 1) - get(shape.offsets, parent))
        step = _stride_of(lanes, of_parent + get(shape.border_offsets, parent + 1) - get(shape.border_offsets, parent))
        for i in range(size - own):
            row = above + np.int64(get(shape.parent_index, border + i)) * step
            to = g + (own + i) * stride + own
            for j in range(size - own):
                put(scratch, to + j, get(scratch, row + get(shape.parent_index, border + j)))
    for i in range(own, size):  # from the border to own nodes
        for j in range(0, own, n):
            best = infinite
            for k in range(own, size):
                steps = splat(lanes, get(scratch, g + i * stride + k))
                best = minimum(best, add(steps, load(lanes, fronts, at + k * stride + j)))
            store_first(scratch, g + i * stride + j, best, own - j)
    for i in range(own):
        for j in range(own, size, n):  # from own nodes to the border
            best = infinite
            for k in range(own, size):
                steps = splat(lanes, get(fronts, at + i * stride + k))
                best = minimum(best, add(steps, load(lanes, scratch, g + k * stride + j)))
            store_first(scratch, g + i * stride + j, best, size - j)
        for j in range(0, own, n):  # between own nodes
            best = load(lanes, fronts, at + i * stride + j)
            for k in range(own, size):
                steps = splat(lanes, get(fronts, at + i * stride + k))
                best = minimum(best, add(steps, load(lanes, scratch, g + k * stride + j)))
            store_first(scratch, g + i * stride + j, best, own - j)


@loop_without_allocation
def unpack_entries(
    lanes: Lanes,
    infinity: int,
    begin: int,
    end: int,
    shape: Shape,
    weights: NDArray[Any],
    fronts: NDArray[Any],
    entries: Entries,
    l_use: NDArray[Any],
    r_use: NDArray[Any],
    squares: NDArray[Any],
    front: NDArray[Any],
    via: NDArray[Any],
    flow: NDArray[Any],
    order: Int32Array,
    first: Int64Array,
    arc_flow: NDArray[Any],
) -> None:
    """Bring the use of some cells' entries to arcs; what is a child's goes to its square, 0 before."""
    n = count_of(lanes)
    for cell in range(begin, end):
        own, size, stride = _begin(lanes, infinity, cell, shape, weights, fronts, front, 0)
        not_improved = splat(lanes, front.dtype.type(NOT_IMPROVED))
        for entry in range(0, size * stride, n):
            store(via, entry, not_improved)
        for pivot in range(own):
            this = splat(lanes, front.dtype.type(pivot))
            for i in range(size):
                step = get(front, i * stride + pivot)
                if i != pivot and step < infinity:
                    steps = splat(lanes, step)
                    for j in range(0, stride, n):
                        entry = i * stride + j
                        sums, best = add(steps, load(lanes, front, pivot * stride + j)), load(lanes, front, entry)
                        store(via, entry, choose_below(sums, best, this, load(lanes, via, entry)))
                        store(front, entry, minimum(best, sums))
        first_node = np.int64(get(shape.offsets, cell))
        for entry in range(get(entries.l_first, first_node), get(entries.l_first, first_node + own)):
            flow[get(entries.l_at, entry)] = l_use[entry]
        for entry in range(get(entries.r_first, first_node), get(entries.r_first, first_node + own)):
            flow[get(entries.r_at, entry)] = r_use[entry]
        square = get(shape.square_at, cell)
        for i in range(own, size):
            for j in range(own, size):
                flow[i * stride + j] = squares[square]
                square += 1
        _share_out(own, size, stride, via, flow, order, first)
        _hand_on(lanes, cell, stride, shape, weights, fronts, front, via, flow, squares, arc_flow)


@inlined
def _share_out(
    own: int,
    size: int,
    stride: int,
    via: NDArray[Any],
    flow: NDArray[Any],
    order: Int32Array,
    first: Int64Array,
) -> None:
    """Give the flow of each entry to the two that improved it last, pivots from the last to the first."""
    for pivot in range(own + 2):
        first[pivot] = 0
    for i in range(size):
        for j in range(size):
            first[np.int64(via[i * stride + j]) + 2] += 1
    for pivot in range(own + 1):
        first[pivot + 1] += first[pivot]
    for i in range(size):
        for j in range(size):
            kind = np.int64(via[i * stride + j]) + 1
            order[first[kind]] = i * stride + j
            first[kind] += 1
    for place in range(size * size - 1, first[0] - 1, -1):
        entry = np.int64(order[place])
        amount = flow[entry]
        if amount != 0:
            half, row = np.int64(via[entry]), entry // stride * stride
            flow[row + half] += amount
            flow[half * stride + entry - row] += amount
            flow[entry] = 0


@inlined
def _hand_on(
    lanes: Lanes,
    cell: int,
    stride: int,
    shape: Shape,
    weights: NDArray[Any],
    fronts: NDArray[Any],
    front: NDArray[Any],
    via: NDArray[Any],
    flow: NDArray[Any],
    squares: NDArray[Any],
    arc_flow: NDArray[Any],
) -> None:
    """Give the flow that is left in a front to arcs, and to what children left over; nothing is left then."""
    for arc in range(get(shape.arc_offsets, cell), get(shape.arc_offsets, cell + 1)):
        entry = np.int64(get(shape.arc_row, arc)) * stride + get(shape.arc_column, arc)
        if flow[entry] != 0 and get(weights, arc) == get(front, entry):
            arc_flow[get(shape.arcs, arc)] += flow[entry]
            flow[entry] = 0
    for number in range(get(shape.children_offsets, cell), get(shape.children_offsets, cell + 1)):
        child = np.int64(get(shape.children, number))
        first, square = get(shape.border_offsets, child), get(shape.square_at, child)
        count = get(shape.border_offsets, child + 1) - first
        below = np.int64(get(shape.offsets, child + 1) - get(shape.offsets, child))
        step = _stride_of(lanes, below + count)
        for i in range(count):
            row = np.int64(get(shape.parent_index, first + i)) * stride
            left = get(shape.front_at, child) + (below + i) * step + below
            for j in range(count):
                entry = row + get(shape.parent_index, first + j)
                if flow[entry] != 0 and get(fronts, left + j) == get(front, entry):
                    squares[square + j] += flow[entry]
                    flow[entry] = 0
            square += count
