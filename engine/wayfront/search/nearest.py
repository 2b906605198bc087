"""Trees from several sources, laid together: for each node the nearest source, and the way from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.search.result import Result
from wayfront.search.route import Route


def nearest_source(rows: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return each node's distance from the nearest of some sources, int64 [n], and which one that is, int32 [n].

    ``rows`` are the distances [n] from each source, the dtype's largest value where no path leads. Both are -1 where no
    source reaches a node; of two equally near sources the first is taken.
    """
    far = np.iinfo(np.int64).max
    distances = np.full(len(rows[0]), far, np.int64)
    nearest = np.full(len(rows[0]), -1, np.int32)
    for index, row in enumerate(rows):
        nearer = (row < distances) & (row != np.iinfo(row.dtype).max)
        distances[nearer], nearest[nearer] = row[nearer], index
    distances[nearest < 0] = -1
    for array in (distances, nearest):
        array.flags.writeable = False
    return distances, nearest


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """The trees of several sources as one forest: each node hangs on its nearest source.

    trees      the result from each source, in the order of the sources
    distances  int64 [n], raw weights, -1 where no source reaches a node
    nearest    int32 [n]: the index of the nearest source, -1 likewise; of two equally near the first
    """

    trees: tuple[Result, ...]
    distances: NDArray[np.int64]
    nearest: NDArray[np.int32]

    @classmethod
    def of(cls, trees: Sequence[Result]) -> Nearest:
        """Return what trees of one network and metric are together. Raises ``NetworkError`` for none, or others."""
        if not trees:
            raise NetworkError("the nearest of several sources needs at least one source")
        first = trees[0]
        if any(tree.network is not first.network or tree.metric.name != first.metric.name for tree in trees):
            raise NetworkError("trees that are laid together have to be of one network and metric")
        return cls(tuple(trees), *nearest_source([tree.distances for tree in trees]))

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which nodes a source reaches, bool [n]."""
        return self.nearest >= 0

    @property
    def parents(self) -> NDArray[np.int32]:
        """The node before each on its way, int32 [n]; -1 for sources and unreached nodes.

        All nodes on the way to a node have its source: were another one nearer to one of them, it would be to the node.
        """
        parents = np.full(len(self.nearest), -1, np.int32)
        for index, tree in enumerate(self.trees):
            its = self.nearest == index
            parents[its] = tree.parents[its]
        return parents

    @property
    def served(self) -> NDArray[np.int64]:
        """How many nodes each source is the nearest of, itself among them, int64 [sources]."""
        return np.bincount(self.nearest[self.reached], minlength=len(self.trees))

    def route(self, target: int) -> Route:
        """Return the shortest path to ``target`` from its nearest source; it has no nodes where there is none."""
        return self.trees[max(int(self.nearest[target]), 0)].route(target)
