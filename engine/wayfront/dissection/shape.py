"""The cells, separators, borders and fronts of a dissected network: shape only, the same for all its metrics.

A separator is a set of nodes whose removal parts the rest of a piece in two. Separators make a binary tree of *cells*:
a cell owns its separator, or as a leaf all nodes of a small piece. Numbered in preorder, parents before children, a
subtree is a range of cells; nodes are numbered cell by cell (their *position*), so it is a range of positions too.
George, "Nested dissection of a regular finite element mesh", SIAM Journal on Numerical Analysis 10(2), 1973.

The *front* of a cell is a square matrix over its separator and then its border; entry [i, j] is the distance from
node i to node j by paths inside the cell's subtree. It starts with the arcs that have one end in the separator and the
other in the front (all other arcs of the front's nodes belong to cells above), and with what the children leave over.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop, loop_without_allocation, part_without_allocation
from wayfront.network.road_network import RoadNetwork

LEAF_NODES = 24
"""Nodes that a leaf has at most. Trees take equally long with 16 to 48, and customising grows with it."""

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]
Record = TypeVar("Record", bound=tuple[int, ...])


def numbered(record: type[Record]) -> Record:
    """Return a record whose fields say where they lie in an array of such records."""
    return record(*range(len(record.__annotations__)))


@dataclass(frozen=True, slots=True, eq=False)
class Dissection:
    """The c cells of a network of n nodes, with read-only arrays.

    key             ``shape_key`` of the network
    parent          int32 [c], -1 for cell 0, the only root; an inner cell has one or two children
    offsets         int32 [c + 1]; cell t owns the positions offsets[t] … offsets[t + 1] − 1
    node_at         int32 [n], the node at each position
    border_offsets  int64 [c + 1]
    border          int32, positions of the nodes in separators above a cell that touch its subtree, ascending
    method          "coordinates", or "kahip" in files of earlier versions
    cut_ms          how long the cut took when it was made, milliseconds, as far as that is known without what it waited

    A separator may be empty (between components). A leaf has at most ``LEAF_NODES`` nodes, in an order of minimum
    degree: eliminating them in this order creates few new arcs.
    """

    key: str
    parent: Int32Array
    offsets: Int32Array
    node_at: Int32Array
    border_offsets: Int64Array
    border: Int32Array
    method: str
    cut_ms: float
    _derived: dict[str, Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        for array in (self.parent, self.offsets, self.node_at, self.border_offsets, self.border):
            array.flags.writeable = False

    @property
    def cell_count(self) -> int:
        """Number of cells, c."""
        return len(self.parent)

    @property
    def node_count(self) -> int:
        """Number of nodes, n."""
        return len(self.node_at)

    @property
    def position(self) -> Int32Array:
        """The position of each node, int32 [n]."""
        return self._derive("position", lambda: _inverse(self.node_at))

    @property
    def cell_of(self) -> Int32Array:
        """The cell that owns each position, int32 [n]."""
        cells = np.arange(self.cell_count, dtype=np.int32)
        return self._derive("cell_of", lambda: np.repeat(cells, np.diff(self.offsets)))

    @property
    def depth(self) -> Int32Array:
        """The number of cells above each cell, int32 [c]."""
        return self._derive("depth", lambda: _depths(self.parent))

    @property
    def end(self) -> Int32Array:
        """One past the last cell of each cell's subtree, int32 [c]."""
        return self._derive("end", lambda: _ends(self.parent))

    @property
    def is_leaf(self) -> NDArray[np.bool_]:
        """Whether a cell has no children, bool [c]."""
        return self._derive("is_leaf", lambda: self.end == np.arange(1, self.cell_count + 1))

    @property
    def children_offsets(self) -> Int32Array:
        """Where in ``children`` those of each cell begin, int32 [c + 1]."""

        def make() -> Int32Array:
            counts = np.bincount(self.parent[1:], minlength=self.cell_count)
            return np.concatenate(([0], np.cumsum(counts))).astype(np.int32)

        return self._derive("children_offsets", make)

    @property
    def children(self) -> Int32Array:
        """The children of all cells, int32 [c − 1], those of one cell ascending."""
        return self._derive("children", lambda: (1 + np.argsort(self.parent[1:], kind="stable")).astype(np.int32))

    @property
    def front_sizes(self) -> Int64Array:
        """The number of nodes in separator and border of each cell, int64 [c]."""
        return self._derive("front_sizes", lambda: np.diff(self.offsets) + np.diff(self.border_offsets))

    def _derive(self, name: str, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """Return a derived array, made at the first call and read-only."""
        if name not in self._derived:
            array = make()
            array.flags.writeable = False
            self._derived[name] = array
        return self._derived[name]


def shape_key(network: RoadNetwork) -> str:
    """Return a digest of the arcs without their weights, 32 hexadecimal digits: all metrics have the same."""

    def make() -> str:
        digest = hashlib.blake2b(b"shape", digest_size=16)
        digest.update(network.offsets.astype("<i8").data)
        digest.update(network.targets.astype("<i4", copy=False).data)
        return digest.hexdigest()

    return network.derive("shape key", make)


def _inverse(order: Int32Array) -> Int32Array:
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank


@loop
def _depths(parent: Int32Array) -> Int32Array:
    depth = np.zeros(len(parent), np.int32)
    for cell in range(1, len(parent)):
        depth[cell] = depth[parent[cell]] + 1
    return depth


@loop
def _ends(parent: Int32Array) -> Int32Array:
    ends = np.arange(1, len(parent) + 1).astype(np.int32)
    for cell in range(len(parent) - 1, 0, -1):
        ends[parent[cell]] = max(ends[parent[cell]], ends[cell])
    return ends


Int16Array = NDArray[np.int16]


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


@loop_without_allocation
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


@loop_without_allocation
def _place_arcs(
    offsets: Any,
    targets: Any,
    position: Any,
    cell_offsets: Any,
    border_offsets: Any,
    border: Any,
    cell_of_arc: Int32Array,
    next_index: Int64Array,
    arcs: Int32Array,
    arc_row: Int16Array,
    arc_column: Int16Array,
) -> None:
    """List the arcs of every cell with the indices of their ends in its front."""
    for tail in range(len(offsets) - 1):
        for arc in range(offsets[tail], offsets[tail + 1]):
            cell = cell_of_arc[arc]
            if cell >= 0:
                index = next_index[cell]
                next_index[cell] += 1
                arcs[index] = arc
                arc_row[index] = _index_in_front(cell, position[tail], cell_offsets, border_offsets, border)
                arc_column[index] = _index_in_front(cell, position[targets[arc]], cell_offsets, border_offsets, border)


@loop_without_allocation
def _find_in_parents(
    parent: Any, cell_offsets: Any, border_offsets: Any, border: Any, parent_index: Int16Array
) -> None:
    """Find each border node of each cell in the front of the cell's parent."""
    for cell in range(1, len(parent)):
        for index in range(border_offsets[cell], border_offsets[cell + 1]):
            parent_index[index] = _index_in_front(parent[cell], border[index], cell_offsets, border_offsets, border)


@part_without_allocation
def _index_in_front(cell: Any, position: Any, cell_offsets: Any, border_offsets: Any, border: Any) -> Any:
    """Return the index of a position in a cell's front: its own nodes first, then the border, which is sorted."""
    if position >= cell_offsets[cell]:
        return position - cell_offsets[cell]
    first, last = border_offsets[cell], border_offsets[cell + 1]
    low = first
    while low < last:
        half = (low + last) >> 1
        if border[half] < position:
            low = half + 1
        else:
            last = half
    return cell_offsets[cell + 1] - cell_offsets[cell] + low - first


class Figures(NamedTuple):
    """What is known of each of k trees, int64 [k].

    eccentricity  the largest distance
    farthest      the smallest rank by file id of a node there
    total         the sum of all distances
    reached       the number of nodes reached
    """

    eccentricity: NDArray[np.int64]
    farthest: NDArray[np.int64]
    total: NDArray[np.int64]
    reached: NDArray[np.int64]


class Added(NamedTuple):
    """What closing roads adds to the sum of the distances of all pairs with a path, and to how many of these there are.

    The pairs that it cuts off leave the sum.
    """

    total: int
    reached: int
