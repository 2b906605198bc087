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
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.devices.compiling import loop
from wayfront.network.ends import Ends
from wayfront.network.exporting import node_column
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.results.result import Result
from wayfront.safe.errors import CertificateError, NetworkError, OptionError, SearchCancelled
from wayfront.safe.files import write_whole
from wayfront.safe.text import printable

if TYPE_CHECKING:
    import pandas

    from wayfront.results.catchments import Catchments


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


RANKED_FILES = (".csv", ".parquet")
"""Suffixes of files of the nearest sources of every node."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Nearest(Result):
    """Distances from the nearest of several sources, and the ways as one forest; with ``reverse`` those to it.

    Each node hangs on its nearest source. ``parents`` are -1 where ways begin too; of equally good ones the smallest
    file id is taken, among those with the same source. What is left of a road between a source and its node counts.

    origins  where the k sources stand, as ``wayfront.network.ends`` says it
    nearest  int32 [n]: the index of the nearest source, -1 where none reaches a node; of equally near ones the first
    source   internal number of the first source's node

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.search(network, [0, 29], device="cpu")
        >>> int(found.served.sum()), len(found.route(29)), len(found.to_geodataframe())
        (30, 1, 30)
        >>> found.sources.tolist(), int(found.root(1))
        ([0, 29], 0)
    """

    origins: Ends
    nearest: NDArray[np.int32]

    @property
    def sources(self) -> NDArray[np.int32]:
        """The first node of each source, internal numbers int32 [k], -1 for one that is not on the network."""
        return self.origins.nodes[:, 0]

    @property
    def served(self) -> NDArray[np.int64]:
        """How many nodes each source is the nearest of, int64 [k]."""
        return np.bincount(self.nearest[self.reached], minlength=len(self.origins))

    def root(self, node: int) -> int:
        """Return the node (internal number) at which the way to a node begins; -1 where none leads there.

        With ``reverse`` it is where the way from the node ends. Raises as ``route`` does.
        """
        path = self._path(self._end(node, "node"))
        return int(path[-1 if self.reverse else 0]) if len(path) else -1

    def _path(self, target: int) -> NDArray[np.int32]:
        n = len(self.parents)
        if self.distances[target] == self.unreached:
            return np.empty(0, np.int32)
        way, parent = [target], int(self.parents[target])
        while parent >= 0:
            if parent >= n or len(way) == n:
                node_id = self.network.node_ids[target]
                raise CertificateError(f"the forest is wrong: the parents of node {node_id} never lead to a source")
            way.append(parent)
            parent = int(self.parents[parent])
        return np.array(way if self.reverse else way[::-1], np.int32)

    def to_pandas(self) -> pandas.DataFrame:
        """Return the frame of ``Result.to_pandas`` with a column more, ``source``: the nearest source's node.

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> table = wayfront.search_nearest(network, [0, 29], "dijkstra", "cpu").to_pandas()
        >>> list(table), int(table["source"].nunique())
        (['x', 'y', 'distance', 'cost', 'source', 'parent'], 2)
        """
        nodes = Result.to_pandas(self)
        sources = np.where(self.reached, self.sources[self.nearest], -1)
        nodes.insert(nodes.columns.get_loc("parent"), "source", node_column(nodes, sources))
        return nodes

    def catchments(
        self,
        buffer_m: float = 100.0,
        *,
        within: float | None = None,
        labels: Sequence[int | str] | None = None,
        cancel: threading.Event | None = None,
    ) -> Catchments:
        """Return the land that belongs to each source: all within ``buffer_m`` metres of the roads it is nearest to.

        ``within`` takes only roads that are no farther, in the metric's unit. ``labels`` are what sources are called,
        by default the ids of their nodes. Raises ``NetworkError`` without coordinates, ``OptionError`` for a width or
        limit that is not above 0, ``MissingPackageError`` without ContourPy, ``MemoryShortError`` beforehand, and
        ``SearchCancelled``.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
            >>> [each.nodes for each in wayfront.search(network, [0, 29]).catchments(labels=["north", "south"])]
            [23, 7]
        """
        from wayfront.results.catchments import find_catchments

        return find_catchments(self, buffer_m=buffer_m, within=within, labels=labels, cancel=cancel)

    def found(self) -> dict[str, Any]:
        """Return the figures of ``Result.found``, with how many nodes each source is the nearest of."""
        figures = Result.found(self)
        del figures["source"]
        ids, nodes = self.network.node_ids, self.sources
        named = np.where(nodes >= 0, ids[nodes], -1).tolist()
        each = [
            {"source": node, "nearest_nodes": count} for node, count in zip(named, self.served.tolist(), strict=True)
        ]
        return {"sources": each, **figures}

    def __repr__(self) -> str:
        of = f"{len(self.origins):,} source{'' if len(self.origins) == 1 else 's'}"
        reached = f"{int(self.reached.sum()):,} of {len(self.distances):,} nodes reached"
        return f"<Nearest of {of}, {self.algorithm} on {self.device}, {printable(self.network.name)}: {reached}>"


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """The k nearest sources of each node, the nearest first; with ``reverse`` those that are nearest to it.

    Two sources count as two, even at one place. Of equally near ones the first comes first.

    origins    where the sources stand
    nearest    int32 [n, k]: the index of each source, -1 where fewer reach the node
    distances  int64 [n, k], raw weights, -1 likewise

        >>> import tempfile, wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=6&rows=5")
        >>> found = wayfront.search_nearest(network, [0, 29, 7], k=2)
        >>> found.nearest[1].tolist(), found.distances.shape, len(found.to_pandas())
        ([0, 2], (30, 2), 60)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     found.save(f"{folder}/nearest.csv")
    """

    network: RoadNetwork
    metric: Metric
    origins: Ends
    nearest: NDArray[np.int32]
    distances: NDArray[np.int64]
    reverse: bool
    closures: NDArray[np.int64]

    @property
    def costs(self) -> NDArray[np.float64]:
        """The distances in the metric's unit, float64 [n, k]; infinite where there is none."""
        return self.metric.costs(self.distances)

    def to_pandas(self, labels: Sequence[int | str] | None = None) -> pandas.DataFrame:
        """Return a pandas frame in long form (extra ``interop``): a row for each node and source that was found for it.

        The index are the nodes as in ``RoadNetwork.to_pandas``; columns are ``rank`` from 1 on, ``nearest``, the index
        of the source, or what ``labels`` call it, ``source``, its node as in the index, ``distance`` and ``cost``.
        """
        nodes, _ = self.network.to_pandas()
        node, rank = np.nonzero(self.nearest >= 0)
        table = nodes.iloc[node][[]]
        index = self.nearest[node, rank]
        table["rank"], table["nearest"] = rank + 1, index if labels is None else np.array([*labels], object)[index]
        table["source"] = node_column(nodes, self.origins.nodes[self.nearest[node, rank], 0])
        table["distance"], table["cost"] = self.distances[node, rank], self.costs[node, rank]
        return table

    def save(self, path: str | Path, labels: Sequence[int | str] | None = None) -> None:
        """Write the frame of ``to_pandas`` as ``.csv`` or ``.parquet`` (extra ``parquet``).

        Raises ``OptionError`` for another suffix, and ``WriteError``.
        """
        suffix = Path(path).suffix.lower()
        if suffix not in RANKED_FILES:
            raise OptionError(f"{path}: unknown suffix; nearest sources are written as {', '.join(RANKED_FILES)}")
        table = self.to_pandas(labels).rename_axis("node")
        with write_whole(path) as file:
            table.to_csv(file) if suffix == ".csv" else table.to_parquet(file)

    def __repr__(self) -> str:
        k = self.nearest.shape[1]
        return f"<Ranked: the {k} nearest of {len(self.origins):,} sources, {printable(self.network.name)}>"


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
