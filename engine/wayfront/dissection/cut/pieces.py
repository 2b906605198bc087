"""Pieces of a network's shape, and what happens to them between two cuts: parts that do not hang together, and splits.

All pieces of one level are kept in one set of arrays, so that a level of thousands of small pieces takes one call of
each compiled function.

Removing separators leaves many bits beside one large component, and a network may consist of islands. The largest
component of a piece is cut if it is too large for one side; all others need no cut and go to the lighter side.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part, part_without_allocation
from wayfront.dissection.shape import Int32Array, Int64Array

FIRST, SECOND, SEPARATOR = 0, 1, 2
"""What the label of a node says: on which side of its piece's cut it lies, or that it is in the separator."""

Labels = NDArray[np.int8]


@dataclass(frozen=True, slots=True, eq=False)
class Pieces:
    """Pieces of an undirected graph, one after another, k in all with N nodes.

    cells    int32 [k], the cell that each piece becomes
    offsets  int64 [k + 1], where the nodes of each piece begin
    nodes    int32 [N], number in the network
    starts   int64 [N + 1], where the neighbours of each node begin
    targets  int32, neighbours as indices into ``nodes``; both of one piece
    """

    cells: Int32Array
    offsets: Int64Array
    nodes: Int32Array
    starts: Int64Array
    targets: Int32Array

    def __len__(self) -> int:
        return len(self.cells)

    def alone(self, piece: int) -> Pieces:
        """Return one piece alone."""
        begin, end = self.offsets[piece], self.offsets[piece + 1]
        first, last = self.starts[begin], self.starts[end]
        return Pieces(
            self.cells[piece : piece + 1],
            self.offsets[piece : piece + 2] - begin,
            self.nodes[begin:end],
            self.starts[begin : end + 1] - first,
            self.targets[first:last] - np.int32(begin),
        )


NO_PIECES = Pieces(
    np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32), np.zeros(1, np.int64), np.empty(0, np.int32)
)


def whole(offsets: NDArray[Any], targets: Int32Array) -> Pieces:
    """Return a network as one piece: arcs without direction, each once, no loops."""
    n = len(offsets) - 1
    starts, neighbours = _undirected(offsets, targets)
    cells = np.zeros(1, np.int32)
    return Pieces(cells, np.array([0, n], np.int64), np.arange(n, dtype=np.int32), starts, neighbours)


def split(pieces: Pieces, labels: Labels, cells: Int32Array) -> Pieces:
    """Return the sides of all pieces as pieces, without separators; ``cells`` [2 k] are theirs, −1 for an empty one."""
    counts = side_sizes(pieces.offsets, labels)
    offsets = np.concatenate(([0], np.cumsum(counts)))
    nodes, starts, targets = _sides(pieces.offsets, pieces.nodes, pieces.starts, pieces.targets, labels, offsets)
    kept = cells >= 0
    return Pieces(cells[kept], np.concatenate(([0], offsets[1:][kept])), nodes, starts, targets)


def select(pieces: Pieces, wanted: NDArray[np.bool_]) -> Pieces:
    """Return the wanted pieces alone."""
    labels = np.repeat(np.where(wanted, FIRST, SEPARATOR).astype(np.int8), np.diff(pieces.offsets))
    cells = np.full(2 * len(pieces), -1, np.int32)
    cells[::2][wanted] = pieces.cells[wanted]
    return split(pieces, labels, cells)


@loop
def _undirected(offsets: Any, targets: Any) -> Any:
    """Return (starts, neighbours): both directions of all arcs in rising order, each once, no loops."""
    n = len(offsets) - 1
    counts = np.zeros(n + 1, np.int64)
    for u in range(n):
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            if u != v:
                counts[u + 1] += 1
                counts[v + 1] += 1
    for u in range(n):
        counts[u + 1] += counts[u]
    both = np.empty(counts[n], np.int32)
    free = counts[:-1].copy()
    for u in range(n):
        for arc in range(offsets[u], offsets[u + 1]):
            v = targets[arc]
            if u != v:
                both[free[u]] = v
                free[u] += 1
                both[free[v]] = u
                free[v] += 1
    return _sorted_rows(counts, both)


@part
def _sorted_rows(counts: Any, both: Any) -> Any:
    """Return (starts, neighbours) of symmetric rows, each rising and without repetition: their transpose is that."""
    n = len(counts) - 1
    rows = np.empty(len(both), np.int32)
    free = counts[:-1].copy()
    for u in range(n):
        for i in range(counts[u], counts[u + 1]):
            v = both[i]
            if free[v] == counts[v] or rows[free[v] - 1] != u:
                rows[free[v]] = u
                free[v] += 1
    starts = np.empty(n + 1, np.int64)
    at = 0
    for u in range(n):
        starts[u] = at
        for i in range(counts[u], free[u]):
            rows[at] = rows[i]
            at += 1
    starts[n] = at
    return starts, rows[:at].copy()


@loop
def side_sizes(offsets: Any, labels: Any) -> Any:
    """Return the number of nodes on both sides of each piece, int64 [2 k]."""
    counts = np.zeros(2 * (len(offsets) - 1), np.int64)
    for piece in range(len(offsets) - 1):
        for i in range(offsets[piece], offsets[piece + 1]):
            if labels[i] != SEPARATOR:
                counts[2 * piece + labels[i]] += 1
    return counts


@loop
def _sides(offsets: Any, nodes: Any, starts: Any, targets: Any, labels: Any, side_offsets: Any) -> Any:
    """Return (nodes, starts, targets) of the sides of all pieces, each side's nodes in their old order."""
    free = side_offsets[:-1].copy()
    new_index = np.empty(len(nodes), np.int32)
    new_nodes = np.empty(side_offsets[-1], np.int32)
    old = np.empty(side_offsets[-1], np.int64)
    for piece in range(len(offsets) - 1):
        for i in range(offsets[piece], offsets[piece + 1]):
            if labels[i] != SEPARATOR:
                side = 2 * piece + labels[i]
                new_index[i] = free[side]
                new_nodes[free[side]] = nodes[i]
                old[free[side]] = i
                free[side] += 1
    new_starts = np.empty(len(new_nodes) + 1, np.int64)
    new_targets = np.empty(len(targets), np.int32)
    arcs = 0
    for at in range(len(new_nodes)):
        new_starts[at] = arcs
        i = old[at]
        for arc in range(starts[i], starts[i + 1]):
            j = targets[arc]
            if labels[j] == labels[i]:
                new_targets[arcs] = new_index[j]
                arcs += 1
    new_starts[len(new_nodes)] = arcs
    return new_nodes, new_starts, new_targets[:arcs].copy()


_TO_CUT, _UNDECIDED = np.int8(3), np.int8(4)
"""Labels of nodes in components that have to be cut, and in those that go to a side as they are."""

LARGEST_SIDE = 0.6
"""Part of a piece's nodes that a component may have and yet go to a side as it is."""


def cores(pieces: Pieces) -> tuple[Pieces, Labels]:
    """Return the components that have to be cut, and labels int8 [N] of all nodes.

    A core's ``cells`` are indices of pieces. Labels are sides where the component needs no cut, else anything else.
    """
    labels = _arrange(pieces.offsets, pieces.starts, pieces.targets)
    to_cut = labels == _TO_CUT
    owners = np.full(2 * len(pieces), -1, np.int32)
    has_core = np.logical_or.reduceat(to_cut, pieces.offsets[:-1]) if len(pieces) else np.empty(0, np.bool_)
    owners[::2][has_core] = np.flatnonzero(has_core)
    return split(pieces, np.where(to_cut, FIRST, SEPARATOR).astype(np.int8), owners), labels


def distribute(pieces: Pieces, labels: Labels, core_labels: Labels) -> Labels:
    """Return the label of every node, given those of all nodes of the cores, in order."""
    sides = labels.copy()
    sides[labels == _TO_CUT] = core_labels
    _fill_sides(pieces.offsets, pieces.starts, pieces.targets, sides)
    return sides


@part_without_allocation
def _flood(root: int, starts: Any, targets: Any, seen: Any, queue: Any) -> int:
    """Put the component of a node into ``queue``, and return how many nodes it has."""
    seen[root] = True
    queue[0] = root
    count = 1
    head = 0
    while head < count:
        u = queue[head]
        head += 1
        for arc in range(starts[u], starts[u + 1]):
            v = targets[arc]
            if not seen[v]:
                seen[v] = True
                queue[count] = v
                count += 1
    return count


@loop
def _arrange(offsets: Any, starts: Any, targets: Any) -> Any:
    """Label what has to be cut as ``_TO_CUT``, and all other nodes as ``_UNDECIDED``."""
    n = len(starts) - 1
    labels = np.full(n, _UNDECIDED, np.int8)
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    for piece in range(len(offsets) - 1):
        size = offsets[piece + 1] - offsets[piece]
        for root in range(offsets[piece], offsets[piece + 1]):
            if seen[root]:
                continue
            count = _flood(root, starts, targets, seen, queue)
            if count > LARGEST_SIDE * size:
                for i in range(count):
                    labels[queue[i]] = _TO_CUT
                break
    return labels


@loop
def _fill_sides(offsets: Any, starts: Any, targets: Any, sides: Any) -> None:
    """Give the components that are undecided to the lighter side of their piece, the largest one first."""
    n = len(starts) - 1
    seen = np.zeros(n, np.bool_)
    queue = np.empty(n, np.int32)
    for piece in range(len(offsets) - 1):
        begin, end = offsets[piece], offsets[piece + 1]
        weight = np.zeros(3, np.int64)  # of both sides, and of the separator
        undecided = 0
        for i in range(begin, end):
            if sides[i] == _UNDECIDED:
                undecided += 1
            else:
                weight[sides[i]] += 1
                seen[i] = True
        if undecided == 0:
            continue
        firsts = np.empty(undecided, np.int32)
        sizes = np.empty(undecided, np.int32)
        components, filled = 0, 0
        for root in range(begin, end):
            if not seen[root]:
                firsts[components] = filled
                sizes[components] = _flood(root, starts, targets, seen, queue[filled:])
                filled += sizes[components]
                components += 1
        largest = 0
        for index in range(1, components):
            if sizes[index] > sizes[largest]:
                largest = index
        for turn in range(components):  # the largest, then all others but the one in whose stead it comes
            index = largest if turn == 0 else 0 if turn == largest else turn
            side = FIRST if weight[FIRST] <= weight[SECOND] else SECOND
            weight[side] += sizes[index]
            for i in range(firsts[index], firsts[index] + sizes[index]):
                sides[queue[i]] = side
