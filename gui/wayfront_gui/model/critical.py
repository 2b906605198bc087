"""The most critical road: which single closure lengthens a tree most, among roads with much of the tree above them.

Pure functions over distances and parents. No Qt.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.search.result import Result
from wayfront_gui.model.closures import Arcs, as_arcs, describe_road
from wayfront_gui.model.detour import Detour
from wayfront_gui.translation import translated

MOST_ROADS = 32
"""Roads that are tried."""


@dataclass(frozen=True, slots=True, eq=False)
class CriticalRoad:
    """A road, what closing it alone would cost on top of what is closed, and among how many it was found.

    ``arcs`` are those that closing it closes; ``closures`` were closed already.
    """

    result: Result
    arcs: Arcs
    detour: Detour
    tried: int

    def of_tree(self, result: Result) -> bool:
        """Whether ``result`` is the tree for which the road was found."""
        return result.distances is self.result.distances

    @property
    def text(self) -> str:
        """The road and its figures in words."""
        road = describe_road(self.result.network, self.arcs, self.result.metric)
        text = "Most critical of {count} roads here: {road}. Without it {cost}."
        return translated(text, count=self.tried, road=road, cost=_lower(self.detour.text))


def busiest(result: Result, sizes: NDArray[np.int32], near: Arcs, most: int = MOST_ROADS) -> Arcs:
    """Return the arcs among ``near`` that are in a tree, the most nodes above them first, at most ``most``.

    ``sizes`` int32 [n] is the number of nodes in each node's subtree, itself included. Of equally busy arcs that with
    the smallest number comes first; closed arcs are in no tree.
    """
    network = result.network
    tails, heads = network.tails()[near], network.targets[near]
    open_arcs = ~np.isin(near, result.closures)
    reached = result.reached[tails]
    through = np.where(reached, result.distances[tails], 0).astype(np.int64) + result.metric.weights[near]
    in_tree = open_arcs & reached & (result.parents[heads] == tails) & (through == result.distances[heads])
    arcs = near[in_tree]
    order = np.lexsort((arcs, -sizes[network.targets[arcs]].astype(np.int64)))
    return arcs[order][:most]


def most_critical(
    result: Result,
    roads: Sequence[Arcs],
    distances_without: Callable[[Arcs], NDArray[Any]],
    tried: Callable[[int], None] = lambda _: None,
) -> CriticalRoad | None:
    """Return the road whose closure costs most: first by nodes no longer reached, then by the sum of what is farther.

    ``distances_without`` returns the distances [n] with some arcs closed as well, ``tried`` takes how many roads were
    tried so far. Of equals the first is returned, None where there are no roads.
    """
    worst: CriticalRoad | None = None
    for number, road in enumerate(roads):
        tried(number)
        closed = as_arcs(np.union1d(result.closures, road))
        cost = Detour.of(result.metric, result.distances, distances_without(closed))
        if worst is None or (cost.cut_off, cost.total) > (worst.detour.cut_off, worst.detour.total):
            worst = CriticalRoad(result, road, cost, len(roads))
    return worst


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
