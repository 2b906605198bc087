"""The shape of a simplified network's arcs on the map: bent, through the positions of the nodes left out. No Qt.

A chain is shared by the arcs of one stretch of road: both directions of a street are one chain, parallel arcs that
take different courses are several. The bends of a chain are points of the map, numbered after its nodes; one more is
half-way, so that every drawing line between them belongs to one node: that end which is nearer along the chain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, part
from wayfront_gui.map.subtrees import levels_in_tree

if TYPE_CHECKING:
    from wayfront.network.road_network import RoadNetwork

Float32Array = NDArray[np.float32]
Int32Array = NDArray[np.int32]
Uint8Array = NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class Chains:
    """The chains of one network.

    offsets, targets  the network's arcs
    a, b      int32 [chains]: the nodes at both ends
    bends     int32 [chains+1]: each chain's first bend among the points of the map; its bends run from ``a`` to ``b``
    of_arc    int32 [m]: the chain of each arc, -1 for a loop without bends
    of_line   int32 [lines]: the chain of each drawing line
    """

    offsets: Int32Array
    targets: Int32Array
    a: Int32Array
    b: Int32Array
    bends: Int32Array
    of_arc: Int32Array
    of_line: Int32Array

    def sorted_by(self, order: Int32Array) -> Chains:
        """Return the same chains, their lines in another order."""
        return replace(self, of_line=_frozen(self.of_line[order]))

    def tree_arcs(self, parents: Int32Array, weights: Int32Array, *, reverse: bool = False) -> Int32Array:
        """Return the arc by which a shortest-path tree enters each node, the lightest from its parent; -1 for none.

        With ``reverse`` it is that by which the way leaves each node, the lightest to its parent.
        """
        find = _arcs_to_parents if reverse else _tree_arcs
        return _frozen(find(self.offsets, self.targets, weights, parents))

    def levels_of_tree(self, parents: Int32Array, arcs: Int32Array) -> Uint8Array:
        """Return the level of each line in the tree made of ``arcs``, as in ``subtrees.levels_in_tree``.

        Of parallel chains only those that the tree takes are in it.
        """
        levels = levels_in_tree(self.a, self.b, parents)
        taken = np.zeros(len(self.a), np.bool_)
        taken[self.of_arc[arcs[arcs >= 0]]] = True
        return np.where(taken, levels, np.uint8(0))[self.of_line]

    def path(self, nodes: Int32Array, arcs: NDArray[np.integer]) -> Int32Array:
        """Return a route's nodes with the bends between them; ``arcs`` are those from each node to the next.

        It is straight where such an arc does not lead on.
        """
        pieces = [nodes[:1]]
        for u, v, arc in zip(nodes[:-1].tolist(), nodes[1:].tolist(), arcs.tolist(), strict=True):
            if self.offsets[u] <= arc < self.offsets[u + 1]:
                chain = self.of_arc[arc]
                bends = np.arange(self.bends[chain], self.bends[chain + 1], dtype=np.int32)
                pieces.append(bends if self.a[chain] == u else bends[::-1])
            pieces.append(np.array([v], np.int32))
        return np.concatenate(pieces)


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """All points of the map and the lines between them, before they are sorted.

    chains, x, y, line_a, line_b, owner_a, owner_b, line_class   as ``MapGeometry`` has them
    lengths   float32: metres along the chains, or along some of the lines where there are no chains
    """

    chains: Chains | None
    x: Float32Array
    y: Float32Array
    line_a: Int32Array
    line_b: Int32Array
    owner_a: Int32Array
    owner_b: Int32Array
    line_class: Uint8Array
    lengths: Float32Array


def follow(
    network: RoadNetwork, x: Float32Array, y: Float32Array, bend_x: Float32Array, bend_y: Float32Array
) -> Course:
    """Return the course of a network with shapes; ``bend_x`` and ``bend_y`` are the positions of the shapes' points."""
    shapes = network.shapes
    assert shapes is not None
    kinds = _frozen(np.zeros(0, np.uint8)) if network.road_class is None else network.road_class
    a, b, kind, arc, of_arc = _fold_chains(network.offsets, network.targets, kinds, shapes.offsets, shapes.points)
    bends, all_x, all_y, ends, of_line, lengths = _lay_chains(
        a, b, arc, shapes.offsets, _frozen(bend_x), _frozen(bend_y), x, y
    )
    a, b, bends, of_arc, of_line = (_frozen(array) for array in (a, b, bends, of_arc, of_line))
    chains = Chains(network.offsets, network.targets, a, b, bends, of_arc, of_line)
    return Course(chains, _frozen(all_x), _frozen(all_y), ends[0], ends[1], ends[2], ends[3], kind[of_line], lengths)


def _frozen(array: NDArray[Any]) -> NDArray[Any]:
    array.flags.writeable = False
    return array


@loop
def _fold_chains(offsets, targets, arc_class, shape_offsets, shape_points):  # type: ignore[no-untyped-def]
    """Return (a, b, class, arc, of_arc) of the chains; ``arc`` is one that runs from a to b, -1 for a lonely node.

    Arcs are grouped by their smaller end. ``newest[v]`` is this group's latest chain to ``v``, ``older`` leads to
    those before it.
    """
    n, m = len(offsets) - 1, len(targets)
    tail, arcs, start = _group_by_smaller_end(offsets, targets, shape_offsets)
    a, b = np.empty(m + n, np.int32), np.empty(m + n, np.int32)
    kind, arc, older = np.zeros(m + n, np.uint8), np.empty(m + n, np.int32), np.empty(m + n, np.int32)
    of_arc = np.full(m, -1, np.int32)
    newest = np.full(n, -1, np.int32)
    touched = np.zeros(n, np.bool_)
    count = 0
    for u in range(n):
        first = count
        for e in arcs[start[u] : start[u + 1]]:
            v = max(tail[e], targets[e])
            before = newest[v] if newest[v] >= first else -1
            chain = before
            while chain >= 0 and not _same_way(tail, shape_offsets, shape_points, e, arc[chain], u == v):
                chain = older[chain]
            if chain < 0:
                chain = count
                a[chain], b[chain], arc[chain], older[chain] = tail[e], targets[e], e, before
                newest[v] = chain
                touched[u] = touched[v] = True
                count += 1
            of_arc[e] = chain
            if len(arc_class):
                kind[chain] = max(kind[chain], arc_class[e])
        if not touched[u] and first == count:
            # A smaller neighbour would have touched it already: this node has no chain.
            a[count] = b[count] = u
            arc[count] = -1
            count += 1
    return a[:count].copy(), b[:count].copy(), kind[:count].copy(), arc[:count].copy(), of_arc


@part
def _group_by_smaller_end(offsets, targets, shape_offsets):  # type: ignore[no-untyped-def]
    """Return (tail [m], arcs, start [n+1]): the arcs of each smaller end, without loops that have no bends."""
    n, m = len(offsets) - 1, len(targets)
    tail = np.empty(m, np.int32)
    start = np.zeros(n + 1, np.int64)
    for u in range(n):
        for e in range(offsets[u], offsets[u + 1]):
            tail[e] = u
            if targets[e] != u or shape_offsets[e] < shape_offsets[e + 1]:
                start[min(u, targets[e]) + 1] += 1
    for u in range(n):
        start[u + 1] += start[u]
    arcs = np.empty(start[n], np.int32)
    free = start.copy()
    for e in range(m):
        if targets[e] != tail[e] or shape_offsets[e] < shape_offsets[e + 1]:
            low = min(tail[e], targets[e])
            arcs[free[low]] = e
            free[low] += 1
    return tail, arcs, start


@part
def _same_way(tail, shape_offsets, points, e, f, loop):  # type: ignore[no-untyped-def]
    """Whether two arcs with the same ends pass the same points, each in its direction; a loop may have either."""
    first, last = shape_offsets[e], shape_offsets[e + 1] - 1
    other_first, other_last = shape_offsets[f], shape_offsets[f + 1] - 1
    if last - first != other_last - other_first:
        return False
    onward, back = tail[e] == tail[f], tail[e] != tail[f] or loop
    for i in range(last - first + 1):
        x, y = points[first + i, 0], points[first + i, 1]
        onward = onward and x == points[other_first + i, 0] and y == points[other_first + i, 1]
        back = back and x == points[other_last - i, 0] and y == points[other_last - i, 1]
    return onward or back


@loop
def _lay_chains(a, b, arc, shape_offsets, bend_x, bend_y, x, y):  # type: ignore[no-untyped-def]
    """Return (bends, x, y, ends, of_line, lengths); ``ends`` int32 [4, lines] are line_a, line_b, owner_a, owner_b."""
    n, chains = len(x), len(a)
    bends = _count_bends(n, arc, shape_offsets)
    points = bends[chains]
    all_x, all_y = np.empty(points, np.float32), np.empty(points, np.float32)
    all_x[:n], all_y[:n] = x, y
    ends, of_line = np.empty((4, chains + points - n), np.int32), np.empty(chains + points - n, np.int32)
    lengths = np.empty(chains, np.float32)
    line = 0
    for c in range(chains):
        first, last = bends[c], bends[c + 1]
        middle = -1
        lengths[c] = math.hypot(x[a[c]] - x[b[c]], y[a[c]] - y[b[c]])
        if first < last:
            shape = shape_offsets[arc[c]]
            middle, lengths[c] = _lay_bends(a[c], b[c], shape, bend_x, bend_y, first, last, all_x, all_y)
        before = a[c]
        for p in range(first, last + 1):
            after = p if p < last else b[c]
            ends[0, line], ends[1, line] = before, after
            # A straight chain is one line, whose halves the raster assigns to its ends.
            ends[2, line] = a[c] if first == last or p <= middle else b[c]
            ends[3, line] = b[c] if first == last or p > middle else a[c]
            of_line[line] = c
            before = after
            line += 1
    return bends, all_x, all_y, ends, of_line, lengths


@part
def _count_bends(n, arc, shape_offsets):  # type: ignore[no-untyped-def]
    """Return ``bends`` of the chains: the points of their shapes, and one half-way where there are any."""
    bends = np.empty(len(arc) + 1, np.int32)
    bends[0] = n
    for c in range(len(arc)):
        inner = shape_offsets[arc[c] + 1] - shape_offsets[arc[c]] if arc[c] >= 0 else 0
        bends[c + 1] = bends[c] + (inner + 1 if inner else 0)
    return bends


@part
def _lay_bends(a, b, shape, bend_x, bend_y, first, last, x, y):  # type: ignore[no-untyped-def]
    """Put the shape that begins at ``shape`` into the points ``first`` … ``last`` - 1; return (half-way, length).

    ``half-way`` is the point there.
    """
    inner = last - first - 1
    length = math.hypot(bend_x[shape] - x[a], bend_y[shape] - y[a])
    for i in range(shape, shape + inner - 1):
        length += math.hypot(bend_x[i + 1] - bend_x[i], bend_y[i + 1] - bend_y[i])
    length += math.hypot(x[b] - bend_x[shape + inner - 1], y[b] - bend_y[shape + inner - 1])
    rest, middle = length / 2, -1
    before_x, before_y = x[a], y[a]
    at = first
    for i in range(inner + 1):
        next_x, next_y = (bend_x[shape + i], bend_y[shape + i]) if i < inner else (x[b], y[b])
        stretch = math.hypot(next_x - before_x, next_y - before_y)
        if middle < 0 and (rest <= stretch or i == inner):
            share = min(rest / stretch, 1.0) if stretch > 0 else 0.0
            middle = at
            x[at] = before_x + share * (next_x - before_x)
            y[at] = before_y + share * (next_y - before_y)
            at += 1
        rest -= stretch
        before_x, before_y = next_x, next_y
        if i < inner:
            x[at], y[at] = next_x, next_y
            at += 1
    return middle, length


@loop
def _arcs_to_parents(offsets, targets, weights, parents):  # type: ignore[no-untyped-def]
    arcs = np.full(len(parents), -1, np.int32)
    for u in range(len(parents)):
        for e in range(offsets[u], offsets[u + 1]):
            if parents[u] == targets[e] and (arcs[u] < 0 or weights[e] < weights[arcs[u]]):
                arcs[u] = e
    return arcs


@loop
def _tree_arcs(offsets, targets, weights, parents):  # type: ignore[no-untyped-def]
    arcs = np.full(len(parents), -1, np.int32)
    for u in range(len(parents)):
        for e in range(offsets[u], offsets[u + 1]):
            v = targets[e]
            if parents[v] == u and (arcs[v] < 0 or weights[e] < weights[arcs[v]]):
                arcs[v] = e
    return arcs
