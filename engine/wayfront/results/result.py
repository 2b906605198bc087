"""The results of a search: distances and the shortest-path tree, or a route and what was looked at to find it.

Every result has the times of its search, and the trace of its steps where they were recorded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront.network.arcs import NOTHING_CLOSED, facing, without_arcs
from wayfront.network.arguments import node_index
from wayfront.network.copies import end_of
from wayfront.network.exporting import integer_column, node_column, point_frame
from wayfront.network.projection import projected
from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.network.schema import NO_PATH
from wayfront.pictures import Page, Picture, facts_shown, page, picture, shown_picture
from wayfront.results.route import Route
from wayfront.safe.errors import CertificateError, NetworkError
from wayfront.safe.options import OptionValue
from wayfront.safe.text import printable
from wayfront.timing.harness import STEADY, spread, time_figures
from wayfront.trace.schema import Trace

if TYPE_CHECKING:
    import geopandas
    import pandas


CUT, SET_UP, CUSTOMISE = "cut", "set up", "customise"
"""What the dissection prepares: once for a network's shape, once more on each device, and once for each metric."""


class SearchKind(StrEnum):
    """What a search finds."""

    ONE_TREE = "one tree"
    MANY_TREES = "many trees"
    ALL_PAIRS = "all pairs"
    ROUTE = "a route"


@dataclass(frozen=True, slots=True)
class Timing:
    """Times of one search, in milliseconds.

    ``runs_ms`` are the clean runs: warmed up, compiled, nothing recorded, input on the device, distances left
    there. ``transfer_ms`` copies distances and parents back, ``tree_ms`` makes the parents, and ``traced_ms`` is
    the separate run that recorded the trace (None without one). ``machine`` names processor, card, driver and
    versions. ``prepare_ms`` is what was done before the search could begin, by name; empty where a search prepares
    nothing. For the dissection it is "cut", once for each network; "set up", once for each network on a device and
    dtype of distances: tables, memory, and on a card compiling kernels for this cut, recording their launches and a
    first customising; and "customise", once for each metric, which is without all of that. Kernels of every
    network are compiled before and in none of them.
    """

    runs_ms: tuple[float, ...]
    transfer_ms: float
    tree_ms: float
    traced_ms: float | None
    machine: Mapping[str, str] = field(default_factory=dict)
    prepare_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def from_scratch_ms(self) -> float | None:
        """The median with what a new metric costs before the search: that of customising, nothing for most searches."""
        return None if self.median_ms is None else self.median_ms + self.prepare_ms.get(CUSTOMISE, 0.0)

    @property
    def median_ms(self) -> float | None:
        """The figure called *time*: the median of the clean runs, None if there were none."""
        if not self.runs_ms:
            return None
        from statistics import median  # with what it needs, a hundredth of a start of the window

        return median(self.runs_ms)

    @property
    def noisy(self) -> bool:
        """Whether the clean runs differ by more than runs do that agree, so that the median says little."""
        return spread(self.runs_ms) > STEADY

    @property
    def overhead(self) -> float | None:
        """The time of the traced run divided by the median of the clean runs."""
        if self.traced_ms is None or not self.median_ms:
            return None
        return self.traced_ms / self.median_ms


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BaseResult(ABC):
    """What every kind of search returns; each kind adds what it found.

    device                id of the device, ``device_name`` its name for display
    steps, relaxations    of the traced run, None where nothing was counted
    verified              True once the certificate held; None if it was not requested; False where a choice that may
                          give wrong results did so, and then ``note`` holds the counterexample
    note                  one line on how it ran, such as fewer threads than requested; mostly empty
    closures              int64 [k]: internal numbers of the arcs that were closed, ascending; ``network`` has them all
    reverse               whether arcs were followed from their heads to their tails: distances are those towards a node
    """

    kind: ClassVar[SearchKind]

    network: RoadNetwork
    metric: Metric
    algorithm: str
    options: Mapping[str, OptionValue]
    device: str
    device_name: str
    timing: Timing
    steps: int | None = None
    relaxations: int | None = None
    trace: Trace | None = None
    verified: bool | None = None
    note: str = ""
    closures: NDArray[np.int64] = field(default_factory=lambda: NOTHING_CLOSED)
    reverse: bool = False

    def __post_init__(self) -> None:
        """Give the trace what it was recorded of, so that it can be drawn; without a circle of references."""
        if self.trace is not None:
            object.__setattr__(self, "trace", replace(self.trace, recorded_of=replace(self, trace=None)))

    @property
    def searched(self) -> tuple[RoadNetwork, Metric]:
        """The network without the closed arcs, which the search was given, and its metric; reversed where that was."""
        network, closed = facing(self.network, self.closures, reverse=self.reverse)
        if not self.reverse and not len(closed):
            return network, self.metric
        weights = self.metric.weights[self.network.in_arcs()[1]] if self.reverse else self.metric.weights
        return without_arcs(network, closed), replace(self.metric, weights=np.delete(weights, closed))

    @abstractmethod
    def found(self) -> dict[str, Any]:
        """Return the figures of ``summary`` that belong to this kind of search."""

    def summary(self) -> dict[str, Any]:
        """Return the figures of a search as JSON values; every node id is the file's own."""
        return {
            "network": {
                "name": self.network.name,
                "nodes": self.network.node_count,
                "arcs": self.network.arc_count,
                "metric": self.metric.name,
                "unit": self.metric.raw_unit,
                "credit": self.network.credit,
            },
            "algorithm": self.algorithm,
            "device": self.device,
            "device_name": self.device_name,
            "options": dict(self.options),
            "closed_arcs": len(self.closures),
            "reverse": self.reverse,
            **self.found(),
            "steps": self.steps,
            "relaxations": self.relaxations,
            "time_ms": time_figures(self.timing.runs_ms) | {"noisy": self.timing.noisy},
            "prepare_ms": dict(self.timing.prepare_ms),
            "from_scratch_ms": self.timing.from_scratch_ms,
            "transfer_ms": self.timing.transfer_ms,
            "tree_ms": self.timing.tree_ms,
            "traced_ms": self.timing.traced_ms,
            "verified": self.verified,
            "note": self.note,
            "machine": dict(self.timing.machine),
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Result(BaseResult):
    """Distances and tree from one source; with ``reverse`` towards it.

    distances  int32 [n], int64 where one does not fit, raw weights; ``unreached``, which is −1, where there is no path
    parents    int32 [n], internal node numbers; -1 for the source and for unreached nodes. The node before each on the
               way from the source, with ``reverse`` the node after it on the way there
    source     internal node number, the one that all ways lead to with ``reverse``

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> result = wayfront.search(network, 0, "dijkstra", "cpu")
        >>> int(result.distances[0]), result.found()["reached"], result.summary()["closed_arcs"]
        (0, 12, 0)
        >>> len(result.to_geodataframe())
        12
    """

    kind: ClassVar[SearchKind] = SearchKind.ONE_TREE

    source: int
    distances: NDArray[Any]
    parents: NDArray[np.int32]

    @property
    def unreached(self) -> int:
        """The distance that means that there is no path, −1, as in every array and file of distances."""
        return NO_PATH

    @property
    def reached(self) -> NDArray[np.bool_]:
        """Which nodes the source reaches, bool [n]."""
        return self.distances != self.unreached

    @property
    def costs(self) -> NDArray[np.float64]:
        """The distances in the metric's unit, float64 [n]; infinite where there is no path, as in SciPy."""
        return self.metric.costs(self.distances)

    @property
    def farthest(self) -> int:
        """The reached node of the largest distance; of several, the one with the smallest file id."""
        ends = end_of(self.network, np.arange(self.network.node_count, dtype=np.int32), reverse=self.reverse)
        distances = self.distances[ends]
        candidates = ends[np.flatnonzero(distances == distances.max())]
        return int(candidates[np.argmin(self.network.node_ids[candidates])])

    def route(self, target: int) -> Route:
        """Return the shortest path to ``target``, an internal number; it has no nodes where there is none.

        With ``reverse`` it leads from ``target`` to the source: its nodes are always in the order of driving. Raises
        ``NetworkError`` for what is no node, and ``CertificateError`` where the parents do not lead to the source, so
        that wrong ones end the walk.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> route = wayfront.search(network, 0, "dijkstra", "cpu").route(11)
            >>> len(route), route.cost == route.distance
            (6, True)
        """
        target = self._end(target)
        path = self._path(target)
        distance = int(self.distances[target]) if len(path) else -1
        return Route(self.network, self.metric, path, distance, self.closures)

    def _end(self, node: int, noun: str = "target") -> int:
        """Return the copy of a node (internal number) at which ways to it end, with ``reverse`` ways from it begin."""
        return end_of(self.network, node_index(node, self.network, noun), reverse=self.reverse)

    def _path(self, target: int) -> NDArray[np.int32]:
        n = len(self.parents)
        if self.distances[target] == self.unreached:
            return np.empty(0, np.int32)
        route = [target]
        while route[-1] != self.source:
            parent = int(self.parents[route[-1]])
            if not 0 <= parent < n or len(route) == n:
                node_id = self.network.node_ids[target]
                raise CertificateError(f"the tree is wrong: the parents of node {node_id} never lead to the source")
            route.append(parent)
        return np.array(route if self.reverse else route[::-1], np.int32)

    def plot(
        self,
        step: int | None = None,
        *,
        theme: str = "light",
        width: int = 960,
        height: int = 600,
        scale: float = 2.0,
    ) -> Picture:
        """Return a picture of the tree, or of the search at a recorded step; a notebook shows it.

        ``scale`` is how many pixels a point has. Raises ``OptionError`` for a step or theme that does not exist, an
        impossible size, or where the window's canvas is missing.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> wayfront.search(network, 0, "dijkstra", "cpu").plot(width=60, height=40).png[1:4]
            b'PNG'
        """
        return picture(self, step=step, theme=theme, width=width, height=height, scale=scale)

    def show(self, moment: str = "", *, theme: str = "light", height: int = 480, live: bool = False) -> Page:
        """Return a page on which the recorded search can be played; a notebook shows it, and ``save`` writes it.

        ``moment`` is what it shows at first: the number of a step, from 1, a share such as ``"40%"``, or the finished
        tree for ``""``. ``height`` is that of the frame in a notebook, in pixels. With ``live`` its source can be
        dragged on a map, though not on a small graph: the page makes the trees itself, for which the network is cut.
        Raises ``OptionError`` for a search without ``trace=True``, or for a theme that does not exist,
        ``MissingPackageError`` where the window's canvas, or what pages bring, is missing, and ``MemoryShortError``.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
            >>> wayfront.search(network, 0, "dijkstra", "cpu").show()
            Traceback (most recent call last):
            wayfront.safe.errors.OptionError: a page shows the steps of a search: search with trace=True
        """
        return page(self, moment=moment, theme=theme, height=height, live=live)

    def __repr__(self) -> str:
        reached = f"{int(self.reached.sum()):,} of {len(self.distances):,} nodes reached"
        timed = "" if self.timing.median_ms is None else f", {self.timing.median_ms:.3g} ms"
        way = "to" if self.reverse else "from"
        where = f"{printable(self.network.name)} {way} {self.network.node_name(self.source)}"
        return f"<Result {self.algorithm} on {self.device}, {where}: {reached}{timed}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        farthest, ms = self.farthest, self.timing.median_ms
        to = f"{self.network.node_name(farthest)}, {self.metric.describe(int(self.distances[farthest]))}"
        facts = {
            "Network": self.network.name,
            "Device": self.device_name,
            "Target" if self.reverse else "Source": self.network.node_name(self.source),
            "Reached": f"{int(self.reached.sum()):,} of {len(self.distances):,} nodes",
            "Farthest": to,
            "Steps": "" if self.steps is None else f"{self.steps:,}",
            "Relaxations": "" if self.relaxations is None else f"{self.relaxations:,}",
            "Time": "" if ms is None else f"{ms:.3g} ms (median; clean runs: {len(self.timing.runs_ms)})",
        }
        facts = {name: text for name, text in facts.items() if text}
        return facts_shown(self.algorithm, facts, shown_picture(self, self.network))

    def to_pandas(self) -> pandas.DataFrame:
        """Return a pandas frame of the nodes in internal order (extra ``interop``).

        Index and first columns are those of ``RoadNetwork.to_pandas``: names or ids of the nodes, ``x`` and ``y``. Then
        ``distance``, a raw whole number, −1 where no path leads, ``cost`` in the metric's unit, ``parent`` (as in the
        index), and ``step``, the first one that reached the node, where steps were recorded. What else a node has not
        is missing.

            >>> import wayfront
            >>> network = wayfront.open_network("synthetic:ring?nodes=5")
            >>> nodes = wayfront.search(network, 0, "dijkstra", "cpu").to_pandas()
            >>> int(nodes["distance"].notna().sum()), nodes["parent"].isna().tolist()[0]
            (5, True)
        """
        nodes, _ = self.network.to_pandas()
        nodes["distance"] = self.distances
        nodes["cost"] = np.where(self.reached, self.costs, np.nan)
        nodes["parent"] = node_column(nodes, self.parents)
        if self.trace is not None:
            nodes["step"] = integer_column(self.trace.first_reached, self.trace.first_reached >= 0)
        return nodes

    def to_geodataframe(self, crs: object = None) -> geopandas.GeoDataFrame:
        """Return the frame of ``to_pandas`` with a point for each node, in degrees or in the system ``crs``.

        Raises ``NetworkError`` without coordinates, and ``OptionError`` for what is no coordinate reference system.
        """
        return projected(point_frame(self.to_pandas(), self.network.coordinates, self.network.name), crs)

    def found(self) -> dict[str, Any]:
        """Return source, number and distances of the nodes reached, as ``wayfront solve --json`` prints them."""
        d = self.distances[self.reached].astype(np.int64)
        return {
            "source": int(self.network.node_ids[self.source]),
            "reached": len(d),
            "sum_distance": int(d.sum()),
            "max_distance": int(d.max()),
            "farthest": int(self.network.node_ids[self.farthest]),
        }


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RouteResult(Result):
    """The shortest path from ``source`` to ``target``, and the part of the network that the search looked at.

    With ``reverse`` it leads from ``target`` to ``source``, where the search began.

    The search ends as soon as the route is proved shortest, so most nodes have no distance, and of those that have one
    only the settled ones have their final distance.

    target       internal node number
    distance     raw weight of the route, −1 where there is no path
    path         int32 [k], the nodes in the order of driving; none where there is no path
    distances    int32 [n], int64 where one does not fit: the length of the shortest path found between a node and the
                 end that it was reached from; ``unreached`` for nodes not looked at. An upper bound unless ``settled``
    parents      int32 [n], the next node of that path towards the end; -1 for the ends and for nodes not looked at
    settled      bool [n]: nodes whose distance is final
    from_target  bool [n]: nodes whose distance is that to the target, as searches from both ends have them

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> result = wayfront.search(network, 0, "bidirectional", "cpu", target=11)
        >>> len(result.route()), result.distance == result.route().cost, bool(result.settled.all())
        (6, True, False)
        >>> result.found()["route_nodes"]
        6
    """

    kind: ClassVar[SearchKind] = SearchKind.ROUTE

    target: int
    path: NDArray[np.int32]
    distance: int
    settled: NDArray[np.bool_]
    from_target: NDArray[np.bool_]

    def route(self, target: int | None = None) -> Route:
        """Return the route; it has no nodes where there is no path.

        ``target`` may be any other node (internal number) that was settled from the source. Raises ``NetworkError`` for
        a node that was not, since no shortest path to it is known, and ``CertificateError`` as ``Result.route`` does.
        """
        target = self.target if target is None else self._end(target)
        if target == self.target:
            return Route(self.network, self.metric, self.path, self.distance, self.closures)
        if not self.settled[target] or self.from_target[target]:
            raise NetworkError(
                f"{self.algorithm} ended before it knew a shortest path to node {self.network.node_ids[target]}; "
                "search with that target, or by an algorithm that finds one tree"
            )
        return Route(self.network, self.metric, self._path(target), int(self.distances[target]), self.closures)

    def __repr__(self) -> str:
        return f"<RouteResult {self.algorithm}, {self._where()}: {self._length()}, {self._settled_of()}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        facts = {
            "Network": self.network.name,
            "Source": self.network.node_name(self._ends[0]),
            "Target": self.network.node_name(self._ends[1]),
            "Distance": self._length(),
            "Settled": self._settled_of(),
        }
        return facts_shown(self.algorithm, facts, shown_picture(self, self.network))

    def _where(self) -> str:
        network, (begin, end) = self.network, self._ends
        return f"{printable(network.name)} from {network.node_name(begin)} to {network.node_name(end)}"

    @property
    def _ends(self) -> tuple[int, int]:
        """Where the route begins and ends."""
        return (self.target, self.source) if self.reverse else (self.source, self.target)

    def _length(self) -> str:
        return self.metric.describe(self.distance) if len(self.path) else "no path"

    def _settled_of(self) -> str:
        return f"{self.settled_count:,} of {len(self.distances):,} nodes settled"

    @property
    def settled_count(self) -> int:
        """How many nodes the search settled: what it cost, whatever computer it ran on."""
        return int(self.settled.sum())

    def found(self) -> dict[str, Any]:
        """Return source, target, distance and number of nodes looked at, as ``wayfront solve --json`` prints them."""
        ids = self.network.node_ids
        return {
            "source": int(ids[self.source]),
            "target": int(ids[self.target]),
            "distance": self.distance,
            "route_nodes": len(self.path),
            "settled": self.settled_count,
            "reached": int(self.reached.sum()),
        }
