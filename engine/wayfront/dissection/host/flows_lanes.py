"""Flows of one path a pair, source by source: 64 sources along the lanes, and no tree is ever stored.

Sources ascend from their cells to the root (``bring_up``): *before* a cell's own R a node has the distance by which it
is the first of its separator, and *after* it the least one. Then the cells are walked through in depth-first order. On
the way down a cell's distances are made from those of the cells above; on the way up what arrives at its nodes, their
demand and what came from below, is given back to where the distance came from. A leaf does both at once, its distances
still in registers. So only the path to the root is kept, [row][64]. At last what was given back to the ascent goes back
down along it (``bring_back``).

The 64 comparisons of two vectors are a uint64. A lane's path is fixed, whatever lies in the other lanes and was thinned
out: a node takes the ascent if that is as short as any way, else the shortest entry of L that is, else the first of
equal ones; in the ascent a node that is first itself, else the first of the highest cell. Lanes that have not taken
an entry yet are the bits of a mask, and the search for more ends when there are none.

Flows are those of one member of a source; an entry's use counts each source as often as it has members.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import inlined, loop_without_allocation
from wayfront.devices.cpu import aligned_empty
from wayfront.dissection.host.vectors import (
    LANES_64,
    Vector,
    add,
    get,
    keep_lanes,
    lanes_below,
    lanes_equal,
    load,
    minimum,
    put,
    splat,
    store,
    subtract,
    total_of,
    total_of_products,
)
from wayfront.dissection.passing import Entries, Uses
from wayfront.dissection.shape import Dissection, Int32Array, Int64Array
from wayfront.kernels.arithmetic import ones

WIDTH = LANES_64.count
"""Sources that go through the cells together."""

NO_LANES, ALL_LANES = np.uint64(0), np.uint64(2**64 - 1)


class Walk(NamedTuple):
    """What walking through the cells reads.

    offsets, parent, is_leaf, cell_of  as ``Dissection`` has them
    steps    int32: the cells as they are entered, and ~cell as they are left; a leaf is entered only
    row      int32 [n]: the row on the path of each position
    l_row    int32: the row of each entry's border node
    demand   int32 or int64 [n]: what goes to each position from one member of a source
    entries  those of L and R
    """

    offsets: Int32Array
    parent: Int32Array
    is_leaf: NDArray[np.bool_]
    cell_of: Int32Array
    steps: Int32Array
    row: Int32Array
    l_row: Int32Array
    demand: NDArray[Any]
    entries: Entries


class Ways(NamedTuple):
    """Work arrays of one core: rows of 64 lanes.

    path, path_flow  the path to the root: distances, and what arrived
    before, after    the ascent's distances before and after a cell's own R
    to_before, to_after  what was given back to them
    start    int32 [c]: a cell's first row in the ascent, −1 without one
    touched  int32: the cells of an ascent, parents first; ``passed`` int64 [1]: how many
    """

    path: NDArray[Any]
    path_flow: NDArray[Any]
    before: NDArray[Any]
    after: NDArray[Any]
    to_before: NDArray[Any]
    to_after: NDArray[Any]
    start: Int32Array
    touched: Int32Array
    passed: Int64Array


def walk_of(cut: Dissection, entries: Entries, demand: NDArray[Any]) -> Walk:
    """Return the walk through a dissection's cells for a demand [n] by position."""
    inner = np.where(cut.is_leaf, 0, np.diff(cut.offsets))
    begin = np.zeros(cut.cell_count, np.int64)
    for depth in range(1, int(cut.depth.max(initial=0)) + 1):
        there = np.flatnonzero(cut.depth == depth)
        begin[there] = (begin + inner)[cut.parent[there]]
    row = (begin[cut.cell_of] + np.arange(cut.node_count) - cut.offsets[cut.cell_of]).astype(np.int32)
    return Walk(
        *(cut.offsets, cut.parent, cut.is_leaf, cut.cell_of, steps_of(cut)),
        *(row, row[entries.l_from], demand, entries),
    )


def steps_of(cut: Dissection) -> Int32Array:
    """Return the cells as they are entered, and ~cell as they are left, depth first; a leaf is entered only."""
    steps: list[int] = []
    within: list[int] = []
    for cell, (end, leaf) in enumerate(zip(cut.end.tolist(), cut.is_leaf.tolist(), strict=True)):
        while within and cut.end[within[-1]] <= cell:
            steps.append(~within.pop())
        steps.append(cell)
        if not leaf:
            within.append(cell)
        assert end > cell
    steps += [~cell for cell in reversed(within)]
    return np.array(steps, np.int32)


def ways_of(walk: Walk, dtype: np.dtype[Any]) -> Ways:
    """Return work arrays of a core for distances of a dtype and flows of the demand's."""
    flows, count = walk.demand.dtype, len(walk.parent)
    rows = int(walk.row.max()) + 1
    most_in_leaf = int(np.diff(walk.offsets).max())
    ascent = min(len(walk.row), WIDTH * (rows + most_in_leaf))

    def rows_of(number: int, kind: np.dtype[Any]) -> NDArray[Any]:
        return aligned_empty(number * WIDTH, kind)

    return Ways(
        path=rows_of(rows, dtype),
        path_flow=rows_of(rows, flows),
        before=rows_of(ascent, dtype),
        after=rows_of(ascent, dtype),
        to_before=rows_of(ascent, flows),
        to_after=rows_of(ascent, flows),
        start=np.full(count, -1, np.int32),
        touched=np.empty(count, np.int32),
        passed=np.zeros(1, np.int64),
    )


def uses_of(entries: Entries, node_count: int, dtype: np.dtype[Any]) -> Uses:
    """Return sums that are 0."""
    return Uses(*(np.zeros(size, dtype) for size in (len(entries.l_at), len(entries.r_at), node_count)))


@loop_without_allocation
def flow_along_lanes(
    infinity: int, unit: bool, sources: Int32Array, members: NDArray[Any], walk: Walk, ways: Ways, uses: Uses
) -> None:
    """Add the flows from sources, a whole number of 64, given by position and −1 for none, to ``uses``.

    ``members`` [sources], 64 bits each and 0 for none; ``unit`` says that each source has one.
    """
    infinite = splat(LANES_64, infinity)
    for block in range(0, len(sources), WIDTH):
        many = load(LANES_64, members, block)
        _bring_up(infinity, infinite, sources[block : block + WIDTH], walk, ways)
        for number in range(len(walk.steps)):
            step = np.int64(get(walk.steps, number))
            if step < 0:
                _give_back(infinite, ~step, unit, many, walk, ways, uses)
            elif walk.is_leaf[step]:
                _pass_leaf(infinite, step, unit, many, walk, ways, uses)
            else:
                _come_down(infinite, step, unit, many, walk, ways, uses)
        _bring_back(infinite, unit, many, walk, ways, uses)


@inlined
def sum_over(unit: bool, flow: Vector, many: Vector) -> Any:
    """Return the sum of the flows of all members."""
    if unit:
        return np.int64(total_of(flow))
    return total_of_products(flow, many)


@inlined
def members_in(unit: bool, bits: np.uint64, many: Vector) -> Any:
    """Return how many members the lanes of a mask have."""
    if unit:
        return np.int64(ones(bits))
    return total_of_products(keep_lanes(bits, splat(LANES_64, np.int64(1))), many)


@inlined
def _bring_up(infinity: int, infinite: Vector, sources: Int32Array, walk: Walk, ways: Ways) -> None:
    """Find the distances from each lane's source to the first node, and the nearest, in each separator above it."""
    entries, count = walk.entries, list_cells_above(sources, walk, ways)
    put(ways.passed, 0, count)
    rows = np.int64(0)
    for number in range(count):
        cell = np.int64(get(ways.touched, number))
        put(ways.start, cell, rows)
        rows += get(walk.offsets, cell + 1) - get(walk.offsets, cell)
    nothing = splat(LANES_64, ways.to_before.dtype.type(0))
    for at in range(0, rows * WIDTH, WIDTH):
        store(ways.before, at, infinite)
        store(ways.to_before, at, nothing)
        store(ways.to_after, at, nothing)
    for lane in range(WIDTH):
        if get(sources, lane) >= 0:
            put(ways.before, ascent_row(np.int64(get(sources, lane)), walk, ways) + lane, 0)
    for number in range(count - 1, -1, -1):
        cell = np.int64(get(ways.touched, number))
        first, last = np.int64(get(walk.offsets, cell)), np.int64(get(walk.offsets, cell + 1))
        own = np.int64(get(ways.start, cell)) * WIDTH
        for at in range(own, own + (last - first) * WIDTH, WIDTH):
            store(ways.after, at, load(LANES_64, ways.before, at))
        for i in range(last - first):
            near = load(LANES_64, ways.before, own + i * WIDTH)
            if lanes_below(near, infinite) != NO_LANES:
                for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
                    to = np.int64(get(entries.r_to, entry))
                    offer = add(near, splat(LANES_64, get(entries.r_length, entry)))
                    at = ascent_row(to, walk, ways)
                    if to >= first:
                        store(ways.after, at, minimum(load(LANES_64, ways.after, at), offer))
                    else:
                        store(ways.before, at, minimum(load(LANES_64, ways.before, at), offer))


@inlined
def list_cells_above(sources: Int32Array, walk: Walk, ways: Ways) -> Any:
    """List the cells of the lanes' sources and all above them, ascending; return how many there are."""
    count = np.int64(0)
    for lane in range(WIDTH):
        if get(sources, lane) >= 0:
            cell = np.int64(get(walk.cell_of, get(sources, lane)))
            while cell >= 0 and get(ways.start, cell) < 0:
                put(ways.start, cell, 0)
                place = count
                while place > 0 and get(ways.touched, place - 1) > cell:
                    put(ways.touched, place, get(ways.touched, place - 1))
                    place -= 1
                put(ways.touched, place, cell)
                count += 1
                cell = np.int64(get(walk.parent, cell))
    return count


@inlined
def ascent_row(position: int, walk: Walk, ways: Ways) -> int:
    """Return where the row of a position begins in the ascent."""
    cell = np.int64(get(walk.cell_of, position))
    return (np.int64(get(ways.start, cell)) + position - get(walk.offsets, cell)) * WIDTH


@inlined
def _bring_back(infinite: Vector, unit: bool, many: Vector, walk: Walk, ways: Ways, uses: Uses) -> None:
    """Give what came to the ascent back along it, parents first, and forget it."""
    entries = walk.entries
    for number in range(get(ways.passed, 0)):
        cell = np.int64(get(ways.touched, number))
        first, last = np.int64(get(walk.offsets, cell)), np.int64(get(walk.offsets, cell + 1))
        own = np.int64(get(ways.start, cell)) * WIDTH
        for at in range(own, own + (last - first) * WIDTH, WIDTH):
            stay = lanes_equal(load(LANES_64, ways.before, at), load(LANES_64, ways.after, at))
            flow = load(LANES_64, ways.to_after, at)
            store(ways.to_before, at, add(load(LANES_64, ways.to_before, at), keep_lanes(stay, flow)))
            store(ways.to_after, at, keep_lanes(~stay, flow))
        for i in range(last - first):
            origin = own + i * WIDTH
            near = load(LANES_64, ways.before, origin)
            live = lanes_below(near, infinite)
            if live != NO_LANES:
                for entry in range(get(entries.r_first, first + i), get(entries.r_first, first + i + 1)):
                    to = np.int64(get(entries.r_to, entry))
                    offer = add(near, splat(LANES_64, get(entries.r_length, entry)))
                    at = ascent_row(to, walk, ways)
                    if to >= first:
                        bits = lanes_equal(offer, load(LANES_64, ways.after, at)) & live
                        if bits != NO_LANES:
                            uses.r_use[entry] += _take_back(unit, bits, at, origin, many, ways.to_after, ways.to_before)
                    else:
                        bits = lanes_equal(offer, load(LANES_64, ways.before, at)) & live
                        if bits != NO_LANES:
                            uses.r_use[entry] += _take_back(
                                unit, bits, at, origin, many, ways.to_before, ways.to_before
                            )
    for number in range(get(ways.passed, 0)):
        put(ways.start, get(ways.touched, number), -1)


@inlined
def _take_back(
    unit: bool, bits: np.uint64, at: int, origin: int, many: Vector, given: NDArray[Any], to: NDArray[Any]
) -> Any:
    """Move some lanes' flow from one row to another; return it, added up."""
    flow = load(LANES_64, given, at)
    taken = keep_lanes(bits, flow)
    store(given, at, subtract(flow, taken))
    store(to, origin, add(load(LANES_64, to, origin), taken))
    return sum_over(unit, taken, many)


@inlined
def _nearest(best: Vector, position: int, walk: Walk, path: NDArray[Any]) -> Vector:
    """Return the distances to a node by its border, or those that are better."""
    for entry in range(get(walk.entries.l_first, position), get(walk.entries.l_first, position + 1)):
        above = load(LANES_64, path, np.int64(get(walk.l_row, entry)) * WIDTH)
        best = minimum(best, add(above, splat(LANES_64, get(walk.entries.l_length, entry))))
    return best


@inlined
def _come_down(infinite: Vector, cell: int, unit: bool, many: Vector, walk: Walk, ways: Ways, uses: Uses) -> None:
    """Make the distances of an inner cell's nodes; their flow is their demand to begin with."""
    start, first = np.int64(get(ways.start, cell)), np.int64(get(walk.offsets, cell))
    for position in range(first, get(walk.offsets, cell + 1)):
        best = infinite
        if start >= 0:
            best = load(LANES_64, ways.after, (start + position - first) * WIDTH)
        best = _nearest(best, position, walk, ways.path)
        reached = lanes_below(best, infinite)
        uses.arrived[position] += members_in(unit, reached, many)
        at = np.int64(get(walk.row, position)) * WIDTH
        store(ways.path, at, best)
        store(ways.path_flow, at, keep_lanes(reached, splat(LANES_64, get(walk.demand, position))))


@inlined
def _give_back(infinite: Vector, cell: int, unit: bool, many: Vector, walk: Walk, ways: Ways, uses: Uses) -> None:
    """Give what arrived at an inner cell's nodes back to its border, or to the ascent."""
    for position in range(get(walk.offsets, cell), get(walk.offsets, cell + 1)):
        at = np.int64(get(walk.row, position)) * WIDTH
        best, flow = load(LANES_64, ways.path, at), load(LANES_64, ways.path_flow, at)
        _give_node_back(infinite, best, flow, cell, position, False, unit, many, walk, ways, uses)


@inlined
def _pass_leaf(infinite: Vector, cell: int, unit: bool, many: Vector, walk: Walk, ways: Ways, uses: Uses) -> None:
    """Make the distances of a leaf's nodes, and give their demand back at once."""
    start, first = np.int64(get(ways.start, cell)), np.int64(get(walk.offsets, cell))
    for position in range(first, get(walk.offsets, cell + 1)):
        best = infinite
        if start >= 0:
            best = load(LANES_64, ways.after, (start + position - first) * WIDTH)
        best = _nearest(best, position, walk, ways.path)
        uses.arrived[position] += members_in(unit, lanes_below(best, infinite), many)
        flow = splat(LANES_64, get(walk.demand, position))
        _give_node_back(infinite, best, flow, cell, position, True, unit, many, walk, ways, uses)


@inlined
def _give_node_back(
    infinite: Vector,
    best: Vector,
    flow: Vector,
    cell: int,
    position: int,
    alike: bool,
    unit: bool,
    many: Vector,
    walk: Walk,
    ways: Ways,
    uses: Uses,
) -> None:
    """Give a node's flow to the ascent, or to the first entry by which it is as near; ``alike`` is its demand alone."""
    start, entries, left = np.int64(get(ways.start, cell)), walk.entries, lanes_below(best, infinite)
    if start >= 0:
        own = (start + position - get(walk.offsets, cell)) * WIDTH
        bits = lanes_equal(best, load(LANES_64, ways.after, own)) & left
        store(ways.to_after, own, keep_lanes(bits, flow))
        left ^= bits
    entry, end = get(entries.l_first, position), get(entries.l_first, position + 1)
    while entry < end and left != NO_LANES:
        above = np.int64(get(walk.l_row, entry)) * WIDTH
        offer = add(load(LANES_64, ways.path, above), splat(LANES_64, get(entries.l_length, entry)))
        bits = lanes_equal(offer, best) & left
        if bits != NO_LANES:
            left ^= bits
            taken = keep_lanes(bits, flow)
            store(ways.path_flow, above, add(load(LANES_64, ways.path_flow, above), taken))
            if alike:
                uses.l_use[entry] += members_in(unit, bits, many) * get(walk.demand, position)
            else:
                uses.l_use[entry] += sum_over(unit, taken, many)
        entry += 1
