"""Number the cells of a finished cut in preorder, and the nodes cell by cell.

The nodes of a leaf get an order of minimum degree: the one with the fewest neighbours is eliminated next, and its
neighbours become neighbours of one another (Markowitz, "The elimination form of the inverse", Management Science 3(3),
1957; Tinney and Walker 1967). What lies outside the leaf counts, but is not eliminated there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from wayfront.compiling import loop, part
from wayfront.dissection.pieces import Pieces
from wayfront.dissection.shape import Int32Array


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
