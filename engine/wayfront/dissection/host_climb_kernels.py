"""Compiled loops that bring a source's distances up from its cell to the root of a dissection.

d[S ∪ A] = min(d, d[S] ⊗ R) over the few cells above the source. They lie far apart in memory, so what belongs to one is
kept together. Where the source lies in a leaf, a search within its front comes first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import inlined, loop_without_allocation, part_without_allocation
from wayfront.dissection.vectors import Lanes, add, count_of, get, load, minimum, put, splat, store

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]

CELL_COLUMNS = 8
PARENT, POSITION, BORDER, R, ARC, PART, SLOT = range(7)
"""Columns of ``Climb.cells``."""


class Path(NamedTuple):
    """What a climb from any of many sources reads; c cells, n nodes, m arcs.

    parent, offsets, border_offsets, is_leaf   as in ``Dissection``
    cell_of_node  int32 [n]; ``index_in_cell`` int32 [n]: a node's index among those of its cell
    r_offset                                   as in ``HostOrder``
    arc_offsets, arc_row, arc_column           as in ``FrontLayout``
    """

    parent: Int32Array
    offsets: Int32Array
    border_offsets: Int64Array
    is_leaf: NDArray[np.bool_]
    cell_of_node: Int32Array
    index_in_cell: Int32Array
    r_offset: Int64Array
    arc_offsets: Int64Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]


class Climb(NamedTuple):
    """What the climb of one tree reads: little of each array, so all about a cell lies in one cache line.

    cells     int64 [(c + 1) · CELL_COLUMNS]: of each cell its parent, first position, first entry of ``border``, first
              entry of R (−1 for a leaf), first arc, part and slot; the last row ends the one before
    cell_of_node, position  int32 [n]
    border    as in ``Dissection``
    arc_row, arc_column     as in ``FrontLayout``
    """

    cells: Int64Array
    cell_of_node: Int32Array
    position: Int32Array
    border: Int32Array
    arc_row: NDArray[np.int16]
    arc_column: NDArray[np.int16]


class Matrices(NamedTuple):
    """Results of customising, in the dtype of distances.

    inner_l, leaf_l, inner_r, weights   as in ``HostFronts``
    rows         L of leaves as it is swept: uint16, or ``leaf_l`` itself
    wide         int64 [w · WIDE_COLUMNS], the leaves with a distance that ``rows`` cannot hold
    first_wide   int64 [parts + 1]: the first of each part
    """

    inner_l: NDArray[Any]
    leaf_l: NDArray[Any]
    inner_r: NDArray[Any]
    weights: NDArray[Any]
    rows: NDArray[Any]
    wide: Int64Array
    first_wide: Int64Array


class Scratch(NamedTuple):
    """Work arrays of one tree, with space for a vector behind the last element that is used.

    distances  the slots of the top, then those of one part for each core
    climbed    [n]: by position, distances that the climb found in inner cells above the source
    near       [front]: distances from the source in the front of its leaf
    front      [2, front]: a front's reached distances, and what they offer; ``rows`` int64 [front]: their rows of R
    path       int64: how many inner cells lie above the source or are its own, then these, the lowest first
    """

    distances: NDArray[Any]
    climbed: NDArray[Any]
    near: NDArray[Any]
    front: NDArray[Any]
    rows: Int64Array
    path: Int64Array


@loop_without_allocation
def climb(lanes: Lanes, infinity: int, source: int, climbing: Climb, matrices: Matrices, scratch: Scratch) -> None:
    """Bring the source's distances up to the root's, and note the path.

    Where the source lies in a leaf, its distances within stay in ``scratch.near``.
    """
    cells, climbed, height = climbing.cells, scratch.climbed, 0
    first = np.int64(get(climbing.cell_of_node, source))
    in_leaf = get(cells, first * CELL_COLUMNS + R) < 0
    cell = get(cells, first * CELL_COLUMNS + PARENT) if in_leaf else first
    while cell >= 0:
        row, height = cell * CELL_COLUMNS, height + 1
        put(scratch.path, height, cell)
        for position in range(get(cells, row + POSITION), get(cells, row + CELL_COLUMNS + POSITION)):
            put(climbed, position, infinity)
        cell = get(cells, row + PARENT)
    put(scratch.path, 0, height)
    if in_leaf:
        row = first * CELL_COLUMNS
        nodes = get(cells, row + CELL_COLUMNS + POSITION) - get(cells, row + POSITION)
        begin, count = get(cells, row + BORDER), get(cells, row + CELL_COLUMNS + BORDER) - get(cells, row + BORDER)
        index, arcs = get(climbing.position, source) - get(cells, row + POSITION), get(cells, row + ARC)
        arc_end, ends = get(cells, row + CELL_COLUMNS + ARC), (climbing.arc_row, climbing.arc_column)
        _relax_leaf(infinity, index, nodes + count, arcs, arc_end, *ends, matrices.weights, scratch.near)
        for i in range(count):
            put(climbed, get(climbing.border, begin + i), get(scratch.near, nodes + i))
    else:
        put(climbed, get(climbing.position, source), 0)
    for i in range(height):
        _climb_from(lanes, infinity, get(scratch.path, i + 1), climbing, matrices.inner_r, scratch)


@part_without_allocation
def search_leaf(infinity: int, source: int, path: Path, weights: NDArray[Any], near: NDArray[Any]) -> None:
    """Fill ``near`` with distances from a source within its leaf's front."""
    cell = get(path.cell_of_node, source)
    front = get(path.offsets, cell + 1) - get(path.offsets, cell)
    front += get(path.border_offsets, cell + 1) - get(path.border_offsets, cell)
    arcs, arc_end = get(path.arc_offsets, cell), get(path.arc_offsets, cell + 1)
    index, ends = get(path.index_in_cell, source), (path.arc_row, path.arc_column)
    _relax_leaf(infinity, index, front, arcs, arc_end, *ends, weights, near)


@inlined
def _relax_leaf(
    infinity: int,
    index: int,
    front: int,
    arcs: int,
    arc_end: int,
    arc_row: NDArray[np.int16],
    arc_column: NDArray[np.int16],
    weights: NDArray[Any],
    near: NDArray[Any],
) -> None:
    """Find distances from a node in a leaf's front by relaxing its arcs until nothing changes.

    Bellman and Ford's search is quick here: a leaf has a hundred arcs, and no R is kept of leaves.
    """
    for i in range(front):
        put(near, i, infinity)
    put(near, index, 0)
    changed = True
    while changed:
        changed = False
        for place in range(arcs, arc_end):
            offer = get(near, get(arc_row, place)) + get(weights, place)
            if offer < get(near, get(arc_column, place)):
                put(near, get(arc_column, place), offer)
                changed = True


@part_without_allocation
def _climb_from(
    lanes: Lanes, infinity: int, cell: int, climbing: Climb, inner_r: NDArray[Any], scratch: Scratch
) -> None:
    """Bring a cell's distances to the nodes of its front, those that are reached at once."""
    cells, d, row = climbing.cells, scratch.climbed, cell * CELL_COLUMNS
    first, begin = get(cells, row + POSITION), get(cells, row + BORDER)
    nodes = get(cells, row + CELL_COLUMNS + POSITION) - first
    front = nodes + get(cells, row + CELL_COLUMNS + BORDER) - begin
    reached, entry = 0, get(cells, row + R)
    for i in range(nodes):
        distance = get(d, first + i)
        if distance < infinity:
            put(scratch.front, reached, distance)
            put(scratch.rows, reached, entry + i * front)
            reached += 1
    offers = len(scratch.front) // 2
    for j in range(0, front, count_of(lanes)):
        best = splat(lanes, infinity)
        for i in range(reached):
            offered = load(lanes, inner_r, get(scratch.rows, i) + j)
            best = minimum(best, add(splat(lanes, get(scratch.front, i)), offered))
        store(scratch.front, offers + j, best)
    for i in range(nodes):
        put(d, first + i, min(get(d, first + i), get(scratch.front, offers + i)))
    for i in range(front - nodes):
        position = get(climbing.border, begin + i)
        put(d, position, min(get(d, position), get(scratch.front, offers + nodes + i)))
