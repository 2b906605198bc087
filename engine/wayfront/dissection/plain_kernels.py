"""Bodies of the plain elimination: one thread folds a cell's front, climbs, or descends into a cell.

Every front is kept whole, row by row: F[i, j] is the distance from the i-th to the j-th of its nodes within the cell's
subtree, separator first, then border. Offers are computed in 64 bits and stored only where they are smaller, so that a
distance at or beyond ``infinity`` is never stored (see ``search.distances``).
"""

from __future__ import annotations

from typing import NamedTuple

from wayfront.devices.body_functions import callable_in_bodies
from wayfront.devices.device import DeviceArray
from wayfront.kernels.arguments import Arcs


class Cells(NamedTuple):
    """The cells of a dissection, in preorder; their arrays are those of ``Dissection``."""

    parent: DeviceArray
    offsets: DeviceArray
    border_offsets: DeviceArray
    border: DeviceArray
    children_offsets: DeviceArray
    children: DeviceArray


class Nodes(NamedTuple):
    """The node at each position, int32 [n], and the position of each node."""

    at: DeviceArray
    position: DeviceArray


class InArcs(NamedTuple):
    """The arcs that enter each node: those of node v are ``numbers[offsets[v]]`` … ``numbers[offsets[v + 1] - 1]``."""

    offsets: DeviceArray
    numbers: DeviceArray
    tails: DeviceArray


class Fronts(NamedTuple):
    """All fronts one after the other: cell t's begins at ``starts[t]``, int64 [c]."""

    starts: DeviceArray
    values: DeviceArray


@callable_in_bodies
def place_in_front(cells: Cells, cell: int, position: int) -> int:
    """Return the index in a cell's front of a position, -1 where it lies below the cell."""
    first, end = cells.offsets[cell], cells.offsets[cell + 1]
    if position >= first:
        return position - first if position < end else -1
    low, high = cells.border_offsets[cell], cells.border_offsets[cell + 1]
    while low < high:
        middle = (low + high) >> 1
        if cells.border[middle] < position:
            low = middle + 1
        else:
            high = middle
    return end - first + low - cells.border_offsets[cell]


@callable_in_bodies
def take_arcs(
    cell: int, cells: Cells, nodes: Nodes, arcs: Arcs, in_arcs: InArcs, begin: int, values: DeviceArray
) -> None:
    """Lower a front by the arcs that join its separator's nodes with one another and with its border."""
    first, end = cells.offsets[cell], cells.offsets[cell + 1]
    size = end - first + cells.border_offsets[cell + 1] - cells.border_offsets[cell]
    for position in range(first, end):
        node, own = nodes.at[position], position - first
        for arc in range(arcs.offsets[node], arcs.offsets[node + 1]):
            other = place_in_front(cells, cell, nodes.position[arcs.targets[arc]])
            slot = begin + own * size + other
            if other >= 0 and arcs.weights[arc] >= 0 and arcs.weights[arc] < values[slot]:
                values[slot] = arcs.weights[arc]
        for entry in range(in_arcs.offsets[node], in_arcs.offsets[node + 1]):
            arc = in_arcs.numbers[entry]
            other = place_in_front(cells, cell, nodes.position[in_arcs.tails[entry]])
            slot = begin + other * size + own
            if other >= 0 and arcs.weights[arc] >= 0 and arcs.weights[arc] < values[slot]:
                values[slot] = arcs.weights[arc]


@callable_in_bodies
def take_children(cell: int, cells: Cells, fronts: Fronts, begin: int, size: int) -> None:
    """Lower a front by what its children know of the nodes on their borders, all of which it holds."""
    values = fronts.values
    for index in range(cells.children_offsets[cell], cells.children_offsets[cell + 1]):
        child = cells.children[index]
        separated = cells.offsets[child + 1] - cells.offsets[child]
        border, borders = cells.border_offsets[child], cells.border_offsets[child + 1] - cells.border_offsets[child]
        child_size = separated + borders
        for i in range(borders):
            to_row = begin + place_in_front(cells, cell, cells.border[border + i]) * size
            from_row = fronts.starts[child] + (separated + i) * child_size + separated
            for j in range(borders):
                slot = to_row + place_in_front(cells, cell, cells.border[border + j])
                values[slot] = min(values[slot], values[from_row + j])


def fold(
    i: int,
    order: DeviceArray,
    level: int,
    cells: Cells,
    nodes: Nodes,
    arcs: Arcs,
    in_arcs: InArcs,
    fronts: Fronts,
    infinity: int,
) -> None:
    """Form the front of a cell whose children are folded, and close it over its separator."""
    cell = order[level + i]
    separated = cells.offsets[cell + 1] - cells.offsets[cell]
    size = separated + cells.border_offsets[cell + 1] - cells.border_offsets[cell]
    begin, values = fronts.starts[cell], fronts.values
    for slot in range(begin, begin + size * size):
        values[slot] = infinity
    for k in range(size):
        values[begin + k * size + k] = 0
    take_arcs(cell, cells, nodes, arcs, in_arcs, begin, values)
    take_children(cell, cells, fronts, begin, size)
    for k in range(separated):
        row_k = begin + k * size
        for row in range(size):
            row_begin = begin + row * size
            to_k = values[row_begin + k]
            if to_k == infinity:
                continue
            for j in range(size):
                onward = values[row_k + j]
                if onward != infinity and to_k + onward < values[row_begin + j]:
                    values[row_begin + j] = to_k + onward


def climb(_i: int, cell: int, source: int, cells: Cells, fronts: Fronts, infinity: int, reached: DeviceArray) -> None:
    """Pass on what the separator of every cell from the source's to the root has reached; by position, one thread.

    ``source`` is a position, whose own distance is there.
    """
    values = fronts.values
    while cell >= 0:
        first, separated = cells.offsets[cell], cells.offsets[cell + 1] - cells.offsets[cell]
        border, borders = cells.border_offsets[cell], cells.border_offsets[cell + 1] - cells.border_offsets[cell]
        size = separated + borders
        for k in range(separated):
            so_far = reached[first + k]
            if so_far == infinity:
                continue
            row = fronts.starts[cell] + k * size
            for j in range(size):
                head = first + j if j < separated else cells.border[border + j - separated]
                onward = values[row + j]
                if onward != infinity and so_far + onward < reached[head]:
                    reached[head] = so_far + onward
        cell = cells.parent[cell]


def descend(
    i: int, order: DeviceArray, level: int, cells: Cells, fronts: Fronts, infinity: int, reached: DeviceArray
) -> None:
    """Reach the separator of a cell from its border, whose distances are final."""
    cell, values = order[level + i], fronts.values
    begin, separated = cells.offsets[cell], cells.offsets[cell + 1] - cells.offsets[cell]
    border, borders = cells.border_offsets[cell], cells.border_offsets[cell + 1] - cells.border_offsets[cell]
    for k in range(borders):
        so_far = reached[cells.border[border + k]]
        if so_far == infinity:
            continue
        row = fronts.starts[cell] + (separated + k) * (separated + borders)
        for j in range(separated):
            onward = values[row + j]
            if onward != infinity and so_far + onward < reached[begin + j]:
                reached[begin + j] = so_far + onward


def start(i: int, source: int, infinity: int, reached: DeviceArray) -> None:
    """Give the source, a position, distance 0."""
    reached[i] = 0 if i == source else infinity


def deliver(
    i: int, node_at: DeviceArray, reached: DeviceArray, skipped: int, stride: int, distances: DeviceArray
) -> None:
    """Write the distance of a position where its node's belongs."""
    distances[skipped + node_at[i] * stride] = reached[i]
