"""Number the cells of a finished cut in preorder, the nodes cell by cell, and find every cell's border.

A node outside a subtree that touches it lies in a separator above it, so it comes earlier: the border of a cell is what
its own nodes and its children's borders reach at positions before its own. Leaves are eliminated in an order of minimum
degree: the node with the fewest neighbours next, whose neighbours then become neighbours of one another (Markowitz
1957, Tinney and Walker 1967).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from wayfront.dissection.pieces import Pieces
from wayfront.dissection.shape import Dissection, Int32Array


def number(
    graph: Pieces, parent: Int32Array, cell_of_node: Int32Array, key: str, method: str, cut_ms: float
) -> Dissection:
    """Return the dissection of cells in any order where parents precede children and the root is cell 0.

    ``graph`` is the network as one piece, ``parent`` int32 [c], ``cell_of_node`` int32 [n].
    """
    rank = _preorder(parent)
    ordered_parent = np.empty_like(parent)
    ordered_parent[rank] = np.where(parent >= 0, rank[np.maximum(parent, 0)], -1)
    cell = rank[cell_of_node]
    node_at = np.argsort(cell, kind="stable").astype(np.int32)
    offsets = np.concatenate(([0], np.cumsum(np.bincount(cell, minlength=len(parent))))).astype(np.int32)
    position = np.empty_like(node_at)
    position[node_at] = np.arange(len(node_at), dtype=np.int32)
    border_offsets, border = _borders(ordered_parent, offsets, node_at, position, graph.starts, graph.targets)
    is_leaf = np.ones(len(parent), np.bool_)
    is_leaf[ordered_parent[1:]] = False
    _order_leaves(offsets, is_leaf, node_at, position, graph.starts, graph.targets)
    return Dissection(key, ordered_parent, offsets, node_at, border_offsets, border, method, cut_ms)


@njit(nogil=True, cache=True)
def _preorder(parent: Any) -> Any:
    """Return each cell's number in preorder, int32 [c]; children keep their order."""
    c = len(parent)
    size = np.ones(c, np.int32)
    for cell in range(c - 1, 0, -1):
        size[parent[cell]] += size[cell]
    rank = np.zeros(c, np.int32)
    free = np.ones(c, np.int32)  # the number that the next child of each cell gets, behind its parent's
    for cell in range(1, c):
        above = parent[cell]
        rank[cell] = rank[above] + free[above]
        free[above] += size[cell]
    return rank


@njit(nogil=True, cache=True)
def _borders(parent: Any, offsets: Any, node_at: Any, position: Any, starts: Any, targets: Any) -> Any:
    """Return (border_offsets int64 [c + 1], border int32)."""
    c = len(parent)
    last_child = np.full(c, -1, np.int32)  # of the children seen so far, which are visited from last to first
    sibling = np.full(c, -1, np.int32)
    seen = np.full(len(node_at), -1, np.int32)
    begin = np.zeros(c, np.int64)
    count = np.zeros(c, np.int64)
    found = np.empty(1024, np.int32)
    total = 0
    for cell in range(c - 1, -1, -1):
        first = offsets[cell]
        begin[cell] = total
        room = 0
        for at in range(first, offsets[cell + 1]):
            room += starts[node_at[at] + 1] - starts[node_at[at]]
        child = last_child[cell]
        while child >= 0:
            room += count[child]
            child = sibling[child]
        if total + room > len(found):
            larger = np.empty(2 * (total + room), np.int32)
            larger[:total] = found[:total]
            found = larger
        for at in range(first, offsets[cell + 1]):
            u = node_at[at]
            for arc in range(starts[u], starts[u + 1]):
                reached = position[targets[arc]]
                if reached < first and seen[reached] != cell:
                    seen[reached] = cell
                    found[total] = reached
                    total += 1
        child = last_child[cell]
        while child >= 0:
            for i in range(begin[child], begin[child] + count[child]):
                reached = found[i]
                if reached < first and seen[reached] != cell:
                    seen[reached] = cell
                    found[total] = reached
                    total += 1
            child = sibling[child]
        count[cell] = total - begin[cell]
        found[begin[cell] : total].sort()
        if cell > 0:
            sibling[cell] = last_child[parent[cell]]
            last_child[parent[cell]] = cell
    border_offsets = np.zeros(c + 1, np.int64)
    border = np.empty(total, np.int32)
    for cell in range(c):
        at = border_offsets[cell]
        border[at : at + count[cell]] = found[begin[cell] : begin[cell] + count[cell]]
        border_offsets[cell + 1] = at + count[cell]
    return border_offsets, border


@njit(nogil=True, cache=True)
def _order_leaves(offsets: Any, is_leaf: Any, node_at: Any, position: Any, starts: Any, targets: Any) -> None:
    """Put the nodes of every leaf into an order of minimum degree; what lies outside counts as it is."""
    for cell in range(len(is_leaf)):
        if not is_leaf[cell]:
            continue
        first = offsets[cell]
        size = offsets[cell + 1] - first
        outside = np.empty(0, np.int32)
        room = 0
        for at in range(first, first + size):
            room += starts[node_at[at] + 1] - starts[node_at[at]]
        outside = np.empty(room, np.int32)
        count = 0
        for at in range(first, first + size):
            u = node_at[at]
            for arc in range(starts[u], starts[u + 1]):
                reached = position[targets[arc]]
                if reached < first or reached >= first + size:
                    outside[count] = reached
                    count += 1
        outside = np.unique(outside[:count])
        touches = np.zeros((size, size + len(outside)), np.bool_)
        for i in range(size):
            u = node_at[first + i]
            for arc in range(starts[u], starts[u + 1]):
                reached = position[targets[arc]]
                if first <= reached < first + size:
                    touches[i, reached - first] = True
                else:
                    touches[i, size + np.searchsorted(outside, reached)] = True
        order = _minimum_degree(touches)
        nodes = node_at[first : first + size].copy()
        for i in range(size):
            node_at[first + i] = nodes[order[i]]
            position[nodes[order[i]]] = first + i


@njit(nogil=True, cache=True)
def _minimum_degree(touches: Any) -> Any:
    """Return an order of elimination of the rows of ``touches`` bool [rows, columns], which is overwritten."""
    size = touches.shape[0]
    order = np.empty(size, np.int32)
    done = np.zeros(size, np.bool_)
    for turn in range(size):
        best, fewest = -1, touches.shape[1] + 1
        for i in range(size):
            degree = 0
            if not done[i]:
                for j in range(touches.shape[1]):
                    degree += touches[i, j]
                if degree < fewest:
                    best, fewest = i, degree
        order[turn] = best
        done[best] = True
        for i in range(size):
            if not done[i] and touches[best, i]:
                for j in range(touches.shape[1]):
                    touches[i, j] |= touches[best, j]
                touches[i, i] = False
                touches[i, best] = False
    return order
