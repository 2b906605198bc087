"""The result of a search from a source to one target: the route, and what the search looked at to find it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from wayfront.errors import NetworkError
from wayfront.notebook_tables import facts_shown
from wayfront.pictures import shown_picture
from wayfront.plain_text import printable
from wayfront.search.registry import SearchKind
from wayfront.search.result import Result
from wayfront.search.route import Route


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RouteResult(Result):
    """The shortest path from ``source`` to ``target``, and the part of the network that the search looked at.

    The search ends as soon as the route is proved shortest, so most nodes have no distance, and of those that have one
    only the settled ones have their final distance.

    target       internal node number
    path         int32 [k], the nodes from source to target; none where there is no path
    distances    int32 [n], int64 where one does not fit: the length of the shortest path found between a node and the
                 end that it was reached from; ``unreached`` for nodes not looked at. An upper bound unless ``settled``
    parents      int32 [n], the next node of that path towards the end; -1 for the ends and for nodes not looked at
    settled      bool [n]: nodes whose distance is final
    from_target  bool [n]: nodes whose distance is that to the target, as searches from both ends have them

        >>> import wayfront
        >>> network = wayfront.open_network("synthetic:grid?columns=4&rows=3")
        >>> result = wayfront.search(network, 0, "bidirectional", "cpu", target=11, runs=0)
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
        if target is None or target == self.target:
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
            "Source": self.network.node_name(self.source),
            "Target": self.network.node_name(self.target),
            "Distance": self._length(),
            "Settled": self._settled_of(),
        }
        return facts_shown(self.algorithm, facts, shown_picture(self, self.network))

    def _where(self) -> str:
        network = self.network
        return f"{printable(network.name)} from {network.node_name(self.source)} to {network.node_name(self.target)}"

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
            "distance": self.distance if len(self.path) else None,
            "route_nodes": len(self.path),
            "settled": self.settled_count,
            "reached": int(self.reached.sum()),
        }
