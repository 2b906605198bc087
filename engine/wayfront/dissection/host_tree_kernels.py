"""Compiled loops that make one shortest-path tree from customised fronts.

The source's distances climb from its cell to the root, d[S ∪ A] = min(d, d[S] ⊗ R) over the few cells above it; then
every cell takes its own from its border's, parents first, d[S] = min(d[S], d[A] ⊗ L). Lanes run over the nodes of a
cell and the border's distances are spread over them: Delling, Goldberg, Nowatzyk and Werneck, "PHAST", JPDC 73(7),
2013, do the same with arcs in place of matrices. What a vector writes behind a leaf, the next leaf overwrites.

Rows of leaves, more than half of all that is read, are kept in 16 bits; the few leaves with a distance that does not
fit are swept again in full width. One vector is 16 entries: LLVM makes it as many registers as the processor needs.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit, types
from numba.extending import overload
from numpy.typing import NDArray

from wayfront.dissection.vectors import (
    add,
    count_of,
    get,
    load,
    load_short,
    minimum,
    put,
    splat,
    store,
    store_first,
)

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


class Path(NamedTuple):
    """What the climb from a source reads; c cells, n nodes, m arcs.

    parent, offsets, border_offsets, is_leaf   as in ``Dissection``
    cell_of_node  int32 [n]; ``index_in_cell`` int32 [n]: a node's index among those of its cell
    slot, border_slots, l_offset, r_offset     as in ``HostOrder``
    arc_offsets, arc_row, arc_column           as in ``FrontLayout``
    """

    parent: Int32Array
    offsets: Int32Array
    border_offsets: Int64Array
    is_leaf: NDArray[np.bool_]
    cell_of_node: Int32Array
    index_in_cell: Int32Array
    slot: Int32Array
    border_slots: Int32Array
    l_offset: Int64Array
    r_offset: Int64Array
    arc_offsets: Int64Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]


class Sweep(NamedTuple):
    """What the descent reads: arrays of ``HostOrder``, its ``Parts`` among them."""

    inner_shapes: Int32Array
    inner_borders: Int32Array
    leaf_runs: Int32Array
    leaf_borders: Int32Array
    cells: Int64Array
    runs: Int64Array
    inner: Int64Array
    leaves: Int64Array


class Matrices(NamedTuple):
    """Results of customising, in the dtype of distances.

    inner_l, leaf_l, inner_r, weights   as in ``HostFronts``
    rows         L of leaves as it is swept: uint16, or ``leaf_l`` itself
    wide_leaves  int32, the leaves with a distance that ``rows`` cannot hold
    """

    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]
    weights: NDArray[Any]
    rows: NDArray[Any]
    wide_leaves: Int32Array


class Scratch(NamedTuple):
    """Work arrays of one tree, with space for a vector behind the last element that is used.

    distances  the slots
    near       [front]: distances from the source in the front of its leaf
    front      [2, front]: a front's reached distances, and what they offer; ``rows`` int64 [front]: their rows of R
    """

    distances: NDArray[Any]
    near: NDArray[Any]
    front: NDArray[Any]
    rows: Int64Array


@njit(nogil=True, cache=True, _nrt=False)
def make_tree(  # type: ignore[no-untyped-def]
    four, eight, lanes, infinity, unreached, source, inner_slots, path, sweep, matrices, scratch, slot_of_node, out
):
    """Write the distances from a source to the nodes in their order, all on one core."""
    climb(lanes, infinity, source, inner_slots, path, matrices, scratch)
    for part in range(len(sweep.cells) - 1):
        descend(four, eight, lanes, infinity, part, sweep, matrices, scratch.distances)
    finish_leaves(lanes, infinity, source, path, matrices, scratch)
    deliver(infinity, unreached, slot_of_node, scratch.distances, 0, len(slot_of_node), out)


@njit(nogil=True, cache=True, _nrt=False)
def climb(lanes, infinity, source, inner_slots, path, matrices, scratch):  # type: ignore[no-untyped-def]
    """Reset the slots of inner cells, and bring the source's distances up to the root's.

    Where the source lies in a leaf, its distances within stay in ``scratch.near``.
    """
    d, infinite = scratch.distances, splat(lanes, infinity)
    for i in range(0, inner_slots, count_of(lanes)):
        store(d, i, infinite)
    cell = get(path.cell_of_node, source)
    if path.is_leaf[cell]:
        search_leaf(infinity, source, path, matrices.weights, scratch.near)
        nodes = get(path.offsets, cell + 1) - get(path.offsets, cell)
        begin = get(path.border_offsets, cell)
        for i in range(get(path.border_offsets, cell + 1) - begin):
            put(d, get(path.border_slots, begin + i), get(scratch.near, nodes + i))
        cell = get(path.parent, cell)
    else:
        put(d, get(path.slot, cell) + get(path.index_in_cell, source), 0)
    while cell >= 0:
        _climb_from(lanes, infinity, cell, path, matrices.inner_r, scratch)
        cell = get(path.parent, cell)


@njit(nogil=True, cache=True, _nrt=False)
def search_leaf(infinity, source, path, weights, near):  # type: ignore[no-untyped-def]
    """Fill ``near`` with distances from a source within its leaf's front, by relaxing its arcs until nothing changes.

    Bellman and Ford's search is quick here: a leaf has a hundred arcs, and no R is kept of leaves.
    """
    cell = get(path.cell_of_node, source)
    front = get(path.offsets, cell + 1) - get(path.offsets, cell)
    front += get(path.border_offsets, cell + 1) - get(path.border_offsets, cell)
    for i in range(front):
        put(near, i, infinity)
    put(near, get(path.index_in_cell, source), 0)
    changed = True
    while changed:
        changed = False
        for place in range(get(path.arc_offsets, cell), get(path.arc_offsets, cell + 1)):
            offer = get(near, get(path.arc_row, place)) + get(weights, place)
            if offer < get(near, get(path.arc_column, place)):
                put(near, get(path.arc_column, place), offer)
                changed = True


@njit(nogil=True, cache=True, _nrt=False)
def _climb_from(lanes, infinity, cell, path, inner_r, scratch):  # type: ignore[no-untyped-def]
    """Bring a cell's distances to the nodes of its front, those that are reached at once."""
    d, slot = scratch.distances, np.int64(get(path.slot, cell))
    nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
    begin = get(path.border_offsets, cell)
    front = nodes + get(path.border_offsets, cell + 1) - begin
    reached, row = 0, get(path.r_offset, cell)
    for i in range(nodes):
        distance = get(d, slot + i)
        if distance < infinity:
            put(scratch.front, reached, distance)
            put(scratch.rows, reached, row + i * front)
            reached += 1
    offers = len(scratch.front) // 2
    for j in range(0, front, count_of(lanes)):
        best = splat(lanes, infinity)
        for i in range(reached):
            row = load(lanes, inner_r, get(scratch.rows, i) + j)
            best = minimum(best, add(splat(lanes, get(scratch.front, i)), row))
        store(scratch.front, offers + j, best)
    for i in range(nodes):
        put(d, slot + i, min(get(d, slot + i), get(scratch.front, offers + i)))
    for i in range(front - nodes):
        place = get(path.border_slots, begin + i)
        put(d, place, min(get(d, place), get(scratch.front, offers + nodes + i)))


@njit(nogil=True, cache=True, _nrt=False)
def descend(four, eight, lanes, infinity, part, sweep, matrices, d):  # type: ignore[no-untyped-def]
    """Make the distances of one part's cells, whose ancestors have theirs; part 0 is the top."""
    _descend_inner(four, eight, lanes, part, sweep, matrices.inner_l, d)
    _descend_leaves(lanes, infinity, part, sweep, matrices.rows, d)


@njit(_nrt=False, forceinline=True)
def _take_from_border(lanes, room, nodes, count, borders, border, l, entry, d, slot):  # type: ignore[no-untyped-def]  # noqa: E741
    """Lower the distances of a cell's nodes, which have ``room`` slots, over those of its border."""
    for j in range(0, room, count_of(lanes)):
        best = load(lanes, d, slot + j)
        for i in range(count):
            spread = splat(lanes, get(d, get(borders, border + i)))
            best = minimum(best, add(spread, load(lanes, l, entry + i * nodes + j)))
        store(d, slot + j, best)


@njit(nogil=True, cache=True, _nrt=False)
def _descend_inner(four, eight, lanes, part, sweep, l, d):  # type: ignore[no-untyped-def]  # noqa: E741
    slot, border, entry = sweep.inner[part, 0], sweep.inner[part, 1], sweep.inner[part, 2]
    borders = sweep.inner_borders
    for cell in range(sweep.cells[part], sweep.cells[part + 1]):
        nodes = np.int64(get(sweep.inner_shapes, 2 * cell))
        count = np.int64(get(sweep.inner_shapes, 2 * cell + 1))
        if nodes <= 4:
            _take_from_border(four, 4, nodes, count, borders, border, l, entry, d, slot)
            slot += 4
        elif nodes <= 8:
            _take_from_border(eight, 8, nodes, count, borders, border, l, entry, d, slot)
            slot += 8
        else:
            _take_from_border(lanes, nodes, nodes, count, borders, border, l, entry, d, slot)
            slot += (nodes + 15) // 16 * 16
        entry += nodes * count
        border += count


@njit(nogil=True, cache=True, _nrt=False)
def _descend_leaves(lanes, infinity, part, sweep, rows, d):  # type: ignore[no-untyped-def]
    slot, border, entry = sweep.leaves[part, 0], sweep.leaves[part, 1], sweep.leaves[part, 2]
    borders, infinite, width = sweep.leaf_borders, splat(lanes, infinity), count_of(lanes)
    for run in range(sweep.runs[part], sweep.runs[part + 1]):
        nodes = np.int64(get(sweep.leaf_runs, 3 * run))
        count = np.int64(get(sweep.leaf_runs, 3 * run + 1))
        leaves = get(sweep.leaf_runs, 3 * run + 2)
        if nodes <= width:
            for _ in range(leaves):
                best = infinite
                for i in range(count):
                    spread = splat(lanes, get(d, get(borders, border + i)))
                    best = minimum(best, add(spread, load_row(lanes, infinite, rows, entry)))
                    entry += nodes
                store(d, slot, best)
                slot += nodes
                border += count
        elif nodes <= 2 * width:
            behind = nodes - width  # the second vector ends with the leaf, and may overlap the first
            for _ in range(leaves):
                best, second = infinite, infinite
                for i in range(count):
                    spread = splat(lanes, get(d, get(borders, border + i)))
                    best = minimum(best, add(spread, load_row(lanes, infinite, rows, entry)))
                    second = minimum(second, add(spread, load_row(lanes, infinite, rows, entry + behind)))
                    entry += nodes
                store(d, slot, best)
                store(d, slot + behind, second)
                slot += nodes
                border += count
        else:
            for _ in range(leaves):
                for j in range(0, nodes, width):
                    best = infinite
                    for i in range(count):
                        spread = splat(lanes, get(d, get(borders, border + i)))
                        row = load_row(lanes, infinite, rows, entry + i * nodes + j)
                        best = minimum(best, add(spread, row))
                    store(d, slot + j, best)
                entry += nodes * count
                slot += nodes
                border += count


def load_row(lanes: Any, infinite: Any, rows: Any, entry: Any) -> Any:
    """Return entries of a row of L, kept in 16 bits or in full; compiled code only."""
    raise NotImplementedError


@overload(load_row)
def _load_row(lanes, infinite, rows, entry):  # type: ignore[no-untyped-def]
    if rows.dtype == types.uint16:
        return lambda lanes, infinite, rows, entry: load_short(infinite, rows, entry)
    return lambda lanes, infinite, rows, entry: load(lanes, rows, entry)


@njit(nogil=True, cache=True, _nrt=False)
def finish_leaves(lanes, infinity, source, path, matrices, scratch):  # type: ignore[no-untyped-def]
    """Sweep the leaves again whose rows do not fit 16 bits, and bring in the distances within the source's leaf."""
    d, infinite = scratch.distances, splat(lanes, infinity)
    for k in range(len(matrices.wide_leaves)):
        cell = matrices.wide_leaves[k]
        nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
        begin, end = get(path.border_offsets, cell), get(path.border_offsets, cell + 1)
        for j in range(0, nodes, count_of(lanes)):
            best, entry = infinite, get(path.l_offset, cell) + j
            for i in range(begin, end):
                spread = splat(lanes, get(d, get(path.border_slots, i)))
                best = minimum(best, add(spread, load(lanes, matrices.leaf_l, entry)))
                entry += nodes
            store_first(d, get(path.slot, cell) + j, best, nodes - j)
    cell = get(path.cell_of_node, source)
    if path.is_leaf[cell]:
        slot = get(path.slot, cell)
        for i in range(get(path.offsets, cell + 1) - get(path.offsets, cell)):
            put(d, slot + i, min(get(d, slot + i), get(scratch.near, i)))


@njit(nogil=True, cache=True, _nrt=False)
def deliver(infinity, unreached, slot_of_node, d, begin, end, out):  # type: ignore[no-untyped-def]
    """Write the distances of nodes ``begin`` … ``end`` − 1 in their order."""
    for node in range(begin, end):
        distance = get(d, get(slot_of_node, node))
        put(out, node, distance if distance < infinity else unreached)
