"""Number the cells of a finished cut, find the border of each, and prove that they are those of a network.

Cells are numbered in preorder, and the nodes cell by cell. The nodes of a leaf get an order of minimum degree: the one
with the fewest neighbours is eliminated next, and its neighbours become neighbours of one another (Markowitz, "The
elimination form of the inverse", Management Science 3(3), 1957; Tinney and Walker 1967). What lies outside the leaf
counts, but is not eliminated there.

A node outside a subtree that touches it has to lie in a separator above it, that is at an earlier position. So each arc
whose ends lie in two cells puts its earlier end into the border of the later end's cell; what of it lies before the
parent's own nodes is in the parent's border too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.devices.compiling import loop, loop_without_allocation, part, part_without_allocation
from wayfront.dissection.cut.pieces import Pieces
from wayfront.dissection.shape import LEAF_NODES, Dissection, Int32Array, shape_key
from wayfront.network.road_network import RoadNetwork
from wayfront.safe.errors import SchemaError


def number(graph: Pieces, parent: Int32Array, cell_of_node: Int32Array) -> tuple[Int32Array, Int32Array, Int32Array]:
    """Return (parent [c], offsets [c + 1], node_at [n]) as a ``Dissection`` has them.

    ``graph`` is the network as one piece; cells come in any order where parents precede children, the root first.
    """
    rank = _preorder(parent)
    ordered = np.empty_like(parent)
    ordered[rank] = np.where(parent >= 0, rank[np.maximum(parent, 0)], -1)
    cell = rank[cell_of_node]
    node_at = np.argsort(cell, kind="stable").astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(cell, minlength=len(parent))))).astype(np.int32)
    is_leaf = np.ones(len(parent), np.bool_)
    is_leaf[ordered[1:]] = False
    _order_leaves(offsets, is_leaf, node_at, graph.starts, graph.targets)
    return ordered, offsets, node_at


@loop
def _preorder(parent: Any) -> Any:
    """Return each cell's number in preorder, int32 [c]; children keep their order."""
    c = len(parent)
    size = np.ones(c, np.int32)
    for cell in range(c - 1, 0, -1):
        size[parent[cell]] += size[cell]
    rank = np.zeros(c, np.int32)
    free = np.ones(c, np.int32)  # how far behind its parent the next child of each cell comes
    for cell in range(1, c):
        above = parent[cell]
        rank[cell] = rank[above] + free[above]
        free[above] += size[cell]
    return rank


@loop
def _order_leaves(offsets: Any, is_leaf: Any, node_at: Any, starts: Any, targets: Any) -> None:
    """Put the nodes of every leaf into an order of minimum degree."""
    column = np.full(len(node_at), -1, np.int32)
    for cell in range(len(is_leaf)):
        first, last = offsets[cell], offsets[cell + 1]
        if not is_leaf[cell] or first == last:
            continue
        nodes = node_at[first:last].copy()
        size = len(nodes)
        room = 0
        for i in range(size):
            column[nodes[i]] = i
            room += starts[nodes[i] + 1] - starts[nodes[i]]
        outside = np.empty(room, np.int32)
        count = 0
        for u in nodes:
            for arc in range(starts[u], starts[u + 1]):
                if column[targets[arc]] < 0:
                    column[targets[arc]] = size + count
                    outside[count] = targets[arc]
                    count += 1
        touches = np.zeros((size, size + count), np.bool_)
        for i in range(size):
            for arc in range(starts[nodes[i]], starts[nodes[i] + 1]):
                touches[i, column[targets[arc]]] = True
        order = _minimum_degree(touches)
        for i in range(size):
            node_at[first + i] = nodes[order[i]]
            column[nodes[i]] = -1
        for i in range(count):
            column[outside[i]] = -1


@part
def _minimum_degree(touches: Any) -> Any:
    """Return the order of elimination of the rows of ``touches`` bool [rows, columns], which is overwritten."""
    size, columns = touches.shape
    order = np.empty(size, np.int32)
    done = np.zeros(size, np.bool_)
    for turn in range(size):
        best, fewest = -1, columns + 1
        for i in range(size):
            if not done[i]:
                degree = 0
                for j in range(columns):
                    degree += touches[i, j]
                if degree < fewest:
                    best, fewest = i, degree
        order[turn] = best
        done[best] = True
        for i in range(size):
            if not done[i] and touches[best, i]:
                for j in range(columns):
                    touches[i, j] |= touches[best, j]
                touches[i, i] = False
                touches[i, best] = False
    return order


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


@loop_without_allocation
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
    begin = np.zeros(c + 1, np.int64)  # of each cell's border in ``found``, which has the last cell first
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


@part_without_allocation
def _note(reached: int, cell: int, first: int, seen: Any, found: Any, total: np.int64) -> np.int64:
    """Append a position to a cell's border unless it is the subtree's own or there already; return the new length."""
    if reached < first and seen[reached] != cell:
        seen[reached] = cell
        found[total] = reached
        return total + 1
    return total
