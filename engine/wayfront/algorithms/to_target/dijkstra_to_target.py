"""Dijkstra's search, ended at the target: what every other search to a target is measured by.

Nodes are settled in order of their distance from the source, as in the search for a tree, and the search ends once no
node is nearer than the target. It looks at every node that is nearer, in whatever direction.

Dijkstra 1959.
"""

from __future__ import annotations

from collections.abc import Iterator

from wayfront.algorithms.to_target.bounds import no_bound
from wayfront.algorithms.to_target.driving import one_way_steps
from wayfront.algorithms.to_target.to_target_view import heap_after
from wayfront.devices.device import Ability
from wayfront.search.registry import SearchKind, algorithm
from wayfront.search.to_target.run import RouteRun


@algorithm(
    name="dijkstra-to-target",
    reading_order=560,
    title="Dijkstra to a target",
    paper="Dijkstra 1959",
    family="To a target",
    needs=Ability.HOST_LOOPS,
    summary="Settles nodes in order of distance and ends at the target. What A*, ALT and the search from both ends are "
    "measured by.",
    phases=("settle nodes",),
    kind=SearchKind.ROUTE,
    state=heap_after,
    one_by_one=True,
)
def dijkstra_to_target(run: RouteRun) -> Iterator[int]:
    """Run Dijkstra until the target is settled."""
    return one_way_steps(run, no_bound(run.target))
