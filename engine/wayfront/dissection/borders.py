"""Find the border of every cell, and prove that cells and separators are those of a network.

A node outside a subtree that touches it has to lie in a separator above it, that is at an earlier position. So each arc
whose ends lie in two cells puts its earlier end into the border of the later end's cell; what of it lies before the
parent's own nodes is in the parent's border too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.compiling import loop, part
from wayfront.dissection.shape import LEAF_NODES, Dissection, Int32Array, shape_key
from wayfront.errors import SchemaError
from wayfront.network.road_network import RoadNetwork

MOST_PER_NODE = 200
"""Border entries for each node; road networks have about 1, a grid of a million nodes 10."""


def complete(
    network: RoadNetwork, parent: Int32Array, offsets: Int32Array, node_at: Int32Array, method: str, cut_ms: float
) -> Dissection:
    """Return the dissection of cells in preorder, with the borders that the network gives them.

    Raises ``SchemaError`` where the cells are no tree in preorder, a leaf is too large, an arc leads from a cell to one
    that is neither above nor below it, or borders are beyond all measure. ``offsets`` rise from 0 to n, ``node_at`` has
    every node once.
    """
    problem = _tree_problem(parent, offsets)
    if problem:
        raise SchemaError(problem)
    key = shape_key(network)
    empty = np.empty(0, np.int32)
    cells = Dissection(key, parent, offsets, node_at, np.zeros(len(parent) + 1, np.int64), empty, method, cut_ms)
    pair_offsets, pairs = _outside(network.offsets, network.targets, cells.position, cells.cell_of, cells.end)
    if len(pair_offsets) == 0:
        raise SchemaError("an arc joins two cells of which neither is above the other")
    most = MOST_PER_NODE * (network.node_count + 1000)
    border_offsets, border = _borders(parent, offsets, pair_offsets, pairs, most)
    if len(border) > most:
        raise SchemaError("its borders are too large to be those of a useful cut")
    return Dissection(key, parent, offsets, node_at, border_offsets, border, method, cut_ms)


def _tree_problem(parent: Int32Array, offsets: Int32Array) -> str:
    """Return what is wrong with a tree of cells, "" for nothing."""
    if not len(parent) or parent[0] != -1 or (parent[1:] < 0).any() or not _is_preorder(parent):
        return "its cells are no tree in preorder"
    children = np.bincount(parent[1:], minlength=len(parent))
    if children.max() > 2:
        return "a cell has more than two children"
    if (np.diff(offsets)[children == 0] > LEAF_NODES).any():
        return f"a leaf has more than {LEAF_NODES} nodes"
    return ""


@loop
def _is_preorder(parent: Any) -> bool:
    """Return whether every cell's parent is the cell before it or one above that."""
    for cell in range(1, len(parent)):
        above = np.int64(cell - 1)
        while above > parent[cell]:
            above = parent[above]
        if above != parent[cell]:
            return False
    return True


@loop
def _outside(offsets: Any, targets: Any, position: Any, cell_of: Any, end: Any) -> Any:
    """Return (offsets int64 [c + 1], positions): the earlier ends of all arcs that leave each cell upwards.

    Both are empty where an arc joins cells that are not above one another.
    """
    c = len(end)
    counts = np.zeros(c + 1, np.int64)
    for u in range(len(position)):
        for arc in range(offsets[u], offsets[u + 1]):
            here, there = position[u], position[targets[arc]]
            upper, lower = cell_of[min(here, there)], cell_of[max(here, there)]
            if lower >= end[upper]:
                return np.empty(0, np.int64), np.empty(0, np.int32)
            if upper != lower:
                counts[lower + 1] += 1
    counts = np.cumsum(counts)
    free = counts[:-1].copy()
    found = np.empty(counts[c], np.int32)
    for u in range(len(position)):
        for arc in range(offsets[u], offsets[u + 1]):
            here, there = position[u], position[targets[arc]]
            lower = cell_of[max(here, there)]
            if cell_of[min(here, there)] != lower:
                found[free[lower]] = min(here, there)
                free[lower] += 1
    return counts, found


@loop
def _borders(parent: Any, offsets: Any, pair_offsets: Any, pairs: Any, most: int) -> Any:
    """Return (border_offsets int64 [c + 1], border int32), of more than ``most`` entries where they are too many."""
    c = len(parent)
    last_child = np.full(c, -1, np.int32)
    sibling = np.full(c, -1, np.int32)
    for cell in range(1, c):
        sibling[cell] = last_child[parent[cell]]
        last_child[parent[cell]] = cell
    seen = np.full(offsets[c], -1, np.int32)
    begin = np.zeros(
        c + 1, np.int64
    )  # where the border of each cell begins in ``found``, which has the last cell first
    found = np.empty(1024, np.int32)
    total = np.int64(0)
    for cell in range(c - 1, -1, -1):
        first = offsets[cell]
        begin[cell] = total
        room = pair_offsets[cell + 1] - pair_offsets[cell]
        child = last_child[cell]
        while child >= 0:
            room += begin[child - 1] - begin[child]
            child = sibling[child]
        if total + room > len(found):
            larger = np.empty(2 * (total + room), np.int32)
            for i in range(total):
                larger[i] = found[i]
            found = larger
        for i in range(pair_offsets[cell], pair_offsets[cell + 1]):
            total = _note(pairs[i], cell, first, seen, found, total)
        child = last_child[cell]
        while child >= 0:
            for i in range(begin[child], begin[child - 1]):
                total = _note(found[i], cell, first, seen, found, total)
            child = sibling[child]
        begin[cell - 1] = total
        if total > most:
            return begin, found[:total]
    return _sorted_borders(c, offsets[c], begin, found[:total])


@part
def _sorted_borders(c: int, n: int, begin: Any, found: Any) -> Any:
    """Return (border_offsets, border): every cell's part of ``found`` rising, by going through positions in order."""
    cells_offsets = np.zeros(n + 1, np.int64)  # of the cells in whose border each position is
    for i in range(len(found)):
        cells_offsets[found[i] + 1] += 1
    for position in range(n):
        cells_offsets[position + 1] += cells_offsets[position]
    cells = np.empty(len(found), np.int32)
    free = cells_offsets[:-1].copy()
    border_offsets = np.zeros(c + 1, np.int64)
    for cell in range(c):
        end = begin[cell - 1] if cell else len(found)
        border_offsets[cell + 1] = border_offsets[cell] + end - begin[cell]
        for i in range(begin[cell], end):
            cells[free[found[i]]] = cell
            free[found[i]] += 1
    border = np.empty(len(found), np.int32)
    room = border_offsets[:-1].copy()
    for position in range(n):
        for i in range(cells_offsets[position], cells_offsets[position + 1]):
            border[room[cells[i]]] = position
            room[cells[i]] += 1
    return border_offsets, border


@loop
def _note(reached: int, cell: int, first: int, seen: Any, found: Any, total: np.int64) -> np.int64:
    """Append a position to a cell's border unless it is the subtree's own or there already; return the new length."""
    if reached < first and seen[reached] != cell:
        seen[reached] = cell
        found[total] = reached
        return total + 1
    return total
