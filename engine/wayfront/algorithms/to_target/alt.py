"""ALT: A* with bounds by landmarks and the triangle inequality.

Before the first search the distances between a few landmarks and all nodes are found, once for each metric. For a
landmark L, the triangle inequality bounds what is left from v to t from below: d(L, t) − d(L, v), and
d(v, L) − d(t, L). The largest of these over some landmarks is a bound as A* wants it: no arc makes it fall by more than
its weight. It knows rivers, mountains and motorways, which the great circle does not, so it comes nearer to the truth,
by travel time above all, and it needs no coordinates. Bounds hold when roads are closed, since distances only grow.

A search asks only the landmarks that bound best at its source. What is prepared is told apart from its time.

Goldberg and Harrelson 2005.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping

from wayfront.algorithms.to_target.bounds import landmark_bound
from wayfront.algorithms.to_target.driving import one_way_steps
from wayfront.algorithms.to_target.landmarks import best_of, landmarks_for
from wayfront.algorithms.to_target.to_target_view import heap_after
from wayfront.devices.device import Ability
from wayfront.options import Option
from wayfront.search.registry import SearchKind, Tell, algorithm
from wayfront.search.to_target.run import RouteRun

LANDMARKS = "landmarks"
"""The option, and the name under which ``Timing.prepare_ms`` has what finding their distances took."""


def prepare(run: RouteRun, tell: Tell, _cancel: threading.Event | None) -> Mapping[str, float]:
    """Choose the landmarks and find their distances, once for each network, metric and number."""
    return {LANDMARKS: landmarks_for(run, tell).made_ms}


@algorithm(
    name="alt",
    reading_order=590,
    title="ALT, landmarks",
    paper="Goldberg and Harrelson 2005",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="A* with bounds by landmarks: distances from and to a few nodes, found beforehand, bound what is left "
    "by the triangle inequality. What is prepared is told apart.",
    phases=("settle nodes",),
    options=(
        Option("landmarks", int, 16, "Nodes from and to which all distances are found before.", bounds=(1, 64)),
        Option("active", int, 4, "Landmarks that a search asks: those that bound best at its source.", bounds=(1, 64)),
    ),
    kind=SearchKind.ROUTE,
    prepare=prepare,
    state=heap_after,
    one_by_one=True,
)
def alt(run: RouteRun) -> Iterator[int]:
    """Run A* with the bound by landmarks."""
    landmarks = landmarks_for(run, lambda _doing, _fraction: None)
    active = best_of(landmarks, int(run.options["active"]), run.source, run.target)
    bound = landmark_bound(run.target, landmarks.away, landmarks.towards, len(landmarks.nodes), active)
    return one_way_steps(run, bound)
