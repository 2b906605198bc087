"""The parts of a network that blocks of a card search: subtrees of cells, about as many as the card has processors."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection

NODE_COST = 4
"""What a node costs beside the entries of its cell's matrix, in entries."""

Int32Array = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Subtrees whose cells are searched by one block each; the cells above all of them are *top* cells.

    roots     int32 [k], ascending
    of        int32 [c], the region of each cell, −1 for top cells
    order     int32 [c]: the cells in the order in which their matrices L lie: top cells, then region after region, each
              by depth
    begins    int64 [k + 1]; the cells of region r are order[begins[r]:begins[r + 1]]
    """

    roots: Int32Array
    of: Int32Array
    order: Int32Array
    begins: NDArray[np.int64]

    @classmethod
    def of_shape(cls, shape: Dissection, count: int, most_nodes: int) -> Regions:
        """Divide the most costly subtree until there are ``count``, then those of more than ``most_nodes`` nodes."""
        roots = np.array(_divide(shape, count, most_nodes), np.int32)
        of = np.full(shape.cell_count, -1, np.int32)
        for region, root in enumerate(roots):
            of[root : shape.end[root]] = region
        order = np.lexsort((shape.depth, of)).astype(np.int32)
        begins = np.searchsorted(of[order], np.arange(len(roots) + 1))
        return cls(roots, of, order, begins)


def _divide(shape: Dissection, count: int, most_nodes: int) -> list[int]:
    """Return the roots of the subtrees, ascending."""
    nodes, border = np.diff(shape.offsets).astype(np.int64), np.diff(shape.border_offsets)
    before = np.concatenate(([0], np.cumsum(nodes * border + NODE_COST * nodes)))

    def entry(cell: int) -> tuple[int, int]:
        return int(before[cell] - before[shape.end[cell]]), cell

    def children(cell: int) -> list[int]:
        found: list[int] = shape.children[shape.children_offsets[cell] : shape.children_offsets[cell + 1]].tolist()
        return found

    heap, done = [entry(0)], list[int]()
    while heap and len(heap) + len(done) < count:
        cell = heapq.heappop(heap)[1]
        for child in children(cell):
            heapq.heappush(heap, entry(child))
        if not children(cell):
            done.append(cell)
    waiting = [cell for _, cell in heap]
    while waiting:
        cell = waiting.pop()
        too_large = shape.offsets[shape.end[cell]] - shape.offsets[cell] > most_nodes
        below = children(cell) if too_large else []
        waiting += below
        if not below:
            done.append(cell)
    return sorted(done)
