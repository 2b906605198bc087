"""The parts of a network that blocks of a card search: subtrees of cells, or what lower subtrees leave of them.

Where as many subtrees as the card takes blocks at once fit its processors, one tier of regions is all there is. A
larger network gets a lower tier of regions as large as fit, and is divided again without their cells, until few enough
are left.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.dissection.shape import Dissection

NODE_COST = 4
"""What a node costs beside the entries of its cell's matrix, in entries."""

Int32Array = NDArray[np.int32]


class Tier(NamedTuple):
    """Regions that are searched in one launch: ``size`` of them from number ``first`` on."""

    first: int
    size: int


@dataclass(frozen=True, slots=True, eq=False)
class Regions:
    """Parts of the tree of cells that are searched by one block each; the cells above all of them are *top* cells.

    roots     int32 [k], tier after tier from the highest on, ascending in each
    tiers     the parts of these
    of        int32 [c], the region of each cell, −1 for top cells
    order     int32 [c]: the cells in the order in which their matrices L lie: top cells, then region after region, each
              by depth
    begins    int64 [k + 1]; the cells of region r are order[begins[r]:begins[r + 1]]
    """

    roots: Int32Array
    tiers: tuple[Tier, ...]
    of: Int32Array
    order: Int32Array
    begins: NDArray[np.int64]

    @classmethod
    def of_shape(cls, shape: Dissection, count: int, most_nodes: int, most_below: int) -> Regions:
        """Return ``count`` regions of at most ``most_nodes`` nodes, and below them those of at most ``most_below``."""
        left = np.ones(shape.cell_count, bool)
        found = [_divide(shape, left, count, most_nodes)]
        while len(found[0]) > count:
            lower = _divide(shape, left, 1, most_below)
            if lower == [0]:
                break
            for root in lower:
                left[root : shape.end[root]] = False
            found = [_divide(shape, left, count, most_nodes), lower, *found[1:]]
        of = np.full(shape.cell_count, -1, np.int32)
        sizes = [len(roots) for roots in found]
        tiers = tuple(Tier(sum(sizes[:turn]), size) for turn, size in enumerate(sizes))
        for tier, roots in zip(tiers, found, strict=True):
            for region, root in enumerate(roots, tier.first):
                of[root : shape.end[root]] = region
        order = np.lexsort((shape.depth, of)).astype(np.int32)
        begins = np.searchsorted(of[order], np.arange(sum(sizes) + 1))
        return cls(np.concatenate(found).astype(np.int32), tiers, of, order, begins)


def _divide(shape: Dissection, left: NDArray[np.bool_], count: int, most_nodes: int) -> list[int]:
    """Return the roots of subtrees of the cells that are ``left``, ascending.

    The most costly one is divided until there are ``count``, then those of more than ``most_nodes`` nodes.
    """
    nodes, border = np.where(left, np.diff(shape.offsets), 0).astype(np.int64), np.diff(shape.border_offsets)
    nodes_before = np.concatenate(([0], np.cumsum(nodes)))
    before = np.concatenate(([0], np.cumsum(nodes * (border + NODE_COST))))

    def entry(cell: int) -> tuple[int, int]:
        return int(before[cell] - before[shape.end[cell]]), cell

    def children(cell: int) -> list[int]:
        found = shape.children[shape.children_offsets[cell] : shape.children_offsets[cell + 1]]
        below: list[int] = found[left[found]].tolist()
        return below

    heap, done = [entry(0)], list[int]()
    while heap and len(heap) + len(done) < count:
        cell = heapq.heappop(heap)[1]
        below = children(cell)
        for child in below:
            heapq.heappush(heap, entry(child))
        if not below:
            done.append(cell)
    waiting = [cell for _, cell in heap]
    while waiting:
        cell = waiting.pop()
        too_large = nodes_before[shape.end[cell]] - nodes_before[cell] > most_nodes
        below = children(cell) if too_large else []
        waiting += below
        if not below:
            done.append(cell)
    return sorted(done)
