"""What an all-pairs search has found so far, as the window shows it: a value of every source, diameter, centre."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wayfront.network.road_network import Metric, RoadNetwork
from wayfront.search.all_pairs.result import PairsResult
from wayfront.search.pairs_summary import Centre, Pair, PairsSummary
from wayfront.trace.schema import Trace
from wayfront_gui.translation import marked, translated

MOST_MATRIX_NODES = 512
"""Networks of more nodes have no matrix on the screen: its cells would be smaller than pixels."""
OUTER_SHARE = 0.005
"""Share of the values at either end that have the first or the last colour, so that a few do not take all others."""
MANY = 0.5
"""Share of the most nodes that a source reaches from which on another one reaches many."""
MOST_VALUES = 200_000
"""Number of values from which the ends of the colours are found."""


class Measure(StrEnum):
    """By what a source's node is coloured."""

    CLOSENESS = "closeness"
    ECCENTRICITY = "eccentricity"


MEASURE_LABELS = {Measure.CLOSENESS: marked("Closeness"), Measure.ECCENTRICITY: marked("Eccentricity")}
"""The name of each measure in the menu, the search panel and the palette."""
MEASURE_HINTS = {
    Measure.CLOSENESS: marked("Colour sources of all pairs by how near they are to all others: 1 / mean distance"),
    Measure.ECCENTRICITY: marked("Colour sources of all pairs by their distance to the node farthest from them"),
}


@dataclass(frozen=True, eq=False)
class Pairs:
    """The sources of one all-pairs search, and what is known of each.

    sources  int32 [k], internal node numbers
    figures  of the same length; ``done`` tells which sources are finished
    trace    the steps so far, or those of the finished search; None if nothing was recorded
    result   of a finished search; None while it runs, and for one that was stopped
    """

    network: RoadNetwork
    metric: Metric
    sources: NDArray[np.int32]
    figures: PairsSummary
    trace: Trace | None
    result: PairsResult | None = None

    @classmethod
    def of(cls, result: PairsResult) -> Pairs:
        """Return what a finished search found."""
        return cls(result.network, result.metric, result.sources, result.figures, result.trace, result)

    @cached_property
    def _done(self) -> NDArray[np.intp]:
        return np.flatnonzero(self.figures.done)

    @property
    def finished(self) -> int:
        """The number of finished sources."""
        return len(self._done)

    @property
    def sampled(self) -> bool:
        """Whether only some nodes are sources."""
        return len(self.sources) < self.network.node_count

    @property
    def scope(self) -> str:
        """Which sources diameter and centre are of where these are not all nodes, for example ``sampled sources``."""
        if self.sampled:
            return "sampled sources"
        return "" if self.finished == len(self.sources) else "finished sources"

    @cached_property
    def _places(self) -> NDArray[np.int32]:
        """Where each node is among the sources, -1 for one that is none."""
        places = np.full(self.network.node_count, -1, np.int32)
        places[self.sources] = np.arange(len(self.sources), dtype=np.int32)
        return places

    def _place(self, node: int) -> int | None:
        """Return where a finished source is in the arrays by source, None for any other node."""
        place = int(self._places[node])
        return place if place >= 0 and self.figures.done[place] else None

    def prepare(self) -> Pairs:
        """Find now what would be found when it is first asked for: on the engine thread, so that no frame waits."""
        _ = self._places, self._by_measure, self.diameter, self.centre
        return self

    # ------------------------------------------------------------------------------------------- of the whole network

    @cached_property
    def diameter(self) -> Pair | None:
        """The largest distance between a finished source and a node, None before there is one above 0."""
        found = self.figures.diameter(self.sources, self.network.node_ids)
        return None if found is None or found.distance == 0 else found

    @cached_property
    def centre(self) -> Centre | None:
        """The finished source of the smallest eccentricity in the largest strongly connected component."""
        return self.figures.centre(self.sources, self.network)

    # --------------------------------------------------------------------------------------------------- by source

    @cached_property
    def _by_measure(self) -> dict[Measure, NDArray[np.float64]]:
        """The values of finished sources."""
        closeness = self.figures.closeness(self.network.node_count)[self._done]
        eccentricity = self.figures.eccentricity[self._done].astype(np.float64)
        return {Measure.CLOSENESS: closeness, Measure.ECCENTRICITY: eccentricity}

    def scale(self, measure: Measure) -> tuple[float, float]:
        """Return the values that have the first and the last colour.

        Only sources that reach many nodes count: others, in small components, are near to all that they reach.
        """
        reached = self.figures.reached[self._done]
        values = self._by_measure[measure][reached >= MANY * reached.max(initial=0)]
        values = values[np.isfinite(values)]
        if not len(values):
            return 0.0, 0.0
        low, high = np.quantile(values[:: -(-len(values) // MOST_VALUES)], (OUTER_SHARE, 1 - OUTER_SHARE))
        return float(low), float(high)

    def colours(self, measure: Measure) -> tuple[NDArray[np.int32], NDArray[np.uint8]]:
        """Return the finished sources that reach another node, and each one's row of the colour map."""
        some = self.figures.reached[self._done] > 1
        values, (low, high) = self._by_measure[measure][some], self.scale(measure)
        share = (values - low) / (high - low) if high > low else np.full(len(values), 0.5)
        return self.sources[self._done[some]], np.round(255 * np.clip(share, 0.0, 1.0)).astype(np.uint8)

    def describe(self, value: float, measure: Measure) -> str:
        """Return a value with its unit: ``12.3 km``, or ``1 / 4.56 km`` for a closeness."""
        if measure is Measure.ECCENTRICITY:
            return self.metric.describe(round(value))
        return f"1 / {self.metric.describe(round(1 / value))}" if value > 0 else "0"

    def about(self, node: int) -> list[str]:
        """Return what is known of a node as a source."""
        place = self._place(node)
        if place is None:
            return [translated("no source") if self._places[node] < 0 else translated("not finished")]
        others = int(self.figures.reached[place]) - 1
        if others == 0:
            return [translated("reaches no other node")]
        far, mean = int(self.figures.eccentricity[place]), round(int(self.figures.total[place]) / others)
        end = self.network.node_name(int(self.figures.farthest[place]))
        facts = [
            translated("eccentricity {distance}, to node {node}", distance=self.metric.describe(far), node=end),
            translated("mean {distance}", distance=self.metric.describe(mean)),
        ]
        if others < self.network.node_count - 1:
            facts.append(translated("reaches {nodes:,} nodes", nodes=others + 1))
        return facts

    def farthest(self, node: int) -> int | None:
        """Return the node farthest from a finished source, None if it is none or reaches no other."""
        place = self._place(node)
        return None if place is None or self.figures.reached[place] < 2 else int(self.figures.farthest[place])

    # --------------------------------------------------------------------------------------------------- the matrix

    @cached_property
    def matrix(self) -> NDArray[Any] | None:
        """The distances of a small network by source and node, -1 where there is no path; None if they are not kept."""
        kept = None if self.result is None else self.result.matrix
        return None if kept is None or self.network.node_count > MOST_MATRIX_NODES else np.asarray(kept)

    def distance(self, source: int, target: int) -> int | None:
        """Return a distance of the matrix, -1 where there is no path; None where it is not known."""
        place = self._place(source)
        return None if self.matrix is None or place is None else int(self.matrix[place, target])

    def route(self, source: int, target: int) -> NDArray[np.int32] | None:
        """Return the nodes of a shortest path by the matrix, empty if there is none; None where it is not known."""
        place = self._place(source)
        if self.matrix is None or place is None:
            return None
        return tight_path(self.network, self.metric, self.matrix[place], source, target)


def tight_path(
    network: RoadNetwork, metric: Metric, distances: NDArray[Any], source: int, target: int
) -> NDArray[np.int32]:
    """Return the shortest path of fewest arcs, int32 nodes from source to target; empty if there is none.

    ``distances`` [n] are those from the source, -1 where there is no path. Each node is visited once, since arcs of
    weight zero may form cycles.
    """
    before = {source: source}
    waiting = deque([source])
    while waiting and target not in before:
        tail = waiting.popleft()
        for arc in range(int(network.offsets[tail]), int(network.offsets[tail + 1])):
            head = int(network.targets[arc])
            if head not in before and distances[head] == distances[tail] + metric.weights[arc]:
                before[head] = tail
                waiting.append(head)
    if target not in before:
        return np.empty(0, np.int32)
    path = [target]
    while path[-1] != source:
        path.append(before[path[-1]])
    return np.array(path[::-1], np.int32)
