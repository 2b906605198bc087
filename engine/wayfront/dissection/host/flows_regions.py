"""Where flows by classes find rows: regions of cells, entries of L by row, and entries of R by where they lead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.dissection.host.flows_lanes import WIDTH, steps_of
from wayfront.dissection.passing import Entries
from wayfront.dissection.shape import Dissection, Int32Array, Int64Array

SMALLER = 4
"""How many times smaller a region is, by its nodes, than the one it lies in: making classes at every cell, which halves
them, takes longer than it saves."""


class Regions(NamedTuple):
    """What the walk reads: shape and entries.

    offsets, parent, is_leaf, border_offsets  as ``Dissection`` has them
    steps        the cells as they are entered, and ~cell as they are left
    below        int64 [c]: the nodes of a cell and below it
    region       int64 [c]: the cell whose columns a cell has
    own_row      int64 [c]: the row of its first node in the region
    rows         int64 [c]: of a region's root, how many rows the region has
    border_row   int64: the row of each node on a cell's border in the region of the cell's parent
    l_row        int32: the row of each entry of L in its region
    filled       bool [c]: of a region's root, whether every node of the region has an entry of L
    ascent_at    int64 [c + 1]: where a cell's rows begin in the ascent; ``ascent_row`` int64 [c] how long they are
    target_first, target_at  of each cell that is no leaf, for each node of its front where its entries of R begin in
                 the next three, and where its row in the ascent begins for the sources below; ``front_first`` int64
                 [c + 1]: where a cell's nodes begin there
    from_row, from_length, from_entry  the row of each such entry's origin, its length, and its number
    demand       [n] by position: what goes there from one member
    """

    offsets: Int32Array
    parent: Int32Array
    is_leaf: NDArray[np.bool_]
    border_offsets: Int64Array
    steps: Int32Array
    below: Int64Array
    region: Int64Array
    own_row: Int64Array
    rows: Int64Array
    border_row: Int64Array
    l_row: Int32Array
    filled: NDArray[np.bool_]
    ascent_at: Int64Array
    ascent_row: Int64Array
    front_first: Int64Array
    target_first: Int64Array
    target_at: Int64Array
    from_row: Int32Array
    from_length: NDArray[Any]
    from_entry: Int32Array
    cell_of: Int32Array
    demand: NDArray[Any]
    entries: Entries


def regions_of(cut: Dissection, entries: Entries, strides: Int64Array, demand: NDArray[Any], least: int) -> Regions:
    """Return what the walk reads; ``strides`` int64 [c] are those of the fronts."""
    nodes, count = np.diff(cut.offsets).astype(np.int64), cut.cell_count
    below = cut.offsets[cut.end].astype(np.int64) - cut.offsets[:-1]
    region, own_row, rows = np.zeros((3, count), np.int64)
    border_row, l_row = np.zeros(len(cut.border), np.int64), np.zeros(len(entries.l_at), np.int32)
    _find_rows(
        *(cut.parent, cut.offsets, cut.border_offsets, cut.border, cut.cell_of, below, least, SMALLER, strides),
        *(entries.l_first, entries.l_at, region, own_row, rows, border_row, l_row),
    )
    lacking = np.bincount(region[cut.cell_of[np.diff(entries.l_first) == 0]], minlength=count)
    ascent_row = np.where(cut.is_leaf, below, -(-below // WIDTH) * WIDTH)
    ascent_at = np.concatenate(([0], np.cumsum(nodes * ascent_row)))
    front_first = np.concatenate(([0], np.cumsum(np.where(cut.is_leaf, 0, cut.front_sizes))))
    inner_entries = int(np.where(cut.is_leaf, 0, np.diff(entries.r_first[cut.offsets])).sum())
    target_first, target_at = np.zeros(front_first[-1] + 1, np.int64), np.zeros(front_first[-1], np.int64)
    from_row, from_entry = np.empty((2, inner_entries), np.int32)
    _transpose(
        *(cut.offsets, cut.border_offsets, cut.border, cut.cell_of, cut.is_leaf, strides, entries.r_first),
        *(entries.r_at, ascent_at, ascent_row, front_first, target_first, target_at, from_row, from_entry),
    )
    return Regions(
        *(cut.offsets, cut.parent, cut.is_leaf, cut.border_offsets, steps_of(cut), below, region, own_row, rows),
        *(border_row, l_row, lacking == 0, ascent_at, ascent_row, front_first, target_first, target_at, from_row),
        *(entries.r_length[from_entry], from_entry, cut.cell_of, demand, entries),
    )


@loop
def _find_rows(
    parent: Any,
    offsets: Any,
    border_offsets: Any,
    border: Any,
    cell_of: Any,
    below: Any,
    least: int,
    smaller: int,
    strides: Any,
    l_first: Any,
    l_at: Any,
    region: Any,
    own_row: Any,
    rows: Any,
    border_row: Any,
    l_row: Any,
) -> None:
    """Find regions and rows; in ``border_row`` those of a cell's border in its parent's region."""
    for cell in range(len(parent)):
        first, count = border_offsets[cell], border_offsets[cell + 1] - border_offsets[cell]
        own, above = offsets[cell + 1] - offsets[cell], parent[cell]
        if cell == 0 or (below[cell] >= least and below[cell] * smaller <= below[region[above]]):
            region[cell], own_row[cell] = cell, count
        else:
            region[cell], own_row[cell] = region[above], own_row[above] + offsets[above + 1] - offsets[above]
        rows[region[cell]] = max(rows[region[cell]], own_row[cell] + own)
        for k in range(count):
            position, root = border[first + k], region[above]
            owner = cell_of[position]
            if region[owner] == root:
                border_row[first + k] = own_row[owner] + position - offsets[owner]
            else:
                low = border_offsets[root]
                while border[low] != position:
                    low += 1
                border_row[first + k] = low - border_offsets[root]
        for entry in range(l_first[offsets[cell]], l_first[offsets[cell + 1]]):
            k = l_at[entry] // strides[cell] - own
            l_row[entry] = k if region[cell] == cell else border_row[first + k]


@loop
def _transpose(
    offsets: Any,
    border_offsets: Any,
    border: Any,
    cell_of: Any,
    is_leaf: Any,
    strides: Any,
    r_first: Any,
    r_at: Any,
    ascent_at: Any,
    ascent_row: Any,
    front_first: Any,
    target_first: Any,
    target_at: Any,
    from_row: Any,
    from_entry: Any,
) -> None:
    """List the entries of R of inner cells by the node that they lead to, origins ascending."""
    done = 0
    for cell in range(len(is_leaf)):
        if is_leaf[cell]:
            continue
        own, begin = offsets[cell + 1] - offsets[cell], front_first[cell]
        size = own + border_offsets[cell + 1] - border_offsets[cell]
        for j in range(size):
            position = offsets[cell] + j if j < own else border[border_offsets[cell] + j - own]
            owner = cell_of[position]
            row = ascent_at[owner] + (position - offsets[owner]) * ascent_row[owner]
            target_at[begin + j] = row + offsets[cell] - offsets[owner]
            target_first[begin + j] = 0
        for entry in range(r_first[offsets[cell]], r_first[offsets[cell + 1]]):
            target_first[begin + r_at[entry] % strides[cell]] += 1
        for j in range(size):
            number = target_first[begin + j]
            target_first[begin + j] = done
            done += number
        for i in range(own):
            for entry in range(r_first[offsets[cell] + i], r_first[offsets[cell] + i + 1]):
                place = target_first[begin + r_at[entry] % strides[cell]]
                target_first[begin + r_at[entry] % strides[cell]] += 1
                from_row[place], from_entry[place] = i, entry
        for j in range(size - 1, 0, -1):
            target_first[begin + j] = target_first[begin + j - 1]
        if size > 0:
            target_first[begin] = done - (r_first[offsets[cell + 1]] - r_first[offsets[cell]])
    target_first[len(target_first) - 1] = done
