"""A*: Dijkstra's search with the straight line to the target in its keys.

A node's key is its distance from the source plus what is left at least: the great circle to the target, times the least
weight for each metre (``places``). So nodes on the way come before nodes that lie just as near in the other direction.
The bound never exceeds the distance that is left, and no arc lets it fall by more than the arc's weight. Therefore keys
never fall along a path, a settled node has its final distance, and the search ends when no key is below the target's.
Closing roads only makes paths longer, so the bound of the whole network holds without them. The search settles no node
that Dijkstra's would not; how many fewer depends on how near the bound comes to the truth: near by length, far by
travel time, whose scale is that of the fastest road.

Hart, Nilsson and Raphael 1968.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

from wayfront.algorithms.to_target.bounds import great_circle_bound
from wayfront.algorithms.to_target.driving import one_way_steps
from wayfront.algorithms.to_target.places import Places, places_for
from wayfront.algorithms.to_target.to_target_view import heap_after
from wayfront.devices.device import Ability
from wayfront.errors import NetworkError
from wayfront.search.registry import SearchKind, Tell, algorithm
from wayfront.search.to_target.run import RouteRun

BOUND = "bound"
"""The name under which ``Timing.prepare_ms`` has what measuring the arcs took."""


def prepare(run: RouteRun, tell: Tell, _cancel: threading.Event | None) -> Mapping[str, float]:
    """Find the scale of the bound, once for each metric. Raises ``NetworkError`` without coordinates."""
    if run.network.coordinates is None:
        raise NetworkError(
            f"{run.network.name} has no coordinates, and A* needs them for its bound: search by alt or bidirectional, "
            "which need none"
        )
    tell("measuring arcs", -1)
    return {BOUND: _places(run).made_ms}


def _places(run: RouteRun) -> Places:
    """Return the places of a run's whole network: no set of closed roads has its arcs measured again."""
    return places_for(run.whole, run.whole.metric(run.metric.name))


@algorithm(
    name="a-star",
    reading_order=580,
    title="A*, great-circle bound",
    paper="Hart, Nilsson and Raphael 1968",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Dijkstra to a target, with the great circle that is left added to each key at its least cost: the search "
    "leans towards the target.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    prepare=prepare,
    state=heap_after,
    one_by_one=True,
)
def a_star(run: RouteRun) -> Iterator[int]:
    """Run A* with the bound by great circles."""
    places = _places(run)
    return one_way_steps(run, great_circle_bound(run.target, places.points, places.per_radian))
