"""The tables by which the processor folds fronts: shape only, made once for a dissection and a vector width.

A host's front lists the border before the separator, both in ascending position: then what a child leaves over goes
into its parent's front in the same order, with gaps, and a row of it can be spread by one instruction. Rows are padded
to whole vectors.

Folding a leaf by pivots would visit mostly entries without a path. Which rows each pivot can change follows from the
shape, as in sparse Gaussian elimination: those row operations are listed once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.dissection.layout import FrontLayout
from wayfront.dissection.shape import LEAF_NODES
from wayfront.dissection.vectors import Lanes

# Columns of ``Plan.cells``: sizes, ranges, and where in other arrays a cell's entries begin.
SEPARATOR, BORDER, FIRST_ARC, END_ARC, FIRST_ROW, END, LEVEL = range(7)
L_AT, R_AT, LEFT_AT, MASKS_AT, FIRST_OPERATION, END_OPERATION = range(7, 13)
COLUMNS = 16
"""Entries of a cell in ``Plan.cells``: a power of two, one cache line."""

STACKED = -1
"""In ``LEFT_AT``: what the cell leaves over goes on a stack, as only its parent, which follows soon, reads it."""

NOT_LISTED = -1
"""In ``FIRST_OPERATION``: all pivots are tried."""

NO_R = -1
"""In ``R_AT``: the cell is a leaf, whose R is not kept."""

SMALL_SUBTREE = 48
"""Subtrees of so many cells are folded anew as a whole when an arc in them changes. What the cells in them leave over
need not be kept then, which saves most of that memory and its bandwidth."""

LISTED_ROWS = 256
"""Leaves' fronts of up to so many rows get a list of row operations: an index fits a byte."""


class Plan(NamedTuple):
    """What folding reads of the shape. All arrays are contiguous.

    cells       int32 [c · COLUMNS], int64 where a matrix has more entries than that counts
    arcs        int32, arc numbers in the order of ``FrontLayout.arcs``
    slots       uint16, where each of them lies in its front; int32 if fronts are larger
    rows        int16, for each border node of each cell its row in the parent's front
    masks       uint64, for each cell and each vector of a row of its parent's front: which lanes its border fills
    operations  uint16, row · 256 + pivot of the leaves' row operations, as indices in their fronts
    """

    cells: NDArray[Any]
    arcs: NDArray[np.int32]
    slots: NDArray[Any]
    rows: NDArray[np.int16]
    masks: NDArray[np.uint64]
    operations: NDArray[np.uint16]


def make_plan(layout: FrontLayout, l_offset: NDArray[np.int64], r_offset: NDArray[np.int64], lanes: Lanes) -> Plan:
    """Return the plan for fronts whose L and R begin at the given entries (R's is −1 for leaves)."""
    cut = layout.dissection
    separator = np.diff(cut.offsets).astype(np.int64)
    border = np.diff(cut.border_offsets)
    stride = padded(separator + border, lanes)
    cells = np.zeros((cut.cell_count, COLUMNS), np.int64)
    cells[:, SEPARATOR], cells[:, BORDER] = separator, border
    cells[:, FIRST_ARC], cells[:, END_ARC] = layout.arc_offsets[:-1], layout.arc_offsets[1:]
    cells[:, FIRST_ROW], cells[:, END], cells[:, LEVEL] = cut.border_offsets[:-1], cut.end, cut.depth
    cells[:, L_AT], cells[:, R_AT] = l_offset, np.where(cut.is_leaf, NO_R, r_offset)
    kept = kept_cells(cut.parent, cut.end)
    left_over = np.where(kept, border * padded(border, lanes), 0)
    cells[:, LEFT_AT] = np.where(kept, np.cumsum(left_over) - left_over, STACKED)

    owner = np.repeat(np.arange(cut.cell_count), np.diff(layout.arc_offsets))
    slots = _rotated(layout.arc_row, owner, separator, border).astype(np.int64) * stride[owner]
    slots += _rotated(layout.arc_column, owner, separator, border)

    above = np.maximum(cut.parent, 0)
    rows = _rotated(layout.parent_index, np.repeat(above, border), separator, border)
    vectors = np.where(cut.parent >= 0, stride[above] // lanes.count, 0)
    cells[:, MASKS_AT] = np.cumsum(vectors) - vectors
    masks = np.zeros(vectors.sum(), np.uint64)
    of_row = np.repeat(cells[:, MASKS_AT], border) + rows // lanes.count
    np.bitwise_or.at(masks, of_row, np.uint64(1) << (rows % lanes.count).astype(np.uint64))

    room = separator * separator + np.diff(layout.arc_offsets)
    operations = np.empty(int(room[cut.is_leaf].sum()) + 1, np.uint16)
    count = _list_operations(cells, LISTED_ROWS, cut.is_leaf, layout.arc_row, layout.arc_column, operations)
    return Plan(
        _narrowed(cells.ravel(), np.int32),
        layout.arcs,
        _narrowed(slots, np.uint16, np.int32),
        rows,
        masks,
        operations[: count + 1].copy(),
    )


def _narrowed(array: NDArray[np.int64], *dtypes: Any) -> NDArray[Any]:
    """Return an array in the first of the dtypes that holds it, else as it is: folding reads less memory then."""
    for dtype in dtypes:
        if array.max(initial=0) <= np.iinfo(dtype).max:
            return array.astype(dtype)
    return array


def padded(size: Any, lanes: Lanes) -> Any:
    """Round sizes up to whole vectors."""
    return -(-size // lanes.count) * lanes.count


def kept_cells(parent: NDArray[np.int32], end: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Return which cells' left-overs are kept: of large subtrees, and of small ones right below them."""
    large = end - np.arange(len(end)) > SMALL_SUBTREE
    return large | large[np.maximum(parent, 0)]


def _rotated(
    index: NDArray[np.int16], owner: NDArray[np.int64], separator: NDArray[np.int64], border: NDArray[np.int64]
) -> NDArray[np.int16]:
    """Turn indices in fronts that have the separator first into those with the border first."""
    s, a = separator.astype(np.int16)[owner], border.astype(np.int16)[owner]
    return np.where(index < s, index + a, index - s)


@loop
def _list_operations(
    cells: NDArray[np.int64],
    listed_rows: int,
    is_leaf: NDArray[np.bool_],
    arc_row: NDArray[np.int16],
    arc_column: NDArray[np.int16],
    operations: NDArray[np.uint16],
) -> int:
    """List the row operations that fold each leaf: its separator down, pivot after pivot, then up; then its border."""
    one = np.uint64(1)
    pattern = np.zeros(LEAF_NODES, np.uint64)
    count = 0
    for cell in range(len(cells)):
        s, a = cells[cell, SEPARATOR], cells[cell, BORDER]
        cells[cell, FIRST_OPERATION] = NOT_LISTED
        if is_leaf[cell] and s + a <= listed_rows:
            cells[cell, FIRST_OPERATION] = count
            pattern[:s] = 0
            for arc in range(cells[cell, FIRST_ARC], cells[cell, END_ARC]):
                i, j = arc_row[arc], arc_column[arc]
                if i < s and j < s:
                    pattern[i] |= one << np.uint64(j)
                    pattern[j] |= one << np.uint64(i)
            for pivot in range(s):
                for row in range(pivot + 1, s):
                    if (pattern[pivot] >> np.uint64(row)) & one:
                        pattern[row] |= pattern[pivot] & ~(one << np.uint64(row))
                        operations[count] = (a + row) * 256 + a + pivot
                        count += 1
            for row in range(s - 1, -1, -1):
                for pivot in range(row + 1, s):
                    if (pattern[row] >> np.uint64(pivot)) & one:
                        operations[count] = (a + row) * 256 + a + pivot
                        count += 1
            for arc in range(cells[cell, FIRST_ARC], cells[cell, END_ARC]):
                if arc_row[arc] >= s:
                    operations[count] = (arc_row[arc] - s) * 256 + a + arc_column[arc]
                    count += 1
        cells[cell, END_OPERATION] = count
    return count
