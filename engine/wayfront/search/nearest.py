"""Trees from several sources, laid together: for each node the nearest source, and the way from there."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.network.frames import integer_column, point_frame
from wayfront.network.road_network import RoadNetwork
from wayfront.options import AUTO
from wayfront.plain_text import printable
from wayfront.search.call import search
from wayfront.search.procedure import Progress
from wayfront.search.result import Result
from wayfront.search.route import Route

if TYPE_CHECKING:
    import geopandas
    import pandas


def search_nearest(
    network: RoadNetwork,
    sources: Sequence[int] | NDArray[np.integer],
    algorithm: str = AUTO,
    device: str = AUTO,
    *,
    metric: str | None = None,
    options: Mapping[str, Any] | None = None,
    threads: int = 1,
    verify: bool = False,
    progress: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
    closures: Sequence[int] | NDArray[np.integer] | None = None,
) -> Nearest:
    """Find how far every node is from the nearest of several sources, such as depots, and which one that is.

    ``sources`` are internal node numbers; from each a tree is found and kept, which takes 8 bytes a node. The other
    arguments and errors are those of ``wayfront.search``; nothing is timed or recorded. Raises ``NetworkError`` too
    where there is no source.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> served = wayfront.search_nearest(network, [0, 29], "dijkstra", "cpu")
        >>> int(served.nearest[1]), int(served.nearest[28])
        (0, 1)
    """
    return Nearest.of(
        [
            search(
                network,
                source,
                algorithm,
                device,
                metric=metric,
                options=options,
                threads=threads,
                runs=0,
                trace_budget=None,
                verify=verify,
                progress=progress,
                cancel=cancel,
                closures=closures,
            )
            for source in sources
        ]
    )


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

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> trees = [wayfront.search(network, source, "dijkstra", "cpu", runs=0) for source in (0, 29)]
        >>> served = wayfront.Nearest.of(trees)
        >>> int(served.served.sum()), len(served.route(29)), len(served.to_geodataframe())
        (30, 1, 30)
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

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame of the nodes in internal order, with the file's ids as index (extra ``interop``).

        Columns: ``name`` where nodes have names, ``x`` and ``y`` in degrees where there is a map, ``distance`` as a
        raw whole number, ``cost`` in the metric's unit, ``source`` and ``parent`` (ids). What a node has not is
        missing.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
            >>> table = wayfront.search_nearest(network, [0, 29], "dijkstra", "cpu").to_pandas()
            >>> list(table), int(table["source"].nunique())
            (['x', 'y', 'distance', 'cost', 'source', 'parent'], 2)
        """
        network, metric = self.trees[0].network, self.trees[0].metric
        reached, parents = self.reached, self.parents
        nodes, _ = network.to_pandas()
        nodes["distance"] = integer_column(self.distances, reached)
        nodes["cost"] = np.where(reached, self.distances * metric.scale, np.nan)
        sources = np.array([tree.source for tree in self.trees])[self.nearest]
        nodes["source"] = integer_column(network.node_ids[sources], reached)
        nodes["parent"] = integer_column(network.node_ids[parents], parents >= 0)
        return nodes

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with a point for each node, in degrees. Raises ``NetworkError`` without."""
        network = self.trees[0].network
        return point_frame(self.to_pandas(), network.coordinates, network.name)

    def __repr__(self) -> str:
        first, reached = self.trees[0], f"{int(self.reached.sum()):,} of {len(self.nearest):,} nodes reached"
        return f"<Nearest of {len(self.trees):,} sources, {printable(first.network.name)}: {reached}>"
