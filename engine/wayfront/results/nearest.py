"""Several sources: for each node the nearest one with the way from there, and the best depots among a few candidates.

Each node belongs to the depot from which it is nearest. Two aims are usual (Hakimi, Optimum locations of switching
centers and the absolute centers and medians of a graph, Operations Research 12(3), 1964): the least sum of distances
over all nodes (p-median), and the least largest distance (p-center). Both are hard for many candidates; with at most
``MOST_CANDIDATES`` of them every choice of up to three is tried, so that what is found is the best there is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.arguments import node_index
from wayfront.network.exporting import node_column, point_frame
from wayfront.network.schema import NO_PATH
from wayfront.results.result import Result
from wayfront.results.route import Route
from wayfront.safe.errors import NetworkError, SearchCancelled
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import geopandas
    import pandas


def nearest_source(rows: Sequence[NDArray[Any]]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Return each node's distance from the nearest of some sources, int64 [n], and which one that is, int32 [n].

    ``rows`` are the distances [n] from each source, −1 where no path leads. Both are −1 where no source reaches a node;
    of two equally near sources the first is taken.
    """
    far = np.iinfo(np.int64).max
    distances = np.full(len(rows[0]), far, np.int64)
    nearest = np.full(len(rows[0]), -1, np.int32)
    for index, row in enumerate(rows):
        nearer = (row < distances) & (row != NO_PATH)
        distances[nearer], nearest[nearer] = row[nearer], index
    distances[nearest < 0] = NO_PATH
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
        >>> trees = [wayfront.search(network, source, "dijkstra", "cpu") for source in (0, 29)]
        >>> served = wayfront.Nearest.of(trees)
        >>> int(served.served.sum()), len(served.route(29)), len(served.to_geodataframe())
        (30, 1, 30)
    """

    trees: tuple[Result, ...]
    distances: NDArray[np.int64]
    nearest: NDArray[np.int32]

    @classmethod
    def of(cls, trees: Sequence[Result]) -> Nearest:
        """Return what trees of one network, metric and closed roads are together.

        Raises ``NetworkError`` for none, or others.
        """
        if not trees:
            raise NetworkError("the nearest of several sources needs at least one source")
        first = trees[0]
        if any(tree.network is not first.network or tree.metric.name != first.metric.name for tree in trees):
            raise NetworkError("trees that are laid together have to be of one network and metric")
        if any(not np.array_equal(tree.closures, first.closures) for tree in trees):
            raise NetworkError("trees that are laid together have to be of the same closed roads")
        return cls(tuple(trees), *nearest_source([tree.distances for tree in trees]))

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which nodes a source reaches, bool [n]."""
        return self.nearest >= 0

    @property
    def costs(self) -> NDArray[np.float64]:
        """The distances in the metric's unit, float64 [n]; infinite where no source reaches a node."""
        return self.trees[0].metric.costs(self.distances)

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
        """Return the shortest path to ``target`` from its nearest source; it has no nodes where there is none.

        Raises ``NetworkError`` for what is no node of the network.
        """
        target = node_index(target, self.trees[0].network, "target")
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
        network = self.trees[0].network
        reached, parents = self.reached, self.parents
        nodes, _ = network.to_pandas()
        nodes["distance"] = self.distances
        nodes["cost"] = np.where(reached, self.costs, np.nan)
        sources = np.array([tree.source for tree in self.trees])[self.nearest]
        nodes["source"] = node_column(nodes, np.where(reached, sources, -1))
        nodes["parent"] = node_column(nodes, parents)
        return nodes

    def to_geodataframe(self) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with a point for each node, in degrees. Raises ``NetworkError`` without."""
        network = self.trees[0].network
        return point_frame(self.to_pandas(), network.coordinates, network.name)

    def __repr__(self) -> str:
        first, reached = self.trees[0], f"{int(self.reached.sum()):,} of {len(self.nearest):,} nodes reached"
        return f"<Nearest of {len(self.trees):,} sources, {printable(first.network.name)}: {reached}>"


MOST_CANDIDATES = 40
"""Ten thousand choices of three, each of which takes a look at every node."""

MOST_DEPOTS = 3

_AT_ONCE = 1 << 12
"""Nodes that all choices look at before the next ones: their distances from all candidates stay in a core's cache."""


class Aim(StrEnum):
    """What the best choice has least of."""

    TOTAL = "total"
    LARGEST = "largest"


@dataclass(frozen=True, slots=True)
class Depots:
    """One choice of depots, and how near it is to the nodes.

    nodes      internal numbers, in the order of the candidates
    total      the sum of the distances to all nodes that are reached, each from its nearest depot, in raw weights
    largest    the largest of these distances
    unreached  how many nodes no depot reaches

        >>> import wayfront
        >>> wayfront.Depots((4, 7), total=90, largest=30, unreached=1).mean(10)
        10.0
    """

    nodes: tuple[int, ...]
    total: int
    largest: int
    unreached: int

    def mean(self, node_count: int) -> float:
        """Return the mean distance of the nodes that are reached, in raw weights."""
        return self.total / max(node_count - self.unreached, 1)


def best_depots(
    candidates: Sequence[int],
    rows: NDArray[Any],
    *,
    most: int = MOST_DEPOTS,
    cancel: threading.Event | None = None,
    progress: Callable[[float], None] | None = None,
) -> dict[tuple[int, str], Depots]:
    """Return the best choice of one depot, of two, and so on up to ``most``, for either aim.

    Keys are the number of depots and the aim, ``"total"`` or ``"largest"``.

    ``candidates`` are internal node numbers [c], ``rows`` the distances [c, n] from each of them, −1 where there is no
    path. A choice that reaches more nodes is better than any that reaches fewer; of equal ones the first in the order
    of the candidates is taken. ``progress`` receives the fraction done.

    Raises ``NetworkError`` for no candidates or more than ``MOST_CANDIDATES``, and ``SearchCancelled``.

        >>> import wayfront
        >>> ring = wayfront.open_network("synthetic:ring?nodes=6")
        >>> rows = wayfront.all_pairs(ring, "dijkstra-in-turn", "cpu", keep="matrix").matrix
        >>> best = wayfront.best_depots([0, 1, 3], rows[[0, 1, 3]])
        >>> best[2, "largest"].nodes
        (0, 3)
    """
    candidates, rows = _checked(candidates, rows)
    unreached = int(np.iinfo(rows.dtype).max)
    if not 1 <= len(candidates) <= MOST_CANDIDATES or len(set(candidates)) < len(candidates):
        raise NetworkError(
            f"depots are chosen among 1 to {MOST_CANDIDATES} different nodes, not among {len(candidates)}: "
            "name fewer candidates, each once"
        )
    places = range(len(candidates))
    choices = [choice for count in range(1, min(most, len(places)) + 1) for choice in combinations(places, count)]
    padded = np.array([choice + choice[:1] * (MOST_DEPOTS - len(choice)) for choice in choices], np.int32)
    figures = np.zeros((len(choices), 3), np.int64)
    for first in range(0, rows.shape[1], _AT_ONCE):
        if cancel is not None and cancel.is_set():
            raise SearchCancelled("choosing depots was stopped")
        part = rows[:, first : first + _AT_ONCE]
        part = np.ascontiguousarray(np.where(part < 0, rows.dtype.type(unreached), part))
        _add_nodes(part, padded, unreached, figures)
        if progress is not None:
            progress(min((first + _AT_ONCE) / rows.shape[1], 1.0))
    found: dict[tuple[int, str], Depots] = {}
    for choice, (total, largest, missing) in zip(choices, figures.tolist(), strict=True):
        depots = Depots(tuple(int(candidates[place]) for place in choice), total, largest, missing)
        for aim in Aim:
            known = found.get((len(choice), aim))
            if known is None or _key(depots, aim) < _key(known, aim):
                found[len(choice), aim] = depots
    return found


def _checked(candidates: Any, rows: Any) -> tuple[list[int], NDArray[Any]]:
    """Return candidates and their rows. Raises ``NetworkError`` for what is neither."""
    try:
        nodes, distances = np.asarray(candidates), np.asarray(rows)
    except ValueError:  # of sequences of several lengths
        nodes, distances = np.empty(0), np.empty(0)
    if nodes.ndim != 1 or (nodes.size and nodes.dtype.kind not in "iu"):
        raise NetworkError(f"candidates are internal node numbers, not {candidates!r}; network.node(id) gives one")
    if distances.dtype.kind != "i" or distances.ndim != 2 or len(distances) != len(nodes):
        raise NetworkError(
            "rows are whole distances [candidates, nodes], a row for each candidate, as all_pairs(keep='matrix') gives "
            f"them, not {distances.dtype.name} {list(distances.shape)}"
        )
    return nodes.tolist(), distances


def _key(depots: Depots, aim: Aim) -> tuple[int, int, int]:
    """Return what orders choices: nodes without a depot, then the aim, then the other one."""
    figures = (depots.total, depots.largest) if aim is Aim.TOTAL else (depots.largest, depots.total)
    return depots.unreached, *figures


@loop
def _add_nodes(rows: NDArray[Any], choices: NDArray[np.int64], unreached: int, figures: NDArray[np.int64]) -> None:
    """Add some nodes' distances ``rows`` [c, nodes] to the sum, the largest and the number unreached of each choice."""
    for k in range(len(choices)):
        first, second, third = rows[choices[k, 0]], rows[choices[k, 1]], rows[choices[k, 2]]
        total, largest, missing = np.int64(0), np.int64(0), np.int64(0)
        for v in range(rows.shape[1]):
            nearest = min(first[v], second[v], third[v])
            reached = nearest != unreached
            distance = np.int64(nearest) if reached else np.int64(0)
            total += distance
            largest = max(largest, distance)
            missing += not reached
        figures[k, 0] += total
        figures[k, 1] = max(figures[k, 1], largest)
        figures[k, 2] += missing
