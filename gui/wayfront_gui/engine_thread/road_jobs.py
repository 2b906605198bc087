"""The job that finds the most critical road."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import SearchCancelled
from wayfront.search.result import Result
from wayfront_gui.engine_thread.jobs import Report
from wayfront_gui.model.closures import Arcs
from wayfront_gui.model.critical import CriticalRoad, busiest, most_critical
from wayfront_gui.scene.lines_near import road_of_arc
from wayfront_gui.scene.subtrees import subtree_sizes


@dataclass(frozen=True, slots=True, eq=False)
class CriticalJob:
    """Find the road among the arcs ``near`` whose closure would lengthen a result's tree most."""

    result: Result
    near: Arcs
    slot: int
    lane: str = field(default="critical", init=False)

    def run(self, report: Report) -> CriticalRoad | None:
        """Return the road, None where no road of the tree is among them."""
        report.progress("Choosing roads", -1.0)
        result = self.result
        arcs = busiest(result, subtree_sizes(result.parents), self.near)
        roads = [road_of_arc(result.network, int(arc)) for arc in arcs]
        roads = list({road.tobytes(): road for road in roads}.values())
        if not roads:
            return None

        def tried(number: int) -> None:
            if report.cancel.is_set():
                raise SearchCancelled("the search for the most critical road was stopped")
            report.progress(f"Closing road {number + 1} of {len(roads)}", number / len(roads))

        return most_critical(result, roads, _finder(result, report), tried)


def _finder(result: Result, report: Report) -> Callable[[Arcs], NDArray[Any]]:
    """Return what finds the distances with some arcs closed: by a cut that is kept, else by a search each time."""
    from wayfront import prepare, search
    from wayfront.devices import CPU
    from wayfront.dissection.store import dissection_of

    network, metric, source = result.network, result.metric.name, result.source
    if dissection_of(network, only_kept=True) is None:
        return lambda closed: (
            search(network, source, metric=metric, runs=0, closures=closed, cancel=report.cancel).distances
        )
    prepared = prepare(network, metric, CPU, cancel=report.cancel)

    def distances_without(closed: Arcs) -> NDArray[Any]:
        prepared.reopen(np.setdiff1d(prepared.closures, closed))
        prepared.close(closed)
        distances = np.empty(network.node_count, prepared.distance_dtype)
        prepared.distances_into(source, distances)
        return distances

    return distances_without
