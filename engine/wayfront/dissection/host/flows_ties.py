"""Flows of all shortest paths of a pair, which share its demand evenly: numbers of paths go the way that distances go.

A shortest path has exactly one decomposition along the dissection, so that numbers of paths multiply and add where
distances add and take the minimum. Of σ paths to a node each carries *demand / σ*; this mass of a path is given back
by the entries that are tight, times the paths that these stand for, and what passes an entry is the mass times the
paths that lead to it (Brandes, "A faster algorithm for betweenness centrality", Journal of Mathematical Sociology
25(2), 2001). One division a node; sums are of float64, as numbers of paths are: on grids of equal weights they grow
beyond 2⁵³, where they are rounded, and at last beyond all float64.

Fronts have numbers of paths beside their entries. Parallel arcs as light as each other count as one and share its flow.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.flows_fronts import Fronts, Shape
from wayfront.dissection.host.flows_lanes import NO_LANES, WIDTH, Walk, Ways, ascent_row, list_cells_above
from wayfront.dissection.host.vectors import (
    LANES_64,
    Vector,
    add,
    add_reals,
    divide_reals,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    minimum,
    multiply_reals,
    put,
    splat,
    splat_real,
    store,
    total_of_reals,
)
from wayfront.dissection.passing import Entries, Uses
from wayfront.dissection.shape import Int32Array
from wayfront.dissection.subtrees import divided, side_by_side

Reals = NDArray[np.float64]


class Paths(NamedTuple):
    """Numbers of paths: of each entry of L and R, and of one core's rows as in ``Ways``."""

    l_count: Reals
    r_count: Reals
    path: Reals
    before: Reals
    after: Reals


def paths_of(counted: tuple[Reals, Reals], ways: Ways) -> Paths:
    """Return the numbers of paths of entries, and room for a core's."""
    return Paths(*counted, *(aligned_empty(len(row), np.float64) for row in (ways.path, ways.before, ways.after)))


class TiedFronts:
    """How many shortest paths each entry of closed fronts stands for."""

    def __init__(self, fronts: Fronts, threads: int = 1) -> None:
        """Count them. Threads take subtrees of cells."""
        self._fronts, self._threads = fronts, threads
        self.counts: Reals = np.zeros(int(fronts.shape.front_at[-1]))
        self._size = int((fronts.cut.front_sizes * fronts.strides).max(initial=1))

        def count_cells(begin: int, end: int) -> None:
            _count_paths(
                *(fronts.infinity, begin, end, fronts.shape, fronts.strides, fronts.weights, fronts.entries),
                *(self.counts, np.empty(self._size, fronts.dtype), np.empty(self._size)),
            )

        above, subtrees = divided(fronts.cut, threads)
        side_by_side(count_cells, subtrees, threads)
        for cell in reversed(above):
            count_cells(cell, cell + 1)

    def counts_of(self, entries: Entries) -> tuple[Reals, Reals]:
        """Return the numbers of paths of entries of L and of R."""
        shape = self._fronts.shape
        cells = np.repeat(shape.front_at[:-1], np.diff(shape.offsets))
        l_count, r_count = (
            self.counts[np.repeat(cells, np.diff(first)) + at]
            for first, at in ((entries.l_first, entries.l_at), (entries.r_first, entries.r_at))
        )
        return l_count, r_count

    def unpack(self, entries: Entries, l_use: Reals, r_use: Reals, arc_flow: Reals) -> None:
        """Add what passes entries, for each of their paths, to the flows of the arcs [m]."""
        fronts, size = self._fronts, self._size
        most = int(np.diff(fronts.shape.offsets).max()) * int(fronts.cut.front_sizes.max())
        squares = np.zeros(int(fronts.shape.square_at[-1]))

        def unpack_cells(begin: int, end: int) -> None:
            _unpack_paths(
                *(fronts.infinity, begin, end, fronts.shape, fronts.strides, fronts.weights, fronts.entries),
                *(self.counts, entries, l_use, r_use, squares, np.empty(size, fronts.dtype), np.empty(size)),
                *(np.empty((2, most), fronts.dtype), np.empty((2, most)), np.zeros(size), arc_flow),
            )

        above, subtrees = divided(fronts.cut, self._threads)
        for cell in above:
            unpack_cells(cell, cell + 1)
        side_by_side(unpack_cells, subtrees, self._threads)


@inlined
def _begin_counting(
    infinity: int,
    cell: int,
    shape: Shape,
    strides: Any,
    weights: Any,
    entries: Any,
    counts: Any,
    front: Any,
    count: Any,
) -> tuple[Any, Any, Any]:
    """Fill a front with its arcs and what the children left over; return (own, size, stride)."""
    own = np.int64(shape.offsets[cell + 1] - shape.offsets[cell])
    size, stride = own + shape.border_offsets[cell + 1] - shape.border_offsets[cell], strides[cell]
    for entry in range(size * stride):
        front[entry], count[entry] = infinity, 0.0
    for i in range(size):
        front[i * stride + i] = 0
    for arc in range(shape.arc_offsets[cell], shape.arc_offsets[cell + 1]):
        entry = np.int64(shape.arc_row[arc]) * stride + shape.arc_column[arc]
        if weights[arc] < front[entry]:
            front[entry], count[entry] = weights[arc], 1.0
    for number in range(shape.children_offsets[cell], shape.children_offsets[cell + 1]):
        child = shape.children[number]
        first, below = shape.border_offsets[child], np.int64(shape.offsets[child + 1] - shape.offsets[child])
        for i in range(shape.border_offsets[child + 1] - first):
            for j in range(shape.border_offsets[child + 1] - first):
                entry = np.int64(shape.parent_index[first + i]) * stride + shape.parent_index[first + j]
                left = shape.front_at[child] + (below + i) * strides[child] + below + j
                if i != j and entries[left] < front[entry]:
                    front[entry], count[entry] = entries[left], counts[left]
                elif i != j and entries[left] == front[entry] and front[entry] < infinity:
                    count[entry] += counts[left]
    return own, size, stride


@inlined
def _count_through(infinity: int, pivot: int, size: int, stride: int, front: Any, count: Any) -> None:
    """Lower a front to what goes through a pivot, and count its paths."""
    for i in range(size):
        step = front[i * stride + pivot]
        if i != pivot and step < infinity:
            for j in range(size):
                if j not in (pivot, i):
                    through, entry = step + front[pivot * stride + j], i * stride + j
                    if through < front[entry]:
                        front[entry] = through
                        count[entry] = count[i * stride + pivot] * count[pivot * stride + j]
                    elif through == front[entry] and through < infinity:
                        count[entry] += count[i * stride + pivot] * count[pivot * stride + j]


@loop
def _count_paths(
    infinity: int,
    begin: int,
    end: int,
    shape: Shape,
    strides: Any,
    weights: Any,
    entries: Any,
    counts: Any,
    front: Any,
    count: Any,
) -> None:
    """Count the paths of all entries of some cells' fronts, children first."""
    for cell in range(end - 1, begin - 1, -1):
        own, size, stride = _begin_counting(infinity, cell, shape, strides, weights, entries, counts, front, count)
        for pivot in range(own):
            _count_through(infinity, pivot, size, stride, front, count)
        at = shape.front_at[cell]
        for entry in range(size * stride):
            counts[at + entry] = count[entry]


@loop
def _unpack_paths(
    infinity: int,
    begin: int,
    end: int,
    shape: Shape,
    strides: Any,
    weights: Any,
    entries: Any,
    counts: Any,
    listed: Entries,
    l_use: Any,
    r_use: Any,
    squares: Any,
    front: Any,
    count: Any,
    lengths: Any,
    paths: Any,
    flow: Any,
    arc_flow: Any,
) -> None:
    """Bring what passes each path of some cells' entries to arcs, parents first and pivots last to first.

    ``lengths`` and ``paths`` [2, own · size] are a front's columns and rows as they are when their pivot's turn comes.
    """
    for cell in range(begin, end):
        own, size, stride = _begin_counting(infinity, cell, shape, strides, weights, entries, counts, front, count)
        for pivot in range(own):
            for i in range(size):
                column, row = i * stride + pivot, pivot * stride + i
                lengths[0, pivot * size + i], lengths[1, pivot * size + i] = front[column], front[row]
                paths[0, pivot * size + i], paths[1, pivot * size + i] = count[column], count[row]
            _count_through(infinity, pivot, size, stride, front, count)
        first = shape.offsets[cell]
        flow[: size * stride] = 0
        for entry in range(listed.l_first[first], listed.l_first[first + own]):
            flow[listed.l_at[entry]] = l_use[entry]
        for entry in range(listed.r_first[first], listed.r_first[first + own]):
            flow[listed.r_at[entry]] += r_use[entry]
        square = shape.square_at[cell]
        for i in range(own, size):
            for j in range(own, size):
                flow[i * stride + j] = squares[square]
                square += 1
        for pivot in range(own - 1, -1, -1):
            at = pivot * size
            for i in range(size):
                if i != pivot and lengths[0, at + i] < infinity:
                    for j in range(size):
                        mass = flow[i * stride + j]
                        tight = lengths[0, at + i] + lengths[1, at + j] == front[i * stride + j]
                        if mass != 0 and tight and j not in (pivot, i):
                            flow[i * stride + pivot] += mass * paths[1, at + j]
                            flow[pivot * stride + j] += mass * paths[0, at + i]
        _hand_on_paths(infinity, cell, shape, strides, weights, entries, front, flow, squares, arc_flow)


@inlined
def _hand_on_paths(
    infinity: int,
    cell: int,
    shape: Shape,
    strides: Any,
    weights: Any,
    entries: Any,
    front: Any,
    flow: Any,
    squares: Any,
    arc_flow: Any,
) -> None:
    """Give what passes each path of an entry to arcs that are as short, and to what children left over."""
    stride, begin, end = strides[cell], shape.arc_offsets[cell], shape.arc_offsets[cell + 1]
    for arc in range(begin, end):
        entry = np.int64(shape.arc_row[arc]) * stride + shape.arc_column[arc]
        if weights[arc] == front[entry] and flow[entry] != 0:
            alike = 0
            for other in range(begin, end):
                same = shape.arc_row[other] == shape.arc_row[arc] and shape.arc_column[other] == shape.arc_column[arc]
                alike += same and weights[other] == weights[arc]
            arc_flow[shape.arcs[arc]] += flow[entry] / alike
    for number in range(shape.children_offsets[cell], shape.children_offsets[cell + 1]):
        child = shape.children[number]
        first, below = shape.border_offsets[child], np.int64(shape.offsets[child + 1] - shape.offsets[child])
        length, square = shape.border_offsets[child + 1] - first, shape.square_at[child]
        for i in range(length):
            for j in range(length):
                entry = np.int64(shape.parent_index[first + i]) * stride + shape.parent_index[first + j]
                left = shape.front_at[child] + (below + i) * strides[child] + below + j
                if i != j and front[entry] < infinity and entries[left] == front[entry]:
                    squares[square + i * length + j] += flow[entry]


@loop_without_allocation
def flow_along_ties(
    infinity: int, sources: Int32Array, members: Reals, walk: Walk, ways: Ways, paths: Paths, uses: Uses
) -> None:
    """Add what passes each path from sources, a whole number of 64 as ``flow_along_lanes`` takes them, to ``uses``."""
    infinite = splat(LANES_64, infinity)
    for block in range(0, len(sources), WIDTH):
        many = load(LANES_64, members, block)
        _bring_up(infinite, sources[block : block + WIDTH], walk, ways, paths)
        for number in range(len(walk.steps)):
            step = np.int64(get(walk.steps, number))
            if step < 0:
                _give_back(infinite, ~step, walk, ways, paths, uses)
            else:
                _come_down(infinite, step, many, walk, ways, paths, uses)
        _bring_back(infinite, walk, ways, paths, uses)


@inlined
def _bring_up(infinite: Vector, sources: Int32Array, walk: Walk, ways: Ways, paths: Paths) -> None:
    """Find distances, and count paths, from each lane's source to the nodes of the separators above it."""
    count, rows, entries = list_cells_above(sources, walk, ways), np.int64(0), walk.entries
    put(ways.passed, 0, count)
    for number in range(count):
        cell = np.int64(get(ways.touched, number))
        put(ways.start, cell, rows)
        rows += get(walk.offsets, cell + 1) - get(walk.offsets, cell)
    nothing = splat_real(LANES_64, 0.0)
    for at in range(0, rows * WIDTH, WIDTH):
        store(ways.before, at, infinite)
        store(paths.before, at, nothing)
        store(ways.to_before, at, nothing)
        store(ways.to_after, at, nothing)
    for lane in range(WIDTH):
        if get(sources, lane) >= 0:
            at = ascent_row(np.int64(get(sources, lane)), walk, ways) + lane
            put(ways.before, at, 0)
            paths.before[at] = 1.0
    for number in range(count - 1, -1, -1):
        cell = np.int64(get(ways.touched, number))
        first, last = np.int64(get(walk.offsets, cell)), np.int64(get(walk.offsets, cell + 1))
        own = np.int64(get(ways.start, cell)) * WIDTH
        for at in range(own, own + (last - first) * WIDTH, WIDTH):
            store(ways.after, at, load(LANES_64, ways.before, at))
            store(paths.after, at, load(LANES_64, paths.before, at))
        for i in range(last - first):
            near, led = load(LANES_64, ways.before, own + i * WIDTH), load(LANES_64, paths.before, own + i * WIDTH)
            if lanes_below(near, infinite) != NO_LANES:
                for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
                    to = np.int64(get(entries.r_to, entry))
                    offer = add(near, splat(LANES_64, get(entries.r_length, entry)))
                    more = multiply_reals(led, splat_real(LANES_64, paths.r_count[entry]))
                    at = ascent_row(to, walk, ways)
                    if to >= first:
                        _offer(infinite, offer, more, at, ways.after, paths.after)
                    else:
                        _offer(infinite, offer, more, at, ways.before, paths.before)


@inlined
def _offer(infinite: Vector, offer: Vector, more: Vector, at: int, rows: NDArray[Any], counts: Reals) -> None:
    """Lower a row of distances; paths that are shorter take the place of those so far, equal ones are added."""
    best = load(LANES_64, rows, at)
    less = lanes_below(offer, best)
    taken = less | (lanes_equal(offer, best) & lanes_below(offer, infinite))
    if taken != NO_LANES:
        store(counts, at, add_reals(keep_lanes(~less, load(LANES_64, counts, at)), keep_lanes(taken, more)))
        store(rows, at, minimum(best, offer))


@inlined
def _come_down(infinite: Vector, cell: int, many: Vector, walk: Walk, ways: Ways, paths: Paths, uses: Uses) -> None:
    """Make distances, numbers of paths and the mass of each; a leaf gives it back at once."""
    start, first, entries = np.int64(get(ways.start, cell)), np.int64(get(walk.offsets, cell)), walk.entries
    for position in range(first, get(walk.offsets, cell + 1)):
        best, own = infinite, (start + position - first) * WIDTH
        begin, end = get(entries.l_first, position), get(entries.l_first, position + 1)
        if start >= 0:
            best = load(LANES_64, ways.after, own)
        for entry in range(begin, end):
            above = load(LANES_64, ways.path, np.int64(get(walk.l_row, entry)) * WIDTH)
            best = minimum(best, add(above, splat(LANES_64, get(entries.l_length, entry))))
        reached = lanes_below(best, infinite)
        led = splat_real(LANES_64, 0.0)
        if start >= 0:
            led = keep_lanes(
                lanes_equal(best, load(LANES_64, ways.after, own)) & reached, load(LANES_64, paths.after, own)
            )
        for entry in range(begin, end):
            at = np.int64(get(walk.l_row, entry)) * WIDTH
            offer = add(load(LANES_64, ways.path, at), splat(LANES_64, get(entries.l_length, entry)))
            bits = lanes_equal(offer, best) & reached
            if bits != NO_LANES:
                ways_there = multiply_reals(load(LANES_64, paths.path, at), splat_real(LANES_64, paths.l_count[entry]))
                led = add_reals(led, keep_lanes(bits, ways_there))
        uses.arrived[position] += total_of_reals(keep_lanes(reached, many))
        amount = multiply_reals(many, splat_real(LANES_64, walk.demand[position]))
        mass = keep_lanes(reached, divide_reals(amount, led))
        if walk.is_leaf[cell]:
            _give_node_back(best, mass, reached, start, own, begin, end, walk, ways, paths, uses)
        else:
            at = np.int64(get(walk.row, position)) * WIDTH
            store(ways.path, at, best)
            store(paths.path, at, led)
            store(ways.path_flow, at, mass)


@inlined
def _give_back(infinite: Vector, cell: int, walk: Walk, ways: Ways, paths: Paths, uses: Uses) -> None:
    """Give the mass of each path to an inner cell's nodes back to its border, and to the ascent."""
    start, first, entries = np.int64(get(ways.start, cell)), np.int64(get(walk.offsets, cell)), walk.entries
    for position in range(first, get(walk.offsets, cell + 1)):
        at = np.int64(get(walk.row, position)) * WIDTH
        best, mass = load(LANES_64, ways.path, at), load(LANES_64, ways.path_flow, at)
        begin, end = get(entries.l_first, position), get(entries.l_first, position + 1)
        own, reached = (start + position - first) * WIDTH, lanes_below(best, infinite)
        _give_node_back(best, mass, reached, start, own, begin, end, walk, ways, paths, uses)


@inlined
def _give_node_back(
    best: Vector,
    mass: Vector,
    reached: np.uint64,
    start: int,
    own: int,
    begin: int,
    end: int,
    walk: Walk,
    ways: Ways,
    paths: Paths,
    uses: Uses,
) -> None:
    if start >= 0:
        bits = lanes_equal(best, load(LANES_64, ways.after, own)) & reached
        store(ways.to_after, own, keep_lanes(bits, mass))
    for entry in range(begin, end):
        above = np.int64(get(walk.l_row, entry)) * WIDTH
        offer = add(load(LANES_64, ways.path, above), splat(LANES_64, get(walk.entries.l_length, entry)))
        bits = lanes_equal(offer, best) & reached
        if bits != NO_LANES:
            taken = keep_lanes(bits, mass)
            uses.l_use[entry] += total_of_reals(multiply_reals(taken, load(LANES_64, paths.path, above)))
            taken = multiply_reals(taken, splat_real(LANES_64, paths.l_count[entry]))
            store(ways.path_flow, above, add_reals(load(LANES_64, ways.path_flow, above), taken))


@inlined
def _bring_back(infinite: Vector, walk: Walk, ways: Ways, paths: Paths, uses: Uses) -> None:
    """Give the mass of each path that came to the ascent back along it, parents first, and forget it."""
    for number in range(get(ways.passed, 0)):
        cell = np.int64(get(ways.touched, number))
        first, last = np.int64(get(walk.offsets, cell)), np.int64(get(walk.offsets, cell + 1))
        own = np.int64(get(ways.start, cell)) * WIDTH
        for at in range(own, own + (last - first) * WIDTH, WIDTH):
            stay = lanes_equal(load(LANES_64, ways.before, at), load(LANES_64, ways.after, at))
            mass = keep_lanes(stay, load(LANES_64, ways.to_after, at))
            store(ways.to_before, at, add_reals(load(LANES_64, ways.to_before, at), mass))
        for i in range(last - first):
            origin, begin = own + i * WIDTH, get(walk.entries.r_first, first + i)
            near = load(LANES_64, ways.before, origin)
            live = lanes_below(near, infinite)
            if live != NO_LANES:
                for entry in range(begin, get(walk.entries.r_first, first + i + 1)):
                    to = np.int64(get(walk.entries.r_to, entry))
                    offer = add(near, splat(LANES_64, get(walk.entries.r_length, entry)))
                    at = ascent_row(to, walk, ways)
                    if to >= first:
                        bits = lanes_equal(offer, load(LANES_64, ways.after, at)) & live
                        mass = keep_lanes(bits, load(LANES_64, ways.to_after, at))
                    else:
                        bits = lanes_equal(offer, load(LANES_64, ways.before, at)) & live
                        mass = keep_lanes(bits, load(LANES_64, ways.to_before, at))
                    if bits != NO_LANES:
                        led = load(LANES_64, paths.before, origin)
                        uses.r_use[entry] += total_of_reals(multiply_reals(mass, led))
                        mass = multiply_reals(mass, splat_real(LANES_64, paths.r_count[entry]))
                        store(ways.to_before, origin, add_reals(load(LANES_64, ways.to_before, origin), mass))
    for number in range(get(ways.passed, 0)):
        put(ways.start, get(ways.touched, number), -1)
