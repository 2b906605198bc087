"""The cells, separators and borders of a dissected network: shape only, the same for all its metrics.

A separator is a set of nodes whose removal parts the rest of a piece in two. Separators make a binary tree of *cells*:
a cell owns its separator, or as a leaf all nodes of a small piece. Numbered in preorder, parents before children, a
subtree is a range of cells; nodes are numbered cell by cell (their *position*), so it is a range of positions too.
George, "Nested dissection of a regular finite element mesh", SIAM Journal on Numerical Analysis 10(2), 1973.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.compiling import loop
from wayfront.network.road_network import RoadNetwork

LEAF_NODES = 24
"""Nodes that a leaf has at most. Trees take equally long with 16 to 48, and customising grows with it."""

Int32Array = NDArray[np.int32]
Int64Array = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Dissection:
    """The c cells of a network of n nodes, with read-only arrays.

    key             ``shape_key`` of the network
    parent          int32 [c], -1 for cell 0, the only root; an inner cell has one or two children
    offsets         int32 [c + 1]; cell t owns the positions offsets[t] … offsets[t + 1] − 1
    node_at         int32 [n], the node at each position
    border_offsets  int64 [c + 1]
    border          int32, positions of the nodes in separators above a cell that touch its subtree, ascending
    method          "kahip" or "coordinates"
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
