"""The jobs of closed roads: read a table of them, and find the most critical road."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError, SearchCancelled
from wayfront.network.closures import read_closures
from wayfront.network.road_network import RoadNetwork
from wayfront.search.result import Result
from wayfront_gui.engine_thread.drag_jobs import Drag
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.model.closures import Arcs, as_arcs
from wayfront_gui.model.critical import CriticalRoad, busiest, most_critical
from wayfront_gui.model.request import SearchRequest
from wayfront_gui.scene.lines_near import road_of_arc
from wayfront_gui.scene.subtrees import subtree_sizes
from wayfront_gui.translation import translated

if TYPE_CHECKING:
    from wayfront.search.prepared import Prepared


@dataclass(frozen=True, slots=True, eq=False)
class ReadClosuresJob:
    """Read a table of closed roads; a long one takes seconds."""

    path: str
    network: RoadNetwork
    slot: int
    lane: str = field(default="closures", init=False)

    def run(self, report: Report) -> Arcs:
        """Return the arcs that it closes. Raises ``FormatError``."""
        report.progress(translated("Reading closed roads"), -1.0)
        return as_arcs(read_closures(self.path, self.network))


@dataclass(frozen=True, slots=True, eq=False)
class PreparedTreeJob:
    """Find the tree of a request on a prepared network, where only what is above a changed road is folded anew."""

    request: SearchRequest
    drag: Drag
    prepared: Prepared
    slot: int
    lane: str = field(default="search", init=False)

    def run(self, _report: Report) -> Result:
        """Return the tree, with the time of this one run."""
        self.drag.bring_closures(self.prepared, self.request.closures)
        return self.prepared.tree(self.request.source)


@dataclass(frozen=True, slots=True, eq=False)
class CriticalJob:
    """Find the road among the arcs ``near`` whose closure would lengthen a result's tree most."""

    result: Result
    near: Arcs
    slot: int
    lane: str = field(default="critical", init=False)

    def run(self, report: Report) -> CriticalRoad | None:
        """Return the road, None where no road of the tree is among them."""
        report.progress(translated("Choosing roads"), -1.0)
        result = self.result
        arcs = busiest(result, subtree_sizes(result.parents), self.near)
        roads = [road_of_arc(result.network, int(arc)) for arc in arcs]
        roads = list({road.tobytes(): road for road in roads}.values())
        if not roads:
            return None

        def tried(number: int) -> None:
            if report.cancel.is_set():
                raise SearchCancelled("the search for the most critical road was stopped")
            report.progress(
                translated("Closing road {number} of {roads}", number=number + 1, roads=len(roads)), number / len(roads)
            )

        return most_critical(result, roads, _finder(result, report), tried)


def _finder(result: Result, report: Report) -> Callable[[Arcs], NDArray[Any]]:
    """Return what finds the distances with some arcs closed: by a cut that is kept, else by a search each time."""
    from wayfront import search

    prepared = _prepared(result, report)

    def distances_without(closed: Arcs) -> NDArray[Any]:
        if prepared is None:
            name = result.metric.name
            found = search(result.network, result.source, metric=name, runs=0, closures=closed, cancel=report.cancel)
            return found.distances
        prepared.close_exactly(closed)
        distances = np.empty(result.network.node_count, prepared.distance_dtype)
        prepared.distances_into(result.source, distances)
        return distances

    return distances_without


def _prepared(result: Result, report: Report) -> Prepared | None:
    """Return the network prepared for many trees, None where no cut is kept or it cannot be cut well."""
    from wayfront import prepare
    from wayfront.devices import CPU
    from wayfront.dissection.store import dissection_of

    try:
        if dissection_of(result.network, only_kept=True) is None:
            return None
        return prepare(result.network, result.metric.name, CPU, cancel=report.cancel)
    except NetworkError:
        return None
