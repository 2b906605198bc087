"""Where arcs and children go in the fronts of a dissection: shape only, shared by all metrics and devices.

The *front* of a cell is a square matrix over its separator and then its border; entry [i, j] is the distance from
node i to node j by paths inside the cell's subtree. It starts with the arcs that have one end in the separator and the
other in the front (all other arcs of the front's nodes belong to cells above), and with what the children leave over.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop, part
from wayfront.dissection.shape import Dissection
from wayfront.network.road_network import RoadNetwork

Int16Array = NDArray[np.int16]
Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class FrontLayout:
    """The fronts of c cells of a network of m arcs, with read-only arrays.

    arc_offsets    int64 [c + 1]; the arcs of cell t are arc_offsets[t]:arc_offsets[t + 1] of the next three
    arcs           int32, each arc of the network once, but for self-loops, which no shortest path takes; ascending
                   within a cell
    arc_row        int16, index of the arc's tail in its cell's front
    arc_column     int16, index of its head
    cell_of_arc    int32 [m], -1 for self-loops
    parent_index   int16, for each node of ``dissection.border`` its index in the front of the cell's parent
    """

    dissection: Dissection
    arc_offsets: Int64Array
    arcs: Int32Array
    arc_row: Int16Array
    arc_column: Int16Array
    cell_of_arc: Int32Array
    parent_index: Int16Array

    @classmethod
    def of(cls, dissection: Dissection, network: RoadNetwork) -> FrontLayout:
        """Return the layout for a network of the dissection's shape; borders are sorted, so looking up takes a log."""
        ends = dissection.offsets, dissection.border_offsets, dissection.border
        arc_offsets = np.zeros(dissection.cell_count + 1, np.int64)
        cell_of_arc = np.empty(len(network.targets), np.int32)
        _find_cells(network.offsets, network.targets, dissection.position, dissection.cell_of, cell_of_arc, arc_offsets)
        np.cumsum(arc_offsets, out=arc_offsets)
        arcs = np.empty(arc_offsets[-1], np.int32)
        arc_row, arc_column = np.empty((2, len(arcs)), np.int16)
        _place_arcs(
            network.offsets,
            network.targets,
            dissection.position,
            *ends,
            cell_of_arc,
            arc_offsets[:-1].copy(),
            arcs,
            arc_row,
            arc_column,
        )
        parent_index = np.empty(len(dissection.border), np.int16)
        _find_in_parents(dissection.parent, *ends, parent_index)
        layout = cls(dissection, arc_offsets, arcs, arc_row, arc_column, cell_of_arc, parent_index)
        for array in (arc_offsets, arcs, arc_row, arc_column, cell_of_arc, parent_index):
            array.flags.writeable = False
        return layout


@loop
def _find_cells(
    offsets: Any, targets: Any, position: Any, cell_of: Any, cell_of_arc: Int32Array, counts: Int64Array
) -> None:
    """Give each arc the cell of its later end, which owns it; count cell t's arcs in ``counts[t + 1]``.

    The two ends of an arc lie in one cell or in one above the other, and a cell's positions come after those above.
    """
    for tail in range(len(offsets) - 1):
        for arc in range(offsets[tail], offsets[tail + 1]):
            head = targets[arc]
            if head == tail:
                cell_of_arc[arc] = -1
            else:
                cell = cell_of[max(position[tail], position[head])]
                cell_of_arc[arc] = cell
                counts[cell + 1] += 1


@loop
def _place_arcs(
    offsets: Any,
    targets: Any,
    position: Any,
    cell_offsets: Any,
    border_offsets: Any,
    border: Any,
    cell_of_arc: Int32Array,
    next_place: Int64Array,
    arcs: Int32Array,
    arc_row: Int16Array,
    arc_column: Int16Array,
) -> None:
    """List the arcs of every cell with the indices of their ends in its front."""
    for tail in range(len(offsets) - 1):
        for arc in range(offsets[tail], offsets[tail + 1]):
            cell = cell_of_arc[arc]
            if cell >= 0:
                place = next_place[cell]
                next_place[cell] += 1
                arcs[place] = arc
                arc_row[place] = _index_in_front(cell, position[tail], cell_offsets, border_offsets, border)
                arc_column[place] = _index_in_front(cell, position[targets[arc]], cell_offsets, border_offsets, border)


@loop
def _find_in_parents(
    parent: Any, cell_offsets: Any, border_offsets: Any, border: Any, parent_index: Int16Array
) -> None:
    """Find each border node of each cell in the front of the cell's parent."""
    for cell in range(1, len(parent)):
        for place in range(border_offsets[cell], border_offsets[cell + 1]):
            parent_index[place] = _index_in_front(parent[cell], border[place], cell_offsets, border_offsets, border)


@part
def _index_in_front(cell: Any, position: Any, cell_offsets: Any, border_offsets: Any, border: Any) -> Any:
    """Return the index of a position in a cell's front: its own nodes first, then the border, which is sorted."""
    if position >= cell_offsets[cell]:
        return position - cell_offsets[cell]
    first, last = border_offsets[cell], border_offsets[cell + 1]
    low = first
    while low < last:
        middle = (low + last) >> 1
        if border[middle] < position:
            low = middle + 1
        else:
            last = middle
    return cell_offsets[cell + 1] - cell_offsets[cell] + low - first
