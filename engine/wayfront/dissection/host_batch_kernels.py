"""Compiled loops that make many shortest-path trees at once: lanes run over 16 sources.

An entry of L or R is read once for all of them, and spread over the lanes. Only nodes of inner cells keep distances,
[node][lane]; a leaf's are made in a small block, from which they are delivered or reduced to figures at once. Cells are
taken in preorder, so that the distances of those above stay in the cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wayfront.dissection.host_tree_kernels import search_leaf
from wayfront.dissection.vectors import (
    add,
    get,
    keep_below,
    largest,
    load,
    maximum,
    minimum,
    put,
    splat,
    store,
)

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

LANES = 16
"""Sources that are searched from at once."""


class Cells(NamedTuple):
    """The cells of a dissection in preorder.

    offsets, border_offsets, is_leaf, node_at   as in ``Dissection``
    l_offset      as in ``HostOrder``
    first         int32 [c]: an inner cell's first place in the distances that are kept
    border_place  int32: the place of each node in ``Dissection.border``
    rank_at       int32 [n]: the rank of each position's node by file id
    """

    offsets: Int32Array
    border_offsets: Int64Array
    is_leaf: NDArray[np.bool_]
    node_at: Int32Array
    l_offset: Int64Array
    first: Int32Array
    border_place: Int32Array
    rank_at: Int32Array


class Work(NamedTuple):
    """Work arrays of one core; element [i, q] of a matrix of lanes lies at i · 16 + q.

    distances  [places][lanes]
    block      [nodes of a cell][lanes]
    near       [lanes][front]: distances from each source within its leaf
    touched    int64 [c]: the last batch whose climb came through a cell
    path       int32: the cells that a climb comes through
    """

    distances: NDArray[Any]
    block: NDArray[Any]
    near: NDArray[Any]
    touched: Int64Array
    path: Int32Array


@njit(nogil=True, cache=True, _nrt=False)
def climb(lanes, infinity, batch, sources, path, cells, matrices, work):  # type: ignore[no-untyped-def]
    """Bring the distances of up to 16 sources up to the root's; ``batch`` is a number that no batch had before."""
    d, infinite, count = work.distances, splat(lanes, infinity), 0
    for lane in range(len(sources)):
        cell = get(path.cell_of_node, get(sources, lane))
        while cell >= 0 and get(work.touched, cell) != batch:
            put(work.touched, cell, batch)
            if not path.is_leaf[cell]:
                first = np.int64(get(cells.first, cell))
                for i in range(get(path.offsets, cell + 1) - get(path.offsets, cell)):
                    store(d, (first + i) * LANES, infinite)
                at = count  # sorted, deepest first: children have larger numbers than those above
                while at > 0 and get(work.path, at - 1) < cell:
                    put(work.path, at, get(work.path, at - 1))
                    at -= 1
                put(work.path, at, cell)
                count += 1
            cell = get(path.parent, cell)
    for lane in range(len(sources)):
        _set_out(infinity, lane, get(sources, lane), path, cells, matrices, work)
    for i in range(count):
        _climb_from(lanes, infinite, get(work.path, i), path, cells, matrices.inner_r, d)


@njit(nogil=True, cache=True, _nrt=False)
def _set_out(infinity, lane, source, path, cells, matrices, work):  # type: ignore[no-untyped-def]
    """Write the distances from a source within its cell."""
    d, cell = work.distances, get(path.cell_of_node, source)
    if not path.is_leaf[cell]:
        put(d, (np.int64(get(cells.first, cell)) + get(path.index_in_cell, source)) * LANES + lane, 0)
        return
    width = len(work.near) // LANES
    near = work.near[lane * width : (lane + 1) * width]
    search_leaf(infinity, source, path, matrices.weights, near)
    nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
    begin = get(path.border_offsets, cell)
    for i in range(get(path.border_offsets, cell + 1) - begin):
        place = np.int64(get(cells.border_place, begin + i)) * LANES + lane
        put(d, place, min(get(d, place), get(near, nodes + i)))


@njit(nogil=True, cache=True, _nrt=False)
def _climb_from(lanes, infinite, cell, path, cells, inner_r, d):  # type: ignore[no-untyped-def]
    """Bring a cell's distances to the nodes of its front; R is closed, so they may be written while they are read."""
    nodes = np.int64(get(path.offsets, cell + 1) - get(path.offsets, cell))
    begin, end = get(path.border_offsets, cell), get(path.border_offsets, cell + 1)
    first, entry = np.int64(get(cells.first, cell)), get(path.r_offset, cell)
    for i in range(nodes):
        reached = load(lanes, d, (first + i) * LANES)
        for j in range(nodes):
            place = (first + j) * LANES
            store(d, place, minimum(load(lanes, d, place), add(reached, splat(lanes, get(inner_r, entry + j)))))
        entry += nodes
        for k in range(begin, end):
            place = np.int64(get(cells.border_place, k)) * LANES
            store(d, place, minimum(load(lanes, d, place), add(reached, splat(lanes, get(inner_r, entry)))))
            entry += 1


@njit(_nrt=False, forceinline=True)
def take_from_border(lanes, cell, cells, l, d, block, begin):  # type: ignore[no-untyped-def]  # noqa: E741
    """Lower the distances in ``block``, from row ``begin`` on, to what a cell's border offers its nodes.

    Eight rows at a time stay in registers, then what is left of them in four, two and one.
    """
    nodes = np.int64(get(cells.offsets, cell + 1) - get(cells.offsets, cell))
    first, last = get(cells.border_offsets, cell), get(cells.border_offsets, cell + 1)
    border = cells.border_place[first:last]
    entry, row = get(cells.l_offset, cell), 0
    while row + 8 <= nodes:
        _take_eight(lanes, border, nodes, l, entry + row, d, block, (begin + row) * LANES)
        row += 8
    if row + 4 <= nodes:
        _take_four(lanes, border, nodes, l, entry + row, d, block, (begin + row) * LANES)
        row += 4
    if row + 2 <= nodes:
        _take_two(lanes, border, nodes, l, entry + row, d, block, (begin + row) * LANES)
        row += 2
    if row < nodes:
        _take_one(lanes, border, nodes, l, entry + row, d, block, (begin + row) * LANES)


@njit(_nrt=False, forceinline=True)
def _take_eight(lanes, border, nodes, l, entry, d, block, at):  # type: ignore[no-untyped-def]  # noqa: E741
    r0 = load(lanes, block, at)
    r1 = load(lanes, block, at + LANES)
    r2 = load(lanes, block, at + 2 * LANES)
    r3 = load(lanes, block, at + 3 * LANES)
    r4 = load(lanes, block, at + 4 * LANES)
    r5 = load(lanes, block, at + 5 * LANES)
    r6 = load(lanes, block, at + 6 * LANES)
    r7 = load(lanes, block, at + 7 * LANES)
    for k in range(len(border)):
        x = load(lanes, d, np.int64(get(border, k)) * LANES)
        r0 = _lower(lanes, r0, x, l, entry)
        r1 = _lower(lanes, r1, x, l, entry + 1)
        r2 = _lower(lanes, r2, x, l, entry + 2)
        r3 = _lower(lanes, r3, x, l, entry + 3)
        r4 = _lower(lanes, r4, x, l, entry + 4)
        r5 = _lower(lanes, r5, x, l, entry + 5)
        r6 = _lower(lanes, r6, x, l, entry + 6)
        r7 = _lower(lanes, r7, x, l, entry + 7)
        entry += nodes
    store(block, at, r0)
    store(block, at + LANES, r1)
    store(block, at + 2 * LANES, r2)
    store(block, at + 3 * LANES, r3)
    store(block, at + 4 * LANES, r4)
    store(block, at + 5 * LANES, r5)
    store(block, at + 6 * LANES, r6)
    store(block, at + 7 * LANES, r7)


@njit(_nrt=False, forceinline=True)
def _take_four(lanes, border, nodes, l, entry, d, block, at):  # type: ignore[no-untyped-def]  # noqa: E741
    r0 = load(lanes, block, at)
    r1 = load(lanes, block, at + LANES)
    r2 = load(lanes, block, at + 2 * LANES)
    r3 = load(lanes, block, at + 3 * LANES)
    for k in range(len(border)):
        x = load(lanes, d, np.int64(get(border, k)) * LANES)
        r0 = _lower(lanes, r0, x, l, entry)
        r1 = _lower(lanes, r1, x, l, entry + 1)
        r2 = _lower(lanes, r2, x, l, entry + 2)
        r3 = _lower(lanes, r3, x, l, entry + 3)
        entry += nodes
    store(block, at, r0)
    store(block, at + LANES, r1)
    store(block, at + 2 * LANES, r2)
    store(block, at + 3 * LANES, r3)


@njit(_nrt=False, forceinline=True)
def _take_two(lanes, border, nodes, l, entry, d, block, at):  # type: ignore[no-untyped-def]  # noqa: E741
    r0 = load(lanes, block, at)
    r1 = load(lanes, block, at + LANES)
    for k in range(len(border)):
        x = load(lanes, d, np.int64(get(border, k)) * LANES)
        r0 = _lower(lanes, r0, x, l, entry)
        r1 = _lower(lanes, r1, x, l, entry + 1)
        entry += nodes
    store(block, at, r0)
    store(block, at + LANES, r1)


@njit(_nrt=False, forceinline=True)
def _take_one(lanes, border, nodes, l, entry, d, block, at):  # type: ignore[no-untyped-def]  # noqa: E741
    r0 = load(lanes, block, at)
    for k in range(len(border)):
        x = load(lanes, d, np.int64(get(border, k)) * LANES)
        r0 = _lower(lanes, r0, x, l, entry)
        entry += nodes
    store(block, at, r0)


@njit(_nrt=False, forceinline=True)
def _lower(lanes, best, distances, l, entry):  # type: ignore[no-untyped-def]  # noqa: E741
    return minimum(best, add(distances, splat(lanes, get(l, entry))))


@njit(_nrt=False, forceinline=True)
def make_cell(lanes, infinity, batch, cell, sources, path, cells, matrices, work):  # type: ignore[no-untyped-def]
    """Make the distances of a leaf in ``work.block``; those of an inner cell where they are kept."""
    nodes = np.int64(get(cells.offsets, cell + 1) - get(cells.offsets, cell))
    infinite = splat(lanes, infinity)
    if not cells.is_leaf[cell]:
        first = np.int64(get(cells.first, cell))
        if get(work.touched, cell) != batch:
            for i in range(nodes):
                store(work.distances, (first + i) * LANES, infinite)
        take_from_border(lanes, cell, cells, matrices.inner_l, work.distances, work.distances, first)
        return
    for i in range(nodes):
        store(work.block, i * LANES, infinite)
    if get(work.touched, cell) == batch:
        width = len(work.near) // LANES
        for lane in range(len(sources)):
            if get(path.cell_of_node, get(sources, lane)) == cell:
                for i in range(nodes):
                    put(work.block, i * LANES + lane, get(work.near, lane * width + i))
    take_from_border(lanes, cell, cells, matrices.leaf_l, work.distances, work.block, 0)


@njit(nogil=True, cache=True, _nrt=False)
def write_rows(  # type: ignore[no-untyped-def]
    lanes, infinity, unreached, batch, sources, begin, source_stride, node_stride, path, cells, matrices, work, rows
):
    """Write the distances from up to 16 sources; that from the first to node v lies at ``begin + v * node_stride``."""
    climb(lanes, infinity, batch, sources, path, cells, matrices, work)
    side_by_side, infinite = source_stride == 1 and len(sources) == LANES, splat(lanes, infinity)
    for cell in range(len(cells.first)):
        nodes = np.int64(get(cells.offsets, cell + 1) - get(cells.offsets, cell))
        make_cell(lanes, infinity, batch, cell, sources, path, cells, matrices, work)
        block, at = work.block, np.int64(0)
        if not cells.is_leaf[cell]:
            block, at = work.distances, np.int64(get(cells.first, cell)) * LANES
        farthest = keep_below(infinite, infinite)  # 0
        for i in range(nodes):
            farthest = maximum(farthest, load(lanes, block, at + i * LANES))
        plain = side_by_side and largest(farthest) < infinity
        for i in range(nodes):
            place = begin + np.int64(get(cells.node_at, get(cells.offsets, cell) + i)) * node_stride
            if plain:
                store(rows, place, load(lanes, block, at))
            else:
                for lane in range(len(sources)):
                    distance = get(block, at + lane)
                    put(rows, place + lane * source_stride, distance if distance < infinity else unreached)
            at += LANES
